"""Packet buffers: pools, profiles, and what an ingress priority group is given."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from roce_lint.model.sourced import Sourced


class Direction(enum.Enum):
    """Side of the switch a buffer pool accounts for."""

    INGRESS = "ingress"
    EGRESS = "egress"
    BOTH = "both"


class PoolMode(enum.Enum):
    """How thresholds in a pool are given."""

    STATIC = "static"  # bytes
    DYNAMIC = "dynamic"  # alpha times the free pool


class PoolUse(enum.Enum):
    """Traffic that a part of the shared buffer is set aside for."""

    LOSSLESS = "lossless"
    HEADROOM = "headroom"  # what arrives after a pause was sent
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
    share_percent: float | None = None  # of the whole buffer, where stated so


@dataclass(slots=True, kw_only=True)
class BufferProfile(Sourced):
    """How much buffer a priority group or queue may use; sizes in bytes.

    `xoff_bytes` is the headroom for packets in flight after pause was sent, `xon_bytes` the level
    at which traffic resumes. `alpha` is the dynamic threshold as a factor of the free pool.
    """

    name: str | None = None
    pool: str | None = None
    lossless: bool | None = None
    reserved_bytes: int | None = None
    alpha: float | None = None
    static_limit_bytes: int | None = None
    xoff_bytes: int | None = None
    xon_bytes: int | None = None
    in_flight_bytes: int | None = None  # what the device sets aside in it for after a pause
    made_for_gbps: float | None = None  # speed and cable length of the ports the device made it for
    made_for_m: float | None = None
    trims: bool | None = None  # cuts packets down that find no room, instead of dropping them
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
    """What a device that computes headroom by itself does for all of its ports."""

    alpha: float | None = None  # of profiles the device makes
    oversubscription: float | None = None  # of the shared headroom pool; 0: no such pool
