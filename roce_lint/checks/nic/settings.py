"""Settings of a host's NICs: wrong forms, what is not in effect, DCQCN, DCBX."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.cabling import ports_behind
from roce_lint.analysis.diagnosis.reacting import REACTION
from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    Device,
    Diagnosis,
    Fault,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    Where,
    device_check,
    stage_check,
)
from roce_lint.engine.fold import without_names
from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.model.interface import Neighbor
from roce_lint.model.qos import PfcConfig
from roce_lint.model.sourced import Concern
from roce_lint.model.units import ranges


@device_check("nic.wrong_form")
def setting_in_a_wrong_form(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A line has a form that the device or the tool silently takes for something else."""
    bytes_at = {e.at.get("dscp") for e in device.emits if e.ect is not None}
    lexical = [note for note in device.notes if note.kind is NoteKind.LEXICAL]
    # The same setting may stand in several files, of which one gave the emission.
    elsewhere = {note.message for note in lexical if note.at.get("") in bytes_at}
    for note in lexical:
        if note.message not in elsewhere:
            yield Problem(
                f"{device.hostname}: {note.message}",
                "what is set is not what the line seems to say, and nothing complains",
                [note.where()],
                device.hostname,
                (note.message,),
                value=note.message,
            )


@device_check("nic.declared_not_live")
def live_setting_differing_from_declared(
    device: Device, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A script or unit of the host sets something else than is in effect.

    All that one line sets otherwise is one cause, however many ports and tables it speaks of.
    """
    of_line: dict[tuple[int, int], list[ParseNote]] = defaultdict(list)
    for note in device.notes:
        if note.kind is NoteKind.DRIFT:
            of_line[id(note.src), note.at.get("", 0)].append(note)
    for notes in of_line.values():
        value = "; ".join(sorted({without_names(note.message) for note in notes}))
        for note in notes:
            yield Problem(
                f"{device.hostname}: {note.message}",
                "the next start of the host or its driver brings other settings than those judged "
                "here, or the file is never run",
                [
                    note.where(),
                    *([note.where(Concern.OTHER)] if note.stated(Concern.OTHER) else []),
                ],
                device.hostname,
                (_drift_subject(note),),
                value=value,
                severity=None if note.stated(Concern.OTHER) else Severity.INFO,
                about=note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None,
            )


def _drift_subject(note: ParseNote) -> str:
    """The port or device that a note is about and the setting of it: `ens1np0: PFC`."""
    return note.message.split(" is ", 1)[0].split(", ", 1)[0]


@stage_check("nic.congestion_control_off", Stage.REACTION)
def dcqcn_off_for_data(diagnosis: Diagnosis, broken: Fault) -> str:
    """The switches mark the data, and a NIC does not answer or obey the marks for its priority."""
    harm = (
        "it sends on at full rate when congestion is reported"
        if broken.kind == REACTION
        else "it never tells the sender of congestion"
    )
    return f"{harm}: the marks of the switches do nothing, queues grow until PFC stops them"


@device_check("nic.dcbx_may_overrule")
def dcbx_overruling_host(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Somebody other than the operator may change the PFC settings of a host's port."""
    for port in ports_behind(given.analysis, device):
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if pfc is None:
            continue
        name = port.interface.name
        if pfc.agents is not None and len(pfc.agents) > 1:
            yield Problem(
                f"{device.hostname} {name} has two DCBX agents: {' and '.join(sorted(pfc.agents))}",
                "they overwrite each other's PFC settings, at the latest when the link comes back",
                [pfc.where("agents")],
                device.hostname,
                (name,),
                value=", ".join(sorted(pfc.agents)),
                severity=Severity.WARNING,
            )
        elif pfc.willing:
            yield from _willing(given.analysis, port, pfc)
        elif pfc.overwriter is not None:
            set_by = [pfc.where(Concern.SETTER)] if Concern.SETTER in pfc.at else []
            yield Problem(
                f"{device.hostname} {name}: a DCBX agent works on the port, {pfc.overwriter}, and "
                "what it would set is not known",
                "it may replace the PFC settings when the link comes back",
                [pfc.where("overwriter"), *set_by],
                device.hostname,
                (name,),
                value=f"{pfc.overwriter} alone",
                severity=Severity.INFO,
            )


def _willing(analysis: Analysis, port: JudgedPort, pfc: PfcConfig) -> Iterator[Outcome]:
    """The port takes over what its peer advertises."""
    needed: dict[int, Where] = {}
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps if analysis.needs_pause(traffic, port) else ():
            into = analysis.treat(port, dscp).ingress
            if into.tc is not None:
                needed.setdefault(into.tc, into.tc_where[0])
    told = [n for n in port.interface.neighbors if n.pfc_priorities is not None]
    breaking = next((n for n in told if not needed.keys() <= _advertised_priorities(n)), None)
    if told and breaking is None:
        return
    device, name = port.device.hostname, port.interface.name
    if breaking is None:
        yield Problem(
            f"{device} {name} is willing to take over PFC settings, its peer is not known to "
            "advertise any",
            "whoever switches DCBX on at the other end changes the settings of this host",
            [pfc.where("willing")],
            device,
            (name,),
            value="willing",
            severity=Severity.INFO,
        )
        return
    lost = needed.keys() - _advertised_priorities(breaking)
    listed = ranges(_advertised_priorities(breaking)) or "none"
    yield Problem(
        f"{device} {name} is willing to take over PFC settings, its peer advertises "
        f"priority {listed}",
        f"PFC for priority {ranges(lost)} is switched off on it",
        [pfc.where("willing"), breaking.where("pfc_priorities"), *(needed[p] for p in lost)],
        device,
        (name,),
        value=f"willing: {listed}",
    )


def _advertised_priorities(neighbor: Neighbor) -> frozenset[int]:
    return neighbor.pfc_priorities or frozenset()
