"""The end of VXLAN tunnels, `nve`: the virtual networks with a VNI, and who is in them.

A VLAN interface joins a virtual network by `virtual-network 10`, a port by `member-interface`; a
VRF is carried by the `vni` that `evpn` gives it. Which DSCP the outer header has, no line says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.port_names import PortNames
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.segments import LAST_VNI, end_of_tunnels, some, union_of
from roce_lint.nos.stanzas import records
from roce_lint.nos.switch_ports import Ports
from roce_lint.text.numbers import whole_of
from roce_lint.text.records import merge

CONFIG = "running-config"

TUNNEL = "nve"
"""The one end of tunnels that a switch has, by the name of its stanza."""

TAGGED = " tagged"
"""Behind the name of a port of which one VLAN is meant."""

LAST_NETWORK = 65535


def add_tunnel(
    reading: Reading, ports: Ports, names: PortNames, interfaces: dict[str, Interface]
) -> None:
    """Add the end of the tunnels, where the files tell of one."""
    networks, begin = _networks(reading, names)
    vrfs = union_of(_routed_vrfs(reading))
    ends = records(reading, CONFIG, "nve")
    if ends:
        end = Reader(merge(ends), reading)
        begin = end.text("nve").position
        end.text("source")
    joined = _vlans_by_network(ports)
    if not begin:
        return
    carried = [number for number, found in networks.items() if found]
    vlans = frozenset(vlan for number in carried for vlan in joined.get(number, ()))
    members = frozenset(port for number in carried for port in networks[number] or ()) - {""}
    tagged = frozenset(port for port in members if port.endswith(TAGGED))
    partly = {port.removesuffix(TAGGED) for port in tagged}
    full = members - tagged
    tunnel = reading.build(
        Tunnel,
        begin,
        vlans=Value(vlans, begin),
        ports=some(full, begin),
        partly=some(partly - full, begin),
        vrfs=vrfs,
    )
    interfaces[TUNNEL] = end_of_tunnels(reading, begin, TUNNEL, tunnel)


def _networks(
    reading: Reading, names: PortNames
) -> tuple[Mapping[int, frozenset[str] | None], int]:
    """Ports of every virtual network that has a VNI (`""` stands for none), None without; and the
    line of the first VNI.
    """
    found: dict[int, frozenset[str] | None] = {}
    begin = 0
    for record in records(reading, CONFIG, "network"):
        reader = Reader(record, reading)
        number = whole(reader, reader.text("network"), LAST_NETWORK, "virtual-network", 1).value
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vxlan-vni", 1)
        members = {_port(names, line.value) for line in reader.all("member") if line.value}
        if number is not None and vni.value is not None:
            begin = begin or vni.position
            found[number] = frozenset(members | {""}) | (found.get(number) or frozenset())
    return found, begin


def _port(names: PortNames, text: str) -> str:
    """The port of `port-channel10 untagged`; that of `ethernet 1/1/5 vlan-tag 200` is marked."""
    port, tag, _ = text.partition(" vlan-tag ")
    name = names.canonical(port.removesuffix(" untagged").replace(" ", ""))
    return name + TAGGED if tag else name


def _vlans_by_network(ports: Ports) -> dict[int, set[int]]:
    """VLANs by the virtual network that their interface joins."""
    joined: dict[int, set[int]] = {}
    for name, reader in ports.readers.items():
        text = reader.text("virtual_network")
        number = whole(reader, text, LAST_NETWORK, "virtual-network", 1).value
        vlan = name.removeprefix("vlan")
        if number is not None and vlan.isdigit():
            joined.setdefault(number, set()).add(whole_of(vlan))
    return joined


def _routed_vrfs(reading: Reading) -> Iterator[Value[str]]:
    """VRFs with a VNI of their own, each at the line of the VNI."""
    for record in records(reading, CONFIG, "evpn"):
        reader = Reader(record, reading)
        reader.text("evpn")
        for child in reader.children("routed"):
            vni = whole(child, child.text("vni"), LAST_VNI, "vni", 1)
            name = child.text("vrf").value
            if vni.value is not None:
                yield Value(name, vni.position)
