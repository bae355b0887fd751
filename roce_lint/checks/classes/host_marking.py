"""Storage and other traffic that hosts mark like RoCE data."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.catalog.applications import row_of
from roce_lint.engine.api import Device, Fabric, Given, Outcome, Problem, Severity, fabric_check
from roce_lint.model.nic import Certainty, Emission, Flow
from roce_lint.model.plan import RocePlan

OTHERS = (Flow.STORAGE, Flow.OTHER)
"""Kinds of traffic that are not RDMA data."""


@fabric_check("classes.other_traffic_marked_as_roce")
def other_traffic_marked_as_roce(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A host marks other traffic with the DSCP of RoCE data."""
    analysis = given.analysis
    for device, emission in _stated_emissions(fabric):
        if emission.flow not in OTHERS:
            continue
        traffic = next((t for t in analysis.data_classes if emission.dscp in t.dscps), None)
        ports = _protected_ports(analysis, device, emission)
        if traffic is None or not ports:
            continue
        yield Problem(
            f"{device.hostname} marks {emission.flow.value} traffic with DSCP {emission.dscp}, "
            f"which RoCE uses ({emission.by})",
            "switches cannot tell them apart: congestion of either one pauses both",
            [emission.where("dscp", emission.by), *traffic.where[:1]],
            device.hostname,
            tuple(port.interface.name for port in ports),
            value=f"{emission.dscp}:{emission.by}",
            traffic=traffic.name,
            severity=None if emission.nics else Severity.WARNING,
            acts="leaving",
        )


@fabric_check("classes.storage_with_jobs")
def storage_shares_gpu_class(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Storage over RDMA uses the lossless class of GPU traffic."""
    analysis = given.analysis
    jobs = [each for each in _stated_emissions(fabric) if _is_of_jobs(*each)]
    jobs.sort(
        key=lambda each: each[1].storage is None
    )  # a variable is better evidence than a forced class
    for device, emission in _stated_emissions(fabric):
        if not emission.storage or emission.flow is not Flow.DATA:
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
        note = f"; {given.plan.name or 'the intent'} defines a storage class" if planned else ""
        yield Problem(
            f"{device.hostname} sends storage RDMA with DSCP {emission.dscp} ({emission.by}), in "
            f"the class of GPU traffic (DSCP {other.dscp}, {other.by}){note}",
            "storage bursts pause GPU traffic, and GPU traffic pauses storage",
            [emission.where("dscp", emission.by), other.where("dscp", other.by)],
            device.hostname,
            tuple(port.interface.name for port in ports),
            value=f"{emission.dscp}:{other.dscp}",
            severity=None if planned else Severity.INFO,
            acts="leaving",
        )


def _stated_emissions(fabric: Fabric) -> list[tuple[Device, Emission]]:
    """Emissions that hosts state."""
    return [
        (device, emission)
        for device in fabric.devices.values()
        for emission in device.emits
        if emission.certainty is Certainty.STATED
    ]


def _is_of_jobs(device: Device, emission: Emission) -> bool:
    """Whether jobs send this: by their own setting, or forced on a host that runs jobs."""
    if emission.flow is not Flow.DATA or emission.storage:
        return False
    rows = (row_of(name) for name in device.environment if device.stated(name))
    return emission.storage is False or any(row is not None and not row.storage for row in rows)


def _protected_ports(analysis: Analysis, device: Device, emission: Emission) -> list[JudgedPort]:
    """Ports of a host that send this into a network that protects it."""
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
    """Whether most switch ports with PFC for both DSCPs have them in one class."""
    if one.dscp == other.dscp:
        return True
    same = apart = 0
    for kind, count in analysis.kinds_in(port.network):
        if kind.device.is_host:
            continue
        mine, theirs = (analysis.treat(kind, each.dscp).ingress for each in (one, other))
        if mine.lossless and theirs.lossless:
            joined = mine.tc == theirs.tc or mine.priority == theirs.priority
            same, apart = same + count * joined, apart + count * (not joined)
    return same > apart


def _is_planned(plan: RocePlan, dscp: int) -> bool:
    """Whether the intent has a class for storage and this is the DSCP of RDMA data."""
    storage = {d for c in plan.classes if c.flow is Flow.STORAGE for d in c.dscps}
    data = {d for c in plan.classes if c.flow is Flow.DATA for d in c.dscps}
    return bool(storage) and dscp not in storage and dscp in data
