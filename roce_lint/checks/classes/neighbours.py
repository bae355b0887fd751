"""Classes that a neighbour says it serves together."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.neighbours import advertising_neighbours
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check

BULK = 0
"""Priority of what nobody marks."""


@fabric_check("classes.advertised_with_bulk")
def neighbour_advertising_roce_with_bulk(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A neighbour says that the priority of RoCE shares a traffic class with priority 0."""
    analysis = given.analysis
    for port, neighbor in advertising_neighbours(analysis):
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
