"""Walk of packets in a tunnel between leaves."""

from __future__ import annotations

import pytest

from roce_lint.analysis.overlay import Packet, tunnels
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.walk import Hop, walk
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind, Tunnel
from tests.unit.fabric import Ends, analysed, code_map, host, lines_of, port, switch

VLAN = 10


def vtep(leaf: Device, **says: object) -> Device:
    """The leaf with a tunnel that carries a VLAN."""
    end = port(leaf, "vtep", kind=InterfaceKind.TUNNEL)
    end.tunnel = Tunnel(src=leaf.src, vlans=frozenset({VLAN}), **says)  # type: ignore[arg-type]
    return leaf


def fabric(**says: object) -> tuple[list[Device], list[Ends]]:
    """Two leaves with two hosts each in the VLAN, and a spine."""
    spine = switch("spine1", role=Role.SPINE, marked=(3,))
    devices, links = [spine], []
    for number in (1, 2):
        leaf = vtep(switch(f"leaf{number}", role=Role.LEAF, marked=(3,)), **says)
        port(leaf, "up")
        port(spine, f"e{number}")
        links.append(((leaf, "up"), (spine, f"e{number}")))
        devices.append(leaf)
        for n in (1, 2):
            machine = host(f"gpu{number}{n}", "eth0", sends=26, pauses=(3,))
            port(leaf, f"h{n}").untagged_vlan = VLAN
            links.append(((leaf, f"h{n}"), (machine, "eth0")))
            devices.append(machine)
    return devices, links


def hops(analysis: Analysis, target: str = "gpu21") -> tuple[Hop, ...]:
    paths = Paths(analysis)
    source, end = paths.ends_of("gpu11")[0], paths.ends_of(target)[0]
    (way,) = walk(analysis, paths, source, end, 26, lambda hop: hop.packet.key)
    return way.hops


def passed(**says: object) -> list[tuple[int | None, int | None, int | None]]:
    """Code point in and out and the class, from the first leaf to the receiving NIC."""
    devices, links = fabric(**says)
    found = hops(analysed(*devices, links=links))
    assert [hop.device.hostname for hop in found] == ["gpu11", "leaf1", "spine1", "leaf2", "gpu21"]
    return [(hop.dscp, hop.dscp_out, hop.treated.ingress.tc) for hop in found[1:]]


def test_a_copied_code_point_keeps_its_class_on_the_way() -> None:
    assert passed(dscp_copied=True) == [(26, 26, 3)] * 4


@pytest.mark.parametrize("says", [{}, {"dscp_copied": False}])
def test_an_outer_header_that_nothing_tells_of_is_not_known(says: dict[str, object]) -> None:
    found = passed(**says, outer_decides=False, inner_replaced=False)
    assert found == [(26, None, 3), (None, None, None), (None, 26, 3), (26, 26, 3)]


def test_what_is_missing_is_named_at_each_hop_that_goes_by_it() -> None:
    devices, links = fabric()
    missing = [hop.treated.ingress.missing for hop in hops(analysed(*devices, links=links))]
    lack = "the outer DSCP that leaf1 vtep writes"
    assert missing == ["", "", lack, lack, lack]


def test_the_outer_code_point_is_the_one_that_is_stated_and_either_header_decides_at_the_end() -> (
    None
):
    spine_and_leaf = {2: 2, 26: 3}
    for outer, replaced, expected in (
        (True, False, [(26, 2, 3), (2, 2, 2), (2, 26, 2), (26, 26, 3)]),
        (False, False, [(26, 2, 3), (2, 2, 2), (2, 26, 3), (26, 26, 3)]),
        (False, True, [(26, 2, 3), (2, 2, 2), (2, 2, 3), (2, 2, 0)]),
    ):
        devices, links = fabric(outer_decides=outer, inner_replaced=replaced)
        for device in devices:
            if not device.is_host:
                lines = lines_of(device)
                device.qos.classifiers["map"].dscp_to_tc = code_map(lines, spine_and_leaf, 0)
                for end in tunnels(device):
                    assert end.tunnel is not None
                    end.tunnel.dscp = 2
        found = hops(analysed(*devices, links=links))
        assert [(h.dscp, h.dscp_out, h.treated.ingress.tc) for h in found[1:]] == expected


def test_without_the_rule_of_the_far_end_what_differs_is_not_known() -> None:
    devices, links = fabric()
    for device in devices:
        for end in tunnels(device):
            assert end.tunnel is not None
            end.tunnel.dscp = 2
    last = hops(analysed(*devices, links=links))[3:]
    assert [(hop.dscp, hop.dscp_out) for hop in last] == [(2, None), (None, None)]
    assert [hop.treated.ingress.missing for hop in last] == [
        "the DSCP, inner or outer, that gives the class of a tunnelled packet",
        "the handling of the inner DSCP of a tunnelled packet",
    ]


def test_below_one_switch_nothing_is_tunnelled() -> None:
    devices, links = fabric()
    found = hops(analysed(*devices, links=links), "gpu12")
    assert [hop.packet for hop in found] == [Packet(26)] * 3


def test_only_what_the_tunnel_carries_enters_it() -> None:
    devices, links = fabric()
    leaf = devices[1]
    own = leaf.interfaces["h1"]
    (end,) = tunnels(leaf)
    assert end.tunnel is not None

    def carried() -> bool:
        found = hops(analysed(*devices, links=links))
        assert found[2].packet.carried or [hop.packet for hop in found] == [Packet(26)] * 5
        return found[2].packet.carried

    own.untagged_vlan = 20
    assert not carried()
    own.untagged_vlan = VLAN
    assert carried()
    own.untagged_vlan, own.vrf = None, "RED"
    assert not carried()
    end.tunnel.vrfs = frozenset({"RED"})
    assert carried()
    end.enabled = False
    assert not carried()


@pytest.mark.parametrize("name", ["h1", "channel"])
def test_a_tunnel_may_carry_ports_one_by_one(name: str) -> None:
    devices, links = fabric()
    leaf = devices[1]
    own = leaf.interfaces["h1"]
    own.untagged_vlan, own.lag = None, "channel"
    (end,) = tunnels(leaf)
    assert end.tunnel is not None
    end.tunnel.vlans, end.tunnel.ports = frozenset(), frozenset({name})
    assert hops(analysed(*devices, links=links))[2].packet.carried
    end.tunnel.ports = frozenset({"h2"})
    assert not hops(analysed(*devices, links=links))[2].packet.carried


@pytest.mark.parametrize(
    ("plain", "tagged", "certainly", "carried"),
    [
        (VLAN, frozenset({20}), None, None),
        (20, frozenset({VLAN}), None, None),
        (20, frozenset({VLAN}), True, True),  # RoCE is tagged there
        (VLAN, frozenset({20}), False, True),
        (None, frozenset({VLAN, 20}), True, None),
        (20, frozenset({30}), None, False),
    ],
)
def test_of_a_port_in_several_vlans_it_may_carry_some(
    plain: int | None, tagged: frozenset[int], certainly: bool | None, carried: bool | None
) -> None:
    devices, links = fabric(dscp=2, outer_decides=False, inner_replaced=False)
    leaf = devices[1]
    own = leaf.interfaces["h1"]
    own.untagged_vlan, own.tagged_vlans, own.tagged = plain, tagged, certainly
    found = hops(analysed(*devices, links=links))[2]
    assert found.packet.carried is (carried is not False)
    assert found.dscp == {True: 2, False: 26, None: None}[carried]
    lack = "encapsulation by leaf1 vtep, and the outer DSCP"
    assert found.treated.ingress.missing == (lack if carried is None else "")


def test_a_copied_code_point_is_known_whether_it_is_carried_or_not() -> None:
    devices, links = fabric(dscp_copied=True)
    leaf = devices[1]
    leaf.interfaces["h1"].tagged_vlans = frozenset({20})
    assert [hop.dscp for hop in hops(analysed(*devices, links=links))] == [26] * 5


def test_ports_of_which_it_carries_some_of_the_traffic() -> None:
    devices, links = fabric()
    leaf = devices[1]
    leaf.interfaces["h1"].untagged_vlan = None
    (end,) = tunnels(leaf)
    assert end.tunnel is not None
    end.tunnel.vlans, end.tunnel.partly = frozenset(), frozenset({"h1"})
    found = hops(analysed(*devices, links=links))[2]
    assert (found.packet.carried, found.dscp) == (True, None)


def test_a_vlan_that_is_routed_in_a_vrf_of_the_tunnel_is_carried() -> None:
    devices, links = fabric()
    leaf = devices[1]
    leaf.interfaces["h1"].untagged_vlan = 20
    gateway = port(leaf, "Vlan20", kind=InterfaceKind.VLAN)
    gateway.untagged_vlan, gateway.vrf = 20, "RED"
    (end,) = tunnels(leaf)
    assert end.tunnel is not None
    end.tunnel.vrfs = frozenset({"RED"})
    assert hops(analysed(*devices, links=links))[2].packet.carried
    gateway.vrf = "BLUE"
    assert not hops(analysed(*devices, links=links))[2].packet.carried


def test_a_tunnel_whose_vlans_are_not_known_may_carry_what_is_bridged() -> None:
    devices, links = fabric(dscp_copied=None)
    leaf = devices[1]
    (end,) = tunnels(leaf)
    assert end.tunnel is not None
    end.tunnel.vlans = None
    analysis = analysed(*devices, links=links)
    lack = "encapsulation by leaf1 vtep, and the outer DSCP"
    assert hops(analysis)[2].treated.ingress.missing == lack
    own = leaf.interfaces["h1"]
    own.untagged_vlan = None
    own.routed = True
    assert hops(analysed(*devices, links=links))[2].packet == Packet(26)
