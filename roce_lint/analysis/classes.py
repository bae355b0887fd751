"""DSCPs that carry RoCE in a fabric, with the evidence. No DSCP and no priority is assumed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from roce_lint.analysis.election import Candidate, Election
from roce_lint.analysis.port_parts import classifier_at, maps_of
from roce_lint.analysis.protection import (
    Mention,
    Voice,
    by_network,
    marking_switches,
    pausing_devices,
)
from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Classifier, MatchKind, Trust
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Where

EVIDENCE = 3
"""Lines shown per class, beside the number of agreeing hosts."""

THREE = 3
"""Smallest number of devices in which one can be outvoted."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def find_classes(analysis: Analysis, plan: RocePlan) -> None:
    """Fill `analysis.classes`: from the plan, else as stated by hosts, else inferred."""
    classes: list[RoceClass] = []
    for planned in plan.classes:
        if planned.flow in (Flow.DATA, Flow.CNP):
            name, where = class_name(planned.flow, planned.dscps), (planned.where("dscps"),)
            classes.append(RoceClass(name, planned.flow, planned.dscps, Basis.PLAN, where))
    known = {(c.flow, dscp) for c in classes for dscp in c.dscps}
    for flow in (Flow.DATA, Flow.CNP):
        if not any(c.flow is flow for c in classes):
            classes += _stated_classes(analysis, flow, known)
    if not any(c.flow is Flow.DATA for c in classes):
        cnp = frozenset(dscp for c in classes if c.flow is Flow.CNP for dscp in c.dscps)
        classes += _infer(analysis, cnp)
    analysis.classes = classes
    if not analysis.data_classes:
        found: dict[int, tuple[Where, ...]] = {}
        for port, _ in analysis.kinds:
            found = tagged_priorities(port) | found
        analysis.tagged = dict(sorted(found.items()))


def class_name(flow: Flow, dscps: Iterable[int]) -> str:
    """Name of a class in messages."""
    word = "CNP" if flow is Flow.CNP else "RoCE"
    return f"{word} DSCP {ranges(list(dscps))}"


def cnp_class(analysis: Analysis, dscp: int) -> RoceClass:
    """The CNP class of a DSCP; a new one where the DSCP is only the default of a NIC."""
    known = (traffic for traffic in analysis.cnp_classes if dscp in traffic.dscps)
    made = RoceClass(class_name(Flow.CNP, (dscp,)), Flow.CNP, (dscp,), Basis.INFERRED, ())
    return next(known, made)


def name_together(classes: Iterable[RoceClass], names: Sequence[str]) -> str:
    """Joint name of several classes in one message, by all their DSCPs."""
    members = [traffic for traffic in classes if traffic.name in names]
    flows = {traffic.flow for traffic in members}
    if len(flows) != 1:
        return " and ".join(names)
    return class_name(flows.pop(), sorted({dscp for traffic in members for dscp in traffic.dscps}))


def classes_by_name(name: str, classes: Iterable[RoceClass]) -> list[RoceClass]:
    """Classes with a name, which may be the joint name of several."""
    known = list(classes)
    found = [traffic for traffic in known if traffic.name == name]
    if found:
        return found
    dscps = {dscp for first, last in _RANGE.findall(name) for dscp in _span(first, last)}
    for flow in (Flow.DATA, Flow.CNP):
        members = [c for c in known if c.flow is flow and dscps.issuperset(c.dscps)]
        if members and name_together(members, [c.name for c in members]) == name:
            return members
    return [traffic for traffic in known if traffic.name in name.split(" and ")]


def _span(first: str, last: str) -> range:
    return range(whole_of(first), min(whole_of(last or first), max(DSCPS)) + 1)


def _stated_classes(
    analysis: Analysis, flow: Flow, known: set[tuple[Flow, int]]
) -> Iterator[RoceClass]:
    """One class per DSCP that a RoCE host is configured to send."""
    hosts = {device.hostname for device, _ in analysis.roce_nics}
    places: dict[int, dict[str, Where]] = defaultdict(dict)  # by host
    for device in analysis.fabric.devices.values():
        for emission in device.emits if device.hostname in hosts else ():
            stated = emission.flow is flow and emission.certainty is Certainty.STATED
            if stated and (flow, emission.dscp) not in known:
                place = emission.where("dscp", emission.by)
                places[emission.dscp].setdefault(device.hostname, place)
    for dscp, own in sorted(places.items()):
        name, lines = class_name(flow, (dscp,)), tuple(own.values())
        yield RoceClass(name, flow, (dscp,), Basis.STATED, lines[:EVIDENCE], len(own))


def _infer(analysis: Analysis, cnp: frozenset[int]) -> Iterator[RoceClass]:
    """Classes inferred from PFC of NICs and protection by switches, where no host states its
    marking: the usual ones of each network (`election.py`).

    For a network with a single voting device (a leaf that is a separate rail), or with two that
    contradict each other, the other networks are consulted too.
    """
    kinds = by_network(port for port, _ in analysis.kinds)
    juries = {network: _election(analysis, ports, cnp) for network, ports in kinds.items()}
    results = {network: jury.result() for network, jury in juries.items() if jury.voices}
    if len(results) > 1:
        _hear_others(results, juries, cnp)
    found: dict[tuple[int, ...], list[tuple[int, Candidate]]] = defaultdict(list)
    for network, elected in results.items():
        for each in elected:
            found[each.dscps].append((network, each))
    for _, winners in sorted(found.items()):
        networks = [network for network, _ in winners]
        best = max((each for _, each in winners), key=lambda each: (each.naming, bool(each.sides)))
        yield _class_of(best, networks, [juries[n] for n in networks], kinds)


def _election(analysis: Analysis, ports: list[JudgedPort], cnp: frozenset[int]) -> Election:
    """The election of one network: by ECN marking where nothing has PFC, or where one device alone
    has it and others mark; else by PFC.
    """
    voices = pausing_devices(analysis, ports)
    if len(voices) == 1:
        _leave_out_rare(analysis, voices[0], ports)
    if len(voices) <= 1:
        marking = marking_switches(analysis, ports)
        others = {voice.device.hostname for voice in marking}
        others -= {voice.device.hostname for voice in voices}
        if len(others) > len(voices):
            return Election(marking, paused=False, left_out=cnp)
    return Election(voices, paused=True, left_out=cnp)


def _leave_out_rare(analysis: Analysis, voice: Voice, ports: list[JudgedPort]) -> None:
    """Leave out the DSCPs that fewer than half of the pausing ports of the only device protect."""
    votes, total = Counter[int](), 0
    for port in ports:
        lossless = [dscp for dscp in voice.kept if analysis.ingress(port, dscp).lossless]
        if lossless and port.device is voice.device:
            count = len(analysis.equals[port.key])
            total += count
            votes.update(dict.fromkeys(lossless, count))
    rare = {dscp for dscp in voice.kept if 2 * votes[dscp] < total}
    if rare != voice.kept.keys():
        voice.kept = {dscp: kept for dscp, kept in voice.kept.items() if dscp not in rare}


def _hear_others(
    results: dict[int, list[Candidate]], juries: dict[int, Election], cnp: frozenset[int]
) -> None:
    """Replace the result of a network with one voting device, or with two that contradict each
    other, by the result of all networks together, where it protects the same priority.
    """
    unsure = [
        network
        for network, elected in results.items()
        if not elected or not all(_is_backed(each, juries[network]) for each in elected)
    ]
    for pausing in (True, False):
        mine = [n for n in unsure if juries[n].paused is pausing]
        voices = [v for jury in juries.values() if jury.paused is pausing for v in jury.voices]
        if not mine or len(voices) < THREE:
            continue
        every = Election(voices, paused=pausing, left_out=cnp)
        usual = every.result()
        if any(not _is_backed(each, every) for each in usual):
            continue
        for network in mine:
            groups = {kept.group for v in juries[network].voices for kept in v.kept.values()}
            if not pausing or groups & {each.group for each in usual}:
                results[network] = usual


def _is_backed(elected: Candidate, jury: Election) -> bool:
    """Whether at least two devices, and more than half, have the class."""
    backing = max(len(jury.supporters(dscp)) for dscp in elected.dscps)
    return not elected.sides and backing > 1 and 2 * backing > len(jury.voices)


def _class_of(
    elected: Candidate,
    networks: list[int],
    juries: list[Election],
    kinds: dict[int, list[JudgedPort]],
) -> RoceClass:
    switches = {
        port.device.hostname for n in networks for port in kinds[n] if not port.device.is_host
    }
    agreeing = [
        (voice, [kept for dscp in elected.dscps if (kept := voice.kept.get(dscp)) is not None])
        for jury in juries
        for voice in jury.voices
    ]
    agreeing = [(voice, kept) for voice, kept in agreeing if kept]
    # The most explicit lines first, switches before hosts.
    agreeing.sort(
        key=lambda each: (
            max(kept.naming for kept in each[1]) < elected.naming,
            each[0].device.is_host,
            each[0].device.hostname,
        )
    )
    places: list[Where] = []
    for dscp in elected.dscps:
        for voice, _ in agreeing:
            kept = voice.kept.get(dscp)
            if kept is not None and kept.naming >= elected.naming:
                places += [where for where in kept.where if where not in places]
                break
    backing = {voice.device.hostname for voice, _ in agreeing if not voice.device.is_host}
    return RoceClass(
        class_name(Flow.DATA, elected.dscps),
        Flow.DATA,
        elected.dscps,
        Basis.INFERRED,
        tuple(places[:EVIDENCE]),
        marked=not any(jury.paused for jury in juries),
        backed=(len(backing & switches), len(switches)),
        networks=frozenset(networks),
        named=elected.naming >= Mention.NAMED,
        by_default=elected.naming is Mention.DEFAULT,
        sides=elected.sides,
        tie=elected.tie,
    )


def tagged_priorities(port: JudgedPort) -> dict[int, tuple[Where, ...]]:
    """802.1p priorities that a port maps to a no-drop class."""
    qos = port.interface.qos
    if qos is None or qos.pfc is None or not qos.pfc.generate:
        return {}
    classifier, maps = classifier_at(port), maps_of(port)
    if classifier is None or maps is None or qos.trust not in (Trust.PCP, Trust.BOTH):
        return {}
    by_tag = classifier.pcp_to_tc
    return {
        pcp: (by_tag.where(pcp), *islice(_tag_lines(classifier, pcp), 1))
        for pcp, tc in by_tag.entries.items()
        if maps.tc_to_pfc_priority.get(tc) in qos.pfc.generate
    }


def _tag_lines(classifier: Classifier, pcp: int) -> Iterator[Where]:
    matches = (m for m in classifier.matches if m.kind is MatchKind.PCP and pcp in m.values)
    return (match.where("values") for match in matches)
