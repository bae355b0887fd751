"""Relevant QoS differences of a port: numbers of classes, queues and priority groups count only if
the treatment of a DSCP or 802.1p priority changes with them.

`model/diff.py` compares two devices without regard to traffic.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields

from roce_lint.analysis.provenance import Fact
from roce_lint.analysis.treatment import (
    classifier_of,
    egress,
    egress_of,
    forwarding_of,
    group_buffer,
    pauses,
    way_of,
)
from roce_lint.model.device import Device
from roce_lint.model.diff import Sift
from roce_lint.model.interface import Interface
from roce_lint.model.object_diff import LABELS, READING, NestedDifference
from roce_lint.model.path import Step
from roce_lint.model.qos import Forwarding, PortQos
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import DSCPS, PRIORITIES
from roce_lint.model.values import code_numbers

CodePoint = tuple[str, int]
"""`dscp_to_tc` or `pcp_to_tc`, and the number."""

FROM_CODE = ("dscp_to_tc", "pcp_to_tc")
FROM_CLASS = ("tc_to_queue", "tc_to_pg", "tc_to_pfc_priority", "tc_mtu", "tc_to_dscp")
WITHIN = ("pfc_priority_to_queue", "pfc_priority_to_pg")
"""Maps with local numbers: to classes, from classes, and from PFC priorities."""


def sift_of(a: Device, b: Device) -> Sift:
    """Filter for the relevant differences of ports between two states of a device."""
    known: dict[Hashable, tuple[_Port, _Port]] = {}

    def sift(
        mine: Interface, theirs: Interface, found: list[NestedDifference]
    ) -> list[NestedDifference]:
        if not any(_is_local(each) for each in found):
            return found
        key = (way_of(mine), way_of(theirs))
        sides = known.get(key)
        if sides is None:
            sides = known[key] = (_Port.of(a, mine), _Port.of(b, theirs))
        return [each for each in found if _counts(each, *sides)]

    return sift


def _is_local(found: NestedDifference) -> bool:
    """True for an entry of a map with local numbers."""
    return not found.wording and any(
        step.field in (*FROM_CODE, *FROM_CLASS, *WITHIN) for step in found.steps
    )


@dataclass(slots=True)
class _Port:
    """Treatment of every DSCP and 802.1p priority on a port, comparable between devices."""

    classes: dict[CodePoint, int | None]
    queues: dict[int, int | None]  # by class
    groups: dict[int, int | None]
    treated: dict[CodePoint, Hashable]

    @classmethod
    def of(cls, device: Device, port: Interface) -> _Port:
        """Treatment of all DSCPs and 802.1p priorities on a port."""
        qos = port.qos or PortQos()
        classifier = classifier_of(device, qos)
        classes: dict[CodePoint, int | None] = {}
        for name, numbers in zip(FROM_CODE, (DSCPS, PRIORITIES), strict=True):
            map_ = getattr(classifier, name, None)
            for number in numbers:
                classes[name, number] = map_.get(number) if map_ is not None else None
        used = {tc for tc in classes.values() if tc is not None}
        maps = forwarding_of(device, qos) or Forwarding()
        queues = {tc: maps.tc_to_queue.get(tc) for tc in used}
        groups = {tc: maps.tc_to_pg.get(tc) for tc in used}
        effects = {tc: _effect(device, port, qos, tc) for tc in used}
        by_queue, by_group = _mates(classes, queues), _mates(classes, groups)
        treated: dict[CodePoint, Hashable] = {
            code: None if tc is None else (effects[tc], by_queue[queues[tc]], by_group[groups[tc]])
            for code, tc in classes.items()
        }
        return cls(classes, queues, groups, treated)

    def of_class(self, tc: int) -> list[CodePoint]:
        """DSCPs and priorities in a class."""
        return [code for code, own in self.classes.items() if own == tc]

    def inside(self, by_class: dict[int, int | None], number: int) -> list[CodePoint]:
        """DSCPs and priorities in a queue or priority group."""
        tcs = {tc for tc, own in by_class.items() if own == number}
        return [code for code, own in self.classes.items() if own in tcs]


def _mates(
    classes: dict[CodePoint, int | None], by_class: dict[int, int | None]
) -> dict[int | None, frozenset[CodePoint]]:
    """DSCPs and priorities that share a queue or group, by its number."""
    found: dict[int | None, set[CodePoint]] = {}
    for code, tc in classes.items():
        if tc is not None:
            found.setdefault(by_class.get(tc), set()).add(code)
    return {number: frozenset(codes) for number, codes in found.items()}


def _effect(device: Device, port: Interface, qos: PortQos, tc: int) -> Hashable:
    """Treatment of a class on a port, without device-local numbers."""
    maps = forwarding_of(device, qos)
    priority = maps.tc_to_pfc_priority.get(tc) if maps is not None else None
    lossless = pauses(device, qos, Fact(tc), maps, Fact(priority)).value
    leaves = egress(device, port, Fact(tc))
    policy = egress_of(device, qos)
    queue = policy.queue(leaves.queue) if policy else None
    pg = maps.tc_to_pg.get(tc) if maps is not None else None
    buffer = group_buffer(device, qos, pg)[0] if pg is not None else None
    rewrite = device.qos.rewrites.get(qos.rewrite or "")
    return (
        lossless,
        priority,
        leaves.marks,
        leaves.stopped_by,
        *(_content(part) for part in (leaves.scheduler, leaves.marking, buffer)),
        _content(queue.buffer) if queue is not None else None,
        rewrite.tc_to_dscp.get(tc) if rewrite is not None and rewrite.active else None,
        maps.tc_mtu.get(tc) if maps is not None else None,
    )


def _content(item: Sourced | None) -> Hashable:
    """Content of an object, without its name and pool."""
    if item is None:
        return None
    left_out = READING | LABELS | {"pool"}
    names = [entry.name for entry in fields(item) if entry.name not in left_out]
    return (type(item).__name__, *(getattr(item, name) for name in names))


def _counts(found: NestedDifference, a: _Port, b: _Port) -> bool:
    """Whether a difference changes the treatment, or has no local numbers."""
    if found.wording:
        return True
    for step in found.steps:
        numbers = _numbers(step)
        if step.field in FROM_CODE:
            codes = [(step.field, n) for n in numbers] if numbers else list(a.classes)
            return any(a.treated.get(code) != b.treated.get(code) for code in codes)
        if step.field in FROM_CLASS:
            tcs = numbers or [*a.queues, *b.queues]
            codes = [code for tc in tcs for code in (*a.of_class(tc), *b.of_class(tc))]
            return any(a.treated[code] != b.treated[code] for code in codes)
        if step.field in WITHIN:
            return a.treated != b.treated
        if step.field in ("queues", "groups") and numbers:
            mine, theirs = (
                (side.queues if step.field == "queues" else side.groups) for side in (a, b)
            )
            codes = [*a.inside(mine, numbers[0]), *b.inside(theirs, numbers[0])]
            return not codes or any(a.treated[code] != b.treated[code] for code in codes)
    return True


def _numbers(step: Step) -> list[int]:
    """Numbers of an entry; none for other kinds of entries."""
    local = (*FROM_CODE, *FROM_CLASS, *WITHIN, "queues", "groups")
    if step.key is None or step.field not in local or not step.key[0].isdigit():
        return []
    return code_numbers(step.key, step.field)
