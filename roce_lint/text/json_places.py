"""Places of single paths in JSON text, without a scan of all of it.

Only the containers on the way to a path are looked into; what stands beside them is passed over by
the standard parser, which is many times as fast as a scan that knows where things stand. A text
that is no JSON on the way is scanned after all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator

from roce_lint.text import json_scan
from roce_lint.text.places import Keys, LineIndex, Place

_BLANKS = re.compile(r"[ \t\r\n]*")
_PARSER = json.JSONDecoder(strict=False)

Member = tuple[Hashable, int, int]
"""A key or an index, the offset that shows it, and the offset of its value."""


class JsonPlaces:
    """Line and column of paths in one document, which begins at `start`."""

    def __init__(self, text: str, start: int):
        self._text = text
        self._start = start
        self._lines = LineIndex(text)
        self._opened: dict[int, dict[Hashable, tuple[int, int]]] = {}

    def place(self, keys: Keys) -> Place:
        """Of a member its key, of a list element its value; of a key that comes twice the last.

        A path that does not exist has the place of its nearest ancestor that does.
        """
        try:
            return self._lines.place(self._find(keys)[0])
        except (ValueError, IndexError, RecursionError):  # no JSON here, or the text ends
            return json_scan.places(self._text, self._start, [keys])[keys]

    def text_of(self, keys: Keys) -> tuple[str, int]:
        """The text of a value and the line it begins on.

        Raises:
            ValueError: there is no JSON on the way.
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
            found = {key: (at, value) for key, at, value in _walk(self._text, opened)}
            self._opened[opened] = found
        return found


def _walk(text: str, opened: int) -> Iterator[Member]:
    """What the container at `opened` holds; nothing if no container begins there.

    Raises:
        ValueError: a member is not valid JSON.
        IndexError: the text ends before the container does.
    """
    close = {"{": "}", "[": "]"}.get(text[opened])
    at = _past_blanks(text, opened + 1)
    if close is None or text[at] == close:
        return
    for index in range(len(text)):
        key: Hashable = index
        value = at
        if close == "}":
            key, end = _PARSER.raw_decode(text, at)
            value = _past_blanks(text, _past(text, end, ":"))
        yield key, at, value
        _, end = _PARSER.raw_decode(text, value)
        end = _past_blanks(text, end)
        if text[end] == close:
            return
        at = _past_blanks(text, _past(text, end, ","))


def _past(text: str, at: int, mark: str) -> int:
    """The offset behind `mark`, which may have blanks before it."""
    at = _past_blanks(text, at)
    if text[at] != mark:
        raise ValueError(f"{text[at]!r} instead of {mark!r}")
    return at + 1


def _past_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at
