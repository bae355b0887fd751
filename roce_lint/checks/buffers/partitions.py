"""Partitions of the shared buffer, and buffers that a lossless class shares with lossy traffic."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.diagnosis import Diagnosis, Fault
from roce_lint.analysis.port_parts import FULL, pfc_of
from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Device, Given, Outcome, Problem, Unknown, device_check, stage_check
from roce_lint.engine.finding import Severity
from roce_lint.model.buffer import Direction, PoolUse
from roce_lint.text.numbers import count

_NEEDED = {
    PoolUse.LOSSLESS: "lossless classes have no share of the shared buffer: beyond the reserved "
    "buffer of the port they are dropped",
    PoolUse.HEADROOM: "in-flight packets after a pause find no headroom and are dropped",
}
"""Partitions that PFC depends on, and the consequence of a missing one."""


@device_check("buffers.partition_empty")
def empty_buffer_partition(device: Device, given: Given) -> Iterator[Outcome]:
    """Ports that send PFC on a device whose shared buffer has no partition for it."""
    judged = given.analysis.ports_of(device)
    ports = tuple(p.interface.name for p in judged if (pfc := pfc_of(p)) and pfc.generate)
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
                subjects=ports,
                value=f"{pool.name}: " + ("0 %" if stated else "absent"),
                severity=None if stated else Severity.WARNING,
            )


@device_check("buffers.partitions_not_whole")
def buffer_partitions_not_100_percent(device: Device, given: Given) -> Iterator[Outcome]:
    """Buffer partitions that add up to more than 100 %, or to less where all are required."""
    judged = tuple(port.interface.name for port in given.analysis.ports_of(device))
    for direction in (Direction.INGRESS, Direction.EGRESS):
        pools = [
            pool
            for pool in device.pools.values()
            if pool.direction is direction and pool.share_percent is not None
        ]
        total = sum(pool.share_percent or 0 for pool in pools)
        # Platforms that require a sum of 100 % require it of these partitions.
        whole = device.limits.whole_partitions if direction is Direction.INGRESS else None
        lacking = (whole or frozenset()) - {pool.use for pool in pools}
        if judged and total < FULL and pools and lacking:
            every = device.pools.values()
            named = [p for p in every if p.direction is direction and p.use in lacking]
            missing = "the shares of buffer partitions without a configured share"
            yield Unknown(missing, [p.where() for p in named or pools], subjects=judged)
        if judged and (total > FULL or (total < FULL and whole is not None and not lacking)):
            last = max(pools, key=lambda pool: pool.at.get("share_percent", 0))
            others = [pool.where("share_percent") for pool in pools if pool is not last]
            yield Problem(
                f"{device.hostname}: the {direction.value} buffer partitions add up to "
                f"{total:g} %, not 100 %",
                "the device rejects the configuration, or divides the buffer in its own way",
                [last.where("share_percent"), *others],
                subjects=judged,
                value=f"{direction.value}: {total:g} %",
                several=True,
            )


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
