"""Writes a Cumulus Linux switch of a benchmark as `nv config show -o commands` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric import Port


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
