"""Hosts beside each other: firmware of one board type, number of RoCE NICs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Where,
    fabric_check,
)
from roce_lint.model.nic import Nic


@fabric_check("nic.firmware_differs")
def firmware_differs(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """RDMA devices of one board type run different firmware."""
    boards: dict[str, list[tuple[Device, Nic]]] = defaultdict(list)
    for device, nic in given.analysis.roce_nics:
        if nic.family and nic.firmware:
            boards[nic.family].append((device, nic))
    for board, nics in sorted(boards.items()):
        versions = Counter(_version(nic) for _, nic in nics)
        if len(versions) < 2:
            continue
        usual, often = max(versions.items(), key=lambda item: (item[1], item[0]))
        like = next(nic for _, nic in nics if _version(nic) == usual)
        for device, nic in nics:
            if _version(nic) == usual:
                continue
            yield Problem(
                f"{device.hostname} {nic.name} has firmware {_version(nic)}, {often} of "
                f"{len(nics)} devices of board {board} have {usual}",
                "defaults and congestion control may differ between releases of the firmware",
                [nic.where("firmware"), like.where("firmware")],
                device.hostname,
                (nic.port or nic.name,),
                value=f"{board}: {_version(nic)}",
            )


def _version(nic: Nic) -> str:
    """The release alone: some tools add the board type in brackets."""
    return (nic.firmware or "").split(" ", 1)[0]


class CountParams(BaseModel):
    """Parameters of `nic.count_differs`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    equals: int = Field(default=2, ge=2)
    """Hosts that agree against the others, at least."""


@fabric_check("nic.count_differs", params=CountParams)
def count_differs(fabric: Fabric, given: Given[CountParams]) -> Iterator[Outcome]:
    """A host has another number of RoCE NICs than hosts of its kind."""
    kinds: dict[tuple[str, str], list[Device]] = defaultdict(list)
    for device in fabric.devices.values():
        families = sorted({nic.family or "" for nic in given.analysis.nics_of(device)})
        if device.is_host and families:
            kinds[re.sub(r"\d+", "#", device.hostname), ",".join(families)].append(device)
    for (_, _), hosts in sorted(kinds.items()):
        counts = Counter(len(given.analysis.nics_of(host)) for host in hosts)
        usual, often = max(counts.items(), key=lambda item: item[1])
        if len(counts) < 2 or often < given.params.equals or often * 2 <= len(hosts):
            continue
        for host in hosts:
            nics = given.analysis.nics_of(host)
            if len(nics) == usual:
                continue
            yield Problem(
                f"{host.hostname} has {len(nics)} RoCE NICs, {often} hosts of its kind "
                f"have {usual}",
                "jobs over these hosts run at the pace of the one with the fewest, or leave a "
                "rail unused",
                [_cause(host, nics)],
                host.hostname,
                tuple(nic.port or nic.name for nic in nics),
                value=f"{len(nics)} of {usual}",
            )


def _cause(host: Device, nics: list[Nic]) -> Where:
    """A device that is down or the list that leaves devices out; else the first that counts."""
    for nic in host.nics.values():
        if nic.active is False and nic.ethernet is not False:
            return nic.where("active")
    if host.stated("NCCL_IB_HCA") and len(host.nics) > len(nics):
        return host.where("NCCL_IB_HCA")
    return nics[0].where()
