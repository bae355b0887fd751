"""Switches beside their equals: those of one system, place and model in the same networks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from roce_lint.analysis.memo import Once
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.device import Device

AGREEING = 2
"""Switches that must do the same before another one is odd."""
T = TypeVar("T")


class OddSwitch(NamedTuple):
    """A switch with another setting than most of its equals, and one of these."""

    device: Device
    example: Device
    agreeing: int
    all: int


def usual(values: Iterable[T]) -> tuple[T, int, int] | None:
    """The value that at least two switches have, and more than half; how many do, and all."""
    votes = Counter(values)
    for value, count in votes.most_common(1):
        if count >= AGREEING and 2 * count > votes.total():
            return value, count, votes.total()
    return None


def place_of(analysis: Analysis, device: Device) -> Hashable:
    """System and role of a switch; where the role is not known, the switches around it."""
    peers = frozenset(
        port.peer.device.hostname
        for port in analysis.ports_of(device)
        if port.peer is not None and not port.peer.device.is_host
    )
    return device.nos, device.role or peers


@Once
def equal_switches(analysis: Analysis) -> list[list[Device]]:
    """Switches whose files are whole, by what makes them equals."""
    groups: dict[Hashable, list[Device]] = defaultdict(list)
    for ports in analysis.devices().values():
        device = ports[0].device
        if not device.is_host and not device.partial:
            networks = frozenset(port.network for port in ports)
            make = device.asic.name if device.asic is not None else device.model
            groups[place_of(analysis, device), networks, make].append(device)
    return list(groups.values())


@Once
def legs_of_bonds(analysis: Analysis) -> list[tuple[JudgedPort, ...]]:
    """Ports of two switches that the members of one bond of a host are linked to."""
    bonds: dict[Hashable, dict[str, JudgedPort]] = defaultdict(dict)
    for port in analysis.ports:
        leg = analysis.port(*port.peer.key) if port.peer is not None else None
        if port.device.is_host and port.interface.lag is not None and leg is not None:
            bonds[port.device.hostname, port.interface.lag].setdefault(leg.device.hostname, leg)
    return [tuple(legs.values()) for legs in bonds.values() if len(legs) == 2]


def pairs_of_switches(analysis: Analysis) -> list[tuple[str, ...]]:
    """Names of two switches that a peer link joins, or to which one bond leads; in order."""
    peers = [link.ends for link in analysis.fabric.links if link.a.interface.peer_link]
    pairs = [[end.device.hostname for end in ends] for ends in peers]
    pairs += [[leg.device.hostname for leg in legs] for legs in legs_of_bonds(analysis)]
    return sorted({tuple(sorted(pair)) for pair in pairs})


def odd_switches(
    groups: Iterable[Iterable[Device]], setting: Callable[[Device], Hashable | None]
) -> Iterator[OddSwitch]:
    """Switches whose setting is not the usual one of their group. `setting` gives None for one that
    is not to be compared.
    """
    for devices in groups:
        known = [(device, value) for device in devices if (value := setting(device)) is not None]
        if (found := usual(value for _, value in known)) is not None:
            most, agreeing, count = found
            example = next(device for device, value in known if value == most)
            odd = (device for device, value in known if value != most)
            yield from (OddSwitch(device, example, agreeing, count) for device in odd)
