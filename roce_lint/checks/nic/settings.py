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
    nics = given.analysis.nics_of(device)
    used = {name for nic in nics for name in (nic.name, nic.port or nic.name)}
    for note in lexical:
        if note.message not in elsewhere:
            text, severity = note.message, None if note.port in used else Severity.WARNING
            harm = "what is set is not what the line seems to say, and nothing complains"
            if note.port in used:
                harm = f"the tool refuses it: what it was meant to set is not set on {note.port}"
            message, at, host = f"{device.hostname}: {text}", [note.where()], device.hostname
            yield Problem(message, harm, at, host, (text,), text, severity=severity)


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
            live = note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None
            yield Problem(
                f"{device.hostname}: {note.message}",
                "the next start of the host or its driver brings other settings than those judged "
                "here, or the file is never run",
                [note.where(), *([live] if live else [])],
                device.hostname,
                (_drift_subject(note),),
                value=value,
                severity=None if live else Severity.INFO,
                about=live,
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
    ports = ports_behind(given.analysis, device)
    yield from _control_divided(ports)
    for port in ports:
        pfc = port.interface.qos.pfc if port.interface.qos is not None else None
        if pfc is None:
            continue
        name = port.interface.name
        if pfc.agents is not None and len(pfc.agents) > 1:
            agents, at = sorted(pfc.agents), [pfc.where("agents")]
            message = f"{device.hostname} {name} has two DCBX agents: {' and '.join(agents)}"
            harm = "they overwrite each other's PFC settings, at the latest when the link comes up"
            who = (device.hostname, (name,), ", ".join(agents))
            yield Problem(message, harm, at, *who, severity=Severity.WARNING)
        elif pfc.willing:
            yield from _willing(given.analysis, port, pfc)
        elif pfc.overwriter is not None:
            set_by = [pfc.where(Concern.SETTER)] if Concern.SETTER in pfc.at else []
            message = f"{device.hostname} {name}: a DCBX agent works on the port, {pfc.overwriter},"
            message += " and what it would set is not known"
            harm = "it may replace the PFC settings when the link comes back"
            at = [pfc.where("overwriter"), *set_by]
            who = (device.hostname, (name,), f"{pfc.overwriter} alone")
            yield Problem(message, harm, at, *who, severity=Severity.INFO)


def _control_divided(ports: list[JudgedPort]) -> Iterator[Outcome]:
    """DCBX of some ports of a host is in the hands of their firmware, that of others is not."""
    told = [(port.interface.name, port.interface.qos) for port in ports]
    known = {name: qos.pfc for name, qos in told if qos and qos.pfc and qos.pfc.agents is not None}
    firmware = [name for name, pfc in known.items() if "firmware" in (pfc.agents or ())]
    others = [name for name in known if name not in firmware]
    if firmware and others:
        device, value = ports[0].device.hostname, "DCBX by the firmware of some ports"
        message = f"{device}: DCBX of {', '.join(firmware)} is controlled by the firmware of the "
        message += f"adapter, that of {', '.join(others)} is not"
        harm = "a switch that advertises PFC changes it on the ports of the firmware alone"
        at = [known[name].where("agents") for name in (*firmware, *others)]
        subjects = tuple(firmware)
        yield Problem(message, harm, at, device, subjects, value, severity=Severity.INFO)


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
        message = f"{device} {name} is willing to take over PFC settings, its peer is not known to "
        harm = "whoever switches DCBX on at the other end changes the settings of this host"
        who = ([pfc.where("willing")], device, (name,), "willing")
        yield Problem(f"{message}advertise any", harm, *who, severity=Severity.INFO)
        return
    lost = needed.keys() - _advertised_priorities(breaking)
    listed = ranges(_advertised_priorities(breaking)) or "none"
    message = f"{device} {name} is willing to take over PFC settings, its peer advertises "
    harm = f"PFC for priority {ranges(lost)} is switched off on it"
    at = [pfc.where("willing"), breaking.where("pfc_priorities"), *(needed[p] for p in lost)]
    yield Problem(f"{message}priority {listed}", harm, at, device, (name,), f"willing: {listed}")


def _advertised_priorities(neighbor: Neighbor) -> frozenset[int]:
    return neighbor.pfc_priorities or frozenset()
