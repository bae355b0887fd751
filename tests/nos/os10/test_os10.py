"""Dell OS10: values with their lines, precedence of lines, unknown values."""

from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import PfcMode, SchedulerKind, Trust
from roce_lint.nos.os10 import NOS
from roce_lint.text.source import Confidence
from tests.nos import reader
from tests.nos.reader import line, notes

POLICY = """\
class-map type network-qos NQ
 match qos-group 4
policy-map type network-qos PFC
 class NQ
  pause
  pfc-cos 3
"""


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str, name: str = "ethernet1/1/1"):
    device = read(text)
    return device, device.interfaces[name].qos


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("ethernet1/1/7", ["ethernet1/1/7"]),
        ("Ethernet 1/1/7", ["ethernet1/1/7"]),
        ("range ethernet1/1/7-1/1/9", ["ethernet1/1/7", "ethernet1/1/8", "ethernet1/1/9"]),
        ("range Ethernet 1/1/7-1/1/8", ["ethernet1/1/7", "ethernet1/1/8"]),
        ("range ethernet1/1/7,1/1/9", ["ethernet1/1/7", "ethernet1/1/9"]),
        ("ethernet1/1/1:2", ["ethernet1/1/1:2"]),
        ("loopbackloopback0", ["loopbackloopback0"]),
    ],
)
def test_names(header: str, names: list[str]) -> None:
    assert list(read(f"interface {header}\n mtu 9216\n").interfaces) == names


def test_a_range_that_is_hostile_is_cut_short() -> None:
    device = read("interface range ethernet1/1/1-1/1/99999999\n mtu 9216\n")
    assert device.interfaces == {}
    assert notes(device) == [(1, "more than 4096 interfaces in one range")]


def test_pfc_needs_the_line_and_the_policy() -> None:
    port = "interface ethernet1/1/1\n priority-flow-control mode on\n"
    _, qos = qos_of(POLICY + port + " service-policy input type network-qos PFC\n")
    assert (qos.pfc.generate, line(qos.pfc, "generate")) == (frozenset({3}), 6)
    assert line(qos.pfc, 3) == 6
    _, qos = qos_of(POLICY + port)
    assert (qos.pfc.mode, qos.pfc.generate, line(qos.pfc, "generate")) == (
        PfcMode.ON, frozenset(), 0,
    )  # fmt: skip
    assert qos.pfc.where("generate").confirmed
    _, qos = qos_of(
        POLICY + "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
    )
    assert (qos.pfc.mode, qos.pfc.generate, qos.pfc.named) == (
        PfcMode.OFF, frozenset(), frozenset({3}),
    )  # fmt: skip


def test_a_policy_that_is_defined_nowhere_is_unknown() -> None:
    device, qos = qos_of(
        "interface ethernet1/1/1\n priority-flow-control mode on\n"
        " service-policy input type network-qos NONE\n"
    )
    assert qos.pfc.generate is None
    assert [(s.kind, s.name, s.references) for s in device.structures if not s.defined] == [
        ("no-drop policy", "NONE", (3,))
    ]


def test_group_and_priority_may_differ() -> None:
    device, qos = qos_of(
        POLICY + "qos-map traffic-class Q\n queue 5 qos-group 4\n"
        "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
        " qos-map traffic-class Q\n"
    )
    maps = device.qos.forwardings[qos.forwarding]
    assert maps.tc_to_pfc_priority.entries == {4: 3}
    assert line(maps.tc_to_pfc_priority, 4) == 6
    assert maps.tc_to_queue.entries == {4: 5}
    assert maps.pfc_priority_to_queue.entries == {3: 5}
    assert line(maps.pfc_priority_to_queue, 3) == 8


def test_pause_without_a_priority_uses_an_unconfirmed_default() -> None:
    device, qos = qos_of(
        POLICY.replace("  pfc-cos 3\n", "")
        + "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
    )
    sent = device.qos.forwardings[qos.forwarding].tc_to_pfc_priority
    assert sent.entries == {4: 4}
    assert sent.where(4).citation.confidence is Confidence.UNCONFIRMED


@pytest.mark.parametrize(("threshold", "room"), [(60, 40_000), (100, 0), (150, 0)])
def test_what_is_left_when_pause_is_sent(threshold: int, room: int) -> None:
    device, qos = qos_of(
        POLICY.replace("pause", f"pause buffer-size 100 pause-threshold {threshold}")
        + "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
    )
    profile = device.qos.ingress_buffers[qos.ingress_buffer].groups[4]
    assert (profile.reserved_bytes, profile.xoff_bytes) == (100_000, room)
    assert line(profile, "xoff_bytes") == 5


def test_two_classes_that_claim_one_priority() -> None:
    device = read(
        POLICY.replace("policy-map", "class-map type network-qos B\n match qos-group 5\npolicy-map")
        + " class B\n  pause\n  pfc-cos 3\n"
    )
    assert notes(device, NoteKind.CONFLICT) == [(11, "pfc-cos 3 is claimed by two classes of PFC")]


@pytest.mark.parametrize(
    ("own", "system", "trust", "stated"),
    [
        ("", "", None, 0),
        ("", " trust-map dscp D\n", Trust.DSCP, 6),
        (" trust-map dot1p P\n", " trust-map dscp D\n", Trust.PCP, 8),
        (" trust-map dscp D\n", " trust-map dot1p P\n", Trust.DSCP, 8),
    ],
)
def test_the_map_of_the_port_comes_first(own: str, system: str, trust, stated: int) -> None:
    _, qos = qos_of(
        "trust dscp-map D\n qos-group 3 dscp 26\ntrust dot1p-map P\n qos-group 3 dot1p 3\n"
        f"system qos\n{system}interface ethernet1/1/1\n{own}"
    )
    assert (qos.trust, line(qos, "trust")) == (trust, stated)


def test_a_code_point_that_no_line_maps_is_in_class_0() -> None:
    device, qos = qos_of(
        "trust dscp-map D\n qos-group 3 dscp 24-26\n qos-group 4 dscp 26\n"
        "interface ethernet1/1/1\n trust-map dscp D\n"
    )
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert table.entries == {24: 3, 25: 3, 26: 4}
    assert (line(table, 24), line(table, 26)) == (2, 3)
    assert (table.get(0), table.where("otherwise").confirmed) == (0, False)
    assert table.where("otherwise").position == 1


@pytest.mark.parametrize(
    ("head", "port", "trust", "tc"),
    [
        ("hostname a\n", "", Trust.NONE, 0),
        ("hostname a\n", " service-policy input type qos P\n", None, None),
        ("hostname a\nsystem qos\n service-policy input type qos P\n", "", None, None),
        ("", "", None, None),  # a trust map may stand in what was not read
    ],
)
def test_a_port_without_a_trust_map(
    head: str, port: str, trust: Trust | None, tc: int | None
) -> None:
    _, qos = qos_of(f"{head}interface ethernet1/1/1\n mtu 9216\n{port}")
    assert (qos.trust, qos.default_tc) == (trust, tc)


def test_a_port_without_queue_map_and_queuing_policy() -> None:
    device, qos = qos_of("hostname a\ninterface ethernet1/1/1\n mtu 9216\n")
    queues = device.qos.forwardings[qos.forwarding].tc_to_queue
    assert queues.entries == {n: n for n in range(8)}
    assert queues.where(3).confirmed
    policy = device.qos.egress[qos.egress]
    assert (policy.complete, policy.queues, policy.where().confirmed) == (True, {}, True)
    _, qos = qos_of("interface ethernet1/1/1\n mtu 9216\n")
    assert (qos.forwarding, qos.egress) == (None, None)


def test_lines_that_state_a_number() -> None:
    text = POLICY + "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
    device, qos = qos_of(text)
    sent = device.qos.forwardings[qos.forwarding].tc_to_pfc_priority
    assert (sent.number_place(4).position, sent.number_place(3), sent.number_place(None)) == (
        2,
        None,
        None,
    )
    device, qos = qos_of(text.replace(" match qos-group 4\n", ""))
    sent = device.qos.forwardings[qos.forwarding].tc_to_pfc_priority
    assert (sent.number_place(4), sent.number_place(None).position) == (None, 1)
    assert notes(device) == [(1, "no-drop class map NQ has no match line")]
    device, qos = qos_of(text.replace("class NQ", "class OTHER"))
    assert (
        device.qos.forwardings[qos.forwarding].tc_to_pfc_priority.number_place(None).position == 4
    )


@pytest.mark.parametrize(("marks", "stated"), [(True, 3), (False, 0)])
def test_only_random_detect_ecn_marks(marks: bool, stated: int) -> None:
    device = read(
        "wred W\n random-detect color green minimum-threshold 150 maximum-threshold 1500"
        " drop-probability 100\n" + (" random-detect ecn\n" if marks else "")
        + "class-map type queuing Q\n match queue 3\n"
        "policy-map type queuing P\n class Q\n  bandwidth percent 50\n  random-detect W\n"
    )  # fmt: skip
    queue = device.qos.egress["P"].queue(3)
    assert (queue.marking.ecn, line(queue.marking, "ecn")) == (marks, stated)
    assert queue.marking.wred_drop is not marks
    assert (queue.marking.kmin.bytes, queue.marking.kmax.bytes) == (150_000, 1_500_000)
    assert (queue.marking.pmax_percent, queue.scheduler.kind) == (100.0, SchedulerKind.WEIGHTED)


def test_the_default_mtu_is_not_confirmed() -> None:
    port = read("interface ethernet1/1/1\n no shutdown\n").interfaces["ethernet1/1/1"]
    assert (port.ip_mtu, port.where("ip_mtu").confirmed) == (1532, False)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("interface ethernet1/1/1\n mtu 99999\n", "mtu '99999', not 1280 to 9216"),
        ("interface ethernet1/1/1\n mtu ²\n", "mtu '²', not 1280 to 9216"),
        ("interface ethernet1/1/1\n priority-flow-control mode maybe\n", "'maybe' is not a PFC mode"),
        ("trust dscp-map D\n qos-group 3 dscp 26-99\n", "dscp '26-99', takes 0 to 63"),
        ("trust dscp-map D\n qos-group 9 dscp 26\n", "qos-group '9', takes 0 to 7"),
        (
            POLICY.replace("pause", "pause buffer-size x"),
            "buffer-size 'x' is not a size in KB",
        ),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    if "buffer-size" in text:
        text += "interface ethernet1/1/1\n service-policy input type network-qos PFC\n"
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    text = (
        POLICY + "system qos\n trust-map dscp D\ninterface range ethernet1/1/1-1/1/3\n mtu 9216\n"
    )
    for end in range(len(text)):
        assert read(text[:end]).nos == "os10"


OVERLAY = """\
virtual-network 10
 member-interface ethernet 1/1/5 untagged
 member-interface port-channel7 vlan-tag 200
 !
 vxlan-vni 10010
!
virtual-network 20
 vxlan-vni 10020
virtual-network 30
 member-interface ethernet1/1/6 untagged
nve
 source-interface loopback0
evpn
 auto-evi
 !
 vrf RED
  vni 500
  route-target auto
interface vlan100
 virtual-network 20
interface vlan101
 virtual-network 30
"""


def test_the_end_of_tunnels_carries_what_is_in_its_networks() -> None:
    device = read(OVERLAY)
    end = device.interfaces["nve"]
    tunnel = end.tunnel
    assert (end.kind, line(end, "")) == (InterfaceKind.TUNNEL, 11)
    assert (tunnel.vlans, tunnel.ports) == (frozenset({100}), frozenset({"ethernet1/1/5"}))
    assert (tunnel.partly, line(tunnel, "partly")) == (frozenset({"port-channel7"}), 11)
    assert (tunnel.vrfs, line(tunnel, "vrfs")) == (frozenset({"RED"}), 17)
    assert (tunnel.dscp_copied, tunnel.dscp) == (None, None)
    assert notes(device) == []


def test_a_network_without_a_segment_is_not_a_tunnel() -> None:
    device = read("virtual-network 30\n member-interface ethernet1/1/6 untagged\n")
    assert list(device.interfaces) == []


def test_discovery_interfaces_join_a_pair() -> None:
    device = read(
        "vlt-domain 1\n discovery-interface ethernet1/1/27-1/1/28\n!\n"
        "interface port-channel1000\n no shutdown\n!\n"
        "interface range ethernet1/1/1,1/1/27-1/1/28\n no switchport\n"
    )
    found = {name: port.peer_link for name, port in device.interfaces.items()}
    assert found == {
        "port-channel1000": True,
        "ethernet1/1/1": None,
        "ethernet1/1/27": True,
        "ethernet1/1/28": True,
    }
    assert line(device.interfaces["ethernet1/1/27"], "peer_link") == 2


def test_a_neighbour_without_no_shutdown_is_left_out() -> None:
    text = "hostname leaf1\nrouter bgp 65001\n neighbor 10.0.0.1\n  remote-as 65002\n"
    for line_of_state, sessions, complete in (
        ("  no shutdown\n", {"10.0.0.1": 65002}, True),
        ("", {}, False),
        ("  shutdown\n", {}, True),
    ):
        routing = read(text + line_of_state).routing
        assert {key: each.asn for key, each in routing.sessions.items()} == sessions
        assert routing.complete is complete


def test_equal_ports_have_the_speeds_of_their_own_maps() -> None:
    maps = "interface breakout 1/1/1 map 100g-1x\ninterface breakout 1/1/2 map 25g-4x\n"
    names = ("1/1/1", "1/1/2:1", "1/1/2:2", "1/1/3")
    device = read(maps + "".join(f"interface ethernet{name}\n no shutdown\n" for name in names))
    assert [port.speed_gbps for port in device.interfaces.values()] == [100, 25, 25, None]
