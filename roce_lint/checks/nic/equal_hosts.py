"""Hosts beside each other: firmware of one board type, number of RoCE NICs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.result import Analysis
from roce_lint.catalog.applications import Variable, meaning, row_of, without_rdma
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    fabric_check,
)
from roce_lint.model.device import Role
from roce_lint.model.nic import Nic
from roce_lint.text.numbers import count


@fabric_check("nic.firmware_differs")
def firmware_differing_within_board_type(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
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
def number_of_roce_nics_differing(fabric: Fabric, given: Given[CountParams]) -> Iterator[Outcome]:
    """A host has another number of RoCE NICs than hosts of its kind."""
    for hosts in _kinds(given.analysis):
        listed = [host for host in hosts if not host.nics_partial]
        counts = Counter(len(given.analysis.nics_of(host)) for host in listed)
        if len(counts) < 2:
            continue
        usual, often = max(counts.items(), key=lambda item: item[1])
        if often < given.params.equals or often * 2 <= len(listed):
            continue
        for host in listed:
            nics = given.analysis.nics_of(host)
            if not _lacks(host, nics, usual, alone=counts[len(nics)] < given.params.equals):
                continue
            yield Problem(
                f"{host.hostname} has {count(len(nics), 'RoCE NIC')}, {often} hosts of its kind "
                f"have {usual}",
                "jobs over these hosts run at the pace of the one with the fewest, or leave a "
                "rail unused",
                [_missing_line(host, nics) or nics[0].where()],
                host.hostname,
                tuple(nic.port or nic.name for nic in nics),
                value=f"{len(nics)} of {usual}",
            )


def _lacks(host: Device, nics: list[Nic], usual: int, *, alone: bool) -> bool:
    """Whether a host with another number is one of its kind, and not of a kind of its own.

    Storage and login nodes have the same boards and fewer of them. What a host is called proves
    nothing; that it has most of the usual devices, or shows what became of the others, does.
    """
    if len(nics) > usual:
        return alone
    if len(nics) * 2 > usual:
        return len(nics) != usual
    shown = _missing_line(host, nics) is not None
    return (alone or shown) if len(nics) * 2 == usual else (alone and shown)


def _missing_line(host: Device, nics: list[Nic]) -> Where | None:
    """A device that is down, or the list that leaves devices out."""
    for nic in host.nics.values():
        if nic.active is False and nic.ethernet is not False:
            return nic.where("active")
    if host.stated("NCCL_IB_HCA") and len(host.nics) > len(nics):
        return host.where("NCCL_IB_HCA")
    return None


SETTINGS = re.compile(r".*_(?:TC|GID_INDEX|TRAFFIC_CLASS|SL)")
"""Variables of applications that all members of a job are meant to have alike."""


@fabric_check("nic.setting_differs", params=CountParams)
def setting_differing_among_hosts(fabric: Fabric, given: Given[CountParams]) -> Iterator[Outcome]:
    """A host marks its RDMA traffic otherwise, or chooses other GIDs, than hosts of its kind."""
    for hosts in _comparable_hosts(given.analysis):
        names = sorted({name for host in hosts for name in host.environment})
        found = [(name, _variable(name)) for name in names if SETTINGS.fullmatch(name)]
        found += [(words, _field(field)) for words, field in FIELDS]
        for words, setting in found:
            yield from _differences(given, hosts, words, setting)
        yield from _differences(given, hosts, DCBX, _control)


FIELDS = (
    ("the forced traffic class", "traffic_class"),
    ("the ToS of rdma_cm", "cma_tos"),
    ("the DSCP that the adapter gives to what asks for none", "own_dscp"),
    ("the RoCE version of rdma_cm", "roce_version"),
    ("the DSCP of CNPs", "cnp_dscp"),
    ("the 802.1p priority of CNPs", "cnp_priority"),
    ("that the firmware relaxes the order of all PCI writes", "all_writes_relaxed"),
)
"""Settings of RDMA devices that are alike on alike hosts, in words, and the field of Nic."""

BYTES = ("traffic_class", "cma_tos")
"""Those that hold a DSCP and the ECN bits behind it; they are compared by their DSCP."""

UNKNOWN, DCBX = "not known", "control of DCBX"

Setting = Callable[[Device, list[Nic]], tuple[Hashable, str, Where]]
"""The value of a setting on a host: what it means, how it is written, and its place."""


def _variable(name: str) -> Setting:
    def of(host: Device, _nics: list[Nic]) -> tuple[Hashable, str, Where]:
        row, text = row_of(name), host.environment.get(name, "").strip()
        if row is None or without_rdma(host.environment, row.used_by) or not _is_choice(row, text):
            return UNKNOWN, UNKNOWN, host.where(name)
        return meaning(name, text), text, host.where(name)

    return of


def _is_choice(row: Variable, text: str) -> bool:
    """True where a value is set that does not leave the choice to the library, as -1 does."""
    return bool(text) and not text.startswith("-") and (text.lower() != "auto" or bool(row.auto))


def _field(field: str) -> Setting:
    def of(host: Device, nics: list[Nic]) -> tuple[Hashable, str, Where]:
        values = Counter(getattr(nic, field) for nic in nics)
        rarest = min(values, key=values.__getitem__)
        odd = next(nic for nic in nics if getattr(nic, field) == rarest)
        spelt = sorted({str(value) for value in values if value is not None})
        means = frozenset(v >> 2 if field in BYTES else v for v in values if v is not None)
        return means, " and ".join(spelt) or UNKNOWN, odd.where(field)

    return of


def _control(host: Device, nics: list[Nic]) -> tuple[Hashable, str, Where]:
    """The control of DCBX on all ports of a host; NIC009 reports a host whose ports differ."""
    ports = [host.interfaces.get(nic.port or "") for nic in nics]
    found = [port.qos.pfc for port in ports if port and port.qos and port.qos.pfc]
    by_firmware = {"firmware" in pfc.agents for pfc in found if pfc.agents is not None}
    if len(by_firmware) != 1:
        return UNKNOWN, UNKNOWN, host.where()
    words = "with the firmware" if by_firmware == {True} else "with the operating system"
    return words, words, found[0].where("agents")


def _comparable_hosts(analysis: Analysis) -> list[list[Device]]:
    """Hosts with NICs of the same board types in the same networks: they may share jobs."""
    groups: dict[tuple[tuple[int, ...], tuple[str, ...]], list[Device]] = defaultdict(list)
    for device in analysis.fabric.devices.values():
        networks = tuple(sorted({port.network for port in analysis.ports_of(device)}))
        families = tuple(sorted({nic.family or "" for nic in analysis.nics_of(device)}))
        if device.is_host and networks and families:
            groups[networks, families].append(device)
    return list(groups.values())


def _kinds(analysis: Analysis) -> list[list[Device]]:
    """Hosts with RoCE NICs by their role, where they are given one, and the board types."""
    kinds: dict[tuple[Role | None, tuple[str, ...]], list[Device]] = defaultdict(list)
    for device in analysis.fabric.devices.values():
        families = tuple(sorted({nic.family or "" for nic in analysis.nics_of(device)}))
        if device.is_host and families:
            kinds[device.role, families].append(device)
    return list(kinds.values())


def _differences(
    given: Given[CountParams], hosts: list[Device], words: str, setting: Setting
) -> Iterator[Outcome]:
    told = {host.hostname: setting(host, given.analysis.nics_of(host)) for host in hosts}
    counts = Counter(means for means, *_ in told.values())
    most, often = max(counts.items(), key=lambda item: item[1])
    if len(counts) < 2 or often < given.params.equals or often * 2 <= len(hosts):
        return
    _, usual, like = next(each for each in told.values() if each[0] == most)
    if usual == UNKNOWN:
        return  # most hosts were not asked
    for host in hosts:
        means, value, where = told[host.hostname]
        if means == most or value == UNKNOWN:
            continue
        yield Problem(
            f"{host.hostname}: {words} is {value}, on {often} hosts of its kind {usual}",
            "traffic of one job is treated in two ways, or finds no way at all",
            [where, like],
            host.hostname,
            (words,),
            value=f"{words}: {value}",
            severity=Severity.INFO if words == DCBX else None,
        )
