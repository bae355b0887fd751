"""How traffic is spread over equal-cost paths: all of them, evenly, and as the NICs can take it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.equal_switches import equal_switches, odd_switches
from roce_lint.analysis.paths import Node, all_paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.uplinks import is_spoken_over, uplinks_of
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.model.nic import Nic
from roce_lint.model.routing import Balancing, Spread
from roce_lint.text.source import Origin


@fabric_check("balancing.adaptive_on_part")
def adaptive_routing_on_part(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Adaptive routing is on for a part of the ports it needs, or of the switches of a tier."""
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
            f"{odd.device.hostname} spreads traffic {mine}, {odd.agreeing} of {odd.all} switches "
            f"like it {most}, such as {odd.example.hostname}",
            "flows that pass this switch meet congestion, and arrive in an order, as on no other",
            [_spreading_place(analysis, odd.device), _spreading_place(analysis, odd.example)],
            odd.device.hostname,
            tuple(p.interface.name for p in analysis.ports_of(odd.device) if not p.faces_host),
            value=f"{mine}/{most}",
        )


def _spreading(device: Device) -> str | None:
    """How a switch chooses among equal-cost ports; None where its ports and it disagree."""
    balancing = device.balancing
    if not any(port.adaptive_routing for port in device.interfaces.values()):
        return "by the hash alone"
    if balancing is not None and balancing.adaptive is False:
        return None
    spread = balancing.spread if balancing is not None else None
    return "adaptively" + (f", each {spread.value} on its own" if spread is not None else "")


def _spreading_place(analysis: Analysis, device: Device) -> Where:
    """The line that has it so; where there is none, the first port that it would be about."""
    if device.balancing is not None and device.balancing.stated("adaptive"):
        return device.balancing.where("adaptive")
    ports = sorted(analysis.ports_of(device), key=lambda port: port.faces_host)
    return _adaptive(next((p for p in ports if p.interface.adaptive_routing), ports[0]))


def _groups(node: Node) -> Iterator[list[JudgedPort]]:
    """Ports of a switch among which the way is chosen: those up, those to one switch below."""
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
        f"{first.device.hostname} has adaptive routing on {len(on)} of {len(group)} ports of one "
        f"group of equal-cost paths, not on {names}",
        "the ports without it take part as if they were never busy, or not at all: flows take "
        "paths that nobody expects",
        [_adaptive(first), _adaptive(on[0])],
        first.device.hostname,
        tuple(port.interface.name for port in off),
        value=f"{len(on)}/{len(group)}",
    )


def _adaptive(port: JudgedPort) -> Where:
    """The line that switches it on or off; where there is none, the port."""
    stated = port.interface.stated("adaptive_routing")
    return port.interface.where("adaptive_routing" if stated else "")


def _on(analysis: Analysis, device: Device) -> list[JudgedPort]:
    return [port for port in analysis.ports_of(device) if port.interface.adaptive_routing]


def _idle(analysis: Analysis, device: Device, balancing: Balancing) -> Iterator[Problem]:
    """Ports have it on, and the device has not."""
    ports = _on(analysis, device)
    if not ports:
        return
    off = balancing.where("adaptive")
    places = [off, _adaptive(ports[0])] if off.origin is Origin.STATED else [_adaptive(ports[0])]
    yield Problem(
        f"{device.hostname} has adaptive routing on {len(ports)} ports, and not on the switch",
        "without that of the switch the setting of a port does nothing: flows keep the path of "
        "their hash, however busy it is",
        places,
        device.hostname,
        tuple(port.interface.name for port in ports),
        value="switch off",
    )


def _ports_left_out(analysis: Analysis, device: Device) -> Iterator[Problem]:
    """Ports that the platform leaves out: bridged ones, and members of channels."""
    for port in _on(analysis, device):
        channel, bridged = port.interface.lag, port.interface.routed is False
        if channel or bridged:
            what = f"a member of {channel}" if channel else "a bridged port"
            yield Problem(
                f"{port} has adaptive routing on and is {what}, where the platform ignores it",
                "flows keep the path of their hash on this port, however busy it is",
                [_adaptive(port)],
                device.hostname,
                (port.interface.name,),
                value="channel" if channel else "bridged",
            )


@fabric_check("balancing.packets_out_of_order")
def packets_out_of_order_for_nics(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Packets of one flow take several paths, and NICs that receive them cannot put up with it."""
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
            missing = "the model of the NICs (ibv_devinfo tells)"
            yield Unknown(missing, [_spread(first)], first.device.hostname, (first.interface.name,))


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
        f"{port.device.hostname} sends every packet its own way, and {len(unable)} of {count} NICs "
        f"take packets in order only ({device.hostname} {nic.name}: {nic.family})",
        "a packet that overtakes another is taken for a loss: the NIC asks for everything since "
        "to be sent again",
        [_spread(port), nic.where("family")],
        port.device.hostname,
        (port.interface.name,),
        value="per packet",
    )


@fabric_check("balancing.same_seed")
def hash_seed_on_two_tiers(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Two tiers are told the same seed for their hash."""
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
            f"{low.hostname} and {high.hostname} of the tier above hash with the same seed {seed}",
            "all flows that come up one link were chosen alike, and the same hash sends them on "
            "by few of the links there: the others stay idle",
            [place for d in (high, low) if (place := _seed(d)) is not None],
            high.hostname,
            ("hash seed",),
            value=str(seed),
        )


def _seed(device: Device) -> Where | None:
    return device.balancing.where("seed") if device.balancing is not None else None


@fabric_check("balancing.hash_without_ports")
def hash_without_ports(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The hash that chooses the path leaves out the UDP ports."""
    for node in all_paths_of(given.analysis).nodes.values():
        for crossing in node.up[:1]:
            device = crossing.out.device
            balancing = device.balancing
            if len(node.up) < 2 or balancing is None or balancing.l4_ports is not False:
                continue
            yield Problem(
                f"{device.hostname} chooses among {len(node.up)} uplinks by addresses alone, "
                "without UDP ports",
                "all queue pairs between two NICs take one path: the source port, which tells "
                "them apart for this, counts for nothing",
                [balancing.where("l4_ports")],
                device.hostname,
                tuple(c.out.interface.name for c in node.up),
                value="no ports",
            )


@fabric_check("balancing.fewer_paths_than_uplinks")
def fewer_paths_than_uplinks(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """BGP may use fewer paths at once than the switch has uplinks."""
    for node in all_paths_of(given.analysis).nodes.values():
        uplinks = uplinks_of(node)
        routing = node.up[0].out.device.routing if node.up else None
        if routing is None or not routing.sessions:
            continue
        routed = [u for u in uplinks if is_spoken_over(u.crossings)]
        paths = routing.max_paths
        few = paths is not None and paths < len(routed)
        if not few and (routing.spreads is not False or len(routed) < 2):
            continue
        says = f"uses {paths} path{'s' * (paths != 1)} of BGP at once"
        yield Problem(
            f"{node.name} {says if few else 'forwards by one of equal paths'} and has "
            f"{len(routed)} uplinks",
            "the other uplinks carry nothing: what the fabric was built for is not there",
            [routing.where("max_paths" if few else "spreads")],
            node.name,
            tuple(c.out.interface.name for u in routed for c in u.crossings),
            value=str(paths) if few else "one next hop",
            severity=None if few else Severity.INFO,
        )
