"""The intent of a fabric as it is written: what rules judge by, and what a design needs."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from roce_lint.catalog.plan_schema import ClassSchema, MarkingSchema, PlanSchema, Strict
from roce_lint.intent.fabric import (
    AddressingSchema,
    FabricSchema,
    HostName,
    HostSchema,
    Metres,
    Override,
    Speed,
    none_yet,
)

Percent = Annotated[float, Field(gt=0, le=100)]
Milliseconds = Annotated[float, Field(gt=0, le=600_000)]
Bytes = Annotated[int, Field(ge=0, le=1 << 40)]


class IntentClass(ClassSchema):
    """One traffic class, and how it is served."""

    pcp: int | None = Field(default=None, ge=0, le=7)
    """The 802.1p priority of tagged packets of it, where it has no DSCP. Same as pfc_priority where
    both are given."""

    share_percent: Percent | None = None
    """What it gets of a link that is full, of what strict classes leave."""

    strict: bool | None = None
    """True: it is served before all classes that have a share."""

    cap_percent: Percent | None = None
    """What it gets of a link at most; for strict classes, so that they starve nobody."""

    applications: none_yet("files for hosts") = None  # type: ignore[valid-type]
    """Who sends it. Refused until files for hosts are made."""

    @model_validator(mode="after")
    def _check_service(self) -> Self:
        if self.strict and self.share_percent is not None:
            raise ValueError("is strict and has a share_percent: one of them")
        both = (self.pcp, self.pfc_priority)
        if None not in both and self.pcp != self.pfc_priority:
            raise ValueError(f"has pcp {both[0]} and pfc_priority {both[1]}: one priority")
        return self


class IntentMarking(MarkingSchema):
    """Marking thresholds; systems that state them in percent of a queue take those."""

    kmin_percent: Percent | None = None
    """Fill of the queue in percent from which packets are marked, for systems without bytes."""

    kmax_percent: Percent | None = None
    """Fill of the queue in percent at which the marking probability ends."""


class BufferSchema(Strict):
    """What a lossless class is given at ingress, by speed and length of cable."""

    speed_gbps: Speed | None = None
    """Speed of the port in Gb/s. Left out: any."""

    cable_m: Metres | None = None
    """Longest cable in metres that it is enough for. Left out: any."""

    reserved_bytes: Bytes = 0
    """Bytes reserved for the priority group."""

    xoff_bytes: Bytes
    """Headroom in bytes: what still arrives after a pause was sent."""

    xon_bytes: Bytes | None = None
    """Level in bytes at which traffic resumes."""

    alpha: float | None = Field(default=None, gt=0, le=128)
    """Share of the free pool that the group may take, as a factor."""


class WatchdogTimes(Strict):
    """What a PFC watchdog is told; times in milliseconds."""

    polling_ms: Milliseconds | None = None
    """Time between two looks."""

    detection_ms: Milliseconds | None = None
    """Time after which a paused queue counts as stuck."""

    restoration_ms: Milliseconds | None = None
    """Time after which a stuck queue is restored."""

    action: Literal["drop", "forward", "alert", "errdisable"] | None = None
    """What is done with a stuck queue."""


class WatchdogSchema(WatchdogTimes):
    """The PFC watchdog of all ports; times in milliseconds."""

    systems: dict[str, WatchdogTimes] = Field(default_factory=dict)
    """What is told instead on switches with one operating system, by its name."""


class BalancingSchema(Strict):
    """How switches spread traffic over equal-cost paths."""

    l4_ports: bool | None = None
    """True: UDP ports take part in the hash."""

    max_paths: int | None = Field(default=None, ge=1, le=1024)
    """Equal-cost paths that are used at once."""


def _refuse_to_compute(value: str) -> str:
    if value == "computed":
        raise ValueError("cannot be computed yet: give marking, or the name of a profile")
    return value


class ThresholdsSchema(Strict):
    """Where marking thresholds come from, where `marking` does not give them."""

    profile: Annotated[str, AfterValidator(_refuse_to_compute)]
    """The profile whose thresholds are taken."""


class IntentSchema(PlanSchema):
    """The intent of a RoCE fabric: what, not how."""

    classes: dict[str, IntentClass] = Field(default_factory=dict)  # type: ignore[assignment]
    """The traffic classes, each by a name of your own."""

    marking: tuple[IntentMarking, ...] = ()
    """Thresholds that marking queues shall have, by speed."""

    fabric: FabricSchema | None = None
    """Switches and the cables between them."""

    hosts: dict[str, HostSchema] = Field(default_factory=dict)
    """Types of hosts, each by a name of your own."""

    addressing: AddressingSchema = AddressingSchema()
    """Networks that addresses are taken from."""

    mtu: int | None = Field(default=None, ge=576, le=65535)
    """Largest IP packet in bytes that ports of switches and hosts are set to."""

    mode: Literal["lossless", "ecn-only"] | None = None
    """lossless: some class is paused; ecn-only: none is, and congestion is told by marks alone."""

    thresholds: ThresholdsSchema | None = None
    """Where marking thresholds come from, where `marking` does not give them."""

    buffers: tuple[BufferSchema, ...] = ()
    """Ingress buffers of lossless classes, for systems that have to be told."""

    watchdog: WatchdogSchema | None = None
    """The PFC watchdog of all ports."""

    balancing: BalancingSchema | None = None
    """How switches spread traffic over equal-cost paths."""

    separation: none_yet("storage and management apart") = None  # type: ignore[valid-type]
    """How storage and management are kept apart. Refused until it is designed."""

    overrides: dict[HostName, Override] = Field(default_factory=dict)
    """What is otherwise on single devices and ports, by their names."""

    @model_validator(mode="after")
    def _mode_agrees(self) -> Self:
        lossless = sorted(name for name, each in self.classes.items() if each.lossless)
        if self.mode == "ecn-only" and lossless:
            raise ValueError(f"has mode ecn-only and the lossless class {', '.join(lossless)}")
        if self.mode == "lossless" and self.classes and not lossless:
            raise ValueError("has mode lossless and no lossless class")
        return self
