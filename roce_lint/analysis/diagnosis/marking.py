"""ECN marking, or early drop, in the queue of a class."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.deciding_lines import (
    exchanged_queues,
    queue_in_vain,
    without_queues,
)
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.port_parts import needs
from roce_lint.analysis.result import PfcDesign
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.structures import idle
from roce_lint.analysis.treatment import is_marked
from roce_lint.model.change import Change
from roce_lint.text.source import Origin

IDLE = "ECN marking by a profile that is off or has probability 0"

PROTECTED = (PfcDesign.EVERYWHERE, PfcDesign.HOST_EDGE)


def early_drop(d: Diagnosis) -> Iterator[Fault]:
    """The queue drops early and does not mark ECN."""
    out, mode = d.out, d.analysis.mode(d.traffic, d.port)
    if d.port.device.is_host or d.into.tc is None or not d.in_place:
        return
    if mode.marking is not True and mode.pfc not in PROTECTED:
        return  # neither lossless nor ECN-marked by design: dropping is intended
    if out.marks is not False or out.marking is None or not out.marking.wred_drop:
        return
    path = f"qos.egress.queues[{out.queue}].marking"
    words = ("ecn", "wred_drop") if out.marking.placed("ecn") else ("wred_drop", "ecn")
    yield Fault(
        Stage.DROPPING,
        (
            *queue_in_vain(d.analysis, d.traffic, d.port, is_marked),
            *(out.marking.where(field) for field in words),
            *out.served_by.where[:1],
            *d.through(),
        ),
        f"drops early (WRED) in queue {out.queue}, which carries {d.traffic.name}, without ECN "
        "marking",
        f"queue {out.queue}",
        rests_on=(*out.marked.doubts, out.marking.where("wred_drop"), *d.in_doubt()),
        changes=()
        if mode.stated and not mode.marking
        else needs(d.port, {f"{path}.ecn": True, f"{path}.wred_drop": False}),
    )


def marking(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The queue does not mark ECN."""
    out, mode = d.out, d.analysis.mode(d.traffic, d.port)
    if d.port.device.is_host or d.into.tc is None or not d.in_place:
        return
    if out.marks:
        if mode.marking and not out.in_force and out.marking is not None:
            yield Lack(Stage.MARKING, IDLE, (out.marking.where("pmax_percent"),))
        return
    if out.marks is None:
        if mode.marking:
            place = out.marks_where or out.queue_where or d.port.interface.where()
            yield Lack(Stage.MARKING, out.missing or "the ECN marking of the queue", (place,))
        return
    queues = d.policy.queues.values() if d.policy is not None else ()
    others = [queue for queue in queues if queue.number != out.queue and is_marked(queue)]
    numbers = sorted(queue.number for queue in others)
    parts = (out.marking, out.scheduler)  # a line beside them may state thresholds
    if out.marking is not None and out.marking.stated("ecn") and out.marking.kmin is not None:
        parts = (None, None)  # it has thresholds, and a line disables ECN
    in_vain = out.marking is not None and out.marking.enabled is False  # configured by a line
    if not mode.marking and not in_vain and _is_unmarked_on_purpose(d, numbers):
        return
    beside = f"; it does in queue {', '.join(map(str, numbers))}" if numbers else ""
    yield Fault(
        Stage.MARKING,
        (
            *queue_in_vain(d.analysis, d.traffic, d.port, is_marked),
            *without_queues(d.port),
            *out.marked.where,
            *out.served_by.where,
            *(queue.where() for queue in others),
            *(d.through() or (w for w in d.into.tc_where[:1] if w.origin is Origin.STATED)),
        ),
        f"does not mark ECN in queue {out.queue}, which carries {d.traffic.name}{beside}",
        f"queue {out.queue}",
        demanded=bool(mode.marking) and not (d.guessed and d.needed and not d.into.lossless),
        rests_on=(*out.marked.doubts, *d.in_doubt()),
        idle=idle(d.port.device, "marking profile", "scheduler"),
        lacks=tuple(part.where() for part in parts if part is not None),
        changes=_marked(d),
    )


def _marked(d: Diagnosis) -> tuple[Change, ...]:
    """The switch of complete settings that are off, or the settings of a queue without traffic."""
    own, path = d.out.marking, f"qos.egress.queues[{d.out.queue}].marking"
    if own is not None and own.kmin is not None and own.kmax is not None:
        switches = {"ecn": own.ecn, "enabled": own.enabled}
        off = {f"{path}.{name}": True for name, value in switches.items() if value is False}
        return needs(d.port, off)
    return exchanged_queues(d.analysis, d.traffic, d.port, is_marked)


def _is_unmarked_on_purpose(d: Diagnosis, marked: list[int]) -> bool:
    """True in a design without ECN marking, and for a class outside the design."""
    mode = d.analysis.mode(d.traffic, d.port)
    if mode.stated or mode.pfc not in PROTECTED:
        return True
    if any(d.analysis.mode(traffic, d.port).marking for traffic in d.analysis.data_classes):
        return True  # the design marks ECN for another data class of the network
    if d.guessed and not d.into.lossless:
        return True
    dscps = {0, *(dscp for traffic in d.analysis.data_classes for dscp in traffic.dscps)}
    used = {d.analysis.treat(d.port, dscp).egress.queue for dscp in dscps}
    # ECN marking in a queue without RoCE and unmarked traffic is misplaced.
    return not any(queue not in used for queue in marked)
