"""Results of port rules that a second run can reuse, for ports that a change cannot affect.

`whatif` checks a fabric twice, and nearly everything is the same the second time. The result of a
port rule depends on the port, its device, and the classes and modes of its network (see
`engine/api.py`, `port_check`). Where these are unchanged, a kind of port without a result has none
again: the devices are the same objects in both runs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from roce_lint.analysis.cache import cached
from roce_lint.analysis.result import Analysis, JudgedPort


@dataclass(slots=True)
class PortResults:
    """Kinds of ports that were checked and, by query, those with a result.

    A query that did not reach all of them, because its rule failed, is absent.
    """

    kinds: frozenset[Hashable] = frozenset()
    reported: dict[Hashable, set[Hashable]] = field(default_factory=dict)

    def is_silent(self, query: Hashable, kind: Hashable) -> bool:
        """Whether the query was run for this kind without a result."""
        reported = self.reported.get(query)
        return reported is not None and kind in self.kinds and kind not in reported


@dataclass(slots=True)
class Reuse:
    """The results that a run records for another one, and those of an earlier run that hold."""

    recorded: PortResults | None = None
    earlier: PortResults | None = None


@cached
def reuse_of(_analysis: Analysis) -> Reuse:
    """Reusable results of an analysis."""
    return Reuse()


def kind_of(port: JudgedPort) -> Hashable:
    """Key of a kind of port, comparable between two states of a fabric that share objects."""
    return (
        id(port.device),
        id(port.interface),
        port.interface.tagged,
        port.network,
        port.faces_host,
        port.peer is None,
        port.gbps,
    )


def same_facts(one: Analysis, other: Analysis) -> bool:
    """Whether the fabric-wide facts of both are equal; False without any class, because then each
    rule that needs one reports it.
    """
    return (
        bool(one.classes)
        and _facts(one) == _facts(other)
        and all(other.protected(*key) is answer for key, answer in one.majorities.items())
    )


def _facts(analysis: Analysis) -> tuple[object, ...]:
    modes = analysis.modes.items()
    required = analysis.required.items()
    return (
        [replace(traffic, where=()) for traffic in analysis.classes],
        {key: (mode.pfc, mode.marking, mode.priority, mode.stated) for key, mode in modes},
        {network: (need.bytes, need.assumed, need.bound) for network, need in required},
        analysis.tagged.keys(),
        analysis.one_way,
        analysis.networks,
        [(device.hostname, nic.name) for device, nic in analysis.roce_nics],
    )
