"""The walk gives what following every single path would give, however the fabric is wired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.walk import Hop, walk
from roce_lint.model.device import Device, Role
from roce_lint.model.qos import Rewrite
from tests.sampling import tries
from tests.unit.fabric import Ends, analysed, code_map, host, lines_of, port, switch

ROLES = (Role.LEAF, Role.SPINE, Role.SUPERSPINE)


def wired(tiers: list[int], cables: list[tuple[int, int]], hosts: list[int]) -> Analysis:
    """Switches of the given tiers (0 leaf ...), cabled by number; a host on each switch of `hosts`.

    Every second switch puts DSCP 26 into class 4 and all others into 3.
    """
    switches = [
        switch(f"s{n}", role=ROLES[tier], dscps={26: 3 + n % 2}, priorities={3: 3, 4: 4})
        for n, tier in enumerate(tiers)
    ]
    machines: list[Device] = []
    links: list[Ends] = []
    for number, (a, b) in enumerate(cables):
        if a == b:
            continue
        for end in (a, b):
            port(switches[end], f"Ethernet{number}", pauses=(3, 4))
        links.append(((switches[a], f"Ethernet{number}"), (switches[b], f"Ethernet{number}")))
    for number, at in enumerate(hosts):
        machine = host(f"h{number}", "eth0", sends=26)
        machines.append(machine)
        port(switches[at], f"Host{number}", pauses=(3, 4))
        links.append(((machine, "eth0"), (switches[at], f"Host{number}")))
    return analysed(*switches, *machines, links=links)


def every_path(analysis: Analysis, source: End, target: End) -> list[tuple[str, ...]]:
    """All shortest valley-free paths, one by one: the names of the ports they take."""
    tiers = {
        name: ROLES.index(device.role)
        for name, device in analysis.fabric.devices.items()
        if device.role in ROLES
    }
    first = source.wires[0].leaf
    last = target.wires[0].leaf

    def onward(
        name: str, taken: tuple[str, ...], devices: tuple[str, ...], *, falling: bool
    ) -> Iterator[tuple[str, ...]]:
        if name == last.device.hostname:
            yield (*taken, str(last))
        for out in analysis.ports:
            if out.device.hostname != name or out.peer is None or out.peer.device.is_host:
                continue
            other = out.peer.device.hostname
            if other in devices:
                continue
            step = tiers[other] - tiers[name]
            if step >= 0 and falling:
                continue
            yield from onward(
                other, (*taken, str(out), str(out.peer)), (*devices, other), falling=step <= 0
            )

    begin = first.device.hostname
    paths = list(onward(begin, (str(first),), (begin,), falling=False))
    shortest = min(map(len, paths), default=0)
    return [path for path in paths if len(path) == shortest]


def classes(hop: Hop) -> tuple[int | None, int]:
    """Distinction of path groups: class of the packet and its outgoing DSCP."""
    return hop.treated.ingress.tc, hop.dscp_out


fabrics = st.integers(2, 7).flatmap(
    lambda count: st.tuples(
        st.lists(st.integers(0, 2), min_size=count, max_size=count),
        st.lists(
            st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)),
            min_size=1,
            max_size=12,
        ),
        st.lists(st.integers(0, count - 1), min_size=2, max_size=3),
    )
)


@given(fabrics)
@settings(max_examples=tries(300), deadline=None)
def test_the_walk_takes_every_path_once(
    made: tuple[list[int], list[tuple[int, int]], list[int]],
) -> None:
    analysis = wired(*made)
    paths = Paths(analysis)
    tc = {name: 3 + int(name[1:]) % 2 for name in analysis.fabric.devices if name[0] == "s"}
    for source in paths.ends:
        for target in paths.ends:
            if source == target:
                continue
            expected = Counter(
                tuple(tc[port.split()[0]] for port in path[::2])
                for path in every_path(analysis, source, target)
            )
            found: Counter[tuple[int | None, ...]] = Counter()
            for way in walk(analysis, paths, source, target, 26, classes):
                switches = [hop for hop in way.hops if not hop.device.is_host]
                found[tuple(hop.treated.ingress.tc for hop in switches)] += way.paths
            assert found == expected


def clos() -> Analysis:
    """Two leaves of one class, two spines of two classes, two hosts."""
    return wired([0, 1, 0, 1], [(0, 1), (0, 3), (2, 1), (2, 3)], [0, 2])


def test_paths_that_treat_the_packet_otherwise_are_other_ways() -> None:
    analysis = wired([0, 1, 1, 0], [(0, 1), (0, 2), (3, 1), (3, 2)], [0, 3])
    paths = Paths(analysis)
    ways = walk(analysis, paths, paths.ends_of("h0")[0], paths.ends_of("h1")[0], 26, classes)
    assert [way.paths for way in ways] == [1, 1]
    assert {way.hops[2].device.hostname: way.hops[2].treated.ingress.tc for way in ways} == {
        "s1": 4,
        "s2": 3,
    }


def test_a_way_has_the_ports_of_all_its_paths() -> None:
    analysis = clos()
    paths = Paths(analysis)
    (way,) = walk(analysis, paths, paths.ends_of("h0")[0], paths.ends_of("h1")[0], 26, classes)
    assert [len(ports) for ports in way.through] == [1, 3, 4, 3, 1]
    assert ("s1", "Ethernet0") in way.through[2]
    assert ("s3", "Ethernet1") in way.through[2]


def test_the_code_point_goes_on_as_a_hop_rewrote_it() -> None:
    analysis = clos()
    leaf = analysis.fabric.devices["s0"]
    lines = lines_of(leaf)
    leaf.qos.rewrites["mark"] = Rewrite(
        name="mark", tc_to_dscp=code_map(lines, {3: 10}), active=True, src=lines.src,
        at={"": lines.next()},
    )  # fmt: skip
    for interface in leaf.interfaces.values():
        if interface.qos is not None:
            interface.qos.rewrite = "mark"
    paths = Paths(analysis)
    (way,) = walk(analysis, paths, paths.ends_of("h0")[0], paths.ends_of("h1")[0], 26, classes)
    assert [(hop.dscp, hop.dscp_out) for hop in way.hops] == [
        (26, 26), (26, 10), (10, 10), (10, 10), (10, 10),
    ]  # fmt: skip


def test_a_nic_is_found_by_device_rdma_device_and_port() -> None:
    paths = Paths(clos())
    for name in ("mlx5_0", "eth0"):
        assert [str(end) for end in paths.ends_of("h0", name)] == ["h0 mlx5_0"]
    assert paths.ends_of("h0", "eth7") == []
