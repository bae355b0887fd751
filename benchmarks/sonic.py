"""Writes the databases of SONiC switches, for benchmarks."""

from __future__ import annotations

import json

from ports import PORTS, Port


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
