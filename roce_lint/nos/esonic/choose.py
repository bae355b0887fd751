"""Which statements of Enterprise SONiC say what a device is to do.

The manual way: maps and policies by name, bound on each port. What `roce enable` makes by itself is
shown by no line, and the model does not keep the VNIs of a tunnel.
"""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcWatchdog,
    PortQos,
    QosObjects,
    Queue,
    Scheduler,
    SchedulerKind,
)
from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.esonic.words import (
    HIGHEST,
    MAPS,
    Bgp,
    Curve,
    Hostname,
    Map,
    MapEntry,
    PortWords,
    QueueTurn,
    SchedulerPolicy,
    WredPolicy,
)
from roce_lint.nos.omissions import Fields, find_omissions
from roce_lint.nos.selection import (
    Selection,
    by_value,
    is_named,
    is_only_mentioned,
    value_to_state,
    whole,
)
from roce_lint.nos.words import Words
from roce_lint.text.numbers import whole_number

KILOBYTE = 1000
"""Bytes of the unit of WRED thresholds."""

Named = dict[tuple[str, str], Words]


TOLD: Fields = {
    Device: frozenset({"asn"}),
    QosObjects: frozenset(),
    Interface: frozenset(
        {"description", "enabled", "ip_mtu", "addresses", "vrf", "lag", "speed_gbps", "fec"}
        | {"routed", "cable_m", "untagged_vlan", "tagged_vlans"}
    ),
    PortQos: frozenset({"trust"}),
    PfcConfig: frozenset({"mode", "generate", "honour"}),
    PfcWatchdog: frozenset({"enabled", "detection_ms", "restoration_ms", "action"}),
    Classifier: frozenset({"dscp_to_tc", "pcp_to_tc"}),
    Forwarding: frozenset(
        {"tc_to_queue", "tc_to_pg", "pfc_priority_to_queue", "pfc_priority_to_pg"}
    ),
    EgressPolicy: frozenset(),
    Queue: frozenset(),
    Scheduler: frozenset({"kind", "share", "share_of"}),
    Marking: frozenset({"ecn", "kmin", "kmax", "pmax_percent"}),
}
"""What the statements say."""


def choose(device: Device) -> Selection:
    """The statements of the whole configuration, and what none says."""
    return Selection(tuple(_stanzas(device)), find_omissions(device, TOLD))


def _stanzas(device: Device) -> Iterator[Words]:
    if is_named(device):
        yield Hostname(hostname=device.hostname)
    named: Named = {}
    ports = [
        _port(device, port, named)
        for port in device.interfaces.values()
        if port.kind is not InterfaceKind.TUNNEL and not is_only_mentioned(port)
    ]
    for kind in ("wred", "scheduler", *MAPS):
        yield from (words for (of, _), words in named.items() if of == kind)
    yield from ports
    asn = value_to_state(device, "asn")
    if asn is not None:
        yield Bgp(asn=asn)


def _keep(named: Named, kind: str, name: str, words: Words) -> str:
    """Define a structure once.

    Raises:
        RenderError: two that differ have one name.
    """
    if named.setdefault((kind, name), words) != words:
        raise RenderError(f"two structures {kind} are called {name}")
    return name


def _port(device: Device, port: Interface, named: Named) -> PortWords:
    """What a port says of itself; what it binds goes to `named`."""
    words = PortWords(
        name=port.name,
        description=value_to_state(port, "description"),
        up=value_to_state(port, "enabled"),
        mtu=value_to_state(port, "ip_mtu"),
        speed_gbps=value_to_state(port, "speed_gbps"),
        fec=value_to_state(port, "fec"),
        channel=whole_number(port.lag.removeprefix("PortChannel")) if port.lag else None,
        ipv4=tuple(a for a in port.addresses if ":" not in a) or None,
        ipv6=tuple(a for a in port.addresses if ":" in a) or None,
        vrf=value_to_state(port, "vrf"),
        cable_m=value_to_state(port, "cable_m"),
    )
    if port.kind is not InterfaceKind.VLAN:
        words.access_vlan = value_to_state(port, "untagged_vlan")
        words.allowed_vlans = value_to_state(port, "tagged_vlans")
    if port.qos is not None:
        _trust(device, port, words, named)
        _inside(device, port, words, named)
        _egress(device, port, words, named)
        _pause(port, words)
    return words


def _map(named: Named, kind: str, name: str, table: CodeMap) -> str:
    """The name of a map, which is defined if it has an entry that no default gives."""
    source, into = MAPS[kind]
    entries = tuple(
        MapEntry(source=source, numbers=numbers, into=into, value=value)
        for value, numbers in by_value(table, range(HIGHEST[source] + 1))
    )
    if entries:
        _keep(named, kind, name, Map(kind=kind, name=name, entries=entries))
    return name


def _trust(device: Device, port: Interface, words: PortWords, named: Named) -> None:
    key = port.qos.classifier if port.qos is not None else None
    table = device.qos.classifiers.get(key or "")
    if table is None or key is None:
        return
    name = table.name or key
    if table.dscp_to_tc.entries:
        words.dscp_tc = _map(named, "dscp-tc", name, table.dscp_to_tc)
    if table.pcp_to_tc.entries:
        words.dot_tc = _map(named, "dot1p-tc", name, table.pcp_to_tc)


def _inside(device: Device, port: Interface, words: PortWords, named: Named) -> None:
    key = port.qos.forwarding if port.qos is not None else None
    maps = device.qos.forwardings.get(key or "")
    if maps is None or key is None:
        return
    words.tc_queue = _inner(named, "tc-queue", maps, maps.tc_to_queue)
    words.tc_pg = _inner(named, "tc-pg", maps, maps.tc_to_pg)
    words.pfc_queue = _inner(named, "pfc-priority-queue", maps, maps.pfc_priority_to_queue)
    words.pfc_pg = _inner(named, "pfc-priority-pg", maps, maps.pfc_priority_to_pg)


def _inner(named: Named, kind: str, maps: Forwarding, table: CodeMap) -> str | None:
    """The map that a port binds; of one that only defaults fill nothing is said."""
    name = table.name or (maps.name if by_value(table) else None)
    return _map(named, kind, name, table) if name else None


def _egress(device: Device, port: Interface, words: PortWords, named: Named) -> None:
    policy = device.qos.egress.get((port.qos and port.qos.egress) or "")
    if policy is None:
        return
    scheduler = (policy.name or "-").split()[0]
    turns = [(q.number, q.scheduler) for q in policy.queues.values() if q.scheduler is not None]
    if scheduler != "-":
        words.scheduler = scheduler
        queues = tuple(_turn(number, turn) for number, turn in turns)
        if queues:
            _keep(named, "scheduler", scheduler, SchedulerPolicy(name=scheduler, queues=queues))
    marked: dict[str, set[int]] = {}
    for queue in policy.queues.values():
        if queue.marking is not None and _is_made(queue.marking):
            marked.setdefault(_wred(named, queue, queue.marking), set()).add(queue.number)
    words.marked = tuple((frozenset(n), name) for name, n in marked.items()) or None


def _turn(queue: int, turn: Scheduler) -> QueueTurn:
    weight = None if turn.kind is SchedulerKind.STRICT else whole(turn.share)
    return QueueTurn(queue=queue, type=turn.kind, weight=weight)


def _is_made(marking: Marking) -> bool:
    """Whether a policy says so, and not the default of a queue without one."""
    return marking.name is not None or value_to_state(marking, "ecn") is not None


def _wred(named: Named, queue: Queue, marking: Marking) -> str:
    name = marking.name or f"queue-{queue.number}"
    ecn = value_to_state(marking, "ecn")
    curve = None
    if marking.kmin is not None or marking.kmax is not None:
        percent = (
            whole_number(f"{marking.pmax_percent:g}") if marking.pmax_percent is not None else None
        )
        curve = Curve(_kbytes(marking.kmin), _kbytes(marking.kmax), percent)
    word = None if ecn is None else "green" if ecn else "none"
    return _keep(named, "wred", name, WredPolicy(name=name, green=curve, ecn=word))


def _kbytes(depth: Threshold | None) -> int | None:
    if depth is None:
        return None
    per = {ThresholdUnit.UNITS: 1, ThresholdUnit.BYTES: KILOBYTE}.get(depth.unit)
    if per is None:
        raise RenderError(f"{depth} is no number of kbytes")
    return whole(depth.value / per)


def _pause(port: Interface, words: PortWords) -> None:
    qos = port.qos
    if qos is None or qos.pfc is None:
        return
    sent = value_to_state(qos.pfc, "generate")
    if sent is not None and qos.pfc.honour != sent:
        raise RenderError(f"{port.name}: a priority is paused in both directions or in none")
    words.pfc = tuple(frozenset({priority}) for priority in sorted(sent or ())) or None
    watchdog = qos.watchdog
    if watchdog is not None:
        words.action = value_to_state(watchdog, "action")
        words.detect_ms = whole(watchdog.detection_ms)
        words.restore_ms = whole(watchdog.restoration_ms)
