"""Settings of a port that differ from those of its peers, and host ports without their QoS."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel, Field

from roce_lint.analysis.equal_switches import bare_ports
from roce_lint.analysis.port_parts import scheduler_lines, turn_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import group_buffer
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, at_port, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.buffer import BufferProfile
from roce_lint.model.qos import PfcWatchdog, Trust


class EqualsParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `classes.port_differs`."""

    equals: int = Field(default=3, ge=2)
    """Fewest peers that agree."""
    share: float = Field(default=0.75, gt=0.5, le=1)
    """Share of the ports that makes a setting the usual one."""


@dataclass(slots=True, frozen=True)
class _Setting:
    """One setting of a port: words (also in the fingerprint), value to compare, deciding place."""

    words: str
    value: Hashable
    where: Where | None
    severity: Severity = Severity.INFO
    more: tuple[Where, ...] = ()


Respect = Callable[[Analysis, JudgedPort], _Setting | None]
"""A compared setting; None where another rule covers it, or it is unknown."""


@fabric_check("classes.port_differs", params=EqualsParams)
def port_differs_from_peers(fabric: Fabric, given: Given[EqualsParams]) -> Iterator[Outcome]:
    """A port treats RoCE differently from its peers on the switch."""
    analysis, params = given.analysis, given.params
    respects: list[tuple[str, Respect]] = [
        ("", _classification),
        ("", _trust),
        ("", _watchdog_times),
        ("", _watchdog_action),
        ("", _fec),
        *((t.name, _by_class(t, each)) for t in analysis.data_classes for each in _OF_DATA),
        *((t.name, _by_class(t, each)) for t in analysis.cnp_classes for each in _OF_ANY),
    ]
    for ports in _equals(analysis):
        if len(ports) <= params.equals:
            continue
        reported: set[tuple[str, str]] = set()
        for traffic, respect in respects:
            settings = [(port, found) for port in ports if (found := respect(analysis, port))]
            for port, mine, usual, like in _odd(settings, params):
                if port.key in reported or mine.where is None:
                    continue
                reported.add(port.key)
                yield Problem(
                    f"{port} {mine.words}, unlike its {len(like)} peers (e.g. "
                    f"{like[0].interface.name} {usual.words})".replace("share, ", "share "),
                    "probably an oversight: RoCE gets different service from port to port",
                    [mine.where, *mine.more, *([usual.where] if usual.where is not None else [])],
                    *at_port(port),
                    value=f"{mine.words}/{usual.words}",
                    traffic=traffic,
                    severity=mine.severity,
                    stage=Stage.EQUALS,
                )


def _equals(analysis: Analysis) -> Iterator[list[JudgedPort]]:
    """Ports in scope of one switch that face the same kind of device at the same speed.

    Devices whose ports are all of one kind, most of a fabric, are skipped.
    """
    kinds: dict[Hashable, int] = defaultdict(int)
    for port, _ in analysis.kinds:
        kinds[_group(port)] += 1
    several = {key for key, count in kinds.items() if count > 1}
    groups: dict[Hashable, list[JudgedPort]] = defaultdict(list)
    for port in analysis.switch_ports():
        key = _group(port)
        if key in several:
            groups[key].append(port)
    yield from groups.values()


def _group(port: JudgedPort) -> Hashable:
    return (port.device.hostname, port.network, port.faces_host, port.interface.speed_gbps)


def _odd(
    settings: list[tuple[JudgedPort, _Setting]], params: EqualsParams
) -> Iterator[tuple[JudgedPort, _Setting, _Setting, list[JudgedPort]]]:
    """Ports that differ from the usual setting, with that setting and its ports."""
    counts = Counter(setting.value for _, setting in settings)
    if len(counts) < 2:
        return
    value, often = counts.most_common(1)[0]
    if often < params.equals or often < params.share * len(settings):
        return
    usual = next(setting for _, setting in settings if setting.value == value)
    like = [port for port, setting in settings if setting.value == value]
    for port, setting in settings:
        if setting.value != value:
            yield port, setting, usual, like


# Compared settings.


def _classification(analysis: Analysis, port: JudgedPort) -> _Setting | None:
    """Presence of a classifier on the port, instead of a device-wide one."""
    qos = port.interface.qos
    if qos is None or (qos.classifier is None and qos.trust in (Trust.NONE, Trust.PCP)):
        return None
    own = qos.classifier is not None
    words = "has a classification of its own" if own else "has no classification of its own"
    return _Setting(words, own, qos.where("classifier"), Severity.WARNING)


def _trust(analysis: Analysis, port: JudgedPort) -> _Setting | None:
    qos = port.interface.qos
    if qos is None or qos.trust not in (Trust.DSCP, Trust.BOTH):
        return None  # the rules about trust report a port that ignores DSCP
    words = "the DSCP alone" if qos.trust is Trust.DSCP else "DSCP and 802.1p priority"
    return _Setting(f"trusts {words}", qos.trust, qos.where("trust"))


def _watchdog(port: JudgedPort) -> PfcWatchdog | None:
    """Watchdog of a port, if on."""
    qos = port.interface.qos
    dog = qos.watchdog if qos is not None else None
    return dog if dog is not None and dog.enabled else None


def _watchdog_times(analysis: Analysis, port: JudgedPort) -> _Setting | None:
    dog = _watchdog(port)
    if dog is None:
        return None
    times = {"detection": dog.detection_ms, "restoration": dog.restoration_ms}
    words = " and ".join(
        f"a {name} time of {time:g} ms" if time is not None else f"no {name} time"
        for name, time in times.items()
    )
    absent = [f"{name}_ms" for name in times if not dog.stated(f"{name}_ms")]
    field = absent[0] if absent else "detection_ms"
    return _Setting(f"has a watchdog with {words}", tuple(times.values()), dog.where(field))


def _watchdog_action(analysis: Analysis, port: JudgedPort) -> _Setting | None:
    dog = _watchdog(port)
    if dog is None or dog.action is None:
        return None
    words = f"has a watchdog with the action {dog.action.value}"
    return _Setting(words, dog.action, dog.where("action"))


def _fec(analysis: Analysis, port: JudgedPort) -> _Setting | None:
    own = port.interface.fec
    words = f"states FEC {own.value}" if own is not None else "states no FEC"
    return _Setting(words, own, port.interface.where("fec"))


OfClass = Callable[[Analysis, JudgedPort, RoceClass], _Setting | None]


def _by_class(traffic: RoceClass, respect: OfClass) -> Respect:
    def of(analysis: Analysis, port: JudgedPort) -> _Setting | None:
        return None if analysis.misplaced(traffic, port) else respect(analysis, port, traffic)

    return of


def _service(analysis: Analysis, port: JudgedPort, traffic: RoceClass) -> _Setting | None:
    out = analysis.treat(port, traffic.dscps[0]).egress
    if out.queue is None:
        return None
    scheduler = out.scheduler
    if scheduler is None or scheduler.kind is None:
        return _Setting(f"schedules no queue for {traffic.name}", None, out.queue_where)
    words = f"serves {traffic.name} {turn_of(scheduler)}"
    field = "share" if scheduler.share is not None else "kind"
    more = tuple(scheduler_lines(port, out.queue))
    return _Setting(words, (scheduler.kind, scheduler.share), scheduler.where(field), more=more)


def _egress_buffer(analysis: Analysis, port: JudgedPort, traffic: RoceClass) -> _Setting | None:
    qos = port.interface.qos
    out = analysis.treat(port, traffic.dscps[0]).egress
    policy = port.device.qos.egress.get(qos.egress or "") if qos is not None else None
    queue = policy.queue(out.queue) if policy is not None and out.queue is not None else None
    if queue is None or qos is None:
        return None
    words = f"has {_profile(queue.buffer)} for the queue of {traffic.name}"
    return _Setting(words, _profile(queue.buffer), queue.where("buffer"))


def _group_buffer(analysis: Analysis, port: JudgedPort, traffic: RoceClass) -> _Setting | None:
    """Kind of buffer of the priority group, not its size: that follows from cable and speed, and
    other rules check it.
    """
    qos, group = port.interface.qos, analysis.treat(port, traffic.dscps[0]).ingress.pg
    if qos is None or group is None:
        return None
    profile, place, missing = group_buffer(port.device, qos, group)
    if missing:
        return None
    has = "no buffer profile"
    if profile is not None and (profile.name or profile.computed):
        has = "a computed buffer" if profile.computed else "a buffer profile"
    return _Setting(f"has {has} for the group of {traffic.name}", has, place)


def _profile(profile: BufferProfile | None) -> str:
    return f"buffer profile {profile.name}" if profile is not None else "no buffer profile"


_OF_ANY: tuple[OfClass, ...] = (_service, _egress_buffer)
_OF_DATA: tuple[OfClass, ...] = (*_OF_ANY, _group_buffer)


@fabric_check("classes.bare_port")
def host_port_without_qos(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A port in use without the QoS of its peers, which no rule checks."""
    for group in bare_ports(given.analysis):
        whole = len(group.bare) + len(group.equals)
        other, with_qos = group.equals[0]
        for device, port in group.bare:
            yield Problem(
                f"{device.hostname} {port.name} has no QoS configuration, unlike "
                f"{len(group.equals)} of {whole} such ports "
                f"(e.g. {other.hostname} {with_qos.name})",
                "RoCE on it would have neither PFC nor ECN; NIC pairs that use it are not checked",
                [port.where(), with_qos.where()],
                device.hostname,
                (port.name,),
                value=f"{len(group.bare)}/{whole}",
            )
