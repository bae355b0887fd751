"""NIC settings of a host: malformed or inactive settings, DCQCN, DCBX, DSCP marking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.cabling import ports_behind
from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.diagnosis.reacting import REACTION
from roce_lint.analysis.diagnosis.sending import BY_ADAPTER, BYTE, ESCAPES, OUTSIDE
from roce_lint.analysis.port_parts import needs
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Given, Outcome, Problem, Severity, Where, device_check, stage_check
from roce_lint.engine.fold import without_names
from roce_lint.model.device import Device, NoteKind, ParseNote
from roce_lint.model.interface import Neighbor
from roce_lint.model.qos import PfcConfig
from roce_lint.model.sourced import Concern
from roce_lint.model.units import ranges
from roce_lint.text.numbers import whole_of


@device_check("nic.wrong_form")
def malformed_setting(device: Device, given: Given) -> Iterator[Outcome]:
    """A malformed setting that the device or tool misreads or rejects."""
    bytes_at = {e.at.get("dscp") for e in device.emits if e.ect is not None}
    lexical = [note for note in device.notes if note.kind is NoteKind.LEXICAL]
    # Several files may have the setting; one of them gave the emission.
    elsewhere = {note.message for note in lexical if note.at.get("") in bytes_at}
    nics = given.analysis.nics_of(device)
    used = {name for nic in nics for name in (nic.name, nic.port or nic.name)}
    for note in lexical:
        if note.message not in elsewhere:
            text, severity = note.message, None if note.port in used else Severity.WARNING
            harm = "the line does not have the intended effect, possibly without an error message"
            if note.port in used:
                harm = f"the tool rejects it: the intended setting is missing on {note.port}"
            message, at, host = f"{device.hostname}: {note.shown}", [note.where()], device.hostname
            yield Problem(message, harm, at, host, (text,), text, severity=severity)


@device_check("nic.declared_not_live")
def live_setting_differs_from_file(device: Device, given: Given) -> Iterator[Outcome]:
    """A script or unit whose setting differs from the live value; one problem per line."""
    of_line: dict[tuple[int, int], list[ParseNote]] = defaultdict(list)
    for note in device.notes:
        if note.kind is NoteKind.DRIFT:
            of_line[id(note.src), note.at.get("", 0)].append(note)
    for notes in of_line.values():
        value = "; ".join(sorted({without_names(note.message) for note in notes}))
        for note in notes:
            live = note.where(Concern.OTHER) if note.stated(Concern.OTHER) else None
            yield Problem(
                f"{device.hostname}: {note.shown}",
                "the next start of the host or its driver replaces the live settings, or the file "
                "is never run",
                [note.where(), *([live] if live else [])],
                subjects=(note.message.split(" is ", 1)[0].split(", ", 1)[0],),
                value=value,
                severity=None if live else Severity.INFO,
                about=live,
            )


@stage_check("nic.congestion_control_off", Stage.REACTION)
def dcqcn_off_for_data(diagnosis: Diagnosis, broken: Fault) -> str:
    """A NIC without DCQCN for the priority of data that the switches ECN-mark."""
    harm = (
        "it keeps sending at full rate when it receives CNPs"
        if broken.kind == REACTION
        else "it sends no CNPs"
    )
    return f"{harm}: ECN marking has no effect, and queues grow until PFC stops them"


@device_check("nic.dcbx_may_overrule")
def dcbx_overruling_host(device: Device, given: Given) -> Iterator[Outcome]:
    """A host port whose PFC settings DCBX may change."""
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
            harm = "they overwrite each other's PFC settings, at the latest at the next link-up"
            who = (device.hostname, (name,), ", ".join(agents))
            yield Problem(message, harm, at, *who, severity=Severity.WARNING)
        elif pfc.willing:
            yield from _willing(given.analysis, port, pfc)
        elif pfc.overwriter is not None:
            set_by = [pfc.where(Concern.SETTER)] if Concern.SETTER in pfc.at else []
            message = f"{device.hostname} {name}: DCBX agent {pfc.overwriter} is active, and its "
            message += "settings are unknown"
            harm = "it may replace the PFC settings at the next link-up"
            at = [pfc.where("overwriter"), *set_by]
            who = (device.hostname, (name,), f"{pfc.overwriter} alone")
            yield Problem(message, harm, at, *who, severity=Severity.INFO)


def _control_divided(ports: list[JudgedPort]) -> Iterator[Outcome]:
    """DCBX controlled by firmware on some ports of a host, and not on others."""
    found = [(port.interface.name, port.interface.qos) for port in ports]
    known = {name: qos.pfc for name, qos in found if qos and qos.pfc and qos.pfc.agents is not None}
    firmware = [name for name, pfc in known.items() if "firmware" in (pfc.agents or ())]
    others = [name for name in known if name not in firmware]
    if firmware and others:
        device, value = ports[0].device.hostname, "DCBX by the firmware of some ports"
        message = f"{device}: adapter firmware controls DCBX on {', '.join(firmware)}, but not on "
        message += ", ".join(others)
        harm = "a switch that advertises PFC changes only the ports under firmware control"
        at = [known[name].where("agents") for name in (*firmware, *others)]
        subjects = tuple(firmware)
        yield Problem(message, harm, at, device, subjects, value, severity=Severity.INFO)


def _willing(analysis: Analysis, port: JudgedPort, pfc: PfcConfig) -> Iterator[Outcome]:
    """A willing port, which accepts the PFC settings its peer advertises."""
    needed: dict[int, Where] = {}
    for traffic in analysis.data_classes:
        for dscp in traffic.dscps if analysis.needs_pause(traffic, port) else ():
            into = analysis.treat(port, dscp).ingress
            if into.tc is not None:
                needed.setdefault(into.tc, into.tc_where[0])
    heard = [n for n in port.interface.neighbors if n.pfc_priorities is not None]
    breaking = next((n for n in heard if not needed.keys() <= _advertised_priorities(n)), None)
    if heard and breaking is None:
        return
    device, name = port.device.hostname, port.interface.name
    if breaking is None:
        message = f"{device} {name} is willing to accept PFC settings, its peer is not known to "
        harm = "enabling DCBX at the peer changes the PFC settings of this host"
        who = ([pfc.where("willing")], device, (name,), "willing")
        changes = needs(port, {"qos.pfc.willing": False})
        yield Problem(
            f"{message}advertise any", harm, *who, changes=changes, severity=Severity.INFO
        )
        return
    lost = needed.keys() - _advertised_priorities(breaking)
    listed = ranges(_advertised_priorities(breaking)) or "none"
    message = f"{device} {name} is willing to accept PFC settings, but its peer advertises "
    harm = f"PFC for priority {ranges(lost)} is turned off on this port"
    at = [pfc.where("willing"), breaking.where("pfc_priorities"), *(needed[p] for p in lost)]
    yield Problem(f"{message}priority {listed}", harm, at, device, (name,), f"willing: {listed}")


def _advertised_priorities(neighbor: Neighbor) -> frozenset[int]:
    return neighbor.pfc_priorities or frozenset()


# DSCP marking: settings of applications, and traffic that they do not cover.


@stage_check("nic.marks_outside_lossless", Stage.APPLICATION, OUTSIDE)
def data_marked_outside_protected_classes(diagnosis: Diagnosis, broken: Fault) -> str:
    """RDMA data with a DSCP that most of the fabric does not protect."""
    return "its data is in a lossy class without ECN marking throughout the fabric"


@stage_check("nic.dscp_instead_of_byte", Stage.APPLICATION, BYTE)
def dscp_instead_of_traffic_class_byte(diagnosis: Diagnosis, broken: Fault) -> str:
    """A traffic class byte that is set to the number of a protected DSCP."""
    return f"these packets leave as DSCP {whole_of(broken.value) >> 2}, outside the RoCE class"


@stage_check("nic.default_mark_outside_lossless", Stage.UNASKED, BY_ADAPTER)
def default_mark_outside_protected_classes(diagnosis: Diagnosis, broken: Fault) -> str:
    """An adapter whose default DSCP is not protected, while an application uses one that is."""
    return (
        f"connections that set no traffic class leave as DSCP {broken.value}, in a lossy class "
        "without ECN marking"
    )


@stage_check("nic.marks_differ_in_host", Stage.UNASKED, ESCAPES)
def queue_pairs_bypass_forced_class(diagnosis: Diagnosis, broken: Fault) -> str:
    """A protected forced traffic class that some queue pairs bypass with an unprotected one."""
    return "GPU-initiated communication is outside the RoCE class"
