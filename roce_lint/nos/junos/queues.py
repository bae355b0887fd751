"""Egress of a port: schedulers, drop profiles and scheduler maps; and the shared buffer."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.buffer import BufferPool, Direction, PoolUse
from roce_lint.model.qos import (
    EgressPolicy,
    Marking,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.sourced import Concern, Part
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.junos import defaults
from roce_lint.nos.junos.classes import Classes
from roce_lint.nos.junos.context import Context, bits_of
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch, whole
from roce_lint.text.numbers import real

MAP = "queuing policy"
SCHEDULER = "scheduler"
DROPS = "marking profile"

FIRST_MULTICAST = 8
MOST_POINTS = 64

LOSSES = ("low", "medium-low", "medium-high", "high")
"""Loss priorities in ascending order."""

_KINDS = {
    "low": SchedulerKind.WEIGHTED,
    "medium-low": SchedulerKind.WEIGHTED,
    "strict-high": SchedulerKind.STRICT,
}
"""`medium-high` and `high` precede `low` only up to their rate: neither strict nor a share."""


@dataclass(slots=True)
class Curve:
    """A drop profile: start and end of ECN marking (or drops), and the last probability."""

    low: Value[Threshold] = ABSENT
    high: Value[Threshold] = ABSENT
    chance: Value[float] = ABSENT


Drops = tuple[int, Value[bool], dict[str, Value[str]]]
"""Marking settings of a scheduler: its line, ECN, and drop profiles by loss priority."""


class Egress:
    """Builds the egress policies of a device, one for each scheduler map and shaper of a port."""

    def __init__(self, context: Context, classes: Classes) -> None:
        self.context = context
        self.classes = classes
        self.policies: dict[str, EgressPolicy] = {}
        names = context.reading.names
        self.curves: dict[str, Curve] = {}
        for name, branch in context.cos.get("drop-profiles").pairs():
            names.define(DROPS, name, branch.begin)
            self.curves[name] = _curve(context, name, branch)
        self.schedulers: dict[str, tuple[Scheduler, Drops]] = {}
        self._markings: dict[tuple[str, str | None], Marking] = {}
        for name, branch in context.cos.get("schedulers").pairs():
            names.define(SCHEDULER, name, branch.begin)
            self.schedulers[name] = _scheduler(context, name, branch), self._drops(branch)
        self.maps: dict[str, list[Queue]] = {}
        self.unknown: dict[str, list[int]] = {}  # where maps name a scheduler or class not here
        self.begin: dict[str, int] = {}
        for name, branch in context.cos.get("scheduler-maps").pairs():
            names.define(MAP, name, branch.begin)
            self.begin[name] = branch.begin
            self.maps[name] = self._queues(name, branch)
        self.profiles: dict[str, list[Value[str]]] = {}
        """Scheduler maps of traffic control profiles."""
        for name, branch in context.cos.get("traffic-control-profiles").pairs():
            names.define("traffic control profile", name, branch.begin)
            used = context.reading.refer(MAP, branch.text("scheduler-map"))
            for rate in ("guaranteed-rate", "shaping-rate", "delay-buffer-rate", "excess-rate"):
                branch.get(rate).take_all()
            self.profiles[name] = [used] if used else []

    def bind(self, stated: list[Value[str]], shape: Value[str]) -> Value[str]:
        """Key of the policy of a port with these scheduler maps, and the line that binds it."""
        rate = _rate(self.context, shape)
        if not stated and not self.context.whole:
            return ABSENT  # another part may bind one
        if not stated and not any(rate):
            plain = self.context.reading.default(defaults.PLAIN_QUEUES)
            self._make(str(plain.value), [], rate)
            return plain
        known = [name for name in stated if name.value in self.maps]
        if len(known) < len(stated):
            return ABSENT  # undefined, which is reported, or in a file that is not here
        key = "+".join(dict.fromkeys(name.value or "" for name in known)) or "default"
        if any(rate):
            key += f" shaped to {shape.value}"
        self._make(key, [name.value or "" for name in known], rate)
        return Value(key, known[0].position if known else shape.position)

    def _make(self, key: str, maps: list[str], rate: tuple[Value[int], Value[float]]) -> None:
        if key in self.policies:
            return
        queues = {(each.kind, each.number): each for name in maps for each in self.maps[name]}
        lost = [position for name in maps for position in self.unknown.get(name, ())]
        made = self.policies[key] = self.context.reading.build(
            EgressPolicy,
            self.begin[maps[0]] if maps else self.context.begin,
            name=key,
            queues=queues,
            complete=not lost,
            shape_bps=rate[0],
            shape_percent=rate[1],
        )
        made.at |= {Part(Concern.LOST, number): position for number, position in enumerate(lost)}

    def _queues(self, name: str, branch: Branch) -> list[Queue]:
        made = []
        for class_name, below in branch.get("forwarding-class").pairs():
            found = self.classes.find(Value(class_name, below.begin))
            named = self.context.reading.refer(SCHEDULER, below.text("scheduler"))
            if named.value is None:
                continue
            pair = self.schedulers.get(named.value)
            if found is None or found.queue.value is None or pair is None:
                lost = below.begin if found is None else named.position
                self.unknown.setdefault(name, []).append(lost)  # the rule about names reports it
                continue
            number = found.queue.value
            scheduler, drops = pair
            marking = self._marking(named.value, drops, found.losses)
            made.append(
                self.context.reading.build(
                    Queue,
                    below.begin,
                    number=number,
                    kind=QueueKind.UNICAST if number < FIRST_MULTICAST else QueueKind.MULTICAST,
                    scheduler=Value(scheduler, named.position),
                    marking=Value(marking, named.position),
                )
            )
        return made

    def _drops(self, branch: Branch) -> Drops:
        """Marking settings of a scheduler; drop profiles for TCP only do not apply to RoCE."""
        found: dict[str, Value[str]] = {}
        for loss, below in branch.get("drop-profile-map", "loss-priority").pairs():
            self.context.reading.accepts_word("loss-priority", loss, below.begin)
            for protocol, inside in below.get("protocol").pairs():
                named = self.context.reading.refer(DROPS, inside.text("drop-profile"))
                if named and protocol != "tcp":
                    found.setdefault(loss, named)
        return branch.begin, branch.flag("explicit-congestion-notification"), found

    def _marking(self, name: str, drops: Drops, losses: set[str]) -> Marking:
        """ECN of a queue, by the drop profile for the loss priority of its packets.

        The loss priority is low unless a classifier states one; among several, the lowest with a
        profile applies.
        """
        default = self.context.reading.default
        given = [loss for loss in LOSSES if loss in losses]
        given = given or list(LOSSES[:1] if self.context.whole else LOSSES)
        begin, ecn, profiles = drops
        found = (profiles.get(loss) or profiles.get("any") for loss in given)
        profile = next((each for each in found if each), ABSENT)
        key = name, profile.value
        if key in self._markings:
            return self._markings[key]
        marks = ecn
        if profile:
            acting = Value(True, profile.position)
            dropping = Value(not ecn, (ecn or profile).position)
        else:
            acting = default(defaults.NOTHING_TO_MARK_BY)
            dropping = default(defaults.NO_WRED)
            if ecn:
                marks = Value(False, next(iter(profiles.values()), ecn).position)
        shape = self.curves.get(profile.value or "", Curve())
        made = self._markings[key] = self.context.reading.build(
            Marking,
            profile.position or ecn.position or begin,
            name=profile.value or name,
            ecn=marks.or_else(default(defaults.NO_ECN)),
            wred_drop=dropping,
            enabled=acting if ecn else ABSENT,
            kmin=shape.low,
            kmax=shape.high,
            pmax_percent=shape.chance,
        )
        return made


def _scheduler(context: Context, name: str, branch: Branch) -> Scheduler:
    priority = branch.text("priority")
    context.reading.accepts_word("priority", priority.value, priority.position)
    kind: Value[SchedulerKind] = Value(_KINDS.get(priority.value or ""), priority.position)
    if not priority:
        kind = context.reading.default(defaults.LOW)
    share, guaranteed = ABSENT, ABSENT
    share_of = ShareKind.LINK
    stated = branch.get("transmit-rate")
    exact = stated.find("exact") or stated.find("rate-limit")
    stated.get("exact").take()
    if "remainder" in stated and "percent" not in stated:
        stated.get("remainder").take_all()
    else:
        guaranteed, share = _amount(context, stated)
    excess = branch.get("excess-rate")
    if excess and not share:
        share, share_of = _percent(context, excess.text("percent")), ShareKind.REMAINING
    excess.take_all()
    shape = _amount(context, branch.get("shaping-rate"))
    if exact and share:
        shape = (ABSENT, share)
    weighted = kind.value is SchedulerKind.WEIGHTED
    return context.reading.build(
        Scheduler,
        branch.begin,
        name=name,
        kind=kind,
        strict_level=1 if kind.value is SchedulerKind.STRICT else None,
        share=share if weighted else ABSENT,
        share_of=share.map(lambda _: share_of) if weighted else ABSENT,
        guaranteed_bps=guaranteed,
        guaranteed_percent=ABSENT if weighted else share,
        shape_bps=shape[0],
        shape_percent=shape[1],
    )


def _amount(context: Context, stated: Branch) -> tuple[Value[int], Value[float]]:
    """Bits per second of `20m`; percent of the link of `percent 49`."""
    if "percent" in stated:
        return ABSENT, _percent(context, stated.text("percent"))
    value = stated.value()
    return _rate(context, value)[0], ABSENT


def _percent(context: Context, value: Value[str]) -> Value[float]:
    if value.value is None:
        return ABSENT
    try:
        number = whole(value.value)
    except ValueError:
        context.bad(f"{value.value[:32]!r} is not a percentage", value.position)
        return ABSENT
    if not context.reading.accepts_number("percent", number, value.position):
        return ABSENT
    return Value(real(number), value.position)


def _rate(context: Context, value: Value[str]) -> tuple[Value[int], Value[float]]:
    """Bits per second of `16g`; percent of the link for `80%`, as bindings store it."""
    if value.value is None:
        return ABSENT, ABSENT
    if value.value.endswith("%"):
        return ABSENT, _percent(context, Value(value.value[:-1], value.position))
    rate = value.map(lambda text: bits_of(text.lower()))
    if not rate:
        context.bad(f"{value.value[:32]!r} is not a rate", value.position)
    return rate, ABSENT


def _curve(context: Context, name: str, branch: Branch) -> Curve:
    """Start and end of a drop profile: `interpolate` connects its points, else each is a step."""
    drawn = branch.get("interpolate")
    drawn.take()
    points = []
    for level, chance in _pairs(context, name, branch)[:MOST_POINTS]:
        context.reading.take(level.position)
        points.append((_percent(context, level), _percent(context, chance)))
        if not all(points[-1]):
            return Curve()
    if not points:
        return Curve()
    idle = [x for x, y in points if not y.value]
    acting = [x for x, y in points if y.value]
    highest = max(points, key=lambda point: point[1].value or 0) if acting else points[-1]
    first = idle[-1] if drawn and idle and acting and idle[-1] is not points[-1][0] else None
    ends = [[each.value or 0 for each in points[n]] for n in (0, -1)]
    rises = ends[0][0] < ends[1][0] and ends[0][1] < ends[1][1]
    if drawn and rises and not idle:  # the line is drawn from the origin
        first = Value(0.0, points[0][1].position)
    low, high = (
        each.map(lambda percent: Threshold(percent, ThresholdUnit.PERCENT))
        for each in (first or (acting[0] if acting else points[0][0]), highest[0])
    )
    return Curve(low, high, highest[1])


def _pairs(context: Context, name: str, branch: Branch) -> list[tuple[Value[str], Value[str]]]:
    """Fill levels of a drop profile, each with its probability; empty if they do not match."""
    drawn = branch.get("interpolate")
    if not drawn:
        return [
            (Value(level, below.begin), below.text("drop-probability"))
            for level, below in branch.get("fill-level").pairs()
        ]
    levels, chances = drawn.words("fill-level"), drawn.words("drop-probability")
    if len(levels) == len(chances):
        return list(zip(levels, chances, strict=True))
    message = f"drop profile {name}: {len(levels)} fill levels and {len(chances)} probabilities"
    context.bad(message, levels[0].position if levels else branch.begin)
    return []


# Shared buffer: partitions of the packet memory.

SIDES = {"ingress": Direction.INGRESS, "egress": Direction.EGRESS}
PARTITIONS = {
    "lossless": PoolUse.LOSSLESS,
    "lossless-headroom": PoolUse.HEADROOM,
    "lossy": PoolUse.LOSSY,
    "multicast": PoolUse.MULTICAST,
}


def read_pools(context: Context) -> dict[str, BufferPool]:
    """The partitions of the shared buffer, as shares of it."""
    found: dict[str, BufferPool] = {}
    shared = context.cos.get("shared-buffer")
    for side, direction in SIDES.items():
        branch = shared.get(side)
        branch.get("percent").take_all()
        for name, below in branch.get("buffer-partition").pairs():
            below.take()
            threshold = below.convert("dynamic-threshold", whole, "a whole number")
            context.reading.accepts_number("dynamic-threshold", threshold.value, threshold.position)
            if name not in PARTITIONS:
                context.bad(f"buffer-partition {name[:32]!r} is not known", below.begin)
                continue
            share = below.convert("percent", whole, "a percentage")
            known = context.reading.accepts_number("percent", share.value, share.position)
            found[f"{side} {name}"] = context.reading.build(
                BufferPool,
                below.begin,
                name=f"{side} {name}",
                direction=direction,
                use=PARTITIONS[name],
                share_percent=share.map(real) if known else ABSENT,
            )
    for name, branch in context.cos.get("dedicated-buffer-profile").pairs():
        context.reading.names.define("buffer profile", name, branch.begin, matters=False)
    return found
