"""Headroom of lossless groups against the link it is for."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import JudgedPort
from roce_lint.analysis.treatment import forwarding_of, group_buffer
from roce_lint.engine.api import (
    Diagnosis,
    Given,
    NoParams,
    Outcome,
    Problem,
    RoceClass,
    Severity,
    class_port_check,
    port_check,
)
from roce_lint.model.buffer import BufferPool
from roce_lint.model.qos import BufferProfile, PortQos


@port_check("buffers.headroom_of_another_link")
def headroom_of_another_link(port: JudgedPort, given: Given[NoParams]) -> Iterator[Outcome]:
    """A lossless group has the buffer profile that the device made for other ports."""
    analysis = given.analysis
    if port.device.is_host:
        return
    groups = {
        into.pg: into
        for traffic in analysis.data_classes
        if (into := analysis.treat(port, traffic.dscps[0]).ingress).lossless
    }
    for pg in groups:
        if pg is not None and port.interface.qos is not None:
            profile, place, _ = group_buffer(port.device, port.interface.qos, pg)
            odd = _odd(port, profile) if profile is not None else None
            if odd is not None:
                field, made, own, short = odd
                yield Problem(
                    f"{port} has {own}, and its group {pg} the headroom of a port with {made}",
                    "too little: packets in flight after a pause are dropped"
                    if short
                    else "more than it needs: the buffer is missing elsewhere",
                    [place, port.interface.where(field)],
                    port.device.hostname,
                    (port.interface.name,),
                    value=f"{made} for {own}",
                    severity=None if short else Severity.INFO,
                    about=port.interface.where(field),
                )


def _odd(port: JudgedPort, profile: BufferProfile) -> tuple[str, str, str, bool] | None:
    """What differs: the port's field, what the profile was made for, what the port has, and
    whether it has more of it.
    """
    speed, length = port.interface.speed_gbps, port.interface.cable_m
    made_speed, made_length = profile.made_for_gbps, profile.made_for_m
    if speed is not None and made_speed is not None and speed != made_speed:
        return "speed_gbps", f"{made_speed:g} Gb/s", f"{speed:g} Gb/s", speed > made_speed
    if length and made_length is not None and length != made_length:
        return (
            "cable_m",
            f"{made_length:g} m of cable",
            f"{length:g} m of cable",
            length > made_length,
        )
    return None


@class_port_check("buffers.headroom_not_reserved")
def headroom_not_reserved(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A lossless group may use more headroom than its profile reserves, and its pool has none."""
    into, qos = diagnosis.into, port.interface.qos
    if port.device.is_host:
        return
    if qos is None or into.pg is None or not into.lossless:
        return
    profile, place, _ = group_buffer(port.device, qos, into.pg)
    pool = port.device.pools.get(profile.pool or "") if profile is not None else None
    if profile is None or pool is None or profile.computed or _shares(port, pool):
        return
    room, own = profile.xoff_bytes, profile.reserved_bytes
    if not room or own is None or own >= room:
        return
    yield Problem(
        f"{port}: profile {profile.name} of group {into.pg} has a headroom of {room} "
        f"bytes, it reserves {own}, and pool {pool.name} shares no headroom",
        "what arrives after a pause has no buffer of its own: it is dropped when the pool is full",
        [
            profile.where("reserved_bytes"),
            profile.where("xoff_bytes"),
            profile.where("pool"),
            pool.where("headroom_bytes"),
            place,
        ],
        port.device.hostname,
        (port.interface.name,),
        value=f"{profile.name}: {room}/{own}",
        traffic=traffic.name,
    )


def _shares(port: JudgedPort, pool: BufferPool) -> bool:
    """True where lossless groups of the pool share a headroom pool."""
    rules = port.device.system.headroom_rules
    shared = rules is not None and bool(rules.oversubscription)
    return shared or bool(pool.headroom_bytes or pool.headroom_cells)


@class_port_check("buffers.receive_buffer_too_small")
def nic_receive_buffer_too_small(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The receive buffer of a lossless class is no larger than what is in flight after a pause."""
    into = diagnosis.into
    qos = port.interface.qos
    if not port.device.is_host or qos is None or into.pg is None or not into.lossless:
        return
    profile, _, _ = group_buffer(port.device, qos, into.pg)
    size = profile.reserved_bytes if profile is not None else None
    room = profile.in_flight_bytes if profile is not None else None
    if profile is None or size is None or room is None or size > room:
        return
    places = [profile.where("reserved_bytes")]
    if into.pg_where is not None:
        places.insert(0 if _misplaced(port, qos, into.pg, room) else 1, into.pg_where)
    yield Problem(
        f"{port} receives {traffic.name} into buffer {into.pg} of {size} bytes, "
        f"and {room} bytes may arrive after a pause",
        "pause comes too late, whenever it is sent: packets are dropped in the NIC",
        [*places, profile.where("in_flight_bytes")],
        port.device.hostname,
        (port.interface.name,),
        value=f"{size}/{room}",
        traffic=traffic.name,
    )


def _misplaced(port: JudgedPort, qos: PortQos, pg: int, room: int) -> bool:
    """True where the size is right for what else is kept in the buffer, and the lossless class
    does not belong there: most priorities that are not paused are in it, or no other is and a
    buffer with the room is free.
    """
    maps = forwarding_of(port.device, qos)
    buffers = port.device.qos.ingress_buffers.get(qos.ingress_buffer or "")
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
