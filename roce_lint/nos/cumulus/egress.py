"""Congestion control, schedulers and shapers: how a port sends."""

from __future__ import annotations

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
from roce_lint.nos.cumulus.defaults import (
    DWRR,
    ECN_ON,
    GLOBAL,
    MAX_THRESHOLD,
    MIN_THRESHOLD,
    NO_CONGESTION_CONTROL,
    NO_SHARE,
    PROBABILITY,
    RED_OFF,
    Context,
)
from roce_lint.nos.cumulus.roce import PLAIN, STRICT, Marks
from roce_lint.nos.cumulus.statements import View
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.text.numbers import real

HIGHEST_QUEUE = 7
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
        views = [
            context.profile(feature, name)
            for feature, name in zip(
                ("congestion-control", "egress-scheduler", "egress-shaper"), parts, strict=True
            )
        ]
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
        unmarked = self._line_without_mark(marking)
        for number in PRIORITIES:
            turn, marks = schedulers.get(number), markings.get(number)
            own = (part.at.get("", 0) for part in (marks, turn) if part is not None)
            places = own if marks is not None else (views[0].begin, *own)
            line = next((place for place in places if place > 0), begin)
            queue = context.reading.build(Queue, line, number=number)
            queue.scheduler, queue.marking = turn, marks
            if queue.marking is None:
                queue.at["marking"] = unmarked
            made.queues[(QueueKind.UNICAST, number)] = queue
        egress[key] = made
        return key

    def _line_without_mark(self, name: str) -> int:
        """Line that shows that an unlisted queue has no ECN marking."""
        if name == GLOBAL and self.context.base is not None:
            return self.context.cite("marking")
        return self.context.default(NO_CONGESTION_CONTROL)

    def markings(self, name: str, view: View) -> dict[int, Marking]:
        """ECN marking by queue: `default-global` overlays the roce defaults, or is used alone."""
        context, base = self.context, self.context.base
        stated = view.views_by_number("traffic-class", HIGHEST_QUEUE)
        implied: dict[int, Marks] = {}
        if name == GLOBAL and base is not None and not (base is PLAIN and stated):
            implied = dict(base.marks)
        made = {}
        for number in sorted({*stated, *implied}):
            entry = stated.get(number, View(context.reading, ()))
            made[number] = self._marking(entry, implied.get(number))
        return made

    def _marking(self, entry: View, implied: Marks | None) -> Marking:
        context, reading = self.context, self.context.reading
        place = context.cite("marking")

        def unsaid(value: float | None, otherwise: Value[float]) -> Value[float]:
            return otherwise if value is None else Value(value, place)

        low = entry.integer("min-threshold", low=1)
        high = entry.integer("max-threshold", low=1)
        percent = entry.integer("probability", high=100)
        ecn, red = entry.switch("ecn"), entry.switch("red")
        kmin = unsaid(implied.low if implied else None, reading.default(MIN_THRESHOLD))
        kmax = unsaid(implied.high if implied else None, reading.default(MAX_THRESHOLD))
        pmax = unsaid(implied.percent if implied else None, reading.default(PROBABILITY))
        on = Value(True, place) if implied else reading.default(ECN_ON)
        drops = red if red.position else reading.default(RED_OFF)
        made = reading.build(
            Marking,
            entry.begin or context.chosen.line,
            ecn=ecn if ecn.position else on,
            wred_drop=drops,
            allow_non_ect=drops.map(lambda dropping: not dropping),
            kmin=(low.map(real) if low.position else kmin).map(Threshold),
            kmax=(high.map(real) if high.position else kmax).map(Threshold),
            pmax_percent=percent.map(real) if percent.position else pmax,
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
                kind = ShareKind.WEIGHT if base.share_is_weight else ShareKind.REMAINING
                made[number] = self._implied_scheduler(
                    base.shares[number], kind, context.cite("share")
                )
            elif stated:
                place = context.default(NO_SHARE)
                made[number] = self._implied_scheduler(0.0, ShareKind.REMAINING, place, view.begin)
        return made

    def _implied_scheduler(
        self, share: float, kind: ShareKind, place: int, begin: int = 0
    ) -> Scheduler:
        reading = self.context.reading
        begin = begin or self.context.chosen.line
        if share == STRICT:
            return reading.build(Scheduler, begin, kind=Value(SchedulerKind.STRICT, place))
        return reading.build(
            Scheduler,
            begin,
            kind=Value(SchedulerKind.WEIGHTED, place),
            share=Value(share, place),
            share_of=Value(kind, place),
        )

    def _scheduler(self, entry: View) -> Scheduler:
        reading = self.context.reading
        kind = entry.choice(KINDS, "mode")
        share = entry.integer("bw-percent", high=100).map(real)
        measure = ShareKind.REMAINING
        if not share.position:
            weight = entry.integer("weight", high=1 << 16).map(real)
            if weight.position:
                share, measure = weight, ShareKind.WEIGHT
        if not kind.position:
            kind = reading.default(DWRR)
        if kind.value is SchedulerKind.STRICT:
            return reading.build(Scheduler, entry.begin, kind=kind)
        if not share.position:
            share = reading.default(NO_SHARE)
        return reading.build(
            Scheduler,
            entry.begin,
            kind=kind,
            share=share,
            share_of=Value(measure, share.position),
        )

    def shape(self, view: View, schedulers: dict[int, Scheduler]) -> Value[int]:
        """Apply the rates of a shaper profile to the queues; returns the rate of the whole port."""
        if not view:
            return ABSENT
        mode = view.choice(SHAPER_MODES, "mode")
        packets = mode.position > 0 and mode.value is None
        for number, entry in view.views_by_number("traffic-class", HIGHEST_QUEUE).items():
            entry.integer("min-rate")
            rate = _rate(entry.integer("max-rate"))
            scheduler = schedulers.get(number)
            if scheduler is not None and rate.value is not None and not packets:
                scheduler.shape_bps = rate.value
                scheduler.at["shape_bps"] = rate.position
        whole = _rate(view.integer("port-max-rate"))
        return ABSENT if packets else whole


def _rate(kbps: Value[int]) -> Value[int]:
    """Bits per second; the highest rate means none."""
    return kbps.map(lambda rate: rate * 1000 if 0 < rate < UNLIMITED else None)
