"""Uplinks of a switch: their bandwidth compared to that from below."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from roce_lint.analysis.missing_switches import is_unread
from roce_lint.analysis.paths import Crossing, Node, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface


@dataclass(slots=True)
class Uplink:
    """An uplink, or a channel of several: one of the paths that a switch chooses from."""

    crossings: list[Crossing]

    @property
    def above(self) -> str:
        """The switch at the other end."""
        return self.crossings[0].into.device.hostname

    @property
    def port(self) -> JudgedPort:
        """The port that represents it."""
        return self.crossings[0].out

    @property
    def gbps(self) -> float | None:
        """Bandwidth, if the speed of all members is known."""
        return sum_speeds([crossing.out for crossing in self.crossings])

    def __str__(self) -> str:
        return self.port.interface.lag or self.port.interface.name


def uplinks_of(node: Node) -> list[Uplink]:
    """Uplinks of a switch, those of a channel as one."""
    found: dict[Hashable, Uplink] = {}
    for crossing in node.up:
        port = crossing.out.interface
        key = (crossing.into.device.hostname, port.lag) if port.lag else port.name
        found.setdefault(key, Uplink([])).crossings.append(crossing)
    return list(found.values())


def sum_speeds(ports: list[JudgedPort]) -> float | None:
    """Sum of speeds in Gb/s; None if one is unknown."""
    speeds = [port.gbps for port in ports]
    return None if None in speeds else sum(speed for speed in speeds if speed is not None)


@dataclass(slots=True, frozen=True)
class Load:
    """Bandwidth into a switch from below and that of its uplinks, in Gb/s."""

    below: float | None
    above: float | None
    assumed: bool  # the devices on its ports are unknown

    @property
    def ratio(self) -> float | None:
        """Oversubscription ratio; None if either is unknown."""
        return self.below / self.above if self.below is not None and self.above else None


def load_of(analysis: Analysis, device: Device) -> Load | None:
    """Load of a switch; None without uplinks."""
    node = paths_of(analysis).nodes.get(device.hostname)
    if node is None or not node.up:
        return None
    hosts = [port for port in analysis.ports_of(device) if port.faces_host]
    return Load(
        sum_speeds([*hosts, *(crossing.out for crossing in node.down)]),
        sum_speeds([crossing.out for crossing in node.up]),
        any(port.peer is None for port in hosts),
    )


TWO_ENDS = 4
"""Addresses of the largest network with two ends: a /30, with network and broadcast."""


def is_spoken_over(crossings: list[Crossing]) -> bool:
    """True where the switch has an external BGP session with the other end, in its default VRF:
    internal sessions have a separate limit.
    """
    device = crossings[0].out.device
    sessions = device.routing.sessions if device.routing is not None else {}
    for crossing in crossings:
        addresses = [a.partition("/")[0] for a in crossing.into.interface.addresses]
        if is_unread(crossing.into.device):
            addresses += _other_ends(crossing.out.interface)
        for name in (crossing.out.interface.name, *addresses):
            if name in sessions and (sessions[name].asn != device.asn or device.asn is None):
                return True
    return False


def _other_ends(port: Interface) -> list[str]:
    """Addresses of the other end of a point-to-point link, as 10.0.0.1 for 10.0.0.0/31."""
    own = (each for each in port.parsed_addresses if each.network.num_addresses <= TWO_ENDS)
    return [str(ip) for each in own for ip in each.network.hosts() if ip != each.ip]
