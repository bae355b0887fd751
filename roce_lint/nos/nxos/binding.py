"""QoS of a port from `system qos` and its own lines, with its PFC and watchdog."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.qos import (
    PfcConfig,
    PfcMode,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Trust,
    WatchdogAction,
)
from roce_lint.nos.access_lists import CISCO, AccessLists
from roce_lint.nos.declare import Default
from roce_lint.nos.nxos import classify, defaults, lossless, queuing
from roce_lint.nos.nxos.platform import Extent, Platform, as_unconfirmed
from roce_lint.nos.nxos.ports import (
    HIGHEST_MULTIPLIER,
    Lines,
    attachment,
    attachments,
    watchdog_line,
)
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reading, Value, put
from roce_lint.nos.stanzas import CONFIG, first, last_line, value_in_force
from roce_lint.text.numbers import real


@dataclass(slots=True)
class Watchdog:
    """The watchdog's global lines; times in milliseconds."""

    enabled: Value[bool]
    interval: Value[float]
    shutdown: Value[int] = ABSENT  # multiplier of the interval until a queue counts as stuck
    restore: Value[int] = ABSENT  # multiplier of the interval until it is restored

    def times(self, multiplier: Value[int]) -> Value[float]:
        """The interval times a multiplier, at the line of the multiplier; unknown without one."""
        interval = self.interval.value
        if interval is None:
            return ABSENT
        return multiplier.map(lambda count: count * interval)


def pfc_config(reading: Reading, lines: Lines, priorities: Value[frozenset[int]]) -> PfcConfig:
    """PFC of a port. `priorities` are the no-drop priorities of the network-qos policy."""
    mode = first(lines.pfc_mode, reading.default(defaults.PFC_AUTO))
    sent: Value[frozenset[int]] = ABSENT  # auto: the DCBX result is not in a configuration
    if mode.value is PfcMode.ON:
        sent = priorities
    elif mode.value is PfcMode.OFF:
        sent = Value(frozenset(), mode.position)
    advertises = mode.map(lambda known: known is PfcMode.AUTO or bool(lines.send_tlv.value))
    silent = next((lldp for lldp in (lines.lldp_tx, lines.lldp_rx) if lldp.value is False), ABSENT)
    if silent and mode.value is PfcMode.AUTO:
        sent = Value(frozenset(), silent.position)  # no peer to negotiate with
    if lines.lldp_tx.value is False:
        advertises = lines.lldp_tx
    off = reading.default(defaults.LINK_PAUSE_OFF)
    return reading.build(
        PfcConfig,
        lines.begin,
        mode=mode,
        generate=sent,
        honour=sent,
        advertises=advertises,
        dcbx=silent.map(lambda _: "off") if silent else lines.dcbx,
        link_pause_rx=first(lines.pause_rx, off),
        link_pause_tx=first(lines.pause_tx, off),
    )


def port_watchdog(reading: Reading, lines: Lines, system: Watchdog) -> PfcWatchdog:
    """The watchdog of a port; its times come from the global lines."""
    line = lines.watchdog
    multiplier = line.map(lambda stated: stated.multiplier).or_else(system.shutdown)
    action = line.map(lambda stated: WatchdogAction.ALERT if stated.disable_action else None)
    return reading.build(
        PfcWatchdog,
        lines.begin,
        enabled=first(
            line.map(lambda stated: stated.enabled), reading.default(defaults.WATCHDOG_OFF)
        ),
        polling_ms=system.interval,
        detection_ms=system.times(multiplier),
        restoration_ms=system.times(system.restore),
        action=action.or_else(reading.default(defaults.WATCHDOG_DROPS)),
    )


def read_watchdog(reading: Reading) -> Watchdog:
    """The global lines of the PFC watchdog."""
    switch = last_line(reading, CONFIG, "watchdog")
    enabled: Value[bool] = ABSENT
    if switch is not None:
        line = watchdog_line(switch, value_in_force(switch, "watchdog", "no_watchdog"))
        enabled = line.map(lambda stated: stated.enabled)
    return Watchdog(
        first(enabled, reading.default(defaults.WATCHDOG_OFF)),
        first(
            _number(reading, "watchdog_interval", "interval", 100, 1000).map(real),
            reading.default(defaults.WATCHDOG_INTERVAL),
        ),
        _number(reading, "watchdog_shutdown", "multiplier", 1, 10),
        _number(reading, "watchdog_restore", "multiplier", 0, HIGHEST_MULTIPLIER),
    )


def _number(reading: Reading, group: str, name: str, low: int, high: int) -> Value[int]:
    reader = last_line(reading, CONFIG, group)
    if reader is None:
        return ABSENT
    return whole(reader, reader.text(name), high, group.replace("_", " "), low)


# Policies, and all QoS of a port.


@dataclass(slots=True)
class System:
    """All device-wide inputs to a port's QoS."""

    reading: Reading
    objects: QosObjects
    network_qos: Value[str]
    attached: dict[str, Value[str]]  # other policies of all ports
    lossless: lossless.Lossless
    queuing: dict[str, queuing.QueuingPolicy]
    default_out: Default | None
    default_input: Default
    watchdog: Watchdog
    lists: AccessLists


def read_system(reading: Reading, platform: Platform, watchdog: Watchdog, extent: Extent) -> System:
    """All policies and the attachments of `system qos`."""
    maps = classify.class_maps(reading)
    objects = QosObjects()
    objects.classifiers = classify.classifiers(reading, maps)
    queuing_policies = queuing.policies(reading, maps)
    network_policies = lossless.policies(reading, maps)
    network_qos, attached = _system_qos(reading)
    lossy = lossless.lossless(reading, network_qos, network_policies, platform, known=extent.system)
    if lossy.forwarding is not None:
        objects.forwardings[str(lossy.forwarding.name)] = lossy.forwarding
    if lossy.buffers is not None:
        objects.ingress_buffers[str(lossy.buffers.name)] = lossy.buffers
    queuing.inherit_marking(queuing_policies, lossy.marking)
    odd = maps.note_odd(reading)
    for name, policy in queuing_policies.items():
        for key, queue in [*policy.egress.queues.items()] if odd else ():
            if queue.at[""] in odd:  # which queue it is, if any, is not known
                del policy.egress.queues[key]
                policy.egress.complete = False
        if not policy.of_ingress:
            objects.egress[name] = policy.egress
        if policy.ingress.groups:
            objects.ingress_buffers.setdefault(name, policy.ingress)
    return System(
        reading,
        objects,
        network_qos,
        attached,
        lossy,
        queuing_policies,
        queuing.default_egress(platform, maps) if extent.system else None,
        defaults.NO_POLICY if extent.system else as_unconfirmed(defaults.NO_POLICY),
        watchdog,
        CISCO.read(reading, CONFIG),
    )


def _system_qos(reading: Reading) -> tuple[Value[str], dict[str, Value[str]]]:
    """The network-qos policy and the other policies of all `system qos` stanzas."""
    for _, reader in reading.merge(CONFIG, "system_qos", "system_qos"):
        reader.take()
        reader.text("system_qos")
        return attachment(reader, "network_qos", lossless.POLICY), attachments(reader)
    return ABSENT, {}


def port_qos(system: System, lines: Lines) -> PortQos:
    """QoS of a port with these lines, after inheritance from its channel."""
    reading = system.reading
    qos = reading.build(PortQos, lines.begin)
    everywhere = system.attached.get
    _bind_classifier(system, first(lines.qos_input, everywhere("qos_input", ABSENT)), qos)
    _bind_egress(system, first(lines.queuing_output, everywhere("queuing_output", ABSENT)), qos)
    _bind_ingress(system, first(lines.queuing_input, everywhere("queuing_input", ABSENT)), qos)
    forwarding = system.lossless.forwarding
    if forwarding is not None:
        qos.forwarding = forwarding.name
    position = system.network_qos.position or (
        system.reading.default(defaults.NO_PAUSE).position if forwarding is not None else 0
    )
    if position:
        qos.at["forwarding"] = position
    qos.pfc = pfc_config(reading, lines, system.lossless.priorities)
    qos.pfc.at |= system.lossless.lines
    qos.watchdog = port_watchdog(reading, lines, system.watchdog)
    return qos


def _bind_classifier(system: System, policy: Value[str], qos: PortQos) -> None:
    reading, found = system.reading, system.objects.classifiers
    if not policy.position:
        policy = reading.default(system.default_input)
        if classify.BUILTIN not in found:
            found[classify.BUILTIN] = classify.default_classifier(reading)
    qos.at["classifier"] = policy.position
    classifier = found.get(policy.value or "")
    if classifier is None:
        return  # attached, but undefined: nothing is known
    put(qos, classifier=policy, trust=Value(classify.trust_of(classifier), policy.position))
    if qos.trust is Trust.NONE:
        rest = classifier.dscp_to_tc
        put(qos, default_tc=Value(rest.otherwise, rest.at.get("otherwise", 0)))
    elif qos.trust is Trust.PCP:
        put(qos, default_pcp=reading.default(defaults.UNTAGGED_COS))


def _bind_egress(system: System, policy: Value[str], qos: PortQos) -> None:
    if policy.position:
        bound = queuing.egress_of(policy, system.queuing)
        certain = True
    else:
        default = system.default_out
        bound = system.reading.default(default) if default is not None else ABSENT
        certain = default is defaults.DEFAULT_OUT
    qos.egress = bound.value
    if bound.position:
        qos.at["egress"] = bound.position
    if bound.value == queuing.DEFAULT_OUT and bound.value not in system.objects.egress:
        system.objects.egress[bound.value] = queuing.default_policy(
            system.reading, system.lossless.marking, certain=certain
        )


def _bind_ingress(system: System, policy: Value[str], qos: PortQos) -> None:
    """Bind pause buffers of an ingress queuing policy, else of the network-qos policy."""
    found = system.queuing.get(policy.value or "")
    if found is not None and found.ingress.groups:
        put(qos, ingress_buffer=policy)
    elif system.lossless.buffers is not None:
        name, position = system.lossless.buffers.name, system.network_qos.position
        put(qos, ingress_buffer=Value(name, position))
