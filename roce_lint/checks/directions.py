"""A class that fares otherwise from link to link or on the way back, with no link at fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.checks.consequence import amiss
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Where, fabric_check
from roce_lint.model.qos import Scheduler, SchedulerKind
from roce_lint.model.units import ranges


@fabric_check("pfc.priority_changes")
def priority_changes(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Links that each agree pause one class with different priorities. Told once for a class."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        seen = {_priority(analysis, traffic, port) for port, _ in analysis.kinds} - {None}
        if len(seen) < 2:
            continue
        networks: dict[int, dict[int, list[JudgedPort]]] = defaultdict(lambda: defaultdict(list))
        for port in analysis.ports:
            priority = _priority(analysis, traffic, port)
            if priority is not None and _carried_out(analysis, traffic, port, priority):
                networks[port.network][priority].append(port)
        several = [networks[n] for n in sorted(networks) if len(networks[n]) > 1]
        if several:
            yield _changing(analysis, traffic, several[0])


def _changing(
    analysis: Analysis, traffic: RoceClass, by_priority: dict[int, list[JudgedPort]]
) -> Problem:
    """The finding at a port of those that are fewest."""
    rarest = sorted(by_priority, key=lambda n: (len(by_priority[n]), n))
    odd, usual = by_priority[rarest[0]][0], by_priority[rarest[-1]][0]
    others = ", ".join(_on(n, len(by_priority[n])) for n in rarest[:0:-1])
    places = [_place(analysis, traffic, port) for port in (odd, usual)]
    return Problem(
        f"{odd} pauses {traffic.name} with priority {rarest[0]}; {others}",
        "both ends of every link agree, so nothing is lost: but a pause that spreads changes its "
        "priority on the way, and the counters of one priority show a part of it",
        places,
        odd.device.hostname,
        (odd.interface.name,),
        value=ranges(set(by_priority)),
        traffic=traffic.name,
    )


def _on(priority: int, ports: int) -> str:
    """How many other ports use a priority."""
    return f"{ports} others do with {priority}" if ports > 1 else f"another does with {priority}"


def _priority(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> int | None:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    return into.priority if into.lossless else None


def _carried_out(analysis: Analysis, traffic: RoceClass, port: JudgedPort, priority: int) -> bool:
    """Whether the other end of the link stops the class when the port pauses it."""
    peer = analysis.port(*port.peer.key) if port.peer is not None else None
    if peer is None:
        return False
    return priority in (analysis.treat(peer, traffic.dscps[0]).egress.stopped_by or ())


def _place(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Where:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    stated = [w for w in (into.priority_where, *into.tc_where) if w is not None and w.position > 0]
    return stated[0] if stated else port.interface.where()


@fabric_check("classes.served_otherwise_back")
def served_otherwise_back(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Some leaves serve a class strictly and others by share, so its ways differ by direction."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        kinds = (
            scheduler.kind
            for port, _ in analysis.kinds
            if not port.device.is_host and (scheduler := _scheduler(analysis, traffic, port))
        )
        if len(set(kinds)) > 1:
            yield from _unlike(analysis, traffic)


def _unlike(analysis: Analysis, traffic: RoceClass) -> Iterator[Problem]:
    """The first kind of leaf ports of a network that are served otherwise on other leaves."""
    paths = paths_of(analysis)
    leaves = {wire.leaf.device.hostname: wire.leaf.network for e in paths.ends for wire in e.wires}
    for network in sorted(set(leaves.values())):
        here = [name for name in sorted(leaves) if leaves[name] == network]
        up = {name: [c.out for c in paths.nodes[name].up] for name in here}
        down = {n: [p for p in analysis.devices()[n] if p.faces_host] for n in here}
        for ports, where in ((up, "on the way up"), (down, "towards hosts")):
            found = _by_kind(analysis, traffic, ports)
            if len(found) > 1:
                yield _served(traffic, found, where)
                return


ByKind = dict[SchedulerKind, list[tuple[JudgedPort, Scheduler]]]
"""Switches, by a port each, by how they serve a class."""


def _by_kind(analysis: Analysis, traffic: RoceClass, ports: dict[str, list[JudgedPort]]) -> ByKind:
    """Left out are those that serve it in both ways, or do not treat it as the design has it."""
    found: ByKind = defaultdict(list)
    for own in ports.values():
        served = [(port, _scheduler(analysis, traffic, port)) for port in own]
        known = [(port, scheduler) for port, scheduler in served if scheduler is not None]
        kinds = {scheduler.kind for _, scheduler in known} - {None}
        if len(kinds) == 1 and not any(amiss(analysis, port) for port, _ in known):
            found[next(kind for kind in kinds if kind is not None)].append(known[0])
    return found


def _served(traffic: RoceClass, found: ByKind, where: str) -> Problem:
    fewer, more = sorted(found.values(), key=len)
    (port, own), (_, other) = fewer[0], more[0]
    words = {True: "strictly before other traffic", False: "by its share"}
    is_strict = own.kind is SchedulerKind.STRICT
    leaves = "leaf" if len(more) == 1 else "leaves"
    return Problem(
        f"{port} serves {traffic.name} {words[is_strict]} {where}, {len(more)} other {leaves} "
        f"{words[not is_strict]}",
        "between NICs below the two it waits in one direction and not in the other: nothing is "
        "lost, and transfers that are alike take unlike times",
        [own.where("kind"), other.where("kind")],
        port.device.hostname,
        (port.interface.name,),
        value=where,
        traffic=traffic.name,
    )


def _scheduler(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Scheduler | None:
    """How a port serves a class, where its lines say so."""
    scheduler = analysis.treat(port, traffic.dscps[0]).egress.scheduler
    return scheduler if scheduler is not None and scheduler.stated("kind") else None
