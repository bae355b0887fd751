"""What a port does with a code point: class, group, pause, queue, marking, each with its line.

Traffic class, queue and priority-group numbers are local labels; only what happens to a code
point can be compared between devices (lossless or not, PFC priority, marked or not).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from roce_lint.analysis.absent import is_unread, lack_of
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    BufferProfile,
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    HeadroomModel,
    Marking,
    MatchKind,
    PfcConfig,
    PortQos,
    Queue,
    Scheduler,
    Trust,
)
from roce_lint.text.source import Origin, Where

UNCLASSIFIED = "how the port classifies packets (its QoS lines tell)"
VIRTUAL = "the configuration of real hardware (a virtual lab image cannot hold PFC and ECN)"


@dataclass(slots=True, frozen=True)
class Ingress:
    """What happens to a packet of one code point as it arrives.

    `lossless` is True when the port generates pause for it, False when it certainly does not, and
    None when that is not known; `why` names what is missing then. `where` are the deciding places
    of the classification, of the pause priority, and of the pause itself.
    """

    dscp: int | None  # None: not known
    tc: int | None
    tc_where: tuple[Where, ...]
    certain: bool  # False where an ACL or VLAN match may decide otherwise
    pg: int | None
    pg_where: Where | None
    priority: int | None  # put into the pause frame, if the class is paused at all
    priority_where: Where | None
    lossless: bool | None
    lossless_where: Where | None
    missing: str = ""
    tc_name: str = ""  # the class in the device's own words; empty where it is not known


@dataclass(slots=True, frozen=True)
class Egress:
    """What happens to a packet of one traffic class as it leaves.

    `marks` is True when its queue marks ECN, False when it certainly does not, None when unknown.
    `stopped_by` are the priorities whose received pause stops the queue; None when unknown.
    """

    tc: int | None
    queue: int | None
    queue_where: Where | None
    scheduler: Scheduler | None
    marking: Marking | None
    marks: bool | None
    marks_where: Where | None
    stopped_by: frozenset[int] | None
    honour_where: Where | None
    missing: str = ""


@dataclass(slots=True, frozen=True)
class Treatment:
    """Ingress and egress of one code point on one port."""

    ingress: Ingress
    egress: Egress
    rewrite: int | None  # code point it leaves with, where a rewrite is known to act
    rewrite_where: Where | None = None


def forwarding_of(device: Device, qos: PortQos) -> Forwarding | None:
    """The class maps a port uses."""
    return device.qos.forwardings.get(qos.forwarding) if qos.forwarding else None


def egress_of(device: Device, qos: PortQos) -> EgressPolicy | None:
    """The egress policy a port uses."""
    return device.qos.egress.get(qos.egress) if qos.egress else None


def treatment(device: Device, port: Interface, dscp: int) -> Treatment:
    """How `port` treats packets of code point `dscp`, arriving and leaving."""
    return leaving(device, port, ingress(device, port, dscp))


def leaving(device: Device, port: Interface, into: Ingress) -> Treatment:
    """How packets are treated that came in as `into` says and leave through `port`."""
    rewritten, place = _rewrite(device, port.qos, into.tc)
    return Treatment(into, egress(device, port, into.tc), rewritten, place)


def ingress(device: Device, port: Interface, dscp: int) -> Ingress:
    """What `port` does with arriving packets of code point `dscp`."""
    qos = port.qos
    if qos is None:
        missing = _lack(device)
        return Ingress(
            dscp, None, (port.where(),), True, None, None, None, None, None, None, missing
        )
    tc, places, certain, missing = classify(device, port, qos, dscp)
    maps = forwarding_of(device, qos)
    pg = priority = None
    pg_where = priority_where = None
    if tc is not None and maps is not None:
        pg = maps.tc_to_pg.get(tc)
        pg_where = maps.tc_to_pg.where(maps.tc_to_pg.key(tc))
        priority = maps.tc_to_pfc_priority.get(tc)
        priority_where = maps.tc_to_pfc_priority.where(maps.tc_to_pfc_priority.key(tc))
    lossless, place, lack = pauses(device, qos, tc, maps, priority)
    if lossless is False and _is_mute(device, qos):
        lossless, lack = None, VIRTUAL
    return Ingress(
        dscp,
        tc,
        places,
        certain,
        pg,
        pg_where,
        priority,
        priority_where,
        lossless,
        place,
        missing or lack,
        device.qos.called(tc),
    )


def _lack(device: Device) -> str:
    """What is missing where a port has no QoS."""
    if is_unread(device):
        return lack_of(device.hostname)
    return "the QoS configuration of the port"


def classify(
    device: Device, port: Interface, qos: PortQos, dscp: int
) -> tuple[int | None, tuple[Where, ...], bool, str]:
    """Traffic class of an arriving packet: class, deciding places, certainty, what is missing."""
    classifier = device.qos.classifiers.get(qos.classifier) if qos.classifier else None
    if qos.trust is Trust.NONE:
        return qos.default_tc, (qos.where("trust"),), True, ""
    if qos.trust is Trust.PCP:
        if port.tagged is not False or qos.default_pcp is None or classifier is None:
            return None, (qos.where("trust"),), True, "the 802.1p priority of tagged packets"
        pcp = qos.default_pcp
        entry = classifier.pcp_to_tc
        trusted = (qos.where("trust"), entry.where(entry.key(pcp)))
        return entry.get(pcp), trusted, classifier.exact, ""
    if classifier is None:
        named = qos.stated("classifier")
        lack = "the policy that the port names, which is defined nowhere" if named else UNCLASSIFIED
        return None, (qos.where("classifier"),), True, lack
    entry = classifier.dscp_to_tc
    tc = entry.get(dscp)
    place = entry.where(entry.key(dscp))
    places = (place, *_matched(classifier, dscp, place), qos.where("classifier"))
    return (
        tc,
        places,
        classifier.exact,
        "" if tc is not None else "what becomes of a code point that the port's map does not name",
    )


def _matched(classifier: Classifier, dscp: int, place: Where) -> tuple[Where, ...]:
    """The line that names the code point, where another line gives what it names its class."""
    for match in classifier.matches:
        if match.kind is MatchKind.DSCP and dscp in match.values:
            named = match.where("values")
            return (named,) if place.origin is Origin.STATED and named != place else ()
    return ()


def pauses(
    device: Device,
    qos: PortQos,
    tc: int | None,
    maps: Forwarding | None,
    priority: int | None,
) -> tuple[bool | None, Where | None, str]:
    """Whether the port generates pause for the class; the deciding place; what is missing."""
    if device.system.pfc_killed:
        return False, device.system.where("pfc_killed"), ""
    pfc = qos.pfc
    if pfc is None:
        return None, qos.where("pfc"), "the PFC configuration of the port"
    if pfc.generate is not None and not pfc.generate:
        return False, _pfc_place(pfc), ""
    if tc is None:
        return None, None, ""
    if maps is None:
        return None, qos.where("forwarding"), "the class maps of the port"
    if priority is None:
        place = maps.tc_to_pfc_priority.where(maps.tc_to_pfc_priority.key(tc))
        return False, _on_a_line(place, qos), ""
    if pfc.generate is None:
        return None, _pfc_place(pfc), "whether PFC comes up on the port (it is negotiated)"
    return priority in pfc.generate, _pfc_place(pfc), ""


def _on_a_line(place: Where, qos: PortQos) -> Where:
    """The place; what no line of the device states is shown at the port where it applies."""
    return place if place.position else replace(place, position=max(qos.at.get("", 0), 0))


def _is_mute(device: Device, qos: PortQos) -> bool:
    """True where the image cannot hold PFC lines, so that their absence says nothing."""
    paused = qos.pfc is not None and bool(qos.pfc.generate)
    return not device.system.qos_supported and not device.system.pfc_killed and not paused


def _pfc_place(pfc: PfcConfig) -> Where:
    for name in ("generate", "mode"):
        if pfc.at.get(name):
            return pfc.where(name)
    return pfc.where("generate")


def egress(
    device: Device, port: Interface, tc: int | None, queues: CodeMap | None = None
) -> Egress:
    """What `port` does with leaving packets of traffic class `tc`; `queues` hold instead of the
    port's own map where they are given.
    """
    qos = port.qos
    if qos is None or tc is None:
        lack = _lack(device) if qos is None else ""
        return Egress(tc, None, None, None, None, None, None, None, None, lack)
    maps = forwarding_of(device, qos)
    if maps is None:
        where = qos.where("forwarding")
        return Egress(
            tc, None, where, None, None, None, None, None, None, "the class maps of the port"
        )
    queues = queues or maps.tc_to_queue
    number = queues.get(tc)
    queue_where = queues.where(queues.key(tc))
    if number is None:
        return Egress(
            tc, None, queue_where, None, None, None, None, None, None, "the queue of the class"
        )
    policy = egress_of(device, qos)
    marks, place, queue, lack = _marks(qos, policy, number)
    place = _on_a_line(place, qos)
    if marks is False and not device.system.qos_supported:
        marks, lack = None, VIRTUAL
    stopped, honour_where = _stopped(device, qos, maps, number)
    return Egress(
        tc,
        number,
        queue_where,
        queue.scheduler if queue else None,
        queue.marking if queue else None,
        marks,
        place,
        stopped,
        honour_where,
        lack,
    )


def _marks(
    qos: PortQos, policy: EgressPolicy | None, number: int
) -> tuple[bool | None, Where, Queue | None, str]:
    if policy is None:
        return None, qos.where("egress"), None, "the egress queues of the port"
    queue = policy.queue(number)
    if queue is None or queue.marking is None or queue.marking.ecn is None:
        place = queue.where("marking") if queue is not None else policy.where()
        if not policy.complete:
            return None, place, queue, "the marking of the queue"
        return False, place, queue, ""
    return queue.marking.ecn, queue.marking.where("ecn"), queue, ""


def _stopped(
    device: Device, qos: PortQos, maps: Forwarding, queue: int
) -> tuple[frozenset[int] | None, Where | None]:
    if device.system.pfc_killed:
        return frozenset(), device.system.where("pfc_killed")
    if qos.pfc is None:
        return None, qos.where("pfc")
    place = qos.pfc.where("honour") if qos.pfc.at.get("honour") else _pfc_place(qos.pfc)
    if qos.pfc.honour is None or (not device.system.qos_supported and not qos.pfc.honour):
        return None, place
    target = maps.pfc_priority_to_queue
    return frozenset(p for p in qos.pfc.honour if target.get(p) == queue), place


def _rewrite(
    device: Device, qos: PortQos | None, tc: int | None
) -> tuple[int | None, Where | None]:
    if qos is None or tc is None or not qos.rewrite:
        return None, None
    rewrite = device.qos.rewrites.get(qos.rewrite)
    if rewrite is None or not rewrite.active or tc not in rewrite.tc_to_dscp.entries:
        return None, None
    return rewrite.tc_to_dscp.entries[tc], rewrite.tc_to_dscp.where(tc)


def group_buffer(device: Device, qos: PortQos, pg: int) -> tuple[BufferProfile | None, Where, str]:
    """Buffer profile of a priority group, its place, and what is missing to tell.

    Where the device needs a row per group (HeadroomModel.STATIC) and the file is one that holds
    such rows, an absent row means no buffer: the profile is None and nothing is missing.
    """
    buffers = device.qos.ingress_buffers.get(qos.ingress_buffer) if qos.ingress_buffer else None
    if buffers is not None and pg in buffers.groups:
        return buffers.groups[pg], buffers.where(pg), ""
    place = buffers.where() if buffers is not None else qos.where("ingress_buffer")
    if device.system.headroom is HeadroomModel.STATIC and device.system.headroom_in_file:
        if buffers is None or buffers.complete:
            return None, place, ""
        return None, place, "the priority-group buffers of the port"
    return (
        None,
        place,
        "how the device sizes headroom (its buffer tables tell)"
        if device.system.headroom is None
        else "",
    )
