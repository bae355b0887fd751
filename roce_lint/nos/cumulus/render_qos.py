"""QoS of a Cumulus Linux switch: `qos roce`, and the words for all in which a wish is otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.qos import (
    CodeMap,
    EgressPolicy,
    Marking,
    PfcWatchdog,
    PortQos,
    Queue,
    QueueKind,
    Scheduler,
    SchedulerKind,
    Trust,
)
from roce_lint.model.units import DSCPS, PRIORITIES, Threshold, ThresholdUnit
from roce_lint.nos.cumulus.defaults import GLOBAL
from roce_lint.nos.cumulus.mapping import TRUSTS
from roce_lint.nos.cumulus.render_tree import Tree
from roce_lint.nos.cumulus.roce import LOSSLESS, LOSSY, STRICT, Base
from roce_lint.nos.selection import whole
from roce_lint.text.numbers import whole_part

PROFILE = "ROCE"
"""What profiles of ports begin with that are not those of all ports."""
LONGEST_M = 100_000
_TRUST_WORDS = {trust: word for word, trust in TRUSTS.items()}


def add_qos(device: Device, enabled: Mapping[str, str], tree: Tree) -> None:
    """Fill in what a device has of QoS.

    Raises:
        RenderError: a wish has a value that no word takes.
    """
    ports = [port for port in device.interfaces.values() if port.qos is not None]
    if not ports:
        return
    first = _qos(ports[0])
    paused = _paused_priorities(ports)
    base = LOSSLESS if paused else LOSSY
    for word, value in enabled.items():
        tree.put("qos", "roce", word, value)
    tree.put("qos", "roce", "mode", "lossless" if paused else "lossy")
    queues = _egress(device, ports, base, tree)
    served = _queue_map(device, first, base, queues, tree)
    _mapping(device, first, base, [(served[n], n in paused) for n in PRIORITIES], tree)
    if paused:
        _pause(ports, paused, base, tree)
        _watchdog(ports, tree)


def _qos(port: Interface) -> PortQos:
    if port.qos is None:
        raise RenderError(f"{port.name}: no wish for its code points")
    return port.qos


def _paused_priorities(ports: list[Interface]) -> frozenset[int]:
    """The priorities that all ports pause.

    Raises:
        RenderError: ports differ in them.
    """
    found = {pfc.generate or frozenset() for p in ports if (pfc := _qos(p).pfc) is not None}
    if len(found) > 1:
        raise RenderError("ports that pause different priorities are not printed")
    return next(iter(found), frozenset())


def _mapping(
    device: Device, qos: PortQos, base: Base, done: list[tuple[int, bool]], tree: Tree
) -> None:
    """Code points that the switch priority of `qos roce` would treat otherwise than is wished;
    `done` is the queue of each priority, and whether it is paused.
    """
    place = ("qos", "mapping", GLOBAL)
    if qos.trust is not base.trust and qos.trust is not None:
        tree.put(*place, "trust", _TRUST_WORDS[qos.trust])
    classifier = device.qos.classifiers.get(qos.classifier or "")
    if classifier is None:
        return
    identity = {number: number for number in PRIORITIES}
    for word, codes, usual, table in (
        ("dscp", DSCPS, base.dscps, classifier.dscp_to_tc),
        ("pcp", PRIORITIES, identity, classifier.pcp_to_tc),
    ):
        if word == "pcp" and qos.trust not in (Trust.BOTH, Trust.PCP):
            continue
        for code in codes:
            own = table.get(code)
            implied = usual.get(code)
            if own is not None and (implied is None or done[own] != done[implied]):
                tree.put(*place, word, code, "switch-priority", own)


def _queue_map(
    device: Device, qos: PortQos, base: Base, queues: Mapping[int, Queue], tree: Tree
) -> dict[int, int]:
    """The queue of each switch priority, told where it is not that of `qos roce`."""
    made = dict(base.queues)
    forwarding = device.qos.forwardings.get(qos.forwarding or "")
    table = forwarding.tc_to_queue if forwarding is not None else CodeMap()
    for number in sorted(queues):
        queue = table.get(number)
        if queue is not None and base.queues.get(number) != queue:
            place = ("qos", "egress-queue-mapping", GLOBAL, "switch-priority", number)
            tree.put(*place, "traffic-class", queue)
            made[number] = queue
    return made


def _egress(device: Device, ports: list[Interface], base: Base, tree: Tree) -> Mapping[int, Queue]:
    """Turns and marking; what most ports have is that of all, others have a profile each."""
    names = Counter(_qos(port).egress or "" for port in ports)
    policies = {name: device.qos.egress[name] for name in names if name in device.qos.egress}
    if not policies:
        return {}
    usual = next(name for name, _ in names.most_common() if name in policies)
    queues = _unicast(policies[usual])
    _turns(queues, base, tree)
    told = {usual: _marks(queues, base)}
    _put_marks(GLOBAL, told[usual], tree)
    for name, policy in policies.items():
        own = _unicast(policy)
        if name == usual:
            continue
        if {n: _turn(q.scheduler) for n, q in own.items()} != {
            n: _turn(q.scheduler) for n, q in queues.items()
        }:
            raise RenderError("ports that serve classes otherwise are not printed")
        told[name] = _marks(own, None)
        if told[name] != _marks(queues, None):
            _put_marks(f"{PROFILE}-{name}", told[name], tree)
            for port in ports:
                if _qos(port).egress == name:
                    place = ("interface", port.name, "qos", "congestion-control")
                    tree.put(*place, "profile", f"{PROFILE}-{name}")
    return queues


def _unicast(policy: EgressPolicy) -> dict[int, Queue]:
    return {n: queue for (kind, n), queue in policy.queues.items() if kind is QueueKind.UNICAST}


Turn = tuple[str, int | None]


def _turn(scheduler: Scheduler | None) -> Turn | None:
    if scheduler is None or scheduler.kind is None:
        return None
    if scheduler.shape_bps is not None or scheduler.shape_percent is not None:
        raise RenderError("a cap of a class is not printed for Cumulus Linux")
    if scheduler.kind is SchedulerKind.STRICT:
        return "strict", None
    return "dwrr", whole(scheduler.share)


def _turns(queues: Mapping[int, Queue], base: Base, tree: Tree) -> None:
    for number in PRIORITIES:
        implied = base.shares[number]
        usual: Turn = ("strict", None) if implied == STRICT else ("dwrr", whole(implied))
        queue = queues.get(number)
        made = _turn(queue.scheduler) if queue is not None else ("dwrr", 0)
        if made is None or made == usual:
            continue
        place = ("qos", "egress-scheduler", GLOBAL, "traffic-class", number)
        tree.put(*place, "mode", made[0])
        if made[1] is not None:
            tree.put(*place, "bw-percent", made[1])


def _marks(queues: Mapping[int, Queue], base: Base | None) -> dict[int, dict[str, Any]]:
    """What is told of the marking of each queue, where it is not what holds without words."""
    made: dict[int, dict[str, Any]] = {}
    for number in PRIORITIES:
        queue = queues.get(number)
        marking = queue.marking if queue is not None else None
        if marking is not None and marking.ecn:
            made[number] = _marking(marking)
        elif base is not None and number in base.marks:
            made[number] = {"ecn": "disable"}
    return made


def _marking(marking: Marking) -> dict[str, Any]:
    made: dict[str, Any] = {"ecn": "enable", "red": "enable" if marking.wred_drop else "disable"}
    for word, value in (("min-threshold", marking.kmin), ("max-threshold", marking.kmax)):
        if value is not None:
            made[word] = _bytes(value)
    probability = whole(marking.pmax_percent)
    return made | ({"probability": probability} if probability is not None else {})


def _bytes(value: Threshold) -> int:
    if value.unit is not ThresholdUnit.BYTES:
        raise RenderError(f"thresholds are stated in bytes, found {value}")
    return whole(value.value) or 0


def _put_marks(name: str, marks: Mapping[int, Mapping[str, Any]], tree: Tree) -> None:
    for number, words in marks.items():
        for word, value in words.items():
            tree.put("qos", "congestion-control", name, "traffic-class", number, word, value)


def _pause(ports: list[Interface], paused: frozenset[int], base: Base, tree: Tree) -> None:
    place = ("qos", "pfc", GLOBAL)
    if paused != base.paused:
        for number in sorted(paused):
            tree.put(*place, "switch-priority", number, {})
        tree.put(*place, "tx", "enable")
        tree.put(*place, "rx", "enable")
    lengths = [port.cable_m for port in ports if port.cable_m is not None]
    if len(lengths) == len(ports):
        longest = max(lengths)
        metres = whole_part(longest) + (longest % 1 > 0)
        if metres > LONGEST_M:
            raise RenderError(f"cable-length takes up to {LONGEST_M} m, found {metres}")
        tree.put(*place, "cable-length", metres)


def _watchdog(ports: list[Interface], tree: Tree) -> None:
    """The watchdog has its times from the switch, and is on port by port."""
    for port in ports:
        own = _qos(port).watchdog
        if own is None or not own.enabled:
            continue
        tree.put("interface", port.name, "qos", "pfc-watchdog", "state", "enable")
        _times(own, tree)


def _times(own: PfcWatchdog, tree: Tree) -> None:
    polling = whole(own.polling_ms)
    if polling is not None:
        tree.put("qos", "pfc-watchdog", "polling-interval", polling)
    if own.detection_ms is not None and polling:
        tree.put("qos", "pfc-watchdog", "robustness", whole(own.detection_ms / polling))
