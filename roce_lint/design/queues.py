"""QoS objects of a golden device: maps, queues, buffers, PFC and watchdog."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from roce_lint.design.classes import DesignClass, serve
from roce_lint.design.layout import Loc, PlannedDevice, PlannedPort, PlannedSwitch, Refusals
from roce_lint.intent.schema import (
    IntentMarking,
    IntentSchema,
    ServiceSchema,
    SystemMarking,
    Treatment,
    WatchdogTimes,
)
from roce_lint.model import qos
from roce_lint.model.buffer import BufferProfile, IngressBuffer
from roce_lint.model.sourced import Sourced
from roce_lint.model.units import PRIORITIES, Threshold
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.text.source import SourceMap

GOLDEN = "roce"
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
    policies: dict[Hashable, str] = field(default_factory=dict)
    """Names of egress policies by device, speed, and deviations of a port."""

    def at(self, *keys: int | str) -> int:
        """Position of a key of the intent."""
        return self.src.path(0, keys)

    def put(self, made: Sourced, *keys: int | str, **values: object) -> None:
        """Set fields that a key of the intent states; None leaves them as they are."""
        for name, value in values.items():
            if value is not None:
                setattr(made, name, value)
                made.at[name] = self.at(*keys)

    @property
    def paused(self) -> frozenset[int]:
        """Lossless priorities."""
        return frozenset(each.number for each in self.classes if each.lossless)

    def deviations(self, device: str, port: str = "") -> Deviations:
        """Overrides of a port and of its device, the closest first, with their paths."""
        own = self.schema.overrides.get(device)
        if own is None:
            return ()
        keys: Loc = ("overrides", device)
        single = own.ports.get(port)
        whole: Deviations = ((keys, own),)
        return whole if single is None else (((*keys, "ports", port), single), *whole)


Deviations = tuple[tuple[Loc, Treatment], ...]


def maps_of(spec: DesignSpec, offer: Offer) -> qos.QosObjects:
    """Maps from DSCPs to classes, and from classes to queues and groups."""
    rest, *named = spec.classes
    codes = qos.CodeMap(src=spec.src, otherwise=rest.number)
    tags = qos.CodeMap(src=spec.src, otherwise=rest.number)
    for each in (rest, *named):
        for dscp in each.dscps if each.keys else ():
            codes.entries[dscp] = each.number
            codes.at[dscp] = spec.at(*each.at("dscp"))
        if each.pcp is not None and offer.trust is qos.Trust.BOTH:
            tags.entries[each.pcp] = each.number
            tags.at[each.pcp] = spec.at(*each.keys)
    codes.at["otherwise"] = spec.at(*rest.at("dscp"))
    at: dict[Hashable, int] = {"": spec.at("classes")}
    same = {each.number: each.number for each in spec.classes}
    lossless = {each.number: each.number for each in spec.classes if each.lossless}
    groups = same
    if offer.lossy_group is not None:
        same = {number: number for number in offer.classes}
        groups = dict.fromkeys(same, offer.lossy_group) | lossless
    lines = dict.fromkeys(same, at[""])
    lines |= {each.number: spec.at(*each.at("pfc_priority")) for each in spec.classes}

    def table(entries: dict[int, int]) -> qos.CodeMap:
        return qos.CodeMap(entries=dict(entries), src=spec.src, at={n: lines[n] for n in entries})

    forwarding = qos.Forwarding(
        name=GOLDEN,
        tc_to_queue=table(same),
        tc_to_pg=table(groups),
        tc_to_pfc_priority=table(lossless),
        pfc_priority_to_queue=table(lossless),
        pfc_priority_to_pg=table(lossless),
        src=spec.src,
        at=dict(at),
    )
    own = qos.Classifier(name=GOLDEN, dscp_to_tc=codes, pcp_to_tc=tags, src=spec.src, at=dict(at))
    return qos.QosObjects(
        classifiers={GOLDEN: own},
        forwardings={GOLDEN: forwarding},
        tc_names={each.number: each.name for each in spec.classes if each.keys},
    )


def port_qos(
    spec: DesignSpec, device: PlannedDevice, port: PlannedPort, objects: qos.QosObjects
) -> qos.PortQos:
    """QoS of a port: maps, queues for its speed, and buffers for its cable."""
    names = ("", "trust", "classifier", "forwarding", "egress", "pfc")
    made = qos.PortQos(
        trust=device.offer.trust,
        classifier=GOLDEN,
        forwarding=GOLDEN,
        egress=_put_egress(spec, device, port, objects),
        pfc=_pfc(spec, device.offer),
        src=spec.src,
        at=dict.fromkeys(names, spec.at("classes")),
    )
    if spec.paused and device.offer.headroom is qos.HeadroomModel.STATIC:
        cable = f" {port.cable_m:g}m" if port.cable_m is not None else ""
        key = f"{port.speed_gbps:g}G{cable}"
        if key not in objects.ingress_buffers:
            buffer = _buffer(spec, device, port)
            if buffer is not None:
                objects.ingress_buffers[key] = buffer
        spec.put(made, "buffers", ingress_buffer=key)
    return made


def _pfc(spec: DesignSpec, offer: Offer) -> qos.PfcConfig:
    """PFC of lossless priorities, both ways; off where there are none."""
    place = spec.at("mode") if spec.schema.mode else spec.at("classes")
    names = [each for each in spec.classes if each.lossless]
    first = spec.at(*names[0].at("pfc_priority")) if names else place
    return qos.PfcConfig(
        mode=qos.PfcMode.ON if spec.paused else qos.PfcMode.OFF,
        generate=spec.paused,
        honour=frozenset(PRIORITIES) if spec.paused and offer.obeys_all else spec.paused,
        src=spec.src,
        at={"": place, "mode": place, "generate": first, "honour": first},
    )


def _put_egress(
    spec: DesignSpec, device: PlannedDevice, port: PlannedPort, objects: qos.QosObjects
) -> str:
    """Name of the egress policy of a port; ports with equal speed and deviations share one."""
    ways = spec.deviations(device.name, port.name)
    single = [own.model_dump_json(include={"marking", "classes"})
              for _, own in ways[:-1] if own.marking or own.classes]  # fmt: skip
    speed = f"{port.speed_gbps:g}G"
    key = device.name, speed, *single
    name = spec.policies.get(key, "" if single else speed)
    if not name:
        others = sum(other.startswith(f"{speed}-") for other in objects.egress)
        name = spec.policies[key] = f"{speed}-{others + 1}"
    if name not in objects.egress:
        objects.egress[name] = _egress(spec, device, name, port.speed_gbps, ways)
    return name


def _egress(
    spec: DesignSpec, device: PlannedDevice, name: str, speed: float, ways: Deviations
) -> qos.EgressPolicy:
    """Scheduling and ECN of all queues of a port of a speed, in Gb/s."""
    policy = qos.EgressPolicy(name=name, src=spec.src, at={"": spec.at("classes")})
    services: list[tuple[Loc, str, ServiceSchema]] = [
        (("classes", each, "systems", device.nos), each, item.systems[device.nos])
        for each, item in spec.schema.classes.items()
        if device.nos in item.systems
    ]
    for keys, own in reversed(ways):
        services += [((*keys, "classes", each), each, item) for each, item in own.classes.items()]
    for each in serve(spec.classes, services, spec.refusals):
        key = qos.QueueKind.UNICAST, each.number
        place = spec.at(*each.keys or ("classes",))
        made = policy.queues[key] = qos.Queue(
            number=each.number,
            scheduler=_scheduler(spec, device, each, speed),
            marking=_marking(spec, device, each, speed, ways),
            src=spec.src,
            at={"": place, "scheduler": place, "marking": place},
        )
        if each.lossless and device.offer.lossless_queue is not None:
            profile = device.offer.lossless_queue
            made.buffer = BufferProfile(name=profile, src=spec.src, at={"": place})
            made.at["buffer"] = place
        policy.at[key] = place
    return policy


def _scheduler(
    spec: DesignSpec, device: PlannedDevice, each: DesignClass, speed: float
) -> qos.Scheduler:
    made = qos.Scheduler(src=spec.src, at={"": spec.at(*each.keys or ("classes",))})
    if each.strict:
        spec.put(made, *each.at("strict"), kind=qos.SchedulerKind.STRICT)
    else:
        share, keys, of = each.share_percent, each.at("share_percent"), device.offer.share_of
        spec.put(made, *keys, kind=qos.SchedulerKind.WEIGHTED, share=share)
        made.share_of = of
        if of is qos.ShareKind.WEIGHT and (share or 0) % 1:
            spec.refusals.add(keys, f"{device.nos} requires whole numbers, found {share:g}")
    cap, keys = each.cap_percent, each.at("cap_percent")
    if cap is not None and device.offer.caps_in_percent:
        spec.put(made, *keys, shape_percent=cap)
    elif cap is not None:
        spec.put(made, *keys, shape_bps=round(cap / 100 * speed * 1e9))
    return made


def _marking(
    spec: DesignSpec, device: PlannedDevice, each: DesignClass, speed: float, ways: Deviations
) -> qos.Marking:
    place = spec.at(*each.at("marked"))
    made = qos.Marking(ecn=each.marked, src=spec.src, at={"": place, "ecn": place})
    if each.marked:
        made.wred_drop, made.at["wred_drop"] = False, place
        found = _thresholds(spec, device, speed, each, ways)
        if found is not None:
            keys, kmin, kmax, pmax = found
            spec.put(made, *keys, kmin=kmin, kmax=kmax, pmax_percent=pmax)
    return made


def _thresholds(
    spec: DesignSpec, device: PlannedDevice, speed: float, each: DesignClass, ways: Deviations
) -> tuple[Loc, Threshold, Threshold, float] | None:
    """ECN thresholds of a speed in the unit of the system, the closest first; refused if there are
    none.
    """
    nos, offer = device.nos, device.offer
    unit = offer.unit.value
    names = f"kmin_{unit}", f"kmax_{unit}"
    given: list[tuple[Loc, tuple[IntentMarking, ...]]] = [
        *(((*keys, "marking"), own.marking) for keys, own in ways),
        (spec.marking_keys, spec.marking),
    ]
    fitting = []
    for place, (keys, entries) in enumerate(given):
        for number, entry in enumerate(entries):
            at = (*keys, number) if keys[-1] == "marking" else keys
            system = entry.system if isinstance(entry, SystemMarking) else None
            if entry.speed_gbps not in (None, speed) or system not in (None, nos):
                continue
            if getattr(entry, names[0]) is not None:
                order = place, system is None, entry.speed_gbps is None, number
                fitting.append((order, at, entry))
            elif system is not None or keys is not spec.marking_keys:
                spec.refusals.add(at, f"{names[0]} is missing, which {nos} requires")
    if not fitting:
        message = f"no thresholds in {unit} for {speed:g} Gb/s, as {nos} states them"
        spec.refusals.add(each.at("marked"), message, f"give marking with {names[0]}")
        return None
    _, at, entry = min(fitting, key=lambda found: found[0])
    low, high, pmax = (getattr(entry, name) for name in (*names, "pmax_percent"))
    for name, value in ((names[1], high), ("pmax_percent", pmax)):
        if value is None:
            spec.refusals.add(at, f"{name} is missing, which {nos} requires")
    if high is None or pmax is None:
        return None
    for name, value, limit in (
        (names[0], low, offer.threshold),
        (names[1], high, offer.threshold),
        ("pmax_percent", pmax, offer.pmax_percent),
    ):
        if limit is not None and value not in limit:
            spec.refusals.add(at, f"{name} {value:g}: {limit.what} of {nos} takes {limit.takes}")
    return at, Threshold(low, offer.unit), Threshold(high, offer.unit), pmax


def _buffer(spec: DesignSpec, device: PlannedDevice, port: PlannedPort) -> IngressBuffer | None:
    """Buffers of lossless groups for the speed and cable of a port."""
    cable = port.cable_m
    if cable is None and port.peer is None and spec.refusals.concern("fabric", "hosts"):
        return None  # its cable could not be laid
    if cable is None:
        message = f"{device.nos} sizes headroom by cable length: give cable_m"
        spec.refusals.add(device.keys, message)
        return None
    fitting = [
        (entry.cable_m or float("inf"), entry.speed_gbps is None, number, entry)
        for number, entry in enumerate(spec.schema.buffers)
        if entry.speed_gbps in (None, port.speed_gbps)
        and (entry.cable_m is None or entry.cable_m >= cable)
    ]
    if not fitting:
        message = f"no buffers for {port.speed_gbps:g} Gb/s and {cable:g} m"
        spec.refusals.add(("buffers",) if spec.schema.buffers else device.keys,
                         f"{message}, which {device.nos} requires")  # fmt: skip
        return None
    *_, number, entry = min(fitting, key=lambda found: found[:3])
    place = spec.at("buffers", number)
    names = ("", "xoff_bytes", "xon_bytes", "alpha", "reserved_bytes", "lossless")
    profile = BufferProfile(
        lossless=True,
        reserved_bytes=entry.reserved_bytes,
        alpha=entry.alpha,
        xoff_bytes=entry.xoff_bytes,
        xon_bytes=entry.xon_bytes,
        src=spec.src,
        at=dict.fromkeys(names, place),
    )
    groups = dict.fromkeys(spec.paused, profile)
    return IngressBuffer(groups=groups, src=spec.src, at=dict.fromkeys(("", *spec.paused), place))


TIMES = ("polling_ms", "detection_ms", "restoration_ms")


def watchdog_of(spec: DesignSpec, switch: PlannedSwitch, port: str = "") -> qos.PfcWatchdog | None:
    """Watchdog of the ports of a switch, or of a single one; None where none is required, or no
    class is lossless.
    """
    offer, nos = switch.offer.watchdog, switch.nos
    keys, times = _times(spec, nos, spec.deviations(switch.name, port))
    if times is None:
        return None
    if not spec.paused:
        if not spec.refusals.concern("classes"):
            spec.refusals.add(keys, "a watchdog requires a lossless class")
        return None
    place = spec.at(*keys)
    made = qos.PfcWatchdog(enabled=True, src=spec.src, at={"": place, "enabled": place})
    for name in TIMES:
        value = getattr(times, name)
        if value is not None:
            _require_supported(spec, offer, nos, times, name, (*keys, name))
            spec.put(made, *keys, name, **{name: value})
    if times.action is not None:
        spec.put(made, *keys, "action", action=qos.WatchdogAction(times.action))
        if made.action not in offer.actions:
            allowed = ", ".join(sorted(each.value for each in offer.actions))
            message = f"{nos} supports {allowed}, found {times.action}"
            spec.refusals.add((*keys, "action"), message, f"see {offer.source}")
    return made


def _times(spec: DesignSpec, nos: str, ways: Deviations) -> tuple[Loc, WatchdogTimes | None]:
    """The closest settings of a watchdog, with their path."""
    for keys, own in ways:
        if own.watchdog is not None:
            return (*keys, "watchdog"), own.watchdog
    whole = spec.schema.watchdog
    if whole is not None and nos in whole.systems:
        return ("watchdog", "systems", nos), whole.systems[nos]
    return ("watchdog",), whole


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
