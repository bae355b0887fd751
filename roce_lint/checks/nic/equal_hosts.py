"""Hosts compared with similar hosts: NIC firmware, number of NICs, RDMA settings."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import partial

from pydantic import BaseModel, Field

from roce_lint.analysis.result import Analysis
from roce_lint.catalog.applications import Variable, meaning, row_of, without_rdma
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Severity, Where, fabric_check
from roce_lint.model.device import Device
from roce_lint.model.nic import Nic
from roce_lint.text.numbers import count


@fabric_check("nic.firmware_differs")
def firmware_differing_within_board_type(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """RDMA devices of one board type with different firmware."""
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
            if _version(nic) != usual:
                yield Problem(
                    f"{device.hostname} {nic.name} has firmware {_version(nic)}, {often} of "
                    f"{len(nics)} devices of board {board} have {usual}",
                    "defaults and congestion control may differ between firmware releases",
                    [nic.where("firmware"), like.where("firmware")],
                    device.hostname,
                    (nic.port or nic.name,),
                    value=f"{board}: {_version(nic)}",
                )


def _version(nic: Nic) -> str:
    """Firmware release without the board type that some tools add in brackets."""
    return (nic.firmware or "").split(" ", 1)[0]


class CountParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `nic.count_differs`."""

    equals: int = Field(default=2, ge=2)
    """Minimum number of agreeing hosts."""


@fabric_check("nic.count_differs", params=CountParams)
def roce_nic_count_differs(fabric: Fabric, given: Given[CountParams]) -> Iterator[Outcome]:
    """A host whose number of RoCE NICs differs from similar hosts."""
    for hosts in _groups(given.analysis, lambda host: (host.role,)):
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
                f"{host.hostname} has {count(len(nics), 'RoCE NIC')}, {often} similar hosts have "
                f"{usual}",
                "jobs on these hosts run at the pace of the one with the fewest NICs, or leave a "
                "rail unused",
                [_missing_line(host, nics) or nics[0].where()],
                host.hostname,
                tuple(nic.port or nic.name for nic in nics),
                value=f"{len(nics)} of {usual}",
            )


def _lacks(host: Device, nics: list[Nic], usual: int, *, alone: bool) -> bool:
    """Whether a host lacks NICs, and is not a storage or login node with fewer boards.

    Names prove nothing: a host counts as similar if it has most of the usual devices, or shows
    why the others are missing.
    """
    if len(nics) > usual:
        return alone
    if len(nics) * 2 > usual:
        return len(nics) != usual
    shown = _missing_line(host, nics) is not None
    return (alone or shown) if len(nics) * 2 == usual else (alone and shown)


def _missing_line(host: Device, nics: list[Nic]) -> Where | None:
    """Place of a device that is down, or of a list that excludes devices; None without one."""
    for nic in host.nics.values():
        if nic.active is False and nic.ethernet is not False:
            return nic.where("active")
    if host.stated("NCCL_IB_HCA") and len(host.nics) > len(nics):
        return host.where("NCCL_IB_HCA")
    return None


SETTINGS = re.compile(r".*_(?:TC|GID_INDEX|TRAFFIC_CLASS|SL)")
"""Variables that have to be identical on all hosts of a job."""


@fabric_check("nic.setting_differs", params=CountParams)
def setting_differs_from_peers(fabric: Fabric, given: Given[CountParams]) -> Iterator[Outcome]:
    """A host whose RDMA marking or GID choice differs from similar hosts."""
    for hosts in _groups(given.analysis, partial(_networks, given.analysis)):
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
"""RDMA device settings that similar hosts share, in words (which enter the fingerprint), and the
field of Nic."""

BYTES = ("traffic_class", "cma_tos")
"""Fields that hold a DSCP and ECN bits; they are compared by their DSCP."""

UNKNOWN, DCBX = "not known", "control of DCBX"

Setting = Callable[[Device, list[Nic]], tuple[Hashable, str, Where]]
"""Value of a setting on a host: meaning, spelling, and place."""


def _variable(name: str) -> Setting:
    def of(host: Device, _nics: list[Nic]) -> tuple[Hashable, str, Where]:
        row, text = row_of(name), host.environment.get(name, "").strip()
        if row is None or without_rdma(host.environment, row.used_by) or not _is_choice(row, text):
            return UNKNOWN, UNKNOWN, host.where(name)
        return meaning(name, text), text, host.where(name)

    return of


def _is_choice(row: Variable, text: str) -> bool:
    """Whether a value is set that does not leave the choice to the library, as -1 does."""
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
    """Control of DCBX on all ports of a host; NIC009 reports a host whose ports differ."""
    ports = [host.interfaces.get(nic.port or "") for nic in nics]
    found = [port.qos.pfc for port in ports if port and port.qos and port.qos.pfc]
    by_firmware = {"firmware" in pfc.agents for pfc in found if pfc.agents is not None}
    if len(by_firmware) != 1:
        return UNKNOWN, UNKNOWN, host.where()
    words = "with the firmware" if by_firmware == {True} else "with the operating system"
    return words, words, found[0].where("agents")


def _networks(analysis: Analysis, host: Device) -> frozenset[int]:
    """Networks of a host: hosts in the same ones may share jobs."""
    return frozenset(port.network for port in analysis.ports_of(host))


def _groups(
    analysis: Analysis, traits: Callable[[Device], Collection[Hashable]]
) -> list[list[Device]]:
    """Groups of hosts with the same board types and traits, without hosts that lack either."""
    groups: dict[Hashable, list[Device]] = defaultdict(list)
    for device in analysis.fabric.devices.values():
        families = frozenset(nic.family or "" for nic in analysis.nics_of(device))
        if device.is_host and families and (own := traits(device)):
            groups[own, families].append(device)
    return list(groups.values())


def _differences(
    given: Given[CountParams], hosts: list[Device], words: str, setting: Setting
) -> Iterator[Outcome]:
    values = {host.hostname: setting(host, given.analysis.nics_of(host)) for host in hosts}
    counts = Counter(means for means, *_ in values.values())
    most, often = max(counts.items(), key=lambda item: item[1])
    if len(counts) < 2 or often < given.params.equals or often * 2 <= len(hosts):
        return
    _, usual, like = next(each for each in values.values() if each[0] == most)
    if usual == UNKNOWN:
        return  # most hosts have no value
    for host in hosts:
        means, value, where = values[host.hostname]
        if means == most or value == UNKNOWN:
            continue
        yield Problem(
            f"{host.hostname}: {words} is {value}, on {often} similar hosts {usual}",
            "traffic of one job is treated differently, or cannot reach its peers",
            [where, like],
            host.hostname,
            (words,),
            value=f"{words}: {value}",
            severity=Severity.INFO if words == DCBX else None,
        )
