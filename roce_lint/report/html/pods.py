"""Pods and rails of a drawing: the column of each pod, and the frames around both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from roce_lint.pipeline.placement import HOSTS, SPINES, Placement

GAP = 12
"""Gap between the columns of two pods."""

HEAD = 20
"""Height above the nodes of a pod for its name."""


class Box(Protocol):
    """A node with its devices and its position."""

    names: list[str]
    tier: int
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True, frozen=True)
class Frame:
    """A rectangle around nodes, with a label in its upper left corner."""

    label: str
    x: float
    y: float
    width: float
    height: float


@dataclass(slots=True, frozen=True)
class Column:
    """Horizontal extent of a pod."""

    left: float
    width: float


def pod_of(box: Box, plan: Placement) -> int | None:
    """The common pod of all devices of a node; None if there is none, or several."""
    pods = {plan.unit.get(name) or None for name in box.names}
    return next(iter(pods)) if len(pods) == 1 else None


def columns(boxes: Sequence[Box], plan: Placement, left: float, room: float) -> dict[int, Column]:
    """The column of each pod, as wide as its widest tier requires.

    Empty if there is one pod, if a pod is only a leaf with its hosts, or if a node below the
    topmost tier has no pod: it would be framed with another one.
    """
    top = max((box.tier for box in boxes), default=HOSTS)
    below = [(box, pod_of(box, plan)) for box in boxes if HOSTS <= box.tier < top]
    if any(pod is None for _, pod in below):
        return {}
    switches = Counter({pod: 0 for _, pod in below})
    for box, pod in below:
        switches[pod] += len(box.names) * (box.tier > HOSTS)
    if min(switches.values(), default=0) < 2:
        return {}
    counts = Counter((pod, box.tier) for box, pod in below if pod is not None)
    widest: dict[int, int] = {}
    for (pod, _), number in counts.items():
        widest[pod] = max(widest.get(pod, 0), number)
    if len(widest) < 2:
        return {}
    share = (room - GAP * (len(widest) - 1)) / sum(widest.values())
    found, at = {}, left
    for pod in sorted(widest):
        found[pod] = Column(at, share * widest[pod])
        at += share * widest[pod] + GAP
    return found


def slots(
    row: Sequence[Box], plan: Placement, pods: dict[int, Column], left: float, room: float
) -> list[tuple[float, float]]:
    """Left edge and width of each node of a tier: in its pod, else side by side."""
    own = [pod_of(box, plan) for box in row]
    if not pods or any(pod not in pods for pod in own):
        return [(left + room / len(row) * number, room / len(row)) for number in range(len(row))]
    found = []
    for pod, members in groupby(own):
        number = len(list(members))
        if pod is not None:
            wide = pods[pod].width / number
            found += [(pods[pod].left + wide * place, wide) for place in range(number)]
    return found


def around_pods(boxes: Iterable[Box], plan: Placement, pods: dict[int, Column]) -> list[Frame]:
    """A frame around the nodes of each pod."""
    inside: dict[int, list[Box]] = {pod: [] for pod in pods}
    rows: dict[int, list[Box]] = {}
    for box in boxes:
        rows.setdefault(box.tier, []).append(box)
    for row in rows.values():
        own = [(pod_of(box, plan), box) for box in row]
        if all(pod in pods for pod, _ in own):
            for pod, box in own:
                if pod is not None:
                    inside[pod].append(box)
    found = []
    for pod, members in inside.items():
        if members:
            top = min(box.y for box in members) - HEAD
            bottom = max(box.y + box.height for box in members) + HEAD
            column = pods[pod]
            size = round(column.width, 1), bottom - top
            word = "pod" if any(box.tier >= SPINES for box in members) else "unit"
            found.append(Frame(f"{word} {pod}", round(column.left, 1), top, *size))
    return found


def around_rails(row: Sequence[Box], plan: Placement) -> list[Frame]:
    """A frame around adjacent nodes of one rail."""
    found = []

    def place(box: Box) -> tuple[int | None, int | None]:
        return plan.unit.get(box.names[0]), plan.rail.get(box.names[0])

    for (_, rail), members in groupby(row, key=place):
        boxes = list(members)
        if rail is None or len(boxes) < 2 or boxes[0].tier == HOSTS:
            continue
        first, last = boxes[0], boxes[-1]
        width = round(last.x + last.width - first.x + 8, 1)
        found.append(Frame(f"rail {rail}", first.x - 4, first.y - 4, width, first.height + 8))
    return found
