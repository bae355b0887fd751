"""Lines that can drop or move RoCE, or take a port out of service, are ignored on no system.

Lines about flooded packets only, about packets for the device itself, or about a failed port are.
"""

from __future__ import annotations

import pytest

from roce_lint.nos import (
    aoscx,
    comware,
    cumulus,
    eos,
    esonic,
    iosxr,
    junos,
    nxos,
    os10,
    srlinux,
    vrp,
)
from roce_lint.nos.base import Nos
from roce_lint.text.source import LineState
from tests.nos import reader
from tests.nos.reader import states

PORTS: dict[str, tuple[Nos, str]] = {
    "eos": (eos.NOS, "interface Ethernet1\n   {}\n"),
    "nxos": (nxos.NOS, "interface Ethernet1/1\n  {}\n"),
    "os10": (os10.NOS, "interface ethernet1/1/1\n {}\n"),
    "esonic": (esonic.NOS, "interface Ethernet0\n {}\n"),
    "vrp": (vrp.NOS, "interface 100GE1/0/1\n {}\n"),
    "comware": (comware.NOS, "interface HundredGigE1/0/1\n {}\n"),
    "iosxr": (iosxr.NOS, "interface HundredGigE0/0/0/1\n {}\n"),
    "aoscx": (aoscx.NOS, "interface 1/1/1\n    {}\n"),
}


@pytest.mark.parametrize(
    ("system", "line", "state"),
    [
        ("eos", "storm-control all level 3", LineState.UNRECOGNISED),
        ("eos", "storm-control all level pps 500", LineState.UNRECOGNISED),
        ("eos", "storm-control all level 100", LineState.IGNORED),  # all of the port's speed
        ("eos", "storm-control broadcast level 3", LineState.IGNORED),
        ("eos", "storm-control unknown-unicast level 1", LineState.IGNORED),
        ("eos", "no storm-control all", LineState.IGNORED),
        ("nxos", "storm-control unicast level 10.00", LineState.UNRECOGNISED),
        ("nxos", "storm-control unicast level 100.00", LineState.IGNORED),
        ("nxos", "storm-control action shutdown", LineState.UNRECOGNISED),
        ("nxos", "storm-control multicast level 10.00", LineState.IGNORED),
        ("os10", "storm-control broadcast 1000", LineState.IGNORED),
        ("esonic", "storm-control unknown-unicast 1000", LineState.IGNORED),
        ("vrp", "storm control unicast min-rate 1000 max-rate 2000", LineState.UNRECOGNISED),
        ("vrp", "storm suppression broadcast 80", LineState.IGNORED),
        ("comware", "storm-constrain unicast pps 2000 1000", LineState.UNRECOGNISED),
        ("comware", "storm-constrain broadcast pps 2000 1000", LineState.IGNORED),
        ("iosxr", "storm-control unknown-unicast pps 100", LineState.IGNORED),
        ("aoscx", "rate-limit unknown-unicast 100 kbps", LineState.IGNORED),
    ],
)
def test_storm_control(system: str, line: str, state: LineState) -> None:
    nos, text = PORTS[system]
    device = reader.read(nos, text.format(line))
    assert 2 in states(device, state)


UNREAD = {
    "eos": ["mac access-group M", "switchport port-security", "switchport port-security violation protect log", "ip verify unicast source reachable-via rx", "ip nat source static 1.1.1.1 2.2.2.2",
            "service-policy type pbr input P", "dot1x port-control auto", "traffic-policy input T", "switchport pvlan mapping 10",
            "traffic-loopback source system device phy", "unidirectional send-only"],
    "nxos": ["mac port access-group M", "switchport port-security", "ip verify unicast source reachable-via any", "ip policy route-map R",
             "service-policy type pbr input P", "switchport isolated", "switchport mode private-vlan host", "shutdown lan"],
    "os10": ["ip verify source", "switchport port-security"],
    "esonic": ["port-security enable", "service-policy type qos in P"],
    "vrp": ["traffic-policy P inbound", "qos lr cir 1000 outbound", "qos car inbound C", "qos queue 3 shaping cir 10", "loopback internal",
            "port-isolate enable group 1", "mac-address limit maximum 1"],
    "comware": ["qos lr outbound cir 1000", "loopback internal", "ip urpf strict", "mac-address max-mac-count 1", "ip policy-based-route P"],
    "iosxr": ["ipv4 verify unicast source reachable-via rx", "ipv4 access-group common C ingress", "service-policy type pbr input P",
              "loopback internal"],
    "aoscx": ["apply policy P in", "port-access port-security enable", "aaa authentication port-access dot1x authenticator enable"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("system", "line"), [(system, line) for system, lines in UNREAD.items() for line in lines]
)
def test_a_line_that_may_drop_is_unread_and_counts(system: str, line: str) -> None:
    nos, text = PORTS[system]
    device = reader.read(nos, text.format(line))
    assert 2 in states(device, LineState.UNRECOGNISED)
    assert [line.text for line in device.unread] == [line]


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("eos", "spanning-tree bpduguard enable"),
        ("eos", "no switchport port-security"),
        ("eos", "switchport port-security mac-address maximum 1"),  # `show running-config all`
        ("eos", "ip nat source static 3.0.0.4 22 4.0.0.4 23 protocol tcp group 1"),
        ("nxos", "switchport port-security violation shutdown"),
        ("eos", "ip igmp snooping"),
        ("eos", "dot1x port-control force-authorized"),
        ("nxos", "udld aggressive"),
        ("nxos", "link debounce time 0"),
        ("iosxr", "dampening"),
        ("vrp", "loopback-detect enable"),
        ("comware", "undo ip urpf"),
        ("aoscx", "loop-protect"),
    ],
)
def test_a_line_that_drops_nothing_is_ignored(system: str, line: str) -> None:
    nos, text = PORTS[system]
    assert 2 in states(reader.read(nos, text.format(line)), LineState.IGNORED)


SOURCES = {"junos": "configuration", "cumulus": "nvue-commands", "srlinux": "config"}
WORDS = {
    "junos": (junos.NOS, "set system host-name a\nset interfaces et-0/0/0 unit 0 family inet address 10.0.0.0/31\nset {}\n"),
    "cumulus": (cumulus.NOS, "nv set system hostname a\nnv set interface swp1 type swp\nnv set {}\n"),
    "srlinux": (srlinux.NOS, "set / system name host-name a\nset / interface ethernet-1/1 admin-state enable\nset / {}\n"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("junos", "interfaces et-0/0/0 unit 0 family inet rpf-check"),
        ("junos", "interfaces et-0/0/0 ether-options loopback"),
        ("junos", "interfaces et-0/0/0 gigether-options source-filtering"),
        ("junos", "forwarding-options family inet filter input F"),
        ("junos", "forwarding-options storm-control-profiles P action-shutdown"),
        ("junos", "switch-options interface et-0/0/0.0 interface-mac-limit packet-action shutdown"),
        ("cumulus", "interface swp1 port-security enable on"),
        ("cumulus", "interface swp1 dot1x authentication-mode mac"),
        ("cumulus", "interface swp1 link port-isolation enable"),
        ("srlinux", "interface ethernet-1/1 loopback-mode facility"),
        ("srlinux", "interface ethernet-1/1 subinterface 0 ipv4 urpf-check mode strict"),
        ("srlinux", "interface ethernet-1/1 subinterface 0 qos input policer-template P"),
    ],
)
def test_a_statement_that_may_drop_is_unread_and_counts(system: str, line: str) -> None:
    nos, text = WORDS[system]
    device = reader.read(nos, text.format(line), SOURCES.get(system, "running-config"))
    assert 3 in states(device, LineState.UNRECOGNISED)
    assert len(device.unread) == 1


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("junos", "interfaces et-0/0/0 ether-options no-loopback"),
        ("junos", "interfaces lo0 unit 0 family inet filter input PROTECT"),
        ("cumulus", "interface swp1 link storm-control unknown-unicast 400"),
        ("cumulus", "interface swp1 link flap-protection enable on"),
        ("srlinux", "interface ethernet-1/1 ethernet storm-control unknown-unicast-rate 1"),
        ("srlinux", "acl cpm-filter ipv4-filter entry 10 action drop"),
    ],
)
def test_a_statement_that_drops_nothing_is_ignored(system: str, line: str) -> None:
    nos, text = WORDS[system]
    device = reader.read(nos, text.format(line), SOURCES.get(system, "running-config"))
    assert 3 in states(device, LineState.IGNORED)


@pytest.mark.parametrize(
    ("nos", "line"),
    [
        (nxos.NOS, "vlan filter V vlan-list 10"),
        (comware.NOS, "packet-filter default deny"),
        (comware.NOS, "qos vlan-policy P vlan 10 inbound"),
        (vrp.NOS, "traffic-policy P global inbound"),
        (vrp.NOS, "traffic-filter acl 3000 global inbound"),
    ],
)
def test_a_filter_of_the_whole_device_counts(nos: Nos, line: str) -> None:
    assert [each.text for each in reader.read(nos, f"{line}\n").unread] == [line]
