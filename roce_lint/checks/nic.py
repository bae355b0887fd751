"""What hosts put on the wire, and what their NICs do with it."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
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
def marks_outside_lossless(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """An application's data leaves with a code point that most of the fabric does not protect."""
    analysis = given.analysis
    for emission in device.emits:
        if emission.flow is not Flow.DATA or emission.certainty is Certainty.POSSIBLE:
            continue
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


def _stray(
    analysis: Analysis, device: Device, emission: Emission, ports: list[JudgedPort]
) -> Iterator[Outcome]:
    network, names = ports[0].network, tuple(port.interface.name for port in ports)
    mine = analysis.protected(network, emission.dscp)
    stated = emission.certainty is Certainty.STATED
    if mine is None and stated:
        missing = "what the switches do with the code point that a host sends"
        yield Unknown(missing, [emission.where("dscp")], device.hostname, names)
    if mine is not False:
        return
    lossless = {dscp for dscp in DSCPS if analysis.protected(network, dscp)}
    if not lossless:
        return  # nothing is protected in this network: there is no class to be outside of
    classes = [t for t in analysis.data_classes if lossless.intersection(t.dscps)]
    yield Problem(
        f"{device.hostname} sends RDMA data with DSCP {emission.dscp} ({emission.by}), "
        f"the fabric protects DSCP {ranges({d for t in classes for d in t.dscps} or lossless)}",
        "its data travels in a lossy, unmarked class through the whole fabric",
        [
            emission.where("dscp"),
            *(w for t in classes for w in t.where[:1]),
            *_doubts(analysis, network, emission.dscp),
        ],
        device.hostname,
        names,
        value=str(emission.dscp),
        traffic=next((c.name for c in analysis.data_classes if emission.dscp in c.dscps), ""),
        severity=None if stated else Severity.WARNING,
    )


def _doubts(analysis: Analysis, network: int, dscp: int) -> list[Where]:
    """A place that nobody confirmed, where less than half of the switch ports are known for
    certain not to protect a code point.
    """
    sure, ports, doubtful = 0, 0, []
    for port, count in analysis.kinds:
        if port.network != network or port.device.is_host:
            continue
        ports += count
        treated = analysis.treat(port, dscp)
        if treated.ingress.lossless or treated.egress.marks:
            continue
        into, out = treated.ingress, treated.egress
        places = [*into.tc_where, into.lossless_where, out.queue_where, out.marks_where]
        shaky = [place for place in places if place is not None and not place.confirmed]
        sure += 0 if shaky else count
        doubtful += shaky[:1]
    return doubtful[:1] if sure * 2 <= ports else []
