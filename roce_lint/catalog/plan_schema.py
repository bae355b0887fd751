"""Schema of the RoCE design of a site or a profile; converts to a RocePlan."""

from __future__ import annotations

import re
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
            raise ValueError(f"must be a DSCP, 0 to 63 or a name such as af31, {found}")
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
"""Payload bytes that a queue pair may send at once (InfiniBand architecture, path MTU)."""

PathMtu = Annotated[int, AfterValidator(_path_mtu), WithJsonSchema({"enum": list(PATH_MTUS)})]


_CLASS = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,30}")
_CLASS_FORM = "must be a letter and up to 30 letters, digits and . _ - (31 are the most on Comware)"


def _class_name(value: str) -> str:
    if not _CLASS.fullmatch(value):
        raise ValueError(f"{_CLASS_FORM}: it becomes a name in configurations")
    return value


ClassName = Annotated[str, AfterValidator(_class_name)]
"""Name of a class; Comware has the shortest names (HPE, command reference: classifier behavior)."""


def _title(value: str) -> str:
    if not value.isprintable() or len(value) > LONGEST_TITLE:
        found = f"found {value[:40]!a}"
        raise ValueError(f"must be one line of at most {LONGEST_TITLE} characters, {found}")
    return value


LONGEST_TITLE = 200


class Strict(BaseModel):
    """Base of hand-written files: an unknown key is a typo, and is refused."""

    # The docstring below each key goes into the JSON Schema that editors show.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ClassSchema(Strict):
    """One traffic class."""

    flow: Literal["data", "cnp", "storage", "other"] = "data"
    """Traffic in the class: RoCE data, congestion notification packets, storage, or other."""

    dscp: tuple[Dscp, ...] = Field(min_length=1)
    """DSCPs of the class, as numbers from 0 to 63 or by name (af31, cs3, ef)."""

    pfc_priority: int | None = Field(default=None, ge=0, le=7)
    """The 802.1p priority on which PFC acts for it. Default: the one the fabric itself uses."""

    lossless: bool | None = None
    """Whether PFC protects it. Default: the setting of most devices."""

    marked: bool | None = None
    """Whether ECN marks it. Default: the setting of most devices."""


class MarkingSchema(Strict):
    """ECN thresholds; without a speed they apply to every speed."""

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
    """A RoCE design: goals, not means."""

    name: Annotated[str, AfterValidator(_title)] = ""
    """Name of the design in reports."""

    description: str = ""
    """A sentence for people."""

    sources: tuple[str, ...] = ()
    """Sources of the values: documents, tickets, decisions."""

    classes: dict[ClassName, ClassSchema] = Field(default_factory=dict)
    """The traffic classes, by names of your choice."""

    rdma_payload: PathMtu | None = None
    """The RDMA path MTU for NICs: 256, 512, 1024, 2048 or 4096 bytes."""

    required_packet: int | None = Field(default=None, ge=576, le=65535)
    """The largest IP packet in bytes that every hop must carry; overrides rdma_payload."""

    marking: tuple[MarkingSchema, ...] = ()
    """ECN thresholds of marking queues, by speed."""

    max_lossless: int | None = Field(default=None, ge=0, le=8)
    """Maximum number of lossless priorities on one port."""

    oversubscription: dict[Literal["leaf", "spine"], Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict
    )
    """Permitted ratio of downlink to uplink capacity, by role of the switch."""

    lossless_unmarked: bool | None = None
    """True where unmarked traffic (DSCP 0) is intended in a lossless class."""


def _places(schema: PlanSchema, src: SourceMap, packet: str) -> dict[Hashable, int]:
    at: dict[Hashable, int] = {"": src.path(0, ()), "required_packet": src.path(0, (packet,))}
    for tier in schema.oversubscription:
        at["oversubscription", Role(tier)] = src.path(0, ("oversubscription", tier))
    return at


def _is_general(item: MarkingSchema) -> bool:
    """False for thresholds of a design in another unit or of one system: not for every port."""
    if "system" in item.model_fields_set:
        return False
    own = item.kmin_bytes is not None or item.kmax_bytes is not None
    return own or not item.model_fields_set - set(MarkingSchema.model_fields)


def to_plan(schema: PlanSchema, src: SourceMap, name: str) -> RocePlan:
    """Convert a validated schema to the plan; positions are paths in file 0 of `src`.

    Without a file there are no positions: a profile is not a file of the site, and its
    documentation page names its sources.
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
        marking=tuple(
            MarkingPolicy(**item.model_dump(include=set(MarkingSchema.model_fields)))
            for item in schema.marking
            if _is_general(item)
        ),
        max_lossless=schema.max_lossless,
        oversubscription={Role(tier): ratio for tier, ratio in schema.oversubscription.items()},
        lossless_unmarked=schema.lossless_unmarked,
        src=src,
        at=_places(schema, src, field) if src.files else {},
    )
