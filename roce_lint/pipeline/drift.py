"""Drift: differences of a fabric from the golden devices of an intent."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from pathlib import Path as File

from roce_lint.analysis.drift import drift
from roce_lint.errors import UsageError
from roce_lint.loading.load import LoadResult
from roce_lint.model.device import Device
from roce_lint.model.fabric import Link
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import Path, Step
from roce_lint.model.schema import LINKS
from roce_lint.model.sourced import Sourced
from roce_lint.pipeline.comparison import (
    Comparison,
    ComparisonOptions,
    Side,
    lone_device,
    pairs_of,
    read_sides,
    side_of,
    strangers,
)
from roce_lint.pipeline.designing import design_fabric
from roce_lint.pipeline.diff_causes import Entry, Stand, Value, fold_entries, subject_of, value_of
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where

READ = 1 << 20
"""Bytes read to recognise an intent."""

_KEY = re.compile(r"^([A-Za-z_]\w*):", re.MULTILINE)
_SIGNS = {"fabric", "classes"}
_KEYS = _SIGNS | {
    "name", "description", "sources", "rdma_payload", "required_packet", "marking", "max_lossless",
    "oversubscription", "lossless_unmarked", "hosts", "addressing", "mtu", "mode", "thresholds",
    "buffers", "watchdog", "balancing", "separation", "overrides",
}  # fmt: skip
"""Keys of an intent. A file with one of the signs and no other top-level key is an intent."""


def is_intent(path: str) -> bool:
    """Whether a file is an intent, not a YAML configuration."""
    if not path.endswith((".yaml", ".yml")) or not File(path).is_file():
        return False
    with File(path).open("rb") as opened:
        text = opened.read(READ).decode("utf-8", "replace")
    found = set(_KEY.findall(text))
    return bool(found & _SIGNS) and found <= _KEYS


def find_drift(
    requests: tuple[Request, Request], settings: tuple[Settings, Settings], how: ComparisonOptions
) -> Comparison:
    """Compare an intent with configurations, or two intents. The first intent is the target, and
    only values that it defines are compared.

    Raises:
        UsageError: an option does not apply here, or there is no device in common.
        IntentError, LinksError, SettingsError: another input is wrong.
    """
    for option, given in (("--stated", how.stated), ("--findings", how.findings)):
        if given:
            raise UsageError(f"{option} needs two configurations: one side is an intent")
    paths = [request.paths[0] for request in requests]
    sides = [_wish_side(path) if is_intent(path) else None for path in paths]
    for number, side in enumerate(sides):
        if side is None:
            loaded = read_sides(requests[number : number + 1], settings[number : number + 1])
            sides[number] = side_of(loaded[0], requests[number], settings[number], how)
    a, b = (side for side in sides if side is not None)
    turned = not is_intent(paths[0])
    found = _compare(a, b, requests[0], how, turned=turned)
    return found.with_remarks(requests, settings)


def _wish_side(path: str) -> Side:
    made = design_fabric(path)
    for ref in made.intent.src.files:
        ref.name = File(path).name  # as files of the other side: below the path that was given
    return Side(path, LoadResult(), made.fabric, Excerpts({}))


def _compare(
    a: Side, b: Side, request: Request, how: ComparisonOptions, *, turned: bool
) -> Comparison:
    pairs = pairs_of(a, b, how.renamed)
    both = [(x, y) for x, y in pairs if x is not None and y is not None]
    if not both:
        raise UsageError(strangers(a, b), hint="--match OLD=NEW names a device on both sides")
    target, real = (b, a) if turned else (a, b)
    has_hosts = any(device.is_host for device in real.fabric.devices.values())
    entries: list[Entry] = []
    for one, other in pairs:
        if not any(
            d is not None and is_asked_for(d, request.device, request.role) for d in (one, other)
        ):
            continue
        if one is None or other is None:
            lone = one or other
            if lone is not None and (has_hosts or not lone.is_host):
                entries += lone_device(one, other, a, b)
            continue
        golden, own = (other, one) if turned else (one, other)
        found = [*drift(golden, own), *_links(golden, own, target, real, how)]
        entries += _entries(found, (one, other), (a, b), turned=turned)
    return Comparison(a, b, fold_entries(entries), len(both), None)


def _entries(
    found: list[Difference],
    devices: tuple[Device, Device],
    sides: tuple[Side, Side],
    *,
    turned: bool,
) -> Iterator[Entry]:
    """One entry for each pair of lines and port."""
    groups: dict[Hashable, list[Difference]] = {}
    for each in found:
        key = (subject_of(each.path), each.a_where.position, each.b_where.position)
        groups.setdefault(key, []).append(each)
    for group in groups.values():
        seen = [_turn(each) for each in group] if turned else group
        places: tuple[list[Location], list[Location]] = ([], [])
        for each in seen:
            for own, side, where in zip(places, sides, (each.a_where, each.b_where), strict=True):
                place = side.excerpts.locate(where)
                if where.position and place not in own:
                    own.append(place)
        values: tuple[Value, ...] = tuple(dict.fromkeys(_value(e, devices) for e in seen))
        stand = Stand(
            devices[0].hostname,
            (devices[0] if turned else devices[1]).nos,
            tuple(dict.fromkeys(subject_of(each.path) for each in seen)),
            tuple(dict.fromkeys(each.path for each in seen)),
            tuple(places[0]),
            tuple(places[1]),
        )
        yield Entry(values, [stand])


def _value(each: Difference, devices: tuple[Device, Device]) -> Value:
    """Text of a difference, or of a port or session that one side lacks."""
    if isinstance(each.a, Sourced) or isinstance(each.b, Sourced):
        name = "port" if len(each.path.steps) == 1 else each.path.field
        return Value(name, *("not there" if v is None else "there" for v in (each.a, each.b)))
    return value_of(each, devices)


def _turn(each: Difference) -> Difference:
    return Difference(each.path, each.b, each.a, each.b_where, each.a_where)


def _links(
    golden: Device, own: Device, target: Side, real: Side, how: ComparisonOptions
) -> Iterator[Difference]:
    """Ports cabled to another port than intended."""
    renamed = {new: old for old, new in how.renamed.items()}
    for name in golden.interfaces:
        mine = target.fabric.link_of(golden.hostname, name)
        theirs = real.fabric.link_of(own.hostname, name)
        if mine is None or theirs is None:
            continue
        ends = [_far(mine, golden.hostname, {}), _far(theirs, own.hostname, renamed)]
        if ends[0].casefold() != ends[1].casefold():
            path = Path(golden.hostname, (Step(LINKS, name), Step("peer")))
            yield Difference(path, ends[0], ends[1], _place(mine), _place(theirs))
        for field in ("cable_m", "speed_gbps", "rail"):
            a, b = getattr(mine, field), getattr(theirs, field)
            if None not in (a, b) and a != b:
                path = Path(golden.hostname, (Step(LINKS, name), Step(field)))
                yield Difference(path, a, b, _place(mine), _place(theirs))


def _far(link: Link, device: str, renamed: dict[str, str]) -> str:
    end = link.b if link.a.device.hostname == device else link.a
    name = end.device.hostname
    return f"{renamed.get(name, name)} {end.interface.name}"


def _place(link: Link) -> Where:
    return link.where[0] if link.where else link.a.interface.where()
