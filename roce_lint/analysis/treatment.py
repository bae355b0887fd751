"""Treatment of a DSCP by a port: class, group, PFC, queue and ECN marking, each with its line.

Numbers of traffic classes, queues and priority groups are local labels; only the treatment of a
DSCP is comparable between devices (lossless or not, PFC priority, ECN marking or not).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

from roce_lint.analysis.classification import classify
from roce_lint.analysis.ingress_egress import (
    NOT_KNOWN,
    Egress,
    Ingress,
    Treatment,
    unknown_egress,
    unknown_ingress,
)
from roce_lint.analysis.missing_switches import is_unread, lack_of
from roce_lint.analysis.provenance import SURE, Fact, unconfirmed_places
from roce_lint.analysis.unread import CLASS, absent, unless_unread
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    BufferProfile,
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    HeadroomModel,
    PfcConfig,
    PortQos,
    Queue,
)
from roce_lint.model.units import DSCPS
from roce_lint.text.source import Origin, Where

VIRTUAL = "the configuration of real hardware (a virtual lab image cannot hold PFC and ECN)"


def classifier_of(device: Device, qos: PortQos | None) -> Classifier | None:
    """Classifier of a port."""
    return device.qos.classifiers.get(qos.classifier or "") if qos is not None else None


def forwarding_of(device: Device, qos: PortQos | None) -> Forwarding | None:
    """Class maps of a port."""
    return device.qos.forwardings.get(qos.forwarding or "") if qos is not None else None


def egress_of(device: Device, qos: PortQos | None) -> EgressPolicy | None:
    """Egress policy of a port."""
    return device.qos.egress.get(qos.egress or "") if qos is not None else None


def is_marked(queue: Queue | None) -> bool:
    """True for a queue that marks ECN."""
    return queue is not None and queue.marking is not None and queue.marking.in_force


def treatment(device: Device, port: Interface, dscp: int) -> Treatment:
    """Treatment of packets of a DSCP that arrive at and leave by a port."""
    return treat_exit(device, port, ingress(device, port, dscp))


def treat_exit(device: Device, port: Interface, into: Ingress) -> Treatment:
    """Treatment of packets with ingress treatment `into` that leave by a port."""
    rewritten, place = _rewrite(device, port.qos, into.tc)
    return Treatment(into, egress(device, port, into.leaving_class), rewritten, place)


def ingress(device: Device, port: Interface, dscp: int) -> Ingress:
    """Ingress treatment of a DSCP by a port."""
    qos = port.qos
    if qos is None:
        return unknown_ingress(_lack(device), dscp=dscp, where=(port.where(),))
    classified = classify(device, port, qos, dscp)
    known = unless_unread(device, classified.traffic_class, CLASS)
    tc, maps = known.value, forwarding_of(device, qos)
    group: Fact[int] = NOT_KNOWN
    priority: Fact[int] = NOT_KNOWN
    if tc is not None and maps is not None:
        group = unless_unread(device, _entry(maps.tc_to_pg, tc), CLASS)
        priority = _entry(maps.tc_to_pfc_priority, tc)
    paused = pauses(device, qos, known, maps, priority)
    if paused.value is False and device.unread and not device.system.pfc_killed:
        # No PFC, or no priority of the class, is not a statement.
        lacks = priority.value is None or (qos.pfc is not None and not qos.pfc.generate)
        where = tuple(map(absent, paused.where)) if lacks else paused.where
        paused = unless_unread(device, replace(paused, where=where), "pfc")
    if paused.value is False and paused.doubts:
        paused = _without_headroom(device, qos, group, paused)
    if paused.value is False and _is_mute(device, qos):
        paused = replace(paused, value=None, missing=VIRTUAL)
    name = device.qos.class_name(tc)
    return Ingress(dscp, known, group, priority, paused, name, classified.unless)


def _without_headroom(
    device: Device, qos: PortQos, group: Fact[int], paused: Fact[bool]
) -> Fact[bool]:
    """Refine a class that has no PFC as far as is known: it is certainly lossy if a line gives its
    group a buffer without headroom, because a lossless class needs both.
    """
    if group.value is None or group.doubts:
        return paused
    profile, place, _ = group_buffer(device, qos, group.value)
    lossy = (
        profile is not None and profile.lossless is False and profile.where("lossless").confirmed
    )
    if not lossy or place.origin is not Origin.STATED:
        return paused
    return replace(paused, where=(*paused.where, place), doubts=SURE)


def _entry(table: CodeMap, number: int) -> Fact[int]:
    """Entry of a map for a number."""
    place = table.where(table.key(number))
    doubts = unconfirmed_places((place,))
    readings = place.citation.among if doubts and place.citation is not None else None
    value = table.get(number)
    if readings is not None and value is not None:
        readings |= {value}
    return Fact(value, (place,), "", doubts, readings)


def _lack(device: Device) -> str:
    """Missing input of a port without QoS."""
    unread = is_unread(device)
    return lack_of(device.hostname) if unread else "the QoS configuration of the port"


def pauses(
    device: Device, qos: PortQos, known: Fact[int], maps: Forwarding | None, priority: Fact[int]
) -> Fact[bool]:
    """Whether the port sends PFC for the class.

    A doubt about the class counts only if one of its possible classes is no-drop on the port.
    """
    if device.system.pfc_killed:
        return _never(device.system.where("pfc_killed"))
    pfc = qos.pfc
    if pfc is None:
        return Fact(None, (qos.where("pfc"),), "the PFC configuration of the port")
    if pfc.generate is not None and not pfc.generate:
        return _never(_pfc_place(pfc))
    if known.value is None:
        return NOT_KNOWN
    if maps is None:
        return Fact(None, (qos.where("forwarding"),), "the class maps of the port")
    own = priority.doubts
    if priority.value is None:
        place = maps.tc_to_pfc_priority.where(maps.tc_to_pfc_priority.key(known.value))
        place, paused = _on_a_line(place, qos), False
    elif pfc.generate is None:
        return Fact(None, (_pfc_place(pfc),), "the negotiated PFC state of the port")
    else:
        place, paused = _pfc_place(pfc), priority.value in pfc.generate
        own = (*own, *unconfirmed_places((place,)))
    if own:
        return Fact(paused, (place,), "", (*own, *known.doubts))
    others = known.all_readings()
    alike = others is not None and all(_is_paused(pfc, maps, other) is paused for other in others)
    return Fact(paused, (place,), "", SURE if alike else known.doubts)


def _never(place: Where) -> Fact[bool]:
    return Fact(value=False, where=(place,), doubts=unconfirmed_places((place,)))


def _is_paused(pfc: PfcConfig, maps: Forwarding, tc: int) -> bool | None:
    """Whether a class is certainly no-drop; None if unknown."""
    table = maps.tc_to_pfc_priority
    priority = table.get(tc)
    if not table.where(table.key(tc)).confirmed:
        return None
    if priority is None:
        return False
    return None if pfc.generate is None else priority in pfc.generate


def _on_a_line(place: Where, qos: PortQos) -> Where:
    """The place; a setting without a line of the device is shown at the port."""
    return place if place.position else replace(place, position=max(qos.at.get("", 0), 0))


def _is_mute(device: Device, qos: PortQos) -> bool:
    """True where the image cannot hold PFC lines, so that their absence proves nothing."""
    paused = qos.pfc is not None and bool(qos.pfc.generate)
    return not device.system.qos_supported and not device.system.pfc_killed and not paused


def _pfc_place(pfc: PfcConfig) -> Where:
    return pfc.where("mode" if pfc.at.get("mode") and not pfc.at.get("generate") else "generate")


def egress(
    device: Device, port: Interface, known: Fact[int], queues: CodeMap | None = None
) -> Egress:
    """Egress treatment of a traffic class by a port; `queues` replace the port's own map."""
    qos, tc = port.qos, known.value
    if qos is None or tc is None:
        return unknown_egress(_lack(device) if qos is None else "", tc=tc)
    maps = forwarding_of(device, qos)
    if maps is None:
        return unknown_egress("the class maps of the port", tc=tc, where=qos.where("forwarding"))
    queues = queues or maps.tc_to_queue
    served = unless_unread(device, _entry(queues, tc), CLASS)
    if served.value is None:
        missing = served.missing or "the queue of the class"
        return unknown_egress(missing, tc=tc, where=served.place)
    policy = egress_of(device, qos)
    marks, queue = _marks(qos, policy, served.value)
    if marks.value is False:
        marks = unless_unread(device, marks, "ecn")
    doubts = (*known.doubts, *served.doubts)
    if doubts and policy is not None and _by_all(policy, queues, known, served) is marks.value:
        doubts = SURE
    marks = replace(marks, doubts=(*marks.doubts, *doubts))
    if marks.value is False and not device.system.qos_supported:
        marks = replace(marks, value=None, missing=VIRTUAL)
    stopped, honour_where = _stopping_priorities(device, qos, maps, served.value)
    doubts = (*unconfirmed_places((honour_where,)), *served.doubts)
    stops = Fact(stopped, (honour_where,), "", doubts)
    if not stopped and not device.system.pfc_killed:
        stops = unless_unread(device, replace(stops, where=(absent(honour_where),)), "pfc")
    scheduler, marking = (queue.scheduler, queue.marking) if queue else (None, None)
    return Egress(tc, served, marks, stops, scheduler, marking)


def _by_all(
    policy: EgressPolicy, queues: CodeMap, known: Fact[int], served: Fact[int]
) -> bool | None:
    """Whether all possible queues of a class mark ECN, or none; None if they differ."""
    answers: set[bool | None] = set()
    for tc in known.all_readings() or ():
        found = (served if tc == known.value else _entry(queues, tc)).all_readings()
        answers |= {_queue_marks(policy, number)[0] for number in found or ()}
        if not found:
            return None
    return answers.pop() if len(answers) == 1 else None


def _marks(
    qos: PortQos, policy: EgressPolicy | None, number: int
) -> tuple[Fact[bool], Queue | None]:
    if policy is None:
        return Fact(None, (qos.where("egress"),), "the egress queues of the port"), None
    queue = policy.queue(number)
    marks, place = _queue_marks(policy, number)
    place = _on_a_line(place, qos)
    why: tuple[Where, ...] = ()
    if queue is not None and queue.marking is not None and queue.marking.enabled is False:
        why = (queue.marking.where("enabled"),)
    missing = "the ECN marking of the queue" if marks is None else ""
    return Fact(marks, (place, *why), missing, unconfirmed_places((place,))), queue


def _queue_marks(policy: EgressPolicy, number: int) -> tuple[bool | None, Where]:
    """Whether a queue of a policy marks ECN."""
    queue = policy.queue(number)
    if queue is None or queue.marking is None or queue.marking.ecn is None:
        place = queue.where("marking") if queue is not None else policy.where("queues")
        return None if not policy.complete else False, place
    marking = queue.marking
    return marking.ecn, marking.where("ecn")


def _stopping_priorities(
    device: Device, qos: PortQos, maps: Forwarding, queue: int
) -> tuple[frozenset[int] | None, Where]:
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
    if qos is None or tc is None:
        return None, None
    rewrite = device.qos.rewrites.get(qos.rewrite or "")
    if rewrite is None or not rewrite.active or tc not in rewrite.tc_to_dscp.entries:
        return None, None
    return rewrite.tc_to_dscp.entries[tc], rewrite.tc_to_dscp.where(tc)


def way_of(port: Interface) -> Hashable:
    """Everything that decides a treatment by a port, as far as another device can have it too."""
    qos = port.qos
    if qos is None:
        return None
    pfc = None if qos.pfc is None else (qos.pfc.generate, qos.pfc.honour)
    maps = qos.classifier, qos.forwarding, qos.egress, qos.rewrite, qos.ingress_buffer
    return (maps, qos.trust, qos.default_tc, pfc)


def catch_all(classifier: Classifier) -> int | None:
    """The class with more than half of all DSCPs, if any."""
    table = classifier.dscp_to_tc
    if 2 * len(table.entries) < len(DSCPS):
        return table.otherwise
    tc, count = Counter(map(table.get, DSCPS)).most_common(1)[0]
    return tc if 2 * count > len(DSCPS) else None


def group_buffer(device: Device, qos: PortQos, pg: int) -> tuple[BufferProfile | None, Where, str]:
    """Buffer profile of a priority group, its place, and the missing input.

    Where the device needs a row per group (HeadroomModel.STATIC) and the file holds such rows, an
    absent row means no buffer: the profile is None and nothing is missing.
    """
    buffers = device.qos.ingress_buffers.get(qos.ingress_buffer or "")
    if buffers is not None and pg in buffers.groups:
        return buffers.groups[pg], buffers.where(pg), ""
    place = buffers.where() if buffers is not None else qos.where("ingress_buffer")
    lack = ""
    if device.system.headroom is HeadroomModel.STATIC and device.system.headroom_in_file:
        if buffers is not None and not buffers.complete:
            lack = "the priority-group buffers of the port"
    elif device.system.headroom is None:
        lack = "the headroom that the device computes (from its buffer tables)"
    return None, place, lack


__all__ = ["Egress", "Ingress", "Treatment", "unknown_egress", "unknown_ingress"]
