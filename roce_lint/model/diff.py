"""Semantic difference of two devices: the treatment of ports, not names or layout.

Named objects (classifiers, policies, profiles) are compared from the ports that use them: an object
that was renamed, duplicated or is unused is not a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter

from roce_lint.model.device import Device, NoteKind, ParseNote
from roce_lint.model.interface import Interface
from roce_lint.model.object_diff import (
    NOWHERE,
    Difference,
    NestedDifference,
    Objects,
    names_of,
    pair_entries,
)
from roce_lint.model.path import PORTS, Path, Step
from roce_lint.model.qos import PortQos
from roce_lint.model.schema import REFERENCES, Labels
from roce_lint.text.numbers import without_numbers

Sift = Callable[[Interface, Interface, list[NestedDifference]], list[NestedDifference]]
"""Filter for the QoS differences of a port."""


def differences(
    a: Device, b: Device, *, stated: bool = False, sift: Sift | None = None
) -> list[Difference]:
    """All differences of two states of a device; with `stated` also those of wording.

    `sift` filters the QoS differences of each port.
    """
    if not stated and _DEVICE(a) == _DEVICE(b):
        return []
    return [found.of(a.hostname) for found in _Devices(a, b, stated, sift).all()]


_DEVICE = attrgetter("hostname", *names_of(Device))
_EMISSION = attrgetter("by", "flow", "nics")
_NEIGHBOR = attrgetter("by", "device")


class _Devices:
    """Comparison of two states of one device."""

    def __init__(self, a: Device, b: Device, stated: bool, sift: Sift | None):  # noqa: FBT001
        self.a = a
        self.b = b
        self.sift = sift
        self.labels = Labels(a, b)
        self.objects = Objects(self.labels, stated)

    def all(self) -> list[NestedDifference]:
        """All differences."""
        a, b, compare = self.a, self.b, self.objects
        found: list[NestedDifference] = []
        for name in names_of(Device):
            if name in _APART:
                continue
            if name == "role" and not (a.stated("role") or b.stated("role")):
                continue  # identified by the place in the fabric
            if name in _OPTIONAL and None in (getattr(a, name), getattr(b, name)):
                continue  # not every form of a configuration states it
            found += compare.field(a, b, name)
        found += self._policies()
        found += self._ports()
        found += self._nics()
        for number, (one, other) in enumerate(pair_entries(a.emits, b.emits, _EMISSION)):
            found += compare.entry(Step("emits", str(number)), one, other, a, b)
        pools = compare.diff_keyed("pools", a.pools, b.pools, a, b)
        return found + [f for f in pools if not self.labels.is_renamed_pool(f.steps[0].key or "")]

    def _policies(self) -> Iterator[NestedDifference]:
        """Differences of route policies that the sessions of both sides name identically."""
        a, b = self.a.routing, self.b.routing
        if a is None or b is None:
            return
        used = [
            {name for s in each.sessions.values() for name in (*s.policies_in, *s.policies_out)}
            for each in (a, b)
        ]
        for name in sorted(used[0] & used[1]):
            step = Step("policies", name)
            for f in self.objects.entry(step, a.policies.get(name), b.policies.get(name), a, b):
                yield f.below(Step("routing"))

    def _ports(self) -> Iterator[NestedDifference]:
        others = port_pairs(self.a, self.b)
        taken = {id(other) for other in others.values()}
        # Ports with equal fields that refer to equal objects have nothing to compare.
        same = not self.objects.stated and self.a.qos == self.b.qos
        for name, port in self.a.interfaces.items():
            other = others.get(name)
            if other is None:
                if not self.b.partial:
                    yield NestedDifference(
                        (Step(PORTS, name),), port, None, port.where(), self.b.where()
                    )
                continue
            if same and port == other:
                continue
            for found in self._port(port, other):
                yield found.below(Step(PORTS, name))
        for name, port in self.b.interfaces.items():
            if id(port) not in taken and not self.a.partial:
                yield NestedDifference(
                    (Step(PORTS, name),), None, port, self.a.where(), port.where()
                )

    def _port(self, a: Interface, b: Interface) -> Iterator[NestedDifference]:
        compare = self.objects
        for name in _PORT_FIELDS:
            yield from compare.field(a, b, name)
        for number, (one, other) in enumerate(pair_entries(a.neighbors, b.neighbors, _NEIGHBOR)):
            yield from compare.entry(Step("neighbors", str(number)), one, other, a, b)
        if a.qos is None or b.qos is None:
            if a.qos is not b.qos:
                yield from compare.entry(Step("qos"), a.qos, b.qos, a, b)
            return
        found = [f.below(Step("qos")) for f in self._qos(a.qos, b.qos)]
        yield from self.sift(a, b, found) if found and self.sift is not None else found

    def _qos(self, a: PortQos, b: PortQos) -> Iterator[NestedDifference]:
        compare = self.objects
        for name in _QOS_FIELDS:
            yield from compare.field(a, b, name)
        for name, collection in REFERENCES.items():
            one, other = getattr(a, name), getattr(b, name)
            theirs = getattr(self.a.qos, collection), getattr(self.b.qos, collection)
            yield from compare.diff_references(
                Step(name), theirs[0].get(one), theirs[1].get(other), a, b, (one, other), theirs
            )

    def _nics(self) -> Iterator[NestedDifference]:
        a, b = self.a, self.b
        for found in self.objects.diff_keyed("nics", a.nics, b.nics, a, b):
            if len(found.steps) > 1 or not (a if found.a is None else b).nics_partial:
                yield found


def refusals(a: Device, b: Device) -> Iterator[Difference]:
    """Values in a line of either state that its reader did not accept: they are in no field."""
    known: dict[Hashable, tuple[list[ParseNote], list[ParseNote]]] = {}
    for side, device in enumerate((a, b)):
        for note in device.notes:
            if note.kind in _REFUSALS:
                key = note.port, without_numbers(note.message)
                known.setdefault(key, ([], []))[side].append(note)
    for mine, theirs in known.values():
        for pair in pair_entries(mine, theirs, lambda note: note):
            if pair[0] != pair[1]:
                port = (pair[0] or pair[1]).port
                steps = (*((Step(PORTS, port),) if port else ()), Step("stated_and_refused"))
                texts = (note and note.shown for note in pair)
                places = (note.where() if note else NOWHERE for note in pair)
                yield Difference(Path(a.hostname, steps), *texts, *places)


_REFUSALS = {NoteKind.REFUSED, NoteKind.BAD_VALUE}
_OPTIONAL = {"vendor", "model", "os_version"}
_APART = {"interfaces", "nics", "emits", "pools", "qos"}
_PORT_FIELDS = tuple(n for n in names_of(Interface) if n not in {"neighbors", "qos"})
_QOS_FIELDS = tuple(n for n in names_of(PortQos) if n not in REFERENCES)


def port_pairs(a: Device, b: Device) -> dict[str, Interface]:
    """Matching ports: by name on one side, the port of the other with that name or alias."""
    pairs = {name: b.interfaces[name] for name in a.interfaces if name in b.interfaces}
    free = [port for name, port in b.interfaces.items() if name not in a.interfaces]
    if not free or len(pairs) == len(a.interfaces):
        return pairs
    known: dict[str, Interface] = {}
    for port in free:
        for name in (port.name, *port.aliases):
            known.setdefault(name, port)
    taken: set[int] = set()
    for name, port in a.interfaces.items():
        if name in pairs:
            continue
        other = next((known[n] for n in (name, *port.aliases) if n in known), None)
        if other is not None and id(other) not in taken:
            taken.add(id(other))
            pairs[name] = other
    return pairs
