"""Classes of a fabric, its thresholds, buffers and watchdogs, as on most ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from roce_lint.analysis.drift import share_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import group_buffer
from roce_lint.design.drafting.draft import Draft, short, usual
from roce_lint.design.queues import TIMES
from roce_lint.model.nic import Flow
from roce_lint.model.qos import HeadroomModel, Marking, PfcWatchdog, SchedulerKind
from roce_lint.model.units import ThresholdUnit
from roce_lint.text.numbers import whole_part

WHOLE = 100
UNITS = {ThresholdUnit.BYTES: "bytes", ThresholdUnit.PERCENT: "percent"}

Kinds = list[tuple[JudgedPort, int]]


def ports_of(analysis: Analysis) -> Kinds:
    """A port of every kind, with the number of such ports: of switches, if there are any."""
    switches = [(port, count) for port, count in analysis.kinds if not port.device.is_host]
    return switches or list(analysis.kinds)


def put_classes(analysis: Analysis, draft: Draft) -> None:
    """Add the RoCE classes, as most ports treat them."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for traffic in analysis.classes:
        for dscp in traffic.dscps:
            groups.setdefault(_usual_treatment(analysis, traffic.flow, dscp), []).append(dscp)
    counts: Counter[str] = Counter()
    taken: dict[int, str] = {}
    for (flow, priority, lossless, marked, strict, share), dscps in groups.items():
        name = "cnp" if flow is Flow.CNP else "roce"
        counts[name] += 1
        name += f"-{counts[name]}" if counts[name] > 1 else ""
        made: dict[str, Any] = {"flow": flow.value, "dscp": sorted(set(dscps))}
        if priority is not None and priority in taken and not lossless:
            question = f"does {taken[priority]} share priority {priority}? It does on most"
            draft.note(("classes", name), f"QUESTION: {question} ports")
        elif priority is not None:
            made["pfc_priority"] = priority
            taken[priority] = name
        made["lossless"], made["marked"] = bool(lossless), bool(marked)
        for key, value in (("lossless", lossless), ("marked", marked)):
            if value is None:
                draft.note(("classes", name), f"QUESTION: is it {key}? Unknown here")
        if strict:
            made["strict"] = True
        else:
            made["share_percent"] = share
        draft.put(("classes", name), made)
    _fit_shares(draft)
    paused = any(each["lossless"] for each in draft.tree.get("classes", {}).values())
    if draft.tree.get("classes"):
        draft.put(("mode",), "lossless" if paused else "ecn-only")


def _usual_treatment(analysis: Analysis, flow: Flow, dscp: int) -> tuple[Any, ...]:
    """Treatment of a DSCP on most ports."""
    seen = [(port, analysis.treat(port, dscp), count) for port, count in ports_of(analysis)]
    lossless = usual((t.ingress.lossless, count) for _, t, count in seen)
    priority = usual((t.ingress.priority, count) for _, t, count in seen)
    if not lossless:
        nics = [(nic.cnp_priority, 1) for _, nic in analysis.roce_nics if flow is Flow.CNP]
        priority = usual(nics) if usual(nics) is not None else priority
    marked = usual((t.egress.marks, count) for _, t, count in seen)
    turns = [(t.egress.scheduler, p, t.egress.queue, count) for p, t, count in seen]
    kind = usual((s.kind, count) for s, _, _, count in turns if s is not None)
    shares = (
        (share_of(p.device, p.interface, queue), count)
        for s, p, queue, count in turns
        if s is not None and s.kind is not SchedulerKind.STRICT
    )
    return flow, priority, lossless, marked, kind is SchedulerKind.STRICT, usual(shares)


def _fit_shares(draft: Draft) -> None:
    """Adjust shares: each class needs one, and unlisted DSCPs need the rest."""
    weighted = {n: c for n, c in draft.tree.get("classes", {}).items() if "share_percent" in c}
    known = sum(c["share_percent"] or 0 for c in weighted.values())
    open_ones = [name for name, c in weighted.items() if c["share_percent"] is None]
    for name in open_ones:
        part = max((WHOLE - known) // (len(open_ones) + 1), 1)
        weighted[name]["share_percent"] = part
        draft.note(("classes", name), f"QUESTION: share unknown; {part:g} percent is free")
    total = sum(c["share_percent"] for c in weighted.values())
    rest = not any(0 in c["dscp"] for c in draft.tree.get("classes", {}).values())
    for name, made in weighted.items():
        share = made["share_percent"]
        most = WHOLE - (1 if rest else 0)
        if total > most or share % 1 or (not rest and total != WHOLE):
            fitting = max(whole_part(share * most / max(total, 1)), 1) if total > most else share
            made["share_percent"] = whole_part(fitting)
            question = f"QUESTION: {share:g} percent on most ports; reduced, so that"
            draft.note(("classes", name), f"{question} whole shares add up to {WHOLE}?")
        elif share == whole_part(share):
            made["share_percent"] = whole_part(share)


def put_thresholds(analysis: Analysis, draft: Draft) -> None:
    """Add ECN thresholds by speed, in each unit of the switches."""
    votes: dict[tuple[float, str], Counter[tuple[float, float, float]]] = {}
    for port, count in ports_of(analysis):
        for marking in _markings(analysis, port):
            unit = UNITS.get(marking.kmin.unit) if marking.kmin is not None else None
            if unit is None or port.gbps is None or marking.kmin is None or marking.kmax is None:
                continue
            if marking.pmax_percent and marking.kmin.value <= marking.kmax.value:
                values = marking.kmin.value, marking.kmax.value, marking.pmax_percent
                votes.setdefault((port.gbps, unit), Counter())[values] += count
    entries = []
    for (speed, unit), counts in sorted(votes.items(), key=lambda item: (item[0][1], item[0][0])):
        (low, high, most), _ = counts.most_common(1)[0]
        names = f"kmin_{unit}", f"kmax_{unit}"
        whole = {names[0]: short(low), names[1]: short(high), "pmax_percent": short(most)}
        entries.append({"speed_gbps": short(speed), **whole})
    if entries:
        draft.put(("marking",), entries)


def _markings(analysis: Analysis, port: JudgedPort) -> Iterator[Marking]:
    for traffic in analysis.data_classes:
        leaving = analysis.treat(port, traffic.dscps[0]).egress
        if leaving.marks and leaving.marking is not None:
            yield leaving.marking


def complete_thresholds(draft: Draft, needed: set[tuple[float, str]]) -> set[str]:
    """Add thresholds for speeds without any from the nearest speed, with a question. Returns the
    units without any thresholds.
    """
    entries: list[dict[str, Any]] = draft.tree.get("marking", [])
    lacking = set()
    for speed, unit in sorted(needed):
        own = [e for e in entries if f"kmin_{unit}" in e]
        if any(e["speed_gbps"] == speed for e in own):
            continue
        if not own:
            lacking.add(unit)
            continue
        near = min(own, key=lambda e: abs(e["speed_gbps"] - speed))
        question = f"which thresholds in {unit} for {speed:g} Gb/s?"
        draft.note(("marking",), f"QUESTION: {question} Copied from {near['speed_gbps']:g}")
        entries.append({**near, "speed_gbps": short(speed)})
    return lacking


def put_buffers(analysis: Analysis, draft: Draft) -> None:
    """Add the buffers of lossless groups where devices configure them explicitly."""
    votes: dict[tuple[float, float], Counter[tuple[Any, ...]]] = {}
    for port, count in ports_of(analysis):
        cable = analysis.cables.of_port(port.device, port.interface)
        qos = port.interface.qos
        if cable is None or qos is None or port.gbps is None:
            continue
        if port.device.system.headroom is not HeadroomModel.STATIC:
            continue
        for traffic in analysis.data_classes:
            group = analysis.treat(port, traffic.dscps[0]).ingress.pg
            profile = group_buffer(port.device, qos, group)[0] if group is not None else None
            if profile is not None and profile.xoff_bytes:
                sizes = profile.reserved_bytes, profile.xoff_bytes, profile.xon_bytes, profile.alpha
                votes.setdefault((port.gbps, cable.metres), Counter())[sizes] += count
    entries = []
    for (speed, metres), counts in sorted(votes.items()):
        names = "reserved_bytes", "xoff_bytes", "xon_bytes", "alpha"
        most = dict(zip(names, counts.most_common(1)[0][0], strict=True))
        made = {key: short(value) for key, value in most.items() if value is not None}
        entries.append({"speed_gbps": short(speed), "cable_m": short(metres), **made})
    if entries:
        draft.put(("buffers",), entries)


def put_watchdogs(analysis: Analysis, draft: Draft) -> None:
    """Add the watchdog of most ports, and of each deviating system."""
    votes: dict[str, Counter[tuple[Any, ...]]] = {}
    for port, count in ports_of(analysis):
        own = port.interface.qos.watchdog if port.interface.qos is not None else None
        if own is not None and own.enabled and not port.device.is_host:
            votes.setdefault(port.device.nos, Counter())[_times(own)] += count
    if not votes or draft.tree.get("mode") != "lossless":
        return
    by_system = {nos: dict(counts.most_common(1)[0][0]) for nos, counts in sorted(votes.items())}
    designed = {each["nos"] for each in draft.tree.get("fabric", {}).get("devices", {}).values()}
    stated = {nos: times for nos, times in by_system.items() if nos in designed}
    first = next(iter(stated.values()), {})
    if designed == stated.keys() and all(times == first for times in stated.values()):
        draft.put(("watchdog",), first)
    elif stated:
        draft.put(("watchdog",), {"systems": stated})
        for nos in sorted(designed - stated.keys()):
            draft.note(("watchdog",), f"QUESTION: on {nos} too? None was read there")


def _times(own: PfcWatchdog) -> tuple[tuple[str, Any], ...]:
    times: list[tuple[str, Any]] = [
        (name, short(value))
        for name in TIMES
        if (value := getattr(own, name)) is not None and own.stated(name)
    ]
    if own.action is not None:
        times.append(("action", own.action.value))
    return tuple(times)


def put_balancing(analysis: Analysis, draft: Draft) -> None:
    """Add the hash and the number of paths of most switches."""
    switches = [device for device in analysis.fabric.devices.values() if not device.is_host]
    hashed = usual((d.balancing.l4_ports, 1) for d in switches if d.balancing is not None)
    paths = usual((d.routing.max_paths, 1) for d in switches if d.routing is not None)
    if hashed is not None:
        draft.put(("balancing", "l4_ports"), hashed)
    if paths is not None:
        draft.put(("balancing", "max_paths"), paths)
