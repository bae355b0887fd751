"""Interfaces: kinds, state, MTU, VLANs, speeds, channels."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.naming import between, fits, kind_of, members, specific
from tests.nos.junos.reading import HOST, read, whole
from tests.nos.reader import default_sentence, line, notes


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("et-0/0/0", InterfaceKind.PHYSICAL),
        ("xe-0/0/1:3", InterfaceKind.PHYSICAL),
        ("ge-1/0/47", InterfaceKind.PHYSICAL),
        ("ae0", InterfaceKind.LAG),
        ("lo0", InterfaceKind.LOOPBACK),
        ("re0:mgmt-0", InterfaceKind.MANAGEMENT),
        ("fxp0", InterfaceKind.MANAGEMENT),
        ("em0", InterfaceKind.MANAGEMENT),
        ("irb", InterfaceKind.VLAN),
        ("gr-0/0/0", InterfaceKind.TUNNEL),
        ("et-0/0/", InterfaceKind.OTHER),
    ],
)
def test_kinds_by_name(name: str, kind: InterfaceKind) -> None:
    assert kind_of(name) is kind


def test_patterns_of_class_of_service() -> None:
    names = ["et-0/0/1", "xe-0/0/1", "ae1"]
    assert [n for n in names if fits("et-*", n)] == ["et-0/0/1"]
    assert [n for n in names if fits("all", n)] == names
    order = ["all", "*", "et-*", "et-0/0/*"]
    assert sorted(["et-0/0/*", "all", "et-*", "*"], key=specific) == order


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("xe-0/0/[0,1]", ["xe-0/0/0", "xe-0/0/1"]),
        ("xe-0/0/[0-2,7]", ["xe-0/0/0", "xe-0/0/1", "xe-0/0/2", "xe-0/0/7"]),
        ("et-0/[01]/[23]", ["et-0/0/2", "et-0/0/3", "et-0/1/2", "et-0/1/3"]),
        ("et-*", ["et-0/0/0"]),
        ("ge-0/0/5", ["ge-0/0/5"]),
        ("et-0/0/[0-99999]", []),
        ("et-[0-4000]/[0-4000]/[0-4000]", []),
    ],
)
def test_members_of_ranges(pattern: str, names: list[str]) -> None:
    assert members(pattern, ["et-0/0/0", "xe-0/0/9"]) == names


def test_ranges_from_to() -> None:
    assert between("xe-0/0/9", "xe-0/0/11") == ["xe-0/0/9", "xe-0/0/10", "xe-0/0/11"]
    assert between("xe-0/0/9", "xe-0/1/11") == []
    assert between("xe-0/0/0", "xe-0/0/99999") == []


def test_a_range_gives_what_its_members_do_not_state() -> None:
    found = read(
        """
        set system host-name interface-range
        set interfaces xe-0/0/0 mtu 9000
        set interfaces interface-range members member "xe-0/0/[0,1]"
        set interfaces interface-range members mtu 8000
        set interfaces interface-range members description dodo
        """
    )
    ports = found.interfaces
    assert sorted(ports) == ["xe-0/0/0", "xe-0/0/1"]
    assert [(p.frame_mtu, line(p, "frame_mtu")) for p in ports.values()] == [(9000, 2), (8000, 4)]
    assert [p.description for p in ports.values()] == ["dodo", "dodo"]


def test_a_range_without_end_is_reported() -> None:
    found = read(HOST + "set interfaces interface-range r member et-0/0/[0-99999]\n")
    assert notes(found) == [(2, "interface-range r: its members are not understood")]


MTU = [
    ("mtu 9216", None, (9202, 3)),
    ("mtu 9216", "mtu 9170", (9170, 4)),
    (None, "mtu 1400", (1400, 3)),
    (None, None, (1500, 0)),
]


@pytest.mark.parametrize(("media", "inet", "expected"), MTU)
def test_ip_mtu_is_the_family_s_or_what_the_medium_leaves(
    media: str | None, inet: str | None, expected: tuple[int, int]
) -> None:
    stated = [f"set interfaces et-0/0/0 {media}"] if media else []
    stated += [f"set interfaces et-0/0/0 unit 0 family inet {inet}"] if inet else []
    port = whole("\n".join(stated) + "\n").interfaces["et-0/0/0"]
    assert (port.ip_mtu, line(port, "ip_mtu")) == expected
    if not stated:
        assert default_sentence(port, "ip_mtu") == defaults.MTU.says


def test_a_family_mtu_has_to_fit() -> None:
    found = whole(
        "set interfaces et-0/0/0 mtu 1514\nset interfaces et-0/0/0 unit 0 family inet mtu 9000\n"
    )
    assert found.interfaces["et-0/0/0"].ip_mtu == 1500
    assert notes(found) == [
        (
            4,
            ("family inet mtu '9000', takes 68 to 1500 bytes under the interface's mtu"),
        )
    ]


def test_a_family_mtu_has_to_fit_into_the_default_too() -> None:
    text = "set interfaces et-0/0/0 unit 0 family inet mtu 9170\n"
    port = whole(text).interfaces["et-0/0/0"]
    assert (port.ip_mtu, default_sentence(port, "ip_mtu")) == (
        1500,
        defaults.MTU.says,
    )
    message = "family inet mtu '9170', takes 68 to 1500 bytes under the interface's mtu"
    assert notes(whole(text)) == [(3, message)]
    part = read(text)  # the interface's mtu may stand in another part
    assert (part.interfaces["et-0/0/0"].ip_mtu, notes(part)) == (9170, [])


def test_a_trunk_leaves_room_for_the_tag() -> None:
    found = read(
        """
        set system host-name leaf1
        set vlans blue vlan-id 10
        set vlans red vlan-id 20
        set vlans red l3-interface irb.20
        set interfaces et-0/0/1 mtu 9216
        set interfaces et-0/0/1 unit 0 family ethernet-switching interface-mode trunk
        set interfaces et-0/0/1 unit 0 family ethernet-switching vlan members [ blue 30-31 ]
        set interfaces et-0/0/2 unit 0 family ethernet-switching vlan members red
        set interfaces et-0/0/3 native-vlan-id 10
        set interfaces et-0/0/3 unit 0 family ethernet-switching interface-mode trunk
        set interfaces et-0/0/3 unit 0 family ethernet-switching vlan members all
        set interfaces irb unit 20 family inet mtu 9000
        set interfaces irb unit 20 family inet address 10.20.0.1/24
        """
    )
    trunk, access, native, irb = (
        found.interfaces[n] for n in ("et-0/0/1", "et-0/0/2", "et-0/0/3", "irb.20")
    )
    assert (trunk.routed, trunk.tagged, trunk.ip_mtu) == (False, True, 9198)
    assert (trunk.tagged_vlans, line(trunk, "tagged_vlans")) == (frozenset({10, 30, 31}), 7)
    assert (access.tagged, access.untagged_vlan, line(access, "untagged_vlan")) == (False, 20, 8)
    assert (native.tagged, native.untagged_vlan) == (None, 10)
    assert (irb.kind, irb.untagged_vlan, irb.ip_mtu) == (InterfaceKind.VLAN, 20, 9000)
    assert (irb.addresses, line(irb, "untagged_vlan")) == (("10.20.0.1/24",), 3)


def test_units_behind_tags_are_interfaces_of_their_own() -> None:
    found = read(
        """
        set system host-name leaf1
        set interfaces et-0/0/1 vlan-tagging
        set interfaces et-0/0/1 mtu 9192
        set interfaces et-0/0/1 unit 100 vlan-id 100
        set interfaces et-0/0/1 unit 100 family inet address 10.1.0.0/31
        set interfaces et-0/0/1 unit 200 vlan-id 200
        set interfaces et-0/0/1 unit 200 family inet address 10.2.0.0/31
        set interfaces et-0/0/1 unit 200 disable
        set routing-instances RED instance-type vrf
        set routing-instances RED interface et-0/0/1.100
        """
    )
    assert sorted(found.interfaces) == ["et-0/0/1", "et-0/0/1.100", "et-0/0/1.200"]
    first, second = found.interfaces["et-0/0/1.100"], found.interfaces["et-0/0/1.200"]
    assert (first.kind, first.parent, first.vrf) == (InterfaceKind.SUBINTERFACE, "et-0/0/1", "RED")
    assert (first.tagged_vlans, first.ip_mtu) == (frozenset({100}), 9174)
    assert (second.enabled, line(second, "enabled")) == (False, 8)
    assert found.interfaces["et-0/0/1"].addresses == ()


def test_members_have_their_channel_s_layers() -> None:
    found = read(
        """
        set system host-name leaf1
        set interfaces et-0/0/1 ether-options 802.3ad ae1
        set interfaces et-0/0/2 gigether-options 802.3ad ae1
        set interfaces ae1 mtu 9192
        set interfaces ae1 unit 0 family inet address 10.1.0.0/31
        """
    )
    port = found.interfaces["et-0/0/1"]
    assert (port.lag, line(port, "lag"), port.routed, port.ip_mtu) == ("ae1", 2, True, 9178)
    assert (line(port, "ip_mtu"), port.idle, port.addresses) == (4, False, ())
    assert found.interfaces["ae1"].members == ("et-0/0/1", "et-0/0/2")


@pytest.mark.parametrize(
    ("stated", "idle"),
    [
        ("unit 0 family inet", True),
        ("speed 100g", True),
        ("unit 0 family inet address 10.0.0.0/31", False),
        ("unit 0 family inet unnumbered-address lo0.0", False),
        ("unit 0 family inet6", False),
        ("unit 0 family ethernet-switching", False),
        ("ether-options 802.3ad ae1", False),
        ("encapsulation ethernet-ccc", False),
    ],
)
def test_a_port_that_nothing_passes_is_idle(stated: str, idle: bool) -> None:
    found = read(HOST + f"set interfaces et-0/0/1 {stated}\n")
    assert found.interfaces["et-0/0/1"].idle is idle
    part = read(f"set interfaces et-0/0/1 {stated}\n")
    assert part.interfaces["et-0/0/1"].idle is None


def test_speeds_and_split_cages() -> None:
    found = read(
        """
        set system host-name leaf1
        set chassis fpc 0 pic 0 port 7 speed 100g
        set chassis fpc 0 pic 0 port 26 channel-speed 10g
        set interfaces et-0/0/0 number-of-sub-ports 2
        set interfaces et-0/0/0 speed 400g
        set interfaces et-0/0/0:1 unit 0 family inet
        set interfaces et-0/0/7 unit 0 family inet
        set interfaces et-0/0/26 unit 0 family inet
        set interfaces xe-0/0/26:2 unit 0 family inet
        set interfaces ge-0/0/8 speed 100m
        set interfaces ge-0/0/9 speed auto
        set interfaces ge-0/0/10 speed fast
        """
    )
    speeds = {
        name: (port.speed_gbps, line(port, "speed_gbps")) for name, port in found.interfaces.items()
    }
    assert speeds == {
        "et-0/0/0": (400.0, 5),
        "et-0/0/0:1": (400.0, 5),
        "et-0/0/7": (100.0, 2),
        "et-0/0/26": (None, 0),
        "xe-0/0/26:2": (10.0, 3),
        "ge-0/0/8": (0.1, 10),
        "ge-0/0/9": (None, 0),
        "ge-0/0/10": (None, 0),
    }
    parents = [n for n, p in found.interfaces.items() if p.kind is InterfaceKind.BREAKOUT_PARENT]
    assert parents == ["et-0/0/0", "et-0/0/26"]
    parts = [(found.interfaces[n].parts, found.interfaces[n].parts_gbps) for n in parents]
    assert parts == [(2, 400.0), (None, None)]
    assert notes(found) == [(12, "speed 'fast' is not understood")]


@pytest.mark.parametrize(
    ("stated", "fec"),
    [("fec91", Fec.RS), ("fec108", Fec.RS), ("fec74", Fec.FC), ("none", Fec.NONE), ("fec1", None)],
)
def test_fec(stated: str, fec: Fec | None) -> None:
    found = read(HOST + f"set interfaces et-0/0/1 ether-options fec {stated}\n")
    assert found.interfaces["et-0/0/1"].fec is fec
    assert bool(notes(found)) is (fec is None)


def test_ports_that_are_switched_off() -> None:
    found = whole(
        "set interfaces et-0/0/1 disable\nset interfaces et-0/0/2 unit 0 disable\n"
        "set interfaces et-0/0/3 ether-options 802.3ad ae1\nset interfaces ae1 disable\n"
    )
    off = {n: line(p, "enabled") for n, p in found.interfaces.items() if p.enabled is False}
    assert off == {"et-0/0/1": 3, "et-0/0/2": 4, "et-0/0/3": 6, "ae1": 6}
    assert default_sentence(found.interfaces["et-0/0/0"], "enabled") == defaults.ENABLED.says


def test_addresses_are_those_of_both_families() -> None:
    found = whole(
        "set interfaces et-0/0/0 unit 0 family inet6 address 2001:db8::1/127\n"
        "set interfaces et-0/0/0 unit 0 family inet6 address fe80::1/64\n"
        "set interfaces et-0/0/0 unit 0 family inet address 10.0.0.999/31\n"
    )
    assert found.interfaces["et-0/0/0"].addresses == ("10.0.0.0/31", "2001:db8::1/127")
    assert notes(found) == [(5, "'10.0.0.999/31' is not an address")]


def test_comments_of_the_device() -> None:
    found = whole("set version 23.4X100-D31.7-EVO\nset routing-options autonomous-system 65001\n")
    assert (found.vendor, found.os_version, found.asn) == ("Juniper", "23.4X100-D31.7-EVO", 65001)
    assert (found.partial, read("set interfaces et-0/0/0 mtu 9216\n").partial) == (False, True)


LLDP = """\
Local Interface    Parent Interface    Chassis Id          Port info          System Name
et-0/0/0           -                   0c:42:a1:01:00:01   et-0/0/5           spine1
et-0/0/0.0         ae1                 0c:42:a1:01:00:02   Ethernet1/1        spine2.example.net
et-9/0/0           -                   0c:42:a1:01:00:03   x                  gone
"""


def test_neighbours_that_lldp_shows() -> None:
    found = read(HOST + "set interfaces et-0/0/0 unit 0 family inet\n", lldp=LLDP)
    heard = [(n.device, n.names, line(n)) for n in found.interfaces["et-0/0/0"].neighbors]
    assert heard == [
        ("spine1", ("et-0/0/5",), 2),
        ("spine2.example.net", ("Ethernet1/1",), 3),
    ]


def test_dynamic_load_balancing() -> None:
    dlb = "set forwarding-options enhanced-hash-key ecmp-dlb {}\n"
    on = whole(dlb.format("flowlet inactivity-interval 128") + dlb.format("ether-type ipv4"))
    port = on.interfaces["et-0/0/0"]
    assert (port.adaptive_routing, line(port, "adaptive_routing")) == (True, 3)
    off = whole(dlb.format("ether-type ipv4"))
    assert off.interfaces["et-0/0/0"].adaptive_routing is False
    assert notes(off) == [(3, "ecmp-dlb has no mode (flowlet, per-packet) and does nothing")]
    assert whole("").interfaces["et-0/0/0"].adaptive_routing is None
