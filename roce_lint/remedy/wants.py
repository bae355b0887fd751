"""Wanted changes of a finding: the fields of its rule page, with the values of an intent or of
equals, or those that its check requires.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile
from pathlib import Path as File
from typing import Any

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.catalog.changes import safety
from roce_lint.design.golden import Design, design
from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.engine.page import SECTION, RulePage
from roce_lint.errors import IntentError, LinksError
from roce_lint.intent.read import read_whole
from roce_lint.model.apply import place_of, value_at
from roce_lint.model.change import Change, Safety
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.object_diff import LABELS
from roce_lint.model.path import PORTS, Path, Step
from roce_lint.model.qos import CodeMap, Forwarding, Marking
from roce_lint.model.schema import REFERENCES, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.remedy.effect import changed, line_at
from roce_lint.remedy.values import (
    NO_NUMBERS,
    Ballot,
    Equals,
    Group,
    Nearness,
    Slot,
    Usual,
    Value,
    content,
    default_of,
    is_open,
    numbers_of,
    required,
    steps_of,
    usual,
    values,
)
from roce_lint.text.source import TREE, Location, Origin, Where

EVERY = (
    *(f"interfaces.qos.{name}" for name in ("trust", "pfc", "watchdog", "classifier")),
    "interfaces.qos.classifier.dscp_to_tc",
    "interfaces.qos.forwarding",
    *(f"interfaces.qos.forwarding.tc_to_{name}" for name in ("queue", "pg", "pfc_priority")),
    *(f"interfaces.qos.forwarding.pfc_priority_to_{name}" for name in ("queue", "pg")),
    *(f"interfaces.qos.{name}" for name in ("egress", "egress.queues", "rewrite.tc_to_dscp")),
    "interfaces.qos.ingress_buffer.groups",
    "system.watchdog",
)
"""All QoS of a port, for findings that the fields of their page do not fix."""

JUMBO = 9000
"""IP MTU that is enough for RoCE, whatever the hosts send."""

FAR = 40
"""Lines below a line without effect in which the line may stand that decides."""

UNREAD = "sources.unrecognised_lines"
"""Check of lines that state no value."""

_QUEUES, _POOLS = "interfaces.qos.egress.queues", "pools.share_percent"
_KEYS = re.compile(r"\[(?:dscp|tc|group|queue|priority)\]")

Golden = Callable[[str], Device | None]
"""The golden device of a name; None where the intent has none."""

Key = tuple[str, str]


def golden_of(intent: str | None) -> Golden | None:
    """The golden devices of an intent, each made when it is needed; None without an intent. One
    that defines no devices has none.
    """
    if intent is None:
        return None

    @cache
    def whole() -> Design | None:
        try:
            return design(read_whole(File(intent)))
        except (IntentError, LinksError):
            return None

    def device(name: str) -> Device | None:
        made = whole()
        return made.device(name) if made is not None and name in made.layout.names else None

    return device


class Wants:
    """Wanted changes of the findings of one analysis."""

    def __init__(self, analysis: Analysis, pages: Iterable[RulePage], golden: Golden | None = None):
        self._analysis = analysis
        self._pages = {page.id: page for page in pages}
        self._golden: Golden = golden or (lambda _: None)
        self._equals = Equals(analysis)
        self._wrong: dict[str, frozenset[Key]] = defaultdict(frozenset)
        self._exact = False
        self._known: dict[Hashable, list[Value]] = {}
        self._ballots: dict[Hashable, Ballot] = {}
        self._changes: dict[Hashable, list[Change]] = {}
        self._bound: dict[Hashable, Counter[str | None]] = {}
        self._odd: dict[str, list[Occurrence]] = {}
        self._stated: dict[Hashable, bool] = {}

    def mark(self, findings: Iterable[Finding]) -> Wants:
        """Leave the ports of these findings out of the votes on the fields of their rules, and odd
        lines out of all.
        """
        found: dict[str, set[Key]] = {}
        for finding in findings:
            wrong = found.setdefault(finding.rule, set())
            head = self._pages[finding.rule].head if finding.rule in self._pages else None
            is_odd = head is not None and head.fixed_by == (SECTION,) and head.check != UNREAD
            for each in finding.occurrences:
                if is_odd:
                    self._odd.setdefault(each.device, []).append(each)
                wrong.update((each.device, subject) for subject in each.subjects or ("",))
            wrong.update((device, subject) for device, subject, _ in finding.reaches)
        self._wrong.update((rule, frozenset(keys)) for rule, keys in found.items())
        return self

    def of(self, finding: Finding, occurrence: Occurrence) -> Iterator[tuple[Change, ...]]:
        """Sets of wanted changes on one device, the likeliest first; none where a person has to
        decide. Each is worked out when it is needed.
        """
        device = self._analysis.fabric.devices.get(occurrence.device)
        page = self._pages.get(finding.rule)
        if device is None or page is None or isinstance(page.head.fixed_by, str):
            return
        subjects = self._subjects(finding, occurrence)
        needed = max((each.bytes for each in self._analysis.required.values()), default=JUMBO)
        known: set[Hashable] = set()
        for found in self._sets(finding, occurrence, page.head.fixed_by):
            if not found or _is_harmful(found.values(), needed):
                continue
            way = tuple(
                replace(change, safety=safety(device.nos, change.path))
                for change in self._in_place(device, [*found.values()], subjects)
            )
            key = frozenset((change.path, change.instead) for change in way)
            if way and key not in known:
                known.add(key)
                yield way

    def _sets(
        self, finding: Finding, occurrence: Occurrence, fields: tuple[str, ...]
    ) -> Iterator[dict[Path, Change]]:
        """Changes at the places of the finding, then of the fields of its page, those that the
        check requires, and finally of all QoS of its ports.
        """
        device = self._analysis.fabric.devices[occurrence.device]
        if fields == (SECTION,):
            every = self._fields(finding, occurrence, _POOLS, *EVERY, exact=True)
            yield _near(device, occurrence, every)
            yield _near(device, occurrence, self._whole(finding, occurrence))
            return
        groups: dict[Hashable, dict[Path, Change]] = {}
        for pattern in fields:
            own = self._fields(finding, occurrence, pattern)
            others = _KEYS.sub("", pattern)
            if others != pattern:
                more = self._fields(finding, occurrence, others)
                at = {p: c for p, c in more.items() if _is_at(device, p, occurrence)}
                own |= {p: c for p, c in at.items() if _is_stated(device, p)}
            groups.setdefault(steps_of(pattern)[:-1], {}).update(own)
        flat = {path: change for group in groups.values() for path, change in group.items()}
        queues = self._fields(finding, occurrence, _QUEUES).values()
        if any(c.old for c in flat.values()) and any(c.old is None for c in queues):
            yield self._whole(finding, occurrence)  # what one queue lacks stands at another one
        at = _at(device, flat, occurrence)
        yield at
        for one in dict.fromkeys(_map_of(path) for path in at if path.steps[-1].key):
            yield {path: c for path, c in at.items() if _map_of(path) == one}
        found: list[dict[Path, Change]] = []
        for group in groups.values():
            found.append({**(found[-1] if found else {}), **group})
        yield from found
        needs = {
            change.path: change
            for change in occurrence.changes
            if not _has(self._analysis.fabric.devices[change.path.device], change)
            and not _is_within(change.path, flat)
        }
        yield needs
        first = next((each for each in (*found, needs) if each), {})
        yield _instead({**first, **needs}, occurrence)
        every = flat | self._fields(finding, occurrence, *EVERY)
        yield every
        yield every | self._whole(finding, occurrence)

    def _fields(
        self, finding: Finding, occurrence: Occurrence, *patterns: str, exact: bool = False
    ) -> dict[Path, Change]:
        """Changes of the values at some paths; exact ones also of what a line may state again."""
        self._exact = exact
        device, found = self._analysis.fabric.devices[occurrence.device], dict[Path, Change]()
        subjects = self._subjects(finding, occurrence)
        for pattern in patterns:
            for change in self._of_field(finding, device, subjects, pattern):
                found.setdefault(change.path, change)
        return found

    # ------------------------------------------------------------------ targets of a finding

    def _subjects(self, finding: Finding, occurrence: Occurrence) -> list[str]:
        """Subjects on the device: its ports, adapters or hurt ports."""
        named = [*occurrence.subjects]
        named += [port for device, port, _ in finding.reaches if device == occurrence.device]
        known = self._analysis.fabric.devices[occurrence.device]
        named += [c.path.port or "" for c in occurrence.changes if c.path.device == known.hostname]
        if not any(name in known.interfaces or name in known.nics for name in named):
            named += [port.interface.name for port in self._analysis.ports_of(known)]
        return list(dict.fromkeys(named))

    def _of_field(
        self, finding: Finding, device: Device, subjects: list[str], pattern: str
    ) -> Iterator[Change]:
        first, *rest = steps_of(pattern)
        steps, wrong = tuple(rest), self._wrong[finding.rule]
        if first.field == PORTS:
            for port in self._ports(device, subjects, steps):
                yield from self._of_port(finding, port, steps, wrong)
        elif first.field == "nics":
            every = not set(subjects) & {*device.nics, *device.interfaces}
            for nic in device.nics.values():
                if every or nic.name in subjects or nic.port in subjects:
                    yield from self._of_nic(device, nic, steps, wrong)
        elif first.field != "emits":  # what applications send is the host's own matter
            yield from self._of_device(device, (first, *steps), wrong)

    def _ports(
        self, device: Device, subjects: list[str], steps: tuple[Step, ...]
    ) -> list[JudgedPort]:
        """The ports of these names, and those that share the object with them that a path is in."""
        known = [self._analysis.port(device.hostname, name) for name in subjects]
        ports = [port for port in known if port is not None]
        field = _through(steps)
        named = {_bound_to(port.interface, field) for port in ports} - {None}
        return ports + [
            each
            for each in self._analysis.ports_of(device)
            if each not in ports and _bound_to(each.interface, field) in named
        ]

    def _of_port(
        self, finding: Finding, port: JudgedPort, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        way = (Step(PORTS, port.interface.name),)
        groups, field = self._equals.of_port(port), _through(steps)
        named = [each for each in self._analysis.classes if each.name == finding.traffic]
        classes = named or self._analysis.data_classes
        for traffic in classes if any(step.key for step in steps) else [None]:
            own = self._values(port, steps, traffic)
            golden = self._planned(port, own) | self._golden_values(port, steps, traffic)
            ballots = (self._ballot(group, port, steps, traffic, wrong) for group in groups)
            if golden:
                yield from _compared(port.device, way, own, ballots, golden)
                continue
            state = tuple((each.slot, each.steps, each.key) for each in own)
            name = traffic.name if traffic is not None else None
            shared = self._sharing(port, field) if field else 0
            key = id(groups), steps, name, self._exact, id(wrong), shared, state
            if key not in self._changes:  # ports with equal values get equal changes
                self._changes[key] = list(_compared(port.device, way, own, ballots, golden))
            for change in self._changes[key]:
                path = Path(port.device.hostname, (*way, *change.path.steps[1:]))
                yield replace(change, path=path)

    def _sharing(self, port: JudgedPort, field: str) -> int:
        """The number of ports of the switch that refer to the same object."""
        key = id(port.device), field
        if key not in self._bound:
            ports = self._analysis.ports_of(port.device)
            self._bound[key] = Counter(_bound_to(each.interface, field) for each in ports)
        return self._bound[key][_bound_to(port.interface, field)]

    def _ballot(
        self,
        group: Group,
        port: JudgedPort,
        steps: tuple[Step, ...],
        traffic: RoceClass | None,
        wrong: frozenset[Key],
    ) -> Ballot:
        """The votes of a group (cached: most ports of a switch have the same equals). A port that
        uses the same object has no vote on it.
        """
        noun, near, others = group
        field = _through(steps)
        bound = _bound_to(port.interface, field)
        shared = bound is not None and self._sharing(port, field) > 1
        own = (port.device.hostname, bound) if shared else None
        name = traffic.name if traffic is not None else None
        key = id(others), steps, name, self._exact, id(wrong), own
        if key not in self._ballots:
            known: dict[Hashable, tuple[JudgedPort, int]] = {}
            for other, _ in others:
                count = self._equals.count(other, wrong)
                same = other.device is port.device and _bound_to(other.interface, field) == bound
                if count and not (shared and same) and not self._is_odd(other, steps, traffic):
                    alike = self._equals.likeness(other)
                    first, before = known.get(alike, (other, 0))
                    known[alike] = first, before + count
            total = sum(count for _, count in known.values())
            votes = ((v, n) for o, n in known.values() for v in self._values(o, steps, traffic))
            self._ballots[key] = Ballot(noun, near, total, votes)
        return self._ballots[key]

    def _is_odd(self, port: JudgedPort, steps: tuple[Step, ...], traffic: RoceClass | None) -> bool:
        """Whether a finding on lines as such is about one that states a value of a port (cached:
        many ballots have the same ports).
        """
        host, odd = port.device.hostname, self._odd.get(port.device.hostname, ())
        key = port.key, steps, traffic.name if traffic is not None else None
        if odd and key not in self._stated:
            values = self._values(port, steps, traffic)
            paths = [Path(host, (Step(PORTS, port.interface.name), *v.steps)) for v in values]
            stated = [path for path in paths if _is_stated(port.device, path)]
            found = any(_is_at(port.device, path, each) for path in stated for each in odd)
            self._stated[key] = found
        return bool(odd) and self._stated[key]

    def _values(
        self, port: JudgedPort, steps: tuple[Step, ...], traffic: RoceClass | None
    ) -> list[Value]:
        """Values of a port (cached: many findings compare the same ports)."""
        key = port.key, steps, traffic.name if traffic is not None else None, self._exact
        if key not in self._known:
            numbers = numbers_of(self._analysis, traffic, port)
            found = values(port.device, port.interface, steps, numbers, exact=self._exact)
            self._known[key] = found
        return self._known[key]

    def _whole(self, finding: Finding, occurrence: Occurrence) -> dict[Path, Change]:
        """The objects that ports of equals refer to by one name, as a whole."""
        device = self._analysis.fabric.devices[occurrence.device]
        wrong = self._wrong[finding.rule]
        found: dict[Path, Change] = {}
        for name in self._subjects(finding, occurrence):
            port = self._analysis.port(device.hostname, name)
            if port is not None and port.interface.qos is not None:
                for field in REFERENCES:
                    for change in self._named(port, field, wrong):
                        found.setdefault(change.path, change)
        names = self._of_device(device, steps_of("qos.tc_names"), wrong) if found else ()
        return found | {each.path: each for each in names if each.old is None}

    def _named(self, port: JudgedPort, field: str, wrong: frozenset[Key]) -> Iterator[Change]:
        device, collection = port.device, REFERENCES[field]
        qos: Any = port.interface.qos
        steps = (Step("qos"), Step(field))
        for noun, near, others in self._equals.of_port(port) if not device.is_host else ():
            votes = (
                (replace(each, value=None, named=(each.value, content(each.named))), count, each)
                for other, _ in others
                if near and (count := self._equals.count(other, wrong))
                for each in values(other.device, other.interface, steps, NO_NUMBERS)
            )
            known = list(votes)
            most = usual(((value, count) for value, count, _ in known), noun)
            if most is None:
                continue
            like = next(each for value, _, each in known if value.key == most.like.key)
            if like.value is None or like.named is None:
                return
            own = getattr(qos, field)
            path = Path(device.hostname, (Step(PORTS, port.interface.name), *steps))
            if own != like.value:
                if near < required(steps) and qos.stated(field):
                    return  # of ports in another place
                yield Change(path, like.value, Safety.DISRUPTIVE, own, str(most))
            old = getattr(device.qos, collection).get(like.value)
            if content(old) != content(like.named):
                top = Path(device.hostname, (Step("qos"), Step(collection, like.value)))
                yield Change(top, like.named, Safety.DISRUPTIVE, old, str(most))
            return

    def _of_nic(
        self, device: Device, nic: Nic, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        others = [
            (host, other)
            for host, other in self._analysis.roce_nics
            if other is not nic
            and not {(host.hostname, name) for name in (other.name, other.port or "", "")} & wrong
        ]
        same = [(host, other) for host, other in others if other.maker == nic.maker]
        groups = ("equal NICs", Nearness.EQUAL, same), ("NICs", Nearness.ANY, others)
        own = values(device, nic, steps, NO_NUMBERS)
        yield from _compared(device, (Step("nics", nic.name),), own, self._votes(groups, steps), {})

    def _of_device(
        self, device: Device, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        bad = {name for name, _ in wrong}
        groups = (
            (noun, Nearness.EQUAL, [(each, each) for each in known if each.hostname not in bad])
            for noun, known in self._equals.of_device(device)
        )
        golden = self._golden(device.hostname)
        wanted = values(golden, golden, steps, NO_NUMBERS) if golden is not None else []
        own = values(device, device, steps, NO_NUMBERS, exact=self._exact)
        ballots = self._votes(groups, steps)
        yield from _compared(device, (), own, ballots, {v.slot: v for v in wanted})

    def _votes(
        self,
        groups: Iterable[tuple[str, Nearness, Sequence[tuple[Device, Nic | Device]]]],
        steps: tuple[Step, ...],
    ) -> list[Ballot]:
        """The votes of groups of NICs or devices, each with its device."""
        exact = self._exact
        return [
            Ballot(
                noun,
                near,
                len(known),
                [(v, 1) for d, o in known for v in values(d, o, steps, NO_NUMBERS, exact=exact)],
            )
            for noun, near, known in groups
        ]

    def _planned(self, port: JudgedPort, own: list[Value]) -> dict[Slot, Value]:
        """ECN thresholds that a named profile has for the speed of a port."""
        plan = self._analysis.fabric.plan
        if plan is None:
            return {}
        fits = [each for each in plan.marking if each.speed_gbps == port.gbps]
        fits = fits or [each for each in plan.marking if each.speed_gbps is None]
        found: dict[Slot, Value] = {}
        for each in own if len(fits) == 1 else ():
            policy = fits[0]
            if each.slot[-1].field == "marking":
                old = each.value if isinstance(each.value, Marking) else Marking(ecn=True)
                made = replace(
                    old,
                    kmin=_bytes(policy.kmin_bytes, old.kmin),
                    kmax=_bytes(policy.kmax_bytes, old.kmax),
                    pmax_percent=policy.pmax_percent or old.pmax_percent,
                )
                if None not in (made.kmin, made.kmax):
                    found[each.slot] = replace(each, value=made, why=f"as in {plan.name}")
        return found

    def _golden_values(
        self, port: JudgedPort, steps: tuple[Step, ...], traffic: RoceClass | None
    ) -> dict[tuple[Step, ...], Value]:
        """Values of the golden device at the same port, where names and numbers do not matter."""
        golden = self._golden(port.device.hostname)
        own = golden.interfaces.get(port.interface.name) if golden is not None else None
        if golden is None or own is None:
            return {}
        judged = replace(port, device=golden, interface=own)
        found: dict[Slot, Value] = {}
        for each in values(golden, own, steps, numbers_of(self._analysis, traffic, judged)):
            if isinstance(each.value, Marking):
                found[each.slot] = replace(each, value=replace(each.value, name=None))
            elif required(each.slot) is Nearness.ANY:
                found[each.slot] = each
        return found

    # ------------------------------------------------------------------ objects of several ports

    def _in_place(
        self, device: Device, changes: list[Change], subjects: list[str]
    ) -> Iterator[Change]:
        """Changes of a shared object where it stands, if it is wrong for all its users; else they
        remain changes of ports, or the port gets the maps of the device that are right. A subject
        of the finding without enough equals counts as wrong like the others.
        """
        groups: dict[tuple[str, str], dict[str, list[Change]]] = {}
        for change in changes:
            at = _shared(device, change)
            if at is None:
                yield change
                yield from self._beside(device, change, changes)
            else:
                groups.setdefault(at, {}).setdefault(change.path.port or "", []).append(change)
        for (field, name), ports in groups.items():
            others = self._users(device, field, name) - ports.keys() - set(subjects)
            first = max(ports.values(), key=len)
            same = all(_inside(own) <= _inside(first) for own in ports.values())
            known = getattr(device.qos, REFERENCES[field]).get(name)
            bound = [_bound_maps(device, own) for own in ports.values()]
            if others or not same or getattr(known, "builtin", False) or any(bound):
                for own, binding in zip(ports.values(), bound, strict=True):
                    yield from own if binding is None else [binding]
                continue
            top = (Step("qos"), Step(REFERENCES[field], name))
            for change in first:
                yield replace(change, path=Path(device.hostname, (*top, *change.path.steps[3:])))

    def _beside(self, device: Device, change: Change, changes: list[Change]) -> Iterator[Change]:
        """The same change of the system and of ports out of scope, stated by the same line."""
        here, below = place_of(device, change.path), change.path.steps[1:]
        if change.path.port is None or here.origin is not Origin.STATED or here.position <= 0:
            return
        named = {each.path.port for each in changes}
        free = (name for name in device.interfaces if name not in named)
        own = (name for name in free if self._analysis.port(device.hostname, name) is None)
        for top in (*((Step(PORTS, name), below[0]) for name in own), (Step("system"),)):
            path = Path(device.hostname, (*top, *below[1:]))
            there = place_of(device, path)
            if there.position == here.position and there.origin is Origin.STATED:
                yield replace(change, path=path)

    def _users(self, device: Device, field: str, name: str) -> set[str]:
        """Ports in scope with an object, whose class has known numbers."""
        numbers = [
            (port.interface, numbers_of(self._analysis, traffic, port))
            for port in self._analysis.ports_of(device)
            for traffic in self._analysis.data_classes
            if _bound_to(port.interface, field) == name
        ]
        return {port.name for port, known in numbers if known.get("queue") is not None}


def _compared(
    device: Device,
    way: tuple[Step, ...],
    own: list[Value],
    ballots: Iterable[Ballot],
    golden: Mapping[Slot, Value],
) -> Iterator[Change]:
    """Changes of values that differ from the intent, else from most of the nearest equals."""
    known, asked, left = {each.slot: each for each in own}, list[Ballot](), iter(ballots)

    def decide(slot: Slot) -> Usual | None:
        found = next((most for each in asked if (most := each.most(slot)) is not None), None)
        while found is None and (ballot := next(left, None)) is not None:
            asked.append(ballot)
            found = ballot.most(slot)
        return found

    for each in own:
        if each.slot not in golden:
            decide(each.slot)
    done: set[Slot] = set()
    slots = dict.fromkeys([*known, *(slot for each in asked for slot in each.by_slot)])
    for slot in sorted(slots, key=len):
        mine = known.get(slot)
        if any(slot[:size] in done for size in range(1, len(slot))):
            continue  # inside an object that is changed as a whole
        if slot in golden:
            why = golden[slot].why or "as in the intent"
            yield from _change(device, way, mine, golden[slot], why)
        elif (most := decide(slot)) is not None:
            found = list(_change(device, way, mine, most.like, str(most)))
            done.update([slot] if found else [])
            yield from found


def _change(
    device: Device, way: tuple[Step, ...], mine: Value | None, wanted: Value, why: str
) -> Iterator[Change]:
    """The change from one value to another; objects on both sides field by field."""
    path = Path(device.hostname, (*way, *(mine.steps if mine is not None else wanted.steps)))
    old, value = (mine.value if mine is not None else None), wanted.value
    if mine is not None and mine.key == wanted.key:
        return
    if wanted.named is not None:
        known = getattr(device.qos, REFERENCES[path.steps[-1].field])
        if value == old or value in device.interfaces or value not in known:
            return  # an object of one port, or of another device
    elif content(old) == content(value) and not wanted.exact:
        return
    if isinstance(old, Marking) and isinstance(value, Marking) and value.name is None:
        value = replace(value, name=old.name)
    if isinstance(old, Sourced) and isinstance(value, Sourced):
        if not wanted.exact and not is_open(old) and type(old) is type(value):
            yield from _fields(path, old, value, why)
        return  # the others are compared field by field
    change = Change(path, value, Safety.DISRUPTIVE, old, why, wanted.default)
    yield replace(change, falls=wanted.falls)


def _fields(path: Path, old: Sourced, wanted: Any, why: str) -> Iterator[Change]:
    """Changes of the fields of an object; of one with another name, the whole object."""
    if wanted.name is None or wanted.name != getattr(old, "name", None):
        yield Change(path, wanted, Safety.DISRUPTIVE, old, why)
        return
    for name in fields_of(type(old)):
        one, other = getattr(old, name), getattr(wanted, name)
        if name not in LABELS and content(one) != content(other):
            below, default = path.then(Step(name)), default_of(wanted, name)
            yield Change(below, other, Safety.DISRUPTIVE, one, why, default)


def _bytes(size: int | None, old: Threshold | None) -> Threshold | None:
    return old if size is None else Threshold(size, ThresholdUnit.BYTES)


def _at(device: Device, changes: dict[Path, Change], occurrence: Occurrence) -> dict[Path, Change]:
    """The changes at the places of a finding, with those of numbers that the same map does not
    list: a number that is listed in error may stand for one of them.
    """
    near = {path for path in changes if _is_at(device, path, occurrence)}
    maps = {_map_of(path) for path in near if path.steps[-1].key}
    return {
        path: change
        for path, change in changes.items()
        if (path in near if _is_stated(device, path) else _map_of(path) in maps)
    }


def _map_of(path: Path) -> Hashable:
    return path.steps[:-1], path.steps[-1].field


def _is_stated(device: Device, path: Path) -> bool:
    return place_of(device, path).origin is Origin.STATED


def _is_at(device: Device, path: Path, occurrence: Occurrence) -> bool:
    """Whether one of the places of a finding states a value, or begins the object that lacks it."""
    where = place_of(device, path)
    if where.position >= TREE:
        number, keys = where.src.keys_of(where.position)
        place = where.src.files[number].name, "|".join(map(str, keys))
        return any((each.file, each.path) == place for each in occurrence.locations)
    line = line_at(where.src, where.position)
    return any((each.file, each.line) == line for each in occurrence.locations)


def _instead(found: dict[Path, Change], occurrence: Occurrence) -> dict[Path, Change]:
    """The same changes without the deciding line, which was meant for them and has no effect."""
    place = next((each for each in occurrence.locations if each.line > 0), None)
    if place is None:
        return found
    return {p: replace(c, instead=(place.file, place.line)) for p, c in found.items()}


def _through(steps: tuple[Step, ...]) -> str:
    """The reference that a path below a port leads through."""
    inside = len(steps) > 2 and steps[0].field == "qos" and steps[1].field in REFERENCES
    return steps[1].field if inside else ""


def _bound_to(port: Interface, field: str) -> str | None:
    """The name of the object that a port refers to in a field."""
    name = getattr(port.qos, field, None)
    return name if isinstance(name, str) else None


def _near(
    device: Device, occurrence: Occurrence, changes: dict[Path, Change]
) -> dict[Path, Change]:
    """The changes in the section of the deciding line: of the object that begins closest above it
    in a text, or shares most keys with it in a tree.
    """
    if not occurrence.locations:
        return {}
    place = occurrence.locations[0]
    lines = {each.line for each in occurrence.locations if each.file == place.file}
    found: dict[int, dict[Path, Change]] = {}
    for path, change in changes.items():
        found.setdefault(_nearness(place_of(device, path), place, lines), {})[path] = change
    found.pop(0, None)
    near = found[max(found)] if found else {}
    if not near and len({path.steps[2:] for path in changes}) == 1:
        near = changes
    return {path: replace(c, instead=(place.file, place.line)) for path, c in near.items()}


def _nearness(where: Where, place: Location, lines: set[int]) -> int:
    if where.position <= 0 or where.src.files[where.src.file_of(where.position)].name != place.file:
        return 0
    if where.position >= TREE:
        keys = where.src.keys_of(where.position)[1]
        pairs = zip(map(str, keys), place.path.split("|"), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    line = where.src.line_of(where.position)
    if line <= place.line or line in lines:
        return min(line, place.line)
    return place.line - line if line - place.line < FAR else 0


def _has(device: Device, change: Change) -> bool:
    """Whether a device has the value of a change already."""
    last, wanted = change.path.steps[-1].field, change.value
    if last in REFERENCES and isinstance(wanted, str):
        wanted = getattr(device.qos, REFERENCES[last]).get(wanted)
    return content(value_at(device, change.path)) == content(wanted)


def is_same(device: Device, change: Change, wanted: Device) -> bool:
    """Whether a device has the value of a change, as the device does to which it was applied. An
    object without a name of its own may have another key.
    """
    value = value_at(device, change.path)
    return value is None or content(value) == content(value_at(wanted, change.path))


def _is_within(path: Path, found: Iterable[Path]) -> bool:
    """Whether a change at, above or below a path is among these."""
    return any(
        path.device == other.device
        and all(one == two for one, two in zip(path.steps, other.steps, strict=False))
        for other in found
    )


# What a fix never does, whatever equals have.


def _is_harmful(changes: Collection[Change], needed: int) -> bool:
    """Whether changes turn PFC, ECN marking or the watchdog off, or lower an MTU below the largest
    RoCE packet of `needed` bytes. A marking that moves to another queue is not off.
    """
    marks = any(_marks(c.value) for c in changes if Step("marking") in c.path.steps)
    return any(_turns_off(change, needed, marks=marks) for change in changes)


def _marks(value: Any) -> bool:
    """Whether a marking, or its switch, is on."""
    return bool(value.ecn if isinstance(value, Marking) else value)


def _turns_off(change: Change, needed: int, *, marks: bool) -> bool:
    names = [step.field for step in change.path.steps]
    last, old, new = names[-1], change.old, change.value
    if last == "ip_mtu" and isinstance(old, int):
        return not isinstance(new, int) or new < min(old, needed)
    if last in ("generate", "honour", "priorities", "named", "adaptive_routing", "adaptive"):
        return bool(old) and not new
    if last in ("marking", "ecn"):
        return _marks(old) and not _marks(new) and not marks
    if last == "watchdog":
        return old is not None and new is None
    if last == "enabled" and {"marking", "watchdog"} & set(names):
        return bool(old) and not new
    return False


# Objects that several ports share.


def _inside(changes: Iterable[Change]) -> frozenset[Hashable]:
    """The changes of an object, comparable between the ports that use it."""
    return frozenset((c.path.steps[2:], content(c.value)) for c in changes)


def _bound_maps(device: Device, changes: list[Change]) -> Change | None:
    """The binding of a port to a set of maps that has all entries of its own with changes: such a
    set is no object of the device, whose ports name the maps.
    """
    first = changes[0]
    if first.path.steps[2].field != "forwarding":
        return None
    after = changed(device, changes)
    old: Any = after.interfaces[first.path.port or ""].qos
    made = after.qos.forwardings[old.forwarding]
    maps = [name for name in fields_of(Forwarding) if isinstance(getattr(made, name), CodeMap)]
    for name, known in device.qos.forwardings.items():
        pairs = ((getattr(made, each).entries, getattr(known, each).entries) for each in maps)
        if name not in device.interfaces and all(a.items() <= b.items() for a, b in pairs):
            path = Path(first.path.device, first.path.steps[:3])
            return Change(path, name, first.safety, old.forwarding, first.why)
    return None


def _shared(device: Device, change: Change) -> tuple[str, str] | None:
    """The reference of a port that a path leads through, and the name it has there."""
    field = _through(change.path.steps[1:]) if change.path.port is not None else ""
    name = _bound_to(device.interfaces[change.path.port or ""], field) if field else None
    return (field, name) if name is not None else None
