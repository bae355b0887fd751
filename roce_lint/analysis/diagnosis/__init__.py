"""Faults of a class on a port, stage by stage, for findings, `show` and `trace`.

Each stage is evaluated once for a class and a port: what is broken, by which lines, or which input
is missing. Faults do not hide each other: a class in the wrong traffic class and therefore without
PFC is broken in both respects. `Stage.explains` decides which is reported.
"""

from __future__ import annotations

from roce_lint.analysis.diagnosis import (
    arrival,
    bandwidth,
    buffers,
    marking,
    notifications,
    pausing,
    policing,
    reacting,
    rewriting,
    sending,
)
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack, Stages
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
    Stage.LIMIT: buffers.limit,
    Stage.TRIMMED: buffers.trim,
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
    """Diagnosis of a class on a port (cached: several rules need it)."""
    key = (traffic.name, port.key)
    found: Diagnosis | None = analysis.diagnoses.get(key)
    if found is None:
        stages = OF_CNP if traffic.flow is Flow.CNP else OF_DATA
        found = analysis.diagnoses[key] = Diagnosis(analysis, traffic, port, stages)
    return found


__all__ = ["Diagnosis", "Fault", "Lack", "diagnose"]
