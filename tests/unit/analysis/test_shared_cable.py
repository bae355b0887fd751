"""A host's cable that two switches share: either may be the one that forwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.impact import Impact
from roce_lint.analysis.paths import End, Paths, Wire
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.walk import Hop, walk
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Link, LinkSource
from roce_lint.model.interface import Detour, InterfaceKind, Tunnel
from roce_lint.model.plan import RocePlan
from tests.sampling import tries
from tests.unit.analysis.test_walk import every_path, fabrics, wired
from tests.unit.fabric import Ends, analysed, code_map, host, lines_of, port, switch

Wiring = tuple[list[int], list[tuple[int, int]], list[int]]


def fabric(*, shared: bool = True) -> tuple[list[Device], list[Ends]]:
    """Two switches that share one host, each with another host, and a spine."""
    spine = switch("spine1", role=Role.SPINE)
    gpu = host("gpu1", "eth0", sends=26, pauses=(3,))
    devices, links = [spine, gpu], []
    for number in (1, 2):
        tor = switch(f"tor{number}", role=Role.LEAF)
        own = host(f"own{number}", "eth0", sends=26, pauses=(3,))
        for name in ("both", "one", "up"):
            port(tor, name)
        port(spine, f"e{number}")
        if shared:
            tor.interfaces["both"].shared_with = f"tor{3 - number}"
        links += [
            ((tor, "both"), (gpu, "eth0")),
            ((tor, "one"), (own, "eth0")),
            ((tor, "up"), (spine, f"e{number}")),
        ]
        devices += [tor, own]
    return devices, links


def test_the_host_has_one_port_and_is_attached_twice() -> None:
    devices, links = fabric()
    analysis = analysed(*devices, links=links)
    names = [str(judged) for judged in analysis.ports]
    assert len(names) == len(set(names))
    (end,) = Paths(analysis).ends_of("gpu1")
    assert {str(wire.leaf) for wire in end.wires} == {"tor1 both", "tor2 both"}
    assert {str(wire.host) for wire in end.wires} == {"gpu1 eth0"}
    assert Paths(analysis).ends_of("own1")[0].wires[0].leaf.interface.shared_with is None


def test_packets_may_take_either_switch() -> None:
    devices, links = fabric()
    analysis = analysed(*devices, links=links)
    paths = Paths(analysis)
    gpu, own = paths.ends_of("gpu1")[0], paths.ends_of("own1")[0]
    sent = walk(analysis, paths, gpu, own, 26, lambda hop: hop.device.hostname)
    taken = {tuple(hop.device.hostname for hop in way.hops) for way in sent}
    assert taken == {("gpu1", "tor1", "own1"), ("gpu1", "tor2", "spine1", "tor1", "own1")}
    (back,) = walk(analysis, paths, own, gpu, 26, lambda hop: hop.device.hostname)
    lack = back.hops[1].treated.egress.missing
    assert lack.startswith("the active switch, tor1 or tor2, on the cable of both")
    assert back.hops[1].treated.egress.queue == 3


def test_a_fault_on_either_leg_reaches_the_pairs_of_the_host() -> None:
    devices, links = fabric()
    impact = Impact(Paths(analysed(*devices, links=links)))
    assert impact.pairs == 6
    for tor in ("tor1", "tor2"):
        # Out of the host by this leg to both others, and from the switch's own host to it.
        assert impact.through([((tor, "both"), "both")]) == 3


CODES = {26: 3, 2: 5, 6: 6}
OUTER = {3: 2, 4: 6}
"""Outer code points by class where a detour begins; where it ends DSCP 26 is in class 7."""


def shared(wiring: Wiring, second: int, tunnels: list[bool]) -> Analysis:
    """A fabric in which host 0 is on a cable of two switches, some of which have a tunnel."""
    first = wiring[2][0]
    analysis = wired(*wiring)
    fabric = analysis.fabric
    for number in range(len(wiring[0])):
        device = fabric.devices[f"s{number}"]
        lines = lines_of(device)
        device.qos.classifiers["map"].dscp_to_tc = code_map(lines, CODES | {26: 3 + number % 2}, 0)
        if tunnels[number]:
            end = port(device, "tunnel", kind=InterfaceKind.TUNNEL)
            detour = Detour(
                tc_to_dscp=code_map(lines, OUTER),
                tc_to_queue=code_map(lines, {3: 5, 4: 6}),
                dscp_to_tc=code_map(lines, {26: 7}),
                tc_to_pg=code_map(lines, {7: 5}),
            )
            end.tunnel = Tunnel(src=device.src, vlans=frozenset(), detour=detour)
    if second != first:
        a, b = fabric.devices[f"s{first}"], fabric.devices[f"s{second}"]
        leg = port(b, "Leg", pauses=(3, 4))
        leg.shared_with, a.interfaces["Host0"].shared_with = a.hostname, b.hostname
        gpu = Endpoint(fabric.devices["h0"], fabric.devices["h0"].interfaces["eth0"])
        link = Link(gpu, Endpoint(b, leg), LinkSource.PLAN)
        fabric.links.append(link)
        fabric.by_port[b.hostname, "Leg"] = link
    return analyse(fabric, RocePlan())


def routes(analysis: Analysis, source: End, target: End) -> Iterator[tuple[str, ...]]:
    """All shortest paths, those through a tunnel with the ports of both parts."""
    for begin in source.wires:
        found = [
            (path, leg)
            for leg in target.wires
            for path in every_path(analysis, one(source, begin), one(target, leg))
        ]
        shortest = min((len(path) for path, _ in found), default=0)
        for path, leg in found:
            if len(path) > shortest:
                continue
            yield path
            for other in target.wires:
                both = [tunnel_at(wire.leaf.device) for wire in (leg, other)]
                if other is leg or None in both:
                    continue
                for rest in every_path(analysis, one(target, leg), one(target, other)):
                    yield (*path[:-1], *rest[1:])


def one(end: End, wire: Wire) -> End:
    return End(end.device, end.nic, end.network, (wire,))


def tunnel_at(device: Device) -> Detour | None:
    end = device.interfaces.get("tunnel")
    return end.tunnel.detour if end is not None and end.tunnel is not None else None


def met(analysis: Analysis, path: tuple[str, ...], legs: set[str]) -> tuple[object, ...]:
    """Class at every switch and code point behind it, followed by hand; a packet that leaves a
    switch of the host by another port than the host's goes through the tunnel from there on.
    """
    names = [name.split()[0] for name in path[::2]]
    delivers = [place for place, name in enumerate(names) if name in legs]
    seen: list[object] = []
    dscp, inside = 26, False
    for place, name in enumerate(names):
        device = analysis.fabric.devices[name]
        tc = device.qos.classifiers["map"].dscp_to_tc.entries.get(dscp, 0)
        if inside and place == len(names) - 1:
            tc, dscp = 7, 26
        elif len(delivers) > 1 and place == delivers[0]:
            inside, dscp = True, OUTER[tc]
        seen.append((name, tc, dscp))
    return tuple(seen)


@given(fabrics, st.integers(0, 6), st.lists(st.booleans(), min_size=7, max_size=7))
@settings(max_examples=tries(300), deadline=None)
def test_the_walk_takes_every_path_and_every_detour(
    wiring: Wiring, second: int, tunnels: list[bool]
) -> None:
    analysis = shared(wiring, second % len(wiring[0]), tunnels)
    paths = Paths(analysis)
    (target,) = paths.ends_of("h0")
    legs = {wire.leaf.device.hostname for wire in target.wires}
    for source in paths.ends:
        if source == target:
            continue
        taken = Counter(routes(analysis, source, target))
        expected: Counter[tuple[object, ...]] = Counter()
        for path, times in taken.items():
            expected[met(analysis, path, legs)] += times
        found: Counter[tuple[object, ...]] = Counter()
        for way in walk(analysis, paths, source, target, 26, alike):
            switches = [hop for hop in way.hops if not hop.device.is_host]
            found[tuple(alike(hop) for hop in switches)] += way.paths
        assert found == expected


def alike(hop: Hop) -> tuple[str, int | None, int | None]:
    return hop.device.hostname, hop.treated.ingress.tc, hop.dscp_out
