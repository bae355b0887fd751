"""Access to parts of a port: its PFC, maps, queues, link, peers and neighbours without a
configuration.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from roce_lint.analysis.cache import cached
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import classifier_of, egress_of, forwarding_of
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint
from roce_lint.model.interface import Interface, Neighbor
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    Match,
    PfcConfig,
    PfcMode,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Trust,
)
from roce_lint.model.units import DSCPS
from roce_lint.text.source import Where

FULL = 100.0
"""Percent of the link, or of the remaining bandwidth, that shares of one kind add up to."""


def pfc_of(port: JudgedPort) -> PfcConfig | None:
    """PFC of a port; None if unknown."""
    return port.interface.qos.pfc if port.interface.qos is not None else None


def maps_of(port: JudgedPort) -> Forwarding | None:
    """Class maps that a port uses."""
    return forwarding_of(port.device, port.interface.qos)


def classifier_at(port: JudgedPort) -> Classifier | None:
    """Classifier that a port uses."""
    return classifier_of(port.device, port.interface.qos)


def line_of(pfc: PfcConfig, priority: int) -> Where:
    """The line that makes one priority no-drop, else the one for all priorities."""
    return pfc.where(priority) if pfc.at.get(priority, 0) > 0 else pfc.where("generate")


def policy_of(port: JudgedPort) -> EgressPolicy | None:
    """Egress policy of a port in scope."""
    return egress_of(port.device, port.interface.qos)


def scheduler_lines(port: JudgedPort, number: int | None) -> list[Where]:
    """The line that gives a queue its scheduler, unless the scheduler has its own lines."""
    policy = policy_of(port)
    queue = policy.queue(number) if policy is not None else None
    return [queue.where("scheduler")] if queue is not None and queue.stated("scheduler") else []


def code_point_lines(port: JudgedPort, dscp: int) -> list[Where]:
    """DSCP lines of the port's policy, if none of them has this DSCP: one may lack it."""
    named = _matches(port)
    return [] if any(dscp in m.values for m in named) else [m.where("values") for m in named]


def line_of_code_point(port: JudgedPort, dscp: int) -> Where | None:
    """The line of the port's policy that names a DSCP, as opposed to the one with its class."""
    return next((m.where("values") for m in _matches(port) if dscp in m.values), None)


def _matches(port: JudgedPort) -> list[Match]:
    classifier = classifier_at(port)
    return [match for match in classifier.matches if match.values] if classifier else []


def is_rival(queue: Queue, number: int) -> bool:
    """True for the other unicast queues of a policy; multicast queues are scheduled separately."""
    return queue.kind is QueueKind.UNICAST and queue.number != number


def is_stated(queue: Queue) -> bool:
    """True where a line configures the scheduling of a queue."""
    scheduler = queue.scheduler
    return scheduler is not None and (scheduler.stated("share") or scheduler.stated("kind"))


def is_guaranteed(scheduler: Scheduler) -> bool:
    """True for a queue with a guaranteed rate before shares apply: it does not starve."""
    return bool(scheduler.guaranteed_bps or scheduler.guaranteed_percent)


def is_shaped(scheduler: Scheduler) -> bool:
    """True for a shaped queue."""
    percent = scheduler.shape_percent
    return scheduler.shape_bps is not None or (percent is not None and percent < FULL)


def has_class_mtu(device: Device, port: Interface) -> bool:
    """True where packets meet the MTU of their class instead of that of the port."""
    maps = forwarding_of(device, port.qos)
    return maps is not None and maps.tc_mtu_limits is True and not port.routed


def link_note(*, assumed: bool) -> str:
    """Note of a finding on a link that is only assumed."""
    return "link assumed from a description or a reused subnet (no LLDP or plan)" if assumed else ""


def set_mtu(device: Device, port: Interface, size: int) -> Change:
    """Change of a port's MTU."""
    return Change.on_port(device, port.name, "ip_mtu", size)


def needs(
    port: JudgedPort | Endpoint, values: Mapping[str, object], why: str = ""
) -> tuple[Change, ...]:
    """Changes that give fields of a port, by their full names, other values than they have."""
    device, name = port.device, port.interface.name
    made = (Change.on_port(device, name, field, value, why) for field, value in values.items())
    return tuple(change for change in made if change.value != change.old)


def needs_classifier(port: JudgedPort | Endpoint, name: str, why: str) -> tuple[Change, ...]:
    """Changes that apply a classifier by DSCP to a port."""
    qos, classifier = port.interface.qos, port.device.qos.classifiers.get(name)
    if qos is None or classifier is None or not any(map(classifier.dscp_to_tc.stated, DSCPS)):
        return ()
    values: dict[str, object] = {"qos.classifier": name}
    if qos.trust not in (Trust.DSCP, Trust.BOTH):
        values["qos.trust"] = Trust.DSCP
    if qos.trust is Trust.NONE:
        values["qos.default_tc"] = None  # the class of packets on an untrusted port
    return needs(port, values, why)


def needs_pfc(
    port: JudgedPort | Endpoint,
    priorities: frozenset[int],
    entries: Mapping[str, int | None] | None = None,
) -> tuple[Change, ...]:
    """Changes that make a port send PFC for these priorities. Received PFC is honoured, and lines
    name priorities, as far as they agreed with the sent ones before. A line that gives a class its
    priority as well goes with it, unless `entries` of the class maps replace it.
    """
    qos = port.interface.qos
    if qos is None or qos.pfc is None:
        return ()
    pfc, maps = qos.pfc, forwarding_of(port.device, qos)
    values: dict[str, object] = {"qos.pfc.generate": priorities}
    for tc, priority in maps.tc_to_pfc_priority.entries.items() if maps is not None else ():
        named = maps.tc_to_pfc_priority.number_place(tc) if maps is not None else None
        gone = priority in (pfc.generate or frozenset()) - priorities
        if gone and named == line_of(pfc, priority):
            values[f"qos.forwarding.tc_to_pfc_priority[{tc}]"] = None
            values[f"qos.forwarding.pfc_priority_to_queue[{priority}]"] = None
    if pfc.honour == pfc.generate:
        values["qos.pfc.honour"] = priorities
    if pfc.named is not None and pfc.named == pfc.generate:
        values["qos.pfc.named"] = priorities
    if priorities and pfc.mode is PfcMode.OFF:
        values["qos.pfc.mode"] = PfcMode.ON
    elif not priorities and pfc.mode is not None and pfc.honour == pfc.generate:
        values["qos.pfc.mode"] = PfcMode.OFF
    values |= {f"qos.forwarding.{entry}": value for entry, value in (entries or {}).items()}
    return needs(port, values)


def ports_like(analysis: Analysis, end: Endpoint) -> list[Interface]:
    """Peers of a port: for a host, those of all hosts of its network; for a switch, its ports in
    the same direction, or those of all switches if it has only one.
    """
    mine = analysis.port(*end.key)
    if mine is None:
        return [end.interface]
    ports, groups = analysis.ports_of(end.device), _lines_by_target(analysis)
    if end.device.is_host:
        return [port.interface for port in groups[_way(mine)]]
    own = [port for port in ports if _way(port) == _way(mine)]
    if len(own) == 1:
        own = groups[_way(mine)] + [port for port in ports if _way(port) != _way(mine)]
    return [port.interface for port in own]


def _way(port: JudgedPort) -> tuple[int, bool, bool]:
    """Network and direction of a port; all host ports have the same direction."""
    is_host = port.device.is_host
    return port.network, port.faces_host or is_host, is_host


@cached
def _lines_by_target(analysis: Analysis) -> dict[tuple[int, bool, bool], list[JudgedPort]]:
    found: dict[tuple[int, bool, bool], list[JudgedPort]] = defaultdict(list)
    for port in analysis.ports:
        found[_way(port)].append(port)
    return found


def turn_of(scheduler: Scheduler | None) -> str:
    """Scheduling of a queue in words; empty if unknown."""
    if scheduler is None or scheduler.kind is None:
        return ""
    if scheduler.kind is SchedulerKind.STRICT:
        return "strictly"
    return f"by share, {scheduler.share:g}" if scheduler.share is not None else "by share"


def advertising_neighbours(analysis: Analysis) -> Iterator[tuple[JudgedPort, Neighbor]]:
    """Neighbours without a configuration on ports where neither end accepts the settings of the
    other (DCBX not willing).
    """
    for port in analysis.ports:
        pfc = pfc_of(port)
        if port.peer is None and not (pfc is not None and pfc.willing):
            for neighbor in port.interface.neighbors:
                if not neighbor.pfc_willing:
                    yield port, neighbor
