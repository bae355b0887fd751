"""LLDP neighbours in command line outputs: tables with titles, and blocks of named values.

A system declares the words of its outputs; the common parsing is here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from roce_lint.model.device import Device
from roce_lint.model.interface import AGAIN, Interface, InterfaceKind
from roce_lint.nos.declare import Form, Plane, Signature, Source
from roce_lint.nos.heard import Heard, Places, frame_size, spell_id
from roce_lint.nos.reading import ABSENT, Input, Reading, Value
from roce_lint.text.source import LineState

PORT = "port"
SYSTEM = "system"
CHASSIS = "chassis"
PORT_ID = "port_id"
DESCRIPTION = "description"
MAX_FRAME = "max_frame"
"""Kinds of values of a column or a named value; `port` is the local one."""

CREATED = (InterfaceKind.PHYSICAL, InterfaceKind.MANAGEMENT)
"""Kinds of ports created for a received neighbour although no line configures them."""

_CUT = ("...", "\u2026", "~")
"""Marks at the end of a text truncated to its column."""

_MAC = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)
_RULE = re.compile(r"[\s|+=-]*")
_CELL = re.compile(r"\S+(?: \S+)*")
_NAMED_VALUE = re.compile(r"(?P<key>[^:]{1,80}):(?P<value>.*)")


REFUSAL = r"\A(?:# command:[^\n]*(?:\n|\Z))?[^{}\[\]]*\Z"
"""Output instead of JSON: nothing, or an error message such as that of a stopped daemon."""

NAMED = {
    "chassis id": CHASSIS,
    "port id": PORT_ID,
    "port description": DESCRIPTION,
    "system name": SYSTEM,
    "maximum frame size": MAX_FRAME,
}
"""Names of values in IEEE 802.1AB and 802.3, which most systems print."""


def kinds(spelled: str) -> dict[str, str]:
    """Kinds of values by their printed names, from `Name=kind, Other name=kind`."""
    return dict(each.split("=") for each in spelled.split(", "))


Fields = dict[str, Value[str]]
Keys = tuple[Hashable, ...]


def neighbors(
    name: str,
    command: str,
    reads: Callable[[Places, Input], Iterator[Heard]],
    *signatures: Signature,
    run: str | None = None,
    file_name: str | None = None,
    form: Form = Form.RAW,
) -> Source:
    """Source of an output with neighbours; its titles are its signature by default."""
    form = Form.JSON if isinstance(reads, Tree) else form
    if isinstance(reads, Columns) and not signatures:
        titles = " +".join(map(re.escape, list(reads.titles)[:3]))
        signatures = (Signature(rf"^{titles}", 12, "titles of the neighbours"),)
    return Source(
        name,
        form=form,
        plane=Plane.STATE,
        command=command,
        run=run,
        file_name=file_name,
        signatures=signatures,
        refusal=REFUSAL if form is Form.JSON else None,
        neighbors=reads,
    )


def _heard(fields: Fields, begin: int = 0, *, is_cut: bool = False) -> Iterator[Heard]:
    """Neighbour of these values; one without a name is known by an address only."""
    port: Value[str] = fields.get(PORT, ABSENT)
    port_id = spell_id(fields.get(PORT_ID, ABSENT))
    device = spell_id(fields.get(SYSTEM, ABSENT)) or spell_id(fields.get(CHASSIS, ABSENT))
    if not device and _MAC.fullmatch(port_id.value or ""):
        device = port_id  # a NIC whose firmware speaks for itself
    if not port.value or not device:
        return
    heard = Heard(begin=begin, port=port, device=device, is_cut=is_cut)
    heard.add_name(port_id)
    heard.add_description(spell_id(fields.get(DESCRIPTION, ABSENT)))
    heard.max_frame = frame_size(fields.get(MAX_FRAME, ABSENT))
    yield heard


# ------------------------------------------------------------------------------------------- blocks


@dataclass(frozen=True, eq=False)
class Blocks:
    """Outputs with a block of named values for each neighbour.

    `keys` maps names of values besides NAMED, in lower case, to their kinds. `begins` is the regex
    of the first line of a neighbour, `above` of a line above the neighbours of a port; their groups
    are values too. `line` parses a line, `value` the text after the name.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    begins: str = ""
    above: str | None = None
    line: re.Pattern[str] = _NAMED_VALUE
    value: str = r"(?P<value>.*)"

    def __call__(self, places: Places, entry: Input) -> Iterator[Heard]:
        """The neighbours in a file."""
        names = {**NAMED, **self.keys}
        begins, value = re.compile(self.begins), re.compile(self.value)
        above = re.compile(self.above) if self.above else None
        shared: Fields = {}
        fields: Fields = {}
        stated: set[str] = set()
        start = 0
        for number, text in places.lines(entry):
            position = places.spot_of_line(entry, number)
            if above is not None and (found := above.match(text)):
                yield from _heard(fields, start)
                shared, fields, stated = _groups_of(found, position), {}, set()
                places.line(entry, number)
                continue
            if found := begins.match(text):
                yield from _heard(fields, start)
                fields, stated = {**shared, **_groups_of(found, position)}, set()
                start = position
                places.line(entry, number)
            named = self.line.fullmatch(text)
            what = names.get(" ".join(named["key"].strip("- ").split()).lower()) if named else None
            held = value.fullmatch(named["value"].strip()) if named and what else None
            if what is None or held is None or what in stated:
                continue
            stated.add(what)
            printed = next((text for text in held.groups() if text is not None), "")
            fields[what] = Value(printed, places.line(entry, number))
        yield from _heard(fields, start)
        leave_rest(places, entry)


def _groups_of(found: re.Match[str], position: int) -> Fields:
    return {name: Value(text, position) for name, text in found.groupdict().items() if text}


# ------------------------------------------------------------------------------------------- tables


@dataclass(slots=True)
class _Row:
    """One row: the text of each column, and the columns filled to the end."""

    cells: Fields
    filled: set[str] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class Columns:
    """Outputs with a row for each neighbour below a line of titles, in whatever order.

    `spelled` maps printed titles to the kinds of their columns. A name that does not fit has a line
    above its row, or continues in the line below.
    """

    spelled: str

    @cached_property
    def titles(self) -> dict[str, str]:
        """Kinds of columns by title."""
        return kinds(self.spelled)

    @cached_property
    def _title(self) -> re.Pattern[str]:
        longest = sorted(self.titles, key=len, reverse=True)
        words = "|".join(rf"{re.escape(title)}" for title in longest)
        return re.compile(rf"(?<!\S)(?:{words})(?!\S)")

    def __call__(self, places: Places, entry: Input) -> Iterator[Heard]:
        """The neighbours in a file."""
        for row in self._rows(places, entry):
            if PORT_ID in row.filled:
                del row.cells[PORT_ID]  # it may be the beginning of another port's name
            found = [*_heard(row.cells, is_cut=SYSTEM in row.filled)]
            state = LineState.UNDERSTOOD if found else LineState.UNRECOGNISED
            for value in row.cells.values():
                places.reading.mark(value.position, state)
            yield from found
        leave_rest(places, entry)

    def _rows(self, places: Places, entry: Input) -> list[_Row]:
        """Rows of all tables; a continuation line is part of its row."""
        columns: list[tuple[int, str]] = []
        boxed = False
        rows: list[_Row] = []
        above: Value[str] = ABSENT
        for number, line in enumerate(entry.lines, 1):
            if found := self._columns(line):
                columns, boxed, above = found, "|" in line, ABSENT
                continue
            if not columns or _RULE.fullmatch(line):
                continue
            row = _Row({})
            position = places.spot_of_line(entry, number)
            for begin, text in _box_cells(line, columns) if boxed else _text_cells(line, columns):
                _put(row, columns, begin, text, position, boxed=boxed)
            if any(char.isdigit() for char in row.cells.get(PORT, ABSENT).value or ""):
                row.cells.setdefault(SYSTEM, above)
                above = ABSENT
                rows.append(row)
            elif rows and (boxed or (_is_alone(row) and SYSTEM in rows[-1].filled)):
                _continue(rows[-1], row)
            elif _is_alone(row):
                above = row.cells[SYSTEM]
        return rows

    def _columns(self, line: str) -> list[tuple[int, str]]:
        """Columns and their offsets, if a line is a title line."""
        found = [(title.start(), self.titles[title[0]]) for title in self._title.finditer(line)]
        held = {what for _, what in found}
        if PORT not in held or not held & {SYSTEM, CHASSIS}:
            return []
        rest = self._title.sub(lambda title: " " * len(title[0]), line).replace("|", " ")
        found += [(other.start(), "") for other in _CELL.finditer(rest)]
        return sorted(found)


def _is_alone(row: _Row) -> bool:
    """Whether a line holds only a name."""
    return row.cells.keys() == {SYSTEM} and " " not in (row.cells[SYSTEM].value or "")


def _box_cells(line: str, columns: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Cells of a line between bars, each with the offset of its column."""
    cells = line.strip().strip("|").split("|")
    if len(cells) == len(columns):
        for (begin, _), cell in zip(columns, cells, strict=True):
            yield begin, cell.strip()


def _text_cells(line: str, columns: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Cells of a line with their offsets: those of the columns if there is one cell for each, even
    after a long text has shifted the following ones.
    """
    cells = list(_CELL.finditer(line))
    if len(cells) == len(columns):
        yield from ((begin, cell[0]) for (begin, _), cell in zip(columns, cells, strict=True))
        return
    for cell in cells:
        start = cell.start()
        for begin, _ in columns:
            if start < begin < cell.end() and line[begin - 1] == " ":
                yield start, line[start : begin - 1].rstrip()
                start = begin
        yield start, line[start : cell.end()]


def _put(
    row: _Row, columns: list[tuple[int, str]], begin: int, text: str, position: int, *, boxed: bool
) -> None:
    """Put a text into the column at its offset."""
    index = max((n for n, (start, _) in enumerate(columns) if start <= begin), default=-1)
    what = columns[index][1] if index >= 0 else ""
    if not what or not text:
        return
    if text.endswith(_CUT):
        text = text.rstrip(".\u2026~")
        row.filled.add(what)
    last = index + 1 == len(columns)
    if not boxed and not last and begin + len(text) == columns[index + 1][0] - 1:
        row.filled.add(what)
    row.cells.setdefault(what, Value(text, position))


def _continue(row: _Row, more: _Row) -> None:
    """Add the rest of texts that did not fit into their columns."""
    for what, value in more.cells.items():
        known = row.cells.get(what)
        if known is not None:
            row.cells[what] = Value(f"{known.value}{value.value}", known.position)
            row.filled.discard(what)


def leave_rest(places: Places, entry: Input) -> None:
    """Mark lines of an output that name no neighbour as known."""
    ref = places.reading.src.files[entry.file]
    ref.states = ref.states.replace(bytes([LineState.UNCLAIMED]), bytes([LineState.IGNORED]))


# -------------------------------------------------------------------------------------------- trees


@dataclass(frozen=True, eq=False)
class Tree:
    """Outputs in JSON with an entry for each neighbour.

    `path` leads to the entries: `*` is each of a list, or the one where there is no list, `**` each
    value of a mapping by ports. `keys` maps names to kinds, at any step of the path; `a/b` is a
    nested name. Names may have a module prefix with a colon.
    """

    path: tuple[str, ...]
    keys: Mapping[str, str]

    def __call__(self, places: Places, entry: Input) -> Iterator[Heard]:
        """The neighbours in a file."""
        for fields in self._walk(places, entry, entry.tree, (), self.path, {}):
            yield from _heard(fields)

    def _walk(
        self,
        places: Places,
        entry: Input,
        data: Any,
        keys: Keys,
        path: tuple[str, ...],
        fields: Fields,
    ) -> Iterator[Fields]:
        fields = dict(fields)
        for name, what in self.keys.items():
            found = _leaf(data, keys, name)
            if found is not None:
                fields[what] = Value(found[0], places.at(entry, *found[1]))
        if not path:
            yield fields
            return
        step, *rest = path
        for child, below in _steps(data, keys, step):
            port = {PORT: Value(str(below[-1]), places.spot(entry, *below))} if step == "**" else {}
            yield from self._walk(places, entry, child, below, tuple(rest), {**fields, **port})


def _steps(data: Any, keys: Keys, step: str) -> Iterator[tuple[Any, Keys]]:
    """Values of one step of a path; lists of one object look the same as the object."""
    if isinstance(data, list):
        for index, each in enumerate(data):
            below = (*keys, index)
            yield from [(each, below)] if step == "*" else _steps(each, below, step)
    elif step == "*" and data is not None:
        yield data, keys
    elif isinstance(data, dict):
        for key, value in data.items():
            if step in ("**", str(key).rpartition(":")[2]):
                yield value, (*keys, key)


def _leaf(data: Any, keys: Keys, name: str) -> tuple[str, Keys] | None:
    """Text of a name; some outputs have a list of one object with the text as `data`."""
    if not isinstance(data, dict):
        return None
    found: list[tuple[Any, Keys]] = [(data, keys)]
    for word in name.split("/"):
        found = [below for value, at in found for below in _steps(value, at, word)]
    for value, at in found:
        listed = isinstance(value, list) and value and isinstance(value[0], dict)
        text = value[0].get("data") if listed else value
        if isinstance(text, str | int):
            return str(text).strip('"'), (*at, 0, "data") if listed else at
    return None


# --------------------------------------------------------------------------------- onto the ports


def hear(reading: Reading, device: Device, naming: Any) -> None:
    """Add the neighbours in outputs to the ports of a device.

    `naming` has the system's `canonical`, `kind_of` and `aliases` for port names; None if they have
    one spelling.
    """
    ports: dict[str, Interface] = {}
    for entry in reading.inputs:
        if entry.source.neighbors is None:
            continue
        for heard in entry.source.neighbors(Places(reading), entry):
            ports = ports or _by_spelling(device)
            port = _port(reading, device, ports, heard.port, naming)
            if port is not None:
                _add(reading, port, heard)


def _by_spelling(device: Device) -> dict[str, Interface]:
    found: dict[str, Interface] = {}
    for port in device.interfaces.values():
        for name in port.aliases:
            found.setdefault(_plain(name), port)
    return found | {_plain(port.name): port for port in device.interfaces.values()}


def _plain(name: str) -> str:
    return name.replace(" ", "").lower()


def _port(
    reading: Reading, device: Device, ports: dict[str, Interface], printed: Value[str], naming: Any
) -> Interface | None:
    """Port of an output; created if no configuration of the whole device could name it."""
    spelled = printed.value or ""
    name: str = naming.canonical(spelled) if naming is not None else spelled
    for spelling in (spelled, name, spelled.rpartition(".")[0]):
        if spelling and (port := ports.get(_plain(spelling))) is not None:
            return port
    kind = naming.kind_of(name) if naming is not None else InterfaceKind.PHYSICAL
    if device.interfaces and not device.partial and (naming is None or kind not in CREATED):
        return None
    aliases = naming.aliases(name) if naming is not None else ()
    made = reading.build(Interface, printed.position, name=name, aliases=aliases, kind=kind)
    device.interfaces[name] = ports[_plain(name)] = made
    return made


def _add(reading: Reading, port: Interface, heard: Heard) -> None:
    """Add a neighbour; one in two outputs counts once, with the values of both."""
    made = heard.build(reading)
    for known in port.neighbors:
        same = known.device.lower() == made.device.lower() and not known.planned
        if same and (known.names == made.names or set(known.names) & set(made.names)):
            known.names = tuple(dict.fromkeys((*known.names, *made.names)))
            known.at[AGAIN] = made.at[""]
            if known.max_frame is None and made.max_frame is not None:
                known.max_frame, known.at["max_frame"] = made.max_frame, made.at["max_frame"]
            return
    if not port.neighbors:
        port.at["neighbors"] = heard.port.position
    port.neighbors = (*port.neighbors, made)
