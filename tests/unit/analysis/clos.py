"""Fabrics of every legal shape, as model objects: the bench of the walk, pairs and witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from roce_lint.analysis.result import Analysis
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind
from tests.unit.fabric import Ends, analysed, host, port, switch

TIERS = (Role.LEAF, Role.SPINE, Role.SUPERSPINE)


class Bench:
    """A fabric under construction: switches by name, cables numbered in the order they are laid."""

    def __init__(self) -> None:
        self.switches: dict[str, Device] = {}
        self.hosts: dict[str, Device] = {}
        self.links: list[Ends] = []

    def add(self, tier: int, *names: str) -> None:
        """Switches of a tier: 0 leaf, 1 spine, 2 superspine."""
        for name in names:
            self.switches[name] = switch(name, role=TIERS[tier], marked=(3,))

    def cable(self, low: str, high: str, count: int = 1) -> None:
        """Parallel cables between two switches; `low-high.n` names both ports."""
        for n in range(count):
            name = f"{low}-{high}.{n}"
            for end in (low, high):
                port(self.switches[end], name)
            self.links.append(((self.switches[low], name), (self.switches[high], name)))

    def mesh(self, lows: Iterable[str], highs: Iterable[str], count: int = 1) -> None:
        """Every switch of the one tier to every switch of the other."""
        for low, high in product(lows, list(highs)):
            self.cable(low, high, count)

    def attach(self, name: str, *rails: tuple[str, ...]) -> None:
        """A host with a NIC for each rail: on one leaf, or by a bond on several."""
        nics = [f"bond{n}" if len(leaves) > 1 else f"eth{n}" for n, leaves in enumerate(rails)]
        machine = self.hosts[name] = host(name, *nics, sends=26, pauses=(3,), mtu=9000)
        for nic, leaves in zip(nics, rails, strict=True):
            wires = [nic] if len(leaves) == 1 else [f"{nic}-{leaf}" for leaf in leaves]
            if len(leaves) > 1:
                bond = machine.interfaces[nic]
                bond.kind, bond.members = InterfaceKind.LAG, tuple(wires)
            for wire, leaf in zip(wires, leaves, strict=True):
                if wire != nic:
                    port(machine, wire, mtu=9000).lag = nic
                port(self.switches[leaf], f"{name}-{wire}")
                end = (self.switches[leaf], f"{name}-{wire}")
                self.links.append(((machine, wire), end))

    def analysed(self) -> Analysis:
        """Analysis of the fabric."""
        return analysed(*self.switches.values(), *self.hosts.values(), links=self.links)


def two_tier() -> Bench:
    """Three leaves, two spines, a host on each leaf and two on the first."""
    bench = Bench()
    bench.add(0, "l0", "l1", "l2")
    bench.add(1, "s0", "s1")
    bench.mesh(("l0", "l1", "l2"), ("s0", "s1"))
    for name, leaf in (("h0", "l0"), ("h1", "l0"), ("h2", "l1"), ("h3", "l2")):
        bench.attach(name, (leaf,))
    return bench


def parallel_links() -> Bench:
    """Two leaves, two spines, two cables (a channel) between each."""
    bench = Bench()
    bench.add(0, "l0", "l1")
    bench.add(1, "s0", "s1")
    bench.mesh(("l0", "l1"), ("s0", "s1"), 2)
    for name, leaf in (("h0", "l0"), ("h1", "l1"), ("h2", "l1")):
        bench.attach(name, (leaf,))
    return bench


def three_tier() -> Bench:
    """Two pods of two leaves and two spines; each spine has two superspines that no other spine
    uses.
    """
    bench = Bench()
    bench.add(2, "x0", "x1", "x2", "x3")
    for pod in range(2):
        leaves, spines = [f"l{pod}0", f"l{pod}1"], [f"s{pod}0", f"s{pod}1"]
        bench.add(0, *leaves)
        bench.add(1, *spines)
        bench.mesh(leaves, spines)
        for n, spine in enumerate(spines):
            bench.mesh([spine], [f"x{2 * n}", f"x{2 * n + 1}"])
        for n, leaf in enumerate(leaves):
            bench.attach(f"h{pod}{n}", (leaf,))
    return bench


def rail_optimized() -> Bench:
    """Rail i of every host is on leaf i; spines join the rails."""
    bench = Bench()
    bench.add(0, "r0", "r1")
    bench.add(1, "s0", "s1")
    bench.mesh(("r0", "r1"), ("s0", "s1"))
    for n in range(3):
        bench.attach(f"h{n}", ("r0",), ("r1",))
    return bench


def rail_only() -> Bench:
    """Rail i of every host is on switch i, and nothing joins the rails."""
    bench = Bench()
    bench.add(0, "r0", "r1", "r2")
    for n in range(3):
        bench.attach(f"h{n}", ("r0",), ("r1",), ("r2",))
    return bench


def collapsed() -> Bench:
    """One switch."""
    bench = Bench()
    bench.add(0, "l0")
    for n in range(4):
        bench.attach(f"h{n}", ("l0",))
    return bench


def dual_plane() -> Bench:
    """Two Clos fabrics side by side; every host has a NIC in each."""
    bench = Bench()
    for plane in "ab":
        leaves, spines = [f"l{plane}0", f"l{plane}1"], [f"s{plane}0", f"s{plane}1"]
        bench.add(0, *leaves)
        bench.add(1, *spines)
        bench.mesh(leaves, spines)
    for n in range(4):
        bench.attach(f"h{n}", (f"la{n % 2}",), (f"lb{n % 2}",))
    return bench


def dual_tor() -> Bench:
    """Pairs of leaves; a host has one NIC, by a bond on both leaves of its pair."""
    bench = Bench()
    bench.add(0, "l0", "l1", "l2", "l3")
    bench.add(1, "s0", "s1")
    bench.mesh(("l0", "l1", "l2", "l3"), ("s0", "s1"))
    for n in range(4):
        first = 2 * (n % 2)
        bench.attach(f"h{n}", (f"l{first}", f"l{first + 1}"))
    return bench


def unequal() -> Bench:
    """A host on a spine, a leaf without one of its uplinks, a cable between leaves."""
    bench = Bench()
    bench.add(0, "l0", "l1", "l2")
    bench.add(1, "s0", "s1")
    bench.mesh(("l0", "l1"), ("s0", "s1"))
    bench.cable("l2", "s1")
    bench.cable("l0", "l1")
    for name, leaf in (("h0", "l0"), ("h1", "l1"), ("h2", "l2"), ("h3", "s0")):
        bench.attach(name, (leaf,))
    return bench


SHAPES: dict[str, Callable[[], Bench]] = {
    "2-tier": two_tier,
    "channels": parallel_links,
    "3-tier": three_tier,
    "rail-optimized": rail_optimized,
    "rail-only": rail_only,
    "collapsed": collapsed,
    "dual-plane": dual_plane,
    "dual-ToR": dual_tor,
    "unequal": unequal,
}
