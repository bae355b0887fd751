"""`qos` of SR Linux: named classes, PFC by mapping profile, ECN marking by slope."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.device import NoteKind
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
    SystemQos,
    Trust,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.quantities import code_map
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.srlinux import defaults
from roce_lint.nos.srlinux.defaults import LIMITS
from roce_lint.nos.srlinux.tree import Node
from roce_lint.nos.stanzas import first
from roce_lint.text.numbers import real, whole_of

DSCP_MAP = "dscp map"
PFC_PROFILE = "pfc mapping profile"
MARKING = "marking profile"
BUFFERS = "buffer profile"

TRUTHS = {"true": True, "false": False}
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
    ports: dict[str, Node] = field(default_factory=dict)
    refers: list[tuple[str, Value[str]]] = field(default_factory=list)
    made: dict[Hashable, Any] = field(default_factory=dict)

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
        for name, node in qos.node.entries("pfc-mapping-profile"):
            qos.reading.names.define(PFC_PROFILE, name, node.begin)
            qos._forwarding(name, node)
        for ident, node in qos.node.child("interfaces").entries("interface"):
            ref = node.child("interface-ref")
            ref.text("subinterface")
            port = ref.text("interface").value or ident.partition(".")[0]
            qos.ports.setdefault(port, node)
        return qos

    def refer(self) -> None:
        """Record the references of port lines to names."""
        for kind, name in self.refers:
            self.reading.names.refer(kind, str(name.value), name.position)

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(
            SystemQos,
            headroom=HeadroomModel.PLATFORM if self.node.begin else None,
            has_qos=bool(self.node.begin),
        )

    def of_port(self, name: str, port: Node) -> PortQos:
        """QoS in force on the port."""
        begin = port.begin
        node = self.ports.get(name, Node(self.reading))
        made = self.reading.build(PortQos, node.begin or begin)
        policy = self._name(node.child("input", "classifiers"), "dscp-policy", DSCP_MAP)
        if policy.value is not None:
            made.trust = Trust.DSCP
            made.at["trust"] = made.at["classifier"] = policy.position
            known = policy.value in self.objects.classifiers
            made.classifier = policy.value if known else None
        profile = self._name(node.child("pfc"), "pfc-mapping-profile", PFC_PROFILE)
        made.forwarding = self._forwarding_bound(profile)
        if profile.position:
            made.at["forwarding"] = profile.position
        made.pfc = self._pfc(node, profile, port)
        made.watchdog = self._watchdog(profile, node.begin or begin)
        self._bind_egress(node, made)
        buffers = self._name(node.child("input"), "pfc-buffer-allocation-profile", BUFFERS)
        if buffers.value in self.objects.ingress_buffers:
            made.ingress_buffer = buffers.value
            made.at["ingress_buffer"] = buffers.position
        return made

    def _name(self, node: Node, word: str, kind: str) -> Value[str]:
        name = node.text(word)
        if name.value is not None:
            self.refers.append((kind, name))
        return name

    def _number_classes(self) -> None:
        """Assign numbers to the forwarding classes, which are names: 3 for `fc3`, else the next
        free one: unclassified packets are in the first.
        """
        found = list(self.node.child("forwarding-classes").entries("forwarding-class"))
        for name, _ in found:
            digits = name.removeprefix("fc")
            if digits.isascii() and digits.isdigit() and len(digits) < 3:
                self.classes[name] = whole_of(digits)
        used = set(self.classes.values())
        free = iter(number for number in range(CLASSES, CLASSES * 4) if number not in used)
        for name, _ in found:
            if name not in self.classes:
                number = next(free, None)
                if number is not None:
                    self.classes[name] = number

    def _class(self, name: str) -> int | None:
        number = self.classes.get(name)
        digits = name.removeprefix("fc")
        if (
            number is None
            and digits.isascii()
            and digits.isdigit()
            and whole_of(digits[:3]) < CLASSES
        ):
            return whole_of(digits)  # one that the system brings
        return number

    def _classifier(self, name: str, node: Node) -> None:
        self.reading.names.define(DSCP_MAP, name, node.begin)
        table: dict[int, Value[int]] = {}
        for code, below in node.entries("dscp"):
            below.text("drop-probability")
            given = below.text("forwarding-class")
            if code.isascii() and code.isdigit() and len(code) < 3 and whole_of(code) < 64:
                table[whole_of(code)] = given.map(self._class)
            elif code.isascii() and code.isdigit():
                self.reading.refuse(LIMITS["dscp"], code, below.begin)
        rest: Value[int] = self.reading.default(defaults.FIRST_CLASS)
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
            output = node.child("output")
            output.text("multicast-queue")
            node.text("forwarding-class-index")
            queue = first(output.text("unicast-queue"), output.text("queue"))
            index = self.queues.get(queue.value or "", ABSENT)
            if index.value is not None and name in self.classes:
                found[self.classes[name]] = Value(index.value, queue.position)
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

    def _forwarding_bound(self, profile: Value[str]) -> str | None:
        if profile.value is not None:
            return profile.value if profile.value in self.objects.forwardings else None
        if "" not in self.objects.forwardings:
            table = code_map(self.reading, 0, {})
            table.at["otherwise"] = self.reading.default(defaults.NOT_PAUSED).position
            self.objects.forwardings[""] = self.reading.build(
                Forwarding,
                name="",
                tc_to_queue=code_map(self.reading, 0, self._class_queues()),
                tc_to_pfc_priority=table,
            )
        return ""

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
        node = self.node.lists.get("pfc-mapping-profile", {}).get((profile,), Node(self.reading))
        queues = list(_obeying_queues(node))
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
        node = self.node.lists.get("pfc-mapping-profile", {}).get((profile.value or "",))
        if node is None:
            return None
        deadlock = node.child("received-pfc-pause-frames", "deadlock")
        default: Value[bool] = self.reading.default(defaults.DEADLOCK_OFF)
        timer: Value[float] = self.reading.default(defaults.DEADLOCK_MS)
        return self.reading.build(
            PfcWatchdog,
            deadlock.begin or begin,
            enabled=first(deadlock.switch("enable", TRUTHS), default),
            detection_ms=first(deadlock.whole("detection-timer", 1500, 10).map(real), timer),
            restoration_ms=first(deadlock.whole("recovery-timer", 1500, 100).map(real), timer),
        )

    def _bind_egress(self, node: Node, made: PortQos) -> None:
        """Bind the queues with a queue-management profile on the port."""
        bound = {
            queue: self._name(below, "queue-management-profile", MARKING)
            for queue, below in node.child("output", "queues").entries("queue")
        }
        bound = {queue: name for queue, name in bound.items() if name.value is not None}
        if not bound:
            return
        position = min(name.position for name in bound.values())
        key = tuple(sorted((queue, str(name.value)) for queue, name in bound.items()))
        name = " ".join(f"{queue}:{profile}" for queue, profile in key)
        if name not in self.objects.egress:
            policy = self.reading.build(EgressPolicy, position, name=name, complete=False)
            for queue, profile in bound.items():
                index = self.queues.get(queue, ABSENT).value
                if index is None:
                    continue
                policy.queues[QueueKind.UNICAST, index] = self.reading.build(
                    Queue,
                    profile.position,
                    number=index,
                    marking=self.markings.get(profile.value or ""),
                )
            self.objects.egress[name] = policy
        made.egress = name
        made.at["egress"] = position

    def _buffers(self, name: str, node: Node) -> None:
        """Sizes of the ingress PFC queues in bytes."""
        self.reading.names.define(BUFFERS, name, node.begin)
        made = self.reading.build(IngressBuffer, node.begin, name=name, complete=False)
        for queue, below in node.child("queues").entries("pfc-queue"):
            limit = below.whole("maximum-burst-size", HIGHEST_BYTES)
            reserved = below.whole("committed-burst-size", HIGHEST_BYTES)
            index = self.pfc_queues.get(queue, ABSENT).value
            if limit.value == 0:
                message = f"pfc-queue {queue} has a maximum-burst-size of 0: no buffer at all"
                self.reading.note(NoteKind.BAD_VALUE, message, limit.position)
            elif index is not None:
                made.groups[index] = self.reading.build(
                    BufferProfile,
                    below.begin,
                    name=queue,
                    lossless=Value(True, below.begin),
                    static_limit_bytes=limit,
                    reserved_bytes=reserved,
                )
                made.at[index] = below.begin
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
