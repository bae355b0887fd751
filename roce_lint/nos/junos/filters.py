"""Firewall filters: only whether one puts packets into classes or drops them by rate."""

from __future__ import annotations

from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.statements import Branch

DECIDING = ("forwarding-class", "policer", "three-color-policer", "loss-priority", "dscp")
"""Actions of a filter's term that change how a packet is treated."""


class Filters:
    """The filters of a device that decide more than whether a packet passes."""

    def __init__(self, context: Context) -> None:
        self.context = context
        firewall = context.top.get("firewall")
        self._deciding: dict[tuple[str, str], bool] = {}
        for family, branch in firewall.get("family").pairs():
            self._read(family, branch)
        self._read("inet", firewall)
        self._by_port: dict[str, str] = {}

    def deciding(self, port: Port) -> str:
        """Name of a filter on what arrives at a port that classifies or polices; empty: none."""
        known = self._by_port.get(port.name)
        if known is None:
            known = self._by_port[port.name] = self._find(port)
        return known

    def _find(self, port: Port) -> str:
        for unit in port.units.values():
            for family, branch in unit.get("family").pairs():
                if "filter" not in branch:
                    continue
                named = branch.get("filter")
                for name in (named.text("input"), *named.words("input-list")):
                    if name.value is None:
                        continue
                    if self._deciding.get((family, name.value), not self.context.whole):
                        return name.value
        return ""

    def _read(self, family: str, branch: Branch) -> None:
        for name, below in branch.get("filter").pairs():
            terms = [term for _, term in below.get("term").pairs()]
            self._deciding[family, name] = any(
                action in term.get("then") for term in terms for action in DECIDING
            )
