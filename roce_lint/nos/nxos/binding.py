"""QoS of a port from `system qos` and its own lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.qos import (
    Classifier,
    PortQos,
    QosObjects,
    Trust,
)
from roce_lint.nos.access_lists import CISCO, AccessLists
from roce_lint.nos.base import Default
from roce_lint.nos.nxos import classify, defaults, lossless, pause, queuing
from roce_lint.nos.nxos.platform import Extent, Platform
from roce_lint.nos.nxos.ports import Lines, attachment
from roce_lint.nos.nxos.stanzas import CONFIG, configuration_records, first
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.match import merge


@dataclass(slots=True)
class SystemQos:
    """Attachments of `system qos`."""

    network_qos: Value[str] = ABSENT
    qos_input: Value[str] = ABSENT
    qos_output: Value[str] = ABSENT  # acts after the class is decided
    queuing_output: Value[str] = ABSENT
    queuing_input: Value[str] = ABSENT


@dataclass(slots=True)
class System:
    """All device-wide inputs to a port's QoS."""

    reading: Reading
    objects: QosObjects
    attached: SystemQos
    lossless: lossless.Lossless
    queuing: dict[str, queuing.QueuingPolicy]
    default_out: Default | None
    default_input: Default
    watchdog: pause.Watchdog
    lists: AccessLists
    trusts: dict[str, Trust] = field(default_factory=dict)

    def default(self, default: Default) -> Value[Any]:
        """A cited default."""
        return self.reading.default(default)


def read_system(
    reading: Reading, platform: Platform, watchdog: pause.Watchdog, extent: Extent
) -> System:
    """All policies and the attachments of `system qos`."""
    maps = classify.class_maps(reading)
    objects = QosObjects()
    objects.classifiers = classify.classifiers(reading, maps)
    queuing_policies = queuing.policies(reading, maps)
    network_policies = lossless.policies(reading, maps)
    attached = _system_qos(reading)
    lossy = lossless.lossless(
        reading, attached.network_qos, network_policies, platform, known=extent.system
    )
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
        attached,
        lossy,
        queuing_policies,
        queuing.default_egress(platform, maps) if extent.system else None,
        defaults.NO_POLICY if extent.system else defaults.as_unconfirmed(defaults.NO_POLICY),
        watchdog,
        CISCO.read(reading, CONFIG),
    )


def _system_qos(reading: Reading) -> SystemQos:
    """The lines of all `system qos` stanzas."""
    records = configuration_records(reading, "system_qos")
    if not records:
        return SystemQos()
    reader = Reader(merge(records), reading, starts=tuple(r.position for r in records))
    reader.take()
    reader.text("system_qos")
    return SystemQos(
        network_qos=attachment(reader, "network_qos", lossless.POLICY),
        qos_input=attachment(reader, "qos_input", classify.POLICY),
        qos_output=attachment(reader, "qos_output", classify.POLICY),
        queuing_output=attachment(reader, "queuing_output", queuing.POLICY),
        queuing_input=attachment(reader, "queuing_input", queuing.POLICY),
    )


def port_qos(system: System, lines: Lines) -> PortQos:
    """QoS of a port with these lines, after inheritance from its channel."""
    reading = system.reading
    qos = reading.build(PortQos, lines.begin)
    _bind_classifier(system, first(lines.qos_input, system.attached.qos_input), qos)
    _bind_egress(system, first(lines.queuing_output, system.attached.queuing_output), qos)
    _bind_ingress(system, first(lines.queuing_input, system.attached.queuing_input), qos)
    forwarding = system.lossless.forwarding
    if forwarding is not None:
        qos.forwarding = forwarding.name
    position = system.attached.network_qos.position or (
        system.default(defaults.NO_PAUSE).position if forwarding is not None else 0
    )
    if position:
        qos.at["forwarding"] = position
    qos.pfc = pause.pfc_config(reading, lines, system.lossless.priorities)
    qos.pfc.at |= system.lossless.lines
    qos.watchdog = pause.port_watchdog(reading, lines, system.watchdog)
    return qos


def _bind_classifier(system: System, policy: Value[str], qos: PortQos) -> None:
    reading, found = system.reading, system.objects.classifiers
    if not policy.position:
        policy = system.default(system.default_input)
        if classify.BUILTIN not in found:
            found[classify.BUILTIN] = classify.default_classifier(reading)
    qos.at["classifier"] = policy.position
    classifier = found.get(policy.value or "")
    if classifier is None:
        return  # attached, but undefined: nothing is known
    qos.classifier = policy.value
    qos.trust = _trust(system, str(policy.value), classifier)
    qos.at["trust"] = policy.position
    if qos.trust is Trust.NONE:
        qos.default_tc = classifier.dscp_to_tc.otherwise
        qos.at["default_tc"] = classifier.dscp_to_tc.at.get("otherwise", 0)
    elif qos.trust is Trust.PCP:
        untagged = system.default(defaults.UNTAGGED_COS)
        qos.default_pcp = untagged.value
        qos.at["default_pcp"] = untagged.position


def _trust(system: System, name: str, classifier: Classifier) -> Trust:
    trust = system.trusts.get(name)
    if trust is None:
        trust = system.trusts[name] = classify.trust_of(classifier)
    return trust


def _bind_egress(system: System, policy: Value[str], qos: PortQos) -> None:
    if policy.position:
        bound = queuing.egress_of(policy, system.queuing)
        certain = True
    else:
        default = system.default_out
        bound = system.default(default) if default is not None else ABSENT
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
    if policy.value is not None:
        found = system.queuing.get(policy.value)
        if found is not None and found.ingress.groups:
            qos.ingress_buffer = policy.value
            qos.at["ingress_buffer"] = policy.position
            return
    if system.lossless.buffers is not None:
        qos.ingress_buffer = system.lossless.buffers.name
        qos.at["ingress_buffer"] = system.attached.network_qos.position
