"""Policers on what arrives at a port: those of firewall filters, and those bound by themselves."""

from __future__ import annotations

import re

from roce_lint.model.qos import Match, MatchKind, Policing
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

ROUTED = ("inet", "inet6")
CARRYING = (*ROUTED, "ethernet-switching", "bridge", "ccc", "vpls", "any")
"""Families that packets of RoCE may belong to."""

POLICERS = ("policer", "three-color-policer", "hierarchical-policer")
CODE_POINTS = {"inet": "dscp", "inet6": "traffic-class"}
"""The condition that looks at the DSCP; `dscp` in the other families."""

PROTOCOLS = ("protocol", "ip-protocol", "next-header", "payload-protocol")
UDP = frozenset({"udp", "17"})
OTHERS = frozenset(
    {"tcp", "icmp", "icmp6", "icmpv6", "igmp", "ospf", "pim", "rsvp", "vrrp", "gre", "esp", "ah"}
    | {"6", "1", "58", "2", "89", "103", "46", "112", "47", "50", "51"}
)
"""IP protocols that RoCEv2 does not use (IANA protocol numbers)."""

ROCE_PORT = "4791"

_RATE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,6})?)(?P<unit>[kmg]?)")
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


class Policers:
    """The policers of a device, and what of a port's packets they meet."""

    def __init__(self, context: Context, codes: CodePoints) -> None:
        self.firewall = context.top.get("firewall")
        self.reading = context.reading
        self.codes = codes
        self.made: dict[str, Policing] = {}  # filters that police nothing among them

    def objects(self) -> dict[str, Policing]:
        """What polices something, by key."""
        return {key: made for key, made in self.made.items() if any(map(_polices, made.matches))}

    def of(self, port: Port) -> Value[str]:
        """Key of what polices packets that arrive at a port, with the line that binds it.

        Absent where nothing does. An entry is sure only where the port has one unit of one family:
        elsewhere it depends on the traffic whether a filter sees RoCE.
        """
        found: list[Value[str]] = []
        if not self.firewall:
            return ABSENT
        for unit in port.units.values():
            families = [name for name in unit.get("family").names() if name in CARRYING]
            sure = len(port.units) == 1 and len(families) == 1
            for family in families:
                found += self._of_family(unit.get("family", family), family, sure=sure)
        if len(found) < 2:
            return found[0] if found else ABSENT
        key = " and ".join(str(each.value) for each in found)
        if key not in self.made:
            matches = [match for each in found for match in self.made[each.value or ""].matches]
            self.made[key] = self._made(key, found[0].position, matches)
        return Value(key, found[0].position)

    def _of_family(self, branch: Branch, family: str, *, sure: bool) -> list[Value[str]]:
        """What a family of one unit binds; nothing where no entry of it polices."""
        own = branch.get("policer").text("input")
        filters = branch.get("filter")
        names = [each for each in (filters.text("input"), *filters.words("input-list")) if each]
        if not own and not names:
            return []
        key = " ".join(["" if sure else "perhaps", family, own.value or "", "by"]).strip()
        key = " ".join([key, *(each.value or "" for each in names)])
        begin = next(each.position for each in (own, *names) if each)
        if key not in self.made:
            matches = []
            if own:
                matches = [self._entry("policer", own, f"policer {own.value}", None, sure=sure)]
            for name in names:
                matches += self._filter(family, name.value or "", sure=sure)
            self.made[key] = self._made(key, begin, matches)
        return [Value(key, begin)] if any(map(_polices, self.made[key].matches)) else []

    def _made(self, key: str, begin: int, matches: list[Match]) -> Policing:
        return self.reading.build(Policing, begin, name=key, matches=matches)

    def _filter(self, family: str, name: str, *, sure: bool) -> list[Match]:
        found = [
            self._term(family, f"term {term} of filter {name}", below, sure=sure)
            for term, below in self._terms(family, name)
        ]
        return [each for each in found if each is not None]

    def _terms(self, family: str, name: str) -> list[tuple[str, Branch]]:
        stated = self.firewall.get("family", family, "filter", name)
        if not stated and family == "inet":
            stated = self.firewall.get("filter", name)
        return list(stated.get("term").pairs())

    def _term(self, family: str, text: str, term: Branch, *, sure: bool) -> Match | None:
        """What a term polices or takes away from later terms; None where it does neither."""
        codes = self._taken(family, term.get("from"))
        if codes is None:
            return None
        values, exact = codes
        then = term.get("then")
        gone = "discard" in then or "reject" in then
        sure = sure and exact
        for word in () if gone else POLICERS:
            if word in then:
                made = self._entry(word, _named(then.get(word)), text, values, sure=sure)
                return made if _polices(made) or "next" not in then else None
        if "next" in then:
            return None
        return self._match(term.begin, text, values, sure=sure)

    def _taken(self, family: str, stated: Branch) -> tuple[frozenset[int] | None, bool] | None:
        """Code points that conditions allow (None: any), and whether they ask for nothing else.

        None where they take no packet of RoCEv2, which is UDP.
        """
        values: frozenset[int] | None = None
        exact = True
        for condition in stated.names():
            words = set(stated.get(condition).names())
            if condition == CODE_POINTS.get(family, "dscp"):
                codes = [self._code(word) for word in words]
                values = frozenset(code for code in codes if code is not None)
                if None in codes:
                    values, exact = None, False
            elif condition in PROTOCOLS and words and words <= OTHERS:
                return None
            elif not (condition in PROTOCOLS and words & UDP) and not (
                condition == "destination-port" and ROCE_PORT in words
            ):
                exact = False
        return values, exact

    def _code(self, text: str) -> int | None:
        """A code point as filters write it: a number, bits, or a name."""
        if text.isascii() and text.isdigit() and len(text) < 3:
            return int(text) if int(text) < 64 else None
        return self.codes.number("dscp", text.removeprefix("b"))

    def _entry(
        self, word: str, named: Value[str], text: str, values: frozenset[int] | None, *, sure: bool
    ) -> Match:
        """An entry with a policer; not sure where it cannot be told what the policer does."""
        stated = self.firewall.get(word, named.value or "")
        known = bool(stated) and word != "hierarchical-policer"
        made = self._match(named.position, text, values, sure=sure and known)
        made.at["police_bps"] = named.position
        if known:
            below = stated.get("action" if word == "three-color-policer" else "then")
            made.police_drops = bool(below.find("discard"))
        made.police_bps = _rate(stated.get("if-exceeding").text("bandwidth-limit").value)
        return made

    def _match(self, begin: int, text: str, values: frozenset[int] | None, *, sure: bool) -> Match:
        kind = MatchKind.ACL if not sure else MatchKind.ANY if values is None else MatchKind.DSCP
        found = values or frozenset()
        return self.reading.build(Match, begin, kind=kind, values=found, text=text)


def _polices(match: Match) -> bool:
    return match.stated("police_bps") and match.police_drops is not False


def _named(stated: Branch) -> Value[str]:
    """The policer behind a word, `single-rate` and `two-rate` of three colours passed over."""
    for word in ("single-rate", "two-rate"):
        if word in stated:
            return stated.text(word)
    return stated.value()


def _rate(text: str | None) -> int | None:
    found = _RATE.fullmatch(text or "")
    return int(float(found["number"]) * _UNITS[found["unit"]]) if found else None
