"""How the queue of a RoCE class is served: its share, strict queues, shapers, policers."""

from __future__ import annotations

from roce_lint.analysis.diagnosis.bandwidth import ALL
from roce_lint.analysis.diagnosis.policing import NOTHING
from roce_lint.engine.api import (
    Diagnosis,
    Fault,
    Stage,
    stage_check,
)


@stage_check("classes.no_share", Stage.SCHEDULER)
def roce_queue_without_share(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of a RoCE class is scheduled with no share of the link, or not at all."""
    if broken.kind.endswith(ALL):
        winner = broken.kind.removesuffix(f" {ALL}")
        return f"RoCE stands still while {winner} is full, which may take everything"
    if broken.kind:
        return "RoCE gets only what the other queues leave"
    return "the platform decides what is left for RoCE when the other queues are full"


@stage_check("classes.strict_data", Stage.STRICT)
def strict_roce_queue_without_limit(diagnosis: Diagnosis, broken: Fault) -> str:
    """The queue of RoCE data is served before others without limit."""
    return "as long as RoCE fills the link, unmarked traffic does not get through at all"


@stage_check("classes.shaped", Stage.SHAPED)
def shaper_on_roce_class(diagnosis: Diagnosis, broken: Fault) -> str:
    """A shaper holds the queue of a protected RoCE class, or the whole port, below line rate."""
    return "the rest of the link stays empty, the queue grows, and the port before it is paused"


@stage_check("classes.policed", Stage.POLICED)
def policer_on_roce_class(diagnosis: Diagnosis, broken: Fault) -> str:
    """A policer drops packets of a protected RoCE class."""
    if broken.kind == NOTHING:
        return "no RDMA packet gets through"
    return "RDMA packets above the rate are dropped, whatever PFC and ECN do"
