"""Checks for a site's own rules: what they demand is said by the parameters of a page.

No page of ours uses them. What a fabric must hold under any design is judged by the other
modules; these compare with what one site has agreed on (docs/custom-rules.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.treatment import Ingress
from roce_lint.engine.api import (
    Fabric,
    Given,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.model.units import ranges

Facing = Literal["any", "host", "switch"]


class _Params(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    facing: Facing = "any"
    """Ports towards hosts, towards other switches, or all."""

    def wants(self, port: JudgedPort) -> bool:
        """Whether the port is one of those that are meant."""
        return self.facing == "any" or port.faces_host is (self.facing == "host")


class DscpParams(_Params):
    """Parameters of `mapping.dscp_maps_to`: at least one demand besides the code point."""

    dscp: int = Field(ge=0, le=63)
    lossless: bool | None = None
    pfc_priority: int | None = Field(default=None, ge=0, le=7)
    traffic_class: int | None = Field(default=None, ge=0, le=7)
    queue: int | None = Field(default=None, ge=0, le=7)

    @model_validator(mode="after")
    def _demands(self) -> DscpParams:
        demands = (self.lossless, self.pfc_priority, self.traffic_class, self.queue)
        if all(demand is None for demand in demands):
            raise ValueError("name one of lossless, pfc_priority, traffic_class, queue")
        return self


@fabric_check("mapping.dscp_maps_to", params=DscpParams)
def dscp_maps_to(fabric: Fabric, given: Given[DscpParams]) -> Iterator[Outcome]:
    """A switch port treats a code point otherwise than the site wants."""
    want = given.params
    for port in given.analysis.switch_ports():
        if not want.wants(port):
            continue
        treated = given.analysis.treat(port, want.dscp)
        into, out = treated.ingress, treated.egress
        demands = (
            ("traffic class", want.traffic_class, into.tc, into.tc_where[:1]),
            ("queue", want.queue, out.queue, _some(out.queue_where)),
        )
        for what, wanted, found, places in demands:
            if wanted is not None:
                yield from _compared(port, into, f"{what} {wanted}", wanted, found, places)
        yield from _pause(port, want, into)


def _pause(port: JudgedPort, want: DscpParams, into: Ingress) -> Iterator[Outcome]:
    if want.lossless is not None:
        wanted = "a lossless class" if want.lossless else "a class that is not paused"
        places = into.tc_where[:1] or _some(into.lossless_where)
        yield from _compared(port, into, wanted, want.lossless, into.lossless, places)
    if want.pfc_priority is not None and into.lossless is not False:
        wanted = f"PFC priority {want.pfc_priority}"
        found = into.priority if into.lossless else None
        places = _some(into.priority_where) or into.tc_where[:1]
        yield from _compared(port, into, wanted, want.pfc_priority, found, places)


def _compared(
    port: JudgedPort,
    into: Ingress,
    wanted: str,
    value: int | bool,  # noqa: FBT001  (compared, not a switch)
    found: int | bool | None,
    places: tuple[Where, ...],
) -> Iterator[Outcome]:
    device, ports = port.device.hostname, (port.interface.name,)
    at = list(places) or [port.interface.where()]
    if found is None:
        yield Unknown(into.missing or f"where DSCP {into.dscp} goes", at, device, ports)
    elif found != value:
        got = _said(into, found)
        message = f"{port} puts DSCP {into.dscp} into {got}, this site wants {wanted}"
        yield Problem(message, "it is not the design of this site", at, device, ports, got)


def _said(into: Ingress, found: int | bool) -> str:  # noqa: FBT001  (as above)
    if isinstance(found, bool):
        return f"class {into.tc}, which is {'paused' if found else 'not paused'}"
    return f"{found}"


def _some(place: Where | None) -> tuple[Where, ...]:
    return (place,) if place is not None else ()


class MtuParams(_Params):
    """Parameters of `mtu.at_least`: the largest IP packet, in bytes."""

    bytes: int = Field(ge=68, le=65535)


@fabric_check("mtu.at_least", params=MtuParams)
def at_least(fabric: Fabric, given: Given[MtuParams]) -> Iterator[Outcome]:
    """A switch port carries less than the site wants."""
    need = given.params.bytes
    for port in given.analysis.switch_ports():
        if not given.params.wants(port):
            continue
        mtu, place = port.interface.ip_mtu, port.interface.where("ip_mtu")
        device, ports = port.device.hostname, (port.interface.name,)
        if mtu is None:
            yield Unknown("the MTU of the port", [place], device, ports)
        elif mtu < need:
            yield Problem(
                f"{port} carries IP packets of {mtu} bytes, this site wants {need}",
                "it is not the design of this site",
                [place],
                device,
                ports,
                value=str(mtu),
            )


class PrioritiesParams(_Params):
    """Parameters of `pfc.priorities_exactly`; an empty list demands that PFC is off."""

    priorities: frozenset[int]

    @field_validator("priorities")
    @classmethod
    def _in_range(cls, given: frozenset[int]) -> frozenset[int]:
        if not given <= frozenset(range(8)):
            raise ValueError("priorities are 0 to 7")
        return given


@fabric_check("pfc.priorities_exactly", params=PrioritiesParams)
def priorities_exactly(fabric: Fabric, given: Given[PrioritiesParams]) -> Iterator[Outcome]:
    """A switch port pauses other priorities than the site wants."""
    wanted = given.params.priorities
    for port in given.analysis.switch_ports():
        if not given.params.wants(port):
            continue
        qos = port.interface.qos
        pfc = qos.pfc if qos is not None else None
        place = pfc.where("generate") if pfc is not None else port.interface.where()
        device, ports = port.device.hostname, (port.interface.name,)
        if pfc is None or pfc.generate is None:
            yield Unknown("the priorities that the port pauses", [place], device, ports)
        elif pfc.generate != wanted:
            yield Problem(
                f"{port} pauses {_priorities(pfc.generate)}, this site wants {_priorities(wanted)}",
                "it is not the design of this site",
                [place],
                device,
                ports,
                value=_priorities(pfc.generate),
            )


def _priorities(numbers: frozenset[int]) -> str:
    return f"priority {ranges(numbers)}" if numbers else "no priority"
