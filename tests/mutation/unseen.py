"""unseen.txt: the mutants that no finding points at, by the reason for which none does.

    ## The reason, in a sentence.
    leaf3 spine1 delete digit: DSCP_TO_TC_MAP|AZURE|17 / 1

A line names devices, kinds of mutation and the value; every kind on every device is meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path

FILE = Path(__file__).with_name("unseen.txt")

KINDS = ("digit", "delete", "double", "move")

Reasons = dict[str, str]
"""Reason by entry (`Mutant.entry`)."""


def parse(text: str) -> Reasons:
    """All entries of the file."""
    found: Reasons = {}
    reason = ""
    for line in text.split("\n"):
        if line.startswith("## "):
            reason = line[3:]
        elif line and not line.startswith("# "):
            words, _, shape = line.partition(": ")
            kinds = [word for word in words.split() if word in KINDS]
            devices = [word for word in words.split() if word not in KINDS]
            for device, kind in product(devices, kinds):
                found[f"{kind} {device}: {shape}"] = reason
    return found


def shown(reasons: Reasons, head: str) -> str:
    """The text of the file."""
    text = head
    for reason in dict.fromkeys(reasons.values()):
        text += f"\n## {reason}\n"
        text += "".join(
            f"{line}\n" for line in _lines(e for e, r in reasons.items() if r == reason)
        )
    return text


def _lines(entries: Iterable[str]) -> Iterable[str]:
    by_shape: dict[str, dict[str, list[str]]] = {}
    for entry in entries:
        words, _, shape = entry.partition(": ")
        kind, device = words.split()
        by_shape.setdefault(shape, {}).setdefault(device, []).append(kind)
    for shape, devices in by_shape.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for device, kinds in devices.items():
            alike.setdefault(tuple(k for k in KINDS if k in kinds), []).append(device)
        for kinds, names in alike.items():
            yield f"{' '.join(names)} {' '.join(kinds)}: {shape}"


def head_of(text: str) -> str:
    """What stands above the first reason."""
    return text.partition("\n## ")[0].rstrip("\n") + "\n"
