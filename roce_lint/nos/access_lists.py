"""Effect of access lists on RoCEv2 (UDP to port 4791), entry by entry.

A list becomes a `Policing`: a dropping entry is a policer with rate 0, a permitting entry ends the
list for its packets. An entry that compares addresses may or may not match RoCE.
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
"""Protocols of an entry that include RoCE, on top of the list's IP version."""

OTHERS = re.compile(
    r"\d+|tcp|(?:ipv6-)?icmp(?:v?6)?|igmp|gre|ospf(?:igp)?|pim|esp|ahp?|eigrp|vrrp|sctp|ip(?:in)?ip"
    r"|nos|pcp|rsvp|egp|igp|mpls|arp|l2tp|hopopt"
)
"""Protocols that exclude RoCE."""

IPV4, IPV6 = "ip", "ipv6"
"""Kinds of lists whose entries are read; the effect of others (MAC lists) is unknown."""

CALLED = {IPV4: "access list", IPV6: "IPv6 access list"}
"""Name of a kind of list: an IPv6 list and an IPv4 list may have the same name."""

KINDS = {None: IPV4, "ipv4": IPV4}
"""List kinds by the word that a system uses for them."""

ARRIVING, LEAVING = "policing", "policing_out"
"""Port fields of the drops of arriving and leaving packets."""

WAYS = {
    way: field
    for field, ways in ((ARRIVING, "in inbound ingress"), (LEAVING, "out outbound egress"))
    for way in ways.split()
}
"""Port fields by the word for a direction."""

ENDS = ("source", "destination")
_KEYS = ("source", "source-port", "destination", "destination-port")
_WILDCARD = re.compile(r"[0-9.]+")
_RULE = re.compile(r"(?:(?:seq|rule) )?(?:\d+ )?(?P<action>permit|deny)(?P<rest>.*)")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+(?:/\S+)?")
_HARMLESS = ("log", "count", "log-input", "byte", "counting", "logging")


@dataclass(slots=True, frozen=True)
class Takes:
    """RoCE packets that an entry matches: some DSCPs or all; not `exact` if only some of those."""

    codes: frozenset[int] | None = None
    exact: bool = True


ALL, SOME = Takes(), Takes(exact=False)
"""An entry that matches every RoCE packet, and one that may match some."""

AND = " and "
"""Separator between the names of lists that packets pass in sequence."""

Place = str | frozenset[int]
"""Place of a list that is not bound to a port: VLANs, or the parent port of a subinterface."""


@dataclass(frozen=True)
class Dialect:
    """Access list syntax of a system.

    `header` is a regex of the line that begins a list, `bound` of the port line that binds one;
    both have the groups `kind` and `name`, the second also `way`. `spell` rewrites an entry for
    `parse_takes`.
    """

    header: str = "(?!)"
    bound: str = "(?!)"
    passes_rest: bool = False  # unmatched packets pass: no implicit deny
    spell: Callable[[str], str] = str

    def read(self, reading: Reading, source: str) -> AccessLists:
        """Lists in all files of a source, from the records of the templates."""
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
    """Access lists of a device by kind and name, and the drops of those that are bound."""

    reading: Reading
    dialect: Dialect = Dialect()
    rules: dict[tuple[str, str], list[Value[str]]] = field(default_factory=dict)
    found: dict[str, Policing] = field(default_factory=dict)  # lists bound to ports
    below: list[tuple[Place, str, Policing, int]] = field(default_factory=list)
    made: dict[tuple[str, str], Policing] = field(default_factory=dict)

    def define(self, kind: str, name: str, rules: list[Value[str]]) -> None:
        """Add a list, or more entries of a list."""
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
        """Bind a list to a port if it drops some RoCE packets.

        `addresses` are the port's: a port with IPv4 addresses only carries no IPv6. `sure` is False
        if some packets of the port bypass the list.
        """
        sixth = [":" in address for address in addresses]
        if name.value is None or (kind == IPV6 and sixth and not any(sixth)):
            return
        sure = sure and (kind != IPV6 or (bool(sixth) and all(sixth)))
        self.attach(qos, way, self._read(kind, name), name.position, sure=sure)

    def bind_lines(self, made: Interface, lines: Iterable[Value[str]]) -> None:
        """Bind the lists of an interface; the last line of each kind and direction counts."""
        for way, kind, name in self._bindings(lines):
            if made.qos is not None and made.parent is None:
                self.bind(made.qos, way, kind, name, made.addresses)
            else:
                self.bind_elsewhere(made, way, kind, name)

    def _bindings(self, lines: Iterable[Value[str]]) -> list[tuple[str, str, Value[str]]]:
        """Direction, kind and name that lines bind; lines that do not parse are unrecognised."""
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
        """Record a list of a VLAN interface or subinterface; other interfaces carry no RoCE."""
        if made.kind is InterfaceKind.VLAN:
            self._note_below(frozenset({made.untagged_vlan or 0}), way, kind, name)
        elif made.parent is not None:
            self._note_below(made.parent, way, kind, name)

    def _note_below(self, place: Place, way: str, kind: str, name: Value[str]) -> None:
        if name.value is not None:
            self.below.append((place, way, self._read(kind, name), name.position))

    def read_vlans(self, source: str) -> None:
        """Read lines in `vlan` stanzas that bind lists or policies; no template reads these."""
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
        """Apply lists of VLANs and subinterfaces to the ports that carry them. Copies of a port may
        share their QoS, so each gets its own.
        """
        for place, way, made, position in self.below:
            for port in interfaces.values() if any(map(drops, made.matches)) else ():
                if port.qos is not None and _carries(port, place):
                    port.qos = replace(port.qos, at=dict(port.qos.at))
                    self.attach(port.qos, way, made, position, sure=False)

    def attach(self, qos: PortQos, way: str, made: Policing, position: int, *, sure: bool) -> None:
        """Add drops to a port, after those it already has."""
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
        """The list with a name; its effect is unknown if it is undefined or of another kind."""
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
            label = f"`{text}` of {key}"
            matches.append(entry_of(self.reading, rule.position, label, takes, drop=drop))
            if takes == ALL:
                break  # nothing is left for later entries
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
    """The dropping entries, each of which may match some packets."""
    dropping = [replace(m, kind=MatchKind.ACL) for m in made.matches if drops(m)]
    return replace(made, name=f"some packets: {made.name}", matches=dropping)


def _both(first: Policing, second: Policing) -> Policing:
    """Drops of two lists in sequence: certain if either list is certain."""
    unsure = [each for each in (first, second) if each.name.startswith("some packets")]
    sure = [each for each in (first, second) if each not in unsure]
    if len(sure) > 1:
        unsure, sure = [_unsure(first), _unsure(second)], []
    matches = [match for each in (*unsure, *sure) for match in each.matches]
    return replace(first, name=AND.join(each.name for each in (*unsure, *sure)), matches=matches)


def drops(match: Match) -> bool:
    """Whether an entry drops its packets."""
    return match.police_bps == 0


def entry_of(reading: Reading, position: int, text: str, takes: Takes, *, drop: bool) -> Match:
    """One list entry in the model."""
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
    """RoCE packets that an entry like `udp any any eq 4791 dscp 26` matches; None: none."""
    words = text.lower().split()
    if words[0] in UDP:
        words = words[1:]
    elif OTHERS.fullmatch(words[0]):
        return None
    elif words[0] not in ("any", "host") and not _ADDRESS.match(words[0]):
        return SOME  # a group of protocols, or unknown syntax
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
    """Words after an address, and whether the address is `any`."""
    if not words or words[0] == "any":
        return words[1:], True
    if words[0] in ("host", "addrgroup", "object-group", "net-group"):
        return words[2:], False
    if len(words) > 1 and "/" not in words[0] and _ADDRESS.fullmatch(words[1]):
        return words[2:], False
    return words[1:], False


def _port(words: list[str], *, is_destination: bool) -> tuple[list[str], bool | None]:
    """Words after a port condition, and whether RoCE matches it; None if it may (source ports)."""
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
"""Syntax shared by several systems."""


def spell_keyed(text: str) -> str:
    """An entry with keywords, `udp destination-port eq 53`, in positional order."""
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
