"""Layout of a fabric that is given by counts: tiers, pods, planes and rails."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from roce_lint.design.layout import (
    MOST_CABLES,
    MOST_DEVICES,
    Cable,
    Layout,
    Loc,
    PlannedHost,
    PlannedPort,
    PlannedSwitch,
    Refusals,
    Taker,
)
from roce_lint.intent.fabric import (
    FabricSchema,
    HostSchema,
    PortsSchema,
    TierSchema,
    fault_of_host,
    fill_pattern,
)
from roce_lint.model.device import Role
from roce_lint.nos.base import Offer
from roce_lint.nos.registry import all_nos

TIERS = (("leaf", Role.LEAF), ("spine", Role.SPINE), ("superspine", Role.SUPERSPINE))


def lay_out(fabric: FabricSchema, hosts: dict[str, HostSchema], refusals: Refusals) -> Layout:
    """Switches, hosts and cables of a fabric given by counts.

    Impossible requirements are added to `refusals`; the layout is then incomplete.
    """
    layout = Layout()
    if not _is_bounded(fabric, hosts, refusals):
        return layout
    _require_whole(fabric, refusals)
    for name, role in TIERS:
        tier = getattr(fabric, name)
        if tier is not None:
            _add_tier(layout, fabric, tier, role, refusals)
    add_hosts(layout, hosts, refusals)
    cabling = _Cabling(layout, fabric, refusals)
    cabling.join_hosts()
    leafs, spines = layout.of_role(Role.LEAF), layout.of_role(Role.SPINE)
    cabling.join((a, b) for a in leafs for b in spines if a.pod == b.pod)
    planes = fabric.planes or 1
    tops = layout.of_role(Role.SUPERSPINE)
    cabling.join((a, b) for a in spines for b in tops if (a.i - b.n) % planes == 0)
    return layout


def _require_whole(fabric: FabricSchema, refusals: Refusals) -> None:
    """Require all tiers with their ports, and counts that divide evenly."""
    keys: Loc = ("fabric",)
    given = [name for name, _ in TIERS if getattr(fabric, name) is not None]
    if fabric.leaf is None:
        refusals.add(keys, "fabric.leaf is missing, and no devices are listed")
    if fabric.superspine is not None and fabric.spine is None:
        refusals.add(keys, "fabric.spine is missing between leaves and superspines")
    if fabric.tiers is not None and fabric.tiers != len(given):
        refusals.add(
            (*keys, "tiers"), f"fabric.tiers is {fabric.tiers}, but there are {len(given)}"
        )
    if fabric.pods > 1 and fabric.superspine is None:
        refusals.add((*keys, "pods"), f"{fabric.pods} pods need a superspine to join them")
    if fabric.leaf and fabric.rails and fabric.leaf.count % fabric.rails:
        message = f"{fabric.leaf.count} leaves of a pod cannot be divided into {fabric.rails} rails"
        refusals.add((*keys, "rails"), message)
    if fabric.planes and fabric.superspine is None:
        refusals.add((*keys, "planes"), "planes require superspines")
    for name in ("spine", "superspine") if fabric.planes else ():
        tier = getattr(fabric, name)
        if tier is not None and tier.count % (fabric.planes or 1):
            message = f"{tier.count} {name}s cannot be divided into {fabric.planes} planes"
            refusals.add((*keys, "planes"), message)
    for name in given:
        _needs_ports(fabric, name, given, refusals)


def _needs_ports(fabric: FabricSchema, name: str, given: list[str], refusals: Refusals) -> None:
    tier, place = getattr(fabric, name), given.index(name)
    if place + 1 < len(given) and tier.up is None:
        refusals.add(("fabric", name), f"fabric.{name}.up is missing: ports to the tier above")
    if place + 1 == len(given):
        for key in ("up", "cable_m"):
            if getattr(tier, key) is not None:
                refusals.add(("fabric", name, key), f"fabric.{name}.{key}: there is no tier above")
    if place and tier.down is None:
        refusals.add(("fabric", name), f"fabric.{name}.down is missing: ports to the tier below")


def _is_bounded(fabric: FabricSchema, hosts: dict[str, HostSchema], refusals: Refusals) -> bool:
    """Whether the design has at most the largest size, without building it."""
    counts = [getattr(fabric, name).count if getattr(fabric, name) else 0 for name, _ in TIERS]
    leafs, spines, tops = counts[0] * fabric.pods, counts[1] * fabric.pods, counts[2]
    devices = leafs + spines + tops + sum(each.count for each in hosts.values())
    below = fabric.leaf.links if fabric.leaf else 1
    above = fabric.spine.links if fabric.spine else 1
    cables = leafs * counts[1] * below + spines * tops * above // (fabric.planes or 1)
    cables += sum(each.count * each.nics for each in hosts.values())
    for found, most, what in ((devices, MOST_DEVICES, "devices"), (cables, MOST_CABLES, "cables")):
        if found > most:
            refusals.add(("fabric",), f"has {found} {what}; at most {most} are supported")
    return devices <= MOST_DEVICES and cables <= MOST_CABLES


def _add_tier(
    layout: Layout, fabric: FabricSchema, tier: TierSchema, role: Role, refusals: Refusals
) -> None:
    keys: Loc = ("fabric", role.value)
    offer = offer_of((*keys, "nos"), tier.nos, refusals)
    if offer is None:
        return
    pods = fabric.pods if role is not Role.SUPERSPINE else 1
    rails = fabric.rails if role is Role.LEAF else None
    for n, (pod, i) in enumerate(product(range(1, pods + 1), range(1, tier.count + 1)), 1):
        rail = (i - 1) % rails if rails else None
        name = fill_pattern(tier.name, {"n": n, "i": i, "pod": pod, "rail": rail or 0})
        if is_free(layout, name, (*keys, "name"), refusals):
            layout.switches[name] = PlannedSwitch(
                name, role, tier.nos, offer, keys, tier.platform, tier.release, n, i, pod, rail
            )


def offer_of(keys: Loc, name: str, refusals: Refusals) -> Offer | None:
    """Design settings of a system; refused if it is unknown or not supported."""
    offers = {each: nos.offer for each, nos in all_nos().items() if nos.offer is not None}
    if name in all_nos() and name not in offers:
        message = f"{name} is not supported by `generate`"
        refusals.add(keys, message, f"supported: {', '.join(offers)}")
    elif name not in offers:
        refusals.unknown(keys, "unknown system", name, list(offers))
    return offers.get(name)


def is_free(layout: Layout, name: str, keys: Loc, refusals: Refusals) -> bool:
    """Whether a device name is valid and free; refuses others."""
    if fault := fault_of_host(name):
        refusals.add(keys, fault)
        return False
    if layout.device(name) is not None:
        refusals.add(keys, f"two devices have the name {name}")
        return False
    return True


def add_hosts(layout: Layout, hosts: dict[str, HostSchema], refusals: Refusals) -> None:
    """Lay out the hosts of all types, without cables."""
    for kind, schema in hosts.items():
        keys: Loc = ("hosts", kind)
        if not _has_all_names(schema, keys, refusals):
            continue
        for n in range(schema.first, schema.first + schema.count):
            name = fill_pattern(schema.name, {"n": n, "i": n, "pod": 1, "rail": 0})
            if not is_free(layout, name, (*keys, "name"), refusals):
                break
            host = layout.hosts[name] = PlannedHost(name, schema, keys)
            for number in range(schema.nics):
                _add_nic(host, number, refusals)


def _has_all_names(schema: HostSchema, keys: Loc, refusals: Refusals) -> bool:
    """Whether listed names match the number of NICs."""
    for key in ("ports", "rdma"):
        names = getattr(schema, key)
        if isinstance(names, tuple) and len(names) != schema.nics:
            refusals.add((*keys, key), f"{len(names)} names for {schema.nics} nics")
            return False
    return True


def _add_nic(host: PlannedHost, number: int, refusals: Refusals) -> None:
    schema, values = host.kind, {"r": number, "r1": number + 1}
    port, rdma = (
        fill_pattern(own, values) if isinstance(own, str) else own[number]
        for own in (schema.ports, schema.rdma or schema.ports)
    )
    if port in host.ports or rdma in host.rdma.values():
        refusals.add((*host.keys, "ports"), f"two interfaces of {host.name} have the name {port}")
        return
    host.rdma[port] = rdma
    host.ports[port] = PlannedPort(port, schema.speed_gbps, (*host.keys, "speed_gbps"))


class _Cabling:
    """Lays cables between the next ports of each switch in each direction."""

    def __init__(self, layout: Layout, fabric: FabricSchema, refusals: Refusals):
        self._layout, self._fabric, self._refusals = layout, fabric, refusals
        self._known: dict[tuple[str, str], Taker] = {}

    def _ports(self, switch: PlannedSwitch, way: str) -> Taker | None:
        """The ports of a switch that go `up` or `down`."""
        taker = self._known.get((switch.name, way))
        schema: PortsSchema | None = getattr(getattr(self._fabric, switch.role.value), way)
        if taker is None and schema is not None:
            keys = (*switch.keys, way)
            taker = self._known[switch.name, way] = Taker(switch, schema, keys, self._refusals)
        return taker

    def join(self, pairs: Iterable[tuple[PlannedSwitch, PlannedSwitch]]) -> None:
        """Add cables from each switch to those above it."""
        for low, high in pairs:
            tier: TierSchema = getattr(self._fabric, low.role.value)
            up, down = self._ports(low, "up"), self._ports(high, "down")
            if up is None or down is None:
                return
            speed, theirs = up.schema.speed_gbps, down.schema.speed_gbps
            if speed != theirs:
                other = ".".join(map(str, down.keys))
                message = f"has {speed:g} Gb/s, but {other} at the other end {theirs:g}"
                self._refusals.add((*up.keys, "speed_gbps"), message)
                return
            for _ in range(tier.links):
                ends = up.take(), down.take()
                if ends[0] is None or ends[1] is None:
                    return
                keys = (*low.keys, "cable_m") if tier.cable_m is not None else low.keys
                a, b = (low.name, ends[0]), (high.name, ends[1])
                self._layout.join(Cable(a, b, keys, speed, tier.cable_m, low.rail))

    def join_hosts(self) -> None:
        """Add cables from hosts to leafs: by rail, or all of a host to one leaf."""
        leafs, leaf = self._layout.of_role(Role.LEAF), self._fabric.leaf
        size = self._fabric.rails or 1
        groups = [leafs[at : at + size] for at in range(0, len(leafs), size)]
        hosts = list(self._layout.hosts.values())
        if hosts and leaf is not None and leaf.down is None:
            message = "fabric.leaf.down is missing: ports to hosts"
            self._refusals.add(("fabric", "leaf"), message)
            return
        if not groups or len(leafs) % size:
            return
        each = -(-len(hosts) // len(groups))
        for number, host in enumerate(hosts):
            self._join_host(host, groups[number // each])

    def _join_host(self, host: PlannedHost, group: list[PlannedSwitch]) -> None:
        rails = len(group)
        if host.kind.nics % rails:
            message = f"{host.kind.nics} nics cannot be divided among {rails} rails"
            self._refusals.add((*host.keys, "nics"), message)
            return
        for number, port in enumerate(host.ports):
            leaf = group[number % rails]
            down = self._ports(leaf, "down")
            if down is None:
                return
            speed, theirs = host.kind.speed_gbps, down.schema.speed_gbps
            if theirs != speed:
                message = f"has {speed:g} Gb/s, and fabric.leaf.down at the other end {theirs:g}"
                self._refusals.add((*host.keys, "speed_gbps"), message)
                return
            name = down.take()
            if name is None:
                return
            length = host.kind.cable_m
            keys = (*host.keys, "cable_m") if length is not None else host.keys
            a, b = (host.name, port), (leaf.name, name)
            self._layout.join(Cable(a, b, keys, speed, length, leaf.rail))
