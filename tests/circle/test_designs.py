"""Designs that differ from the samples are printed too, and every printed line is read."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from roce_lint.errors import IntentError
from roce_lint.nos.base import RenderRequest
from roce_lint.nos.printer import render
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline.designing import design_fabric
from tests.circle.circle import BAD_NOTES, INTENTS, read_back
from tests.sampling import sampled

Change = Callable[[dict[str, Any]], None]


def unnumbered(made: dict[str, Any]) -> None:
    made["addressing"]["links"] = "unnumbered"


def ipv6(made: dict[str, Any]) -> None:
    made["addressing"].update(links="fd00::/64", hosts="fd01::/64")


def ecn_only(made: dict[str, Any]) -> None:
    made["mode"] = "ecn-only"
    made["classes"]["roce"]["lossless"] = False
    made.pop("watchdog", None)


def cap(made: dict[str, Any]) -> None:
    made["classes"]["cnp"]["cap_percent"] = 10


def two_lossless(made: dict[str, Any]) -> None:
    storage = {"flow": "storage", "dscp": [18], "pfc_priority": 2, "lossless": True}
    made["classes"]["storage"] = {**storage, "marked": True, "share_percent": 10}


def breakout(made: dict[str, Any]) -> None:
    made["fabric"]["leaf"]["down"].update(breakout=2, speed_gbps=200, lanes=8)
    for host in made["hosts"].values():
        host["speed_gbps"] = 200
    for entry in made["marking"]:
        entry.pop("speed_gbps", None)


def without_bgp(made: dict[str, Any]) -> None:
    for tier in ("leaf", "spine"):
        made["fabric"][tier].pop("asn", None)
    made.pop("balancing", None)


def several_codes(made: dict[str, Any]) -> None:
    made["classes"]["roce"]["dscp"] = [24, 25, 26]


CHANGES = (unnumbered, ipv6, ecn_only, cap, two_lossless, breakout, without_bgp, several_codes)
CASES = {
    f"{nos} {change.__name__}": (nos, change)
    for nos, declared in all_nos().items()
    if declared.offer is not None
    for change in CHANGES
}


@pytest.mark.parametrize("case", sampled(sorted(CASES), 6, lambda case: case.split()[0]))
def test_a_changed_design_is_printed_and_read(case: str, tmp_path: Path) -> None:
    nos, change = CASES[case]
    made = copy.deepcopy(yaml.safe_load((INTENTS / f"{nos}.yaml").read_text()))
    change(made)
    intent = tmp_path / "intent.yaml"
    intent.write_text(yaml.safe_dump(made))
    try:
        devices = design_fabric(str(intent)).fabric.devices
    except IntentError:
        return  # the system refuses it
    for name in ("leaf1", "spine1", next(each for each in devices if devices[each].is_host)):
        device = devices[name]
        printed = render(all_nos()[device.nos], RenderRequest(device, header=("of a test",)))
        after = read_back(all_nos()[device.nos], device, printed)
        assert [note.message for note in after.notes if note.kind in BAD_NOTES] == [], name
        assert after.interfaces.keys() >= {
            port.name for port in device.interfaces.values() if port.qos is not None
        }
