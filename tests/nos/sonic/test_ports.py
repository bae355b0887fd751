from __future__ import annotations

import pytest

from roce_lint.model.device import NoteKind, Role
from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.sonic import defaults
from tests.nos.sonic.making import chain, device_of, flattened, place, port, remarks


def test_a_port_without_status_and_mtu_is_down_with_9100() -> None:
    device = device_of({"PORT": {"Ethernet0": {"lanes": "1,2", "speed": "50000"}}})
    found = device.interfaces["Ethernet0"]
    assert (found.enabled, found.ip_mtu, found.speed_gbps, found.lanes) == (False, 9100, 50, 2)
    assert place(found, "enabled") == defaults.PORT_DOWN.says
    assert place(found, "ip_mtu") == defaults.MTU.says
    assert (found.fec, found.autoneg, found.qos) == (None, None, None)
    assert device.system.has_qos is False
    assert device.partial is False


def test_what_a_port_states() -> None:
    row = port(alias="Eth1/1", fec="rs", autoneg="on", mtu="4200", description="to gpu-1")
    found = device_of({"PORT": {"Ethernet0": row}}).interfaces["Ethernet0"]
    assert (found.aliases, found.fec, found.autoneg, found.ip_mtu) == (
        ("Eth1/1",),
        Fec.RS,
        True,
        4200,
    )
    assert (found.description, found.enabled, found.kind) == (
        "to gpu-1",
        True,
        InterfaceKind.PHYSICAL,
    )
    assert place(found, "aliases") == "PORT|Ethernet0|alias"


@pytest.mark.parametrize(
    ("name", "role", "kind"),
    [
        ("Ethernet0", "Ext", InterfaceKind.PHYSICAL),
        ("Ethernet0", "Int", InterfaceKind.INTERNAL),
        ("Ethernet0", "Dpc", InterfaceKind.INTERNAL),
        ("Ethernet-IB0", "Ext", InterfaceKind.INTERNAL),
        ("Ethernet-Rec0", "Rec", InterfaceKind.INTERNAL),
        ("Ethernet-BP256", "Ext", InterfaceKind.INTERNAL),
    ],
)
def test_ports_inside_the_device(name: str, role: str, kind: InterfaceKind) -> None:
    assert device_of({"PORT": {name: port(role=role)}}).interfaces[name].kind is kind


def test_a_wrong_value_is_unknown_and_no_default() -> None:
    device = device_of({"PORT": {"Ethernet0": port(mtu="99999", admin_status="yes")}})
    found = device.interfaces["Ethernet0"]
    assert (found.ip_mtu, found.enabled) == (None, None)
    assert remarks(device, NoteKind.BAD_VALUE) == [
        "PORT admin_status 'yes', takes up, down",
        "PORT mtu '99999', takes 68 to 9216 bytes",
    ]


def test_a_member_takes_the_mtu_of_its_channel() -> None:
    config = {
        "PORT": {"Ethernet0": port(mtu="1500"), "Ethernet4": port(), "Ethernet8": port()},
        "PORTCHANNEL": {"PortChannel1": {"admin_status": "up", "mtu": "9216"}, "PortChannel2": {}},
        "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}, "PortChannel2|Ethernet4": {}},
    }
    device = device_of(config)
    member, other, alone = (device.interfaces[f"Ethernet{n}"] for n in (0, 4, 8))
    assert (member.ip_mtu, place(member, "ip_mtu")) == (9216, "PORTCHANNEL|PortChannel1|mtu")
    assert (other.ip_mtu, place(other, "ip_mtu")) == (9100, defaults.MTU.says)
    assert (member.lag, alone.lag) == ("PortChannel1", None)
    assert device.interfaces["PortChannel1"].members == ("Ethernet0",)
    assert place(member, "lag") == "PORTCHANNEL_MEMBER|PortChannel1|Ethernet0"
    assert device_of(flattened(config)) == device


def test_members_listed_in_the_channel_itself() -> None:
    config = {
        "PORT": {"Ethernet0": port()},
        "PORTCHANNEL": {"PortChannel1": {"members": ["Ethernet0"], "admin_status": "up"}},
    }
    device = device_of(config)
    assert device.interfaces["Ethernet0"].lag == "PortChannel1"
    assert place(device.interfaces["Ethernet0"], "lag") == "PORTCHANNEL|PortChannel1|members"


def test_vlans_addresses_and_tags() -> None:
    config = {
        "PORT": {f"Ethernet{n}": port() for n in range(6)},
        "VLAN": {"Vlan10": {"vlanid": "10"}, "Vlan20": {}},
        "VLAN_MEMBER": {
            "Vlan10|Ethernet0": {"tagging_mode": "untagged"},
            "Vlan10|Ethernet1": {"tagging_mode": "tagged"},
            "Vlan20|Ethernet1": {"tagging_mode": "tagged"},
            "Vlan20|Ethernet2": {"tagging_mode": "tagged"},
            "Vlan10|Ethernet2": {"tagging_mode": "untagged"},
        },
        "INTERFACE": {"Ethernet3": {}, "Ethernet3|10.0.0.0/31": {}, "Ethernet3|fc00::/127": {}},
        "VLAN_SUB_INTERFACE": {
            "Ethernet4.30": {"admin_status": "up"},
            "Eth4.40": {"vlan": "41"},
            "Ethernet4.30|10.0.1.0/31": {},
        },
        "VLAN_INTERFACE": {"Vlan10|10.9.0.1/24": {}},
    }
    found = device_of(config).interfaces
    tagged = {
        name: port.tagged for name, port in found.items() if name[-1] in "012345" and len(name) == 9
    }
    assert tagged == {
        "Ethernet0": False,
        "Ethernet1": True,
        "Ethernet2": None,
        "Ethernet3": False,
        "Ethernet4": True,
        "Ethernet5": None,
    }
    assert (found["Ethernet0"].untagged_vlan, found["Ethernet1"].tagged_vlans) == (10, {10, 20})
    assert (found["Ethernet0"].routed, found["Ethernet3"].routed, found["Ethernet5"].routed) == (
        False,
        True,
        None,
    )
    assert found["Ethernet3"].addresses == ("10.0.0.0/31", "fc00::/127")
    assert place(found["Ethernet3"], "fc00::/127") == "INTERFACE|Ethernet3|fc00::/127"
    assert found["Vlan10"].addresses == ("10.9.0.1/24",)
    sub, short = found["Ethernet4.30"], found["Eth4.40"]
    assert (sub.kind, sub.parent, sub.tagged_vlans) == (
        InterfaceKind.SUBINTERFACE,
        "Ethernet4",
        {30},
    )
    assert (short.parent, short.tagged_vlans, sub.addresses) == (
        "Ethernet4",
        {41},
        ("10.0.1.0/31",),
    )


def test_a_member_has_the_vlans_of_its_channel() -> None:
    config = {
        "PORT": {"Ethernet0": port()},
        "PORTCHANNEL": {"PortChannel1": {"admin_status": "up"}},
        "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}},
        "VLAN": {"Vlan10": {"vlanid": "10"}},
        "VLAN_MEMBER": {"Vlan10|PortChannel1": {"tagging_mode": "tagged"}},
    }
    member = device_of(config).interfaces["Ethernet0"]
    assert (member.tagged, member.tagged_vlans, member.routed) == (True, {10}, False)
    assert place(member, "tagged_vlans") == "VLAN_MEMBER|Vlan10|PortChannel1|tagging_mode"


@pytest.mark.parametrize(
    ("text", "metres"), [("40m", 40), ("0m", 0), ("2000m", 2000), ("40", None), ("5 m", None)]
)
def test_cable_length(text: str, metres: float | None) -> None:
    config = {"PORT": {"Ethernet0": port()}, "CABLE_LENGTH": {"AZURE": {"Ethernet0": text}}}
    found = device_of(config).interfaces["Ethernet0"]
    assert found.cable_m == metres
    if metres is not None:
        assert place(found, "cable_m") == "CABLE_LENGTH|AZURE|Ethernet0"


def test_stated_neighbours_of_both_forms() -> None:
    config = {
        "PORT": {"Ethernet0": port(), "Ethernet4": port()},
        "DEVICE_NEIGHBOR": {
            "Ethernet0": {"name": "gpu-1", "port": "ens1"},
            "spine1": {"local_port": "Ethernet4", "port": "Ethernet1/1", "type": "SpineRouter"},
            "Ethernet99": {"name": "nobody", "port": "x"},
        },
        "DEVICE_NEIGHBOR_METADATA": {"gpu-1": {"type": "Server"}},
    }
    device = device_of(config)
    host = device.interfaces["Ethernet0"].neighbors[0]
    switch = device.interfaces["Ethernet4"].neighbors[0]
    assert (host.device, host.names, host.planned, host.by, host.is_host) == (
        "gpu-1",
        ("ens1",),
        True,
        "DEVICE_NEIGHBOR",
        True,
    )
    assert (switch.device, switch.names, switch.is_host) == ("spine1", ("Ethernet1/1",), False)
    assert place(host, "names") == "DEVICE_NEIGHBOR|Ethernet0|port"


@pytest.mark.parametrize(
    ("own", "neighbour", "role"),
    [
        ("ToRRouter", None, Role.LEAF),
        ("BackEndToRRouter", "LeafRouter", Role.LEAF),
        ("LeafRouter", None, None),  # the factory default of any router
        ("LeafRouter", "SpineRouter", None),
        ("LeafRouter", "ToRRouter", Role.SPINE),
        ("SpineRouter", "LeafRouter", None),
        ("UpperSpineRouter", None, Role.SUPERSPINE),
        ("Server", None, None),
    ],
)
def test_role(own: str, neighbour: str | None, role: Role | None) -> None:
    config = {"DEVICE_METADATA": {"localhost": {"type": own}}, "PORT": {}}
    if neighbour:
        config["DEVICE_NEIGHBOR_METADATA"] = {"n": {"type": neighbour}}
    assert device_of(config).role is role


def test_identity() -> None:
    row = {
        "hostname": "leaf1",
        "hwsku": "ACS-MSN4700",
        "bgp_asn": 65001,
        "mac": "02:00:00:00:00:01",
    }
    device = device_of({"DEVICE_METADATA": {"localhost": row}})
    assert (device.model, device.asn, place(device, "asn")) == (
        "ACS-MSN4700",
        65001,
        "DEVICE_METADATA|localhost|bgp_asn",
    )
    row["bgp_asn"] = "None"
    device = device_of({"DEVICE_METADATA": {"localhost": row}})
    assert (device.asn, device.notes) == (None, [])


def test_without_a_port_table_ports_are_known_by_the_rows_that_name_them() -> None:
    config = chain(CABLE_LENGTH={"AZURE": {"Ethernet4": "5m"}})
    del config["PORT"]
    device = device_of(config)
    assert device.partial is True
    assert sorted(device.interfaces) == ["Ethernet0", "Ethernet4"]
    assert device.interfaces["Ethernet0"].enabled is None
    assert device.interfaces["Ethernet0"].qos.pfc.generate == {3}


def test_rows_of_ports_that_do_not_exist_are_noted_once_a_table() -> None:
    config = chain()
    config["QUEUE"] |= {f"Ethernet99|{n}": {"scheduler": "S"} for n in range(3)}
    config["QUEUE"]["CPU|0"] = {"scheduler": "S"}
    device = device_of(config)
    assert remarks(device, NoteKind.BAD_VALUE) == [
        "QUEUE|Ethernet99|0: there is no port Ethernet99"
    ]
    assert list(device.qos.egress) == ["Ethernet0"]


def test_the_channel_between_the_two_of_a_pair_is_marked_with_its_members() -> None:
    device = device_of(
        {
            "PORT": {name: port() for name in ("Ethernet0", "Ethernet4", "Ethernet8")},
            "PORTCHANNEL": {"PortChannel1": {}, "PortChannel2": {}},
            "PORTCHANNEL_MEMBER": {"PortChannel1|Ethernet0": {}, "PortChannel2|Ethernet4": {}},
            "MCLAG_DOMAIN": {"1": {"peer_ip": "192.0.2.1", "peer_link": "PortChannel1"}},
        }
    )
    marked = [name for name, found in device.interfaces.items() if found.peer_link]
    assert marked == ["Ethernet0", "PortChannel1"]
    assert place(device.interfaces["Ethernet0"], "peer_link") == "MCLAG_DOMAIN|1|peer_link"
    assert remarks(device, NoteKind.UNRECOGNISED) == []


@pytest.mark.parametrize(("map_name", "stock"), [("AZURE", {3, 4}), ("AZURE_UPLINK", {2, 3, 4, 6})])
def test_the_stock_priorities_are_those_of_the_template(map_name: str, stock: set[int]) -> None:
    device = device_of({"DSCP_TO_TC_MAP": {map_name: {"3": "3", "4": "4"}}})
    assert device.limits.stock_pfc_priorities == stock


def test_a_vxlan_tunnel_end_carries_vlans_with_an_unknown_dscp() -> None:
    rows = {"vtep|map_100_Vlan100": {"vlan": "Vlan100", "vni": "100"}}
    rows["vtep|map_7_RoCE"] = {"vlan": "RoCE", "vni": "7"}
    rows["vtep|map_9_Vlan9"] = {"vlan": "Vlan9", "vni": "9"}
    vlans = {"Vlan100": {"vlanid": "100"}, "RoCE": {"vlanid": "7"}}
    device = device_of({"PORT": {}, "VLAN": vlans, "VXLAN_TUNNEL_MAP": rows})
    found = device.interfaces["vtep"]
    assert found.kind is InterfaceKind.TUNNEL
    assert found.tunnel is not None
    assert (found.tunnel.vlans, found.tunnel.dscp_copied) == (frozenset({7, 100}), None)
    assert remarks(device, NoteKind.UNRECOGNISED) == []


@pytest.mark.parametrize(("source", "ipv6"), [("10.255.0.1", False), ("2001:db8::1", True)])
def test_the_source_of_a_vxlan_tunnel_shows_its_underlay(source: str, ipv6: bool) -> None:
    device = device_of(
        {
            "PORT": {},
            "VLAN": {"Vlan100": {"vlanid": "100"}},
            "VXLAN_TUNNEL": {"vtep": {"src_ip": source}},
            "VXLAN_TUNNEL_MAP": {"vtep|map_100_Vlan100": {"vlan": "Vlan100", "vni": "100"}},
        }
    )
    tunnel = device.interfaces["vtep"].tunnel
    assert tunnel is not None
    assert (tunnel.outer_ipv6, tunnel.adds) == (ipv6, 70 if ipv6 else 50)
    assert remarks(device, NoteKind.UNRECOGNISED) == []


@pytest.mark.parametrize(
    ("peers", "other"),
    [
        ({"tor-b": {"address_ipv4": "10.1.0.33"}}, "tor-b"),
        ({}, "the other switch"),
        ({"tor-b": {}, "tor-c": {}}, "the other switch"),
    ],
)
def test_a_cable_that_two_switches_share(peers: dict[str, object], other: str) -> None:
    device = device_of(
        {
            "PORT": {name: port() for name in ("Ethernet0", "Ethernet4")},
            "MUX_CABLE": {"Ethernet0": {"server_ipv4": "192.168.0.2/32", "state": "auto"}},
            "PEER_SWITCH": peers,
        }
    )
    shared = device.interfaces["Ethernet0"]
    assert shared.shared_with == other
    assert place(shared, "shared_with") == "MUX_CABLE|Ethernet0"
    assert device.interfaces["Ethernet4"].shared_with is None
    assert remarks(device, NoteKind.UNRECOGNISED) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Loopback0", InterfaceKind.LOOPBACK),
        ("Vlan100", InterfaceKind.VLAN),
        ("PortChannel7", InterfaceKind.LAG),
    ],
)
def test_an_interface_row_may_name_other_interfaces_than_ports(
    name: str, kind: InterfaceKind
) -> None:
    rows = {name: {}, f"{name}|10.1.0.1/32": {}}
    device = device_of({"PORT": {"Ethernet0": port()}, "INTERFACE": rows})
    assert remarks(device, NoteKind.BAD_VALUE) == []
    assert device.interfaces[name].kind is kind
    assert device.interfaces[name].addresses == ("10.1.0.1/32",)
    gone = device_of({"PORT": {"Ethernet0": port()}, "INTERFACE": {"Ethernet99": {}}})
    assert remarks(gone, NoteKind.BAD_VALUE) == [
        "INTERFACE|Ethernet99: there is no port Ethernet99"
    ]
