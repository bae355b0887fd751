"""Egress policies: scheduling, ECN marking and buffers of the transmit queues, and the pools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from roce_lint.model.buffer import BufferPool, BufferProfile, Direction
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
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.copies import Move
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import SOURCE, Context, word
from roce_lint.nos.eos.lines import HIGHEST, Curve, QosLines, QueueLines
from roce_lint.nos.reading import ABSENT, Reader, Value, put
from roce_lint.text.numbers import real, whole_of

Buffers = dict[tuple[QueueKind, int], BufferProfile]

_SILENT = QueueLines(0, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT)


class Egress:
    """Builds the egress policies of a device, each once.

    `global_ecn` is the position of a line that enables ECN marking by total buffer fill, regardless
    of queue lines; 0 without one.
    """

    def __init__(self, context: Context, buffers: Buffers, global_ecn: int) -> None:
        self.context = context
        self.buffers = buffers
        self.global_ecn = global_ecn
        self.policies: dict[str, EgressPolicy] = {}
        self.repeated: dict[str, str] = {}  # policies that repeat another
        self._keys: dict[tuple[int, ...], str] = {}

    def bind(self, name: str, layers: Sequence[QosLines], profile: Value[str]) -> Value[str]:
        """Key of the policy made by `layers`, and the line that binds it. `name` is the port's
        name, used unless the policy comes from a profile or the default.
        """
        speaking = [lines for lines in layers if lines.has_queues]
        if not speaking:
            key = self._make(defaults.ALL_STRICT.value, (), self.context.begin)
            return Value(key, self.context.default(defaults.ALL_STRICT).position)
        own = not (len(speaking) == 1 and speaking[0].profile)
        made = self._keys.get(tuple(id(lines) for lines in speaking))
        if made is None:
            made = self._make(name if own else profile.value or name, speaking, speaking[0].begin)
        return Value(made, speaking[0].begin if own else profile.position)

    def repeat(self, base_name: str, like: str, move: Move) -> str:
        """Key of a policy with the same lines as policy `like`, at other positions."""
        name = self._free(base_name)
        self.policies[name] = move.policy(self.policies[like], name)
        self.repeated[name] = like
        return name

    def _free(self, base_name: str) -> str:
        while base_name in self.policies:
            base_name += " *"  # a profile named like a port, for example
        return base_name

    def _make(self, base_name: object, layers: Sequence[QosLines], begin: int) -> str:
        name = str(base_name)
        if not layers and name in self.policies:
            return name
        name = self._free(name)
        self._keys[tuple(id(lines) for lines in layers)] = name
        shape = self.context.settle("shape rate", [lines.shape for lines in layers], ABSENT)
        keys = dict.fromkeys((QueueKind.UNICAST, number) for number in PRIORITIES)
        stated = {key for lines in layers for key in lines.queues}
        # Multicast queues without a line are not modelled.
        multicast = [key for key in stated if key[0] is QueueKind.MULTICAST]
        keys.update(dict.fromkeys(sorted(multicast, key=lambda key: key[1])))
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
        stated = stated or [_SILENT]
        return self.context.reading.build(
            Queue,
            begin,
            number=number,
            kind=kind,
            scheduler=self._scheduler(number, stated, begin),
            marking=self._marking(number, stated, begin),
            buffer=self.buffers.get(key),
        )

    def _scheduler(self, number: int, stated: list[QueueLines], begin: int) -> Scheduler:
        settle = self.context.settle
        default = self.context.default(defaults.STRICT).map(lambda _: True)
        strict = settle(f"priority of queue {number}", [each.strict for each in stated], default)
        kind = strict.map(lambda on: SchedulerKind.STRICT if on else SchedulerKind.WEIGHTED)
        share = settle(f"bandwidth of queue {number}", [each.share for each in stated], ABSENT)
        rates = [each.guaranteed for each in stated]
        guaranteed = settle(f"guaranteed bandwidth of queue {number}", rates, ABSENT)
        shape = settle(f"shape rate of queue {number}", [each.shape for each in stated], ABSENT)
        return self.context.reading.build(
            Scheduler,
            begin,
            kind=kind,
            # Among strict queues the highest number goes first.
            strict_level=HIGHEST + 1 - number if strict.value else None,
            share=share.map(real),
            share_of=share.map(lambda _: ShareKind.WEIGHT),
            shape_bps=shape.map(lambda rate: rate.bps),
            shape_percent=shape.map(lambda rate: rate.percent),
            guaranteed_bps=guaranteed.map(lambda rate: rate.bps),
            guaranteed_percent=guaranteed.map(lambda rate: rate.percent),
        )

    def _marking(self, number: int, stated: list[QueueLines], begin: int) -> Marking:
        settle = self.context.settle
        no_ecn = self.context.default(defaults.NO_ECN).map(lambda _: Curve())
        no_wred = self.context.default(defaults.NO_WRED).map(lambda _: Curve())
        ecn = settle(f"ECN of queue {number}", [lines.ecn for lines in stated], no_ecn)
        wred = settle(f"WRED of queue {number}", [lines.wred for lines in stated], no_wred)
        build, is_on = self.context.reading.build, attrgetter("on")
        # Marks by queue delay or total buffer fill: the queue depth is unknown.
        at = next((each.delay.position for each in stated if each.delay), self.global_ecn)
        if at and (ecn.value is None or not ecn.value.on):
            on = Value(value=True, position=at)
            return build(
                Marking, begin, ecn=on, wred_drop=wred.map(is_on), mode=MarkingMode.PLATFORM
            )
        curve = ecn if ecn.value and ecn.value.on else wred
        if curve.value is None or not curve.value.on:
            curve = ABSENT
        return build(
            Marking,
            begin,
            ecn=ecn.map(is_on),
            wred_drop=wred.map(is_on),
            kmin=curve.map(lambda curve: curve.low),
            kmax=curve.map(lambda curve: curve.high),
            pmax_percent=curve.map(lambda curve: curve.chance),
            averaged_over=curve.map(lambda curve: curve.weight),
        )


# Packet buffers: queue thresholds and the headroom pool.

KIND = "buffer profile"
CASTS = {"unicast": QueueKind.UNICAST, "multicast": QueueKind.MULTICAST}

_RESERVED = re.compile(r"reserved(?:\s+(?P<unit>bytes|cells))?\s+(?P<size>\d{1,12})")
_ALPHA = re.compile(r"threshold\s+(?P<over>\d{1,4})(?:/(?P<under>[1-9]\d{0,3}))?")
_BY_COLOUR = re.compile(r"drop-precedence\s+\d\s+drop-threshold\s+\S+")
"""Threshold of packets that a policer or map coloured; RoCE packets are not coloured."""


def read_buffers(context: Context) -> Buffers:
    """Buffer of each queue by the profile in force; an unapplied profile has no effect."""
    reading = context.reading
    profiles: dict[str, Buffers] = {}
    for name, reader in reading.define(SOURCE, "mmu_profile", KIND):
        profiles[name] = _profile(context, name, reader)
    for reader in reading.groups(SOURCE, "mmu_apply"):
        reading.names.refer(KIND, word(reader, "name"), reader.begin)
    applied = context.last("mmu_apply")
    return profiles.get(applied.text("name").value or "", {}) if applied else {}


def read_pools(context: Context) -> dict[str, BufferPool]:
    """The headroom pool that no-drop priorities share."""
    reader = context.last("headroom_pool")
    if reader is None:
        return {}
    limit = reader.integer("limit")
    in_cells = reader.text("unit").value == "cells"
    pool = reader.build(
        BufferPool,
        name="headroom",
        direction=Direction.INGRESS,
        headroom_bytes=ABSENT if in_cells else limit,
        headroom_cells=limit if in_cells else ABSENT,
    )
    return {pool.name: pool}


def _profile(context: Context, name: str, reader: Reader) -> Buffers:
    found: Buffers = {}
    for child in reader.blocks("mmu_queue"):
        number = child.integer("number")
        kind = CASTS[child.text("cast").value or ""]
        if number.value is None or number.value > HIGHEST:
            context.bad(f"queue {number.value} is outside 0-{HIGHEST}", child.begin)
            continue
        key = (kind, number.value)
        if key not in found:
            found[key] = context.reading.build(BufferProfile, child.begin, name=name)
        text, position = child.text("setting").value or "", child.text("setting").position
        reserved, alpha = _RESERVED.fullmatch(text), _ALPHA.fullmatch(text)
        if alpha:
            free = whole_of(alpha["over"]) / whole_of(alpha["under"] or "1")
            put(found[key], alpha=Value(free, position))
        elif reserved:
            # Cells convert to bytes only if the ASIC is known; zero cells always do.
            if reserved["unit"] == "bytes" or whole_of(reserved["size"]) == 0:
                put(found[key], reserved_bytes=Value(whole_of(reserved["size"]), position))
        elif not _BY_COLOUR.fullmatch(text):
            context.bad(f"{text!r} is not a setting of a queue", position)
    return found
