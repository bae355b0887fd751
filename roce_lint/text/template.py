"""The Jinja environment of reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound
from jinja2.bccache import Bucket
from jinja2.sandbox import ImmutableSandboxedEnvironment

from roce_lint.errors import RenderError
from roce_lint.resources import resource_dir

Filters = Mapping[str, Callable[..., Any]]


def render_report(name: str, values: Mapping[str, Any], filters: Filters) -> str:
    """Render a report from template `name` in templates/report; .html is escaped.

    Raises:
        RenderError: there is no such template, or it cannot be rendered; the location names it.
    """
    folder = resource_dir("templates") / "report"
    environment = _environment(folder).overlay()
    environment.filters = {**environment.filters, **filters}
    place = f"{folder.parent.name}/{folder.name}/{name}"
    try:
        return environment.get_template(name).render(values)
    except TemplateNotFound:
        raise RenderError("there is no such template", location=place) from None
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        where = f"{place}:{line}" if line else place
        raise RenderError(error.message or type(error).__name__, location=where) from error


@cache
def _environment(folder: Path) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=lambda name: name is None or name.removesuffix(".j2").endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_TemplateCache(),
    )


class _TemplateCache(BytecodeCache):
    """Templates that this process has compiled.

    An overlay, which every report has for its filters, would forget them, and compiling takes as
    long as a small run.
    """

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template whose source is unchanged."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Cache the code of a template."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code
