"""QoS of an AOS-CX port: trust, maps, profiles and PFC lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferPool, PoolUse
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    HeadroomModel,
    Marking,
    PfcConfig,
    PfcMode,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    SystemQos,
    Trust,
)
from roce_lint.model.units import PRIORITIES, Threshold, ThresholdUnit
from roce_lint.nos.aoscx import defaults
from roce_lint.nos.quantities import by_values, code_map, number, read_numbers, same, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, line_of
from roce_lint.nos.switch_ports import Port
from roce_lint.text.numbers import real

QUEUE_MAP = "queue map"
SCHEDULER = "scheduler"
MARKING = "marking profile"

TRUSTS = {"dscp": Trust.DSCP, "cos": Trust.PCP, "none": Trust.NONE}

KILOBYTE = 1000
"""Bytes of a kbyte; the documents do not say whether it is 1024 (docs/nos/aoscx.md)."""

UNITS = {"kbytes": (KILOBYTE, ThresholdUnit.BYTES), "percent": (1, ThresholdUnit.PERCENT)}


@dataclass(slots=True)
class Qos:
    """Named QoS structures, and the objects already built for ports."""

    reading: Reading
    objects: QosObjects
    applied: Reader  # profiles of the whole switch
    everything: bool  # the whole configuration was read: missing lines are absent
    trust: Value[Trust] = ABSENT
    dscp: dict[int, Value[int]] = field(default_factory=dict)
    cos: dict[int, Value[int]] = field(default_factory=dict)
    queue_maps: dict[str, dict[int, Value[int]]] = field(default_factory=dict)
    schedulers: dict[str, dict[int, Scheduler]] = field(default_factory=dict)
    thresholds: dict[str, dict[int, Marking]] = field(default_factory=dict)
    pools: dict[str, BufferPool] = field(default_factory=dict)
    pooled: dict[int, int] = field(default_factory=dict)  # line of each priority in a pool

    @classmethod
    def read(cls, reading: Reading, *, everything: bool) -> Qos:
        """All maps and profiles, and those applied to the whole switch."""
        applied = line_of(reading, "apply")
        qos = cls(reading, QosObjects(), applied, everything)
        for lines in reading.groups(CONFIG, "trust"):
            qos.trust = _trust(lines)
        qos.dscp = _code_lines(reading, "dscp", 63, "DSCP")
        qos.cos = _code_lines(reading, "cos", 7, "CoS")
        for name, reader in reading.define(CONFIG, "queue_profile", QUEUE_MAP):
            qos.queue_maps[name] = by_values(
                (_list(entry, "priorities", 7, "local priorities", "local-priority"), _queue(entry))
                for entry in reader.children("entry")
            )
        for name, reader in reading.define(CONFIG, "schedule_profile", SCHEDULER):
            qos.schedulers[name] = _schedulers(reader)
        for name, reader in reading.define(CONFIG, "threshold_profile", MARKING):
            qos.thresholds[name] = _markings(reader)
        for lines in reading.groups(CONFIG, "pool"):
            qos._pool(lines)
        for variable, kind in _APPLIED.items():
            reading.refer(kind, applied.text(variable))
        qos._classifier()
        return qos

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        known = bool(self.trust or self.dscp or self.thresholds or self.queue_maps)
        sized = next((Value(HeadroomModel.PLATFORM, at) for at in self.pooled.values()), ABSENT)
        return self.reading.build(SystemQos, headroom=sized, has_qos=known)

    def of_port(self, port: Port) -> PortQos:
        """QoS in force on the port."""
        made = self.reading.build(PortQos, port.reader.begin)
        trust = port.inherit(_trust)
        if not trust.position:
            trust = self.trust
        if not trust.position and self.everything:
            trust = self.reading.default(defaults.TRUST)
        if trust.value is Trust.NONE:  # all packets are taken for those of 802.1p priority 0
            unmarked = self.cos.get(0, ABSENT)
            made.default_tc, made.at["default_tc"] = unmarked.value, unmarked.position
        if trust.value is not None:
            made.trust = trust.value
            made.at["trust"] = made.at["classifier"] = trust.position
            made.classifier = "maps" if "maps" in self.objects.classifiers else None
        bound = {name: port.bound(kind, name, self.applied) for name, kind in _APPLIED.items()}
        made.forwarding = self._forwarding(bound["queue_profile"])
        made.at["forwarding"] = bound["queue_profile"].position
        made.egress = self._egress(bound["schedule_profile"], bound["threshold_profile"])
        made.at["egress"] = (
            bound["threshold_profile"].position or bound["schedule_profile"].position
        )
        made.at = {name: position for name, position in made.at.items() if position}
        made.pfc = self._pfc(port)
        return made

    def _pool(self, reader: Reader) -> None:
        """`qos pool 1 lossless size 60 percent headroom 2048 kbytes priorities 3`."""
        name = f"pool {reader.text('pool').value}"
        size, headroom = (_size(reader, *each) for each in (("size", 90), ("headroom", 10240)))
        self.pools[name] = reader.build(
            BufferPool,
            name=name,
            use=PoolUse.LOSSLESS,
            share_percent=size.map(real),
            headroom_bytes=headroom.map(lambda kilobytes: kilobytes * KILOBYTE),
        )
        for priority in _list(reader, "priorities", 7, "priorities", "").value or ():
            self.pooled[priority] = reader.begin

    def _classifier(self) -> None:
        if self.dscp or self.cos or self.everything:
            begin = next((line.position for line in (self.dscp or self.cos).values()), 0)
            default: Value[dict[int, int]] = self.reading.default(defaults.DSCP_MAP)
            known = (default.value or {}).items()
            built_in = {n: Value(tc, default.position) for n, tc in known}
            self.objects.classifiers["maps"] = self.reading.build(
                Classifier,
                begin,
                name="maps",
                builtin=not (self.dscp or self.cos),
                dscp_to_tc=code_map(self.reading, begin, built_in | self.dscp),
                pcp_to_tc=code_map(self.reading, begin, self.cos),
            )

    def _forwarding(self, profile: Value[str]) -> str:
        name = profile.value or "default"
        if name not in self.objects.forwardings:
            queues = self.queue_maps.get(profile.value or "", {})
            self.objects.forwardings[name] = self.reading.build(
                Forwarding,
                self.reading.names.position(QUEUE_MAP, name),
                name=name,
                tc_to_queue=code_map(self.reading, 0, queues),
                tc_to_pfc_priority=same(self.reading, 0, defaults.PRIORITY_IS_PFC, PRIORITIES),
                pfc_priority_to_queue=code_map(self.reading, 0, queues),
            )
        return name

    def _egress(self, schedule: Value[str], threshold: Value[str]) -> str | None:
        if schedule.value is None and threshold.value is None:
            return None
        name = f"{schedule.value or '-'} {threshold.value or '-'}"
        if name not in self.objects.egress:
            bound = threshold.position if threshold.position > 0 else schedule.position
            policy = self.reading.build(EgressPolicy, max(bound, 0), name=name)
            names = self.reading.names
            profile = names.position(MARKING, threshold.value or "") or policy.at.get("", 0)
            turn = names.position(SCHEDULER, schedule.value or "")
            turns = self.schedulers.get(schedule.value or "", {})
            marks = self.thresholds.get(threshold.value or "")
            if marks is None:
                policy.complete = False  # none is applied that is known
            for queue in PRIORITIES:
                marking = (marks or {}).get(queue)
                if marking is None and marks is not None:
                    silent = self.reading.default(defaults.NO_MARKING)
                    marking = self.reading.build(Marking, profile, ecn=silent)
                policy.queues[QueueKind.UNICAST, queue] = made = self.reading.build(
                    Queue, turn, number=queue, scheduler=turns.get(queue), marking=marking
                )
                stating = [each[queue].at[""] for each in (turns, marks or {}) if queue in each]
                if len(stating) == 1:  # only one line configures the queue
                    made.at["number"] = stating[0]
            self.objects.egress[name] = policy
        return name

    def _pfc(self, port: Port) -> PfcConfig:
        pause = port.reader.text("link_pause", reset=("no_pfc",))  # `no flow-control` ends both
        stated = port.inherit(_priorities)
        if not stated.position:
            stated = self.reading.default(defaults.NO_PFC)
        pool = port.text("pool")
        if pool.position:
            # The priorities of the older form are not confirmed.
            stated = Value(None, pool.position)
        for priority in sorted((stated.value or frozenset()) - self.pooled.keys()):
            if self.pooled:
                message = f"flow-control priority {priority} is in no qos pool"
                pool_at = next(iter(self.pooled.values()))
                self.reading.note(NoteKind.CONFLICT, message, stated.position, pool_at)
        mode: Value[PfcMode] = stated.map(lambda on: PfcMode.ON if on else PfcMode.OFF)
        return self.reading.build(
            PfcConfig,
            port.reader.begin,
            mode=mode,
            generate=stated,
            honour=stated,
            link_pause_rx=pause.map(lambda _: True),
            link_pause_tx=pause.map(lambda word: word == "rxtx"),
        )


_APPLIED = {"queue_profile": QUEUE_MAP, "schedule_profile": SCHEDULER, "threshold_profile": MARKING}


def _trust(reader: Reader) -> Value[Trust]:
    return reader.convert(reader.text("trust"), TRUSTS.__getitem__, "dscp, cos or none")


def _queue(reader: Reader) -> Value[int]:
    return whole(reader, reader.word("queue"), 7, "queue")


def _list(reader: Reader, name: str, high: int, of: str, limit: str) -> Value[frozenset[int]]:
    return read_numbers(reader.reading, reader.text(name), upto(high), f"a list of {of}", limit)


def _size(reader: Reader, name: str, high: int) -> Value[int]:
    """The number of `60 percent` or `2048 kbytes`; not that of `factory-default`."""
    if reader.text(name).value == "factory-default":
        return ABSENT
    return whole(reader, reader.word(name), high, name)


def _priorities(reader: Reader) -> Value[frozenset[int]]:
    """The priorities of `flow-control priority rxtx 3,4`; the last line is in force."""
    direction = reader.text("direction")
    stated = reader.text("pfc", reset=("no_pfc",))
    if stated.value is None:
        return Value(frozenset(), stated.position) if stated.position else ABSENT
    if direction.value != "rxtx":
        message = f"flow-control priority {direction.value}: only rxtx is known"
        reader.bad(message, direction.position)
        return Value(None, stated.position)
    return read_numbers(reader.reading, stated, upto(7), "a list of priorities", "priority")


def _code_lines(reading: Reading, group: str, high: int, code: str) -> dict[int, Value[int]]:
    """Code points with their local priority: each line is an entry, `26 local-priority 3`."""
    return by_values(
        (
            _list(line, "codes", high, "code points", code),
            whole(line, line.word("priority"), 7, "local-priority"),
        )
        for line in reading.groups(CONFIG, group)
    )


def _schedulers(reader: Reader) -> dict[int, Scheduler]:
    found: dict[int, Scheduler] = {}
    for entry in reader.children("weighted"):
        queue = _queue(entry)
        weight = whole(entry, entry.word("weight"), 1023, "weight", 1)
        if queue.value is not None:
            found[queue.value] = entry.build(
                Scheduler,
                kind=Value(SchedulerKind.WEIGHTED, weight.position),
                share=weight.map(real),
                share_of=weight.map(lambda _: ShareKind.WEIGHT),
            )
    for entry in reader.children("strict"):
        queue = _queue(entry)
        if queue.value is not None:
            strict = Value(SchedulerKind.STRICT, queue.position)
            found[queue.value] = entry.build(Scheduler, kind=strict)
    return found


def _markings(reader: Reader) -> dict[int, Marking]:
    """Queues with a step (no marking below it, full marking above) or with a slope."""
    found: dict[int, Marking] = {}
    lines = [*reader.children("entry"), *reader.children("slope")]
    for entry in sorted(lines, key=lambda line: line.begin):
        queue, action = _queue(entry), entry.text("action")
        marks = Value(action.value == "ecn", action.position)
        low, high = ("low", "high") if "low" in entry else ("threshold",) * 2
        kmin = _depth(entry, low)
        kmax = kmin if low == high else _depth(entry, high)
        if queue.value is not None:
            found[queue.value] = entry.build(
                Marking,
                name=reader.text("name").value,
                ecn=marks,
                wred_drop=marks.map(lambda on: not on),
                kmin=kmin,
                kmax=kmax,
                pmax_percent=reader.reading.default(defaults.PMAX).map(real),
            )
    return found


def _depth(reader: Reader, name: str) -> Value[Threshold]:
    text = reader.text(name)
    words = (text.value or "").split()
    amount = number(words[0]) if len(words) == 2 and words[1] in UNITS else None
    if amount is None:
        reader.bad(f"{text.value!r} is not a threshold in kbytes or percent", text.position)
        return Value(None, text.position)
    factor, unit = UNITS[words[1]]
    return Value(Threshold(amount * factor, unit), text.position)
