"""Peer switches: those of one system, place and model in the same networks, their settings, and
their host ports without QoS.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from roce_lint.analysis.cache import cached
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.scope import ABOVE_LEAVES, OFF_PATH_ROLES, WIRES, is_known, is_meant
from roce_lint.analysis.structures import is_idle
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface

AGREEING = 2
"""Number of switches that must agree before a differing one is reported."""
T = TypeVar("T")


class OddSwitch(NamedTuple):
    """A switch with another setting than most of its peers, and one of these."""

    device: Device
    example: Device
    agreeing: int
    all: int


def usual(values: Iterable[T]) -> tuple[T, int, int] | None:
    """The value of at least two switches and more than half, their number, and the total."""
    votes = Counter(values)
    for value, count in votes.most_common(1):
        if count >= AGREEING and 2 * count > votes.total():
            return value, count, votes.total()
    return None


def place_of(analysis: Analysis, device: Device) -> Hashable:
    """System and role of a switch; if the role is unknown, its neighbour switches."""
    peers = frozenset(
        port.peer.device.hostname
        for port in analysis.ports_of(device)
        if port.peer is not None and not port.peer.device.is_host
    )
    return device.nos, device.role or peers


def model_of(device: Device) -> Hashable:
    """Key that two switches of one model share: the ASIC, else the model name.

    Many systems do not print the model into the configuration; there the names of all physical
    ports identify the front panel. A file with only some of the ports proves nothing: such a device
    matches no other.
    """
    if device.asic is not None:
        return device.asic.name
    if device.model or device.partial:
        return device.model or device.hostname
    return frozenset(port.name for port in device.interfaces.values() if port.kind in WIRES)


@cached
def equal_switches(analysis: Analysis) -> list[list[Device]]:
    """Peer switches with complete configurations."""
    groups: dict[Hashable, list[Device]] = defaultdict(list)
    for ports in analysis.devices().values():
        device = ports[0].device
        if not device.is_host and not device.partial:
            networks = frozenset(port.network for port in ports)
            make = device.asic.name if device.asic is not None else device.model
            groups[place_of(analysis, device), networks, make].append(device)
    return list(groups.values())


@cached
def legs_of_bonds(analysis: Analysis) -> list[tuple[JudgedPort, ...]]:
    """Ports of two switches that lead to one bond of a host."""
    bonds: dict[Hashable, dict[str, JudgedPort]] = defaultdict(dict)
    for port in analysis.ports:
        leg = analysis.port(*port.peer.key) if port.peer is not None else None
        if port.device.is_host and port.interface.lag is not None and leg is not None:
            bonds[port.device.hostname, port.interface.lag].setdefault(leg.device.hostname, leg)
    return [tuple(legs.values()) for legs in bonds.values() if len(legs) == 2]


def pairs_of_switches(analysis: Analysis) -> list[tuple[str, ...]]:
    """Sorted names of two switches that a peer link or a bond of a host joins."""
    peers = [link.ends for link in analysis.fabric.links if link.a.interface.peer_link]
    pairs = [[end.device.hostname for end in ends] for ends in peers]
    pairs += [[leg.device.hostname for leg in legs] for legs in legs_of_bonds(analysis)]
    return sorted({tuple(sorted(pair)) for pair in pairs})


def odd_switches(
    groups: Iterable[Iterable[Device]], setting: Callable[[Device], Hashable | None]
) -> Iterator[OddSwitch]:
    """Switches with an unusual setting in their group; None is not comparable."""
    for devices in groups:
        known = [(device, value) for device in devices if (value := setting(device)) is not None]
        if (found := usual(value for _, value in known)) is not None:
            most, agreeing, count = found
            example = next(device for device, value in known if value == most)
            odd = (device for device, value in known if value != most)
            yield from (OddSwitch(device, example, agreeing, count) for device in odd)


# Host ports without QoS are out of scope; their peers show that QoS is missing.

End = tuple[Device, Interface]


@dataclass(slots=True)
class BarePorts:
    """Leaf ports of one system and speed: those without QoS, and their peers with it."""

    bare: list[End] = field(default_factory=list)
    equals: list[End] = field(default_factory=list)


@cached
def bare_ports(analysis: Analysis) -> list[BarePorts]:
    """Ports in use without QoS, where more of their peers face hosts and have it."""
    groups: dict[Hashable, BarePorts] = defaultdict(BarePorts)
    leaves: dict[str, Device] = {}
    for port in analysis.switch_ports():
        if not port.device.above_leaves and port.device.role not in ABOVE_LEAVES:
            leaves[port.device.hostname] = port.device
        if port.faces_host:
            own = groups[port.device.nos, port.interface.speed_gbps]
            own.equals.append((port.device, port.interface))
    for device in leaves.values():
        if any(map(is_idle, device.structures)):
            continue  # unused QoS is a separate finding
        for interface in device.interfaces.values():
            group = groups.get((device.nos, interface.speed_gbps))
            if group is not None and _is_bare(analysis, device, interface):
                group.bare.append((device, interface))
    return [group for group in groups.values() if 0 < len(group.bare) < len(group.equals)]


def _is_bare(analysis: Analysis, device: Device, port: Interface) -> bool:
    if (
        is_known(analysis, device, port)
        or port.kind not in WIRES
        or port.enabled is False
        or port.idle
    ):
        return False
    if port.peer_link or port.uplink or port.lag or device.role in OFF_PATH_ROLES:
        return False
    if any(neighbor.is_host is not True for neighbor in port.neighbors):
        return False
    begin = port.at.get("", 0)
    if port.qos is not None and any(place > begin > 0 for place in port.qos.at.values()):
        return False  # it has a QoS line, with or without effect
    used = port.addresses or port.untagged_vlan is not None or port.tagged_vlans or port.description
    stated = port.stated("routed") or port.stated("ip_mtu")
    return bool(used or stated) and not is_meant(device, port, {device.hostname})
