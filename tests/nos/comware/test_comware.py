"""H3C Comware: ports and tunnels with their lines, and values that are wrong."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import PfcMode
from tests.nos.comware.reading import LEAF, LOSSLESS, NAMED, PORT, read
from tests.nos.reader import line, notes


@pytest.mark.parametrize(
    ("header", "names", "aliases"),
    [
        ("FourHundredGigE1/0/1", ["FourHundredGigE1/0/1"], ()),
        ("TwoHundredGigE1/0/1:2", ["TwoHundredGigE1/0/1:2"], ()),
        ("Ten-GigabitEthernet1/0/49", ["Ten-GigabitEthernet1/0/49"], ("XGE1/0/49",)),
        ("Twenty-FiveGigE 1/0/3", ["Twenty-FiveGigE1/0/3"], ("WGE1/0/3",)),
        ("range HundredGigE 1/0/1 to HundredGigE 1/0/2", ["HundredGigE1/0/1", "HundredGigE1/0/2"], ("HGE1/0/1",)),
        ("Bridge-Aggregation10", ["Bridge-Aggregation10"], ("BAGG10",)),
        ("Vlan-interface20", ["Vlan-interface20"], ()),
        ("M-GigabitEthernet0/0/0", ["M-GigabitEthernet0/0/0"], ()),
    ],
)  # fmt: skip
def test_names(header: str, names: list[str], aliases: tuple[str, ...]) -> None:
    found = read(f"interface {header}\n undo shutdown\n").interfaces
    assert (list(found), found[names[0]].aliases) == (names, aliases)


def test_global_lines_are_indented_and_belong_to_no_stanza() -> None:
    device = read(
        f"{PORT} mtu 9000\n#\n sysname leaf1\n#\n priority-flow-control enable\n"
        " priority-flow-control no-drop dot1p 3\n"
    )
    assert (device.at["hostname"], device.partial) == (5, False)
    qos = device.interfaces["HundredGigE1/0/1"].qos
    assert (qos.pfc.mode, line(qos.pfc, "mode"), qos.pfc.generate) == (PfcMode.ON, 7, {3})
    assert notes(device, NoteKind.UNRECOGNISED) == []


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated", "confirmed"),
    [
        (" port link-mode route\n mtu 9000\n", 9000, 6, True),
        (" port link-mode route\n mtu 9416\n jumboframe enable 9416\n", 9402, 7, True),
        (" port link-mode route\n", 1500, 0, False),
        (" port link-mode bridge\n jumboframe enable 9416\n", 9402, 6, True),
        (" port link-mode bridge\n undo jumboframe enable\n", 1522, 6, True),
        (" port link-mode bridge\n", None, 0, False),
    ],
)
def test_two_mtus(lines: str, ip_mtu: int | None, stated: int, confirmed: bool) -> None:
    port = read(f"{NAMED}{PORT}{lines}").interfaces["HundredGigE1/0/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed is (confirmed or ip_mtu is None)


@pytest.mark.parametrize(
    ("mode", "channel"), [("bridge", "Bridge-Aggregation10"), ("route", "Route-Aggregation10")]
)
def test_members_of_an_aggregation(mode: str, channel: str) -> None:
    device = read(
        f"interface {channel}\n jumboframe enable 9000\n"
        f"{PORT} port link-mode {mode}\n port link-aggregation group 10\n"
    )
    port = device.interfaces["HundredGigE1/0/1"]
    assert (port.lag, device.interfaces[channel].members) == (channel, ("HundredGigE1/0/1",))
    assert (port.routed, port.frame_mtu, line(port, "frame_mtu")) == (mode == "route", 9000, 3)


def test_vlans() -> None:
    device = read(
        f"{PORT} port link-type trunk\n port trunk permit vlan 10 20 to 22\n"
        " port trunk pvid vlan 10\ninterface HundredGigE1/0/2\n port access vlan 30\n"
    )
    first, second = device.interfaces.values()
    assert (first.untagged_vlan, first.tagged_vlans, first.routed) == (
        10, frozenset({20, 21, 22}), False,
    )  # fmt: skip
    assert (second.untagged_vlan, second.tagged_vlans) == (30, None)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"{PORT} mtu x\n", "mtu 'x', not 46 to 65535"),
        (f"{PORT} jumboframe enable 9\n", "jumboframe '9', not 1536 to 65535"),
        (f"{PORT}{LOSSLESS.format(9)}", "dot1p '9', takes 0 to 7"),
        (f"{PORT} qos wred queue 9 ecn\n", "'9' is not a queue"),
        (f"{PORT} qos wred queue 3 low-limit x\n", "'low-limit x' are no limits of a queue"),
        (f"{PORT} qos wfq af9 group sp\n", "'af9' is not a queue"),
        (f"{PORT} qos wfq af3 group x\n", "'group x' is no turn of a queue"),
        (f"{PORT} qos gts queue 3 cir x\n", "cir 'x', not 1 to 10000000000"),
        (f"{PORT} qos priority 9\n", "priority '9', takes 0 to 7"),
        ("qos map-table dscp-dot1p\n import 64 export 3\n", "dscp '64', takes 0 to 63"),
        ("qos map-table dscp-dot1p\n import 26 export 9\n", "dot1p '9', takes 0 to 7"),
        (" priority-flow-control deadlock auto-recover action wait\n", "'wait' is not discard or forwarding"),
        (" priority-flow-control poolid 0 headroom x\n", "headroom 'x', not 0 to 16777216"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    for end in range(len(LEAF)):
        assert read(LEAF[:end]).nos == "comware"


OVERLAY = """\
vsi vpna
 gateway vsi-interface 1
 vxlan 10
 evpn encapsulation vxlan
  route-distinguisher auto
#
vsi vpnb
 description no overlay
#
interface HundredGigE1/0/1
 port link-mode bridge
 service-instance 1000
  encapsulation untagged
  xconnect vsi vpna
 service-instance 1001
  encapsulation s-vid 7
  xconnect vsi vpnb
#
interface HundredGigE1/0/3
 port link-mode bridge
 service-instance 1000
  encapsulation s-vid 2
  xconnect vsi vpna
#
interface HundredGigE1/0/2
 port link-mode bridge
 service-instance 1000
  encapsulation untagged
  xconnect vsi vpnb
#
interface Tunnel1 mode vxlan
 source 1.1.1.1
 destination 2.2.2.2
#
interface Vsi-interface3
 ip binding vpn-instance RED
 l3-vni 1000
"""


def test_the_end_of_tunnels_carries_what_its_vsis_are_connected_to() -> None:
    device = read(OVERLAY)
    end = device.interfaces["vxlan"]
    tunnel = end.tunnel
    assert (end.kind, line(end, "")) == (InterfaceKind.TUNNEL, 4)
    assert (tunnel.vlans, tunnel.ports) == (frozenset(), frozenset({"HundredGigE1/0/1"}))
    assert tunnel.partly == frozenset({"HundredGigE1/0/3"})
    assert (tunnel.vrfs, line(tunnel, "vrfs")) == (frozenset({"RED"}), 38)
    assert (tunnel.dscp_copied, tunnel.dscp) == (None, None)
    assert device.interfaces["Tunnel1"].kind is InterfaceKind.TUNNEL
    assert notes(device) == []


def test_a_neighbour_without_an_enable_line_gets_no_routes() -> None:
    lines = "bgp 65001\n group G external\n peer G as-number 65002\n peer 10.0.0.1 group G\n"
    lines += " peer 10.0.0.3 as-number 65003\n address-family ipv4 unicast\n"
    assert read(NAMED + lines).routing.sessions == {}
    assert list(read(f"{NAMED}{lines}  peer G enable\n").routing.sessions) == ["10.0.0.1"]
    assert list(read(f"{NAMED}{lines}  peer 10.0.0.3 enable\n").routing.sessions) == ["10.0.0.3"]


def test_a_weighting_constant_is_the_exponent_of_the_average() -> None:
    device = read(f"{NAMED}{PORT} qos wred queue 3 weighting-constant 16\n")
    assert notes(device) == [(5, "weighting-constant '16', not 0 to 15")]
