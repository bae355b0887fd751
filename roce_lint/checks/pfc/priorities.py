"""PFC priorities of a port: too many, unused, negotiated, mixed with 802.3x pause, or another on
the next link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.port_parts import line_of, link_note, maps_of, needs, needs_pfc, pfc_of
from roce_lint.analysis.protection import CONTROL
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Given, Outcome, Problem, Where, at_port, fabric_check, port_check
from roce_lint.engine.finding import Severity
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import ranges
from roce_lint.text.numbers import count


def _data(analysis: Analysis) -> list[RoceClass]:
    """RoCE classes, without network control that is assumed to be RoCE because it has PFC."""
    return [t for t in analysis.data_classes if not (t.assumed and set(t.dscps) <= {*CONTROL})]


def _used_priorities(analysis: Analysis, port: JudgedPort) -> frozenset[int] | None:
    """PFC priorities of the RoCE classes here; None where one is lossy or unknown, which other
    rules report.
    """
    found = set()
    for traffic in _data(analysis):
        for dscp in traffic.dscps:
            into = analysis.treat(port, dscp).ingress
            if not into.lossless or into.priority is None:
                return None
            found.add(into.priority)
    return frozenset(found)


class ManyParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `pfc.too_many_priorities`."""

    max: int = Field(default=2, ge=1, le=8)
    """Number of lossless priorities up to which a port is not reported."""


@port_check("pfc.too_many_priorities", params=ManyParams)
def too_many_lossless_priorities(port: JudgedPort, given: Given[ManyParams]) -> Iterator[Outcome]:
    """A port has PFC on for more priorities than usual, or for network control."""
    analysis = given.analysis
    pfc = pfc_of(port)
    if pfc is None or not pfc.generate or port.device.system.pfc_killed:
        return
    used = _used_priorities(analysis, port) or frozenset()
    known = _control(analysis, port)
    control, shared = known - used, known & used
    designed = {analysis.mode(traffic, port).priority for traffic in _data(analysis)}
    stock = port.device.limits.stock_pfc_priorities or frozenset()
    if len(pfc.generate) > given.params.max and not pfc.generate <= stock:
        extra = pfc.generate - used or pfc.generate
        yield Problem(
            f"{port} has PFC on for {len(pfc.generate)} priorities: {ranges(pfc.generate)}",
            "each of them reserves headroom and can spread congestion through the fabric",
            [line_of(pfc, max(extra)), *(line_of(pfc, p) for p in sorted(pfc.generate))],
            value=ranges(pfc.generate),
            about=_line_leading_to(analysis, port, max(extra)),
        )
    elif control:
        into = [(d, analysis.treat(port, d).ingress) for d in CONTROL]
        yield Problem(
            f"{port} has PFC on for {label_priorities(control)}, which carries network control "
            f"(DSCP {ranges([d for d, i in into if i.priority in control])})",
            "routing sessions drop while the priority is paused",
            [
                line_of(pfc, min(control)),
                *(i.tc_where[0] for _, i in into if i.priority in control),
            ],
            value=ranges(control),
            changes=() if control & designed else needs_pfc(port, pfc.generate - control),
        )
    elif shared and not analysis.treat(port, 0).ingress.lossless:
        into = [(d, analysis.treat(port, d).ingress) for d in CONTROL]
        mapped = [(d, i) for d, i in into if i.priority in shared and i.certain]
        if mapped:
            yield Problem(
                f"{port} maps network control (DSCP {ranges([d for d, _ in mapped])}) to "
                f"{label_priorities(shared)}, no-drop for RoCE",
                "routing sessions drop while the priority is paused",
                [*mapped[0][1].tc_where, line_of(pfc, min(shared))],
                value=f"shared {ranges(shared)}",
            )


def _control(analysis: Analysis, port: JudgedPort) -> frozenset[int]:
    """PFC priorities of network control whose DSCP neither RoCE nor its CNPs use."""
    claimed = {d for t in (*_data(analysis), *analysis.cnp_classes) for d in t.dscps}
    found = set()
    for dscp in CONTROL:
        into = analysis.treat(port, dscp).ingress
        if dscp not in claimed and into.lossless and into.priority is not None:
            found.add(into.priority)
    return frozenset(found)


@port_check("pfc.unneeded_priority")
def unneeded_lossless_priority(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """A port has PFC on for a priority that no RoCE class uses."""
    analysis = given.analysis
    if any(t.assumed for t in analysis.data_classes):
        yield from _out_of_step(port, given)
        return
    if not analysis.data_classes:
        return  # without known RoCE classes any priority may be needed
    names = ", ".join(traffic.name for traffic in analysis.data_classes)
    pfc, used = pfc_of(port), _used_priorities(analysis, port)
    if pfc is None or not pfc.generate or not used:
        return
    stock = port.device.limits.stock_pfc_priorities or frozenset()
    # Priorities of CNPs are in use, even if by mistake.
    codes = [] if port.device.is_host else [d for t in analysis.cnp_classes for d in t.dscps]
    cnps = {analysis.treat(port, dscp).ingress.priority for dscp in codes}
    for priority in sorted(pfc.generate - used - stock - cnps - _planned_priorities(given, port)):
        yield Problem(
            f"{port} has PFC on for priority {priority}, which no RoCE class uses "
            f"({names}: {label_priorities(used)})",
            "it takes headroom from the buffer and makes any traffic in it lossless",
            [line_of(pfc, priority)],
            value=str(priority),
            about=_line_leading_to(analysis, port, priority),
            changes=needs_pfc(port, pfc.generate - {priority}),
        )


def _out_of_step(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """Without known RoCE classes: a priority that at most half of the peers have PFC on for, and
    that no line maps a DSCP to.
    """
    analysis, pfc = given.analysis, pfc_of(port)
    if pfc is None or not pfc.generate or port.device.is_host or port.device.system.pfc_killed:
        return
    used = {analysis.mode(t, port).priority for t in analysis.data_classes}
    spare = pfc.generate - used - (port.device.limits.stock_pfc_priorities or frozenset())
    if not spare:
        return
    used = {analysis.treat(port, dscp).ingress.priority for dscp in _codes_named(port)}
    for priority in sorted(spare - used - _planned_priorities(given, port)):
        like = [
            (priority in other.generate, count)
            for each, count in analysis.kinds
            if (each.network, each.faces_host) == (port.network, port.faces_host)
            and not each.device.is_host
            and (other := pfc_of(each)) is not None
            and other.generate is not None
        ]
        pausing, ports = sum(count for on, count in like if on), sum(count for _, count in like)
        if 2 * pausing <= ports:
            yield Problem(
                f"{port} has PFC on for priority {priority}, unlike most of its peers "
                f"({pausing} of {ports} do), and no line maps a DSCP to it",
                "it takes headroom from the buffer and makes any traffic in it lossless",
                [line_of(pfc, priority)],
                value=str(priority),
                changes=needs_pfc(port, pfc.generate - {priority}),
            )


def _line_leading_to(analysis: Analysis, port: JudgedPort, priority: int) -> Where | None:
    """First line of the port's map that leads a DSCP to a priority."""
    codes = ((d, analysis.treat(port, d).ingress) for d in sorted(_codes_named(port)))
    return next((into.tc_where[0] for _, into in codes if into.priority == priority), None)


def _codes_named(port: JudgedPort) -> set[int]:
    """DSCPs in lines of the port's map."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get((qos.classifier if qos else None) or "")
    table = classifier.dscp_to_tc if classifier is not None else None
    return {dscp for dscp in table.entries if table.stated(dscp)} if table is not None else set()


def _planned_priorities(given: Given, port: JudgedPort) -> set[int | None]:
    """Priorities of all classes that the intent defines as lossless."""
    return {
        planned.pfc_priority
        if planned.pfc_priority is not None
        else given.analysis.treat(port, dscp).ingress.priority
        for planned in given.plan.classes
        if planned.lossless
        for dscp in planned.dscps
    }


@fabric_check("pfc.negotiated")
def pfc_mode_auto(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """PFC depends on DCBX, and the peer is not known to advertise it."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc, maps = pfc_of(port), maps_of(port)
        if pfc is None or maps is None or port.device.system.pfc_killed:
            continue
        if pfc.mode is not PfcMode.AUTO or pfc.generate is not None:
            continue
        expected = frozenset(maps.tc_to_pfc_priority.entries.values())
        needed = [analysis.needs_pause(t, port) for t in analysis.data_classes]
        if not expected or (needed and all(answer is False for answer in needed)):
            continue
        heard = [n.pfc_priorities for n in port.interface.neighbors if n.pfc_priorities is not None]
        if any(expected <= priorities for priorities in heard):
            continue  # the peer advertises them
        silent = _silence(port.peer)
        own = {"qos.pfc.mode": PfcMode.ON, "qos.pfc.advertises": False if pfc.advertises else None}
        yield Problem(
            f"{port}: PFC mode is auto (DCBX)"
            + (f" but {port.peer} sends no DCBX" if silent is not None else ""),
            "PFC stays off on this port: every class is lossy"
            if silent is not None
            else "PFC stays off on this port unless the peer advertises the same priorities",
            [pfc.where("mode"), *([silent] if silent is not None else [])],
            *at_port(port),
            value="auto, peer silent" if silent is not None else "auto",
            severity=None if silent is not None else Severity.WARNING,
            assumed=link_note(assumed=port.assumed),
            changes=needs_pfc(port, expected) + needs(port, own),
            compares=True,
        )


def _silence(peer: Endpoint | None) -> Where | None:
    """Line that disables DCBX on the peer; None where unknown."""
    pfc = peer.interface.qos.pfc if peer is not None and peer.interface.qos is not None else None
    if pfc is None:
        return None
    if pfc.advertises is False:
        return pfc.where("advertises")
    return pfc.where("dcbx") if pfc.dcbx == "off" else None


@port_check("pfc.with_link_pause")
def link_pause_beside_pfc(port: JudgedPort, given: Given) -> Iterator[Outcome]:
    """802.3x pause, which stops all classes, is on together with PFC."""
    pfc = pfc_of(port)
    if pfc is None or not (pfc.generate or pfc.honour):
        return
    on = [
        (name, field)
        for name, field in (("receive", "link_pause_rx"), ("send", "link_pause_tx"))
        if getattr(pfc, field)
    ]
    if on:
        yield Problem(
            f"{port} has 802.3x pause ({' and '.join(name for name, _ in on)}) on together with "
            f"PFC for {label_priorities(pfc.generate or pfc.honour or frozenset())}",
            "the two exclude each other: PFC stays off, or one pause frame stops all classes",
            [*(pfc.where(field) for _, field in on), pfc.where("generate")],
            value="+".join(name for name, _ in on),
            changes=needs(port, {f"qos.pfc.{field}": False for _, field in on}),
        )


# Priorities along a path, with no link at fault.


@fabric_check("pfc.priority_changes")
def pfc_priority_varies_along_path(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Consistent links that use different PFC priorities for a class. Reported once for a class."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        seen = {_priority(analysis, traffic, port) for port, _ in analysis.kinds} - {None}
        if len(seen) < 2:
            continue
        networks: dict[int, dict[int, list[JudgedPort]]] = defaultdict(lambda: defaultdict(list))
        for port in analysis.ports:
            priority = _priority(analysis, traffic, port)
            if priority is not None and _is_carried_out(analysis, traffic, port, priority):
                networks[port.network][priority].append(port)
        several = [networks[n] for n in sorted(networks) if len(networks[n]) > 1]
        if several:
            yield _change_of_class(analysis, traffic, several[0])


def _change_of_class(
    analysis: Analysis, traffic: RoceClass, by_priority: dict[int, list[JudgedPort]]
) -> Problem:
    """The finding, at a port of the rarest priority."""
    rarest = sorted(by_priority, key=lambda n: (len(by_priority[n]), n))
    odd, usual = by_priority[rarest[0]][0], by_priority[rarest[-1]][0]
    ports = {n: count(len(by_priority[n]), "other port") for n in rarest}
    others = ", ".join(f"priority {n} on {ports[n]}" for n in rarest[:0:-1])
    places = [_place(analysis, traffic, port) for port in (odd, usual)]
    return Problem(
        f"{odd} uses PFC priority {rarest[0]} for {traffic.name}; {others}",
        "each link is consistent, so nothing is lost, but congestion that spreads shows up in the "
        "counters of several priorities",
        places,
        *at_port(odd),
        value=ranges(set(by_priority)),
        traffic=traffic.name,
    )


def _priority(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> int | None:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    return into.priority if into.lossless else None


def _is_carried_out(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, priority: int
) -> bool:
    """Whether the other end of the link stops the class when the port sends PFC for it."""
    peer = analysis.port(*port.peer.key) if port.peer is not None else None
    if peer is None:
        return False
    return priority in (analysis.treat(peer, traffic.dscps[0]).egress.stopped_by or ())


def _place(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Where:
    into = analysis.treat(port, traffic.dscps[0]).ingress
    stated = [w for w in (into.priority_where, *into.tc_where) if w is not None and w.position > 0]
    return stated[0] if stated else port.interface.where()
