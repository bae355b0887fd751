"""Reads a configuration given as text, for tests that look at single values and lines."""

from __future__ import annotations

import textwrap

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.sourced import Sourced
from roce_lint.nos.device_reader import Identified, read_device
from roce_lint.nos.nxos import NOS
from roce_lint.text.source import LineState, Origin, SourceFile


def read(text: str, *, lldp: str | None = None, hostname: str = "leaf1") -> Device:
    """The device of a running configuration; the text may be indented as a whole."""
    files = []
    for name, content in (("running-config", text), ("lldp", lldp)):
        if content is not None:
            file = SourceFile.of(f"{name}.txt", textwrap.dedent(content).lstrip("\n"))
            files.append(Identified(file, NOS.by_source[name]))
    return read_device(NOS, hostname, files)


def line(item: Sourced, name: object = "") -> int:
    """Number of the line that states a field; 0 for a default or for nothing."""
    where = item.where(name)
    return item.src.line_of(where.position) if where.origin is Origin.STATED else 0


def says(item: Sourced, name: object) -> str | None:
    """The words of the default that stands for a field."""
    citation = item.where(name).citation
    return citation.says if citation else None


def notes(device: Device, kind: NoteKind = NoteKind.BAD_VALUE) -> list[tuple[int, str]]:
    """Lines and messages of the notes of one kind."""
    return [(line(note), note.message) for note in device.notes if note.kind is kind]


def states(device: Device, state: LineState) -> list[int]:
    """Numbers of the lines of the first file in a state."""
    return [n for n, found in enumerate(device.src.files[0].states, 1) if found == state]
