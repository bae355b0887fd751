"""Marking thresholds that vendors, operators and authors publish (rules/published)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from roce_lint.errors import UsageError
from roce_lint.resources import resource_dir


class PublishedThresholds(BaseModel):
    """One published pair of thresholds, in bytes. Without speeds it is meant for any port."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str = Field(min_length=3)
    source: str = Field(min_length=10)
    speeds_gbps: tuple[float, ...] = ()
    kmin_bytes: int = Field(gt=0)
    kmax_bytes: int = Field(gt=0)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    thresholds: tuple[PublishedThresholds, ...] = Field(min_length=1)


@dataclass(slots=True, frozen=True)
class Span:
    """What is published for one speed: the entry with the lowest Kmin, that of the highest Kmax,
    and the lowest Kmax and the highest Kmin, in bytes.
    """

    lowest: PublishedThresholds
    highest: PublishedThresholds
    lowest_kmax: int
    highest_kmin: int


@cache
def marking_thresholds() -> tuple[PublishedThresholds, ...]:
    """All published thresholds.

    Raises:
        UsageError: the file is broken.
    """
    path = resource_dir("rules") / "published" / "marking-thresholds.toml"
    try:
        table = _Table.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageError(f"the published thresholds are broken: {error}") from error
    return table.thresholds


@cache
def marking_span(speed_gbps: float | None) -> Span:
    """The span of everything published for a speed; of everything, where the speed is not known."""
    entries = [
        entry
        for entry in marking_thresholds()
        if speed_gbps is None or not entry.speeds_gbps or speed_gbps in entry.speeds_gbps
    ]
    return Span(
        min(entries, key=lambda entry: entry.kmin_bytes),
        max(entries, key=lambda entry: entry.kmax_bytes),
        min(entry.kmax_bytes for entry in entries),
        max(entry.kmin_bytes for entry in entries),
    )
