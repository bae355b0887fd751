"""LLDP neighbours of ports with their DCBX elements (IEEE 802.1Q annex D), and their positions."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.interface import Neighbor
from roce_lint.model.qos import CodeMap
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.nos.trees import LEAF
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState

IEEE_8021 = "00,80,C2"
ETS_SUBTYPE = 9
PFC_SUBTYPE = 11
APP_SUBTYPE = 12
"""Subtypes of the DCBX elements of IEEE 802.1."""

WILLING = 0x80
"""Bit of the first octet of a PFC TLV."""

PRIORITIES = 8
DSCP_SELECTOR = 5
"""Selector of an APP entry with a DSCP as protocol (table D-9)."""

EMPTY = frozenset({"", "-", "--", "null", "n/a", "not advertised"})
"""Texts printed for an element that was not sent, in lower case."""

_ADDRESS = re.compile(
    r"[0-9a-f]{4}([.-])[0-9a-f]{4}\1[0-9a-f]{4}|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE
)
_INDEXED = re.compile(r"Interface +\d+ as \S+")
"""Description that lldpad gives a port by default."""

_OCTET = re.compile(r"[0-9a-f]{1,2}", re.IGNORECASE)


def spell_id(value: Value[str]) -> Value[str]:
    """An id or name in normal spelling: a MAC address with colons, in lower case."""
    text = (value.value or "").strip()
    if text.lower() in EMPTY:
        return ABSENT
    if _ADDRESS.fullmatch(text):
        digits = re.sub(r"\W", "", text).lower()
        text = ":".join(digits[i : i + 2] for i in range(0, 12, 2))
    return Value(text, value.position)


@dataclass(slots=True)
class Heard:
    """LLDP elements of a neighbour; `port` is as printed, `is_cut`: a column may cut the name."""

    begin: int = 0  # first line of the neighbour; 0: that of its name
    port: Value[str] = ABSENT
    device: Value[str] = ABSENT
    names: dict[str, int] = field(default_factory=dict)  # spellings of its port
    is_cut: bool = False
    max_frame: Value[int] = ABSENT
    pfc: Value[frozenset[int]] = ABSENT
    willing: Value[bool] = ABSENT
    dscps: Value[dict[int, int]] = ABSENT  # DSCP to priority
    classes: Value[dict[int, int]] = ABSENT  # priority to traffic class

    def add_name(self, name: Value[str]) -> None:
        """Add a spelling of its port."""
        if name.value:
            self.names.setdefault(name.value, name.position)

    def add_description(self, text: Value[str]) -> None:
        """Add a description of its port if it can be a name; free text is not one."""
        if text.value and (" " not in text.value or _INDEXED.fullmatch(text.value)):
            self.add_name(text)

    def take(self, subtype: int, octets: str, position: int) -> bool:
        """Read one element of IEEE 802.1; False if it is not a supported one."""
        texts = octets.split(",")
        if not all(map(_OCTET.fullmatch, texts)):
            return False
        found = [whole_of(text, 16) for text in texts]
        if subtype == PFC_SUBTYPE and len(found) >= 2:
            bits = frozenset(n for n in range(PRIORITIES) if found[1] >> n & 1)
            self.pfc = Value(bits, position)
            self.willing = Value(bool(found[0] & WILLING), position)
        elif subtype == ETS_SUBTYPE and len(found) >= 5:
            nibbles = [half for octet in found[1:5] for half in (octet >> 4, octet & 15)]
            self.classes = Value(dict(enumerate(nibbles)), position)
        elif subtype == APP_SUBTYPE:
            self.dscps = Value(dict(_dscps(found[1:])), position)
        else:
            return False
        return True

    def build(self, reading: Reading) -> Neighbor:
        """Build the neighbour; `device` must be known."""
        return reading.build(
            Neighbor,
            self.begin or self.device.position,
            device=self.device,
            names=Value(tuple(self.names), next(iter(self.names.values()), 0)),
            is_cut=self.is_cut or None,
            max_frame=self.max_frame,
            pfc_priorities=self.pfc,
            pfc_willing=self.willing,
            dscp_to_priority=_map(reading, self.dscps),
            priority_to_tc=_map(reading, self.classes),
        )


def frame_size(text: Value[str]) -> Value[int]:
    """Bytes of `9236 bytes`; absent for 0."""
    found = re.match(r"\d{1,6}\b", (text.value or "").strip(), re.ASCII)
    return Value(whole_of(found[0]) or None, text.position) if found else ABSENT


def _dscps(octets: list[int]) -> list[tuple[int, int]]:
    """DSCP and priority of the APP entries for DSCPs; entries have three octets."""
    return [
        (octets[i + 1] << 8 | octets[i + 2], octets[i] >> 5)
        for i in range(0, len(octets) - 2, 3)
        if octets[i] & 7 == DSCP_SELECTOR and octets[i + 1] == 0 and octets[i + 2] < 64
    ]


def _map(reading: Reading, stated: Value[dict[int, int]]) -> Value[CodeMap]:
    """Map of an element; all its entries have one position."""
    if not stated.value:
        return ABSENT
    at: dict[Hashable, int] = {"": stated.position}
    at.update(dict.fromkeys(stated.value, stated.position))
    codes = CodeMap(entries=stated.value, src=reading.src, at=at)
    return Value(codes, stated.position)


# Positions of lines and tree paths; taking one marks it as understood.


@dataclass(slots=True)
class Places:
    """Places in the files of one device."""

    reading: Reading

    def at(self, entry: Input, *keys: Hashable) -> int:
        """Position of a path in a tree; its value counts as read."""
        self.mark(entry, *keys)
        return self.spot(entry, *keys)

    def mark(self, entry: Input, *keys: Hashable) -> None:
        """Mark the value of a path as read. Places in lists count as one."""
        node = entry.taken
        for key in keys:
            node = node.setdefault("*" if isinstance(key, int) else key, {})
        node[LEAF] = True

    def spot(self, entry: Input, *keys: Hashable) -> int:
        """Position of a path in a tree."""
        return self.reading.src.path(entry.file, entry.root + keys)

    def line(self, entry: Input, number: int) -> int:
        """Position of a line (from 1) of a file; marks the line as understood."""
        ref = self.reading.src.files[entry.file]
        ref.states[number - 1] = LineState.UNDERSTOOD
        return ref.first + number

    def spot_of_line(self, entry: Input, number: int) -> int:
        """Position of a line (from 1) of a file."""
        return self.reading.src.files[entry.file].first + number

    @staticmethod
    def lines(entry: Input) -> list[tuple[int, str]]:
        """Stripped lines of a file with their numbers, without blanks and the command header."""
        return [
            (number, text)
            for number, line in enumerate(entry.lines, 1)
            if (text := line.strip()) and not (number == 1 and text.startswith("# command:"))
        ]
