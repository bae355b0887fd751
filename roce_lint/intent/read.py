"""Reading of intent.yaml; every fault is reported with its line."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from roce_lint.catalog.plan_schema import to_plan
from roce_lint.catalog.refusals import Loc, Refusal, refusals
from roce_lint.errors import IntentError, ReadError
from roce_lint.intent.schema import IntentSchema
from roce_lint.model.plan import RocePlan
from roce_lint.text.files import read_source
from roce_lint.text.source import SourceFile, SourceMap
from roce_lint.text.tree import TreeForm, load_yaml, locate_all

SIZE_LIMIT = 16 << 20
"""Largest intent in bytes; one that lists 100,000 devices by name has 5 MB."""

LISTED = 50
"""Faults that are listed; the rest are counted."""


@dataclass(frozen=True)
class Intent:
    """An intent as written. `src` has only its file; a position is the path of a key. `faults` are
    errors of single keys, which `schema` leaves out.
    """

    schema: IntentSchema
    file: SourceFile
    src: SourceMap
    path: Path
    faults: tuple[Refusal, ...] = ()

    def refusal(self, found: list[Refusal]) -> IntentError:
        """Error for requirements that cannot be met together, with their lines."""
        return _error(found, self.file)

    def plan(self) -> RocePlan:
        """The plan that rules check against.

        Raises:
            IntentError: the intent does not fit; the location is file and line.
        """
        if self.faults:
            raise self.refusal(list(self.faults))
        return to_plan(self.schema, self.src, self.path.name)


def read_whole(path: Path) -> Intent:
    """Read a whole intent file; its `faults` are not raised.

    Raises:
        IntentError: it cannot be read, or is no mapping; the location is file and line.
    """
    return of_file(read_source(path, str(path), SIZE_LIMIT, IntentError), path)


def of_text(text: str, path: Path) -> Intent:
    """Parse a text as the intent at a path; its `faults` are not raised.

    Raises:
        IntentError: it is no mapping.
    """
    return of_file(SourceFile.of(str(path), text, str(path)), path)


def faults_of(data: object) -> list[Refusal]:
    """Faults of a mapping as an intent, each with its keys."""
    try:
        IntentSchema.model_validate(data)
    except ValidationError as error:
        return refusals(error, IntentSchema)
    return []


def of_file(file: SourceFile, path: Path) -> Intent:
    """Parse the text of an intent file; its `faults` are not raised.

    Raises:
        IntentError: it is no mapping; the location is file and line.
    """
    name = file.name
    try:
        documents = load_yaml(file)
    except ReadError as error:
        raise IntentError(error.message, location=error.location or name) from None
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        count = len(documents)
        found = {0: "nothing", 1: "something else"}.get(count, f"{count} documents")
        raise IntentError(f"must be one mapping, found {found}", location=f"{name}:1")
    if notes := documents[0].notes:  # duplicate keys: which of them is meant is unknown
        raise _all(IntentError(note.message, location=f"{name}:{note.line}") for note in notes)
    data = documents[0].data
    left = faults = tuple(faults_of(data))
    while left:  # until what is left fits
        data = copy.deepcopy(data) if left is faults else data
        for each in reversed(left):
            _drop(data, each.keys)
        left = tuple(faults_of(data))
    src = SourceMap()
    src.add(file, "intent")
    return Intent(IntentSchema.model_validate(data), file, src, path, faults)


def _drop(data: Any, keys: Loc) -> None:
    """Remove the deepest existing key of a path; all if there is none."""
    holder: Any = data
    last: Any = None
    for key in keys:
        known = data if isinstance(data, dict) else range(len(data) if type(data) is list else 0)
        if key not in known:
            break
        holder, last, data = data, key, data[key]
    if last is None:
        holder.clear()
    else:
        del holder[last]


def _error(found: list[Refusal], file: SourceFile) -> IntentError:
    places = locate_all(file.text, TreeForm.YAML, {each.keys for each in found})
    ordered = sorted(found, key=lambda each: places[each.keys])
    listed = [
        IntentError(
            each.message, location=f"{file.name}:{places[each.keys][0]}", hint=each.hint or None
        )
        for each in ordered[:LISTED]
    ]
    if len(ordered) > LISTED:
        listed.append(IntentError(f"{len(ordered) - LISTED} more are wrong", location=file.name))
    return _all(listed)


def _all(errors: Iterable[IntentError]) -> IntentError:
    first, *others = errors
    return IntentError(first.message, location=first.location, hint=first.hint, others=others)
