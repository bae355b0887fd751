"""A class whose pause changes its priority from link to link, with no link at fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Where, fabric_check
from roce_lint.model.units import ranges
from roce_lint.text.numbers import count


@fabric_check("pfc.priority_changes")
def pfc_priority_changing_on_way(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Links that each agree pause one class with different priorities. Told once for a class."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        seen = {_priority(analysis, traffic, port) for port, _ in analysis.kinds} - {None}
        if len(seen) < 2:
            continue
        networks: dict[int, dict[int, list[JudgedPort]]] = defaultdict(lambda: defaultdict(list))
        for port in analysis.ports:
            priority = _priority(analysis, traffic, port)
            if priority is not None and _is_carried_out(analysis, traffic, port, priority):
                networks[port.network][priority].append(port)
        several = [networks[n] for n in sorted(networks) if len(networks[n]) > 1]
        if several:
            yield _change_of_class(analysis, traffic, several[0])


def _change_of_class(
    analysis: Analysis, traffic: RoceClass, by_priority: dict[int, list[JudgedPort]]
) -> Problem:
    """The finding at a port of those that are fewest."""
    rarest = sorted(by_priority, key=lambda n: (len(by_priority[n]), n))
    odd, usual = by_priority[rarest[0]][0], by_priority[rarest[-1]][0]
    others = ", ".join(_on(n, len(by_priority[n])) for n in rarest[:0:-1])
    places = [_place(analysis, traffic, port) for port in (odd, usual)]
    return Problem(
        f"{odd} pauses {traffic.name} with priority {rarest[0]}; {others}",
        "both ends of every link agree, so nothing is lost; a pause that spreads changes its "
        "priority along the path, and the counters of one priority show only a part of it",
        places,
        odd.device.hostname,
        (odd.interface.name,),
        value=ranges(set(by_priority)),
        traffic=traffic.name,
    )


def _on(priority: int, ports: int) -> str:
    """How many other ports use a priority."""
    return f"{count(ports, 'other port')} with priority {priority}"


def _priority(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> int | None:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    return into.priority if into.lossless else None


def _is_carried_out(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, priority: int
) -> bool:
    """Whether the other end of the link stops the class when the port pauses it."""
    peer = analysis.port(*port.peer.key) if port.peer is not None else None
    if peer is None:
        return False
    return priority in (analysis.treat(peer, traffic.dscps[0]).egress.stopped_by or ())


def _place(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Where:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    stated = [w for w in (into.priority_where, *into.tc_where) if w is not None and w.position > 0]
    return stated[0] if stated else port.interface.where()
