"""The design of a class as a whole: where no majority of the ports says what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign, RoceClass
from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, Where, fabric_check

Answer = Callable[[JudgedPort], tuple[bool | None, Where | None]]
"""What a port does with a class, and the place that says so."""


@fabric_check("classes.design_undecided")
def design_undecided(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """As many ports of a network pause a class as do not, or as many mark it as do not."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for network in sorted({port.network for port in analysis.ports}):
            ports = [port for port in analysis.ports if port.network == network]
            mode = analysis.modes.get((traffic.name, network))
            if mode is None or mode.stated:
                continue
            if mode.pfc is PfcDesign.UNKNOWN and mode.pfc_votes[0]:
                yield _problem(traffic, ports, mode.pfc_votes, _pauses(analysis, traffic))
            if mode.marking is None and mode.marking_votes[0]:
                switches = [port for port in ports if not port.device.is_host]
                votes = mode.marking_votes
                yield _problem(traffic, switches, votes, _marks(analysis, traffic), what="mark")


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
