"""The wrong one of two lines that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from roce_lint.analysis.port_parts import classifier_at, maps_of, needs, pfc_of, policy_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.structures import definitions_with
from roce_lint.analysis.treatment import is_marked
from roce_lint.model.change import Change
from roce_lint.model.qos import CodeMap, MatchKind, Queue
from roce_lint.model.schema import fields_of
from roce_lint.text.source import Origin, Where


def idle_pause_lines(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> list[Where]:
    """The line that makes a class no-drop, where no data is in that class.

    Only where everything else about the class of RoCE is right: its queue marks ECN and is not that
    of unmarked traffic. Otherwise the line that puts the packets there is wrong.
    """
    maps = maps_of(port)
    if maps is None:
        return []
    sent = maps.tc_to_pfc_priority
    nameless = sent.number_place(None)
    if nameless is not None:
        return [nameless]  # the no-drop class has no number
    idle = _paused_classes(port)
    data = {dscp for each in analysis.data_classes for dscp in each.dscps}
    used = {dscp: analysis.treat(port, dscp).ingress.tc for dscp in _known_codes(analysis)}
    if idle & {used[dscp] for dscp in data} or not _right(analysis, traffic, port, used):
        return []
    if not idle:  # no class uses the no-drop priority
        missing = sent.where(sent.key(used[traffic.dscps[0]] or 0))
        return [missing] if missing.position else []
    return [place for tc in sorted(idle) if (place := sent.number_place(tc)) is not None]


def _right(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, used: dict[int, int | None]
) -> bool:
    """True where a class fits RoCE except for PFC: it has its own queue and shares nothing."""
    treated, unmarked = analysis.treat(port, traffic.dscps[0]), analysis.treat(port, 0).egress
    out, tc = treated.egress, treated.ingress.tc
    if any(used[dscp] == tc for dscp in used if dscp not in traffic.dscps):
        return False
    if out.queue == (unmarked.queue or 0):  # most likely, if unknown
        return False
    maps = maps_of(port)
    paused = [maps.tc_to_queue.get(each) for each in _paused_classes(port)] if maps else ()
    return bool(out.marks) or (
        _is_served(port, out.queue) and not any(_is_served(port, queue) for queue in paused)
    )


def _is_served(port: JudgedPort, number: int | None) -> bool:
    """True where a line schedules a queue with a share above zero, or strictly."""
    policy = policy_of(port)
    queue = policy.queue(number) if policy is not None else None
    turn = queue.scheduler if queue is not None else None
    return turn is not None and turn.stated("kind") and turn.share != 0


def list_without_code_point(traffic: RoceClass, port: JudgedPort, dscp: int) -> list[Where]:
    """The only list with other DSCPs of a class, where no line maps `dscp`: it is missing there."""
    classifier, others = classifier_at(port), {*traffic.dscps} - {dscp}
    if classifier is None or _leads(port, dscp):
        return []
    listed = [m for m in classifier.matches if m.kind is MatchKind.DSCP and m.values & others]
    return _only([match.where("values") for match in listed])


def _only(lines: Iterable[Where]) -> list[Where]:
    """The line, if all places are in one."""
    places = {place.position: place for place in lines}
    return list(places.values()) if len(places) == 1 else []


def idle_map_line(analysis: Analysis, port: JudgedPort, dscp: int) -> list[Where]:
    """The one line that maps DSCPs without a sender, where no line maps `dscp`: `dscp` was meant.
    Its class is no-drop where RoCE data is in none, or the one that a neighbour uses for `dscp`;
    else any.
    """
    classifier = classifier_at(port)
    if classifier is None or classifier.dscp_to_tc.key(dscp) != "otherwise":
        return []
    table = classifier.dscp_to_tc
    used = {analysis.treat(port, known).ingress.tc for known in _known_codes(analysis)}
    data = any(dscp in traffic.dscps for traffic in analysis.data_classes)
    lossless = _paused_classes(port) if data else {*table.entries.values()}
    if data and used & lossless:
        lossless = _classes_with_priority(analysis, port, dscp)
    idle = lossless - used
    meant = [match for match in classifier.matches if match.values and match.tc in idle]
    exact = [match for match in meant if match.kind is MatchKind.DSCP]
    named = [match.where("values") for match in exact or meant]
    listed = [table.where(n) for n, tc in table.entries.items() if tc in idle and table.stated(n)]
    idles = [m for m in classifier.matches if m.kind is MatchKind.NOTHING and m.tc in idle]
    empty = [m.where("values") for m in idles]
    return _only(named or listed or empty)


def _classes_with_priority(analysis: Analysis, port: JudgedPort, dscp: int) -> set[int]:
    """Traffic classes with the PFC priority that all neighbours of the switch use for a DSCP."""
    maps, judged = maps_of(port), analysis.index()
    ends = [analysis.fabric.peer(port.device.hostname, n) for n in port.device.interfaces]
    others = [judged[end.key] for end in ends if end is not None and end.key in judged]
    sent = {analysis.treat(other, dscp).ingress.pause_priority.value for other in others}
    if maps is None or len(sent) != 1:
        return set()
    entries = maps.tc_to_pfc_priority.entries
    return {tc for tc in _paused_classes(port) if entries.get(tc) in sent}


def rewrite_instead_of_map(port: JudgedPort, dscp: int) -> list[Where]:
    """The line that rewrites a class to a DSCP, where no line classifies the DSCP and rewriting is
    off: it was meant to classify.
    """
    if _leads(port, dscp):
        return []
    return [
        table.where(tc)
        for rewrite in port.device.qos.rewrites.values()
        if rewrite.active is False
        for table in [rewrite.tc_to_dscp]
        for tc, written in table.entries.items()
        if written == dscp and table.stated(tc)
    ]


def excluding_class(port: JudgedPort, dscp: int) -> list[Where]:
    """The class with a DSCP that the policy of the port does not use."""
    return [] if _leads(port, dscp) else list(definitions_with(port.device, dscp))


def line_naming_too_much(port: JudgedPort, dscp: int, alike: Collection[int]) -> list[Where]:
    """The line that maps a DSCP to a class with further DSCPs, beside those of the same finding
    (`alike`), or before another class that names it: the class itself is right.
    """
    classifier = classifier_at(port)
    matches = classifier.matches if classifier is not None else []
    naming = [(m, (m.class_name, m.tc)) for m in matches if dscp in m.values]
    if not naming or naming[0][0].kind is not MatchKind.DSCP:
        return []
    first, taking = naming[0]
    named = {code for m in matches if (m.class_name, m.tc) == taking for code in m.values}
    again = any(other != taking for _, other in naming)
    return [first.where("values")] if again or named - {*alike} else []


def _leads(port: JudgedPort, dscp: int) -> bool:
    """Whether a line about a DSCP maps it to a class on a port."""
    classifier = classifier_at(port)
    return classifier is None or classifier.dscp_to_tc.stated(dscp)


def _paused_classes(port: JudgedPort) -> set[int]:
    """No-drop traffic classes of a port."""
    pfc, maps = pfc_of(port), maps_of(port)
    if pfc is None or maps is None:
        return set()
    paused = pfc.generate or frozenset()
    return {tc for tc, number in maps.tc_to_pfc_priority.entries.items() if number in paused}


def exchanged_priority(
    analysis: Analysis, port: JudgedPort, field: str, priority: int
) -> frozenset[int]:
    """PFC priorities of a port (sent or honoured) with another one: instead of the only priority
    that no class of the network and no line about a DSCP leads to, unless most ports have that.
    """
    had: frozenset[int] = getattr(pfc_of(port), field, None) or frozenset()
    codes = _known_codes(analysis)
    if not port.device.is_host:  # an adapter's output lists every DSCP
        codes |= _stated_codes(port)
    spare = had - {analysis.treat(port, dscp).ingress.priority for dscp in codes}
    votes = 0
    for other, count in analysis.kinds if len(spare) == 1 else ():
        theirs = getattr(pfc_of(other), field, None)
        if other.network == port.network and theirs is not None:
            votes += count if spare <= theirs else -count
    return (had - spare if len(spare) == 1 and votes <= 0 else had) | {priority}


def lines_naming_class(port: JudgedPort, paused: frozenset[int]) -> Iterator[Where]:
    """Lines that map DSCPs to a no-drop class in the policy of a port."""
    classifier, maps = classifier_at(port), maps_of(port)
    if classifier is None or maps is None:
        return
    for match in classifier.matches:
        priority = None if match.tc is None else maps.tc_to_pfc_priority.get(match.tc)
        if match.values and priority in paused:
            yield match.where("values")


def queue_in_vain(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, has: Callable[[Queue], bool]
) -> list[Where]:
    """Lines to blame where the queue of a class lacks a setting that one unused queue has.

    A class with the number of its queue is intended, so the number in the lines of the
    other queue is wrong; a class with the number of the other queue has a wrong map entry.
    """
    other = _queue_in_vain(analysis, traffic, port, has)
    if other is None:
        return []
    treated = analysis.treat(port, traffic.dscps[0])
    if treated.ingress.tc == treated.egress.queue:
        return _number_of(other, "marking" if has is is_marked else "")
    return [place] if (place := treated.egress.queue_where) is not None else []


def exchanged_queues(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, has: Callable[[Queue], bool]
) -> tuple[Change, ...]:
    """Changes of the lines that `queue_in_vain` blames: the setting exchanged between the two
    queues, or the map entry.
    """
    other, maps = _queue_in_vain(analysis, traffic, port, has), maps_of(port)
    if other is None or maps is None:
        return ()
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    if into.tc == out.queue:
        field = "marking" if has is is_marked else "scheduler"
        parts = {out.queue: getattr(other, field), other.number: getattr(out, field)}
        values: dict[str, object] = {}
        for number, part in parts.items():
            path = f"qos.egress.queues[{number}].{field}"
            if part is None or part.name is not None:
                values[path] = part
            else:
                values |= {f"{path}.{name}": getattr(part, name) for name in fields_of(type(part))}
        return needs(port, values)
    entries = [f"tc_to_queue[{into.tc}]"]
    if into.priority is not None and maps.pfc_priority_to_queue.get(into.priority) == out.queue:
        entries.append(f"pfc_priority_to_queue[{into.priority}]")
    return needs(port, {f"qos.forwarding.{entry}": other.number for entry in entries})


def _queue_in_vain(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, has: Callable[[Queue], bool]
) -> Queue | None:
    """The one unused queue that certainly has a setting of the queue of a class."""
    maps, policy = maps_of(port), policy_of(port)
    if maps is None or policy is None:
        return None
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    known = _known_codes(analysis) | _stated_codes(port)
    used = {analysis.treat(port, dscp).egress.queue for dscp in known}
    if None in used:
        used.add(0)  # most likely the queue of traffic with an unknown one
    idle = [queue for queue in policy.queues.values() if queue.number not in used and has(queue)]
    if len(idle) != 1 or out.queue is None or into.tc is None:
        return None
    (other,) = idle
    pfc = pfc_of(port)
    paused = (pfc.generate or frozenset()) | (pfc.honour or frozenset()) if pfc is not None else ()
    lossless = {maps.pfc_priority_to_queue.get(priority) for priority in paused}
    if other.number in lossless or _both(port, out.queue, other.number, has):
        return None
    stated = out.queue_where is not None and out.queue_where.origin is Origin.STATED
    return other if into.tc == out.queue or (stated and into.tc == other.number) else None


def _known_codes(analysis: Analysis) -> set[int]:
    """DSCPs of the network's classes, and 0."""
    return {0, *(dscp for traffic in analysis.classes for dscp in traffic.dscps)}


def _stated_codes(port: JudgedPort) -> set[int]:
    """DSCPs that a line of the port's classifier maps."""
    classifier = classifier_at(port)
    table = classifier.dscp_to_tc if classifier is not None else CodeMap()
    return {dscp for dscp in table.entries if table.stated(dscp)}


def _both(port: JudgedPort, mine: int, other: int, has: Callable[[Queue], bool]) -> bool:
    """True where a policy of the device configures both queues so: both are meant to have it."""
    return any(
        all((queue := policy.queue(number)) is not None and has(queue) for number in (mine, other))
        for policy in port.device.qos.egress.values()
    )


def _number_of(queue: Queue, misplaced: str) -> list[Where]:
    """The line with the number of a queue; where the number is a key, the misplaced settings."""
    for field in ("number", misplaced, "", "marking", "scheduler"):
        if queue.stated(field):
            return [queue.where(field)]
    return []


def without_queues(port: JudgedPort) -> list[Where]:
    """The port, where it has no queue configuration: the missing line belongs there."""
    qos, policy = port.interface.qos, policy_of(port)
    if qos is None or policy is None or qos.stated("egress"):
        return []
    parts = [part for q in policy.queues.values() for part in (q.scheduler, q.marking) if part]
    if any(position > 0 for part in parts for field, position in part.at.items() if field != ""):
        return []
    return [qos.where("egress")]
