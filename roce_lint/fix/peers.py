"""Statements that the peers of a port or switch have and it lacks, or the reverse.

Peers are switches of one system and role, and among their ports those that lead to the same kind of
device at the same speed. A line counts where at least three of them, and two thirds, have it. It is
copied as they write it, so that no line is invented.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from roce_lint.analysis.result import Analysis
from roce_lint.fix.files import ConfigFile, Files, Statement
from roce_lint.model.device import Device
from roce_lint.text.splice import Splice

LEAST = 3
"""Peers that have to agree."""

_SHARE = (2, 3)

_PART = r"[^\s{}\[\];\"',|:]+"
_WORD = re.compile(rf"{_PART}(?::{_PART})*")

_NUMBERS = re.compile(r"\d[0-9a-f.:]*")

Key = tuple[tuple[str, ...], str]
"""Headers and text of a statement, without the name of its port."""


@dataclass(slots=True, frozen=True)
class Deviation:
    """One change that brings a device closer to its peers."""

    file: str
    device: str
    port: str  # port of its stanza; empty for the device
    splice: Splice
    header: int  # line of its outermost header; its own line without one
    why: str


Way = tuple[Deviation, ...]
"""Changes made together."""


@dataclass(slots=True)
class _Unit:
    """A port, or the rest of a device, in one file."""

    file: ConfigFile
    port: str
    stated: dict[Key, Statement] = field(default_factory=dict)


class Peers:
    """Compares the devices of a fabric with their peers."""

    def __init__(self, analysis: Analysis, files: Files):
        self._analysis = analysis
        self._groups: dict[Hashable, list[_Unit]] = defaultdict(list)
        self._units: dict[str, list[tuple[Hashable, _Unit]]] = defaultdict(list)
        for device in analysis.fabric.devices.values():
            for file in files.of(device.hostname):
                for unit in _units(file):
                    kind = self._kind(device, unit.port)
                    self._groups[kind].append(unit)
                    self._units[device.hostname].append((kind, unit))
        self._alike = {
            kind: Counter(mark for unit in units for mark in {*map(_mark, unit.stated)})
            for kind, units in self._groups.items()
        }
        self._counts = {
            kind: Counter(key for unit in units for key in unit.stated)
            for kind, units in self._groups.items()
        }

    def deviations(self, device: str) -> list[Deviation]:
        """Possible changes of a device."""
        return [each for kind, unit in self._units.get(device, []) for each in self._of(kind, unit)]

    def _kind(self, device: Device, port: str) -> Hashable:
        what: Hashable = (device.nos, device.role)
        if not port:
            return what
        judged = self._analysis.by_key.get((device.hostname, port))
        if judged is None:
            return (what, device.hostname, "not judged")
        towards = judged.peer.device.role if judged.peer is not None else None
        return (what, "host" if judged.faces_host else towards, judged.gbps)

    def _of(self, kind: Hashable, unit: _Unit) -> Iterator[Deviation]:
        counts, units = self._counts[kind], self._groups[kind]
        count = len(units)
        missing = {
            key: n for key, n in counts.items() if key not in unit.stated and _most(n, count)
        }
        extra = {key: counts[key] for key in unit.stated if _most(count - counts[key], count)}
        missing = {key: n for key, n in missing.items() if not _below(key, missing)}
        extra = {key: n for key, n in extra.items() if not _below(key, extra)}
        alike = self._alike[kind]
        paired = dict(_pairs(list(extra), list(missing)))
        for gone in extra:
            old = unit.stated[gone]
            new = paired.get(gone)
            lines = self._lines(kind, unit, new, old.indent) if new is not None else []
            if lines and unit.file.is_json and unit.file.ends_in_comma(old.last):
                lines[-1] += ","
            if new is not None and not lines:
                continue
            if new is None and not _most(count - alike[_mark(gone)], count):
                continue  # an address or a name: different on each
            agree = counts[new] if new is not None else count - counts[gone]
            splice = _instead(unit.file, old, lines)
            yield deviation(unit.file, unit.port, splice, old, _describe(agree, count))
        for new in (key for key in missing if key not in paired.values()):
            place = self._place(kind, unit, new)
            if place is not None:
                at, indent, near = place
                lines = self._lines(kind, unit, new, indent)
                if lines and unit.file.is_json:
                    lines[-1] += ","
                if lines:
                    splice = Splice(at, 0, tuple(lines))
                    why = _describe(counts[new], count)
                    yield deviation(unit.file, unit.port, splice, near, why)

    def _example(self, kind: Hashable, key: Key) -> tuple[_Unit, Statement] | None:
        for unit in self._groups[kind]:
            found = unit.stated.get(key)
            if found is not None:
                return unit, found
        return None

    def _lines(self, kind: Hashable, unit: _Unit, key: Key, indent: str) -> list[str]:
        """The lines of a statement and of most blocks below it, as a peer writes them."""
        example = self._example(kind, key)
        if example is None:
            return []
        other, found = example
        counts, count = self._counts[kind], len(self._groups[kind])
        chain = (*key[0], key[1])
        block = [found] + [
            each
            for below, each in other.stated.items()
            if below[0][: len(chain)] == chain and _most(counts[below], count)
        ]
        made = []
        for each in block:
            deeper = each.indent.removeprefix(found.indent)
            made.append(indent + deeper + _rename(each.text, other.port, unit.port))
        if found.text.endswith("{"):
            if unit.file.is_json:
                made[1:-1] = [f"{line}," for line in made[1:-1]]
            made.append(f"{indent}}}")
        return made

    def _place(self, kind: Hashable, unit: _Unit, key: Key) -> tuple[int, str, Statement] | None:
        """Line after a missing statement, the statement's indent, and its neighbouring line."""
        example = self._example(kind, key)
        if example is None:
            return None
        other, found = example
        if unit.file.is_json:  # behind the brace that opens, where a comma always follows
            header = unit.stated.get((key[0][:-1], key[0][-1])) if key[0] else None
            return (header.line + 1, found.indent, header) if header is not None else None
        siblings = [(k, s) for k, s in other.stated.items() if k[0] == key[0]]
        before = [k for k, s in siblings if s.line < found.line and k in unit.stated]
        if before:
            near = unit.stated[before[-1]]
            return near.last + 1, near.indent, near
        if not key[0]:
            own = [s for k, s in unit.stated.items() if not k[0]]
            return (own[0].line, own[0].indent, own[0]) if own else None
        header = unit.stated.get((key[0][:-1], key[0][-1]))
        if header is None:
            return None
        above = other.stated[key[0][:-1], key[0][-1]]
        return header.line + 1, header.indent + found.indent.removeprefix(above.indent), header


def deviation(file: ConfigFile, port: str, splice: Splice, near: Statement, why: str) -> Deviation:
    """A change near a statement of a file."""
    top = near.line
    if near.above:
        tops = (s.line for s in file.statements if not s.above and s.line <= near.line)
        top = max(tops, default=near.line)
    return Deviation(file.name, file.device.hostname, port, splice, top, why)


def _describe(agree: int, of: int) -> str:
    return f"as on {agree} of {of} peers"


def _instead(file: ConfigFile, old: Statement, lines: list[str]) -> Splice:
    """Lines to replace a statement; in JSON the last of its kind keeps no comma."""
    first, made = old.line, list(lines)
    if not made and file.is_json and not file.ends_in_comma(old.last):
        before = file.text.split("\n")[old.line - 2].rstrip()
        if before.endswith(","):
            first, made = old.line - 1, [before[:-1]]
    return Splice(first, old.last - first + 1, tuple(made))


def _most(agree: int, of: int) -> bool:
    return agree >= LEAST and agree * _SHARE[1] >= of * _SHARE[0]


def _mark(key: Key) -> Key:
    """Subject of a statement: the same for all addresses, names and numbers."""
    above, text = key
    head = _NUMBERS.sub("#", text.split(maxsplit=1)[0])
    return above, head


def _below(key: Key, others: dict[Key, int]) -> bool:
    """Whether a statement is below a header that is among the others."""
    above, _ = key
    return any((above[:n], above[n]) in others for n in range(len(above)))


def _pairs(extra: list[Key], missing: list[Key]) -> Iterator[tuple[Key, Key]]:
    """Each surplus line with its counterpart on the peers: other numbers, or another last word. Of
    several, the one with most common words.
    """
    free = set(missing)
    for gone in extra:
        near = [key for key in free if key[0] == gone[0] and _is_same(key[1], gone[1])]
        if near:
            best = max(near, key=lambda key: (_likeness(key[1], gone[1]), key))
            free.remove(best)
            yield gone, best


def _is_same(one: str, other: str) -> bool:
    """Whether two lines are one statement with different values."""
    if _NUMBERS.sub("#", one) == _NUMBERS.sub("#", other):
        return True
    words, others = one.split(), other.split()
    return len(words) == len(others) > 1 and words[:-1] == others[:-1]


def _likeness(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one.split(), other.split(), strict=False):
        if a != b:
            break
        count += 1
    return count


def _units(file: ConfigFile) -> list[_Unit]:
    """The ports in a file, and the rest of the device."""
    names = set(file.device.interfaces)
    units = {"": _Unit(file, "")}
    for statement in file.statements:
        texts = (*statement.above, statement.text)
        ports = {word for text in texts for word in _WORD.findall(text) if word in names}
        if len(ports) > 1:
            continue
        port = next(iter(ports), "")
        unit = units.setdefault(port, _Unit(file, port))
        *above, text = (_rename(text, port, "\0") for text in texts)
        unit.stated.setdefault((tuple(above), text), statement)
    return list(units.values())


def _rename(text: str, old: str, new: str) -> str:
    """A text with the name of a port replaced."""
    if not old:
        return text
    return _WORD.sub(lambda word: new if word[0] == old else word[0], text)
