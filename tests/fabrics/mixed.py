"""A fabric with a leaf of every operating system under two spines, in the format of each device:
the bench on which single faults are planted hop by hop.

Every leaf has port 0 to its host, port 1 to spine1 and port 2 to spine2. RoCE is DSCP 26 in
priority 3, CNP is DSCP 48.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import Files

HERE = Path(__file__).resolve().parent
TEXTS = HERE / "mixed"
HOST = HERE / "dscp-24-priority-3" / "fabric" / "hosts" / "gpu1"


@dataclass(frozen=True)
class Kind:
    """Format and port names of a switch of one operating system."""

    suffix: str
    port: Callable[[int], str]
    write: Callable[[str, Sequence[str]], str]


def _from(nos: str) -> Callable[[str, Sequence[str]], str]:
    """Renderer of a switch from a text of its operating system: the lines between two `%%` repeat
    per port, {n} and {n1} count ports from 0 and from 1.
    """
    head, block, tail = (TEXTS / f"{nos}.txt").read_text().split("%%\n")

    def write(name: str, ports: Sequence[str]) -> str:
        each = (
            block.replace("{n}", str(n)).replace("{n1}", str(n + 1)).replace("{ip}", address)
            for n, address in enumerate(ports)
        )
        return head.replace("{name}", name) + "".join(each) + tail.replace("{name}", name)

    return write


def sonic(name: str, ports: Sequence[str]) -> str:
    own = [f"Ethernet{8 * n}" for n in range(len(ports))]
    same = {str(n): str(n) for n in range(8)}
    groups = {str(n): "0" for n in range(7)} | {"3": "3", "7": "7"}
    dscps = {str(n): "0" for n in range(64)} | {"26": "3", "48": "6"}
    lossless = "pg_lossless_400000_40m_profile"
    headroom = {"size": "18796", "xon": "0", "xoff": "300990", "xon_offset": "3556"}
    maps = dict.fromkeys(
        ("dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map"), "ROCE"
    )
    strict = {f"{p}|6": {"scheduler": "scheduler.cnp"} for p in own}
    marked = {"scheduler": "scheduler.1", "wred_profile": "LOSSLESS"}
    tables: dict[str, Any] = {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": name,
                "hwsku": "Arista-7060X6-64PE-O128S2",
                "type": "SpineRouter" if name.startswith("spine") else "LeafRouter",
                "buffer_model": "traditional",
            }
        },
        "PORT": {
            port: {
                "alias": f"etp{n + 1}",
                "lanes": ",".join(str(8 * n + lane + 1) for lane in range(8)),
                "speed": "400000",
                "fec": "rs",
                "mtu": "9100",
                "admin_status": "up",
            }
            for n, port in enumerate(own)
        },
        "INTERFACE": {
            key: {}
            for port, address in zip(own, ports, strict=True)
            for key in (port, f"{port}|{address}")
        },
        "DSCP_TO_TC_MAP": {"ROCE": dscps},
        "TC_TO_QUEUE_MAP": {"ROCE": same},
        "TC_TO_PRIORITY_GROUP_MAP": {"ROCE": groups},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"ROCE": same},
        "PORT_QOS_MAP": {p: {**maps, "pfc_enable": "3", "pfcwd_sw_enable": "3"} for p in own},
        "SCHEDULER": {
            "scheduler.0": {"type": "DWRR", "weight": "14"},
            "scheduler.1": {"type": "DWRR", "weight": "15"},
            "scheduler.cnp": {"type": "STRICT"},
        },
        "WRED_PROFILE": {
            "LOSSLESS": {
                "ecn": "ecn_all",
                "wred_green_enable": "true",
                "green_min_threshold": "1048576",
                "green_max_threshold": "2097152",
                "green_drop_probability": "5",
            }
        },
        "QUEUE": {
            **{f"{p}|{q}": {"scheduler": "scheduler.0"} for p in own for q in (0, 1, 2, 4, 5)},
            **{f"{p}|3": marked for p in own},
            **strict,
        },
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            **{
                p: {"action": "drop", "detection_time": "200", "restoration_time": "200"}
                for p in own
            },
        },
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(own, "40m")},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {
                "type": "ingress", "mode": "dynamic", "size": "59000000", "xoff": "7800000",
            },
            "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "165364160"},
        },
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {
                "pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3",
            },
            lossless: {"pool": "ingress_lossless_pool", **headroom, "dynamic_th": "0"},
        },
        "BUFFER_PG": {
            **{f"{p}|0": {"profile": "ingress_lossy_profile"} for p in own},
            **{f"{p}|3": {"profile": lossless} for p in own},
        },
    }  # fmt: skip
    return json.dumps(tables, indent=1) + "\n"


KINDS = {
    "eos": Kind("cfg", lambda n: f"Ethernet{n + 1}/1", _from("eos")),
    "nxos": Kind("cfg", lambda n: f"Ethernet1/{n + 1}", _from("nxos")),
    "sonic": Kind("json", lambda n: f"Ethernet{8 * n}", sonic),
    "junos": Kind("conf", lambda n: f"et-0/0/{n}", _from("junos")),
    "cumulus": Kind("txt", lambda n: f"swp{n + 1}", _from("cumulus")),
    "os10": Kind("cfg", lambda n: f"ethernet1/1/{n + 1}", _from("os10")),
    "esonic": Kind("cfg", lambda n: f"Eth1/{n + 1}", _from("esonic")),
    "iosxr": Kind("cfg", lambda n: f"FourHundredGigE0/0/0/{n}", _from("iosxr")),
    "srlinux": Kind("cfg", lambda n: f"ethernet-1/{n + 1}", _from("srlinux")),
    "aoscx": Kind("cfg", lambda n: f"1/1/{n + 1}", _from("aoscx")),
    "vrp": Kind("cfg", lambda n: f"400GE1/0/{n + 1}", _from("vrp")),
    "comware": Kind("cfg", lambda n: f"FourHundredGigE1/0/{n + 1}", _from("comware")),
}
SPINES = {"spine1": "eos", "spine2": "sonic"}


def leaf_of(nos: str) -> str:
    """Name of the leaf of an operating system."""
    return f"leaf-{nos}"


def host_of(nos: str) -> str:
    """Name of its host."""
    return f"gpu-{nos}"


def build(kinds: Sequence[str] = tuple(KINDS)) -> Files:
    """Files of the fabric."""
    files, links = {}, []
    for number, nos in enumerate(kinds):
        kind, leaf = KINDS[nos], leaf_of(nos)
        addresses = [f"10.{port}.{number}.0/31" for port in range(3)]
        files[f"switches/{leaf}.{kind.suffix}"] = kind.write(leaf, addresses)
        files |= snapshot(host_of(nos))
        links.append(f"- [{leaf}:{kind.port(0)}, {host_of(nos)}:ens1np0]")
        for port, (spine, its) in enumerate(SPINES.items(), 1):
            links.append(f"- [{leaf}:{kind.port(port)}, {spine}:{KINDS[its].port(number)}]")
    for port, (spine, nos) in enumerate(SPINES.items(), 1):
        addresses = [f"10.{port}.{number}.1/31" for number in range(len(kinds))]
        files[f"switches/{spine}.{KINDS[nos].suffix}"] = KINDS[nos].write(spine, addresses)
    return files | {"links.yaml": "\n".join(links) + "\n"}


def snapshot(name: str) -> Files:
    """Outputs of a host."""
    return {
        f"hosts/{name}/{path.name}": path.read_text()
        .replace("gpu1", name)
        .replace("tclass=98", "tclass=106")
        for path in HOST.iterdir()
    }
