"""QoS lines common to ports and QoS profiles, as values with positions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from roce_lint.model.qos import QueueKind, Trust, WatchdogAction
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos import quantities
from roce_lint.nos.eos.context import Context, word
from roce_lint.nos.quantities import RATES, upto
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.nos.refusals import Bounds, Words
from roce_lint.text.match import Record
from roce_lint.text.numbers import decimal_of, parse_decimal, whole_of

T = TypeVar("T")

TRUSTS = {"dscp": Trust.DSCP, "cos": Trust.PCP, "no qos trust": Trust.NONE}
QUEUE_KINDS = {
    "tx-queue": QueueKind.UNICAST,
    "uc-tx-queue": QueueKind.UNICAST,
    "mc-tx-queue": QueueKind.MULTICAST,
}
_UNITS = ("bytes", "kbytes", "mbytes", "microseconds", "milliseconds")
UNITS = {"segments": (1, ThresholdUnit.CELLS)} | {unit: quantities.UNITS[unit] for unit in _UNITS}
ACTIONS = {
    "drop": WatchdogAction.DROP,
    "notify-only": WatchdogAction.ALERT,
    "errdisable": WatchdogAction.ERRDISABLE,
}

AUTO = 0.0
"""A polling interval chosen by EOS."""

HIGHEST = 7
"""Highest traffic class, priority and queue."""

_UNIT = "|".join(UNITS)
_CURVE = re.compile(
    r"(?:drop-precedence\s+(?P<precedence>\d)\s+minimum-threshold\s+|minimum-threshold\s+)?"
    rf"(?P<low>\d{{1,9}})\s+(?P<low_unit>{_UNIT})"
    rf"\s+maximum-threshold\s+(?P<high>\d{{1,9}})\s+(?P<high_unit>{_UNIT})"
    r"(?:\s+(?:max-mark|drop)-probability\s+(?P<chance>\d{1,3}))?(?:\s+weight\s+(?P<weight>\d{1,3}))?"
)
_RATE = re.compile(
    r"(?:percent\s+(?P<share>\d{1,3})|(?P<rate>\d{1,12})(?:\s+(?P<unit>percent|pps|[kmg]?bps))?)"
)
_TIME = re.compile(r"(timeout|polling-interval|recovery-time)\s+(\S+)|forced")


@dataclass(slots=True, frozen=True)
class Curve:
    """Thresholds of ECN or WRED; a line without thresholds turns it off."""

    low: Threshold | None = None
    high: Threshold | None = None
    chance: float | None = None  # percent at the upper threshold
    precedence: int = 0  # drop precedence that WRED acts on
    weight: int | None = None  # 2 to this power: packets that the depth is averaged over
    written: tuple[int, ...] = ()  # the thresholds without their units

    @property
    def on(self) -> bool:
        """False for the `no` form."""
        return self.low is not None


@dataclass(slots=True, frozen=True)
class Rate:
    """A rate as a share of the link or in bits per second; packets per second are not supported."""

    bps: int | None = None
    percent: float | None = None


@dataclass(slots=True)
class QueueLines:
    """The lines of one transmit queue."""

    begin: int
    strict: Value[bool]
    share: Value[int]
    guaranteed: Value[Rate]
    shape: Value[Rate]
    ecn: Value[Curve]
    wred: Value[Curve]
    delay: Value[str] = ABSENT  # from which on packets are marked, instead of a depth


@dataclass(slots=True)
class QosLines:
    """The QoS lines of one port or profile."""

    begin: int
    profile: bool  # a profile, so that ports share its objects
    trust: Value[Trust] = ABSENT
    cos: Value[int] = ABSENT
    policy: Value[str] = ABSENT
    shape: Value[Rate] = ABSENT
    delay: Value[str] = ABSENT  # as of a queue, for all queues
    pfc: Value[bool] = ABSENT
    no_drop: dict[int, Value[bool]] = field(default_factory=dict)
    watchdog: Value[bool] = ABSENT
    watchdog_action: Value[WatchdogAction] = ABSENT
    watchdog_times: dict[str, Value[float]] = field(default_factory=dict)
    queues: dict[tuple[QueueKind, int], QueueLines] = field(default_factory=dict)

    @property
    def has_pfc(self) -> bool:
        """True if a line configures priority flow control."""
        return bool(self.no_drop) or self.pfc.value is not None

    @property
    def has_watchdog(self) -> bool:
        """True if a line configures the watchdog."""
        return bool(self.watchdog_times or self.watchdog or self.watchdog_action)

    @property
    def has_queues(self) -> bool:
        """True if a line configures queues or the shaper."""
        return bool(self.queues or self.shape or self.delay)

    @property
    def is_empty(self) -> bool:
        """True if there is no line."""
        marks = self.trust or self.cos or self.policy
        return not (marks or self.has_pfc or self.has_watchdog or self.has_queues)


def read_lines(context: Context, reader: Reader, *, profile: bool) -> QosLines:
    """QoS lines in the stanza of a port or profile."""
    found = QosLines(reader.begin, profile)
    if not (reader.record.values or reader.record.children):
        return found
    trust = reader.text("trust", reset=("default_trust",))
    found.trust = trust.map(lambda text: TRUSTS[" ".join(text.split())])
    found.cos = accepted(context, reader.integer("cos", reset=("no_cos",)), "CoS")
    found.policy = reader.text("policy", reset=("no_policy",))
    found.shape = _rate(context, reader, "shape", "no_shape")
    found.delay = reader.text("delay")
    found.pfc = reader.switch(on="pfc_on", off="pfc_off")
    found.no_drop = _no_drop(context, reader)
    found.watchdog = reader.switch(on="watchdog_on", off="watchdog_off")
    action = reader.text("watchdog_action", reset=("no_watchdog_action",))
    found.watchdog_action = parse_action(context, action)
    timer = reader.text("watchdog_timer", reset=("no_watchdog_timer",))
    for match in _TIME.finditer(timer.value or ""):
        if match[1]:
            time = seconds(context, match[1], match[2], timer.position)
            found.watchdog_times[match[1]] = time
    found.queues = _queues(context, reader)
    return found


def parse_value(
    context: Context, value: Value[str], change: Callable[[str], T | None], what: str
) -> Value[T]:
    """A value parsed from captured words; a note if they are invalid."""
    made = value.map(change)
    if value.value is not None and made.value is None:
        limit = context.reading.limits.get(what.removeprefix("a ").removeprefix("an "))
        if isinstance(limit, Words):
            context.reading.refuse(limit, value.value, value.position)
            return Value(None, value.position)
        context.bad(f"{value.value!r} is not {what}", value.position)
        return ABSENT
    return made


def parse_action(context: Context, value: Value[str]) -> Value[WatchdogAction]:
    """Action of a watchdog."""
    return parse_value(context, value, ACTIONS.get, "a watchdog action")


def accepted(context: Context, value: Value[int], what: str) -> Value[int]:
    """A number that EOS accepts; other lines state none."""
    known = context.reading.accepts_number(what, value.value, value.position)
    return value if known else ABSENT


def numbers(text: str, highest: int = HIGHEST) -> frozenset[int] | None:
    """`3`, `0-2 5`, `1,3` as numbers; None if one is invalid, out of range, or a reversed range."""
    joined = re.sub(r"(?<!\s)\s*-\s*", "-", text.strip())
    ends = joined[:1] + joined[-1:]
    return quantities.numbers(joined, upto(highest)) if ends.isdecimal() else None


def parse_curve(text: str) -> Curve | None:
    """Thresholds of `random-detect ecn` or `random-detect drop`."""
    found = _CURVE.fullmatch(text)
    if found is None:
        return None
    return Curve(
        _threshold(found["low"], found["low_unit"]),
        _threshold(found["high"], found["high_unit"]),
        decimal_of(found["chance"]) if found["chance"] else None,
        whole_of(found["precedence"] or "0"),
        whole_of(found["weight"]) if found["weight"] else None,
        (whole_of(found["low"]), whole_of(found["high"])),
    )


def _threshold(number: str, unit: str) -> Threshold:
    factor, kind = UNITS[unit]
    return Threshold(whole_of(number) * factor, kind)


def parse_rate(text: str) -> Rate | None:
    """`40 percent`, `percent 10`, `200000 kbps`, `200000` (kb/s)."""
    found = _RATE.fullmatch(text)
    if found is None:
        return None
    if found["share"] or found["unit"] == "percent":
        return Rate(percent=decimal_of(found["share"] or found["rate"]))
    if found["unit"] == "pps":
        return Rate()
    return Rate(bps=whole_of(found["rate"]) * RATES[found["unit"] or "kbps"])


def seconds(context: Context, which: str, text: str, position: int) -> Value[float]:
    """A watchdog time; refused values and lines without a value are noted."""
    if text == "auto":
        return Value(AUTO, position)
    limit = context.reading.limits[f"watchdog {which}"]
    try:
        value = parse_decimal(text[:16])
    except ValueError:
        context.bad(f"{which} {text!r} is not a number of seconds", position)
        return Value(None, position)
    if isinstance(limit, Bounds) and value not in limit:
        context.reading.refuse(limit, text, position)
        return Value(None, position)
    return Value(value, position)


def _no_drop(context: Context, reader: Reader) -> dict[int, Value[bool]]:
    """Treatment by priority; the last line of each is in force."""
    found: dict[int, Value[bool]] = {}
    events = [*reader.children("pfc_priority"), *reader.children("no_pfc_priority")]
    events.sort(key=lambda event: event.begin)
    for event in events:
        text = word(event, "priorities")
        chosen = numbers(re.sub(r"(?<!\s)\s+(?:no-)?drop$", "", text))
        if chosen is None:
            event.take()
            context.reading.refuse(context.reading.limits["priority"], text, event.begin)
            continue
        state = word(event, "treatment") == "no-drop"
        found.update((priority, Value(state, event.begin)) for priority in chosen)
    alive = {value.position for value in found.values()}
    context.settle_lines([event.begin for event in events], alive)
    return found


def _queues(context: Context, reader: Reader) -> dict[tuple[QueueKind, int], QueueLines]:
    """Queues of a stanza; blocks of one queue add up in file order."""
    blocks: dict[tuple[QueueKind, int], list[Record]] = {}
    for child in reader.blocks("queue"):
        number = child.integer("number")
        kind = QUEUE_KINDS[child.text("kind").value or ""]
        if number.value is None or number.value > HIGHEST:
            context.reading.refuse(context.reading.limits["queue"], str(number.value), child.begin)
        else:
            blocks.setdefault((kind, number.value), []).append(child.record)
    return {
        key: _read_queue(context, Reader.over(records, context.reading))
        for key, records in blocks.items()
    }


def _read_queue(context: Context, reader: Reader) -> QueueLines:
    return QueueLines(
        begin=reader.begin,
        strict=reader.switch(on=("strict", "default_priority"), off="round_robin"),
        share=reader.integer("percent", reset=("no_percent",)),
        guaranteed=_rate(context, reader, "guaranteed", "no_guaranteed"),
        shape=_rate(context, reader, "shape", "no_shape"),
        ecn=_curve(context, reader, "ecn"),
        wred=_wred(context, reader),
        delay=reader.text("delay", reset=("no_ecn",)),
    )


def _rate(context: Context, reader: Reader, name: str, off: str) -> Value[Rate]:
    return parse_value(context, reader.text(name, reset=(off,)), parse_rate, "a rate")


def _curve(context: Context, reader: Reader, name: str) -> Value[Curve]:
    value = reader.text(name, reset=(f"no_{name}",))
    if value.value is None and value.position:
        return Value(Curve(), value.position)
    curve = parse_value(context, value, parse_curve, "a pair of thresholds")
    if curve.value is None:
        return curve
    given = (
        ("max-mark-probability", curve.value.chance),
        ("weight", curve.value.weight),
        *(("ECN threshold", number) for number in curve.value.written),
    )
    accepts = context.reading.accepts_number
    return curve if all(accepts(what, n, curve.position) for what, n in given) else ABSENT


def _wred(context: Context, reader: Reader) -> Value[Curve]:
    """WRED of drop precedence 0, as RoCE packets have; other lines are understood, not used."""
    if len(reader.record.values.get("drop", ())) < 2:
        value = _curve(context, reader, "drop")
        return value if value.value is None or value.value.precedence == 0 else ABSENT
    curves = [
        parse_value(context, v, parse_curve, "a pair of thresholds") for v in reader.all("drop")
    ]
    off = reader.text("no_drop")
    for curve in reversed(curves):
        if curve.position > off.position and curve.value and curve.value.precedence == 0:
            return curve
    return Value(Curve(), off.position) if off else ABSENT
