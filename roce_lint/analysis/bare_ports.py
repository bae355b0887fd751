"""Host ports that carry no QoS beside equal ports that do: they are outside of what is checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.analysis.memo import Once
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.scope import ABOVE_LEAVES, OFF_PATH_ROLES, WIRES, is_meant
from roce_lint.analysis.structures import is_idle
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface

End = tuple[Device, Interface]


@dataclass(slots=True)
class BarePorts:
    """Ports of leaves of one system at one speed: those without QoS, and those with it."""

    bare: list[End] = field(default_factory=list)
    equals: list[End] = field(default_factory=list)


@Once
def bare_ports(analysis: Analysis) -> list[BarePorts]:
    """Ports in use without QoS, where more of their equals face hosts and have it."""
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
            continue  # QoS that nothing refers to is a finding of its own
        for interface in device.interfaces.values():
            group = groups.get((device.nos, interface.speed_gbps))
            if group is not None and _is_bare(analysis, device, interface):
                group.bare.append((device, interface))
    return [group for group in groups.values() if 0 < len(group.bare) < len(group.equals)]


def _is_bare(analysis: Analysis, device: Device, port: Interface) -> bool:
    key = (device.hostname, port.name)
    known = key in analysis.index() or key in analysis.not_judged or key in analysis.fabric.by_port
    if known or port.kind not in WIRES or port.enabled is False or port.idle:
        return False
    if port.peer_link or port.uplink or port.lag or device.role in OFF_PATH_ROLES:
        return False
    if any(neighbor.is_host is not True for neighbor in port.neighbors):
        return False
    begin = port.at.get("", 0)
    if port.qos is not None and any(place > begin > 0 for place in port.qos.at.values()):
        return False  # a line of its own is about QoS, whatever became of it
    used = port.addresses or port.untagged_vlan is not None or port.tagged_vlans or port.description
    stated = port.stated("routed") or port.stated("ip_mtu")
    return bool(used or stated) and not is_meant(device, port, frozenset([device.hostname]))
