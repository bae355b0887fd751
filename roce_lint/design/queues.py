"""The QoS objects of a golden device: maps, queues, buffers, what is paused and watched."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.design.classes import DesignClass
from roce_lint.design.layout import PlannedPort, PlannedSwitch
from roce_lint.design.refusals import Loc, Refusals
from roce_lint.intent.schema import IntentMarking, IntentSchema
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
    PortQos,
    QosObjects,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    ShareKind,
    Trust,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.offer import Offer
from roce_lint.text.source import SourceMap

GOLDEN = "golden"
"""Key of the maps that all ports of a golden device share."""


@dataclass(slots=True)
class Wish:
    """What is wanted of every device, and where the intent says so."""

    schema: IntentSchema
    classes: tuple[DesignClass, ...]
    marking: tuple[IntentMarking, ...]
    marking_keys: Loc
    src: SourceMap
    wanting: Refusals
    checked: set[Hashable] = field(default_factory=set)

    def at(self, *keys: int | str) -> int:
        """The position of a key of the intent."""
        return self.src.path(0, keys)

    @property
    def paused(self) -> frozenset[int]:
        """Priorities that are lossless."""
        return frozenset(each.number for each in self.classes if each.lossless)


def maps_of(wish: Wish, offer: Offer) -> QosObjects:
    """Maps from code points to classes, and from these to queues and groups."""
    rest, *named = wish.classes
    codes = CodeMap(src=wish.src, otherwise=rest.number)
    tags = CodeMap(src=wish.src, otherwise=rest.number)
    for each in (rest, *named):
        for dscp in each.dscps if each.keys else ():
            codes.entries[dscp] = each.number
            codes.at[dscp] = wish.at(*each.at("dscp"))
        if each.pcp is not None and offer.trust is Trust.BOTH:
            tags.entries[each.pcp] = each.number
            tags.at[each.pcp] = wish.at(*each.keys)
    codes.at["otherwise"] = wish.at(*rest.at("dscp"))
    at: dict[Hashable, int] = {"": wish.at("classes")}
    same = {each.number: each.number for each in wish.classes}
    lossless = {each.number: each.number for each in wish.classes if each.lossless}
    lines = {each.number: wish.at(*each.at("pfc_priority")) for each in wish.classes}

    def table(entries: dict[int, int]) -> CodeMap:
        return CodeMap(entries=dict(entries), src=wish.src, at={n: lines[n] for n in entries})

    forwarding = Forwarding(
        name=GOLDEN,
        tc_to_queue=table(same),
        tc_to_pg=table(same),
        tc_to_pfc_priority=table(lossless),
        pfc_priority_to_queue=table(lossless),
        pfc_priority_to_pg=table(lossless),
        src=wish.src,
        at=dict(at),
    )
    classifier = Classifier(
        name=GOLDEN, dscp_to_tc=codes, pcp_to_tc=tags, src=wish.src, at=dict(at)
    )
    return QosObjects(classifiers={GOLDEN: classifier}, forwardings={GOLDEN: forwarding})


def port_qos(wish: Wish, switch: PlannedSwitch, port: PlannedPort, objects: QosObjects) -> PortQos:
    """What a port is told: its maps, queues for its speed, and buffers for its cable."""
    speed = f"{port.speed_gbps:g}G"
    if speed not in objects.egress:
        objects.egress[speed] = egress_of(wish, switch.offer, switch.nos, port.speed_gbps)
    made = PortQos(
        trust=switch.offer.trust,
        classifier=GOLDEN,
        forwarding=GOLDEN,
        egress=speed,
        pfc=pfc_of(wish),
        src=wish.src,
        at={
            name: wish.at("classes")
            for name in ("", "trust", "classifier", "forwarding", "egress", "pfc")
        },
    )
    if wish.paused and switch.offer.headroom is HeadroomModel.STATIC:
        cable = f"{port.cable_m:g}m" if port.cable_m is not None else ""
        key = f"{speed} {cable}".strip()
        if key not in objects.ingress_buffers:
            buffer = _buffer(wish, switch, port)
            if buffer is not None:
                objects.ingress_buffers[key] = buffer
        made.ingress_buffer = key
        made.at["ingress_buffer"] = wish.at("buffers")
    return made


def pfc_of(wish: Wish) -> PfcConfig:
    """Pause of lossless priorities, both ways; off where there are none."""
    place = wish.at("mode") if wish.schema.mode else wish.at("classes")
    names = [each for each in wish.classes if each.lossless]
    first = wish.at(*names[0].at("pfc_priority")) if names else place
    return PfcConfig(
        mode=PfcMode.ON if wish.paused else PfcMode.OFF,
        generate=wish.paused,
        honour=wish.paused,
        src=wish.src,
        at={"": place, "mode": place, "generate": first, "honour": first},
    )


def egress_of(wish: Wish, offer: Offer, nos: str, speed: float) -> EgressPolicy:
    """Turns and marking of all queues of a port of a speed, in Gb/s."""
    policy = EgressPolicy(name=f"{speed:g}G", src=wish.src, at={"": wish.at("classes")})
    for each in wish.classes:
        key = QueueKind.UNICAST, each.number
        place = wish.at(*each.keys) if each.keys else wish.at("classes")
        policy.queues[key] = Queue(
            number=each.number,
            scheduler=_scheduler(wish, offer, nos, each),
            marking=_marking(wish, offer, nos, each, speed),
            src=wish.src,
            at={"": place, "scheduler": place, "marking": place},
        )
        policy.at[key] = place
    return policy


def _scheduler(wish: Wish, offer: Offer, nos: str, each: DesignClass) -> Scheduler:
    own = wish.at(*each.keys) if each.keys else wish.at("classes")
    place: dict[Hashable, int] = {"": own}
    if each.cap_percent is not None and not offer.caps:
        message = f"{nos} cannot hold a queue to a part of the link by what is documented"
        wish.wanting.add(each.at("cap_percent"), message, f"see {offer.source}")
    if each.strict:
        made = Scheduler(kind=SchedulerKind.STRICT, src=wish.src, at=place)
        made.at["kind"] = wish.at(*each.at("strict"))
    else:
        made = Scheduler(
            kind=SchedulerKind.WEIGHTED,
            share=each.share_percent,
            share_of=offer.share_of,
            src=wish.src,
            at=place,
        )
        made.at["kind"] = made.at["share"] = wish.at(*each.at("share_percent"))
        share = each.share_percent or 0
        if offer.share_of is ShareKind.WEIGHT and share % 1:
            message = f"{nos} takes whole numbers, found {share:g}"
            wish.wanting.add(each.at("share_percent"), message)
    if each.cap_percent is not None:
        made.shape_percent = each.cap_percent
        made.at["shape_percent"] = wish.at(*each.at("cap_percent"))
    return made


def _marking(wish: Wish, offer: Offer, nos: str, each: DesignClass, speed: float) -> Marking:
    place = wish.at(*each.at("marked"))
    made = Marking(ecn=each.marked, src=wish.src, at={"": place, "ecn": place})
    if not each.marked:
        return made
    made.wred_drop = False
    made.at["wred_drop"] = place
    found = _thresholds(wish, offer, nos, speed, each)
    if found is None:
        return made
    number, low, high, pmax = found
    made.kmin, made.kmax, made.pmax_percent = low, high, pmax
    keys: Loc = (
        (*wish.marking_keys, number) if wish.marking_keys == ("marking",) else (wish.marking_keys)
    )
    made.at.update(dict.fromkeys(("kmin", "kmax", "pmax_percent"), wish.at(*keys)))
    return made


Found = tuple[int, Threshold, Threshold, float]


def _thresholds(
    wish: Wish, offer: Offer, nos: str, speed: float, each: DesignClass
) -> Found | None:
    """The thresholds of a speed in the unit of the system; that there are none is told."""
    percent = offer.unit is ThresholdUnit.PERCENT
    unit, names = (
        ("percent", ("kmin_percent", "kmax_percent"))
        if percent
        else ("bytes", ("kmin_bytes", "kmax_bytes"))
    )
    fitting = [
        (entry.speed_gbps is None, number, entry)
        for number, entry in enumerate(wish.marking)
        if entry.speed_gbps in (None, speed) and getattr(entry, names[0]) is not None
    ]
    if not fitting:
        message = f"no thresholds in {unit} for {speed:g} Gb/s, as {nos} states them"
        wish.wanting.add(each.at("marked"), message, f"give marking with {names[0]}")
        return None
    _, number, entry = min(fitting, key=lambda found: found[:2])
    low, high, pmax = (getattr(entry, name) for name in (*names, "pmax_percent"))
    keys: Loc = (
        (*wish.marking_keys, number) if wish.marking_keys == ("marking",) else (wish.marking_keys)
    )
    for name, value in ((names[1], high), ("pmax_percent", pmax)):
        if value is None:
            wish.wanting.add(keys, f"{name} is missing, which {nos} has to be told")
    if high is None or pmax is None:
        return None
    for name, value, limit in (
        (names[0], low, offer.threshold),
        (names[1], high, offer.threshold),
        ("pmax_percent", pmax, offer.pmax_percent),
    ):
        if limit is not None and value not in limit:
            wish.wanting.add(keys, f"{name} {value:g}: {limit.what} of {nos} takes {limit.takes}")
    return (
        number,
        Threshold(low, offer.unit),
        Threshold(high, offer.unit),
        pmax,
    )


def _buffer(wish: Wish, switch: PlannedSwitch, port: PlannedPort) -> IngressBuffer | None:
    """The buffers of lossless groups for the speed and cable of a port."""
    cable = port.cable_m
    if cable is None:
        message = f"{switch.nos} sizes headroom by the length of cables: say cable_m"
        wish.wanting.add(switch.keys, message)
        return None
    fitting = [
        (entry.cable_m or float("inf"), entry.speed_gbps is None, number, entry)
        for number, entry in enumerate(wish.schema.buffers)
        if entry.speed_gbps in (None, port.speed_gbps)
        and (entry.cable_m is None or entry.cable_m >= cable)
    ]
    if not fitting:
        message = f"no buffers for {port.speed_gbps:g} Gb/s and {cable:g} m"
        wish.wanting.add(("buffers",) if wish.schema.buffers else switch.keys,
                         f"{message}, which {switch.nos} has to be told")  # fmt: skip
        return None
    *_, number, entry = min(fitting, key=lambda found: found[:3])
    at: dict[Hashable, int] = {"": wish.at("buffers", number)}
    made = IngressBuffer(src=wish.src, at=dict(at))
    profile = BufferProfile(
        lossless=True,
        reserved_bytes=entry.reserved_bytes,
        alpha=entry.alpha,
        xoff_bytes=entry.xoff_bytes,
        xon_bytes=entry.xon_bytes,
        src=wish.src,
        at=dict(at),
    )
    for name in ("xoff_bytes", "xon_bytes", "alpha", "reserved_bytes", "lossless"):
        profile.at[name] = wish.at("buffers", number)
    for group in wish.paused:
        made.groups[group] = profile
        made.at[group] = wish.at("buffers", number)
    return made
