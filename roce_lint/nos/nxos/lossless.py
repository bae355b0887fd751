"""policy-map type network-qos (no-drop qos-groups, PFC priority, MTU), and ECN marking lines."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.qos import CodeMap, Forwarding, Marking, MarkingMode, MatchKind
from roce_lint.model.sourced import Part
from roce_lint.nos.nxos import classify, defaults
from roce_lint.nos.nxos.classify import GROUPS, ClassMaps
from roce_lint.nos.nxos.platform import Platform
from roce_lint.nos.quantities import enter, number, numbers, options, same, threshold, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.refusals import Bounds
from roce_lint.nos.stanzas import value_in_force
from roce_lint.text.numbers import real

# `random-detect`, `afd` and `congestion-control`: ECN marking and early drop of a queue.

RANDOM_DETECT = {
    "minimum-threshold": 2,
    "maximum-threshold": 2,
    "drop-probability": 1,
    "weight": 1,
    "threshold": 1,  # burst-optimized, mesh-optimized: the switch chooses the depths
    "cap-average": 0,
    "ecn": 0,
}
"""Keywords of a `random-detect` line and the number of their arguments."""

AFD = {"queue-desired": 2, "ecn": 0}
"""Keywords of an `afd` line (approximate fair drop)."""


def early_detection(
    reader: Reader, line: Value[str], ecn_line: Value[str] = ABSENT
) -> Marking | None:
    """ECN marking of a `random-detect` line, or of one under congestion-control; None if it sets
    none. `ecn_line` is an `ecn` on a separate line.
    """
    words = (line.value or "").split()
    if words[:1] != ["random-detect"]:
        return None  # tail-drop
    given = options(reader.reading, Value(" ".join(words[1:]), line.position), RANDOM_DETECT)
    kmin, kmax = (
        threshold(reader.reading, given.get(name), line.position)
        for name in ("minimum-threshold", "maximum-threshold")
    )
    static = "minimum-threshold" in given or "maximum-threshold" in given
    weight = given.get("weight")
    ecn = "ecn" in given
    decides = ecn_line.position if ecn_line and not ecn else line.position
    return reader.build(
        Marking,
        ecn=Value(ecn or bool(ecn_line), decides),
        wred_drop=Value(not (ecn or ecn_line), decides),
        mode=Value(MarkingMode.STATIC if static else MarkingMode.PLATFORM, line.position),
        kmin=kmin,
        kmax=kmax,
        pmax_percent=_percent(reader, given.get("drop-probability"), line.position),
        averaged_over=Value(number(weight[0]), line.position) if weight else ABSENT,
    )


def fair_drop(reader: Reader, line: Value[str]) -> Marking:
    """ECN marking of an `afd` line: it marks or drops by flow, at depths the switch derives."""
    given = options(reader.reading, line, AFD)
    ecn = "ecn" in given
    return reader.build(
        Marking,
        ecn=Value(ecn, line.position),
        wred_drop=Value(not ecn, line.position),
        mode=Value(MarkingMode.PLATFORM, line.position),
    )


def _percent(reader: Reader, words: tuple[str, ...] | None, position: int) -> Value[float]:
    if not words:
        return ABSENT
    percent = number(words[0])
    if percent is None:
        reader.bad(f"drop-probability {words[0][:40]!r} is not a number from 0 to 100", position)
    elif reader.reading.accepts_number("drop-probability", percent, position):
        return Value(real(percent), position)
    return Value(None, position)


# network-qos policies.

POLICY = "no-drop policy"

SYSTEM_POLICIES = ("default-nq-policy", "default-8q-nq-policy")

_SIZES = ("buffer-size", "pause-threshold", "resume-threshold", "resume-offset", "headroom")
PAUSE = {"no-drop": 0, "receive": 0, "pfc-cos": 1, **dict.fromkeys(_SIZES, 1)}
"""Keywords of a `pause` line and the number of their arguments."""


@dataclass(slots=True)
class Lossless:
    """Groups as set by the attached network-qos policy."""

    forwarding: Forwarding | None
    priorities: Value[frozenset[int]]  # all that pause frames are sent for
    buffers: IngressBuffer | None = None
    lines: dict[Hashable, int] = field(default_factory=dict)  # of the classes, by priority
    marking: dict[int, Marking] = field(default_factory=dict)  # congestion-control, by group


@dataclass(slots=True)
class _Policy:
    begin: int
    pauses: dict[int, Value[frozenset[int]]] = field(default_factory=dict)
    mtus: dict[int, Value[int]] = field(default_factory=dict)
    names: dict[int | None, int] = field(default_factory=dict)  # line of a no-drop group
    refusals: dict[Hashable, int] = field(default_factory=dict)  # group: line of `no pause`
    lines: dict[Hashable, int] = field(default_factory=dict)  # of the class, by priority
    buffers: dict[int, BufferProfile] = field(default_factory=dict)
    marking: dict[int, Marking] = field(default_factory=dict)


def policies(reading: Reading, maps: ClassMaps) -> dict[str, _Policy]:
    """All network-qos policies by name; every line of each is read, attached or not."""
    found: dict[str, _Policy] = {}
    stated = classify.policies(reading, "network_qos_policy", POLICY, SYSTEM_POLICIES)
    for name, reader, classes in stated:
        policy = found[name] = _Policy(reader.begin)
        for label, below in classes.items():
            group = maps.group(reading, "network-qos", label, name, below.begin)
            if "pause" in below:
                policy.names[group.value] = group.position or below.begin
            _read_class(policy, below, group.value, maps.cos.get(label, frozenset()), maps)
    return found


def _read_class(
    policy: _Policy, reader: Reader, group: int | None, cos: frozenset[int], maps: ClassMaps
) -> None:
    mtu = whole(reader, value_in_force(reader, "mtu", "no_mtu"), 65535, "class MTU", 64)
    pause = value_in_force(reader, "pause", "no_pause")
    control = value_in_force(reader, "congestion_control", "no_congestion_control")
    marking = early_detection(reader, control) if control else None
    if group is None:
        return  # the class is undefined, which is noted separately
    if mtu:
        policy.mtus[group] = mtu
    if marking is not None:
        policy.marking[group] = marking
    if pause:
        given = pause_words(reader, pause)
        cos = cos or _cos_of(maps, group) or frozenset({group})
        policy.pauses[group] = _priorities(reader, given, pause.position, cos)
        policy.lines |= dict.fromkeys(policy.pauses[group].value or (), reader.begin)
        profile = pause_buffer(reader, given, pause.position)
        if profile is not None:
            policy.buffers[group] = profile
    elif reader.record.values.get("no_pause"):
        policy.refusals[group] = reader.record.values["no_pause"][-1][1]


def pause_words(reader: Reader, pause: Value[str]) -> dict[str, tuple[str, ...]]:
    """Keywords of a `pause` line; a list written `3, 4` is one word."""
    return options(
        reader.reading, pause.map(lambda text: re.sub(r"(?<!\s)\s*,\s*", ",", text)), PAUSE
    )


def _priorities(
    reader: Reader, given: dict[str, tuple[str, ...]], position: int, guess: frozenset[int]
) -> Value[frozenset[int]]:
    if "pfc-cos" not in given:
        return Value(guess, reader.reading.default(defaults.PAUSE_PRIORITY).position)
    found = numbers(given["pfc-cos"][0], upto(7))
    if found is None:
        reader.reading.refuse(reader.reading.limits["pfc-cos"], given["pfc-cos"][0], position)
    return Value(found, position)


def _cos_of(maps: ClassMaps, group: int) -> frozenset[int]:
    """CoS that type qos matches for a class with the group's number."""
    found: set[int] = set()
    for name in maps.members.get(group, ()):
        for term in maps.terms.get(name, ()):
            if term.kind is MatchKind.PCP and term.values.value:
                found |= term.values.value
    return frozenset(found)


def pause_buffer(
    reader: Reader, given: dict[str, tuple[str, ...]], position: int
) -> BufferProfile | None:
    """Ingress buffer of a `pause` line; None if the platform chooses it."""

    def size(word: str) -> int | None:
        return number(given[word][0]) if word in given else None

    bounds = reader.reading.limits["buffer-size"]
    given_size = size("buffer-size")
    if given_size is not None and isinstance(bounds, Bounds) and given_size not in bounds:
        reader.reading.refuse(bounds, given["buffer-size"][0], position)
        return None
    total, pause, room = size("buffer-size"), size("pause-threshold"), size("headroom")
    if total is None:
        return None
    if room is None and pause is not None and total >= pause:
        room = total - pause
    in_order = (("resume-threshold", "pause-threshold"), ("pause-threshold", "buffer-size"))
    for low, high in in_order:
        below, above = size(low), size(high)
        if below is not None and above is not None and below > above:
            reader.bad(f"{low} {below} is above {high} {above}", position)
    return reader.build(
        BufferProfile,
        lossless=Value(True, position),
        reserved_bytes=Value(total, position),
        static_limit_bytes=Value(pause, position),
        xoff_bytes=Value(room, position),
        xon_bytes=Value(size("resume-threshold"), position),
    )


def lossless(
    reading: Reading,
    attached: Value[str],
    found: dict[str, _Policy],
    platform: Platform,
    *,
    known: bool,
) -> Lossless:
    """Groups of the attached policy, else of the default; `known`: the files show which it is."""
    if attached.value is None:
        if not known:
            return Lossless(None, ABSENT)
        return _no_pause(reading, SYSTEM_POLICIES[0], 0, platform)
    policy = found.get(attached.value)
    if policy is not None:
        return _of_policy(reading, attached.value, policy, platform)
    if attached.value in SYSTEM_POLICIES:
        return _no_pause(reading, attached.value, attached.position, platform)
    return Lossless(None, Value(None, attached.position))


def _no_pause(reading: Reading, name: str, begin: int, platform: Platform) -> Lossless:
    nothing = reading.default(defaults.NO_PAUSE).position
    forwarding = _forwarding(reading, name, begin, platform)
    forwarding.tc_to_pfc_priority.at["otherwise"] = nothing
    return Lossless(forwarding, Value(frozenset(), nothing))


def _of_policy(reading: Reading, name: str, policy: _Policy, platform: Platform) -> Lossless:
    begin = policy.begin
    forwarding = _forwarding(reading, name, begin, platform)
    sent, stops = forwarding.tc_to_pfc_priority, forwarding.pfc_priority_to_queue
    every: set[int] = set()
    unknown = False
    sent.at |= policy.refusals
    sent.at |= {Part("number", group): line for group, line in policy.names.items()}
    for group, pause in sorted(policy.pauses.items()):
        if not pause.value:
            unknown = True  # a pause line whose priority could not be read
            continue
        every |= pause.value
        enter(sent, group, Value(min(pause.value), pause.position))
        for priority in pause.value:
            stops.entries.setdefault(priority, group)
            stops.at.setdefault(priority, pause.position)
    for group, mtu in sorted(policy.mtus.items()):
        enter(forwarding.tc_mtu, group, mtu)
    lines = {pause.position for pause in policy.pauses.values()}
    position = lines.pop() if len(lines) == 1 else begin
    if not policy.pauses:
        position = policy.names.get(None, begin)
    buffers = None
    if policy.buffers:
        buffers = reading.build(IngressBuffer, begin, name=name, groups=policy.buffers)
        buffers.complete = False
        buffers.at |= {group: p.at["reserved_bytes"] for group, p in policy.buffers.items()}
    return Lossless(
        forwarding,
        Value(None if unknown else frozenset(every), position),
        buffers,
        policy.lines,
        policy.marking,
    )


def _forwarding(reading: Reading, name: str, begin: int, platform: Platform) -> Forwarding:
    """Groups of every NX-OS switch: queue and priority group have the same number."""
    return reading.build(
        Forwarding,
        begin,
        name=name,
        tc_to_queue=same(reading, begin, defaults.GROUP_IS_QUEUE, GROUPS),
        tc_to_pg=same(reading, begin, defaults.GROUP_IS_PG, GROUPS),
        tc_to_pfc_priority=reading.build(CodeMap, begin),
        pfc_priority_to_queue=reading.build(CodeMap, begin),
        tc_mtu=reading.build(CodeMap, begin, otherwise=reading.default(defaults.CLASS_MTU_1500)),
        tc_mtu_limits=platform.class_mtu_limits,
    )
