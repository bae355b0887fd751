"""How the shared buffer is divided: parts that RoCE needs, and what they add up to."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    Device,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    device_check,
)
from roce_lint.model.buffer import BufferPool, Direction, PoolUse
from roce_lint.text.numbers import count

FULL = 100.0

_NEEDED = {
    PoolUse.LOSSLESS: "a lossless class finds no room in the shared buffer: it lives on what is "
    "reserved for the port, and is dropped beyond",
    PoolUse.HEADROOM: "packets that arrive after the pause was sent find no headroom and are "
    "dropped",
}
"""Parts without which pausing does not help, and what becomes of RoCE then."""


@device_check("buffers.partition_empty")
def empty_buffer_partition(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """Ports pause a class, and nothing of the shared buffer is set aside for it."""
    ports = _ports_that_pause(given.analysis, device)
    if not ports:
        return
    for pool in device.pools.values():
        if pool.share_percent == 0 and pool.use in _NEEDED:
            stated = pool.stated("share_percent")
            yield Problem(
                f"{device.hostname} pauses a class on {count(len(ports), 'port')}, and the part "
                f"{pool.name} of its shared buffer is " + ("0 %" if stated else "not there"),
                _NEEDED[pool.use],
                [pool.where("share_percent")],
                device.hostname,
                ports,
                value=f"{pool.name}: " + ("0 %" if stated else "absent"),
                severity=None if stated else Severity.WARNING,
            )


def _ports_that_pause(analysis: Analysis, device: Device) -> tuple[str, ...]:
    """Judged ports that send pause."""
    found = []
    for port in analysis.ports_of(device):
        qos = port.interface.qos
        if qos is not None and qos.pfc is not None and qos.pfc.generate:
            found.append(port.interface.name)
    return tuple(found)


@device_check("buffers.partitions_not_whole")
def buffer_partitions_not_whole(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """The shares of the parts of the buffer add up to more than there is, or not to all of it."""
    judged = tuple(port.interface.name for port in given.analysis.ports_of(device))
    for direction in (Direction.INGRESS, Direction.EGRESS):
        pools = [
            pool
            for pool in device.pools.values()
            if pool.direction is direction and pool.share_percent is not None
        ]
        total = sum(pool.share_percent or 0 for pool in pools)
        if judged and total < FULL:
            yield from _untold(device, direction, pools, judged)
        if judged and (total > FULL or (total < FULL and _divides_all(device, direction, pools))):
            last = max(pools, key=lambda pool: pool.at.get("share_percent", 0))
            others = [pool.where("share_percent") for pool in pools if pool is not last]
            yield Problem(
                f"{device.hostname}: the parts of its {direction.value} buffer add up to "
                f"{total:g} %, not to 100 %",
                "the device refuses the configuration, or divides the buffer in its own way",
                [last.where("share_percent"), *others],
                device.hostname,
                judged,
                value=f"{direction.value}: {total:g} %",
                several=True,
            )


def _untold(
    device: Device, direction: Direction, pools: list[BufferPool], judged: tuple[str, ...]
) -> Iterator[Outcome]:
    """Parts that have to make the buffer whole, of which some are stated and some are not."""
    whole = device.limits.whole_partitions
    untold = (whole or frozenset()) - {pool.use for pool in pools}
    if not pools or not untold or direction is not Direction.INGRESS:
        return
    named = [p for p in device.pools.values() if p.direction is direction and p.use in untold]
    missing = "the size of the parts of the buffer that state none"
    yield Unknown(missing, [p.where() for p in named or pools], device.hostname, judged)


def _divides_all(device: Device, direction: Direction, pools: list[BufferPool]) -> bool:
    """True where every part is stated, and the platform wants them to be all of the buffer."""
    whole = device.limits.whole_partitions
    if whole is None or direction is not Direction.INGRESS:
        return False
    return whole <= {pool.use for pool in pools}
