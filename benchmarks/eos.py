"""Writes the configurations of EOS switches, for benchmarks."""

from __future__ import annotations

from ports import PORTS, Port

ECN = (
    "minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 20 weight 0"
)


def eos(name: str, ports: list[Port]) -> str:
    """An EOS running-config."""
    lines = [
        "! Command: show running-config",
        f"! device: {name} (DCS-7060X6-64PE, EOS-4.32.2F)",
        "!",
        "qos profile ROCE",
        "   qos trust dscp",
        "   priority-flow-control on",
        "   priority-flow-control priority 3 no-drop",
        "   !",
        "   uc-tx-queue 3",
        "      no priority",
        "      bandwidth percent 60",
        f"      random-detect ecn {ECN}",
        "   !",
        "   uc-tx-queue 6",
        "      priority strict",
        "!",
        f"hostname {name}",
        "!",
    ]
    used = {port.index: port for port in ports}
    for index in range(1, PORTS + 1):
        lines.append(f"interface Ethernet{index}/1")
        port = used.get(index)
        if port is None:
            lines += ["   shutdown", "!"]
            continue
        lines += [
            f"   description {port.peer}",
            "   mtu 9214",
            "   speed 400g-8",
            "   no switchport",
            "   error-correction encoding reed-solomon",
            f"   ip address {port.address}/31",
            "   service-profile ROCE",
            "!",
        ]
    lines += [
        "qos map dscp 26 to traffic-class 3",
        "qos map dscp 48 to traffic-class 6",
        "!",
        "priority-flow-control pause watchdog default timeout 0.2",
        "priority-flow-control pause watchdog action drop",
        "!",
        "router bgp 65001",
        "   maximum-paths 64 ecmp 64",
        *(f"   neighbor {port.address} remote-as 65100" for port in ports if not port.faces_host),
        "!",
        "end",
    ]
    return "\n".join(lines) + "\n"
