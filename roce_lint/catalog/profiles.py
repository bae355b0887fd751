"""Profiles of vendor recommendations (rules/profiles/*.toml), and published ECN thresholds."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError

from roce_lint.catalog.plan_schema import PlanSchema, to_plan
from roce_lint.catalog.refusals import Closed, refusals
from roce_lint.errors import ReadError, UsageError
from roce_lint.model.plan import RocePlan
from roce_lint.resources import resource_dir
from roce_lint.text.files import list_files, read_small
from roce_lint.text.source import SourceMap
from roce_lint.text.tree import line_of_keys, load_toml


def files(folders: Iterable[Path] = ()) -> dict[str, Path]:
    """All profiles by name; those in further folders take precedence."""
    own = resource_dir("rules") / "profiles"
    found = [path for folder in (own, *folders) for path in toml_files(folder)]
    return {path.stem: path for path in found}


def toml_files(folder: Path) -> list[Path]:
    """The TOML files of a folder.

    Raises:
        UsageError: there are too many.
    """
    try:
        return list_files(folder, "*.toml")
    except OSError as error:
        raise UsageError(error.strerror or str(error), location=str(folder)) from None


def names() -> tuple[str, ...]:
    """Names of the profiles that come with roce-lint."""
    return tuple(sorted(files()))


def profile(name: str, folders: Iterable[Path] = ()) -> RocePlan:
    """The plan of a named profile, also from `folders`.

    Raises:
        UsageError: there is no such profile, or its file is broken.
    """
    known = files(folders)
    if name not in known:
        raise UsageError(f"there is no profile {name!r}; known are {', '.join(sorted(known))}")
    path = known[name]
    text = ""
    try:
        text = read_small(path).decode("utf-8")
        schema = PlanSchema.model_validate(load_toml(str(path), text))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", location=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError(f"profile {name} is broken: not TOML", location=str(path)) from None
    except ReadError as error:
        message = f"profile {name} is broken: {error.message}"
        raise UsageError(message, location=error.location) from error
    except ValidationError as error:
        first = refusals(error, PlanSchema)[0]
        place = f"{path}:{line_of_keys(text, first.keys)}"
        message = f"profile {name} is broken: {first.message}"
        raise UsageError(message, location=place, hint=first.hint) from error
    return to_plan(schema, SourceMap(), f"profile {name}")


# ECN thresholds published by vendors, operators and authors (rules/published).


class PublishedThresholds(Closed):
    """One published pair of thresholds, in bytes. Without speeds it applies to any port."""

    by: str = Field(min_length=3)
    source: str = Field(min_length=10)
    speeds_gbps: tuple[float, ...] = ()
    kmin_bytes: int = Field(gt=0)
    kmax_bytes: int = Field(gt=0)


class _Table(Closed):
    thresholds: tuple[PublishedThresholds, ...] = Field(min_length=1)


@dataclass(slots=True, frozen=True)
class Span:
    """Published values for one speed: the entries with the lowest Kmin and the highest Kmax, and
    the lowest Kmax and the highest Kmin, in bytes.
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
    """The span of all values published for a speed; of all values, where the speed is not known."""
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
