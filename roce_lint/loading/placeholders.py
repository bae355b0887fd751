"""Places of a template that nobody has filled: no values, and no default holds for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.model.device import Device, NoteKind, ParseNote
from roce_lint.nos.base import Form, Source
from roce_lint.text.source import FileRef, LineState, SourceFile

_HINTS = (
    ("$", ("${", " $", "\t$", '"$', "'$")), ("%", ("{%", "%{")), ("{", ("{{",)), ("<", ("<",)),
)  # fmt: skip
"""What a place begins with, by a character that is looked for in no time."""

_PLACEHOLDER = re.compile(
    r"\$\{[^}\n]{1,200}\}|\{\{[^\n]{1,200}?\}\}|\{%[^\n]{1,200}?%\}|%\{[^}\n]{1,200}\}"
    r"|(?<![\w<])<[A-Z][A-Z0-9_ -]{1,40}>|(?<=[ \t\"'])\$(?!junos)[A-Za-z_]\w{1,60}\b(?![$./])"
)
_FREE_TEXT = re.compile(
    r"\s*(?:set \S.*? )?(?:description|remark|comment|alias|annotate|name|banner|message|snmp\S*)\b"
)
_COUNTED = (
    LineState.UNDERSTOOD, LineState.SHADOWED, LineState.UNRECOGNISED, LineState.CAPTURED,
)  # fmt: skip
LINE_FORMS = (Form.INDENTED, Form.STATEMENTS)


@dataclass(slots=True, frozen=True)
class Template:
    """That a file is a template: the first place, how many there are, and whether all is lost."""

    file: str
    line: int
    text: str
    count: int
    whole: bool


def find_template(device: Device, files: list[tuple[SourceFile, Source]]) -> Template | None:
    """The places of a template among the lines that make a switch; None where there are none."""
    for ref, (file, source) in zip(device.src.files, files, strict=False):
        if source.base and source.form in LINE_FORMS and (found := _in_lines(ref, file, source)):
            return found
    return _in_notes(device)


def _may_hold(text: str) -> bool:
    """Whether there may be such a place; no more than a look for characters."""
    return any(mark in text and any(hint in text for hint in hints) for mark, hints in _HINTS)


def _in_lines(ref: FileRef, file: SourceFile, source: Source) -> Template | None:
    if not _may_hold(file.text) or not _PLACEHOLDER.search(file.text):
        return None
    own = re.compile(source.variables) if source.variables is not None else None
    places = [
        (number, found[0])
        for number, (line, state) in enumerate(zip(file.lines(), ref.states, strict=False), 1)
        if state in _COUNTED and not _FREE_TEXT.match(line)
        for found in _PLACEHOLDER.finditer(line)
        if own is None or not own.fullmatch(found[0])
    ]
    if not places:
        return None
    number, text = places[0]
    return Template(ref.name, ref.line(number), text, len(places), whole=True)


def _in_notes(device: Device) -> Template | None:
    """Values that a reader could not take because they are places of a template."""
    kept: list[ParseNote] = []
    found: list[ParseNote] = []
    for note in device.notes:
        match = _PLACEHOLDER.search(note.message) if note.kind is NoteKind.BAD_VALUE else None
        (kept if match is None else found).append(note)
    if not found:
        return None
    device.notes = kept
    position = found[0].at.get("", 0)
    ref = device.src.files[device.src.file_of(position)] if position else device.src.files[0]
    text = _PLACEHOLDER.search(found[0].message)
    return Template(ref.name, 0, text[0] if text else "", len(found), whole=False)
