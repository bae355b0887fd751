"""Priority flow control on every hop of a lossless class."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.box_maps import contradiction
from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    Change,
    Device,
    Diagnosis,
    Endpoint,
    Fault,
    Given,
    JudgedPort,
    Link,
    NoParams,
    Outcome,
    Problem,
    RoceClass,
    Safety,
    Severity,
    Stage,
    Unknown,
    Where,
    class_port_check,
    device_check,
    link_check,
    problem,
    unknowns,
)
from roce_lint.model.qos import PfcConfig, PfcMode
from roce_lint.model.units import ranges
from roce_lint.text.numbers import count


@class_port_check("pfc.off_on_class_path")
def pfc_off_on_class_path(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A port of a lossless class does not send pause for it."""
    found = [*diagnosis.at(Stage.PAUSE), *diagnosis.at(Stage.LOSSLESS)]
    yield from unknowns(diagnosis, found)
    for broken in found:
        if isinstance(broken, Fault):
            harm = f"{traffic.name} is dropped here when the port's buffer fills"
            told = problem(diagnosis, broken, harm)
            where = "on this path" if broken.demanded else "on other ports"
            told.message += f", and {traffic.name} is lossless {where}"
            told.changes = _pause_changes(diagnosis) if broken.stage is Stage.PAUSE else ()
            yield told


def _pause_changes(diagnosis: Diagnosis) -> tuple[Change, ...]:
    """The port with pause for the class."""
    port, pfc = diagnosis.port, diagnosis.pfc
    wanted = diagnosis.analysis.mode(diagnosis.traffic, port).priority
    if wanted is None or pfc is None:
        return ()
    paused = (pfc.generate or frozenset()) | {wanted}
    device, name = port.device.hostname, port.interface.name
    change = Change.on_port(device, name, "qos.pfc.generate", paused, Safety.SAFE, old=pfc.generate)
    return (change,)


@link_check("pfc.priority_differs_on_link")
def pfc_priority_differing_on_link(link: Link, given: Given[NoParams]) -> Iterator[Outcome]:
    """The sender does not stop the right queue when the receiver pauses the class."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        # The ends of a tie have no code point in common: CLS020 shows both sides.
        for receiver in link.ends if not traffic.sides else ():
            yield from _not_stopped(analysis, traffic, link, link.other(receiver), receiver)


def _not_stopped(
    analysis: Analysis, traffic: RoceClass, link: Link, sender: Endpoint, receiver: Endpoint
) -> Iterator[Outcome]:
    down, up = analysis.port(*receiver.key), analysis.port(*sender.key)
    if down is None or up is None or analysis.needs_pause(traffic, down) is False:
        return
    into = analysis.treat(down, traffic.dscps[0]).ingress
    if not into.lossless or into.priority is None:
        return
    treated = analysis.treat(up, traffic.dscps[0])
    out = treated.egress
    if into.priority in (out.stopped_by or ()):
        return
    obeyed = _obeyed_priorities(up)
    # Whatever queue the class is in: a port that obeys no pause of the priority stops none by it.
    decided = obeyed is not None and into.priority not in obeyed
    if not treated.ingress.certain and not decided:
        yield Unknown(
            treated.ingress.unless,
            list(treated.ingress.tc_where[:1]),
            up.device.hostname,
            (up.interface.name,),
        )
        return
    unknown = out.stopped_by is None or out.queue is None or out.honour_where is None
    if unknown and not decided:
        place = out.honour_where or out.queue_where or up.interface.where()
        yield Unknown(
            out.missing or treated.ingress.missing or "which pause frames the port obeys",
            [place],
            up.device.hostname,
            (up.interface.name,),
        )
        return
    honoured = obeyed or frozenset()
    cause, blamed, message = _blame(analysis, traffic, up, down, honoured)
    yield Problem(
        message,
        f"{up} does not stop {traffic.name} when {down} asks for a pause: "
        "the receiving buffer overflows and drops",
        [
            cause,
            *_places(up, out.honour_where),
            *([into.priority_where] if into.priority_where else []),
            *diagnose(analysis, traffic, up).through(),
        ],
        blamed.device.hostname,
        (blamed.interface.name,),
        # What is odd about the blamed port, whichever end it is of whichever link: one cause.
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
        stage=Stage.STOP,
    )


def _obeyed_priorities(port: JudgedPort) -> frozenset[int] | None:
    """Priorities whose pause a port obeys; None where that is not known."""
    pfc = port.interface.qos.pfc if port.interface.qos is not None else None
    return pfc.honour if pfc is not None else None


def _places(port: JudgedPort, told: Where | None) -> list[Where]:
    """Where it stands what a port obeys, also where the queue of a class is not known."""
    pfc = port.interface.qos.pfc if port.interface.qos is not None else None
    place = told or (pfc.where("honour") if pfc is not None else None)
    return [place] if place is not None else []


def _blame(
    analysis: Analysis,
    traffic: RoceClass,
    up: JudgedPort,
    down: JudgedPort,
    honoured: frozenset[int],
) -> tuple[Where, JudgedPort, str]:
    """The deciding place, the port it is on, and the sentence.

    Where the receiver uses another priority than most ports of the network, it is the one that
    is out of step; else it is the sender.
    """
    into = analysis.treat(down, traffic.dscps[0]).ingress
    out = analysis.treat(up, traffic.dscps[0]).egress
    usual = analysis.mode(traffic, down).priority
    queue_fault = into.priority in honoured
    stops_usual = usual in (out.stopped_by or ()) if queue_fault else usual in honoured
    if usual is not None and into.priority != usual and stops_usual:
        place = (
            into.priority_where
            if _is_stated(into.priority_where)
            else _place_to_blame(analysis, traffic, down)
        )
        # A peer may obey the priority and stop with it a queue that the class is not in.
        does = (
            f"which stops another queue than its own at the other end, {up}"
            if queue_fault
            else f"{up} honours {ranges(honoured) or 'none'}"
        )
        message = (
            f"PFC priority mismatch on {down} - {up}: {down} pauses {traffic.name} with priority "
            f"{into.priority}, {does}"
        )
        return place or down.interface.where(), down, message
    if queue_fault:
        message = (
            f"{up} stops another queue than {out.queue}, the queue of {traffic.name}, "
            f"when priority {into.priority} is paused"
        )
        inside = contradiction(analysis, traffic, up)
        place = inside.where[0] if inside is not None else _queue_place(up, into.priority)
        return place or up.interface.where(), up, message
    wrong = analysis.treat(up, traffic.dscps[0]).ingress
    if wrong.lossless and wrong.priority in honoured and into.priority == usual:
        # It sends pause for that priority too: one cause, whichever way the packets go.
        place = wrong.priority_where
        place = place if _is_stated(place) else _place_to_blame(analysis, traffic, up)
    else:
        place = next(iter(_places(up, out.honour_where)), None)
    obeyed = f"honours pause for priority {ranges(honoured)}" if honoured else "honours no pause"
    message = (
        f"PFC priority mismatch on {up} - {down}: {up} {obeyed}, {down} pauses {traffic.name} "
        f"with priority {into.priority}"
    )
    return place or up.interface.where(), up, message


def _place_to_blame(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Where:
    """The line to blame for a priority that no line states: that of the class's queue where the
    class has its priority from there, else the one that puts RoCE into the class.
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


@device_check("pfc.on_without_class")
def pfc_on_without_lossless_class(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """PFC is on, and no priority is lossless: half a configuration."""
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
            continue  # a design: no port of the network sends pause
        places = _lines_without_pause(pfc)
        # A port that only obeys is legal; one with a line about what it sends is hardly meant.
        slight = Severity.WARNING if pfc.stated("generate") else Severity.INFO
        yield Problem(
            f"{device.hostname} {port.name} has PFC on and no lossless priority"
            + (f": {ranges(by_tag)} is for tagged packets, it has none" if by_tag else "")
            + (f", it only obeys pause for {ranges(pfc.honour)}" if one_way and pfc.honour else ""),
            "no pause is ever sent: every class is lossy on this port",
            places,
            device.hostname,
            (port.name,),
            severity=slight if one_way else None,
            lacks=() if by_tag else tuple(places),
            stage=Stage.ENABLED,
        )


def _lines_without_pause(pfc: PfcConfig) -> list[Where]:
    """The line that leaves nothing to pause, or lacks it; else the one that switches PFC on."""
    fields = ("generate", "mode") if pfc.placed("generate") else ("mode", "generate")
    return [pfc.where(field) for field in fields]


@device_check("pfc.switched_off_globally")
def pfc_switched_off_globally(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A device-wide switch turns PFC off, whatever the ports say."""
    if not device.system.pfc_killed:
        return
    ports = given.analysis.ports_of(device)
    hit = [port for port in ports if _wants_pause(given.analysis, port)]
    if hit:
        yield Problem(
            f"{device.hostname} has PFC switched off for the whole device",
            f"no port pauses anything: RoCE is lossy on {count(len(hit), 'port')} of the path",
            [device.system.where("pfc_killed")],
            device.hostname,
            tuple(port.interface.name for port in hit),
            stage=Stage.SWITCH,
        )


def _wants_pause(analysis: Analysis, port: JudgedPort) -> bool:
    """True where the design has PFC on the port, or the port itself is configured for it."""
    qos = port.interface.qos
    configured = qos is not None and qos.pfc is not None and bool(qos.pfc.generate)
    return configured or any(analysis.needs_pause(t, port) for t in analysis.data_classes)
