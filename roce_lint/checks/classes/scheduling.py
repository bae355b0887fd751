"""How the queue of a RoCE class is served: its share, strict queues, shapers, policers."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis.bandwidth import ALL
from roce_lint.analysis.diagnosis.policing import NOTHING
from roce_lint.engine.api import (
    Broken,
    Diagnosis,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    RoceClass,
    Stage,
    class_port_check,
    told,
)


@class_port_check("classes.no_share")
def roce_queue_without_share(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of a RoCE class is scheduled with no share of the link, or not at all."""
    return told(diagnosis, Stage.SCHEDULER, _what_is_left)


def _what_is_left(broken: Broken) -> str:
    if broken.kind.endswith(ALL):
        winner = broken.kind.removesuffix(f" {ALL}")
        return f"{winner} may take everything: RoCE stands still while it is full"
    if broken.kind:
        return "RoCE gets only what the other queues leave"
    return "the platform decides what is left for RoCE when the other queues are full"


@class_port_check("classes.strict_data")
def strict_roce_queue_without_limit(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of RoCE data is served before others without limit."""
    harm = "as long as RoCE fills the link, unmarked traffic does not get through at all"
    return told(diagnosis, Stage.STRICT, harm)


@class_port_check("classes.shaped")
def shaper_on_roce_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A shaper holds the queue of a protected RoCE class, or the whole port, below line rate."""
    harm = "the rest of the link stays empty, the queue grows, and the port before it is paused"
    return told(diagnosis, Stage.SHAPED, harm)


@class_port_check("classes.policed")
def policer_on_roce_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A policer drops packets of a protected RoCE class."""
    return told(diagnosis, Stage.POLICED, _dropped)


def _dropped(broken: Broken) -> str:
    if broken.kind == NOTHING:
        return "no RDMA packet gets through"
    return "RDMA packets above the rate are dropped, whatever PFC and ECN do"
