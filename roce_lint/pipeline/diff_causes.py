"""Differences by cause: one changed pair of lines is one entry, on however many ports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

from roce_lint.model.device import Device
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Path
from roce_lint.model.values import spell_value
from roce_lint.text.alignment import align
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.redaction import MASK, names_secret, redact
from roce_lint.text.source import FileRef, Location, Origin, SourceMap, Where

# Changed lines of files, with their counterparts.

ALIKE = 0.6
"""Share of equal text from which two lines are one changed line, not one removed and one added."""

Numbers = Mapping[int, int]
"""Lines of one file by line of another."""


@dataclass(slots=True)
class _File:
    """A file of one side, paired with one of the other."""

    ref: FileRef
    other: FileRef
    kept: frozenset[int]
    instead: Numbers
    """Changed lines, with their counterparts in the other file."""


class ChangedLines:
    """Finds the lines that decide a difference."""

    def __init__(self, a: Device, b: Device, excerpts: tuple[Excerpts, Excerpts]):
        self._excerpts = excerpts
        self._maps = a.src, b.src
        self._pairs = _file_pairs(a.src, b.src)
        self._files: tuple[dict[str, _File | None], ...] = ({}, {})
        self._changed: dict[tuple[int, int, int], bool] = {}

    def deciding(self, each: Difference) -> list[Hashable]:
        """The changed lines that state either value; none where it only follows from others."""
        found: list[Hashable] = []
        for side, where in enumerate((each.a_where, each.b_where)):
            if self.is_changed(side, where):
                found.append((side, where.position, each.wording))
        return found

    def is_changed(self, side: int, where: Where) -> bool:
        """Whether a line states something and is missing on the other side."""
        if where.origin is not Origin.STATED or where.position <= 0:
            return False
        key = (side, id(where.src), where.position)  # many values, each queried twice
        known = self._changed.get(key)
        if known is None:
            file = self._file(side, where)
            line = self._excerpts[side].locate(where).line if file is not None else None
            known = self._changed[key] = file is None or line not in file.kept
        return known

    def counterpart(self, side: int, where: Where) -> Location | None:
        """The counterpart of a changed line on the other side."""
        if where.origin is not Origin.STATED or where.position <= 0:
            return None
        file = self._file(side, where)
        if file is None:
            return None
        number = file.instead.get(self._excerpts[side].locate(where).line)
        if number is None:
            return None
        place = Where(self._maps[1 - side], file.other.first + number)
        return self._excerpts[1 - side].locate(place)

    def _file(self, side: int, where: Where) -> _File | None:
        """The file of a place; None where the other side has no counterpart."""
        name = where.src.files[where.src.file_of(where.position)].name
        if name not in self._files[side]:
            self._compare(side, name)
        return self._files[side].get(name)

    def _compare(self, side: int, name: str) -> None:
        """Pair the lines of a file with those of the other side."""
        pair = self._pairs[side].get(name)
        self._files[side][name] = None
        if pair is None:
            return
        refs = (pair[0], pair[1])
        lines = [self._excerpts[n].lines(ref) for n, ref in enumerate(refs)]
        kept, instead = _common_lines(*lines)
        back = {y: x for x, y in instead.items()}
        self._files[0][refs[0].name] = _File(refs[0], refs[1], kept[0], instead)
        self._files[1][refs[1].name] = _File(refs[1], refs[0], kept[1], back)


def _file_pairs(
    a: SourceMap, b: SourceMap
) -> tuple[dict[str, tuple[FileRef, FileRef]], dict[str, tuple[FileRef, FileRef]]]:
    """Pairs of files: of one name, or the only ones of their kind."""
    by_name = {ref.name: ref for ref in b.files}
    pairs = [(ref, by_name[ref.name]) for ref in a.files if ref.name in by_name]
    if not pairs:
        kinds = [{}, {}]  # type: list[dict[str, list[FileRef]]]
        for n, src in enumerate((a, b)):
            for ref in src.files:
                kinds[n].setdefault(ref.source, []).append(ref)
        pairs = [
            (refs[0], kinds[1][kind][0])
            for kind, refs in kinds[0].items()
            if len(refs) == len(kinds[1].get(kind, ())) == 1
        ]
    return {x.name: (x, y) for x, y in pairs}, {y.name: (x, y) for x, y in pairs}


def _common_lines(
    a: list[str], b: list[str]
) -> tuple[tuple[frozenset[int], frozenset[int]], Numbers]:
    """Numbers of equal lines, in order; and the changed lines with their counterparts."""
    kept: tuple[set[int], set[int]] = set(), set()
    instead: dict[int, int] = {}
    for part in align(a, b):
        here, there = range(part.a, part.a_end), range(part.b, part.b_end)
        if part.same:
            kept[0].update(x + 1 for x in here)
            kept[1].update(y + 1 for y in there)
        elif len(here) == len(there):
            pairs = zip(here, there, strict=True)
            instead.update((x + 1, y + 1) for x, y in pairs if _is_alike(a[x], b[y]))
    return (frozenset(kept[0]), frozenset(kept[1])), instead


@lru_cache(maxsize=4096)  # a change is often the same on many ports and devices
def _is_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() >= ALIKE


Side = tuple[Location, ...]


@dataclass(slots=True, frozen=True)
class Value:
    """A field with its value on either side, as people write it."""

    field: str
    a: str
    b: str


@dataclass(slots=True)
class Stand:
    """A difference on one device: the ports (or other objects) and the lines of both sides."""

    device: str
    nos: str
    subjects: tuple[str, ...]
    paths: tuple[Path, ...]
    a: Side
    b: Side


@dataclass(slots=True)
class Entry:
    """One cause on all devices. `follows` are values that change because of the first."""

    values: tuple[Value, ...]
    stands: list[Stand] = field(default_factory=list)
    follows: tuple[Value, ...] = ()
    wording: bool = False

    @property
    def devices(self) -> list[str]:
        """Devices of the entry."""
        return list(dict.fromkeys(stand.device for stand in self.stands))


@dataclass(slots=True)
class _Cause:
    differences: list[Difference] = field(default_factory=list)
    follows: list[Difference] = field(default_factory=list)


def causes(
    a: Device, b: Device, found: Iterable[Difference], excerpts: tuple[Excerpts, Excerpts]
) -> list[Entry]:
    """The differences of one device by cause, in line order.

    A difference that no changed line decides follows from one that a changed line does: a value
    derived from others. It is shown with the nearest cause.
    """
    lines = ChangedLines(a, b, excerpts)
    known: dict[Hashable, _Cause] = {}
    waiting: list[Difference] = []
    for each in found:
        for own in _by_line(each, lines):
            keys = lines.deciding(own)
            if not keys:
                waiting.append(own)
                continue
            cause = next((known[key] for key in keys if key in known), None) or _Cause()
            cause.differences.append(own)
            known.update((key, cause) for key in keys if key not in known)
    made = list({id(cause): cause for cause in known.values()}.values())
    owners = _Owners(made)
    alone: dict[Hashable, _Cause] = {}
    for each in waiting:
        owner = owners.nearest(each)
        if owner is not None:
            owner.follows.append(each)
            continue
        key = each.a_where.position, each.b_where.position, each.wording
        alone.setdefault(key if any(key) else str(each.path), _Cause()).differences.append(each)
    return [_entry(cause, (a, b), excerpts, lines) for cause in (*made, *alone.values())]


def _by_line(each: Difference, lines: ChangedLines) -> Iterable[Difference]:
    """The difference itself, or the inner ones where no other object is referenced."""
    if not each.inner or lines.deciding(each):
        return (each,)
    return each.inner


class _Owners:
    """Causes by subject, to find the nearest to a derived value."""

    def __init__(self, known: Iterable[_Cause]):
        self._by_port: dict[str | None, list[tuple[Path, _Cause]]] = {}
        self._all: list[tuple[Path, _Cause]] = []
        for cause in known:
            for each in cause.differences:
                self._by_port.setdefault(each.path.port, []).append((each.path, cause))
            self._all.append((cause.differences[0].path, cause))

    def nearest(self, each: Difference) -> _Cause | None:
        """The cause with the longest common path, of the same port if there is one."""
        near = self._by_port.get(each.path.port) or self._all
        if each.path.port is not None and each.path.port not in self._by_port:
            near = [pair for pair in self._all if _common(pair[0], each.path)]
        if not near:
            return None
        return max(near, key=lambda pair: _common(pair[0], each.path))[1]


def _common(a: Path, b: Path) -> int:
    count = 0
    for x, y in zip(a.steps, b.steps, strict=False):
        if x != y:
            break
        count += 1
    return count


def _entry(
    cause: _Cause,
    sides: tuple[Device, Device],
    excerpts: tuple[Excerpts, Excerpts],
    lines: ChangedLines,
) -> Entry:
    first = cause.differences[0]
    stands = Stand(
        first.path.device,
        sides[0].nos,
        tuple(dict.fromkeys(subject_of(each.path) for each in cause.differences)),
        tuple(dict.fromkeys(each.path for each in cause.differences)),
        *_places([(each.a_where, each.b_where) for each in cause.differences], excerpts, lines),
    )
    values = _values(cause.differences, sides)
    follows = tuple(value for value in _values(cause.follows, sides) if value not in values)
    return Entry(values, [stands], follows, first.wording)


def _places(
    found: list[tuple[Where, Where]], excerpts: tuple[Excerpts, Excerpts], lines: ChangedLines
) -> tuple[Side, Side]:
    """The lines of both sides. Where the lines of one side did not change, the value comes from
    other lines too: the line with a changed counterpart comes first.
    """
    made: list[Side] = []
    for side in (0, 1):
        own = dict.fromkeys(excerpts[side].locate(pair[side]) for pair in found)
        if not any(lines.is_changed(side, pair[side]) for pair in found):
            known = {(place.file, place.line) for place in own}
            others = (lines.counterpart(1 - side, pair[1 - side]) for pair in found)
            changed = [p for p in others if p is not None and (p.file, p.line) not in known]
            own = dict.fromkeys([*changed, *own])
        made.append(tuple(own))
    return made[0], made[1]


OBJECTS = ("interfaces", "nics", "links")
"""Collections whose entries people call by name."""


def subject_of(path: Path) -> str:
    """The port, RDMA device or other object of a path; empty for the device."""
    first = path.steps[0] if path.steps else None
    return first.key or "" if first is not None and first.field in OBJECTS else ""


CLASSES = ("dscp_to_tc", "pcp_to_tc", "default_tc")
"""Fields whose values are traffic classes; devices have their own names for these."""


def _values(found: Iterable[Difference], sides: tuple[Device, Device]) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(value_of(each, sides) for each in found))


def value_of(each: Difference, sides: tuple[Device, Device]) -> Value:
    """A difference in words."""
    name = each.path.steps[-1].field if each.path.steps else ""
    values = each.a, each.b
    secret = any(names_secret(step.key or step.field) for step in each.path.steps)
    texts = [MASK if secret and v is not None else redact(spell_value(v, name)) for v in values]
    if name in CLASSES:
        called = [d.qos.class_name(v) for d, v in zip(sides, values, strict=True)]
        if called[0] == called[1]:  # two classes of one name: the numbers distinguish them
            called = [f"{c} ({t})" for c, t in zip(called, texts, strict=True)]
        texts = [c if v is not None else t for c, v, t in zip(called, values, texts, strict=True)]
    return Value(each.path.field, *texts)


def fold_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Merge entries with the same wording on other ports and devices."""
    known: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        known.setdefault((entry.values, entry.wording, entry.stands[0].nos), []).append(entry)
    return [same[0] if len(same) == 1 else _as_one(same) for same in known.values()]


def _as_one(same: list[Entry]) -> Entry:
    """Merge entries of one wording; the places on a device are joined once, not port by port."""
    by_device: dict[str, list[Stand]] = {}
    for entry in same:
        for stand in entry.stands:
            by_device.setdefault(stand.device, []).append(stand)
    stands = [own[0] if len(own) == 1 else _join(own) for own in by_device.values()]
    follows = tuple(dict.fromkeys(value for entry in same for value in entry.follows))
    return Entry(same[0].values, stands, follows, same[0].wording)


def _join(stands: list[Stand]) -> Stand:
    first = stands[0]
    return Stand(
        first.device,
        first.nos,
        tuple(dict.fromkeys(subject for stand in stands for subject in stand.subjects)),
        tuple(dict.fromkeys(path for stand in stands for path in stand.paths)),
        tuple(dict.fromkeys(place for stand in stands for place in stand.a)),
        tuple(dict.fromkeys(place for stand in stands for place in stand.b)),
    )
