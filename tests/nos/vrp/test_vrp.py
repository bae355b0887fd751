"""Huawei CloudEngine: ports and tunnels with their lines, and values that are wrong."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import Trust
from tests.nos.reader import line, notes
from tests.nos.vrp.reading import LEAF, NAMED, read


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("100GE1/0/1", ["100GE1/0/1"]),
        ("25GE1/0/1:2", ["25GE1/0/1:2"]),
        ("GigabitEthernet0/0/1", ["GE0/0/1"]),
        ("Eth-Trunk10", ["Eth-Trunk10"]),
        ("Vlanif20", ["Vlanif20"]),
        ("MEth0/0/0", ["MEth0/0/0"]),
        ("400GE1/0/1.100", ["400GE1/0/1.100"]),
    ],
)
def test_names(header: str, names: list[str]) -> None:
    assert list(read(f"interface {header}\n undo shutdown\n").interfaces) == names


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated", "confirmed"),
    [
        (" undo portswitch\n mtu 9000\n", 9000, 4, True),
        (" undo portswitch\n mtu 9216\n", 9198, 0, True),
        (" undo portswitch\n mtu 9400\n jumboframe enable 9500\n", 9400, 4, True),
        (" undo portswitch\n", 1500, 0, False),
        (" port default vlan 20\n mtu 1500\n", 9198, 0, True),
        (" port default vlan 20\n jumboframe enable 5018\n", 5000, 4, True),
    ],
)
def test_two_mtus(lines: str, ip_mtu: int, stated: int, confirmed: bool) -> None:
    port = read(f"{NAMED}interface 100GE1/0/1\n{lines}").interfaces["100GE1/0/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed is confirmed


def test_a_member_has_what_its_channel_states() -> None:
    device = read(
        f"{NAMED}interface Eth-Trunk10\n port link-type trunk\n port trunk pvid vlan 10\n"
        " port trunk allow-pass vlan 10 20 to 22\n trust dscp\n"
        "interface 100GE1/0/1\n eth-trunk 10\n"
    )
    port, channel = device.interfaces["100GE1/0/1"], device.interfaces["Eth-Trunk10"]
    assert (port.lag, channel.members) == ("Eth-Trunk10", ("100GE1/0/1",))
    assert (port.untagged_vlan, port.tagged_vlans) == (10, frozenset({20, 21, 22}))
    assert (port.qos.trust, line(port.qos, "trust"), port.routed) == (Trust.DSCP, 6, False)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("interface 100GE1/0/1\n mtu x\n", "mtu 'x', not 46 to 65535"),
        ("interface 100GE1/0/1\n jumboframe enable 9\n", "jumboframe '9', not 1518 to 65535"),
        ("dcb pfc\n priority 9\n", "priority '9', takes 0 to 7"),
        ("diffserv domain D\n ip-dscp-inbound 64 phb af3\n", "DSCP '64', takes 0 to 63"),
        ("diffserv domain D\n ip-dscp-inbound 26 phb af9\n", "'af9' is not a per-hop behaviour"),
        ("drop-profile W\n ecn low-limit x\n", "ecn 'low-limit x' is not understood"),
        ("interface 100GE1/0/1\n qos queue 9 ecn\n", "queue '9', not 0 to 7"),
        ("dcb pfc deadlock-detect timer 5\n", "timer '5', not 10 to 1500"),
        ("dcb pfc\n priority 3 deadlock-detect time x\n", "'deadlock-detect time x' is no time of deadlock detection"),
        ("dcb pfc deadlock recovery-behavior wait slot 1\n", "'wait' is not discard or forwarding"),
        ("interface 100GE1/0/1\n eth-trunk x\n", "eth-trunk 'x', not 0 to 65535"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    for end in range(len(LEAF)):
        assert read(LEAF[:end]).nos == "vrp"


OVERLAY = """\
bridge-domain 10
 l2 binding vlan 100 102 to 103
 vxlan vni 5010
 evpn
  route-distinguisher 1:1
#
bridge-domain 20
 vxlan vni 5020
 statistics enable
#
bridge-domain 30
 l2 binding vlan 30
 vxlan vni 5030
#
ip vpn-instance RED
 ipv4-family
  route-distinguisher 1:2
 vxlan vni 500
#
interface 100GE1/0/1.1 mode l2
 encapsulation dot1q vid 20
 bridge-domain 20
#
interface 100GE1/0/2
 port default vlan 30
#
interface 100GE1/0/2.1 mode l2
 encapsulation dot1q vid 20
 bridge-domain 20
#
interface Nve1
 source 10.0.0.1
 vni 5010 head-end peer-list protocol bgp
 vni 5020 head-end peer-list 10.0.0.2 10.0.0.3
"""


def test_the_end_of_tunnels_carries_its_segments() -> None:
    device = read(OVERLAY)
    tunnel = device.interfaces["Nve1"].tunnel
    assert (tunnel.vlans, line(tunnel, "vlans")) == (frozenset({100, 102, 103}), 33)
    assert tunnel.partly == frozenset({"100GE1/0/2"})
    assert (tunnel.ports, tunnel.outer_ipv6) == (frozenset({"100GE1/0/1"}), False)
    assert (tunnel.vrfs, line(tunnel, "vrfs")) == (frozenset({"RED"}), 18)
    assert (tunnel.dscp_copied, tunnel.dscp) == (None, None)
    sub = device.interfaces["100GE1/0/1.1"]
    assert (sub.kind, sub.parent) == (InterfaceKind.SUBINTERFACE, "100GE1/0/1")
    assert notes(device) == []


def test_a_segment_of_no_bridge_domain_is_not_known() -> None:
    tunnel = (
        read("interface Nve1\n source 2001:db8::1\n vni 7 head-end\n").interfaces["Nve1"].tunnel
    )
    assert (tunnel.vlans, tunnel.ports, tunnel.outer_ipv6) == (None, None, True)
