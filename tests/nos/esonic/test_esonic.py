"""Enterprise SONiC: values with their lines, and defaults hidden by one command."""

from __future__ import annotations

import pytest

from roce_lint.analysis.treatment import ingress
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.qos import PfcMode, Trust, WatchdogAction
from roce_lint.model.units import Threshold
from roce_lint.nos.esonic import NOS
from tests.nos import reader
from tests.nos.reader import line, notes


def read(text: str):
    return reader.read(NOS, text)


def qos_of(text: str):
    device = read(text)
    return device, device.interfaces["Eth1/1"].qos


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("Eth 1/5", "Eth1/5"),
        ("Eth1/5", "Eth1/5"),
        ("Eth1/5/1", "Eth1/5/1"),
        ("Ethernet4", "Ethernet4"),
        ("PortChannel 10", "PortChannel10"),
        ("PortChannel 10 mode active", "PortChannel10"),
        ("vlan 10", "Vlan10"),
        ("Management 0", "Management0"),
    ],
)
def test_names(header: str, name: str) -> None:
    assert list(read(f"interface {header}\n mtu 9100\n").interfaces) == [name]


def test_the_way_of_a_code_point() -> None:
    device, qos = qos_of(
        "qos map dscp-tc D\n dscp 24-26 traffic-class 4\n"
        "qos map tc-queue Q\n traffic-class 4 queue 5\n"
        "qos map tc-pg G\n traffic-class 4 priority-group 2\n"
        "qos map pfc-priority-pg P\n pfc-priority 3 priority-group 2\n"
        "qos map pfc-priority-queue S\n pfc-priority 3 queue 5\n"
        "interface Eth1/1\n qos-map dscp-tc D\n qos-map tc-queue Q\n qos-map tc-pg G\n"
        " qos-map pfc-priority-pg P\n qos-map pfc-priority-queue S\n"
        " priority-flow-control priority 3\n"
    )
    maps = device.qos.forwardings[qos.forwarding]
    table = device.qos.classifiers[qos.classifier].dscp_to_tc
    assert (qos.trust, table.get(26), line(table, 26)) == (Trust.DSCP, 4, 2)
    assert (table.get(0), table.where("otherwise").confirmed) == (0, False)
    assert (maps.tc_to_queue.get(4), line(maps.tc_to_queue, 4)) == (5, 4)
    assert (maps.tc_to_pfc_priority.get(4), maps.tc_to_pfc_priority.get(3)) == (3, None)
    assert (maps.pfc_priority_to_queue.get(3), line(maps.pfc_priority_to_queue, 3)) == (5, 10)
    assert (qos.pfc.generate, line(qos.pfc, "generate")) == (frozenset({3}), 17)


def test_priorities_add_up() -> None:
    _, qos = qos_of(
        "interface Eth1/1\n priority-flow-control priority 3\n priority-flow-control priority 4\n"
        " no priority-flow-control priority 3\n"
    )
    assert (qos.pfc.mode, qos.pfc.generate) == (PfcMode.ON, frozenset({4}))
    assert line(qos.pfc, "generate") == 4


def test_without_a_line_pfc_is_off() -> None:
    _, qos = qos_of("interface Eth1/1\n mtu 9100\n")
    assert (qos.pfc.mode, qos.pfc.generate) == (PfcMode.OFF, frozenset())
    assert qos.pfc.where("generate").confirmed


def test_one_command_hides_what_no_line_shows() -> None:
    device, qos = qos_of("roce enable pfc-priority 3\ninterface Eth1/1\n mtu 9100\n")
    assert (qos.pfc.mode, qos.pfc.generate, qos.egress, qos.watchdog.enabled) == (None,) * 4
    assert device.qos.forwardings[qos.forwarding].tc_to_queue.get(3) is None
    assert [n for n, s in enumerate(device.src.files[0].states, 1) if s == 1] == [1, 2, 3]


@pytest.mark.parametrize(
    ("ecn", "marks"), [(" ecn all\n", True), (" ecn green\n", True), (" ecn none\n", False), ("", False)]
)  # fmt: skip
def test_marking_with_thresholds_in_kilobytes(ecn: str, marks: bool) -> None:
    device, qos = qos_of(
        f"qos wred-policy W\n green minimum-threshold 10 maximum-threshold 20\n{ecn}"
        "interface Eth1/1\n queue 3 wred-policy W\n"
    )
    queue = device.qos.egress[qos.egress].queue(3)
    low, high = Threshold(10_000), Threshold(20_000)
    assert (queue.marking.ecn, queue.marking.kmin, queue.marking.kmax) == (marks, low, high)
    assert (queue.marking.pmax_percent, line(queue.marking, "kmax")) == (None, 2)
    assert device.qos.egress[qos.egress].queue(4).marking.ecn is False


def test_the_watchdog() -> None:
    _, qos = qos_of(
        "interface Eth1/1\n priority-flow-control watchdog on detect-time 200\n"
        " priority-flow-control watchdog action forward\n"
    )
    found = qos.watchdog
    assert (found.enabled, found.detection_ms, found.action) == (
        True, 200.0, WatchdogAction.FORWARD,
    )  # fmt: skip
    assert (line(found, "enabled"), line(found, "action")) == (2, 3)


@pytest.mark.parametrize(
    ("lines", "enabled", "stated"),
    [
        (" priority-flow-control watchdog off\n", False, 3),
        (" priority-flow-control watchdog on detect-time 200\n priority-flow-control watchdog off\n", False, 4),
        (" priority-flow-control watchdog off\n priority-flow-control watchdog on detect-time 200\n", True, 4),
    ],
)  # fmt: skip
def test_the_watchdog_is_turned_off(lines: str, enabled: bool, stated: int) -> None:
    _, qos = qos_of(
        f"priority-flow-control watchdog polling-interval 150\ninterface Eth1/1\n{lines}"
    )
    found = qos.watchdog
    assert (found.enabled, line(found, "enabled")) == (enabled, stated)
    assert (found.polling_ms, line(found, "polling_ms")) == (150.0, 1)


MAPS = "qos map dscp-tc D\n dscp 26 traffic-class 3\nqos map dot1p-tc P\n dot1p 3 traffic-class 3\n"


@pytest.mark.parametrize(
    ("lines", "trust", "dscp", "pcp"),
    [
        (" qos-map dscp-tc D\n", Trust.DSCP, 3, None),
        (" qos-map dot1p-tc P\n", Trust.PCP, None, 3),
        (" qos-map dscp-tc D\n qos-map dot1p-tc P\n", Trust.BOTH, 3, 3),
        (" qos-map dscp-tc D\n qos-map dot1p-tc NONE\n", Trust.BOTH, 3, None),
    ],
)
def test_a_port_with_both_maps_trusts_both(
    lines: str, trust: Trust, dscp: int | None, pcp: int | None
) -> None:
    device, qos = qos_of(f"{MAPS}interface Eth1/1\n{lines}")
    found = device.qos.classifiers[qos.classifier]
    assert (qos.trust, line(qos, "trust")) == (trust, 6)
    assert (found.dscp_to_tc.get(26), found.pcp_to_tc.get(3)) == (dscp, pcp)


def test_a_tc_dscp_map_rewrites() -> None:
    device, qos = qos_of(
        "qos map tc-dscp OUT\n traffic-class 3 dscp 46\ninterface Eth1/1\n qos-map tc-dscp OUT\n"
        "interface Eth1/2\n qos-map tc-dscp NONE\n"
    )
    made = device.qos.rewrites[qos.rewrite]
    assert (made.active, made.tc_to_dscp.get(3), line(made.tc_to_dscp, 3)) == (True, 46, 2)
    assert line(qos, "rewrite") == 4
    other = device.interfaces["Eth1/2"].qos
    assert (other.rewrite, line(other, "rewrite")) == (None, 6)


def test_a_class_whose_group_no_priority_pauses_is_lossy() -> None:
    device = read(
        f"{MAPS} dot1p 0 traffic-class 0\nqos map tc-pg G\n traffic-class 3 priority-group 3\n"
        "qos map pfc-priority-pg S\n pfc-priority 4 pg 4\ninterface Eth1/1\n qos-map dscp-tc D\n"
        " qos-map tc-pg G\n qos-map pfc-priority-pg S\n priority-flow-control priority 3\n"
    )
    found = ingress(device, device.interfaces["Eth1/1"], 26)
    assert (found.lossless, found.certain, found.pg) == (False, True, 3)


BGP = """
    router bgp 7 vrf RED
     neighbor 10.9.0.1
      remote-as 8
    !
    router bgp 65001
     address-family ipv4 unicast
      maximum-paths 4
      maximum-paths ibgp 2
     !
     peer-group SPINES
      remote-as 65101
     !
     neighbor interface Eth 1/3
      peer-group SPINES
     !
     neighbor 10.0.0.1
      remote-as internal
     !
     neighbor 10.0.0.3
      remote-as external
      !
      address-family ipv4 unicast
       activate
     !
     neighbor 10.0.0.5
      remote-as 65102
      local-as 9
     !
     neighbor 10.0.0.7
      remote-as 65102
      shutdown
"""


def test_sessions_of_bgp() -> None:
    """A session with another own AS, or one that is shut down, is left out."""
    device = read(BGP)
    found = device.routing
    assert {name: session.asn for name, session in found.sessions.items()} == {
        "Eth1/3": 65101, "10.0.0.1": 65001, "10.0.0.3": None,
    }  # fmt: skip
    assert (device.asn, found.max_paths, line(found, "max_paths")) == (65001, 4, 7)
    assert (found.complete, line(found.sessions["Eth1/3"], "asn")) == (False, 11)
    assert device.unread == []


def test_cable_length_is_stated_or_the_default() -> None:
    text = "interface Eth1/1\n priority-flow-control priority 3\n"
    port = read(text + " cable-length 300m\n").interfaces["Eth1/1"]
    assert (port.cable_m, line(port, "cable_m"), port.qos.pfc.cable_m) == (300.0, 3, None)
    port = read(text).interfaces["Eth1/1"]
    assert (port.cable_m, port.qos.pfc.cable_m) == (None, 40.0)


def test_names_that_nothing_defines() -> None:
    device, _ = qos_of(
        "interface Eth1/1\n qos-map dscp-tc NONE\n queue 3 wred-policy NONE\n scheduler-policy NONE\n"
    )
    assert [(s.kind, s.references) for s in device.structures if not s.defined] == [
        ("dscp-tc map", (2,)),
        ("marking profile", (3,)),
        ("scheduler", (4,)),
    ]


def test_an_entry_in_other_words_is_listed() -> None:
    device = read("qos map dscp-tc D\n map 26 to 3\n")
    assert [note.message for note in device.notes] == ["map 26 to 3"]


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("interface Eth1/1\n mtu 99999\n", "mtu '99999', not 68 to 9216"),
        ("interface Eth1/1\n cable-length 5 \n", "cable-length '5', takes 5m, 40m, 300m"),
        ("interface Eth1/1\n cable-length 0m\n", "cable-length '0m', takes 5m, 40m, 300m"),
        ("interface Eth1/1\n cable-length ²m\n", "cable-length '²m', takes 5m, 40m, 300m"),
        ("interface Eth1/1\n priority-flow-control priority 9\n", "pfc-priority '9', takes 0 to 7"),
        ("qos map dscp-tc D\n dscp 99 traffic-class 3\n", "dscp '99', takes 0 to 63"),
        ("interface Eth1/1\n switchport access Vlan 9999\n", "VLAN '9999', not 1 to 4094"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_noted(text: str, reported: str) -> None:
    assert [message for _, message in notes(read(text))] == [reported]


def test_cut_off_anywhere_it_is_read() -> None:
    text = (
        "qos map dscp-tc D\n dscp 26 traffic-class 3\ninterface Eth 1/1\n queue 3 wred-policy W\n"
    )
    for end in range(len(text)):
        assert read(text[:end]).nos == "esonic"


VTEP = "interface vxlan vtep1\n source-ip 10.255.0.1\n map vni 101 vlan 11 count 3\n"


@pytest.mark.parametrize(
    ("mode", "copied", "dscp", "stated"),
    [
        ("", False, 0, False),
        (" qos-mode pipe\n", False, 0, False),
        (" qos-mode pipe dscp 26\n", False, 26, True),
        (" qos-mode uniform\n", True, None, False),
        (" qos-mode pipe dscp 64\n", None, None, False),
    ],
)
def test_what_a_tunnel_writes_outside(
    mode: str, copied: bool | None, dscp: int | None, stated: bool
) -> None:
    device = read(VTEP + " map vni 500 vrf Vrf-RED\n" + mode)
    end = device.interfaces["vxlan vtep1"]
    tunnel = end.tunnel
    assert end.kind is InterfaceKind.TUNNEL
    assert (tunnel.vlans, line(tunnel, "vlans")) == (frozenset({11, 12, 13}), 3)
    assert (tunnel.vrfs, line(tunnel, "vrfs")) == (frozenset({"Vrf-RED"}), 3)
    assert (tunnel.dscp_copied, tunnel.inner_replaced, tunnel.dscp) == (copied, copied, dscp)
    assert tunnel.stated("dscp") is stated
    assert tunnel.outer_ipv6 is False
    assert bool(notes(device)) is (copied is None)


def test_a_segment_of_nothing_is_noted() -> None:
    device = read(VTEP + " map vni 7 vlan 4094 count 2\n")
    assert device.interfaces["vxlan vtep1"].tunnel.vlans == frozenset({11, 12, 13})
    assert len(notes(device)) == 1
