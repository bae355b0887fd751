"""Pause that a neighbour says it does not carry out."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check
from roce_lint.model.interface import Neighbor
from roce_lint.model.units import ranges


@fabric_check("pfc.advertised_otherwise")
def neighbour_advertising_other_pfc_priorities(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
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
