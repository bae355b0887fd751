"""Priority flow control beside the path of one class: too much, negotiated, mixed."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.port_parts import at_port, line_of, link_note, maps_of, pfc_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    fabric_check,
    port_check,
)
from roce_lint.model.fabric import Endpoint
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import ranges

NETWORK_CONTROL = (48, 56)
"""Class selectors 6 and 7: routing protocols and their kind (RFC 4594, section 3)."""


def _data(analysis: Analysis) -> list[RoceClass]:
    """The RoCE classes, without such as are taken for one only because they are paused."""
    control = frozenset(NETWORK_CONTROL)
    return [t for t in analysis.data_classes if not (t.assumed and control.issuperset(t.dscps))]


def _used_priorities(analysis: Analysis, port: JudgedPort) -> frozenset[int] | None:
    """Priorities that the RoCE classes are paused with here; None where one class is not paused
    or not known: then other rules speak.
    """
    found = set()
    for traffic in _data(analysis):
        for dscp in traffic.dscps:
            into = analysis.treat(port, dscp).ingress
            if not into.lossless or into.priority is None:
                return None
            found.add(into.priority)
    return frozenset(found)


class ManyParams(BaseModel):
    """Parameters of `pfc.too_many_priorities`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max: int = Field(default=2, ge=1, le=8)
    """Lossless priorities that are not reported."""


@port_check("pfc.too_many_priorities", params=ManyParams)
def too_many_lossless_priorities(port: JudgedPort, given: Given[ManyParams]) -> Iterator[Outcome]:
    """A port pauses more priorities than headroom is usually there for, or network control."""
    analysis = given.analysis
    pfc = pfc_of(port)
    if pfc is None or not pfc.generate or port.device.system.pfc_killed:
        return
    used = _used_priorities(analysis, port) or frozenset()
    known = _control(analysis, port)
    control, shared = known - used, known & used
    stock = port.device.limits.stock_pfc_priorities or frozenset()
    if len(pfc.generate) > given.params.max and not pfc.generate <= stock:
        extra = pfc.generate - used or pfc.generate
        yield Problem(
            f"{port} pauses {len(pfc.generate)} priorities: {ranges(pfc.generate)}",
            "every lossless priority takes headroom of its own, and one more that can "
            "spread congestion through the fabric",
            [line_of(pfc, max(extra)), *(line_of(pfc, p) for p in sorted(pfc.generate))],
            *at_port(port),
            value=ranges(pfc.generate),
            about=_line_leading_to(analysis, port, max(extra)),
        )
    elif control:
        into = [(d, analysis.treat(port, d).ingress) for d in NETWORK_CONTROL]
        yield Problem(
            f"{port} pauses priority {ranges(control)}, which carries network control "
            f"(DSCP {ranges([d for d, i in into if i.priority in control])})",
            "a paused or storming queue holds back routing protocols: sessions drop",
            [
                line_of(pfc, min(control)),
                *(i.tc_where[0] for _, i in into if i.priority in control),
            ],
            *at_port(port),
            value=ranges(control),
        )
    elif shared and not analysis.treat(port, 0).ingress.lossless:
        into = [(d, analysis.treat(port, d).ingress) for d in NETWORK_CONTROL]
        told = [(d, i) for d, i in into if i.priority in shared and i.certain]
        if told:
            yield Problem(
                f"{port} puts network control (DSCP {ranges([d for d, _ in told])}) into "
                f"priority {ranges(shared)}, which pauses RoCE",
                "a paused or storming queue holds back routing protocols: sessions drop",
                [*told[0][1].tc_where, line_of(pfc, min(shared))],
                *at_port(port),
                value=f"shared {ranges(shared)}",
            )


def _control(analysis: Analysis, port: JudgedPort) -> frozenset[int]:
    """Paused priorities of network control, where neither RoCE nor its CNP uses the code point."""
    claimed = {d for t in (*_data(analysis), *analysis.cnp_classes) for d in t.dscps}
    found = set()
    for dscp in NETWORK_CONTROL:
        into = analysis.treat(port, dscp).ingress
        if dscp not in claimed and into.lossless and into.priority is not None:
            found.add(into.priority)
    return frozenset(found)


@port_check("pfc.unneeded_priority")
def unneeded_lossless_priority(port: JudgedPort, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port pauses a priority that no RoCE class uses."""
    analysis = given.analysis
    if any(t.assumed for t in analysis.data_classes):
        yield from _out_of_step(port, given)
        return
    if not analysis.data_classes:
        return  # nobody states what is sent, so nobody can say what is not needed
    names = ", ".join(traffic.name for traffic in analysis.data_classes)
    pfc, used = pfc_of(port), _used_priorities(analysis, port)
    if pfc is None or not pfc.generate or not used:
        return
    stock = port.device.limits.stock_pfc_priorities or frozenset()
    told = set() if port.device.is_host else _of_cnps(analysis, port)
    for priority in sorted(pfc.generate - used - stock - told - _planned_priorities(given, port)):
        yield Problem(
            f"{port} pauses priority {priority}, which no RoCE class uses "
            f"({names}: priority {ranges(used)})",
            "its headroom is taken from the buffer, and whatever lands in it is lossless",
            [line_of(pfc, priority)],
            *at_port(port),
            value=str(priority),
            about=_line_leading_to(analysis, port, priority),
        )


def _out_of_step(port: JudgedPort, given: Given[NoParams]) -> Iterator[Outcome]:
    """Where nobody states what is sent: a priority that at most half of the ports that face the
    same way pause, and that no code point with a line of its own leads to.
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
                f"{port} pauses priority {priority}, which most ports like it do not pause "
                f"({pausing} of {ports} do), and no line leads RoCE to it",
                "its headroom is taken from the buffer, and whatever lands in it is lossless",
                [line_of(pfc, priority)],
                *at_port(port),
                value=str(priority),
            )


def _line_leading_to(analysis: Analysis, port: JudgedPort, priority: int) -> Where | None:
    """The first line of the port's map that leads a code point to a priority."""
    codes = ((d, analysis.treat(port, d).ingress) for d in sorted(_codes_named(port)))
    return next((into.tc_where[0] for _, into in codes if into.priority == priority), None)


def _codes_named(port: JudgedPort) -> set[int]:
    """Code points that a line of the port's map names."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get((qos.classifier if qos else None) or "")
    table = classifier.dscp_to_tc if classifier is not None else None
    return {dscp for dscp in table.entries if table.stated(dscp)} if table is not None else set()


def _of_cnps(analysis: Analysis, port: JudgedPort) -> set[int | None]:
    """Priorities of CNPs: they are used, wrongly or not."""
    codes = (dscp for traffic in analysis.cnp_classes for dscp in traffic.dscps)
    return {analysis.treat(port, dscp).ingress.priority for dscp in codes}


def _planned_priorities(given: Given[NoParams], port: JudgedPort) -> set[int | None]:
    """Priorities of the classes of any kind that the plan wants lossless."""
    return {
        planned.pfc_priority
        if planned.pfc_priority is not None
        else given.analysis.treat(port, dscp).ingress.priority
        for planned in given.plan.classes
        if planned.lossless
        for dscp in planned.dscps
    }


@fabric_check("pfc.negotiated")
def pfc_left_to_negotiation(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """PFC comes up only if the peer agrees by DCBX, and nothing shows that it does."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc, maps = pfc_of(port), maps_of(port)
        if pfc is None or maps is None or port.device.system.pfc_killed:
            continue
        if pfc.mode is not PfcMode.AUTO or pfc.generate is not None:
            continue
        wanted = frozenset(maps.tc_to_pfc_priority.entries.values())
        needed = [analysis.needs_pause(t, port) for t in analysis.data_classes]
        if not wanted or (needed and all(answer is False for answer in needed)):
            continue
        told = [n.pfc_priorities for n in port.interface.neighbors if n.pfc_priorities is not None]
        if any(wanted <= priorities for priorities in told):
            continue  # the peer was heard to advertise them
        silent = _silence(port.peer)
        yield Problem(
            f"{port} negotiates PFC"
            + (f", {port.peer} sends no DCBX" if silent is not None else " with its peer"),
            "PFC stays off on this port: every class is lossy"
            if silent is not None
            else "PFC stays off on this port unless the peer advertises the same priorities",
            [pfc.where("mode"), *([silent] if silent is not None else [])],
            *at_port(port),
            value="auto, peer silent" if silent is not None else "auto",
            severity=None if silent is not None else Severity.WARNING,
            assumed=link_note(assumed=port.assumed),
            compares=True,
        )


def _silence(peer: Endpoint | None) -> Where | None:
    """The place that says that the peer sends no DCBX; None where that is not known."""
    pfc = peer.interface.qos.pfc if peer is not None and peer.interface.qos is not None else None
    if pfc is None:
        return None
    if pfc.advertises is False:
        return pfc.where("advertises")
    return pfc.where("dcbx") if pfc.dcbx == "off" else None


@port_check("pfc.with_link_pause")
def link_pause_beside_pfc(port: JudgedPort, given: Given[NoParams]) -> Iterator[Outcome]:
    """802.3x pause, which stops everything, is on beside PFC."""
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
            f"{port} has 802.3x pause on ({' and '.join(name for name, _ in on)}) "
            f"beside PFC for priority {ranges(pfc.generate or pfc.honour or frozenset())}",
            "a port does one of the two: either PFC stays off, or one pause frame stops "
            "all classes of the link",
            [*(pfc.where(field) for _, field in on), pfc.where("generate")],
            *at_port(port),
            value="+".join(name for name, _ in on),
        )
