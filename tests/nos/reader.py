"""Read a configuration given as text, for tests of values and lines of any NOS."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.sourced import Sourced
from roce_lint.nos.base import Nos
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.text.source import LineState, Origin, SourceFile

REFUSED = " is refused, the device takes "
NO_NUMBER = " is not a number from "
"""Fixed words of messages that many tests compare."""


def read(nos: Nos, text: str, source: str = "running-config") -> Device:
    """The device of a configuration; the text may be indented as a whole."""
    file = SourceFile.of("leaf1.cfg", textwrap.dedent(text).lstrip("\n"))
    return read_device(nos, "leaf1", [IdentifiedFile(file, nos.by_source[source])])


def line(item: Sourced, name: object = "") -> int:
    """Line that states a field; 0 for a default or an absent value."""
    where = item.where(name)
    return item.src.line_of(where.position) if where.origin is Origin.STATED else 0


def notes(device: Device, kind: NoteKind = NoteKind.BAD_VALUE) -> list[tuple[int, str]]:
    """Lines and messages of notes of one kind; bad values include refused and cut ones."""
    kinds = (kind, NoteKind.REFUSED, NoteKind.CUT) if kind is NoteKind.BAD_VALUE else (kind,)
    return [(line(note), shorten(note.message)) for note in device.notes if note.kind in kinds]


def shorten(message: str) -> str:
    """A message without its fixed words: `mtu '70', takes 552 to 9216 bytes`."""
    return message.replace(REFUSED, ", takes ").replace(NO_NUMBER, ", not ")


def default_sentence(item: Sourced, name: object) -> str | None:
    """Sentence of the default of a field."""
    citation = item.where(name).citation
    return citation.says if citation else None


def states(device: Device, state: LineState, file: int = 0) -> list[int]:
    """Lines of a file in a state."""
    return [n for n, found in enumerate(device.src.files[file].states, 1) if found == state]
