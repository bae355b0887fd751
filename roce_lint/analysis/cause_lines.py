"""Which of two lines that do not meet decides: the one that nothing else goes with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.structures import definitions_with
from roce_lint.analysis.treatment import egress_of, forwarding_of
from roce_lint.model.qos import Classifier, Forwarding, MatchKind, Queue
from roce_lint.text.source import Origin, Where


def idle_pause_lines(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> list[Where]:
    """The line that says which class the port pauses, where no data is of that class.

    Only where the class that RoCE is in is right in all else: its queue marks, and is not that of
    unmarked traffic. Otherwise the line that put the packets there is the wrong one.
    """
    qos = port.interface.qos
    maps = forwarding_of(port.device, qos) if qos is not None else None
    if maps is None:
        return []
    sent = maps.tc_to_pfc_priority
    nameless = sent.number_place(None)
    if nameless is not None:
        return [nameless]  # what it pauses has no number
    idle, data = (
        _paused_classes(port),
        {dscp for each in analysis.data_classes for dscp in each.dscps},
    )
    used = {dscp: analysis.treat(port, dscp).ingress.tc for dscp in _known_codes(analysis)}
    if idle & {used[dscp] for dscp in data} or not _right(analysis, traffic, port, used):
        return []
    if not idle:  # no class leads to what is paused
        missing = sent.where(sent.key(used[traffic.dscps[0]] or 0))
        return [missing] if missing.position else []
    return [place for tc in sorted(idle) if (place := sent.number_place(tc)) is not None]


def _right(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, used: dict[int, int | None]
) -> bool:
    """True where a class is that of RoCE by all but its pause: it has a queue that is made for it,
    and shares nothing with others.
    """
    treated, unmarked = analysis.treat(port, traffic.dscps[0]), analysis.treat(port, 0).egress
    out, tc = treated.egress, treated.ingress.tc
    if any(used[dscp] == tc for dscp in used if dscp not in traffic.dscps):
        return False
    bulk = unmarked.queue or 0  # most likely, where it is not known
    if out.queue == bulk:
        return False
    return bool(out.marks) or (
        _is_served(port, out.queue) and not any(_is_served(port, q) for q in _queues(port))
    )


def _is_served(port: JudgedPort, number: int | None) -> bool:
    """True where a line gives a queue its turn, and a share that is not zero."""
    qos = port.interface.qos
    policy = egress_of(port.device, qos) if qos is not None else None
    queue = policy.queue(number) if policy is not None and number is not None else None
    turn = queue.scheduler if queue is not None else None
    return turn is not None and turn.stated("kind") and turn.share != 0


def _queues(port: JudgedPort) -> set[int | None]:
    """Queues of the classes that the port pauses."""
    qos = port.interface.qos
    maps = forwarding_of(port.device, qos) if qos is not None else None
    return {maps.tc_to_queue.get(tc) for tc in _paused_classes(port)} if maps is not None else set()


def list_without_code_point(traffic: RoceClass, port: JudgedPort, dscp: int) -> list[Where]:
    """The one list that has other code points of a class of traffic, where no line leads `dscp`
    anywhere: it lacks it.
    """
    classifier, others = _classifier(port), {*traffic.dscps} - {dscp}
    if classifier is None or _leads(port, dscp):
        return []
    listed = [m for m in classifier.matches if m.kind is MatchKind.DSCP and m.values & others]
    lists = [match.where("values") for match in listed]
    places = {place.position: place for place in lists}
    return list(places.values()) if len(places) == 1 else []


def idle_map_line(analysis: Analysis, port: JudgedPort, dscp: int) -> list[Where]:
    """The one line that leads code points to a class for which nobody sends any, where no line
    leads `dscp` anywhere: it was meant to name it. The class is one that the port pauses, where
    RoCE data is none of those, or the one that a neighbour has the code point in; else any.
    """
    classifier = _classifier(port)
    if classifier is None or classifier.dscp_to_tc.key(dscp) != "otherwise":
        return []
    table = classifier.dscp_to_tc
    used = {analysis.treat(port, known).ingress.tc for known in _known_codes(analysis)}
    data = any(dscp in traffic.dscps for traffic in analysis.data_classes)
    wanted = _paused_classes(port) if data else {*table.entries.values()}
    if data and used & wanted:
        wanted = _classes_with_priority(analysis, port, dscp)
    idle = wanted - used
    meant = [match for match in classifier.matches if match.values and match.tc in idle]
    exact = [match for match in meant if match.kind is MatchKind.DSCP]
    named = [match.where("values") for match in exact or meant]
    listed = [table.where(n) for n, tc in table.entries.items() if tc in idle and table.stated(n)]
    idles = [m for m in classifier.matches if m.kind is MatchKind.NOTHING and m.tc in idle]
    empty = [m.where("values") for m in idles]
    places = {place.position: place for place in named or listed or empty}
    return list(places.values()) if len(places) == 1 else []


def _classes_with_priority(analysis: Analysis, port: JudgedPort, dscp: int) -> set[int]:
    """Traffic classes of a port that send the PFC priority which all neighbours of the switch have
    a code point in.
    """
    qos, judged = port.interface.qos, analysis.index()
    maps = forwarding_of(port.device, qos) if qos is not None else None
    ends = [analysis.fabric.peer(port.device.hostname, n) for n in port.device.interfaces]
    others = [judged[end.key] for end in ends if end is not None and end.key in judged]
    sent = {analysis.treat(other, dscp).ingress.pause_priority.value for other in others}
    if maps is None or len(sent) != 1:
        return set()
    entries = maps.tc_to_pfc_priority.entries
    return {tc for tc in _paused_classes(port) if entries.get(tc) in sent}


def rewrite_instead_of_map(port: JudgedPort, dscp: int) -> list[Where]:
    """The line that writes a code point into a class, where none reads it into any and rewriting
    is off: it was meant to classify.
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
    """The class that would take a code point, where the port's policy has all but it."""
    return [] if _leads(port, dscp) else list(definitions_with(port.device, dscp))


def line_naming_too_much(port: JudgedPort, dscp: int, alike: Collection[int]) -> list[Where]:
    """The line that leads a code point to a class which names others too, beside those `alike` of
    which the same is said, or before another class that names it: what the class does is right.
    """
    classifier = _classifier(port)
    matches = classifier.matches if classifier is not None else []
    naming = [(m, (m.class_name, m.tc)) for m in matches if dscp in m.values]
    if not naming or naming[0][0].kind is not MatchKind.DSCP:
        return []
    first, taking = naming[0]
    named = {code for m in matches if (m.class_name, m.tc) == taking for code in m.values}
    again = any(other != taking for _, other in naming)
    return [first.where("values")] if again or named - {*alike} else []


def _leads(port: JudgedPort, dscp: int) -> bool:
    """Whether a line about a code point leads it to a class on a port."""
    classifier = _classifier(port)
    return classifier is None or classifier.dscp_to_tc.stated(dscp)


def _classifier(port: JudgedPort) -> Classifier | None:
    qos = port.interface.qos
    return port.device.qos.classifiers.get(qos.classifier or "") if qos is not None else None


def _paused_classes(port: JudgedPort) -> set[int]:
    """Traffic classes that the port pauses."""
    qos = port.interface.qos
    maps = forwarding_of(port.device, qos) if qos is not None else None
    if qos is None or qos.pfc is None or maps is None:
        return set()
    paused = qos.pfc.generate or frozenset()
    return {tc for tc, number in maps.tc_to_pfc_priority.entries.items() if number in paused}


def lines_naming_class(port: JudgedPort, paused: frozenset[int]) -> Iterator[Where]:
    """Lines that say which code points the port's policy puts into a paused class."""
    qos, classifier = port.interface.qos, _classifier(port)
    maps = port.device.qos.forwardings.get(qos.forwarding or "") if qos is not None else None
    if classifier is None or maps is None:
        return
    for match in classifier.matches:
        priority = None if match.tc is None else maps.tc_to_pfc_priority.get(match.tc)
        if match.values and priority in paused:
            yield match.where("values")


def queue_in_vain(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, has: Callable[[Queue], bool]
) -> list[Where]:
    """Where the queue of a class lacks what one other queue has that nothing uses: the wrong line.

    A class whose number is that of its own queue is led there on purpose, so the number in the
    lines of the other queue is wrong; where it is the number of the other queue, the map is.
    """
    qos = port.interface.qos
    maps = forwarding_of(port.device, qos) if qos is not None else None
    policy = egress_of(port.device, qos) if qos is not None else None
    if qos is None or maps is None or policy is None:
        return []
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    known = _known_codes(analysis) | _stated_codes(port)
    used = {analysis.treat(port, dscp).egress.queue for dscp in known}
    if None in used:
        used.add(0)  # most likely that of the traffic whose queue is not known
    idle = [queue for queue in policy.queues.values() if queue.number not in used and has(queue)]
    if len(idle) != 1 or out.queue is None or into.tc is None:
        return []
    (other,) = idle
    if other.number in _lossless_queues(port, maps) or _both(port, out.queue, other.number, has):
        return []
    if into.tc == out.queue:
        return _number_of(other, "marking" if has is is_marked else "")
    place = out.queue_where
    stated = place is not None and place.origin is Origin.STATED
    return [place] if place is not None and stated and into.tc == other.number else []


def is_marked(queue: Queue) -> bool:
    """True for a queue that marks."""
    return queue.marking is not None and queue.marking.in_force


def _known_codes(analysis: Analysis) -> set[int]:
    """Code points of the network's own classes, and of unmarked traffic."""
    return {0, *(dscp for traffic in analysis.classes for dscp in traffic.dscps)}


def _stated_codes(port: JudgedPort) -> set[int]:
    """Code points to which a line of the port's own classifier gives a class."""
    classifier = _classifier(port)
    table = classifier.dscp_to_tc if classifier is not None else None
    return {n for n in table.entries if table.stated(n)} if table is not None else set()


def _lossless_queues(port: JudgedPort, maps: Forwarding) -> set[int | None]:
    pfc = port.interface.qos.pfc if port.interface.qos is not None else None
    paused = (pfc.generate or frozenset()) | (pfc.honour or frozenset()) if pfc is not None else ()
    return {maps.pfc_priority_to_queue.get(priority) for priority in paused}


def _both(port: JudgedPort, mine: int, other: int, has: Callable[[Queue], bool]) -> bool:
    """True where a policy of the device gives it to both queues: both are meant to have it."""
    return any(
        all((queue := policy.queue(number)) is not None and has(queue) for number in (mine, other))
        for policy in port.device.qos.egress.values()
    )


def _number_of(queue: Queue, misplaced: str) -> list[Where]:
    """The line that states the number of a queue; where its key is the number, of what is there
    and should be elsewhere.
    """
    for field in ("number", misplaced, "", "marking", "scheduler"):
        if queue.stated(field):
            return [queue.where(field)]
    return []


def without_queues(port: JudgedPort) -> list[Where]:
    """The port itself, where no line gives it queues of its own: the missing line belongs there."""
    qos = port.interface.qos
    policy = egress_of(port.device, qos) if qos is not None else None
    if qos is None or policy is None or qos.stated("egress"):
        return []
    parts = [part for q in policy.queues.values() for part in (q.scheduler, q.marking) if part]
    if any(position > 0 for part in parts for field, position in part.at.items() if field != ""):
        return []
    return [qos.where("egress")]
