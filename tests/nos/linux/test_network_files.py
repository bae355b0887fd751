"""Network configuration files: their declarations, and differences from the live state."""

from __future__ import annotations

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.sourced import Sourced
from roce_lint.text.source import TREE
from tests.nos.linux.reading import leaf, notes, read
from tests.nos.reader import line

NETPLAN = """
network:
  version: 2
  ethernets:
    ens1:
      mtu: 9000
      addresses:
      - 10.0.0.1/31
      - 10.0.9.1/24: {label: "ens1:old"}
    rail2:
      match:
        macaddress: 94:6d:ae:00:00:02
      set-name: ens2
      mtu: 4200
  vlans:
    ens1.100:
      id: 100
      link: ens1
      addresses: [10.1.0.1/24]
  bonds:
    bond0:
      interfaces: [ens3, ens4]
"""
NETWORKD = """
[Match]
Name=ens1

[Link]
MTUBytes=9000

[Network]
Address=10.0.0.1/31
VLAN=ens1.100
"""
KEYFILE = """
[connection]
id=rail1
type=ethernet
interface-name=ens1

[ethernet]
mtu=9000

[ipv4]
address1=10.0.0.1/31,10.0.0.0
method=manual
"""
INTERFACES = """
auto ens1
iface ens1 inet static
    address 10.0.0.1
    netmask 255.255.255.254
    mtu 9000
    post-up mlnx_qos -i $IFACE --trust dscp

auto ens1.100
iface ens1.100 inet static
    address 10.1.0.1/24
    vlan-raw-device ens1
"""
IFCFG = """
DEVICE=ens1
BOOTPROTO=none
ONBOOT=yes
IPADDR=10.0.0.1
PREFIX=31
MTU=9000
"""
FILES = {
    "netplan": ("cat /etc/netplan/60-rdma.yaml", NETPLAN, ("ens1|mtu", "ens1|addresses|0")),
    "networkd": ("cat /etc/systemd/network/10-ens1.network", NETWORKD, (6, 9)),
    "NetworkManager": (
        "cat /etc/NetworkManager/system-connections/rail1.nmconnection",
        KEYFILE,
        (8, 11),
    ),
    "ifupdown": ("cat /etc/network/interfaces", INTERFACES, (6, 4)),
    "ifcfg": ("cat /etc/sysconfig/network-scripts/ifcfg-ens1", IFCFG, (7, 5)),
}


def place(item: Sourced, name: str = "") -> int | str:
    """Line, or path below `network|ethernets` in a tree."""
    if item.where(name).position < TREE:
        return line(item, name)
    return leaf(item, name).removeprefix("network|ethernets|")


@pytest.mark.parametrize("tool", FILES)
def test_mtu_and_address(tool: str) -> None:
    command, text, lines = FILES[tool]
    device = read((command, text))
    port = device.interfaces["ens1"]
    assert (port.ip_mtu, port.addresses[:1]) == (9000, ("10.0.0.1/31",))
    assert (place(port, "ip_mtu"), place(port, "addresses")) == lines
    assert device.notes == []


VIA = {
    "netplan": NETPLAN.replace(
        "    rail2:", "      routes:\n      - {to: 10.0.0.0/8, via: 10.0.0.0}\n    rail2:"
    ),
    "networkd": f"{NETWORKD}\n[Route]\nDestination=10.0.0.0/8\nGateway=10.0.0.0\n",
}


@pytest.mark.parametrize("tool", VIA)
def test_a_gateway(tool: str) -> None:
    command, text, _ = FILES[tool]
    assert read((command, text)).interfaces["ens1"].gateway is None
    device = read((command, VIA[tool]))
    port = device.interfaces["ens1"]
    assert (port.gateway, device.notes) == ("10.0.0.0", [])
    assert place(port, "gateway") == {"netplan": "ens1|routes|0|via", "networkd": 14}[tool]
    two = VIA[tool].replace(
        "via: 10.0.0.0}", "via: 10.0.0.0}\n      - {to: 0.0.0.0/0, via: 10.9.9.9}"
    )
    if tool == "networkd":
        two += "[Route]\nGateway=10.9.9.9\n"
    assert read((command, two)).interfaces["ens1"].gateway is None


@pytest.mark.parametrize("tool", FILES)
def test_files_are_known_by_their_content(tool: str) -> None:
    identity = identify("x.txt", FILES[tool][1].lstrip("\n"))
    assert identity.nos == "linux"


RDMA = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")


def live(mtu: int, address: str = "10.0.0.1/31") -> tuple[str, str]:
    return (
        "ip addr",
        f"2: ens1: <BROADCAST,UP> mtu {mtu} qdisc mq state UP\n    inet {address} scope global ens1\n",
    )


@pytest.mark.parametrize("tool", FILES)
def test_another_mtu_is_live(tool: str) -> None:
    command, text, (mtu_line, _) = FILES[tool]
    device = read(RDMA, live(1500), (command, text))
    port = device.interfaces["ens1"]
    assert (port.ip_mtu, port.addresses) == (1500, ("10.0.0.1/31",))
    reported = [n for n in device.notes if n.kind is NoteKind.DRIFT and "MTU" in n.message]
    assert [(n.message, place(n)) for n in reported] == [
        (
            f"ens1 MTU is 1500 now, {tool} sets 9000 (lost at reboot or never applied)",
            mtu_line,
        )
    ]


@pytest.mark.parametrize("tool", FILES)
def test_an_mtu_that_no_file_sets(tool: str) -> None:
    command, text, _ = FILES[tool]
    without = "\n".join(each for each in text.split("\n") if "mtu" not in each.lower())
    device = read(RDMA, live(4200), (command, without))
    assert [note for note in notes(device, NoteKind.DRIFT) if "MTU" in note] == [
        (
            f"ens1 MTU is 4200 now, {tool} sets none and nothing else here does:"
            " 1500 after the next start"
        )
    ]
    script = ("mtu.sh", "#!/bin/sh\nip link set dev ens1 mtu 4200\nmlnx_qos -i ens1 --trust dscp\n")
    settled = read(RDMA, live(4200), (command, without), script)
    assert [note for note in notes(settled, NoteKind.DRIFT) if "MTU" in note] == []
    assert notes(read(live(4200), (command, without)), NoteKind.DRIFT) == []


def test_an_address_that_is_not_there() -> None:
    command, text, (_, address_line) = FILES["networkd"]
    device = read(RDMA, live(9000, "10.0.0.3/31"), (command, text))
    reported = [(n.message, line(n)) for n in device.notes if n.kind is NoteKind.DRIFT]
    assert reported == [
        (
            (
                "ens1: networkd sets address 10.0.0.1/31, which the interface does not have:"
                " never applied or taken away"
            ),
            address_line,
        )
    ]


def test_netplan_in_full() -> None:
    device = read((FILES["netplan"][0], NETPLAN))
    ports = device.interfaces
    assert ports["ens1"].addresses == ("10.0.0.1/31", "10.0.9.1/24")
    assert (ports["ens2"].ip_mtu, place(ports["ens2"], "ip_mtu")) == (4200, "rail2|mtu")
    vlan = ports["ens1.100"]
    assert (vlan.kind, vlan.parent, vlan.tagged_vlans) == (
        InterfaceKind.SUBINTERFACE,
        "ens1",
        frozenset({100}),
    )
    assert (ports["bond0"].kind, ports["bond0"].members) == (InterfaceKind.LAG, ("ens3", "ens4"))


@pytest.mark.parametrize(("first", "second"), [("50", "60"), ("60", "50")])
def test_the_later_file_of_netplan_wins(first: str, second: str) -> None:
    device = read(
        *(
            (
                f"cat /etc/netplan/{name}-x.yaml",
                f"network:\n  ethernets:\n    ens1:\n      mtu: {name}00\n",
            )
            for name in (first, second)
        )
    )
    assert device.interfaces["ens1"].ip_mtu == 6000
    assert device.notes == []


def test_the_first_file_of_networkd_that_matches_is_the_one() -> None:
    text = "[Match]\nName={name}\n\n[Link]\nMTUBytes={mtu}\n\n[Network]\nDHCP=no\n"
    device = read(
        live(9000),
        ("cat /etc/systemd/network/90-all.network", text.format(name="ens*", mtu="1500")),
        ("cat /etc/systemd/network/10-rail.network", text.format(name="ens1", mtu="9000")),
    )
    assert (device.interfaces["ens1"].ip_mtu, device.notes) == (9000, [])


def test_units_of_networkd() -> None:
    text = "[Match]\nName=ens1\n\n[Link]\nMTUBytes=9K\n\n[Network]\n"
    assert read(("10-x.network", text)).interfaces["ens1"].ip_mtu == 9216


def test_a_link_file_and_a_netdev() -> None:
    device = read(
        (
            "cat /etc/systemd/network/10-x.link",
            "[Match]\nPath=pci-*\n\n[Link]\nName=ens1\nMTUBytes=4200\n",
        ),
        ("cat /etc/systemd/network/v.netdev", "[NetDev]\nName=v100\nKind=vlan\n\n[VLAN]\nId=100\n"),
        ("cat /etc/systemd/network/x.network", "[Match]\nName=ens1\n\n[Network]\nVLAN=v100\n"),
    )
    ports = device.interfaces
    assert (ports["ens1"].ip_mtu, line(ports["ens1"], "ip_mtu")) == (4200, 7)
    assert (ports["v100"].kind, ports["v100"].parent, ports["v100"].tagged_vlans) == (
        InterfaceKind.SUBINTERFACE,
        "ens1",
        frozenset({100}),
    )


def test_matches_by_mac() -> None:
    link = (
        "ip link",
        "2: ens7: <UP> mtu 9000 qdisc mq\n    link/ether 94:6d:ae:00:00:07 brd ff:ff:ff:ff:ff:ff\n",
    )
    keyfile = KEYFILE.replace("interface-name=ens1\n", "").replace(
        "mtu=9000", "mtu=1500\nmac-address=94:6D:AE:00:00:07"
    )
    device = read(link, ("rail.nmconnection", keyfile))
    assert notes(device, NoteKind.DRIFT) == [
        "ens7 MTU is 9000 now, NetworkManager sets 1500 (lost at reboot or never applied)"
    ]


def test_an_inactive_connection_states_nothing() -> None:
    text = KEYFILE.replace("id=rail1", "id=rail1\nautoconnect=false")
    assert read(("rail.nmconnection", text)).interfaces == {}


def test_secrets_of_a_keyfile_are_not_kept() -> None:
    text = f"{KEYFILE}\n[wifi-security]\npsk=hunter2\n\n[802-1x]\npassword=hunter3\n"
    device = read(("rail.nmconnection", text))
    assert "hunter" not in repr(device)


def test_commands_of_ifupdown_are_a_script() -> None:
    device = read((FILES["ifupdown"][0], INTERFACES))
    qos = device.interfaces["ens1"].qos
    assert qos is not None
    assert (qos.trust.value if qos.trust else None, line(qos, "trust")) == ("dscp", 7)
    assert device.interfaces["ens1.100"].parent == "ens1"


def test_bonds_of_ifcfg() -> None:
    device = read(
        (
            "cat /etc/sysconfig/network-scripts/ifcfg-bond0",
            "DEVICE=bond0\nTYPE=Bond\nBOOTPROTO=none\nMTU=9000\n",
        ),
        (
            "cat /etc/sysconfig/network-scripts/ifcfg-ens1",
            "BOOTPROTO=none\nMASTER=bond0\nSLAVE=yes\n",
        ),
    )
    assert device.interfaces["bond0"].members == ("ens1",)


@pytest.mark.parametrize(
    ("file", "reported"),
    [
        (
            ("x.network", "[Match]\nName=ens1\n[Link]\nMTUBytes=huge\n[Network]\n"),
            "MTU huge is none",
        ),
        (
            ("x.network", "[Match]\nName=ens1\n[Network]\nAddress=10.0.0\n"),
            "'10.0.0' is no address",
        ),
        (("ifcfg-ens1", "BOOTPROTO=none\nDEVICE=ens1\nMTU=60\n"), "MTU 60 is none"),
    ],
)
def test_bad_values(file: tuple[str, str], reported: str) -> None:
    assert notes(read(file), NoteKind.BAD_VALUE) == [reported]


def test_dhcp_may_bring_the_mtu() -> None:
    text = "network:\n  ethernets:\n    ens1:\n      dhcp4: true\n"
    device: Device = read(RDMA, live(4200), ("cat /etc/netplan/1.yaml", text))
    assert notes(device, NoteKind.DRIFT) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("60.yaml", "network:\n  version: 2\n  ethernets:\n    ens1:\n      mtu: jumbo\n", "MTU jumbo is none"),
        ("ifcfg-ens1", "DEVICE=ens1\nBOOTPROTO=none\nMTU=abc\n", "MTU abc is none"),
        ("ifcfg-ens1", 'DEVICE=ens1\nBOOTPROTO=none\nMTU="1500\n', "the value of MTU is not understood"),
    ],
)  # fmt: skip
def test_an_mtu_that_is_not_understood_is_not_one_that_is_missing(
    name: str, text: str, message: str
) -> None:
    link = ("rdma link", "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1\n")
    live = ("ip link", "2: ens1: <UP,LOWER_UP> mtu 9000 qdisc mq state UP\n")
    device = read(link, live, (name, text))
    assert [(n.kind, n.message) for n in device.notes] == [(NoteKind.BAD_VALUE, message)]
