"""Maps inside one box that should meet and do not: the queue or the group of a paused class."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.model.qos import CodeMap, Forwarding
from roce_lint.text.source import Origin, Where


@dataclass(slots=True)
class Contradiction:
    """Two chains of maps that should meet and do not; the deciding entry first.

    `either` is True where nothing tells which of two stated entries is the wrong one.
    """

    message: str
    value: str
    where: list[Where]
    either: bool = False
    rests_on: tuple[Where, ...] | None = None


def contradiction(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Contradiction | None:
    """Where the maps of the port disagree about a class that the design pauses there."""
    if analysis.needs_pause(traffic, port) is False or port.device.system.pfc_killed:
        return None
    into = analysis.treat(port, traffic.dscps[0]).ingress
    if into.tc is None:
        return None
    if into.lossless:
        return _other_queue(port, into.tc, into.priority)
    found = other_group(port, into.tc)
    if found is not None:
        found.where += into.protected.where[1:]
        found.rests_on = into.protected.doubts
    return found


def _maps(port: JudgedPort) -> tuple[Forwarding | None, frozenset[int]]:
    """The class maps of a port and the priorities it pauses."""
    qos = port.interface.qos
    if qos is None or qos.pfc is None:
        return None, frozenset()
    return forwarding_of(port.device, qos), qos.pfc.generate or frozenset()


def _other_queue(port: JudgedPort, tc: int, priority: int | None) -> Contradiction | None:
    """A received pause for the class's own priority stops another queue than the class's."""
    maps, _ = _maps(port)
    if maps is None or priority is None:
        return None
    queue, stops = maps.tc_to_queue.get(tc), maps.pfc_priority_to_queue
    qos = port.interface.qos
    honoured = qos.pfc.honour if qos is not None and qos.pfc is not None else None
    if queue is None or not stops.entries or not honoured or priority not in honoured:
        return None
    stopped = stops.get(priority)
    if stopped == queue:
        return None
    what = "no queue" if stopped is None else f"queue {stopped}"
    own, stop = _place(maps.tc_to_queue, tc), _place(stops, priority)
    # Maps are written as identities; of the two entries the one that is none is the odd one.
    odd = stopped == priority and queue != tc
    # A queue that another class has is not the one that was meant to stop.
    taken = any(q == stopped and other != tc for other, q in maps.tc_to_queue.entries.items())
    stated = all(place.origin is Origin.STATED and place.position > 0 for place in (own, stop))
    first = [own, stop] if odd else [stop, own]
    return Contradiction(
        f"class {port.device.qos.class_name(tc)} uses queue {queue} and pauses with priority "
        f"{priority}, a received pause for priority {priority} stops {what}",
        f"{tc}:{queue}/{priority}:{stopped}",
        first,
        either=stated and not odd and queue != priority and not taken,
    )


def other_group(port: JudgedPort, tc: int) -> Contradiction | None:
    """The priority that stops the class's queue pauses another group than the class's.

    None too where the class's queue answers to no paused priority: then it is not meant to be
    lossless, and the classification is to blame.
    """
    maps, paused = _maps(port)
    if maps is None:
        return None
    queue, group = maps.tc_to_queue.get(tc), maps.tc_to_pg.get(tc)
    by_queue = {p for p in paused if maps.pfc_priority_to_queue.get(p) == queue}
    known = [maps.pfc_priority_to_pg.get(p) for p in by_queue]
    if queue is None or group is None or not known or None in known or group in known:
        return None
    priority = min(by_queue)
    target = maps.pfc_priority_to_pg.get(priority)
    own, stops = _place(maps.tc_to_pg, tc), _place(maps.pfc_priority_to_pg, priority)
    # Maps are written as identities; of the two entries the one that is none is the odd one.
    first = [stops, own] if group == tc and target != priority else [own, stops]
    return Contradiction(
        f"class {port.device.qos.class_name(tc)} is in priority group {group}, and priority "
        f"{priority}, which stops its queue {queue}, pauses group {target}",
        f"{tc}:{group}/{priority}:{target}",
        [*first, _place(maps.tc_to_queue, tc)],
    )


def _place(table: CodeMap, number: int) -> Where:
    return table.where(table.key(number))
