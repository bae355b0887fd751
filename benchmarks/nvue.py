"""Writes a Cumulus Linux switch of a benchmark: as `nv config show -o commands` prints it, and as
`startup.yaml` holds it.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ports import Port


def cumulus(name: str, ports: list[Port], count: int) -> str:
    """The commands of one switch with `count` ports; those without a peer are down."""
    used = {port.index: port for port in ports}
    lines = [
        "nv set bridge domain br_default type vlan-aware",
        "nv set evpn enable on",
        "nv set interface eth0 ip address dhcp",
        "nv set interface eth0 ip vrf mgmt",
        "nv set interface eth0 type eth",
    ]
    for index in range(1, count + 1):
        swp = f"nv set interface swp{index}"
        port = used.get(index)
        if port is None:
            lines += [f"{swp} link state down", f"{swp} type swp"]
            continue
        lines += [
            f"{swp} description '{name} to {port.peer}'",
            f"{swp} ip address {port.address}/31",
            f"{swp} link auto-negotiate off",
            f"{swp} link fec rs",
            f"{swp} link mtu 9216",
            f"{swp} link speed 400G",
            f"{swp} link state up",
            f"{swp} qos pfc-watchdog state enable",
            f"{swp} type swp",
        ]
    lines += [
        "nv set qos roce enable on",
        "nv set qos roce mode lossless",
        "nv set qos traffic-pool default-lossy memory-percent 10",
        "nv set qos traffic-pool roce-lossless memory-percent 90",
        "nv set router bgp autonomous-system 65001",
        "nv set router bgp enable on",
    ]
    for number in range(1, 65):
        rule = f"nv set router policy prefix-list UNDERLAY rule {10 * number}"
        lines += [f"{rule} action permit", f"{rule} match 10.{number}.0.0/16 max-prefix-len 32"]
    lines += [f"nv set system hostname {name}", "nv set system timezone Etc/Zulu"]
    for port in ports:
        peer = f"nv set vrf default router bgp neighbor {port.address}"
        if not port.faces_host:
            lines += [f"{peer} peer-group underlay", f"{peer} type numbered"]
    lines += ["nv set vrf default router bgp peer-group underlay remote-as external"]
    return "\n".join(lines) + "\n"


NAMES = frozenset({"address", "neighbor", "domain", "rule", "peer-group"})
"""Words behind which a name stands: it is a key of the tree even where nothing follows it."""

STATES = frozenset({"state"})
"""Words whose value is a key of its own: `state: up: {}`."""


def cumulus_yaml(name: str, ports: list[Port], count: int) -> str:
    """The same switch as the tree of `startup.yaml`."""
    tree: dict[str, Any] = {}
    for line in cumulus(name, ports, count).splitlines():
        *path, last = shlex.split(line)[2:]
        keyed = (path[-1] in STATES and path[-2] == "link") or path[-1] in NAMES
        node = tree
        for word in path if keyed else path[:-1]:
            node = node.setdefault(word, {})
        node[last if keyed else path[-1]] = {} if keyed else last
    head = [
        "- header:",
        "    model: sn5600",
        "    nvue-api-version: nvue_v1",
        "    rev-id: 1.0",
        "    version: Cumulus Linux 5.13.0",
        "- set:",
    ]
    return "\n".join([*head, *_nodes(tree, 4), ""])


def _nodes(tree: dict[str, Any], indent: int) -> list[str]:
    lines = []
    for key, value in tree.items():
        if value == {}:
            lines.append(f"{' ' * indent}{key}: {{}}")
        elif isinstance(value, dict):
            lines += [f"{' ' * indent}{key}:", *_nodes(value, indent + 2)]
        else:
            lines.append(f"{' ' * indent}{key}: {value}")
    return lines
