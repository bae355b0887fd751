"""NIC pairs that a verdict has to cover: those of all NICs in the folder, with or without a path.

A network is everything that was ever connected: by links up or shut, across VRFs, and through
devices that a neighbour or plan names and whose configuration is missing. So deleting a file or
shutting a port removes the path of a pair, but never the pair.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from roce_lint.analysis.cache import cached
from roce_lint.analysis.impact import Impact, impact_of
from roce_lint.analysis.missing_switches import (
    bare,
    find_absent,
    find_absent_hosts,
    numberless,
    short,
)
from roce_lint.analysis.paths import End
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import (
    ABSENT,
    WIRES,
    Components,
    is_cable_of_fabric,
    is_meant,
    node_of,
    switches_with_design,
    wires,
)
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric

Node = tuple[str, str]


@dataclass(slots=True)
class Expected:
    """Ordered pairs of ends of one network, and those without a known path by reason.

    `absent` are devices without a configuration, `unplaced` NICs with an unknown cable, `apart`
    switches without a path to others of their network.
    """

    pairs: int = 0
    absent: set[str] = field(default_factory=set)
    absent_pairs: int = 0
    unplaced: list[str] = field(default_factory=list)
    unplaced_pairs: int = 0
    apart: set[str] = field(default_factory=set)
    apart_pairs: int = 0


@dataclass(slots=True)
class _Network:
    """Ends of one network: those at leaves with a configuration, and the number of others."""

    ends: list[End] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)  # by unread device
    unplaced: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)  # switches

    @property
    def size(self) -> int:
        """Number of all ends."""
        return len(self.ends) + self.unread.total() + len(self.unplaced)


@cached
def expected_pairs(analysis: Analysis) -> Expected:
    """Expected pairs of the folder, and the missing input for those without a known path."""
    impact = impact_of(analysis)
    found = Expected()
    for network in _networks(analysis, impact):
        size, lone = network.size, len(network.unplaced)
        without, apart = _pathless(network, impact)
        unplaced = lone * (2 * size - lone - 1)
        found.pairs += size * (size - 1)
        found.unplaced += network.unplaced
        found.unplaced_pairs += unplaced
        found.absent |= network.absent | network.unread.keys()
        known = size - lone
        left = known * (known - 1) - len(network.ends) * (len(network.ends) - 1)
        found.absent_pairs += left
        if network.absent:
            found.absent_pairs += without
        elif without:
            found.apart |= apart
            found.apart_pairs += without
    return found


def _networks(analysis: Analysis, impact: Impact) -> list[_Network]:
    """The networks. NICs in an unknown place count in the largest one."""
    nodes = Components()
    absent = _join(analysis, nodes)
    networks: dict[Node, _Network] = defaultdict(_Network)
    for end in impact.ends:
        networks[nodes.find((end.wires[0].leaf.device.hostname, ""))].ends.append(end)
    for (device, _), name in absent.items():
        if not analysis.fabric.devices[device].is_host:
            networks[nodes.find((device, ""))].absent.add(bare(name))
    if any(wire.host is None for end in impact.ends for wire in end.wires):
        cut = (device for _, device in _cut_ends(analysis.fabric))
        _count_edges_of_absent(impact, [*absent.values(), *cut], nodes, networks)
        # Any edge port may be that of an unplaced NIC.
        unplaced = analysis.roce_nics[len(impact.ends) :]
        lone = [f"{host.hostname} {nic.name}" for host, nic in unplaced]
    else:
        placed = {(end.device, end.nic) for end in impact.ends}
        lone = []
        for host, nic in analysis.roce_nics:
            keys = [(host.hostname, wire) for wire in wires(host, nic)]
            leaf = next((absent[key] for key in keys if key in absent), None)
            if leaf is not None:
                networks[nodes.find((short(leaf), ABSENT))].unread[bare(leaf)] += 1
            elif (host.hostname, nic.name) not in placed:
                lone.append(f"{host.hostname} {nic.name}")
        _count_absent_hosts(analysis, nodes, networks)
    if lone:
        largest = max(networks.values(), key=lambda network: network.size, default=None)
        (largest or networks["", ""]).unplaced += lone
    return list(networks.values())


def _join(analysis: Analysis, nodes: Components) -> dict[Node, str]:
    """Join all nodes that are or were connected; return the ports to switches without a file."""
    fabric = analysis.fabric
    carriers = {
        (host.hostname, wire) for host, nic in analysis.roce_nics for wire in wires(host, nic)
    }
    for link in fabric.links:
        if is_cable_of_fabric(link, carriers):
            nodes.join(*map(node_of, link.ends))
    states = [device for device in fabric.devices.values() if _has_outputs_alone(device)]
    hosts = find_absent(fabric, hosts=True).items()
    absent = {key: neighbor.device for key, neighbor in hosts if key in carriers}
    near = absent | {key: neighbor.device for key, neighbor in find_absent(fabric).items()}
    for name in {*(far for _, far in _cut_ends(fabric)), *(each.hostname for each in states)}:
        nodes.join((name, ""), (short(name), ABSENT))
    for (name, port), far in (*_cut_ends(fabric), *near.items()):
        own = fabric.devices[name].interfaces[port]
        if own.kind in WIRES:
            nodes.join(node_of(Endpoint(fabric.devices[name], own)), (short(far), ABSENT))
    # A leaf without a known uplink is in the network of the spines with a port of unknown peer.
    ends = [(a.device.hostname, link.other(a)) for link in fabric.links for a in link.ends]
    across, down = ({a for a, b in ends if b.device.is_host is host} for host in (False, True))
    loose = {device.hostname for device, _ in analysis.loose}
    spines = switches_with_design(fabric) - down
    for leaf, spine in product(loose - across, spines & loose | spines - across):
        nodes.join((leaf, ""), (spine, ""))
    own_names = {(device.hostname, ""): device.hostname for device in states}
    return own_names | absent | {key: each.device for key, each in analysis.absent.items()}


def _cut_ends(fabric: Fabric) -> Iterator[tuple[Node, str]]:
    """Ports with the device at their other end, for cables that a truncated text no longer has."""
    yield from ((each.near, each.device) for each in fabric.missing if each.near is not None)
    planned = fabric.unread.items()
    yield from ((key, end.device) for key, end in planned if end.device in fabric.devices)


def _has_outputs_alone(device: Device) -> bool:
    """Whether a switch has command outputs or management configuration only."""
    return (device.partial and not device.is_host and not device.fleet) and not any(
        port.qos is not None or port.addresses or port.stated("ip_mtu") or port.stated("routed")
        for port in device.interfaces.values()
        if port.kind in WIRES
    )


def _count_edges_of_absent(
    impact: Impact, names: Iterable[str], nodes: Components, networks: dict[Node, _Network]
) -> None:
    """Count an absent or truncated leaf with as many edge ports as the largest of its series."""
    own = Counter(end.device for end in impact.ends)
    of_series = _largest_of_series(own)
    for name in {short(name): name for name in names}.values():
        count = of_series[numberless(name)] - own[name]
        if count > 0:
            networks[nodes.find((short(name), ABSENT))].unread[bare(name)] += count


def _count_absent_hosts(
    analysis: Analysis, nodes: Components, networks: dict[Node, _Network]
) -> None:
    """Count an absent host with its ports, or with as many as the largest host of its series."""
    captured = {short(host.hostname) for host, _ in analysis.roce_nics}
    designed = switches_with_design(analysis.fabric)
    heard: dict[Node, Counter[str]] = defaultdict(Counter)
    for (name, port), neighbor in find_absent_hosts(analysis.fabric, captured).items():
        switch = analysis.fabric.devices[name]
        if nodes.knows((name, "")) and is_meant(switch, switch.interfaces[port], designed):
            heard[nodes.find((name, ""))][bare(neighbor.device)] += 1
    for root, hosts in heard.items():
        of_series = _largest_of_series(Counter(end.device for end in networks[root].ends))
        for name, count in hosts.items():
            networks[root].unread[name] += max(count, of_series[numberless(name)])


def _largest_of_series(ends: Counter[str]) -> Counter[str]:
    """Largest number of ends of one device, by its name without numbers."""
    found: Counter[str] = Counter()
    for device, count in ends.items():
        found[numberless(device)] = max(found[numberless(device)], count)
    return found


def _pathless(network: _Network, impact: Impact) -> tuple[int, set[str]]:
    """Ordered pairs of placed ends without a path, and the leaves that most ends cannot reach."""
    own = Counter(tuple(sorted({impact.reached.number[w.leaf.device.hostname] for w in end.wires}))
                  for end in network.ends)  # fmt: skip
    total = len(network.ends)
    pairs, leaves = 0, list[tuple[int, str]]()
    for home, count in own.items():
        reached = impact.ends_reached(home)
        pairs += count * (total - reached)
        if reached < total:
            leaves += [(reached, impact.reached.leaves[leaf]) for leaf in home]
    few = {name for reached, name in leaves if 2 * reached <= total}
    return pairs, few or {name for _, name in leaves}
