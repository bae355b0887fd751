"""Which code points carry RoCE here, and who says so. No DSCP and no priority is assumed."""

from __future__ import annotations

import enum
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import forwarding_of, ingress
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Classifier, Match, MatchKind, PortQos, Trust
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.source import Origin, Where

EVIDENCE = 3
"""Lines shown per class; the number of hosts that agree is shown beside."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


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
    if not analysis.data_classes:
        analysis.tagged = _tagged(analysis)


def class_name(flow: Flow, dscps: Iterable[int]) -> str:
    """How a class is called in messages."""
    word = "CNP" if flow is Flow.CNP else "RoCE"
    return f"{word} DSCP {ranges(list(dscps))}"


def name_together(classes: Iterable[RoceClass], names: Sequence[str]) -> str:
    """How several classes are called in one message: by all their code points."""
    meant = [traffic for traffic in classes if traffic.name in names]
    flows = {traffic.flow for traffic in meant}
    if len(flows) != 1:
        return " and ".join(names)
    return class_name(flows.pop(), sorted({dscp for traffic in meant for dscp in traffic.dscps}))


def named_by(name: str, classes: Iterable[RoceClass]) -> list[RoceClass]:
    """The classes that are called by a name: by their own, or by one for several together."""
    known = list(classes)
    found = [traffic for traffic in known if traffic.name == name]
    if found:
        return found
    told = {dscp for first, last in _RANGE.findall(name) for dscp in _span(first, last)}
    for flow in (Flow.DATA, Flow.CNP):
        meant = [c for c in known if c.flow is flow and told.issuperset(c.dscps)]
        if meant and name_together(meant, [c.name for c in meant]) == name:
            return meant
    return [traffic for traffic in known if traffic.name in name.split(" and ")]


def _span(first: str, last: str) -> range:
    return range(int(first), int(last or first) + 1)


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

    The code points that most devices treat as lossless, but for those that no port facing a host
    does: switches have classes among themselves that no host sends. Among those, the ones that a
    line names are preferred to those that a line about all the rest puts there, and these to those
    of a platform default. DSCP 0 is what nobody marked, so it tells nothing where others are left.
    They are grouped by PFC priority.
    """
    by_host = _protected(port for port in analysis.ports if port.device.is_host)
    switches = list(analysis.switch_ports())
    by_switch = _protected(switches)
    at_edge = _protected(port for port in switches if port.faces_host).values()
    inside = {dscp for kept in by_switch.values() for dscp in kept}
    inside -= {dscp for kept in at_edge for dscp in kept} if at_edge else inside
    votes: Counter[int] = Counter()
    for per_device in (by_host, by_switch):
        for protected in per_device.values():
            votes.update(dscp for dscp in protected if dscp not in cnp | inside)
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
        places += [w for w in first.where if w not in places][: EVIDENCE - len(places)]
    for priority in sorted(groups):
        dscps = tuple(groups[priority])
        yield RoceClass(
            class_name(Flow.DATA, dscps),
            Flow.DATA,
            dscps,
            Basis.INFERRED,
            tuple(evidence[priority]),
        )


def _tagged(analysis: Analysis) -> dict[int, tuple[Where, ...]]:
    """Paused priorities that the 802.1p tag of a packet leads to, and the lines that say so."""
    found: dict[int, tuple[Where, ...]] = {}
    for port, _ in analysis.kinds:
        for pcp, where in tagged(port).items():
            found.setdefault(pcp, where)
    return dict(sorted(found.items()))


def tagged(port: JudgedPort) -> dict[int, tuple[Where, ...]]:
    """802.1p priorities of arriving packets that a port puts into a class it pauses."""
    qos = port.interface.qos
    if qos is None or qos.pfc is None or not qos.pfc.generate:
        return {}
    classifier = port.device.qos.classifiers.get(qos.classifier or "")
    maps = port.device.qos.forwardings.get(qos.forwarding or "")
    if classifier is None or maps is None or qos.trust not in (Trust.PCP, Trust.BOTH):
        return {}
    by_tag = classifier.pcp_to_tc
    return {
        pcp: (by_tag.where(pcp), *(m.where("values") for m in _naming_tag(classifier, pcp)))
        for pcp, tc in by_tag.entries.items()
        if maps.tc_to_pfc_priority.get(tc) in qos.pfc.generate
    }


def _naming_tag(classifier: Classifier, pcp: int) -> list[Match]:
    taking = (m for m in classifier.matches if m.kind is MatchKind.PCP and pcp in m.values)
    return list(islice(taking, 1))


class Naming(enum.IntEnum):
    """How a code point came into a lossless class, the most telling last."""

    DEFAULT = 0  # the platform puts it there
    REST = 1  # a line about all that no other line takes
    NAMED = 2  # a line about this code point


@dataclass(slots=True, frozen=True)
class Kept:
    """A code point that a device treats as lossless: its PFC priority, and who says so."""

    priority: int
    where: tuple[Where, ...]  # the line that gives the class, and the one that names the code point
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
        for dscp in _candidates(port, qos, qos.pfc.generate):
            into = ingress(port.device, port.interface, dscp)
            if into.lossless and into.priority is not None:
                naming = _naming(port, dscp, into.tc_where[0])
                own = naming is Naming.DEFAULT or len(into.tc_where) == 1
                where = into.tc_where if own else into.tc_where[:-1]  # the last binds the port
                kept = Kept(into.priority, where, naming)
                found[port.device.hostname].setdefault(dscp, kept)
    return found


def _candidates(port: JudgedPort, qos: PortQos, paused: frozenset[int]) -> Iterable[int]:
    """All code points that the port may treat as lossless: no other has a class that it pauses."""
    if qos.trust in (Trust.NONE, Trust.PCP):
        return DSCPS
    classifier = port.device.qos.classifiers.get(qos.classifier or "")
    maps = forwarding_of(port.device, qos)
    if classifier is None or maps is None:
        return ()
    class_of, priority_of = classifier.dscp_to_tc.get, maps.tc_to_pfc_priority.get
    return [
        dscp for dscp in DSCPS if (tc := class_of(dscp)) is not None and priority_of(tc) in paused
    ]


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
