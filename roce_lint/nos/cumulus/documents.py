"""NVUE YAML and JSON (startup.yaml, `nv config show`), in list form and as a bare tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.model.device import NoteKind
from roce_lint.nos.cumulus.commands import BESIDE, CLAIMED, Unread, is_read_beside
from roce_lint.nos.cumulus.statements import SHOWN, Statements
from roce_lint.nos.reading import Input
from roce_lint.text.places import LineIndex
from roce_lint.text.source import LineState
from roce_lint.text.tree import load_yaml_nodes
from roce_lint.text.yaml_nodes import Node

API = "nvue_v1"
"""The only API version."""

_WRAPPERS = ("header", "set", "unset")
_RELEASE = re.compile(r"(?:Cumulus Linux )?(?<!\d)(?P<release>\d++\.\d++(?:\.\d+)?)")


class DocumentReader:
    """Reads one file. Records which lines depend on which, so that their states can follow."""

    def __init__(self, statements: Statements, entry: Input) -> None:
        self.statements = statements
        self.reading = statements.reading
        self.ref = self.reading.src.files[entry.file]
        self.entry = entry
        self.claimed: list[Unread] = []
        self.above: list[tuple[int, int]] = []  # a line, and the line it is below; from 0

    def read(self) -> list[Unread]:
        """Add the document to the tree; returns the lines that need a reader.

        Raises:
            ReadError: it is not YAML, or more than may be read.
        """
        for number, text in enumerate(map(str.lstrip, self.entry.lines)):
            if not text or text[0] == "#" or text in ("---", "..."):
                self.ref.states[number] = LineState.IGNORED
        for tree in load_yaml_nodes(self.entry.text):
            for note in tree.notes:
                position = self.ref.first + note.line
                self.reading.note(NoteKind.DUPLICATE, note.message, position)
            self._document(tree.root, tree.lines)
            key = _last_key(tree.root)
            if key is not None:
                position = self.ref.first + tree.lines.above(key) + 1
                message = "the text ends behind a key whose value is missing"
                self.reading.note(NoteKind.CUT, message, position)
        return self.claimed

    def settle(self) -> None:
        """Mark a key's line as understood if a line below it is, as ignored if all are."""
        states = self.ref.states
        for line, parent in reversed(self.above):
            if states[line] == LineState.UNDERSTOOD or (
                states[line] == LineState.IGNORED and states[parent] == LineState.UNCLAIMED
            ):
                states[parent] = states[line]

    def _document(self, root: Node, lines: LineIndex) -> None:
        items = root.data if isinstance(root.data, list) else [root]
        for item in items:
            if not isinstance(item.data, dict):
                continue
            wrappers = [word for word in _WRAPPERS if word in item.data]
            if not wrappers:
                self._tree(item, lines, undo=False)
            for word in wrappers:
                offset, node = item.data[word]
                self.ref.states[lines.above(offset)] = LineState.IGNORED
                if word == "header":
                    self._header(node, lines)
                else:
                    self._tree(node, lines, undo=word == "unset")

    def _header(self, node: Node, lines: LineIndex) -> None:
        for key, (offset, below) in node.data.items() if isinstance(node.data, dict) else ():
            line = lines.above(offset)
            position = self.ref.first + line + 1
            self.ref.states[line] = LineState.IGNORED
            found = _RELEASE.search(below.data) if isinstance(below.data, str) else None
            if key == "nvue-api-version" and below.data != API:
                message = f"nvue-api-version {str(below.data)[:SHOWN]!r} is not {API}: read as that"
                self.reading.bad(message, position)
            elif key == "version" and found:
                self.statements.release, self.statements.release_at = found["release"], position
                self.ref.states[line] = LineState.UNDERSTOOD
            elif key == "version":
                self.reading.bad("the version of the release is not understood", position)

    def _tree(self, root: Node, lines: LineIndex, *, undo: bool) -> None:
        if not isinstance(root.data, dict):
            return
        for top, (offset, node) in root.data.items():
            if top not in CLAIMED and top not in BESIDE:
                continue
            for words, begins in self._leaves(node, top, lines.above(offset), lines):
                line = begins[-1]
                position = self.ref.first + line + 1
                if top in CLAIMED:
                    self.claimed.append(Unread(line, words))
                elif not is_read_beside(words):
                    continue
                if undo:
                    self.statements.drop(words, position)
                else:
                    self.statements.put(words, position, (self.ref.first + n + 1 for n in begins))

    def _leaves(
        self, root: Node, top: str, begin: int, lines: LineIndex
    ) -> Iterator[tuple[list[str], list[int]]]:
        """Every path of words with the line (from 0) of each, in document order."""
        waiting = [(root, [top], [begin])]
        while waiting:
            node, path, at = waiting.pop()
            data, number = node.data, at[-1]
            if isinstance(data, dict) and data:
                below: list[tuple[Node, list[str], list[int]]] = []
                for key, (offset, child) in data.items():
                    own = lines.above(offset)
                    if own != number:
                        self.above.append((own, number))
                    if not below and type(child.data) is str:  # nothing waits that comes before
                        yield [*path, key, child.data], [*at, own, own]
                    else:
                        below.append((child, [*path, key], [*at, own]))
                below.reverse()
                waiting += below
            elif isinstance(data, list):
                for child in reversed(data):
                    own = lines.above(child.offset)
                    if own != number:
                        self.above.append((own, number))
                    waiting.append((child, path, [*at[:-1], own]))
            elif isinstance(data, str):
                yield [*path, data], [*at, number]
            else:
                yield path, at


def _last_key(root: Node) -> int | None:
    """Position of the last key of a document, if it is the last line (NVUE writes `{}`)."""
    node, offset = root, None
    while node.data and not isinstance(node.data, str):
        last = node.data[-1] if isinstance(node.data, list) else [*node.data.values()][-1]
        offset, node = last if isinstance(last, tuple) else (last.offset, last)
    return offset if node.data is None else None
