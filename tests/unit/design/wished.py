"""Intents of small fabrics, made for tests."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

from roce_lint.catalog.profiles import profile
from roce_lint.design.golden import Design, design
from roce_lint.engine.finding import Answer
from roce_lint.intent.read import read_whole
from roce_lint.pipeline.designing import judge_design
from roce_lint.settings import NONE

WATCHDOGS: dict[str, dict[str, Any]] = {
    "eos": {"polling_ms": 100, "detection_ms": 200, "restoration_ms": 200, "action": "drop"},
    "nxos": {"polling_ms": 100, "action": "drop"},
    "sonic": {"polling_ms": 100, "detection_ms": 200, "restoration_ms": 200, "action": "drop"},
    "cumulus": {"polling_ms": 100, "detection_ms": 300, "action": "drop"},
    "junos": {"polling_ms": 100, "detection_ms": 200, "restoration_ms": 200, "action": "drop"},
    "vrp": {"detection_ms": 200, "restoration_ms": 200, "action": "drop"},
    "comware": {"action": "drop"},
}
"""Configurable times by system."""

ROCE = {
    "dscp": [26], "pfc_priority": 3, "lossless": True, "marked": True, "share_percent": 60,
}  # fmt: skip
CNP = {
    "flow": "cnp", "dscp": [48], "pfc_priority": 6, "lossless": False, "marked": False,
    "strict": True,
}  # fmt: skip


def small(leaf: str = "eos", spine: str | None = None, speed: int = 400) -> dict[str, Any]:
    """Two leafs, two spines and four hosts, with all that a design needs."""
    tiers = {leaf, spine or leaf}
    down = {"first": 1, "last": 16, "speed_gbps": speed, "lanes": 8}
    up = {"first": 17, "speed_gbps": speed, "lanes": 8}
    made: dict[str, Any] = {
        "fabric": {
            "leaf": {
                "count": 2, "name": "leaf{n}", "nos": leaf, "asn": {"first": 65001},
                "down": down, "up": up, "cable_m": 30,
            },
            "spine": {
                "count": 2, "name": "spine{n}", "nos": spine or leaf,
                "asn": {"first": 65100, "each": "tier"},
                "down": {"first": 1, "speed_gbps": speed, "lanes": 8},
            },
        },
        "hosts": {
            "gpu": {
                "count": 4, "name": "gpu{n}", "nics": 2, "family": "nvidia", "ports": "eth{r}",
                "rdma": "mlx5_{r}", "speed_gbps": speed, "cable_m": 3,
            }
        },
        "addressing": {
            "links": "10.0.0.0/24", "loopbacks": "10.255.0.0/24", "hosts": "10.1.0.0/24",
        },
        "classes": {"roce": dict(ROCE), "cnp": dict(CNP)},
        "mtu": 9100,
        "rdma_payload": 4096,
        "marking": [
            {"kmin_bytes": 1000000, "kmax_bytes": 4000000, "pmax_percent": 10},
            {"kmin_percent": 55, "kmax_percent": 90, "pmax_percent": 100},
            {"kmin_cells": 4000, "kmax_cells": 16000, "pmax_percent": 10},
        ],
        "watchdog": {"systems": {name: WATCHDOGS[name] for name in sorted(tiers)}},
    }  # fmt: skip
    if "sonic" in tiers:
        made["buffers"] = [
            {"cable_m": 40, "reserved_bytes": 1270, "xoff_bytes": 424434, "xon_bytes": 0}
        ]
    return made


def by_profile(name: str, nos: str) -> dict[str, Any]:
    """The small fabric with the classes of a published profile; what it leaves open is decided."""
    made, plan = small(nos), profile(name)
    classes: dict[str, Any] = {}
    free = [priority for priority in (3, 6, 4, 5) if priority not in
            {each.pfc_priority for each in plan.classes}]  # fmt: skip
    weighted = [each for each in plan.classes if each.flow.value != "cnp"]
    rest = 0 if any(0 in each.dscps for each in plan.classes) else 20
    for each in plan.classes:
        cnp = each.flow.value == "cnp"
        priority = each.pfc_priority if each.pfc_priority is not None else free.pop(0)
        classes[each.name] = {
            "flow": each.flow.value,
            "dscp": list(each.dscps),
            "pfc_priority": priority,
            "lossless": bool(each.lossless),
            "marked": not cnp if each.marked is None else each.marked,
            **({"strict": True} if cnp else {"share_percent": (100 - rest) // len(weighted)}),
        }
    if not any(each["flow"] == "cnp" for each in classes.values()):
        classes["cnp"] = {**CNP, "pfc_priority": free.pop(0)}
    made["classes"] = classes
    if plan.lossless_unmarked is not None:
        made["lossless_unmarked"] = plan.lossless_unmarked
    return made


def changed(wish: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The wish with one key set to a value; None takes it away. A path is `classes.roce.dscp`."""
    made = copy.deepcopy(wish)
    *above, last = path.split(".")
    inside = made
    for key in above:
        inside = inside.setdefault(key, {})
    if value is None:
        inside.pop(last)
    else:
        inside[last] = value
    return made


def written(folder: Path, wish: dict[str, Any]) -> Path:
    """The wish as a file."""
    path = folder / "intent.yaml"
    path.write_text(yaml.safe_dump(wish, sort_keys=False))
    return path


def made_of(folder: Path, wish: dict[str, Any]) -> Design:
    """The design of a wish."""
    return design(read_whole(written(folder, wish)))


def faults(made: Design) -> list[str]:
    """Everything that keeps a design from being ready: findings, unknowns, and the verdict."""
    report = judge_design(made, NONE)
    found = [f"{each.rule} {each.device} {each.message}" for each in report.findings]
    found += [f"{each.rule} {each.device} lacks {each.missing}" for each in report.unknowns]
    if report.verdict.answer is not Answer.READY:
        found.append(report.verdict.answer.value)
    return found
