"""Configurations in another form of their system, as lines of the form that its reader takes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from roce_lint.loading.captures.passage import Passage
from roce_lint.nos.declare import Export, ExportError
from roce_lint.nos.registry import all_nos

HEAD = 64 << 10
"""Characters in which a form shows."""


class ExportRefusedError(Exception):
    """A text of such a form that cannot be read: why, where, and what to save instead."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@cache
def _exports() -> tuple[Export, ...]:
    return tuple(
        export for nos in all_nos().values() for source in nos.sources for export in source.exports
    )


def _form_of(text: str) -> Export | None:
    begin = text[:HEAD].lstrip("\ufeff \t\r\n")
    for export in _exports():
        if begin.startswith(export.begins) and export.hint in begin and export.regex.search(begin):
            return export
    return None


def may_be_exported(text: str) -> bool:
    """Whether a text is of such a form."""
    return text[:4096].lstrip("\ufeff \t\r\n")[:1] in ("{", "<") and _form_of(text) is not None


def is_in(text: str) -> bool:
    """Whether a document may hold one of such a form somewhere inside; a look for its word."""
    return any(export.hint in text for export in _exports() if export.begins == "{")


def is_form(value: dict[str, Any]) -> bool:
    """Whether a part of a document is of such a form: told by its beginning."""
    key, inside = next(iter(value.items()), ("", None))
    hint = f'"{key}"'
    if not isinstance(inside, dict | list) or all(e.hint != hint for e in _exports()):
        return False
    begin = json.dumps(value)[:HEAD]
    return any(export.hint == hint and export.regex.search(begin) for export in _exports())


def convert_export(whole: Passage) -> Passage | None:
    """The lines of a text of such a form, each at the place that says so; None for another text.

    Raises:
        ExportRefusedError: it is of such a form and cannot be read.
    """
    text = whole.text
    export = _form_of(text)
    if export is None:
        return None
    try:
        lines = export.lines(text)
    except ExportError as error:
        line = whole.numbers[min(error.line, len(whole.numbers)) - 1]
        message = f"{export.what}, which cannot be read ({error}): {export.instead}"
        raise ExportRefusedError(message, line) from error
    last = len(whole.numbers)
    numbers = [whole.numbers[min(number, last) - 1] for _, number in lines]
    return replace(whole, lines=[line for line, _ in lines], numbers=numbers, margin=-1)
