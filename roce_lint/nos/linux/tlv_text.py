"""TLVs as text: DCBX elements in output of `lldptool` and Broadcom's tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.nos.linux.dcb import PRIORITIES, percent, priority, scheduling
from roce_lint.nos.linux.host import whole
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.text.numbers import whole_of

_TITLE = re.compile(r"(?P<title>\S.*\S) TLV:?$")
_APP_LINE = re.compile(r"App#\s*\d+\s+Prio (?P<priority>\d)\s+Sel (?P<selector>\d)\s")
_APP_DSCP = re.compile(r"Prio:(?P<priority>\d)\s+dscp:\s*+(?P<dscps>[\d, ]*)$")
_APP_BLOCK = re.compile(r"APP#\d+:$")
_FIELD = re.compile(r"(?P<key>[A-Za-z]\w*+(?: +\w++)*+)\s*+:\s*+(?P<value>\S.*)$")

ETS, PFC, APP = "IEEE 8021QAZ ETS Configuration", "IEEE 8021QAZ PFC", "IEEE 8021QAZ APP"

WHOLE_BLOCK = 3
"""Lines of an APP entry: priority, selector, and selected value."""


@dataclass(slots=True)
class TlvText:
    """Values of the elements, each with its line number as position."""

    texts: dict[str, Value[str]] = field(default_factory=dict)  # by title
    pfc: Value[frozenset[int]] = ABSENT
    willing: Value[bool] = ABSENT
    maps: dict[str, dict[int, tuple[Any, int]]] = field(default_factory=dict)
    lines: set[int] = field(default_factory=set)  # that something was taken from
    elements: bool = False  # a DCBX element was among them
    cut: int = 0  # line of an APP entry that the text ends within
    doubled: list[tuple[int, int, int, int]] = field(default_factory=list)
    """A DSCP under two priorities: the DSCP, both priorities, and the line of the first."""

    def pair(self, what: str, key: int, value: object, number: int) -> None:
        """Add one entry of a map; a DSCP under a second priority is noted."""
        first, line = self.maps.setdefault(what, {}).setdefault(key, (value, number))
        if first != value and what == "DSCP to priority":
            self.doubled.append((key, first, whole_of(str(value)), line))
        self.lines.add(number)


def read_tlv_text(lines: Iterable[tuple[int, str]]) -> TlvText:
    """Read stripped lines with their numbers."""
    found = TlvText()
    title = ""
    opened = 0
    block: dict[str, Value[str]] = {}
    for number, line in lines:
        head = _TITLE.match(line)
        if head:
            _app_block(found, block)
            title, block = head["title"], {}
            if title in (ETS, PFC, APP):
                found.elements = True
                found.lines.add(number)
        elif title == PFC:
            _pfc(found, number, line)
        elif title == ETS:
            _ets(found, number, line)
        elif title == APP:
            if _APP_BLOCK.match(line):
                _app_block(found, block)
                block = {}
                opened = number
                found.lines.add(number)
            else:
                _app(found, block, number, line)
        elif title and title not in found.texts:
            found.texts[title] = Value(line, number)
    _app_block(found, block)
    if title == APP and opened and len(block) < WHOLE_BLOCK:
        found.cut = opened
    return found


def _pfc(found: TlvText, number: int, line: str) -> None:
    match = _FIELD.match(line)
    if match is None:
        return
    if match["key"] == "PFC enabled":
        words = match["value"].replace(",", " ").split()
        numbers = [] if words == ["none"] else [priority(word) for word in words]
        if None not in numbers:
            found.pfc = Value(frozenset(n for n in numbers if n is not None), number)
            found.lines.add(number)
    elif match["key"] == "Willing" and match["value"] in ("yes", "no"):
        found.willing = Value(match["value"] == "yes", number)
        found.lines.add(number)


def _ets(found: TlvText, number: int, line: str) -> None:
    match = _FIELD.match(line)
    if match is None:
        return
    key, words = match["key"], match["value"].split()
    if key == "TC Bandwidth":
        for tc, word in enumerate(words[:PRIORITIES]):
            if (share := percent(word.rstrip("%"))) is not None:
                found.pair("class bandwidth", tc, share, number)
        return
    what, convert = _ETS_MAPS.get(key, ("", priority))
    for word in words if what else ():
        left, _, right = word.partition(":")
        index, value = priority(left), convert(right)
        if index is not None and value is not None:
            found.pair(what, index, value, number)


_ETS_MAPS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "PRIO_MAP": ("priority to class", priority),
    "TSA_MAP": ("class scheduling", scheduling),
}


def _app(found: TlvText, block: dict[str, Value[str]], number: int, line: str) -> None:
    """Read one line below the APP title, in lldptool form or in a block of Broadcom's."""
    dscps = _APP_DSCP.match(line)
    if dscps:
        for word in dscps["dscps"].replace(",", " ").split():
            if (dscp := whole(word, 0, 63)) is not None:
                found.pair("DSCP to priority", dscp, whole_of(dscps["priority"]) & 7, number)
    elif _APP_LINE.match(line):
        found.lines.add(number)
    elif match := _FIELD.match(line):
        block[match["key"]] = Value(match["value"], number)


def _app_block(found: TlvText, block: dict[str, Value[str]]) -> None:
    """Close a block: `Priority: 3`, `Sel: 5`, `DSCP: 26`."""
    if {"Priority", "Sel"} <= block.keys():
        found.lines.update(number for _, number in block.values())
        level = block["Priority"].map(priority)
        dscp = block.get("DSCP", ABSENT).map(lambda text: whole(text, 0, 63)).value
        if block["Sel"].value == "5" and dscp is not None and level.value is not None:
            found.pair("DSCP to priority", dscp, level.value, level.position)
