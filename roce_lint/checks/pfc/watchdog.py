"""The PFC watchdog: missing at host ports, disabling ports, or with conflicting settings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from roce_lint.analysis.equal_switches import equal_switches, odd_switches
from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.port_parts import needs
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, at_port, fabric_check, port_check
from roce_lint.engine.finding import Severity
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.model.qos import PfcWatchdog, WatchdogAction
from roce_lint.model.units import ranges
from roce_lint.text.source import Where

REST = "the rest of the configuration (only a part of it was read)"

TIMES = (
    ("polling interval", "polling_ms", "watchdog_polling_ms"),
    ("detection time", "detection_ms", "watchdog_detection_ms"),
    ("restoration time", "restoration_ms", "watchdog_restoration_ms"),
)
"""Name of a time, its field of PfcWatchdog, and its bounds in Limits."""


def _watched_ports(analysis: Analysis) -> Iterator[tuple[JudgedPort, PfcWatchdog, frozenset[int]]]:
    """Switch ports in scope whose watchdog is known, with their PFC priorities."""
    for port in analysis.switch_ports():
        yield from _ports_with_watchdog(port)


def _ports_with_watchdog(
    port: JudgedPort,
) -> Iterator[tuple[JudgedPort, PfcWatchdog, frozenset[int]]]:
    qos = port.interface.qos
    if qos is None or qos.watchdog is None or qos.pfc is None or port.device.is_host:
        return
    if not port.device.system.pfc_killed:
        yield port, qos.watchdog, qos.pfc.generate or frozenset()


def _has_row_alone(watchdog: PfcWatchdog) -> bool:
    """Whether the watchdog of the port is configured and watches no priority."""
    on = watchdog.enabled is True and watchdog.stated("enabled")
    set_up = on or watchdog.stated("detection_ms") or watchdog.stated("action")
    return set_up and watchdog.priorities is not None and not watchdog.priorities


@fabric_check("watchdog.missing")
def missing_pfc_watchdog(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A lossless port has no watchdog: a queue stuck in pause stays stuck."""
    inside = _networks_watched_inside(given.analysis)
    kinds = {
        (port.device.hostname, kind)
        for port, watchdog, paused in _watched_ports(given.analysis)
        if port.peer is None and paused and watchdog.enabled
        for kind in ("", _kind(port))
    }
    watched: dict[str, bool] = defaultdict(bool)  # one port between switches per switch
    for kind, _ in given.analysis.kinds:
        for port, watchdog, paused in _ports_with_watchdog(kind):
            if not port.faces_host and paused and watchdog.enabled is not None:
                watched[port.device.hostname] |= watchdog.enabled
    odd = odd_switches(equal_switches(given.analysis), lambda d: watched.get(d.hostname))
    switches = {name for name in watched if watched[name]}
    switches |= {each.device.hostname for each in odd if watched[each.example.hostname]}
    for port, watchdog, paused in _watched_ports(given.analysis):
        if not paused or watchdog.enabled is None:
            continue
        others = port.network in inside or port.device.hostname in switches
        if not (port.faces_host or others):
            continue  # watching host ports only is a published design
        if port.device.partial and not watchdog.stated("enabled"):
            yield Unknown(REST, [port.interface.where()], *at_port(port))
            continue
        listed = paused if watchdog.priorities is None else watchdog.priorities
        left = paused - listed if watchdog.enabled else paused
        if not left:
            continue
        name = port.device.hostname
        refused = watchdog.detection_ms is None and watchdog.stated("detection_ms")
        values: dict[str, object] = {"enabled": True}
        if watchdog.detection_ms is None and port.device.limits.watchdog_start_ms is not None:
            values["detection_ms"] = port.device.limits.watchdog_start_ms
        if watchdog.priorities is not None:
            values["priorities"] = watchdog.priorities | paused
        apart = port.peer is None and (name, "") in kinds and (name, _kind(port)) not in kinds
        yield Problem(
            f"{port} has PFC on for {label_priorities(left)} without a watchdog",
            "the switch has a watchdog on ports of other kinds; the peer of this one is unknown"
            if apart
            else "one NIC stuck sending PFC freezes this port and backs up into the fabric"
            if port.faces_host
            else "a queue stuck in pause stays stuck; other ports between switches have a watchdog",
            [watchdog.where("priorities" if watchdog.enabled else "enabled")],
            *at_port(port),
            value=ranges(left),
            severity=None if port.faces_host and not apart else Severity.INFO,
            lacks=_pauses(port),
            stage=Stage.WATCHED if watchdog.enabled or _has_row_alone(watchdog) else None,
            about=watchdog.where("detection_ms") if refused else None,
            changes=_needs(port, values) + _on_device(port.device),
        )


def _needs(port: JudgedPort, values: Mapping[str, object]) -> tuple[Change, ...]:
    return needs(port, {f"qos.watchdog.{field}": value for field, value in values.items()})


def _on_device(device: Device) -> tuple[Change, ...]:
    """The watchdog of the device on, if that is off."""
    if device.system.watchdog is None or device.system.watchdog.enabled is not False:
        return ()
    return (Change.on_device(device, "system.watchdog.enabled", value=True),)


def _drops(device: Device) -> tuple[Change, ...]:
    """The watchdog of the device drops, if its times are stated without an action."""
    if device.system.watchdog is None or not device.system.watchdog.stated("detection_ms"):
        return ()
    return (Change.on_device(device, "system.watchdog.action", WatchdogAction.DROP),)


def _pauses(port: JudgedPort) -> tuple[Where, ...]:
    """PFC object of the port, which may define the watched priorities."""
    qos = port.interface.qos
    return (qos.pfc.where(),) if qos is not None and qos.pfc is not None else ()


def _kind(port: JudgedPort) -> str:
    """Traits shared by ports to similar neighbours: speed, lanes, in a channel, routed."""
    own = port.interface
    return f"{own.speed_gbps} {own.lanes} {own.lag is not None} {own.routed}"


def _networks_watched_inside(analysis: Analysis) -> set[int]:
    """Networks in which most lossless ports between switches have a watchdog."""
    votes: Counter[int] = Counter()
    for port, count in analysis.kinds:
        qos = port.interface.qos
        if port.device.is_host or port.faces_host or qos is None:
            continue
        if qos.watchdog is None or qos.pfc is None or not qos.pfc.generate:
            continue
        votes[port.network] += count if qos.watchdog.enabled else -count
    return {network for network, balance in votes.items() if balance > 0}


@port_check("watchdog.takes_port_down")
def pfc_watchdog_without_action(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """The watchdog is on without an action: by default it disables the port."""
    for _, watchdog, paused in _ports_with_watchdog(port):
        if not paused or not watchdog.enabled or watchdog.detection_ms is None:
            continue
        if watchdog.action is not WatchdogAction.ERRDISABLE or watchdog.stated("action"):
            continue
        if port.device.partial:  # a device-wide line may choose it
            yield Unknown(REST, [watchdog.where("detection_ms")])
            continue
        yield Problem(
            f"{port}: the PFC watchdog has no action configured; the default is errdisable",
            "one stuck queue takes the whole link down",
            [watchdog.where("detection_ms"), watchdog.where("action")],
            value="errdisable",
            changes=_needs(port, {"action": WatchdogAction.DROP}) + _drops(port.device),
        )


@port_check("watchdog.settings_conflict")
def conflicting_watchdog_settings(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """Watchdog settings that contradict each other, or that the platform rejects."""
    for _, watchdog, paused in _ports_with_watchdog(port):
        yield from _switches(port, watchdog, paused)
        yield from _priorities(port, watchdog, paused)
        yield from _bounds(port, watchdog)
        yield from _polls(port, watchdog)


def _switches(port: JudgedPort, watchdog: PfcWatchdog, paused: frozenset[int]) -> Iterator[Outcome]:
    """On for the port and off for the device, or configured without a priority."""
    system = port.device.system.watchdog
    if watchdog.enabled and watchdog.stated("enabled") and system is not None:
        stated = system.stated("enabled")
        if system.enabled is False and not stated and port.device.partial:
            yield Unknown(REST, [watchdog.where("enabled")])
        elif system.enabled is False:
            yield Problem(
                f"{port}: the PFC watchdog is on for the port but off for the device",
                "no queue is watched: one stuck in pause stays stuck",
                [watchdog.where("enabled"), system.where("enabled")],
                value="on/off",
                severity=None if stated else Severity.WARNING,
                changes=_on_device(port.device),
                compares=True,
            )
    elif _has_row_alone(watchdog):
        yield Problem(
            f"{port}: the PFC watchdog is configured but watches no priority",
            "no queue is watched: one stuck in pause stays stuck",
            [_set_up(watchdog), watchdog.where("priorities")],
            value="no priority",
            lacks=(watchdog.where("priorities"), *_pauses(port)),
            stage=Stage.WATCHDOG,
            about=watchdog.where("priorities") if watchdog.stated("priorities") else None,
            changes=_needs(port, {"enabled": True, "priorities": paused}) if paused else (),
            compares=True,
        )


def _set_up(watchdog: PfcWatchdog) -> Where:
    stated = (f for f in ("detection_ms", "action", "enabled") if watchdog.stated(f))
    return watchdog.where(next(stated, "enabled"))


def _priorities(
    port: JudgedPort, watchdog: PfcWatchdog, paused: frozenset[int]
) -> Iterator[Problem]:
    """Watched priorities without PFC."""
    qos = port.interface.qos
    known = qos is not None and qos.pfc is not None and qos.pfc.generate is not None
    if not known or not watchdog.enabled or not watchdog.stated("priorities"):
        return
    watched = watchdog.priorities or frozenset()
    if qos is None or qos.pfc is None:
        return
    if not paused and qos.pfc.stated("honour"):
        paused = qos.pfc.honour or frozenset()  # a port that honours PFC and sends none
    idle = watched - paused
    if not idle:
        return
    yield Problem(
        f"{port}: the PFC watchdog watches {label_priorities(idle)}, PFC is on for "
        + (label_priorities(paused) if paused else "none"),
        f"priority {ranges(idle)} is never paused"
        + ("" if watched & paused or not paused else f", priority {ranges(paused)} is not watched"),
        [
            watchdog.where("priorities"),
            qos.pfc.where("generate"),
            *([] if paused else [qos.pfc.where("mode")]),
            *_pause_places(port, paused),
        ],
        value=f"{ranges(watched)}/{ranges(paused)}",
        severity=Severity.WARNING if watched & paused else None,
        changes=_needs(port, {"priorities": paused}) if paused else (),
        compares=True,
        stage=Stage.WATCH_LIST,
    )


def _pause_places(port: JudgedPort, paused: frozenset[int]) -> Iterator[Where]:
    """Places that give the classes their PFC priorities; where no line does, those of their
    queues too.
    """
    qos = port.interface.qos
    maps = forwarding_of(port.device, qos) if qos is not None else None
    if maps is None:
        return
    for tc, priority in maps.tc_to_pfc_priority.entries.items():
        if priority in paused:
            yield maps.tc_to_pfc_priority.where(tc)
            if not maps.tc_to_pfc_priority.stated(tc) and maps.tc_to_queue.stated(tc):
                yield maps.tc_to_queue.where(tc)


def _bounds(port: JudgedPort, watchdog: PfcWatchdog) -> Iterator[Problem]:
    """Times outside the range of the platform."""
    for name, field, limit in TIMES:
        time, bounds = getattr(watchdog, field), getattr(port.device.limits, limit)
        if time is None or bounds is None or bounds[0] <= time <= bounds[1]:
            continue
        yield Problem(
            f"{port}: the watchdog's {name} of {time:g} ms is outside "
            f"{bounds[0]:g} to {bounds[1]:g} ms",
            "the device rejects the setting: other times apply, or no watchdog runs",
            [watchdog.where(field)],
            value=f"{field} {time:g}",
        )


def _polls(port: JudgedPort, watchdog: PfcWatchdog) -> Iterator[Problem]:
    """A polling interval too long for the times to measure."""
    need, polling = port.device.limits.watchdog_polls, watchdog.polling_ms
    if need is None or polling is None:
        return
    mends = port.device.limits.watchdog_adjusts
    short = []
    for name, field, limit in TIMES[1:]:
        time, bounds = getattr(watchdog, field), getattr(port.device.limits, limit)
        refused = bounds is not None and time is not None and time < bounds[0]
        if time is not None and time < need * polling and not refused:
            short.append((name, field, time))
    if short:
        yield Problem(
            f"{port}: the watchdog's "
            + " and ".join(f"{name} of {time:g} ms" for name, _, time in short)
            + (" is" if len(short) == 1 else " are")
            + " below "
            + (f"{need} times " if need > 1 else "")
            + f"its polling interval of {polling:g} ms",
            "the device chooses another polling interval"
            if mends
            else "the device rejects the setting: other times apply, or no watchdog runs",
            [*(watchdog.where(field) for _, field, _ in short), watchdog.where("polling_ms")],
            value="/".join([*(f"{field} {time:g}" for _, field, time in short), f"{polling:g}"]),
            severity=Severity.WARNING if mends else None,
            compares=True,
        )
