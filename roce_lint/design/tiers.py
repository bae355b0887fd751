"""Lays out a fabric that is given by counts: tiers, pods, planes and rails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from roce_lint.design.layout import (
    MOST_CABLES,
    MOST_DEVICES,
    Cable,
    Layout,
    PlannedHost,
    PlannedPort,
    PlannedSwitch,
    Taker,
)
from roce_lint.design.refusals import Loc, Refusals
from roce_lint.intent.fabric import FabricSchema, HostSchema, PortsSchema, TierSchema
from roce_lint.intent.names import fault_of_host, fill_pattern
from roce_lint.model.device import Role
from roce_lint.nos.registry import all_nos

TIERS = (("leaf", Role.LEAF), ("spine", Role.SPINE), ("superspine", Role.SUPERSPINE))


def lay_out(fabric: FabricSchema, hosts: dict[str, HostSchema], wanting: Refusals) -> Layout:
    """The switches, hosts and cables of a fabric that is given by counts.

    What cannot be is told in `wanting`; what is laid out is then not whole.
    """
    layout = Layout()
    if not _is_whole(fabric, wanting) or not _is_bounded(fabric, hosts, wanting):
        return layout
    for name, role in TIERS:
        tier = getattr(fabric, name)
        if tier is not None:
            _add_tier(layout, fabric, tier, role, wanting)
    add_hosts(layout, hosts, wanting)
    if wanting:
        return layout
    takers = _Takers(fabric, wanting)
    _join_hosts(layout, fabric, takers, wanting)
    leafs, spines = layout.of_role(Role.LEAF), layout.of_role(Role.SPINE)
    _join(layout, ((a, b) for a in leafs for b in spines if a.pod == b.pod), takers, wanting)
    planes = fabric.planes or 1
    tops = layout.of_role(Role.SUPERSPINE)
    pairs = ((a, b) for a in spines for b in tops if (a.i - b.n) % planes == 0)
    _join(layout, pairs, takers, wanting)
    return layout


def _is_whole(fabric: FabricSchema, wanting: Refusals) -> bool:
    """Whether the tiers that are needed are there, and counts divide as they must."""
    keys: Loc = ("fabric",)
    given = [name for name, _ in TIERS if getattr(fabric, name) is not None]
    if fabric.leaf is None:
        wanting.add(keys, "fabric.leaf is missing, and no devices are listed")
        return False
    if fabric.superspine is not None and fabric.spine is None:
        wanting.add(keys, "fabric.spine is missing between leafs and superspines")
    if fabric.tiers is not None and fabric.tiers != len(given):
        wanting.add((*keys, "tiers"), f"fabric.tiers is {fabric.tiers}, and there are {len(given)}")
    if fabric.pods > 1 and fabric.superspine is None:
        wanting.add((*keys, "pods"), f"{fabric.pods} pods need a superspine to join them")
    if fabric.rails and fabric.leaf.count % fabric.rails:
        message = f"{fabric.leaf.count} leafs of a pod cannot be divided into {fabric.rails} rails"
        wanting.add((*keys, "rails"), message)
    if fabric.planes and fabric.superspine is None:
        wanting.add((*keys, "planes"), "planes are planes of superspines, and there are none")
    for name in ("spine", "superspine") if fabric.planes else ():
        tier = getattr(fabric, name)
        if tier is not None and tier.count % (fabric.planes or 1):
            message = f"{tier.count} {name}s cannot be divided into {fabric.planes} planes"
            wanting.add((*keys, "planes"), message)
    for name in given:
        _needs_ports(fabric, name, given, wanting)
    return not wanting


def _needs_ports(fabric: FabricSchema, name: str, given: list[str], wanting: Refusals) -> None:
    tier, place = getattr(fabric, name), given.index(name)
    if place + 1 < len(given) and tier.up is None:
        wanting.add(("fabric", name), f"fabric.{name}.up is missing: ports to the tier above")
    if place + 1 == len(given):
        for key in ("up", "cable_m"):
            if getattr(tier, key) is not None:
                wanting.add(("fabric", name, key), f"fabric.{name}.{key}: there is no tier above")
    if place and tier.down is None:
        wanting.add(("fabric", name), f"fabric.{name}.down is missing: ports to the tier below")


def _is_bounded(fabric: FabricSchema, hosts: dict[str, HostSchema], wanting: Refusals) -> bool:
    """Whether what it comes to can be made at all; told without making it."""
    counts = [getattr(fabric, name).count if getattr(fabric, name) else 0 for name, _ in TIERS]
    leafs, spines, tops = counts[0] * fabric.pods, counts[1] * fabric.pods, counts[2]
    devices = leafs + spines + tops + sum(each.count for each in hosts.values())
    below = fabric.leaf.links if fabric.leaf else 1
    above = fabric.spine.links if fabric.spine else 1
    cables = leafs * counts[1] * below + spines * tops * above // (fabric.planes or 1)
    cables += sum(each.count * each.nics for each in hosts.values())
    for found, most, what in ((devices, MOST_DEVICES, "devices"), (cables, MOST_CABLES, "cables")):
        if found > most:
            wanting.add(("fabric",), f"comes to {found} {what}, and at most {most} are designed")
    return not wanting


def _add_tier(
    layout: Layout, fabric: FabricSchema, tier: TierSchema, role: Role, wanting: Refusals
) -> None:
    keys: Loc = ("fabric", role.value)
    systems = {name: nos.offer for name, nos in all_nos().items()}
    offer = systems.get(tier.nos)
    if offer is None:
        tell_unknown_system((*keys, "nos"), tier.nos, wanting)
        return
    pods = fabric.pods if role is not Role.SUPERSPINE else 1
    rails = fabric.rails if role is Role.LEAF else None
    for n, (pod, i) in enumerate(product(range(1, pods + 1), range(1, tier.count + 1)), 1):
        rail = (i - 1) % rails if rails else None
        name = fill_pattern(tier.name, {"n": n, "i": i, "pod": pod, "rail": rail or 0})
        if is_free(layout, name, (*keys, "name"), wanting):
            layout.switches[name] = PlannedSwitch(
                name, role, tier.nos, offer, keys, tier.platform, tier.release, n, i, pod, rail
            )


def tell_unknown_system(keys: Loc, name: str, wanting: Refusals) -> None:
    """Tell that a system is not known, or that nothing can be designed for it yet."""
    known = [each for each, nos in all_nos().items() if nos.offer is not None]
    if name in all_nos():
        message = f"for {name} nothing can be designed yet"
        wanting.add(keys, message, f"systems are {', '.join(known)}")
    else:
        wanting.unknown(keys, "there is no system called", name, known)


def is_free(layout: Layout, name: str, keys: Loc, wanting: Refusals) -> bool:
    """Whether a device may be called so; that it may not is told."""
    if fault := fault_of_host(name):
        wanting.add(keys, fault)
        return False
    if layout.device(name) is not None:
        wanting.add(keys, f"two devices are called {name}")
        return False
    return True


def add_hosts(layout: Layout, hosts: dict[str, HostSchema], wanting: Refusals) -> None:
    """Lay out the hosts of all types, without cables."""
    for kind, schema in hosts.items():
        keys: Loc = ("hosts", kind)
        if not _are_as_many(schema, keys, wanting):
            continue
        for n in range(schema.first, schema.first + schema.count):
            name = fill_pattern(schema.name, {"n": n, "i": n, "pod": 1, "rail": 0})
            if not is_free(layout, name, (*keys, "name"), wanting):
                break
            host = layout.hosts[name] = PlannedHost(name, schema, keys)
            for number in range(schema.nics):
                _add_nic(host, number, wanting)


def _are_as_many(schema: HostSchema, keys: Loc, wanting: Refusals) -> bool:
    """Whether each NIC has a name where names are listed."""
    for key in ("ports", "rdma"):
        names = getattr(schema, key)
        if isinstance(names, tuple) and len(names) != schema.nics:
            wanting.add((*keys, key), f"{len(names)} names for {schema.nics} nics")
            return False
    return True


def _add_nic(host: PlannedHost, number: int, wanting: Refusals) -> None:
    schema, values = host.kind, {"r": number, "r1": number + 1}
    port, rdma = (
        fill_pattern(own, values) if isinstance(own, str) else own[number]
        for own in (schema.ports, schema.rdma or schema.ports)
    )
    if port in host.ports or rdma in host.rdma.values():
        wanting.add((*host.keys, "ports"), f"two interfaces of {host.name} are called {port}")
        return
    host.rdma[port] = rdma
    speed_keys = (*host.keys, "speed_gbps")
    host.ports[port] = PlannedPort(port, schema.speed_gbps, speed_keys)


class _Takers:
    """The ports of each switch in each direction."""

    def __init__(self, fabric: FabricSchema, wanting: Refusals):
        self._fabric, self._wanting = fabric, wanting
        self._known: dict[tuple[str, str], Taker] = {}

    def of(self, switch: PlannedSwitch, way: str) -> Taker | None:
        """The ports of a switch that go `up` or `down`."""
        taker = self._known.get((switch.name, way))
        schema: PortsSchema | None = getattr(getattr(self._fabric, switch.role.value), way)
        if taker is None and schema is not None:
            keys = (*switch.keys, way)
            taker = self._known[switch.name, way] = Taker(switch, schema, keys, self._wanting)
        return taker


def _join(
    layout: Layout,
    pairs: Iterable[tuple[PlannedSwitch, PlannedSwitch]],
    takers: _Takers,
    wanting: Refusals,
) -> None:
    """Cables from each switch to the ones above it."""
    for low, high in pairs:
        tier: TierSchema = getattr(takers._fabric, low.role.value)  # noqa: SLF001  (own module)
        up, down = takers.of(low, "up"), takers.of(high, "down")
        if up is None or down is None or not _are_as_fast(up, down, wanting):
            return
        for _ in range(tier.links):
            ends = up.take(), down.take()
            if ends[0] is None or ends[1] is None:
                return
            keys = (*low.keys, "cable_m") if tier.cable_m is not None else low.keys
            layout.join(
                Cable(
                    (low.name, ends[0]),
                    (high.name, ends[1]),
                    keys,
                    up.schema.speed_gbps,
                    tier.cable_m,
                    low.rail,
                )
            )


def _are_as_fast(up: Taker, down: Taker, wanting: Refusals) -> bool:
    mine, theirs = up.schema.speed_gbps, down.schema.speed_gbps
    if mine != theirs:
        other = ".".join(map(str, down.keys))
        message = f"has {mine:g} Gb/s, and {other} at the other end {theirs:g}"
        wanting.add((*up.keys, "speed_gbps"), message)
    return mine == theirs


def _join_hosts(layout: Layout, fabric: FabricSchema, takers: _Takers, wanting: Refusals) -> None:
    """Cables from hosts to leafs: by rail, or all of a host to one leaf."""
    leafs = layout.of_role(Role.LEAF)
    size = fabric.rails or 1
    groups = [leafs[at : at + size] for at in range(0, len(leafs), size)]
    hosts = list(layout.hosts.values())
    if hosts and fabric.leaf is not None and fabric.leaf.down is None:
        wanting.add(("fabric", "leaf"), "fabric.leaf.down is missing: ports to hosts")
        return
    each = -(-len(hosts) // len(groups)) if groups else 0
    for number, host in enumerate(hosts):
        for cable in _cables_of(host, groups[number // each], takers, wanting):
            layout.join(cable)


def _cables_of(
    host: PlannedHost, group: list[PlannedSwitch], takers: _Takers, wanting: Refusals
) -> Iterator[Cable]:
    rails = len(group)
    if host.kind.nics % rails:
        message = f"{host.kind.nics} nics cannot be divided among {rails} rails"
        wanting.add((*host.keys, "nics"), message)
        return
    for number, port in enumerate(host.ports):
        leaf = group[number % rails]
        down = takers.of(leaf, "down")
        if down is None:
            return
        if down.schema.speed_gbps != host.kind.speed_gbps:
            mine, theirs = host.kind.speed_gbps, down.schema.speed_gbps
            message = f"has {mine:g} Gb/s, and fabric.leaf.down at the other end {theirs:g}"
            wanting.add((*host.keys, "speed_gbps"), message)
            return
        name = down.take()
        if name is None:
            return
        length = host.kind.cable_m
        keys = (*host.keys, "cable_m") if length is not None else host.keys
        speed = host.kind.speed_gbps
        yield Cable((host.name, port), (leaf.name, name), keys, speed, length, leaf.rail)
