"""Values that the equals of a port, adapter or device have at a path of the model.

A path of a rule page names fields without entries (`interfaces.qos.egress.queues[queue].marking`);
entries that belong to a traffic class have other numbers on each device and are found by `Numbers`.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import cache, cached_property
from typing import Any

from roce_lint.analysis.representatives import kind_of_values
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.model.device import Device
from roce_lint.model.object_diff import LABELS, names_of
from roce_lint.model.path import Step, parse
from roce_lint.model.qos import CodeMap, PortQos
from roce_lint.model.schema import KINDS, REFERENCES, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.values import key_text
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Citation

LEAST = 3
"""Equals that have to agree, and the share of all of them."""

SHARE = (2, 3)

Slot = tuple[Step, ...]

Numbers = Mapping[str, int | None]
"""Numbers of a traffic class on a port: its DSCP, class, group, queue, and PFC priority."""

NO_NUMBERS: Numbers = {}

WORDS = frozenset({"dscp", "tc", "group", "queue", "priority"})


@dataclass(frozen=True)
class Value:
    """A value of the model at a path, and the default of the platform that gives it, if any.

    `slot` is the path with the words of the page in place of numbers: equal slots are comparable.
    """

    slot: tuple[Step, ...]
    steps: tuple[Step, ...]
    value: Any
    default: Citation | None = None
    exact: bool = False
    named: Any = None  # the object of the device that the value names
    falls: bool = False  # the rest of a map has it
    why: str = ""  # its source, where that is no vote

    @cached_property
    def key(self) -> Hashable:
        """The content: equal for equal values, whatever their names and places are; of exact values
        also whether a line states it.
        """
        known = content(self.value if self.named is None else self.named)
        return (known, self.default is None) if self.exact else known


@dataclass(slots=True, frozen=True)
class Usual:
    """The value of most equals, one of them with it, and how many there are."""

    like: Value
    agree: int
    of: int
    noun: str

    def __str__(self) -> str:
        return f"as {self.agree} of {self.of} {self.noun}"


@cache
def steps_of(pattern: str) -> tuple[Step, ...]:
    """The steps of a path on a rule page."""
    return parse(f"device {pattern}").steps


def content(value: Any) -> Hashable:
    """A hashable form of a value of the model, without names and places."""
    if isinstance(value, CodeMap):
        return (tuple(sorted(value.entries.items())), value.otherwise)
    if is_dataclass(value):
        names = names_of(type(value))
        return (type(value).__name__, *(content(getattr(value, name)) for name in names))
    if isinstance(value, Mapping):
        return tuple(sorted(((key_text(key), content(each)) for key, each in value.items())))
    if isinstance(value, list | tuple):
        return tuple(map(content, value))
    return value if isinstance(value, Hashable) else repr(value)


def values(
    device: Device, owner: Any, steps: tuple[Step, ...], numbers: Numbers, *, exact: bool = False
) -> list[Value]:
    """Values at and below an object of a device, one for each entry that the steps name; exact ones
    differ also where only one is stated by a line.
    """
    found = _Below(device, numbers, exact=exact).at(owner, steps)
    return [replace(each, exact=True) for each in found] if exact else list(found)


class _Below:
    """Collects values below an object, with the path from there in words and in numbers."""

    def __init__(self, device: Device, numbers: Numbers, *, exact: bool):
        self.device = device
        self.numbers = numbers
        self.exact = exact

    def at(
        self, owner: Any, steps: tuple[Step, ...], slot: Slot = (), way: Slot = ()
    ) -> Iterator[Value]:
        """Values at the end of some steps."""
        step, rest = steps[0], steps[1:]
        held, plain = getattr(owner, step.field, None), (*way, Step(step.field))
        if isinstance(owner, PortQos) and step.field in REFERENCES:
            known = getattr(self.device.qos, REFERENCES[step.field]).get(held)
            if not rest:
                yield Value((*slot, step), plain, held, default_of(owner, step.field), named=known)
            elif known is not None:
                yield from self.at(known, rest, (*slot, step), plain)
        elif isinstance(held, CodeMap) and not rest:
            yield from self._codes(held, step, slot, way)
        elif isinstance(held, dict):
            yield from self._entries(held, steps, slot, way)
        else:
            yield from self._value(owner, step.field, held, rest, (*slot, step), plain)

    def _codes(self, held: CodeMap, step: Step, slot: Slot, way: Slot) -> Iterator[Value]:
        wanted = _entry(step, self.numbers)
        whole = range(64 if step.field.startswith("dscp") else 8)
        every = sorted(held.entries) if held.otherwise is None else whole
        for number in every if step.key is None else [wanted]:
            if number is not None:
                named = Step(step.field, step.key or str(number))
                entry = (*way, Step(step.field, str(number)))
                default, falls = default_of(held, held.key(number)), number not in held.entries
                yield Value((*slot, named), entry, held.get(number), default, falls=falls)

    def _entries(
        self, held: dict[Any, Any], steps: tuple[Step, ...], slot: Slot, way: Slot
    ) -> Iterator[Value]:
        step, rest = steps[0], steps[1:]
        wanted = _entry(step, self.numbers)
        missing = step.key is not None and wanted is not None
        for key, each in held.items():
            own = key[-1] if isinstance(key, tuple) else key
            if step.key is None or own == wanted:
                missing = False
                named = Step(step.field, step.key or key_text(key))
                below = (*way, Step(step.field, key_text(key)))
                yield from self._value(held, key, each, rest, (*slot, named), below)
        if missing:
            yield Value((*slot, *steps), (*way, Step(step.field, str(wanted)), *rest), None)

    def _value(
        self, owner: Any, name: Hashable, held: Any, rest: Slot, slot: Slot, way: Slot
    ) -> Iterator[Value]:
        if rest and held is None:
            yield Value((*slot, *rest), (*way, *rest), None)
        elif rest:
            yield from self.at(held, rest, slot, way)
        else:
            yield Value(slot, way, held, default_of(owner, name))
            if is_open(held) or (self.exact and isinstance(held, KINDS)):
                for field in fields_of(type(held)):
                    if field not in LABELS:
                        yield from self.at(held, (Step(field),), slot, way)


def is_open(held: Any) -> bool:
    """Whether an object is compared field by field, and not as a whole by its name."""
    return isinstance(held, Sourced) and not isinstance(held, (CodeMap, *KINDS))


def _entry(step: Step, numbers: Numbers) -> int | None:
    """The number that a word or a number in brackets names."""
    if step.key is None:
        return None
    return whole_of(step.key) if step.key.isdigit() else numbers.get(step.key)


def default_of(owner: Any, name: Hashable) -> Citation | None:
    """The default of the platform that gives a value, if any."""
    place = owner.at.get(name, 0) if isinstance(owner, Sourced) else 0
    return owner.src.citation(place) if place < 0 else None


# Equals of ports and devices.


def numbers_of(analysis: Analysis, traffic: RoceClass | None, port: JudgedPort) -> Numbers:
    """Numbers of a traffic class on a port; where the port has it in a wrong class, those of the
    class with its PFC priority.
    """
    if traffic is None:
        return NO_NUMBERS
    dscp = traffic.dscps[0]
    treated = analysis.treat(port, dscp)
    into, usual = treated.ingress, analysis.mode(traffic, port).priority
    return {
        "dscp": dscp,
        "tc": into.tc,
        "group": into.pg,
        "queue": treated.egress.queue,
        "priority": into.priority if usual is None else usual,
    }


PORTABLE = frozenset(
    {"ip_mtu", "fec", "trust", "generate", "kmin", "kmax", "pmax_percent", "ecn", "wred_drop"}
    | {"detection_ms", "restoration_ms", "action", "ecn_copied", "dscp_copied"}
    | {"traffic_class", "cma_tos", "cnp_dscp", "roce_version", "rdma_mtu", "dscp"}
)
"""Fields whose values are the same on every system; others depend on its names and numbers."""


class Nearness(enum.IntEnum):
    """Common ground of a group of equals and a port or device."""

    ANY = 0  # nothing but the class
    SYSTEM = 1  # the operating system
    EQUAL = 2  # place and speed too


def required(slot: Sequence[Step]) -> Nearness:
    """The least common ground on which equals are compared at a path."""
    names = {step.field for step in slot}
    if slot[-1].field in PORTABLE:
        return Nearness.ANY
    if slot[-1].field in REFERENCES or names & {"scheduler", "buffer", "ingress_buffer"}:
        return Nearness.EQUAL
    return Nearness.SYSTEM


Group = tuple[str, Nearness, list[tuple[JudgedPort, int]]]
"""Noun and common ground of equal ports, each with the number of ports of its kind."""


class Equals:
    """Groups of equal ports and devices of a fabric, the nearest first."""

    def __init__(self, analysis: Analysis):
        self._analysis = analysis
        self._groups: dict[Hashable, list[Group]] = {}
        self._counts: dict[Hashable, int] = {}
        self._likes: dict[Hashable, Hashable] = {}

    def likeness(self, port: JudgedPort) -> Hashable:
        """A key that ports with equal values at all paths share."""
        if port.key not in self._likes:
            qos, known = port.interface.qos, port.device.qos
            contents = self._analysis.treatments.contents
            named = tuple(
                contents.of(getattr(known, collection).get(getattr(qos, field, None)))
                for field, collection in REFERENCES.items()
            )
            self._likes[port.key] = port.device.nos, kind_of_values(port, contents), named
        return self._likes[port.key]

    def of_port(self, port: JudgedPort) -> list[Group]:
        """Groups of ports with their noun and counts (cached: ports of a switch share them)."""
        key = id(port.device), port.faces_host, port.gbps
        if key not in self._groups:
            self._groups[key] = self._of_port(port)
        return self._groups[key]

    def _of_port(self, port: JudgedPort) -> list[Group]:
        device, kinds = port.device, self._analysis.kinds
        if device.is_host:
            maker = _makers(device)
            alike = [(each, n) for each, n in kinds if _makers(each.device) & maker]
            hosts = [(each, n) for each, n in kinds if each.device.is_host]
            known = {_classes_of(each) for each, _ in alike} - {None}
            near = [(each, n) for each, n in hosts if _classes_of(each) in known]
            return [
                ("equal NICs", Nearness.EQUAL, alike),
                ("NICs with equal classes", Nearness.EQUAL, near),
                ("NICs", Nearness.ANY, hosts),
            ]
        own = [(each, n) for each, n in kinds if each.device is device]
        same = [(each, n) for each, n in kinds if each.device.nos == device.nos]
        role = [pair for pair in same if pair[0].device.role is device.role]
        every = [pair for pair in kinds if not pair[0].device.is_host]
        return [
            ("equal ports", Nearness.EQUAL, [each for each in own if _meet(each[0], port)]),
            ("equal ports", Nearness.EQUAL, [each for each in role if _meet(each[0], port)]),
            ("ports of the switch", Nearness.SYSTEM, own),
            ("ports of equal switches", Nearness.SYSTEM, role),
            ("ports of this system", Nearness.SYSTEM, same),
            ("ports", Nearness.ANY, every),
        ]

    def of_device(self, device: Device) -> list[tuple[str, list[Device]]]:
        """Groups of other devices of the same system."""
        fabric = self._analysis.fabric.devices.values()
        same = [each for each in fabric if each.nos == device.nos and each is not device]
        role = [each for each in same if each.role is device.role]
        return [("equal devices", role), ("devices of this system", same)]

    def count(self, port: JudgedPort, wrong: frozenset[tuple[str, str]]) -> int:
        """The number of ports of its kind that are not among the wrong ones."""
        key = port.key, id(wrong)
        if key not in self._counts:
            equal = self._analysis.equals.get(port.key, [port])
            self._counts[key] = sum(
                each.key not in wrong and (each.device.hostname, "") not in wrong for each in equal
            )
        return self._counts[key]


def _makers(device: Device) -> frozenset[str]:
    return frozenset(nic.maker for nic in device.nics.values() if nic.maker)


def _classes_of(port: JudgedPort) -> Hashable:
    """The class of each priority of a NIC, which makers number differently; None if unknown."""
    qos = port.interface.qos
    maps = port.device.qos.forwardings.get(qos.forwarding or "") if qos is not None else None
    return content(maps) if maps is not None and maps.tc_to_queue.entries else None


def _meet(one: JudgedPort, other: JudgedPort) -> bool:
    return one.faces_host == other.faces_host and one.gbps == other.gbps


class Ballot:
    """The votes of one group of equals; those without a value at a path count too."""

    def __init__(self, noun: str, near: Nearness, count: int, votes: Iterable[tuple[Value, int]]):
        self.noun = noun
        self.near = near
        self.count = count
        self.by_slot: dict[Slot, list[tuple[Value, int]]] = {}
        for value, weight in votes:
            if near >= required(value.slot):
                self.by_slot.setdefault(value.slot, []).append((value, weight))
        self._most: dict[Slot, Usual | None] = {}

    def most(self, slot: Slot) -> Usual | None:
        """The value at a path that enough of them agree on."""
        if slot not in self._most:
            votes = self.by_slot.get(slot, [])
            absent = self.count - sum(weight for _, weight in votes)
            comparable = self.near > Nearness.ANY and self.near >= required(slot)
            if absent and comparable and not any(step.key in WORDS for step in slot):
                votes = [*votes, (Value(slot, slot, None), absent)]
            self._most[slot] = usual(votes, self.noun)
        return self._most[slot]


def usual(votes: Iterable[tuple[Value, int]], noun: str) -> Usual | None:
    """The value that enough equals agree on; one that a line states is the example."""
    counts: Counter[Hashable] = Counter()
    example: dict[Hashable, Value] = {}
    for value, count in votes:
        key = value.key
        counts[key] += count
        if key not in example or (example[key].default is not None and value.default is None):
            example[key] = value
    for key, agree in counts.most_common(1):
        if agree >= LEAST and agree * SHARE[1] >= counts.total() * SHARE[0]:
            return Usual(example[key], agree, counts.total(), noun)
    return None
