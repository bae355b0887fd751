"""Reads intent.yaml into a RocePlan; says which line is wrong."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from roce_lint.catalog.plan_schema import PlanSchema, to_plan
from roce_lint.errors import IntentError, ReadError
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import SourceFile, SourceMap, digest
from roce_lint.text.tree import TreeForm, load_yaml, locate


def read_intent(path: Path) -> RocePlan:
    """Read an intent file.

    Raises:
        IntentError: it cannot be read or does not fit; the location is file and line.
    """
    name = str(path)
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise IntentError(f"cannot be read: {error.strerror}", location=name) from error
    except UnicodeDecodeError as error:
        raise IntentError("is not UTF-8", location=name) from error
    file = SourceFile(name, text, digest(data), str(path.resolve()))
    try:
        documents = load_yaml(file)
    except ReadError as error:
        raise IntentError(error.message, location=error.location or name) from error
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        raise IntentError("must be one mapping", location=name)
    try:
        schema = PlanSchema.model_validate(documents[0].data)
    except ValidationError as error:
        first = error.errors()[0]
        line, _ = locate(text, TreeForm.YAML, tuple(first["loc"]))
        where = ".".join(str(part) for part in first["loc"])
        raise IntentError(f"{where}: {first['msg']}", location=f"{name}:{line}") from error
    src = SourceMap()
    src.add(file, "intent")
    return to_plan(schema, src, path.name)
