"""The end of VXLAN tunnels: the VSIs with a VXLAN, and the ports that are connected to them.

Tunnels to other switches are made by EVPN or are interfaces of their own; who carries RoCE into
one is the same either way, so the device is given one end. Which DSCP the outer header has, no
line that is read says.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.comware.maps import CONFIG
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.segments import LAST_VNI, end_of_tunnels, some, union_of
from roce_lint.nos.stanzas import records
from roce_lint.nos.switch_ports import Ports

PLAIN = ("default", "untagged")
"""Frames of a service instance that RoCE without a VLAN tag is among."""

TUNNEL = "vxlan"
"""Name given to the end of all tunnels of a switch."""


def add_tunnel(reading: Reading, ports: Ports, interfaces: dict[str, Interface]) -> None:
    """Add the end of the tunnels, where a VSI has a VXLAN."""
    vsis: dict[str, Value[int]] = {}
    for record in records(reading, CONFIG, "vsi"):
        reader = Reader(record, reading)
        name = reader.text("vsi").value
        reader.text("gateway")
        vni = whole(reader, reader.text("vni"), LAST_VNI, "vxlan", 1)
        if name is not None and vni.value is not None:
            vsis[name] = vni
    full, partly = _connected_ports(ports, vsis)
    vrfs = union_of(_routed_vrfs(ports, interfaces))
    if not vsis:
        return
    begin = next(iter(vsis.values())).position
    tunnel = reading.build(
        Tunnel,
        begin,
        vlans=Value(frozenset(), begin),
        ports=some(full, begin),
        partly=some(partly - full, begin),
        vrfs=vrfs,
    )
    interfaces[TUNNEL] = end_of_tunnels(reading, begin, TUNNEL, tunnel)


def _connected_ports(ports: Ports, vsis: dict[str, Value[int]]) -> tuple[set[str], set[str]]:
    """Ports whose untagged traffic, or all of it, is put into one of these VSIs; and those of
    which some VLANs are.
    """
    full: set[str] = set()
    partly: set[str] = set()
    for name, reader in ports.readers.items():
        for child in reader.children("circuit"):
            child.text("instance")
            frames = child.text("frames").value
            vsi = (child.text("vsi").value or "").partition(" ")[0]
            if vsi in vsis:
                (full if frames in PLAIN else partly).add(name)
    return full, partly


def _routed_vrfs(ports: Ports, interfaces: dict[str, Interface]) -> Iterator[Value[str]]:
    """VPN instances of the VSI interfaces with a VXLAN for what is routed, each at its line."""
    for name, reader in ports.readers.items():
        vni = whole(reader, reader.text("routed_vni"), LAST_VNI, "VXLAN", 1)
        reader.text("layer")
        if vni.value is not None:
            yield Value(interfaces[name].vrf, vni.position)
