"""Egress policies: scheduling, marking and buffer of the transmit queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from roce_lint.model.buffer import BufferProfile
from roce_lint.model.qos import (
    EgressPolicy,
    Marking,
    MarkingMode,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.nos.copies import Move
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import Context
from roce_lint.nos.eos.lines import HIGHEST, Curve, QosLines, QueueLines, Rate
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.text.numbers import real

T = TypeVar("T")

Buffers = dict[tuple[QueueKind, int], BufferProfile]

_SILENT = QueueLines(0, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT)


class Egress:
    """Makes the egress policies of a device, each once.

    `global_ecn` is the position of a line that marks by the fill of the whole buffer, whatever a
    queue's own lines say; 0 where there is none.
    """

    def __init__(self, context: Context, buffers: Buffers, global_ecn: int) -> None:
        self.context = context
        self.buffers = buffers
        self.global_ecn = global_ecn
        self.policies: dict[str, EgressPolicy] = {}
        self.repeated: dict[str, str] = {}  # policies that say what another says
        self._keys: dict[tuple[int, ...], str] = {}

    def bind(self, name: str, layers: Sequence[QosLines], profile: Value[str]) -> Value[str]:
        """The key of the policy that `layers` make, and the line that binds it.

        `name` is the port's; a policy is called so unless it is a profile's own, or the default.
        """
        speaking = [lines for lines in layers if lines.speaks_of_queues]
        if not speaking:
            key = self._make(defaults.ALL_STRICT.value, (), self.context.begin)
            return Value(key, self.context.default(defaults.ALL_STRICT).position)
        own = not (len(speaking) == 1 and speaking[0].profile)
        made = self._keys.get(tuple(id(lines) for lines in speaking))
        if made is None:
            made = self._make(name if own else profile.value or name, speaking, speaking[0].begin)
        return Value(made, speaking[0].begin if own else profile.position)

    def repeat(self, wanted: str, like: str, move: Move) -> str:
        """The key of a policy whose lines say, elsewhere, what those of the policy `like` say."""
        name = self._free(wanted)
        self.policies[name] = move.policy(self.policies[like], name)
        self.repeated[name] = like
        return name

    def _free(self, wanted: str) -> str:
        while wanted in self.policies:
            wanted += " *"  # a profile called like a port, say
        return wanted

    def _make(self, wanted: object, layers: Sequence[QosLines], begin: int) -> str:
        name = str(wanted)
        if not layers and name in self.policies:
            return name
        name = self._free(name)
        self._keys[tuple(id(lines) for lines in layers)] = name
        shape = self._settle("shape rate", [lines.shape for lines in layers], ABSENT)
        keys = dict.fromkeys((QueueKind.UNICAST, number) for number in range(HIGHEST + 1))
        keys.update(dict.fromkeys(sorted(_multicast(layers), key=lambda key: key[1])))
        by_delay = [replace(_SILENT, delay=lines.delay) for lines in layers if lines.delay]
        self.policies[name] = self.context.reading.build(
            EgressPolicy,
            begin,
            name=name,
            queues={
                key: self._queue(
                    key,
                    [*(lines.queues[key] for lines in layers if key in lines.queues), *by_delay],
                    begin,
                )
                for key in keys
            },
            shape_bps=shape.map(lambda rate: rate.bps),
            shape_percent=shape.map(lambda rate: rate.percent),
        )
        return name

    def _queue(self, key: tuple[QueueKind, int], stated: list[QueueLines], policy: int) -> Queue:
        kind, number = key
        begin = (stated[0].begin if stated else 0) or policy
        return self.context.reading.build(
            Queue,
            begin,
            number=number,
            kind=kind,
            scheduler=self._scheduler(number, stated or [_SILENT], begin),
            marking=self._marking(number, stated or [_SILENT], begin),
            buffer=self.buffers.get(key),
        )

    def _scheduler(self, number: int, stated: list[QueueLines], begin: int) -> Scheduler:
        default = self.context.default(defaults.STRICT)
        strict = self._settle(
            f"priority of queue {number}",
            [lines.strict for lines in stated],
            default.map(lambda _: True),
        )
        kind = strict.map(lambda on: SchedulerKind.STRICT if on else SchedulerKind.WEIGHTED)
        share = self._settle(
            f"bandwidth of queue {number}", [lines.share for lines in stated], ABSENT
        )
        guaranteed = self._rate(f"guaranteed bandwidth of queue {number}", stated, "guaranteed")
        shape = self._rate(f"shape rate of queue {number}", stated, "shape")
        return self.context.reading.build(
            Scheduler,
            begin,
            kind=kind,
            # Of strict queues the one with the highest number goes first.
            strict_level=HIGHEST + 1 - number if strict.value else None,
            share=share.map(real),
            share_of=share.map(lambda _: ShareKind.WEIGHT),
            shape_bps=shape.map(lambda rate: rate.bps),
            shape_percent=shape.map(lambda rate: rate.percent),
            guaranteed_bps=guaranteed.map(lambda rate: rate.bps),
            guaranteed_percent=guaranteed.map(lambda rate: rate.percent),
        )

    def _rate(self, what: str, stated: list[QueueLines], name: str) -> Value[Rate]:
        return self._settle(what, [getattr(lines, name) for lines in stated], ABSENT)

    def _marking(self, number: int, stated: list[QueueLines], begin: int) -> Marking:
        settle = self._settle
        no_ecn = self.context.default(defaults.NO_ECN).map(lambda _: Curve())
        no_wred = self.context.default(defaults.NO_WRED).map(lambda _: Curve())
        ecn = settle(f"ECN of queue {number}", [lines.ecn for lines in stated], no_ecn)
        wred = settle(f"WRED of queue {number}", [lines.wred for lines in stated], no_wred)
        build = self.context.reading.build
        # By the delay in the queue, or the fill of the whole buffer: from which depth is not known.
        at = next((each.delay.position for each in stated if each.delay), self.global_ecn)
        if at and (ecn.value is None or not ecn.value.on):
            on = Value(value=True, position=at)
            return build(Marking, begin, ecn=on, wred_drop=wred.map(_on), mode=MarkingMode.PLATFORM)
        curve = ecn if ecn.value and ecn.value.on else wred
        if curve.value is None or not curve.value.on:
            curve = ABSENT
        return build(
            Marking,
            begin,
            ecn=ecn.map(_on),
            wred_drop=wred.map(_on),
            kmin=curve.map(lambda curve: curve.low),
            kmax=curve.map(lambda curve: curve.high),
            pmax_percent=curve.map(lambda curve: curve.chance),
            averaged_over=_weight(curve),
        )

    def _settle(self, what: str, stated: list[Value[T]], default: Value[T]) -> Value[T]:
        return self.context.settle(what, stated, default)


def _weight(curve: Value[Curve]) -> Value[int]:
    """The weight of a line; none where it states none."""
    weight = curve.value.weight if curve.value is not None else None
    return Value(weight, curve.position) if weight is not None else ABSENT


def _multicast(layers: Sequence[QosLines]) -> set[tuple[QueueKind, int]]:
    """Multicast queues exist for us where a line speaks of them."""
    return {key for lines in layers for key in lines.queues if key[0] is QueueKind.MULTICAST}


def _on(curve: Curve) -> bool:
    return curve.on
