"""Which statements of AOS-CX say what a device is to do.

What one line of the whole switch says for all of its ports is said there; a member of a channel
says what the channel does not. The model does not keep the VNIs of a tunnel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED, Interface, InterfaceKind
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PortQos,
    QosObjects,
    Queue,
    Scheduler,
    SchedulerKind,
    Trust,
)
from roce_lint.nos.aoscx.words import (
    AppliedQos,
    Bgp,
    CosMap,
    DscpMap,
    Hostname,
    PortWords,
    QueueOf,
    QueueProfile,
    QueueWeight,
    ScheduleProfile,
    Slope,
    Step,
    Strict,
    SwitchTrust,
    ThresholdProfile,
)
from roce_lint.nos.omissions import Fields, find_omissions
from roce_lint.nos.selection import (
    Selection,
    by_value,
    is_named,
    is_only_mentioned,
    of_all,
    value_to_state,
    whole,
)
from roce_lint.nos.words import Words
from roce_lint.text.numbers import whole_number

INHERITED = (
    "mtu", "ip_mtu", "routing", "access_vlan", "native_vlan", "allowed_vlans", "trust",
    "queue_profile", "schedule_profile", "threshold_profile", "direction", "pfc",
)  # fmt: skip
"""What a member of a channel has from it, where its own lines say nothing."""


NUMBERED = frozenset({InterfaceKind.LAG, InterfaceKind.VLAN, InterfaceKind.LOOPBACK})
"""Kinds that are named by a word and a number."""


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles that a port applies, by name."""

    queue: str | None = None
    schedule: str | None = None
    threshold: str | None = None


TOLD: Fields = {
    Device: frozenset({"asn"}),
    QosObjects: frozenset(),
    Interface: frozenset(
        {"description", "enabled", "ip_mtu", "addresses", "vrf", "lag", "routed"}
        | {"untagged_vlan", "tagged_vlans"}
    ),
    PortQos: frozenset({"trust"}),
    PfcConfig: frozenset({"mode", "generate", "honour", "link_pause_rx", "link_pause_tx"}),
    Classifier: frozenset({"dscp_to_tc", "pcp_to_tc"}),
    Forwarding: frozenset({"tc_to_queue", "pfc_priority_to_queue"}),
    EgressPolicy: frozenset(),
    Queue: frozenset(),
    Scheduler: frozenset({"kind", "share", "share_of"}),
    Marking: frozenset({"ecn", "kmin", "kmax"}),
}
"""What the statements say."""


def choose(device: Device) -> Selection:
    """The statements of the whole configuration, and what none says."""
    return Selection(tuple(_stanzas(device)), find_omissions(device, TOLD))


def _stanzas(device: Device) -> Iterator[Words]:
    if is_named(device):
        yield Hostname(hostname=device.hostname)
    ports = [port for port in device.interfaces.values() if port.qos is not None]
    bound = {port.name: _profiles(port.qos) for port in ports if port.qos is not None}
    everywhere = of_all(bound.values()) or Profiles()
    trust = of_all(value_to_state(port.qos, "trust") for port in ports if port.qos is not None)
    yield from _profiles_of(device, bound)
    yield from _maps(device)
    if trust is not None:
        yield SwitchTrust(trust=trust)
    if everywhere.queue and everywhere.schedule:
        yield AppliedQos(queue_profile=everywhere.queue, schedule_profile=everywhere.schedule)
    if everywhere.threshold:
        yield AppliedQos(threshold_profile=everywhere.threshold)
    yield from _ports(device, bound, everywhere, trust)
    asn = value_to_state(device, "asn")
    if asn is not None:
        yield Bgp(asn=asn)


def _profiles(qos: PortQos) -> Profiles:
    """What a port applies; the name of an egress policy is that of its two profiles."""
    queue = qos.forwarding if qos.forwarding != "default" else None
    if qos.egress is None:
        return Profiles(queue)
    schedule, both, threshold = qos.egress.partition(" ")
    if not both:  # named by who made the device, not by what was read
        schedule = threshold = qos.egress
    return Profiles(queue, *(name if name != "-" else None for name in (schedule, threshold)))


def _profiles_of(device: Device, bound: Mapping[str, Profiles]) -> Iterator[Words]:
    """Each profile that a port applies, once."""
    for name in dict.fromkeys(p.queue for p in bound.values() if p.queue):
        queues = by_value(device.qos.forwardings[name].tc_to_queue)
        rows = tuple(QueueOf(queue=queue, priorities=tcs) for queue, tcs in queues)
        if rows:
            yield QueueProfile(name=name, queues=rows)
    schedules: dict[str, ScheduleProfile] = {}
    thresholds: dict[str, ThresholdProfile] = {}
    for name, profiles in bound.items():
        qos = device.interfaces[name].qos
        policy = device.qos.egress.get((qos and qos.egress) or "")
        if policy and profiles.schedule and profiles.schedule not in schedules:
            schedules[profiles.schedule] = _schedule(profiles.schedule, policy)
        if policy and profiles.threshold and profiles.threshold not in thresholds:
            thresholds[profiles.threshold] = _threshold(profiles.threshold, policy)
    yield from (made for made in schedules.values() if made.weighted or made.strict)
    yield from (made for made in thresholds.values() if made.queues or made.slopes)


def _schedule(name: str, policy: EgressPolicy) -> ScheduleProfile:
    turns = [(q.number, q.scheduler) for q in policy.queues.values() if q.scheduler is not None]
    strict = [n for n, turn in turns if turn.kind is SchedulerKind.STRICT]
    weighted = [(n, turn) for n, turn in turns if turn.kind is SchedulerKind.WEIGHTED]
    return ScheduleProfile(
        name=name,
        weighted=tuple(QueueWeight(queue=n, weight=whole(turn.share)) for n, turn in weighted),
        strict=tuple(Strict(queue=n) for n in strict),
    )


def _threshold(name: str, policy: EgressPolicy) -> ThresholdProfile:
    marks = [(q.number, q.marking) for q in policy.queues.values() if q.marking is not None]
    made = [(n, m) for n, m in marks if m.ecn and value_to_state(m, "ecn")]
    return ThresholdProfile(
        name=name,
        queues=tuple(
            Step(queue=n, action="ecn", threshold=m.kmin) for n, m in made if m.kmin == m.kmax
        ),
        slopes=tuple(
            Slope(queue=n, action="ecn", low=m.kmin, high=m.kmax)
            for n, m in made
            if m.kmin != m.kmax
        ),
    )


def _maps(device: Device) -> Iterator[Words]:
    """The maps of the whole switch; of a default nothing is said."""
    own = [table for table in device.qos.classifiers.values() if not table.builtin]
    if len(own) > 1:
        raise RenderError("the switch has one DSCP map for all of its ports")
    for table in own:
        for priority, codes in by_value(table.dscp_to_tc, range(64)):
            yield DscpMap(codes=codes, priority=priority)
        for priority, codes in by_value(table.pcp_to_tc, range(8)):
            yield CosMap(codes=codes, priority=priority)


def _ports(
    device: Device, bound: dict[str, Profiles], everywhere: Profiles, trust: Trust | None
) -> Iterator[Words]:
    made: dict[str, PortWords] = {}
    for port in device.interfaces.values():
        if port.kind is not InterfaceKind.TUNNEL and not is_only_mentioned(port):
            words = made[port.name] = _port(port)
            if port.qos is not None:
                named = bound[port.name] if bound[port.name] != everywhere else Profiles()
                words.queue_profile = named.queue
                words.schedule_profile = named.schedule
                words.threshold_profile = named.threshold
                words.trust = value_to_state(port.qos, "trust") if trust is None else None
    for name, own in made.items():
        channel = made.get(device.interfaces[name].lag or "")
        yield own if channel is None else own.without(channel, *INHERITED)


def _port(port: Interface) -> PortWords:
    """What a port says of itself."""
    wired = port.kind in WIRED
    mtu = value_to_state(port, "ip_mtu")
    words = PortWords(
        name=_header(port),
        description=value_to_state(port, "description"),
        up=value_to_state(port, "enabled"),
        mtu=mtu if wired else None,
        ip_mtu=mtu if port.routed or not wired else None,
        ipv4=tuple(a for a in port.addresses if ":" not in a) or None,
        ipv6=tuple(a for a in port.addresses if ":" in a) or None,
        vrf=value_to_state(port, "vrf"),
        lag=whole_number(port.lag.removeprefix("lag")) if port.lag else None,
    )
    if wired:
        words.routing = value_to_state(port, "routed")
        _vlans(port, words)
        _pause(port, words)
    return words


def _header(port: Interface) -> str:
    """`lag 10` of `lag10`."""
    if port.kind not in NUMBERED:
        return port.name
    letters = port.name.rstrip("0123456789")
    return f"{letters} {port.name[len(letters) :]}"


def _vlans(port: Interface, words: PortWords) -> None:
    if port.tagged is False and not port.routed:
        words.access_vlan = value_to_state(port, "untagged_vlan")
        return
    words.native_vlan = value_to_state(port, "untagged_vlan")
    tagged = value_to_state(port, "tagged_vlans")
    if tagged is not None:
        words.allowed_vlans = tagged | {port.untagged_vlan} - {None}


def _pause(port: Interface, words: PortWords) -> None:
    pfc = port.qos.pfc if port.qos is not None else None
    if pfc is None:
        return
    words.pfc = value_to_state(pfc, "generate")
    if words.pfc:
        words.direction = "rxtx"
    if words.pfc is not None and pfc.honour != pfc.generate:
        raise RenderError(f"{port.name}: a priority is paused in both directions or in none")
    if pfc.link_pause_rx:
        words.link_pause = "rxtx" if pfc.link_pause_tx else "rx"
