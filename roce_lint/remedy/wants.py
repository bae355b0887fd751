"""Wanted changes of a finding: the fields of its rule page, with the values of an intent or of
equals, or those that its check requires.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
from roce_lint.model.nic import Nic
from roce_lint.model.object_diff import LABELS
from roce_lint.model.path import PORTS, Path, Step
from roce_lint.model.qos import CodeMap, Forwarding, Marking
from roce_lint.model.schema import KINDS, REFERENCES, fields_of
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.model.values import key_text
from roce_lint.remedy.effect import changed
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
    is_open,
    numbers_of,
    required,
    steps_of,
    usual,
    values,
)
from roce_lint.text.source import TREE, Citation, Location, Origin, Where

_MAPS = (
    "tc_to_queue",
    "tc_to_pg",
    "tc_to_pfc_priority",
    "pfc_priority_to_queue",
    "pfc_priority_to_pg",
)

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
        self._golden = golden
        self._equals = Equals(analysis)
        self._wrong: dict[str, set[Key]] = {}
        self._exact = False
        self._known: dict[Hashable, list[Value]] = {}
        self._ballots: dict[Hashable, Ballot] = {}
        self._changes: dict[Hashable, list[Change]] = {}
        self._bound: dict[Hashable, Counter[str | None]] = {}
        self._frozen: dict[str, frozenset[Key]] = {}

    def mark(self, findings: Iterable[Finding]) -> Wants:
        """Leave the ports of these findings out of the votes on the fields of their rules."""
        for finding in findings:
            wrong = self._wrong.setdefault(finding.rule, set())
            for each in finding.occurrences:
                wrong.update((each.device, subject) for subject in each.subjects or ("",))
            wrong.update((device, subject) for device, subject, _ in finding.reaches)
        return self

    def _wrong_of(self, rule: str) -> frozenset[Key]:
        """Ports and devices with findings of a rule: one object each, by which results are kept."""
        if rule not in self._frozen:
            self._frozen[rule] = frozenset(self._wrong.get(rule, ()))
        return self._frozen[rule]

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
        for found in self._sets(finding, occurrence, device, page.head.fixed_by):
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
        self, finding: Finding, occurrence: Occurrence, device: Device, fields: tuple[str, ...]
    ) -> Iterator[dict[Path, Change]]:
        """Changes at the places of the finding, then of the fields of its page, those that the
        check requires, and finally of all QoS of its ports.
        """
        if fields == (SECTION,):
            every = self._fields(finding, occurrence, device, EVERY, exact=True)
            yield _near(device, occurrence, every)
            yield _near(device, occurrence, self._whole(finding, device, occurrence))
            return
        groups: dict[Hashable, dict[Path, Change]] = {}
        for pattern in fields:
            own = self._fields(finding, occurrence, device, (pattern,))
            others = _KEYS.sub("", pattern)
            if others != pattern:
                more = self._fields(finding, occurrence, device, (others,))
                own |= {p: c for p, c in more.items() if _is_at(device, c, occurrence)}
            groups.setdefault(steps_of(pattern)[:-1], {}).update(own)
        flat = {path: change for group in groups.values() for path, change in group.items()}
        yield {path: c for path, c in flat.items() if _is_at(device, c, occurrence)}
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
        if any(self._is_usual(finding, device, change) for change in needs.values()):
            needs = {}  # another value is wrong
        yield needs
        first = next((each for each in (*found, needs) if each), {})
        yield _instead({**first, **needs}, occurrence)
        every = flat | self._fields(finding, occurrence, device, EVERY)
        yield every
        yield every | self._whole(finding, device, occurrence)

    def _fields(
        self,
        finding: Finding,
        occurrence: Occurrence,
        device: Device,
        patterns: Iterable[str],
        *,
        exact: bool = False,
    ) -> dict[Path, Change]:
        """Changes of the values at some paths; exact ones also of what a line may state again."""
        self._exact = exact
        subjects, found = self._subjects(finding, occurrence), dict[Path, Change]()
        for pattern in patterns:
            for change in self._of_field(finding, device, subjects, pattern):
                found.setdefault(change.path, change)
        return found

    def _is_usual(self, finding: Finding, device: Device, change: Change) -> bool:
        """Whether a port has a value as most equals have it."""
        port = self._analysis.port(device.hostname, change.path.port or "")
        steps, wrong = change.path.steps[1:], self._wrong_of(finding.rule)
        if port is None or not steps:
            return False
        ballots = (
            self._ballot(each, port, steps, None, wrong) for each in self._equals.of_port(port)
        )
        most = next((found for each in ballots if (found := each.most(steps)) is not None), None)
        old = content(value_at(device, change.path))
        return most is not None and most.like.value is not None and content(most.like.value) == old

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
        steps = tuple(rest)
        wrong = self._wrong_of(finding.rule)
        if first.field == PORTS:
            for port in self._ports(device, subjects, steps):
                yield from self._of_port(finding, port, steps, wrong)
        elif first.field == "nics":
            for nic in device.nics.values():
                if (
                    nic.name in subjects
                    or nic.port in subjects
                    or not set(subjects) & {*device.nics, *device.interfaces}
                ):
                    yield from self._of_nic(device, nic.name, steps, wrong)
        elif first.field != "emits":  # what applications send is the host's own matter
            yield from self._of_device(device, (first, *steps), wrong)

    def _ports(
        self, device: Device, subjects: list[str], steps: tuple[Step, ...]
    ) -> list[JudgedPort]:
        """The ports of these names, and those that share the object with them that a path is in."""
        known = [self._analysis.port(device.hostname, name) for name in subjects]
        ports = [port for port in known if port is not None]
        field = _through(steps)
        if field:
            named = {_bound_to(port, field) for port in ports} - {None}
            ports += [
                each
                for each in self._analysis.ports_of(device)
                if each not in ports and _bound_to(each, field) in named
            ]
        return ports

    def _classes(self, finding: Finding) -> list[RoceClass]:
        named = [each for each in self._analysis.classes if each.name == finding.traffic]
        return named or self._analysis.data_classes

    def _of_port(
        self, finding: Finding, port: JudgedPort, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        way = (Step(PORTS, port.interface.name),)
        groups, field = self._equals.of_port(port), _through(steps)
        for traffic in self._classes(finding) if any(s.key for s in steps) else [None]:
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
            self._bound[key] = Counter(_bound_to(each, field) for each in ports)
        return self._bound[key][_bound_to(port, field)]

    def _ballot(
        self,
        group: Group,
        port: JudgedPort,
        steps: tuple[Step, ...],
        traffic: RoceClass | None,
        wrong: frozenset[Key],
    ) -> Ballot:
        """The votes of a group (cached: most ports of a switch have the same equals)."""
        noun, near, others = group
        field = _through(steps)
        own = (port.device.hostname, _bound_to(port, field)) if field else None
        name = traffic.name if traffic is not None else None
        key = id(others), steps, name, self._exact, id(wrong), own
        if key not in self._ballots:
            known = [
                (other, count)
                for other, _ in others
                if (count := self._equals.count(other, wrong))
                and not _is_one_object(other, port, steps)
            ]
            votes = ((v, n) for other, n in known for v in self._values(other, steps, traffic))
            self._ballots[key] = Ballot(noun, near, sum(n for _, n in known), votes)
        return self._ballots[key]

    def _values(
        self, port: JudgedPort, steps: tuple[Step, ...], traffic: RoceClass | None
    ) -> list[Value]:
        """Values of a port (cached: many findings compare the same ports)."""
        key = port.key, steps, traffic.name if traffic is not None else None, self._exact
        found = self._known.get(key)
        if found is None:
            numbers = numbers_of(self._analysis, traffic, port)
            found = values(port.device, port.interface, steps, numbers, exact=self._exact)
            self._known[key] = found
        return found

    def _whole(
        self, finding: Finding, device: Device, occurrence: Occurrence
    ) -> dict[Path, Change]:
        """The objects that ports of equals refer to by one name, as a whole."""
        wrong = self._wrong_of(finding.rule)
        found: dict[Path, Change] = {}
        for name in self._subjects(finding, occurrence):
            port = self._analysis.port(device.hostname, name)
            if port is not None and port.interface.qos is not None:
                for field in REFERENCES:
                    for change in self._named(port, field, wrong):
                        found.setdefault(change.path, change)
        return found

    def _named(self, port: JudgedPort, field: str, wrong: frozenset[Key]) -> Iterator[Change]:
        device, collection = port.device, REFERENCES[field]
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
            own = getattr(port.interface.qos, field)
            path = Path(device.hostname, (Step(PORTS, port.interface.name), *steps))
            is_bound = port.interface.qos is not None and port.interface.qos.at.get(field, 0) > 0
            if is_bound and own != like.value and near < required(steps):
                return  # of ports in another place
            if own != like.value:
                yield Change(path, like.value, Safety.DISRUPTIVE, own, str(most))
            old = getattr(device.qos, collection).get(like.value)
            if content(old) != content(like.named):
                top = Path(device.hostname, (Step("qos"), Step(collection, like.value)))
                yield Change(top, like.named, Safety.DISRUPTIVE, old, str(most))
            return

    def _of_nic(
        self, device: Device, name: str, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        nic = device.nics[name]
        others = [
            (host, other)
            for host, other in self._analysis.roce_nics
            if other is not nic
            and not {(host.hostname, name) for name in (other.name, other.port or "", "")} & wrong
        ]
        same = [(host, other) for host, other in others if other.maker == nic.maker]
        groups = ("equal NICs", Nearness.EQUAL, same), ("NICs", Nearness.ANY, others)
        own = values(device, nic, steps, NO_NUMBERS)
        yield from _compared(device, (Step("nics", name),), own, self._votes(groups, steps), {})

    def _of_device(
        self, device: Device, steps: tuple[Step, ...], wrong: frozenset[Key]
    ) -> Iterator[Change]:
        bad = {name for name, _ in wrong}
        groups = (
            (noun, Nearness.EQUAL, [(each, each) for each in known if each.hostname not in bad])
            for noun, known in self._equals.of_device(device)
        )
        golden = self._golden(device.hostname) if self._golden is not None else None
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
        known = plan.marking if plan is not None else ()
        fits = [each for each in known if each.speed_gbps == port.gbps]
        fits = fits or [each for each in known if each.speed_gbps is None]
        policy = fits[0] if len(fits) == 1 else None
        found: dict[Slot, Value] = {}
        for each in own if policy is not None else ():
            if each.slot[-1].field == "marking" and plan is not None and policy is not None:
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
        golden = self._golden(port.device.hostname) if self._golden is not None else None
        own = golden.interfaces.get(port.interface.name) if golden is not None else None
        if golden is None or own is None:
            return {}
        judged = replace(port, device=golden, interface=own)
        found = [
            replace(each, value=replace(each.value, name=None))
            if isinstance(each.value, Marking)
            else each
            for each in values(golden, own, steps, numbers_of(self._analysis, traffic, judged))
        ]
        return {
            each.slot: each
            for each in found
            if required(each.slot) is Nearness.ANY or isinstance(each.value, Marking)
        }

    # ------------------------------------------------------------------ objects of several ports

    def _in_place(
        self, device: Device, changes: list[Change], subjects: list[str]
    ) -> Iterator[Change]:
        """Changes of a shared object where it stands, if it is wrong for all its users; else they
        remain changes of ports, or the port gets the object of the device that is right. A subject
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
            whole = not others and same and not getattr(known, "builtin", False)
            # A set of maps is no object of its own: its ports name the maps.
            if whole and not (field == "forwarding" and _fits(device, field, first)):
                top = (Step("qos"), Step(REFERENCES[field], name))
                for change in first:
                    path = Path(device.hostname, (*top, *change.path.steps[3:]))
                    yield replace(change, path=path)
                continue
            for own in ports.values():
                yield from _bound(device, field, own)

    def _beside(self, device: Device, change: Change, changes: list[Change]) -> Iterator[Change]:
        """The same change of the system and of ports out of scope, stated by the same line."""
        here = place_of(device, change.path)
        if change.path.port is None or here.origin is not Origin.STATED or here.position <= 0:
            return
        named = {each.path.port for each in changes}
        own = [
            port.name
            for port in device.interfaces.values()
            if port.name not in named and self._analysis.port(device.hostname, port.name) is None
        ]
        _, *below = change.path.steps
        tops = [(Step(PORTS, name), *below) for name in own] + [(Step("system"), *below[1:])]
        for steps in tops if below[0].field == "qos" else tops[:-1]:
            path = Path(device.hostname, steps)
            there = place_of(device, path)
            if there.position == here.position and there.origin is Origin.STATED:
                yield replace(change, path=path)

    def _users(self, device: Device, field: str, name: str) -> set[str]:
        """Ports in scope with an object, whose class has known numbers."""
        return {
            port.interface.name
            for port in self._analysis.ports_of(device)
            if port.interface.qos is not None
            and getattr(port.interface.qos, field) == name
            and any(
                numbers_of(self._analysis, traffic, port).get("queue") is not None
                for traffic in self._analysis.data_classes
            )
        }


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
        value = _own_name(device, path.steps[-1].field, wanted)
        if value is None or value == old:
            return
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


def _own_name(device: Device, field: str, wanted: Value) -> str | None:
    """The object of a device that is like one of another device: of the same name, or content."""
    known = getattr(device.qos, REFERENCES[field])
    if wanted.value in device.interfaces:
        return None  # of one port
    if wanted.value in known:
        return str(wanted.value)
    return next((n for n, each in known.items() if content(each) == wanted.key), None)


def _fields(path: Path, old: Sourced, wanted: Any, why: str) -> Iterator[Change]:
    """Changes of the fields of an object; of one with another name, the whole object."""

    def change(below: Path, one: Any, other: Any, default: Citation | None = None) -> Change:
        return Change(below, other, Safety.DISRUPTIVE, one, why, default)

    if isinstance(old, KINDS) and (wanted.name is None or wanted.name != old.name):
        yield change(path, old, wanted)
        return
    if isinstance(old, CodeMap):
        *above, last = path.steps
        for number in sorted(old.entries.keys() | wanted.entries.keys()):
            if old.get(number) != wanted.get(number):
                entry = Path(path.device, (*above, Step(last.field, str(number))))
                yield change(entry, old.get(number), wanted.get(number))
        return
    for name in fields_of(type(old)):
        one, other = getattr(old, name), getattr(wanted, name)
        if name in LABELS or content(one) == content(other):
            continue
        if isinstance(one, Sourced) and type(one) is type(other):
            yield from _fields(path.then(Step(name)), one, other, why)
        elif isinstance(one, dict) and isinstance(other, dict):
            for key in one.keys() | other.keys():
                if content(one.get(key)) != content(other.get(key)):
                    entry = path.then(Step(name, key_text(key)))
                    yield change(entry, one.get(key), other.get(key))
        else:
            place = wanted.at.get(name, 0)
            default = wanted.src.citation(place) if place < 0 else None
            yield change(path.then(Step(name)), one, other, default)


def _bytes(size: int | None, old: Threshold | None) -> Threshold | None:
    return old if size is None else Threshold(size, ThresholdUnit.BYTES)


def _is_at(device: Device, change: Change, occurrence: Occurrence) -> bool:
    """Whether one of the places of a finding states what a change replaces."""
    where = place_of(device, change.path)
    if where.origin is not Origin.STATED or where.position <= 0:
        return False
    name = where.src.files[where.src.file_of(where.position)].name
    if where.position >= TREE:
        keys = "|".join(map(str, where.src.paths[where.position - TREE][1]))
        return any(each.file == name and each.path == keys for each in occurrence.locations)
    line = where.src.line_of(where.position)
    return any((each.file, each.line) == (name, line) for each in occurrence.locations)


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


def _bound_to(port: JudgedPort, field: str) -> str | None:
    name = getattr(port.interface.qos, field, None)
    return name if isinstance(name, str) else None


def _is_one_object(one: JudgedPort, other: JudgedPort, steps: tuple[Step, ...]) -> bool:
    """Whether a path leads to one object from two ports: then one says nothing about the other."""
    field = _through(steps)
    return (
        bool(field)
        and one.device is other.device
        and _bound_to(one, field) is not None
        and _bound_to(one, field) == _bound_to(other, field)
    )


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
        where = place_of(device, path)
        found.setdefault(_nearness(where, place, lines), {})[path] = change
    found.pop(0, None)
    near = found[max(found)] if found else {}
    if not near and len({path.steps[2:] for path in changes}) == 1:
        near = changes
    return {path: replace(c, instead=(place.file, place.line)) for path, c in near.items()}


def _nearness(where: Where, place: Location, lines: set[int]) -> int:
    if where.position <= 0 or where.src.files[where.src.file_of(where.position)].name != place.file:
        return 0
    if where.position >= TREE:
        keys = where.src.paths[where.position - TREE][1]
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


def _is_harmful(changes: Iterable[Change], needed: int) -> bool:
    """Whether changes turn PFC, ECN marking or the watchdog off, or lower an MTU below the largest
    RoCE packet of `needed` bytes. A marking that moves to another queue is not off.
    """
    known = list(changes)
    marks = any(_marks(c.value) for c in known if "marking" in map(_field, c.path.steps))
    return any(_turns_off(change, needed, marks=marks) for change in known)


def _field(step: Step) -> str:
    return step.field


def _marks(value: Any) -> bool:
    """Whether a marking, or its switch, is on."""
    return bool(value.ecn if isinstance(value, Marking) else value)


def _turns_off(change: Change, needed: int, *, marks: bool) -> bool:
    names = [*map(_field, change.path.steps)]
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


def _bound(device: Device, field: str, changes: list[Change]) -> Iterator[Change]:
    """Changes of a port's object, or the binding of the port to an object that has them already."""
    first, name = changes[0].path, _fits(device, field, changes)
    if name is None:
        yield from changes
        return
    old = getattr(device.interfaces[first.port or ""].qos, field)
    path = Path(first.device, first.steps[:3])
    yield Change(path, name, changes[0].safety, old, changes[0].why)


def _fits(device: Device, field: str, changes: list[Change]) -> str | None:
    """The object of a device that is as a port's object would be with changes."""
    after = changed(device, changes)
    port = after.interfaces[changes[0].path.port or ""]
    collection = REFERENCES[field]
    made = getattr(after.qos, collection)[getattr(port.qos, field)]
    known = getattr(device.qos, collection)
    fits = [name for name, each in known.items() if content(each) == content(made)]
    if not fits and field == "forwarding":  # a set of maps with a missing one
        fits = [name for name, each in known.items() if _has_maps(each, made)]
    return next(iter(fits), None)


def _has_maps(one: Forwarding, other: Forwarding) -> bool:
    """Whether a set of maps has all entries of another one."""
    known = ((getattr(one, name), getattr(other, name)) for name in fields_of(Forwarding))
    maps = ((a, b) for a, b in known if isinstance(a, CodeMap) and isinstance(b, CodeMap))
    return all(b.entries.items() <= a.entries.items() for a, b in maps)


def _shared(device: Device, change: Change) -> tuple[str, str] | None:
    """The reference of a port that a path leads through, and the name it has there."""
    steps = change.path.steps
    if change.path.port is None or len(steps) < 4 or steps[2].field not in REFERENCES:
        return None
    port = device.interfaces[change.path.port]
    name = getattr(port.qos, steps[2].field) if port.qos is not None else None
    return (steps[2].field, name) if isinstance(name, str) else None
