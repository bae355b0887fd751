"""Conflicting maps on one device: the queue or the priority group of a no-drop class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roce_lint.analysis.ingress_egress import label_class
from roce_lint.analysis.port_parts import maps_of, needs, pfc_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.model.change import Change
from roce_lint.model.qos import CodeMap
from roce_lint.text.source import Origin, Where


@dataclass(slots=True)
class MapConflict:
    """Two chains of maps that should meet and do not; the deciding entry first.

    `either` is True if it is unclear which of two stated entries is wrong.
    """

    message: str
    value: str
    where: list[Where]
    either: bool = False
    rests_on: tuple[Where, ...] | None = None
    changes: tuple[Change, ...] = ()


def map_conflict(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> MapConflict | None:
    """Conflict of the port's maps about a class that needs PFC there."""
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


def _other_queue(port: JudgedPort, tc: int, priority: int | None) -> MapConflict | None:
    """Conflict where PFC received for the priority of a class stops another queue."""
    maps, pfc = maps_of(port), pfc_of(port)
    if maps is None or pfc is None or priority is None:
        return None
    queue, stops = maps.tc_to_queue.get(tc), maps.pfc_priority_to_queue
    if queue is None or not stops.entries or priority not in (pfc.honour or ()):
        return None
    stopped = stops.get(priority)
    if stopped == queue:
        return None
    what = "no queue" if stopped is None else f"queue {stopped}"
    own, stop = _place(maps.tc_to_queue, tc), _place(stops, priority)
    # Maps are usually identities, so the other one of the two entries is wrong.
    odd = stopped == priority and queue != tc
    # The queue of another class was not meant to stop.
    taken = any(q == stopped and other != tc for other, q in maps.tc_to_queue.entries.items())
    stated = all(place.origin is Origin.STATED and place.position > 0 for place in (own, stop))
    first = [own, stop] if odd else [stop, own]
    either = stated and not odd and queue != priority and not taken
    entry: dict[str, int | None] = {f"pfc_priority_to_queue[{priority}]": queue}
    if odd:
        entry = {f"tc_to_queue[{tc}]": stopped}
    return MapConflict(
        f"{label_class(port.device.qos.class_name(tc))} uses queue {queue}, but its PFC priority "
        f"{priority} stops {what}",
        f"{tc}:{queue}/{priority}:{stopped}",
        first,
        either=either,
        changes=() if either else _needs(port, entry),
    )


def other_group(port: JudgedPort, tc: int) -> MapConflict | None:
    """Conflict where the priority that stops the queue of a class pauses another group.

    None if no no-drop priority stops the queue: then the class is not meant to be lossless, and its
    classification is wrong.
    """
    maps, pfc = maps_of(port), pfc_of(port)
    if maps is None or pfc is None:
        return None
    queue, group = maps.tc_to_queue.get(tc), maps.tc_to_pg.get(tc)
    by_queue = {p for p in pfc.generate or () if maps.pfc_priority_to_queue.get(p) == queue}
    known = [maps.pfc_priority_to_pg.get(p) for p in by_queue]
    if queue is None or group is None or not known or None in known or group in known:
        return None
    priority = min(by_queue)
    target = maps.pfc_priority_to_pg.get(priority)
    own, stops = _place(maps.tc_to_pg, tc), _place(maps.pfc_priority_to_pg, priority)
    # Maps are usually identities, so the other one of the two entries is wrong.
    first, entry = [own, stops], {f"tc_to_pg[{tc}]": target, f"tc_to_pfc_priority[{tc}]": priority}
    if group == tc and target != priority:
        first, entry = [stops, own], {f"pfc_priority_to_pg[{priority}]": group}
    return MapConflict(
        f"{label_class(port.device.qos.class_name(tc))} uses PG {group}, but PFC priority "
        f"{priority} pauses PG {target}",
        f"{tc}:{group}/{priority}:{target}",
        [*first, _place(maps.tc_to_queue, tc)],
        changes=_needs(port, entry),
    )


def _needs(port: JudgedPort, entries: Mapping[str, int | None]) -> tuple[Change, ...]:
    return needs(port, {f"qos.forwarding.{entry}": value for entry, value in entries.items()})


def _place(table: CodeMap, number: int) -> Where:
    return table.where(table.key(number))
