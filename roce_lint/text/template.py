"""The two Jinja environments: one writes device configuration, one writes reports."""

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


def render_config(folder: Path, name: str, values: Mapping[str, Any]) -> str:
    """Write configuration from template `name` in `folder` (templates/<nos>/render).

    A value the template names and does not get is an error: a line with a hole in it must never
    reach a device.

    Raises:
        RenderError: no such template, or one that cannot be rendered; the location names it.
    """
    return _render(_environment(folder, escape=False), folder, name, values)


def render_report(name: str, values: Mapping[str, Any], filters: Filters) -> str:
    """Write a report from template `name` in templates/report; what ends in .html is escaped.

    Raises:
        RenderError: as above.
    """
    folder = resource_dir("templates") / "report"
    environment = _environment(folder, escape=True).overlay()
    environment.filters = {**environment.filters, **filters}
    return _render(environment, folder, name, values)


@cache
def _environment(folder: Path, *, escape: bool) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=_is_html if escape else False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_TemplateCache(),
    )


class _TemplateCache(BytecodeCache):
    """Templates that this process has compiled. An overlay, as every report has one of its own for
    its filters, forgets them otherwise, and compiling takes as long as a small run.
    """

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """The code of a template whose source is still the same."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of one."""
        if bucket.code is not None:
            self._codes[bucket.key, bucket.checksum] = bucket.code


def _is_html(name: str | None) -> bool:
    return name is None or name.removesuffix(".j2").endswith(".html")


def _render(
    environment: ImmutableSandboxedEnvironment, folder: Path, name: str, values: Mapping[str, Any]
) -> str:
    place = f"{folder.parent.name}/{folder.name}/{name}"
    try:
        return environment.get_template(name).render(values)
    except TemplateNotFound:
        raise RenderError("there is no such template", location=place) from None
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        where = f"{place}:{line}" if line else place
        raise RenderError(error.message or type(error).__name__, location=where) from error
