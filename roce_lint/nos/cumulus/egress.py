"""Congestion control, schedulers and shapers: how a port sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roce_lint.model.qos import (
    EgressPolicy,
    Marking,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.sourced import Home
from roce_lint.model.units import PRIORITIES, Threshold
from roce_lint.nos.cumulus import defaults
from roce_lint.nos.cumulus.context import Context
from roce_lint.nos.cumulus.roce import PLAIN, STRICT, Marks
from roce_lint.nos.cumulus.statements import GLOBAL, View
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.text.numbers import real

UNSAID_MARKING = (
    defaults.ECN_ON,
    defaults.MIN_THRESHOLD,
    defaults.MAX_THRESHOLD,
    defaults.PROBABILITY,
)

HIGHEST_QUEUE = 7
SENDING = ("congestion-control", "egress-scheduler", "egress-shaper")
"""Features of an egress policy."""

UNLIMITED = 2_147_483_647
"""Rate that means no shaper."""

KINDS = {"strict": SchedulerKind.STRICT, "dwrr": SchedulerKind.WEIGHTED}
SHAPER_MODES = {"kbps": 1000, "pps": None}


class EgressReader:
    """Builds one egress policy for each combination of profiles on a port."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def policy(self, marking: str, scheduler: str, shaper: str) -> str | None:
        """Key of the policy; None if nothing is known about the queues."""
        context = self.context
        parts = (marking, scheduler, shaper)
        key = GLOBAL if set(parts) == {GLOBAL} else "/".join(parts)
        egress = context.device.qos.egress
        if key in egress:
            return key
        views = [context.profile(*each) for each in zip(SENDING, parts, strict=True)]
        if context.base is None and not any(views):
            return None
        begin = next((view.begin for view in views if view), 0) or context.chosen.line
        markings = self.markings(marking, views[0])
        schedulers = self.schedulers(scheduler, views[1])
        made = context.reading.build(
            EgressPolicy,
            begin,
            name=key,
            complete=context.base is not None,
            shape_bps=self.shape(views[2], schedulers),
        )
        # The line that shows that an unlisted queue has no ECN marking.
        implied = marking == GLOBAL and context.base is not None
        nothing = defaults.NO_CONGESTION_CONTROL
        unmarked = context.cite("marking") if implied else context.default(nothing)
        for number in PRIORITIES:
            turn, marks = schedulers.get(number), markings.get(number)
            own = (part.at.get("", 0) for part in (marks, turn) if part is not None)
            places = own if marks is not None else (views[0].begin, *own)
            line = next((place for place in places if place > 0), begin)
            queue = context.reading.build(Queue, line, number=number, scheduler=turn, marking=marks)
            if marks is None:
                queue.at["marking"] = unmarked
            made.queues[(QueueKind.UNICAST, number)] = queue
        egress[key] = made
        return key

    def markings(self, name: str, view: View) -> dict[int, Marking]:
        """ECN marking by queue: `default-global` overlays the roce defaults, or is used alone."""
        context, base = self.context, self.context.base
        stated = view.views_by_number("traffic-class", HIGHEST_QUEUE)
        implied: Mapping[int, Marks] = {}
        if name == GLOBAL and base is not None and not (base is PLAIN and stated):
            implied = base.marks
        nothing = View(context.reading, ())
        return {
            number: self._marking(stated.get(number, nothing), implied.get(number))
            for number in sorted({*stated, *implied})
        }

    def _marking(self, entry: View, implied: Marks | None) -> Marking:
        context, reading = self.context, self.context.reading
        low = entry.integer("min-threshold", low=1)
        high = entry.integer("max-threshold", low=1)
        percent = entry.integer("probability", high=100)
        usual: list[Value[Any]]
        if implied:
            given = (True, implied.low, implied.high, implied.percent)
            usual = [Value(value, context.cite("marking")) for value in given]
        else:
            usual = [reading.default(default) for default in UNSAID_MARKING]
        on, kmin, kmax, pmax = usual
        drops = entry.switch("red").stated_or(reading.default(defaults.RED_OFF))
        made = reading.build(
            Marking,
            entry.begin or context.chosen.line,
            ecn=entry.switch("ecn").stated_or(on),
            wred_drop=drops,
            allow_non_ect=drops.map(lambda dropping: not dropping),
            kmin=low.map(real).stated_or(kmin).map(Threshold),
            kmax=high.map(real).stated_or(kmax).map(Threshold),
            pmax_percent=percent.map(real).stated_or(pmax),
        )
        for field, value in (("kmin", low), ("kmax", high)):
            if value.value is None and value.position > 0:  # an unreadable line
                made.at[Home(field)] = value.position
        return made

    def schedulers(self, name: str, view: View) -> dict[int, Scheduler]:
        """Schedulers by queue; empty if unknown."""
        context, base = self.context, self.context.base
        stated = view.views_by_number("traffic-class", HIGHEST_QUEUE)
        made = {}
        for number in PRIORITIES:
            if number in stated:
                made[number] = self._scheduler(stated[number])
            elif name == GLOBAL and base is not None and not (base is PLAIN and stated):
                measure = ShareKind.WEIGHT if base.share_is_weight else ShareKind.REMAINING
                share = Value(base.shares[number], context.cite("share"))
                made[number] = self._served(context.chosen.line, share, measure)
            elif stated:
                share = context.reading.default(defaults.NO_SHARE)
                begin = view.begin or context.chosen.line
                made[number] = self._served(begin, share, ShareKind.REMAINING)
        return made

    def _served(
        self, begin: int, share: Value[float], measure: ShareKind, kind: Value[Any] = ABSENT
    ) -> Scheduler:
        """A scheduler; its kind follows from the share if it is not given."""
        implied = SchedulerKind.STRICT if share.value == STRICT else SchedulerKind.WEIGHTED
        kind = kind.stated_or(Value(implied, share.position))
        weighed = kind.value is not SchedulerKind.STRICT
        return self.context.reading.build(
            Scheduler,
            begin,
            kind=kind,
            share=share if weighed else ABSENT,
            share_of=Value(measure, share.position) if weighed else ABSENT,
        )

    def _scheduler(self, entry: View) -> Scheduler:
        default = self.context.reading.default
        kind = entry.choice(KINDS, "mode").stated_or(default(defaults.DWRR))
        share = entry.integer("bw-percent", high=100).map(real)
        measure = ShareKind.REMAINING
        if not share.position:
            share = entry.integer("weight", high=1 << 16).map(real)
            measure = ShareKind.WEIGHT if share.position else measure
        return self._served(entry.begin, share.stated_or(default(defaults.NO_SHARE)), measure, kind)

    def shape(self, view: View, schedulers: dict[int, Scheduler]) -> Value[int]:
        """Apply the rates of a shaper profile to the queues; returns the rate of the whole port."""
        if not view:
            return ABSENT
        mode = view.choice(SHAPER_MODES, "mode")
        packets = mode.position > 0 and mode.value is None
        for number, entry in view.views_by_number("traffic-class", HIGHEST_QUEUE).items():
            entry.integer("min-rate")
            rate = entry.integer("max-rate").map(_bps)
            scheduler = schedulers.get(number)
            if scheduler is not None and rate.value is not None and not packets:
                scheduler.shape_bps = rate.value
                scheduler.at["shape_bps"] = rate.position
        whole = view.integer("port-max-rate").map(_bps)
        return ABSENT if packets else whole


def _bps(kbps: int) -> int | None:
    return kbps * 1000 if 0 < kbps < UNLIMITED else None
