"""VLANs: numbers by name, IRB interfaces that route them, and the VXLAN tunnel endpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.port_vlans import end_of_tunnels, some
from roce_lint.nos.reading import Value
from roce_lint.text.numbers import whole_number

EVERY = frozenset(range(1, 4095))


@dataclass(slots=True)
class Vlans:
    """Numbers of VLANs by name, and by IRB interface."""

    by_name: dict[str, int] = field(default_factory=dict)
    by_irb: dict[str, Value[int]] = field(default_factory=dict)
    carried: dict[int | None, int] = field(default_factory=dict)
    """VLANs with a VNI (None: some with an unknown number), and its line."""
    _lists: dict[tuple[str, ...], frozenset[int] | None] = field(default_factory=dict)

    def numbers(self, members: list[Value[str]]) -> frozenset[int] | None:
        """VLANs of `members [ v10 20-30 all ]`; None if one of them is unknown."""
        key = tuple(member.value or "" for member in members)
        if key not in self._lists:
            self._lists[key] = self._numbers(key)
        return self._lists[key]

    def _numbers(self, members: tuple[str, ...]) -> frozenset[int] | None:
        found: set[int] = set()
        for member in members:
            first, _, last = (_number(text) for text in member.partition("-"))
            if member in self.by_name:
                found.add(self.by_name[member])
            elif member == "all":
                found |= EVERY
            elif first is None:
                return None
            else:
                found |= set(range(first, (first if last is None else last) + 1)) & EVERY
        return frozenset(found)


def _number(text: str) -> int | None:
    return whole_number(text, high=9999)


def read_vlans(context: Context) -> Vlans:
    """The VLANs of the device and of its routing instances."""
    found = Vlans()
    instances = context.top.get("routing-instances").pairs()
    for place in (context.top, *(instance for _, instance in instances)):
        for name, branch in place.get("vlans").pairs():
            number = branch.text("vlan-id").map(whole_number)  # None for `none`, or a range
            vni = branch.get("vxlan").text("vni")
            if vni:
                found.carried.setdefault(number.value, vni.position)
            if number.value is None:
                continue
            found.by_name.setdefault(name, number.value)
            irb = branch.text("l3-interface")
            if irb.value is not None:
                found.by_irb.setdefault(irb.value, number)
    return found


# VXLAN tunnel endpoint: the VLANs with a VNI, and the instances whose routes have one. It is
# configured in `switch-options` or in mac-vrf routing instances; the device gets one endpoint. The
# treatment of code points is a cited platform default that only a line of ACX changes
# (docs/nos/junos.md).

TUNNEL = "vtep"
"""Name of the tunnel endpoint, as the switch shows it."""


def add_tunnel(context: Context, vlans: Vlans, interfaces: dict[str, Interface]) -> None:
    """Add the tunnel endpoint if the configuration has one."""
    source = context.top.get("switch-options").text("vtep-source-interface")
    vrfs: set[str] = set()
    routed = 0
    for name, instance in context.top.get("routing-instances").pairs():
        source = source or instance.text("vtep-source-interface")
        vni = instance.get("protocols", "evpn", "ip-prefix-routes").text("vni")
        if vni:
            vrfs.add(name)
            routed = routed or vni.position
    copied = context.top.get("system", "packet-forwarding-options").flag("no-ip-tos-rewrite")
    first = next(iter(vlans.carried.values()), 0)
    begin = source.position or first or routed
    if not begin:
        return
    default = context.reading.default
    known = frozenset(vlan for vlan in vlans.carried if vlan is not None)
    tunnel = context.reading.build(
        Tunnel,
        begin,
        vlans=Value(None if None in vlans.carried else known, first or begin),
        vrfs=some(vrfs, routed),
        dscp_copied=copied or default(defaults.OUTER_COPIED),
        outer_decides=default(defaults.INNER_DECIDES),
        inner_replaced=default(defaults.INNER_KEPT),
        rewrites_outer=default(defaults.REWRITES_OUTER),
    )
    interfaces[TUNNEL] = end_of_tunnels(context.reading, begin, TUNNEL, tunnel)
