"""Firewall filters that put packets into classes: multifield classification.

It comes after that by code point and wins over it (docs/nos/junos.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.port_filters import IN, FamilyFilters, PortFilters
from roce_lint.nos.junos.terms import DROPPING, allowed_codes, terms
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

CLASS = "forwarding-class"
UNTOLD = ("policer", "three-color-policer", "hierarchical-policer", "loss-priority", "dscp")
"""Actions after which it is not told how a packet is treated."""

EVERY = range(64)

Row = tuple[frozenset[int] | None, bool, Branch]
"""What a term takes for certain, as `allowed_codes` says it, and what it does then."""


@dataclass(slots=True)
class FilterOutcome:
    """What filters make of the code points that arrive at a port.

    Not `exact` where they may not see RoCE; else `classes` has those that they give a class, with
    the line, and `untold` those of which a line leaves it open.
    """

    name: str
    exact: bool = False
    classes: dict[int, Value[str]] = field(default_factory=dict)
    untold: dict[int, int] = field(default_factory=dict)


class Filters:
    """The filters of a device that decide more than whether a packet passes."""

    def __init__(self, context: Context, codes: CodePoints, bound: PortFilters) -> None:
        self.context = context
        self.codes = codes
        self.bound = bound
        self.firewall = context.top.get("firewall")
        self._by_port: dict[str, FilterOutcome | None] = {}
        self._made: dict[tuple[str, ...], FilterOutcome] = {}

    def deciding(self, port: Port) -> FilterOutcome | None:
        """What the filters on what arrives at a port decide about its class; None: nothing."""
        if port.name not in self._by_port:
            self._by_port[port.name] = self._find(port)
        return self._by_port[port.name]

    def _find(self, port: Port) -> FilterOutcome | None:
        found = [here for here in self.bound.of(port, IN) if self._decides(here)]
        if not found:
            return None
        name = " and ".join(n.value or "" for here in found for n in here.filters)
        here = found[0]
        if len(found) > 1 or not here.sure or not self._is_known(here):
            return self._made.setdefault(("", name), FilterOutcome(name))
        key = (here.family, name)
        if key not in self._made:
            self._made[key] = self._decide(here, name)
        return self._made[key]

    def _is_known(self, here: FamilyFilters) -> bool:
        return all(terms(self.firewall, here.family, n.value or "") for n in here.filters)

    def _decides(self, here: FamilyFilters) -> bool:
        """Whether filters have a term that gives a class, or more that changes the treatment."""
        for name in here.filters:
            stated = terms(self.firewall, here.family, name.value or "")
            if not stated and not self.context.whole:
                return True  # it may stand in another part
            for _, term in stated:
                if any(action in term.get("then") for action in (CLASS, *UNTOLD)):
                    return True
        return False

    def _decide(self, here: FamilyFilters, name: str) -> FilterOutcome:
        made = FilterOutcome(name, exact=True)
        rows = [row for n in here.filters for row in self._rows(here.family, n.value or "")]
        for code in EVERY:
            given, untold = self._follow(code, rows)
            if untold:
                made.untold[code] = untold
            elif given:
                made.classes[code] = given
        return made

    def _follow(self, code: int, rows: list[Row]) -> tuple[Value[str], int]:
        """The class that terms give a code point, and the line that leaves it open (0: none)."""
        given: Value[str] = ABSENT
        doubt = 0  # a term that may have accepted the packet
        for values, exact, then in rows:
            if values is not None and code not in values:
                continue
            if any(word in then for word in DROPPING):
                if exact:
                    break
                continue
            line = self._untold(then)
            if line or (CLASS in then and not exact):
                return ABSENT, line or then.get(CLASS).begin
            if CLASS in then and doubt:
                return ABSENT, doubt
            if CLASS in then:
                given = then.text(CLASS)
            if "next" not in then:
                if exact:
                    break
                doubt = doubt or then.begin
        return given, 0

    def _untold(self, then: Branch) -> int:
        """The line after which it is not told how a packet is treated; 0 where none is."""
        for word in UNTOLD:
            if word not in then:
                continue
            value = then.text(word).value
            drops = word == "policer" and "discard" in self._policer(value)
            if not drops and not (word == "loss-priority" and value == "low"):
                return then.get(word).begin
        return 0

    def _policer(self, name: str | None) -> Branch:
        return self.firewall.get("policer", name or "", "then")

    def _rows(self, family: str, name: str) -> Iterator[Row]:
        for _, term in terms(self.firewall, family, name):
            codes = allowed_codes(self.codes, family, term.get("from"))
            if codes is not None:
                yield *codes, term.get("then")
