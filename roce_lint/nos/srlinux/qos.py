"""`qos` of SR Linux: named classes, PFC by mapping profile, ECN marking by slope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.model.buffer import BufferPool, BufferProfile, Direction, IngressBuffer, PoolUse
from roce_lint.model.qos import (
    Classifier,
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
    Scheduler,
    SchedulerKind,
    ShareKind,
    SystemQos,
    Trust,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.quantities import code_map
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.srlinux import defaults
from roce_lint.nos.srlinux.tree import TRUTHS, Node
from roce_lint.nos.stanzas import first
from roce_lint.text.numbers import real, whole_number, whole_of

DSCP_MAP = "dscp map"
PFC_PROFILE = "pfc mapping profile"
MARKING = "marking profile"
BUFFERS = "buffer profile"
SCHEDULERS = "scheduler policy"
DEFAULT_QUEUES = "default"
"""Reserved name of the profile that queues without another one have."""

HIGHEST_BYTES = 10**12
CLASSES = 16


@dataclass(slots=True)
class Qos:
    """All of `qos`, and the objects already built for ports."""

    reading: Reading
    node: Node
    objects: QosObjects
    classes: dict[str, int] = field(default_factory=dict)  # number of each forwarding class
    queues: dict[str, Value[int]] = field(default_factory=dict)
    pfc_queues: dict[str, Value[int]] = field(default_factory=dict)
    markings: dict[str, Marking] = field(default_factory=dict)
    queue_sizes: dict[str, dict[str, BufferProfile]] = field(default_factory=dict)
    schedulers: dict[str, dict[str, Scheduler]] = field(default_factory=dict)
    ports: dict[str, list[Node]] = field(default_factory=dict)
    """Entries of a port and of its subinterfaces: classifiers are bound to these."""

    @classmethod
    def read(cls, root: Node) -> Qos:
        """All maps and profiles."""
        qos = cls(root.reading, root.child("qos"), QosObjects())
        for kind, found in (("queue", qos.queues), ("pfc-queue", qos.pfc_queues)):
            for name, node in qos.node.child("queues").entries(kind):
                found[name] = node.whole("queue-index", 15)
        qos._number_classes()
        for name, node in qos.node.child("classifiers").entries("dscp-policy"):
            qos._classifier(name, node)
        for name, node in qos.node.child("buffer-management").entries("queue-management-profile"):
            qos.reading.names.define(MARKING, name, node.begin)
            qos.markings[name] = _marking(name, node)
        for name, node in qos.node.child("buffer-management").entries("buffer-allocation-profile"):
            qos._buffers(name, node)
        for name, node in qos.node.child("scheduler-policies").entries("scheduler-policy"):
            qos._scheduler(name, node)
        for name, node in qos.node.entries("pfc-mapping-profile"):
            qos.reading.names.define(PFC_PROFILE, name, node.begin)
            qos._forwarding(name, node)
        for ident, node in qos.node.child("interfaces").entries("interface"):
            ref = node.child("interface-ref")
            port, _, unit = ident.partition(".")
            unit = ref.text("subinterface").value or unit
            entries = qos.ports.setdefault(ref.text("interface").value or port, [])
            entries.insert(len(entries) if unit else 0, node)
        return qos

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(
            SystemQos,
            headroom=HeadroomModel.PLATFORM if self.node.begin else None,
            has_qos=bool(self.node.begin),
        )

    def of_port(self, name: str, port: Node) -> PortQos:
        """QoS in force on the port."""
        nodes = self.ports.get(name) or [Node(self.reading)]
        node = nodes[0]
        begin = node.begin or port.begin
        made = self.reading.build(PortQos, begin)
        policies = [
            policy
            for each in nodes
            if (policy := self._name(each.child("input", "classifiers"), "dscp-policy", DSCP_MAP))
        ]
        if policies:
            made.trust = Trust.DSCP
            made.at["trust"] = made.at["classifier"] = policies[0].position
            alike = len({policy.value for policy in policies}) == 1
            known = policies[0].value in self.objects.classifiers
            made.classifier = policies[0].value if known and alike else None
        profile = self._name(node.child("pfc"), "pfc-mapping-profile", PFC_PROFILE)
        key = profile.value or ""
        if profile.value is None and "" not in self.objects.forwardings:
            self._forwarding("", Node(self.reading))
        made.forwarding = key if key in self.objects.forwardings else None
        if profile.position:
            made.at["forwarding"] = profile.position
        made.pfc = self._pfc(node, profile, port)
        made.watchdog = self._watchdog(profile, begin)
        self._bind_egress(node, made)
        buffers = self._name(node.child("input"), "pfc-buffer-allocation-profile", BUFFERS)
        if buffers.value in self.objects.ingress_buffers:
            put(made, ingress_buffer=buffers)
        return made

    def _name(self, node: Node, word: str, kind: str) -> Value[str]:
        return self.reading.refer(kind, node.text(word))

    def _number_classes(self) -> None:
        """Number the forwarding classes, which are names: 3 for `fc3`, else like the queue of the
        class, or from 16 on. Unclassified packets are in class 0.
        """
        found = list(self.node.child("forwarding-classes").entries("forwarding-class"))
        free = iter(range(CLASSES, CLASSES * 4))
        for name, _ in found:
            digits = name.removeprefix("fc")
            if name != digits and digits.isascii() and digits.isdigit() and len(digits) < 3:
                self.classes[name] = whole_of(digits)
        for name, node in found:
            if name in self.classes:
                continue
            number = self._queue_of(node).value
            if not number or number in self.classes.values():  # 0 takes what no entry matches
                number = next(free, None)
            if number is not None:
                self.classes[name] = number
                self.objects.tc_names[number] = name

    def _queue_of(self, node: Node) -> Value[int]:
        """Number of the queue that a class uses for unicast packets."""
        name = first(node.child("output").text("unicast-queue"), node.child("output").text("queue"))
        return Value(self.queues.get(name.value or "", ABSENT).value, name.position)

    def _class(self, name: str) -> int | None:
        brought = whole_number(name.removeprefix("fc"), high=CLASSES - 1)  # by the system
        return self.classes.get(name, brought)

    def _classifier(self, name: str, node: Node) -> None:
        self.reading.names.define(DSCP_MAP, name, node.begin)
        table: dict[int, Value[int]] = {}
        for code, below in node.entries("dscp"):
            below.text("drop-probability")
            given = below.text("forwarding-class")
            if code.isascii() and code.isdigit() and len(code) < 3 and whole_of(code) < 64:
                table[whole_of(code)] = given.map(self._class)
            elif code.isascii() and code.isdigit():
                self.reading.refuse(self.reading.limits["dscp"], code, below.begin)
        rest = self.reading.default(defaults.FIRST_CLASS)
        self.objects.classifiers[name] = self.reading.build(
            Classifier,
            node.begin,
            name=name,
            dscp_to_tc=code_map(self.reading, node.begin, table, name=name, otherwise=rest),
        )

    def _class_queues(self) -> dict[int, Value[int]]:
        """The queue of each class, with its line."""
        found: dict[int, Value[int]] = {}
        for name, node in self.node.child("forwarding-classes").entries("forwarding-class"):
            node.child("output").text("multicast-queue")
            node.text("forwarding-class-index")
            queue = self._queue_of(node)
            if queue.value is not None and name in self.classes:
                found[self.classes[name]] = queue
        return found

    def _forwarding(self, name: str, node: Node) -> None:
        """Queue and PFC priority of each class in a mapping profile."""
        sent: dict[int, Value[int]] = {}
        groups: dict[int, Value[int]] = {}
        mapping = node.child("received-traffic", "unicast-mapping")
        for queue, below in mapping.entries("pfc-queue"):
            priority = below.whole("pfc-pause-frame-priority", 7)
            below.all("dot1p")
            for given in below.all("forwarding-class"):
                number = self._class(given.value or "")
                if number is None:
                    continue
                sent[number] = Value(priority.value, priority.position or given.position)
                index = self.pfc_queues.get(queue, ABSENT)
                groups[number] = Value(index.value, given.position)
        stops: dict[int, Value[int]] = {}
        for queue, priority, _ in _obeying_queues(node):
            index = self.queues.get(queue, ABSENT)
            if priority.value is not None and index.value is not None:
                stops[priority.value] = Value(index.value, priority.position)
        table = code_map(self.reading, node.begin, sent)
        table.at["otherwise"] = self.reading.default(defaults.NOT_PAUSED).position
        self.objects.forwardings[name] = self.reading.build(
            Forwarding,
            node.begin,
            name=name,
            tc_to_queue=code_map(self.reading, 0, self._class_queues()),
            tc_to_pg=code_map(self.reading, 0, groups),
            tc_to_pfc_priority=table,
            pfc_priority_to_queue=code_map(self.reading, 0, stops),
        )

    def _pfc(self, node: Node, profile: Value[str], port: Node) -> PfcConfig:
        pause = port.child("ethernet", "flow-control")
        on = node.child("pfc").switch("pfc-enable", TRUTHS)
        mode: Value[PfcMode] = on.map(lambda yes: PfcMode.ON if yes else PfcMode.OFF)
        mode = first(mode, self.reading.default(defaults.PFC_OFF))
        sent: Value[frozenset[int]] = ABSENT
        obeyed: Value[frozenset[int]] = ABSENT
        maps = self.objects.forwardings.get(profile.value or "")
        if mode.value is PfcMode.OFF:
            sent = obeyed = Value(frozenset(), mode.position)
        elif mode.value is PfcMode.ON and maps is not None:
            sent = Value(frozenset(maps.tc_to_pfc_priority.entries.values()), maps.at.get("", 0))
            obeyed = self._honoured_priorities(profile.value or "")
        made = self.reading.build(
            PfcConfig,
            node.child("pfc").begin or port.begin,
            mode=mode,
            generate=sent,
            honour=obeyed,
            link_pause_rx=pause.switch("receive", TRUTHS),
            link_pause_tx=pause.switch("transmit", TRUTHS),
        )
        if sent.value and maps is not None:
            table = maps.tc_to_pfc_priority
            made.at |= {number: table.at[tc] for tc, number in table.entries.items()}
        return made

    def _honoured_priorities(self, profile: str) -> Value[frozenset[int]]:
        """Priorities that stop a queue: those with `enable-pfc true`."""
        queues = list(_obeying_queues(self.node.entry_of("pfc-mapping-profile", profile)))
        found = [
            (priority.value, priority.position)
            for _, priority, on in queues
            if on.value and priority.value is not None
        ]
        if found:
            return Value(frozenset(number for number, _ in found), found[0][1])
        off = next((on.position for _, _, on in queues if on.value is False), 0)
        return Value(frozenset(), off) if off else self.reading.default(defaults.NOT_OBEYED)

    def _watchdog(self, profile: Value[str], begin: int) -> PfcWatchdog | None:
        node = self.node.entry_of("pfc-mapping-profile", profile.value or "")
        if not node.begin:
            return None
        deadlock = node.child("received-pfc-pause-frames", "deadlock")
        off, timer = map(self.reading.default, (defaults.DEADLOCK_OFF, defaults.DEADLOCK_MS))
        return self.reading.build(
            PfcWatchdog,
            deadlock.begin or begin,
            enabled=first(deadlock.switch("enable", TRUTHS), off),
            detection_ms=first(deadlock.whole("detection-timer", 1500, 10).map(real), timer),
            restoration_ms=first(deadlock.whole("recovery-timer", 1500, 100).map(real), timer),
            action=self.reading.default(defaults.RECOVERY),
        )

    def _bind_egress(self, node: Node, made: PortQos) -> None:
        """Bind the queues that have a marking profile, a size or a scheduler on the port."""
        output = node.child("output")
        bound = {
            queue: named
            for queue, below in output.child("queues").entries("queue")
            if (named := self._name(below, "queue-management-profile", MARKING))
        }
        sizes = self._name(output, "buffer-allocation-profile", BUFFERS)
        turns = self._name(output.child("scheduler"), "scheduler-policy", SCHEDULERS)
        places = [each.position for each in (*bound.values(), sizes, turns) if each.position]
        if not places and not (node.begin and self.queues):
            return
        begin = min(places, default=node.begin)
        key = [f"{queue}:{name.value}" for queue, name in sorted(bound.items())]
        key += [each.value for each in (sizes, turns) if each.value]
        name = " ".join(key) if places else DEFAULT_QUEUES
        if name not in self.objects.egress:
            buffers = self.queue_sizes.get(sizes.value or "", {})
            schedulers = self.schedulers.get(turns.value or "", {})
            served = self.reading.default(defaults.STRICT) if schedulers else ABSENT
            policy = self.reading.build(EgressPolicy, begin, name=name, complete=False)
            for queue, index in self.queues.items():
                if index.value is None:
                    continue
                profile = bound.get(queue, ABSENT)
                marking = self.markings.get(profile.value or "")
                if not profile:  # without a profile there is no slope
                    off = self.reading.default(defaults.NO_SLOPE)
                    marking = self.reading.build(Marking, ecn=off, wred_drop=off)
                policy.queues[QueueKind.UNICAST, index.value] = self.reading.build(
                    Queue,
                    profile.position or begin,
                    number=index.value,
                    marking=marking,
                    buffer=buffers.get(queue),
                    scheduler=schedulers.get(queue)
                    or (self.reading.build(Scheduler, kind=served) if served else None),
                )
            self.objects.egress[name] = policy
        put(made, egress=Value(name, begin))

    def _scheduler(self, name: str, node: Node) -> None:
        """Turns of queues by name: scheduler 0 serves strictly, 1 by weight."""
        self.reading.names.define(SCHEDULERS, name, node.begin)
        found = self.schedulers[name] = {}
        for _, scheduler in node.entries("scheduler"):
            strict = scheduler.text("priority").value == "strict"
            for _, below in scheduler.entries("input"):
                below.text("input-type")
                queue = below.text("queue-name")
                kind = SchedulerKind.STRICT if strict else SchedulerKind.WEIGHTED
                found[queue.value or ""] = self.reading.build(
                    Scheduler,
                    queue.position or below.begin,
                    name=name,
                    kind=Value(kind, queue.position or below.begin),
                    share=below.whole("weight", 255, 1).map(real),
                    share_of=None if strict else ShareKind.WEIGHT,
                    shape_percent=below.whole("peak-rate-percent", 100, 1).map(real),
                )

    def pools(self) -> dict[str, BufferPool]:
        """The part of each chip's buffer that takes packets after a pause was sent."""
        found = {}
        for slot, card in self.node.entries("linecard"):
            for number, chip in card.entries("forwarding-complex"):
                share = chip.child("input").whole("pfc-buffer-reservation", 100)
                if share:
                    name = f"linecard {slot} forwarding-complex {number}"
                    found[name] = self.reading.build(
                        BufferPool,
                        share.position,
                        name=name,
                        direction=Direction.INGRESS,
                        use=PoolUse.HEADROOM,
                        share_percent=share.map(real),
                    )
        return found

    def _buffers(self, name: str, node: Node) -> None:
        """Sizes of egress queues and of ingress PFC queues in bytes."""
        self.reading.names.define(BUFFERS, name, node.begin)
        made = self.reading.build(IngressBuffer, node.begin, name=name, complete=False)
        sizes = self.queue_sizes[name] = {}
        for queue, below in node.child("queues").entries("queue"):
            size = below.whole("maximum-burst-size", HIGHEST_BYTES)
            sizes[queue] = self.reading.build(
                BufferProfile, below.begin, name=name, static_limit_bytes=size
            )
        for queue, below in node.child("queues").entries("pfc-queue"):
            limit = below.whole("maximum-burst-size", HIGHEST_BYTES)
            reserved = below.whole("committed-burst-size", HIGHEST_BYTES)
            index = self.pfc_queues.get(queue, ABSENT).value
            if limit.value == 0:
                message = f"pfc-queue {queue} has a maximum-burst-size of 0: no buffer at all"
                self.reading.bad(message, limit.position)
            elif index is not None:
                made.groups[index] = self.reading.build(
                    BufferProfile,
                    below.begin,
                    name=queue,
                    lossless=Value(True, below.begin),
                    static_limit_bytes=limit,
                    reserved_bytes=reserved,
                    xoff_bytes=below.whole("maximum-pfc-reserved-share-bytes", HIGHEST_BYTES),
                )
                made.at[index] = below.begin
        if made.groups or not sizes:
            self.objects.ingress_buffers[name] = made


def _obeying_queues(node: Node) -> Iterator[tuple[str, Value[int], Value[bool]]]:
    """Queues that received PFC may stop: name, priority, and whether it does."""
    for queue, below in node.child("received-pfc-pause-frames").entries("queue"):
        priority = below.whole("pfc-pause-frame-priority", 7)
        yield queue, priority, below.switch("enable-pfc", TRUTHS)


def _marking(name: str, node: Node) -> Marking:
    """Slope for RoCE, which is UDP: `all` or `non-tcp`; ECN and drop are two entries."""
    made = node.reading.build(Marking, node.begin, name=name, ecn=False, wred_drop=False)
    made.at["ecn"] = made.at["wred_drop"] = node.begin
    weight = node.whole("weight-factor", 15)
    made.averaged_over, made.at["averaged_over"] = weight.value, weight.position
    for (traffic, _, ecn), slope in node.child("wred").keyed_entries("wred-slope"):
        low, high = _depth(slope, "min-threshold"), _depth(slope, "max-threshold")
        chance = slope.whole("max-drop-probability-percent", 100)
        on = slope.switch("slope-enabled", TRUTHS)
        if traffic == "tcp" or on.value is False:
            continue
        line = low.position or slope.begin
        if ecn == "true":
            made.ecn, made.at["ecn"] = True, line
        else:
            made.wred_drop, made.at["wred_drop"] = True, line
            if made.ecn:
                continue
        for key, value in (("kmin", low), ("kmax", high), ("pmax_percent", chance.map(real))):
            setattr(made, key, value.value)
            if value.position:
                made.at[key] = value.position
    return made


def _depth(slope: Node, word: str) -> Value[Threshold]:
    """A depth in bytes, or in percent of the queue's MBS."""
    size = slope.whole(word, HIGHEST_BYTES)
    if size.position:
        return size.map(Threshold)
    percent = slope.whole(f"{word}-percent", 100)
    return percent.map(lambda share: Threshold(share, ThresholdUnit.PERCENT))
