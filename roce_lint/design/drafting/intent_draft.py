"""Draft of an intent close to an existing fabric: readable YAML with overrides, and a list of the
configuration it leaves out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.analysis.drift import drift
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.treatment import treatment
from roce_lint.catalog.refusals import Loc, Refusal
from roce_lint.design.drafting import traffic
from roce_lint.design.drafting.draft import Draft, short
from roce_lint.design.drafting.fabric import DeviceEntries, first_address, put_fabric
from roce_lint.design.drafting.numbers import loopback_of, put_numbers
from roce_lint.design.golden import Design, try_design
from roce_lint.design.layout import Refusals
from roce_lint.intent.fabric import PORT
from roce_lint.intent.read import faults_of, of_text
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.model.object_diff import NOWHERE, Difference
from roce_lint.model.path import PORTS
from roce_lint.model.sourced import Sourced
from roce_lint.nos.registry import all_nos
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.names import first_names
from roce_lint.text.source import Where

# Comparison of the draft with its fabric.

KEYS = {"ip_mtu": "mtu", "fec": "fec", "speed_gbps": "speed_gbps", "enabled": "enabled"}
"""Override keys of a port, by the field that they set."""

SHOWN = 8
"""Ports listed in one line of a comment."""


def put_overrides(design: Design, listed: DeviceEntries, draft: Draft) -> None:
    """Add overrides for deviating devices and ports, with the line of each."""
    for name, golden in design.fabric.devices.items():
        own = listed.switches.get(name) or listed.hosts.get(name)
        if own is None:
            continue
        for port_name, port in golden.interfaces.items():
            real = own.interfaces.get(port_name)
            if port.kind is InterfaceKind.LOOPBACK or real is None:
                continue
            _put_port(draft, ("overrides", name, "ports", port_name), list(_otherwise(port, real)))
        if not own.is_host:
            _put_loopback(golden, own, draft)
        _put_treatment(design, golden, own, draft)


def _otherwise(golden: Interface, own: Interface) -> Iterator[tuple[str, Any, Where]]:
    address = first_address(own)
    if address and address not in golden.addresses:
        yield "address", address, own.where("addresses")
    for field, key in KEYS.items():
        value = getattr(own, field)
        if value is None or value == getattr(golden, field):
            continue
        if field == "enabled" and value:
            continue  # a design has all ports up
        yield key, value.value if isinstance(value, Fec) else value, own.where(field)


def _put_port(draft: Draft, keys: Loc, values: list[tuple[str, Any, Where]]) -> None:
    if not PORT.fullmatch(str(keys[-1])):
        return
    lines: dict[str, list[str]] = {}
    for key, value, where in values:
        draft.put((*keys, key), short(value) if isinstance(value, float) else value)
        lines.setdefault(draft.line(where), []).append(key)
    lines.pop("", None)
    if lines:
        draft.note(keys, ", ".join(f"{' and '.join(own)} {line}" for line, own in lines.items()))


def _put_loopback(golden: Device, own: Device, draft: Draft) -> None:
    address = loopback_of(own)
    loopbacks = [p for p in golden.interfaces.values() if p.kind is InterfaceKind.LOOPBACK]
    if address and not any(address in port.addresses for port in loopbacks):
        keys = ("overrides", own.hostname)
        draft.put((*keys, "loopback"), address)
        port = next(p for p in own.interfaces.values() if address in p.addresses)
        draft.note((*keys, "loopback"), draft.line(port.where("addresses")))


Way = tuple[Loc, dict[str, Any], Where]
"""Path of a treatment below an override, its deviating value (empty: none), and its place."""


def _put_treatment(design: Design, golden: Device, own: Device, draft: Draft) -> None:
    """Add deviations in the treatment of traffic: of the device if its ports agree (in thresholds,
    those of a speed), else of single ports.
    """
    groups: dict[Loc, dict[str, Way]] = {}
    for name, port in golden.interfaces.items():
        real = own.interfaces.get(name)
        if port.qos is None or real is None or real.qos is None or not PORT.fullmatch(name):
            continue
        for way in _ways(design, (golden, port), (own, real)):
            speed = f"{port.speed_gbps:g}" if way[0] == ("marking",) else ""
            groups.setdefault((*way[0], speed), {})[name] = way
    for group, ports in groups.items():
        first = next(iter(ports.values()))[1]
        if first and all(value == first for _, value, _ in ports.values()):
            name, way = next(iter(ports.items()))
            speed_gbps = golden.interfaces[name].speed_gbps
            _put_way(draft, ("overrides", own.hostname), way, speed_gbps if group[-1] else None)
            continue
        for name, way in ports.items():
            _put_way(draft, ("overrides", own.hostname, "ports", name), way)


def _put_way(draft: Draft, keys: Loc, way: Way, speed: float | None = None) -> None:
    below, value, where = way
    if not value:
        return
    if below == ("marking",):
        others = draft.get((*keys, *below)) or []
        entry = value if speed is None else {"speed_gbps": short(speed), **value}
        draft.put((*keys, *below), [*others, entry])
    else:
        draft.put((*keys, *below), value)
    if line := draft.line(where):
        draft.note((*keys, *below), line)


def _ways(
    design: Design, golden: tuple[Device, Interface], own: tuple[Device, Interface]
) -> Iterator[Way]:
    classes = [each for each in design.classes if each.keys]
    mine = {each.name: traffic.service_of(*golden, each.dscps[0]) for each in classes}
    found = {each.name: traffic.service_of(*own, each.dscps[0]) for each in classes}
    rest = len(classes) < len(design.classes)
    taken = traffic.takes(own[0].nos, [found[n] or mine[n] for n in mine], rest=rest)
    for each in classes:
        value = found[each.name] if taken and found[each.name] != mine[each.name] else {}
        scheduler = treatment(*own, each.dscps[0]).egress.scheduler
        field = "share" if "share_percent" in value else "kind"
        place = scheduler.where(field) if scheduler else NOWHERE
        yield ("classes", each.name), value, place
    if own[0].is_host:
        return
    for each in [each for each in classes if each.marked][:1]:
        value, planned = (traffic.thresholds_of(*port, each.dscps[0]) for port in (own, golden))
        marking = treatment(*own, each.dscps[0]).egress.marking
        place = marking.where("kmin") if marking else NOWHERE
        yield ("marking",), value if planned and value != planned else {}, place
    watchdogs = [port.qos.watchdog if port.qos else None for _, port in (own, golden)]
    value, planned = (dict(traffic.times_of(dog)) if dog else {} for dog in watchdogs)
    enabled = watchdogs[0] is not None and watchdogs[0].enabled and watchdogs[1] is not None
    place = watchdogs[0].where() if watchdogs[0] else NOWHERE
    yield ("watchdog",), value if enabled and value != planned else {}, place


def find_leftovers(design: Design, listed: DeviceEntries, draft: Draft) -> Iterator[str]:
    """Remaining differences of the fabric from its design, one line for each kind."""
    groups: dict[str, tuple[dict[str, list[str]], list[str]]] = {}  # ports by device, and lines
    for name, golden in design.fabric.devices.items():
        own = listed.switches.get(name) or listed.hosts.get(name)
        for each in drift(golden, own) if own is not None else ():
            subject, text = _subject_and_change(each)
            subjects, lines = groups.setdefault(text, ({}, []))
            ports = subjects.setdefault(name, [])
            if subject and subject not in ports:
                ports.append(subject)
            line = draft.line(each.b_where) if len(lines) <= SHOWN else ""
            if line and line not in lines:
                lines.append(line)
    for text, (subjects, lines) in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, ports in subjects.items():
            alike.setdefault(tuple(ports), []).append(name)
        pairs = ((first_names(n, SHOWN), first_names(own, SHOWN)) for own, n in alike.items())
        who = "; ".join(" ".join(pair).rstrip() for pair in pairs)
        yield f"{who}: {text} ({first_names(lines, SHOWN)})" if lines else f"{who}: {text}"


def _subject_and_change(each: Difference) -> tuple[str, str]:
    steps = list(each.path.steps)
    subject = ""
    if steps and steps[0].field == PORTS:
        subject = str(steps.pop(0).key or "")
    what = " ".join(f"{s.field} {s.key}" if s.key else s.field for s in steps if s.field != "qos")
    if isinstance(each.a, Sourced) or isinstance(each.b, Sourced):
        return subject, f"{what or 'port'} is {'missing' if each.b is None else 'extra'}"
    return subject, f"{what} {_show(each.b)}, not {_show(each.a)}"


def _show(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, (frozenset, tuple)):
        return ", ".join(map(str, sorted(value))) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else str(value)


# YAML: short mappings on one line, comments above their keys.

WIDTH = 110
BLOCKS = 2
"""Levels of keys that are always on separate lines."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none"}
"""Words that YAML 1.1 does not read as text (people misread `none`)."""


def text_of(draft: Draft, head: list[str]) -> str:
    """The whole file; `head` is its first comment."""
    lines = [*_comment(head, 0), ""]
    for key, value in draft.tree.items():
        lines += _entry((key,), key, value, draft, 0)
        if isinstance(value, (dict, list)):
            lines.append("")
    if draft.left:
        lines += _comment(["Not covered by a key of an intent, or to be answered:"], 0)
        lines += _comment([f"- {text}" for text in draft.left], 0)
    return "\n".join(lines).rstrip("\n") + "\n"


def _comment(texts: list[str], depth: int) -> Iterator[str]:
    for text in texts:
        line = " ".join(text.split())
        shown = "".join(c if c.isprintable() else "?" for c in line)
        yield f"{'  ' * depth}# {shown}".rstrip()


def _entry(keys: Loc, name: str, value: Any, draft: Draft, depth: int) -> Iterator[str]:
    yield from _comment(draft.notes.get(keys, []), depth)
    pad = "  " * depth
    flow = one_line(value)
    long = depth < BLOCKS - 1 or keys in draft.commented or len(flow) > WIDTH
    if isinstance(value, dict) and value and long:
        yield f"{pad}{scalar(name)}:"
        for key, item in value.items():
            yield from _entry((*keys, key), key, item, draft, depth + 1)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield f"{pad}{scalar(name)}:"
        for item in value:
            yield f"{pad}  - {one_line(item)}"
    else:
        yield f"{pad}{scalar(name)}: {flow}"


def one_line(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {one_line(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(one_line(item) for item in value) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A single value; text that YAML could misread is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else json.dumps(value)
    return str(value) if isinstance(value, int) else f"{value:.10g}"


# The draft.

ROUNDS = 6
"""Rounds in which requirements that cannot be met are removed."""


@dataclass(frozen=True, slots=True)
class IntentDraft:
    """Text of an intent. `whole` is False where part of the fabric was left out, `left_out` lists
    it, and `refused` the faults that keep it from being designed.
    """

    text: str
    whole: bool
    left_out: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def draft_of(analysis: Analysis, excerpts: Excerpts, name: str) -> IntentDraft:
    """Draft the intent of an analysed fabric; `name` is that of the design."""
    draft = Draft(excerpts)
    draft.put(("name",), name)
    listed = put_fabric(analysis, draft)
    put_numbers(analysis, listed, draft)
    traffic.put_classes(analysis, draft)
    traffic.put_services(analysis, draft)
    traffic.put_thresholds(analysis, draft)
    traffic.put_buffers(analysis, draft)
    traffic.put_watchdogs(analysis, draft)
    traffic.put_balancing(analysis, draft)
    _settle_thresholds(listed, draft)
    head = _head(analysis, draft)
    design, refused = _design(draft, head)
    if design is not None:
        put_overrides(design, listed, draft)
        design, refused = _design(draft, head)
    whole = not draft.incomplete and design is not None
    left_out = tuple(draft.left)
    if design is not None:
        for text in find_leftovers(design, listed, draft):
            draft.leave(text)
    return IntentDraft(text_of(draft, head), whole, left_out, tuple(refused))


def _head(analysis: Analysis, draft: Draft) -> list[str]:
    lines = [
        f"drafted by roce-lint {__version__} from an existing fabric: settings of most ports, with",
        "deviations as overrides and the line each comes from. QUESTION: to be answered.",
    ]
    for each in analysis.classes:
        first = draft.line(each.where[0]) if each.where else ""
        more = f", {first}" if first else ""
        lines.append(f"{each.name}: {each.basis.value}{more}")
    return lines


def _settle_thresholds(listed: DeviceEntries, draft: Draft) -> None:
    """Ensure thresholds for each speed of each system, where a class uses ECN."""
    classes = draft.tree.get("classes", {})
    if not any(each["marked"] for each in classes.values()):
        draft.drop(("marking",))
        return
    needed = {(speed, unit) for name, unit, speed in _speeds(draft) if name in listed.switches}
    lacking = traffic.complete_thresholds(draft, needed)
    kept = {unit for _, unit in needed} - lacking
    if lacking and not kept:
        for name, each in classes.items():
            if each["marked"]:
                each["marked"] = False
                draft.note(("classes", name), "QUESTION: it uses ECN; with which thresholds?")
        draft.drop(("marking",))
        return
    for name in list(draft.tree.get("fabric", {}).get("devices", {})):
        unit = _unit(draft, name)
        if unit in lacking:
            draft.leave(f"{name}: no ECN thresholds in {unit} are known")
            _drop_device(draft, name)


def _unit(draft: Draft, name: str) -> str:
    offer = all_nos()[draft.tree["fabric"]["devices"][name]["nos"]].offer
    return traffic.UNITS.get(offer.unit, "") if offer is not None else ""


def _speeds(draft: Draft) -> list[tuple[str, str, float]]:
    """Each switch with a port of a speed, with the unit of its thresholds."""
    fabric = draft.tree.get("fabric", {})
    devices, found = fabric.get("devices", {}), []
    for entry in fabric.get("links", []):
        for end in ("a", "b"):
            name = entry[end].partition(":")[0]
            if name in devices:
                found.append((name, _unit(draft, name), entry["speed_gbps"]))
    for name, made in devices.items():
        ports = made.get("ports", {}).values()
        found += [(name, _unit(draft, name), port["speed_gbps"]) for port in ports]
    return found


def _drop_device(draft: Draft, name: str) -> None:
    draft.drop(("fabric", "devices", name))
    _drop_links(draft, lambda entry: name not in {entry[end].partition(":")[0] for end in "ab"})


def _drop_links(draft: Draft, keep: Callable[[dict[str, Any]], bool]) -> None:
    links = [entry for entry in draft.tree.get("fabric", {}).get("links", []) if keep(entry)]
    if links:
        draft.put(("fabric", "links"), links)
    else:
        draft.drop(("fabric", "links"))


def _design(draft: Draft, head: list[str]) -> tuple[Design | None, list[str]]:
    """The design of a draft, after removing and reporting requirements that cannot be met."""
    messages: list[str] = []
    for _ in range(ROUNDS):
        refusals, faults = Refusals(), faults_of(draft.tree)
        if not faults:
            design = try_design(of_text(text_of(draft, head), Path("intent.yaml")), refusals)
            if design is not None:
                return design, []
            faults = list(refusals.found)
        messages = [each.message for each in faults]
        if not _take_all_out(draft, faults):
            break
    draft.incomplete = True
    return None, messages


def _take_all_out(draft: Draft, faults: list[Refusal]) -> bool:
    """Remove all refused requirements: of a list the last first, each entry once."""
    places: dict[Loc, Refusal] = {}
    for each in faults:
        numbers = [n for n, key in enumerate(each.keys) if isinstance(key, int)]
        place = each.keys[: numbers[0] + 1] if numbers else each.keys
        places.setdefault(place, each)
    indexes = {place: key for place in places for key in place[-1:] if isinstance(key, int)}
    order = sorted(places, key=lambda place: indexes.get(place, -1))  # -1: of the whole list
    done = [_take_out(draft, places[place]) for place in reversed(order)]
    return all(done)


def _take_out(draft: Draft, refusal: Refusal) -> bool:
    """Remove a refused requirement from a draft; False where a design needs it."""
    keys: Loc = refusal.keys
    match keys:
        case ("fabric", "links", int(number), *_):
            gone = draft.tree["fabric"]["links"][number]
            draft.leave(f"the link {gone['a']} to {gone['b']}: {refusal.message}")
            _drop_links(draft, lambda entry: entry is not gone)
            return True
        case ("fabric", "devices", str(name), "asn", *_):
            taken = draft.drop(("fabric", "devices", name, "asn"))
        case ("fabric", "devices", str(name), *_):
            taken = name in draft.tree["fabric"].get("devices", {})
            _drop_device(draft, name)
        case ("overrides", *_):
            taken = draft.drop(keys[: keys.index("marking") + 1] if "marking" in keys else keys)
        case ("classes", _, "systems", str(), *_):
            taken = draft.drop(keys[:4])
        case ("watchdog" | "addressing" | "balancing" | "mtu", *_) | ("buffers",):
            taken = draft.drop(keys)
        case ("marking" | "buffers" as name, int(number), *_):
            entries = draft.tree[name]
            taken = number < len(entries)
            draft.put((name,), [each for n, each in enumerate(entries) if n != number])
        case _:
            return False
    if taken:
        draft.leave(f"{'.'.join(map(str, keys))}: {refusal.message}")
    return taken
