"""What gets beside or into the class of RoCE by other ways than a map: control and rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.rewriting import changes, rewrites
from roce_lint.analysis.sharing import foreign_traffic
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

CONTROL = (Flow.RESPONSE, Flow.CONTROL)
"""Small packets without which the data stops: acknowledgements, clear-to-send."""


@fabric_check("classes.control_behind_bulk")
def control_messages_in_bulk_queue(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A host sends the control messages of RDMA with a code point of the bulk queue."""
    analysis = given.analysis
    data = {dscp for traffic in analysis.data_classes for dscp in traffic.dscps}
    for device in fabric.devices.values():
        for emission in device.emits:
            stated = emission.certainty is Certainty.STATED and emission.flow in CONTROL
            if stated and emission.dscp not in data:
                yield from _behind(analysis, device, emission)


def _behind(analysis: Analysis, device: Device, emission: Emission) -> Iterator[Outcome]:
    nics = [each for each in analysis.roce_nics if device.fleet or each[0] is device]
    own = [
        port
        for host, nic in nics
        if not emission.nics or nic.name in emission.nics
        if (port := analysis.port(host.hostname, nic.port or "")) is not None
    ]
    networks = {port.network for port in own}
    switches = [port for port in analysis.switch_ports() if port.network in networks]
    known = [p for p in switches if analysis.treat(p, emission.dscp).egress.queue is not None]
    bulk = [port for port in known if _is_bulk(analysis, port, emission.dscp)]
    if not bulk or len(bulk) * 2 <= len(known):
        return
    into = analysis.treat(bulk[0], emission.dscp).ingress
    yield Problem(
        f"{device.hostname} sends RDMA control messages with DSCP {emission.dscp} "
        f"({emission.by}), which {bulk[0]} puts into the queue of unmarked traffic",
        "the next transfer waits for a message that waits behind any bulk transfer",
        [emission.where("dscp", emission.by), *into.tc_where[:1]],
        device.hostname,
        () if device.fleet else tuple(port.interface.name for port in own),
        value=str(emission.dscp),
    )


def _is_bulk(analysis: Analysis, port: JudgedPort, dscp: int) -> bool:
    mine, bulk = analysis.treat(port, dscp), analysis.treat(port, 0)
    lossy = not mine.ingress.lossless and bulk.ingress.certain
    return lossy and mine.egress.queue == bulk.egress.queue


@fabric_check("classes.rewritten_into_roce")
def traffic_rewritten_into_roce(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A switch gives other traffic the code point of RoCE."""
    analysis = given.analysis
    data = {dscp: t.name for t in analysis.data_classes for dscp in t.dscps}
    others = {item.dscp: item for item in foreign_traffic(fabric, given.plan)}
    rewriting = {d.hostname for d in fabric.devices.values() if rewrites(d)}
    for port in analysis.switch_ports():
        if port.device.hostname not in rewriting:
            continue
        for dscp in sorted({0, *others} - data.keys()):
            item = others.get(dscp)
            if item is None and given.plan.lossless_unmarked:
                continue
            for change in changes(analysis, port, dscp):
                if change.new not in data:
                    continue
                what = f"DSCP {dscp} ({item.what if item is not None else 'unmarked traffic'})"
                yield Problem(
                    f"{port} rewrites {what} to {change.new}, the code point of {data[change.new]}",
                    "from the next hop on nothing tells it from RoCE: it is paused, and pauses, "
                    "with it",
                    [change.where, *([item.where] if item is not None else [])],
                    port.device.hostname,
                    (port.interface.name,),
                    value=f"{dscp}:{change.new}",
                    traffic=data[change.new],
                    severity=Severity.WARNING if item is None or change.unsure else None,
                    assumed=change.unsure,
                    acts=change.acts,
                    compares=True,
                )
