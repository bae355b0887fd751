"""Partitions of the shared buffer, and buffers that a lossless class shares with lossy traffic."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    Device,
    Diagnosis,
    Fault,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    Unknown,
    device_check,
    stage_check,
)
from roce_lint.model.buffer import BufferPool, Direction, PoolUse
from roce_lint.text.numbers import count

FULL = 100.0

_NEEDED = {
    PoolUse.LOSSLESS: "lossless classes have no share of the shared buffer: beyond the reserved "
    "buffer of the port they are dropped",
    PoolUse.HEADROOM: "in-flight packets after a pause find no headroom and are dropped",
}
"""Partitions that PFC depends on, and the consequence of a missing one."""


@device_check("buffers.partition_empty")
def empty_buffer_partition(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Ports that send PFC on a device whose shared buffer has no partition for it."""
    ports = _ports_that_pause(given.analysis, device)
    if not ports:
        return
    for pool in device.pools.values():
        if pool.share_percent == 0 and pool.use in _NEEDED:
            stated = pool.stated("share_percent")
            yield Problem(
                f"{device.hostname} sends PFC on {count(len(ports), 'port')}, but its buffer "
                f"partition {pool.name} " + ("is 0 %" if stated else "does not exist"),
                _NEEDED[pool.use],
                [pool.where("share_percent")],
                device.hostname,
                ports,
                value=f"{pool.name}: " + ("0 %" if stated else "absent"),
                severity=None if stated else Severity.WARNING,
            )


def _ports_that_pause(analysis: Analysis, device: Device) -> tuple[str, ...]:
    """Names of the judged ports that send PFC."""
    found = []
    for port in analysis.ports_of(device):
        qos = port.interface.qos
        if qos is not None and qos.pfc is not None and qos.pfc.generate:
            found.append(port.interface.name)
    return tuple(found)


@device_check("buffers.partitions_not_whole")
def buffer_partitions_not_100_percent(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Buffer partitions that add up to more than 100 %, or to less where all are required."""
    judged = tuple(port.interface.name for port in given.analysis.ports_of(device))
    for direction in (Direction.INGRESS, Direction.EGRESS):
        pools = [
            pool
            for pool in device.pools.values()
            if pool.direction is direction and pool.share_percent is not None
        ]
        total = sum(pool.share_percent or 0 for pool in pools)
        if judged and total < FULL:
            yield from _unstated(device, direction, pools, judged)
        if judged and (total > FULL or (total < FULL and _divides_all(device, direction, pools))):
            last = max(pools, key=lambda pool: pool.at.get("share_percent", 0))
            others = [pool.where("share_percent") for pool in pools if pool is not last]
            yield Problem(
                f"{device.hostname}: the {direction.value} buffer partitions add up to "
                f"{total:g} %, not 100 %",
                "the device rejects the configuration, or divides the buffer in its own way",
                [last.where("share_percent"), *others],
                device.hostname,
                judged,
                value=f"{direction.value}: {total:g} %",
                several=True,
            )


def _unstated(
    device: Device, direction: Direction, pools: list[BufferPool], judged: tuple[str, ...]
) -> Iterator[Outcome]:
    """Partitions without a configured share on a platform that requires a sum of 100 %."""
    whole = device.limits.whole_partitions
    lacking = (whole or frozenset()) - {pool.use for pool in pools}
    if not pools or not lacking or direction is not Direction.INGRESS:
        return
    named = [p for p in device.pools.values() if p.direction is direction and p.use in lacking]
    missing = "the shares of buffer partitions without a configured share"
    yield Unknown(missing, [p.where() for p in named or pools], device.hostname, judged)


def _divides_all(device: Device, direction: Direction, pools: list[BufferPool]) -> bool:
    """Whether all partitions are stated and the platform requires a sum of 100 %."""
    whole = device.limits.whole_partitions
    if whole is None or direction is not Direction.INGRESS:
        return False
    return whole <= {pool.use for pool in pools}


@stage_check("buffers.egress_drops_lossless", Stage.LIMIT)
def lossless_queue_with_lossy_limit(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless class whose egress queue has no buffer limit, or that of a lossy queue."""
    return "packets of the lossless class may be dropped at egress: a full queue sends no PFC"


@stage_check("buffers.receive_buffer_shared", Stage.SHARED)
def nic_receive_buffer_shared(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossy priority that shares the NIC receive buffer of a lossless class."""
    return "lossy traffic fills the buffer: RoCE is paused for it, and dropped when it is full"


@stage_check("buffers.lossless_queue_trims", Stage.TRIMMED)
def trimming_on_lossless_queue(diagnosis: Diagnosis, broken: Fault) -> str:
    """A lossless class whose egress queue trims packets."""
    return "a trimmed packet loses its payload: the class is lossless at ingress, lossy at egress"
