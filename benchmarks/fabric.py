"""Writes fabrics of any size as configuration files, for benchmarks: pods of leaves and spines of
every format, and hosts as snapshots. The texts are shaped like what devices print.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import clis
import srlinux
from hosts import RAILS, Cable, host
from junos import junos, junos_set
from nvue import cumulus, cumulus_yaml

PORTS = 64
"""Ports of every switch."""

VLANS = 50
"""Tenant VLANs of an NX-OS switch, each with its gateway."""

FORMATS = ("eos", "nxos", "sonic", "cumulus", "junos")
EOS_ECN = (
    "minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 20 weight 0"
)
NXOS_ECN = (
    "minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
)


@dataclass(frozen=True)
class Shape:
    """How big a fabric is; hosts are spread evenly over the pods' leaves."""

    pods: int = 4
    leaves: int = 48  # per pod
    spines: int = 16  # per pod
    hosts: int = 256  # per pod
    formats: tuple[str, ...] = FORMATS

    @property
    def switches(self) -> int:
        """Switches of the whole fabric."""
        return self.pods * (self.leaves + self.spines)


@dataclass(frozen=True)
class Port:
    """One configured port of a switch."""

    index: int  # front panel number, from 1
    peer: str
    address: str
    faces_host: bool


def write(root: Path, shape: Shape) -> int:
    """Write the fabric below `root`; return the number of bytes written."""
    total = 0
    for pod in range(shape.pods):
        for name, text, suffix in _switches(pod, shape):
            total += _write(root / "switches" / f"{name}.{suffix}", text)
        for number in range(shape.hosts):
            total += _write_host(root, pod, number, shape)
    return total


def _write(path: Path, text: str) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_text(text, encoding="utf-8")


def _switches(pod: int, shape: Shape) -> Iterator[tuple[str, str, str]]:
    for leaf in range(shape.leaves):
        ports = [
            *(
                Port(s + 1, f"p{pod}s{s}", _uplink(pod, s, leaf, 1), faces_host=False)
                for s in range(shape.spines)
            ),
            *(
                Port(
                    shape.spines + k + 1, "host", f"10.{128 + pod}.{leaf}.{2 * k}", faces_host=True
                )
                for k in range(PORTS - shape.spines)
            ),
        ]
        yield _switch(f"p{pod}l{leaf}", leaf, ports, shape)
    for spine in range(shape.spines):
        ports = [
            Port(leaf + 1, f"p{pod}l{leaf}", _uplink(pod, spine, leaf, 0), faces_host=False)
            for leaf in range(shape.leaves)
        ]
        yield _switch(f"p{pod}s{spine}", spine, ports, shape)


def _uplink(pod: int, spine: int, leaf: int, end: int) -> str:
    return f"10.{pod}.{spine}.{2 * leaf + end}"


def _switch(name: str, number: int, ports: list[Port], shape: Shape) -> tuple[str, str, str]:
    text, suffix = WRITERS[shape.formats[number % len(shape.formats)]]
    return name, text(name, ports), suffix


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
        f"      random-detect ecn {EOS_ECN}",
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


def nxos(name: str, ports: list[Port]) -> str:
    """An NX-OS running-config, with the routing, VLAN and management lines a leaf really has."""
    lines = [
        "!Command: show running-config",
        "!Time: Wed Oct  7 06:12:58 2026",
        "",
        "version 10.4(3) Bios:version 01.12 ",
        f"hostname {name}",
        "policy-map type network-qos ROCE-NQ",
        "  class type network-qos c-8q-nq3",
        "    mtu 9216",
        "    pause pfc-cos 3",
        "  class type network-qos c-8q-nq-default",
        "    mtu 9216",
        *(f"feature {word}" for word in ("bgp", "interface-vlan", "hsrp", "lacp", "lldp", "pim")),
        *(f"logging server 192.0.2.{n} 5 use-vrf management" for n in range(1, 5)),
        *(f"ntp server 192.0.2.{n} use-vrf management" for n in range(1, 5)),
        "class-map type qos match-all CNP",
        "  match dscp 48",
        "class-map type qos match-all ROCE",
        "  match dscp 26",
        "policy-map type qos ROCE-IN",
        "  class ROCE",
        "    set qos-group 3",
        "  class CNP",
        "    set qos-group 7",
        "  class class-default",
        "    set qos-group 0",
        "policy-map type queuing ROCE-OUT",
        "  class type queuing c-out-8q-q7",
        "    priority level 1",
        "  class type queuing c-out-8q-q3",
        "    bandwidth remaining percent 60",
        f"    random-detect {NXOS_ECN}",
        "  class type queuing c-out-8q-q-default",
        "    bandwidth remaining percent 40",
        "system qos",
        "  service-policy type network-qos ROCE-NQ",
        "  service-policy type queuing output ROCE-OUT",
        "priority-flow-control watch-dog-interval on",
        "ip access-list MANAGEMENT",
        *(f"  {10 * n} permit tcp 192.0.2.{n}/32 any eq 22 log" for n in range(1, 65)),
        *(f"ip prefix-list UNDERLAY seq {5 * n} permit 10.{n}.0.0/16 le 32" for n in range(1, 65)),
        "route-map CONNECTED permit 10",
        "  match ip address prefix-list UNDERLAY",
    ]
    for vlan in range(100, 100 + VLANS):
        lines += [f"vlan {vlan}", f"  name tenant-{vlan}", f"  vn-segment {10000 + vlan}"]
    for vlan in range(100, 100 + VLANS):
        lines += _svi(vlan)
    used = {port.index: port for port in ports}
    for index in range(1, PORTS + 1):
        lines += ["", f"interface Ethernet1/{index}"]
        port = used.get(index)
        lines += ["  shutdown"] if port is None else _nxos_port(name, port)
    lines += ["", "router bgp 65001", "  address-family ipv4 unicast", "    maximum-paths 64"]
    for port in ports:
        if not port.faces_host:
            lines += [
                f"  neighbor {port.address}",
                "    remote-as 65100",
                f"    description {port.peer}",
                "    timers 3 9",
                "    address-family ipv4 unicast",
                "      send-community",
                "      maximum-prefix 12000 warning-only",
            ]
    return "\n".join(lines) + "\n"


def _svi(vlan: int) -> list[str]:
    return [
        "",
        f"interface Vlan{vlan}",
        f"  description gateway of tenant-{vlan}",
        "  no shutdown",
        "  mtu 9216",
        "  vrf member tenants",
        "  no ip redirects",
        f"  ip address 172.16.{vlan}.2/24",
        "  no ipv6 redirects",
        "  hsrp version 2",
        f"  hsrp {vlan} ",
        "    preempt delay minimum 180 ",
        "    priority 120",
        f"    ip 172.16.{vlan}.1 ",
    ]


def _nxos_port(name: str, port: Port) -> list[str]:
    return [
        f"  description {name} to {port.peer}",
        "  no cdp enable",
        "  no switchport",
        "  logging event port link-status",
        "  logging event port trunk-status",
        "  load-interval counter 1 5",
        "  load-interval counter 2 60",
        "  load-interval counter 3 300",
        "  priority-flow-control mode on",
        "  priority-flow-control watch-dog-interval on",
        "  mtu 9216",
        "  bfd interval 300 min_rx 300 multiplier 3",
        "  no ip redirects",
        f"  ip address {port.address}/31",
        "  no ipv6 redirects",
        "  ip flow monitor FABRIC input sampler ONE-IN-4096",
        "  ip ospf network point-to-point",
        "  no ip ospf passive-interface",
        "  ip router ospf UNDERLAY area 0.0.0.0",
        "  ip pim sparse-mode",
        "  no shutdown",
        "  service-policy type qos input ROCE-IN",
    ]


def sonic(name: str, ports: list[Port]) -> str:
    """A SONiC config_db.json of the static buffer model."""
    names = {port.index: f"Ethernet{(port.index - 1) * 8}" for port in ports}
    identity = {str(n): str(n) for n in range(8)}
    dscps = {str(n): "1" for n in range(64)} | {"3": "3", "4": "4", "26": "3", "48": "6"}
    lossless = "pg_lossless_400000_40m_profile"
    port_qos = {
        "dscp_to_tc_map": "AZURE",
        "pfc_enable": "3,4",
        "pfc_to_queue_map": "AZURE",
        "pfcwd_sw_enable": "3,4",
        "tc_to_pg_map": "AZURE",
        "tc_to_queue_map": "AZURE",
    }
    tables = {
        "BUFFER_PG": {f"{n}|3-4": {"profile": lossless} for n in names.values()},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {
                "mode": "dynamic",
                "size": "94446784",
                "type": "ingress",
                "xoff": "20181824",
            }
        },
        "BUFFER_PROFILE": {
            lossless: {
                "dynamic_th": "0",
                "pool": "ingress_lossless_pool",
                "size": "1270",
                "xoff": "424434",
                "xon": "0",
                "xon_offset": "2540",
            }
        },
        "CABLE_LENGTH": {"AZURE": {f"Ethernet{n * 8}": "40m" for n in range(PORTS)}},
        "DEVICE_METADATA": {
            "localhost": {
                "bgp_asn": "65001",
                "buffer_model": "traditional",
                "hostname": name,
                "hwsku": "DellEMC-Z9664f-O64",
                "type": "ToRRouter",
            }
        },
        "DSCP_TO_TC_MAP": {"AZURE": dscps},
        "INTERFACE": {n: {} for n in names.values()}
        | {f"{names[p.index]}|{p.address}/31": {} for p in ports},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": identity},
        "PORT": {
            f"Ethernet{n * 8}": {
                "admin_status": "up" if n + 1 in names else "down",
                "alias": f"Eth1/{n + 1}",
                "autoneg": "off",
                "fec": "rs",
                "index": str(n + 1),
                "lanes": ",".join(str(n * 8 + lane + 1) for lane in range(8)),
                "mtu": "9100",
                "speed": "400000",
            }
            for n in range(PORTS)
        },
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}
        | {
            n: {"action": "drop", "detection_time": "200", "restoration_time": "200"}
            for n in names.values()
        },
        "PORT_QOS_MAP": dict.fromkeys(names.values(), port_qos),
        "QUEUE": {
            f"{n}|{q}": {"scheduler": "scheduler.1"}
            | ({"wred_profile": "AZURE_LOSSLESS"} if q in (3, 4) else {})
            for n in names.values()
            for q in range(7)
        },
        "SCHEDULER": {"scheduler.1": {"type": "DWRR", "weight": "15"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": identity | {"1": "0", "2": "0", "5": "0", "6": "0"}},
        "TC_TO_QUEUE_MAP": {"AZURE": identity},
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_all",
                "green_drop_probability": "5",
                "wred_green_enable": "true",
                "green_max_threshold": "2097152",
                "green_min_threshold": "1048576",
            }
        },
    }
    return json.dumps(tables, indent=4) + "\n"


def _write_host(root: Path, pod: int, number: int, shape: Shape) -> int:
    name = f"p{pod}h{number}"
    total = 0
    for file, command, text in host(pod, number, list(_cables(number, shape))):
        head = f"# command: {command}  host: {name}  time: 2026-10-07T06:13:11Z\n"
        total += _write(root / "hosts" / name / file, head + text)
    return total


def _cables(number: int, shape: Shape) -> Iterator[Cable]:
    """Where a host is attached; without leaves, where it would be."""
    leaves = shape.leaves or Shape.leaves
    for rail in range(RAILS):
        place, leaf = divmod(number * RAILS + rail, leaves)
        index = shape.spines + place + 1
        port = {
            "eos": f"Ethernet{index}/1",
            "nxos": f"Ethernet1/{index}",
            "sonic": f"Eth1/{index}",
            "cumulus": f"swp{index}",
            "junos": f"et-0/0/{index - 1}",
        }[shape.formats[leaf % len(shape.formats)]]
        yield Cable(leaf, place, port)


def _of_all(text: Callable[[str, list[Port], int], str]) -> Callable[[str, list[Port]], str]:
    """A writer that is told how many ports a switch has."""
    return lambda name, ports: text(name, ports, PORTS)


WRITERS: dict[str, tuple[Callable[[str, list[Port]], str], str]] = {
    "eos": (eos, "cfg"),
    "nxos": (nxos, "cfg"),
    "sonic": (sonic, "json"),
    "cumulus": (_of_all(cumulus), "txt"),
    "cumulus-yaml": (_of_all(cumulus_yaml), "yaml"),
    "junos": (_of_all(junos), "conf"),
    "junos-set": (_of_all(junos_set), "conf"),
    "os10": (_of_all(clis.OS10.text), "cfg"),
    "esonic": (_of_all(clis.ESONIC.text), "cfg"),
    "iosxr": (_of_all(clis.IOSXR.text), "cfg"),
    "aoscx": (_of_all(clis.AOSCX.text), "cfg"),
    "srlinux": (_of_all(srlinux.SRLINUX.text), "cfg"),
    "srlinux-json": (_of_all(srlinux.srlinux_json), "json"),
    "vrp": (_of_all(clis.VRP.text), "cfg"),
    "comware": (_of_all(clis.COMWARE.text), "cfg"),
}
"""How each format is written, and the ending of its files."""
