"""Helpers for NX-OS records: stanzas, and the class name in a policy."""

from __future__ import annotations

from roce_lint.nos.quantities import (
    number,
    numbers,
    options,
    rate,
    read_numbers,
    threshold,
    upto,
    whole,
)
from roce_lint.nos.reading import Reading
from roce_lint.nos.stanzas import first, last_of, name_from, records, stanzas, value_in_force
from roce_lint.text.match import Record

CONFIG = "running-config"
"""Name of the configuration source."""


def configuration_records(reading: Reading, group: str) -> list[Record]:
    """All configuration records of a top-level group, in file order."""
    return records(reading, CONFIG, group)


def class_name(record: Record) -> str:
    """The class of a policy-map that a record is about: `class [type T] NAME`."""
    return record.values["class"][0][0].rpartition(" ")[2]


__all__ = [
    "CONFIG",
    "class_name",
    "configuration_records",
    "first",
    "last_of",
    "name_from",
    "number",
    "numbers",
    "options",
    "rate",
    "read_numbers",
    "stanzas",
    "threshold",
    "upto",
    "value_in_force",
    "whole",
]
