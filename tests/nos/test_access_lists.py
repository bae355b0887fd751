"""Access lists: RoCEv2 matches of their entries, and the ports with dropping lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.model.device import Device
from roce_lint.model.qos import MatchKind
from roce_lint.nos import eos, nxos, sonic
from roce_lint.nos.access_lists import Takes, parse_takes, spell_keyed
from roce_lint.nos.base import Nos
from roce_lint.nos.registry import all_nos
from tests.nos import reader
from tests.nos.reader import line


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("ip any any", Takes()),
        ("udp any any", Takes()),
        ("udp any any eq 4791", Takes()),
        ("17 any any range 4000 5000 log", Takes()),
        ("udp any any eq 53 4791", Takes()),
        ("udp any any neq 53", Takes()),
        ("udp any any eq 4791 dscp 26", Takes(frozenset({26}))),
        ("ip any any dscp af31", Takes(frozenset({26}))),
        ("any", Takes()),
        ("host 10.0.0.1", Takes(None, exact=False)),
        ("udp 10.0.0.0/8 any eq 4791", Takes(None, exact=False)),
        ("udp 10.0.0.0 0.255.255.255 any", Takes(None, exact=False)),
        ("udp any host 10.0.0.1", Takes(None, exact=False)),
        ("udp addrgroup A any eq 4791", Takes(None, exact=False)),
        ("udp any gt 1023 any eq 4791", Takes(None, exact=False)),
        ("ip any any fragments", Takes(None, exact=False)),
        ("ipv6 any any", Takes()),
        ("ipv6 2001:db8::/32 any", Takes(None, exact=False)),
        ("udp any host 2001:db8::1 eq 4791", Takes(None, exact=False)),
        ("tcp any any", None),
        ("icmp any any", None),
        ("udp any any eq 53", None),
        ("udp any any eq bootps", None),
        ("udp any any lt 4791", None),
        ("udp any any gt 4791", None),
        ("udp any any range 5000 6000", None),
        ("6 any any", None),
        ("ipv4 any any", Takes()),
        ("service-group any any", Takes(None, exact=False)),
        ("udp net-group A any eq 4791", Takes(None, exact=False)),
        ("2001:db8::/32 any", Takes(None, exact=False)),
    ],
)
def test_what_an_entry_takes(text: str, takes: Takes | None) -> None:
    assert parse_takes(text) == takes


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("udp destination-port eq 4791", "udp any any eq 4791"),
        ("ip", "ip any any"),
        ("", "ip any any"),
        ("source 10.0.0.0 0.255.255.255", "ip host 10.0.0.0 any"),
        ("udp source any destination-port range 1 9 dscp af31", "udp any any range 1 9 dscp af31"),
        ("udp source-port gt 1023 destination 10.0.0.1 0", "udp any gt 1023 host 10.0.0.1"),
        ("udp time-range night", "udp any any time-range night"),
    ],
)
def test_an_entry_of_keywords(text: str, spelt: str) -> None:
    assert spell_keyed(text) == spelt


@pytest.mark.parametrize("system", ["aoscx", "comware", "esonic", "iosxr", "os10", "vrp"])
def test_the_ports_of_a_system_with_lists(system: str, root: Path) -> None:
    """One port with a list that drops, one with a list that permits first, one with IPv6 only."""
    text = (root / "tests" / "nos" / system / "filters" / "running-config.cfg").read_text()
    device = reader.read(all_nos()[system], text)
    ports = [port.qos for port in device.interfaces.values() if port.qos is not None]
    (first,) = {q.policing for q in ports if q.policing and q.policing.startswith("access list")} - {
        "access list edge", "access list 2000"
    }  # fmt: skip
    (third,) = {q.policing_out for q in ports if (q.policing_out or "").startswith("IPv6")}
    assert any((q.policing, q.policing_out) == (None, None) for q in ports)
    for name in (first, third):
        assert next(m.police_bps for m in device.qos.policing[name or ""].matches) == 0
    some = [q.policing for q in ports if (q.policing or "").startswith("some packets")]
    assert some != []
    assert all(m.kind is MatchKind.ACL for m in device.qos.policing[some[0] or ""].matches)


LISTS = {
    "eos": (eos.NOS, "hostname a\n", "Ethernet1"),
    "nxos": (nxos.NOS, "hostname a\n", "Ethernet1/1"),
}


def with_list(system: str, rules: list[str], way: str = "in") -> Device:
    nos, head, port = LISTS[system]
    entries = "".join(f"   {rule}\n" for rule in rules)
    text = f"{head}ip access-list EDGE\n{entries}interface {port}\n   no switchport\n"
    return reader.read(nos, f"{text}   ip access-group EDGE {way}\n")


@pytest.mark.parametrize("system", LISTS)
@pytest.mark.parametrize(
    ("rules", "dropping"),
    [
        (["10 deny udp any any eq 4791", "20 permit ip any any"], [3]),
        (["10 permit tcp any any"], [3]),  # what no entry takes
        (["10 permit udp 10.0.0.0/8 any", "20 deny ip any any"], [4]),
        (["10 permit udp 10.0.0.0/8 any", "20 permit tcp any any"], [4]),
    ],
)
def test_a_list_that_drops_is_bound(system: str, rules: list[str], dropping: list[int]) -> None:
    device = with_list(system, rules)
    (port,) = (p for p in device.interfaces.values() if p.qos is not None)
    assert port.qos is not None
    assert port.qos.policing == "access list EDGE"
    assert port.qos.policing_out is None
    assert line(port.qos, "policing") == 5 + len(rules)
    found = device.qos.policing["access list EDGE"].matches
    assert [line(match, "police_bps") for match in found if match.police_bps == 0] == dropping


@pytest.mark.parametrize("system", LISTS)
@pytest.mark.parametrize(
    "rules", [["10 permit ip any any"], ["5 permit udp any any", "9 deny ip any any"]]
)
def test_a_list_that_lets_everything_through_is_not_bound(system: str, rules: list[str]) -> None:
    device = with_list(system, rules)
    assert [p.qos.policing for p in device.interfaces.values() if p.qos is not None] == [None]
    assert device.qos.policing == {}


@pytest.mark.parametrize("system", LISTS)
def test_a_list_on_what_leaves_and_one_that_nothing_defines(system: str) -> None:
    device = with_list(system, ["10 deny udp any any"], "out")
    (qos,) = (p.qos for p in device.interfaces.values() if p.qos is not None)
    assert (qos.policing, qos.policing_out) == (None, "access list EDGE")
    device = with_list(system, [])
    (qos,) = (p.qos for p in device.interfaces.values() if p.qos is not None)
    assert (qos.policing, qos.policing_out) == (None, None)


def sonic_with(table: dict[str, object], rules: dict[str, dict[str, str]]) -> Device:
    tables = {
        "DEVICE_METADATA": {"localhost": {"hostname": "a"}},
        "PORT": {"Ethernet0": {"admin_status": "up", "lanes": "1"}},
        "DSCP_TO_TC_MAP": {"M": {"26": "3"}},
        "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "M"}},
        "ACL_TABLE": {"EDGE": table},
        "ACL_RULE": {f"EDGE|{name}": rule for name, rule in rules.items()},
    }
    return reader.read(sonic.NOS, json.dumps(tables, indent=1), "config-db")


SOME = "some packets: IPv6 access list EDGE"
DROP = {"PRIORITY": "20", "PACKET_ACTION": "DROP", "IP_PROTOCOL": "17", "L4_DST_PORT": "4791"}
ALL = {"PRIORITY": "10", "PACKET_ACTION": "FORWARD"}


@pytest.mark.parametrize(
    ("table", "rules", "bound"),
    [
        ({"type": "L3", "ports": ["Ethernet0"], "stage": "ingress"}, {"A": DROP}, True),
        ({"type": "L3", "ports": ["Ethernet0"]}, {"A": ALL, "B": DROP}, True),
        ({"type": "L3", "ports": ["Ethernet0"]}, {"A": {**ALL, "PRIORITY": "30"}}, False),
        ({"type": "L3", "ports": ["Ethernet4"]}, {"A": DROP}, False),
        ({"type": "MIRROR", "ports": ["Ethernet0"]}, {"A": DROP}, False),
        ({"type": "L3", "ports": ["Ethernet0"]}, {"A": {**DROP, "L4_DST_PORT": "53"}}, False),
    ],
)
def test_rules_of_tables(
    table: dict[str, object], rules: dict[str, dict[str, str]], *, bound: bool
) -> None:
    device = sonic_with(table, rules)
    qos = device.interfaces["Ethernet0"].qos
    assert qos is not None
    assert (qos.policing == "access list EDGE") is bound
    assert ("access list EDGE" in device.qos.policing) or not bound


@pytest.mark.parametrize(
    ("table", "rule"),
    [
        ({"type": "L3V6", "ports": ["Ethernet0"]}, DROP),
        ({"type": "L3V6", "ports": ["Ethernet0"]}, {**DROP, "IP_TYPE": "IPV6ANY"}),
        ({"type": "SITE", "ports": ["Ethernet0"]}, DROP),
        ({"type": "L3", "ports": ["Ethernet0"]}, {**DROP, "PACKET_ACTION": "REDIRECT:Ethernet4"}),
        ({"type": "L3", "ports": ["Ethernet0"]}, {**DROP, "SRC_IP": "10.0.0.0/8"}),
    ],
)
def test_a_rule_that_may_take_roce(table: dict[str, object], rule: dict[str, str]) -> None:
    device = sonic_with(table, {"A": rule})
    qos = device.interfaces["Ethernet0"].qos
    assert qos is not None
    (match,) = device.qos.policing[qos.policing or ""].matches
    assert (match.kind, match.police_bps) == (MatchKind.ACL, 0)


def test_a_rule_of_higher_priority_comes_first() -> None:
    table: dict[str, object] = {"type": "L3", "ports": ["Ethernet0"]}
    some = {**ALL, "PRIORITY": "30", "SRC_IP": "10.0.0.0/8"}
    found = sonic_with(table, {"A": DROP, "B": some}).qos.policing["access list EDGE"].matches
    assert [match.police_bps for match in found] == [None, 0]
    every = {**ALL, "PRIORITY": "30"}
    assert sonic_with(table, {"A": DROP, "B": every}).qos.policing == {}


@pytest.mark.parametrize(
    ("addresses", "bound"),
    [
        (["ipv6 address 2001:db8::/127"], "IPv6 access list EDGE"),
        (["ipv6 address 2001:db8::/127", "ip address 10.0.0.0/31"], SOME),  # RoCE may be IPv4
        (["ip address 10.0.0.0/31"], None),
        ([], SOME),
    ],
)
def test_a_list_for_ipv6_is_certain_where_nothing_else_is_spoken(
    addresses: list[str], bound: str | None
) -> None:
    text = (
        "hostname a\nip access-list EDGE\n   10 permit ip any any\n"
        "ipv6 access-list EDGE\n   10 deny udp any any eq 4791\n   20 permit ipv6 any any\n"
        "interface Ethernet1\n   no switchport\n   ip access-group EDGE in\n"
        "   ipv6 access-group EDGE in\n"
    )
    device = reader.read(eos.NOS, text + "".join(f"   {line}\n" for line in addresses))
    qos = device.interfaces["Ethernet1"].qos
    assert qos is not None
    assert qos.policing == bound
    if bound:
        assert line(qos, "policing") == 10
        (match,) = device.qos.policing[bound].matches
        assert line(match, "police_bps") == 5
        assert (match.kind is MatchKind.ACL) is (bound == SOME)


LISTED = "ip access-list EDGE\n  10 deny udp any any\n"
ON_VLAN = "interface {}\n  switchport access vlan 10\n"


@pytest.mark.parametrize(
    ("nos", "text"),
    [
        (eos.NOS, "interface Ethernet1\n   no switchport\n   ip access-group NOWHERE in\n"),
        (eos.NOS, f"{LISTED}interface Vlan10\n   ip access-group EDGE in\n{ON_VLAN.format('Ethernet1')}"),
        (nxos.NOS, f"{LISTED}interface Vlan10\n  ip access-group EDGE in\n{ON_VLAN.format('Ethernet1/1')}"),
        (nxos.NOS, f"{LISTED}interface Ethernet1/1\n  no switchport\ninterface Ethernet1/1.10\n  encapsulation dot1q 10\n  ip access-group EDGE in\n"),
    ],
)  # fmt: skip
def test_which_packets_meet_a_list_is_open(nos: Nos, text: str) -> None:
    device = reader.read(nos, f"hostname a\n{text}")
    bound = {p.qos.policing for p in device.interfaces.values() if p.qos is not None}
    (name,) = bound
    assert all(m.kind is MatchKind.ACL for m in device.qos.policing[name or ""].matches)


def test_a_list_of_a_vlan_is_not_met_elsewhere() -> None:
    text = (
        "hostname a\nip access-list EDGE\n   10 deny udp any any\n"
        "interface Vlan10\n   ip access-group EDGE in\n"
        "interface Ethernet1\n   switchport access vlan 20\n"
        "interface Management1\n   ip access-group EDGE in\n"
    )
    assert reader.read(eos.NOS, text).qos.policing == {}
