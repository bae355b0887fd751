"""The end of VXLAN tunnels: `interface vxlan 1` with its segments, each a VLAN or a VRF.

Which DSCP the outer header has, no line says.
"""

from __future__ import annotations

from roce_lint.model.interface import Tunnel
from roce_lint.nos.aoscx.words import VLAN
from roce_lint.nos.reading import Reader, Value
from roce_lint.nos.segments import is_ipv6, some


def tunnel_of(reader: Reader) -> Tunnel:
    """What the lines below `interface vxlan 1` say."""
    vlans: set[int] = set()
    vrfs: set[str] = set()
    position = 0
    for child in reader.children("segment"):
        child.text("vni")
        position = position or child.begin
        vlan = VLAN.parse(child, child.text("vlan")).value
        vrf = child.text("routed_vrf").value
        vlans |= {vlan} if vlan is not None else set()
        vrfs |= {vrf} if vrf is not None else set()
    return reader.build(
        Tunnel,
        vlans=Value(frozenset(vlans), position or reader.begin),
        vrfs=some(vrfs, position),
        outer_ipv6=reader.text("source").map(is_ipv6),
    )
