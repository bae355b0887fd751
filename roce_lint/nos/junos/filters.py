"""Firewall filters of a port, its VLANs and its IRB: classification, policing, drops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.model.qos import Match, Policing
from roce_lint.model.units import DSCPS
from roce_lint.nos.access_lists import ROCE_PORT, Takes, entry_of
from roce_lint.nos.junos.classes import CodePoints
from roce_lint.nos.junos.context import Context, bits_of
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.vlans import Vlans
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import whole_number, whole_of

ROUTED = ("inet", "inet6")
CARRYING = (*ROUTED, "ethernet-switching", "bridge", "ccc", "vpls", "any")
"""Families that may carry RoCE packets."""

IN, OUT = "input", "output"


@dataclass(slots=True)
class FamilyFilters:
    """Filters and policer of one family in one direction; `begin` is the first line of these.

    Not `sure` if the port has other units or families, or VLANs that are partly routed: RoCE may
    then bypass them.
    """

    family: str
    filters: list[str]
    policer: Value[str]
    begin: int
    sure: bool = False


def _stated_filters(
    branch: Branch, family: str, way: str, *, sure: bool = False
) -> Iterator[FamilyFilters]:
    """Filters that a family, or a VLAN, binds in one direction."""
    if "filter" not in branch and "policer" not in branch:
        return  # nearly all
    policer = branch.get("policer").text(way)
    stated = branch.get("filter")
    found = [each for each in (stated.text(way), *stated.words(f"{way}-list")) if each]
    if policer or found:
        begin = (policer or found[0]).position
        yield FamilyFilters(family, [each.value or "" for each in found], policer, begin, sure)


# Terms of firewall filters: code points that they certainly match; RoCEv2 is UDP.

CODE_POINTS = {"inet": "dscp", "inet6": "traffic-class"}
"""Condition on the DSCP; `dscp` in the other families."""

PROTOCOLS = ("protocol", "ip-protocol", "next-header", "payload-protocol")
UDP = frozenset({"udp", "17"})
OTHERS = frozenset(
    {"tcp", "icmp", "icmp6", "icmpv6", "igmp", "ospf", "pim", "rsvp", "vrrp", "gre", "esp", "ah"}
    | {"6", "1", "58", "2", "89", "103", "46", "112", "47", "50", "51"}
)
"""IP protocols that RoCEv2 does not use (IANA protocol numbers)."""

DROPPING = ("discard", "reject")

ALL = (None, True)
"""Match of a term without conditions."""

CLASS = "forwarding-class"
POLICERS = ("policer", "three-color-policer", "hierarchical-policer")
UNCLEAR = (*POLICERS, "loss-priority", "dscp")
"""Actions with an unknown effect on the class of a packet."""

Codes = frozenset[int] | None
"""Code points that conditions allow; None: any."""


def _code(codes: CodePoints, text: str) -> int | None:
    """A code point in filter syntax: a number, bits, or a name."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return whole_number(text, high=63)
    return codes.number("dscp", text.removeprefix("b"))


def _has_roce(text: str) -> bool:
    """Whether a port or a range of ports, `4000-5000`, includes that of RoCEv2."""
    low, _, high = text.partition("-")
    return low.isdigit() and whole_of(low) <= ROCE_PORT <= whole_of(high or low)


@dataclass(slots=True)
class FilterOutcome:
    """Effect of filters on the code points that arrive at a port.

    Not `exact` if the filters may not see RoCE. Otherwise `classes` has the code points that they
    classify, with the line, and `unclear` those with an unknown class, with the cause.
    """

    name: str
    exact: bool = False
    classes: dict[int, Value[str]] = field(default_factory=dict)
    unclear: dict[int, int] = field(default_factory=dict)


class Filters:
    """Filters and policers of a device, by port and direction."""

    def __init__(self, context: Context, vlans: Vlans, codes: CodePoints) -> None:
        self.context = context
        self.vlans = vlans
        self.codes = codes
        self.firewall = context.top.get("firewall")
        self.policing: dict[str, Policing] = {}  # filters that police nothing among them
        self._of_vlan: dict[str, dict[int, list[FamilyFilters]]] = {}
        self._by_port: dict[str, FilterOutcome | None] = {}
        self._outcomes: dict[tuple[str, ...], FilterOutcome] = {}

    def _of(self, port: Port, way: str) -> Iterator[FamilyFilters]:
        """Filters for packets that arrive at a port (`input`) or leave it (`output`)."""
        for unit in port.units.values():
            alone = len(port.units) == 1
            policer = unit.get("layer2-policer").text(f"{way}-policer")
            if policer:
                yield FamilyFilters("any", [], policer, policer.position, alone)
            families = [name for name in unit.get("family").names() if name in CARRYING]
            for family in families:
                sure = alone and len(families) == 1
                yield from _stated_filters(unit.get("family", family), family, way, sure=sure)
            members = unit.get("family", "ethernet-switching", "vlan").words("members")
            numbers = (self.vlans.numbers(members) if members else None) or frozenset()
            if numbers and way not in self._of_vlan:
                self._of_vlan[way] = self._read_vlans(way)
            for number, bound in self._of_vlan.get(way, {}).items():
                if number in numbers:
                    yield from bound

    def _read_vlans(self, way: str) -> dict[int, list[FamilyFilters]]:
        """Filters of VLANs and their IRB interfaces."""
        found: dict[int, list[FamilyFilters]] = {}
        for name, branch in self.context.top.get("vlans").pairs():
            number = self.vlans.by_name.get(name)
            for stated in (branch.get("forwarding-options"), branch):
                if number is not None:
                    bound = _stated_filters(stated, "ethernet-switching", way)
                    found.setdefault(number, []).extend(bound)
        for unit, branch in self.context.top.get("interfaces", "irb", "unit").pairs():
            vlan = self.vlans.by_irb.get(f"irb.{unit}", ABSENT).value
            for family in ROUTED if vlan is not None else ():
                bound = _stated_filters(branch.get("family", family), family, way)
                found.setdefault(vlan or 0, []).extend(bound)
        return {number: bound for number, bound in found.items() if bound}

    def _terms(self, family: str, name: str) -> list[tuple[str, Branch]]:
        """Terms of a filter in order; a filter without a family is `inet`."""
        stated = self.firewall.get("family", family, "filter", name)
        if not stated and family == "inet":
            stated = self.firewall.get("filter", name)
        return list(stated.get("term").pairs())

    def _allowed(self, family: str, term: Branch) -> tuple[Codes, bool] | None:
        """Code points that the conditions of a term allow, and whether they have no other
        requirement. None if they match no packet of RoCEv2, which is UDP.
        """
        values: Codes = None
        exact = True
        stated = term.get("from")
        for condition in stated.names():
            words = set(stated.get(condition).names())
            if condition == CODE_POINTS.get(family, "dscp"):
                found = [_code(self.codes, word) for word in words]
                values = frozenset(code for code in found if code is not None)
                if None in found:
                    values, exact = None, False
            elif condition in PROTOCOLS and words and words <= OTHERS:
                return None
            elif condition == "destination-port" and words:
                if not any(map(_has_roce, words)):
                    return None  # a name too: RoCE's port has none
            elif not (condition in PROTOCOLS and words & UDP):
                exact = False
        return values, exact

    # Multifield classification: it runs after behaviour aggregate classification and overrides it
    # (docs/nos/junos.md).

    def deciding(self, port: Port) -> FilterOutcome | None:
        """Effect of the input filters of a port on classification; None if they have none."""
        if port.name not in self._by_port:
            self._by_port[port.name] = self._find(port)
        return self._by_port[port.name]

    def _find(self, port: Port) -> FilterOutcome | None:
        found = [here for here in self._of(port, IN) if self._decides(here)]
        if not found:
            return None
        here = found[0]
        name = " and ".join(name for each in found for name in each.filters)
        known = all(self._terms(here.family, name) for name in here.filters)
        exact = len(found) == 1 and here.sure and known
        key = (here.family if exact else "", name)
        if key not in self._outcomes:
            made = self._outcomes[key] = FilterOutcome(name, exact)
            if exact:
                self._decide(here, made)
        return self._outcomes[key]

    def _decides(self, here: FamilyFilters) -> bool:
        """Whether filters have a term that sets a class or otherwise changes the treatment."""
        found = [self._terms(here.family, name) for name in here.filters]
        if not all(found) and not self.context.whole:
            return True  # it may stand in another part
        actions = (term.get("then") for stated in found for _, term in stated)
        return any(word in then for then in actions for word in (CLASS, *UNCLEAR))

    def _decide(self, here: FamilyFilters, made: FilterOutcome) -> None:
        rows: list[tuple[Codes, bool, Branch]] = []
        for name in here.filters:
            for _, term in self._terms(here.family, name):
                codes = self._allowed(here.family, term)
                if codes is not None:
                    rows.append((*codes, term.get("then")))
        for code in DSCPS:
            given, unclear = self._follow(code, rows)
            if unclear:
                made.unclear[code] = unclear
            elif given:
                made.classes[code] = given

    def _follow(self, code: int, rows: list[tuple[Codes, bool, Branch]]) -> tuple[Value[str], int]:
        """Class that terms give a code point, and the line that makes it unknown (0: none)."""
        given: Value[str] = ABSENT
        doubt = 0  # a term that may have accepted the packet
        for values, exact, then in rows:
            if values is not None and code not in values:
                continue
            if any(word in then for word in DROPPING):
                if exact:
                    break
                continue
            line = self._unclear_line(then)
            if line or (CLASS in then and not exact):
                return ABSENT, line or then.get(CLASS).begin
            if CLASS in then:
                if doubt:
                    return ABSENT, doubt
                given = then.text(CLASS)
            if "next" not in then:
                if exact:
                    break
                doubt = doubt or then.begin
        return given, 0

    def _unclear_line(self, then: Branch) -> int:
        """Line of an action with an unknown effect; 0 without one."""
        for word in UNCLEAR:
            if word not in then:
                continue
            value = then.text(word).value
            policer = self.firewall.get("policer", value or "", "then")
            drops = word == "policer" and "discard" in policer
            if not drops and not (word == "loss-priority" and value == "low"):
                return then.get(word).begin
        return 0

    # Policers: those of filters, and directly bound ones.

    def objects(self) -> dict[str, Policing]:
        """Policing objects by key, without those that police nothing."""
        return {
            key: made for key, made in self.policing.items() if any(map(_polices, made.matches))
        }

    def police(self, port: Port, way: str) -> Value[str]:
        """Key of the policing of arriving (`input`) or leaving packets, with its line, if any."""
        bound = self._of(port, way) if self.firewall else ()
        found = [each for each in map(self._of_family, bound) if each]
        if len(found) < 2:
            return found[0] if found else ABSENT
        key = " and ".join(str(each.value) for each in found)
        if key not in self.policing:
            matches = [match for each in found for match in self.policing[each.value or ""].matches]
            self._add(key, found[0].position, matches)
        return Value(key, found[0].position)

    def _add(self, key: str, begin: int, matches: list[Match]) -> None:
        made = self.context.reading.build(Policing, begin, name=key, matches=matches)
        self.policing[key] = made

    def _of_family(self, here: FamilyFilters) -> Value[str]:
        """Policing bound by one family; absent if no entry polices or drops."""
        own, sure = here.policer, here.sure
        key = " ".join(["" if sure else "perhaps", here.family, own.value or "", "by"]).strip()
        key = " ".join([key, *here.filters])
        if key not in self.policing:
            matches = []
            if own:
                matches = [self._entry("policer", own, f"policer {own.value}", None, sure=sure)]
            self._add(key, here.begin, matches + self._entries(here))
        return Value(key, here.begin) if any(map(_polices, self.policing[key].matches)) else ABSENT

    def _entries(self, here: FamilyFilters) -> list[Match]:
        """Entries of filters in sequence, up to a term that matches all; the rest is dropped."""
        found: list[Match] = []
        last: tuple[str, int] | None = None
        for name in here.filters:
            for term, below in self._terms(here.family, name):
                last = name, below.begin
                allowed = self._allowed(here.family, below)
                text = f"term {term} of filter {name}"
                made = self._term(allowed, text, below, sure=here.sure) if allowed else None
                found += [made] if made is not None else []
                if "next" not in below.get("then") and allowed == ALL:
                    return found
        if last is not None and self.context.whole:
            text = f"what no term of filter {last[0]} takes"
            found.append(self._match(last[1], text, None, sure=here.sure, dropped=last[1]))
        return found

    def _term(
        self, allowed: tuple[Codes, bool], text: str, term: Branch, *, sure: bool
    ) -> Match | None:
        """Policing of a term, or the packets it removes from later terms; None if neither."""
        values, exact = allowed
        then = term.get("then")
        sure = sure and exact
        gone = next((then.get(word).begin for word in DROPPING if word in then), 0)
        if gone:
            return self._match(term.begin, text, values, sure=sure, dropped=gone)
        for word in POLICERS:
            if word in then:
                made = self._entry(word, _policer_name(then.get(word)), text, values, sure=sure)
                return made if _polices(made) or "next" not in then else None
        return None if "next" in then else self._match(term.begin, text, values, sure=sure)

    def _entry(
        self, word: str, named: Value[str], text: str, values: Codes, *, sure: bool
    ) -> Match:
        """An entry with a policer; not sure if the effect of the policer is unknown."""
        stated = self.firewall.get(word, named.value or "")
        known = bool(stated) and word != "hierarchical-policer"
        made = self._match(named.position, text, values, sure=sure and known)
        made.at["police_bps"] = named.position
        if known:
            below = stated.get("action" if word == "three-color-policer" else "then")
            made.police_drops = bool(below.find("discard"))
        limit = stated.get("if-exceeding").text("bandwidth-limit")
        made.police_bps = limit.map(bits_of).value
        return made

    def _match(
        self, begin: int, text: str, values: Codes, *, sure: bool, dropped: int = 0
    ) -> Match:
        """An entry; `dropped` is the line that drops its packets."""
        takes = Takes(values, exact=sure)
        made = entry_of(self.context.reading, begin, text, takes, drop=dropped > 0)
        if dropped:
            made.at["police_bps"] = dropped
        return made


def _polices(match: Match) -> bool:
    return match.stated("police_bps") and match.police_drops is not False


def _policer_name(stated: Branch) -> Value[str]:
    """The policer after a word, skipping `single-rate` and `two-rate` of three-colour policers."""
    for word in ("single-rate", "two-rate"):
        if word in stated:
            return stated.text(word)
    return stated.value()
