"""RDMA control messages in the bulk queue, and other traffic in the class of RoCE."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis.rewriting import changes, rewrites, unchanged
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.sharing import find_companion, foreign_traffic
from roce_lint.engine.api import Given, Outcome, Problem, Where, at_port, device_check, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.nic import Certainty, Emission, Flow

CONTROL = (Flow.RESPONSE, Flow.CONTROL)
"""Small packets that data waits for: acknowledgements, clear-to-send."""


@fabric_check("classes.control_behind_bulk")
def control_messages_in_bulk_queue(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A host sends RDMA control messages with a DSCP of the bulk queue."""
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
        f"({emission.by}), which {bulk[0]} maps to the queue of unmarked traffic",
        "transfers wait for control messages that are stuck behind bulk traffic",
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
def traffic_rewritten_to_roce_dscp(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A switch rewrites other traffic to the DSCP of RoCE."""
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
                    f"{port} rewrites {what} to DSCP {change.new}, which RoCE uses",
                    "from the next hop on it is indistinguishable from RoCE and shares its PFC",
                    [change.where, *([item.where] if item is not None else [])],
                    *at_port(port),
                    value=f"{dscp}:{change.new}",
                    traffic=data[change.new],
                    severity=Severity.WARNING if item is None or change.unsure else None,
                    assumed=change.unsure,
                    acts=change.acts,
                    changes=unchanged(analysis, change),
                    compares=True,
                )


@device_check("classes.own_traffic_in_lossless")
def own_traffic_in_lossless_class(device: Device, given: Given) -> Iterator[Outcome]:
    """A switch sends its own traffic in the lossless class of RoCE, or with a DSCP that other
    switches map to it.
    """
    analysis, system = given.analysis, device.system
    ports = analysis.ports_of(device)
    if device.is_host or not ports:
        return
    for traffic in analysis.data_classes:
        for port in ports if system.own_tc is not None else ():
            into = analysis.treat(port, traffic.dscps[0]).ingress
            if into.tc != system.own_tc or not into.lossless:
                continue
            yield Problem(
                f"{device.hostname} sends its own traffic in {into.class_label}, the lossless "
                f"class of {traffic.name}",
                "routing keepalives wait whenever RoCE is paused",
                [system.where("own_tc"), *into.tc_where[:1]],
                subjects=tuple(each.interface.name for each in ports),
                value=f"class {into.tc}",
                traffic=traffic.name,
            )
            break
        if system.own_dscp is None:
            continue
        place = _line_of_sharing(given, system.own_dscp, traffic.dscps)
        if place is not None:
            yield Problem(
                f"{device.hostname} marks its own traffic with DSCP {system.own_dscp}, which is in "
                f"the lossless class of {traffic.name}",
                "its routing sessions and RoCE pause each other on every downstream switch",
                [system.where("own_dscp"), place],
                subjects=tuple(each.interface.name for each in ports),
                value=f"DSCP {system.own_dscp}",
                traffic=traffic.name,
            )


def _line_of_sharing(given: Given, dscp: int, data: tuple[int, ...]) -> Where | None:
    """Line that maps a DSCP to the lossless class of data; None where no switch does."""
    analysis = given.analysis
    for port, _ in analysis.kinds:
        if port.device.is_host:
            continue
        into = analysis.treat(port, data[0]).ingress
        if dscp in data and into.lossless and into.tc_where:
            return into.tc_where[0]
        found = find_companion(analysis, port, dscp) if dscp not in data else None
        if found is not None and found.lossless and found.where:
            return found.where[0]
    return None
