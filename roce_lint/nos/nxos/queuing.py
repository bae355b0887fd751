"""policy-map type queuing: scheduling and ECN marking of egress, pause buffers of ingress."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.qos import (
    EgressPolicy,
    Marking,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.nos.declare import Default
from roce_lint.nos.nxos import classify, defaults
from roce_lint.nos.nxos.classify import GROUPS, ClassMaps, bits_per_second
from roce_lint.nos.nxos.lossless import early_detection, fair_drop, pause_buffer, pause_words
from roce_lint.nos.nxos.platform import Family, Platform, as_unconfirmed
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import Reader, Reading, Value
from roce_lint.nos.stanzas import last_of, value_in_force
from roce_lint.text.numbers import real

POLICY = "queuing policy"

DEFAULT_OUT = "default-8q-out-policy"

SYSTEM_POLICIES = (DEFAULT_OUT, "default-out-policy", "default-in-policy", "default-8q-in-policy")
"""Policies built into the switch; only the contents of the first are known."""

STRICT_GROUP = 7
"""Group that default-8q-out-policy serves first."""


@dataclass(slots=True)
class QueuingPolicy:
    """One queuing policy: egress of a port, and ingress buffers."""

    egress: EgressPolicy
    ingress: IngressBuffer
    of_ingress: bool = False  # its classes are those of ingress queues
    unset: list[Queue] = field(default_factory=list)  # queues whose marking nothing states


def policies(reading: Reading, maps: ClassMaps) -> dict[str, QueuingPolicy]:
    """All queuing policies by name, and the default one under its own."""
    found: dict[str, QueuingPolicy] = {}
    stated = classify.policies(reading, "queuing_policy", POLICY, SYSTEM_POLICIES)
    for name, reader, classes in stated:
        policy = found[name] = QueuingPolicy(
            reader.build(EgressPolicy, name=name),
            reader.build(IngressBuffer, name=name, complete=False),
        )
        for label, below in classes.items():
            group = maps.group(reading, "queuing", label, name, below.begin)
            policy.of_ingress |= label.startswith("c-in-")
            _read_class(policy, below, group.value)
    return found


def _read_class(policy: QueuingPolicy, reader: Reader, group: int | None) -> None:
    scheduler = _scheduler(reader)
    which, line = last_of(reader, "random_detect", "afd", reset=("no_random_detect", "no_afd"))
    ecn = reader.text("ecn")
    drop = fair_drop(reader, line) if which == "afd" else None
    marking = early_detection(reader, line, ecn) if which == "random_detect" else drop
    pause = value_in_force(reader, "pause", "no_pause")
    profile: BufferProfile | None = None
    if pause:
        profile = pause_buffer(reader, pause_words(reader, pause), pause.position)
    if group is None:
        policy.egress.complete = False  # an undefined class: its queue is unknown
        return
    queue = reader.build(Queue, number=group, scheduler=scheduler, marking=marking)
    policy.egress.queues[QueueKind.UNICAST, group] = queue
    if marking is None:
        queue.marking = reader.build(Marking, ecn=reader.reading.default(defaults.NO_ECN))
        policy.unset.append(queue)
    if profile is not None:
        policy.ingress.groups[group] = profile
        policy.ingress.at[group] = pause.position


def _scheduler(reader: Reader) -> Scheduler | None:
    priority = value_in_force(reader, "priority", "no_priority")
    level = priority.map(lambda text: text.rpartition(" ")[2] if " " in text else "1")
    strict = whole(reader, level, 8, "priority level", 1)
    which, share = last_of(
        reader, "bandwidth_percent", "bandwidth_remaining", reset=("no_bandwidth",)
    )
    percent = whole(reader, share, 100, "bandwidth percent")
    shape = value_in_force(reader, "shape", "no_shape")
    if not (priority or share or shape):
        return None
    words = (shape.value or "").split()  # `min A UNIT max B UNIT`, or `[average] B UNIT`
    if "max" in words:
        words = words[words.index("max") + 1 :]
    elif words[:1] in (["average"], ["min"]):
        words = words[1:]
    of = ShareKind.REMAINING if which == "bandwidth_remaining" else ShareKind.LINK
    kind = SchedulerKind.STRICT if priority else SchedulerKind.WEIGHTED
    return reader.build(
        Scheduler,
        kind=Value(kind if priority or share else None, (priority or share).position),
        strict_level=strict,
        share=percent.map(real),
        share_of=share.map(lambda _: of),
        shape_bps=bits_per_second(reader, shape, words, "shape"),
    )


def inherit_marking(found: dict[str, QueuingPolicy], marking: dict[int, Marking]) -> None:
    """Apply the network-qos marking of a group to queues without `random-detect`."""
    for policy in found.values():
        for queue in policy.unset:
            if queue.number in marking:
                queue.marking = marking[queue.number]


def egress_of(attached: Value[str], found: dict[str, QueuingPolicy]) -> Value[str]:
    """Key of the egress policy a line attaches; unknown if the name is undefined."""
    known = attached.value in found or attached.value == DEFAULT_OUT
    return Value(attached.value if known else None, attached.position)


def default_egress(platform: Platform, maps: ClassMaps) -> Default | None:
    """The policy default-8q-out-policy, if certain: four queues and other series have others."""
    if maps.modes[True]:
        return None
    if platform.is_9000:
        return defaults.DEFAULT_OUT
    likely = platform.family.value in (None, Family.N9000)
    return as_unconfirmed(defaults.DEFAULT_OUT) if likely else None


def default_policy(reading: Reading, marking: dict[int, Marking], *, certain: bool) -> EgressPolicy:
    """Content of default-8q-out-policy; `certain` if the switch is known to have it."""

    def cited(default: Default) -> Value[Any]:
        return reading.default(default if certain else as_unconfirmed(default))

    policy = reading.build(EgressPolicy, name=DEFAULT_OUT)
    for group in GROUPS:
        if group == STRICT_GROUP:
            level = cited(defaults.STRICT_7)
            kind = Value(SchedulerKind.STRICT, level.position)
            scheduler = reading.build(Scheduler, kind=kind, strict_level=level)
        else:
            share = cited(defaults.ZERO_SHARE if group else defaults.WHOLE_SHARE)
            kind = Value(SchedulerKind.WEIGHTED, share.position)
            of = Value(ShareKind.REMAINING, share.position)
            scheduler = reading.build(Scheduler, kind=kind, share=share, share_of=of)
        silent = reading.build(Marking, ecn=cited(defaults.DEFAULT_NO_ECN))
        policy.queues[QueueKind.UNICAST, group] = reading.build(
            Queue, number=group, scheduler=scheduler, marking=marking.get(group, silent)
        )
    return policy
