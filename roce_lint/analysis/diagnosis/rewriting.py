"""DSCP rewrites of a switch, and those that a later hop treats differently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.diagnosis.policing import matching_entry
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.impact import Acts
from roce_lint.analysis.port_parts import classifier_at, link_note, needs
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.stages import Stage
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.nic import Flow
from roce_lint.model.path import Path, Step
from roce_lint.text.source import Where


@dataclass(slots=True)
class Rewriting:
    """A DSCP that leaves a device as another: the line, the ports, and the next hops."""

    port: JudgedPort  # where the change is configured
    old: int
    new: int
    where: Where
    leaving: list[JudgedPort]
    unsure: str = ""  # reason why it may not act
    acts: Acts = "leaving"  # affected packets of the port


UNSURE = "it is not documented whether the rewrite acts on packets of a port that trusts DSCP"


def rewrites(device: Device) -> bool:
    """Whether a device rewrites DSCPs at all."""
    return bool(device.qos.rewrites) or any(
        match.set_dscp is not None
        for classifier in device.qos.classifiers.values()
        for match in classifier.matches
    )


def changes(analysis: Analysis, port: JudgedPort, dscp: int) -> Iterator[Rewriting]:
    """Rewrites in the configuration of a port for packets of a DSCP."""
    treated = analysis.treat(port, dscp)
    if treated.rewrite is not None and treated.rewrite != dscp and treated.rewrite_where:
        qos = port.interface.qos
        rewrite = port.device.qos.rewrites.get(qos.rewrite or "") if qos is not None else None
        unsure = "" if rewrite is not None and rewrite.on_trusted is True else UNSURE
        yield Rewriting(port, dscp, treated.rewrite, treated.rewrite_where, [port], unsure)
    match = matching_entry(port, dscp)
    if match is not None and match.set_dscp is not None and match.set_dscp != dscp:
        others = [p for p in analysis.ports_of(port.device) if p is not port]
        where = match.where("set_dscp")
        yield Rewriting(port, dscp, match.set_dscp, where, others, acts="arriving")


def rewritten(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port rewrites a DSCP, and a later hop treats the new one differently."""
    if rewrites(d.port.device):
        for dscp in d.traffic.dscps:
            for change in changes(d.analysis, d.port, dscp):
                yield from _read_by(d, change)


def _read_by(d: Diagnosis, change: Rewriting) -> Iterator[Fault | Lack]:
    """The first next hop that treats the new DSCP differently; else any later hop."""
    linked = [leaving for leaving in change.leaving if leaving.peer is not None]
    for leaving in linked:
        hop = d.analysis.port(*leaving.peer.key) if leaving.peer is not None else None
        found = _new_treatment(d, hop, change) if hop is not None else None
        if found is not None:
            yield _fault(d, change, found, link_note(assumed=leaving.assumed))
            return
    if len(linked) < len(change.leaving):
        missing = "the peer port (provide LLDP output or links.yaml)"
        yield Lack(Stage.REWRITE, missing, (change.where,))
        return
    if all(leaving.peer is None or leaving.peer.device.is_host for leaving in change.leaving):
        return  # a host is the end of the path
    for hop in d.analysis.ports:
        if hop.network == change.port.network and hop.device is not change.port.device:
            found = _new_treatment(d, hop, change)
            if found is not None:
                # Packets of this port may not get there.
                yield _fault(d, change, replace(found, grave=False), "")
                return


@dataclass(slots=True, frozen=True)
class _NewTreatment:
    """Different treatment of the new DSCP at a hop."""

    text: str
    where: tuple[Where, ...]
    grave: bool


def _new_treatment(d: Diagnosis, hop: JudgedPort, change: Rewriting) -> _NewTreatment | None:
    analysis, flow = d.analysis, d.traffic.flow
    old, new = analysis.treat(hop, change.old), analysis.treat(hop, change.new)
    before, after = old.ingress, new.ingress
    where = tuple(w for w in (*after.tc_where[:1], *before.tc_where[:1]) if w.position)
    mapped = f"{hop} maps DSCP {change.new} to {after.class_label}"
    if before.lossless and after.lossless is False:
        return _NewTreatment(f"{mapped}, which is lossy", where, flow is Flow.DATA)
    if before.lossless is False and after.lossless:
        return _NewTreatment(f"{mapped}, which is lossless", where, flow is Flow.CNP)
    if before.lossless and after.lossless and before.priority != after.priority:
        text = f"{hop} uses PFC priority {after.priority} for DSCP {change.new}"
        return _NewTreatment(f"{text}, {before.priority} for DSCP {change.old}", where, grave=False)
    marking = old.egress.marks and new.egress.marks is False and not hop.device.is_host
    if marking and flow is Flow.DATA:
        return _NewTreatment(f"{hop} does not mark ECN for DSCP {change.new}", where, grave=False)
    return None


def _fault(d: Diagnosis, change: Rewriting, treated: _NewTreatment, assumed: str) -> Fault:
    return Fault(
        Stage.REWRITE,
        (change.where, *treated.where),
        f"rewrites {d.traffic.spell(change.old)} to DSCP {change.new}; {treated.text}",
        f"{change.old}:{change.new}",
        change.old,
        demanded=treated.grave and not change.unsure,
        assumed=change.unsure or assumed,
        acts=change.acts,
        compares=True,
        changes=unchanged(d.analysis, change),
    )


def unchanged(analysis: Analysis, change: Rewriting) -> tuple[Change, ...]:
    """The rewrite of a DSCP turned off: the entry of its class writes that DSCP, where the class
    has no other; the action of a classifier is unset.
    """
    port, qos = change.port, change.port.interface.qos
    if qos is None:
        return ()
    if change.acts == "arriving":
        classifier, taking = classifier_at(port), matching_entry(port, change.old)
        matches = classifier.matches if classifier is not None else []
        place = next((n for n, match in enumerate(matches) if match is taking), 0)
        entry = Step("classifiers", qos.classifier), Step("matches", str(place))
        path = Path(port.device.hostname, (Step("qos"), *entry, Step("set_dscp")))
        return (Change.at(port.device, path, value=None),)
    tc = analysis.treat(port, change.old).ingress.tc
    rewrite = port.device.qos.rewrites.get(qos.rewrite or "")
    if rewrite is None or rewrite.stated("active"):
        return ()  # one line switches all of them on: it may be the wrong one
    codes = {dscp for traffic in analysis.classes for dscp in traffic.dscps} | {0, change.old}
    together = {dscp for dscp in codes if analysis.treat(port, dscp).ingress.tc == tc}
    if tc is None or together != {change.old}:
        return ()
    return needs(port, {f"qos.rewrite.tc_to_dscp[{tc}]": change.old})
