"""QoS objects of a golden device: maps, queues, buffers, PFC and watchdog."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.design.classes import DesignClass
from roce_lint.design.layout import Loc, PlannedPort, PlannedSwitch, Refusals
from roce_lint.intent.schema import IntentMarking, IntentSchema, WatchdogSchema, WatchdogTimes
from roce_lint.model.buffer import BufferProfile, IngressBuffer
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
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
    WatchdogAction,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.text.source import SourceMap

GOLDEN = "golden"
"""Key of the maps shared by all ports of a golden device."""


@dataclass(slots=True)
class DesignSpec:
    """Requirements for every device, with their paths in the intent."""

    schema: IntentSchema
    classes: tuple[DesignClass, ...]
    marking: tuple[IntentMarking, ...]
    marking_keys: Loc
    src: SourceMap
    refusals: Refusals
    checked: set[Hashable] = field(default_factory=set)

    def at(self, *keys: int | str) -> int:
        """Position of a key of the intent."""
        return self.src.path(0, keys)

    @property
    def paused(self) -> frozenset[int]:
        """Lossless priorities."""
        return frozenset(each.number for each in self.classes if each.lossless)


def maps_of(spec: DesignSpec, offer: Offer) -> QosObjects:
    """Maps from DSCPs to classes, and from classes to queues and groups."""
    rest, *named = spec.classes
    codes = CodeMap(src=spec.src, otherwise=rest.number)
    tags = CodeMap(src=spec.src, otherwise=rest.number)
    for each in (rest, *named):
        for dscp in each.dscps if each.keys else ():
            codes.entries[dscp] = each.number
            codes.at[dscp] = spec.at(*each.at("dscp"))
        if each.pcp is not None and offer.trust is Trust.BOTH:
            tags.entries[each.pcp] = each.number
            tags.at[each.pcp] = spec.at(*each.keys)
    codes.at["otherwise"] = spec.at(*rest.at("dscp"))
    at: dict[Hashable, int] = {"": spec.at("classes")}
    same = {each.number: each.number for each in spec.classes}
    lossless = {each.number: each.number for each in spec.classes if each.lossless}
    lines = {each.number: spec.at(*each.at("pfc_priority")) for each in spec.classes}

    def table(entries: dict[int, int]) -> CodeMap:
        return CodeMap(entries=dict(entries), src=spec.src, at={n: lines[n] for n in entries})

    forwarding = Forwarding(
        name=GOLDEN,
        tc_to_queue=table(same),
        tc_to_pg=table(same),
        tc_to_pfc_priority=table(lossless),
        pfc_priority_to_queue=table(lossless),
        pfc_priority_to_pg=table(lossless),
        src=spec.src,
        at=dict(at),
    )
    classifier = Classifier(
        name=GOLDEN, dscp_to_tc=codes, pcp_to_tc=tags, src=spec.src, at=dict(at)
    )
    return QosObjects(classifiers={GOLDEN: classifier}, forwardings={GOLDEN: forwarding})


def port_qos(
    spec: DesignSpec, switch: PlannedSwitch, port: PlannedPort, objects: QosObjects
) -> PortQos:
    """QoS of a port: maps, queues for its speed, and buffers for its cable."""
    speed = f"{port.speed_gbps:g}G"
    if speed not in objects.egress:
        objects.egress[speed] = egress_of(spec, switch.offer, switch.nos, port.speed_gbps)
    made = PortQos(
        trust=switch.offer.trust,
        classifier=GOLDEN,
        forwarding=GOLDEN,
        egress=speed,
        pfc=pfc_of(spec),
        src=spec.src,
        at={
            name: spec.at("classes")
            for name in ("", "trust", "classifier", "forwarding", "egress", "pfc")
        },
    )
    if spec.paused and switch.offer.headroom is HeadroomModel.STATIC:
        cable = f"{port.cable_m:g}m" if port.cable_m is not None else ""
        key = f"{speed} {cable}".strip()
        if key not in objects.ingress_buffers:
            buffer = _buffer(spec, switch, port)
            if buffer is not None:
                objects.ingress_buffers[key] = buffer
        made.ingress_buffer = key
        made.at["ingress_buffer"] = spec.at("buffers")
    return made


def pfc_of(spec: DesignSpec) -> PfcConfig:
    """PFC of lossless priorities, both ways; off where there are none."""
    place = spec.at("mode") if spec.schema.mode else spec.at("classes")
    names = [each for each in spec.classes if each.lossless]
    first = spec.at(*names[0].at("pfc_priority")) if names else place
    return PfcConfig(
        mode=PfcMode.ON if spec.paused else PfcMode.OFF,
        generate=spec.paused,
        honour=spec.paused,
        src=spec.src,
        at={"": place, "mode": place, "generate": first, "honour": first},
    )


def egress_of(spec: DesignSpec, offer: Offer, nos: str, speed: float) -> EgressPolicy:
    """Scheduling and ECN of all queues of a port of a speed, in Gb/s."""
    policy = EgressPolicy(name=f"{speed:g}G", src=spec.src, at={"": spec.at("classes")})
    for each in spec.classes:
        key = QueueKind.UNICAST, each.number
        place = spec.at(*each.keys) if each.keys else spec.at("classes")
        policy.queues[key] = Queue(
            number=each.number,
            scheduler=_scheduler(spec, offer, nos, each),
            marking=_marking(spec, offer, nos, each, speed),
            src=spec.src,
            at={"": place, "scheduler": place, "marking": place},
        )
        policy.at[key] = place
    return policy


def _scheduler(spec: DesignSpec, offer: Offer, nos: str, each: DesignClass) -> Scheduler:
    own = spec.at(*each.keys) if each.keys else spec.at("classes")
    place: dict[Hashable, int] = {"": own}
    if each.cap_percent is not None and not offer.caps:
        message = f"{nos} has no documented bandwidth limit for a queue"
        spec.refusals.add(each.at("cap_percent"), message, f"see {offer.source}")
    if each.strict:
        made = Scheduler(kind=SchedulerKind.STRICT, src=spec.src, at=place)
        made.at["kind"] = spec.at(*each.at("strict"))
    else:
        made = Scheduler(
            kind=SchedulerKind.WEIGHTED,
            share=each.share_percent,
            share_of=offer.share_of,
            src=spec.src,
            at=place,
        )
        made.at["kind"] = made.at["share"] = spec.at(*each.at("share_percent"))
        share = each.share_percent or 0
        if offer.share_of is ShareKind.WEIGHT and share % 1:
            message = f"{nos} requires whole numbers, found {share:g}"
            spec.refusals.add(each.at("share_percent"), message)
    if each.cap_percent is not None:
        made.shape_percent = each.cap_percent
        made.at["shape_percent"] = spec.at(*each.at("cap_percent"))
    return made


def _marking(spec: DesignSpec, offer: Offer, nos: str, each: DesignClass, speed: float) -> Marking:
    place = spec.at(*each.at("marked"))
    made = Marking(ecn=each.marked, src=spec.src, at={"": place, "ecn": place})
    if not each.marked:
        return made
    made.wred_drop = False
    made.at["wred_drop"] = place
    found = _thresholds(spec, offer, nos, speed, each)
    if found is None:
        return made
    number, low, high, pmax = found
    made.kmin, made.kmax, made.pmax_percent = low, high, pmax
    keys: Loc = (
        (*spec.marking_keys, number) if spec.marking_keys == ("marking",) else (spec.marking_keys)
    )
    made.at.update(dict.fromkeys(("kmin", "kmax", "pmax_percent"), spec.at(*keys)))
    return made


Found = tuple[int, Threshold, Threshold, float]


def _thresholds(
    spec: DesignSpec, offer: Offer, nos: str, speed: float, each: DesignClass
) -> Found | None:
    """ECN thresholds of a speed in the unit of the system; refused if there are none."""
    percent = offer.unit is ThresholdUnit.PERCENT
    unit, names = (
        ("percent", ("kmin_percent", "kmax_percent"))
        if percent
        else ("bytes", ("kmin_bytes", "kmax_bytes"))
    )
    fitting = [
        (entry.speed_gbps is None, number, entry)
        for number, entry in enumerate(spec.marking)
        if entry.speed_gbps in (None, speed) and getattr(entry, names[0]) is not None
    ]
    if not fitting:
        message = f"no thresholds in {unit} for {speed:g} Gb/s, as {nos} states them"
        spec.refusals.add(each.at("marked"), message, f"give marking with {names[0]}")
        return None
    _, number, entry = min(fitting, key=lambda found: found[:2])
    low, high, pmax = (getattr(entry, name) for name in (*names, "pmax_percent"))
    keys: Loc = (
        (*spec.marking_keys, number) if spec.marking_keys == ("marking",) else (spec.marking_keys)
    )
    for name, value in ((names[1], high), ("pmax_percent", pmax)):
        if value is None:
            spec.refusals.add(keys, f"{name} is missing, which {nos} requires")
    if high is None or pmax is None:
        return None
    for name, value, limit in (
        (names[0], low, offer.threshold),
        (names[1], high, offer.threshold),
        ("pmax_percent", pmax, offer.pmax_percent),
    ):
        if limit is not None and value not in limit:
            spec.refusals.add(keys, f"{name} {value:g}: {limit.what} of {nos} takes {limit.takes}")
    return (
        number,
        Threshold(low, offer.unit),
        Threshold(high, offer.unit),
        pmax,
    )


def _buffer(spec: DesignSpec, switch: PlannedSwitch, port: PlannedPort) -> IngressBuffer | None:
    """Buffers of lossless groups for the speed and cable of a port."""
    cable = port.cable_m
    if cable is None:
        message = f"{switch.nos} sizes headroom by cable length: give cable_m"
        spec.refusals.add(switch.keys, message)
        return None
    fitting = [
        (entry.cable_m or float("inf"), entry.speed_gbps is None, number, entry)
        for number, entry in enumerate(spec.schema.buffers)
        if entry.speed_gbps in (None, port.speed_gbps)
        and (entry.cable_m is None or entry.cable_m >= cable)
    ]
    if not fitting:
        message = f"no buffers for {port.speed_gbps:g} Gb/s and {cable:g} m"
        spec.refusals.add(("buffers",) if spec.schema.buffers else switch.keys,
                         f"{message}, which {switch.nos} requires")  # fmt: skip
        return None
    *_, number, entry = min(fitting, key=lambda found: found[:3])
    at: dict[Hashable, int] = {"": spec.at("buffers", number)}
    made = IngressBuffer(src=spec.src, at=dict(at))
    profile = BufferProfile(
        lossless=True,
        reserved_bytes=entry.reserved_bytes,
        alpha=entry.alpha,
        xoff_bytes=entry.xoff_bytes,
        xon_bytes=entry.xon_bytes,
        src=spec.src,
        at=dict(at),
    )
    for name in ("xoff_bytes", "xon_bytes", "alpha", "reserved_bytes", "lossless"):
        profile.at[name] = spec.at("buffers", number)
    for group in spec.paused:
        made.groups[group] = profile
        made.at[group] = spec.at("buffers", number)
    return made


TIMES = ("polling_ms", "detection_ms", "restoration_ms")


def watchdog_of(spec: DesignSpec, offer: Offer, nos: str) -> PfcWatchdog | None:
    """Watchdog of a port; None where none is required or no class is lossless."""
    whole = spec.schema.watchdog
    if whole is None:
        return None
    if not spec.paused:
        spec.refusals.add(("watchdog",), "a watchdog requires a lossless class")
        return None
    keys, times = _times(whole, nos)
    made = PfcWatchdog(enabled=True, src=spec.src, at={"": spec.at("watchdog")})
    made.at["enabled"] = spec.at("watchdog")
    for name in TIMES:
        value = getattr(times, name)
        if value is not None:
            _require_supported(spec, offer.watchdog, nos, times, name, (*keys, name))
            setattr(made, name, value)
            made.at[name] = spec.at(*keys, name)
    if times.action is not None:
        made.action = WatchdogAction(times.action)
        made.at["action"] = spec.at(*keys, "action")
        if made.action not in offer.watchdog.actions:
            allowed = ", ".join(sorted(each.value for each in offer.watchdog.actions))
            message = f"{nos} supports {allowed}, found {times.action}"
            spec.refusals.add((*keys, "action"), message, f"see {offer.watchdog.source}")
    return made


def _times(whole: WatchdogSchema, nos: str) -> tuple[Loc, WatchdogTimes]:
    own = whole.systems.get(nos)
    return (("watchdog", "systems", nos), own) if own is not None else (("watchdog",), whole)


def _require_supported(
    spec: DesignSpec, offer: WatchdogOffer, nos: str, times: WatchdogTimes, name: str, keys: Loc
) -> None:
    value: float = getattr(times, name)
    hint = f"see {offer.source}; watchdog.systems.{nos} overrides it there"
    if name == "detection_ms" and offer.polls is not None:
        if times.polling_ms is None or value % times.polling_ms:
            message = f"{nos} requires whole polling intervals, found {value:g} ms"
            spec.refusals.add(keys, message, hint)
        elif value // times.polling_ms not in offer.polls:
            message = f"{offer.polls.what} of {nos} takes {offer.polls.takes}, found "
            spec.refusals.add(keys, f"{message}{value // times.polling_ms:g}", hint)
        return
    if name == "restoration_ms" and offer.restores_after_poll:
        if value != times.polling_ms:
            message = f"{nos} restores after one polling interval, found {value:g} ms"
            spec.refusals.add(keys, message, hint)
        return
    limit = getattr(offer, name)
    if limit is None:
        spec.refusals.add(keys, f"{nos} has no documented setting for {name}", hint)
    elif value not in limit:
        spec.refusals.add(keys, f"{nos} takes {limit.takes}, found {value:g}", hint)
    if name != "polling_ms" and times.polling_ms is not None and value < times.polling_ms:
        spec.refusals.add(keys, f"is {value:g} ms, less than one polling interval")
