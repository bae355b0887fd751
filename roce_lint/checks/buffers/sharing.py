"""Who shares a buffer with a lossless class: at the egress of a switch, in a NIC's receive side."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import egress_of, forwarding_of
from roce_lint.engine.api import (
    Diagnosis,
    Given,
    NoParams,
    Outcome,
    Problem,
    Stage,
    class_port_check,
)
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.qos import Queue, QueueKind
from roce_lint.model.units import ranges

UNLIMITED_ALPHA = 16.0
"""From this factor of the free pool on, a queue may take nearly all of it (16 of 17 parts)."""

UNLIMITED_PART = 0.5
"""From this part of its pool on, a static limit is none that a lossless class meets: published
configurations have all of the pool, or half of it."""


@class_port_check("buffers.egress_drops_lossless")
def lossless_queue_with_lossy_limit(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The egress queue of a lossless class has no buffer limit, or that of unmarked traffic."""
    analysis = given.analysis
    if port.device.is_host:
        return
    found = _queues(analysis, traffic, port)
    if found is None:
        return
    mine, others = found
    beside = next((queue for queue in others if queue.buffer is not None), None)
    alike = next((queue for queue in others if queue.buffer is mine.buffer), None)
    if beside is None:
        return
    if mine.buffer is None:
        what, evidence = "no buffer profile", beside
    elif alike is not None and _limited(port, mine.buffer):
        what, evidence = f"{_name(mine)}, that of lossy queue {alike.number}", alike
    else:
        return
    yield Problem(
        f"{port} gives queue {mine.number}, which {traffic.name} uses, {what}",
        "packets of the lossless class may be dropped on their way out: no pause is sent "
        "for a queue that is full",
        [mine.where("buffer"), evidence.where("buffer")],
        port.device.hostname,
        (port.interface.name,),
        value=f"queue {mine.number}: {what}",
        traffic=traffic.name,
        stage=Stage.LIMIT,
    )


def _queues(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort
) -> tuple[Queue, list[Queue]] | None:
    """The queue of a class that the port pauses, and the queues that no paused priority stops;
    None where the class is not lossless or its queue is not known.
    """
    qos = port.interface.qos
    treated = analysis.treat(port, traffic.dscps[0])
    policy = egress_of(port.device, qos) if qos is not None else None
    maps = forwarding_of(port.device, qos) if qos is not None else None
    number = treated.egress.queue
    if qos is None or qos.pfc is None or policy is None or maps is None or number is None:
        return None
    mine = policy.queue(number)
    if mine is None or not treated.ingress.lossless:
        return None
    stops = maps.pfc_priority_to_queue
    lossless = {number, *(stops.get(priority) for priority in qos.pfc.generate or ())}
    return mine, [
        queue
        for queue in policy.queues.values()
        if queue.kind is QueueKind.UNICAST and queue.number not in lossless
    ]


def _limited(port: JudgedPort, profile: BufferProfile | None) -> bool:
    """True where the queue is stopped long before its pool is full."""
    if profile is None:
        return False
    pool = port.device.pools.get(profile.pool or "")
    size = pool.size_bytes if pool is not None else None
    if profile.static_limit_bytes is not None and size:
        return profile.static_limit_bytes < UNLIMITED_PART * size
    return profile.alpha is not None and profile.alpha < UNLIMITED_ALPHA


def _name(queue: Queue) -> str:
    name = queue.buffer.name if queue.buffer is not None else None
    return f"buffer profile {name}"


@class_port_check("buffers.receive_buffer_shared")
def nic_receive_buffer_shared(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A priority that is not paused is kept in the receive buffer of a lossless class."""
    qos, into = port.interface.qos, diagnosis.into
    maps = forwarding_of(port.device, qos) if qos is not None else None
    paused = qos.pfc.generate if qos is not None and qos.pfc is not None else None
    if not port.device.is_host or maps is None or not paused:
        return
    if not into.lossless or into.pg is None:
        return
    table = maps.tc_to_pg
    others = [tc for tc, pg in sorted(table.entries.items()) if pg == into.pg]
    lossy = [tc for tc in others if maps.tc_to_pfc_priority.get(tc) not in paused]
    if not lossy or not table.stated(lossy[0]):
        return
    yield Problem(
        f"{port} keeps priority {ranges(lossy)}, which it does not pause, in receive "
        f"buffer {into.pg} of {traffic.name}",
        "traffic that nobody can pause fills the buffer: RoCE is paused for it, and "
        "dropped when it is full",
        [*(table.where(tc) for tc in lossy), *into.tc_where[:1]],
        port.device.hostname,
        (port.interface.name,),
        value=f"{ranges(lossy)}:{into.pg}",
        traffic=traffic.name,
        about=into.pg_where,
    )


@class_port_check("buffers.lossless_queue_trims")
def trimming_on_lossless_queue(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """The queue of a class that is paused cuts packets down instead of waiting."""
    found = None if port.device.is_host else _queues(given.analysis, traffic, port)
    buffer = found[0].buffer if found is not None else None
    qos = port.interface.qos
    if found is None or qos is None or port.device.system.trimming is False:
        return
    if buffer is not None and buffer.trims:
        places = [buffer.where("trims"), found[0].where("buffer")]
    elif found[0].number in (qos.trimmed or ()):
        places = [qos.where("trimmed")]
    else:
        return
    yield Problem(
        f"{port} pauses {traffic.name}, and its queue {found[0].number} trims packets that "
        "find no room",
        "a trimmed packet has lost its payload: the class is lossless at the way in and "
        "lossy at the way out",
        places,
        value=(buffer.name if buffer is not None else None) or f"queue {found[0].number}",
        traffic=traffic.name,
    )
