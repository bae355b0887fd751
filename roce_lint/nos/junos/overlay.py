"""The end of VXLAN tunnels: the VLANs with a VNI, and the instances whose routes have one.

It stands in `switch-options` or in routing instances of type mac-vrf; the device is given one end.
What becomes of code points is what the platform does, cited; no line changes it, other than one of
ACX (docs/nos/junos.md).
"""

from __future__ import annotations

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.vlans import Vlans
from roce_lint.nos.reading import Value
from roce_lint.nos.segments import end_of_tunnels, some

TUNNEL = "vtep"
"""The end of tunnels as the switch shows it."""


def add_tunnel(context: Context, vlans: Vlans, interfaces: dict[str, Interface]) -> None:
    """Add the end of the tunnels, where the configuration has one."""
    source = context.top.get("switch-options").text("vtep-source-interface")
    vrfs: set[str] = set()
    routed = 0
    for name, instance in context.top.get("routing-instances").pairs():
        source = source or instance.text("vtep-source-interface")
        vni = instance.get("protocols", "evpn", "ip-prefix-routes").text("vni")
        if vni.value is not None:
            vrfs.add(name)
            routed = routed or vni.position
    copied = context.top.get("system", "packet-forwarding-options").flag("no-ip-tos-rewrite")
    begin = source.position or next(iter(vlans.carried.values()), 0) or routed
    if not begin:
        return
    default = context.reading.default
    known = frozenset(vlan for vlan in vlans.carried if vlan is not None)
    position = next(iter(vlans.carried.values()), begin)
    tunnel = context.reading.build(
        Tunnel,
        begin,
        vlans=Value(None if None in vlans.carried else known, position),
        vrfs=some(vrfs, routed),
        dscp_copied=copied or default(defaults.OUTER_COPIED),
        outer_decides=default(defaults.INNER_DECIDES),
        inner_replaced=default(defaults.INNER_KEPT),
        rewrites_outer=default(defaults.REWRITES_OUTER),
    )
    interfaces[TUNNEL] = end_of_tunnels(context.reading, begin, TUNNEL, tunnel)
