"""Merging of problems with one cause: DSCPs or classes of one line, members of a port channel,
unknowns with one missing input.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import overload

from roce_lint.engine.api import Problem, Unknown
from roce_lint.engine.finding import UnknownGroup
from roce_lint.engine.fold import Raw
from roce_lint.engine.page import RulePage
from roce_lint.model.change import Change
from roce_lint.model.fabric import Fabric
from roce_lint.model.path import Path
from roce_lint.model.units import ranges
from roce_lint.phases import phase
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where

Naming = Callable[[Sequence[str]], str]
"""Formats several traffic classes as one name."""


def merge_code_points(raws: Iterable[Raw], naming: Naming) -> list[Raw]:
    """Merge problems that differ only in the DSCP or traffic class into one that names them all.

    They share rule, places, ports and value; their texts differ only in these names.
    """
    of_classes = (_of_code_points(group, naming) for group in _grouped_by(raws, _key_without_dscp))
    return [_of_classes(group, naming) for group in _grouped_by(of_classes, _key_without_class)]


def _grouped_by(raws: Iterable[Raw], key: Callable[[Raw], Hashable]) -> Iterable[list[Raw]]:
    groups: dict[Hashable, list[Raw]] = {}
    for raw in raws:
        groups.setdefault(key(raw), []).append(raw)
    return groups.values()


def _key_without_dscp(raw: Raw) -> Hashable:
    dscp = raw.problem.dscp
    if dscp is None:
        return id(raw)
    problem = raw.problem
    texts = (_blank(text, problem) for text in (problem.message, problem.consequence))
    return (*_common_key(raw, problem.value.removeprefix(str(dscp))), *texts)


def _blank(text: str, problem: Problem, codes: str = "*", classes: str = "*") -> str:
    """A text with placeholders for the DSCP and those of its class."""
    kind, _, _ = problem.traffic.rpartition("DSCP ")
    text = _name(text, problem.traffic, f"{kind}\0") if kind else text
    return _name(text, f"DSCP {problem.dscp}", codes).replace("\0", classes)


def _key_without_class(raw: Raw) -> Hashable:
    problem = raw.problem
    if not problem.traffic:
        return id(raw)
    texts = (_name(t, problem.traffic, "") for t in (problem.message, problem.consequence))
    return (*_common_key(raw, problem.value), *texts)


def _common_key(raw: Raw, value: str) -> tuple[Hashable, ...]:
    """Identity of a problem without its texts."""
    problem, cause = raw.problem, raw.cause
    return (
        raw.page.id,
        raw.severity,
        problem.device,
        problem.subjects,
        None if cause is None else (id(cause.src), cause.position),
        value,
        raw.suppressed.reason if raw.suppressed is not None else None,
    )


def _of_code_points(group: list[Raw], naming: Naming) -> Raw:
    """One problem for all DSCPs that one line affects identically, whatever their classes."""
    first = group[0]
    dscps = {raw.problem.dscp for raw in group} - {None}
    if len(dscps) < 2:
        return first
    own, numbers = first.problem, ranges({dscp for dscp in dscps if dscp is not None})
    names = list(dict.fromkeys(raw.problem.traffic for raw in group))
    traffic = naming(names) if len(names) > 1 else own.traffic
    kind, _, _ = own.traffic.rpartition("DSCP ")
    codes, classes = f"DSCP {numbers}", traffic.removeprefix(kind)
    problem = replace(
        own,
        message=_blank(own.message, own, codes, classes),
        consequence=_blank(own.consequence, own, codes, classes),
        value=numbers + own.value.removeprefix(str(own.dscp)),
        traffic=traffic,
        dscp=None,
    )
    return _join(group, problem)


def _of_classes(group: list[Raw], naming: Naming) -> Raw:
    first = group[0]
    names = list(dict.fromkeys(raw.problem.traffic for raw in group))
    if len(names) < 2:
        return first
    name, own = naming(names), first.problem
    problem = replace(
        own,
        message=_name(own.message, own.traffic, name),
        consequence=_name(own.consequence, own.traffic, name),
        traffic=name,
    )
    return _join(group, problem)


def _join(group: list[Raw], problem: Problem) -> Raw:
    """The problem of a group, with the places, changes and consequences of all."""
    problem.at = list(dict.fromkeys(where for raw in group for where in raw.problem.at))
    problem.changes = _for_all([raw.problem.changes for raw in group])
    notes = tuple(dict.fromkeys(note for raw in group for note in raw.notes))
    return replace(
        group[0],
        problem=problem,
        notes=notes,
        also={r for raw in group for r in raw.also},
        covered=[each for raw in group for each in raw.covered],
        evidence=[where for raw in group for where in raw.evidence],
        parts=group,
    )


def _name(text: str, old: str, new: str) -> str:
    """The text with one class name replaced by another; `DSCP 3` does not match `DSCP 30`."""
    return re.sub(re.escape(old) + r"(?!\d|[,-]\d)", lambda _: new, text)


def _for_all(changes: Sequence[tuple[Change, ...]]) -> tuple[Change, ...]:
    """Changes that fix every class; none where one class has none, or two need different values of
    a field. Sets of priorities are united.
    """
    joined: dict[Path, Change] = {}
    for change in (each for own in changes for each in own):
        known = joined.setdefault(change.path, change)
        if isinstance(known.value, frozenset) and isinstance(change.value, frozenset):
            joined[change.path] = replace(known, value=known.value | change.value)
        elif known.value != change.value:
            return ()
    return tuple(joined.values()) if all(changes) else ()


# One problem for all members of a port channel, on the channel.

_Key = tuple[str, str, int, int, str, str]
"""Rule, device, deciding line (file and position), value and traffic class."""


def name_channels(raws: Iterable[Raw], fabric: Fabric) -> list[Raw]:
    """Problems whose message names the channel where all members have the same one. Their subjects
    stay the members.
    """
    raws = list(raws)
    having: dict[_Key, set[str]] = defaultdict(set)
    for raw in raws:
        if _channel(raw, fabric) is not None:
            having[_key(raw)].update(raw.problem.subjects)
    if not having:
        return raws
    return [_channel_name(raw, fabric, having) for raw in raws]


def _key(raw: Raw) -> _Key:
    problem, cause = raw.problem, raw.cause
    line = (id(cause.src), cause.position) if cause is not None else (0, 0)
    return raw.page.id, problem.device, *line, problem.value, problem.traffic


def _channel(raw: Raw, fabric: Fabric) -> str | None:
    """Channel whose member is the single port of a problem."""
    problem = raw.problem
    device = fabric.devices.get(problem.device)
    if device is None or len(problem.subjects) != 1 or raw.cause is None:
        return None
    port = device.interfaces.get(problem.subjects[0])
    return port.lag if port is not None and port.lag in device.interfaces else None


def _channel_name(raw: Raw, fabric: Fabric, having: dict[_Key, set[str]]) -> Raw:
    problem, channel = raw.problem, _channel(raw, fabric)
    if channel is None:
        return raw
    ports = fabric.devices[problem.device].interfaces
    members = {name for name, port in ports.items() if port.lag == channel}
    begins = f"{problem.device} {problem.subjects[0]}"
    rest = problem.message.removeprefix(begins)
    if len(members) < 2 or not members <= having[_key(raw)] or rest == problem.message:
        return raw
    named = f"{problem.device} {channel}{rest}"
    return replace(raw, problem=replace(problem, message=named)) if rest[:1] in " :," else raw


class _Places(Sequence[Location]):
    """Locations that are looked up on demand.

    Unknowns are many and usually only counted; looking each up would read every file again.
    """

    def __init__(self, excerpts: Excerpts, places: tuple[Where, ...]):
        self._excerpts = excerpts
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Location: ...

    @overload
    def __getitem__(self, index: slice) -> list[Location]: ...

    def __getitem__(self, index: int | slice) -> Location | list[Location]:
        if isinstance(index, slice):
            return [self._excerpts.locate(where, "evidence") for where in self._places[index]]
        return self._excerpts.locate(self._places[index], "evidence")


@phase("grouping unknowns")
def group_unknowns(
    unknowns: Iterable[tuple[RulePage, Unknown]], excerpts: Excerpts
) -> list[UnknownGroup]:
    """One group per rule, device and missing input."""
    groups: dict[tuple[str, str, str], list[Unknown]] = {}
    for page, unknown in unknowns:
        groups.setdefault((page.id, unknown.device, unknown.missing), []).append(unknown)
    return [
        UnknownGroup(
            rule,
            missing,
            device,
            tuple(dict.fromkeys(s for unknown in found for s in unknown.subjects)),
            _Places(excerpts, tuple(w for w in found[0].at[:1] if w.position)),
            found[0].tells,
        )
        for (rule, device, missing), found in sorted(groups.items(), key=lambda item: item[0])
    ]
