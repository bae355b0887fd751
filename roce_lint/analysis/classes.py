"""Which code points carry RoCE here, and who says so. No DSCP and no priority is assumed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from roce_lint.analysis.election import Candidate, Election
from roce_lint.analysis.protection import Mention, by_network, marking_switches, pausing_devices
from roce_lint.analysis.result import Analysis, Basis, JudgedPort, RoceClass
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Classifier, Match, MatchKind, Trust
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Where

EVIDENCE = 3
"""Lines shown per class; the number of hosts that agree is shown beside."""

THREE = 3
"""Devices of which one can be outvoted."""

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
        classes += _stated_classes(analysis, flow, known)
    if not any(c.flow is Flow.DATA for c in classes):
        cnp = frozenset(dscp for c in classes if c.flow is Flow.CNP for dscp in c.dscps)
        classes += _infer(analysis, cnp)
    analysis.classes = classes
    if not analysis.data_classes:
        analysis.tagged = _tag_priorities(analysis)


def class_name(flow: Flow, dscps: Iterable[int]) -> str:
    """How a class is called in messages."""
    word = "CNP" if flow is Flow.CNP else "RoCE"
    return f"{word} DSCP {ranges(list(dscps))}"


def cnp_class(analysis: Analysis, dscp: int) -> RoceClass:
    """The class of notifications of a code point; one is made where no host states that it sends
    them so, and they are the default of a NIC.
    """
    known = (traffic for traffic in analysis.cnp_classes if dscp in traffic.dscps)
    made = RoceClass(class_name(Flow.CNP, (dscp,)), Flow.CNP, (dscp,), Basis.INFERRED, ())
    return next(known, made)


def name_together(classes: Iterable[RoceClass], names: Sequence[str]) -> str:
    """How several classes are called in one message: by all their code points."""
    meant = [traffic for traffic in classes if traffic.name in names]
    flows = {traffic.flow for traffic in meant}
    if len(flows) != 1:
        return " and ".join(names)
    return class_name(flows.pop(), sorted({dscp for traffic in meant for dscp in traffic.dscps}))


def classes_by_name(name: str, classes: Iterable[RoceClass]) -> list[RoceClass]:
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
    return range(whole_of(first), min(whole_of(last or first), max(DSCPS)) + 1)


def _stated_classes(
    analysis: Analysis, flow: Flow, known: set[tuple[Flow, int]]
) -> Iterator[RoceClass]:
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


def _infer(analysis: Analysis, cnp: frozenset[int]) -> Iterator[RoceClass]:
    """Classes taken from what NICs pause and switches protect, when nobody states what he sends:
    those that are usual in each network by itself (`election.py`).

    Where one device alone speaks for a network (a leaf that is a rail of its own), or two that
    contradict each other, the other networks are heard as well.
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
    for _, told in sorted(found.items()):
        networks = [network for network, _ in told]
        best = max((each for _, each in told), key=lambda each: (each.naming, bool(each.sides)))
        yield _class_of(best, networks, [juries[n] for n in networks], kinds)


def _election(analysis: Analysis, ports: list[JudgedPort], cnp: frozenset[int]) -> Election:
    """Who speaks for a network. It is one that marks instead of pausing where nothing is paused,
    or one device alone pauses something and others mark.
    """
    voices = pausing_devices(analysis, ports)
    if len(voices) <= 1:
        marking = marking_switches(analysis, ports)
        others = {voice.device.hostname for voice in marking}
        others -= {voice.device.hostname for voice in voices}
        if len(others) > len(voices):
            return Election(marking, paused=False, left_out=cnp)
    return Election(voices, paused=True, left_out=cnp)


def _hear_others(
    results: dict[int, list[Candidate]], juries: dict[int, Election], cnp: frozenset[int]
) -> None:
    """Replace what a network says with one voice alone, or with two that contradict each other,
    by what is usual in all networks together, where it protects the same priority.
    """
    unsure = [n for n, each in results.items() if not _is_sure(each, juries[n])]
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


def _is_sure(elected: list[Candidate], jury: Election) -> bool:
    return bool(elected) and all(_is_backed(each, jury) for each in elected)


def _is_backed(elected: Candidate, jury: Election) -> bool:
    """Whether two devices at least, and more than half, have the class."""
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
    # First those whose lines are as telling as the class is, switches before hosts.
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


def _tag_priorities(analysis: Analysis) -> dict[int, tuple[Where, ...]]:
    """Paused priorities that the 802.1p tag of a packet leads to, and the lines that say so."""
    found: dict[int, tuple[Where, ...]] = {}
    for port, _ in analysis.kinds:
        for pcp, where in tagged_priorities(port).items():
            found.setdefault(pcp, where)
    return dict(sorted(found.items()))


def tagged_priorities(port: JudgedPort) -> dict[int, tuple[Where, ...]]:
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
        pcp: (by_tag.where(pcp), *(m.where("values") for m in _tag_matches(classifier, pcp)))
        for pcp, tc in by_tag.entries.items()
        if maps.tc_to_pfc_priority.get(tc) in qos.pfc.generate
    }


def _tag_matches(classifier: Classifier, pcp: int) -> list[Match]:
    taking = (m for m in classifier.matches if m.kind is MatchKind.PCP and pcp in m.values)
    return list(islice(taking, 1))
