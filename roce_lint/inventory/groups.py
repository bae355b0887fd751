"""Groups of hosts as Ansible has them: what is said of a group holds for its hosts, what is said
of a child before what is said of its parent, and what is said of a host before both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roce_lint.inventory.entry import Inventory, ansible_words

ALL = "all"


class Groups:
    """Groups by name, with their hosts, children and variables."""

    def __init__(self) -> None:
        self._vars: dict[str, dict[str, Any]] = {ALL: {}}
        self._parents: dict[str, list[str]] = {}
        self._of_host: dict[str, list[str]] = {}
        self._hosts: dict[str, dict[str, Any]] = {}
        self._lines: dict[str, int] = {}

    def variables(self, group: str) -> dict[str, Any]:
        """The variables of a group, to read and to add to."""
        return self._vars.setdefault(group, {})

    def child(self, parent: str, group: str) -> None:
        """A group within another."""
        self._parents.setdefault(group, []).append(parent)

    def host(self, group: str, name: str, said: Mapping[str, Any], line: int) -> None:
        """A host of a group; it may stand in several, and what is said of it adds up."""
        self._of_host.setdefault(name, []).append(group)
        self._hosts.setdefault(name, {}).update(said)
        self._lines.setdefault(name, line)

    def write(self, into: Inventory) -> None:
        """Every host with what holds for it, in the order in which they were first named."""
        for name, own in self._hosts.items():
            said: dict[str, Any] = dict(self._vars[ALL])
            for group in self._above(name):
                said.update(self._vars.get(group, {}))
            said.update(own)
            into.add({"name": name, **ansible_words(said)}, self._lines[name])

    def _above(self, host: str) -> list[str]:
        """The groups of a host, those that are farthest away first."""
        depth: dict[str, int] = {}
        reached = [(group, 0) for group in self._of_host[host]]
        while reached:
            group, far = reached.pop()
            if group == ALL or depth.get(group, -1) >= far or far > len(self._parents):
                continue
            depth[group] = far
            reached += [(parent, far + 1) for parent in self._parents.get(group, ())]
        return sorted(depth, key=lambda group: (-depth[group], group))
