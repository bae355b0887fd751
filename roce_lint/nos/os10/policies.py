"""Maps, classes, policies and WRED profiles of OS10, applied to a port or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Marking,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.units import Threshold
from roce_lint.nos.os10 import defaults
from roce_lint.nos.quantities import by_values, code_map, number, read_numbers, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, last_word, name_from, records, stanzas
from roce_lint.text.numbers import real

TRUST_MAP = "trust map"
QUEUE_MAP = "queue map"
NO_DROP_CLASS = "no-drop class map"
NO_DROP_POLICY = "no-drop policy"
QUEUE_CLASS = "queuing class map"
QUEUING_POLICY = "queuing policy"
WRED = "marking profile"

KILOBYTE = 1000
"""Bytes of a KB; no document states whether it is 1024 (docs/nos/os10.md)."""

HIGHEST_KB = 10**7
CODES = {"dscp": 63, "dot1p": 7}


@dataclass(slots=True)
class NoDrop:
    """No-drop groups of a network-qos policy with their PFC priority."""

    begin: int = 0
    line: int = 0  # the pause line, where there is one only
    priorities: dict[int, Value[int]] = field(default_factory=dict)  # by qos-group
    named: dict[int, int] = field(default_factory=dict)  # line of every priority
    rooms: dict[int, Value[int]] = field(default_factory=dict)
    """Priority group by qos-group: each no-drop group has its own, with an undocumented number."""
    groups: dict[int | None, int] = field(default_factory=dict)  # line that states the qos-group
    unknown: bool = False  # a class is no-drop with unknown priority


@dataclass(slots=True)
class Policies:
    """All bindable structures of ports, by name."""

    reading: Reading
    classifiers: dict[str, Classifier] = field(default_factory=dict)
    trust_maps: set[tuple[str, str]] = field(default_factory=set)  # code points and name
    queue_maps: dict[str, dict[int, Value[int]]] = field(default_factory=dict)
    no_drop: dict[str, NoDrop] = field(default_factory=dict)
    buffers: dict[str, IngressBuffer] = field(default_factory=dict)
    egress: dict[str, EgressPolicy] = field(default_factory=dict)

    @classmethod
    def read(cls, reading: Reading) -> Policies:
        """All policies; every line is taken."""
        found = cls(reading)
        found._trust_maps()
        for name, reader in reading.define(CONFIG, "queue_map", QUEUE_MAP):
            what = "a list of qos-groups"
            found.queue_maps[name] = _entries(reader, "queue", 7, what, "qos-group")
        groups = found._classes("no_drop_class", "group", NO_DROP_CLASS)
        queues = found._classes("queue_class", "queue", QUEUE_CLASS)
        profiles = found._profiles()
        for name, reader in reading.define(CONFIG, "no_drop_policy", NO_DROP_POLICY):
            found._no_drop(name, reader, groups)
        for name, reader in reading.define(CONFIG, "queuing_policy", QUEUING_POLICY):
            found.egress[name] = found._queuing(name, reader, queues, profiles)
        return found

    @property
    def any(self) -> bool:
        """Whether there is any."""
        return bool(self.trust_maps or self.queue_maps or self.no_drop or self.egress)

    def _trust_maps(self) -> None:
        found = records(self.reading, CONFIG, "trust_map")
        for head, reader in stanzas(self.reading, found, name_from("kind", "name")).items():
            reader.all("name")
            reader.text("kind")
            code, _, name = head.partition("-map ")
            self.reading.names.define(TRUST_MAP, name, reader.begin)
            for entry in reader.children("entry"):
                entry.text("code")
            table = code_map(
                self.reading,
                reader.begin,
                _entries(reader, "group", CODES[code], f"a list of {code} values", code),
                name=name,
                otherwise=self.reading.default(
                    defaults.UNLISTED_DSCP if code == "dscp" else defaults.NO_CLASS
                ),
            )
            if name not in self.classifiers:
                self.classifiers[name] = reader.build(Classifier, name=name)
            self.trust_maps.add((code, name))
            setattr(self.classifiers[name], "dscp_to_tc" if code == "dscp" else "pcp_to_tc", table)

    def _classes(self, group: str, variable: str, kind: str) -> dict[str, Value[int]]:
        """Group or queue of each class-map of a type."""
        found: dict[str, Value[int]] = {}
        classes = records(self.reading, CONFIG, group)
        for name, reader in stanzas(self.reading, classes, last_word("head")).items():
            reader.text("head")
            self.reading.names.define(kind, name, reader.begin)
            text = reader.text(variable)
            if text.value is None:
                self.reading.bad(f"{kind} {name} has no match line", reader.begin)
            number = whole(reader, text, 7, variable)
            found[name] = Value(number.value, number.position or reader.begin)
        return found

    def _no_drop(self, name: str, reader: Reader, groups: dict[str, Value[int]]) -> None:
        policy = self.no_drop[name] = NoDrop(reader.begin)
        buffers = reader.build(IngressBuffer, name=name, complete=False)
        lines = []
        for label, below in _classes_of(reader):
            self.reading.names.refer(NO_DROP_CLASS, label, below.begin)
            pause = below.text("pause")
            cos = whole(below, below.text("pfc_cos"), 7, "pfc-cos")
            if not pause:
                continue
            group = groups.get(label, ABSENT)
            line = cos.position or pause.position
            lines.append(line)
            if not cos.position and group.value is not None:
                cos = Value(group.value, self.reading.default(defaults.PAUSE_PRIORITY).position)
            if cos.value is None:
                policy.unknown = True
                continue
            if cos.value in policy.named:
                message = f"pfc-cos {cos.value} is claimed by two classes of {name}"
                self.reading.note(NoteKind.CONFLICT, message, line)
            policy.named.setdefault(cos.value, line)
            if group.value is None:
                policy.groups[None] = group.position or below.begin
                continue  # undefined, which is noted separately
            policy.priorities[group.value] = cos
            policy.groups[group.value] = group.position
            policy.rooms[group.value] = Value(group.value, pause.position)
            profile = _pause_buffer(below, pause)
            if profile is not None:
                buffers.groups[group.value] = profile
                buffers.at[group.value] = pause.position
        policy.line = lines[0] if len(lines) == 1 else policy.begin
        if buffers.groups:
            self.buffers[name] = buffers

    def _profiles(self) -> dict[str, Marking]:
        found: dict[str, Marking] = {}
        for name, reader in self.reading.define(CONFIG, "wred", WRED):
            ecn = reader.text("ecn")
            marks = ecn.map(lambda _: True).or_else(self.reading.default(defaults.ECN_OFF))
            pmax = whole(reader, reader.text("pmax"), 100, "drop-probability")
            found[name] = reader.build(
                Marking,
                name=name,
                ecn=marks,
                wred_drop=marks.map(lambda on: not on),
                kmin=_kilobytes(reader, "kmin"),
                kmax=_kilobytes(reader, "kmax"),
                pmax_percent=pmax.map(real),
            )
        return found

    def _queuing(
        self, name: str, reader: Reader, queues: dict[str, Value[int]], profiles: dict[str, Marking]
    ) -> EgressPolicy:
        policy = reader.build(EgressPolicy, name=name)
        for label, below in _classes_of(reader):
            self.reading.names.refer(QUEUE_CLASS, label, below.begin)
            scheduler = _scheduler(below)
            wred = self.reading.refer(WRED, below.text("wred"))
            number = queues.get(label, ABSENT)
            if number.value is None:
                policy.complete = False
                continue
            queue = below.build(Queue, number=number, scheduler=scheduler)
            policy.queues[QueueKind.UNICAST, number.value] = queue
            if not wred.position:
                queue.marking = below.build(Marking, ecn=self.reading.default(defaults.NO_MARKING))
            elif wred.value in profiles:
                queue.marking = profiles[wred.value]
                queue.at["marking"] = wred.position
            else:
                policy.complete = False  # an undefined profile
        return policy


def _entries(reader: Reader, into: str, high: int, what: str, limit: str) -> dict[int, Value[int]]:
    """qos-groups (`group`) or queues by the listed numbers."""
    setting = "qos-group" if into == "group" else into
    return by_values(
        (
            read_numbers(reader.reading, entry.text("numbers"), upto(high), what, limit),
            whole(entry, entry.text(into), 7, setting),
        )
        for entry in reader.children("entry")
    )


def _classes_of(reader: Reader) -> Iterator[tuple[str, Reader]]:
    below = reader.record.children.get("class", ())
    yield from stanzas(reader.reading, below, name_from("class")).items()


def _kilobytes(reader: Reader, name: str) -> Value[Threshold]:
    value = whole(reader, reader.text(name), HIGHEST_KB, "threshold in KB")
    return value.map(lambda kilobytes: Threshold(kilobytes * KILOBYTE))


def _scheduler(reader: Reader) -> Scheduler | None:
    strict = reader.text("priority")
    share = whole(reader, reader.text("bandwidth"), 100, "bandwidth percent")
    if not strict and not share.position:
        return None
    kind = SchedulerKind.STRICT if strict else SchedulerKind.WEIGHTED
    return reader.build(
        Scheduler,
        kind=Value(kind, (strict or share).position),
        share=share.map(real),
        share_of=share.map(lambda _: ShareKind.LINK),
    )


def _pause_buffer(reader: Reader, pause: Value[str]) -> BufferProfile | None:
    """`pause buffer-size 100 pause-threshold 50 resume-threshold 10`, in KB; None without sizes."""
    words = (pause.value or "").split()[1:]
    sizes: dict[str, int] = {}
    for word, amount in zip(words[::2], words[1::2], strict=False):
        size = number(amount)
        if size is None or size > HIGHEST_KB:
            reader.bad(f"{word} {amount[:40]!r} is not a size in KB", pause.position)
            return None
        sizes[word] = size * KILOBYTE
    if "buffer-size" not in sizes:
        return None
    total, xoff = sizes["buffer-size"], sizes.get("pause-threshold")
    room = max(total - xoff, 0) if xoff is not None else None
    at = pause.position
    return reader.build(
        BufferProfile,
        lossless=Value(True, at),
        reserved_bytes=Value(total, at),
        static_limit_bytes=Value(xoff, at),
        xoff_bytes=Value(room, at),
        xon_bytes=Value(sizes.get("resume-threshold"), at),
    )
