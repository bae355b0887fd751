"""Named profiles: what vendors publish, each value with its source (rules/profiles/*.toml)."""

from __future__ import annotations

import tomllib

from pydantic import ValidationError

from roce_lint.catalog.plan_schema import PlanSchema, to_plan
from roce_lint.errors import UsageError
from roce_lint.model.plan import RocePlan
from roce_lint.resources import resource_dir
from roce_lint.text.source import SourceMap


def names() -> tuple[str, ...]:
    """All profile names."""
    return tuple(sorted(path.stem for path in (resource_dir("rules") / "profiles").glob("*.toml")))


def profile(name: str) -> RocePlan:
    """The plan of a named profile.

    Raises:
        UsageError: no such profile, or its file is broken.
    """
    known = names()
    if name not in known:
        raise UsageError(f"no profile is called {name!r}; there are {', '.join(known)}")
    path = resource_dir("rules") / "profiles" / f"{name}.toml"
    try:
        schema = PlanSchema.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"profile {name} is broken: {error}", location=str(path)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = f"profile {name} is broken: {where}: {first['msg']}"
        raise UsageError(message, location=str(path)) from error
    return to_plan(schema, SourceMap(), f"profile {name}")
