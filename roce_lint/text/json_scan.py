"""Positions in JSON text: a scan of all of it, and places of single paths.

The standard parser is fast and records no positions. They are needed only for display, so the text
is scanned again then. Nothing here recurses, however deep the text nests.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

from roce_lint.text.places import Keys, LineIndex, Place

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"|\\?\Z)'
_TOKEN = re.compile(rf"({_STRING})([ \t\r\n]*+:)?|[{{}}\[\],]", re.DOTALL)
_OBJECT, _NONE = -1, -2  # in place of an index into a list
_BLANKS = re.compile(r"[ \t\r\n]*")


class Event(enum.Enum):
    """Kind of a scanned token."""

    MEMBER = "member"  # a key of an object, at its opening quote
    ITEM = "item"  # an element of a list, at its first character
    OPEN = "open"
    CLOSE = "close"


def scan(text: str, start: int) -> Iterator[tuple[Event, int, str | int]]:
    """Walk the document that begins at `start`; ends after its last bracket or with the text.

    Yields the event, its offset, and the key or index (0 for brackets). The text need not be valid:
    anything that is not a token is skipped.
    """
    around: list[int] = []  # indexes of the open containers outside the innermost one
    index = _NONE  # in the innermost list; OBJECT in an object
    for token in _TOKEN.finditer(text, start):
        literal, _, colon = token.groups()
        if literal:
            if colon and index == _OBJECT:
                yield Event.MEMBER, token.start(), unquote(literal)
            continue
        at = token.start()
        mark = text[at]
        if mark == ",":
            if index >= 0:
                index += 1
                yield Event.ITEM, _skip_blanks(text, at + 1), index
        elif mark in "{[":
            yield Event.OPEN, at, 0
            around.append(index)
            index = _OBJECT if mark == "{" else 0
            if mark == "[" and not text.startswith("]", first := _skip_blanks(text, at + 1)):
                yield Event.ITEM, first, 0
        elif around:
            index = around.pop()
            yield Event.CLOSE, at, 0
            if not around:
                return


def unquote(literal: str) -> str:
    """The text of a JSON string literal; a broken literal is returned as is."""
    if "\\" not in literal:
        return literal[1:-1]
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal[1:-1]


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


@dataclass(slots=True)
class _WantedNode:
    """One node of the tree of wanted paths, and its place.

    A repeated key is found twice; the later container replaces the earlier one. So each node
    remembers the container it was found in, and counts only if that one is still current.
    """

    offset: int = -1
    within: int = -1  # offset of the container it was found in
    opened: int = -2  # offset of the container that is its value
    children: dict[Hashable, _WantedNode] = field(default_factory=dict)

    def child(self, key: Hashable) -> _WantedNode:
        return self.children.setdefault(key, _WantedNode())


def places(text: str, start: int, paths: Iterable[Keys]) -> dict[Keys, Place]:
    """Find many paths in one scan: members at their key, list elements at their value.

    The last of a repeated key counts. A path that does not exist has the place of its nearest
    existing ancestor.
    """
    wanted = list(paths)
    root = _WantedNode(offset=start)
    for keys in wanted:
        node = root
        for key in keys:
            node = node.child(key)
    _meet(text, start, root)
    lines = LineIndex(text)
    return {keys: lines.place(_offset(root, keys)) for keys in wanted}


def _meet(text: str, start: int, root: _WantedNode) -> None:
    """Scan once and record the places of the nodes below `root`."""
    around: list[_WantedNode | None] = []
    here: _WantedNode | None = None  # node of the innermost open container
    value: _WantedNode | None = root  # node of the value that comes next
    for event, offset, key in scan(text, start):
        if event is Event.OPEN:
            around.append(here)
            here, value = value, None
            if here is not None:
                here.opened = offset
        elif event is Event.CLOSE:
            here, value = around.pop(), None
        elif here is not None:
            value = here.children.get(key)
            if value is not None:
                value.offset, value.within, value.opened = offset, here.opened, -2


def _offset(root: _WantedNode, keys: Keys) -> int:
    node = root
    for key in keys:
        child = node.children[key]
        if child.within != node.opened:
            break
        node = child
    return node.offset


def doubles(text: str, start: int) -> Iterator[tuple[int, Keys]]:
    """Repeated keys of objects: offset and path, in file order."""
    open_keys: list[set[str | int]] = []
    path: list[Hashable] = []
    for event, offset, key in scan(text, start):
        if event is Event.OPEN:
            open_keys.append(set())
            path.append(None)
        elif event is Event.CLOSE:
            open_keys.pop()
            path.pop()
        else:
            path[-1] = key
            if event is Event.MEMBER and key in open_keys[-1]:
                yield offset, tuple(path)
            open_keys[-1].add(key)


@dataclass(slots=True, frozen=True)
class OpenContainer:
    """The innermost container still open at the end of the text."""

    keys: Keys
    opened: int  # offset of its bracket


def find_open_container(text: str, start: int) -> OpenContainer | None:
    """The container in which a cut-off document ends; None when all brackets are closed."""
    opened: list[int] = []
    keys: list[Hashable] = []
    for event, offset, key in scan(text, start):
        if event is Event.OPEN:
            opened.append(offset)
            keys.append(None)
        elif event is Event.CLOSE:
            opened.pop()
            keys.pop()
        else:
            keys[-1] = key
    return OpenContainer(tuple(keys[:-1]), opened[-1]) if opened else None


def last_token(text: str, start: int) -> int:
    """Offset of the unfinished last token: an open string, or half a word."""
    end = start
    for token in _TOKEN.finditer(text, start):
        end = token.start() if token[1] and token["end"] != '"' else token.end()
    return _skip_blanks(text, end)


def deeper_than(text: str, start: int, limit: int) -> int:
    """Offset of the first bracket at a depth above `limit`; `start` if there is none."""
    depth = 0
    for event, offset, _ in scan(text, start):
        if event is Event.OPEN:
            depth += 1
            if depth > limit:
                return offset
        elif event is Event.CLOSE:
            depth -= 1
    return start


def outside_strings(text: str, start: int, pattern: str) -> int:
    """Offset of the first match of `pattern` outside strings; `start` if none."""
    tokens = re.compile(f"{_STRING}|(?P<found>{pattern})", re.DOTALL)
    for token in tokens.finditer(text, start):
        if token["found"] is not None:
            return token.start()
    return start


# Places of single paths without a full scan. Only the containers along a path are scanned; the
# standard parser, many times as fast, skips their siblings. Invalid JSON along the path falls back
# to the full scan.

_PARSER = json.JSONDecoder(strict=False)

Member = tuple[Hashable, int, int, int]
"""A key or an index, the offset that shows it, the offset of its value, and the one behind it."""


class JsonPlaces:
    """Line and column of paths in one document, which begins at `start`."""

    def __init__(self, text: str, start: int):
        self._text = text
        self._start = start
        self._lines = LineIndex(text)
        self._opened: dict[int, dict[Hashable, tuple[int, int]]] = {}

    def place(self, keys: Keys) -> Place:
        """Place of a path: of a member its key, of a list element its value; the last of a repeated
        key.

        A path that does not exist has the place of its nearest existing ancestor.
        """
        try:
            return self._lines.place(self._find(keys)[0])
        except (ValueError, IndexError, RecursionError):  # not JSON here, or the text ends
            return places(self._text, self._start, [keys])[keys]

    def text_of(self, keys: Keys) -> tuple[str, int]:
        """The text of a value and its first line.

        Raises:
            ValueError: the path leads through invalid JSON.
        """
        _, begin = self._find(keys)
        _, end = _PARSER.raw_decode(self._text, begin)
        return self._text[begin:end], self._lines.place(begin)[0]

    def _find(self, keys: Keys) -> tuple[int, int]:
        shown = value = self._start
        for key in keys:
            found = self._members(value).get(key)
            if found is None:
                break
            shown, value = found
        return shown, value

    def _members(self, opened: int) -> dict[Hashable, tuple[int, int]]:
        found = self._opened.get(opened)
        if found is None:
            found = {key: (at, value) for key, at, value, _ in members(self._text, opened)}
            self._opened[opened] = found
        return found


def members(text: str, opened: int) -> Iterator[Member]:
    """Members of the container at `opened`; nothing if no container begins there.

    Raises:
        ValueError: a member is not valid JSON.
        IndexError: the text ends before the container does.
    """
    close = {"{": "}", "[": "]"}.get(text[opened])
    at = _skip_blanks(text, opened + 1)
    if close is None or text[at] == close:
        return
    for index in range(len(text)):
        key: Hashable = index
        value = at
        if close == "}":
            key, end = _PARSER.raw_decode(text, at)
            value = _skip_blanks(text, _past(text, end, ":"))
        _, end = _PARSER.raw_decode(text, value)
        yield key, at, value, end
        end = _skip_blanks(text, end)
        if text[end] == close:
            return
        at = _skip_blanks(text, _past(text, end, ","))


def _past(text: str, at: int, mark: str) -> int:
    """The offset after `mark`, which may be preceded by blanks."""
    at = _skip_blanks(text, at)
    if text[at] != mark:
        raise ValueError(f"{text[at]!r} instead of {mark!r}")
    return at + 1
