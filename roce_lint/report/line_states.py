"""What became of every line of a device's files, for `roce-lint show`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from roce_lint.errors import ReadError
from roce_lint.model.device import Device, NoteKind
from roce_lint.nos.base import Form
from roce_lint.nos.registry import all_nos
from roce_lint.nos.trees import leaves
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import FileRef, LineState, Location, SourceFile, Where
from roce_lint.text.tree import TreeForm, form_of, load_json, load_yaml

SHOWN = (
    LineState.UNDERSTOOD,
    LineState.IGNORED,
    LineState.SHADOWED,
    LineState.UNRECOGNISED,
    LineState.UNCLAIMED,
)

WORDS = {
    LineState.UNDERSTOOD: "understood",
    LineState.IGNORED: "ignored",
    LineState.SHADOWED: "shadowed",
    LineState.UNRECOGNISED: "not recognised",
    LineState.UNCLAIMED: "not read",
    LineState.CAPTURED: "not recognised",
}


@dataclass(slots=True, frozen=True)
class Shape:
    """Unrecognised lines that differ in numbers only."""

    first: Location
    count: int


def counts(ref: FileRef) -> dict[str, int]:
    """Lines (leaves of a tree) of a file by state."""
    return {state.name.lower(): ref.states.count(state) for state in SHOWN}


def unrecognised_lines(device: Device, excerpts: Excerpts) -> list[Shape]:
    """Lines no reader knows, a shape each; the reader has grouped them."""
    return [
        Shape(excerpts.locate(note.where(), "evidence"), note.count)
        for note in device.notes
        if note.kind is NoteKind.UNRECOGNISED
    ]


def shadowed_lines(device: Device, excerpts: Excerpts) -> list[Location]:
    """Lines that a later line overrules."""
    return [
        excerpts.locate(Where(device.src, ref.first + number), "evidence")
        for ref in device.src.files
        for number, state in enumerate(ref.states, 1)
        if state == LineState.SHADOWED and not is_tree(device, ref)
    ]


def remarks(device: Device, excerpts: Excerpts) -> list[tuple[Location, str]]:
    """What else the reader noted: values that do not convert, conflicts, lexical traps."""
    return [
        (excerpts.locate(note.where(), "evidence"), note.message)
        for note in device.notes
        if note.kind is not NoteKind.UNRECOGNISED
    ]


def every(device: Device, ref: FileRef, excerpts: Excerpts) -> Iterator[tuple[LineState, Location]]:
    """Every line or leaf of a file with its state."""
    if is_tree(device, ref):
        positions = _leaf_positions(device, ref)
    else:
        positions = [ref.first + number for number in range(1, ref.lines + 1)]
    for state, position in zip(ref.states, positions, strict=False):
        yield LineState(state), excerpts.locate(Where(device.src, position), "evidence")


def is_tree(device: Device, ref: FileRef) -> bool:
    """True where states belong to leaves of JSON or YAML, not to lines."""
    nos = all_nos().get(device.nos)
    source = nos.by_source.get(ref.source) if nos is not None else None
    return source is not None and source.form in (Form.JSON, Form.YAML)


def _leaf_positions(device: Device, ref: FileRef) -> list[int]:
    """Positions of all leaves of a file that can be opened again, in the order of their states."""
    if ref.path is None:
        return []
    try:
        text = Path(ref.path).read_bytes().decode("utf-8-sig", "replace")
        file = SourceFile.of(ref.name, text, ref.path)
        trees = [load_json(file)] if form_of(text) is TreeForm.JSON else load_yaml(file)
    except (OSError, ReadError):
        return []
    number = device.src.files.index(ref)
    return [
        device.src.path(number, (*tree.root, *path))
        for tree in trees
        for path, _ in leaves(tree.data)
    ]
