"""Assigns a role to every device: declared, from the settings, or by distance to hosts."""

from __future__ import annotations

import fnmatch
from collections import deque
from collections.abc import Mapping

from roce_lint.model.device import Role
from roce_lint.model.fabric import Fabric

_TIERS = {1: Role.LEAF, 2: Role.SPINE, 3: Role.SUPERSPINE}


def assign_roles(fabric: Fabric, patterns: Mapping[str, Role]) -> None:
    """Fill `Device.role` if it is unknown. `patterns` are globs on the hostname."""
    for device in fabric.devices.values():
        for pattern, role in patterns.items():
            if device.role is None and fnmatch.fnmatch(device.hostname, pattern):
                device.role = role
                break
    distance = _distances(fabric)
    for name, device in fabric.devices.items():
        if device.role is None and name in distance:
            device.role = _TIERS.get(distance[name])


def _distances(fabric: Fabric) -> dict[str, int]:
    """Links to the nearest host, for every switch that reaches one."""
    neighbours: dict[str, set[str]] = {}
    for link in fabric.links:
        a, b = link.a.device.hostname, link.b.device.hostname
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    distance = {name: 0 for name, device in fabric.devices.items() if device.is_host}
    queue = deque(sorted(distance))
    while queue:
        name = queue.popleft()
        for other in sorted(neighbours.get(name, ())):
            if other not in distance:
                distance[other] = distance[name] + 1
                queue.append(other)
    return distance
