"""Named profiles: what vendors publish, each value with its source (rules/profiles/*.toml)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from roce_lint.catalog.plan_schema import PlanSchema, to_plan
from roce_lint.catalog.refusals import refusals
from roce_lint.errors import ReadError, UsageError
from roce_lint.model.plan import RocePlan
from roce_lint.resources import resource_dir
from roce_lint.text.files import list_files, read_small
from roce_lint.text.source import SourceMap
from roce_lint.text.tree import line_of_keys, load_toml


def files(folders: Iterable[Path] = ()) -> dict[str, Path]:
    """All profiles by name: ours, and those of further folders, which win."""
    own = resource_dir("rules") / "profiles"
    found = [path for folder in (own, *folders) for path in _list_files(folder)]
    return {path.stem: path for path in found}


def _list_files(folder: Path) -> list[Path]:
    try:
        return list_files(folder, "*.toml")
    except OSError as error:
        raise UsageError(error.strerror or str(error), location=str(folder)) from None


def names() -> tuple[str, ...]:
    """Names of the profiles that come with roce-lint."""
    return tuple(sorted(files()))


def profile(name: str, folders: Iterable[Path] = ()) -> RocePlan:
    """The plan of a named profile, looked for in `folders` too.

    Raises:
        UsageError: no such profile, or its file is broken.
    """
    known = files(folders)
    if name not in known:
        raise UsageError(f"no profile is called {name!r}; there are {', '.join(sorted(known))}")
    path = known[name]
    text = ""
    try:
        text = read_small(path).decode("utf-8")
        schema = PlanSchema.model_validate(load_toml(str(path), text))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", location=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError(f"profile {name} is broken: no TOML", location=str(path)) from None
    except ReadError as error:
        message = f"profile {name} is broken: {error.message}"
        raise UsageError(message, location=error.location) from error
    except ValidationError as error:
        first = refusals(error, PlanSchema)[0]
        place = f"{path}:{line_of_keys(text, first.keys)}"
        message = f"profile {name} is broken: {first.message}"
        raise UsageError(message, location=place, hint=first.hint) from error
    return to_plan(schema, SourceMap(), f"profile {name}")
