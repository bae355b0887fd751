"""VLANs: numbers by name, IRB interfaces that route them, and the VXLAN tunnel endpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.interface import Interface, Tunnel
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.context import Context
from roce_lint.nos.port_vlans import end_of_tunnels, some
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.numbers import whole_of

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
            low, _, high = member.partition("-")
            if member in self.by_name:
                found.add(self.by_name[member])
            elif member == "all":
                found |= EVERY
            elif low.isascii() and low.isdigit() and len(low) < 5:
                last = (
                    whole_of(high)
                    if high.isascii() and high.isdigit() and len(high) < 5
                    else whole_of(low)
                )
                found |= set(range(whole_of(low), last + 1)) & EVERY
            else:
                return None
        return frozenset(found)


def read_vlans(context: Context) -> Vlans:
    """The VLANs of the device and of its routing instances."""
    found = Vlans()
    tables = [context.top.get("vlans")]
    tables += [
        instance.get("vlans") for _, instance in context.top.get("routing-instances").pairs()
    ]
    for table in tables:
        for name, branch in table.pairs():
            _vlan(found, name, branch)
    return found


def _vlan(found: Vlans, name: str, branch: Branch) -> None:
    number = ABSENT
    text = branch.text("vlan-id")
    if text.value is not None:
        try:
            number = Value(whole(text.value), text.position)
        except ValueError:  # `none`, or a range
            number = ABSENT
    vni = branch.get("vxlan").text("vni")
    if vni.value is not None:
        found.carried.setdefault(number.value, vni.position)
    if number.value is None:
        return
    found.by_name.setdefault(name, number.value)
    irb = branch.text("l3-interface")
    if irb.value is not None:
        found.by_irb.setdefault(irb.value, number)


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
