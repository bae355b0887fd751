"""TLVs as text: DCBX elements in output of `lldptool` and Broadcom's tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from roce_lint.nos.linux.dcb import PRIORITIES, percent, priority, scheduling
from roce_lint.nos.linux.host import whole
from roce_lint.text.numbers import whole_of

_TITLE = re.compile(r"(?P<title>\S.*\S) TLV:?$")
_APP_LINE = re.compile(r"App#\s*\d+\s+Prio (?P<priority>\d)\s+Sel (?P<selector>\d)\s")
_APP_DSCP = re.compile(r"Prio:(?P<priority>\d)\s+dscp:\s*+(?P<dscps>[\d, ]*)$")
_APP_BLOCK = re.compile(r"APP#\d+:$")
_FIELD = re.compile(r"(?P<key>[A-Za-z]\w*+(?: +\w++)*+)\s*+:\s*+(?P<value>\S.*)$")

ETS, PFC, APP = "IEEE 8021QAZ ETS Configuration", "IEEE 8021QAZ PFC", "IEEE 8021QAZ APP"

DSCP_SELECTOR = "5"

WHOLE_BLOCK = 3
"""Lines of an APP entry: priority, selector, and selected value."""


@dataclass(slots=True)
class TlvText:
    """Values of the elements, each with its line number."""

    texts: dict[str, tuple[str, int]] = field(default_factory=dict)  # by title
    pfc: tuple[frozenset[int], int] | None = None
    willing: tuple[bool, int] | None = None
    maps: dict[str, dict[int, tuple[Any, int]]] = field(default_factory=dict)
    lines: set[int] = field(default_factory=set)  # that something was taken from
    elements: bool = False  # a DCBX element was among them
    cut: int = 0  # line of an APP entry that the text ends within
    doubled: list[tuple[int, int, int, int]] = field(default_factory=list)
    """A DSCP under two priorities: the DSCP, both priorities, and the line of the first."""

    def pair(self, what: str, key: int, value: object, number: int) -> None:
        """Add one entry of a map; a DSCP under a second priority is noted."""
        entries = self.maps.setdefault(what, {})
        if key in entries and entries[key][0] != value and what == "DSCP to priority":
            self.doubled.append((key, entries[key][0], whole_of(str(value)), entries[key][1]))
        entries.setdefault(key, (value, number))
        self.lines.add(number)


def read_tlv_text(lines: Iterable[tuple[int, str]]) -> TlvText:
    """Read stripped lines with their numbers."""
    found = TlvText()
    title = ""
    opened = 0
    block: dict[str, tuple[str, int]] = {}
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
            found.texts[title] = (line, number)
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
            found.pfc = (frozenset(n for n in numbers if n is not None), number)
            found.lines.add(number)
    elif match["key"] == "Willing" and match["value"] in ("yes", "no"):
        found.willing = (match["value"] == "yes", number)
        found.lines.add(number)


def _ets(found: TlvText, number: int, line: str) -> None:
    match = _FIELD.match(line)
    if match is None:
        return
    key, words = match["key"], match["value"].split()
    if key == "TC Bandwidth":
        pairs = [(tc, percent(word.rstrip("%"))) for tc, word in enumerate(words[:PRIORITIES])]
        for tc, share in pairs:
            if share is not None:
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


def _app(found: TlvText, block: dict[str, tuple[str, int]], number: int, line: str) -> None:
    """Read one line below the APP title, in lldptool form or in a block of Broadcom's."""
    dscps = _APP_DSCP.match(line)
    if dscps:
        for word in dscps["dscps"].replace(",", " ").split():
            dscp = whole(word, 0, 63)
            if dscp is not None:
                found.pair("DSCP to priority", dscp, whole_of(dscps["priority"]) & 7, number)
        return
    if _APP_LINE.match(line):
        found.lines.add(number)
        return
    match = _FIELD.match(line)
    if match:
        block[match["key"]] = (match["value"], number)


def _app_block(found: TlvText, block: dict[str, tuple[str, int]]) -> None:
    """Close a block: `Priority: 3`, `Sel: 5`, `DSCP: 26`."""
    if not {"Priority", "Sel"} <= block.keys():
        return
    found.lines.update(number for _, number in block.values())
    digits, number = block["Priority"]
    level = priority(digits)
    text, _ = block.get("DSCP", ("", 0))
    dscp = whole(text, 0, 63)
    if block["Sel"][0] == DSCP_SELECTOR and dscp is not None and level is not None:
        found.pair("DSCP to priority", dscp, level, number)
