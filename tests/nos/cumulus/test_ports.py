"""Interfaces: breakouts, bonds, bridges, VLAN interfaces, MTU, addresses, uplinks, tunnels."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.cumulus import defaults
from tests.nos.cumulus.reading import commands, port, qos
from tests.nos.reader import default_sentence, line, notes


def test_a_routed_port() -> None:
    device = commands(
        """
        nv set interface swp1 description 'to spine1'
        nv set interface swp1 link mtu 9000
        nv set interface swp1 link speed 400G
        nv set interface swp1 link fec rs
        nv set interface swp1 link auto-negotiate off
        nv set interface swp1 ip vrf RED
        """
    )
    found = port(device)
    assert (found.kind, found.routed, found.tagged) == (InterfaceKind.PHYSICAL, True, False)
    assert (found.description, found.vrf) == ("to spine1", "RED")
    assert (found.ip_mtu, line(found, "ip_mtu")) == (9000, 3)
    assert (found.speed_gbps, found.fec, found.autoneg) == (400, Fec.RS, False)
    assert (found.addresses, line(found, "10.0.0.0/31")) == (("10.0.0.0/31",), 1)
    assert (found.enabled, default_sentence(found, "enabled")) == (
        True,
        defaults.UP.says,
    )


@pytest.mark.parametrize(
    ("speed", "gbps"), [("100G", 100), ("10000", 10), ("1000M", 1), ("2.5G", 2.5), ("auto", None)]
)
def test_speeds(speed: str, gbps: float | None) -> None:
    assert port(commands(f"nv set interface swp1 link speed {speed}")).speed_gbps == gbps


def test_mtu_by_default_and_out_of_range() -> None:
    device = commands("nv set interface swp2 link mtu 9300")
    assert (port(device).ip_mtu, default_sentence(port(device), "ip_mtu")) == (
        9216,
        defaults.MTU.says,
    )
    assert notes(device) == [(2, "mtu '9300', takes 552 to 9216 bytes")]


def test_ports_that_are_down() -> None:
    device = commands("nv set interface swp1 link state down")
    assert (port(device).enabled, line(port(device), "enabled")) == (False, 2)


def test_several_lists_name_one_port() -> None:
    device = commands(
        """
        nv set interface swp1-4 link mtu 9100
        nv set interface swp2,4 link fec rs
        nv set interface swp3 link mtu 9000
        nv set interface swp1-4 type swp
        """
    )
    assert [port(device, f"swp{n}").ip_mtu for n in (1, 2, 3, 4)] == [9100, 9100, 9000, 9100]
    assert [port(device, f"swp{n}").fec for n in (1, 2, 3, 4)] == [None, Fec.RS, None, Fec.RS]
    assert line(port(device, "swp3"), "ip_mtu") == 4


def test_breakouts() -> None:
    device = commands(
        """
        nv set interface swp2 link breakout 4x lanes-per-port 2
        nv set interface swp2s0 ip address 10.0.0.2/31
        nv set interface swp3 link breakout disabled
        nv set interface swp4 link breakout 1x
        nv set interface swp5 link breakout 2x100G
        """
    )
    kinds = {n: port(device, n).kind for n in ("swp2", "swp3", "swp4", "swp5", "swp2s0")}
    parent = InterfaceKind.BREAKOUT_PARENT
    physical = InterfaceKind.PHYSICAL
    assert list(kinds.values()) == [parent, physical, physical, parent, physical]
    assert [port(device, f"swp2s{n}").parent for n in range(4)] == ["swp2"] * 4
    assert (line(port(device, "swp2s0")), line(port(device, "swp2s3"))) == (3, 2)
    assert (port(device, "swp2s0").enabled, port(device, "swp2s3").enabled) == (True, None)
    assert (port(device, "swp3").enabled, line(port(device, "swp3"), "enabled")) == (False, 4)
    assert "swp5s1" in device.interfaces
    assert "swp5s2" not in device.interfaces


def test_bonds() -> None:
    device = commands(
        """
        nv set interface bond1 bond member swp2-3
        nv set interface bond1 bridge domain br_default access 20
        nv set interface bond1 link mtu 9100
        nv set interface bond1 type bond
        nv set interface bond1 qos pfc profile P
        nv set interface swp2 qos pfc-watchdog
        nv set qos pfc P switch-priority 4
        """
    )
    bond, member = port(device, "bond1"), port(device, "swp2")
    assert (bond.kind, bond.members) == (InterfaceKind.LAG, ("swp2", "swp3"))
    assert (member.lag, line(member, "lag")) == ("bond1", 2)
    assert (member.ip_mtu, line(member, "ip_mtu")) == (9100, 4)
    assert (member.routed, member.untagged_vlan, member.tagged) == (False, 20, False)
    found = qos(device, "swp3").pfc
    assert found is not None
    assert (found.generate, line(found, "mode")) == ({4}, 6)
    assert [w.enabled for n in (2, 3) if (w := qos(device, f"swp{n}").watchdog)] == [True, False]
    assert bond.qos is None


def test_a_bond_of_itself() -> None:
    device = commands("nv set interface bond1 bond member bond1")
    assert port(device, "bond1").members == ()


def test_trunks() -> None:
    device = commands(
        """
        nv set interface swp2 bridge domain br_default vlan 10-12,20
        nv set interface swp2 bridge domain br_default untagged none
        nv set interface swp3 bridge domain br_default vlan 10
        nv set interface swp3 bridge domain br_default untagged 30
        nv set interface swp4 bridge domain br_default
        """
    )
    two, three, four = (port(device, f"swp{n}") for n in (2, 3, 4))
    assert (two.tagged_vlans, two.untagged_vlan, two.tagged) == ({10, 11, 12, 20}, None, True)
    assert (three.tagged_vlans, three.untagged_vlan, three.tagged) == ({10}, 30, None)
    assert (four.routed, four.idle) == (False, None)


def test_vlan_interfaces_and_subinterfaces() -> None:
    device = commands(
        """
        nv set interface vlan20 ipv4 address 10.1.0.1/24
        nv set interface vlan20 vlan 20
        nv set interface vlan20 vrf RED
        nv set interface swp2 bridge domain br_default access 20
        nv set interface swp2 link mtu 9000
        nv set interface swp1.30 ip address 10.2.0.1/24
        nv set interface swp1 link mtu 8000
        """
    )
    svi, sub = port(device, "vlan20"), port(device, "swp1.30")
    assert (svi.kind, svi.untagged_vlan, svi.vrf) == (InterfaceKind.VLAN, 20, "RED")
    assert (svi.ip_mtu, line(svi, "ip_mtu")) == (9000, 6)
    assert (sub.kind, sub.parent, sub.tagged_vlans, sub.tagged) == (
        InterfaceKind.SUBINTERFACE,
        "swp1",
        {30},
        True,
    )
    assert (sub.ip_mtu, line(sub, "ip_mtu")) == (8000, 8)


def test_management_and_loopback() -> None:
    device = commands(
        """
        nv set interface eth0 ip address dhcp
        nv set interface eth0 ip vrf mgmt
        nv set interface lo ip address 10.9.9.9/32
        """
    )
    assert (port(device, "eth0").kind, port(device, "eth0").addresses) == (
        InterfaceKind.MANAGEMENT,
        (),
    )
    assert (port(device, "lo").kind, port(device, "lo").ip_mtu) == (InterfaceKind.LOOPBACK, None)


def test_the_peer_link() -> None:
    device = commands(
        """
        nv set interface peerlink bond member swp2
        nv set interface peerlink type peerlink
        nv set interface peerlink.4094 type sub
        """
    )
    assert (port(device, "peerlink").peer_link, port(device, "swp2").peer_link) == (True, True)
    assert line(port(device, "swp2"), "peer_link") == 3
    assert port(device, "peerlink.4094").kind is InterfaceKind.SUBINTERFACE


def test_uplinks() -> None:
    device = commands(
        """
        nv set interface swp2-3 type swp
        nv set interface swp2 evpn multihoming uplink on
        nv set vrf default router bgp neighbor swp3,swp4s0-1 type unnumbered
        nv set vrf default router bgp neighbor 10.0.0.1 type numbered
        nv set interface swp4 link breakout 2x
        """
    )
    two, three, four = (port(device, name) for name in ("swp2", "swp3", "swp4s1"))
    assert (two.uplink, line(two, "uplink")) == (True, 3)
    assert (three.uplink, three.routed, line(three, "uplink")) == (True, True, 4)
    assert (four.uplink, four.idle) == (True, None)
    assert port(device).uplink is None


def test_idle_ports() -> None:
    device = commands(
        """
        nv set interface swp2 type swp
        nv set interface swp3 description spare
        nv set interface swp4 ip vrf RED
        nv set interface bond1 bond member swp5
        """
    )
    idle = [name for name, found in device.interfaces.items() if found.idle]
    assert idle == ["swp2", "swp5"]


@pytest.mark.parametrize(("action", "copied"), [("copy", True), ("derive", False), ("set", False)])
def test_the_tunnel(action: str, copied: bool) -> None:
    device = commands(
        f"nv set nve vxlan enable on\nnv set nve vxlan encapsulation dscp action {action}\n"
    )
    found = port(device, "vxlan")
    assert (found.kind, found.enabled) == (InterfaceKind.TUNNEL, True)
    assert found.tunnel is not None
    assert (found.tunnel.dscp_copied, line(found.tunnel, "dscp_copied")) == (copied, 3)
    assert (found.tunnel.dscp, found.tunnel.inner_replaced) == (None, None)
    assert found.tunnel.vlans == frozenset()


@pytest.mark.parametrize(
    ("kept", "replaced"), [("copy", True), ("preserve", False), ("derive", None)]
)
def test_what_the_tunnel_carries_and_writes(kept: str, *, replaced: bool | None) -> None:
    device = commands(
        f"""
        nv set bridge domain br_default vlan 10 vni 10010
        nv set bridge domain br_default vlan 20-21,30 vni auto
        nv set bridge domain br_default vlan 40
        nv set nve vxlan enable on
        nv set nve vxlan encapsulation dscp action set
        nv set nve vxlan encapsulation dscp value af12
        nv set nve vxlan decapsulation dscp action {kept}
        """
    )
    tunnel = port(device, "vxlan").tunnel
    assert tunnel is not None
    assert tunnel.vlans == frozenset({10, 20, 21, 30})
    assert (tunnel.dscp_copied, tunnel.dscp, line(tunnel, "dscp")) == (False, 12, 7)
    assert tunnel.inner_replaced is replaced


def test_adaptive_routing() -> None:
    device = commands(
        """
        nv set interface swp1 router adaptive-routing enable on
        nv set interface swp2 router adaptive-routing state disabled
        nv set router adaptive-routing enable on
        """
    )
    assert [port(device, f"swp{n}").adaptive_routing for n in (1, 2)] == [True, False]


@pytest.mark.parametrize("where", ["router bgp", "vrf default router bgp"])
def test_identity(where: str) -> None:
    device = commands(f"nv set {where} autonomous-system 65001\nnv set system hostname leaf1\n")
    assert (device.asn, line(device, "asn"), line(device, "hostname")) == (65001, 2, 3)


def test_lldp_of_the_system() -> None:
    assert commands("nv set interface swp1 link mtu 9216\n").lldp is True
    off = "nv set interface swp1 link mtu 9216\nnv set system lldp state disabled\n"
    assert commands(off).lldp is False
