"""ifupdown2 stanzas, NCLU commands, and combinations of a switch's files."""

from __future__ import annotations

from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.model.qos import Trust
from roce_lint.text.source import LineState
from tests.nos.cumulus.reading import COMMANDS, INTERFACES, NCLU, flat, port, qos, read
from tests.nos.reader import line, states


def test_files_that_nvue_writes_are_passed_over() -> None:
    device = read(
        (COMMANDS, "nv set interface swp1 ip address 10.0.0.0/31\nnv set qos roce\n"),
        flat("traffic.packet_priority_source_set = [port]\n"),
        (INTERFACES, "auto swp1\niface swp1\n    mtu 1500\n"),
    )
    assert (qos(device).trust, port(device).ip_mtu) == (Trust.BOTH, 9216)
    assert states(device, LineState.UNCLAIMED, 1) == [1, 2]


def test_flat_files_beside_nvue_without_qos() -> None:
    device = read(
        (COMMANDS, "nv set interface swp1 ip address 10.0.0.0/31\n"),
        flat("traffic.packet_priority_source_set = [dscp]\n"),
    )
    assert qos(device).trust is Trust.DSCP


STANZAS = """
    auto lo
    iface lo inet loopback
        address 10.9.9.9/32

    auto swp1
    iface swp1
        alias to gpu1
        mtu 9000
        link-speed 400000
        link-autoneg off
        link-fec rs
        address 10.0.0.0/31
        vrf RED

    auto swp2
    iface swp2
        link-down yes

    auto bond1
    iface bond1
        bond-slaves glob swp3-4
        bond-lacp-bypass-allow yes
        bridge-access 20
        clag-id 1

    auto bridge
    iface bridge
        bridge-ports bond1 swp5
        bridge-vlan-aware yes
        bridge-vids 10 20

    auto vlan20
    iface vlan20
        vlan-id 20
        vlan-raw-device bridge
        address 10.1.0.1/24

    auto mgmt
    iface mgmt
        vrf-table auto
        address 127.0.0.1/8

    auto swp6
    iface swp6
        wibble 3
    """


def test_stanzas() -> None:
    device = read((INTERFACES, STANZAS))
    found = port(device)
    assert (found.description, found.ip_mtu, found.speed_gbps) == ("to gpu1", 9000, 400)
    assert (found.fec, found.autoneg, found.vrf) == (Fec.RS, False, "RED")
    assert (found.addresses, line(found, "ip_mtu"), line(found)) == (("10.0.0.0/31",), 8, 6)
    assert (port(device, "swp2").enabled, line(port(device, "swp2"), "enabled")) == (False, 17)
    assert port(device, "bond1").members == ("swp3", "swp4")
    assert (port(device, "swp3").untagged_vlan, port(device, "swp3").routed) == (20, False)
    assert port(device, "swp5").routed is False
    assert port(device, "bridge").kind is InterfaceKind.BRIDGE
    assert (port(device, "vlan20").kind, port(device, "vlan20").untagged_vlan) == (
        InterfaceKind.VLAN,
        20,
    )
    assert "mgmt" not in device.interfaces
    assert states(device, LineState.UNRECOGNISED) == [45]


def test_a_capture_of_all_files() -> None:
    device = read(
        (
            INTERFACES,
            """
            leaf01
            auto swp1
            iface swp1
            auto swp2
            iface swp2
                mtu 9000
            frr version 7.4
            hostname leaf01
            interface swp2
             mtu 1500
            router bgp 65001
             neighbor swp1 interface peer-group Fabric
            """,
        )
    )
    assert (device.asn, line(device, "asn"), line(device, "hostname")) == (65001, 11, 8)
    assert (port(device).uplink, port(device).routed) == (True, True)
    assert port(device, "swp2").ip_mtu == 9000


def test_nclu() -> None:
    device = read(
        (
            NCLU,
            """
            net add hostname leaf1
            net add interface swp1 mtu 9000
            net add interface swp1 alias to spine 1
            net add interface swp1 link speed 100000
            net add interface swp1 link fec rs
            net add interface swp1 ip address 10.0.0.0/31
            net add bond bond1 bond slaves swp3-4
            net add bond bond1 bridge access 20
            net add bond bond1 clag id 1
            net add vlan 20 ip address 10.1.0.1/24
            net add interface swp2 link down
            net add interface swp5 breakout 4x
            net add bridge bridge ports swp6
            net add loopback lo ip address 10.9.9.9/32
            net add bgp autonomous-system 65001
            net add bgp neighbor swp7 interface remote-as external
            net add interface swp7
            net add interface swp1 wibble 3
            net commit
            """,
        )
    )
    assert (device.asn, line(device, "hostname")) == (65001, 1)
    found = port(device)
    assert (found.ip_mtu, found.description, found.speed_gbps) == (9000, "to spine 1", 100)
    assert (found.fec, line(found, "fec")) == (Fec.RS, 5)
    assert port(device, "swp3").untagged_vlan == 20
    assert port(device, "vlan20").addresses == ("10.1.0.1/24",)
    assert port(device, "swp2").enabled is False
    assert "swp5s3" in device.interfaces
    assert port(device, "swp6").routed is False
    assert port(device, "swp7").uplink is True
    assert states(device, LineState.UNRECOGNISED) == [18]
    assert states(device, LineState.UNCLAIMED) == [19]
    assert states(device, LineState.IGNORED) == [9, 20]
