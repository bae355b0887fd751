"""VXLAN tunnel endpoint of Junos: its VLANs, and the one line about the outer header."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from tests.nos.junos.reading import read
from tests.nos.reader import line

BRIDGED = """\
set system host-name leaf1
set switch-options vtep-source-interface lo0.0
set vlans v10 vlan-id 10
set vlans v10 vxlan vni 10010
set vlans v20 vlan-id 20
set routing-instances RED instance-type vrf
set routing-instances RED interface et-0/0/1.0
set routing-instances RED protocols evpn ip-prefix-routes advertise direct-nexthop
set routing-instances RED protocols evpn ip-prefix-routes encapsulation vxlan
set routing-instances RED protocols evpn ip-prefix-routes vni 50001
set interfaces et-0/0/1 unit 0 family inet address 10.0.0.0/31
"""


def test_the_end_of_tunnels_carries_vlans_and_instances_with_a_vni() -> None:
    device = read(BRIDGED)
    end = device.interfaces["vtep"]
    tunnel = end.tunnel
    assert tunnel is not None
    assert (end.kind, line(end, "")) == (InterfaceKind.TUNNEL, 2)
    assert (tunnel.vlans, line(tunnel, "vlans")) == (frozenset({10}), 4)
    assert (tunnel.vrfs, line(tunnel, "vrfs")) == (frozenset({"RED"}), 10)
    assert (tunnel.dscp_copied, tunnel.rewrites_outer) == (True, True)
    assert (tunnel.outer_decides, tunnel.inner_replaced) == (False, False)
    assert not tunnel.stated("dscp_copied")
    assert device.interfaces["et-0/0/1"].vrf == "RED"


def test_an_instance_may_hold_the_vlans() -> None:
    device = read(
        "set system host-name leaf1\n"
        "set routing-instances M instance-type mac-vrf\n"
        "set routing-instances M vtep-source-interface lo0.0\n"
        "set routing-instances M vlans v10 vlan-id 10\n"
        "set routing-instances M vlans v10 vxlan vni 10010\n"
        "set system packet-forwarding-options no-ip-tos-rewrite\n"
    )
    tunnel = device.interfaces["vtep"].tunnel
    assert tunnel is not None
    assert (tunnel.vlans, line(tunnel, "vlans")) == (frozenset({10}), 5)
    assert (tunnel.dscp_copied, line(tunnel, "dscp_copied")) == (True, 6)


@pytest.mark.parametrize("number", ["", "set vlans v10 vlan-id none\n"])
def test_a_segment_of_a_vlan_without_a_number_is_not_known(number: str) -> None:
    device = read(
        f"set system host-name leaf1\n{number}set vlans v10 vxlan vni 10010\n"
        "set switch-options vtep-source-interface lo0.0\n"
    )
    tunnel = device.interfaces["vtep"].tunnel
    assert tunnel is not None
    assert tunnel.vlans is None


def test_without_segments_there_is_no_tunnel() -> None:
    device = read("set system host-name leaf1\nset vlans v10 vlan-id 10\n")
    assert "vtep" not in device.interfaces
