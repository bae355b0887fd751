"""Firewall filters that classify packets: multifield classification.

It runs after behaviour aggregate classification and overrides it (docs/nos/junos.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.port_filters import (
    DROPPING,
    IN,
    FamilyFilters,
    PortFilters,
    allowed_codes,
    terms,
)
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

CLASS = "forwarding-class"
UNCLEAR = ("policer", "three-color-policer", "hierarchical-policer", "loss-priority", "dscp")
"""Actions with an unknown effect on the class of a packet."""

EVERY = range(64)

Row = tuple[frozenset[int] | None, bool, Branch]
"""Code points that a term certainly matches, as from `allowed_codes`, and its actions."""


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
    """Filters of a device that do more than pass or drop packets."""

    def __init__(self, context: Context, codes: CodePoints, bound: PortFilters) -> None:
        self.context = context
        self.codes = codes
        self.bound = bound
        self.firewall = context.top.get("firewall")
        self._by_port: dict[str, FilterOutcome | None] = {}
        self._made: dict[tuple[str, ...], FilterOutcome] = {}

    def deciding(self, port: Port) -> FilterOutcome | None:
        """Effect of the input filters of a port on classification; None if they have none."""
        if port.name not in self._by_port:
            self._by_port[port.name] = self._find(port)
        return self._by_port[port.name]

    def _find(self, port: Port) -> FilterOutcome | None:
        found = [here for here in self.bound.of(port, IN) if self._decides(here)]
        if not found:
            return None
        here = found[0]
        name = " and ".join(n.value or "" for each in found for n in each.filters)
        known = all(terms(self.firewall, here.family, n.value or "") for n in here.filters)
        exact = len(found) == 1 and here.sure and known
        key = (here.family if exact else "", name)
        if key not in self._made:
            made = self._made[key] = FilterOutcome(name, exact)
            if exact:
                self._decide(here, made)
        return self._made[key]

    def _decides(self, here: FamilyFilters) -> bool:
        """Whether filters have a term that sets a class or otherwise changes the treatment."""
        for name in here.filters:
            stated = terms(self.firewall, here.family, name.value or "")
            if not stated and not self.context.whole:
                return True  # it may stand in another part
            for _, term in stated:
                if any(action in term.get("then") for action in (CLASS, *UNCLEAR)):
                    return True
        return False

    def _decide(self, here: FamilyFilters, made: FilterOutcome) -> None:
        rows: list[Row] = []
        for name in here.filters:
            for _, term in terms(self.firewall, here.family, name.value or ""):
                codes = allowed_codes(self.codes, here.family, term.get("from"))
                if codes is not None:
                    rows.append((*codes, term.get("then")))
        for code in EVERY:
            given, unclear = self._follow(code, rows)
            if unclear:
                made.unclear[code] = unclear
            elif given:
                made.classes[code] = given

    def _follow(self, code: int, rows: list[Row]) -> tuple[Value[str], int]:
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
