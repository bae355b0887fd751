"""Gives out what must be different everywhere: addresses, loopbacks, autonomous systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from itertools import islice

from roce_lint.design.layout import Cable, Layout, PlannedHost, PlannedSwitch
from roce_lint.design.refusals import Loc, Refusals
from roce_lint.intent.fabric import AddressingSchema, FabricSchema, Override
from roce_lint.model.device import Role

LAST_ASN = 4_294_967_294
"""The last number of an autonomous system that may be used (RFC 7300)."""

Networks = IPv4Network | IPv6Network


def number(
    layout: Layout, fabric: FabricSchema, addressing: AddressingSchema, wanting: Refusals
) -> None:
    """Give addresses to links and loopbacks, and numbers to autonomous systems."""
    _addresses(layout, addressing, wanting)
    _loopbacks(layout, addressing, wanting)
    if not fabric.devices:
        _systems(layout, fabric, wanting)
    _are_apart(addressing, wanting)


def _are_apart(addressing: AddressingSchema, wanting: Refusals) -> None:
    named = [
        (key, ip_network(text))
        for key in ("links", "loopbacks", "hosts")
        if (text := getattr(addressing, key)) not in (None, "unnumbered")
    ]
    for place, (key, own) in enumerate(named):
        for other, theirs in named[:place]:
            if own.version == theirs.version and own.overlaps(theirs):
                message = f"{own} overlaps {theirs} of addressing.{other}"
                wanting.add(("addressing", key), message)


def _addresses(layout: Layout, addressing: AddressingSchema, wanting: Refusals) -> None:
    between = [cable for cable in layout.cables if cable.a[0] in layout.switches]
    if addressing.links not in (None, "unnumbered"):
        _spread(
            layout, between, ip_network(str(addressing.links)), ("addressing", "links"), wanting
        )
    to_hosts = [cable for cable in layout.cables if cable.a[0] in layout.hosts]
    if addressing.hosts is None:
        return
    keys: Loc = ("addressing", "hosts")
    if not to_hosts:
        wanting.add(keys, "addresses for links to hosts, and there are no hosts")
    whole = ip_network(addressing.hosts)
    by_rail: dict[int | None, list[Cable]] = defaultdict(list)
    for cable in to_hosts:
        by_rail[cable.rail].append(cable)
    for cables, part in zip(by_rail.values(), _parts(whole, len(by_rail)), strict=False):
        _spread(layout, cables, part, keys, wanting)


def _parts(whole: Networks, count: int) -> Sequence[Networks]:
    """As many equal parts of a network, or the network itself where it cannot be divided so."""
    bits = max(count - 1, 0).bit_length()
    if whole.prefixlen + bits > whole.max_prefixlen - 1:
        return [whole] * count
    parts: Iterator[Networks] = whole.subnets(prefixlen_diff=bits)
    return list(islice(parts, count))


def _spread(
    layout: Layout, cables: list[Cable], network: Networks, keys: Loc, wanting: Refusals
) -> None:
    """A network of two addresses for each cable; the upper end has the first."""
    if 2 * len(cables) > network.num_addresses:
        message = (
            f"{network} has {network.num_addresses // 2} pairs of addresses, and {len(cables)}"
        )
        wanting.add(keys, f"{message} links need one each")
        return
    length = network.max_prefixlen - 1
    for place, cable in enumerate(cables):
        for end, offset in ((cable.b, 0), (cable.a, 1)):
            port = layout.port(end)
            port.addresses = (f"{network[2 * place + offset]}/{length}",)
            port.address_keys = keys


def _loopbacks(layout: Layout, addressing: AddressingSchema, wanting: Refusals) -> None:
    if addressing.loopbacks is None:
        return
    keys: Loc = ("addressing", "loopbacks")
    network = ip_network(addressing.loopbacks)
    switches = list(layout.switches.values())
    if len(switches) >= network.num_addresses:
        room = network.num_addresses - 1
        wanting.add(keys, f"{network} has {room} addresses for {len(switches)} switches")
        return
    for place, switch in enumerate(switches, 1):
        switch.loopback = f"{network[place]}/{network.max_prefixlen}"
        switch.loopback_keys = keys


def _systems(layout: Layout, fabric: FabricSchema, wanting: Refusals) -> None:
    for role in (Role.LEAF, Role.SPINE, Role.SUPERSPINE):
        tier = getattr(fabric, role.value)
        if tier is None or tier.asn is None:
            continue
        keys: Loc = ("fabric", role.value, "asn")
        switches = layout.of_role(role)
        _makes_no_detour(role, tier.asn.each, fabric, switches, wanting)
        for switch in switches:
            step = {"device": switch.n, "pod": switch.pod, "tier": 1}[tier.asn.each]
            switch.asn, switch.asn_keys = tier.asn.first + step - 1, keys
        if switches and max(each.asn or 0 for each in switches) > LAST_ASN:
            wanting.add(keys, f"numbers run out: {LAST_ASN} is the last")


def _makes_no_detour(
    role: Role, each: str, fabric: FabricSchema, switches: list[PlannedSwitch], wanting: Refusals
) -> None:
    """BGP refuses routes that hold the own number: that must part no two leafs, and it has to
    keep traffic from going down and up again.
    """
    keys: Loc = ("fabric", role.value, "asn", "each")
    if role is Role.LEAF and each != "device" and len(switches) > 1:
        wanting.add(keys, f"leafs of one number refuse each other's routes, found {each}")
    if role is Role.SPINE and each == "tier" and fabric.pods > 1:
        wanting.add(keys, "spines of two pods with one number refuse each other's routes: say pod")
    if role is not Role.LEAF and each == "device" and len(switches) > 1:
        wanting.add(
            keys,
            f"{role.value}s with a number each let traffic go down and up again, found device",
            "say pod" if role is Role.SPINE and fabric.superspine else "say tier",
        )


def override(layout: Layout, wishes: dict[str, Override], wanting: Refusals) -> None:
    """Put what is otherwise on single devices and ports over what was given out."""
    for name, wish in wishes.items():
        keys: Loc = ("overrides", name)
        device = layout.device(name)
        if device is None:
            known = [*layout.switches, *layout.hosts]
            wanting.unknown(keys, "no device of the design is called", name, known)
            continue
        if isinstance(device, PlannedSwitch):
            _override_switch(device, wish, keys)
        else:
            for key in ("asn", "loopback", "platform"):
                if getattr(wish, key) is not None:
                    wanting.add((*keys, key), f"{name} is a host, and has no {key} in a design")
        for port_name, own in wish.ports.items():
            port = device.ports.get(port_name)
            if port is None:
                at = (*keys, "ports", port_name)
                wanting.unknown(at, f"{name} has no port", port_name, list(device.ports))
                continue
            at = (*keys, "ports", port_name)
            if own.speed_gbps is not None:
                port.speed_gbps, port.keys = own.speed_gbps, (*at, "speed_gbps")
            if own.fec is not None:
                port.fec, port.fec_keys = own.fec, (*at, "fec")
            if own.cable_m is not None:
                port.cable_m, port.cable_keys = own.cable_m, (*at, "cable_m")
            if own.address is not None:
                port.addresses, port.address_keys = (own.address,), (*at, "address")


def _override_switch(switch: PlannedSwitch, wish: Override, keys: Loc) -> None:
    if wish.asn is not None:
        switch.asn, switch.asn_keys = wish.asn, (*keys, "asn")
    if wish.loopback is not None:
        switch.loopback, switch.loopback_keys = wish.loopback, (*keys, "loopback")
    if wish.platform is not None:
        switch.platform = wish.platform


def see_that_nothing_is_twice(layout: Layout, wanting: Refusals) -> None:
    """Tell of an address or a number of an autonomous system that two have who must not."""
    owners: dict[str, str] = {}
    for switch in layout.switches.values():
        if switch.loopback is not None:
            _own(owners, switch.loopback, switch.name, switch.loopback_keys, wanting)
    devices: list[PlannedSwitch | PlannedHost] = [*layout.switches.values()]
    for device in (*devices, *layout.hosts.values()):
        for port in device.ports.values():
            for address in port.addresses:
                name = f"{device.name} {port.name}"
                _own(owners, address, name, port.address_keys, wanting)
    systems: dict[int, PlannedSwitch] = {}
    for switch in layout.switches.values():
        if switch.asn is None:
            continue
        other = systems.setdefault(switch.asn, switch)
        if other.role is not switch.role or (other is not switch and switch.role is Role.LEAF):
            message = f"{switch.name} and {other.name} have one number: {switch.asn}"
            wanting.add(switch.asn_keys, message)


def _own(owners: dict[str, str], address: str, name: str, keys: Loc, wanting: Refusals) -> None:
    ip = str(ip_interface(address).ip)
    other = owners.setdefault(ip, name)
    if other != name:
        wanting.add(keys, f"{name} and {other} have one address: {ip}")
