"""Reading of intent.yaml; every fault is reported with its line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from roce_lint.catalog.plan_schema import to_plan
from roce_lint.catalog.refusals import Refusal, refusals
from roce_lint.errors import IntentError, ReadError
from roce_lint.intent.schema import IntentSchema
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import SourceFile, SourceMap, digest
from roce_lint.text.tree import Tree, TreeForm, load_yaml, locate_all

SIZE_LIMIT = 16 << 20
"""Largest intent in bytes; one that lists 100,000 devices by name has 5 MB."""

LISTED = 50
"""Faults that are listed; the rest are counted."""


@dataclass(frozen=True)
class Intent:
    """An intent as written. `src` has only its file; a position is the path of a key."""

    schema: IntentSchema
    file: SourceFile
    src: SourceMap
    path: Path

    def refusal(self, found: list[Refusal]) -> IntentError:
        """Error for requirements that cannot be met together, with their lines."""
        return _error(found, self.file)


def read_intent(path: Path) -> RocePlan:
    """Read the plan that rules check against from an intent file.

    Raises:
        IntentError: it cannot be read or does not fit; the location is file and line.
    """
    intent = read_whole(path)
    return to_plan(intent.schema, intent.src, path.name)


def read_whole(path: Path) -> Intent:
    """Read a whole intent file.

    Raises:
        IntentError: it cannot be read or does not fit; the location is file and line.
    """
    return of_file(_file(path, str(path)), path)


def of_text(text: str, path: Path) -> Intent:
    """Parse a text as the intent at a path.

    Raises:
        IntentError: it does not fit.
    """
    return of_file(SourceFile(str(path), text, digest(text.encode()), str(path)), path)


def faults_of(data: object) -> list[Refusal]:
    """Faults of a mapping as an intent, each with its keys."""
    try:
        IntentSchema.model_validate(data)
    except ValidationError as error:
        return refusals(error, IntentSchema)
    return []


def of_file(file: SourceFile, path: Path) -> Intent:
    """Parse the text of an intent file.

    Raises:
        IntentError: it does not fit; the location is file and line.
    """
    name = file.name
    try:
        documents = load_yaml(file)
    except ReadError as error:
        raise IntentError(error.message, location=error.location or name) from None
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        found = "nothing" if not documents else f"{len(documents)} documents"
        found = found if len(documents) != 1 else "something else"
        raise IntentError(f"must be one mapping, found {found}", location=f"{name}:1")
    _refuse_doubled(documents[0], name)
    try:
        schema = IntentSchema.model_validate(documents[0].data)
    except ValidationError as error:
        raise _error(refusals(error, IntentSchema), file) from None
    src = SourceMap()
    src.add(file, "intent")
    return Intent(schema, file, src, path)


def _file(path: Path, name: str) -> SourceFile:
    try:
        with path.open("rb") as opened:
            data = opened.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise IntentError(f"cannot be read: {error.strerror}", location=name) from None
    if len(data) > SIZE_LIMIT:
        raise IntentError(f"larger than {SIZE_LIMIT >> 20} MiB", location=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise IntentError("is not UTF-8", location=f"{name}:{line}") from None
    return SourceFile(name, text, digest(data), str(path.resolve()))


def _refuse_doubled(tree: Tree, name: str) -> None:
    """Refuse duplicate keys: which of them is meant is unknown."""
    if tree.notes:
        raise _all(IntentError(note.message, location=f"{name}:{note.line}") for note in tree.notes)


def _error(found: list[Refusal], file: SourceFile) -> IntentError:
    places = locate_all(file.text, TreeForm.YAML, {each.keys for each in found})
    ordered = sorted(found, key=lambda each: places[each.keys])
    listed = [
        IntentError(
            each.message,
            location=f"{file.name}:{places[each.keys][0]}",
            hint=each.hint or None,
        )
        for each in ordered[:LISTED]
    ]
    if len(ordered) > LISTED:
        listed.append(IntentError(f"{len(ordered) - LISTED} more are wrong", location=file.name))
    return _all(listed)


def _all(errors: Iterable[IntentError]) -> IntentError:
    first, *others = errors
    return IntentError(first.message, location=first.location, hint=first.hint, others=others)
