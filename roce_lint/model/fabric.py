"""The fabric: devices, the links between their ports, and conflicting claims."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, Neighbor
from roce_lint.model.plan import RocePlan
from roce_lint.text.source import Where


class LinkSource(enum.IntEnum):
    """Evidence for a link, the most trusted first."""

    PLAN = 1  # links.yaml or CSV
    LLDP = 2
    NEIGHBOR_TABLE = 3  # stated in the device's own configuration
    ADDRESS = 4  # both ends of a /31, /30 or /127, each address used once
    REUSED_ADDRESS = 5  # the same, for a subnet that several VRFs use
    DESCRIPTION = 6  # names a known device and port

    @property
    def inferred(self) -> bool:
        """Whether the link follows from other statements: it contradicts no other claim."""
        return self >= LinkSource.ADDRESS

    @property
    def assumed(self) -> bool:
        """Whether the evidence may be wrong or outdated."""
        return self > LinkSource.ADDRESS


@dataclass(slots=True, frozen=True, eq=False)
class Endpoint:
    """One end of a link."""

    device: Device
    interface: Interface

    def __str__(self) -> str:
        return f"{self.device.hostname} {self.interface.name}"

    @property
    def key(self) -> tuple[str, str]:
        """Identity of the port in the fabric."""
        return (self.device.hostname, self.interface.name)


@dataclass(slots=True, eq=False)
class Link:
    """Two ports on one cable."""

    a: Endpoint
    b: Endpoint
    known_from: LinkSource
    where: tuple[Where, ...] = ()
    cable_m: float | None = None
    speed_gbps: float | None = None
    rail: int | None = None

    @property
    def ends(self) -> tuple[Endpoint, Endpoint]:
        """Both ends."""
        return (self.a, self.b)

    @property
    def assumed(self) -> bool:
        """True when the link is known only from a description or a reused address."""
        return self.known_from.assumed

    def other(self, end: Endpoint) -> Endpoint:
        """The end that is not `end`."""
        return self.b if end is self.a else self.a


@dataclass(slots=True)
class LinkConflict:
    """Two claims about one port that contradict each other; `where[0]` is the less trusted one."""

    port: tuple[str, str]
    trusted: LinkSource
    doubted: LinkSource
    trusted_peer: str  # "spine1 Ethernet1/1"
    doubted_peer: str
    where: tuple[Where, ...]


@dataclass(slots=True, frozen=True)
class MissingPort:
    """A port named by the cable plan or a neighbour that a fully read device does not have."""

    device: str
    port: str
    where: Where
    named_by: LinkSource = LinkSource.PLAN
    near: tuple[str, str] | None = None  # the port whose neighbour has that name


@dataclass(slots=True)
class Fabric:
    """All devices and links; returned by `topology`, read by all later stages."""

    devices: dict[str, Device] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    conflicts: list[LinkConflict] = field(default_factory=list)
    missing: list[MissingPort] = field(default_factory=list)
    unread: dict[tuple[str, str], Neighbor] = field(default_factory=dict)
    """By port: the far end according to the cable plan, a device or port that was not read."""
    plan: RocePlan | None = None
    by_port: dict[tuple[str, str], Link] = field(default_factory=dict)
    inferred_tagging: list[Interface] = field(default_factory=list)
    """Ports whose tagging was derived from the other end of their links."""

    def link_of(self, device: str, interface: str) -> Link | None:
        """The link on a port, if one is known."""
        return self.by_port.get((device, interface))

    def peer(self, device: str, interface: str) -> Endpoint | None:
        """The other end of the link on a port, if one is known."""
        link = self.by_port.get((device, interface))
        if link is None:
            return None
        return link.b if link.a.key == (device, interface) else link.a

    def contradiction(self, device: str, interface: str) -> tuple[Where, ...]:
        """The claim behind the link on a port, if other evidence contradicts it: findings from
        comparing its ends may be about the wrong cable.
        """
        link = self.by_port.get((device, interface))
        ends = {end.key for end in link.ends} if link is not None else set()
        doubted = any(conflict.port in ends for conflict in self.conflicts)
        return link.where[:1] if link is not None and doubted else ()

    def with_devices(self, devices: Mapping[str, Device]) -> Fabric:
        """Return the fabric with some devices replaced, by name; links lead to the replacements."""
        made = replace(
            self,
            devices={name: devices.get(name, device) for name, device in self.devices.items()},
            by_port={},
            inferred_tagging=[],
        )

        def end(old: Endpoint) -> Endpoint | None:
            device = devices.get(old.device.hostname)
            if device is None:
                return old
            port = device.interfaces.get(old.interface.name)
            return Endpoint(device, port) if port is not None else None

        links: dict[int, Link] = {}
        for link in self.links:
            a, b = end(link.a), end(link.b)
            if a is not None and b is not None:
                same = a is link.a and b is link.b
                links[id(link)] = link if same else replace(link, a=a, b=b)
        made.links = list(links.values())
        made.by_port = {
            key: links[id(link)] for key, link in self.by_port.items() if id(link) in links
        }
        return made
