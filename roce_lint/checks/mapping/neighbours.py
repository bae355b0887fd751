"""Code points that a neighbour says it puts into another priority."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.neighbours import advertising_neighbours
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check


@fabric_check("mapping.advertised_otherwise")
def neighbour_advertising_other_priority(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A neighbour says that a RoCE code point belongs to another priority than here."""
    analysis = given.analysis
    for port, neighbor in advertising_neighbours(analysis):
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
