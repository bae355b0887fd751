"""What a neighbour advertises over LLDP, where its own configuration is not in the folder."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check
from roce_lint.model.interface import Neighbor
from roce_lint.model.units import ranges

FRAME_OVERHEAD = 18
"""Bytes of an untagged Ethernet frame around its IP packet: header and check sequence."""


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
