"""Entries of an ini-like file of a host, and a remark about every line that is none."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.host import Host
from roce_lint.nos.reading import Input
from roce_lint.text.ini import Entry, parse_ini

SHOWN = 64
"""Characters of a line that a remark shows."""


def entries(host: Host, entry: Input) -> Iterator[Entry]:
    """The settings in file order; what is neither section nor setting is not in force."""
    found = parse_ini(entry.lines)
    first = host.reading.src.files[entry.file].first
    for bad in found.bad:
        what = "a section that is not closed" if bad.text.startswith("[") else "not a setting"
        message = f"{bad.text[:SHOWN]!r} is {what}: left out"
        host.reading.note(NoteKind.BAD_VALUE, message, first + bad.number)
    yield from found
