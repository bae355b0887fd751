"""class-map and policy-map type qos: from the DSCP or CoS of a packet to its qos-group."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import Classifier, CodeMap, Match, MatchKind, Trust
from roce_lint.model.units import DSCPS, PRIORITIES, parse_dscp
from roce_lint.nos.nxos import defaults
from roce_lint.nos.quantities import code_map, rate, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, first, records, stanzas, value_in_force
from roce_lint.text.match import Record
from roce_lint.text.numbers import whole_of

GROUPS = range(8)
"""qos-groups, which are the switch's traffic classes."""

BUILTIN = "default"
"""Key of the classifier of ports without an input policy."""

KINDS = {"qos": "class map", "network-qos": "no-drop class map", "queuing": "queuing class map"}
"""Kinds of named structures by class-map type; each type has separate names."""

POLICY = "qos policy"

SYSTEM_CLASSES = {
    "qos": re.compile(r"class-default|c-dflt-mpls-qosgrp(\d)"),
    "network-qos": re.compile(r"c-(?:8q-)?nq(?:([1-7])|-default)|class-default|class-fcoe"),
    "queuing": re.compile(r"c-(?:out|in)-(?:8q-)?q(?:([1-7])|-default)|class-default|class-fcoe"),
}
"""System-defined classes; the group is in the name (`c-8q-nq3`), else 0."""

QUEUE_MODES = {True: re.compile(r"c-(?:out-q|nq)"), False: re.compile(r"c-(?:out-)?8q-")}
"""Prefixes of class names on platforms with four queues (True), and with eight."""

FCOE_GROUP = 1
"""Group of `class-fcoe` (docs/nos/nxos.md, classes and queues)."""


@dataclass(slots=True)
class Term:
    """One `match` line of a class-map."""

    kind: MatchKind
    values: Value[frozenset[int]]
    text: str = ""


@dataclass(slots=True)
class ClassMaps:
    """Class-maps by type: matches of type qos, and the groups of the other types' names."""

    terms: dict[str, list[Term]] = field(default_factory=dict)
    groups: dict[tuple[str, str], Value[int]] = field(default_factory=dict)
    cos: dict[str, frozenset[int]] = field(default_factory=dict)  # of type network-qos
    members: dict[int, list[str]] = field(default_factory=dict)  # type qos classes by group
    begins: dict[str, int] = field(default_factory=dict)  # where type qos classes are defined
    modes: dict[bool, dict[int, str]] = field(default_factory=lambda: {True: {}, False: {}})
    """Lines of user policies by queue mode of their classes."""

    def note_odd(self, reading: Reading) -> dict[int, str]:
        """Lines of classes of the minority queue mode, each noted: a device has one mode."""
        odd, most = sorted(self.modes.values(), key=len)
        for position, name in odd.items():
            message = f"class {name} is of another queue mode than class {most[min(most)]}"
            reading.note(NoteKind.CONFLICT, message, position, min(most))
        return odd

    def group(
        self, reading: Reading, kind: str, name: str, policy: str, position: int
    ) -> Value[int]:
        """The qos-group of a class that a policy of type `kind` names at `position`."""
        reading.names.refer(KINDS[kind], name, position)
        if not policy.startswith("default-"):
            for four, pattern in QUEUE_MODES.items():
                if pattern.match(name):
                    self.modes[four][position] = name
        own = self.groups.get((kind, name))
        if own is not None:
            return own
        group = system_group(kind, name)
        if group is None:
            if any(system_group(other, name) is not None for other in KINDS):
                reading.names.reserve(KINDS[kind], name)
            return ABSENT
        reading.names.builtin(KINDS[kind], name)
        return Value(group, position)


def system_group(kind: str, name: str) -> int | None:
    """The qos-group of a system-defined class; None for any other name."""
    found = SYSTEM_CLASSES[kind].fullmatch(name)
    if not found:
        return None
    if name == "class-fcoe":
        return FCOE_GROUP
    return whole_of(found[1]) if found.lastindex else 0


def class_maps(reading: Reading) -> ClassMaps:
    """All class-maps of the configuration."""
    maps = ClassMaps()
    # Others are of control-plane and the like.
    known = (r for r in records(reading, CONFIG, "class_map") if _head(r).split()[0] in KINDS)
    for head, reader in stanzas(reading, known, _head).items():
        kind, name = head.split(" ", 1)
        system = system_group(kind, name) is not None
        terms = _terms(reading, reader)
        reading.names.define(
            KINDS[kind], name, reader.begin, matters=not system, dscps=_certain(terms)
        )
        if kind == "qos":
            maps.terms[name] = terms
            maps.begins[name] = reader.begin
            continue
        group = whole(reader, reader.text("qos_group"), GROUPS[-1], "qos-group")
        if group:
            maps.groups[kind, name] = group
        if kind == "network-qos":
            # Without a match line it has no group; its first line is the reason.
            maps.groups.setdefault((kind, name), Value(None, reader.begin))
            cos = [t.values.value for t in terms if t.kind is MatchKind.PCP and t.values.value]
            maps.cos[name] = frozenset().union(*cos)
    return maps


def _head(record: Record) -> str:
    """`type name` from `[type T] [match-all|match-any] NAME`; type qos by default."""
    words = record.values["head"][0][0].split()
    kind = "qos"
    if len(words) > 2 and words[0] == "type":
        kind, words = words[1], words[2:]
    if len(words) > 1 and words[0] in ("match-all", "match-any"):
        words = words[1:]
    return f"{kind} {' '.join(words)}"


def _terms(reading: Reading, reader: Reader) -> list[Term]:
    terms = []
    for value in reader.all("dscp"):
        dscps = read_numbers(reading, value, parse_dscp, "a list of DSCP", "DSCP")
        terms.append(Term(MatchKind.DSCP, dscps))
    for value in reader.all("precedence"):
        classes = read_numbers(reading, value, upto(7), "a list of precedences")
        dscps = classes.map(lambda known: frozenset(d for d in DSCPS if d >> 3 in known))
        terms.append(Term(MatchKind.DSCP, dscps))
    for value in reader.all("cos"):
        priorities = read_numbers(reading, value, upto(7), "a list of CoS", "CoS")
        terms.append(Term(MatchKind.PCP, priorities))
    for name, kind in (
        ("access_group", MatchKind.ACL),
        ("protocol", MatchKind.PROTOCOL),
        ("vlan", MatchKind.VLAN),
        ("other", MatchKind.PROTOCOL),
    ):
        terms += [
            Term(kind, Value(frozenset(), value.position), value.value or "")
            for value in reader.all(name)
        ]
    terms.sort(key=lambda term: term.values.position)
    return terms


def _certain(terms: list[Term]) -> frozenset[int]:
    """Code points that a class matches regardless of other fields of a packet."""
    if any(term.kind is not MatchKind.DSCP for term in terms):
        return frozenset()
    return frozenset().union(*(term.values.value or () for term in terms))


def policies(
    reading: Reading, group: str, kind: str, builtin: Collection[str] = ()
) -> Iterator[tuple[str, Reader, dict[str, Reader]]]:
    """Policies of one type by name, each with its classes by name."""
    for name, reader in stanzas(reading, records(reading, CONFIG, group), _name).items():
        reading.names.define(kind, name, reader.begin, matters=name not in builtin)
        classes = reader.record.children.get("policy_class", ())
        # `class [type T] NAME`
        yield name, reader, stanzas(reading, classes, lambda r: r.values["class"][0][0].split()[-1])


def _name(record: Record) -> str:
    return record.values["name"][0][0].removeprefix("type qos ").strip()


def classifiers(reading: Reading, maps: ClassMaps) -> dict[str, Classifier]:
    """All policies of type qos, by name."""
    return {
        name: _Builder(reading, name, reader, maps).build(classes)
        for name, reader, classes in policies(reading, "qos_policy", POLICY)
    }


def default_classifier(reading: Reading) -> Classifier:
    """Classifier of ports without an input policy: everything is in group 0."""
    everything = reading.default(defaults.CLASS_DEFAULT)
    return reading.build(
        Classifier,
        name=BUILTIN,
        dscp_to_tc=reading.build(CodeMap, otherwise=everything),
        pcp_to_tc=reading.build(CodeMap, otherwise=everything),
        builtin=True,
    )


def trust_of(classifier: Classifier) -> Trust:
    """Code point that a policy matches on."""
    kinds = {match.kind for match in classifier.matches}
    if MatchKind.DSCP in kinds:
        return Trust.BOTH if MatchKind.PCP in kinds else Trust.DSCP
    if MatchKind.PCP in kinds:
        return Trust.PCP
    return Trust.NONE if kinds <= {MatchKind.ANY, MatchKind.NOTHING} else Trust.DSCP


class _Builder:
    """Builds a Classifier from a policy: its classes in order, and the group of each code."""

    def __init__(self, reading: Reading, name: str, reader: Reader, maps: ClassMaps) -> None:
        self.reading = reading
        self.name = name
        self.reader = reader
        self.maps = maps
        self.matches: list[Match] = []
        self.found: dict[MatchKind, dict[int, Value[int]]] = {MatchKind.DSCP: {}, MatchKind.PCP: {}}
        self.rest: Value[int] = reading.default(defaults.CLASS_DEFAULT)

    def build(self, classes: dict[str, Reader]) -> Classifier:
        """The policy as a Classifier."""
        for name, reader in classes.items():
            self._add(name, reader)
        kinds = {match.kind for match in self.matches}
        mixed = kinds >= {MatchKind.DSCP, MatchKind.PCP}
        return self.reader.build(
            Classifier,
            name=self.name,
            matches=self.matches,
            dscp_to_tc=self._projection(MatchKind.DSCP, DSCPS),
            pcp_to_tc=self._projection(MatchKind.PCP, PRIORITIES),
            exact=not mixed and kinds <= {*self.found, MatchKind.ANY},
        )

    def _add(self, name: str, reader: Reader) -> None:
        self.reading.names.refer(KINDS["qos"], name, reader.begin)
        stated = value_in_force(reader, "qos_group", "no_qos_group")
        group = first(
            whole(reader, stated, GROUPS[-1], "qos-group"),
            self.reading.default(defaults.GROUP_NOT_SET),
        )
        if group.value is not None:
            self.maps.members.setdefault(group.value, []).append(name)
        set_dscp = reader.convert(reader.text("set_dscp"), parse_dscp, "a DSCP")
        police = reader.text("police")
        words = (police.value or "").split()
        bps = bits_per_second(
            reader, police, words[1:] if words[:1] == ["cir"] else words, "policer"
        )
        # A policer drops violations unless it marks them down.
        action = words[words.index("violate") + 1 :] if "violate" in words else []
        drops = Value(False, police.position) if action and action[0] != "drop" else ABSENT
        if name == "class-default":
            self.rest = group
            terms = [Term(MatchKind.ANY, Value(frozenset(), reader.begin))]
        else:
            terms = self._match_terms(name)
        if system_group("qos", name) is not None:
            self.reading.names.builtin(KINDS["qos"], name)
        for term in terms:
            match = reader.build(
                Match,
                kind=term.kind if term.values.value is not None else MatchKind.OTHER,
                values=Value(term.values.value or frozenset(), term.values.position),
                text=term.text if term.values.value is not None else f"a list of class map {name}",
                class_name=name,
                tc=group,
                set_dscp=set_dscp,
                police_bps=bps,
                police_drops=drops,
            )
            self.matches.append(match)
            for code in match.values if term.kind in self.found else ():
                self.found[term.kind].setdefault(code, group)

    def _match_terms(self, name: str) -> list[Term]:
        """Match lines of a class; for one defined without any, the line of its definition."""
        nothing = Term(MatchKind.NOTHING, Value(frozenset(), self.maps.begins.get(name, 0)))
        if name in self.maps.begins:
            return self.maps.terms.get(name) or [nothing]
        unknown = Value[frozenset[int]](frozenset(), 0)
        return [Term(MatchKind.OTHER, unknown, f"class map {name}, which nothing here defines")]

    def _projection(self, kind: MatchKind, codes: range) -> CodeMap:
        """Group of each code point; one with an unknown group has no entry and no default."""
        found = self.found[kind]
        if all(found.values()) and self.rest:
            known = found
            rest = self.rest
        else:
            known = {code: group for code in codes if (group := found.get(code, self.rest))}
            rest = ABSENT
        return code_map(self.reading, self.reader.begin, known, otherwise=rest)


def bits_per_second(reader: Reader, line: Value[str], words: list[str], what: str) -> Value[int]:
    """Rate of a line, stated by its `words`; another unit is noted and unknown."""
    if line.value is None:
        return ABSENT
    bps = rate(words)
    if bps is None:
        reader.bad(f"{what} {line.value[:80]!r}: rate not in bits per second", line.position)
    return Value(bps, line.position)
