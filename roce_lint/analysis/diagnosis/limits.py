"""Whether the egress queue of a lossless class may keep what waits in it."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis.faults import Fault
from roce_lint.analysis.diagnosis.subject import Diagnosis
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.device import Device
from roce_lint.model.qos import Queue, QueueKind
from roce_lint.text.source import Where

UNLIMITED_ALPHA = 16.0
"""From this factor of the free pool on, a queue may take nearly all of it (16 of 17 parts)."""

UNLIMITED_PART = 0.5
"""From this part of its pool on, a static limit is none that a lossless class meets: published
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
        f"gives queue {mine.number}, which {d.traffic.name} uses, {what}",
        f"queue {mine.number}: {what}",
    )


def trim(d: Diagnosis) -> Iterator[Fault]:
    """The queue of a class that is paused cuts packets down instead of waiting."""
    found = _queues(d)
    if found is None or d.qos is None or d.port.device.system.trimming is False:
        return
    mine, profile = found[0], found[0].buffer
    if profile is not None and profile.trims:
        places: tuple[Where, ...] = (profile.where("trims"), mine.where("buffer"))
    elif mine.number in (d.qos.trimmed or ()):
        places = (d.qos.where("trimmed"),)
    else:
        return
    yield Fault(
        Stage.TRIMMED,
        places,
        f"pauses {d.traffic.name}, and its queue {mine.number} trims packets that find no room",
        (profile.name if profile is not None else None) or f"queue {mine.number}",
    )


def _queues(d: Diagnosis) -> tuple[Queue, list[Queue]] | None:
    """The queue of a class that the port pauses, and the queues that no paused priority stops;
    None where the class is not lossless or its queue is not known.
    """
    policy, pfc, number = d.policy, d.pfc, d.out.queue
    maps = forwarding_of(d.port.device, d.qos) if d.qos is not None else None
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


def _is_limited(device: Device, profile: BufferProfile | None) -> bool:
    """True where the queue is stopped long before its pool is full."""
    if profile is None:
        return False
    pool = device.pools.get(profile.pool or "")
    size = pool.size_bytes if pool is not None else None
    if profile.static_limit_bytes is not None and size:
        return profile.static_limit_bytes < UNLIMITED_PART * size
    return profile.alpha is not None and profile.alpha < UNLIMITED_ALPHA
