"""What is broken for a class on a port, stage by stage: what findings, `show` and `trace` read.

Each stage is looked at once for a class and a port, and says what is broken there, by which lines,
or which input would tell. Nothing steps back here: a class that is in the wrong traffic class and
therefore not paused is broken in both respects. Which of them is told is for others to choose, by
`Stage.explains`.
"""

from __future__ import annotations

from roce_lint.analysis.diagnosis import (
    arrival,
    bandwidth,
    buffers,
    limits,
    marking,
    notifications,
    pausing,
    policing,
    reacting,
    rewriting,
    sending,
)
from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.diagnosis.subject import Diagnosis, Stages
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.model.nic import Flow

OF_DATA: Stages = {
    Stage.APPLICATION: sending.application,
    Stage.UNASKED: sending.strays,
    Stage.BINDING: arrival.binding,
    Stage.TRUST: arrival.trust,
    Stage.CODE_POINT: arrival.code_point,
    Stage.GROUP: pausing.group,
    Stage.PAUSE: pausing.pause,
    Stage.LOSSLESS: pausing.lossless,
    Stage.BUFFER: buffers.buffer,
    Stage.ROOM: buffers.room,
    Stage.RESERVED: buffers.reserve,
    Stage.RECEIVE: buffers.receive,
    Stage.SHARED: buffers.pool,
    Stage.POLICED: policing.policer,
    Stage.SCHEDULER: bandwidth.share,
    Stage.STRICT: bandwidth.strict,
    Stage.SHAPED: bandwidth.shaper,
    Stage.DROPPING: marking.early_drop,
    Stage.MARKING: marking.marking,
    Stage.LIMIT: limits.limit,
    Stage.TRIMMED: limits.trim,
    Stage.REACTION: reacting.reaction,
    Stage.REWRITE: rewriting.rewritten,
}

OF_CNP: Stages = {
    Stage.CODE_POINT: notifications.separate,
    Stage.QUEUE: notifications.queue,
    Stage.SCHEDULER: notifications.turn,
    Stage.REWRITE: rewriting.rewritten,
}


def diagnose(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Diagnosis:
    """The diagnosis of a class on a port (kept: several rules ask for it)."""
    key = (traffic.name, port.key)
    found = analysis.diagnoses.get(key)
    if found is None:
        stages = OF_CNP if traffic.flow is Flow.CNP else OF_DATA
        found = analysis.diagnoses[key] = Diagnosis(analysis, traffic, port, stages)
    return found


__all__ = ["Diagnosis", "Fault", "Lack", "diagnose"]
