"""Filters and policers that packets of a port pass: those of the port, its VLANs and its IRB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.nos.access_lists import ROCE_PORT
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import Context
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
    """Filters and policer of one family in one direction.

    Not `sure` if the port has other units or families, or VLANs that are partly routed: RoCE may
    then bypass them.
    """

    family: str
    filters: list[Value[str]]
    policer: Value[str] = ABSENT
    sure: bool = False


@dataclass(slots=True)
class PortFilters:
    """Filters and policers by port and direction."""

    context: Context
    vlans: Vlans
    _of_vlan: dict[str, dict[int, list[FamilyFilters]]] = field(default_factory=dict)

    def of(self, port: Port, way: str) -> Iterator[FamilyFilters]:
        """Filters for packets that arrive at a port (`input`) or leave it (`output`)."""
        for unit in port.units.values():
            alone = len(port.units) == 1
            policer = unit.get("layer2-policer").text(f"{way}-policer")
            if policer:
                yield FamilyFilters("any", [], policer, alone)
            families = [name for name in unit.get("family").names() if name in CARRYING]
            for family in families:
                sure = alone and len(families) == 1
                yield from _stated_filters(unit.get("family", family), family, way, sure=sure)
            yield from self._below(unit, way)

    def _below(self, unit: Branch, way: str) -> Iterator[FamilyFilters]:
        """Filters of a unit's VLANs and their IRB interfaces."""
        members = unit.get("family", "ethernet-switching", "vlan").words("members")
        numbers = self.vlans.numbers(members) if members else None
        if not numbers:
            return
        if way not in self._of_vlan:
            self._of_vlan[way] = self._read(way)
        for number, bound in self._of_vlan[way].items():
            if number in numbers:
                yield from bound

    def _read(self, way: str) -> dict[int, list[FamilyFilters]]:
        found: dict[int, list[FamilyFilters]] = {}
        for name, branch in self.context.top.get("vlans").pairs():
            number = self.vlans.by_name.get(name)
            for stated in (branch.get("forwarding-options"), branch):
                if number is not None:
                    bound = _stated_filters(stated, "ethernet-switching", way, sure=False)
                    found.setdefault(number, []).extend(bound)
        for unit, branch in self.context.top.get("interfaces", "irb", "unit").pairs():
            vlan = self.vlans.by_irb.get(f"irb.{unit}", ABSENT).value
            for family in ROUTED if vlan is not None else ():
                bound = _stated_filters(branch.get("family", family), family, way, sure=False)
                found.setdefault(vlan or 0, []).extend(bound)
        return {number: bound for number, bound in found.items() if bound}


def _stated_filters(
    branch: Branch, family: str, way: str, *, sure: bool
) -> Iterator[FamilyFilters]:
    """Filters that a family, or a VLAN, binds in one direction."""
    if "filter" not in branch and "policer" not in branch:
        return  # nearly all
    policer = branch.get("policer").text(way)
    stated = branch.get("filter")
    names = [name for name in (stated.text(way), *stated.words(f"{way}-list")) if name]
    if policer or names:
        yield FamilyFilters(family, names, policer, sure)


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


def terms(firewall: Branch, family: str, name: str) -> list[tuple[str, Branch]]:
    """Terms of a filter in order; a filter without a family is `inet`."""
    stated = firewall.get("family", family, "filter", name)
    if not stated and family == "inet":
        stated = firewall.get("filter", name)
    return list(stated.get("term").pairs())


def allowed_codes(
    codes: CodePoints, family: str, stated: Branch
) -> tuple[frozenset[int] | None, bool] | None:
    """Code points that conditions allow (None: any), and whether they have no other requirement.

    None if they match no packet of RoCEv2, which is UDP.
    """
    values: frozenset[int] | None = None
    exact = True
    for condition in stated.names():
        words = set(stated.get(condition).names())
        if condition == CODE_POINTS.get(family, "dscp"):
            found = [_code(codes, word) for word in words]
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


def _code(codes: CodePoints, text: str) -> int | None:
    """A code point in filter syntax: a number, bits, or a name."""
    if text.isascii() and text.isdigit() and len(text) < 3:
        return whole_number(text, high=63)
    return codes.number("dscp", text.removeprefix("b"))


def _has_roce(text: str) -> bool:
    """Whether a port or a range of ports, `4000-5000`, includes that of RoCEv2."""
    low, _, high = text.partition("-")
    return low.isdigit() and whole_of(low) <= ROCE_PORT <= whole_of(high or low)
