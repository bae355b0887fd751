"""Whether a code point leaves a box as another, which a later hop treats otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.diagnosis.subject import Diagnosis
from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.rewriting import Rewriting, changes, rewrites
from roce_lint.analysis.stages import Stage
from roce_lint.model.nic import Flow
from roce_lint.text.source import Where


def rewritten(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port changes a code point, and a later hop treats the new one otherwise."""
    if rewrites(d.port.device):
        for dscp in d.traffic.dscps:
            for change in changes(d.analysis, d.port, dscp):
                yield from _read_by(d, change)


def _read_by(d: Diagnosis, change: Rewriting) -> Iterator[Fault | Lack]:
    """The first next hop that treats the new code point otherwise; else any later hop."""
    linked = [leaving for leaving in change.leaving if leaving.peer is not None]
    for leaving in linked:
        hop = d.analysis.port(*leaving.peer.key) if leaving.peer is not None else None
        told = _otherwise(d, hop, change) if hop is not None else None
        if told is not None:
            yield _fault(d, change, told, link_note(assumed=leaving.assumed))
            return
    if len(linked) < len(change.leaving):
        missing = "which port is at the other end (a links.yaml or LLDP output tells)"
        yield Lack(Stage.REWRITE, missing, (change.where,))
        return
    if all(leaving.peer is None or leaving.peer.device.is_host for leaving in change.leaving):
        return  # a host is the end of the way
    for hop in d.analysis.ports:
        if hop.network == change.port.network and hop.device is not change.port.device:
            told = _otherwise(d, hop, change)
            if told is not None:
                # Nothing says that packets of this port get there.
                yield _fault(d, change, replace(told, grave=False), "")
                return


@dataclass(slots=True, frozen=True)
class _NewTreatment:
    """How a hop treats the new code point otherwise than the old one."""

    text: str
    where: tuple[Where, ...]
    grave: bool


def _otherwise(d: Diagnosis, hop: JudgedPort, change: Rewriting) -> _NewTreatment | None:
    analysis, flow = d.analysis, d.traffic.flow
    old, new = analysis.treat(hop, change.old), analysis.treat(hop, change.new)
    before, after = old.ingress, new.ingress
    where = tuple(w for w in (*after.tc_where[:1], *before.tc_where[:1]) if w.position)
    wanted = f"DSCP {change.new} into class {after.tc_name}"
    if before.lossless and after.lossless is False:
        return _NewTreatment(f"{hop} puts {wanted}, which is lossy", where, flow is Flow.DATA)
    if before.lossless is False and after.lossless:
        return _NewTreatment(f"{hop} puts {wanted}, which it pauses", where, flow is Flow.CNP)
    if before.lossless and after.lossless and before.priority != after.priority:
        text = f"{hop} pauses DSCP {change.new} with priority {after.priority}"
        return _NewTreatment(
            f"{text}, DSCP {change.old} with {before.priority}", where, grave=False
        )
    marking = old.egress.marks and new.egress.marks is False and not hop.device.is_host
    if marking and flow is Flow.DATA:
        return _NewTreatment(f"{hop} does not mark ECN for DSCP {change.new}", where, grave=False)
    return None


def _fault(d: Diagnosis, change: Rewriting, told: _NewTreatment, assumed: str) -> Fault:
    return Fault(
        Stage.REWRITE,
        (change.where, *told.where),
        f"rewrites {d.traffic.spell(change.old)} to DSCP {change.new}; {told.text}",
        f"{change.old}:{change.new}",
        change.old,
        demanded=told.grave and not change.unsure,
        assumed=change.unsure or assumed,
        acts=change.acts,
        compares=True,
    )
