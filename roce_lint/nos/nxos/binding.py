"""QoS of a port from `system qos` and its own lines."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.qos import PortQos, QosObjects, Trust
from roce_lint.nos.access_lists import CISCO, AccessLists
from roce_lint.nos.base import Default
from roce_lint.nos.nxos import classify, defaults, lossless, pause, queuing
from roce_lint.nos.nxos.defaults import CONFIG
from roce_lint.nos.nxos.platform import Extent, Platform
from roce_lint.nos.nxos.ports import Lines, attachment, attachments
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.stanzas import first


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
    watchdog: pause.Watchdog
    lists: AccessLists


def read_system(
    reading: Reading, platform: Platform, watchdog: pause.Watchdog, extent: Extent
) -> System:
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
        defaults.NO_POLICY if extent.system else defaults.as_unconfirmed(defaults.NO_POLICY),
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
    qos.pfc = pause.pfc_config(reading, lines, system.lossless.priorities)
    qos.pfc.at |= system.lossless.lines
    qos.watchdog = pause.port_watchdog(reading, lines, system.watchdog)
    return qos


def _bind_classifier(system: System, policy: Value[str], qos: PortQos) -> None:
    reading, found = system.reading, system.objects.classifiers
    if not policy.position:
        policy = system.reading.default(system.default_input)
        if classify.BUILTIN not in found:
            found[classify.BUILTIN] = classify.default_classifier(reading)
    qos.at["classifier"] = policy.position
    classifier = found.get(policy.value or "")
    if classifier is None:
        return  # attached, but undefined: nothing is known
    qos.classifier = policy.value
    qos.trust = classify.trust_of(classifier)
    qos.at["trust"] = policy.position
    if qos.trust is Trust.NONE:
        qos.default_tc = classifier.dscp_to_tc.otherwise
        qos.at["default_tc"] = classifier.dscp_to_tc.at.get("otherwise", 0)
    elif qos.trust is Trust.PCP:
        untagged = system.reading.default(defaults.UNTAGGED_COS)
        qos.default_pcp = untagged.value
        qos.at["default_pcp"] = untagged.position


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
        qos.ingress_buffer = policy.value
        qos.at["ingress_buffer"] = policy.position
    elif system.lossless.buffers is not None:
        qos.ingress_buffer = system.lossless.buffers.name
        qos.at["ingress_buffer"] = system.network_qos.position
