"""How congestion notification packets (CNP) are served: behind bulk traffic, or in their turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.diagnosis.notifications import STARVES
from roce_lint.analysis.representatives import over_kinds
from roce_lint.checks.classes.senders import at_odd_senders
from roce_lint.engine.api import (
    Fabric,
    Fault,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    RoceClass,
    Stage,
    fabric_check,
    outcomes,
)


@fabric_check("classes.cnp_behind_bulk")
def cnp_in_bulk_queue(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets wait behind unmarked traffic, or in a queue without share."""
    return _at(fabric, given, Stage.QUEUE, _wait)


def _wait(broken: Fault) -> str:
    if broken.kind == STARVES:
        return "CNPs wait until all other queues are empty"
    return "CNPs wait behind any bulk transfer, and are dropped with it"


@fabric_check("classes.cnp_not_strict")
def cnp_queue_not_strict(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Congestion notification packets have a queue of their own, and it is served by share."""
    harm = "CNPs wait for their turn while other queues are full"
    return _at(fabric, given, Stage.SCHEDULER, harm)


def _at(
    fabric: Fabric, given: Given[NoParams], stage: Stage, harm: str | Callable[[Fault], str]
) -> Iterator[Outcome]:
    analysis = given.analysis
    for traffic in analysis.cnp_classes:

        def at(port: JudgedPort, traffic: RoceClass = traffic) -> Iterator[Outcome]:
            return outcomes(diagnose(analysis, traffic, port), stage, harm)

        found = [outcome for _, outcome in over_kinds(analysis, at)]
        yield from at_odd_senders(fabric, analysis, traffic, found)
