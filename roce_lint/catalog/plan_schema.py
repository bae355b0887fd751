"""The form in which a site or a profile says what it wants; becomes a RocePlan."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from roce_lint.model.device import Role
from roce_lint.model.nic import Flow
from roce_lint.model.plan import MarkingPolicy, PlannedClass, RocePlan
from roce_lint.model.units import ROCE_HEADERS_IPV4, parse_dscp
from roce_lint.text.source import SourceMap


def _dscp(value: object) -> object:
    if isinstance(value, str):
        number = parse_dscp(value)
        return value if number is None else number
    return value


Dscp = Annotated[int, BeforeValidator(_dscp), Field(ge=0, le=63)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ClassSchema(_Strict):
    """One traffic class. `lossless` and `marked` may be left open."""

    flow: Literal["data", "cnp", "storage", "other"] = "data"
    dscp: tuple[Dscp, ...] = Field(min_length=1)
    pfc_priority: int | None = Field(default=None, ge=0, le=7)
    lossless: bool | None = None
    marked: bool | None = None


class MarkingSchema(_Strict):
    """Marking thresholds in bytes; without a speed they hold for every speed."""

    speed_gbps: float | None = Field(default=None, gt=0)
    kmin_bytes: int | None = Field(default=None, ge=0)
    kmax_bytes: int | None = Field(default=None, ge=0)
    pmax_percent: float | None = Field(default=None, ge=0, le=100)


class PlanSchema(_Strict):
    """A RoCE design: what, not how."""

    name: str = ""
    description: str = ""
    sources: tuple[str, ...] = ()
    classes: dict[str, ClassSchema] = Field(default_factory=dict)
    rdma_payload: int | None = Field(default=None, ge=256, le=4096)
    required_packet: int | None = Field(default=None, ge=576, le=65535)
    marking: tuple[MarkingSchema, ...] = ()
    max_lossless: int | None = Field(default=None, ge=0, le=8)
    oversubscription: dict[Literal["leaf", "spine"], Annotated[float, Field(gt=0)]] = Field(
        default_factory=dict
    )
    lossless_unmarked: bool | None = None


def _places(schema: PlanSchema, src: SourceMap, packet: str) -> dict[Hashable, int]:
    at: dict[Hashable, int] = {"": src.path(0, ()), "required_packet": src.path(0, (packet,))}
    for tier in schema.oversubscription:
        at["oversubscription", Role(tier)] = src.path(0, ("oversubscription", tier))
    return at


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
        marking=tuple(MarkingPolicy(**item.model_dump()) for item in schema.marking),
        max_lossless=schema.max_lossless,
        oversubscription={Role(tier): ratio for tier, ratio in schema.oversubscription.items()},
        lossless_unmarked=schema.lossless_unmarked,
        src=src,
        at=_places(schema, src, field) if src.files else {},
    )
