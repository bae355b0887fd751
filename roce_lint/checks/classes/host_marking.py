"""What hosts mark like RoCE data: storage over RDMA, and packets that are no RoCE at all."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.catalog.applications import row_of
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    fabric_check,
)
from roce_lint.model.nic import Certainty, Emission, Flow
from roce_lint.model.plan import RocePlan

OTHERS = (Flow.STORAGE, Flow.OTHER)
"""Kinds of traffic that are not RDMA data."""


@fabric_check("classes.other_traffic_marked_as_roce")
def other_traffic_marked_as_roce(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A host gives other traffic the very code point of RoCE data: no switch tells them apart."""
    analysis = given.analysis
    for device, emission in _stated_emissions(fabric):
        if emission.flow not in OTHERS:
            continue
        traffic = next((t for t in analysis.data_classes if emission.dscp in t.dscps), None)
        ports = _protected_ports(analysis, device, emission)
        if traffic is None or not ports:
            continue
        yield Problem(
            f"{device.hostname} gives DSCP {emission.dscp}, that of {traffic.name}, to "
            f"{emission.flow.value} traffic ({emission.by})",
            "its bursts pause RoCE, RoCE's congestion pauses it, and no switch can tell them apart",
            [emission.where("dscp", emission.by), *traffic.where[:1]],
            device.hostname,
            tuple(port.interface.name for port in ports),
            value=f"{emission.dscp}:{emission.by}",
            traffic=traffic.name,
            severity=None if emission.nics else Severity.WARNING,
            acts="leaving",
        )


@fabric_check("classes.storage_with_jobs")
def storage_in_class_of_jobs(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """RDMA of storage travels in the lossless class of the data between GPUs."""
    analysis = given.analysis
    jobs = [each for each in _stated_emissions(fabric) if _is_of_jobs(*each)]
    jobs.sort(key=lambda each: each[1].storage is None)  # a variable proves more than a force
    for device, emission in _stated_emissions(fabric):
        if not emission.storage or not _is_data(emission):
            continue
        ports = _protected_ports(analysis, device, emission)
        if not ports:
            continue
        other = next(
            (job for _, job in jobs if _are_paused_together(analysis, ports[0], emission, job)),
            None,
        )
        if other is None:
            continue
        planned = _is_planned(given.plan, emission.dscp)
        wanted = f"; {given.plan.name or 'the intent'} has a class for storage" if planned else ""
        yield Problem(
            f"{device.hostname} sends RDMA of storage with DSCP {emission.dscp} ({emission.by}), "
            f"in the class of jobs (DSCP {other.dscp}, {other.by}){wanted}",
            "a burst of reads of storage pauses the data between GPUs, and that pauses storage",
            [emission.where("dscp", emission.by), other.where("dscp", other.by)],
            device.hostname,
            tuple(port.interface.name for port in ports),
            value=f"{emission.dscp}:{other.dscp}",
            severity=None if planned else Severity.INFO,
            acts="leaving",
        )


def _stated_emissions(fabric: Fabric) -> list[tuple[Device, Emission]]:
    """What hosts state that they send."""
    return [
        (device, emission)
        for device in fabric.devices.values()
        for emission in device.emits
        if emission.certainty is Certainty.STATED
    ]


def _is_data(emission: Emission) -> bool:
    return emission.flow is Flow.DATA


def _is_of_jobs(device: Device, emission: Emission) -> bool:
    """Whether jobs send this: they ask for it, or a host set up for jobs forces it on all."""
    if not _is_data(emission) or emission.storage:
        return False
    rows = (row_of(name) for name in device.environment if device.stated(name))
    return emission.storage is False or any(row is not None and not row.storage for row in rows)


def _protected_ports(analysis: Analysis, device: Device, emission: Emission) -> list[JudgedPort]:
    """The ports a host sends this by into a network that protects it."""
    used = {
        wire
        for nic in analysis.nics_of(device)
        if not emission.nics or nic.name in emission.nics
        for wire in wires(device, nic)
    }
    return [
        port
        for port in analysis.ports_of(device)
        if port.interface.name in used and analysis.protected(port.network, emission.dscp)
    ]


def _are_paused_together(
    analysis: Analysis, port: JudgedPort, one: Emission, other: Emission
) -> bool:
    """Whether most switch ports that pause a code point pause another in the same class."""
    if one.dscp == other.dscp:
        return True
    same = apart = 0
    for kind, count in analysis.kinds:
        if kind.network != port.network or kind.device.is_host:
            continue
        mine, theirs = (analysis.treat(kind, each.dscp).ingress for each in (one, other))
        if mine.lossless and theirs.lossless:
            joined = mine.tc == theirs.tc or mine.priority == theirs.priority
            same, apart = same + count * joined, apart + count * (not joined)
    return same > apart


def _is_planned(plan: RocePlan, dscp: int) -> bool:
    """Whether the site has a class for storage, and this is the code point of RDMA data."""
    storage = {d for c in plan.classes if c.flow is Flow.STORAGE for d in c.dscps}
    data = {d for c in plan.classes if c.flow is Flow.DATA for d in c.dscps}
    return bool(storage) and dscp not in storage and dscp in data
