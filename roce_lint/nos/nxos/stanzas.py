"""Small tools over the records of NX-OS: its stanzas, and the class a policy speaks of."""

from __future__ import annotations

from roce_lint.nos.quantities import (
    listed,
    number,
    numbers,
    options,
    rate,
    threshold,
    upto,
    whole,
)
from roce_lint.nos.reading import Reading
from roce_lint.nos.stanzas import first, last_of, named, records, stanzas, stated
from roce_lint.text.records import Record

CONFIG = "running-config"
"""Name of the source that holds configuration."""


def configured(reading: Reading, group: str) -> list[Record]:
    """All configuration records of a top-level group, in file order."""
    return records(reading, CONFIG, group)


def class_name(record: Record) -> str:
    """The class of a policy-map that a record is about: `class [type T] NAME`."""
    return record.values["class"][0][0].rpartition(" ")[2]


__all__ = [
    "CONFIG",
    "class_name",
    "configured",
    "first",
    "last_of",
    "listed",
    "named",
    "number",
    "numbers",
    "options",
    "rate",
    "stanzas",
    "stated",
    "threshold",
    "upto",
    "whole",
]
