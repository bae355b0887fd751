"""Whether a class that is paused has room for what is still in flight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roce_lint.analysis.diagnosis.faults import Fault, Lack
from roce_lint.analysis.diagnosis.subject import Diagnosis
from roce_lint.analysis.headroom import is_outside_table, is_too_slow_for_table
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import forwarding_of, group_buffer
from roce_lint.model.buffer import BufferPool, BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.qos import HeadroomModel, PortQos
from roce_lint.model.units import ranges, spell_size
from roce_lint.text.source import Where

NOT_WRITTEN = (
    "the lossless buffer rows, which the device writes when it loads the file "
    "(pg_profile_lookup.ini of its model tells)"
)


def buffer(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port pauses the class, and its priority group has no lossless buffer."""
    into, qos, device = d.into, d.qos, d.port.device
    system = device.system
    if device.is_host or qos is None or not into.lossless:
        return
    if system.headroom is HeadroomModel.PLATFORM:
        return  # the platform gives every lossless class its headroom
    if into.pg is None:
        missing = "the priority group of the class"
        yield Lack(Stage.BUFFER, missing, (d.port.interface.where(),))
        return
    profile, place, missing = group_buffer(device, qos, into.pg)
    if missing:
        yield Lack(Stage.BUFFER, missing, (place,))
        return
    explicit = system.headroom is HeadroomModel.STATIC
    if profile is None and (not explicit or not system.headroom_in_file):
        return  # computed on the device, or rendered elsewhere: nothing to judge
    to_be_written = not is_outside_table(d.port) or is_too_slow_for_table(d.port)
    if profile is None and system.headroom_written is False and to_be_written:
        if not device.headroom_table:
            yield Lack(Stage.BUFFER, NOT_WRITTEN, (place,))
        return  # the row is in the table: it will be written; or the port is not made for it
    if profile is None or profile.lossless is False:
        # A device that has not yet loaded the file writes rows of its own when it does.
        remade = explicit and system.headroom_written is False and bool(device.headroom_table)
        found = _without_buffer(d, into.pg, profile, place)
        yield replace(found, demanded=not (remade and to_be_written))


def _without_buffer(d: Diagnosis, group: int, profile: BufferProfile | None, place: Where) -> Fault:
    into, name = d.into, profile.name if profile is not None else None
    what = (
        "no buffer profile" if name is None else f"buffer profile {name}, which gives no headroom"
    )
    evidence = [w for w in (into.pg_where, into.lossless_where) if w is not None]
    # What a line of the profile makes lossy is put right there, whoever has the profile.
    size = [profile.where("lossless")] if profile is not None and profile.stated("lossless") else []
    lacks = place if profile is None else profile.where("xoff_bytes")
    return Fault(
        Stage.BUFFER,
        (*size, place, *evidence),
        f"pauses {d.traffic.name}, and its priority group {group} has {what}",
        f"pg {group}: {name or 'none'}",
        rests_on=(place, *into.group.doubts, *into.protected.doubts),
        lacks=(lacks,),
    )


def _profile(d: Diagnosis, *, host: bool) -> tuple[int, BufferProfile, Where] | None:
    """The group of the class where it is paused, its buffer, and who gives it that."""
    into, qos = d.into, d.qos
    if d.port.device.is_host is not host or qos is None or into.pg is None or not into.lossless:
        return None
    profile, place, _ = group_buffer(d.port.device, qos, into.pg)
    return None if profile is None else (into.pg, profile, place)


def room(d: Diagnosis) -> Iterator[Fault]:
    """A lossless buffer is stated, and nothing of it is left when pause is sent."""
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
            f"pauses {d.traffic.name} when its buffer{size} is full: nothing is left for what is "
            "still in flight",
            f"{profile.reserved_bytes}:{profile.xoff_bytes}",
        )


def reserve(d: Diagnosis) -> Iterator[Fault]:
    """The group may use more headroom than its profile reserves and its pool shares."""
    found = _profile(d, host=False)
    if found is None:
        return
    group, profile, place = found
    pool = d.port.device.pools.get(profile.pool or "")
    if pool is None or profile.computed or _computes_pool(d.port.device, pool):
        return
    if pool.size_bytes is None and not pool.stated("headroom_bytes"):
        return  # the rest of the pool stands elsewhere, and its headroom may stand there too
    xoff, own, shared = profile.xoff_bytes, profile.reserved_bytes, pool.headroom_bytes or 0
    if not xoff or own is None or own + shared >= xoff:
        return
    common = f"shares {spell_size(shared)} among all groups" if shared else "shares no headroom"
    places = [profile.where(field) for field in ("reserved_bytes", "xoff_bytes", "pool")]
    places.insert(0 if shared else len(places), pool.where("headroom_bytes"))
    yield Fault(
        Stage.RESERVED,
        (*places, place),
        f"has a headroom of {spell_size(xoff)} in profile {profile.name} of group {group}, which "
        f"reserves {spell_size(own)}, and pool {pool.name} {common}",
        f"{profile.name}: {xoff}/{own + shared}",
        lacks=(pool.where("headroom_bytes"),),
    )


def _computes_pool(device: Device, pool: BufferPool) -> bool:
    """True where lossless groups of the pool share headroom whose size is not known in bytes."""
    rules = device.system.headroom_rules
    computed = rules is not None and bool(rules.oversubscription)
    return computed or bool(pool.headroom_cells)


def receive(d: Diagnosis) -> Iterator[Fault]:
    """The receive buffer of a NIC is no larger than what is in flight after a pause."""
    found = _profile(d, host=True)
    if found is None or d.qos is None:
        return
    group, profile, _ = found
    size, flying = profile.reserved_bytes, profile.in_flight_bytes
    if size is None or flying is None or size > flying:
        return
    places = [profile.where("reserved_bytes")]
    if d.into.pg_where is not None:
        places.insert(0 if _fits_rest_of_buffer(d, d.qos, group, flying) else 1, d.into.pg_where)
    yield Fault(
        Stage.RECEIVE,
        (*places, profile.where("in_flight_bytes")),
        f"receives {d.traffic.name} into buffer {group} of {spell_size(size)}, "
        f"and {spell_size(flying)} may arrive after a pause",
        f"{size}/{flying}",
    )


def _fits_rest_of_buffer(d: Diagnosis, qos: PortQos, pg: int, room: int) -> bool:
    """True where the size is right for what else is kept in the buffer, and the lossless class
    does not belong there: most priorities that are not paused are in it, or no other is and a
    buffer with the room is free.
    """
    maps = forwarding_of(d.port.device, qos)
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
    """A NIC keeps a priority that it does not pause in the receive buffer of the class."""
    into = d.into
    maps = forwarding_of(d.port.device, d.qos) if d.qos is not None else None
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
            f"keeps priority {ranges(lossy)}, which it does not pause, in receive "
            f"buffer {into.pg} of {d.traffic.name}",
            f"{ranges(lossy)}:{into.pg}",
            about=into.pg_where,
        )
