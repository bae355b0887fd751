"""A Junos Evolved configuration, in braces and as `set` lines, as Juniper's published AI fabric
has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ports import Port

TENANTS = 16
"""Tenants of a leaf, each with its instance and policies."""

CLASS_OF_SERVICE = """class-of-service {
    classifiers {
        dscp mydscp {
            forwarding-class CNP {
                loss-priority low code-points 110000;
            }
            forwarding-class NO-LOSS {
                loss-priority low code-points 011010;
            }
        }
    }
    drop-profiles {
        dp1 {
            interpolate {
                fill-level [ 55 90 ];
                drop-probability [ 0 100 ];
            }
        }
    }
    shared-buffer {
        ingress {
            buffer-partition lossless {
                percent 66;
                dynamic-threshold 10;
            }
            buffer-partition lossless-headroom {
                percent 24;
            }
            buffer-partition lossy {
                percent 10;
            }
        }
        egress {
            buffer-partition lossless {
                percent 66;
            }
            buffer-partition lossy {
                percent 10;
            }
        }
    }
    forwarding-classes {
        class CNP queue-num 3;
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
    congestion-notification-profile {
        cnp {
            pfc-watchdog;
            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
            output {
                ieee-802.1 {
                    code-point 011 {
                        flow-control-queue 4;
                    }
                }
            }
        }
    }
    interfaces {
        et-* {
            congestion-notification-profile cnp;
            scheduler-map sm1;
            unit * {
                classifiers {
                    dscp mydscp;
                }
            }
        }
    }
    scheduler-maps {
        sm1 {
            forwarding-class CNP scheduler s2-cnp;
            forwarding-class NO-LOSS scheduler s1;
        }
    }
    schedulers {
        s1 {
            drop-profile-map loss-priority any protocol any drop-profile dp1;
            explicit-congestion-notification;
        }
        s2-cnp {
            transmit-rate percent 5;
            priority strict-high;
        }
    }
}
"""


def junos(name: str, ports: list[Port], count: int) -> str:
    """The configuration of a switch of `count` ports, with the routing that a leaf really has."""
    used = {port.index: port for port in ports}
    lines = [
        "## Last commit: 2026-10-07 06:12:58 UTC by root",
        "version 23.4X100-D31.7-EVO;",
        "system {",
        f"    host-name {name};",
        "    syslog {",
        *(f"        host 192.0.2.{n} {{\n            any notice;\n        }}" for n in range(1, 5)),
        "    }",
        "}",
        "interfaces {",
    ]
    for index in range(1, count + 1):
        lines += _port(index, used.get(index))
    hosts = [port for port in used.values() if port.faces_host]
    lines += ["}", "policy-options {"]
    for tenant in range(TENANTS):
        lines += _policies(f"tenant-{tenant}")
    lines += ["}", CLASS_OF_SERVICE.rstrip(), "routing-instances {"]
    for tenant in range(TENANTS):
        lines += _instance(tenant, hosts[tenant::TENANTS])
    lines += ["}", "routing-options {", "    autonomous-system 65001;", "}", "protocols {"]
    lines.append("    router-advertisement {")
    for port in hosts:
        lines += [
            f"        interface et-0/0/{port.index - 1}.0 {{",
            "            max-advertisement-interval 30;",
            "            min-advertisement-interval 10;",
            "        }",
        ]
    lines += ["    }", "    bgp {", "        group l3clos {", "            type external;"]
    for port in used.values():
        if not port.faces_host:
            lines += _neighbor(port)
    lines += ["        }", "    }", "    lldp {", "        interface all;", "    }", "}", ""]
    return "\n".join(lines)


def junos_set(name: str, ports: list[Port], count: int) -> str:
    """The same configuration as `display set` prints it."""
    path: list[str] = []
    lines = []
    for line in junos(name, ports, count).split("\n"):
        text = line.strip()
        if text.endswith(" {"):
            path.append(text[:-2])
        elif text == "}":
            path.pop()
        elif text.endswith(";"):
            head, listed, values = text[:-1].partition(" [ ")
            each = values.removesuffix(" ]").split() if listed else [""]
            lines += [" ".join(["set", *path, head, value]).rstrip() for value in each]
    return "\n".join([*lines, ""])


def _policies(tenant: str) -> list[str]:
    lines = []
    for name in (f"AllPodNetworks-{tenant}", f"BGP-AOS-Policy-{tenant}"):
        lines.append(f"    policy-statement {name} {{")
        for number, family in ((10, "inet"), (20, "inet6")):
            lines += [
                f"        term {name}-{number} {{",
                "            from {",
                f"                family {family};",
                "                protocol direct;",
                "            }",
                "            then {",
                f"                community add {tenant.upper()}_COMMUNITY;",
                "                accept;",
                "            }",
                "        }",
            ]
        lines += [f"        term {name}-100 {{", "            then reject;", "        }", "    }"]
    return lines


def _instance(number: int, ports: list[Port]) -> list[str]:
    name = f"tenant-{number}"
    return [
        f"    {name} {{",
        "        instance-type vrf;",
        "        routing-options {",
        f"            rib {name}.inet6.0 {{",
        "                multipath;",
        "            }",
        "            graceful-restart;",
        "            multipath;",
        "            auto-export;",
        "        }",
        "        protocols {",
        "            evpn {",
        "                ip-prefix-routes {",
        "                    advertise direct-nexthop;",
        "                    encapsulation vxlan;",
        f"                    vni {20001 + number};",
        f"                    export BGP-AOS-Policy-{name};",
        "                }",
        "            }",
        "        }",
        *(f"        interface et-0/0/{port.index - 1}.0;" for port in ports),
        f"        route-distinguisher 10.0.1.9:{2001 + number};",
        f"        vrf-target target:{20001 + number}:1;",
        "    }",
    ]


def _neighbor(port: Port) -> list[str]:
    return [
        f"            neighbor {port.address} {{",
        f"                description facing_{port.peer};",
        f"                local-address {port.address};",
        "                family inet {",
        "                    unicast;",
        "                }",
        "                export ( LEAF_TO_SPINE_FABRIC_OUT && BGP-AOS-Policy );",
        "                peer-as 65100;",
        "            }",
    ]


def _port(index: int, port: Port | None) -> list[str]:
    name = f"et-0/0/{index - 1}"
    if port is None:
        return [
            f"    {name} {{",
            "        unit 0 {",
            "            family inet;",
            "        }",
            "    }",
        ]
    return [
        f"    {name} {{",
        f'        description "to {port.peer}";',
        "        speed 400g;",
        "        mtu 9216;",
        "        unit 0 {",
        "            family inet {",
        "                mtu 9170;",
        f"                address {port.address}/31;",
        "            }",
        "            family inet6;",
        "        }",
        "    }",
    ]
