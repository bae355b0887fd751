"""Writes the configurations of NX-OS switches, for benchmarks."""

from __future__ import annotations

from ports import PORTS, Port

VLANS = 50
"""Tenant VLANs of an NX-OS switch, each with its gateway."""

ECN = "minimum-threshold 950 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"


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
        f"    random-detect {ECN}",
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
        lines += ["  shutdown"] if port is None else _port(name, port)
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


def _port(name: str, port: Port) -> list[str]:
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
