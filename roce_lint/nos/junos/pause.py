"""Congestion notification profiles: PFC sent and honoured by ports, and the watchdog."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.qos import CodeMap, Forwarding, PfcConfig, PfcMode, PfcWatchdog
from roce_lint.model.sourced import Home
from roce_lint.nos.junos import BUILT_IN, defaults
from roce_lint.nos.junos.classes import (
    DSCP,
    HIGHEST_QUEUE,
    UNPAUSED,
    Classes,
    Classifiers,
    CodeClass,
    CodePoints,
    ForwardingClass,
    Pair,
)
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.quantities import enter
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.numbers import real

LONGEST_MS, MOST_INTERVALS = 10_000_000, 1000
"""Largest times of a watchdog that are read; the documented ranges are not known."""

PROFILE = "no-drop policy"

LONGEST_CABLE = 100_000.0
LARGEST_MRU = 65_535


@dataclass(slots=True)
class PausedCode:
    """A code point of a profile's input, for which PFC is sent."""

    begin: int  # of the code point, possibly on its own line
    mru: Value[int] = ABSENT


@dataclass(slots=True)
class Profile:
    """One congestion notification profile.

    `dscps` and `pcps` are the code points that PFC is sent for; `obeyed` are the queues that
    received PFC stops, by priority; None without an output.
    """

    name: str
    begin: int
    input: int = 0  # position of the input, 0 without one
    dscps: dict[int, PausedCode] = field(default_factory=dict)
    pcps: dict[int, PausedCode] = field(default_factory=dict)
    obeyed: dict[int, list[Value[int]]] | None = None
    output: int = 0  # position of the output, of its one code point where there is no other
    cable: Value[float] = ABSENT
    watchdog: PfcWatchdog | None = None


def read_profiles(context: Context, codes: CodePoints) -> dict[str, Profile]:
    """All profiles by name."""
    return {
        name: _profile(context, codes, name, branch)
        for name, branch in context.cos.get("congestion-notification-profile").pairs()
    }


def _profile(context: Context, codes: CodePoints, name: str, branch: Branch) -> Profile:
    context.reading.names.define(PROFILE, name, branch.begin)
    found = Profile(name, branch.begin)
    into = branch.get("input")
    into.take()
    if into:
        found.input = into.begin
        for kind in (*DSCP, "ieee-802.1"):
            table = found.dscps if kind in DSCP else found.pcps
            for text, point in into.get(kind, "code-point").pairs():
                code = codes.number(kind, text)
                pfc = point.find("pfc")
                pfc.take()
                mru = point.find("mru").value()
                if code is None:
                    context.bad(f"{text[:32]!r} is not a {kind} code point", point.begin)
                elif pfc:
                    size = context.bounded(mru, "mru", LARGEST_MRU)
                    table[code] = PausedCode(point.begin, size)
        if found.dscps and found.pcps:
            message = f"profile {name} pauses by DSCP and by 802.1p: one of the two is refused"
            context.bad(message, min(each.begin for each in found.pcps.values()))
        found.cable = into.convert("cable-length", _metres, "a length in metres").or_else(
            context.reading.default(defaults.CABLE)
        )
    out = branch.get("output")
    out.take()
    if out:
        points = [point.begin for _, point in out.get("ieee-802.1", "code-point").pairs()]
        found.output = points[0] if len(points) == 1 else out.begin
        found.obeyed, refused = _output(context, codes, out)
        if refused and not any(found.obeyed.values()):
            found.output = refused  # because of this line no PFC is honoured
    found.watchdog = _watchdog(context, branch.get("pfc-watchdog"), found)
    return found


def _output(
    context: Context, codes: CodePoints, out: Branch
) -> tuple[dict[int, list[Value[int]]], int]:
    """Queues of each priority, and the first line that names an invalid queue."""
    found: dict[int, list[Value[int]]] = {}
    wrong: list[int] = []
    for text, point in out.get("ieee-802.1", "code-point").pairs():
        code = codes.number("ieee-802.1", text)
        queues = point.words("flow-control-queue")
        if code is None:
            context.bad(f"{text[:32]!r} is not an 802.1p code point", point.begin)
            continue
        stopped = found.setdefault(code, [])
        for queue in queues:
            number = context.bounded(queue, "flow-control-queue", HIGHEST_QUEUE)
            (stopped.append(number) if number else wrong.append(queue.position))
    return found, next(iter(wrong), 0)


def _metres(text: str) -> float:
    metres = real(whole(text))
    if metres > LONGEST_CABLE:
        raise ValueError(text)
    return metres


def unwatched(context: Context, begin: int) -> PfcWatchdog:
    """The disabled watchdog of a profile, or of a port without one."""
    off = context.reading.default(defaults.NOT_WATCHED)
    return context.reading.build(PfcWatchdog, begin, enabled=off)


def _watchdog(context: Context, branch: Branch, profile: Profile) -> PfcWatchdog:
    """Watchdog of a profile; it guards the queues that the output names."""
    if not branch:
        return unwatched(context, profile.begin)
    branch.take()
    default = context.reading.default

    def time(name: str, highest: int) -> Value[float]:
        return context.bounded(branch.find(name).value(), name, highest).map(real)

    polling = time("poll-interval", LONGEST_MS).or_else(default(defaults.POLLING))
    intervals = time("detection", MOST_INTERVALS).or_else(default(defaults.DETECTION))
    detection = Value((intervals.value or 0) * (polling.value or 0), intervals.position)
    drop = default(defaults.ACTION)
    action = branch.find("watchdog-action").value().map(lambda _: drop.value)
    watched = obeyed_priorities(context, profile) if profile.obeyed else ABSENT
    return context.reading.build(
        PfcWatchdog,
        branch.begin,
        enabled=Value(value=True, position=branch.begin),
        polling_ms=polling,
        detection_ms=detection,
        restoration_ms=time("recovery", LONGEST_MS).or_else(default(defaults.RECOVERY)),
        action=action or drop,
        priorities=watched or default(defaults.WATCHES_NOTHING),
    )


@dataclass(slots=True)
class Forwardings:
    """Queues, priority groups and PFC priorities of classes, per profile."""

    context: Context
    classes: Classes
    made: dict[str, Forwarding] = field(default_factory=dict)

    def of(self, profile: Profile | None) -> Value[str]:
        """Key of the maps in force on a port with this profile."""
        one = self.context.reading.default(defaults.ONE_FORWARDING)
        if profile is not None:
            one = Value(f"{one.value} with {profile.name}", profile.begin)
        if one.value not in self.made:
            self.made[str(one.value)] = self._make(str(one.value), profile)
        return one

    def _make(self, key: str, profile: Profile | None) -> Forwarding:
        build, begin = self.context.reading.build, self.context.begin
        queues, groups, pauses, sizes = (build(CodeMap, begin, name=key) for _ in range(4))
        if profile is not None:
            sizes.at[""] = profile.input or profile.begin  # where a stated size would stand
        for each in self.classes.by_name.values():
            for tc in (each.tc, each.tc + UNPAUSED):
                enter(queues, tc, each.queue)
            if each.priority.value is None:
                if each.begin:
                    pauses.at[each.tc] = each.begin
                continue
            enter(pauses, each.tc, each.priority)
            if profile is not None:
                pauses.at[each.tc + UNPAUSED] = profile.input or profile.begin
                sizes.entries[each.tc], sizes.at[each.tc] = self._mru(profile, each)
            own_group = self.context.reading.default(defaults.OWN_GROUP).position
            enter(groups, each.tc, Value(each.priority.value, own_group))
        return build(
            Forwarding,
            profile.begin if profile is not None else begin,
            name=key,
            tc_to_queue=queues,
            tc_to_pg=groups,
            tc_to_pfc_priority=pauses,
            pfc_priority_to_queue=self._queues_stopped(key, profile),
            tc_mtu=sizes,
            tc_mtu_limits=False if sizes.entries else None,
        )

    def _queues_stopped(self, key: str, profile: Profile | None) -> CodeMap:
        """Queues by the PFC priority that stops them; a map holds one for each."""
        default = self.context.reading.default(defaults.OBEYED)
        begin = self.context.begin if profile is None else profile.begin
        made = self.context.reading.build(CodeMap, begin, name=key)
        if profile is None or profile.obeyed is None:
            made.entries = {priority: priority for priority in sorted(default.value or ())}
            made.at.update(dict.fromkeys(made.entries, default.position))
            return made
        made.at[""] = profile.output
        meant = {each.priority.value: each.queue.value for each in self.classes.lossless}
        for priority, queues in profile.obeyed.items():
            if queues:
                chosen = next((q for q in queues if q.value == meant.get(priority)), queues[0])
                made.entries[priority], made.at[priority] = chosen.value or 0, chosen.position
        return made

    def _mru(self, profile: Profile, each: ForwardingClass) -> tuple[int, int]:
        """Packet size that the headroom of a class assumes, with its line."""
        priority = each.priority.value
        for code, paused in (*profile.dscps.items(), *profile.pcps.items()):
            if paused.mru and (code in profile.dscps or code == priority):
                return paused.mru.value or 0, paused.mru.position
        usual = defaults.MRU_EVO if self.context.evolved else defaults.MRU
        four = priority == BUILT_IN["no-loss"].value
        default = self.context.reading.default(defaults.MRU_OF_4 if four else usual)
        return default.value or 0, default.position


def obeyed_priorities(context: Context, profile: Profile | None) -> Value[frozenset[int]]:
    """Priorities of received PFC that a port with this profile honours."""
    if profile is None or profile.obeyed is None:
        return context.reading.default(defaults.OBEYED)
    found = {priority for priority, queues in profile.obeyed.items() if queues}
    return Value(frozenset(found), profile.output)


def unpaused_codes(by_dscp: CodeClass, profile: Profile) -> list[int]:
    """Code points of lossless classes that the profile does not send PFC for."""
    return [
        code
        for code, (each, _) in by_dscp.classes.items()
        if each.priority.value is not None and code not in profile.dscps
    ]


def missing_pause_line(by_dscp: CodeClass, profile: Profile) -> int:
    """Line where PFC of an unlisted lossless code point is missing: that of the only entry outside
    the lossless classes, else the input.
    """
    strays = [
        paused.begin
        for code, paused in profile.dscps.items()
        if code not in by_dscp.classes or by_dscp.classes[code][0].priority.value is None
    ]
    return strays[0] if len(strays) == 1 else profile.input


# PFC of a port: the code points of its profile, as priorities of their classes.


@dataclass(slots=True)
class Pauses:
    """PFC of ports; those with the same profile and classifiers share it."""

    context: Context
    classes: Classes
    classifiers: Classifiers
    profiles: dict[str, Profile]
    bound: list[str]
    """Names of the profiles that ports are bound to."""
    _made: dict[Hashable, PfcConfig] = field(default_factory=dict)

    def of(
        self, port: Port, channel: Port | None, profile: Value[str], pair: Pair, begin: int
    ) -> PfcConfig:
        """PFC of a port with a profile and classifiers; `begin` is its line without a profile."""
        pauses = self.profiles.get(profile.value or "")
        link = port.option("flow-control")
        untagged = (channel or port).is_untagged
        key = (profile, *map(id, pair), link, begin if pauses is None else 0, untagged)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._make(begin, profile, pauses, pair, link)
            if untagged and pauses is not None and pauses.pcps and not pauses.dscps:
                # An 802.1p input applies to tagged packets only, and this port has none.
                lines = [paused.begin for paused in pauses.pcps.values()]
                made.generate, made.at["generate"] = frozenset(), min(lines)
        return made

    def _priorities_paused(self, profile: Profile) -> dict[int, int]:
        """Priorities that a profile sends PFC for, each with its line.

        If no classifier maps a listed code point to a lossless class, the classifiers are at fault:
        the lossless classes are assumed.
        """
        found = {code: paused.begin for code, paused in profile.pcps.items()}
        for (kind, _), stated in self.classifiers.stated.items():
            for code, paused in profile.dscps.items() if kind in DSCP else ():
                entry = stated.classes.get(code)
                if entry is not None and entry[0].priority.value is not None:
                    found.setdefault(entry[0].priority.value, paused.begin)
        if not found and profile.dscps:
            first = min(paused.begin for paused in profile.dscps.values())
            found = {each.priority.value or 0: first for each in self.classes.lossless}
        return found

    def _no_priorities(self, profile: Profile) -> Value[frozenset[int]]:
        """The empty set of a profile without PFC, at the line at fault.

        No class is lossless then, so the line is that of a listed code point's class. Unknown if
        that class is undefined.
        """
        classifiers = [each for (kind, _), each in self.classifiers.stated.items() if kind in DSCP]
        for code in profile.dscps:
            if any(code in each.undefined for each in classifiers):
                return ABSENT
        meant = [
            each.classes[code][0]
            for each in classifiers
            for code in profile.dscps
            if code in each.classes
        ]
        lines = [self.classes.doubtful.get(each.name, each.begin) for each in meant if each.begin]
        lines = lines or [paused.begin for paused in profile.dscps.values()]
        if lines or profile.input:
            return Value(frozenset(), min(lines or [profile.input]))
        return self.context.reading.default(defaults.NO_PAUSE)

    def _make(
        self, begin: int, profile: Value[str], pauses: Profile | None, pair: Pair, link: Value[bool]
    ) -> PfcConfig:
        default = self.context.reading.default
        generate, mode = default(defaults.NO_PAUSE), default(defaults.PFC_OFF)
        paused: dict[int, int] = {}
        named: dict[int, int] = {}
        if pauses is not None:
            mode = Value(PfcMode.ON, profile.position)
            paused = self._priorities_paused(pauses)
            generate = self._no_priorities(pauses)
            if paused:
                generate = Value(frozenset(paused), min(paused.values()))
        elif not any(
            each.dscps or each.pcps for each in self.profiles.values() if each.name in self.bound
        ):
            named = _lossless(pair)
        made = self.context.reading.build(
            PfcConfig,
            pauses.begin if pauses is not None else begin,
            mode=mode,
            generate=generate,
            honour=obeyed_priorities(self.context, pauses),
            named=frozenset(named or paused) or None,
            link_pause_rx=link,
            link_pause_tx=link,
            cable_m=pauses.cable if pauses is not None and pauses.input else ABSENT,
        )
        made.at.update((named or paused).items())
        if pauses is not None and not made.stated("generate"):
            made.at[Home("generate")] = pauses.begin
        return made


def _lossless(pair: Pair) -> dict[int, int]:
    """Priorities of the lossless classes that classifiers use, with the lines of the classes."""
    found: dict[int, int] = {}
    for stated in pair:
        for each, _ in stated.classes.values() if stated is not None else ():
            if each.priority.value is not None and each.begin:
                found[each.priority.value] = each.begin
    return found
