"""The design of a class as a whole: where no majority of the ports says what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Where, fabric_check
from roce_lint.model.units import ranges

Answer = Callable[[JudgedPort], tuple[bool | None, Where | None]]
"""What a port does with a class, and the place that says so."""


@fabric_check("classes.design_undecided")
def undecided_design(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """As many ports of a network pause a class as do not, or as many mark it as do not."""
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
    """As many switches have one code point as have another, and nothing tells which is RoCE's."""
    examples = [
        next(
            (p, analysis.treat(p, dscps[0]).ingress.tc_where[0])
            for p in sorted(ports, key=lambda port: port.device.is_host)
            if analysis.treat(p, dscps[0]).ingress.lossless
            or analysis.treat(p, dscps[0]).egress.marks
        )
        for dscps in traffic.sides
    ]
    told = ", ".join(
        f"{port.device.hostname} DSCP {ranges(list(dscps))}"
        for (port, _), dscps in zip(examples, traffic.sides, strict=True)
    )
    return Problem(
        f"as many switches protect one code point as another: {told}",
        "one drops what the other protects, and nothing tells which code point is that of RoCE",
        [where for _, where in examples],
        examples[0][0].device.hostname,
        tuple({port.interface.name: None for port, _ in examples[:1]}),
        value=traffic.name,
        traffic=traffic.name,
    )


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
    """One finding for the network: at a port that does not, with one beside it that does."""
    without = next((port for port in ports if answer(port)[0] is False), ports[0])
    beside = next((port for port in ports if answer(port)[0]), ports[0])
    places = [answer(without)[1] or without.interface.where(), answer(beside)[1]]
    return Problem(
        f"{votes[0]} of {votes[0] + votes[1]} ports {what} {traffic.name}, {without} does not",
        "which of the two is the design is not known, so no port is judged by it",
        [place for place in places if place is not None],
        without.device.hostname,
        (without.interface.name,),
        value=what,
        traffic=traffic.name,
    )
