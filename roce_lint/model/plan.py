"""Design of the site: traffic classes and limits, from an intent or a profile."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import Role
from roce_lint.model.nic import Flow
from roce_lint.model.sourced import Sourced


@dataclass(slots=True, kw_only=True)
class PlannedClass(Sourced):
    """One planned traffic class. `lossless` and `marked` are None when left open."""

    name: str
    flow: Flow
    dscps: tuple[int, ...]
    pfc_priority: int | None = None
    lossless: bool | None = None
    marked: bool | None = None


@dataclass(slots=True, kw_only=True)
class MarkingPolicy(Sourced):
    """ECN thresholds, published or planned: bytes at a link speed (None: any speed)."""

    speed_gbps: float | None = None
    kmin_bytes: int | None = None
    kmax_bytes: int | None = None
    pmax_percent: float | None = None


@dataclass(slots=True, kw_only=True)
class RocePlan(Sourced):
    """The planned RoCE design; empty if the site defines nothing."""

    name: str = ""
    classes: tuple[PlannedClass, ...] = ()
    required_packet: int | None = None  # bytes, the largest IP packet of RoCE traffic
    marking: tuple[MarkingPolicy, ...] = field(default=())
    max_lossless: int | None = None
    oversubscription: dict[Role, float] = field(default_factory=dict)
    """Permitted ratio of downlink to uplink capacity, by role of the switch."""
    lossless_unmarked: bool | None = None  # DSCP 0 in the lossless class is intended
    nics: dict[str, dict[str, str]] = field(default_factory=dict)
    """RDMA devices that carry RoCE, by host and port."""
