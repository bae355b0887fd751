"""Texts of every form and any size, each with the size that takes a tenth of a second."""

from __future__ import annotations

import json
from collections.abc import Callable

Files = dict[str, str]


def _eos(lines: list[str]) -> Files:
    head = "! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname leaf1\n!\n"
    return {"leaf1.cfg": head + "\n".join(lines) + "\nend\n"}


def eos_ports(n: int) -> Files:
    return _eos([f"interface Ethernet{i}/1\n   mtu 9214\n   no switchport\n!" for i in range(n)])


def eos_policies(n: int) -> Files:
    one = "policy-map type quality-of-service p{0}\n   class c{0}\n      set traffic-class 3\n!\n"
    return _eos([one.format(i) for i in range(n)])


def nxos_svis(n: int) -> Files:
    head = "!Command: show running-config\nversion 9.3(3)\nhostname leaf1\nfeature interface-vlan\n"
    return {"leaf1.cfg": head + "".join(f"interface Vlan{i}\n  mtu 9216\n" for i in range(1, n))}


def nxos_classes(n: int) -> Files:
    head = "!Command: show running-config\nversion 9.3(3)\nhostname leaf1\n"
    one = "class-map type qos match-any c{0}\n  match dscp {1}\n"
    return {"leaf1.cfg": head + "".join(one.format(i, i % 64) for i in range(n))}


def iosxr_ports(n: int) -> Files:
    head = "!! IOS XR Configuration 7.5.2\nhostname leaf1\n"
    one = "interface HundredGigE0/0/0/{0}\n mtu 9216\n!\n"
    return {"leaf1.cfg": head + "".join(one.format(i) for i in range(n)) + "end\n"}


def os10_ports(n: int) -> Files:
    head = "! Version 10.5.2.0\nhostname leaf1\n!\n"
    one = "interface ethernet1/1/{0}\n no shutdown\n mtu 9216\n!\n"
    return {"leaf1.cfg": head + "".join(one.format(i) for i in range(n))}


def vrp_ports(n: int) -> Files:
    head = "!Software Version V200R021C10\n#\nsysname leaf1\n#\n"
    one = "interface 100GE1/0/{0}\n jumboframe enable 9216\n#\n"
    return {"leaf1.cfg": head + "".join(one.format(i) for i in range(n)) + "return\n"}


def junos_groups(n: int) -> Files:
    """Each group is about each port: ports stay as many as they are."""
    groups = "".join(
        f" g{i} {{ interfaces {{ <et-*> {{ mtu {i + 1500}; }} }} }}\n" for i in range(n)
    )
    ports = "".join(f" et-0/0/{i} {{ mtu 9216; }}\n" for i in range(40))
    applied = " ".join(f"g{i}" for i in range(n))
    text = f"system {{ host-name leaf1; }}\ngroups {{\n{groups}}}\napply-groups [ {applied} ];\n"
    return {"leaf1.conf": text + f"interfaces {{\n{ports}}}\n"}


def junos_nested_groups(n: int) -> Files:
    groups = "".join(f" g{i} {{ apply-groups g{i + 1}; }}\n" for i in range(n))
    return {
        "leaf1.conf": f"system {{ host-name leaf1; }}\ngroups {{\n{groups}}}\napply-groups g0;\n"
        "interfaces { et-0/0/0 { mtu 9216; } }\n"
    }


def junos_ranges(n: int) -> Files:
    ports = "".join(f" et-0/0/{i} {{ mtu 9216; }}\n" for i in range(64))
    ranges = "".join(
        f" interface-range r{i} {{ member et-0/0/{i % 64}; mtu 9216; }}\n" for i in range(n)
    )
    return {"leaf1.conf": f"system {{ host-name leaf1; }}\ninterfaces {{\n{ranges}{ports}}}\n"}


def junos_set(n: int) -> Files:
    ports = "".join(f"set interfaces et-0/0/{i} mtu 9216\n" for i in range(n))
    return {"leaf1.conf": f"set version 21.4R1\nset system host-name leaf1\n{ports}"}


def srlinux(n: int) -> Files:
    ports = [{"name": f"ethernet-1/{i}", "admin-state": "enable", "mtu": 9232} for i in range(n)]
    name = {"srl_nokia-system-name:name": {"host-name": "leaf1"}}
    data = {"srl_nokia-interfaces:interface": ports, "srl_nokia-system:system": name}
    return {"leaf1.json": json.dumps(data, indent=1)}


def sonic(n: int) -> Files:
    ports = {f"Ethernet{i * 4}": {"mtu": "9100", "lanes": str(i)} for i in range(n)}
    data = {"DEVICE_METADATA": {"localhost": {"hostname": "leaf1"}}, "PORT": ports}
    return {"leaf1.json": json.dumps(data, indent=1)}


def nvue_ranges(n: int) -> Files:
    lists = "".join(
        f"      swp{i % 32 + 1}-{33 + i // 32}:\n        link: {{mtu: 9216}}\n" for i in range(n)
    )
    return {"leaf1.yaml": f"- set:\n    system:\n      hostname: leaf1\n    interface:\n{lists}"}


def nvue_commands(n: int) -> Files:
    head = "nv set system hostname leaf1\n"
    return {
        "leaf1.txt": head + "".join(f"nv set interface swp{i} link mtu 9216\n" for i in range(1, n))
    }


def shell_loop(n: int) -> Files:
    names = " ".join(f"eth{i}" for i in range(n))
    text = f"#!/bin/bash\nfor i in {names}; do\n  mlnx_qos -i $i --pfc 0,0,0,1,0,0,0,0\ndone\n"
    return {"gpu1/qos.sh": text}


def shell_functions(n: int) -> Files:
    body = "".join(f"f{i}() {{ mlnx_qos -i eth{i} --trust dscp; }}\nf{i}\n" for i in range(n))
    return {"gpu1/qos.sh": "#!/bin/bash\n" + body}


def host_outputs(n: int) -> Files:
    return {
        f"gpu1/ethtool_eth{i}.txt": f"Settings for eth{i}:\n\tSpeed: 100000Mb/s\n\tLink detected: yes\n"
        for i in range(n)
    }


def lldp_json(n: int) -> Files:
    ports = [
        {
            f"eth{i}": {
                "via": "LLDP",
                "chassis": {"leaf1": {"id": {"type": "mac", "value": "00:00:00:00:00:01"}}},
                "port": {"id": {"type": "ifname", "value": f"Ethernet{i}"}},
            }
        }
        for i in range(n)
    ]
    return {"gpu1/lldp.json": json.dumps({"lldp": {"interface": ports}}, indent=1)}


def env(n: int) -> Files:
    return {"gpu1/nccl.conf": "NCCL_IB_TC=106\nNCCL_IB_HCA=mlx5_0\n" + "NCCL_DEBUG=INFO\n" * n}


def hosts(n: int) -> Files:
    return {f"gpu{i}/nccl.conf": "NCCL_IB_TC=106\nNCCL_IB_HCA=mlx5_0\n" for i in range(n)}


def ignores(n: int) -> Files:
    return _eos(
        [
            f"interface Ethernet{i}/1\n   !! roce-lint: ignore MTU001 -- lab\n   mtu 1500\n!"
            for i in range(n)
        ]
    )


SIZES: dict[Callable[[int], Files], int] = {
    eos_ports: 800, eos_policies: 150, nxos_svis: 900, nxos_classes: 400, iosxr_ports: 800,
    os10_ports: 1000, vrp_ports: 1500, junos_groups: 100, junos_nested_groups: 600, junos_ranges: 1000,
    junos_set: 1500, srlinux: 800, sonic: 1500, nvue_ranges: 300, nvue_commands: 1000, shell_loop: 400,
    shell_functions: 200, host_outputs: 150, lldp_json: 300, env: 4000, hosts: 60, ignores: 400,
}  # fmt: skip
