"""IOS-XR: the two places of PFC, traffic classes, and MTU with its header."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import PfcMode, ShareKind, Trust
from roce_lint.model.units import Threshold
from roce_lint.nos.iosxr import NOS
from tests.nos import reader
from tests.nos.reader import line, notes

PORT = "FourHundredGigE0/0/0/0"
PROFILE = (
    "hw-module profile priority-flow-control location {where}\n"
    " buffer-internal traffic-class 3 pause-threshold 1500000 bytes headroom 1600000 bytes"
    " ecn 600000 bytes\n"
)


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str):
    device = read(text)
    return device, device.interfaces[PORT].qos


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (PORT, PORT),
        (f"preconfigure {PORT}", PORT),
        ("HundredGigE0/0/0/1.100 l2transport", "HundredGigE0/0/0/1.100"),
        ("HundredGigE0/0/0/1/2", "HundredGigE0/0/0/1/2"),
        ("MgmtEth0/RP0/CPU0/0", "MgmtEth0/RP0/CPU0/0"),
        ("Bundle-Ether1", "Bundle-Ether1"),
    ],
)
def test_names(header: str, name: str) -> None:
    assert list(read(f"interface {header}\n mtu 9216\n").interfaces) == [name]


@pytest.mark.parametrize(
    ("where", "on", "generate"),
    [
        ("0/0/CPU0", True, {3}),  # both places
        ("0/RP0/CPU0", True, {3}),  # a fixed box
        ("0/1/CPU0", True, set()),  # another line card's profile
        ("0/0/CPU0", False, set()),  # the profile alone
        (None, True, set()),  # the line on the port alone
    ],
)
def test_pfc_takes_two_places(where: str | None, on: bool, generate: set[int]) -> None:
    text = PROFILE.format(where=where) if where else ""
    _, qos = qos_of(
        text + f"interface {PORT}\n" + (" priority-flow-control mode on\n" if on else "")
    )
    assert qos.pfc.generate == frozenset(generate)
    assert qos.pfc.mode is (PfcMode.ON if on else PfcMode.OFF)
    assert line(qos.pfc, "generate") == (1 if generate else 0)
    assert qos.pfc.where("generate").confirmed


def test_what_the_profile_states() -> None:
    device, qos = qos_of(PROFILE.format(where="0/0/CPU0") + f"interface {PORT}\n")
    buffer = device.qos.ingress_buffers[qos.ingress_buffer].groups[3]
    assert (buffer.static_limit_bytes, buffer.xoff_bytes, buffer.xon_bytes) == (
        1_500_000, 1_600_000, None,
    )  # fmt: skip
    assert line(buffer, "xoff_bytes") == 2
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.ecn, marking.kmin, marking.kmax) == (True, Threshold(600_000), None)
    maps = device.qos.forwardings[qos.forwarding]
    assert (maps.tc_to_pfc_priority.entries, line(maps.tc_to_pfc_priority, 3)) == ({3: 3}, 2)


def test_the_older_form_of_a_profile() -> None:
    device, qos = qos_of(
        "hw-module profile priority-flow-control location 0/0/CPU0\n"
        " traffic-class 4 pause-threshold 1000 bytes resume-threshold 100 bytes headroom 200 bytes\n"
        f"interface {PORT}\n"
    )
    buffer = device.qos.ingress_buffers[qos.ingress_buffer].groups[4]
    assert (buffer.static_limit_bytes, buffer.xon_bytes, buffer.xoff_bytes) == (1000, 100, 200)
    assert qos.egress is None


def test_classes_of_an_input_policy() -> None:
    device, qos = qos_of(
        "class-map match-any A\n match dscp 26 24\n end-class-map\n"
        "policy-map IN\n class A\n  set traffic-class 3\n !\n class class-default\n"
        "  set traffic-class 1\n !\n end-policy-map\n"
        f"interface {PORT}\n service-policy input IN\n"
    )
    found = device.qos.classifiers[qos.classifier]
    assert (qos.trust, line(qos, "trust"), found.exact) == (Trust.DSCP, 13, True)
    assert (found.dscp_to_tc.get(26), line(found.dscp_to_tc, 26)) == (3, 6)
    assert (found.dscp_to_tc.get(0), line(found.dscp_to_tc, "otherwise")) == (1, 9)


def test_unmatched_packets_use_an_unconfirmed_default() -> None:
    device, qos = qos_of(
        "class-map A\n match dscp 26\npolicy-map IN\n class A\n  set traffic-class 3\n"
        f"interface {PORT}\n service-policy input IN\n"
    )
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert (table.get(0), table.where("otherwise").confirmed) == (0, False)


def test_what_a_class_matches_has_the_line_of_its_match() -> None:
    device, qos = qos_of(
        "class-map A\n match dscp 26\npolicy-map IN\n class A\n  set traffic-class 3\n"
        f"interface {PORT}\n service-policy input IN\n"
    )
    (match,) = device.qos.classifiers[qos.classifier].matches
    assert (match.values, line(match, "values"), line(match, "tc")) == (frozenset({26}), 2, 5)


def test_a_profile_has_one_threshold_and_no_other() -> None:
    device, qos = qos_of(
        PROFILE.format(where="0/0/CPU0") + f"interface {PORT}\n priority-flow-control mode on\n"
    )
    marking = device.qos.egress[qos.egress].queue(3).marking
    assert (marking.kmin, marking.kmax, line(marking, "kmin")) == (Threshold(600_000), None, 2)
    assert marking.at["kmax"] < 0
    assert not marking.where("kmax").confirmed


def test_an_access_list_makes_it_inexact() -> None:
    device, qos = qos_of(
        "class-map A\n match access-group ipv4 X\npolicy-map IN\n class A\n  set traffic-class 3\n"
        f"interface {PORT}\n service-policy input IN\n"
    )
    assert device.qos.classifiers[qos.classifier].exact is False


def test_an_output_policy() -> None:
    device, qos = qos_of(
        "class-map T\n match traffic-class 3\npolicy-map OUT\n class T\n"
        "  bandwidth remaining ratio 60\n  random-detect 600 kbytes 1200 kbytes\n"
        "  random-detect ecn\n"
        f"interface {PORT}\n service-policy output OUT\n"
    )
    queue = device.qos.egress[qos.egress].queue(3)
    assert (queue.scheduler.share, queue.scheduler.share_of) == (60.0, ShareKind.WEIGHT)
    assert (queue.marking.ecn, line(queue.marking, "ecn")) == (True, 7)
    assert (queue.marking.kmin, queue.marking.kmax) == (Threshold(600_000), Threshold(1_200_000))
    assert line(queue.marking, "kmin") == 6


@pytest.mark.parametrize(
    ("lines", "ip_mtu", "stated"),
    [
        ("", 1500, 0),
        (" mtu 9216\n", 9202, 2),
        (" mtu 9216\n ipv4 mtu 9000\n", 9000, 3),
        (" mtu 1514\n ipv4 mtu 9000\n", 1500, 2),
    ],
)
def test_mtu_counts_the_header(lines: str, ip_mtu: int, stated: int) -> None:
    port = read(f"interface {PORT}\n{lines}").interfaces[PORT]
    assert (port.ip_mtu, line(port, "ip_mtu")) == (ip_mtu, stated)
    assert port.where("ip_mtu").confirmed


def test_a_member_takes_what_its_bundle_states() -> None:
    device = read(
        "interface Bundle-Ether1\n mtu 9216\n priority-flow-control mode on\n"
        f"interface {PORT}\n bundle id 1 mode active\n"
    )
    port = device.interfaces[PORT]
    assert (port.lag, port.ip_mtu, line(port, "ip_mtu")) == ("Bundle-Ether1", 9202, 2)
    assert (port.qos.pfc.mode, line(port.qos.pfc, "mode")) == (PfcMode.ON, 3)
    assert device.interfaces["Bundle-Ether1"].members == (PORT,)


def test_ports_with_the_same_lines_on_another_card_or_of_another_type() -> None:
    ports = (PORT, "FourHundredGigE0/0/0/1", "FourHundredGigE0/1/0/0", "HundredGigE0/0/0/2")
    stanzas = (f"interface {name}\n priority-flow-control mode on\n" for name in ports)
    found = read(PROFILE.format(where="0/0/CPU0") + "".join(stanzas)).interfaces
    assert [(found[name].speed_gbps, found[name].qos.pfc.generate) for name in ports] == [
        (400, {3}),
        (400, {3}),
        (400, set()),
        (100, {3}),
    ]


def test_names_that_nothing_defines() -> None:
    device = read(f"policy-map IN\n class A\ninterface {PORT}\n service-policy input OTHER\n")
    assert [(s.kind, s.name, s.references) for s in device.structures if not s.defined] == [
        ("class map", "A", (2,)),
        ("qos policy", "OTHER", (4,)),
    ]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (f"interface {PORT}\n mtu big\n", "mtu 'big', not 64 to 65535"),
        (f"interface {PORT}\n priority-flow-control mode maybe\n", "'maybe' is not a PFC mode"),
        ("class-map A\n match dscp 99\n", "DSCP '99', takes 0 to 63"),
        ("policy-map P\n class A\n  set traffic-class 9\n", "traffic-class '9', takes 0 to 7"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    text = PROFILE.format(where="0/0/CPU0") + f"policy-map P\n class A\ninterface {PORT}\n mtu 9\n"
    for end in range(len(text)):
        assert read(text[:end]).nos == "iosxr"


def test_of_a_tunnel_it_is_not_known_what_it_carries() -> None:
    device = read(
        "interface nve1\n member vni 5001\n  load-balance per-evi\n !\n"
        " overlay-encapsulation vxlan\n source-interface Loopback0\n"
    )
    end = device.interfaces["nve1"]
    assert (end.kind, end.tunnel.vlans, end.tunnel.dscp) == (InterfaceKind.TUNNEL, None, None)
    assert notes(device) == []
