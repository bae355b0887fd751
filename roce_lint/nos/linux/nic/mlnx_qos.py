"""`mlnx_qos`: its output (trust, DSCP map, PFC, receive buffers, ETS) and its command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from roce_lint.nos.linux.claims import Table, Witness, line_of, place_in, placed
from roce_lint.nos.linux.dcb import DSCPS, HIGHEST, PRIORITIES, is_all, percent, priority
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.host import Host, whole, witness
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.match import Record
from roce_lint.text.numbers import decimal_of, parse_decimal, real
from roce_lint.text.source import FileRef, LineState

GBPS = 1_000_000_000

SCALARS: tuple[tuple[str, str, Callable[[str], object]], ...] = (
    ("lldpad", "lldpad", lambda _: True),
    (
        "dcbx",
        "dcbx control",
        lambda text: {"Firmware": "firmware", "OS": "os"}.get(text.split()[0]),
    ),
    ("trust", "trust", str),
    ("default_priority", "default priority", priority),
    ("cable", "cable length", decimal_of),
)
"""Lines with one value: group and variable, field, parser."""

ROWS = (
    ("pfc", "enabled", "PFC", 1, "number for each of 8 priorities"),
    ("buffer_map", "buffer", "priority to buffer", HIGHEST, "number for each of 8 priorities"),
    ("buffers", "sizes", "buffer size", 1 << 31, "size for each of 8 buffers"),
)
"""Rows of eight numbers: group, variable, field, highest value, content."""


def read_mlnx_qos(host: Host, entry: Input) -> None:
    """Read one output of mlnx_qos."""
    if not entry.records or (port := host.port_of(entry)) is None:
        return
    _Output(host, entry, port).read()


class _Output:
    """One output while it is read. There is one per port of every host, so records are read
    directly: most variables have a single capture, on a line of this file.
    """

    def __init__(self, host: Host, entry: Input, port: str):
        self.host, self.entry, self.port = host, entry, port
        self.who: Witness = witness(entry)
        self.ref: FileRef = host.reading.src.files[entry.file]

    def read(self) -> None:
        """Record everything in the output."""
        self.host.port(self.port, "mlnx_qos works", Value(value=True), self.who)
        for group, what, convert in SCALARS:
            for _, value in self._each(group, group):
                self.host.port(self.port, what, value.map(convert), self.who)
        self._dscp_map()
        for group, variable, what, highest, content in ROWS:
            for _, row in self._each(group, variable):
                numbers = _numbers((row.value or "").replace(",", " "), highest)
                if numbers is None:
                    self.host.bad(f"{row.value!r} is not a {content}", row.position)
                else:
                    self._state(what, Table(dict(enumerate(numbers)), line_of(row.position)))
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

    def _dscp_map(self) -> None:
        found: dict[int, tuple[int, int]] = {}
        doubtful: set[int] = set()
        mapped = self.entry.records.get("dscp_map", ())
        damaged = self.entry.text.text.count("prio:") > len(mapped)
        for record, text in self._each("dscp_map", "dscps"):
            level = priority(self._value(record, "priority").value or "")
            dscps = _dscps(text.value or "")
            if level is None or None in dscps:
                damaged = True
                message = "the line does not map DSCPs to a priority from 0 to 7"
                self.host.bad(message, text.position)
            for dscp in dscps:
                if dscp is None or level is None:
                    continue
                first, place = found.setdefault(dscp, (level, text.position))
                if first != level:
                    doubtful.add(dscp)
                    at = (place, text.position)
                    self.host.note_two_priorities(self.port, dscp, first, level, *at)
        if found:
            # The numbers of a damaged line are unknown: they may be those without an entry.
            table = placed(found, whole=not damaged, doubtful=frozenset(doubtful))
            self._state("DSCP to priority", table)

    def _classes(self) -> None:
        queues: dict[int, tuple[int, int]] = {}
        tables: dict[str, dict[int, Any]] = {}
        lines: dict[int, int] = {}
        doubtful: set[int] = set()
        for record, text in self._each("tc", "tc"):
            number = priority(text.value or "")
            if number is None:
                self.host.bad(f"there is no traffic class {text.value}", text.position)
                continue
            lines[number] = text.position
            for what, stated in (
                ("class scheduling", self._value(record, "tsa").value),
                ("class bandwidth", percent(self._value(record, "bandwidth").value or "")),
                ("class rate limit", _rate(self._value(record, "ratelimit").value or "")),
            ):
                if stated is not None or what == "class rate limit":
                    tables.setdefault(what, {})[number] = stated
            for child in record.children.get("priorities", ()):
                level = self._value(child, "priority").map(priority)
                if level.value is None:
                    continue
                first, place = queues.setdefault(level.value, (number, level.position))
                if first != number:
                    doubtful.add(level.value)
                    message = f"priority {level.value} is in traffic class {first} and in {number}"
                    self.host.note_two(self.port, message, place, level.position)
        if queues:
            table = placed(queues, whole=is_all(queues), doubtful=frozenset(doubtful))
            self._state("priority to class", table)
        for what, entries in tables.items():
            self._state(what, Table(entries, place_in(lines), whole=False))


@lru_cache(maxsize=1024)
def _dscps(text: str) -> tuple[int | None, ...]:
    """DSCPs of `07,06,05,`, None for invalid ones; cached, as hosts of a site repeat few lists."""
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


# Command line, parsed like mlnx_qos's Python option parser.

LONG = (
    "pfc", "specific_pfc", "get_pfc", "prio_tc", "tsa", "tcbw", "ratelimit", "dcbx", "trust",
    "dscp2prio", "defltprio", "cable_len", "prio2buffer", "buffer_size", "interface", "help",
    "version",
)  # fmt: skip
"""Long options; `--help` and `--version` take no value."""

SHORT = {
    "f": "pfc", "F": "specific_pfc", "P": "get_pfc", "p": "prio_tc", "s": "tsa", "t": "tcbw",
    "r": "ratelimit", "d": "dcbx", "i": "interface", "a": "", "h": "help",
}  # fmt: skip

MEANT = {"tc_bw": "tcbw", "tc-bw": "tcbw", "prio-tc": "prio_tc", "cable-len": "cable_len"}
"""Option names of tutorials that the tool does not support."""

Options = list[tuple[str, str | None]]


def parse_options(words: Words) -> tuple[Options, str]:
    """Options with their values, and the tool's error (it then sets nothing at all)."""
    options: Options = []
    rest = [word or "" for word in words]
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            likely = [known for known in LONG if name and known.startswith(name)]
            names = [name] if name in LONG else likely
            if len(names) != 1:
                return [], _unknown(word, names)
            name = names[0]
        elif word.startswith("-") and len(word) > 1:
            if word[1] not in SHORT:
                return [], _unknown(word, [])
            name, value = SHORT[word[1]], word[2:]
            equals = value
        else:
            return [], f"{word} is neither an option nor the value of one"
        if name in ("", "help", "version"):
            continue
        if not equals:
            if not rest:
                return [], f"{word} lacks its value"
            value = rest.pop(0)
        options.append((name, value or None))
    return options, ""


def _unknown(word: str, candidates: list[str]) -> str:
    name = word.lstrip("-").split("=")[0]
    if candidates:
        return f"{word} could be --{' or --'.join(candidates)}"
    hint = f" (it is --{MEANT[name]})" if name in MEANT else ""
    return f"has no option {word.split('=', maxsplit=1)[0]}{hint}"


def without_unknown(words: Words) -> Words:
    """The words, up to an unknown option; values that only the running script knows are empty."""
    kept: list[str | None] = []
    takes_value = False
    for word in words:
        if word is None and not takes_value:
            break
        kept.append(word)
        text = word or ""
        is_option = text.startswith("-") and "=" not in text and text not in ("-a", "-h")
        takes_value = not takes_value and is_option
    if kept and takes_value:
        kept.pop()
    return tuple(kept)


def apply_options(setter: Setter, port: str | None, name: str, value: str) -> None:
    """Record the setting of one option."""
    items = value.split(",")
    if name in LISTS:
        _list(setter, port, name, items)
    elif name == "specific_pfc":
        bits = {n: int(bit == "1") for n, bit in enumerate(items[:PRIORITIES]) if bit in ("0", "1")}
        setter.port_table(port, "PFC", bits)
    elif name in WORDS and (name, value) != ("dcbx", "get"):
        what, words = WORDS[name]
        takes = " or ".join(words)
        setter.port(port, what, setter.take(f"--{name}", value, words.get, takes, port, what))
    elif name == "dscp2prio":
        _dscp2prio(setter, port, items)
    elif name == "cable_len":
        takes, metres = "0 to 65535 metres", whole(value, 0, 0xFFFF)
        setter.take("--cable_len", value, lambda _: metres, takes)
        setter.port(port, "cable length", None if metres is None else real(metres))
    elif name == "defltprio":
        _defltprio(setter, port, items)


WORDS = {
    "trust": ("trust", {"pcp": "pcp", "dscp": "dscp"}),
    "dcbx": ("dcbx control", {"os": "os", "fw": "firmware"}),
}
"""Options with one word: the field, and its values by word."""


def refuse_together(setter: Setter, port: str | None, options: Options) -> Options:
    """Options without those that the tool refuses in combination: it stops at them."""
    given = {name: value or "" for name, value in options}
    if {"trust", "dscp2prio"} <= given.keys():
        message, refused = "takes --trust and --dscp2prio in two commands", {"trust", "dscp2prio"}
        setter.wrong(message, port, "trust", "DSCP to priority")
        return [(name, value) for name, value in options if name not in refused]
    kinds, shares = given.get("tsa", "").split(","), given.get("tcbw", "").split(",")
    numbers = [whole(share, 0, 100) or 0 for share in shares]
    if len(kinds) == len(numbers) == PRIORITIES and "ets" in kinds:
        of_ets = sum(number for kind, number in zip(kinds, numbers, strict=True) if kind == "ets")
        if of_ets != 100 or sum(numbers) != 100:
            message = f"--tcbw takes 100 in all for classes with ets, not {','.join(shares)}"
            setter.wrong(message, port, "class scheduling", "class bandwidth")
            together = ("tsa", "tcbw", "prio_tc")
            return [(name, value) for name, value in options if name not in together]
    return options


LISTS = {
    "pfc": ("PFC", 1),
    "prio_tc": ("priority to class", 7),
    "prio2buffer": ("priority to buffer", 7),
    "buffer_size": ("buffer size", 1 << 31),
    "tcbw": ("class bandwidth", 100),
    "tsa": ("class scheduling", 0),
    "ratelimit": ("class rate limit", 1 << 20),
}
"""Options with a value for each priority, class or buffer, and the highest value."""


def _list(setter: Setter, port: str | None, name: str, items: list[str]) -> None:
    what, highest = LISTS[name]
    if len(items) > PRIORITIES or (name in ("pfc", "prio_tc") and len(items) != PRIORITIES):
        setter.wrong(f"--{name} wants 8 values, {','.join(items)} has {len(items)}", port, what)
        return
    entries: dict[int, Any] = {}
    for number, text in enumerate(items):
        stated: Any = whole(text, 0, highest)
        if name == "tsa":
            stated = text if text in ("strict", "ets", "vendor") else None
        if stated is None:
            setter.wrong(f"--{name} cannot take {text!r}", port, what)
            return
        entries[number] = stated * GBPS or None if name == "ratelimit" else stated
    setter.port_table(port, what, entries, whole_table=is_all(entries))


def _dscp2prio(setter: Setter, port: str | None, items: list[str]) -> None:
    """`set,26,3`; `del` and `flush` remove entries, which are then unknown."""
    if items[0] in ("del", "flush"):
        return
    to = (port, "DSCP to priority")
    if items[0] != "set" or len(items) != 3:
        given = ",".join(items)
        setter.wrong(f"--dscp2prio takes set,DSCP,PRIORITY or del,DSCP,PRIORITY, not {given}", *to)
        return
    dscp, level = whole(items[1], 0, DSCPS - 1), priority(items[2])
    if dscp is None or level is None:
        setter.wrong(f"--dscp2prio {','.join(items)} is out of range", *to)
    else:
        setter.port_table(port, "DSCP to priority", {dscp: level})


def _defltprio(setter: Setter, port: str | None, items: list[str]) -> None:
    """`set,2`; `del` removes it, and the resulting value is unknown."""
    level = priority(items[-1])
    if items[0] == "set" and len(items) == 2 and level is not None:
        setter.port(port, "default priority", level)
    elif items[0] != "del":
        setter.wrong(f"--defltprio takes set,PRIORITY or del,PRIORITY, not {','.join(items)}")
