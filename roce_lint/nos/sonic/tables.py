"""The tables of a SONiC configuration as rows of fields, in any notation.

`config_db.json` nests TABLE, key and field; a database dump has `TABLE|key` at the top; one file
may mix both, and a multi-ASIC device prints one such object per namespace. Several files of one
device (QoS and buffers rendered apart) are merged. Values keep the position of their leaf.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.refusals import Bounds, words
from roce_lint.nos.trees import TreeReader
from roce_lint.text.numbers import whole_of, whole_part

# Rows of a chassis that belong to the file's own card.


def card_of(key: str) -> tuple[str, str, str, str] | None:
    """Host, ASIC, port and rest of a key of a line card."""
    if key.count("|") != 3:
        return None
    host, asic, port, rest = key.split("|")
    return host, asic, port, rest


T = TypeVar("T")

CONFIG = "config-db"
"""Name of the source of the tables."""

LOSSLESS_QUEUE = "egress_lossless_profile"
"""Profile that images make for queues of lossless classes."""

LOOKUP = "pg-profile-lookup"
"""Name of the source of headroom by speed and cable."""


QOS_TABLES = words(
    "DSCP_TO_TC_MAP DOT1P_TO_TC_MAP TC_TO_QUEUE_MAP TC_TO_PRIORITY_GROUP_MAP TC_TO_DSCP_MAP"
    " MAP_PFC_PRIORITY_TO_QUEUE PFC_PRIORITY_TO_PRIORITY_GROUP_MAP PORT_QOS_MAP WRED_PROFILE"
    " SCHEDULER QUEUE PFC_WD"
)
BUFFER_TABLES = words(
    "BUFFER_POOL BUFFER_PROFILE BUFFER_PG BUFFER_QUEUE BUFFER_PORT_INGRESS_PROFILE_LIST"
    " BUFFER_PORT_EGRESS_PROFILE_LIST LOSSLESS_TRAFFIC_PATTERN DEFAULT_LOSSLESS_BUFFER_PARAMETER"
)
ADDRESS_TABLES = words(
    "INTERFACE PORTCHANNEL_INTERFACE VLAN_INTERFACE VLAN_SUB_INTERFACE LOOPBACK_INTERFACE"
    " MGMT_INTERFACE VOQ_INBAND_INTERFACE"
)
BGP_TABLES = words(
    "BGP_GLOBALS BGP_GLOBALS_AF BGP_GLOBALS_AF_NETWORK BGP_GLOBALS_AF_AGGREGATE_ADDR"
    " BGP_GLOBALS_LISTEN_PREFIX BGP_NEIGHBOR_AF BGP_PEER_GROUP BGP_PEER_GROUP_AF BGP_PEER_RANGE"
    " OSPFV2_ROUTER ROUTE_MAP ROUTE_REDISTRIBUTE STATIC_ROUTE"
)
"""Routing beside the sessions themselves."""
TABLES = (
    *QOS_TABLES,
    *BUFFER_TABLES,
    *ADDRESS_TABLES,
    *words(
        "ACL_TABLE ACL_RULE DEVICE_METADATA FEATURE BREAKOUT_CFG VERSIONS PORT MGMT_PORT"
        " PORTCHANNEL PORTCHANNEL_MEMBER VLAN VLAN_MEMBER CABLE_LENGTH DEVICE_NEIGHBOR"
        " DEVICE_NEIGHBOR_METADATA MCLAG_DOMAIN TUNNEL VXLAN_TUNNEL VXLAN_TUNNEL_MAP MUX_CABLE"
        " PEER_SWITCH BGP_NEIGHBOR"
    ),
    *BGP_TABLES,
    "SWITCH_HASH",
    "SWITCH_TRIMMING",
)
"""Tables that are read; all others do not affect RoCE."""

RENAMED = {"PFC_WD_TABLE": "PFC_WD"}
"""Names of older releases."""

_OLD_REFERENCE = re.compile(r"\[[A-Z0-9_]+\|([^\]]+)\]")
_WHOLE = re.compile(r"-?\d{1,19}", re.ASCII)
_NUMBER_AND_MORE = re.compile(r"\s*\d+\s*[^\s\d]", re.ASCII)
"""`5%`: some daemons of the device accept the leading number (`std::stoi`), those that read PORT
refuse it (`to_uint`).
"""
_BLANKS = " \t\n\v\f\r"
"""Blanks that a C library skips before a number."""
_SHORT = 20
"""Characters that no number of at most 19 digits has."""
_MOST_BYTES = 1 << 50
_EMPTY = "NULL"
"""Field (and value) of an empty row of the database."""
_SHOWN = 60
"""Characters of a bad value, or of a key, that a note quotes."""

MOST_PORTS = 4096
"""Ports of one key with commas."""

NOTE_LENGTH = 200
"""Maximum characters of a note about an arbitrary key."""


def whole(text: str) -> int:
    """A decimal number in ASCII digits; blanks around it do not count (`std::stoi` of orchagent).

    Raises:
        ValueError: `int` would take more (`1_000`, digits of other scripts), SONiC not.
    """
    bare = text.strip(_BLANKS)
    if not _WHOLE.fullmatch(bare):
        raise ValueError("not a whole number")
    return whole_of(bare)


def within(low: int, high: int) -> Callable[[str], int]:
    """Conversion to a whole number from `low` to `high`; it raises ValueError for others."""

    def change(text: str) -> int:
        number = whole(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return change


@lru_cache(maxsize=1024)
def number_range(text: str, highest: int) -> tuple[int, ...]:
    """The numbers of `3`, `3-4` or `0,3-4`.

    Raises:
        ValueError: no such list, or a number above `highest`.
    """
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = whole(first)
        high = whole(last) if dash else low
        if not 0 <= low <= high <= highest:
            raise ValueError("not a range of numbers")
        numbers += range(low, high + 1)
    return tuple(numbers)


def numbers_in(row: Row, text: str, highest: int, what: str) -> tuple[int, ...]:
    """The same, of the key of a row; anything but `what` is noted."""
    try:
        return number_range(text, highest)
    except ValueError:
        row.complain("", f"{text[:32]!r} is {what}", row.position)
        return ()


class Row:
    """One row of a table: the fields of one key, from all files; an absent row has no parts."""

    __slots__ = ("key", "parts", "table")

    def __init__(self, table: str, key: str):
        self.table = table
        self.key = key
        self.parts: list[TreeReader] = []

    @property
    def position(self) -> int:
        """Position of the row (its first); 0 if absent."""
        return self.parts[0].position if self.parts else 0

    def __contains__(self, name: str) -> bool:
        return any(name in part for part in self.parts)

    def fields(self) -> list[str]:
        """Names of the fields, in file order."""
        names = {str(name): None for part in self.parts for name in part.data if name != _EMPTY}
        return list(names)

    def text(self, name: str) -> Value[str]:
        """A field as text. Files that disagree leave it unknown, with a note."""
        if len(self.parts) == 1:
            return self.parts[0].text(name)
        return self._agree(name, [part.text(name) for part in self.parts])

    def strings(self, name: str) -> Value[tuple[str, ...]]:
        """A list field, or one text with commas."""
        if len(self.parts) == 1:
            return self.parts[0].strings(name)
        return self._agree(name, [part.strings(name) for part in self.parts])

    def integer(self, name: str, low: int, high: int, what: str = "") -> Value[int]:
        """A field as a whole number between `low` and `high`; another value is noted."""
        found = self.text(name)
        text = found.value
        if text is None:
            return Value(None, found.position)
        limit = self.parts[0].reading.limits.get(f"{self.table} {name}")
        if isinstance(limit, Bounds):
            low, high = whole_part(limit.low), whole_part(limit.high)
        if (
            len(text) < _SHORT
            and text.isascii()
            and text.isdigit()
            and low <= (number := whole_of(text)) <= high
        ):
            return Value(number, found.position)

        return self.convert(name, within(low, high), what or f"a whole number from {low} to {high}")

    def bytes(self, name: str) -> Value[int]:
        """A field in bytes."""
        return self.integer(name, 0, _MOST_BYTES, "a number of bytes")

    def one_of(self, name: str, choices: dict[str, T]) -> Value[T]:
        """A field with one of a few words."""
        found = self.text(name)
        if found.value is None or found.value in choices:
            return found.map(choices.__getitem__)
        return self.convert(name, choices.__getitem__, "one of " + ", ".join(choices))

    def convert(
        self, name: str, change: Callable[[str], T], what: str, limit: str = ""
    ) -> Value[T]:
        """A converted field, else a note; `limit` is the setting if it is not table and field."""
        found = self.text(name)
        if found.value is None:
            return Value(None, found.position)
        try:
            return Value(change(found.value), found.position)
        except (ValueError, KeyError, OverflowError):
            reading = self.parts[0].reading
            known = reading.limits.get(limit or f"{self.table} {name}")
            unclear = isinstance(known, Bounds) and self.table != "PORT"
            unclear = unclear and _NUMBER_AND_MORE.match(found.value) is not None
            if known is not None and not unclear:
                port = self.key if self.table == "PORT" else ""
                reading.refuse(known, found.value[:_SHOWN], found.position, port)
            else:
                self.complain(name, f"{found.value[:_SHOWN]!r} is not {what}", found.position)
            return Value(None, found.position)

    def complain(
        self, name: str, message: str, position: int, kind: NoteKind = NoteKind.BAD_VALUE
    ) -> None:
        """Note an odd field, or an odd key if no field is named."""
        place = f"{self.table}|{self.key}"[:_SHOWN]
        field = f" {name[:_SHOWN]}" if name else ""
        self.parts[0].reading.note(kind, f"{place}{field}: {message}", position)

    def _agree(self, name: str, found: list[Value[T]]) -> Value[T]:
        stated = [value for value in found if value.value is not None]
        if not stated:
            return next((value for value in found if value.position), ABSENT)
        for other in stated[1:]:
            if other.value != stated[0].value:
                message = f"{other.value!r} here and {stated[0].value!r} in another file"
                self.complain(name, message, other.position, NoteKind.CONFLICT)
                return Value(None, stated[0].position)
        return stated[0]


@dataclass(slots=True)
class Namespace:
    """The tables of one ASIC, or of the whole device on a fixed switch."""

    reading: Reading
    name: str = ""
    several: bool = False  # one of several namespaces: names of QoS objects need telling apart
    tables: dict[str, dict[str, Row]] = field(default_factory=dict)
    old_references: bool = True  # the database has, or may have, references in the old style
    old_words: bool = True  # the same of digits in place of on and off
    _noted: set[tuple[str, ...]] = field(default_factory=set)

    def __contains__(self, table: str) -> bool:
        return table in self.tables

    @property
    def metadata(self) -> Row:
        """The row about the device itself."""
        return self.row("DEVICE_METADATA", "localhost")

    def row(self, table: str, key: str) -> Row:
        """A row of a table, if only an absent one."""
        return self.rows(table).get(key) or Row(table, key)

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table by key."""
        return self.tables.get(table, {})

    def label(self, name: str) -> str:
        """A name as the device stores it; another ASIC may have a different object of that name."""
        return f"{self.name}/{name}" if self.several and self.name else name

    def define(self, kind: str, row: Row, *, matters: bool = True) -> None:
        """Declare the named structure that a row defines."""
        self.reading.names.define(kind, self.label(row.key), row.position, matters=matters)

    def refer(self, row: Row, name: str, kind: str) -> Value[str]:
        """A field with the name of another row, in the old `[TABLE|name]` or the new style."""
        parts = row.parts
        found = parts[0].text(name) if len(parts) == 1 else row.text(name)
        if not found.value or found.value == _EMPTY:
            return Value(None, found.position)
        return Value(self.bare(row, name, found.value, kind, found.position), found.position)

    def bare(self, row: Row, name: str, reference: str, kind: str, position: int) -> str:
        """The name inside one reference, counted as a reference to a structure of `kind`."""
        old = _OLD_REFERENCE.fullmatch(reference) if reference.startswith("[") else None
        target = old[1] if old else reference
        if old and not self.old_references and self.first(row.table, name):
            message = f"{reference[:_SHOWN]!r}: this version takes bare names only"
            row.complain(name, message, position, NoteKind.LEXICAL)
        self.reading.names.refer(kind, self.label(target), position)
        return target

    def first(self, *what: str) -> bool:
        """True at the first call with these words: one note is enough for all rows."""
        if what in self._noted:
            return False
        self._noted.add(what)
        return True

    def default(self, value: Value[T], default: Default) -> Value[T]:
        """The value, or the default if the field is absent (not if it is wrong)."""
        return value if value.position else self.reading.default(default)

    def port_rows(self, table: str) -> Iterator[tuple[str, str, Row]]:
        """Rows keyed by port and more, as (port, rest of the key, row).

        Older files list several ports in one key; a line card of a chassis also has the rows of its
        sister cards, `host|asic|port|rest`, which are skipped.
        """
        own = self.own_card(table)
        for row in self.rows(table).values():
            head, _, rest = row.key.partition("|")
            card = card_of(row.key)
            if card is not None:
                host, asic, head, rest = card
                mine = [name.casefold() for name in own or ()]  # files spell them in either case
                if mine not in ([host.casefold(), ""], [host.casefold(), asic.casefold()]):
                    pass_over(row)
                    continue
            ports = head.split(",", MOST_PORTS)
            if len(ports) > MOST_PORTS and self.first(table, "ports"):
                row.complain("", f"more than {MOST_PORTS} ports in one key", row.position)
            for port in ports[:MOST_PORTS]:
                yield port.strip(), rest, row

    def own_card(self, table: str) -> tuple[str, str] | None:
        """Own `host|asic` in a chassis: from the metadata, else the only card with rows. The ASIC
        is empty for any of the host; None if several cards have rows.
        """
        host, asic = (self.metadata.text(name).value for name in ("hostname", "asic_name"))
        if host:
            return host, asic or ""
        cards = {card[:2] for key in self.rows(table) if (card := card_of(key)) is not None}
        return cards.pop() if len(cards) == 1 else None

    def of_unknown_card(self, table: str) -> bool:
        """True if a table has rows of several cards, and the own one is unknown."""
        split = any(card_of(key) is not None for key in self.rows(table))
        return split and self.own_card(table) is None


def pass_over(row: Row) -> None:
    """Read a row whose settings do not matter, so that its leaves are not unrecognised."""
    for name in row.fields():
        row.text(name)
