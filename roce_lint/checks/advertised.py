"""What a neighbour advertises over LLDP, where its own configuration is not in the folder."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check
from roce_lint.model.interface import Neighbor
from roce_lint.model.units import ranges

FRAME_OVERHEAD = 18
"""Bytes of an untagged Ethernet frame around its IP packet: header and check sequence."""

BULK = 0
"""Priority of what nobody marks."""


@fabric_check("pfc.advertised_otherwise", by_port=True)
def advertised_otherwise(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port pauses a class with a priority that its neighbour says it does not pause."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if port.peer is not None or pfc is None or pfc.willing:
            continue  # its configuration is compared, or the port follows what it hears
        heard = [n for n in port.interface.neighbors if n.pfc_priorities is not None]
        if heard and not any(n.pfc_willing for n in heard):
            yield from _unpaused(analysis, port, heard)


def _unpaused(analysis: Analysis, port: JudgedPort, heard: list[Neighbor]) -> Iterator[Outcome]:
    for traffic in analysis.data_classes:
        into = analysis.treat(port, traffic.dscps[0]).ingress
        if not into.lossless or into.priority is None:
            continue
        if analysis.needs_pause(traffic, port) is False:
            continue
        if any(into.priority in (n.pfc_priorities or ()) for n in heard):
            continue
        first = heard[0]
        listed = ranges(first.pfc_priorities or frozenset())
        other = f"priority {listed}" if listed else "no priority"
        places = [into.lossless_where, first.where("pfc_priorities"), into.priority_where]
        yield Problem(
            f"{port} pauses {traffic.name} with priority {into.priority}, {first.device} at the "
            f"other end advertises PFC for {other}",
            f"neither end carries out the pause of {traffic.name} that the other asks for: it is "
            "dropped when a buffer fills",
            list(dict.fromkeys(place for place in places if place is not None)),
            port.device.hostname,
            (port.interface.name,),
            value=f"{into.priority}: {listed}",
            traffic=traffic.name,
        )


@fabric_check("mtu.advertised_too_small", by_port=True)
def advertised_too_small(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A host sends RoCE packets that its neighbour says are too large for it."""
    analysis = given.analysis
    for port in analysis.host_ports():
        need = analysis.sends.get(port.key)
        if port.peer is not None or need is None or need.assumed:
            continue
        for neighbor in port.interface.neighbors:
            frame = neighbor.max_frame
            if not frame or frame >= need.bytes + FRAME_OVERHEAD:
                continue
            yield Problem(
                f"{need.by}, {neighbor.device} at the other end of {port} takes frames of up to "
                f"{frame} bytes",
                f"RDMA packets larger than {frame - FRAME_OVERHEAD} bytes are dropped there",
                [neighbor.where("max_frame"), *need.where],
                port.device.hostname,
                (port.interface.name,),
                value=str(frame),
            )
            break


@fabric_check("mapping.advertised_otherwise", by_port=True)
def mapped_otherwise(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A neighbour says that a RoCE code point belongs to another priority than here."""
    analysis = given.analysis
    for port, neighbor in _followed_by_none(analysis):
        codes = neighbor.dscp_to_priority
        for traffic in analysis.data_classes if codes is not None else ():
            into = analysis.treat(port, traffic.dscps[0]).ingress
            other = codes.get(traffic.dscps[0]) if codes is not None else None
            own = into.tc if port.device.is_host and into.priority is None else into.priority
            if codes is None or None in (own, other) or own == other:
                continue
            yield Problem(
                f"{port} puts {traffic.name} in priority {own}, {neighbor.device} at the other end "
                f"advertises priority {other} for it",
                f"one end pauses {traffic.name} with a priority that the other uses for something "
                "else: it is dropped when a buffer fills",
                [into.tc_where[0], codes.where(traffic.dscps[0])],
                port.device.hostname,
                (port.interface.name,),
                value=f"{own}: {other}",
                traffic=traffic.name,
            )


@fabric_check("classes.advertised_with_bulk", by_port=True)
def advertised_with_bulk(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A neighbour says that the priority of RoCE shares a traffic class with priority 0."""
    analysis = given.analysis
    for port, neighbor in _followed_by_none(analysis):
        classes, paused = neighbor.priority_to_tc, neighbor.pfc_priorities or frozenset()
        if classes is None or BULK in paused or len(set(classes.entries.values())) == 1:
            continue  # one class for all is what a device without ETS sends
        for traffic in analysis.data_classes:
            into = analysis.treat(port, traffic.dscps[0]).ingress
            mine = classes.get(into.priority) if into.priority in paused else None
            if mine is None or classes.get(BULK) != mine:
                continue
            yield Problem(
                f"{neighbor.device} at the other end of {port} advertises one traffic class, "
                f"{mine}, for priority {into.priority} of {traffic.name} and for priority {BULK}",
                f"unmarked traffic shares a queue with {traffic.name} there: a pause stops both, "
                "and bulk traffic delays RoCE",
                [classes.where(into.priority), into.tc_where[0]],
                port.device.hostname,
                (port.interface.name,),
                value=f"{into.priority}: {mine}",
                traffic=traffic.name,
            )


def _followed_by_none(analysis: Analysis) -> Iterator[tuple[JudgedPort, Neighbor]]:
    """What was heard on ports whose neighbour is not in the folder, where neither end is willing
    to take over what the other says.
    """
    for port in analysis.ports:
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if port.peer is None and not (pfc is not None and pfc.willing):
            for neighbor in port.interface.neighbors:
                if not neighbor.pfc_willing:
                    yield port, neighbor
