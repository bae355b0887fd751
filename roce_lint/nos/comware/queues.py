"""Egress queues of Comware switches: WRED and ECN, scheduling, shaping."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint.model.qos import Marking, Scheduler, SchedulerKind, ShareKind
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.comware import defaults
from roce_lint.nos.quantities import PER_HOP, number, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.text.numbers import decimal_of, whole_of

KBPS = 1000

_LIMITS = re.compile(
    r"(?:drop-level (?P<level>[012]) )?low-limit (?P<low>\d{1,9}) high-limit (?P<high>\d{1,9})"
    r"(?: discard-probability (?P<chance>\d{1,3}))?",
    re.ASCII,
)
_TURN = re.compile(r"group (?:(?P<strict>sp)|\d+ (?:byte-count|weight) (?P<weight>\d{1,6}))")


@dataclass(slots=True)
class Wred:
    """Queue lines of a WRED table or a port."""

    limits: dict[int, tuple[re.Match[str], int]] = field(default_factory=dict)  # of green packets
    ecn: dict[int, int] = field(default_factory=dict)
    slowness: dict[int, Value[int]] = field(default_factory=dict)  # weighting constants
    is_table: bool = False  # a table has limits for every queue, stated or not

    @classmethod
    def read(cls, reader: Reader, *, is_table: bool) -> Wred:
        """The lines of all queues; yellow and red limits do not apply to RoCE."""
        wred = cls(is_table=is_table)
        for queue, text in zip(reader.all("wred_queue"), reader.all("wred"), strict=True):
            which, found = queue_of(reader, queue), _LIMITS.fullmatch(text.value or "")
            if found is None:
                reader.bad(f"{text.value!r} are no limits of a queue", text.position)
            elif which.value is not None and found["level"] in (None, "0"):
                wred.limits[which.value] = found, text.position
            elif whole_of(found["low"]) > whole_of(found["high"]):
                message = f"low-limit {found['low']} is above high-limit {found['high']}"
                reader.bad(message, text.position)
        for queue in reader.all("ecn_queue"):
            which = queue_of(reader, queue)
            if which.value is not None:
                wred.ecn[which.value] = which.position
        for queue, text in zip(reader.all("slow_queue"), reader.all("slowness"), strict=True):
            which = queue_of(reader, queue)
            if which.value is not None:
                wred.slowness[which.value] = whole(reader, text, 15, "weighting-constant")
        return wred

    def marking(self, reading: Reading, queue: int, name: str | None, begin: int) -> Marking:
        """ECN marking of one queue; absent values get the line `begin`, which applies the table."""
        limits, line = self.limits.get(queue, (None, 0))
        at = self.ecn.get(queue, 0)
        silent: Value[bool] = reading.default(defaults.NO_MARKING)
        # ECN needs WRED: limits of the queue on the port, or a table, which has them by itself.
        on = Value(bool(limits) or self.is_table, at) if at else silent
        drops: Value[bool] = ABSENT
        if not on.value and (limits or self.is_table):
            drops = Value(True, line or begin)
        slowness = self.slowness.get(queue, ABSENT)
        begin = at or line or begin
        made = reading.build(
            Marking, begin, name=name, ecn=on, wred_drop=drops, averaged_over=slowness
        )
        if limits is not None:
            low, high = (
                Threshold(whole_of(limits[end]), ThresholdUnit.CELLS) for end in ("low", "high")
            )
            chance = decimal_of(limits["chance"]) if limits["chance"] else None
            sound = reading.accepts_number("discard-probability", chance, line)
            pmax = Value(chance if sound else None, line)
            put(made, kmin=Value(low, line), kmax=Value(high, line), pmax_percent=pmax)
        return made


def schedulers(reader: Reader) -> dict[int, Scheduler]:
    """Schedulers of the queues that lines name, and their shapers."""
    found: dict[int, Scheduler] = {}
    fair = zip(reader.all("turn_queue"), reader.all("turn"), strict=True)
    round_robin = zip(reader.all("wrr_queue"), reader.all("wrr_turn"), strict=True)
    for queue, text in sorted([*fair, *round_robin], key=lambda turn: turn[1].position):
        which, turn = queue_of(reader, queue), _TURN.fullmatch(text.value or "")
        if turn is None:
            reader.bad(f"{text.value!r} is no turn of a queue", text.position)
        elif which.value is not None:
            at = text.position
            found[which.value] = reader.reading.build(
                Scheduler,
                at,
                kind=Value(SchedulerKind.STRICT if turn["strict"] else SchedulerKind.WEIGHTED, at),
                share=Value(decimal_of(turn["weight"]) if turn["weight"] else None, at),
                share_of=Value(ShareKind.WEIGHT if turn["weight"] else None, at),
            )
    for queue, text in zip(reader.all("shaped_queue"), reader.all("cir"), strict=True):
        which = queue_of(reader, queue)
        rate = whole(reader, text.map(lambda words: words.split()[0]), 10**10, "cir", 1)
        if which.value is not None and rate.value is not None:
            made = found.setdefault(which.value, reader.reading.build(Scheduler, text.position))
            put(made, shape_bps=rate.map(lambda kbps: kbps * KBPS))
    every = reader.text("fair")
    if every.value is not None:
        default: Value[SchedulerKind] = reader.reading.default(defaults.FAIR_TURN)
        for each in PER_HOP.values():
            made = found.setdefault(each, reader.reading.build(Scheduler, every.position))
            if made.kind is None:
                put(made, kind=default)
    return found


def queue_of(reader: Reader, value: Value[str]) -> Value[int]:
    """A queue number from a name or number."""
    named = value.map(lambda text: PER_HOP.get(text.lower()))
    if named.value is not None:
        return named
    found = value.map(number)
    if found.value is None or found.value not in PER_HOP.values():
        reader.bad(f"{value.value!r} is not a queue", value.position)
        return Value(None, value.position)
    return found
