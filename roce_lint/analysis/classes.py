"""Which code points carry RoCE here, and who says so. No DSCP and no priority is assumed."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import ingress
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.source import Origin, Where

EVIDENCE = 3
"""Lines shown per class; the number of hosts that agree is shown beside."""


def find_classes(analysis: Analysis, plan: RocePlan) -> None:
    """Fill `analysis.classes`: from the plan, else from what hosts state, else inferred."""
    classes: list[RoceClass] = [
        RoceClass(
            class_name(planned.flow, planned.dscps),
            planned.flow,
            planned.dscps,
            Basis.PLAN,
            (planned.where("dscps"),),
        )
        for planned in plan.classes
        if planned.flow in (Flow.DATA, Flow.CNP)
    ]
    known = {(c.flow, dscp) for c in classes for dscp in c.dscps}
    for flow in (Flow.DATA, Flow.CNP):
        if any(c.flow is flow for c in classes):
            continue
        classes += _stated(analysis, flow, known)
    if not any(c.flow is Flow.DATA for c in classes):
        cnp = {dscp for c in classes if c.flow is Flow.CNP for dscp in c.dscps}
        classes += _inferred(analysis, cnp)
    analysis.classes = classes


def class_name(flow: Flow, dscps: Iterable[int]) -> str:
    """How a class is called in messages."""
    word = "CNP" if flow is Flow.CNP else "RoCE"
    return f"{word} DSCP {ranges(list(dscps))}"


def _stated(analysis: Analysis, flow: Flow, known: set[tuple[Flow, int]]) -> Iterator[RoceClass]:
    """One class per code point that at least one RoCE host states it sends."""
    hosts = {device.hostname for device, _ in analysis.roce_nics}
    places: dict[int, list[Where]] = defaultdict(list)
    senders: dict[int, set[str]] = defaultdict(set)
    for device in analysis.fabric.devices.values():
        if device.hostname not in hosts:
            continue
        for emission in device.emits:
            if emission.flow is not flow or emission.certainty is not Certainty.STATED:
                continue
            if (flow, emission.dscp) in known:
                continue
            if device.hostname not in senders[emission.dscp]:
                places[emission.dscp].append(emission.where("dscp", emission.by))
            senders[emission.dscp].add(device.hostname)
    for dscp in sorted(places):
        yield RoceClass(
            class_name(flow, (dscp,)),
            flow,
            (dscp,),
            Basis.STATED,
            tuple(places[dscp][:EVIDENCE]),
            len(senders[dscp]),
        )


def _inferred(analysis: Analysis, cnp: set[int]) -> Iterator[RoceClass]:
    """Classes taken from what NICs pause and switches protect, when nobody states what he sends.

    The code points that most devices treat as lossless; among those, the ones that a line names
    are preferred to those that a line about all the rest puts there, and these to those of a
    platform default. DSCP 0 is what nobody marked, so it tells nothing where others are left.
    They are grouped by PFC priority.
    """
    by_host = _protected(port for port in analysis.ports if port.device.is_host)
    by_switch = _protected(port for port in analysis.ports if not port.device.is_host)
    votes: Counter[int] = Counter()
    for per_device in (by_host, by_switch):
        for protected in per_device.values():
            votes.update(dscp for dscp in protected if dscp not in cnp)
    if len(votes) > 1:
        votes.pop(0, None)
    if not votes:
        return
    most = max(votes.values())
    candidates = {dscp for dscp, count in votes.items() if count == most}
    named: dict[Naming, set[int]] = defaultdict(set)
    for per_device in (by_switch, by_host):
        for protected in per_device.values():
            for dscp in candidates & protected.keys():
                named[protected[dscp].naming].add(dscp)
    groups: dict[int, list[int]] = defaultdict(list)
    evidence: dict[int, list[Where]] = defaultdict(list)
    for dscp in sorted(named[max(named)]):
        first = _first(dscp, by_switch, by_host)
        groups[first.priority].append(dscp)
        places = evidence[first.priority]
        if len(places) < EVIDENCE and first.where not in places:
            places.append(first.where)
    for priority in sorted(groups):
        dscps = tuple(groups[priority])
        yield RoceClass(
            class_name(Flow.DATA, dscps),
            Flow.DATA,
            dscps,
            Basis.INFERRED,
            tuple(evidence[priority]),
        )


class Naming(enum.IntEnum):
    """How a code point came into a lossless class, the most telling last."""

    DEFAULT = 0  # the platform puts it there
    REST = 1  # a line about all that no other line takes
    NAMED = 2  # a line about this code point


@dataclass(slots=True, frozen=True)
class Kept:
    """A code point that a device treats as lossless: its PFC priority, and who says so."""

    priority: int
    where: Where
    naming: Naming


Protected = dict[str, dict[int, Kept]]


def _protected(ports: Iterable[JudgedPort]) -> Protected:
    """By device: code points that some judged port treats as lossless."""
    found: Protected = defaultdict(dict)
    seen: set[tuple[object, ...]] = set()
    for port in ports:
        qos = port.interface.qos
        if qos is None or qos.pfc is None or not qos.pfc.generate:
            continue
        alike = (
            port.device.hostname,
            qos.classifier,
            qos.forwarding,
            qos.trust,
            qos.pfc.generate,
            qos.default_pcp,
        )
        if alike in seen:
            continue
        seen.add(alike)
        for dscp in DSCPS:
            into = ingress(port.device, port.interface, dscp)
            if into.lossless and into.priority is not None:
                place = into.tc_where[0]
                kept = Kept(into.priority, place, _naming(port, dscp, place))
                found[port.device.hostname].setdefault(dscp, kept)
    return found


def _naming(port: JudgedPort, dscp: int, place: Where) -> Naming:
    if place.origin is not Origin.STATED:
        return Naming.DEFAULT
    qos = port.interface.qos
    name = qos.classifier if qos is not None else None
    classifier = port.device.qos.classifiers.get(name or "")
    named = classifier is not None and dscp in classifier.dscp_to_tc.entries
    return Naming.NAMED if named else Naming.REST


def _first(dscp: int, *per_device: Protected) -> Kept:
    for devices in per_device:
        for hostname in sorted(devices):
            if dscp in devices[hostname]:
                return devices[hostname][dscp]
    raise KeyError(dscp)
