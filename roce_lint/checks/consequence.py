"""Faults that rules of their own report, and from which others only follow."""

from __future__ import annotations

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import egress_of
from roce_lint.checks.mapping import queues_unattached
from roce_lint.checks.maps_inside import contradiction
from roce_lint.checks.references import is_undefined
from roce_lint.text.source import Where


def queued_by_mistake(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    """True where the class has not the queue it was meant to have on the port: it is in a wrong
    traffic class, the maps of the box contradict each other, or the policy for the queues is
    defined and not attached. What its queue does then is no fault of its own.
    """
    qos = port.interface.qos
    return (
        analysis.misplaced(traffic, port)
        or (qos is not None and queues_unattached(port.device, qos))
        or contradiction(analysis, traffic, port) is not None
    )


def out_of_step(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    """True for a class that most switches of the network do not protect while they protect
    another: whoever sends it is to blame, and not what some of them do with it.
    """
    if analysis.mode(traffic, port).stated:
        return False
    protected = {
        other.name: any(analysis.protected(port.network, dscp) for dscp in other.dscps)
        for other in analysis.data_classes
    }
    return not protected[traffic.name] and any(protected.values())


def without_queues(port: JudgedPort) -> list[Where]:
    """The port itself, where no line gives it queues of its own: the missing line belongs there."""
    qos = port.interface.qos
    policy = egress_of(port.device, qos) if qos is not None else None
    if qos is None or policy is None or qos.stated("egress"):
        return []
    parts = [part for q in policy.queues.values() for part in (q.scheduler, q.marking) if part]
    if any(position > 0 for part in parts for field, position in part.at.items() if field != ""):
        return []
    return [qos.where("egress")]


def out_of_use(analysis: Analysis, port: JudgedPort) -> frozenset[int]:
    """Priorities that RoCE needs paused on the port and that PFC is not on for."""
    qos = port.interface.qos
    paused = qos.pfc.generate if qos is not None and qos.pfc is not None else None
    wanted = {
        priority
        for traffic in analysis.data_classes
        if analysis.needs_pause(traffic, port)
        and (priority := analysis.mode(traffic, port).priority) is not None
    }
    return frozenset(wanted) - (paused or frozenset())


def amiss(analysis: Analysis, port: JudgedPort) -> bool:
    """True where a rule reports that the port does not protect RoCE at all, or names what nothing
    defines. How it compares with its equals then follows from that.
    """
    if refers_to_nothing(port):
        return True
    for traffic in analysis.data_classes:
        if queued_by_mistake(analysis, traffic, port):
            return True
        lossless = analysis.treat(port, traffic.dscps[0]).ingress.lossless
        if analysis.needs_pause(traffic, port) and lossless is False:
            return True
    return False


def refers_to_nothing(port: JudgedPort) -> bool:
    """True where the stanza of the port refers to a structure that nothing defines."""
    begin = port.interface.at.get("", 0)
    later = [i.at.get("", 0) for i in port.device.interfaces.values() if i.at.get("", 0) > begin]
    end = min(later, default=None)
    return begin > 0 and any(
        begin <= position and (end is None or position < end)
        for structure in port.device.structures
        if is_undefined(structure)
        for position in structure.references
    )
