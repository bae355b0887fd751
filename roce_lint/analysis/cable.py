"""Cable lengths, with their source."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface
from roce_lint.model.qos import HeadroomModel
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
        port = end.interface
        pfc = port.qos.pfc if port.qos is not None else None
        if port.cable_m is not None:
            metres, where = port.cable_m, port.where("cable_m")
            position = port.at.get("cable_m", 0)
        elif pfc is not None and pfc.cable_m is not None:
            metres, where = pfc.cable_m, pfc.where("cable_m")
            position = pfc.at.get("cable_m", 0)
        else:
            return None
        if not metres:
            return None
        return CableLength(metres, self._source(end.device, metres, position), where)

    def _source(self, device: Device, metres: float, position: int) -> CableSource:
        limits = device.limits
        if position <= 0 or metres == limits.assumed_cable_m:
            return CableSource.DEFAULT
        if self._lines(device)[position] > 1:
            return CableSource.DEVICE
        stepped = limits.cable_steps_m is not None
        return CableSource.STEP if stepped or _has_table(device) else CableSource.PORT

    def _lines(self, device: Device) -> Counter[int]:
        """Number of ports that each line gives a length."""
        known = self._users.get(device.hostname)
        if known is None:
            known = self._users[device.hostname] = Counter(
                position for port in device.interfaces.values() if (position := _position(port)) > 0
            )
        return known


def _has_table(device: Device) -> bool:
    """True where the device sizes headroom from a table with a few lengths."""
    return device.system.headroom is HeadroomModel.STATIC


def _position(port: Interface) -> int:
    pfc = port.qos.pfc if port.qos is not None else None
    if port.cable_m is None and pfc is not None:
        return pfc.at.get("cable_m", 0)
    return port.at.get("cable_m", 0)


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
