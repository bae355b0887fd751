"""Differences by cause: what one pair of lines changes is one entry, on however many ports."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Path
from roce_lint.model.values import spell_value
from roce_lint.pipeline.line_changes import ChangedLines
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.redaction import MASK, names_secret, redact
from roce_lint.text.source import Location, Where

Side = tuple[Location, ...]


@dataclass(slots=True, frozen=True)
class Value:
    """A field with what it holds on either side, as people write it."""

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
    """One cause, wherever it stands. `follows` are values that change because of the first."""

    values: tuple[Value, ...]
    stands: list[Stand] = field(default_factory=list)
    follows: tuple[Value, ...] = ()
    wording: bool = False

    @property
    def devices(self) -> list[str]:
        """The devices it stands on."""
        return list(dict.fromkeys(stand.device for stand in self.stands))


@dataclass(slots=True)
class _Cause:
    differences: list[Difference] = field(default_factory=list)
    follows: list[Difference] = field(default_factory=list)


def causes(
    a: Device, b: Device, found: Iterable[Difference], excerpts: tuple[Excerpts, Excerpts]
) -> list[Entry]:
    """The differences of one device by cause, in the order of its lines.

    What no changed line decides follows from what one does: a value that the device works out
    of others. It is shown with the cause that is nearest to it.
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
    """The difference itself, or what differs inside where nobody refers to another object."""
    if not each.inner or lines.deciding(each):
        return (each,)
    return each.inner


class _Owners:
    """Causes by what they are about, to find the nearest to a value that follows from one."""

    def __init__(self, known: Iterable[_Cause]):
        self._by_port: dict[str | None, list[tuple[Path, _Cause]]] = {}
        self._all: list[tuple[Path, _Cause]] = []
        for cause in known:
            for each in cause.differences:
                self._by_port.setdefault(each.path.port, []).append((each.path, cause))
            self._all.append((cause.differences[0].path, cause))

    def nearest(self, each: Difference) -> _Cause | None:
        """The cause with most of its path in common, of the same port if there is one."""
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
    """The lines of both sides. Where all that one of them names is as it was, the value comes of
    other lines too: first stands the one in whose place the other side has its changed line.
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
"""Collections of what people call by its name."""


def subject_of(path: Path) -> str:
    """The port, RDMA device or other object that a path leads into; empty for the device."""
    first = path.steps[0] if path.steps else None
    return first.key or "" if first is not None and first.field in OBJECTS else ""


CLASSES = ("dscp_to_tc", "pcp_to_tc", "default_tc")
"""Fields whose values are traffic classes, which devices have words of their own for."""


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
        if called[0] == called[1]:  # one name of two classes: the numbers tell them apart
            called = [f"{c} ({t})" for c, t in zip(called, texts, strict=True)]
        texts = [c if v is not None else t for c, v, t in zip(called, values, texts, strict=True)]
    return Value(each.path.field, *texts)


def fold_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Entries that say the same of other ports and devices as one with all their places."""
    known: dict[Hashable, list[Entry]] = {}
    for entry in entries:
        known.setdefault((entry.values, entry.wording, entry.stands[0].nos), []).append(entry)
    return [same[0] if len(same) == 1 else _as_one(same) for same in known.values()]


def _as_one(same: list[Entry]) -> Entry:
    """Entries of one wording as one; what stands on a device is joined once, not port by port."""
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
