"""Load balancing over equal-cost paths: completeness, hashing, and packet order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.equal_switches import equal_switches, odd_switches
from roce_lint.analysis.paths import Node, all_paths_of
from roce_lint.analysis.port_parts import needs
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.uplinks import is_spoken_over, uplinks_of
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Unknown, at_port, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.nic import Nic
from roce_lint.model.routing import Balancing, Spread
from roce_lint.text.source import Origin, Where


@fabric_check("balancing.adaptive_on_part")
def adaptive_routing_partly_enabled(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Adaptive routing that is on for some ports of a group, or some switches of a tier."""
    analysis = given.analysis
    for node in all_paths_of(analysis).nodes.values():
        for group in _groups(node):
            yield from _partial_balancing(group)
    for device in fabric.devices.values():
        if device.balancing is not None and device.balancing.adaptive is False:
            yield from _idle(analysis, device, device.balancing)
        if device.limits.adaptive_on_routed_ports:
            yield from _ports_left_out(analysis, device)
    for odd in odd_switches(equal_switches(analysis), _spreading):
        mine, most = _spreading(odd.device), _spreading(odd.example)
        yield Problem(
            f"{odd.device.hostname} spreads traffic {mine}, {odd.agreeing} of {odd.all} similar "
            f"switches {most} (e.g. {odd.example.hostname})",
            "flows through this switch see other congestion and packet order than elsewhere",
            [_spreading_place(analysis, odd.device), _spreading_place(analysis, odd.example)],
            odd.device.hostname,
            tuple(p.interface.name for p in analysis.ports_of(odd.device) if not p.faces_host),
            value=f"{mine}/{most}",
        )


def _spreading(device: Device) -> str | None:
    """Method of choosing among equal-cost ports; None where port and switch settings disagree."""
    balancing = device.balancing
    if not any(port.adaptive_routing for port in device.interfaces.values()):
        return "by the hash alone"
    if balancing is not None and balancing.adaptive is False:
        return None
    spread = balancing.spread if balancing is not None else None
    return "adaptively" + (f", each {spread.value} on its own" if spread is not None else "")


def _spreading_place(analysis: Analysis, device: Device) -> Where:
    """Line that sets the method, or the first port it would apply to."""
    if device.balancing is not None and device.balancing.stated("adaptive"):
        return device.balancing.where("adaptive")
    ports = sorted(analysis.ports_of(device), key=lambda port: port.faces_host)
    return _adaptive(next((p for p in ports if p.interface.adaptive_routing), ports[0]))


def _groups(node: Node) -> Iterator[list[JudgedPort]]:
    """Groups of equal-cost ports: the uplinks, and the ports to each lower switch."""
    yield [crossing.out for crossing in node.up]
    below: dict[str, list[JudgedPort]] = defaultdict(list)
    for crossing in node.down:
        below[crossing.into.device.hostname].append(crossing.out)
    yield from below.values()


def _partial_balancing(group: list[JudgedPort]) -> Iterator[Problem]:
    on = [port for port in group if port.interface.adaptive_routing]
    off = [port for port in group if not port.interface.adaptive_routing]
    if not on or not off:
        return
    first = off[0]
    names = ", ".join(port.interface.name for port in off[:3]) + (" ..." if len(off) > 3 else "")
    yield Problem(
        f"{first.device.hostname} has adaptive routing on {len(on)} of {len(group)} ports of an "
        f"ECMP group, but not on {names}",
        "ports without it count as idle or are left out: flows take unexpected paths",
        [_adaptive(first), _adaptive(on[0])],
        first.device.hostname,
        tuple(port.interface.name for port in off),
        value=f"{len(on)}/{len(group)}",
        changes=tuple(c for port in off for c in needs(port, {"adaptive_routing": True})),
    )


def _adaptive(port: JudgedPort) -> Where:
    """Line that switches adaptive routing on or off, or the port."""
    stated = port.interface.stated("adaptive_routing")
    return port.interface.where("adaptive_routing" if stated else "")


def _on(analysis: Analysis, device: Device) -> list[JudgedPort]:
    return [port for port in analysis.ports_of(device) if port.interface.adaptive_routing]


def _idle(analysis: Analysis, device: Device, balancing: Balancing) -> Iterator[Problem]:
    """Ports with adaptive routing on a switch where it is off globally."""
    ports = _on(analysis, device)
    if not ports:
        return
    off = balancing.where("adaptive")
    places = [off, _adaptive(ports[0])] if off.origin is Origin.STATED else [_adaptive(ports[0])]
    yield Problem(
        f"{device.hostname} has adaptive routing on for {len(ports)} ports but off globally",
        "port settings have no effect without the global one: flows keep their hashed path, "
        "however busy it is",
        places,
        device.hostname,
        tuple(port.interface.name for port in ports),
        value="switch off",
        changes=(Change.on_device(device, "balancing.adaptive", value=True),),
    )


def _ports_left_out(analysis: Analysis, device: Device) -> Iterator[Problem]:
    """Ports that the platform excludes: bridged ports and channel members."""
    for port in _on(analysis, device):
        channel, bridged = port.interface.lag, port.interface.routed is False
        if channel or bridged:
            what = f"a member of {channel}" if channel else "a bridged port"
            yield Problem(
                f"{port} has adaptive routing on but is {what}, where the platform ignores it",
                "flows keep their hashed path on this port, however busy it is",
                [_adaptive(port)],
                device.hostname,
                (port.interface.name,),
                value="channel" if channel else "bridged",
            )


@fabric_check("balancing.packets_out_of_order")
def packet_spraying_to_in_order_nics(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Packet spraying in a network with NICs that require packets in order."""
    analysis = given.analysis
    sprayed: dict[int, list[JudgedPort]] = defaultdict(list)
    for node in all_paths_of(analysis).nodes.values():
        for crossing in node.up[:1]:
            balancing = crossing.out.device.balancing
            if balancing is not None and balancing.spread is Spread.PACKET:
                sprayed[crossing.out.network].append(crossing.out)
    for network, ports in sprayed.items():
        nics = list(_nics(analysis, network))
        unable = [(device, nic) for device, nic in nics if nic.takes_out_of_order is False]
        if unable:
            yield from (_sprays(port, unable, len(nics)) for port in ports)
        elif any(nic.takes_out_of_order is None for _, nic in nics):
            first = ports[0]
            missing = "the model of the NICs (provide ibv_devinfo)"
            yield Unknown(missing, [_spread(first)], *at_port(first))


def _nics(analysis: Analysis, network: int) -> Iterator[tuple[Device, Nic]]:
    for device, nic in analysis.roce_nics:
        port = analysis.port(device.hostname, nic.port or "")
        if port is not None and port.network == network:
            yield device, nic


def _spread(port: JudgedPort) -> Where:
    balancing = port.device.balancing
    return balancing.where("spread") if balancing is not None else port.interface.where()


def _sprays(port: JudgedPort, unable: list[tuple[Device, Nic]], count: int) -> Problem:
    device, nic = unable[0]
    return Problem(
        f"{port.device.hostname} sprays packets over its uplinks, but {len(unable)} of {count} "
        f"NICs require packets in order ({device.hostname} {nic.name}: {nic.family})",
        "a reordered packet counts as lost: the NIC requests everything since to be resent",
        [_spread(port), nic.where("family")],
        *at_port(port),
        value="per packet",
    )


@fabric_check("balancing.same_seed")
def same_hash_seed_on_two_tiers(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Two adjacent tiers with the same ECMP hash seed."""
    nodes = all_paths_of(given.analysis).nodes
    seeds: dict[tuple[int, int], dict[int, Device]] = defaultdict(dict)
    for node in nodes.values():
        for crossing in (node.up or node.down)[:1]:
            device = crossing.out.device
            balancing = device.balancing
            if balancing is not None and balancing.seed is not None:
                seeds[crossing.out.network, balancing.seed].setdefault(node.tier, device)
    for (_, seed), tiers in sorted(seeds.items()):
        if len(tiers) < 2:
            continue
        low, high = (tiers[tier] for tier in sorted(tiers)[:2])
        yield Problem(
            f"{low.hostname} and {high.hostname} of the tier above use the same hash seed {seed}",
            "flows of one link get the same hash again: the upper switch uses few of its links, "
            "and the others stay idle",
            [d.balancing.where("seed") for d in (high, low) if d.balancing is not None],
            high.hostname,
            ("hash seed",),
            value=str(seed),
        )


@fabric_check("balancing.hash_without_ports")
def hash_without_ports(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """An ECMP hash without UDP ports."""
    for node in all_paths_of(given.analysis).nodes.values():
        for crossing in node.up[:1]:
            device = crossing.out.device
            balancing = device.balancing
            if len(node.up) < 2 or balancing is None or balancing.l4_ports is not False:
                continue
            yield Problem(
                f"{device.hostname} hashes over {len(node.up)} uplinks by IP addresses only, "
                "without UDP ports",
                "all queue pairs between two NICs take one path: they differ only in the UDP "
                "source port",
                [balancing.where("l4_ports")],
                device.hostname,
                tuple(c.out.interface.name for c in node.up),
                value="no ports",
                changes=(Change.on_device(device, "balancing.l4_ports", value=True),),
            )


@fabric_check("balancing.fewer_paths_than_uplinks")
def fewer_paths_than_uplinks(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A switch whose BGP multipath limit is below its number of uplinks."""
    for node in all_paths_of(given.analysis).nodes.values():
        uplinks = uplinks_of(node)
        device = node.up[0].out.device if node.up else None
        routing = device.routing if device is not None else None
        if device is None or routing is None or not routing.sessions:
            continue
        routed = [u for u in uplinks if is_spoken_over(u.crossings)]
        paths = routing.max_paths
        few = paths is not None and paths < len(routed)
        needs: dict[str, object] = {"routing.max_paths": len(routed)} if few else {}
        if routing.spreads is False:
            needs["routing.spreads"] = True
        if not few and (routing.spreads is not False or len(routed) < 2):
            continue
        limit = f"uses {paths} BGP path{'s' * (paths != 1)} at once"
        yield Problem(
            f"{node.name} {limit if few else 'forwards over one of its equal paths'} but has "
            f"{len(routed)} uplinks",
            "the other uplinks carry no traffic",
            [routing.where("max_paths" if few else "spreads")],
            node.name,
            tuple(c.out.interface.name for u in routed for c in u.crossings),
            value=str(paths) if few else "one next hop",
            severity=None if few else Severity.INFO,
            changes=tuple(Change.on_device(device, field, value) for field, value in needs.items()),
        )
