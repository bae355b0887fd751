"""What hosts put on the wire, and what their NICs do with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from roce_lint.analysis.once import Once
from roce_lint.analysis.protection import meant
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.scope import wires
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    device_check,
)
from roce_lint.model.nic import Certainty, Emission, Flow
from roce_lint.model.units import DSCPS, ranges


@device_check("nic.marks_outside_lossless")
def data_marked_outside_protected_classes(
    device: Device, given: Given[NoParams]
) -> Iterator[Outcome]:
    """An application's data leaves with a code point that most of the fabric does not protect."""
    analysis = given.analysis
    told = [emission for emission in device.emits if _says(emission, by_job=_jobs_mark(analysis))]
    if not told:
        yield from _silent(analysis, device)
    for emission in told:
        ports = [
            port
            for nic in analysis.nics_of(device)
            if not emission.nics or nic.name in emission.nics
            for wire in wires(device, nic)
            if (port := analysis.port(device.hostname, wire)) is not None
        ]
        for network in sorted({port.network for port in ports}):
            own = [port for port in ports if port.network == network]
            yield from _stray(analysis, device, emission, own)


def _says(emission: Emission, *, by_job: bool) -> bool:
    """Whether a host tells by this what its data is marked with. What an application leaves unset
    a job may set, where the files of jobs are here and do.
    """
    if emission.flow is not Flow.DATA or emission.certainty is Certainty.POSSIBLE:
        return False
    return emission.certainty is Certainty.STATED or emission.dscp > 0 or not by_job


@Once
def _jobs_mark(analysis: Analysis) -> bool:
    """Whether what is set for many hosts at once states a mark of data."""
    return any(
        emission.flow is Flow.DATA and emission.certainty is Certainty.STATED
        for device in analysis.fabric.devices.values()
        if device.fleet
        for emission in device.emits
    )


SILENT = (
    "which DSCP RDMA data is sent with (a forced traffic class, the rdma_cm default or the "
    "environment of a job would tell)"
)


def _silent(analysis: Analysis, device: Device) -> Iterator[Outcome]:
    """A host that never says what it sends, where the fabric protects some code point."""
    for network, ports in groupby(
        sorted(analysis.ports_of(device), key=lambda port: port.network),
        key=lambda port: port.network,
    ):
        own = list(ports) if device.is_host else []
        if own and any(analysis.protected(network, dscp) for dscp in DSCPS):
            names = tuple(port.interface.name for port in own)
            yield Unknown(SILENT, [own[0].interface.where()], device.hostname, names)


def _stray(
    analysis: Analysis, device: Device, emission: Emission, ports: list[JudgedPort]
) -> Iterator[Outcome]:
    network, names = ports[0].network, tuple(port.interface.name for port in ports)
    mine = analysis.protected(network, emission.dscp)
    stated = emission.certainty is Certainty.STATED
    if mine is None:
        missing = "what the switches do with the code point that a host sends"
        yield Unknown(missing, [emission.where("dscp")], device.hostname, names)
    if mine is not False:
        return
    lossless = meant(analysis, network)
    if not lossless:
        return  # nothing is protected in this network: there is no class to be outside of
    classes = [t for t in analysis.data_classes if lossless.intersection(t.dscps)]
    doubts = _doubts(analysis, network, emission.dscp, classes)
    yield Problem(
        f"{device.hostname} sends RDMA data with DSCP {emission.dscp} ({emission.by}), "
        f"the fabric protects DSCP {ranges({d for t in classes for d in t.dscps} or lossless)}",
        "its data travels in a lossy, unmarked class through the whole fabric",
        [
            emission.where("dscp"),
            *(w for t in classes for w in t.where[:1]),
            *doubts,
        ],
        device.hostname,
        names,
        value=str(emission.dscp),
        traffic=next((c.name for c in analysis.data_classes if emission.dscp in c.dscps), ""),
        severity=None if stated else Severity.WARNING,
        rests_on=(emission.where("dscp"), *doubts),
    )


@device_check("nic.default_mark_outside_lossless")
def default_mark_outside_protected_classes(
    device: Device, given: Given[NoParams]
) -> Iterator[Outcome]:
    """An adapter marks what asks for nothing with a code point that the fabric does not protect,
    while an application here asks for one that it does.
    """
    analysis = given.analysis
    stated = {e.dscp for e in device.emits if e.certainty is Certainty.STATED and _is_data(e)}
    for nic in analysis.nics_of(device):
        if nic.own_dscp is None or nic.traffic_class is not None or not nic.stated("own_dscp"):
            continue
        for port in _ports(analysis, device, nic.name):
            good = {dscp for dscp in stated if analysis.protected(port.network, dscp)}
            if not good or analysis.protected(port.network, nic.own_dscp) is not False:
                continue
            mine = analysis.treat(port, nic.own_dscp).ingress
            paused = [d for d in sorted(good) if analysis.treat(port, d).ingress.lossless]
            inside = mine.lossless is False and bool(paused)
            also = f", and pauses DSCP {ranges(paused)} alone" if inside else ""
            yield Problem(
                f"{device.hostname} {nic.name} gives DSCP {nic.own_dscp} to what asks for none"
                f"{also}; the fabric protects DSCP {ranges(good)}",
                f"connections that ask for nothing leave as DSCP {nic.own_dscp}, lossy and "
                "unmarked through the whole fabric",
                [nic.where("own_dscp"), *_lines_of(device, good), *mine.tc_where[:1]],
                device.hostname,
                (port.interface.name,),
                value=str(nic.own_dscp),
                severity=None if inside else Severity.INFO,
            )


def _is_data(emission: Emission) -> bool:
    return emission.flow is Flow.DATA


def _lines_of(device: Device, dscps: set[int]) -> list[Where]:
    """The first line by which a host states one of some code points."""
    return [e.where("dscp", e.by) for e in device.emits if _is_data(e) and e.dscp in dscps][:1]


def _ports(analysis: Analysis, device: Device, nic: str) -> list[JudgedPort]:
    """Judged ports of one RDMA device of a host."""
    return [
        port
        for each in analysis.nics_of(device)
        if each.name == nic
        for wire in wires(device, each)
        if (port := analysis.port(device.hostname, wire)) is not None
    ]


def _doubts(analysis: Analysis, network: int, dscp: int, classes: list[RoceClass]) -> list[Where]:
    """A place that nobody confirmed, where less than half of the switch ports are known for
    certain not to protect a code point. Where the classes are paused, that it is not is enough.
    """
    sure, ports, doubtful = 0, 0, []
    for port, count in analysis.kinds:
        if port.network != network or port.device.is_host:
            continue
        ports += count
        treated = analysis.treat(port, dscp)
        if treated.ingress.lossless or treated.egress.marks:
            continue
        shaky = list(treated.ingress.protected.doubts)
        if not any(analysis.needs_pause(traffic, port) for traffic in classes):
            shaky += treated.egress.marked.doubts
        sure += 0 if shaky else count
        doubtful += shaky[:1]
    return doubtful[:1] if sure * 2 <= ports else []
