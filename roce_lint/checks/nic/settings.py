"""Settings of a host's NICs: traffic class bytes, wrong forms, DCQCN, DCBX."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import wires
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    Unknown,
    Where,
    device_check,
)
from roce_lint.engine.finding import Acts
from roce_lint.engine.fold import without_names
from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.model.interface import Neighbor
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.qos import PfcConfig
from roce_lint.model.units import ranges

HIGHEST_DSCP = 63

_HALVES: tuple[tuple[str, str, str, Acts], ...] = (
    (
        "rp_priorities",
        "reaction point",
        "it sends on at full rate when congestion is reported",
        "leaving",
    ),
    (
        "np_priorities",
        "notification point",
        "it never tells the sender of congestion",
        "arriving",
    ),
)
"""The two parts of DCQCN: what a NIC does without each, and which of its data suffers."""


def _ports(analysis: Analysis, device: Device, names: tuple[str, ...] = ()) -> list[JudgedPort]:
    """Judged ports of a host's RDMA devices: of all, or of those named."""
    return [
        port
        for nic in analysis.nics_of(device)
        if not names or nic.name in names
        for wire in wires(device, nic)
        if (port := analysis.port(device.hostname, wire)) is not None
    ]


def _byte(emission: Emission) -> int | None:
    """The whole byte that a setting holds; None where only a DSCP is stated."""
    return None if emission.ect is None else emission.dscp << 2 | emission.ect


@device_check("nic.dscp_instead_of_byte")
def dscp_instead_of_traffic_class_byte(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The traffic class byte of an application has the value of a protected DSCP."""
    analysis = given.analysis
    for emission in device.emits:
        byte = _byte(emission)
        if byte is None or not 0 < byte <= HIGHEST_DSCP or not emission.stated("dscp"):
            continue
        if emission.certainty is Certainty.DEFAULT:
            continue
        ports = [
            port
            for port in _ports(analysis, device, emission.nics)
            if analysis.protected(port.network, byte)
            and not analysis.protected(port.network, emission.dscp)
        ]
        if ports:
            yield Problem(
                f"{device.hostname} sets the traffic class byte to {byte} ({emission.by}), which "
                f"is DSCP {emission.dscp}; the fabric protects DSCP {byte}, and that is byte "
                f"{byte << 2}",
                f"these packets travel as DSCP {emission.dscp}, outside of the class for RoCE",
                [emission.where("dscp")],
                device.hostname,
                tuple(port.interface.name for port in ports),
                value=str(byte),
            )


@device_check("nic.wrong_form")
def setting_in_a_wrong_form(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A line has a form that the device or the tool silently takes for something else."""
    bytes_at = {e.at.get("dscp") for e in device.emits if _byte(e) is not None}
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
                [note.where(), *([note.where("other")] if note.stated("other") else [])],
                device.hostname,
                (_drifted(note),),
                value=value,
                about=note.where("other") if note.stated("other") else None,
            )


def _drifted(note: ParseNote) -> str:
    """The port or device that a note is about and the setting of it: `ens1np0: PFC`."""
    return note.message.split(" is ", 1)[0].split(", ", 1)[0]


@device_check("nic.congestion_control_off")
def dcqcn_off_for_data(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The switches mark the data, and a NIC does not answer or obey the marks for its priority."""
    analysis = given.analysis
    for nic in analysis.nics_of(device):
        sent = _stated(device, nic)
        ports = [
            port
            for wire in wires(device, nic)
            if (port := analysis.port(device.hostname, wire)) is not None
        ]
        for port in ports[:1]:
            wanted: dict[int, str] = {}
            for traffic in analysis.data_classes:
                if analysis.mode(traffic, port).marking is not True:
                    continue
                if not diagnose(analysis, traffic, port).in_place:
                    continue
                if analysis.out_of_step(traffic, port):
                    continue  # a class that the switches do not mark
                for dscp in traffic.dscps:
                    priority = analysis.treat(port, dscp).ingress.tc
                    if priority is not None and (not sent or dscp in sent):
                        wanted.setdefault(priority, traffic.name)
            yield from _points(device, nic, port, wanted)


def _stated(device: Device, nic: Nic) -> set[int]:
    """The code points that a NIC is stated to send data with."""
    return {
        emission.dscp
        for emission in device.emits
        if emission.flow is Flow.DATA
        and emission.certainty is Certainty.STATED
        and (not emission.nics or nic.name in emission.nics)
    }


def _points(
    device: Device, nic: Nic, port: JudgedPort, wanted: dict[int, str]
) -> Iterator[Outcome]:
    name = port.interface.name
    told: Where | None = None
    places = {_place(nic, half[0], wanted) for half in _HALVES}
    for field, point, harm, acts in _HALVES:
        on = getattr(nic, field)
        if on is None and told is not None:
            return  # where one point is off, the other would add nothing
        if on is None and wanted:
            missing = "for which priorities the NICs have DCQCN on (their ECN settings)"
            yield Unknown(missing, [nic.where()], device.hostname, (name,))
            return
        off = _off(nic, field, wanted)
        unclear = _open(nic, field) & wanted.keys()
        if unclear and not off:
            missing = "whether the NICs have DCQCN on for the priority of the data"
            yield Unknown(missing, [nic.where(field)], device.hostname, (name,))
            continue
        where = _place(nic, field, wanted)
        if where is None or where == told:
            continue  # nothing is off, or one setting switches both points
        told = where
        has = f"for priority {ranges(on)} only" if on else "off for all priorities"
        if _open(nic, field):
            has = f"off for priority {ranges(off)}"
        yield Problem(
            f"{device.hostname} {nic.name} has the DCQCN {point} {has}; "
            f"{wanted[off[0]]} uses priority {ranges(off)}",
            f"{harm}: the marks of the switches do nothing, queues grow until PFC stops them",
            [where],
            device.hostname,
            (name,),
            value=f"{point}: {ranges(on) if on else 'none'}",
            traffic=wanted[off[0]],
            # NVIDIA's documents disagree whether one priority switches the point on for all.
            severity=Severity.INFO if on and field == "np_priorities" else None,
            acts="both" if len(places) == 1 else acts,  # one setting switches both parts
            stage=Stage.REACTION,
        )


def _open(nic: Nic, field: str) -> frozenset[int]:
    """Priorities of which it is not known whether a point is on."""
    return nic.np_open if field == "np_priorities" else nic.rp_open


def _off(nic: Nic, field: str, wanted: dict[int, str]) -> list[int]:
    """The priorities of the data for which a point is off, for certain."""
    return sorted(set(wanted) - (getattr(nic, field) or set()) - _open(nic, field))


def _place(nic: Nic, field: str, wanted: dict[int, str]) -> Where | None:
    """The setting that switches a point off for a priority of the data; None: it is on."""
    off = _off(nic, field, wanted)
    return nic.where(own if nic.stated(own := f"{field} {off[0]}") else field) if off else None


@device_check("nic.dcbx_may_overrule")
def dcbx_overruling_host(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Somebody other than the operator may change the PFC settings of a host's port."""
    for port in _ports(given.analysis, device):
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
            set_by = [pfc.where("overwritten")] if "overwritten" in pfc.at else []
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
    breaking = next((n for n in told if not needed.keys() <= _advertised(n)), None)
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
    lost = needed.keys() - _advertised(breaking)
    listed = ranges(_advertised(breaking)) or "none"
    yield Problem(
        f"{device} {name} is willing to take over PFC settings, its peer advertises "
        f"priority {listed}",
        f"PFC for priority {ranges(lost)} is switched off on it",
        [pfc.where("willing"), breaking.where("pfc_priorities"), *(needed[p] for p in lost)],
        device,
        (name,),
        value=f"willing: {listed}",
    )


def _advertised(neighbor: Neighbor) -> frozenset[int]:
    return neighbor.pfc_priorities or frozenset()
