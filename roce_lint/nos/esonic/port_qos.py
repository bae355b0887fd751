"""QoS of an Enterprise SONiC port: its maps, policies and PFC lines."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    HeadroomModel,
    Marking,
    PfcConfig,
    PfcMode,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Rewrite,
    Scheduler,
    SchedulerKind,
    ShareKind,
    SystemQos,
    Trust,
    WatchdogAction,
)
from roce_lint.model.sourced import Part
from roce_lint.model.units import Threshold
from roce_lint.nos.declare import Default
from roce_lint.nos.esonic import defaults
from roce_lint.nos.quantities import by_values, code_map, number, read_numbers, same, upto, whole
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, first, name_from, records, stanzas
from roce_lint.nos.switch_ports import Port
from roce_lint.text.numbers import real

WRED = "marking profile"
SCHEDULER = "scheduler"

GREEN = frozenset({"all", "green", "green-yellow", "green-red"})
"""Colours of `ecn` that match RoCE packets: they are green unless a policer colours them."""
OTHER_COLOURS = frozenset({"none", "yellow", "red", "yellow-red"})

HIGHEST = {"dscp": 63, "dot1p": 7, "traffic-class": 15, "pfc-priority": 7}
"""Highest number by the word in front of it; 63 for others."""

TYPES = {"strict": SchedulerKind.STRICT} | dict.fromkeys(("dwrr", "wrr"), SchedulerKind.WEIGHTED)

BOUND = {
    "tc_queue": "tc-queue",
    "tc_pg": "tc-pg",
    "pfc_queue": "pfc-priority-queue",
    "pfc_pg": "pfc-priority-pg",
}
"""Kinds of the maps behind the classes of a port, by the variable of their line."""


@dataclass(slots=True)
class Qos:
    """Named QoS structures, by name, and the objects already built for ports."""

    reading: Reading
    objects: QosObjects
    maps: dict[tuple[str, str], dict[int, Value[int]]] = field(default_factory=dict)
    begins: dict[tuple[str, str], int] = field(default_factory=dict)
    schedulers: dict[str, dict[int, Scheduler]] = field(default_factory=dict)
    wred: dict[str, Marking] = field(default_factory=dict)
    polling: Value[int] = ABSENT  # interval of the watchdog, for all ports
    roce: Value[str] = ABSENT  # one command for maps, buffers and PFC that no line shows
    lossless: Value[str] = ABSENT  # the line that sets up lossless buffers
    made: dict[Hashable, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, reading: Reading) -> Qos:
        """All maps and policies; every line is taken."""
        qos = cls(reading, QosObjects())
        qos._maps()
        for name, reader in reading.define(CONFIG, "wred", WRED):
            qos.wred[name] = qos._marking(name, reader)
        for name, reader in reading.define(CONFIG, "scheduler", SCHEDULER):
            qos.schedulers[name] = dict(_schedulers(reader))
        for line in reading.groups(CONFIG, "polling"):
            qos.polling = whole(line, line.text("polling"), 3000, "polling-interval", 100)
        for line in reading.groups(CONFIG, "roce"):
            qos.roce = line.text("roce")
        for buffer in reading.groups(CONFIG, "buffer"):
            qos.lossless = buffer.text("buffer_init").or_else(qos.lossless)
            for name in ("pool", "profile"):
                buffer.text(name)
        return qos

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(
            SystemQos,
            headroom=(self.lossless or self.roce).map(lambda _: HeadroomModel.PLATFORM),
            has_qos=bool(self.maps or self.wred or self.roce),
        )

    def default(self, default: Default) -> Value[Any]:
        """A default; unknown after a command that changes defaults without showing them."""
        return ABSENT if self.roce else self.reading.default(default)

    def of_port(self, port: Port) -> PortQos:
        """QoS in force on the port."""
        reader = port.reader
        made = reader.build(PortQos)
        reader.text("asymmetric")
        self._bind_trust(port, made)
        bound = {kind: _binding(port, name, kind) for name, kind in BOUND.items()}
        made.forwarding = self._forwarding(bound, reader.begin)
        position = next((value.position for value in bound.values() if value.position), 0)
        if position:
            made.at["forwarding"] = position
        self._bind_egress(port, made)
        self._bind_rewrite(port, made)
        made.pfc = self._pfc(reader)
        made.watchdog = self._watchdog(reader)
        return made

    def _maps(self) -> None:
        found = stanzas(
            self.reading, records(self.reading, CONFIG, "map"), name_from("kind", "name")
        )
        for key, reader in found.items():
            kind = reader.text("kind").value or ""
            name = key.partition(" ")[2]
            self.reading.names.define(f"{kind} map", name, reader.begin)
            self.begins[kind, name] = reader.begin
            self.maps[kind, name] = by_values(map(_map_entry, reader.children("entry")))

    def _marking(self, name: str, reader: Reader) -> Marking:
        """A WRED policy, with thresholds in KB."""
        green = reader.text("green").map(_curve)
        ecn = reader.text("ecn")
        if ecn.value is not None and ecn.value.lower() not in GREEN | OTHER_COLOURS:
            self.reading.bad("ecn is not understood", ecn.position)
            ecn = ABSENT
        marks: Value[bool] = ecn.map(lambda word: word.lower() in GREEN)
        marks = first(marks, self.reading.default(defaults.ECN_NONE))
        pmax = green.map(lambda curve: curve.get("drop-probability"))
        if not self.reading.accepts_number("drop-probability", pmax.value, pmax.position):
            pmax = Value(None, pmax.position)
        return reader.build(
            Marking,
            name=name,
            ecn=marks,
            wred_drop=Value(not marks.value, green.position) if green else ABSENT,
            kmin=green.map(lambda curve: curve.get("minimum-threshold")).map(_kilobytes),
            kmax=green.map(lambda curve: curve.get("maximum-threshold")).map(_kilobytes),
            pmax_percent=pmax.map(real),
        )

    def _bind_trust(self, port: Port, made: PortQos) -> None:
        both = (("dscp_tc", "dscp-tc"), ("dot_tc", "dot1p-tc"))
        bound = {kind: map_ for name, kind in both if (map_ := _binding(port, name, kind))}
        if not bound:
            return
        first_kind, *others = bound
        trust = Trust.DSCP if first_kind == "dscp-tc" else Trust.PCP
        made.trust = Trust.BOTH if others else trust  # DSCP decides for IP packets
        made.at["trust"] = made.at["classifier"] = bound[first_kind].position
        if (first_kind, bound[first_kind].value) not in self.maps:
            return
        made.classifier = " ".join(f"{kind} {name.value}" for kind, name in bound.items())
        if made.classifier not in self.objects.classifiers:
            self.objects.classifiers[made.classifier] = self._classifier(bound)

    def _classifier(self, bound: dict[str, Value[str]]) -> Classifier:
        """Classes of packets by the maps that a port binds, the first of which is defined."""
        kind, name = next(iter(bound.items()))
        made = self.reading.build(Classifier, self.begins[kind, name.value or ""], name=name.value)
        if "dscp-tc" in bound:
            rest = self.default(defaults.NOT_IN_MAP)
            made.dscp_to_tc = self._table("dscp-tc", bound["dscp-tc"], rest)
        if "dot1p-tc" in bound:
            made.pcp_to_tc = self._table("dot1p-tc", bound["dot1p-tc"])
        return made

    def _bind_rewrite(self, port: Port, made: PortQos) -> None:
        bound = _binding(port, "tc_dscp", "tc-dscp")
        if bound.value is None:
            return
        made.at["rewrite"] = bound.position
        if ("tc-dscp", bound.value) in self.maps:
            made.rewrite = bound.value
            table = self._table("tc-dscp", bound)
            self.objects.rewrites[bound.value] = self.reading.build(
                Rewrite, table.at[""], name=bound.value, tc_to_dscp=table, active=True
            )

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
                tc_to_queue=self._table(
                    "tc-queue", queue, ABSENT if queue else self.default(defaults.QUEUE_0)
                ),
                tc_to_pg=self._table("tc-pg", group),
                pfc_priority_to_queue=self._table("pfc-priority-queue", stop),
                pfc_priority_to_pg=self._table("pfc-priority-pg", back),
            )
            if back.value is None and not self.roce:
                default = defaults.GROUP_IS_PRIORITY
                made.pfc_priority_to_pg = same(self.reading, 0, default, range(8))
            sent = made.tc_to_pfc_priority = self._priorities(made)
            for kind in ("tc-pg", "pfc-priority-pg"):
                if bound[kind] and (kind, bound[kind].value) not in self.maps:
                    sent.at[Part("number", None)] = bound[kind].position  # undefined
            self.made[key] = self.objects.forwardings[str(made.name)] = made
        return str(made.name)

    def _table(self, kind: str, bound: Value[str], otherwise: Value[int] = ABSENT) -> CodeMap:
        """The map that a port binds; an undefined one begins where it is bound."""
        key = kind, bound.value or ""
        begin = self.begins.get(key, bound.position)
        entries = self.maps.get(key, {})
        return code_map(self.reading, begin, entries, name=bound.value, otherwise=otherwise)

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

    def _bind_egress(self, port: Port, made: PortQos) -> None:
        scheduler = port.refer(SCHEDULER, port.reader.text("scheduler"))
        queues: dict[int, Value[str]] = {}
        for line in port.reader.all("queue"):
            _, numbers, *_, name = (line.value or "").split()
            listed = Value(numbers, line.position)
            marked = read_numbers(self.reading, listed, upto(15), "a list of queues")
            wred = port.refer(WRED, Value(name, line.position))
            queues |= dict.fromkeys(marked.value or (), wred)
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
            turn = turns[queue].at[""] if queue in turns else 0
            if bool(wred.position) is not bool(turn):  # only one line configures the queue
                made.at["number"] = wred.position or turn
            if wred.value is None and not self.roce:
                off = self.reading.default(defaults.NO_MARKING)
                made.marking = self.reading.build(Marking, ecn=off)
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
        if "cable" not in reader:
            put(made, cable_m=cable)
        for line in reader.all("pfc_priority"):
            named = _priorities(reader, line).value or frozenset()
            made.at |= dict.fromkeys(named & (sent.value or frozenset()), line.position)
        return made

    def _watchdog(self, reader: Reader) -> PfcWatchdog:
        timed = reader.text("watchdog_detect", reset=("watchdog_off",))
        detect = whole(reader, timed, 60_000, "detect-time", 100)
        restore = whole(reader, reader.text("watchdog_restore"), 60_000, "restore-time", 100)
        word, action = reader.text("watchdog_action"), ABSENT
        if self.reading.accepts_word("watchdog action", word.value, word.position):
            action = reader.convert(word, WatchdogAction, "drop, forward or alert")
        on: Value[bool] = detect.map(lambda _: True)
        if timed.position and not timed:
            on = Value(False, timed.position)
        return reader.build(
            PfcWatchdog,
            enabled=first(on, self.default(defaults.NOT_WATCHED)),
            polling_ms=self.polling.map(real),
            detection_ms=detect.map(real),
            restoration_ms=restore.map(real),
            action=first(action, self.default(defaults.WATCHDOG_ACTION)),
        )


def _binding(port: Port, variable: str, kind: str) -> Value[str]:
    """Map that a line names with its last word: `qos-map dot1p-tc L2`."""
    return port.refer(f"{kind} map", port.reader.word(variable, -1))


def _sum_up(reader: Reader) -> Value[frozenset[int]]:
    """Lossless priorities: each line adds, each `no` line removes."""
    events = [(value, True) for value in reader.all("pfc_priority")]
    events += [(value, False) for value in reader.all("no_pfc_priority")]
    found: frozenset[int] = frozenset()
    position = 0
    for value, adds in sorted(events, key=lambda event: event[0].position):
        given = _priorities(reader, value).value
        position = value.position
        if given is None:
            return Value(None, position)
        found = found | given if adds else found - given
    return Value(found, position) if position else ABSENT


def _priorities(reader: Reader, value: Value[str]) -> Value[frozenset[int]]:
    return read_numbers(reader.reading, value, upto(7), "a list of priorities", "pfc-priority")


def _map_entry(entry: Reader) -> tuple[Value[frozenset[int]], Value[int]]:
    """Numbers and result of `dscp 26 traffic-class 3`."""
    source, into = entry.text("from").value or "", entry.text("into").value or ""
    listed, what = entry.text("numbers"), f"a list of {source} values"
    numbers = read_numbers(entry.reading, listed, upto(HIGHEST[source]), what, source)
    return numbers, whole(entry, entry.text("value"), HIGHEST.get(into, 63), into)


def _curve(text: str) -> dict[str, int | None]:
    """Numbers of `minimum-threshold 1000 maximum-threshold 3000 drop-probability 10` by word."""
    words = text.split()
    return dict(zip(words[::2], map(number, words[1::2]), strict=False))


def _kilobytes(depth: int) -> Threshold:
    return Threshold(depth * 1000)


def _schedulers(reader: Reader) -> Iterator[tuple[int, Scheduler]]:
    for below in reader.blocks("queue"):
        queue = whole(below, below.text("queue"), 255, "queue").value
        word = below.text("type").map(str.lower)
        kind = below.convert(word, TYPES.__getitem__, "a scheduler type")
        weight = whole(below, below.text("weight"), 100, "weight", 1)
        strict = kind.value is SchedulerKind.STRICT
        made = below.build(
            Scheduler,
            kind=kind,
            share=ABSENT if strict else weight.map(real),
            share_of=ABSENT if strict else weight.map(lambda _: ShareKind.WEIGHT),
        )
        if queue is not None and queue < 16:  # 255 is the port itself
            yield queue, made
