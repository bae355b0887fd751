"""Interfaces: mode, MTU, VLANs, membership, speed, FEC, addresses."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.naming import ALL_VLANS, change_vlans
from roce_lint.text.source import LineState
from tests.nos.eos.reading import read, whole
from tests.nos.reader import default_sentence, line, notes, states


def test_a_routed_port_has_the_stated_mtu() -> None:
    port = whole("interface Ethernet1\n   mtu 9214\n   no switchport\n").interfaces["Ethernet1"]
    assert (port.routed, line(port, "routed")) == (True, 4)
    assert (port.ip_mtu, line(port, "ip_mtu"), port.tagged) == (9214, 3, False)


def test_a_routed_port_has_mtu_1500_by_default() -> None:
    port = whole("interface Ethernet1\n   no switchport\n").interfaces["Ethernet1"]
    assert (port.ip_mtu, default_sentence(port, "ip_mtu")) == (1500, defaults.MTU_ROUTED.says)


def test_a_switched_port_does_not_look_at_mtu() -> None:
    port = whole("interface Ethernet1\n   mtu 1500\n").interfaces["Ethernet1"]
    assert (port.routed, port.ip_mtu) == (False, 9214)
    assert port.where("ip_mtu").confirmed is False


def test_l2_mtu_bounds_a_switched_port_only() -> None:
    device = whole(
        """
        interface Ethernet1
           l2 mtu 8000
        interface Ethernet2
           no switchport
           l2 mtu 8000
        """
    )
    switched, routed = device.interfaces["Ethernet1"], device.interfaces["Ethernet2"]
    assert (switched.ip_mtu, line(switched, "ip_mtu")) == (8000, 3)
    assert (routed.ip_mtu, routed.frame_mtu, line(routed, "frame_mtu")) == (1500, 8000, 6)


def test_interface_defaults_apply_without_port_lines() -> None:
    device = whole(
        """
        interface defaults
           mtu 9000
           ethernet
              shutdown
        switchport default mode routed
        interface Ethernet1
        interface Ethernet2
           no shutdown
           mtu 4200
           switchport
        interface Vlan5
        """
    )
    first, second, vlan = (device.interfaces[n] for n in ("Ethernet1", "Ethernet2", "Vlan5"))
    assert (first.enabled, line(first, "enabled")) == (False, 5)
    assert (first.routed, line(first, "routed")) == (True, 6)
    assert (first.ip_mtu, line(first, "ip_mtu")) == (9000, 3)
    assert (second.enabled, second.routed, line(second, "routed")) == (True, False, 11)
    assert (vlan.enabled, vlan.ip_mtu, line(vlan, "ip_mtu")) == (True, 9000, 3)


@pytest.mark.parametrize(
    ("lines", "untagged", "tagged_vlans", "tagged"),
    [
        ("switchport access vlan 7", 7, frozenset(), False),
        ("switchport mode access", 1, frozenset(), False),
        ("switchport mode trunk", 1, ALL_VLANS - {1}, None),
        ("switchport mode trunk\n   switchport trunk native vlan tag", None, ALL_VLANS, True),
        ("switchport mode trunk\n   switchport trunk allowed vlan 10-12", None, {10, 11, 12}, True),
        (
            (
                "switchport mode trunk phone\n   switchport trunk native vlan 11\n"
                "   switchport trunk allowed vlan 10-12\n   switchport trunk allowed vlan remove 12"
            ),
            11, {10}, None,
        ),
        ("switchport mode dot1q-tunnel\n   switchport access vlan 300", 300, None, None),
        ("no switchport\n   switchport access vlan 7", None, None, False),
    ],
)  # fmt: skip
def test_vlans(lines: str, untagged: int | None, tagged_vlans: object, tagged: bool | None) -> None:
    port = whole(f"interface Ethernet1\n   {lines}\n").interfaces["Ethernet1"]
    assert (port.untagged_vlan, port.tagged_vlans, port.tagged) == (untagged, tagged_vlans, tagged)


@pytest.mark.parametrize(
    ("text", "vlans"),
    [
        ("3-5,9", {1, 2} ^ {1, 2, 3, 4, 5, 9}),
        ("add 3", {1, 2, 3}),
        ("remove 1", {2}),
        ("except 3-4094", {1, 2}),
        ("all", ALL_VLANS),
        ("none", set()),
        ("0", None),
        ("5-3", None),
        ("4095", None),
        ("999999999999999999999", None),
        ("ten", None),
    ],
)
def test_changes_of_a_trunk(text: str, vlans: set[int] | None) -> None:
    assert change_vlans(frozenset({1, 2}), text) == vlans


def test_an_invalid_list_of_vlans_is_noted() -> None:
    device = whole("interface Ethernet1\n   switchport trunk allowed vlan 5-3\n")
    assert notes(device) == [(3, "'5-3' is not a list of VLANs")]


def test_members_are_what_their_channel_is() -> None:
    device = whole(
        """
        interface Ethernet1
           mtu 1500
           switchport access vlan 5
           channel-group 3 mode active
        interface Port-Channel3
           shutdown
           mtu 9214
           no switchport
           ip address 10.0.0.0/31
        """
    )
    member, channel = device.interfaces["Ethernet1"], device.interfaces["Port-Channel3"]
    assert (channel.kind, channel.members) == (InterfaceKind.LAG, ("Ethernet1",))
    assert (member.lag, line(member, "lag"), member.addresses) == ("Port-Channel3", 5, ())
    assert (member.ip_mtu, line(member, "ip_mtu")) == (9214, 8)
    assert (member.routed, line(member, "routed")) == (True, 9)
    assert (member.enabled, line(member, "enabled")) == (False, 7)
    assert states(device, LineState.SHADOWED) == [3, 4]


def test_a_member_whose_channel_is_elsewhere_is_not_known() -> None:
    device = read("interface Ethernet1\n   mtu 9214\n   channel-group 3 mode active\n")
    port = device.interfaces["Ethernet1"]
    assert (port.routed, port.ip_mtu, port.untagged_vlan, port.tagged) == (None,) * 4
    assert port.qos is not None
    assert (port.qos.trust, port.qos.pfc, port.qos.egress) == (None,) * 3


def test_an_address_alone_is_inconclusive_in_a_part() -> None:
    text = "interface Ethernet1\n   mtu 9214\n   ip address 10.0.0.0/31\n"
    part, full = read(text).interfaces["Ethernet1"], whole(text).interfaces["Ethernet1"]
    assert (part.routed, part.ip_mtu, line(part, "ip_mtu")) == (None, 9214, 2)
    assert full.routed is False


def test_subinterfaces_have_the_mtu_of_their_port() -> None:
    device = whole(
        """
        interface Ethernet1
           no switchport
           mtu 9000
        interface Ethernet1.5
           encapsulation dot1q vlan 5
        interface Ethernet1.6
           mtu 4200
        """
    )
    five, six = device.interfaces["Ethernet1.5"], device.interfaces["Ethernet1.6"]
    assert (five.ip_mtu, line(five, "ip_mtu"), five.parent) == (9000, 4, "Ethernet1")
    assert (five.tagged, five.tagged_vlans, line(five, "tagged")) == (True, frozenset({5}), 6)
    assert (six.ip_mtu, six.tagged, six.qos) == (4200, None, None)


@pytest.mark.parametrize(
    ("text", "gbps", "lanes", "autoneg"),
    [
        ("forced 100gfull", 100.0, None, False),
        ("400g-8", 400.0, 8, False),
        ("auto 100g-1", 100.0, 1, True),
        ("forced 10000full", 10.0, None, False),
        ("100full", 0.1, None, False),
        ("auto", None, None, True),
    ],
)
def test_speeds(text: str, gbps: float | None, lanes: int | None, autoneg: bool) -> None:
    port = whole(f"interface Ethernet1\n   speed {text}\n").interfaces["Ethernet1"]
    assert (port.speed_gbps, port.lanes, port.autoneg) == (gbps, lanes, autoneg)


def test_an_invalid_speed_is_noted() -> None:
    device = whole("interface Ethernet1\n   speed fast\n")
    assert device.interfaces["Ethernet1"].speed_gbps is None
    assert notes(device) == [(3, "'fast' is not a speed")]


@pytest.mark.parametrize(
    ("lines", "fec", "number"),
    [
        (["error-correction encoding reed-solomon"], Fec.RS, 3),
        (["error-correction encoding fire-code"], Fec.FC, 3),
        (["error-correction encoding fire-code", "error-correction encoding reed-solomon"], Fec.AUTO, 4),
        (["error-correction encoding fire-code", "no error-correction encoding"], Fec.NONE, 4),
        (["error-correction encoding fire-code", "default error-correction encoding"], None, 0),
        ([], None, 0),
    ],
)  # fmt: skip
def test_fec(lines: list[str], fec: Fec | None, number: int) -> None:
    body = "".join(f"   {text}\n" for text in lines)
    port = whole(f"interface Ethernet1\n{body}").interfaces["Ethernet1"]
    assert (port.fec, line(port, "fec")) == (fec, number)


def test_addresses() -> None:
    device = whole(
        """
        interface Ethernet1
           ip address 10.0.0.0/31
           ip address 10.0.1.1 255.255.255.0 secondary
           ipv6 address 2001:DB8::1/127
           ipv6 address fe80::1/64 link-local
           ip address 10.0.0.300/31
           ip address virtual 10.9.9.1/24
        """
    )
    port = device.interfaces["Ethernet1"]
    assert port.addresses == ("10.0.0.0/31", "10.0.1.1/24", "2001:db8::1/127")
    assert line(port, "addresses") == 3
    assert notes(device) == [(7, "'10.0.0.300/31' is not an address with its prefix")]
    assert states(device, LineState.IGNORED) == [8, 9]


def test_ranges_and_stanzas_that_come_again_add_up() -> None:
    device = whole(
        """
        interface Ethernet1-3
           no switchport
           mtu 9214
        interface ethernet 2
           mtu 4200
        interface Et3
           no mtu
        """
    )
    mtus = {n: (p.ip_mtu, line(p, "ip_mtu")) for n, p in device.interfaces.items()}
    assert mtus == {"Ethernet1": (9214, 4), "Ethernet2": (4200, 6), "Ethernet3": (1500, 0)}
    assert states(device, LineState.SHADOWED) == []  # the line holds on Ethernet1


def test_the_heading_names_model_and_release() -> None:
    device = read(
        "leaf9#show running-config\n! Command: show running-config\n"
        "! device: leaf9 (DCS-7060X6-64PE, EOS-4.33.1F)\n!\nhostname leaf9\n"
    )
    assert (device.model, line(device, "model")) == ("DCS-7060X6-64PE", 3)
    assert (device.os_version, device.partial, line(device)) == ("4.33.1F", False, 5)
    assert states(device, LineState.UNCLAIMED) == [1]


@pytest.mark.parametrize("model", ["cEOSLab", "vEOS-lab", "vEOS"])
def test_virtual_switches_cannot_hold_qos(model: str) -> None:
    device = read(
        f"! device: r1 ({model}, EOS-4.32.0F-36401836.4320F (engineering build))\nhostname r1\n"
    )
    assert (device.system.qos_supported, line(device.system, "qos_supported")) == (False, 1)
    assert device.os_version == "4.32.0F-36401836.4320F"


def test_overlays_say_what_they_copy() -> None:
    device = whole(
        """
        interface Vxlan1
           vxlan source-interface Loopback0
           no vxlan qos ecn propagation
           vxlan qos dscp propagation encapsulation
        """
    )
    tunnel = device.interfaces["Vxlan1"].tunnel
    assert tunnel is not None
    assert (tunnel.ecn_copied, line(tunnel, "ecn_copied")) == (False, 4)
    assert (tunnel.dscp_copied, line(tunnel, "dscp_copied")) == (True, 5)
    assert tunnel.outer_decides is None
    assert (tunnel.vlans, tunnel.vrfs) == (frozenset(), None)


def test_overlays_carry_the_vlans_and_vrfs_that_have_a_segment() -> None:
    device = whole(
        """
        interface Vxlan1
           vxlan vlan 10 vni 10010
           vxlan vlan 20-22,30 vni 10020-10022,10030
           vxlan vlan 40 flood vtep 10.0.0.1
           vxlan vrf RED vni 50
        """
    )
    tunnel = device.interfaces["Vxlan1"].tunnel
    assert tunnel is not None
    assert (tunnel.vlans, tunnel.vrfs) == (frozenset({10, 20, 21, 22, 30}), frozenset({"RED"}))
