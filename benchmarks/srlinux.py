"""Writes an SR Linux switch of a benchmark, as `info flat` and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from clis import Cli

if TYPE_CHECKING:
    from ports import Port

SRLINUX = Cli(
    head="""set / system name host-name {name}
set / system mtu default-port-mtu 9232
set / qos queues queue rdma-q queue-index 3
set / qos queues queue cnp-q queue-index 6
set / qos queues pfc-queue rdma-pfc queue-index 2
set / qos forwarding-classes forwarding-class fc3 output unicast-queue rdma-q
set / qos forwarding-classes forwarding-class cnp output unicast-queue cnp-q
set / qos classifiers dscp-policy gpu dscp 26 forwarding-class fc3
set / qos classifiers dscp-policy gpu dscp 48 forwarding-class cnp
set / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue rdma-pfc forwarding-class [ fc3 ]
set / qos pfc-mapping-profile gpu received-traffic unicast-mapping pfc-queue rdma-pfc pfc-pause-frame-priority 3
set / qos pfc-mapping-profile gpu received-pfc-pause-frames queue rdma-q pfc-pause-frame-priority 3
set / qos pfc-mapping-profile gpu received-pfc-pause-frames queue rdma-q enable-pfc true
set / qos pfc-mapping-profile gpu received-pfc-pause-frames deadlock enable true
set / qos buffer-management queue-management-profile gpu wred wred-slope all drop-probability all enable-ecn true min-threshold-percent 10
set / qos buffer-management queue-management-profile gpu wred wred-slope all drop-probability all enable-ecn true max-threshold-percent 70
set / qos buffer-management queue-management-profile gpu wred wred-slope all drop-probability all enable-ecn true max-drop-probability-percent 100
""",
    port="""set / interface ethernet-1/{n} admin-state enable
set / interface ethernet-1/{n} description "{peer}"
set / interface ethernet-1/{n} mtu 9232
set / interface ethernet-1/{n} ethernet port-speed 400G
set / interface ethernet-1/{n} subinterface 0 admin-state enable
set / interface ethernet-1/{n} subinterface 0 ip-mtu 9000
set / interface ethernet-1/{n} subinterface 0 ipv4 admin-state enable
set / interface ethernet-1/{n} subinterface 0 ipv4 address {address}/31
set / qos interfaces interface ethernet-1/{n} interface-ref interface ethernet-1/{n}
set / qos interfaces interface ethernet-1/{n} pfc pfc-mapping-profile gpu
set / qos interfaces interface ethernet-1/{n} pfc pfc-enable true
set / qos interfaces interface ethernet-1/{n} input classifiers dscp-policy gpu
set / qos interfaces interface ethernet-1/{n} output queues queue rdma-q queue-management-profile gpu
set / network-instance default interface ethernet-1/{n}.0
""",
    unused="set / interface ethernet-1/{n} admin-state disable\n",
    tail="set / network-instance default protocols bgp autonomous-system 65001\n",
    neighbor=(
        "set / network-instance default protocols bgp neighbor {address} peer-group spines\n"
        'set / network-instance default protocols bgp neighbor {address} description "{peer}"\n'
    ),
)


def srlinux_json(name: str, ports: list[Port], count: int) -> str:
    """The same SR Linux switch as `info | as json` prints it."""
    used = {port.index: port for port in ports}
    wred = {
        "traffic-type": "all",
        "drop-probability": "all",
        "enable-ecn": True,
        "min-threshold-percent": 10,
        "max-threshold-percent": 70,
        "max-drop-probability-percent": 100,
    }
    profile = {
        "name": "gpu",
        "received-traffic": {
            "unicast-mapping": {
                "pfc-queue": [
                    {
                        "name": "rdma-pfc",
                        "forwarding-class": ["fc3"],
                        "pfc-pause-frame-priority": 3,
                    }
                ]
            }
        },
        "received-pfc-pause-frames": {
            "queue": [{"name": "rdma-q", "pfc-pause-frame-priority": 3, "enable-pfc": True}],
            "deadlock": {"enable": True},
        },
    }
    qos = {
        "queues": {
            "queue": [
                {"name": "rdma-q", "queue-index": 3},
                {"name": "cnp-q", "queue-index": 6},
            ],
            "pfc-queue": [{"name": "rdma-pfc", "queue-index": 2}],
        },
        "forwarding-classes": {
            "forwarding-class": [
                {"name": "fc3", "output": {"unicast-queue": "rdma-q"}},
                {"name": "cnp", "output": {"unicast-queue": "cnp-q"}},
            ]
        },
        "classifiers": {
            "dscp-policy": [
                {
                    "name": "gpu",
                    "dscp": [
                        {"dscp": 26, "forwarding-class": "fc3"},
                        {"dscp": 48, "forwarding-class": "cnp"},
                    ],
                }
            ]
        },
        "pfc-mapping-profile": [profile],
        "buffer-management": {
            "queue-management-profile": [{"name": "gpu", "wred": {"wred-slope": [wred]}}]
        },
        "interfaces": {"interface": [_srlinux_qos(port) for port in ports]},
    }
    tree = {
        "srl_nokia-interfaces:interface": [
            _srlinux_port(n, used.get(n)) for n in range(1, count + 1)
        ],
        "srl_nokia-qos:qos": qos,
        "srl_nokia-system:system": {
            "srl_nokia-system-name:name": {"host-name": name},
            "srl_nokia-mtu:mtu": {"default-port-mtu": 9232},
        },
    }
    return json.dumps(tree, indent=2) + "\n"


def _srlinux_port(n: int, port: Port | None) -> dict[str, Any]:
    if port is None:
        return {"name": f"ethernet-1/{n}", "admin-state": "disable"}
    return {
        "name": f"ethernet-1/{n}",
        "admin-state": "enable",
        "description": port.peer,
        "mtu": 9232,
        "ethernet": {"port-speed": "400G"},
        "subinterface": [
            {
                "index": 0,
                "admin-state": "enable",
                "ip-mtu": 9000,
                "ipv4": {
                    "admin-state": "enable",
                    "address": [{"ip-prefix": f"{port.address}/31"}],
                },
            }
        ],
    }


def _srlinux_qos(port: Port) -> dict[str, Any]:
    name = f"ethernet-1/{port.index}"
    return {
        "interface-id": name,
        "interface-ref": {"interface": name},
        "pfc": {"pfc-mapping-profile": "gpu", "pfc-enable": True},
        "input": {"classifiers": {"dscp-policy": "gpu"}},
        "output": {
            "queues": {"queue": [{"queue-name": "rdma-q", "queue-management-profile": "gpu"}]}
        },
    }
