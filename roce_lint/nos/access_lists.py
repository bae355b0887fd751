"""What access lists let through of RoCEv2, which is UDP to port 4791: entries in their order.

A list becomes a `Policing`: an entry that drops is a policer of nothing, one that lets packets
pass ends the list for them. What is compared with addresses may or may not be RoCE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import Match, MatchKind, Policing, PortQos
from roce_lint.model.units import parse_dscp
from roce_lint.nos.port_names import LAST_VLAN
from roce_lint.nos.quantities import numbers, upto, write_ranges
from roce_lint.nos.reading import Reading, Value
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import LineState

ROCE_PORT = 4791
"""UDP destination port of RoCEv2 (IANA)."""

UDP = ("ip", "ipv4", "ipv6", "udp", "17")
"""Protocols of an entry that RoCE is among, over the version of IP that the list is for."""

OTHERS = re.compile(
    r"\d+|tcp|(?:ipv6-)?icmp(?:v?6)?|igmp|gre|ospf(?:igp)?|pim|esp|ahp?|eigrp|vrrp|sctp|ip(?:in)?ip"
    r"|nos|pcp|rsvp|egp|igp|mpls|arp|l2tp|hopopt"
)
"""Protocols that RoCE is not among."""

IPV4, IPV6 = "ip", "ipv6"
"""Kinds of lists whose entries are read; of any other kind (of MAC addresses) it is not known what
they drop."""

CALLED = {IPV4: "access list", IPV6: "IPv6 access list"}
"""What a list is called: one for IPv6 may have the name of one for IPv4."""

KINDS = {None: IPV4, "ipv4": IPV4}
"""Kinds as systems write them, where they write another word."""

ARRIVING, LEAVING = "policing", "policing_out"
"""Fields of a port that name what its packets meet as they arrive and as they leave."""

WAYS = {
    way: field
    for field, ways in ((ARRIVING, "in inbound ingress"), (LEAVING, "out outbound egress"))
    for way in ways.split()
}
"""Words of a direction, and the field of a port for it."""

ENDS = ("source", "destination")
_KEYS = ("source", "source-port", "destination", "destination-port")
_WILDCARD = re.compile(r"[0-9.]+")
_RULE = re.compile(r"(?:(?:seq|rule) )?(?:\d+ )?(?P<action>permit|deny)(?P<rest>.*)")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+(?:/\S+)?")
_HARMLESS = ("log", "count", "log-input", "byte", "counting", "logging")


@dataclass(slots=True, frozen=True)
class Takes:
    """Which RoCE packets an entry takes: of some code points or of all; `exact` if all of those."""

    codes: frozenset[int] | None = None
    exact: bool = True


ALL, SOME = Takes(), Takes(exact=False)
"""Of an entry that takes every packet of RoCE, and of one that may take some."""

AND = " and "
"""Between the names of lists that packets meet one behind the other."""

Place = str | frozenset[int]
"""Where a list is bound that is not a port: VLANs, or the port of a subinterface."""


@dataclass(frozen=True)
class Dialect:
    """How a system writes its lists.

    `header` is a regex of the line that begins one, `bound` of the line of a port that binds one;
    both have the groups `kind` and `name`, the second one `way` too. `spell` writes an entry in the
    words that `parse_takes` knows.
    """

    header: str = "(?!)"
    bound: str = "(?!)"
    passes_rest: bool = False  # what no entry takes passes: the system has no entry at the end
    spell: Callable[[str], str] = str

    def read(self, reading: Reading, source: str) -> AccessLists:
        """The lists of all files of a source, of the records that templates make of them."""
        found = AccessLists(reading, self)
        for reader in reading.groups(source, "access_list"):
            reader.take()
            header = reader.text("header").value or ""
            named = re.match(self.header, header)
            if named is not None:
                kind = KINDS.get(named["kind"], named["kind"])
                if "match-order auto" in header:
                    kind = "sorted"  # in an order of the system's own
                reading.names.define("access list", named["name"], reader.begin, matters=False)
                found.define(kind, named["name"], reader.all("rule"))
        found.read_vlans(source)
        return found


@dataclass(slots=True)
class AccessLists:
    """The access lists of a device by kind and name, and what those of them drop that are bound."""

    reading: Reading
    dialect: Dialect = Dialect()
    rules: dict[tuple[str, str], list[Value[str]]] = field(default_factory=dict)
    found: dict[str, Policing] = field(default_factory=dict)  # what ports are given
    below: list[tuple[Place, str, Policing, int]] = field(default_factory=list)
    made: dict[tuple[str, str], Policing] = field(default_factory=dict)

    def define(self, kind: str, name: str, rules: list[Value[str]]) -> None:
        """Take a list, or more entries of one."""
        self.rules.setdefault((kind, name), []).extend(rules)

    def bind(
        self,
        qos: PortQos,
        way: str,
        kind: str,
        name: Value[str],
        addresses: tuple[str, ...] = (),
        *,
        sure: bool = True,
    ) -> None:
        """Give a port a list that its packets meet, where it drops some of RoCE.

        `addresses` are the port's: one of IPv4 alone passes no packets of IPv6. `sure` is False
        where some packets of the port do not meet the list.
        """
        sixth = [":" in address for address in addresses]
        if name.value is None or (kind == IPV6 and sixth and not any(sixth)):
            return
        sure = sure and (kind != IPV6 or (bool(sixth) and all(sixth)))
        self.attach(qos, way, self._read(kind, name), name.position, sure=sure)

    def bind_lines(self, made: Interface, lines: Iterable[Value[str]]) -> None:
        """Give an interface the lists that its lines bind, the last line of a kind and way."""
        for way, kind, name in self._bindings(lines):
            if made.qos is not None and made.parent is None:
                self.bind(made.qos, way, kind, name, made.addresses)
            else:
                self.bind_elsewhere(made, way, kind, name)

    def _bindings(self, lines: Iterable[Value[str]]) -> list[tuple[str, str, Value[str]]]:
        """The way, kind and name that lines bind; one that is not understood is unrecognised."""
        chosen: dict[tuple[str, str], Value[str]] = {}
        for line in lines:
            found = re.match(self.dialect.bound, " ".join((line.value or "").split()))
            if found is None:
                self.reading.mark(line.position, LineState.UNRECOGNISED)
                continue
            kind = KINDS.get(found["kind"], found["kind"])
            chosen[WAYS[found["way"]], kind] = Value(found["name"], line.position)
        return [(way, kind, name) for (way, kind), name in chosen.items()]

    def bind_elsewhere(self, made: Interface, way: str, kind: str, name: Value[str]) -> None:
        """Note a list of a VLAN's interface, or of a subinterface; others meet no RoCE."""
        if made.kind is InterfaceKind.VLAN:
            self._note_below(frozenset({made.untagged_vlan or 0}), way, kind, name)
        elif made.parent is not None:
            self._note_below(made.parent, way, kind, name)

    def _note_below(self, place: Place, way: str, kind: str, name: Value[str]) -> None:
        if name.value is not None:
            self.below.append((place, way, self._read(kind, name), name.position))

    def read_vlans(self, source: str) -> None:
        """Take lines of `vlan` stanzas, which no template takes, that bind lists or policies."""
        for entry in self.reading[source]:
            first = self.reading.src.files[entry.file].first
            for stanza in entry.sections.stanzas if entry.sections is not None else ():
                if not stanza.header.startswith("vlan "):
                    continue
                vlans = numbers(write_ranges(stanza.header[5:]), upto(LAST_VLAN)) or frozenset()
                for _, text, number in stanza.body:
                    if text.startswith(("traffic-", "apply ", "packet-filter ")):
                        self.reading.take(first + number)
                        for way, kind, name in self._bindings([Value(text, first + number)]):
                            self._note_below(vlans, way, kind, name)

    def spread(self, interfaces: Mapping[str, Interface]) -> None:
        """Give ports what some of their packets meet: the lists of VLANs and subinterfaces. Copies
        of a port may share their QoS, so each gets its own.
        """
        for place, way, made, position in self.below:
            for port in interfaces.values() if any(map(drops, made.matches)) else ():
                if port.qos is not None and _carries(port, place):
                    port.qos = replace(port.qos, at=dict(port.qos.at))
                    self.attach(port.qos, way, made, position, sure=False)

    def attach(self, qos: PortQos, way: str, made: Policing, position: int, *, sure: bool) -> None:
        """Give a port what drops packets, beside what it has."""
        if not any(map(drops, made.matches)):
            return
        made = made if sure else _unsure(made)
        before = self.found.get(getattr(qos, way) or "")
        if before is not None:
            is_there = made.name in before.name.split(AND)
            made = before if is_there else _both(before, made)
        self.found[made.name] = made
        setattr(qos, way, made.name)
        qos.at.setdefault(way, position)

    def _read(self, kind: str, name: Value[str]) -> Policing:
        """The list of a name; of one that nothing defines, or of another kind, nothing is known."""
        key = kind, name.value or ""
        if key not in self.made:
            called = f"{CALLED.get(kind, f'{kind} access list')} {name.value}"
            rules = self.rules.get(key)
            if rules is None or (rules and kind not in CALLED):
                entry = entry_of(self.reading, name.position, f"`{called}`", SOME, drop=True)
                made = self.reading.build(Policing, name.position, name=called, matches=[entry])
            else:
                made = self._of_rules(called, rules)
            self.made[key] = made
        return self.made[key]

    def _of_rules(self, key: str, rules: list[Value[str]]) -> Policing:
        matches = []
        for rule in rules:
            text = (rule.value or "").strip()
            entry = _RULE.fullmatch(" ".join(text.split()))
            takes = (
                parse_takes(self.dialect.spell(entry["rest"].strip()) or "ip") if entry else None
            )
            if entry is None or takes is None:
                continue
            drop = entry["action"] == "deny"
            said = f"`{text}` of {key}"
            matches.append(entry_of(self.reading, rule.position, said, takes, drop=drop))
            if takes == ALL:
                break  # nothing is left for the entries behind
        else:
            if rules and not self.dialect.passes_rest:
                rest = f"what no entry of {key} takes"
                matches.append(entry_of(self.reading, rules[-1].position, rest, ALL, drop=True))
        begin = rules[0].position if rules else 0
        return self.reading.build(Policing, begin, name=key, matches=matches)


def _carries(port: Interface, place: Place) -> bool:
    """Whether packets of a place pass a port; a trunk without a list carries all VLANs."""
    if isinstance(place, str):
        return place == port.name
    every = port.tagged_vlans is None and port.tagged is not False and port.routed is False
    return every or port.untagged_vlan in place or not place.isdisjoint(port.tagged_vlans or ())


def _unsure(made: Policing) -> Policing:
    """The entries that drop, each of which may take some packets."""
    dropping = [replace(m, kind=MatchKind.ACL) for m in made.matches if drops(m)]
    return replace(made, name=f"some packets: {made.name}", matches=dropping)


def _both(first: Policing, second: Policing) -> Policing:
    """What two lists drop that packets meet one behind the other: certain where one of them is."""
    unsure = [each for each in (first, second) if each.name.startswith("some packets")]
    sure = [each for each in (first, second) if each not in unsure]
    if len(sure) > 1:
        unsure, sure = [_unsure(first), _unsure(second)], []
    matches = [match for each in (*unsure, *sure) for match in each.matches]
    return replace(first, name=AND.join(each.name for each in (*unsure, *sure)), matches=matches)


def drops(match: Match) -> bool:
    """Whether an entry lets nothing through."""
    return match.police_bps == 0


def entry_of(reading: Reading, position: int, text: str, takes: Takes, *, drop: bool) -> Match:
    """One entry of a list as the model has it."""
    kind = MatchKind.ANY if takes.codes is None else MatchKind.DSCP
    made = reading.build(
        Match,
        position,
        kind=kind if takes.exact else MatchKind.ACL,
        values=takes.codes or frozenset(),
        text=text,
    )
    if drop:
        made.police_bps, made.police_drops = 0, True
        made.at["police_bps"] = position
    return made


def parse_takes(text: str) -> Takes | None:
    """Which packets of RoCE an entry such as `udp any any eq 4791 dscp 26` takes; None: none."""
    words = text.lower().split()
    if words[0] in UDP:
        words = words[1:]
    elif OTHERS.fullmatch(words[0]):
        return None
    elif words[0] not in ("any", "host") and not _ADDRESS.match(words[0]):
        return SOME  # a group of protocols, or what no system is known to write here
    exact = True
    ports: list[bool | None] = []
    for end in ("source", "destination"):
        words, every = _address(words)
        exact = exact and every
        words, meets = _port(words, is_destination=end == "destination")
        ports.append(meets)
    if False in ports:
        return None
    exact = exact and None not in ports
    codes = None
    while words:
        word, words = words[0], words[1:]
        if word == "dscp" and words:
            code = parse_dscp(words[0])
            codes, exact = (None, False) if code is None else (frozenset({code}), exact)
            words = words[1:]
        elif word not in _HARMLESS:
            exact = False  # a further condition: it takes some of the packets
    return Takes(codes, exact)


def _address(words: list[str]) -> tuple[list[str], bool]:
    """The words behind an address, and whether it is any."""
    if not words or words[0] == "any":
        return words[1:], True
    if words[0] in ("host", "addrgroup", "object-group", "net-group"):
        return words[2:], False
    if len(words) > 1 and "/" not in words[0] and _ADDRESS.fullmatch(words[1]):
        return words[2:], False
    return words[1:], False


def _port(words: list[str], *, is_destination: bool) -> tuple[list[str], bool | None]:
    """The words behind a condition on a port, and whether RoCE fits it; None: it may.

    The source port differs from connection to connection.
    """
    if not words or words[0] not in ("eq", "neq", "lt", "gt", "range"):
        return words, True
    count = 2 if words[0] == "range" else 1
    given, rest = words[1 : 1 + count], words[1 + count :]
    numbers = [
        whole_of(word) for word in given if word.isascii() and word.isdigit() and len(word) < 6
    ]
    if not is_destination:
        return rest, None
    if len(numbers) < count:
        return rest, False if words[0] == "eq" else None  # a name: 4791 has none
    low, high = numbers[0], numbers[-1]
    fits = {
        "eq": low == ROCE_PORT,
        "neq": low != ROCE_PORT,
        "lt": low > ROCE_PORT,
        "gt": low < ROCE_PORT,
        "range": low <= ROCE_PORT <= high,
    }
    while rest and words[0] == "eq" and rest[0].isdigit():  # several ports in one entry
        fits["eq"] = fits["eq"] or whole_of(rest[0][:6]) == ROCE_PORT
        rest = rest[1:]
    return rest, fits[words[0]]


CISCO = Dialect(
    r"(?P<kind>ipv?[46]?|mac) access-list (?:standard )?(?P<name>\S+)",
    r"(?P<kind>ipv?[46]?|mac) (?:port )?(?:access-group|traffic-filter) (?P<name>\S+) "
    r"(?P<way>in|out|ingress|egress)\b",
)
"""The form that several systems have in common."""


def spell_keyed(text: str) -> str:
    """An entry with a word before each condition, `udp destination-port eq 53`, in their order."""
    words = text.split()
    protocol = "ip" if words[:1] in ([], *([key] for key in _KEYS)) else words.pop(0)
    found = {key: ["any"] if key in ENDS else [] for key in _KEYS}
    rest: list[str] = []
    while words:
        key = words.pop(0)
        if key in ENDS and words:
            address = words.pop(0)
            if address != "any":
                found[key] = ["host", address]
                if words and _WILDCARD.fullmatch(words[0]):
                    del words[0]
        elif key in _KEYS:
            count = 3 if words[:1] == ["range"] else 2
            found[key], words = words[:count], words[count:]
        else:
            rest.append(key)
    return " ".join([protocol, *(word for key in _KEYS for word in found[key]), *rest])
