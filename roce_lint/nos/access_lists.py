"""What access lists let through of RoCEv2, which is UDP to port 4791: entries in their order.

A list becomes a `Policing`: an entry that drops is a policer of nothing, one that lets packets
pass ends the list for them. What is compared with addresses may or may not be RoCE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from roce_lint.model.qos import Match, MatchKind, Policing, PortQos
from roce_lint.model.units import parse_dscp
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.text.numbers import whole_of

ROCE_PORT = 4791
"""UDP destination port of RoCEv2 (IANA)."""

LIST = "access list"
"""What an access list is among the named structures."""

UDP = ("ip", "ipv6", "udp", "17")
"""Protocols of an entry that RoCE is among, over the version of IP that the list is for."""

LIST_OF_IPV6 = "IPv6 access list"
"""What a list for IPv6 is called: it may have the name of one for IPv4."""

_RULE = re.compile(r"(?:\d+\s+)?(?P<action>permit|deny)\s+(?P<rest>\S.*)")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+(?:/\d+)?")
_HARMLESS = ("log", "count", "log-input")


@dataclass(slots=True, frozen=True)
class Takes:
    """Which RoCE packets an entry takes: of some code points or of all; `exact` if all of those."""

    codes: frozenset[int] | None = None
    exact: bool = True


@dataclass(slots=True)
class AccessLists:
    """The access lists of a device by name, and those that drop RoCE as objects of the model."""

    reading: Reading
    rules: dict[str, list[Value[str]]] = field(default_factory=dict)
    called: str = LIST
    passes_rest: bool = False  # what no entry takes passes: the system has no entry at the end
    made: dict[str, Policing] = field(default_factory=dict)

    def bind(self, name: Value[str]) -> Value[str]:
        """The key of what a list drops, with the line that binds it; absent if it drops nothing
        of RoCE, or nothing defines it.
        """
        if name.value is None:
            return ABSENT
        self.reading.names.refer(LIST, name.value, name.position)
        if not self.rules.get(name.value):
            return ABSENT
        key = f"{self.called} {name.value}"
        if key not in self.made:
            self.made[key] = self._read(key, self.rules[name.value])
        return Value(key, name.position) if any(map(drops, self.made[key].matches)) else ABSENT

    def objects(self) -> dict[str, Policing]:
        """The lists that drop something, by key."""
        return {key: one for key, one in self.made.items() if any(map(drops, one.matches))}

    def _read(self, key: str, rules: list[Value[str]]) -> Policing:
        matches = []
        for rule in rules:
            entry = _RULE.fullmatch((rule.value or "").strip())
            takes = parse_takes(entry["rest"]) if entry else None
            if entry is None or takes is None:
                continue
            text = f"`{(rule.value or '').strip()}` of {key}"
            drop = entry["action"] == "deny"
            matches.append(entry_of(self.reading, rule.position, text, takes, drop=drop))
            if takes == Takes():
                break  # nothing is left for the entries behind
        else:
            if self.passes_rest:
                return self.reading.build(Policing, rules[0].position, name=key, matches=matches)
            rest = f"what no entry of {key} takes"
            matches.append(entry_of(self.reading, rules[-1].position, rest, Takes(), drop=True))
        return self.reading.build(Policing, rules[0].position, name=key, matches=matches)


def bind_lists(qos: PortQos, lists: AccessLists, arriving: Value[str], leaving: Value[str]) -> None:
    """Give a port the lists that its packets meet, where they drop some of RoCE."""
    for name, stated in (("policing", arriving), ("policing_out", leaving)):
        bound = lists.bind(stated)
        if bound.value is not None:
            setattr(qos, name, bound.value)
            qos.at[name] = bound.position


def speaks_ipv6_alone(addresses: tuple[str, ...]) -> bool:
    """Whether RoCE that is routed over a port can be IPv6 only, by the port's addresses."""
    return bool(addresses) and all(":" in address for address in addresses)


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
    elif words[0] not in ("any", "host") and not _ADDRESS.match(words[0]):
        return None  # another protocol
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
    if words[0] in ("host", "addrgroup", "object-group"):
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


def lists_of(
    reading: Reading,
    entries: Iterable[tuple[str, int, list[Value[str]]]],
    called: str = LIST,
    *,
    passes_rest: bool = False,
) -> AccessLists:
    """Lists by name from stanzas: name, line where it begins, entries. Stanzas add up."""
    found = AccessLists(reading, called=called, passes_rest=passes_rest)
    for name, begin, rules in entries:
        reading.names.define(LIST, name, begin, matters=False)
        found.rules.setdefault(name, []).extend(rules)
    return found
