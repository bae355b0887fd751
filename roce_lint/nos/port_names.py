"""Interface names by a table of types: spellings, abbreviations, ranges, kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roce_lint.model.interface import InterfaceKind
from roce_lint.text.numbers import whole_of

LAST_VLAN = 4094
"""The highest VLAN identifier that a frame may carry (IEEE 802.1Q, table 9-2)."""

RANGE_LIMIT = 4096
"""Interfaces one header may name; a longer range is hostile or a typing error."""

HEADER_LIMIT = 4096
"""Characters of an interface header that are examined."""

_TYPE = r"\d{0,4}[A-Za-z][A-Za-z-]*"
_NUMBER = r"\d{1,9}(?:/[A-Z]{0,3}\d{1,9}){0,5}(?::\d{1,9})?"
_PART = re.compile(
    rf"(?P<type>{_TYPE})?\s*(?P<first>{_NUMBER})(?P<unit>\.\d{{1,9}})?"
    rf"(?:\s*(?:-|to)\s*(?:{_TYPE})?\s*(?P<last>{_NUMBER}))?",
    re.ASCII,
)
_END = re.compile(r"(?P<head>.*?)(?P<number>\d+)")


@dataclass(slots=True, frozen=True)
class PortType:
    """A type of interface in the device's spelling, and its alternatives."""

    name: str
    kind: InterfaceKind
    others: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()  # short forms that show commands print and neighbours repeat


@dataclass(slots=True, frozen=True)
class HeaderNames:
    """The interfaces that one header names; `problem` is the part that was not understood."""

    names: tuple[str, ...]
    problem: str = ""


class PortNames:
    """Interface names of one NOS."""

    def __init__(self, *types: PortType) -> None:
        self._types = {
            word.lower(): entry
            for entry in types
            for word in (*entry.shown, *entry.others, entry.name)
        }
        self._known: dict[str, HeaderNames] = {}

    def expand(self, header: str) -> HeaderNames:
        """Names after `interface`: one, a range, a list; any other spelling is one interface."""
        found = self._known.get(header)
        if found is None:
            found = self._expand(header)
            if len(self._known) < RANGE_LIMIT and len(header) < HEADER_LIMIT:
                self._known[header] = found
        return found

    def canonical(self, name: str) -> str:
        """Full name of one interface; a spelling for several is returned unchanged."""
        names = self.expand(name).names
        return names[0] if len(names) == 1 else name

    def kind_of(self, name: str) -> InterfaceKind:
        """Kind of an interface, from its full name."""
        found = _PART.fullmatch(name)
        entry = self._types.get((found["type"] or "").lower()) if found else None
        if found is None or entry is None:
            entry = self._types.get(name.lower())
            return entry.kind if entry else InterfaceKind.OTHER
        return InterfaceKind.SUBINTERFACE if found["unit"] else entry.kind

    def aliases(self, name: str) -> tuple[str, ...]:
        """Short forms of a full name."""
        found = _PART.fullmatch(name)
        entry = self._types.get((found["type"] or "").lower()) if found else None
        if found is None or entry is None:
            return ()
        rest = name[len(found["type"] or "") :]
        return tuple(short + rest for short in entry.shown)

    def _expand(self, header: str) -> HeaderNames:
        text = header.strip()
        if not 0 < len(text) <= HEADER_LIMIT:
            return HeaderNames((), f"interface name of {len(text)} characters")
        names: list[str] = []
        typed = ""
        for part in text.split(","):
            found = _PART.fullmatch(part.strip())
            if found is None:
                odd = "" if not names else _odd(part)
                alone = self._types.get(text.lower())  # the only port of its type has no number
                return HeaderNames(tuple(names) or (alone.name if alone else text,), odd)
            typed = found["type"] or typed
            entry = self._types.get(typed.lower())
            if entry is None and not names:
                return HeaderNames((text,))
            more = _range(entry.name if entry else typed, found)
            if more is None:
                return HeaderNames(tuple(names), _odd(part))
            if len(names) + len(more) > RANGE_LIMIT:
                return HeaderNames(tuple(names), f"more than {RANGE_LIMIT} interfaces in one range")
            names += more
        return HeaderNames(tuple(dict.fromkeys(names)))


def parent_of(name: str) -> str | None:
    """Port or channel of a subinterface."""
    return name.rpartition(".")[0] or None


def vlan_number(name: str) -> int | None:
    """VLAN of a VLAN interface, from the number at the end of its name."""
    digits = name[len(name.rstrip("0123456789")) :]
    number = whole_of(digits) if 0 < len(digits) < 5 else 0
    return number if 0 < number <= LAST_VLAN else None


def _range(kind: str, found: re.Match[str]) -> list[str] | None:
    """Names of one part; None if the names between its ends are unknown."""
    first, last = found["first"], found["last"]
    if last is None:
        return [f"{kind}{first}{found['unit'] or ''}"]
    begin, end = _split(first), _split(last)
    if found["unit"] or (end[0] and end[0] != begin[0]) or end[1] < begin[1]:
        return None
    high = min(end[1], begin[1] + RANGE_LIMIT)
    return [f"{kind}{begin[0]}{number}" for number in range(begin[1], high + 1)]


def _split(number: str) -> tuple[str, int]:
    """`1/1/` and 4 from `1/1/4`."""
    cut = max(number.rfind("/"), number.rfind(":")) + 1
    tail = _END.fullmatch(number[cut:])
    head = tail["head"] if tail else ""
    return number[:cut] + head, whole_of(tail["number"]) if tail else 0


def _odd(part: str) -> str:
    return f"interface range {part.strip()[:80]!r} is not understood"
