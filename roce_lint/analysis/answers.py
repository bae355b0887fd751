"""Answers that a second judgement need not ask for again: of ports that a change cannot reach.

`whatif` judges a fabric twice, and nearly all of it is the same the second time. What a port rule
says follows from the port, its device, and the classes and modes of its network (see
`engine/api.py`, `port_check`). So where these are what they were, a kind of port of which a rule
said nothing is silent again: the devices are the very objects of the first time.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis, JudgedPort


@dataclass(slots=True)
class Answers:
    """The kinds of ports that were asked about, and by question those of which something was said.

    A question that was not put to all of them, because its rule broke off, is not among them.
    """

    kinds: frozenset[Hashable] = frozenset()
    told: dict[Hashable, set[Hashable]] = field(default_factory=dict)

    def silent(self, question: Hashable, kind: Hashable) -> bool:
        """Whether the question was put to this kind, and had no answer."""
        told = self.told.get(question)
        return told is not None and kind in self.kinds and kind not in told


def kind_of(port: JudgedPort) -> Hashable:
    """What tells a kind of port in two states of a fabric that share what was not changed."""
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
    """Whether what is known of the fabric as a whole is the same in both; False where no class is
    known: then it is told who asked for them.
    """
    return bool(one.classes) and _facts(one) == _facts(other) and _same_majorities(one, other)


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


def _same_majorities(one: Analysis, other: Analysis) -> bool:
    """Whether what most switches of a network do with a code point is what it was, as far as the
    first judgement asked.
    """
    return all(other.protected(*key) is answer for key, answer in one.majorities())
