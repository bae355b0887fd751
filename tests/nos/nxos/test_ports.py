"""Interfaces: values in force, inheritance, defaults."""

from __future__ import annotations

import pytest

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.model.qos import PfcMode
from roce_lint.nos.nxos import defaults
from roce_lint.text.source import LineState
from tests.nos.nxos.reading import N9K, one, pfc, qos, read
from tests.nos.reader import default_sentence, line, notes, states


def test_values_and_their_lines() -> None:
    port = one(
        "description gpu1", "no switchport", "mtu 9216", "speed 400000", "fec rs-cons16",
        "vrf member rdma", "ip address 10.0.0.1 255.255.255.254", "ipv6 address 2001:db8::/127",
        "no shutdown",
    )  # fmt: skip
    assert (port.description, line(port, "description")) == ("gpu1", 4)
    assert (port.routed, line(port, "routed")) == (True, 5)
    assert (port.ip_mtu, line(port, "ip_mtu")) == (9216, 6)
    assert (port.speed_gbps, line(port, "speed_gbps")) == (400.0, 7)
    assert (port.fec, line(port, "fec")) == (Fec.RS, 8)
    assert (port.vrf, line(port, "vrf")) == ("rdma", 9)
    assert (port.addresses, line(port, "addresses")) == (("10.0.0.1/31", "2001:db8::/127"), 10)
    assert (port.enabled, line(port, "enabled")) == (True, 12)
    assert (port.tagged, line(port, "tagged")) == (False, 5)


def test_the_last_line_holds_and_no_takes_back() -> None:
    device = read("interface Ethernet1/1\n  mtu 9216\n  mtu 9000\n  speed 100000\n  no speed\n")
    port = device.interfaces["Ethernet1/1"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (9000, 3)
    assert port.speed_gbps is None
    assert states(device, LineState.SHADOWED) == [2, 4]


def test_the_default_mtu() -> None:
    assert one().ip_mtu == 1500
    assert default_sentence(one(), "ip_mtu") == defaults.MTU_1500.says
    assert one("mtu 9216", "no mtu").ip_mtu == 1500


def test_a_switched_port_of_an_older_series_has_the_mtu_of_its_classes() -> None:
    head = "version 7.3(8)N1(1)\nhostname leaf1\n"
    assert one("mtu 1500", "switchport", head=head).ip_mtu is None
    assert one("mtu 9192", "no switchport", head=head).ip_mtu == 9192


def test_a_refused_value_is_not_replaced_by_the_default() -> None:
    device = read("interface Ethernet1/1\n  mtu jumbo\n")
    assert device.interfaces["Ethernet1/1"].ip_mtu is None
    assert notes(device) == [(2, "MTU 'jumbo', takes 576 to 9216 bytes")]


@pytest.mark.parametrize(
    ("name", "lines", "head", "enabled", "says_so"),
    [
        ("Ethernet1/1", "", N9K, True, defaults.SWITCHED_UP.says),
        ("Ethernet1/1", "no switchport", N9K, False, defaults.ROUTED_DOWN.says),
        ("Ethernet1/1", "no switchport", "version 9.3(1)\n", False, defaults.ROUTED_DOWN.says),
        ("Ethernet1/1", "no switchport", "hostname x\n", True, defaults.ROUTED_UP.says),
        ("port-channel1", "no switchport", N9K, True, defaults.CHANNEL_UP.says),
        ("Vlan5", "", N9K, False, defaults.VLAN_DOWN.says),
        ("Ethernet1/1.5", "", N9K, False, defaults.SUBINTERFACE_DOWN.says),
        ("loopback0", "", N9K, True, defaults.VIRTUAL_UP.says),
    ],
)  # fmt: skip
def test_whether_a_port_is_up_by_default(
    name: str, lines: str, head: str, enabled: bool, says_so: str
) -> None:
    port = read(f"{head}interface {name}\n  {lines}\n").interfaces[name]
    assert (port.enabled, default_sentence(port, "enabled")) == (enabled, says_so)


def test_system_wide_port_defaults() -> None:
    device = read(
        "hostname x\nsystem default switchport\nsystem default switchport shutdown\n"
        "interface Ethernet1/1\ninterface Ethernet1/2\n  no shutdown\n"
    )
    first, second = device.interfaces.values()
    assert (first.enabled, line(first, "enabled")) == (False, 3)
    assert (first.routed, line(first, "routed")) == (False, 2)
    assert (second.enabled, line(second, "enabled")) == (True, 6)


@pytest.mark.parametrize(
    ("lines", "routed", "at"),
    [
        (["ip address 10.0.0.1/31"], True, 4),
        (["vrf member x"], True, 4),
        (["switchport access vlan 7"], False, 4),
        (["switchport", "no switchport"], True, 5),
        (["no switchport", "switchport"], False, 5),
        ([], False, 0),
    ],
)
def test_routed_or_switched(lines: list[str], routed: bool, at: int) -> None:
    port = one(*lines)
    assert (port.routed, line(port, "routed")) == (routed, at)


@pytest.mark.parametrize(
    ("lines", "tagged", "untagged", "vlans"),
    [
        (["switchport access vlan 7"], False, 7, None),
        (["switchport mode trunk"], None, 1, None),
        (["switchport mode trunk", "switchport trunk native vlan 99", "switchport trunk allowed vlan 711"], True, None, {711}),
        (["switchport mode trunk", "switchport trunk native vlan 7", "switchport trunk allowed vlan 6-8"], None, 7, {6, 8}),
        (["switchport mode trunk", "switchport trunk allowed vlan 1-3", "switchport trunk allowed vlan add 5"], None, 1, {2, 3, 5}),
        (["switchport mode trunk", "switchport trunk allowed vlan 1-3", "switchport trunk allowed vlan remove 1-2"], True, None, {3}),
        (["switchport mode trunk", "switchport trunk allowed vlan none"], True, None, set()),
        (["switchport mode trunk", "switchport trunk allowed vlan except 5-4094"], None, 1, {2, 3, 4}),
        (["switchport mode trunk", "switchport trunk allowed vlan 5", "no switchport trunk allowed vlan"], None, 1, None),
        (["switchport mode dot1q-tunnel"], None, None, None),
    ],
)  # fmt: skip
def test_vlans(
    lines: list[str], tagged: bool | None, untagged: int | None, vlans: set[int] | None
) -> None:
    port = one(*lines)
    assert port.tagged is tagged
    assert port.untagged_vlan == untagged
    assert port.tagged_vlans == (None if vlans is None else frozenset(vlans))


def test_a_subinterface_is_tagged() -> None:
    device = read("interface Ethernet1/1.7\n  encapsulation dot1q 7\n")
    port = device.interfaces["Ethernet1/1.7"]
    assert (port.kind, port.parent) == (InterfaceKind.SUBINTERFACE, "Ethernet1/1")
    assert (port.tagged, port.tagged_vlans) == (True, frozenset({7}))


def channel(*channel_lines: str, member: tuple[str, ...] = ()) -> Device:
    return read(
        N9K
        + "interface port-channel5\n"
        + "".join(f"  {text}\n" for text in channel_lines)
        + "interface Ethernet1/1\n  channel-group 5 mode active\n"
        + "".join(f"  {text}\n" for text in member)
    )


def test_members_take_the_lines_of_their_channel() -> None:
    device = channel("mtu 9216", "priority-flow-control mode on send-tlv", "no switchport")
    member = device.interfaces["Ethernet1/1"]
    assert (member.lag, line(member, "lag")) == ("port-channel5", 8)
    assert device.interfaces["port-channel5"].members == ("Ethernet1/1",)
    assert (member.ip_mtu, line(member, "ip_mtu")) == (9216, 4)
    assert (member.routed, line(member, "routed")) == (True, 6)
    assert (pfc(member).mode, line(pfc(member), "mode")) == (PfcMode.ON, 5)
    assert (pfc(member).advertises, line(pfc(member), "advertises")) == (True, 5)


def test_a_channel_takes_what_its_members_agree_on() -> None:
    device = read(
        N9K + "interface Ethernet1/1-2\n  mtu 9216\n  channel-group 5 force\n"
        "interface Ethernet1/2\n  speed 25000\n"
    )
    lag = device.interfaces["port-channel5"]
    assert lag.kind is InterfaceKind.LAG
    assert line(lag) == 5  # made by the line that joins it
    assert (lag.ip_mtu, line(lag, "ip_mtu")) == (9216, 4)
    assert lag.speed_gbps is None


def test_a_member_differs_from_its_channel() -> None:
    device = channel(
        "mtu 9000",
        "priority-flow-control mode on",
        member=("mtu 9216", "priority-flow-control mode off"),
    )
    member = device.interfaces["Ethernet1/1"]
    assert (member.ip_mtu, pfc(member).mode) == (9216, PfcMode.OFF)
    assert notes(device, NoteKind.CONFLICT) == [
        (8, "MTU 9216; on its channel 9000"),
        (9, "PFC mode off; on its channel on"),
    ]


def test_a_shut_channel_shuts_its_members() -> None:
    member = channel("shutdown", member=("no shutdown",)).interfaces["Ethernet1/1"]
    assert (member.enabled, line(member, "enabled")) == (False, 4)


def test_breakouts() -> None:
    device = read(
        "interface breakout module 1 port 5-6,9 map 100g-2x\n"
        "interface Ethernet1/5\ninterface Ethernet1/5/1\ninterface Ethernet1/9/2\n  speed 50000\n"
        "interface Ethernet1/7\ninterface Ethernet1/7/1\n"
    )
    ports = device.interfaces
    assert ports["Ethernet1/5"].kind is InterfaceKind.BREAKOUT_PARENT
    assert ports["Ethernet1/7"].kind is InterfaceKind.BREAKOUT_PARENT
    assert (ports["Ethernet1/5/1"].speed_gbps, line(ports["Ethernet1/5/1"], "speed_gbps")) == (
        100.0,
        1,
    )
    assert ports["Ethernet1/9/2"].speed_gbps == 50.0
    assert ports["Ethernet1/7/1"].speed_gbps is None
    assert ports["Ethernet1/5"].qos is None


def test_a_range_and_a_later_stanza_add_up() -> None:
    device = read(
        "interface Ethernet 1/1-1/3\n  mtu 1500\n  shutdown\n"
        "interface Ethernet 1/2\n  mtu 9216\n  no shutdown\n"
    )
    assert {name: (port.ip_mtu, port.enabled) for name, port in device.interfaces.items()} == {
        "Ethernet1/1": (1500, False),
        "Ethernet1/2": (9216, True),
        "Ethernet1/3": (1500, False),
    }
    assert states(device, LineState.SHADOWED) == []  # they hold on the other ports


def test_ports_of_one_range_share_their_qos() -> None:
    device = read("interface Ethernet1/1-2\n  priority-flow-control mode on\n")
    first, second = device.interfaces.values()
    assert first.qos is second.qos


def test_a_banner_is_not_configuration() -> None:
    device = read("banner motd #\ninterface Ethernet1/9\n  mtu 1400\n#\ninterface Ethernet1/1\n")
    assert list(device.interfaces) == ["Ethernet1/1"]


def test_an_undefined_policy_leaves_the_class_unknown() -> None:
    port = one("service-policy type qos input GONE")
    assert (qos(port).classifier, qos(port).trust) == (None, None)
    assert line(qos(port), "classifier") == 4


def test_without_a_policy_everything_is_in_group_0() -> None:
    device = read(N9K + "interface Ethernet1/1\n")
    port = qos(device.interfaces["Ethernet1/1"])
    assert port.classifier == "default"
    assert default_sentence(port, "classifier") == defaults.NO_POLICY.says
    assert port.default_tc == 0
    assert device.qos.classifiers["default"].builtin
    assert device.qos.classifiers["default"].dscp_to_tc.get(26) == 0


def test_an_input_policy_of_the_whole_switch() -> None:
    device = read(
        "hostname x\nclass-map R\n  match dscp 26\npolicy-map P\n  class R\n    set qos-group 3\n"
        "system qos\n  service-policy type qos input P\ninterface Ethernet1/1\n"
    )
    port = qos(device.interfaces["Ethernet1/1"])
    assert (port.classifier, line(port, "classifier")) == ("P", 8)


def test_a_capture_of_qos_alone_knows_nothing_of_ports() -> None:
    device = read(
        "!Command: show running-config ipqos\nversion 10.3(4a)\n"
        "interface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    port = device.interfaces["Ethernet1/1"]
    assert (port.ip_mtu, port.enabled, port.routed, port.tagged) == (None, None, None, None)
    assert device.partial
    assert qos(port).forwarding == "default-nq-policy"


def test_a_capture_of_interfaces_knows_nothing_of_policies() -> None:
    device = read(
        "!Command: show running-config interface\nversion 10.3(4a)\n"
        "interface Ethernet1/1\n  priority-flow-control mode on\n"
    )
    port = device.interfaces["Ethernet1/1"]
    assert (port.ip_mtu, qos(port).forwarding, qos(port).egress) == (1500, None, None)
    assert qos(port).where("classifier").confirmed is False
    assert device.system.has_qos is False


def test_neighbours() -> None:
    device = read(
        "interface Ethernet1/1\n",
        lldp="""
        Chassis id: 001e.49f7.2c00
        Port id: Ethernet1/49
        Local Port id: Eth1/1
        Port Description: null
        System Name: spine1
        Chassis id: 0c42.a1ee.aa01
        Port id: 0c42.a1ee.aa02
        Local Port id: Eth1/7
        Port Description: not advertised
        System Name: not advertised
        """,
    )
    (spine,) = device.interfaces["Ethernet1/1"].neighbors
    assert (spine.device, spine.names, line(spine, "device")) == ("spine1", ("Ethernet1/49",), 5)
    (nic,) = device.interfaces["Ethernet1/7"].neighbors
    assert (nic.device, nic.names) == ("0c:42:a1:ee:aa:01", ("0c:42:a1:ee:aa:02",))
    assert device.interfaces["Ethernet1/7"].kind is InterfaceKind.PHYSICAL


@pytest.mark.parametrize("form", ["type qos output", "output"])
def test_an_output_policy_is_a_use_of_what_it_names(form: str) -> None:
    text = "policy-map type qos P\n  class class-default\n    set qos-group 0\n"
    device = read(f"{text}interface Ethernet1/1\n  service-policy {form} P\n")
    found = [(s.name, s.references) for s in device.structures if s.kind == "qos policy"]
    assert found == [("P", (5,))]
    bound = device.interfaces["Ethernet1/1"].qos
    assert bound is not None
    assert bound.classifier != "P"
