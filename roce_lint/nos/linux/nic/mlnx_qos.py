"""What `mlnx_qos -i DEV` prints: trust, DSCP map, PFC, receive buffers, ETS of one port."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, whole, witness
from roce_lint.nos.linux.tables import Table, line_of, number_list
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import decimal_of, parse_decimal
from roce_lint.text.records import Record
from roce_lint.text.source import FileRef, LineState

PRIORITIES = 8
HIGHEST = PRIORITIES - 1
DSCPS = 64

CONTROL = {"Firmware": "firmware", "OS": "os"}
"""Who controls DCBX, by the first word behind `DCBX mode:`."""

GBPS = 1_000_000_000

ROWS = (
    ("pfc", "enabled", "PFC", 1),
    ("buffer_map", "buffer", "priority to buffer", HIGHEST),
)
"""Rows of the PFC table: group, variable, what it states, highest value."""


def read_mlnx_qos(host: Host, entry: Input) -> None:
    """Take in one output of mlnx_qos."""
    if not entry.records or (port := host.port_of(entry)) is None:
        return
    _Output(host, entry, port).read()


class _Output:
    """One output while it is taken in. It is read for every port of every host, hence directly:
    most variables have one capture, on a line of this file.
    """

    def __init__(self, host: Host, entry: Input, port: str):
        self.host = host
        self.entry = entry
        self.port = port
        self.who: Witness = witness(entry)
        self.ref: FileRef = host.reading.src.files[entry.file]

    def read(self) -> None:
        """State everything the output says."""
        say = self.host.port
        say(self.port, "mlnx_qos works", Value(value=True), self.who)
        for _, warning in self._each("lldpad", "lldpad"):
            say(self.port, "lldpad", Value(value=True, position=warning.position), self.who)
        for _, mode in self._each("dcbx", "dcbx"):
            control = mode.map(lambda words: CONTROL.get(words.split()[0]))
            say(self.port, "dcbx control", control, self.who)
        for _, trust in self._each("trust", "trust"):
            say(self.port, "trust", trust, self.who)
        for _, priority in self._each("default_priority", "default_priority"):
            number = priority.map(lambda text: whole(text, 0, HIGHEST))
            say(self.port, "default priority", number, self.who)
        for _, length in self._each("cable", "cable"):
            say(self.port, "cable length", length.map(decimal_of), self.who)
        self._dscp_map()
        self._rows()
        self._classes()

    def _each(self, group: str, variable: str) -> Iterator[tuple[Record, Value[str]]]:
        for record in self.entry.records.get(group, ()):
            value = self._value(record, variable)
            if value:
                yield record, value

    def _value(self, record: Record, variable: str) -> Value[str]:
        found = record.values.get(variable)
        if found is None:
            return ABSENT
        text, position = found[-1]
        self.ref.states[position - self.ref.first - 1] = LineState.UNDERSTOOD
        return Value(text, position)

    def _state(self, what: str, table: Table) -> None:
        self.host.port_table(self.port, what, table, self.who)

    def _bad(self, message: str, position: int) -> None:
        self.host.reading.note(NoteKind.BAD_VALUE, message, position)

    def _dscp_map(self) -> None:
        entries: dict[int, int] = {}
        places: dict[int, int] = {}
        doubtful: set[int] = set()
        mapped = self.entry.records.get("dscp_map", ())
        damaged = self.entry.text.text.count("prio:") > len(mapped)
        for record, text in self._each("dscp_map", "dscps"):
            priority = whole(self._value(record, "priority").value or "", 0, HIGHEST)
            dscps = _dscps(text.value or "")
            if priority is None or None in dscps:
                damaged = True
                self._bad("the line does not map DSCPs to a priority from 0 to 7", text.position)
            for dscp in dscps:
                if dscp is None or priority is None:
                    continue
                if entries.setdefault(dscp, priority) != priority:
                    doubtful.add(dscp)
                    self.host.claims.ambiguous(
                        f"{self.port}: DSCP {dscp} is mapped to priority {entries[dscp]} and"
                        f" {priority}; which one the NIC uses is not known",
                        places[dscp],
                        text.position,
                    )
                places.setdefault(dscp, text.position)
        if entries:
            # What a damaged line mapped is not known: an entry that is missing may stand there.
            place = _place(places)
            table = Table(entries, place, whole=not damaged, doubtful=frozenset(doubtful))
            self._state("DSCP to priority", table)

    def _rows(self) -> None:
        for group, variable, what, highest in ROWS:
            for _, row in self._each(group, variable):
                numbers = _numbers((row.value or "").replace(",", " "), highest)
                if numbers is None:
                    message = f"{row.value!r} is not a number for each of 8 priorities"
                    self._bad(message, row.position)
                else:
                    self._state(what, Table(number_list(numbers), line_of(row.position)))
        for _, row in self._each("buffers", "sizes"):
            sizes = _numbers((row.value or "").replace(",", " "), 1 << 31)
            if sizes is None:
                self._bad(f"{row.value!r} is not a size for each of 8 buffers", row.position)
            else:
                self._state("buffer size", Table(number_list(sizes), line_of(row.position)))

    def _classes(self) -> None:
        queues: dict[int, int] = {}
        kinds: dict[int, str] = {}
        shares: dict[int, int] = {}
        rates: dict[int, int | None] = {}
        lines: dict[int, int] = {}
        priority_lines: dict[int, int] = {}
        for record, text in self._each("tc", "tc"):
            number = whole(text.value or "", 0, HIGHEST)
            if number is None:
                self._bad(f"there is no traffic class {text.value}", text.position)
                continue
            lines[number] = text.position
            kind = self._value(record, "tsa").value
            if kind is not None:
                kinds[number] = kind
            share = whole(self._value(record, "bandwidth").value or "", 0, 100)
            if share is not None:
                shares[number] = share
            rates[number] = _rate(self._value(record, "ratelimit").value or "")
            for child in record.children.get("priorities", ()):
                stated = self._value(child, "priority")
                priority = whole(stated.value or "", 0, HIGHEST)
                if priority is None:
                    continue
                if queues.setdefault(priority, number) != number:
                    self.host.claims.ambiguous(
                        f"{self.port}: priority {priority} is in traffic class {queues[priority]}"
                        f" and in {number}; which one the NIC uses is not known",
                        priority_lines[priority],
                        stated.position,
                    )
                priority_lines.setdefault(priority, stated.position)
        if queues:
            complete = len(queues) == PRIORITIES
            self._state("priority to class", Table(queues, _place(priority_lines), complete))
        place = _place(lines)
        if kinds:
            self._state("class scheduling", Table(dict(kinds), place, whole=False))
        if shares:
            self._state("class bandwidth", Table(dict(shares), place, whole=False))
        if rates:
            self._state("class rate limit", Table(dict(rates), place, whole=False))


def _place(lines: dict[int, int]) -> Callable[[int], int]:
    begin = next(iter(lines.values()), 0)
    return lambda number: lines.get(number, begin)


@lru_cache(maxsize=1024)
def _dscps(text: str) -> tuple[int | None, ...]:
    """The code points of `07,06,05,`, None for what is none; hosts of a site print the same few
    lists.
    """
    return tuple(whole(part, 0, DSCPS - 1) for part in text.split(",") if part)


@lru_cache(maxsize=1024)
def _numbers(text: str, highest: int) -> tuple[int, ...] | None:
    """Eight numbers up to `highest`."""
    numbers = [whole(part, 0, highest) for part in text.split()]
    if len(numbers) != PRIORITIES or None in numbers:
        return None
    return tuple(number for number in numbers if number is not None)


@lru_cache(maxsize=1024)
def _rate(text: str) -> int | None:
    """Bits per second of `100.0 Gbps`; None for `unlimited`."""
    try:
        return round(parse_decimal(text.split(" ", 1)[0]) * GBPS)
    except (ValueError, OverflowError):
        return None
