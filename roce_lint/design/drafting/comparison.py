"""Holds the design of a draft against the fabric it was taken from: what is otherwise there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from roce_lint.analysis.drift import drift
from roce_lint.catalog.refusals import Loc
from roce_lint.design.drafting.draft import Draft, short
from roce_lint.design.drafting.fabric import DeviceEntries, first_address
from roce_lint.design.drafting.numbers import loopback_of
from roce_lint.design.golden import Design
from roce_lint.intent.names import PORT
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.model.object_diff import Difference
from roce_lint.model.path import PORTS
from roce_lint.model.sourced import Sourced
from roce_lint.text.source import Where

KEYS = {"ip_mtu": "mtu", "fec": "fec", "speed_gbps": "speed_gbps", "enabled": "enabled"}
"""What an override may say of a port, by the field that it sets."""

SHOWN = 8
"""Ports that one line of a comment names."""


def put_overrides(design: Design, listed: DeviceEntries, draft: Draft) -> None:
    """State what single devices and ports do otherwise, with the line that says so."""
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


def _put_port(draft: Draft, keys: Loc, said: list[tuple[str, Any, Where]]) -> None:
    if not PORT.fullmatch(str(keys[-1])):
        return
    lines: dict[str, list[str]] = {}
    for key, value, where in said:
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


@dataclass(slots=True)
class Leftover:
    """What no key of an intent says: of which ports of which devices, and the lines."""

    subjects: dict[str, list[str]]
    lines: list[str]


def find_leftovers(design: Design, listed: DeviceEntries, draft: Draft) -> Iterator[str]:
    """In what the fabric differs from its design still, a line for what is alike."""
    groups: dict[str, Leftover] = {}
    for name, golden in design.fabric.devices.items():
        own = listed.switches.get(name) or listed.hosts.get(name)
        for each in drift(golden, own) if own is not None else ():
            subject, text = _subject_and_change(each)
            known = groups.setdefault(text, Leftover({}, []))
            ports = known.subjects.setdefault(name, [])
            if subject and subject not in ports:
                ports.append(subject)
            line = draft.line(each.b_where) if len(known.lines) <= SHOWN else ""
            if line and line not in known.lines:
                known.lines.append(line)
    for text, found in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, ports in found.subjects.items():
            alike.setdefault(tuple(ports), []).append(name)
        who = "; ".join(_some(own, "") + _some(list(ports), " ") for ports, own in alike.items())
        yield f"{who}: {text} ({_some(found.lines, '')})" if found.lines else f"{who}: {text}"


def _some(names: list[str], before: str) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return before + ", ".join(names[:SHOWN]) + more


def _subject_and_change(each: Difference) -> tuple[str, str]:
    """The port or session of a difference, and what it is."""
    steps = list(each.path.steps)
    subject = ""
    if steps and steps[0].field == PORTS:
        subject = str(steps.pop(0).key or "")
    what = " ".join(f"{s.field} {s.key}" if s.key else s.field for s in steps if s.field != "qos")
    if isinstance(each.a, Sourced) or isinstance(each.b, Sourced):
        return subject, f"{what or 'port'} is {'not ' if each.b is None else ''}there"
    return subject, f"{what} {_show(each.b)} and not {_show(each.a)}"


def _show(value: Any) -> str:
    if value is None:
        return "not there"
    if isinstance(value, (frozenset, tuple)):
        return ", ".join(map(str, sorted(value))) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else str(value)
