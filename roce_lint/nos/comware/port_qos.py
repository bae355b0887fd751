"""QoS of a Comware port: trust, maps, PFC, queues."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    EgressPolicy,
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SystemQos,
    Trust,
)
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.comware import defaults, maps
from roce_lint.nos.comware.pause import Pause
from roce_lint.nos.comware.queues import Wred, schedulers
from roce_lint.nos.reading import Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, first
from roce_lint.nos.switch_ports import OwnPolicies, Port

TABLE = "marking profile"

TRUSTS = {"dscp": Trust.DSCP, "dot1p": Trust.PCP, "none": Trust.NONE}

KEPT = 3
"""Port priorities from which on all models have the same local precedence."""


@dataclass(slots=True)
class Qos:
    """Named QoS structures, and the objects already built for ports."""

    reading: Reading
    pause: Pause
    begin: int  # of the device
    objects: QosObjects = field(default_factory=QosObjects)
    wred: dict[str, Wred] = field(default_factory=dict)
    stated: bool = False  # a device-wide line configures QoS

    @classmethod
    def read(cls, reading: Reading, named_at: int) -> Qos:
        """All maps, tables and global lines; no `named_at` line in a partial configuration."""
        tables = maps.tables(reading)
        local = maps.local_precedences(reading, tables)
        pause = Pause.read(reading, local, whole_file=bool(named_at))
        qos = cls(reading, pause, named_at or 1)
        qos.objects.classifiers["maps"] = maps.classifier(reading, qos.begin, tables)
        forwarding = maps.forwarding(reading, qos.begin, tables)
        if forwarding is not None:
            qos.objects.forwardings["maps"] = forwarding
        for name, reader in reading.define(CONFIG, "wred_table", TABLE):
            qos.wred[name] = Wred.read(reader, is_table=True)
        _buffers(reading)
        qos.stated = bool(tables or qos.wred or qos.pause.stated)
        return qos

    @property
    def own(self) -> OwnPolicies:
        """Egress policies of ports with queue lines."""
        return OwnPolicies(self.objects, each=True)

    def system(self) -> SystemQos:
        """Device-wide QoS."""
        return self.reading.build(SystemQos, has_qos=self.stated)

    def of_port(self, port: Port) -> PortQos:
        """QoS in force on the port."""
        made = self.reading.build(PortQos, port.reader.begin)
        self._bind_trust(port, made)
        if "maps" in self.objects.forwardings:
            made.forwarding = "maps"
        self._bind_egress(port, made)
        made.pfc = self.pause.of_port(port)
        made.watchdog = self.pause.watchdog(port)
        return made

    def _bind_trust(self, port: Port, made: PortQos) -> None:
        stated = port.text("trust")
        trust: Value[Trust] = first(
            stated.map(lambda text: TRUSTS.get(text.split()[0])),
            self.reading.default(defaults.TRUST_NONE),
        )
        given = port.whole("port_priority", (0, 7), "priority")
        priority: Value[int] = first(given, self.reading.default(defaults.PORT_PRIORITY))
        policy = port.text("policy")
        local = priority.map(lambda n: n if n >= KEPT else None)
        put(made, trust=trust, default_pcp=priority, default_tc=local)
        # A policy may set another local precedence; its actions are not read.
        made.classifier = None if policy.position else "maps"
        made.at["classifier"] = policy.position or trust.position

    def _bind_egress(self, port: Port, made: PortQos) -> None:
        lines = port.reader
        table = port.refer(TABLE, lines.text("wred_table"))
        own, turns = Wred.read(lines, is_table=False), schedulers(lines)
        name = "none"
        if table.position or own.limits or own.ecn or turns:
            name = self.own.name()
        if name not in self.objects.egress:
            begin = self.begin if name == "none" else lines.begin
            self.objects.egress[name] = self._egress(name, begin, table, own, turns)
        made.egress = name
        silent: Value[bool] = self.reading.default(defaults.NO_MARKING)
        stated = [*own.ecn.values(), *(line for _, line in own.limits.values())]
        stated += [turn.at[""] for turn in turns.values()]
        # The port refers to the table: its line binds the queues, regardless of lines above it.
        made.at["egress"] = table.position or min(filter(None, stated), default=silent.position)

    def _egress(
        self, name: str, begin: int, table: Value[str], own: Wred, turns: dict[int, Scheduler]
    ) -> EgressPolicy:
        policy = self.reading.build(EgressPolicy, begin, name=name)
        applied = self.wred.get(table.value or "")
        silent = Wred().marking(self.reading, 0, None, begin)  # of all queues without a line
        for queue in PRIORITIES:
            made = self.reading.build(Queue, begin, number=queue, scheduler=turns.get(queue))
            if queue in own.limits or queue in own.ecn:
                made.marking = own.marking(self.reading, queue, None, begin)
            elif not table.position:
                made.marking = silent
            elif applied is not None:
                made.marking = applied.marking(self.reading, queue, table.value, table.position)
            else:
                policy.complete = False  # an undefined table
            if table.position:
                made.at["marking"] = table.position
            marked = own.ecn.get(queue, 0) or (applied.ecn.get(queue, 0) if applied else 0)
            if marked:
                made.at["number"] = marked
            policy.queues[QueueKind.UNICAST, queue] = made
        return policy


def _buffers(reading: Reading) -> None:
    """Note a missing `buffer apply`, without which buffer lines have no effect."""
    lines, applied = ([*reading.groups(CONFIG, each)] for each in ("buffer", "buffer_apply"))
    for line in lines:
        line.text("buffer")
    for line in applied:
        line.text("buffer_apply")
    if lines and not applied:
        message = "buffer lines are not in force without `buffer apply`"
        reading.note(NoteKind.REMARK, message, lines[0].begin)
