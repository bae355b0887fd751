"""Buffers of a lossless class: headroom of its priority group, receive buffer of a NIC, and limit
of its egress queue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.port_parts import maps_of, needs
from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import group_buffer
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.qos import CodeMap, HeadroomModel, PortQos, Queue, QueueKind
from roce_lint.model.units import ranges, spell_size
from roce_lint.text.source import Where


def is_outside_table(port: JudgedPort) -> bool:
    """True where the device would need a row that its headroom table lacks."""
    table = port.device.headroom_table
    speed, length = port.interface.speed_gbps, port.interface.cable_m
    if port.device.system.headroom is not HeadroomModel.STATIC or not table or is_sized(port):
        return False
    return bool(speed and length) and (speed, length) not in table


SLOW = 4  # times slower than the design speed of a board (experience)


def is_too_slow_for_table(port: JudgedPort) -> bool:
    """True where the table has no row for the port's speed, but rows for a far higher speed of
    other ports: the board supports lossless classes on those only. False if the other end is known,
    because then RoCE uses the port.
    """
    speed, rows = port.interface.speed_gbps, {gbps for gbps, _ in port.device.headroom_table}
    if not speed or speed in rows or port.peer is not None:
        return False
    others = {each.speed_gbps for each in port.device.interfaces.values()} & rows
    return any(other is not None and other >= SLOW * speed for other in others)


def is_sized(port: JudgedPort) -> bool:
    """True where a row states the size of a lossless group, so nothing remains to be computed."""
    qos = port.interface.qos
    buffers = port.device.qos.ingress_buffers.get(qos.ingress_buffer or "") if qos else None
    groups = buffers.groups.values() if buffers is not None else ()
    return any(profile.lossless and not profile.computed for profile in groups)


NOT_WRITTEN = (
    "the lossless buffer rows that the device writes when it loads the file "
    "(from pg_profile_lookup.ini of its model)"
)


def buffer(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port sends PFC for the class, and its priority group has no lossless buffer."""
    into, qos, device = d.into, d.qos, d.port.device
    system = device.system
    if device.is_host or qos is None or not into.lossless:
        return
    if system.headroom is HeadroomModel.PLATFORM:
        return  # the platform provides headroom for every lossless class
    if into.pg is None:
        yield Lack(Stage.BUFFER, "the priority group of the class", (d.port.interface.where(),))
        return
    profile, place, missing = group_buffer(device, qos, into.pg)
    if missing:
        yield Lack(Stage.BUFFER, missing, (place,))
        return
    explicit = system.headroom is HeadroomModel.STATIC
    if profile is None and (not explicit or not system.headroom_in_file):
        return  # computed on the device, or rendered elsewhere
    to_be_written = not is_outside_table(d.port) or is_too_slow_for_table(d.port)
    if profile is None and system.headroom_written is False and to_be_written:
        if not device.headroom_table:
            yield Lack(Stage.BUFFER, NOT_WRITTEN, (place,))
        return  # the row will be written from the table, or the port does not support it
    if profile is None or profile.lossless is False:
        # The device writes rows when it loads the file.
        remade = explicit and system.headroom_written is False and bool(device.headroom_table)
        found = _without_buffer(d, into.pg, profile, place)
        yield replace(found, demanded=not (remade and to_be_written))


def _without_buffer(d: Diagnosis, group: int, profile: BufferProfile | None, place: Where) -> Fault:
    into, name = d.into, profile.name if profile is not None else None
    what = f"buffer profile {name}, which gives no headroom" if name else "no buffer profile"
    evidence = (*into.group.where[:1], *into.protected.where[:1])
    # A lossy line of the profile is fixed there, for all its users.
    size = [profile.where("lossless")] if profile is not None and profile.stated("lossless") else []
    return Fault(
        Stage.BUFFER,
        (*size, place, *evidence),
        f"sends PFC for {d.traffic.name}, but its priority group {group} has {what}",
        f"pg {group}: {name or 'none'}",
        rests_on=(place, *into.group.doubts, *into.protected.doubts),
        lacks=(place if profile is None else profile.where("xoff_bytes"),),
    )


def _profile(d: Diagnosis, *, host: bool) -> tuple[int, BufferProfile, Where] | None:
    """Priority group of a lossless class, its buffer, and the place that assigns it."""
    into, qos = d.into, d.qos
    if d.port.device.is_host is not host or qos is None or into.pg is None or not into.lossless:
        return None
    profile, place, _ = group_buffer(d.port.device, qos, into.pg)
    return None if profile is None else (into.pg, profile, place)


def room(d: Diagnosis) -> Iterator[Fault]:
    """A lossless buffer is stated, and nothing of it is left when PFC is sent."""
    found = _profile(d, host=False)
    if found is None:
        return
    _, profile, _ = found
    if not profile.lossless or profile.computed or profile.xoff_bytes is None:
        return
    if profile.xoff_bytes <= 0:
        size = "" if profile.reserved_bytes is None else f" of {spell_size(profile.reserved_bytes)}"
        yield Fault(
            Stage.ROOM,
            (profile.where("xoff_bytes"),),
            f"sends PFC for {d.traffic.name} only when its buffer{size} is full: no room is left "
            "for data in flight",
            f"{profile.reserved_bytes}:{profile.xoff_bytes}",
        )


def reserve(d: Diagnosis) -> Iterator[Fault]:
    """The group may use more headroom than its profile reserves and its pool shares."""
    found = _profile(d, host=False)
    if found is None:
        return
    group, profile, place = found
    pool = d.port.device.pools.get(profile.pool or "")
    rules = d.port.device.system.headroom_rules
    if pool is None or profile.computed or (rules is not None and rules.oversubscription):
        return
    if pool.headroom_cells:
        return  # lossless groups share headroom of unknown size, as with a rule
    if pool.size_bytes is None and not pool.stated("headroom_bytes"):
        return  # the rest of the pool, and maybe its headroom, is configured elsewhere
    xoff, own, shared = profile.xoff_bytes, profile.reserved_bytes, pool.headroom_bytes or 0
    if not xoff or own is None or own + shared >= xoff:
        return
    common = f"shares {spell_size(shared)} among all groups" if shared else "shares no headroom"
    places = [profile.where(field) for field in ("reserved_bytes", "xoff_bytes", "pool")]
    places.insert(0 if shared else len(places), pool.where("headroom_bytes"))
    yield Fault(
        Stage.RESERVED,
        (*places, place),
        f"allows {spell_size(xoff)} of headroom in profile {profile.name} of priority group "
        f"{group}, which reserves {spell_size(own)}, and pool {pool.name} {common}",
        f"{profile.name}: {xoff}/{own + shared}",
        lacks=(pool.where("headroom_bytes"),),
    )


def receive(d: Diagnosis) -> Iterator[Fault]:
    """The receive buffer of a NIC is no larger than the data in flight after a pause frame."""
    found = _profile(d, host=True)
    if found is None or d.qos is None:
        return
    group, profile, _ = found
    size, flying = profile.reserved_bytes, profile.in_flight_bytes
    if size is None or flying is None or size > flying:
        return
    places = (profile.where("reserved_bytes"), *d.into.group.where[:1])
    fits = _fits_rest_of_buffer(d, d.qos, group, flying)
    yield Fault(
        Stage.RECEIVE,
        (*(places[::-1] if fits else places), profile.where("in_flight_bytes")),
        f"receives {d.traffic.name} into buffer {group} of {spell_size(size)}, "
        f"but {spell_size(flying)} may arrive after a pause frame",
        f"{size}/{flying}",
    )


def _fits_rest_of_buffer(d: Diagnosis, qos: PortQos, pg: int, room: int) -> bool:
    """True where the size suits the other content of the buffer, and the lossless class does not
    belong there: it holds most lossy priorities, or it holds no other and a buffer with enough
    space is free.
    """
    maps = maps_of(d.port)
    buffers = d.port.device.qos.ingress_buffers.get(qos.ingress_buffer or "")
    paused = qos.pfc.generate if qos.pfc is not None else None
    if maps is None or buffers is None or paused is None:
        return False
    into = maps.tc_to_pg.entries
    lossy = [held for tc, held in into.items() if maps.tc_to_pfc_priority.get(tc) not in paused]
    if lossy.count(pg) * 2 > len(lossy):
        return True
    used = set(into.values())
    return pg not in lossy and any(
        number not in used and (profile.reserved_bytes or 0) > room
        for number, profile in buffers.groups.items()
    )


def pool(d: Diagnosis) -> Iterator[Fault]:
    """A NIC keeps a lossy priority in the receive buffer of the class."""
    into = d.into
    maps = maps_of(d.port)
    paused = d.pfc.generate if d.pfc is not None else None
    if not d.port.device.is_host or maps is None or not paused:
        return
    if not into.lossless or into.pg is None:
        return
    table = maps.tc_to_pg
    others = [tc for tc, pg in sorted(table.entries.items()) if pg == into.pg]
    lossy = [tc for tc in others if maps.tc_to_pfc_priority.get(tc) not in paused]
    if lossy and table.stated(lossy[0]):
        yield Fault(
            Stage.SHARED,
            (*(table.where(tc) for tc in lossy), *into.tc_where[:1]),
            f"keeps lossy {label_priorities(lossy)} in receive buffer {into.pg} of "
            f"{d.traffic.name}",
            f"{ranges(lossy)}:{into.pg}",
            about=into.pg_where,
            changes=_with_lossy(d.port, table, lossy, into.pg),
        )


def _with_lossy(
    port: JudgedPort, groups: CodeMap, lossy: list[int], lossless: int
) -> tuple[Change, ...]:
    """Lossy priorities in the one receive buffer that holds the others."""
    others = {pg for tc, pg in groups.entries.items() if pg != lossless}
    if len(others) != 1:
        return ()
    (pg,) = others
    maps = [f"qos.forwarding.{name}" for name in ("tc_to_pg", "pfc_priority_to_pg")]
    return needs(port, {f"{name}[{tc}]": pg for name in maps for tc in lossy})


# Egress queues.

UNLIMITED_ALPHA = 16.0
"""Factor of the free pool from which a queue may take nearly all of it (16 of 17 parts)."""

UNLIMITED_PART = 0.5
"""Part of its pool from which a static limit no longer restricts a lossless class: published
configurations have all of the pool, or half of it."""


def limit(d: Diagnosis) -> Iterator[Fault]:
    """The queue has no buffer limit of its own, or that of unmarked traffic."""
    found = _queues(d)
    if found is None:
        return
    mine, others = found
    beside = next((queue for queue in others if queue.buffer is not None), None)
    alike = next((queue for queue in others if queue.buffer is mine.buffer), None)
    if beside is None:
        return
    if mine.buffer is None:
        what, evidence = "no buffer profile", beside
    elif alike is not None and _is_limited(d.port.device, mine.buffer):
        name = mine.buffer.name
        what, evidence = f"buffer profile {name}, that of lossy queue {alike.number}", alike
    else:
        return
    yield Fault(
        Stage.LIMIT,
        (mine.where("buffer"), evidence.where("buffer")),
        f"gives queue {mine.number}, which carries {d.traffic.name}, {what}",
        f"queue {mine.number}: {what}",
    )


def trim(d: Diagnosis) -> Iterator[Fault]:
    """The queue of a lossless class trims packets instead of waiting."""
    found = _queues(d)
    if found is None or d.qos is None or d.port.device.system.trimming is False:
        return
    mine, profile, trimmed = found[0], found[0].buffer, d.qos.trimmed or frozenset()
    untrimmed: dict[str, object] = {"qos.trimmed": trimmed - {mine.number}}
    if profile is not None and profile.trims:
        places: tuple[Where, ...] = (profile.where("trims"), mine.where("buffer"))
        untrimmed = {f"qos.egress.queues[{mine.number}].buffer.trims": None}
    elif mine.number in trimmed:
        places = (d.qos.where("trimmed"),)
    else:
        return
    yield Fault(
        Stage.TRIMMED,
        places,
        f"sends PFC for {d.traffic.name}, but its queue {mine.number} trims packets when full",
        (profile.name if profile is not None else None) or f"queue {mine.number}",
        changes=needs(d.port, untrimmed),
    )


def _queues(d: Diagnosis) -> tuple[Queue, list[Queue]] | None:
    """The queue of a lossless class, and the queues that no no-drop priority stops; None where the
    class is not lossless or its queue is unknown.
    """
    policy, pfc, number = d.policy, d.pfc, d.out.queue
    maps = maps_of(d.port)
    if d.port.device.is_host or pfc is None or policy is None or maps is None or number is None:
        return None
    mine = policy.queue(number)
    if mine is None or not d.into.lossless:
        return None
    stops = maps.pfc_priority_to_queue
    lossless = {number, *(stops.get(priority) for priority in pfc.generate or ())}
    return mine, [
        queue
        for queue in policy.queues.values()
        if queue.kind is QueueKind.UNICAST and queue.number not in lossless
    ]


def _is_limited(device: Device, profile: BufferProfile) -> bool:
    """True where the queue is limited long before its pool is full."""
    pool = device.pools.get(profile.pool or "")
    size = pool.size_bytes if pool is not None else None
    if profile.static_limit_bytes is not None and size:
        return profile.static_limit_bytes < UNLIMITED_PART * size
    return profile.alpha is not None and profile.alpha < UNLIMITED_ALPHA
