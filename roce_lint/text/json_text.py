"""JSON as printed by consoles and tools: strict inside, tolerant of text around it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any, NoReturn

from roce_lint.errors import ReadError
from roce_lint.text import json_scan, places
from roce_lint.text.numbers import count

_SCALAR = r"(?:-?[\d.eE+-]+|true|false|null)"
_BEGINS = rf'(?:\{{\s*["}}]|\[\s*(?:[\]{{\["]|{_SCALAR}\s*(?:,|\Z)))'
_BEGINS_HERE = re.compile(_BEGINS)
_BEGINS_LINE = re.compile(rf"^[ \t]*(?={_BEGINS})", re.MULTILINE)
_PART = re.compile(r'["}\],:]|.*[,\[{]$')  # a line that no console prints, but JSON has
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a pair: one character
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_EXPECTED = {
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a key",
    "Expecting ':' delimiter": "':'",
    "Unterminated string starting at": "a closing quote",
    "Invalid control character at": "a closing quote",  # the line ends inside a string
}


def characters(text: str) -> str:
    """Replace each escape of half a surrogate pair by U+FFFD; offsets stay.

    JSON allows such halves, but they are not characters and cannot be encoded.
    """
    if "\\" not in text or not _HALF.search(text):
        return text
    return _ESCAPES.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)


def parse(name: str, text: str) -> tuple[places.Data, list[places.Note]]:
    """Parse the one object or list in `text`; the last of a repeated key counts.

    Raises:
        ReadError: no JSON, cut-off JSON, a second document, or a value out of range.
    """
    start = document_start(text)
    decoder = _Decoder()
    try:
        data, end = decoder.decode(text, start)
    except RecursionError:
        raise _too_deep(name, text, start) from None
    except json.JSONDecodeError as error:
        raise _syntax(name, text, start, error) from None
    except _NotHeldError as error:
        line = places.line_of(text, json_scan.outside_strings(text, start, error.pattern))
        raise places.error_at(name, line, f"{error} is out of range for a number") from None
    if not isinstance(data, dict | list):
        raise places.error_at(name, places.line_of(text, start), "holds no JSON object or list")
    if _nests_deeper(data, places.DEPTH_LIMIT):
        raise _too_deep(name, text, start)
    notes = [*_before(name, text, start), *_after(name, text, end)]
    if decoder.doubled:
        doubles = list(json_scan.doubles(text, start))
        keys = [(offset, str(path[-1])) for offset, path in doubles]
        notes += places.find_doubled_keys(
            places.LineIndex(text), keys, [path for _, path in doubles]
        )
    return data, notes


def document_start(text: str) -> int:
    """Offset of the bracket that begins the document, after any console output.

    Prompts may look like JSON (`[admin@leaf1 ~]$`, `{master:0}`), hence a line must begin like an
    object, or like a list of several items or of objects; `[1]` is found only at the beginning.
    """
    begin = len(text) - len(text.lstrip())
    if _BEGINS_HERE.match(text, begin) or is_document(text, begin):
        return begin
    found = _BEGINS_LINE.search(text)
    return found.end() if found else begin


def is_document(text: str, start: int) -> bool:
    """Whether a complete JSON object or list begins at `start`."""
    if not text.startswith(("{", "["), start):
        return False
    try:
        json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return False
    return True


class _NotHeldError(ValueError):
    """A number allowed by JSON or Python, but outside our range."""

    def __init__(self, literal: str, pattern: str):
        super().__init__(literal)
        self.pattern = pattern  # finds it in the text


class _Decoder:
    """The standard decoder for one document; records repeated keys and odd numbers."""

    def __init__(self) -> None:
        self.doubled = False
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=_refuse, parse_float=_float
        )

    def decode(self, text: str, start: int) -> tuple[places.Data, int]:
        try:
            data, end = self._decoder.raw_decode(text, start)
        except (json.JSONDecodeError, _NotHeldError):
            raise
        except ValueError:  # int() refuses numbers so long that reading them takes quadratic time
            digits = sys.get_int_max_str_digits()
            pattern = rf"\d{{{digits + 1}}}"
            raise _NotHeldError(f"an integer of more than {digits} digits", pattern) from None
        return data, end

    def _object(self, pairs: list[tuple[str, places.Data]]) -> dict[str, places.Data]:
        members = dict(pairs)
        self.doubled |= len(members) != len(pairs)
        return members


def _refuse(literal: str) -> NoReturn:
    raise _NotHeldError(literal, re.escape(literal))


def _float(literal: str) -> float:
    value = float(literal)
    return _refuse(literal) if value in (float("inf"), float("-inf")) else value


_BRANCHING = frozenset({dict, list})


def _nests_deeper(data: places.Data, limit: int) -> bool:
    """Whether the tree has more than `limit` levels; level by level, because it may be deep."""
    level: list[Any] = [data]
    for _ in range(limit):
        inside = chain.from_iterable([n.values() if type(n) is dict else n for n in level])
        level = [value for value in inside if type(value) in _BRANCHING]
        if not level:
            return False
    return True


def _too_deep(name: str, text: str, start: int) -> ReadError:
    line = places.line_of(text, json_scan.deeper_than(text, start, places.DEPTH_LIMIT))
    return places.error_at(name, line, f"nests deeper than {places.DEPTH_LIMIT} levels")


def _syntax(name: str, text: str, start: int, error: json.JSONDecodeError) -> ReadError:
    if not text.strip():
        return places.error_at(name, 1, "the file is empty")
    if error.pos == start:
        return places.error_at(name, error.lineno, "holds no JSON object or list")
    if text.startswith(("//", "/*"), error.pos):
        return places.error_at(name, error.lineno, COMMENT)
    unclosed = json_scan.find_open_container(text, start)
    if unclosed is None or error.pos < json_scan.last_token(text, start):
        return places.error_at(
            name, error.lineno, f"not valid JSON at column {error.colno}: {error.msg.lower()}"
        )
    closing = "'}'" if text[unclosed.opened] == "{" else "']'"
    expected = _EXPECTED.get(error.msg, "',' or " + closing if "','" in error.msg else error.msg)
    inside = "|".join(str(key) for key in unclosed.keys) or "the outermost bracket"
    opened = places.line_of(text, unclosed.opened)
    return places.error_at(
        name,
        places.line_of(text, len(text.rstrip())),
        f"the file ends inside {inside}, opened on line {opened}: {expected} was expected",
    )


COMMENT = "not valid JSON: a comment, which JSON does not have"


def _before(name: str, text: str, start: int) -> Iterator[places.Note]:
    """Note the text before the document; the rest of another document is an error."""
    lines = list(lines_of(text[:start], 1))
    for line, shown in lines:
        if _PART.match(shown):
            written = (n for n, each in lines_of(text, 1) if each.startswith(("//", "/*")))
            if comment := next(written, 0):
                raise places.error_at(name, comment, COMMENT)
            raise places.error_at(name, line, "the beginning of the JSON document is missing")
    if lines:
        passed = count(len(lines), "line")
        yield places.Note(lines[0][0], f"passed over before the JSON document: {passed}")


def _after(name: str, text: str, end: int) -> Iterator[places.Note]:
    """Note the text after the document; more JSON is an error."""
    lines = list(lines_of(text[end:], places.line_of(text, end)))
    for line, shown in lines:
        if _PART.match(shown) or _BEGINS_HERE.match(shown):
            raise places.error_at(name, line, "more JSON follows the end of the document")
    if lines:
        passed = count(len(lines), "line")
        yield places.Note(lines[0][0], f"passed over behind the JSON document: {passed}")


def lines_of(text: str, first: int) -> Iterator[tuple[int, str]]:
    """The numbered lines of a text, without blank lines and `#` comments."""
    for number, line in enumerate(text.split("\n"), first):
        shown = line.strip()
        if shown and not shown.startswith("#"):
            yield number, shown
