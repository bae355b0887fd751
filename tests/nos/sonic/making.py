"""Small SONiC configurations, read through the device reader."""

from __future__ import annotations

import json
from typing import Any

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.sourced import Sourced
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import TREE, SourceFile
from tests.nos.reader import shorten

Config = dict[str, Any]


def device_of(*configs: Config | str, source: str = "config-db", name: str = "sw1") -> Device:
    """Device of some configurations, or texts."""
    nos = all_nos()["sonic"]
    texts = [given if isinstance(given, str) else json.dumps(given, indent=2) for given in configs]
    files = [
        IdentifiedFile(SourceFile.of(f"{index}.json", text), nos.by_source[source])
        for index, text in enumerate(texts)
    ]
    return read_device(nos, name, files)


def place(item: Sourced, name: object = "") -> str:
    """Leaf that states a field, as TABLE|key|field; a default by its sentence."""
    position = item.at.get(name, 0)
    if position < 0:
        return item.src.citation(position).says
    if position < TREE:
        return f"line {position}" if position else ""
    return "|".join(str(key) for key in item.src.keys_of(position)[1])


def remarks(device: Device, kind: NoteKind) -> list[str]:
    """Messages of the notes of one kind; bad values include refused ones."""
    kinds = (kind, NoteKind.REFUSED) if kind is NoteKind.BAD_VALUE else (kind,)
    return [shorten(note.message) for note in device.notes if note.kind in kinds]


def port(**fields: str) -> dict[str, str]:
    """A row of PORT."""
    return {"admin_status": "up", "lanes": "0,1,2,3", "speed": "100000"} | fields


def numbers(last: int = 7) -> dict[str, str]:
    """A map of every number to itself."""
    return {str(number): str(number) for number in range(last + 1)}


def chain(**tables: Any) -> Config:
    """A whole QoS chain for one port, in which DSCP 26 is class, group, priority and queue 3."""
    maps = ("dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map", "pfc_to_queue_map")
    config: Config = {
        "DEVICE_METADATA": {"localhost": {"hostname": "sw1", "type": "ToRRouter"}},
        "PORT": {"Ethernet0": port()},
        "DSCP_TO_TC_MAP": {"M": {"0": "0", "26": "3", "48": "6"}},
        "TC_TO_QUEUE_MAP": {"M": numbers()},
        "TC_TO_PRIORITY_GROUP_MAP": {"M": {"0": "0", "3": "3", "6": "0"}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"M": numbers()},
        "PORT_QOS_MAP": {"Ethernet0": {**dict.fromkeys(maps, "M"), "pfc_enable": "3"}},
        "SCHEDULER": {"S": {"type": "DWRR", "weight": "15"}},
        "WRED_PROFILE": {
            "W": {
                "ecn": "ecn_all",
                "green_min_threshold": "1000000",
                "green_max_threshold": "2000000",
                "wred_green_enable": "true",
            }
        },
        "QUEUE": {"Ethernet0|3": {"scheduler": "S", "wred_profile": "W"}},
    }
    return config | tables


def flattened(config: Config) -> Config:
    """The same configuration with `TABLE|key` at the top."""
    return {
        f"{table}|{key}": row or {"NULL": "NULL"}
        for table, rows in config.items()
        for key, row in rows.items()
    }
