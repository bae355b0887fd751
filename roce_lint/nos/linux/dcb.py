"""iproute2 `dcb` output for one port, as JSON and text: PFC, ETS, APP table, buffers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.model.units import parse_dscp
from roce_lint.nos.linux.claims import Table, Witness, line_of
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import parse_decimal, real, whole_part

PRIORITIES = 8
HIGHEST = PRIORITIES - 1
DSCPS = 64

Parser = Callable[[str], Any]

_LISTS = (
    ("prio_pfc", "PFC", 1),
    ("prio_tc", "priority to class", HIGHEST),
    ("tc_bw", "class bandwidth", 100),
    ("prio_buffer", "priority to buffer", HIGHEST),
    ("buffer_size", "buffer size", 1 << 31),
)
"""Lists of eight numbers in JSON: key, field, highest value."""


def read_json(host: Host, entry: Input) -> None:
    """Read one `dcb -j ... show`, identified by its keys."""
    data = entry.tree
    if not isinstance(data, dict) or (port := host.port_of(entry)) is None:
        return
    output = _Output(host, entry, port, witness(entry))
    for key, what, highest in _LISTS:
        output.numbers(key, what, highest)
    kinds = data.get("tc_tsa")
    if isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds):
        output.listed("tc_tsa", "class scheduling", kinds[:PRIORITIES])
    if entry.source.name == "dcb-app-json":
        output.app_json()
    elif entry.source.name == "dcb-dcbx-json":
        output.dcbx({key for key, on in data.items() if on is True}, host.at(entry))
    if isinstance(order := data.get("order"), list):
        output.trust(" ".join(map(str, order)), host.at(entry, "order"))
    if isinstance(delay := data.get("delay"), int):
        output.delay(delay, host.at(entry, "delay"))


def read_text(host: Host, entry: Input) -> None:
    """Read the text form of `dcb ... show`: one line per subject, with `number:value` pairs."""
    lines = [(number, *line.partition(" ")[::2]) for number, line in lines_of(entry)]
    known = {*TEXT_TABLES, *TEXT_LINES, "host", "lld-managed", "cee", "ieee", "static"}
    lines = [line for line in lines if line[1] in known]
    if not lines or (port := host.port_of(entry)) is None:
        return
    output = _Output(host, entry, port, witness(entry))
    for number, word, rest in lines:
        position = host.line(entry, number)
        if word in TEXT_TABLES:
            what, convert = TEXT_TABLES[word]
            entries = dict(output.pairs(rest, priority, convert, position))
            output.table(what, Table(entries, line_of(position), is_all(entries)))
        elif word in TEXT_LINES:
            TEXT_LINES[word](output, rest, position)
        else:
            output.dcbx({word, *rest.split()}, position)


@dataclass(slots=True)
class _Output:
    """One output about one port."""

    host: Host
    entry: Input
    port: str
    who: Witness

    def state(self, what: str, value: Any, position: int) -> None:
        self.host.port(self.port, what, Value(value, position), self.who)

    def table(self, what: str, table: Table) -> None:
        self.host.port_table(self.port, what, table, self.who)

    def numbers(self, key: str, what: str, highest: int) -> None:
        """Record a list of eight numbers or booleans under `key`; anything else is noted."""
        found = self.entry.tree.get(key)
        of_all = isinstance(found, list) and len(found) == PRIORITIES
        if of_all and all(isinstance(n, int) and 0 <= n <= highest for n in found):
            self.listed(key, what, [whole_part(number) for number in found])
        elif found is not None:
            position = self.host.at(self.entry, key)
            self.host.bad(f"{key} is not a number for each of 8 priorities", position)

    def listed(self, key: str, what: str, values: list[Any]) -> None:
        """Record a list as a table with a place for each of its values."""
        self.host.mark(self.entry, key)
        entries = dict(enumerate(values))
        self.table(what, Table(entries, lambda row: self.host.spot(self.entry, key, row)))

    def app_json(self) -> None:
        """Record the DSCP entries and the default priority of `dcb -j app show`."""
        host, entry = self.host, self.entry
        pairs = entry.tree.get("dscp_prio", [])
        rows = [
            (row, pair[0], pair[1])
            for row, pair in enumerate(pairs if isinstance(pairs, list) else [])
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair)
        ]
        begin = host.spot(entry)
        host.mark(entry, "dscp_prio")
        damaged = not isinstance(pairs, list) or len(rows) < len(pairs)
        if damaged:
            message = "dscp_prio is not a list of pairs of a DSCP and a priority"
            host.bad(message, host.at(entry, "dscp_prio"))
        places = {dscp: row for row, dscp, _ in reversed(rows)}

        def place(dscp: int) -> int:
            return host.spot(entry, "dscp_prio", places[dscp]) if dscp in places else begin

        self.app([(dscp, priority) for _, dscp, priority in rows], place, whole_table=not damaged)
        default = entry.tree.get("default_prio")
        if isinstance(default, list) and len(default) == 1 and isinstance(default[0], int):
            self.state("default priority", default[0], host.at(entry, "default_prio", 0))

    def app(
        self, pairs: list[tuple[int, int]], place: Callable[[int], int], *, whole_table: bool = True
    ) -> None:
        """Record the DSCP entries of an APP table. One DSCP may have two priorities; the subject
        of a damaged entry is unknown.
        """
        entries: dict[int, int] = {}
        doubtful: set[int] = set()
        for dscp, priority in pairs:
            if not (0 <= dscp < DSCPS and 0 <= priority < PRIORITIES):
                self.host.bad(f"DSCP {dscp} to priority {priority} is out of range", place(dscp))
                whole_table = False
            elif entries.setdefault(dscp, priority) != priority:
                doubtful.add(dscp)
                self.host.note_two_priorities(self.port, dscp, entries[dscp], priority, place(dscp))
        self.table("DSCP to priority", Table(entries, place, whole_table, frozenset(doubtful)))

    def dcbx(self, words: set[str], position: int) -> None:
        """Record the active DCBX modes; `host` is the operating system's control."""
        if words:
            self.state("dcbx control", "os" if "host" in words else "firmware", position)
            version = next((word for word in ("ieee", "cee") if word in words), None)
            self.state("dcbx", version, position)

    def trust(self, order: str, position: int) -> None:
        """Record the order of trust."""
        trusted = " ".join(word for word in order.split() if word in ("dscp", "pcp"))
        names = {"dscp": "dscp", "pcp": "pcp", "dscp pcp": "both", "": "none"}
        if trusted not in names:
            message = f"{self.port}: trust in the order {order} is not modelled"
            self.host.reading.note(NoteKind.UNRECOGNISED, message, position)
        self.state("trust", names.get(trusted), position)

    def delay(self, delay: int | None, position: int) -> None:
        """PFC delay: cable length in metres for mlx5, although the manual states bit times."""
        if delay is not None and self.host.is_mlx5(self.port):
            self.state("cable length", real(delay), position)

    def pairs(
        self, text: str, key: Parser, convert: Parser, position: int
    ) -> Iterator[tuple[int, Any]]:
        """`number:value` pairs; others are noted."""
        for pair in text.split():
            left, _, right = pair.partition(":")
            number, value = key(left), convert(right)
            if number is None or value is None:
                self.host.bad(f"{pair!r} is not understood", position)
            else:
                yield number, value

    def app_text(self, rest: str, position: int) -> None:
        """`dscp-prio 26:3 48:6`."""
        self.app([*self.pairs(rest, parse_dscp, priority, position)], line_of(position))

    def delay_text(self, rest: str, position: int) -> None:
        """`pfc-cap 8 macsec-bypass off delay 32`."""
        words = rest.split()
        if "delay" in words[:-1]:
            self.delay(whole(words[words.index("delay") + 1]), position)


def is_all(entries: dict[int, Any]) -> bool:
    """True if a table covers every priority."""
    return len(entries) == PRIORITIES


def priority(text: str) -> int | None:
    """A priority, class or buffer number."""
    return whole(text, 0, HIGHEST)


def percent(text: str) -> int | None:
    """A share of the link."""
    return whole(text, 0, 100)


def scheduling(text: str) -> str | None:
    """The name of a transmission selection algorithm (IEEE 802.1Q table 8-5)."""
    return text if text in ("strict", "ets", "cbs", "vendor") else None


def size(text: str) -> int | None:
    """Bytes of `130944b`, `128Kb` or a bare number (iproute2 lib/utils.c, print_size)."""
    digits = text.rstrip("bKMG")
    units = {"b": 1, "Kb": 1 << 10, "Mb": 1 << 20, "Gb": 1 << 30}
    unit = units.get(text[len(digits) :] or "b")
    try:
        return round(parse_decimal(digits) * unit) if unit and len(digits) < 16 else None
    except (ValueError, OverflowError):
        return None


TEXT_TABLES: dict[str, tuple[str, Parser]] = {
    "prio-pfc": ("PFC", {"on": 1, "off": 0}.get),
    "prio-tc": ("priority to class", priority),
    "tc-bw": ("class bandwidth", percent),
    "tc-tsa": ("class scheduling", scheduling),
    "prio-buffer": ("priority to buffer", priority),
    "buffer-size": ("buffer size", size),
}
"""Lines of `number:value` pairs: their field, and the parser of a value."""

TEXT_LINES: dict[str, Callable[[_Output, str, int], None]] = {
    "dscp-prio": _Output.app_text,
    "default-prio": lambda output, rest, at: output.state("default priority", priority(rest), at),
    "pfc-cap": _Output.delay_text,
    "order:": _Output.trust,
}
