"""iproute2 `dcb` output for one port, as JSON and text: PFC, ETS, APP table, buffers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.model.units import parse_dscp
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.linux.tables import Table, line_of, number_list
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import parse_decimal, real, whole_part

PRIORITIES = 8
HIGHEST = PRIORITIES - 1
DSCPS = 64

Place = Callable[[int], int]

SIZE_UNITS = {"b": 1, "Kb": 1 << 10, "Mb": 1 << 20, "Gb": 1 << 30}
"""Units of buffer sizes in dcb output (iproute2 lib/utils.c, print_size)."""

DCBX_WORDS = ("host", "lld-managed", "cee", "ieee", "static")
"""Words of `dcb dcbx show`: the active modes, on one line."""

CONTROL = {True: "os", False: "firmware"}
"""Controller of the port, by whether the DCBX mode has `host`."""


def read_json(host: Host, entry: Input) -> None:
    """Read one `dcb -j ... show`, identified by its keys."""
    data = entry.tree
    if not isinstance(data, dict) or (port := host.port_of(entry)) is None:
        return
    who = witness(entry)
    for key, what, highest in (
        ("prio_pfc", "PFC", 1),
        ("prio_tc", "priority to class", HIGHEST),
        ("tc_bw", "class bandwidth", 100),
        ("prio_buffer", "priority to buffer", HIGHEST),
        ("buffer_size", "buffer size", 1 << 31),
    ):
        numbers = _numbers(host, entry, key, highest)
        if numbers:
            host.port_table(port, what, Table(number_list(numbers), _path(host, entry, key)), who)
    kinds = data.get("tc_tsa")
    if isinstance(kinds, list) and all(isinstance(kind, str) for kind in kinds):
        kinds_table = Table(number_list(kinds[:PRIORITIES]), _path(host, entry, "tc_tsa"))
        host.port_table(port, "class scheduling", kinds_table, who)
    if entry.source.name == "dcb-app-json":
        _app_json(host, entry, port, who)
    elif entry.source.name == "dcb-dcbx-json":
        words = frozenset(key for key, on in data.items() if on is True)
        _dcbx(host, port, words, host.at(entry), who)
    order = data.get("order")
    if isinstance(order, list):
        words_in_order = [str(word) for word in order]
        _trust(host, port, words_in_order, host.at(entry, "order"), who)
    delay = data.get("delay")
    if isinstance(delay, int):
        _delay(host, port, Value(delay, host.at(entry, "delay")), who)


def read_text(host: Host, entry: Input) -> None:
    """Read the text form of `dcb ... show`: one line per subject, with `number:value` pairs."""
    lines = [(number, *line.partition(" ")[::2]) for number, line in lines_of(entry)]
    known = {**TEXT_TABLES, **TEXT_LINES, **dict.fromkeys(DCBX_WORDS)}
    if not any(word in known for _, word, _ in lines) or (port := host.port_of(entry)) is None:
        return
    who = witness(entry)
    for number, word, rest in lines:
        if word in TEXT_TABLES:
            what, convert = TEXT_TABLES[word]
            position = host.line(entry, number)
            table = _pairs(host, rest, convert, position)
            host.port_table(port, what, table, who)
        elif word in TEXT_LINES:
            TEXT_LINES[word](host, port, rest, host.line(entry, number), who)
        elif word in DCBX_WORDS:
            _dcbx(host, port, frozenset((word, *rest.split())), host.line(entry, number), who)


def _numbers(host: Host, entry: Input, key: str, highest: int) -> list[int] | None:
    """A list of eight numbers or booleans under `key`; anything else is noted."""
    found = entry.tree.get(key)
    if found is None:
        return None
    good = (
        isinstance(found, list)
        and len(found) == PRIORITIES
        and all(isinstance(n, int) and 0 <= n <= highest for n in found)
    )
    if not good:
        message = f"{key} is not a number for each of 8 priorities"
        host.reading.note(NoteKind.BAD_VALUE, message, host.at(entry, key))
        return None
    return [whole_part(number) for number in found]


def _path(host: Host, entry: Input, *keys: Hashable) -> Place:
    host.mark(entry, *keys)
    return lambda index: host.spot(entry, *keys, index)


def _app_json(host: Host, entry: Input, port: str, who: Witness) -> None:
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
        host.reading.note(NoteKind.BAD_VALUE, message, host.at(entry, "dscp_prio"))
    places = {dscp: row for row, dscp, _ in reversed(rows)}

    def place(dscp: int) -> int:
        return host.spot(entry, "dscp_prio", places[dscp]) if dscp in places else begin

    found = [(dscp, priority) for _, dscp, priority in rows]
    _app(host, port, found, place, who, whole_table=not damaged)
    default = entry.tree.get("default_prio")
    if isinstance(default, list) and len(default) == 1 and isinstance(default[0], int):
        position = host.at(entry, "default_prio", 0)
        host.port(port, "default priority", Value(default[0], position), who)


def _app(
    host: Host,
    port: str,
    pairs: list[tuple[int, int]],
    place: Place,
    who: Witness,
    *,
    whole_table: bool = True,
) -> None:
    """Record the DSCP entries of an APP table. One DSCP may have two priorities; the subject of a
    damaged entry is unknown.
    """
    entries: dict[int, int] = {}
    doubtful: set[int] = set()
    for dscp, priority in pairs:
        if not (0 <= dscp < DSCPS and 0 <= priority < PRIORITIES):
            message = f"DSCP {dscp} to priority {priority} is out of range"
            host.reading.note(NoteKind.BAD_VALUE, message, place(dscp))
            whole_table = False
            continue
        if entries.setdefault(dscp, priority) != priority:
            doubtful.add(dscp)
            host.claims.ambiguous(
                f"{port}: DSCP {dscp} is mapped to priority {entries[dscp]} and {priority};"
                " which one the NIC uses is not known",
                place(dscp),
            )
    table = Table(entries, place, whole_table, frozenset(doubtful))
    host.port_table(port, "DSCP to priority", table, who)


def _dcbx(host: Host, port: str, words: frozenset[str], position: int, who: Witness) -> None:
    if not words:
        return
    control = CONTROL["host" in words]
    host.port(port, "dcbx control", Value(control, position), who)
    version = next((word for word in ("ieee", "cee") if word in words), None)
    host.port(port, "dcbx", Value(version, position), who)


def _trust(host: Host, port: str, order: list[str], position: int, who: Witness) -> None:
    trusted = [word for word in order if word in ("dscp", "pcp")]
    names = {("dscp",): "dscp", ("pcp",): "pcp", ("dscp", "pcp"): "both", (): "none"}
    name = names.get(tuple(trusted))
    if name is None:
        message = f"{port}: trust in the order {' '.join(order)} is not modelled"
        host.reading.note(NoteKind.UNRECOGNISED, message, position)
    host.port(port, "trust", Value(name, position), who)


def _delay(host: Host, port: str, delay: Value[int], who: Witness) -> None:
    """PFC delay: cable length in metres for mlx5, although the manual states bit times."""
    if host.is_mlx5(port):
        host.port(port, "cable length", delay.map(real), who)


def _pairs(host: Host, text: str, convert: Callable[[str], Any], position: int) -> Table:
    entries: dict[int, Any] = {}
    for pair in text.split():
        left, _, right = pair.partition(":")
        number, value = whole(left, 0, HIGHEST), convert(right)
        if number is None or value is None:
            host.reading.note(NoteKind.BAD_VALUE, f"{pair!r} is not understood", position)
        else:
            entries[number] = value
    return Table(entries, line_of(position), is_all(entries))


def is_all(entries: dict[int, Any]) -> bool:
    """True if a table covers every priority."""
    return len(entries) == PRIORITIES


def priority(text: str) -> int | None:
    """A priority, class or buffer number."""
    return whole(text, 0, HIGHEST)


def percent(text: str) -> int | None:
    """A share of the link."""
    return whole(text, 0, 100)


def parse_switch(text: str) -> int | None:
    """1 for on, 0 for off."""
    return {"on": 1, "off": 0}.get(text)


def scheduling(text: str) -> str | None:
    """The name of a transmission selection algorithm (IEEE 802.1Q table 8-5)."""
    return text if text in ("strict", "ets", "cbs", "vendor") else None


def size(text: str) -> int | None:
    """Bytes of `130944b`, `128Kb` or a bare number."""
    digits = text.rstrip("bKMG")
    unit = SIZE_UNITS.get(text[len(digits) :] or "b")
    try:
        return round(parse_decimal(digits) * unit) if unit and len(digits) < 16 else None
    except (ValueError, OverflowError):
        return None


def _app_text(host: Host, port: str, rest: str, position: int, who: Witness) -> None:
    pairs = []
    for pair in rest.split():
        left, _, right = pair.partition(":")
        dscp, number = parse_dscp(left), priority(right)
        if dscp is None or number is None:
            host.reading.note(NoteKind.BAD_VALUE, f"{pair!r} is not understood", position)
        else:
            pairs.append((dscp, number))
    _app(host, port, pairs, line_of(position), who)


def _default_text(host: Host, port: str, rest: str, position: int, who: Witness) -> None:
    host.port(port, "default priority", Value(priority(rest), position), who)


def _pfc_cap_text(host: Host, port: str, rest: str, position: int, who: Witness) -> None:
    words = rest.split()
    if "delay" in words[:-1]:
        _delay(host, port, Value(whole(words[words.index("delay") + 1]), position), who)


def _trust_text(host: Host, port: str, rest: str, position: int, who: Witness) -> None:
    _trust(host, port, rest.split(), position, who)


TEXT_TABLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "prio-pfc": ("PFC", parse_switch),
    "prio-tc": ("priority to class", priority),
    "tc-bw": ("class bandwidth", percent),
    "tc-tsa": ("class scheduling", scheduling),
    "prio-buffer": ("priority to buffer", priority),
    "buffer-size": ("buffer size", size),
}
"""Lines of `number:value` pairs: their field, and the parser of a value."""

TEXT_LINES: dict[str, Callable[[Host, str, str, int, Witness], None]] = {
    "dscp-prio": _app_text,
    "default-prio": _default_text,
    "pfc-cap": _pfc_cap_text,
    "order:": _trust_text,
}
