"""Priority flow control on every hop of a lossless class."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.cache import cached
from roce_lint.analysis.deciding_lines import exchanged_priority
from roce_lint.analysis.diagnosis import Diagnosis, Fault, diagnose
from roce_lint.analysis.diagnosis.arrival import mapped_to_pause
from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.map_conflicts import map_conflict
from roce_lint.analysis.port_parts import link_note, maps_of, needs, needs_pfc, pfc_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine import api
from roce_lint.engine.api import Change, Device, Given, Outcome, Problem, Stage, Unknown, Where
from roce_lint.engine.finding import Severity
from roce_lint.model.fabric import Link
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import ranges
from roce_lint.text.numbers import count


@api.class_port_check("pfc.off_on_class_path")
def pfc_off_on_class_path(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """A port of a lossless class does not send PFC for it."""
    found = [*diagnosis.at(Stage.PAUSE), *diagnosis.at(Stage.LOSSLESS)]
    yield from api.unknowns(diagnosis, found)
    for broken in found:
        if isinstance(broken, Fault):
            harm = f"{traffic.name} is dropped here when the port's buffer fills"
            outcome = api.problem(diagnosis, broken, harm)
            where = "on this path" if broken.demanded else "on other ports"
            outcome.message += f", but {traffic.name} is lossless {where}"
            yield outcome


@api.link_check("pfc.priority_differs_on_link")
def pfc_priority_mismatch(link: Link, given: Given) -> Iterator[Outcome]:
    """The sender does not stop the queue of the class when the receiver sends PFC."""
    analysis, known = given.analysis, _exchanged(given.analysis)
    a, b = map(analysis.index().get, (link.a.key, link.b.key))
    if a is None or b is None:
        return
    for traffic, exchanged in known:
        (sent, stopped_by), (received, stopping) = exchanged[a.kind], exchanged[b.kind]
        if sent not in stopping:
            yield from _not_stopped(analysis, traffic, link, b, a)
        if received not in stopped_by:
            yield from _not_stopped(analysis, traffic, link, a, b)


_Exchanged = dict[tuple[str, str], tuple[int | None, frozenset[int | None]]]
"""By kind of port: the priority of its PFC for a class (None: no PFC), and those that stop it."""


@cached
def _exchanged(analysis: Analysis) -> list[tuple[RoceClass, _Exchanged]]:
    found = []
    # The ends of a tie have no DSCP in common: CLS020 shows both sides.
    for traffic in (each for each in analysis.data_classes if not each.sides):
        known: _Exchanged = {}
        for port, _ in analysis.kinds:
            treated = analysis.treat(port, traffic.dscps[0])
            into, needed = treated.ingress, analysis.needs_pause(traffic, port) is not False
            sent = into.priority if into.lossless and needed else None
            known[port.key] = sent, frozenset((None, *(treated.egress.stopped_by or ())))
        found.append((traffic, known))
    return found


def _not_stopped(
    analysis: Analysis, traffic: RoceClass, link: Link, up: JudgedPort, down: JudgedPort
) -> Iterator[Outcome]:
    into = analysis.treat(down, traffic.dscps[0]).ingress
    treated = analysis.treat(up, traffic.dscps[0])
    out = treated.egress
    obeyed = _obeyed_priorities(up)
    # A port that does not honour the priority stops no queue by it.
    decided = obeyed is not None and into.priority not in obeyed
    if not treated.ingress.certain and not decided:
        places = list(treated.ingress.tc_where[:1])
        yield Unknown(treated.ingress.unless, places, *api.at_port(up))
        return
    unknown = out.stopped_by is None or out.queue is None or out.honour_where is None
    if unknown and not decided:
        place = out.honour_where or out.queue_where or up.interface.where()
        lack = out.missing or treated.ingress.missing or "the PFC priorities that the port honours"
        yield Unknown(lack, [place], *api.at_port(up))
        return
    honoured = obeyed or frozenset()
    cause, blamed, message, changes = _blame(analysis, traffic, up, down, honoured)
    yield Problem(
        message,
        (
            f"{up} keeps sending {traffic.name} and "
            if into.priority in honoured
            else f"{up} ignores {down}'s PFC frames and "
        )
        + f"{down}'s buffer overflows",
        [
            cause,
            *_places(up, out.honour_where),
            *([into.priority_where] if into.priority_where else []),
            *diagnose(analysis, traffic, up).through(),
        ],
        *api.at_port(blamed),
        # The deviation of the blamed port, at either end of any of its links: one cause.
        value=str(into.priority) if blamed is down else ranges(honoured),
        traffic=traffic.name,
        acts="arriving" if blamed is down else "leaving",
        rests_on=(
            *into.protected.doubts,
            *into.pause_priority.doubts,
            *out.stopping.doubts,
            *(out.served_by.doubts if into.priority in honoured else ()),
            *diagnose(analysis, traffic, up).in_doubt(),
        ),
        lacks=() if honoured else tuple(_places(up, out.honour_where)),
        assumed=link_note(assumed=link.assumed),
        changes=changes,
        stage=Stage.STOP,
    )


def _obeyed_priorities(port: JudgedPort) -> frozenset[int] | None:
    """Priorities that a port honours PFC for; None where unknown."""
    pfc = pfc_of(port)
    return pfc.honour if pfc is not None else None


def _places(port: JudgedPort, known: Where | None) -> list[Where]:
    """Place of the honoured priorities of a port, even where the queue of a class is unknown."""
    pfc = pfc_of(port)
    place = known or (pfc.where("honour") if pfc is not None else None)
    return [place] if place is not None else []


def _blame(
    analysis: Analysis,
    traffic: RoceClass,
    up: JudgedPort,
    down: JudgedPort,
    honoured: frozenset[int],
) -> tuple[Where, JudgedPort, str, tuple[Change, ...]]:
    """The deciding place, the port it is on, the sentence, and the changes of the port.

    The receiver is to blame where it uses another priority than most ports of the network, else
    the sender.
    """
    into = analysis.treat(down, traffic.dscps[0]).ingress
    out = analysis.treat(up, traffic.dscps[0]).egress
    usual = analysis.mode(traffic, down).priority
    queue_fault = into.priority in honoured
    stops_usual = usual in (out.stopped_by or ()) if queue_fault else usual in honoured
    if usual is not None and into.priority != usual and stops_usual:
        place = into.priority_where
        place = place if _is_stated(place) else _place_to_blame(analysis, traffic, down)
        # A peer may honour the priority and stop with it a queue that the class is not in.
        effect = (
            f"which stops another queue on {up}"
            if queue_fault
            else f"but {up} honours {label_priorities(honoured) if honoured else 'no PFC'}"
        )
        message = f"{down} sends PFC for {traffic.name} with priority {into.priority}, {effect}"
        changes = _with_priority(analysis, traffic, down, usual)
        return place or down.interface.where(), down, message, changes
    if queue_fault:
        message = (
            f"{up}: PFC priority {into.priority} does not stop queue {out.queue}, which "
            f"{traffic.name} uses"
        )
        inside = map_conflict(analysis, traffic, up)
        place = inside.where[0] if inside is not None else _queue_place(up, into.priority)
        entry = f"qos.forwarding.pfc_priority_to_queue[{into.priority}]"
        changes = inside.changes if inside is not None else needs(up, {entry: out.queue})
        return place or up.interface.where(), up, message, changes
    wrong = analysis.treat(up, traffic.dscps[0]).ingress
    if wrong.lossless and wrong.priority in honoured and into.priority == usual:
        # It sends pause for that priority too: one cause, whichever way the packets go.
        place = wrong.priority_where
        place = place if _is_stated(place) else _place_to_blame(analysis, traffic, up)
        changes = _with_priority(analysis, traffic, up, usual)
    else:
        place = next(iter(_places(up, out.honour_where)), None)
        changes = _honouring(analysis, up, into.priority, out.queue)
    obeyed = f"PFC {label_priorities(honoured)}" if honoured else "no PFC"
    message = (
        f"{up} honours {obeyed}, but {down} sends PFC for {traffic.name} with priority "
        f"{into.priority}"
    )
    return place or up.interface.where(), up, message, changes


def _honouring(
    analysis: Analysis, port: JudgedPort, priority: int | None, queue: int | None
) -> tuple[Change, ...]:
    """Received PFC for a priority stops a queue."""
    if priority is None:
        return ()
    honoured = exchanged_priority(analysis, port, "honour", priority)
    values: dict[str, object] = {"qos.pfc.honour": honoured}
    entry = "qos.forwarding.pfc_priority_to_queue"
    for other in (_obeyed_priorities(port) or frozenset()) - honoured:
        values[f"{entry}[{other}]"] = None
    if queue is not None:
        values[f"{entry}[{priority}]"] = queue
    return needs(port, values)


def _with_priority(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, priority: int | None
) -> tuple[Change, ...]:
    """The class with another PFC priority, where a line gives it its own."""
    treated, pfc, maps = analysis.treat(port, traffic.dscps[0]), pfc_of(port), maps_of(port)
    into, queue = treated.ingress, treated.egress.queue
    if priority is None or pfc is None or maps is None:
        return ()
    if not _is_stated(into.priority_where):
        diagnosis = diagnose(analysis, traffic, port)
        return tuple(c for dscp in traffic.dscps for c in mapped_to_pause(diagnosis, dscp))
    old = frozenset({into.priority})
    entries: dict[str, int | None] = {f"tc_to_pfc_priority[{into.tc}]": priority}
    if maps.pfc_priority_to_queue.get(into.priority or 0) == queue:
        entries[f"pfc_priority_to_queue[{into.priority}]"] = None
        entries[f"pfc_priority_to_queue[{priority}]"] = queue
    return needs_pfc(port, (pfc.generate or frozenset()) - old | {priority}, entries)


def _place_to_blame(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Where:
    """Line to blame for a priority that no line states: the queue of the class where the priority
    follows from it, else the classification of RoCE.
    """
    treated = analysis.treat(port, traffic.dscps[0])
    into, out = treated.ingress, treated.egress
    if out.queue_where is not None and _is_stated(out.queue_where) and out.queue == into.priority:
        return out.queue_where
    return into.tc_where[0]


def _is_stated(where: Where | None) -> bool:
    return where is not None and where.origin.value == "stated" and where.position > 0


def _queue_place(port: JudgedPort, priority: int | None) -> Where | None:
    qos = port.interface.qos
    maps = port.device.qos.forwardings.get(qos.forwarding or "") if qos is not None else None
    if maps is None or priority is None:
        return None
    target = maps.pfc_priority_to_queue
    return target.where(target.key(priority))


@api.device_check("pfc.on_without_class")
def pfc_without_no_drop_priority(device: Device, given: Given) -> Iterator[Outcome]:
    """PFC is on, but no priority is no-drop."""
    for port in device.interfaces.values():
        pfc = port.qos.pfc if port.qos is not None else None
        if pfc is None or pfc.mode is not PfcMode.ON or pfc.generate is None or pfc.generate:
            continue
        judged = given.analysis.port(device.hostname, port.name)
        if judged is None:
            continue
        needed = any(
            given.analysis.needs_pause(traffic, judged) for traffic in given.analysis.data_classes
        )
        one_way = pfc.stated("honour") and pfc.honour and not needed and not pfc.named
        by_tag = pfc.named if port.tagged is False else None
        if one_way and judged.network in given.analysis.one_way:
            continue  # by design: no port of the network sends PFC
        # The line without a no-drop priority, else the one that enables PFC.
        fields = ("generate", "mode") if pfc.placed("generate") else ("mode", "generate")
        places = [pfc.where(field) for field in fields]
        modes = [given.analysis.mode(traffic, judged) for traffic in given.analysis.data_classes]
        wanted = {mode.priority for mode in modes if mode.priority is not None}
        # Honouring without sending is legal; a line about sending makes it unlikely.
        slight = Severity.WARNING if pfc.stated("generate") else Severity.INFO
        yield Problem(
            f"{device.hostname} {port.name}: PFC is enabled but no priority is no-drop"
            + (f" ({label_priorities(by_tag)} for tagged packets only)" if by_tag else "")
            + (f" (only honours {label_priorities(pfc.honour)})" if one_way and pfc.honour else ""),
            "PFC is never sent: every class is lossy on this port",
            places,
            subjects=(port.name,),
            severity=slight if one_way else None,
            lacks=() if by_tag else tuple(places),
            changes=needs_pfc(judged, frozenset(wanted)) if needed and len(wanted) == 1 else (),
            stage=Stage.ENABLED,
        )


@api.device_check("pfc.switched_off_globally")
def pfc_switched_off_globally(device: Device, given: Given) -> Iterator[Outcome]:
    """A global setting disables PFC on all ports."""
    if not device.system.pfc_killed:
        return
    ports = given.analysis.ports_of(device)
    classes = given.analysis.data_classes
    hit = [
        port
        for port in ports  # with PFC by the design, or by their own configuration
        if ((pfc := pfc_of(port)) is not None and pfc.generate)
        or any(given.analysis.needs_pause(traffic, port) for traffic in classes)
    ]
    if hit:
        yield Problem(
            f"{device.hostname}: PFC is disabled for the whole device",
            f"no port sends PFC: RoCE is lossy on {count(len(hit), 'port')} of its path",
            [device.system.where("pfc_killed")],
            subjects=tuple(port.interface.name for port in hit),
            changes=(Change.on_device(device, "system.pfc_killed", value=False),),
            stage=Stage.SWITCH,
        )
