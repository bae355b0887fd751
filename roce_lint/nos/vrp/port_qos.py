"""QoS of a CloudEngine port: trust, DiffServ domain, queues."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    Marking,
    MarkingMode,
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
from roce_lint.model.sourced import Home
from roce_lint.model.units import DSCPS, PRIORITIES, Threshold, ThresholdUnit
from roce_lint.nos.quantities import (
    PER_HOP,
    by_values,
    code_map,
    number,
    numbers,
    read_numbers,
    same,
    upto,
    whole,
    write_ranges,
)
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, first
from roce_lint.nos.switch_ports import OwnPolicies, Port
from roce_lint.nos.vrp import defaults
from roce_lint.nos.vrp.pause import Pause
from roce_lint.text.numbers import decimal_of, real, whole_of

# DiffServ domains: from DSCP and 802.1p to queues.

KIND = "dscp map"

BUILTIN = "default"
"""Domain and drop profile of every device; the thresholds of that profile are unknown."""


def domain(reading: Reading, name: str, reader: Reader | None = None, begin: int = 0) -> Classifier:
    """Classifier of a domain: the entries of its stanza over the default mapping.

    A domain without a stanza has position `begin`.
    """
    at = reading.default(defaults.DSCP_TO_PHB).position
    dscp = {code: Value(code >> 3, at) for code in DSCPS}
    at = reading.default(defaults.PCP_TO_PHB).position
    pcp = {code: Value(code, at) for code in PRIORITIES}
    if reader is not None:
        begin = reader.begin
        for entry in reader.children("dscp"):
            text = entry.text("codes")
            codes = read_numbers(reading, text, upto(63), "a list of DSCPs", "DSCP")
            dscp |= by_values([(codes, _queue(entry, entry.text("phb")))])
        pcp |= by_values([_pcp(entry) for entry in reader.children("pcp")])
    return reading.build(
        Classifier,
        begin,
        name=name,
        builtin=reader is None,
        dscp_to_tc=code_map(reading, begin, dscp, name=name),
        pcp_to_tc=code_map(reading, begin, pcp, name=name),
    )


def _pcp(entry: Reader) -> tuple[Value[frozenset[int]], Value[int]]:
    """802.1p priority and queue of `8021p-inbound 3 phb af3 green`."""
    line = entry.text("line")
    words = (line.value or "").split()
    code = number(words[1])
    codes = frozenset({code} if code is not None and code in PRIORITIES else ())
    return Value(codes, line.position), _queue(entry, Value(words[3], line.position))


def _queue(reader: Reader, phb: Value[str]) -> Value[int]:
    """The queue of `af3 [green]`."""
    word = phb.map(lambda text: text.split(maxsplit=1)[0].lower())
    return reader.convert(word, PER_HOP.__getitem__, "a per-hop behaviour")


# QoS of a port.

DROP = "marking profile"

OF_QUEUES = frozenset({"wred", "ecn_queue", "drr", "weight", "shape"})
"""Captures of a port that describe its queues."""

TRUSTS = {"dscp": Trust.DSCP, "8021p": Trust.PCP, "none": Trust.NONE}

_ECN = re.compile(
    r"(?:buffer-size (?P<cell>cell )?)?low-limit (?P<low>\d{1,12}) high-limit (?P<high>\d{1,12})"
    r"(?: discard-percentage (?P<chance>\d{1,3}))?",
    re.ASCII,
)


@dataclass(slots=True)
class Qos:
    """Named QoS structures, and the objects already built for ports."""

    reading: Reading
    pause: Pause
    begin: int  # of the device
    objects: QosObjects = field(default_factory=QosObjects)
    drops: dict[str, Marking] = field(default_factory=dict)
    chosen: dict[int, int] = field(default_factory=dict)  # queues whose marking the device learns
    made: dict[Hashable, str] = field(default_factory=dict)

    @classmethod
    def read(cls, reading: Reading, named_at: int) -> Qos:
        """All domains, profiles and global lines. `named_at` is the line with the device name; a
        partial configuration has none.
        """
        qos = cls(reading, Pause.read(reading, whole_file=bool(named_at)), named_at or 1)
        reading.names.builtin(KIND, BUILTIN)
        domains = qos.objects.classifiers
        for name, reader in reading.define(CONFIG, "domain", KIND, BUILTIN):
            domains[name] = domain(reading, name, reader)
        if BUILTIN not in domains:
            domains[BUILTIN] = domain(reading, BUILTIN, begin=qos.begin)
        reading.names.builtin(DROP, BUILTIN)
        for name, reader in reading.define(CONFIG, "drop_profile", DROP, BUILTIN):
            qos.drops[name] = _marking(name, reader)
        for reader in reading.groups(CONFIG, "ai_service"):
            qos._read_ai_ecn(reader)
        return qos

    @property
    def own(self) -> OwnPolicies:
        """Egress policies of ports with queue lines."""
        return OwnPolicies(self.objects)

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        stated = any(not each.builtin for each in self.objects.classifiers.values())
        known = self.pause.stated or stated or bool(self.drops)
        return self.reading.build(SystemQos, pfc_killed=self.pause.killed, has_qos=known)

    def of_port(self, port: Port, routed: Value[bool]) -> PortQos:
        """QoS in force on the port."""
        made = self.reading.build(PortQos, port.reader.begin)
        self._bind_trust(port, routed, made)
        made.forwarding = self._forwarding()
        self._bind_egress(port, made)
        made.pfc = self.pause.of_port(port)
        made.watchdog = self.pause.watchdog(port)
        return made

    def _read_ai_ecn(self, reader: Reader) -> None:
        """Read the queues under `ai-ecn`: the device chooses their thresholds."""
        reader.take()
        reader.text("ai_service")
        for below in reader.blocks("ai_ecn"):
            below.text("ai_ecn")
            enabled = below.text("enable")
            for value in below.all("queue"):
                queue = number(value.value or "")
                if enabled and queue is not None and queue in PRIORITIES:
                    self.chosen[queue] = value.position

    def _bind_trust(self, port: Port, routed: Value[bool], made: PortQos) -> None:
        stated = port.text("trust")
        trust: Value[Trust] = stated.map(lambda text: TRUSTS.get(text.split()[1]))
        if not stated.position and routed.value is not None:
            default = defaults.TRUST_ROUTED if routed.value else defaults.TRUST_SWITCHED
            trust = self.reading.default(default)
        named_ = port.text("domain")
        if named_.value == "none":  # no mapping at all: the priority of the port decides
            trust, named_ = Value(Trust.NONE, named_.position), ABSENT
        port.refer(KIND, named_)
        domain: Value[str] = first(named_, self.reading.default(defaults.DOMAIN))
        priority: Value[int] = self.reading.default(defaults.PORT_PRIORITY)
        put(made, trust=trust, classifier=domain, default_pcp=priority, default_tc=priority)
        if made.classifier not in self.objects.classifiers:
            made.classifier = None

    def _forwarding(self) -> str:
        """Forwarding of all ports: queue and priority have the same number."""
        if "queues" not in self.objects.forwardings:
            of_class = same(self.reading, self.begin, defaults.PHB_IS_QUEUE, PRIORITIES)
            others = ("tc_to_pg", "tc_to_pfc_priority", "pfc_priority_to_queue")
            default = defaults.PRIORITY_IS_QUEUE
            self.objects.forwardings["queues"] = self.reading.build(
                Forwarding,
                name="queues",
                tc_to_queue=of_class,
                **{each: same(self.reading, self.begin, default, PRIORITIES) for each in others},
            )
        return "queues"

    def _bind_egress(self, port: Port, made: PortQos) -> None:
        """Bind the queues of the port: a drop profile, and a separate ECN switch."""
        own = not OF_QUEUES.isdisjoint(port.reader.record.values)
        lines = port.reader if own or port.channel is None else port.channel
        wred: dict[int, Value[str]] = {}
        for queue, name in zip(lines.all("wred_queue"), lines.all("wred"), strict=True):
            port.refer(DROP, name)
            for each in _queues(lines, queue):
                wred[each] = name
        marked = lines.all("ecn_queue")
        ecn = {each: value.position for value in marked for each in _queues(lines, value)}
        turns = self._turns(lines)
        # Ports share a policy only if they share its lines: a policy has one set of positions.
        key = (
            tuple(sorted(wred.items())),
            tuple(sorted(ecn.items())),
            tuple((queue, *turn.at.items()) for queue, turn in sorted(turns.items())),
        )
        if key not in self.made:
            begin = lines.begin if wred or ecn or turns else self.begin
            self.made[key] = self._egress(wred, ecn, turns, begin)
        made.egress = self.made[key]
        silent: Value[bool] = self.reading.default(defaults.ECN_OFF)
        stated = [*(name.position for name in wred.values()), *ecn.values()]
        stated += [turn.at[""] for turn in turns.values()]
        made.at["egress"] = min(stated, default=silent.position)

    def _turns(self, lines: Reader) -> dict[int, Scheduler]:
        """Turns and rate limits of the queues, which are strict until `qos drr` names some."""
        found: dict[int, Scheduler] = {}
        drr = lines.all("drr")
        weights = {
            each: whole(lines, weight, 100, "weight", 1)
            for queue, weight in zip(lines.all("weighed_queue"), lines.all("weight"), strict=True)
            for each in _queues(lines, queue)
        }
        if drr:
            strict = self.reading.default(defaults.PQ)
            one = self.reading.default(defaults.WEIGHT)
            for each in PRIORITIES:
                found[each] = self.reading.build(Scheduler, drr[0].position, kind=strict)
            for value in drr:
                for each in _queues(lines, value):
                    found[each] = self.reading.build(
                        Scheduler,
                        value.position,
                        kind=Value(SchedulerKind.WEIGHTED, value.position),
                        share=weights.get(each, one).map(real),
                        share_of=Value(ShareKind.WEIGHT, value.position),
                    )
        for queue, text in zip(lines.all("shaped_queue"), lines.all("shape"), strict=True):
            rate = whole(lines, text.map(lambda words: words.split()[0]), 100, "cir", 1).map(real)
            for each in _queues(lines, queue):
                made = found.setdefault(each, self.reading.build(Scheduler, text.position))
                made.shape_percent, made.at["shape_percent"] = rate.value, rate.position
        return found

    def _egress(
        self,
        wred: dict[int, Value[str]],
        ecn: dict[int, int],
        turns: dict[int, Scheduler],
        begin: int,
    ) -> str:
        name = self.own.name()
        policy = self.reading.build(EgressPolicy, begin, name=name)
        silent = self._queue_marking(-1, ABSENT, {}, begin)  # of all queues without a line
        for queue in PRIORITIES:
            made = self.reading.build(Queue, begin, number=queue, marking=silent)
            if queue in wred or queue in ecn or queue in self.chosen:
                profile: Value[str] = wred.get(queue, ABSENT)
                made.marking = marking = self._queue_marking(queue, profile, ecn, begin)
                if profile.position:
                    made.at["marking"] = profile.position
                policy.complete &= marking.ecn is not None  # unknown is not off
            made.scheduler = turns.get(queue)
            policy.queues[QueueKind.UNICAST, queue] = made
        self.objects.egress[name] = policy
        return name

    def _queue_marking(
        self, queue: int, profile: Value[str], ecn: dict[int, int], begin: int
    ) -> Marking:
        known = self.drops.get(profile.value or "")
        if queue in self.chosen:
            line = self.chosen[queue]
            return self.reading.build(
                Marking, line, ecn=Value(True, line), mode=Value(MarkingMode.PLATFORM, line)
            )
        if queue not in ecn:
            off: Value[bool] = self.reading.default(defaults.ECN_OFF)
            drops = known.wred_drop if known is not None else None
            at = known.at.get("wred_drop", 0) if known is not None else 0
            begin = profile.position or begin
            return self.reading.build(Marking, begin, ecn=off, wred_drop=Value(drops, at))
        made = self.reading.build(Marking, ecn[queue], name=profile.value)
        if known is None and profile.position and profile.value != BUILTIN:
            return made  # an undefined profile
        # Both lines are required; with the profile the queue marks instead of dropping.
        made.ecn = bool(profile.position)
        made.at["ecn" if made.ecn else Home("ecn")] = ecn[queue]
        if known is not None:
            for name in ("kmin", "kmax", "pmax_percent"):
                setattr(made, name, getattr(known, name))
                if known.at.get(name):  # of a refused value there is the line alone
                    made.at[name] = known.at[name]
        return made


def _queues(reader: Reader, value: Value[str]) -> frozenset[int]:
    found = numbers(write_ranges(value.value or ""), upto(7))
    if found is None:
        reader.bad(f"queue {value.value!r} is not a number from 0 to 7", value.position)
    return found or frozenset()


def _marking(name: str, reader: Reader) -> Marking:
    """A drop profile: its `ecn` thresholds mark, its `color` thresholds drop."""
    color, ecn = reader.all("color"), reader.text("ecn")
    found = _ECN.fullmatch(ecn.value or "")
    if ecn and found is None:
        reader.bad(f"ecn {ecn.value!r} is not understood", ecn.position)
    made = reader.build(Marking, name=name)
    if color:
        made.wred_drop, made.at["wred_drop"] = True, color[0].position
    if found is None:
        return made
    unit = ThresholdUnit.PERCENT
    if (ecn.value or "").startswith("buffer-size"):
        unit = ThresholdUnit.CELLS if found["cell"] else ThresholdUnit.BYTES
    made.kmin = Threshold(whole_of(found["low"]), unit)
    made.kmax = Threshold(whole_of(found["high"]), unit)
    chance = decimal_of(found["chance"]) if found["chance"] else None
    sound = reader.reading.accepts_number("discard-percentage", chance, ecn.position)
    made.pmax_percent = chance if sound else None
    made.at |= dict.fromkeys(("kmin", "kmax", "pmax_percent"), ecn.position)
    return made
