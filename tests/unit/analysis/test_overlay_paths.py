"""In any fabric and overlay, the walk and the packet sizes are what single packets would meet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.packet import find_required, underlay_of
from roce_lint.analysis.paths import End, Paths
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.walk import Hop, walk
from roce_lint.model.device import Device
from roce_lint.model.interface import InterfaceKind, Tunnel
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Rewrite
from tests.sampling import tries
from tests.unit.analysis.test_walk import every_path, fabrics, wired
from tests.unit.fabric import code_map, lines_of, port

VLAN = 10
DSCP, OTHER = 26, 2
REWRITTEN = {3: 10, 4: 12, 5: 26}
"""Classes behind switches that rewrite."""
PAYLOAD = 4096
Wiring = tuple[list[int], list[tuple[int, int]], list[int]]


@dataclass(frozen=True)
class Says:
    """Tunnel settings of a switch."""

    carries: bool
    copied: bool | None
    dscp: int | None
    outer_decides: bool | None
    inner_replaced: bool | None
    rewrites: bool
    rewrites_outer: bool | None


maybe = st.sampled_from([True, False, None])
overlays = st.lists(
    st.one_of(
        st.none(),
        st.builds(
            Says,
            st.booleans(),
            maybe,
            st.sampled_from([None, OTHER, DSCP]),
            maybe,
            maybe,
            st.booleans(),
            maybe,
        ),
    ),
    min_size=7,
    max_size=7,
)


def made(wiring: Wiring, says: list[Says | None], bridged: list[bool]) -> Analysis:
    """A fabric whose switches have these tunnels; hosts that are bridged are in the VLAN."""
    analysis = wired(*wiring)
    devices = analysis.fabric.devices
    for number in range(len(wiring[0])):
        device, told = devices[f"s{number}"], says[number]
        table = {DSCP: 3 + number % 2, OTHER: 5}
        device.qos.classifiers["map"].dscp_to_tc = code_map(lines_of(device), table, 0)
        if told is None:
            continue
        end = port(device, "vtep", kind=InterfaceKind.TUNNEL)
        end.tunnel = Tunnel(
            src=device.src,
            vlans=frozenset({VLAN} if told.carries else {VLAN + 1}),
            dscp_copied=told.copied,
            dscp=None if told.copied else told.dscp,
            outer_decides=told.outer_decides,
            inner_replaced=told.inner_replaced,
            rewrites_outer=told.rewrites_outer,
        )
        if told.rewrites:
            lines = lines_of(device)
            device.qos.rewrites["mark"] = Rewrite(
                name="mark", tc_to_dscp=code_map(lines, REWRITTEN), active=True, src=lines.src,
                at={"": lines.next()},
            )  # fmt: skip
            for interface in device.interfaces.values():
                if interface.qos is not None:
                    interface.qos.rewrite = "mark"
    for number, at in enumerate(wiring[2]):
        if bridged[number]:
            devices[f"s{at}"].interfaces[f"Host{number}"].untagged_vlan = VLAN
    return analysis


def tunnel_of(device: Device) -> Tunnel | None:
    end = device.interfaces.get("vtep")
    return end.tunnel if end is not None else None


def enters(analysis: Analysis, path: tuple[str, ...]) -> bool:
    """True if a packet on a path enters a tunnel at its first switch."""
    name, _, first = path[0].partition(" ")
    device = analysis.fabric.devices[name]
    tunnel = tunnel_of(device)
    vlan = device.interfaces[first].untagged_vlan
    return len(path) > 2 and tunnel is not None and vlan in (tunnel.vlans or ())


Seen = tuple[int | None, int | None]


def met(analysis: Analysis, path: tuple[str, ...]) -> tuple[Seen, ...]:
    """Class at every switch of one path and code point behind it, followed by hand."""
    devices = [analysis.fabric.devices[name.split()[0]] for name in path[::2]]
    inside: int | None = DSCP
    outside: int | None = None
    carried = False
    seen: list[Seen] = []
    for place, device in enumerate(devices):
        classes = device.qos.classifiers["map"].dscp_to_tc.entries
        by = inside
        tunnel = tunnel_of(device)
        begins = False
        if carried:
            by = outside
            if place == len(devices) - 1:
                by = chosen(tunnel.outer_decides if tunnel else None, outside, inside)
                inside = chosen(tunnel.inner_replaced if tunnel else None, outside, inside)
                carried = False
        elif place == 0 and tunnel is not None and enters(analysis, path):
            begins = True
        tc = None if by is None else classes.get(by, 0)
        mark = REWRITTEN.get(tc) if tc is not None and "mark" in device.qos.rewrites else None
        if begins and tunnel is not None:
            if mark is not None and not tunnel.rewrites_outer:
                inside = mark
            carried, outside = True, inside if tunnel.dscp_copied else tunnel.dscp
            if mark is not None and tunnel.rewrites_outer:
                outside = mark
        elif mark is not None and carried:
            outside = mark
        elif mark is not None:
            inside = mark
        seen.append((tc, outside if carried else inside))
    return tuple(seen)


def chosen(outer: bool | None, outside: int | None, inside: int | None) -> int | None:
    """The code point of the header that counts; without a rule, the one both have."""
    if outer is None:
        return outside if outside == inside else None
    return outside if outer else inside


def alike(hop: Hop) -> Seen:
    return hop.treated.ingress.tc, hop.dscp_out


@given(fabrics, overlays, st.lists(st.booleans(), min_size=3, max_size=3))
@settings(max_examples=tries(300), deadline=None)
def test_the_walk_in_an_overlay_is_what_every_single_packet_meets(
    wiring: Wiring, says: list[Says | None], bridged: list[bool]
) -> None:
    analysis = made(wiring, says, bridged)
    paths = Paths(analysis)
    for source, target in pairs(paths):
        expected = Counter(met(analysis, path) for path in every_path(analysis, source, target))
        found: Counter[tuple[Seen, ...]] = Counter()
        for way in walk(analysis, paths, source, target, DSCP, alike):
            switches = [hop for hop in way.hops if not hop.device.is_host]
            found[tuple(alike(hop) for hop in switches)] += way.paths
        assert found == expected


@given(fabrics, overlays, st.lists(st.booleans(), min_size=3, max_size=3))
@settings(max_examples=tries(300), deadline=None)
def test_the_cables_of_larger_packets_are_those_that_single_packets_take(
    wiring: Wiring, says: list[Says | None], bridged: list[bool]
) -> None:
    analysis = made(wiring, says, bridged)
    for _, nic in analysis.roce_nics:
        nic.rdma_mtu = PAYLOAD
    find_required(analysis, RocePlan())
    paths = Paths(analysis)
    expected = {
        tuple(name.split()): PAYLOAD + 64 + 50
        for source, target in pairs(paths)
        for path in every_path(analysis, source, target)
        if enters(analysis, path)
        for name in path[1:-1]
    }
    found = underlay_of(analysis)
    assert {port: need.bytes for port, need in found.sure.items()} == expected
    assert found.maybe == {}


def pairs(paths: Paths) -> list[tuple[End, End]]:
    return [(a, b) for a in paths.ends for b in paths.ends if a != b]
