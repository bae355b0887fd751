"""Classes without a design shared by most ports, or with scheduling that differs by direction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    Where,
    fabric_check,
)
from roce_lint.model.qos import Scheduler, SchedulerKind
from roce_lint.model.units import ranges

Answer = Callable[[JudgedPort], tuple[bool | None, Where | None]]
"""Whether a port treats a class so, and the place that decides."""


@fabric_check("classes.design_undecided")
def undecided_design(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Half of the ports of a network have PFC, or ECN marking, for a class."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for network in sorted({port.network for port in analysis.ports}):
            ports = [port for port in analysis.ports if port.network == network]
            mode = analysis.modes.get((traffic.name, network))
            if traffic.sides and traffic.is_in(network):
                yield _contradiction(analysis, traffic, ports)
                continue
            if mode is None or mode.stated:
                continue
            if mode.pfc is PfcDesign.UNKNOWN and mode.pfc_votes[0]:
                yield _problem(traffic, ports, mode.pfc_votes, _pauses(analysis, traffic))
            if mode.marking is None and mode.marking_votes[0]:
                switches = [port for port in ports if not port.device.is_host]
                votes = mode.marking_votes
                yield _problem(traffic, switches, votes, _marks(analysis, traffic), what="mark")


def _contradiction(analysis: Analysis, traffic: RoceClass, ports: list[JudgedPort]) -> Problem:
    """Equally many switches protect different DSCPs, and it is unclear which RoCE uses."""
    examples = [
        next(
            (p, analysis.treat(p, dscps[0]).ingress.tc_where[0])
            for p in sorted(ports, key=lambda port: port.device.is_host)
            if analysis.treat(p, dscps[0]).ingress.lossless
            or analysis.treat(p, dscps[0]).egress.marks
        )
        for dscps in traffic.sides
    ]
    sides = ", ".join(
        f"{port.device.hostname} DSCP {ranges(list(dscps))}"
        for (port, _), dscps in zip(examples, traffic.sides, strict=True)
    )
    return Problem(
        f"switches protect different DSCPs, without a majority: {sides}",
        "each side drops what the other protects, and it is unclear which DSCP RoCE uses",
        [where for _, where in examples],
        examples[0][0].device.hostname,
        tuple({port.interface.name: None for port, _ in examples[:1]}),
        value=traffic.name,
        traffic=traffic.name,
    )


VERBS = {"pause": "send PFC for", "mark": "mark ECN for"}


def _pauses(analysis: Analysis, traffic: RoceClass) -> Answer:
    def answer(port: JudgedPort) -> tuple[bool | None, Where | None]:
        into = analysis.treat(port, traffic.dscps[0]).ingress
        return into.lossless, into.lossless_where

    return answer


def _marks(analysis: Analysis, traffic: RoceClass) -> Answer:
    def answer(port: JudgedPort) -> tuple[bool | None, Where | None]:
        out = analysis.treat(port, traffic.dscps[0]).egress
        return out.marks, out.marks_where

    return answer


def _problem(
    traffic: RoceClass,
    ports: list[JudgedPort],
    votes: tuple[int, int, int],
    answer: Answer,
    what: str = "pause",
) -> Problem:
    """One finding for the network, at a port without, with evidence of a port with."""
    without = next((port for port in ports if answer(port)[0] is False), ports[0])
    beside = next((port for port in ports if answer(port)[0]), ports[0])
    places = [answer(without)[1] or without.interface.where(), answer(beside)[1]]
    return Problem(
        f"{without} does not {VERBS[what]} {traffic.name} while {votes[0]} of "
        f"{votes[0] + votes[1]} ports do",
        "the intended design is unclear, so no port is checked against it",
        [place for place in places if place is not None],
        without.device.hostname,
        (without.interface.name,),
        value=what,
        traffic=traffic.name,
    )


# Scheduling by direction, with no link at fault.


@fabric_check("classes.served_otherwise_back")
def roce_scheduling_differs_by_direction(
    fabric: Fabric, given: Given[NoParams]
) -> Iterator[Outcome]:
    """Some leaves serve a class with strict priority and others by share."""
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
    """First kind of leaf ports of a network whose scheduling differs between leaves."""
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


TOWARDS = {"on the way up": "towards spines"}
"""Directions whose name in fingerprints differs from the words of the message."""

ByKind = dict[SchedulerKind, list[tuple[JudgedPort, Scheduler]]]
"""One port of each switch with its scheduler, by kind of scheduling."""


def _by_kind(analysis: Analysis, traffic: RoceClass, ports: dict[str, list[JudgedPort]]) -> ByKind:
    """Switches by scheduling, except those that use both kinds or break the design of the class."""
    found: ByKind = defaultdict(list)
    for own in ports.values():
        served = [(port, _scheduler(analysis, traffic, port)) for port in own]
        known = [(port, scheduler) for port, scheduler in served if scheduler is not None]
        kinds = {scheduler.kind for _, scheduler in known} - {None}
        if len(kinds) == 1 and not any(_is_astray(analysis, traffic, port) for port, _ in known):
            found[next(kind for kind in kinds if kind is not None)].append(known[0])
    return found


def _is_astray(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    """Whether classification or PFC of the class breaks the design."""
    broken = diagnose(analysis, traffic, port).faults()
    return any(each.stage <= Stage.LOSSLESS for each in broken)


def _unequal_service(traffic: RoceClass, found: ByKind, where: str) -> Problem:
    fewer, more = sorted(found.values(), key=len)
    (port, own), (_, other) = fewer[0], more[0]
    words = {True: "with strict priority", False: "by share"}
    is_strict = own.kind is SchedulerKind.STRICT
    leaves = "leaf" if len(more) == 1 else "leaves"
    return Problem(
        f"{port} serves {traffic.name} {words[is_strict]} {TOWARDS.get(where, where)}, "
        f"{len(more)} other {leaves} {words[not is_strict]}",
        "it waits in one direction only: nothing is lost, but identical transfers take different "
        "times",
        [own.where("kind"), other.where("kind")],
        port.device.hostname,
        (port.interface.name,),
        value=where,
        traffic=traffic.name,
    )


def _scheduler(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Scheduler | None:
    """Scheduler of a class on a port, where configured."""
    scheduler = analysis.treat(port, traffic.dscps[0]).egress.scheduler
    return scheduler if scheduler is not None and scheduler.stated("kind") else None
