"""The form in which a site or a profile says what it wants; becomes a RocePlan."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from roce_lint.model.device import Role
from roce_lint.model.nic import Flow
from roce_lint.model.plan import MarkingPolicy, PlannedClass, RocePlan
from roce_lint.model.units import DSCP_NAMES, ROCE_HEADERS_IPV4, parse_dscp
from roce_lint.text.source import SourceMap


def _dscp(value: object) -> object:
    if isinstance(value, str) and not value.lstrip("-").isdigit():
        number = parse_dscp(value)
        if number is None:
            found = f"found {value[:40]!a}"
            raise ValueError(f"must be a code point, 0 to 63 or a name such as af31, {found}")
        return number
    return value


Dscp = Annotated[
    int,
    BeforeValidator(_dscp),
    Field(ge=0, le=63),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, {"enum": sorted(DSCP_NAMES)}]}
    ),
]


def _path_mtu(value: int) -> int:
    if value not in PATH_MTUS:
        raise ValueError(f"must be one of {', '.join(map(str, PATH_MTUS))}, found {value}")
    return value


PATH_MTUS = (256, 512, 1024, 2048, 4096)
"""Bytes of payload that a queue pair may send at once (InfiniBand architecture, path MTU)."""

PathMtu = Annotated[int, AfterValidator(_path_mtu), WithJsonSchema({"enum": list(PATH_MTUS)})]


class Strict(BaseModel):
    """The base of what a person writes: an unknown key is a slip, and is refused."""

    # What each key means stands below it, and goes into the JSON Schema that editors show.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ClassSchema(Strict):
    """One traffic class."""

    flow: Literal["data", "cnp", "storage", "other"] = "data"
    """What travels in it: RoCE data, congestion notification packets, storage, or other traffic."""

    dscp: tuple[Dscp, ...] = Field(min_length=1)
    """Its code points, as numbers from 0 to 63 or by name (af31, cs3, ef)."""

    pfc_priority: int | None = Field(default=None, ge=0, le=7)
    """The 802.1p priority by which it is paused. Left out: the one the fabric itself uses."""

    lossless: bool | None = None
    """Whether PFC protects it. Left out: what most devices do."""

    marked: bool | None = None
    """Whether ECN marks it. Left out: what most devices do."""


class MarkingSchema(Strict):
    """Marking thresholds; without a speed they hold for every speed."""

    speed_gbps: float | None = Field(default=None, gt=0)
    """Speed of the port in Gb/s."""

    kmin_bytes: int | None = Field(default=None, ge=0)
    """Queue depth in bytes from which packets are marked."""

    kmax_bytes: int | None = Field(default=None, ge=0)
    """Queue depth in bytes at which the marking probability ends."""

    pmax_percent: float | None = Field(default=None, ge=0, le=100)
    """Marking probability at kmax_bytes, in percent."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        low, high = self.kmin_bytes, self.kmax_bytes
        if low is not None and high is not None and low > high:
            raise ValueError("has a kmin_bytes above its kmax_bytes")
        return self


class PlanSchema(Strict):
    """A RoCE design: what, not how."""

    name: str = ""
    """What reports call the design."""

    description: str = ""
    """A sentence for people."""

    sources: tuple[str, ...] = ()
    """Where the values come from: documents, tickets, decisions."""

    classes: dict[str, ClassSchema] = Field(default_factory=dict)
    """The traffic classes, each by a name of your own."""

    rdma_payload: PathMtu | None = None
    """The RDMA path MTU that NICs shall use: 256, 512, 1024, 2048 or 4096 bytes."""

    required_packet: int | None = Field(default=None, ge=576, le=65535)
    """The largest IP packet in bytes that every hop must carry; goes before rdma_payload."""

    marking: tuple[MarkingSchema, ...] = ()
    """Thresholds that marking queues shall have, by speed."""

    max_lossless: int | None = Field(default=None, ge=0, le=8)
    """How many priorities may be lossless on one port."""

    oversubscription: dict[Literal["leaf", "spine"], Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict
    )
    """What may come in from below for each 1 that goes up, by role of the switch."""

    lossless_unmarked: bool | None = None
    """True where unmarked traffic (DSCP 0) is wanted in a lossless class."""


def _places(schema: PlanSchema, src: SourceMap, packet: str) -> dict[Hashable, int]:
    at: dict[Hashable, int] = {"": src.path(0, ()), "required_packet": src.path(0, (packet,))}
    for tier in schema.oversubscription:
        at["oversubscription", Role(tier)] = src.path(0, ("oversubscription", tier))
    return at


def _marking(item: MarkingSchema) -> MarkingPolicy:
    return MarkingPolicy(**item.model_dump(include=set(MarkingSchema.model_fields)))


def _in_bytes(item: MarkingSchema) -> bool:
    """False for thresholds that a design gives in another unit, which no byte is judged by."""
    own = item.kmin_bytes is not None or item.kmax_bytes is not None
    return own or not item.model_fields_set - set(MarkingSchema.model_fields)


def to_plan(schema: PlanSchema, src: SourceMap, name: str) -> RocePlan:
    """Turn a validated schema into the plan; positions are paths in file 0 of `src`.

    Without a file there are no positions: a profile is no file of the site, and its page of
    knowledge names its sources.
    """
    classes = []
    for key, item in schema.classes.items():
        at: dict[Hashable, int] = {}
        if src.files:
            at[""] = src.path(0, ("classes", key))
            at["dscps"] = src.path(0, ("classes", key, "dscp"))
        classes.append(
            PlannedClass(
                name=key,
                flow=Flow(item.flow),
                dscps=tuple(sorted(set(item.dscp))),
                pfc_priority=item.pfc_priority,
                lossless=item.lossless,
                marked=item.marked,
                src=src,
                at=at,
            )
        )
    packet = schema.required_packet
    field = "required_packet"
    if packet is None and schema.rdma_payload is not None:
        packet, field = schema.rdma_payload + ROCE_HEADERS_IPV4, "rdma_payload"
    return RocePlan(
        name=schema.name or name,
        classes=tuple(classes),
        required_packet=packet,
        marking=tuple(_marking(item) for item in schema.marking if _in_bytes(item)),
        max_lossless=schema.max_lossless,
        oversubscription={Role(tier): ratio for tier, ratio in schema.oversubscription.items()},
        lossless_unmarked=schema.lossless_unmarked,
        src=src,
        at=_places(schema, src, field) if src.files else {},
    )
