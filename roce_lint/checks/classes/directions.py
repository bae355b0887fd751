"""A class that is served otherwise on the way back, with no link at fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Stage, fabric_check
from roce_lint.model.qos import Scheduler, SchedulerKind


@fabric_check("classes.served_otherwise_back")
def roce_served_otherwise_on_way_back(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
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
                yield _unequal_service(traffic, found, where)
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
        if len(kinds) == 1 and not any(_is_astray(analysis, traffic, port) for port, _ in known):
            found[next(kind for kind in kinds if kind is not None)].append(known[0])
    return found


def _is_astray(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    """Whether the class is not classified or not paused as the design has it."""
    broken = diagnose(analysis, traffic, port).faults()
    return any(each.stage <= Stage.LOSSLESS for each in broken)


def _unequal_service(traffic: RoceClass, found: ByKind, where: str) -> Problem:
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
