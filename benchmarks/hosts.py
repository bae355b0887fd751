"""Writes a host of a benchmark as a snapshot of its tools: two ConnectX ports, PFC and DCQCN for
priority 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

NETDEVS = ("ens1f0np0", "ens2f0np0")
RAILS = len(NETDEVS)


class Cable(NamedTuple):
    """Where a NIC is attached: number of the leaf, of the host port on it, and its name."""

    leaf: int
    place: int
    port: str


def host(pod: int, number: int, cables: list[Cable]) -> Iterator[tuple[str, str, str]]:
    """The files of one host: name, command and text of each."""
    links, ports, verbs, addresses = [], [], "", []
    for rail, (netdev, (leaf, place, port)) in enumerate(zip(NETDEVS, cables, strict=True)):
        ports.append(
            {
                netdev: {
                    "via": "LLDP",
                    "chassis": {f"p{pod}l{leaf}": {"id": {"type": "mac", "value": "0"}}},
                    "port": {"id": {"type": "ifname", "value": port}, "ttl": "120"},
                }
            }
        )
        links.append(
            {
                "ifindex": rail + 2,
                "ifname": netdev,
                "flags": ["UP", "LOWER_UP"],
                "mtu": 9000,
                "operstate": "UP",
                "link_type": "ether",
                "address": f"94:6d:ae:{pod:02x}:{number % 256:02x}:{rail:02x}",
            }
        )
        addresses.append(
            {
                "ifindex": rail + 2,
                "ifname": netdev,
                "addr_info": [
                    {
                        "family": "inet",
                        "local": f"10.{128 + pod}.{leaf}.{2 * place + 1}",
                        "prefixlen": 31,
                    }
                ],
            }
        )
        verbs += (
            f"hca_id:\tmlx5_{rail}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.42.1000\n"
            "\tboard_id:\t\t\tMT_0000000838\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n"
            "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n"
            "\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tlink_layer:\t\tEthernet\n\n"
        )
        yield f"mlnx_qos-{netdev}.txt", f"mlnx_qos -i {netdev}", _mlnx_qos()
        yield (
            f"traffic_class-mlx5_{rail}.txt",
            f"cat /sys/class/infiniband/mlx5_{rail}/tc/1/traffic_class",
            "Global tclass=106\n",
        )
        yield f"ethtool-{netdev}.txt", f"ethtool {netdev}", _ethtool(netdev)
        yield f"ecn-{netdev}.txt", f"grep -r . /sys/class/net/{netdev}/ecn/", _ecn(netdev)
    yield "ip-link.json", "ip -d -j link show", json.dumps(links)
    yield "ip-addr.json", "ip -j addr", json.dumps(addresses)
    yield "ibv_devinfo.txt", "ibv_devinfo", verbs
    yield (
        "rdma-link.json",
        "rdma -j link show",
        json.dumps(
            [
                {"ifindex": r, "ifname": f"mlx5_{r}", "port": 1, "state": "ACTIVE", "netdev": d}
                for r, d in enumerate(NETDEVS)
            ]
        ),
    )
    yield (
        "lldpcli.json",
        "lldpcli -f json show neighbors",
        json.dumps({"lldp": {"interface": ports}}),
    )
    yield "nccl.conf", "cat /etc/nccl.conf", "NCCL_IB_TC=106\nNCCL_IB_GID_INDEX=3\n"


def _mlnx_qos() -> str:
    lines = ["DCBX mode: OS controlled", "Priority trust state: dscp", "dscp2prio mapping:"]
    lines += [
        f"\tprio:{p} dscp:" + "".join(f"{d:02d}," for d in range(8 * p + 7, 8 * p - 1, -1))
        for p in range(8)
    ]
    lines += [
        "default priority:",
        "Receive buffer size (bytes): 130944,1048448,0,0,0,0,0,0,max_buffer_size=2096128",
        "Cable len: 5",
        "PFC configuration:",
        "\tpriority    0   1   2   3   4   5   6   7",
        "\tenabled     0   0   0   1   0   0   0   0   ",
        "\tbuffer      0   0   0   1   0   0   0   0   ",
    ]
    for tc in range(8):
        lines += [f"tc: {tc} ratelimit: unlimited, tsa: ets, bw: 12%", f"\t priority:  {tc}"]
    return "\n".join(lines) + "\n"


def _ethtool(netdev: str) -> str:
    return (
        f"Settings for {netdev}:\n\tSupported ports: [ Backplane ]\n\tSpeed: 400000Mb/s\n"
        "\tLanes: 8\n\tDuplex: Full\n\tAuto-negotiation: on\n\tLink detected: yes\n"
    )


def _ecn(netdev: str) -> str:
    lines = []
    for role in ("np", "rp"):
        lines += [
            f"/sys/class/net/{netdev}/ecn/roce_{role}/enable/{p}:{int(p == 3)}" for p in range(8)
        ]
    lines.append(f"/sys/class/net/{netdev}/ecn/roce_np/cnp_dscp:48")
    return "\n".join(lines) + "\n"
