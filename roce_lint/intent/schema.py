"""Schema of an intent: requirements for rules, and inputs of a design."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from roce_lint.catalog.plan_schema import ClassName, ClassSchema, MarkingSchema, PlanSchema, Strict
from roce_lint.intent.fabric import (
    Address,
    AddressingSchema,
    Asn,
    FabricSchema,
    FecWord,
    HostName,
    HostSchema,
    Metres,
    PortName,
    Speed,
    Text,
    none_yet,
)

Percent = Annotated[float, Field(gt=0, le=100)]
Milliseconds = Annotated[float, Field(gt=0, le=600_000)]
Bytes = Annotated[int, Field(ge=0, le=1 << 40)]
Cells = Annotated[int, Field(ge=0, le=1 << 24)]


class ServiceSchema(Strict):
    """Service of a class on a link."""

    share_percent: Percent | None = None
    """Its share of a congested link, after strict classes."""

    strict: bool | None = None
    """True: served before all classes with a share."""

    cap_percent: Percent | None = None
    """Largest share of a link; for strict classes, so that they starve no other."""

    @model_validator(mode="after")
    def _check_share(self) -> Self:
        if self.strict and self.share_percent is not None:
            raise ValueError("is strict and has a share_percent: one of them")
        return self


class IntentClass(ServiceSchema, ClassSchema):
    """One traffic class and its treatment."""

    pcp: int | None = Field(default=None, ge=0, le=7)
    """802.1p priority of its tagged packets, where it has no DSCP. Equal to pfc_priority where both
    are given.
    """

    systems: dict[str, ServiceSchema] = Field(default_factory=dict)
    """Other service on devices with one operating system, by its name."""

    applications: none_yet("files for hosts") = None  # type: ignore[valid-type]
    """Applications that send it. Refused until files for hosts are supported."""

    @model_validator(mode="after")
    def _check_priority(self) -> Self:
        both = (self.pcp, self.pfc_priority)
        if None not in both and self.pcp != self.pfc_priority:
            raise ValueError(f"has pcp {both[0]} and pfc_priority {both[1]}: one priority")
        return self


class IntentMarking(MarkingSchema):
    """ECN thresholds; in percent for systems that state them in percent of a queue."""

    kmin_percent: Percent | None = None
    """Queue fill in percent from which packets are marked, for systems without bytes."""

    kmax_percent: Percent | None = None
    """Queue fill in percent at which the marking probability reaches its maximum."""

    kmin_cells: Cells | None = None
    """Cells of the ASIC from which packets are marked, for systems without bytes."""

    kmax_cells: Cells | None = None
    """Cells at which the marking probability reaches its maximum."""


class SystemMarking(IntentMarking):
    """ECN thresholds, of all switches or of those with one operating system."""

    system: str | None = None
    """Operating system of the switches, by its name. Left out: any."""


class BufferSchema(Strict):
    """Ingress buffers of a lossless class, by speed and length of cable."""

    speed_gbps: Speed | None = None
    """Speed of the port in Gb/s. Left out: any."""

    cable_m: Metres | None = None
    """Longest cable in metres that it covers. Left out: any."""

    reserved_bytes: Bytes = 0
    """Bytes reserved for the priority group."""

    xoff_bytes: Bytes
    """Headroom in bytes: data that still arrives after PFC was sent."""

    xon_bytes: Bytes | None = None
    """Level in bytes at which traffic resumes."""

    alpha: float | None = Field(default=None, gt=0, le=128)
    """Dynamic threshold: share of the free pool that the group may take, as a factor."""


class WatchdogTimes(Strict):
    """Settings of the PFC watchdog; times in milliseconds."""

    polling_ms: Milliseconds | None = None
    """Polling interval."""

    detection_ms: Milliseconds | None = None
    """Time after which a paused queue counts as stuck."""

    restoration_ms: Milliseconds | None = None
    """Time after which a stuck queue is restored."""

    action: Literal["drop", "forward", "alert", "errdisable"] | None = None
    """Action on a stuck queue."""


class WatchdogSchema(WatchdogTimes):
    """The PFC watchdog of all ports; times in milliseconds."""

    systems: dict[str, WatchdogTimes] = Field(default_factory=dict)
    """Other settings for switches with one operating system, by its name."""


class Treatment(Strict):
    """Deviations of the treatment of traffic; a key left out is as elsewhere."""

    marking: tuple[IntentMarking, ...] = ()
    """Its ECN thresholds, by speed."""

    classes: dict[ClassName, ServiceSchema] = Field(default_factory=dict)
    """Its service of classes, by name."""

    watchdog: WatchdogTimes | None = None
    """Its PFC watchdog."""


class PortOverride(Treatment):
    """Deviations of one port."""

    speed_gbps: Speed | None = None
    """Its speed in Gb/s."""

    fec: FecWord | None = None
    """Its forward error correction."""

    mtu: int | None = Field(default=None, ge=576, le=65535)
    """Its largest IP packet in bytes."""

    cable_m: Metres | None = None
    """Length of its cable in metres."""

    address: Address | None = None
    """Its address with the length of the network."""

    enabled: bool | None = None
    """False: the port is shut."""


class Override(Treatment):
    """Deviations of one device."""

    asn: Asn | None = None
    """Autonomous system number for BGP."""

    loopback: Address | None = None
    """Its loopback address."""

    platform: Text | None = None
    """Its model."""

    ports: dict[PortName, PortOverride] = Field(default_factory=dict)
    """Deviations of its ports, by name."""


class BalancingSchema(Strict):
    """Load balancing over equal-cost paths."""

    l4_ports: bool | None = None
    """True: UDP ports are part of the hash."""

    max_paths: int | None = Field(default=None, ge=1, le=1024)
    """Number of equal-cost paths used."""


def _refuse_to_compute(value: str) -> str:
    if value == "computed":
        raise ValueError("cannot be computed yet: give marking, or the name of a profile")
    return value


class ThresholdsSchema(Strict):
    """Source of ECN thresholds that `marking` does not give."""

    profile: Annotated[str, AfterValidator(_refuse_to_compute)]
    """Profile whose thresholds are used."""


class IntentSchema(PlanSchema):
    """The intent of a RoCE fabric: requirements, not configuration."""

    classes: dict[ClassName, IntentClass] = Field(default_factory=dict)  # type: ignore[assignment]
    """Traffic classes, each under a name of your choice."""

    marking: tuple[SystemMarking, ...] = ()
    """ECN thresholds by speed, and by operating system where they differ."""

    fabric: FabricSchema | None = None
    """Switches and the cables between them."""

    hosts: dict[str, HostSchema] = Field(default_factory=dict)
    """Types of hosts, each under a name of your choice."""

    addressing: AddressingSchema = AddressingSchema()
    """Networks for addresses."""

    mtu: int | None = Field(default=None, ge=576, le=65535)
    """Largest IP packet in bytes on ports of switches and hosts."""

    mode: Literal["lossless", "ecn-only"] | None = None
    """lossless: some class uses PFC; ecn-only: none does, congestion is signalled by ECN alone."""

    thresholds: ThresholdsSchema | None = None
    """Source of ECN thresholds that `marking` does not give."""

    buffers: tuple[BufferSchema, ...] = ()
    """Ingress buffers of lossless classes, for systems that require them."""

    watchdog: WatchdogSchema | None = None
    """The PFC watchdog of all ports."""

    balancing: BalancingSchema | None = None
    """Load balancing over equal-cost paths."""

    separation: none_yet("storage and management apart") = None  # type: ignore[valid-type]
    """Separation of storage and management. Refused until it is supported."""

    overrides: dict[HostName, Override] = Field(default_factory=dict)
    """Deviations of single devices and ports, by name."""

    @field_validator("mode")
    @classmethod
    def _agree_with_classes(cls, mode: str | None, info: ValidationInfo) -> str | None:
        classes: dict[str, IntentClass] = info.data.get("classes", {})
        lossless = sorted(name for name, each in classes.items() if each.lossless)
        if mode == "ecn-only" and lossless:
            raise ValueError(f"is ecn-only, but a class is lossless: {', '.join(lossless)}")
        if mode == "lossless" and classes and not lossless:
            raise ValueError("is lossless, but no class is lossless")
        return mode


SCHEMA_ID = "roce-lint/intent/1"


def json_schema() -> dict[str, Any]:
    """The JSON Schema of intent.yaml (docs/intent.schema.json)."""
    made = IntentSchema.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **made,
        "title": "The intent of a RoCE fabric",
    }
