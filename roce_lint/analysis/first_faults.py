"""Number of NIC pairs for which a fault is the first one on the path.

A fault is the first for a pair if an equal-cost path reaches it without passing another one. As in
`impact`, sets of leaves are integers: the leaves whose packets arrive unbroken at a switch are
computed once for all faults, at the cost of the cables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from roce_lint.analysis.impact import Acts, Home, Impact, Weights
from roce_lint.analysis.paths import ByHops, Crossing, End, Port, bits, union
from roce_lint.analysis.result import JudgedPort


@dataclass(slots=True)
class _Events:
    """Ports with faults, by direction of the packets."""

    leaving: set[Port] = field(default_factory=set)
    arriving: set[Port] = field(default_factory=set)


@dataclass(slots=True)
class _Hit:
    """Part of the paths hit by a fault that packets reach unbroken; as `impact.Hit`.

    `at_leaf` holds, by leaf, receiving ends attached to that leaf alone, each with the leaves whose
    packets arrive there unbroken.
    """

    over: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    sends: set[int] = field(default_factory=set)  # ends
    receives: set[tuple[int, int]] = field(default_factory=set)  # ends and leaves
    at_leaf: list[tuple[int, Weights]] = field(default_factory=list)


Group = tuple[Home, tuple[int, ...]]
"""Ends by their leaves, and those of the leaves that their packets reach unbroken."""


class FirstFaults:
    """Counter of pairs by their first fault. `breaks` are all faults that break the class."""

    def __init__(self, impact: Impact, breaks: Iterable[tuple[Port, Acts]]) -> None:
        self._impact = impact
        self._reached = impact.reached
        self._breaks = _events(breaks)
        self._groups: dict[Group, list[int]] = defaultdict(list)
        ports = self._breaks.leaving | self._breaks.arriving
        hurt = {n for port in ports for n, *_ in impact.wires.get(port, ())}
        for home, ends in impact.homes.items():
            self._groups[home, home] = [n for n in ends if n not in hurt]
        for n in hurt:
            self._groups[impact.home_of[n], self._unbroken(impact.ends[n])].append(n)
        self._rising = self._up()
        self._arrived = self._down()

    def count(
        self, ports: Iterable[tuple[Port, Acts]], senders: Container[End] | None = None
    ) -> int:
        """Ordered pairs for which the fault on these ports, one of the breaks, is the first.

        Only pairs from one of the `senders`, if given.
        """
        own = _events(ports)
        hit = _Hit()
        for port in sorted(own.leaving | own.arriving):
            self._hit_wires(hit, port, own)
            crossing = self._reached.crossings.get(port)
            if crossing is None:
                continue
            if port in own.leaving:
                self._hit_cable(hit, crossing)
            back = self._reached.crossings.get(crossing.into.key)
            if back and port in own.arriving and self._leaves_unbroken(back.out.key, own):
                self._hit_cable(hit, back)
        hit.at_leaf = self._at_leaves(hit)
        return sum(
            self._of_group(group, ends, hit, senders) for group, ends in self._groups.items()
        )

    def _unbroken(self, end: End) -> tuple[int, ...]:
        """The leaves that packets of an end reach unbroken."""
        leaves = set()
        for wire in end.wires:
            host = wire.host.key if wire.host is not None else None
            if host not in self._breaks.leaving and wire.leaf.key not in self._breaks.arriving:
                leaves.add(self._reached.number[wire.leaf.device.hostname])
        return tuple(sorted(leaves))

    def _up(self) -> dict[str, ByHops]:
        """Leaves whose packets ascend to each switch unbroken, by number of links."""
        rising: dict[str, ByHops] = {}
        number, below = self._reached.number, self._reached.below
        for node in sorted(self._reached.nodes.values(), key=lambda node: node.tier):
            own: dict[int, int] = defaultdict(int)
            if node.name in number:
                own[0] = 1 << number[node.name]
            for low in {c.into.device.hostname for c in node.down if self._passes(c.into, c.out)}:
                for hops, leaves in rising[low].items():
                    own[hops + 1] |= leaves
            rising[node.name] = _shortest(own, below[node.name])
        return rising

    def _down(self) -> dict[str, ByHops]:
        """Leaves whose packets arrive at each switch unbroken, on any path."""
        arrived: dict[str, ByHops] = {}
        best = self._reached.best
        for node in sorted(self._reached.nodes.values(), key=lambda node: -node.tier):
            own: dict[int, int] = defaultdict(int, self._rising[node.name])
            for crossings, known in ((node.along, self._rising), (node.up, arrived)):
                way = (c for c in crossings if self._passes(c.into, c.out))
                for name in {crossing.into.device.hostname for crossing in way}:
                    for hops, leaves in known[name].items():
                        own[hops + 1] |= leaves
            arrived[node.name] = _shortest(own, best[node.name])
        return arrived

    def _passes(self, out: JudgedPort, into: JudgedPort) -> bool:
        """Whether a cable is free of faults in one direction."""
        return out.key not in self._breaks.leaving and into.key not in self._breaks.arriving

    def _leaves_unbroken(self, port: Port, own: _Events) -> bool:
        """Whether packets leave by a port unbroken, or broken by this fault and no earlier one."""
        return port not in self._breaks.leaving or port in own.leaving

    def _hit_wires(self, hit: _Hit, port: Port, own: _Events) -> None:
        """Count the wires of NICs: packets that leave a host arrive at its leaf, and vice versa."""
        for end, leaf, host, at_leaf in self._impact.wires.get(port, ()):
            if at_leaf.key != port:
                if port in own.leaving:
                    hit.sends.add(end)
                if port in own.arriving and self._leaves_unbroken(at_leaf.key, own):
                    hit.receives.add((end, leaf))
            else:
                if port in own.arriving and (host is None or self._leaves_unbroken(host.key, own)):
                    hit.sends.add(end)
                if port in own.leaving:
                    hit.receives.add((end, leaf))

    def _hit_cable(self, hit: _Hit, crossing: Crossing) -> None:
        """Count the pairs whose packets reach a cable unbroken, over a link up, across or down."""
        reached = self._reached
        out, into = crossing.out.device.hostname, crossing.into.device.hostname
        rises = reached.nodes[into].tier - reached.nodes[out].tier
        sources = self._arrived[out] if rises < 0 else self._rising[out]
        targets = reached.best[into] if rises > 0 else reached.below[into]
        together: dict[int, int] = defaultdict(int)
        if rises >= 0:
            for before, leaves in sources.items():
                for source in bits(leaves):
                    best = reached.origins[source]
                    for after, beyond in targets.items():
                        hit.over[source] |= beyond & best.get(before + 1 + after, 0)
            return
        for after, leaves in targets.items():
            for target in bits(leaves):
                best = reached.origins[target]
                to = union(far & best.get(before + 1 + after, 0) for before, far in sources.items())
                together[to] |= 1 << target
        for leaves, found in together.items():
            for source in bits(leaves):
                hit.over[source] |= found

    def _of_group(
        self, group: Group, attached: list[int], hit: _Hit, senders: Container[End] | None
    ) -> int:
        home, unbroken = group
        ends = [n for n in attached if senders is None or self._impact.ends[n] in senders]
        hurt = sum(1 for n in ends if n in hit.sends)
        total = hurt * (self._impact.ends_reached(home) - 1) if hurt else 0
        if hurt == len(ends) or not unbroken or not (hit.over or hit.receives):
            return total
        over = union(hit.over.get(leaf, 0) for leaf in unbroken)
        targets = self._impact.single.total(over)
        targets += sum(
            weights.total(~over)  # hit on their own wire alone
            for sources, weights in hit.at_leaf
            if any(sources >> leaf & 1 for leaf in unbroken)
        )
        targets += sum(self._of_several(unbroken, other, hit) for other in self._impact.several)
        own = sum(
            1
            for n in ends
            if n not in hit.sends and any((n, leaf) in hit.receives for leaf in unbroken)
        )
        return total + (len(ends) - hurt) * targets - own  # an end does not send to itself

    def _at_leaves(self, hit: _Hit) -> list[tuple[int, Weights]]:
        counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for n, leaf in hit.receives:
            if len(self._impact.home_of[n]) == 1:
                counts[self._from(leaf)][leaf] += 1
        return [(sources, Weights(by_leaf)) for sources, by_leaf in counts.items()]

    def _of_several(self, unbroken: tuple[int, ...], other: Home, hit: _Hit) -> int:
        """Ends of a home with several leaves that are hit from an end of another home."""
        used = [(leaf, self._impact.nearest_of(leaf, other)) for leaf in unbroken]
        if any(hit.over.get(leaf, 0) & targets for leaf, targets in used):
            return len(self._impact.homes[other])
        wires = {
            target for leaf, targets in used for target in bits(targets)
            if self._from(target) >> leaf & 1
        }  # fmt: skip
        return sum(
            1 for n in self._impact.homes[other] if any((n, leaf) in hit.receives for leaf in wires)
        )

    def _from(self, leaf: int) -> int:
        """Leaves whose packets arrive at a leaf unbroken."""
        return union(self._arrived[self._reached.leaves[leaf]].values())


def _events(ports: Iterable[tuple[Port, Acts]]) -> _Events:
    events = _Events()
    for port, acts in ports:
        if acts != "arriving":
            events.leaving.add(port)
        if acts != "leaving":
            events.arriving.add(port)
    return events


def _shortest(found: dict[int, int], known: ByHops) -> ByHops:
    """The paths that are as short as the shortest known ones."""
    both = {hops: leaves & known.get(hops, 0) for hops, leaves in found.items()}
    return {hops: leaves for hops, leaves in both.items() if leaves}
