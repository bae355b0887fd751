"""Length of a cable: one answer for every check, with who says so."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import Interface
from roce_lint.model.qos import HeadroomModel
from roce_lint.text.source import Origin, Where


class Says(enum.IntEnum):
    """Who gives a length, the most exact first."""

    PLAN = 1  # the cable plan
    PORT = 2  # a line of this port alone
    STEP = 3  # a line of the port, and the platform knows a few lengths only: the next longer one
    BOX = 4  # one line for many ports: enough for the longest of them
    DEFAULT = 5  # nobody: what the platform or driver assumes

    @property
    def exact(self) -> bool:
        """True where the length is meant for this very cable; else it is an upper bound."""
        return self <= Says.PORT

    @property
    def stated(self) -> bool:
        """True where somebody wrote it."""
        return self is not Says.DEFAULT


@dataclass(slots=True, frozen=True)
class CableLength:
    """Metres of cable, who says so, and the line."""

    metres: float
    says: Says
    where: Where


@dataclass(slots=True)
class Cables:
    """The lengths of all cables of a fabric."""

    fabric: Fabric
    _users: dict[str, Counter[int]] = field(default_factory=dict)

    def of_link(self, link: Link) -> CableLength | None:
        """The length of the cable itself: by the plan, else by the end that says it most exactly;
        of two that are as exact the longer one. None where nobody says anything.
        """
        if link.cable_m is not None and link.where:
            return CableLength(link.cable_m, Says.PLAN, link.where[0])
        told = [length for end in link.ends if (length := self.length_at(end)) is not None]
        return min(told, key=lambda length: (length.says, -length.metres), default=None)

    def of_port(self, device: Device, port: Interface) -> CableLength | None:
        """The length of the cable in a port; what the port is told, where its link is not known."""
        link = self.fabric.link_of(device.hostname, port.name)
        if link is not None:
            return self.of_link(link)
        return self.length_at(Endpoint(device, port))

    def length_at(self, end: Endpoint) -> CableLength | None:
        """What one end is told, or assumes where it is told nothing: its headroom is made for it.

        None where neither is known, and where it is told 0 m: that switches headroom off.
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
        return CableLength(metres, self._says(end.device, metres, position), where)

    def _says(self, device: Device, metres: float, position: int) -> Says:
        limits = device.limits
        if position <= 0 or metres == limits.assumed_cable_m:
            return Says.DEFAULT
        if self._lines(device)[position] > 1:
            return Says.BOX
        stepped = limits.cable_steps_m is not None
        return Says.STEP if stepped or _has_table(device) else Says.PORT

    def _lines(self, device: Device) -> Counter[int]:
        """How many ports each line gives a length."""
        known = self._users.get(device.hostname)
        if known is None:
            known = self._users[device.hostname] = Counter(
                position for port in device.interfaces.values() if (position := _position(port)) > 0
            )
        return known


def _has_table(device: Device) -> bool:
    """True where the device looks its headroom up in a table, by a few lengths."""
    return device.system.headroom is HeadroomModel.STATIC


def _position(port: Interface) -> int:
    pfc = port.qos.pfc if port.qos is not None else None
    if port.cable_m is None and pfc is not None:
        return pfc.at.get("cable_m", 0)
    return port.at.get("cable_m", 0)


def contradict(short: CableLength, near: Endpoint, long: CableLength, far: Endpoint) -> bool:
    """Whether two lengths of one cable cannot both be right.

    One that holds for many ports, or is the next longer row of a table, is enough for the longest
    cable that it is for; only one that is as coarse, on a box of the same kind, can be held against
    it.
    """
    if far.device.is_host or not long.says.stated:
        return False  # drivers assume a length of their own; more than it takes does no harm
    if not short.says.stated and (near.device.is_host or short.where.origin is Origin.STATED):
        return False
    alike = long.says is short.says and near.device.nos == far.device.nos
    return long.says.exact or alike
