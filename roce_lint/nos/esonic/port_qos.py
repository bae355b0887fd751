"""QoS of an Enterprise SONiC port: its maps, policies and PFC lines."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PfcWatchdog,
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
from roce_lint.model.sourced import Part
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.declare import Default
from roce_lint.nos.esonic.words import (
    CONFIG,
    PRIORITIES,
    Map,
    MapEntry,
    PortWords,
    QueueTurn,
    SchedulerPolicy,
    WredPolicy,
)
from roce_lint.nos.platforms import defaults_of
from roce_lint.nos.quantities import by_values, code_map, same
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import first, name_from, records, stanzas
from roce_lint.nos.switch_ports import Port
from roce_lint.nos.words import Word
from roce_lint.text.numbers import real

defaults = defaults_of("esonic")

WRED = "marking profile"
SCHEDULER = "scheduler"

GREEN = frozenset({"all", "green", "green-yellow", "green-red"})
"""Colours of `ecn` that match RoCE packets: they are green unless a policer colours them."""
OTHER_COLOURS = frozenset({"none", "yellow", "red", "yellow-red"})


@dataclass(slots=True)
class Qos:
    """Named QoS structures, by name, and the objects already built for ports."""

    reading: Reading
    objects: QosObjects
    maps: dict[tuple[str, str], dict[int, Value[int]]] = field(default_factory=dict)
    begins: dict[tuple[str, str], int] = field(default_factory=dict)
    schedulers: dict[str, dict[int, Scheduler]] = field(default_factory=dict)
    wred: dict[str, Marking] = field(default_factory=dict)
    roce: Value[str] = ABSENT  # one command for maps, buffers and PFC that no line shows
    made: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, reading: Reading) -> Qos:
        """All maps and policies; every line is taken."""
        qos = cls(reading, QosObjects())
        qos._maps()
        for name, reader in _each(reading, "wred"):
            reading.names.define(WRED, name, reader.begin)
            qos.wred[name] = qos._marking(name, reader)
        for name, reader in _each(reading, "scheduler"):
            reading.names.define(SCHEDULER, name, reader.begin)
            qos.schedulers[name] = dict(_schedulers(reader))
        for record in records(reading, CONFIG, "roce"):
            qos.roce = Reader(record, reading).text("roce")
        for record in records(reading, CONFIG, "buffer"):
            for name in ("buffer_init", "pool", "profile"):
                Reader(record, reading).text(name)
        return qos

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(SystemQos, has_qos=bool(self.maps or self.wred or self.roce))

    def default(self, default: Default) -> Value[Any]:
        """A default; unknown after a command that changes defaults without showing them."""
        return ABSENT if self.roce else self.reading.default(default)

    def of_port(self, reader: Reader, port: Port) -> PortQos:
        """QoS in force on the port."""
        made = self.reading.build(PortQos, reader.begin)
        for unused in (PortWords.asymmetric, PortWords.tc_dscp):
            unused(reader)
        self._bind_trust(reader, port, made)
        bound = {
            name: self._binding(reader, port, field, kind)
            for name, field, kind in (
                ("tc_queue", PortWords.tc_queue, "tc-queue"),
                ("tc_pg", PortWords.tc_pg, "tc-pg"),
                ("pfc_queue", PortWords.pfc_queue, "pfc-priority-queue"),
                ("pfc_pg", PortWords.pfc_pg, "pfc-priority-pg"),
            )
        }
        made.forwarding = self._forwarding(bound, reader.begin)
        position = next((value.position for value in bound.values() if value.position), 0)
        if position:
            made.at["forwarding"] = position
        self._bind_egress(reader, port, made)
        made.pfc = self._pfc(reader)
        made.watchdog = self._watchdog(reader)
        return made

    def _maps(self) -> None:
        found = stanzas(self.reading, records(self.reading, CONFIG, "map"), _map_key)
        for key, reader in found.items():
            reader.take()
            kind = Map.kind(reader).value or ""
            name = key.partition(" ")[2]
            self.reading.names.define(f"{kind} map", name, reader.begin)
            self.begins[kind, name] = reader.begin
            lines = [(MapEntry.numbers(e), MapEntry.value(e)) for e in Map.entries(reader)]
            self.maps[kind, name] = by_values(lines)

    def _marking(self, name: str, reader: Reader) -> Marking:
        """A WRED policy. The unit of its thresholds is not confirmed: they stay bare numbers."""
        green, ecn = WredPolicy.green(reader), WredPolicy.ecn(reader)
        if ecn.value is not None and ecn.value.lower() not in GREEN | OTHER_COLOURS:
            self.reading.note(NoteKind.BAD_VALUE, "ecn is not understood", ecn.position)
            ecn = ABSENT
        marks: Value[bool] = ecn.map(lambda word: word.lower() in GREEN)
        marks = first(marks, self.reading.default(defaults.ECN_NONE))
        pmax = green.map(lambda curve: curve.percent)
        if not self.reading.accepts_number("drop-probability", pmax.value, pmax.position):
            pmax = Value(None, pmax.position)
        return reader.build(
            Marking,
            name=name,
            ecn=marks,
            wred_drop=Value(not marks.value, green.position) if green else ABSENT,
            kmin=green.map(lambda curve: curve.low).map(_bare),
            kmax=green.map(lambda curve: curve.high).map(_bare),
            pmax_percent=pmax.map(real),
        )

    def _binding(self, reader: Reader, port: Port, field: Word[str], kind: str) -> Value[str]:
        return port.refer(f"{kind} map", field(reader))

    def _bind_trust(self, reader: Reader, port: Port, made: PortQos) -> None:
        dscp = self._binding(reader, port, PortWords.dscp_tc, "dscp-tc")
        dot = self._binding(reader, port, PortWords.dot_tc, "dot1p-tc")
        bound = dscp or dot
        if bound.value is None:
            return
        kind = "dscp-tc" if dscp else "dot1p-tc"
        made.trust = Trust.DSCP if dscp else Trust.PCP
        made.at["trust"] = made.at["classifier"] = bound.position
        entries = self.maps.get((kind, bound.value))
        if entries is None:
            return
        key = f"{kind} {bound.value}"
        if key not in self.objects.classifiers:
            begin = self.begins[kind, bound.value]
            rest: Value[int] = self.default(defaults.NOT_IN_MAP) if dscp else ABSENT
            table = code_map(self.reading, begin, entries, name=bound.value, otherwise=rest)
            classifier = self.reading.build(Classifier, begin, name=bound.value)
            if dscp:
                classifier.dscp_to_tc = table
            else:
                classifier.pcp_to_tc = table
            self.objects.classifiers[key] = classifier
        made.classifier = key

    def _forwarding(self, bound: dict[str, Value[str]], begin: int) -> str:
        names = tuple(value.value for value in bound.values())
        # An unbound map is missing at the port: its line is used instead.
        own = any(names) and None in names[:3]
        key = (*names, begin) if own else names
        made = self.made.get(key)
        if made is None:
            queue, group, stop, back = (
                value if value.position or not own else Value(None, begin)
                for value in bound.values()
            )
            made = self.reading.build(
                Forwarding,
                name=" ".join(name or "-" for name in names)
                + (f" {len(self.objects.forwardings)}" if own else ""),
                tc_to_queue=self._table("tc-queue", queue, defaults.QUEUE_0),
                tc_to_pg=self._table("tc-pg", group),
                pfc_priority_to_queue=self._table("pfc-priority-queue", stop),
                pfc_priority_to_pg=self._table("pfc-priority-pg", back),
            )
            if back.value is None and not self.roce:
                made.pfc_priority_to_pg = same(
                    self.reading, 0, defaults.GROUP_IS_PRIORITY, range(8)
                )
            sent = made.tc_to_pfc_priority = self._priorities(made)
            for kind, name in (("tc-pg", "tc_pg"), ("pfc-priority-pg", "pfc_pg")):
                if bound[name] and (kind, bound[name].value) not in self.maps:
                    sent.at[Part("number", None)] = bound[name].position  # undefined
            self.made[key] = self.objects.forwardings[str(made.name)] = made
        return str(made.name)

    def _table(self, kind: str, bound: Value[str], otherwise: Default | None = None) -> CodeMap:
        """The map that a port binds; an undefined one begins where it is bound."""
        name = bound.value
        entries = self.maps.get((kind, name or ""), {})
        absent: Value[int] = ABSENT
        if name is None and otherwise is not None:
            absent = self.default(otherwise)
        begin = self.begins.get((kind, name or ""), bound.position)
        return code_map(self.reading, begin, entries, name=name, otherwise=absent)

    def _priorities(self, maps: Forwarding) -> CodeMap:
        """PFC priority of each class, through its priority group."""
        by_group: dict[int, Value[int]] = {}
        for priority, group in maps.pfc_priority_to_pg.entries.items():
            by_group.setdefault(group, Value(priority, maps.pfc_priority_to_pg.at[priority]))
        found = {}
        for tc, group in maps.tc_to_pg.entries.items():
            if group in by_group:
                own, line = by_group[group]
                # If a group's number differs from its priority's, that line is the odd one.
                at = line if own != group and line > 0 else maps.tc_to_pg.at.get(tc, 0) or line
                found[tc] = Value(own, at)
        made = code_map(self.reading, maps.tc_to_pg.at.get("", 0), found)
        for tc, group in maps.tc_to_pg.entries.items():
            made.at[Part("number", tc)] = maps.tc_to_pg.at.get(tc, 0)
            if group not in by_group and maps.pfc_priority_to_pg.at.get("", 0) > 0:
                made.at[tc] = maps.pfc_priority_to_pg.at[""]  # the map that does not list it
        return made

    def _bind_egress(self, reader: Reader, port: Port, made: PortQos) -> None:
        scheduler = port.refer(SCHEDULER, PortWords.scheduler(reader))
        queues: dict[int, Value[str]] = {}
        for line in PortWords.marked(reader):
            numbers, name = line.value or (frozenset(), "")
            wred = port.refer(WRED, Value(name, line.position))
            for queue in numbers:
                queues[queue] = wred
        position = scheduler.position or next((v.position for v in queues.values()), 0)
        if not position and self.roce:
            return  # the content set by the one command is unknown
        key = scheduler.value, tuple(sorted((q, str(v.value)) for q, v in queues.items()))
        policy = self.made.get(key)
        if policy is None:
            name = " ".join([scheduler.value or "-", *(f"{q}:{wred}" for q, wred in key[1])])
            policy = self.made[key] = self.reading.build(EgressPolicy, position, name=name)
            self._fill(policy, scheduler, queues)
            self.objects.egress[name] = policy
        made.egress = policy.name
        if position:
            made.at["egress"] = position

    def _fill(
        self, policy: EgressPolicy, scheduler: Value[str], queues: dict[int, Value[str]]
    ) -> None:
        turns = self.schedulers.get(scheduler.value or "", {})
        policy.complete = not self.roce
        for queue in range(8):
            wred = queues.get(queue, ABSENT)
            made = self.reading.build(Queue, wred.position or policy.at.get("", 0), number=queue)
            made.scheduler = turns.get(queue)
            stating = [
                at for at in (wred.position, turns[queue].at[""] if queue in turns else 0) if at
            ]
            if len(stating) == 1:
                made.at["number"] = stating[0]
            if wred.value is None and not self.roce:
                made.marking = self.reading.build(
                    Marking, ecn=self.reading.default(defaults.NO_MARKING)
                )
            elif wred.value is not None and wred.value in self.wred:
                made.marking = self.wred[wred.value]
                made.at["marking"] = wred.position
            else:
                policy.complete = False
            policy.queues[QueueKind.UNICAST, queue] = made

    def _pfc(self, reader: Reader) -> PfcConfig:
        sent = _sum_up(reader)
        if not sent.position:
            sent = self.default(defaults.NO_PFC)
        mode: Value[PfcMode] = sent.map(lambda on: PfcMode.ON if on else PfcMode.OFF)
        cable: Value[float] = self.default(defaults.CABLE) if sent.value else ABSENT
        made = reader.build(PfcConfig, mode=mode, generate=sent, honour=sent)
        if "cable" not in reader and cable.value is not None:
            made.cable_m = cable.value
            made.at["cable_m"] = cable.position
        for line in reader.all(PortWords.pfc.variable):
            named = PRIORITIES.parse(reader, line).value or frozenset()
            made.at |= dict.fromkeys(named & (sent.value or frozenset()), line.position)
        return made

    def _watchdog(self, reader: Reader) -> PfcWatchdog:
        detect, restore = PortWords.detect_ms(reader), PortWords.restore_ms(reader)
        action = PortWords.action(reader)
        on: Value[bool] = detect.map(lambda _: True)
        return reader.build(
            PfcWatchdog,
            enabled=first(on, self.default(defaults.NOT_WATCHED)),
            detection_ms=detect.map(real),
            restoration_ms=restore.map(real),
            action=first(action, self.default(defaults.WATCHDOG_ACTION)),
        )


def _sum_up(reader: Reader) -> Value[frozenset[int]]:
    """Lossless priorities: each line adds, each `no` line removes."""
    events = [(value, True) for value in reader.all(PortWords.pfc.variable)]
    events += [(value, False) for value in reader.all(PortWords.no_pfc.variable)]
    found: frozenset[int] = frozenset()
    position = 0
    for value, adds in sorted(events, key=lambda event: event[0].position):
        given = PRIORITIES.parse(reader, value).value
        position = value.position
        if given is None:
            return Value(None, position)
        found = found | given if adds else found - given
    return Value(found, position) if position else ABSENT


def _bare(depth: int) -> Threshold:
    return Threshold(depth, ThresholdUnit.UNITS)


def _each(reading: Reading, group: str) -> Iterator[tuple[str, Reader]]:
    for name, reader in stanzas(
        reading, records(reading, CONFIG, group), name_from("name")
    ).items():
        reader.take()
        reader.text("name")
        yield name, reader


def _map_key(record: Any) -> str:
    values = record.values
    return f"{values['kind'][0][0]} {values['name'][0][0]}"


def _schedulers(reader: Reader) -> Iterator[tuple[int, Scheduler]]:
    for below in SchedulerPolicy.queues(reader):
        below.take()
        number = QueueTurn.queue(below).value
        kind, weight = QueueTurn.type(below), QueueTurn.weight(below)
        strict = kind.value is SchedulerKind.STRICT
        made = below.build(
            Scheduler,
            kind=kind,
            share=ABSENT if strict else weight.map(real),
            share_of=ABSENT if strict else weight.map(lambda _: ShareKind.WEIGHT),
        )
        if number is not None and number < 16:  # 255 is the port itself
            yield number, made
