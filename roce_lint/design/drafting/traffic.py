"""Classes of a fabric, its thresholds, buffers and watchdogs, as on most ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from roce_lint.analysis.drift import share_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import group_buffer, treatment
from roce_lint.design.drafting.draft import Draft, short, usual
from roce_lint.design.layout import ADAPTER
from roce_lint.design.queues import TIMES
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Flow
from roce_lint.model.qos import HeadroomModel, PfcWatchdog, SchedulerKind, ShareKind
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.registry import all_nos
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


def put_services(analysis: Analysis, draft: Draft) -> None:
    """Add the service of each class on systems that deviate as a whole."""
    classes: dict[str, Any] = draft.tree.get("classes", {})
    votes: dict[tuple[str, str], Counter[tuple[Any, ...]]] = {}
    for port, count in analysis.kinds:
        for name, made in classes.items():
            own = service_of(port.device, port.interface, made["dscp"][0])
            if own:
                votes.setdefault((port.device.nos, name), Counter())[tuple(own.items())] += count
    for nos in sorted(_systems(draft) | ({"linux"} if draft.get(("hosts",)) else set())):
        found = {n: dict(votes[nos, n].most_common(1)[0][0]) for n in classes if (nos, n) in votes}
        rest = not any(0 in made["dscp"] for made in classes.values())
        if not takes(nos, [found.get(name) or made for name, made in classes.items()], rest=rest):
            continue
        for name, own in found.items():
            if any(classes[name].get(key) != value for key, value in own.items()):
                draft.put(("classes", name, "systems", nos), own)


def _systems(draft: Draft) -> set[str]:
    return {each["nos"] for each in (draft.get(("fabric", "devices")) or {}).values()}


def service_of(device: Device, port: Interface, dscp: int) -> dict[str, Any]:
    """Service of a DSCP on a port; empty if it is unknown."""
    leaving = treatment(device, port, dscp).egress
    if leaving.scheduler is None or leaving.scheduler.kind is None:
        return {}
    if leaving.scheduler.kind is SchedulerKind.STRICT:
        return {"strict": True}
    share = share_of(device, port, leaving.queue)
    return {"share_percent": short(share)} if share else {}


def takes(nos: str, services: Iterable[dict[str, Any]], *, rest: bool) -> bool:
    """Whether a system takes the services of all classes; `rest`: others get what they leave."""
    offer = ADAPTER if nos == "linux" else all_nos()[nos].offer
    shares = [each.get("share_percent") or 0 for each in services]
    if offer is None or (offer.share_of is ShareKind.WEIGHT and any(share % 1 for share in shares)):
        return False
    return sum(shares) < WHOLE if rest else sum(shares) == WHOLE


def put_thresholds(analysis: Analysis, draft: Draft) -> None:
    """Add ECN thresholds by speed, in each unit of the switches; and of systems that deviate."""
    votes: dict[tuple[str, float], dict[str, Counter[tuple[Any, ...]]]] = {}
    for port, count in ports_of(analysis):
        for each in analysis.data_classes:
            own = thresholds_of(port.device, port.interface, each.dscps[0])
            if own and port.gbps is not None:
                by_system = votes.setdefault((min(own), port.gbps), {})
                by_system.setdefault(port.device.nos, Counter())[tuple(own.items())] += count
    entries = []
    for (_, speed), by_system in sorted(votes.items()):
        most = sum(by_system.values(), Counter[tuple[Any, ...]]()).most_common(1)[0][0]
        entries.append({"speed_gbps": short(speed), **dict(most)})
        for nos, counts in sorted(by_system.items()):
            own = dict(counts.most_common(1)[0][0])
            if own != dict(most) and nos in _systems(draft):
                entries.append({"system": nos, "speed_gbps": short(speed), **own})
    if entries:
        draft.put(("marking",), entries)


def thresholds_of(device: Device, port: Interface, dscp: int) -> dict[str, Any]:
    """ECN thresholds of a DSCP on a port as an intent states them; empty if there are none."""
    leaving = treatment(device, port, dscp).egress
    made = leaving.marking if leaving.marks else None
    if made is None or made.kmin is None or made.kmax is None or not made.pmax_percent:
        return {}
    unit = UNITS.get(made.kmin.unit)
    if unit is None or made.kmin.value > made.kmax.value:
        return {}
    depths = {f"kmin_{unit}": made.kmin.value, f"kmax_{unit}": made.kmax.value}
    values = depths | {"pmax_percent": made.pmax_percent}
    return {key: short(value) for key, value in values.items()}


def complete_thresholds(draft: Draft, needed: set[tuple[float, str]]) -> set[str]:
    """Add thresholds for speeds without any from the nearest speed, with a question. Returns the
    units without any thresholds.
    """
    entries: list[dict[str, Any]] = draft.tree.get("marking", [])
    lacking = set()
    for speed, unit in sorted(needed):
        own = [e for e in entries if f"kmin_{unit}" in e and "system" not in e]
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
            votes.setdefault(port.device.nos, Counter())[times_of(own)] += count
    if not votes or draft.tree.get("mode") != "lossless":
        return
    by_system = {nos: dict(counts.most_common(1)[0][0]) for nos, counts in sorted(votes.items())}
    designed = _systems(draft)
    stated = {nos: times for nos, times in by_system.items() if nos in designed}
    first = next(iter(stated.values()), {})
    if designed == stated.keys() and all(times == first for times in stated.values()):
        draft.put(("watchdog",), first)
    elif stated:
        draft.put(("watchdog",), {"systems": stated})
        for nos in sorted(designed - stated.keys()):
            draft.note(("watchdog",), f"QUESTION: on {nos} too? None was read there")


def times_of(own: PfcWatchdog) -> tuple[tuple[str, Any], ...]:
    """Settings of a watchdog as an intent states them."""
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
