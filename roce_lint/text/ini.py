"""Ini-like files: systemd units and network files, NetworkManager keyfiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True, frozen=True)
class Entry:
    """One `key = value`; a key that comes twice gives two entries, in file order."""

    section: str  # "" before the first header, and below a header that is broken
    key: str
    value: str
    number: int  # line of the key
    last: int  # line of the value's end; the same unless it is continued


@dataclass(slots=True, frozen=True)
class BadLine:
    """A line that is neither section, entry, comment nor blank."""

    number: int
    text: str


@dataclass(slots=True)
class Ini:
    """What a file states; iterating gives the entries."""

    entries: list[Entry] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


def parse_ini(lines: list[str]) -> Ini:
    """Read the lines as systemd does (systemd.syntax(7)).

    A line that ends in a backslash goes on in the next, with a blank in its place; comment lines
    in between are left out. A comment takes a whole line: `#` and `;` inside a value are part of
    it. An empty value is an entry, since it takes back what was set before.
    """
    found = Ini()
    section = ""
    for number, last, text in _join_lines(lines):
        if text.startswith("["):
            closed = text.endswith("]") and len(text) > len("[]")
            section = text[1:-1] if closed else ""
            if not closed:
                found.bad.append(BadLine(number, text))
            continue
        key, equals, value = text.partition("=")
        key = key.rstrip()
        if key and equals:
            found.entries.append(Entry(section, key, value.strip(), number, last))
        else:
            found.bad.append(BadLine(number, text))
    return found


def _join_lines(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First line, last line and text of every logical line that is not blank or a comment."""
    parts: list[str] = []
    first = last = 0
    for number, line in enumerate(lines, 1):
        text = line.lstrip("\ufeff \t") if number == 1 else line.lstrip()
        if text.startswith(("#", ";")):
            continue
        first = first if parts else number
        last = number
        if _is_continued(text):
            parts.append(text[:-1] + " ")
            continue
        parts.append(text)
        whole = "".join(parts).strip()
        parts = []
        if whole:
            yield first, last, whole
    if parts and (whole := "".join(parts).strip()):  # the file ends in a continued line
        yield first, last, whole


def _is_continued(text: str) -> bool:
    """True when the last backslash is not itself escaped."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
