"""Effects of unread lines: everything that rests on an absent statement stays unknown.

No finding rests on the absence of a statement in a section with an unread line about QoS. A finding
that rests on a stated line is unaffected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from roce_lint.analysis.provenance import Fact
from roce_lint.model.device import Device, UnreadLine
from roce_lint.model.interface import Interface
from roce_lint.model.sourced import Sourced
from roce_lint.text.source import Origin, Where

T = TypeVar("T")

_PAUSE = r"pfc|pause|flow-control|no-drop|lossless|headroom|buffer"
_CLASSES = r"dscp|cos\b|dot1p|code-point|trust|class|queu|priority[-_]group"
_MARKS = r"queu|wred|random-detect|ecn|sched|drop-profile"

CLASS = "class"
"""Classification and queueing, in place of a family of checks."""

_ABOUT = {
    CLASS: ("classes", _CLASSES),
    "pfc": ("PFC", rf"{_PAUSE}|queu"),
    "watchdog": ("the watchdog", rf"{_PAUSE}|watchdog|deadlock"),
    "buffers": ("buffers", _PAUSE),
    "ecn": ("ECN marking", _MARKS),
    "mapping": ("classes", rf"{_CLASSES}|{_PAUSE}"),
    "classes": ("classes and queues", rf"{_CLASSES}|{_MARKS}|{_PAUSE}"),
    "mtu": ("the MTU", "mtu|jumbo"),
}
"""Subject of the lines that matter to a family of checks, and their words."""


def lack_of_reading(family: str) -> str:
    """Missing input where an unread line leaves something open."""
    subject, _ = _ABOUT.get(family, ("QoS", ""))
    return f"the meaning of an unread line about {subject}"


def absent(place: Where) -> Where:
    """Place of an object, marked as an absent statement in its section."""
    return replace(place, origin=Origin.ABSENT, citation=None)


def line_beside(device: Device, places: Iterable[Where], family: str) -> UnreadLine | None:
    """An unread line of a device that could state what is absent at one of the places."""
    for place in places if device.unread else ():
        absent = place.origin is not Origin.STATED
        for line in device.unread:
            may = absent and _may_state(line, place.position, family)
            if may or place.position == line.at[""]:
                return line
    return None


def _may_state(line: UnreadLine, position: int, family: str) -> bool:
    """Whether a line could state something about the object at a position. In its section any line
    could, except that only lines about classes give a class.
    """
    if position in line.near and family != CLASS and line.about_qos:
        return True
    if position or not line.users:  # otherwise it applies anywhere
        sections = line.near | line.around | line.users
        if sections and position not in sections:
            return False
    words = f"qos|service-policy|traffic-policy|{_ABOUT[family][1]}" if family in _ABOUT else "$^"
    return re.search(words, line.text, re.IGNORECASE) is not None


def line_naming(device: Device, names: Iterable[str]) -> UnreadLine | None:
    """An unread line of a device with one of the names."""
    searched = frozenset(names)
    return next(
        (line for line in device.unread if not searched.isdisjoint(line.text.split())), None
    )


def unless_unread(device: Device, fact: Fact[T], family: str) -> Fact[T]:
    """The value; unknown if it rests on an absence beside an unread line."""
    if not device.unread or line_beside(device, fact.where, family) is None:
        return fact
    return Fact(None, fact.where, lack_of_reading(family))


def lines_of_port(device: Device, port: Interface) -> tuple[int, ...]:
    """Numbers of the unread lines in sections of a port or of its own queues, which distinguish it
    from identically configured ports.
    """
    if not device.unread:
        return ()
    parts: list[Sourced | None] = [port, qos := port.qos]
    if qos is not None:
        policy = device.qos.egress.get(qos.egress or "")
        parts += (qos.pfc, policy, device.qos.ingress_buffers.get(qos.ingress_buffer or ""))
        parts += policy.queues.values() if policy is not None else ()
    own = {at for part in parts if part is not None for at in part.at.values()}
    sections = (line.near | line.around for line in device.unread)
    return tuple(n for n, section in enumerate(sections) if not own.isdisjoint(section))


def ports_left_open(device: Device) -> Iterator[str]:
    """Ports that an unread line may affect: its own, else all."""
    begins = {port.at.get("", 0): name for name, port in device.interfaces.items()}
    for line in device.unread:
        own = [begins[at] for at in line.near | line.around if at in begins]
        yield from own or device.interfaces
