"""Packet buffers: pools, profiles, and the buffers of ingress priority groups."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.sourced import Sourced


class Direction(enum.Enum):
    """Side of the switch that a buffer pool accounts for."""

    INGRESS = "ingress"
    EGRESS = "egress"
    BOTH = "both"


class PoolMode(enum.Enum):
    """Form of the thresholds in a pool."""

    STATIC = "static"  # bytes
    DYNAMIC = "dynamic"  # alpha times the free pool


class PoolUse(enum.Enum):
    """Traffic that a part of the shared buffer is reserved for."""

    LOSSLESS = "lossless"
    HEADROOM = "headroom"  # packets that arrive after a PFC frame was sent
    LOSSY = "lossy"
    MULTICAST = "multicast"


@dataclass(slots=True, kw_only=True)
class BufferPool(Sourced):
    """A shared buffer pool; sizes in bytes. `headroom_bytes` is the shared headroom pool inside."""

    name: str
    direction: Direction | None = None
    mode: PoolMode | None = None
    size_bytes: int | None = None
    use: PoolUse | None = None
    headroom_bytes: int | None = None
    headroom_cells: int | None = None  # stated in cells of the ASIC
    share_percent: float | None = None  # of the whole buffer, if stated in percent


@dataclass(slots=True, kw_only=True)
class BufferProfile(Sourced):
    """Buffer limits of a priority group or queue; sizes in bytes.

    `xoff_bytes` is the headroom for packets in flight after a PFC frame was sent, `xon_bytes` the
    level at which traffic resumes. `alpha` is the dynamic threshold as a factor of the free pool.
    """

    name: str | None = None
    pool: str | None = None
    lossless: bool | None = None
    reserved_bytes: int | None = None
    alpha: float | None = None
    static_limit_bytes: int | None = None
    xoff_bytes: int | None = None
    xon_bytes: int | None = None
    in_flight_bytes: int | None = None  # headroom the device reserves inside the profile
    made_for_gbps: float | None = None  # speed and cable length of the ports the device made it for
    made_for_m: float | None = None
    trims: bool | None = None  # trims packets that exceed it, instead of dropping them
    computed: bool = False  # the device computes the sizes; the file need not hold them


@dataclass(slots=True, kw_only=True)
class IngressBuffer(Sourced):
    """Buffer of the ingress priority groups of a port: group number -> profile.

    `at[n]` is the line that gives group n its profile.
    """

    name: str | None = None
    groups: dict[int, BufferProfile] = field(default_factory=dict)
    complete: bool = True  # False: groups not listed may get buffer elsewhere


@dataclass(slots=True, kw_only=True)
class HeadroomRules(Sourced):
    """Headroom settings of a device that computes headroom itself, for all of its ports."""

    alpha: float | None = None  # of profiles the device makes
    oversubscription: float | None = None  # of the shared headroom pool; 0: no such pool
