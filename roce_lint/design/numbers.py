"""Assignment of unique values: addresses, loopbacks, autonomous systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_interface, ip_network
from itertools import islice

from roce_lint.design.layout import (
    Cable,
    Layout,
    Loc,
    PlannedHost,
    PlannedPort,
    PlannedSwitch,
    Refusals,
)
from roce_lint.intent.fabric import AddressingSchema, FabricSchema
from roce_lint.intent.schema import Override, PortOverride, Treatment
from roce_lint.model.device import Role

LAST_ASN = 4_294_967_294
"""Highest usable autonomous system number (RFC 7300)."""

Networks = IPv4Network | IPv6Network


def number(
    layout: Layout, fabric: FabricSchema, addressing: AddressingSchema, refusals: Refusals
) -> None:
    """Assign addresses to links and loopbacks, and autonomous system numbers."""
    _addresses(layout, addressing, refusals)
    _loopbacks(layout, addressing, refusals)
    if not fabric.devices:
        _systems(layout, fabric, refusals)
    _are_apart(addressing, refusals)


def _are_apart(addressing: AddressingSchema, refusals: Refusals) -> None:
    named = [
        (key, ip_network(text))
        for key in ("links", "loopbacks", "hosts")
        if (text := getattr(addressing, key)) not in (None, "unnumbered")
    ]
    for place, (key, own) in enumerate(named):
        for other, theirs in named[:place]:
            if own.version == theirs.version and own.overlaps(theirs):
                refusals.add(("addressing", key), f"{own} overlaps {theirs} of addressing.{other}")


def _addresses(layout: Layout, addressing: AddressingSchema, refusals: Refusals) -> None:
    between = [cable for cable in layout.cables if cable.a[0] in layout.switches]
    if addressing.links not in (None, "unnumbered"):
        network = ip_network(str(addressing.links))
        _spread(layout, between, network, ("addressing", "links"), refusals)
    to_hosts = [cable for cable in layout.cables if cable.a[0] in layout.hosts]
    if addressing.hosts is None:
        return
    keys: Loc = ("addressing", "hosts")
    if not to_hosts:
        refusals.add(keys, "addresses for links to hosts, but there are no hosts")
    whole = ip_network(addressing.hosts)
    by_rail: dict[int | None, list[Cable]] = defaultdict(list)
    for cable in to_hosts:
        by_rail[cable.rail].append(cable)
    for cables, part in zip(by_rail.values(), _parts(whole, len(by_rail)), strict=False):
        _spread(layout, cables, part, keys, refusals)


def _parts(whole: Networks, count: int) -> Sequence[Networks]:
    """Equal parts of a network, or the network itself where it cannot be divided."""
    bits = max(count - 1, 0).bit_length()
    if whole.prefixlen + bits > whole.max_prefixlen - 1:
        return [whole] * count
    parts: Iterator[Networks] = whole.subnets(prefixlen_diff=bits)
    return list(islice(parts, count))


def _spread(
    layout: Layout, cables: list[Cable], network: Networks, keys: Loc, refusals: Refusals
) -> None:
    """A network of two addresses for each cable; the upper end has the first."""
    room = network.num_addresses // 2
    if len(cables) > room:
        message = f"{network} has {room} pairs of addresses, but {len(cables)} links need one each"
        refusals.add(keys, message)
        return
    length = network.max_prefixlen - 1
    for place, cable in enumerate(cables):
        for end, offset in ((cable.b, 0), (cable.a, 1)):
            port = layout.port(end)
            port.addresses = (f"{network[2 * place + offset]}/{length}",)
            port.address_keys = keys


def _loopbacks(layout: Layout, addressing: AddressingSchema, refusals: Refusals) -> None:
    if addressing.loopbacks is None:
        return
    keys: Loc = ("addressing", "loopbacks")
    network = ip_network(addressing.loopbacks)
    switches = list(layout.switches.values())
    if len(switches) >= network.num_addresses:
        room = network.num_addresses - 1
        refusals.add(keys, f"{network} has {room} addresses for {len(switches)} switches")
        return
    for place, switch in enumerate(switches, 1):
        switch.loopback = f"{network[place]}/{network.max_prefixlen}"
        switch.loopback_keys = keys


def _systems(layout: Layout, fabric: FabricSchema, refusals: Refusals) -> None:
    for role in (Role.LEAF, Role.SPINE, Role.SUPERSPINE):
        tier = getattr(fabric, role.value)
        if tier is None or tier.asn is None:
            continue
        keys: Loc = ("fabric", role.value, "asn")
        switches = layout.of_role(role)
        _require_valley_free(role, tier.asn.each, fabric, switches, refusals)
        for switch in switches:
            step = {"device": switch.n, "pod": switch.pod, "tier": 1}[tier.asn.each]
            switch.asn, switch.asn_keys = tier.asn.first + step - 1, keys
        if switches and max(each.asn or 0 for each in switches) > LAST_ASN:
            refusals.add(keys, f"numbers run out: {LAST_ASN} is the last")


def _require_valley_free(
    role: Role, each: str, fabric: FabricSchema, switches: list[PlannedSwitch], refusals: Refusals
) -> None:
    """Require numbers that keep leafs reachable and traffic valley-free: BGP rejects routes with
    the own number.
    """
    keys: Loc = ("fabric", role.value, "asn", "each")
    if role is Role.LEAF and each != "device" and len(switches) > 1:
        refusals.add(keys, f"leaves with the same AS reject each other's routes, found {each}")
    if role is Role.SPINE and each == "tier" and fabric.pods > 1:
        refusals.add(keys, "spines of two pods with one AS reject each other's routes: use pod")
    if role is not Role.LEAF and each == "device" and len(switches) > 1:
        refusals.add(
            keys,
            f"{role.value}s with different AS numbers allow valley paths, found device",
            "use pod" if role is Role.SPINE and fabric.superspine else "use tier",
        )


def override(
    layout: Layout, specs: dict[str, Override], refusals: Refusals, *, complete: bool
) -> None:
    """Apply the overrides of single devices and ports. Of an incomplete layout the names are not
    known.
    """
    for name, spec in specs.items():
        keys: Loc = ("overrides", name)
        device = layout.device(name)
        if device is None and complete:
            refusals.unknown(keys, "the design has no device", name, list(layout.names))
        if device is None:
            continue
        if isinstance(device, PlannedSwitch):
            _override_switch(device, spec, keys)
        else:
            _refuse(keys, spec, ("asn", "loopback", "platform", *OF_SWITCHES), name, refusals)
        for port_name, own in spec.ports.items():
            at = (*keys, "ports", port_name)
            port = device.ports.get(port_name)
            if port is not None:
                _override_port(port, own, at)
            elif complete:
                refusals.unknown(at, f"{name} has no port", port_name, list(device.ports))
            if isinstance(device, PlannedHost):
                _refuse(at, own, OF_SWITCHES, name, refusals)


def _override_port(port: PlannedPort, own: PortOverride, at: Loc) -> None:
    if own.speed_gbps is not None:
        port.speed_gbps, port.keys = own.speed_gbps, (*at, "speed_gbps")
    if own.fec is not None:
        port.fec, port.fec_keys = own.fec, (*at, "fec")
    if own.cable_m is not None:
        port.cable_m, port.cable_keys = own.cable_m, (*at, "cable_m")
    if own.address is not None:
        port.addresses, port.address_keys = (own.address,), (*at, "address")


OF_SWITCHES = ("marking", "watchdog")
"""Overrides of the treatment of traffic by switches alone."""


def _refuse(keys: Loc, own: Treatment, names: Sequence[str], host: str, refusals: Refusals) -> None:
    for name in names:
        if getattr(own, name):
            refusals.add((*keys, name), f"{host} is a host, and has no {name} in a design")


def _override_switch(switch: PlannedSwitch, spec: Override, keys: Loc) -> None:
    if spec.asn is not None:
        switch.asn, switch.asn_keys = spec.asn, (*keys, "asn")
    if spec.loopback is not None:
        switch.loopback, switch.loopback_keys = spec.loopback, (*keys, "loopback")
    if spec.platform is not None:
        switch.platform = spec.platform


def require_unique_numbers(layout: Layout, refusals: Refusals) -> None:
    """Require unique addresses, and numbers that no two leafs or tiers share."""
    owners: dict[str, str] = {}
    for switch in layout.switches.values():
        if switch.loopback is not None:
            _own(owners, switch.loopback, switch.name, switch.loopback_keys, refusals)
    devices: list[PlannedSwitch | PlannedHost] = [*layout.switches.values()]
    for device in (*devices, *layout.hosts.values()):
        for port in device.ports.values():
            for address in port.addresses:
                _own(owners, address, f"{device.name} {port.name}", port.address_keys, refusals)
    systems: dict[int, PlannedSwitch] = {}
    for switch in layout.switches.values():
        if switch.asn is None:
            continue
        other = systems.setdefault(switch.asn, switch)
        if other.role is not switch.role or (other is not switch and switch.role is Role.LEAF):
            message = f"{switch.name} and {other.name} have the same AS number: {switch.asn}"
            refusals.add(switch.asn_keys, message)


def _own(owners: dict[str, str], address: str, name: str, keys: Loc, refusals: Refusals) -> None:
    ip = address.partition("/")[0]  # of IPv4 there is one spelling
    if ":" in ip:
        ip = str(ip_interface(address).ip)
    other = owners.setdefault(ip, name)
    if other != name:
        refusals.add(keys, f"{name} and {other} have the same address: {ip}")
