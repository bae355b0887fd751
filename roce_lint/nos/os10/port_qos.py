"""QoS of an OS10 port: its own lines, else those of `system qos`."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.qos import (
    EgressPolicy,
    Forwarding,
    HeadroomModel,
    PfcConfig,
    PfcMode,
    PortQos,
    QosObjects,
    SystemQos,
    Trust,
)
from roce_lint.model.sourced import Part
from roce_lint.nos.os10 import defaults
from roce_lint.nos.os10.policies import (
    NO_DROP_POLICY,
    QUEUE_MAP,
    QUEUING_POLICY,
    TRUST_MAP,
    NoDrop,
    Policies,
)
from roce_lint.nos.quantities import MODES, code_map, inverse, paused_priorities
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value, put
from roce_lint.nos.stanzas import first, line_of, text_of
from roce_lint.nos.switch_ports import Port

SWITCH = {"on": True, "off": False}

UNQUEUED = "default"
"""Name of the queues of a port without a queuing policy."""


@dataclass(slots=True)
class Qos:
    """QoS of one device: its policies, and the defaults of every port."""

    reading: Reading
    policies: Policies
    objects: QosObjects
    lines: Reader  # of `system qos`
    dcbx: Value[bool]
    everything: bool  # the whole configuration was read: missing lines are absent
    made: dict[tuple[str | None, str | None], Forwarding] = field(default_factory=dict)

    @classmethod
    def read(cls, reading: Reading, *, everything: bool) -> Qos:
        """Everything outside of ports."""
        policies = Policies.read(reading)
        objects = QosObjects(classifiers=policies.classifiers, egress=policies.egress)
        lines = line_of(reading, "system_qos")
        lines.take()
        for name in ("system_qos", "ets", "classify"):
            lines.text(name)
        qos = cls(reading, policies, objects, lines, _dcbx(reading), everything)
        for kind, name in (
            (TRUST_MAP, "trust_dot1p"),
            (TRUST_MAP, "trust_dscp"),
            (QUEUE_MAP, "queue_map"),
            (NO_DROP_POLICY, "network_qos"),
            (QUEUING_POLICY, "queuing"),
        ):
            reading.refer(kind, lines.word(name, -1))
        return qos

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        has_qos = bool(self.lines.begin or self.policies.any)
        return self.reading.build(SystemQos, headroom=HeadroomModel.PLATFORM, has_qos=has_qos)

    def of_port(self, port: Port) -> PortQos:
        """QoS in force on the port."""
        port.reader.text("ets")
        qos = self.reading.build(PortQos, port.reader.begin)
        self._bind_trust(port, qos)
        queuing = port.bound(QUEUING_POLICY, "queuing", self.lines)
        if queuing.value is None and self.everything:
            qos.egress = self._queues_left()
        else:
            qos.egress = queuing.value if queuing.value in self.objects.egress else None
        qos.at["egress"] = queuing.position
        pause = port.bound(NO_DROP_POLICY, "network_qos", self.lines)
        queues = port.bound(QUEUE_MAP, "queue_map", self.lines)
        qos.forwarding = self._forwarding(pause.value, queues.value)
        qos.at["forwarding"] = pause.position or queues.position
        qos.pfc = self._pfc(port, pause)
        buffers = self.policies.buffers.get(pause.value or "")
        if buffers is not None:
            self.objects.ingress_buffers[str(buffers.name)] = buffers
            qos.ingress_buffer = buffers.name
            qos.at["ingress_buffer"] = pause.position
        qos.at = {name: position for name, position in qos.at.items() if position}
        return qos

    def _bind_trust(self, port: Port, qos: PortQos) -> None:
        dscp: Value[str] = port.inherit(lambda lines: lines.word("trust_dscp", -1))
        dot1p: Value[str] = port.inherit(lambda lines: lines.word("trust_dot1p", -1))
        if dscp or dot1p:
            port.refer(TRUST_MAP, dscp)
            port.refer(TRUST_MAP, dot1p)
        else:
            dscp, dot1p = (self.lines.word(f"trust_{code}", -1) for code in ("dscp", "dot1p"))
        bound = dscp or dot1p
        if bound.value is None:
            # The classes of a policy that classifies arriving packets are not read.
            if self.everything and not (port.text("classify") or self.lines.text("classify")):
                none, rest = defaults.NOT_TRUSTED, defaults.NO_CLASS
                put(qos, trust=self.reading.default(none), default_tc=self.reading.default(rest))
            return
        qos.at["classifier"] = qos.at["trust"] = bound.position
        qos.trust = Trust.DSCP if dscp else Trust.PCP
        if ("dscp" if dscp else "dot1p", bound.value) in self.policies.trust_maps:
            qos.classifier = bound.value

    def _queues_left(self) -> str:
        """Queues of a port without a queuing policy, none of which has ECN marking."""
        if UNQUEUED not in self.objects.egress:
            cited = self.reading.default(defaults.NO_MARKING).position
            self.objects.egress[UNQUEUED] = self.reading.build(EgressPolicy, cited, name=UNQUEUED)
        return UNQUEUED

    def _forwarding(self, pause: str | None, queues: str | None) -> str | None:
        if pause is None and queues is None and not self.everything:
            return None
        name = " + ".join(name for name in (pause, queues) if name) or "default"
        if (pause, queues) not in self.made:
            made = self.made[pause, queues] = self._join(name, pause, queues)
            self.objects.forwardings[name] = made
        return name

    def _join(self, name: str, pause: str | None, queues: str | None) -> Forwarding:
        """Forwarding of one network-qos policy with one queue map."""
        to_queue = self.policies.queue_maps.get(queues or "", {})
        if queues is None and self.everything:
            cited = self.reading.default(defaults.QUEUE_OF_CLASS).position
            to_queue = {group: Value(group, cited) for group in range(8)}
        policy = self.policies.no_drop.get(pause or "", NoDrop())
        sent = code_map(self.reading, policy.begin, policy.priorities)
        sent.at |= {Part("number", group): line for group, line in policy.groups.items()}
        if policy.priorities or pause is None:
            sent.at["otherwise"] = self.reading.default(defaults.NO_PAUSE).position
        stops = {
            priority: to_queue[group.value]
            for priority, group in inverse(policy.priorities).items()
            if group.value in to_queue
        }
        return self.reading.build(
            Forwarding,
            policy.begin,
            name=name,
            tc_to_queue=code_map(self.reading, 0, to_queue),
            tc_to_pg=code_map(self.reading, policy.begin, policy.rooms),
            tc_to_pfc_priority=sent,
            pfc_priority_to_queue=code_map(self.reading, 0, stops),
        )

    def _pfc(self, port: Port, pause: Value[str]) -> PfcConfig:
        mode: Value[PfcMode] = port.inherit(_mode)
        mode = first(mode, self.reading.default(defaults.PFC_OFF))
        named = self._priorities_named(pause)
        sent = paused_priorities(mode, named)
        made = self.reading.build(
            PfcConfig,
            port.reader.begin,
            mode=mode,
            generate=sent,
            honour=sent,
            named=named if named.value else ABSENT,
            dcbx=self.dcbx.map(lambda on: None if on else "off"),
            link_pause_rx=_pause(port, "flowcontrol_receive"),
            link_pause_tx=_pause(port, "flowcontrol_transmit"),
        )
        made.at |= self.policies.no_drop.get(pause.value or "", NoDrop()).named.items()
        return made

    def _priorities_named(self, pause: Value[str]) -> Value[frozenset[int]]:
        """No-drop priorities of the port's network-qos policy."""
        if pause.value is None:
            return self.reading.default(defaults.NOTHING_LOSSLESS)
        policy = self.policies.no_drop.get(pause.value)
        if policy is None or policy.unknown:
            return Value(None, pause.position)
        return Value(frozenset(policy.named), policy.line)


def _mode(reader: Reader) -> Value[PfcMode]:
    text = reader.text("pfc_mode", reset=("no_pfc_mode",))
    return reader.convert(text, MODES.__getitem__, "a PFC mode") if text else ABSENT


def _pause(port: Port, name: str) -> Value[bool]:
    return port.inherit(
        lambda lines: lines.convert(lines.text(name), SWITCH.__getitem__, "on or off")
    )


def _dcbx(reading: Reading) -> Value[bool]:
    """`dcbx enable`, or its `no` form; the last line counts."""
    on, off = text_of(reading, "dcbx").position, text_of(reading, "no_dcbx").position
    return Value(on > off, max(on, off)) if on or off else ABSENT
