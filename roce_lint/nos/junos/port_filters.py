"""What filters and policers packets of a port pass: its own, and those of its VLANs and IRB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.vlans import Vlans
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

ROUTED = ("inet", "inet6")
CARRYING = (*ROUTED, "ethernet-switching", "bridge", "ccc", "vpls", "any")
"""Families that packets of RoCE may belong to."""

IN, OUT = "input", "output"


@dataclass(slots=True)
class FamilyFilters:
    """The filters and the policer of one family in one direction, in force for some packets.

    Not `sure` where the port has other units or families, or VLANs whose packets may be routed or
    not: then it depends on the traffic whether they see RoCE.
    """

    family: str
    filters: list[Value[str]]
    policer: Value[str] = ABSENT
    sure: bool = False


@dataclass(slots=True)
class PortFilters:
    """Filters and policers by port and direction."""

    context: Context
    ports: dict[str, Port]
    vlans: Vlans
    _of_vlan: dict[str, dict[int, list[FamilyFilters]]] = field(default_factory=dict)

    def of(self, port: Port, way: str) -> Iterator[FamilyFilters]:
        """What packets pass that arrive at a port (`input`), or leave by it (`output`)."""
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
        """What the VLANs of a unit bind, and their IRB interfaces."""
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
        irb = self.ports.get("irb")
        for unit, branch in irb.units.items() if irb is not None else ():
            vlan = self.vlans.by_irb.get(f"irb.{unit}", ABSENT).value
            for family in ROUTED if vlan is not None else ():
                bound = _stated_filters(branch.get("family", family), family, way, sure=False)
                found.setdefault(vlan or 0, []).extend(bound)
        return {number: bound for number, bound in found.items() if bound}


def _stated_filters(
    branch: Branch, family: str, way: str, *, sure: bool
) -> Iterator[FamilyFilters]:
    """What a family, or a VLAN, binds in one direction."""
    if "filter" not in branch and "policer" not in branch:
        return  # nearly all
    policer = branch.get("policer").text(way)
    stated = branch.get("filter")
    names = [name for name in (stated.text(way), *stated.words(f"{way}-list")) if name]
    if policer or names:
        yield FamilyFilters(family, names, policer, sure)
