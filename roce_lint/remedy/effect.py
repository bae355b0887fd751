"""Wanted changes of a device as the difference of two prints of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from roce_lint.model.apply import Lines, Setting, apply_settings, place_of, value_at
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.path import Path, Step, of_port
from roce_lint.model.qos import Classifier, CodeMap, Match, MatchKind, PfcConfig, PfcMode
from roce_lint.model.schema import REFERENCES
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.nos.base import RenderedFiles, RenderRequest
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import TREE, Origin, SourceMap


@dataclass(slots=True, frozen=True)
class Effect:
    """A device before and after some changes, and the configuration printed for each."""

    before: Device
    after: Device
    printed_before: RenderedFiles
    printed_after: RenderedFiles


def effect(device: Device, changes: Iterable[Change]) -> Effect:
    """Apply changes to a device, and print it before and after them.

    Raises:
        PathError: a changed object does not exist, and the path alone cannot make it.
        RenderError: the system of the device has no templates, or one fails.
    """
    after = changed(device, changes)
    printed = render(all_nos()[device.nos], RenderRequest(after))
    return Effect(device, after, _print(device), printed)


def changed(device: Device, changes: Iterable[Change]) -> Device:
    """Apply changes to a device, without the notes and references of lines that they replace.

    Raises:
        PathError: as for `effect`.
    """
    wanted = complete(device, changes)
    settings = [setting_of(change) for change in wanted]
    after = apply_settings(device, settings, Lines(settings))
    gone = {each.instead for each in wanted if not device.is_host}  # commands edit no file
    places = [(change, place_of(device, change.path)) for change in wanted]
    stated = {place.position for _, place in places if place.origin is Origin.STATED}
    after.notes = [
        note
        for note in after.notes
        if stated.isdisjoint(note.at.values())
        and line_at(note.src, note.where().position) not in gone
    ]
    lines = {at.position for change, at in places if change.path.steps[-1].field in REFERENCES}
    after.structures = [
        replace(each, references=tuple(r for r in each.references if r not in lines))
        for each in after.structures
    ]
    return after


def line_at(src: SourceMap, position: int) -> tuple[str, int] | None:
    """The file and line of a position; None in a tree, and where there is none."""
    if not 0 < position < TREE or not src.files:
        return None
    return src.files[src.file_of(position)].name, src.line_of(position)


def _print(device: Device) -> RenderedFiles:
    """The configuration of a device; findings are worked on device by device."""
    if not _LAST or _LAST[0][0] is not device:
        _LAST[:] = [(device, render(all_nos()[device.nos], RenderRequest(device)))]
    return _LAST[0][1]


_LAST: list[tuple[Device, RenderedFiles]] = []
"""The last device that was printed."""


def setting_of(change: Change) -> Setting:
    """The setting of a change: stated by a line, or unset by a default or by none."""
    line = "" if change.value is None or change.default is not None else str(change)
    return Setting(change.path, change.value, line, change.default, change.falls)


# Fields that state the same thing.


def complete(device: Device, changes: Iterable[Change]) -> list[Change]:
    """The changes with those of all fields that state the same thing."""
    found = _of_rest(device, list(changes))
    known = {change.path for change in found}
    for change in list(found):
        found += [each for each in _beside(device, change) if each.path not in known]
        known.update(each.path for each in found)
    wanted = [setting_of(change) for change in found]
    after = apply_settings(device, wanted, Lines(wanted))
    found += _of_buffers(device, after, found[0]) if found and device.is_host else ()
    maps: dict[Path, Change] = {}
    for change in found:
        *above, last = change.path.steps
        if above and (last.field in _KINDS or (above[-1].field in _KINDS and not last.key)):
            steps = above if last.field in _KINDS else above[:-1]
            maps.setdefault(Path(change.path.device, (*steps, Step("matches"))), change)
    for path, change in maps.items():
        owner = Path(path.device, path.steps[:-1])
        before, now = value_at(device, owner), value_at(after, owner)
        if path not in known and before is not None and before.matches:
            matches = _followed(before, now)
            found.append(replace(change, path=path, value=matches, old=None, default=None))
    return found


def _of_rest(device: Device, changes: list[Change]) -> list[Change]:
    """The changes, with those of all numbers that a map does not list as one of its rest."""
    groups: dict[Path, list[Change]] = {}
    for change in changes:
        if change.falls:
            *above, last = change.path.steps
            whole = Path(change.path.device, (*above, Step(last.field)))
            groups.setdefault(whole, []).append(change)
    for path, group in groups.items():
        codes = value_at(device, path)
        size = len(DSCPS if path.steps[-1].field.startswith("dscp") else PRIORITIES)
        alike = len({change.value for change in group}) == 1
        if alike and codes.otherwise is not None and len(group) + len(codes.entries) == size:
            rest = replace(group[0], path=path.then(Step("otherwise")), falls=False)
            changes = [*(each for each in changes if each not in group), rest]
    return changes


_KINDS = {"dscp_to_tc": MatchKind.DSCP, "pcp_to_tc": MatchKind.PCP}


def _beside(device: Device, change: Change) -> Iterator[Change]:
    """Changes of the fields that follow from a changed one: PFC mode and priorities, and the two
    sizes that one line states.
    """
    *above, last = change.path.steps
    owner = value_at(device, Path(change.path.device, tuple(above))) if above else None
    values: dict[str, Any] = {}
    if last.field in _SIZES and isinstance(owner, Interface) and isinstance(change.value, int):
        other = _SIZES[last.field]
        mine, theirs = getattr(owner, last.field), getattr(owner, other)
        alike = None not in (mine, theirs) and owner.at.get(last.field) == owner.at.get(other)
        if alike and (last.field == "frame_mtu" or change.value > mine):
            values = {other: theirs + change.value - mine}
    elif above and above[-1].field == "pfc":
        values = _pfc_beside(owner, last.field, change.value)
    for field, value in values.items():
        yield replace(change, path=Path(change.path.device, (*above, Step(field))), value=value)


_SIZES = {"ip_mtu": "frame_mtu", "frame_mtu": "ip_mtu"}


def _pfc_beside(pfc: PfcConfig | None, field: str, value: Any) -> dict[str, Any]:
    """Values of PFC fields that follow from another one."""
    if field == "mode" and value is PfcMode.OFF:
        return {"generate": frozenset(), "honour": frozenset()}
    if field == "mode" and pfc is not None and pfc.named and not pfc.generate:
        return {"generate": pfc.named, "honour": pfc.named}
    values: dict[str, Any] = {}
    if field == "generate":
        if pfc is None or pfc.honour == pfc.generate:
            values["honour"] = value
        if pfc is not None and pfc.named is not None:
            values["named"] = value
        if value and (pfc is None or pfc.mode is not PfcMode.ON):
            values["mode"] = PfcMode.ON
    return values


def _of_buffers(device: Device, after: Device, change: Change) -> Iterator[Change]:
    """Changes of the buffers of a host that are lossless because a priority in them is paused."""
    for name, port in after.interfaces.items():
        old, new = _buffers(device, name), _buffers(after, name)
        for number, (group, paused) in new.items():
            if old.get(number) != (group, group.lossless) or paused is group.lossless:
                continue
            alike = (n for n, x in device.interfaces.items() if _SIZE(x) == _SIZE(port))
            known = (each for n in alike for each, on in _buffers(device, n).values() if on)
            size = next((each.in_flight_bytes for each in known if paused), None)
            for field, value in {"lossless": paused, "in_flight_bytes": size}.items():
                inside = f"qos.ingress_buffer.groups[{number}].{field}"
                path = of_port(device.hostname, name, inside)
                yield replace(change, path=path, value=value, old=None, default=None)


_SIZE = attrgetter("speed_gbps", "ip_mtu")


def _buffers(device: Device, name: str) -> dict[int, tuple[BufferProfile, bool]]:
    """The receive buffers of a port, each with whether a priority in it is paused."""
    qos = device.interfaces[name].qos if name in device.interfaces else None
    buffer = device.qos.ingress_buffers.get(qos.ingress_buffer or "") if qos is not None else None
    maps = device.qos.forwardings.get(qos.forwarding or "") if qos is not None else None
    if qos is None or qos.pfc is None or buffer is None or maps is None:
        return {}
    paused = {maps.pfc_priority_to_pg.get(each) for each in qos.pfc.generate or ()}
    return {number: (group, number in paused) for number, group in buffer.groups.items()}


def _followed(before: Classifier, after: Classifier) -> list[Match]:
    """The entries of a classifier, with code points in the classes that its maps have."""
    found = list(before.matches)
    for name, kind in _KINDS.items():
        old, new = getattr(before, name), getattr(after, name)
        moved = {n for n in {*old.entries, *new.entries} if old.get(n) != new.get(n)}
        for number, match in enumerate(found):
            if match.kind is MatchKind.ANY and old.otherwise != new.otherwise:
                found[number] = _changed(match, tc=new.otherwise)
            elif match.kind is kind and match.values & moved:
                found[number] = _moved(match, new, moved)
        added: dict[int, set[int]] = {}
        for code in moved:
            if new.get(code) is not None and new.get(code) != new.otherwise:
                added.setdefault(new.entries[code], set()).add(code)
        for tc, codes in sorted(added.items()):
            kinds = kind, MatchKind.NOTHING  # a class without a code point
            place = next((n for n, m in enumerate(found) if m.kind in kinds and m.tc == tc), None)
            if place is not None:
                found[place] = _changed(found[place], kind=kind, values=found[place].values | codes)
                continue
            names = (m.class_name for m in before.matches if m.tc == tc)
            named = next(names, None) or f"CLASS{tc}"
            made = Match(kind=kind, values=frozenset(codes), class_name=named, tc=tc)
            last = next((n for n, m in enumerate(found) if m.kind is MatchKind.ANY), len(found))
            found.insert(last, made)
    return [match for match in found if match.values or match.kind not in _KINDS.values()]


def _moved(match: Match, codes: CodeMap, moved: set[int]) -> Match:
    """An entry without the code points that another class has, or with the class of all of them."""
    into = {codes.get(code) for code in match.values}
    if len(into) == 1 and match.values <= moved and into != {codes.otherwise}:
        return _changed(match, tc=into.pop())
    values = frozenset(code for code in match.values if codes.get(code) == match.tc)
    return _changed(match, values=values)


def _changed(match: Match, **values: Any) -> Match:
    """An entry with other values, which no default gives."""
    at = {field: place for field, place in match.at.items() if place > 0 or field not in values}
    return replace(match, at=at, **values)
