"""Classes without a design shared by most ports, or with scheduling that differs by direction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.ingress_egress import Treatment
from roce_lint.analysis.paths import paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, at_port, fabric_check
from roce_lint.model.qos import Scheduler, SchedulerKind
from roce_lint.model.units import ranges

Answer = Callable[[Treatment], tuple[bool | None, Where | None]]
"""Whether a port treats a class so, and the place that decides."""

ANSWERS: dict[str, tuple[str, Answer]] = {
    "pause": ("send PFC for", lambda done: (done.ingress.lossless, done.ingress.lossless_where)),
    "mark": ("mark ECN for", lambda done: (done.egress.marks, done.egress.marks_where)),
}
"""Verb of each kind of treatment, and its answer."""


@fabric_check("classes.design_undecided")
def undecided_design(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Half of the ports of a network have PFC, or ECN marking, for a class."""
    analysis = given.analysis
    found: dict[int, list[JudgedPort]] = {}
    for port in analysis.ports:
        found.setdefault(port.network, []).append(port)
    for traffic in analysis.data_classes:
        for network, ports in sorted(found.items()):
            mode = analysis.modes.get((traffic.name, network))
            if traffic.sides and traffic.is_in(network):
                yield _contradiction(analysis, traffic, ports)
                continue
            if mode is None or mode.stated:
                continue
            if mode.pfc is PfcDesign.UNKNOWN and mode.pfc_votes[0]:
                yield _problem(analysis, traffic, ports, mode.pfc_votes, "pause")
            if mode.marking is None and mode.marking_votes[0]:
                switches = [port for port in ports if not port.device.is_host]
                yield _problem(analysis, traffic, switches, mode.marking_votes, "mark")


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


def _problem(
    analysis: Analysis,
    traffic: RoceClass,
    ports: list[JudgedPort],
    votes: tuple[int, int, int],
    what: str,
) -> Problem:
    """One finding for the network, at a port without, with evidence of a port with."""
    verb, answer = ANSWERS[what]
    found = [(port, *answer(analysis.treat(port, traffic.dscps[0]))) for port in ports]
    without, _, place = next((each for each in found if each[1] is False), found[0])
    _, _, beside = next((each for each in found if each[1]), found[0])
    places = [place or without.interface.where(), beside]
    return Problem(
        f"{without} does not {verb} {traffic.name} while {votes[0]} of "
        f"{votes[0] + votes[1]} ports do",
        "the intended design is unclear, so no port is checked against it",
        [place for place in places if place is not None],
        *at_port(without),
        value=what,
        traffic=traffic.name,
    )


# Scheduling by direction, with no link at fault.


@fabric_check("classes.served_otherwise_back")
def roce_scheduling_differs_by_direction(fabric: Fabric, given: Given) -> Iterator[Outcome]:
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
        *at_port(port),
        value=where,
        traffic=traffic.name,
    )


def _scheduler(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Scheduler | None:
    """Scheduler of a class on a port, where configured."""
    scheduler = analysis.treat(port, traffic.dscps[0]).egress.scheduler
    return scheduler if scheduler is not None and scheduler.stated("kind") else None
