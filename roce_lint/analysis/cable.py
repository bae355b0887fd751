"""Cable lengths, with their source."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface
from roce_lint.model.qos import HeadroomModel, PfcConfig
from roce_lint.text.source import Origin, Where


class CableSource(enum.IntEnum):
    """Source of a length, the most exact first."""

    PLAN = 1  # the cable plan
    PORT = 2  # a line for this port only
    STEP = 3  # a line of the port, rounded up to one of a few lengths
    DEVICE = 4  # one line for many ports, sized for the longest cable
    DEFAULT = 5  # an assumption of the platform or driver

    @property
    def exact(self) -> bool:
        """True for the length of this very cable; otherwise it is an upper bound."""
        return self <= CableSource.PORT

    @property
    def stated(self) -> bool:
        """True for a configured length."""
        return self is not CableSource.DEFAULT


@dataclass(slots=True, frozen=True)
class CableLength:
    """Length of a cable in metres, its source and the line."""

    metres: float
    source: CableSource
    where: Where


@dataclass(slots=True)
class Cables:
    """Lengths of all cables of a fabric."""

    fabric: Fabric
    _users: dict[str, Counter[int]] = field(default_factory=dict)

    def of_link(self, link: Link) -> CableLength | None:
        """Length of a cable: from the plan, else from the end with the more exact source; of two
        equally exact lengths the longer one. None if unknown.
        """
        if link.cable_m is not None and link.where:
            return CableLength(link.cable_m, CableSource.PLAN, link.where[0])
        stated = [length for end in link.ends if (length := self.length_at(end)) is not None]
        return min(stated, key=lambda length: (length.source, -length.metres), default=None)

    def of_port(self, device: Device, port: Interface) -> CableLength | None:
        """Length of the cable in a port; the one configured on the port if its link is unknown."""
        link = self.fabric.link_of(device.hostname, port.name)
        if link is not None:
            return self.of_link(link)
        return self.length_at(Endpoint(device, port))

    def length_at(self, end: Endpoint) -> CableLength | None:
        """Length that is configured or assumed at one end, and for which its headroom is sized.

        None if unknown, and for 0 m, which switches headroom off.
        """
        holder = _holder(end.interface)
        if not holder.cable_m:
            return None
        source = self._source(end.device, holder.cable_m, _position(holder))
        return CableLength(holder.cable_m, source, holder.where("cable_m"))

    def _source(self, device: Device, metres: float, position: int) -> CableSource:
        limits = device.limits
        if position <= 0 or metres == limits.assumed_cable_m:
            return CableSource.DEFAULT
        if self._lines(device)[position] > 1:
            return CableSource.DEVICE
        table = device.system.headroom is HeadroomModel.STATIC  # with a few lengths
        stepped = limits.cable_steps_m is not None or table
        return CableSource.STEP if stepped else CableSource.PORT

    def _lines(self, device: Device) -> Counter[int]:
        """Number of ports that each line gives a length."""
        known = self._users.get(device.hostname)
        if known is None:
            lines = (_position(_holder(port)) for port in device.interfaces.values())
            known = self._users[device.hostname] = Counter(lines)
        return known


def _holder(port: Interface) -> Interface | PfcConfig:
    """The object that may have the length: the port, else its PFC."""
    pfc = port.qos.pfc if port.qos is not None else None
    return port if port.cable_m is not None or pfc is None else pfc


def _position(holder: Interface | PfcConfig) -> int:
    return holder.at.get("cable_m", 0)


def contradict(short: CableLength, near: Endpoint, long: CableLength, far: Endpoint) -> bool:
    """Whether two lengths of one cable contradict each other.

    A length that applies to many ports, or is the next longer row of a table, is an upper bound.
    Only an equally coarse length on a device of the same system contradicts it.
    """
    if far.device.is_host or not long.source.stated:
        return False  # drivers assume a length; too much does no harm
    if not short.source.stated and (near.device.is_host or short.where.origin is Origin.STATED):
        return False
    same = long.source is short.source and near.device.nos == far.device.nos
    return long.source.exact or same
