"""Which statements of NX-OS classify packets, pause classes, and serve and mark queues."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.errors import RenderError
from roce_lint.model.device import Device
from roce_lint.model.qos import (
    Classifier,
    EgressPolicy,
    Forwarding,
    Match,
    MatchKind,
    PfcMode,
    Queue,
    QueueKind,
    SchedulerKind,
    ShareKind,
)
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.nxos.bounds import LIMITS
from roce_lint.nos.nxos.classify import GROUPS
from roce_lint.nos.nxos.lossless import SYSTEM_POLICIES as NETWORK_POLICIES
from roce_lint.nos.nxos.queuing import SYSTEM_POLICIES as QUEUING_POLICIES
from roce_lint.nos.nxos.words import (
    EACH_PACKET,
    ClassMap,
    NetworkClass,
    NetworkPolicy,
    QosClass,
    QosPolicy,
    QueueClass,
    QueuingPolicy,
    SystemQosWords,
    random_detect,
)
from roce_lint.nos.omissions import Omission
from roce_lint.nos.selection import by_value, is_wished, value_to_state, whole
from roce_lint.nos.words import Words

REST = "class-default"

COUNTED = (ThresholdUnit.BYTES, ThresholdUnit.PACKETS)
"""Units of thresholds that a line states."""


def input_policies(device: Device) -> Iterator[Words]:
    """Class maps, each once, before the policies that name them."""
    maps: dict[str, ClassMap] = {}
    policies = []
    for name, classifier in device.qos.classifiers.items():
        if classifier.builtin:
            continue
        classes = (
            _matched_classes(classifier)
            if classifier.matches
            else _mapped_classes(classifier, maps)
        )
        for match in classifier.matches:
            _add(maps, match)
        policies.append(QosPolicy(head=f"type qos {name}", classes=tuple(classes)))
    yield from maps.values()
    yield from policies


def _mapped_classes(classifier: Classifier, maps: dict[str, ClassMap]) -> Iterator[QosClass]:
    """A class for each group but that of all other code points, called by its number."""
    rest = classifier.dscp_to_tc.otherwise
    for group, codes in by_value(classifier.dscp_to_tc):
        if group != rest:
            name = f"GROUP{group}"
            maps[name] = ClassMap(head=f"type qos match-any {name}", dscp=(codes,))
            yield QosClass(called=name, group_number=group)
    yield QosClass(called=REST, group_number=rest or 0)


def _matched_classes(classifier: Classifier) -> Iterator[QosClass]:
    """The classes of a policy as it was read, in their order."""
    seen = set()
    for match in classifier.matches:
        if match.class_name is not None and match.class_name not in seen:
            seen.add(match.class_name)
            yield QosClass(
                called=match.class_name,
                group_number=value_to_state(match, "tc"),
                set_dscp=value_to_state(match, "set_dscp"),
            )


def _add(maps: dict[str, ClassMap], match: Match) -> None:
    name = match.class_name
    if name is None or match.kind not in (MatchKind.DSCP, MatchKind.PCP, MatchKind.NOTHING):
        return
    words = maps.setdefault(name, ClassMap(head=f"type qos match-any {name}"))
    if match.kind is MatchKind.DSCP and match.values not in (words.dscp or ()):
        words.dscp = (*(words.dscp or ()), match.values)
    elif match.kind is MatchKind.PCP and match.values not in (words.cos or ()):
        words.cos = (*(words.cos or ()), match.values)


def network_policies(device: Device) -> Iterator[Words]:
    """What is paused, and `system qos`, which attaches it."""
    for forwarding in device.qos.forwardings.values():
        name = forwarding.name
        if name is None or name in NETWORK_POLICIES:
            continue
        yield NetworkPolicy(name=name, classes=tuple(_network_classes(device, forwarding)))
        yield SystemQosWords(begins=True, network_qos=name)


def _network_classes(device: Device, forwarding: Forwarding) -> Iterator[NetworkClass]:
    """Paused classes, and the one of all others; their buffers are sized for the ports' packets."""
    paused, sizes = _paused_classes(device, forwarding), dict(forwarding.tc_mtu.entries)
    if forwarding.tc_mtu.otherwise is None and is_wished(device):
        largest = [p.ip_mtu for p in device.interfaces.values() if p.qos is not None and p.ip_mtu]
        used = {group for each in device.qos.classifiers.values() for group in _groups(each)}
        sizes = {group: max(largest) for group in used | paused | {0} if largest}
    for group in sorted({*paused, *sizes}, reverse=True):
        number = f"c-8q-nq{group}" if group else "c-8q-nq-default"
        stops = {
            priority
            for priority, into in forwarding.pfc_priority_to_queue.entries.items()
            if into == group and group in paused
        }
        yield NetworkClass(
            called=f"type network-qos {number}",
            mtu=sizes.get(group),
            pause=",".join(map(str, sorted(stops))) or None,
        )


def _paused_classes(device: Device, forwarding: Forwarding) -> set[int]:
    """Classes that have a priority of pause, and that ports pause where these say which."""
    configs = [port.qos.pfc for port in device.interfaces.values() if port.qos is not None]
    known = [pfc.generate for pfc in configs if pfc is not None and pfc.mode is PfcMode.ON]
    stopped = frozenset[int]().union(*(each or () for each in known))
    anything = not known or None in known
    found = forwarding.tc_to_pfc_priority.entries.items()
    return {group for group, priority in found if anything or priority in stopped}


def _groups(classifier: Classifier) -> set[int]:
    return {*classifier.dscp_to_tc.entries.values(), classifier.dscp_to_tc.otherwise or 0}


def queuing_policies(device: Device) -> Iterator[QueuingPolicy]:
    """How queues are served and marked, under the name by which ports attach it."""
    for name, policy in device.qos.egress.items():
        if name not in QUEUING_POLICIES:
            wished = is_wished(device)
            classes = dict(_queues(policy, EACH_PACKET if wished else None))
            if wished:
                for group in GROUPS:  # what published examples give queues that nothing uses
                    classes.setdefault(group, QueueClass(called=_queue_name(group), remaining=0))
            ordered = [classes[number] for number in sorted(classes, reverse=True)]
            yield QueuingPolicy(name=name, classes=tuple(ordered))


def _queue_name(group: int) -> str:
    return f"type queuing c-out-8q-q{group or '-default'}"


def _queues(policy: EgressPolicy, weight: int | None) -> Iterator[tuple[int, QueueClass]]:
    """The queues of a policy by number; `weight` of marking, where none is stated."""
    levels = sorted(
        (number for (_, number), queue in policy.queues.items() if _is_strict(queue)), reverse=True
    )
    for (kind, number), queue in policy.queues.items():
        if kind is not QueueKind.UNICAST:
            raise RenderError("NX-OS has no queues for multicast alone")
        words = QueueClass(called=_queue_name(number))
        turn = queue.scheduler
        if turn is not None and _is_strict(queue):
            words.priority = f"priority level {turn.strict_level or levels.index(number) + 1}"
        if turn is not None and turn.share_of is ShareKind.LINK:
            words.percent = whole(value_to_state(turn, "share"))
        elif turn is not None:
            words.remaining = whole(value_to_state(turn, "share"))
        mark = queue.marking
        if mark is not None and (mark.ecn or mark.wred_drop) and not _unsaid_mark(queue):
            words.random_detect = random_detect(mark, weight, LIMITS)
        yield number, words


def _is_strict(queue: Queue) -> bool:
    return queue.scheduler is not None and queue.scheduler.kind is SchedulerKind.STRICT


def _unsaid_mark(queue: Queue) -> bool:
    mark = queue.marking
    if mark is None or not (mark.ecn or mark.wred_drop):
        return False
    return any(depth is None or depth.unit not in COUNTED for depth in (mark.kmin, mark.kmax))


def unsaid(device: Device) -> Iterator[Omission]:
    """What classes, pauses and queues are to do and no line says."""
    for name, classifier in device.qos.classifiers.items():
        spoken = (MatchKind.DSCP, MatchKind.PCP, MatchKind.ANY, MatchKind.NOTHING)
        kinds = {match.kind for match in classifier.matches}
        if not kinds <= {*spoken} or any(m.police_bps is not None for m in classifier.matches):
            yield Omission("matches", f"classifier {name}")
        if not classifier.matches and classifier.pcp_to_tc.entries:
            yield Omission("pcp_to_tc", f"classifier {name}")
    for name, forwarding in device.qos.forwardings.items():
        moved = any(
            into != number
            for table in (forwarding.tc_to_queue, forwarding.tc_to_pg)
            for number, into in table.entries.items()
        )
        if moved:
            yield Omission(
                "queues and groups of another number than the class", f"forwarding {name}"
            )
    for name, policy in device.qos.egress.items():
        for queue in policy.queues.values():
            if _unsaid_mark(queue):
                yield Omission("marking without thresholds", f"egress {name} queue {queue.number}")
