"""Checks for rules of a site, whose requirements are the parameters of a page.

No built-in page uses them: they compare a fabric with a site standard (docs/custom-rules.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from roce_lint.analysis.demand import DEVICE, NIC, PORT, Answer, Demand, demand
from roce_lint.analysis.port_parts import pfc_of
from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.treatment import Ingress
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Unknown, at_port, fabric_check
from roce_lint.errors import RoceLintError
from roce_lint.model.device import Device
from roce_lint.model.units import ranges
from roce_lint.text.source import Origin, Where

Facing = Literal["any", "host", "switch"]


class _Params(BaseModel, extra="forbid", frozen=True):
    facing: Facing = "any"
    """Ports towards hosts, towards other switches, or all."""

    def applies_to(self, port: JudgedPort) -> bool:
        """Whether the rule applies to the port."""
        return self.facing == "any" or port.faces_host is (self.facing == "host")


class DscpParams(_Params):
    """Parameters of `mapping.dscp_maps_to`: a DSCP and at least one requirement."""

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
    """A switch port whose treatment of a DSCP departs from the site standard."""
    want = given.params
    for port in given.analysis.switch_ports():
        if not want.applies_to(port):
            continue
        treated = given.analysis.treat(port, want.dscp)
        into, out = treated.ingress, treated.egress
        yield from _number(port, into, "traffic class", want.traffic_class, into.tc, None)
        yield from _number(port, into, "queue", want.queue, out.queue, out.queue_where)
        yield from _pause(port, want, into)


def _pause(port: JudgedPort, want: DscpParams, into: Ingress) -> Iterator[Outcome]:
    # A required PFC priority implies a lossless class.
    paused = True if want.lossless is None and want.pfc_priority is not None else want.lossless
    if paused is not None and into.lossless is None:
        yield _unknown(port, into, _at(port, into, None))
    elif paused is not None and into.lossless is not paused:
        state = {True: "lossless", False: "lossy"}
        yield _problem(
            f"{port} maps DSCP {into.dscp} to traffic class {into.tc_name}, which is "
            f"{state[not paused]}; site standard is {state[paused]}",
            port,
            _at(port, into, None),
            "not paused" if paused else "paused",
        )
    elif into.lossless:
        yield from _number(
            port, into, "PFC priority", want.pfc_priority, into.priority, into.priority_where
        )


def _number(
    port: JudgedPort,
    into: Ingress,
    what: str,
    required: int | None,
    found: int | None,
    place: Where | None,
) -> Iterator[Outcome]:
    at = _at(port, into, place)
    if required is not None and found is None:
        yield _unknown(port, into, at)
    elif required is not None and found != required:
        yield _problem(
            f"{port} maps DSCP {into.dscp} to {what} {found}, site standard is {required}",
            port,
            at,
            f"{what} {found}",
        )


def _problem(message: str, port: JudgedPort, at: list[Where], value: str) -> Problem:
    return Problem(message, "it departs from the site standard", at, *at_port(port), value)


def _unknown(port: JudgedPort, into: Ingress, at: list[Where]) -> Unknown:
    missing = into.missing or f"the class of DSCP {into.dscp}"
    return Unknown(missing, at, *at_port(port))


def _at(port: JudgedPort, into: Ingress, place: Where | None) -> list[Where]:
    """Place of the value if it is configured, else of the classification."""
    if place is not None and place.origin is Origin.STATED:
        return [place]
    return list(into.tc_where[:1]) or [port.interface.where()]


class MtuParams(_Params):
    """Parameters of `mtu.at_least`: the largest IP packet in bytes."""

    bytes: int = Field(ge=68, le=65535)


@fabric_check("mtu.at_least", params=MtuParams)
def at_least(fabric: Fabric, given: Given[MtuParams]) -> Iterator[Outcome]:
    """A switch port whose MTU is below the site standard."""
    need = given.params.bytes
    for port in given.analysis.switch_ports():
        if not given.params.applies_to(port):
            continue
        mtu, place = port.interface.ip_mtu, port.interface.where("ip_mtu")
        if mtu is None:
            yield Unknown("the MTU of the port", [place], *at_port(port))
        elif mtu < need:
            message = f"{port}: MTU {mtu}, site standard is {need}"
            yield _problem(message, port, [place], str(mtu))


class PrioritiesParams(_Params):
    """Parameters of `pfc.priorities_exactly`; an empty list requires PFC off."""

    priorities: frozenset[int]

    @field_validator("priorities")
    @classmethod
    def _in_range(cls, given: frozenset[int]) -> frozenset[int]:
        if not given <= frozenset(range(8)):
            raise ValueError("priorities are 0 to 7")
        return given


@fabric_check("pfc.priorities_exactly", params=PrioritiesParams)
def priorities_exactly(fabric: Fabric, given: Given[PrioritiesParams]) -> Iterator[Outcome]:
    """A switch port whose no-drop priorities depart from the site standard."""
    required = given.params.priorities
    for port in given.analysis.switch_ports():
        if not given.params.applies_to(port):
            continue
        pfc = pfc_of(port)
        place = pfc.where("generate") if pfc is not None else port.interface.where()
        if pfc is None or pfc.generate is None:
            yield Unknown("the no-drop priorities of the port", [place], *at_port(port))
        elif pfc.generate != required:
            found = _priorities(pfc.generate)
            message = f"{port} sends PFC for {found}, site standard is {_priorities(required)}"
            yield _problem(message, port, [place], found)


def _priorities(numbers: frozenset[int]) -> str:
    return f"priority {ranges(numbers)}" if numbers else "no priority"


class MustParams(_Params):
    """Parameters of `site.must`: requirements on ports, NICs or devices."""

    must: tuple[str, ...] = Field(min_length=1)
    when: tuple[str, ...] = ()
    """Conditions that all have to hold."""

    @field_validator("must", "when", mode="before")
    @classmethod
    def _one_or_several(cls, given: Any) -> Any:
        return (given,) if isinstance(given, str) else given

    @model_validator(mode="after")
    def _parse(self) -> MustParams:
        wrong: list[str] = []
        kinds = set()
        for text in (*self.must, *self.when):
            try:
                kinds.add(demand(text).about)
            except RoceLintError as error:
                wrong.append(str(error))
        if wrong:
            raise ValueError("; ".join(wrong))
        if len(kinds - {DEVICE}) > 1 or (
            DEVICE in kinds and kinds != {DEVICE} and self._is_mixed()
        ):
            raise ValueError("one rule is about ports, about NICs, or about devices")
        return self

    def _is_mixed(self) -> bool:
        """Whether the requirements are of different kinds; conditions may be about the device."""
        return len({demand(text).about for text in self.must}) > 1


@fabric_check("site.must", params=MustParams)
def must(fabric: Fabric, given: Given[MustParams]) -> Iterator[Outcome]:
    """A port, NIC or device that does not meet a requirement of the site."""
    required = [demand(text) for text in given.params.must]
    when = [demand(text) for text in given.params.when]
    about = required[0].about
    if about == PORT:
        for port in given.analysis.switch_ports():
            if given.params.applies_to(port):
                yield from _of_port(port, required, when, given)
    elif about == NIC:
        for device, nic in given.analysis.roce_nics:
            name = nic.name
            conditions = (
                each.of_device(device) if each.about == DEVICE else each.of_nic(device, name)
                for each in when
            )
            if _all(conditions):
                for each in required:
                    yield from _demands(each, each.of_nic(device, name), device, (name,))
    else:
        for device in fabric.devices.values():
            if _all(each.of_device(device) for each in when):
                for each in required:
                    yield from _demands(each, each.of_device(device), device, ())


def _of_port(
    port: JudgedPort, required: list[Demand], when: list[Demand], given: Given[MustParams]
) -> Iterator[Outcome]:
    conditions = (
        each.of_device(port.device) if each.about == DEVICE else each.of_port(given.analysis, port)
        for each in when
    )
    if _all(conditions):
        for each in required:
            answer = each.of_port(given.analysis, port)
            yield from _demands(each, answer, port.device, (port.interface.name,))


def _all(answers: Iterable[Answer]) -> bool:
    """Whether all conditions are known to hold."""
    return all(answer.holds for answer in answers)


def _demands(
    each: Demand, answer: Answer, device: Device, subjects: tuple[str, ...]
) -> Iterator[Outcome]:
    name = device.hostname
    if answer.holds is None:
        yield Unknown(answer.missing, [answer.where], name, subjects)
    elif not answer.holds:
        yield Problem(
            f"{' '.join((name, *subjects))}: {each.term} is {answer.found}, "
            f"site standard is {each.stated}",
            "it departs from the site standard",
            [answer.where],
            name,
            subjects,
            value=f"{each.term} {answer.found}",
        )
