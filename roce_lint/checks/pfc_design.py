"""Priority flow control beside the path of one class: too much, negotiated, mixed, halved."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import forwarding_of
from roce_lint.checks.mapping import told_unattached
from roce_lint.checks.maps_inside import other_group
from roce_lint.checks.mtu import link_note
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    fabric_check,
)
from roce_lint.model.fabric import Endpoint
from roce_lint.model.qos import Forwarding, PfcConfig, PfcMode, Trust
from roce_lint.model.units import DSCPS, ranges

NETWORK_CONTROL = (48, 56)
"""Class selectors 6 and 7: routing protocols and their kind (RFC 4594, section 3)."""


def _pfc(port: JudgedPort) -> PfcConfig | None:
    return port.interface.qos.pfc if port.interface.qos is not None else None


def _maps(port: JudgedPort) -> Forwarding | None:
    qos = port.interface.qos
    return forwarding_of(port.device, qos) if qos is not None else None


def _at(port: JudgedPort) -> tuple[str, tuple[str, ...]]:
    return port.device.hostname, (port.interface.name,)


def _line(pfc: PfcConfig, priority: int) -> Where:
    """The line that names a priority lossless, else the one that names them all."""
    return pfc.where(priority) if pfc.at.get(priority, 0) > 0 else pfc.where("generate")


def _data(analysis: Analysis) -> list[RoceClass]:
    """The RoCE classes, without such as are taken for one only because they are paused."""
    control = frozenset(NETWORK_CONTROL)
    return [t for t in analysis.data_classes if not (t.assumed and control.issuperset(t.dscps))]


def _used(analysis: Analysis, port: JudgedPort) -> frozenset[int] | None:
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


@fabric_check("pfc.too_many_priorities", params=ManyParams, by_port=True)
def too_many_priorities(fabric: Fabric, given: Given[ManyParams]) -> Iterator[Outcome]:
    """A port pauses more priorities than headroom is usually there for, or network control."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc = _pfc(port)
        if pfc is None or not pfc.generate or port.device.system.pfc_killed:
            continue
        used = _used(analysis, port) or frozenset()
        control = _control(analysis, port) - used
        stock = port.device.limits.stock_pfc_priorities or frozenset()
        if len(pfc.generate) > given.params.max and not pfc.generate <= stock:
            extra = pfc.generate - used or pfc.generate
            yield Problem(
                f"{port} pauses {len(pfc.generate)} priorities: {ranges(pfc.generate)}",
                "every lossless priority takes headroom of its own, and one more that can "
                "spread congestion through the fabric",
                [_line(pfc, max(extra)), *(_line(pfc, p) for p in sorted(pfc.generate))],
                *_at(port),
                value=ranges(pfc.generate),
            )
        elif control:
            into = [analysis.treat(port, d).ingress for d in NETWORK_CONTROL]
            yield Problem(
                f"{port} pauses priority {ranges(control)}, which carries network control "
                f"(DSCP {ranges([i.dscp for i in into if i.priority in control])})",
                "a paused or storming queue holds back routing protocols: sessions drop",
                [
                    _line(pfc, min(control)),
                    *(i.tc_where[0] for i in into if i.priority in control),
                ],
                *_at(port),
                value=ranges(control),
            )


def _control(analysis: Analysis, port: JudgedPort) -> frozenset[int]:
    """Paused priorities of network control, where neither RoCE nor its CNP uses the code point:
    CNP in a paused class is a rule of its own.
    """
    claimed = {d for t in (*_data(analysis), *analysis.cnp_classes) for d in t.dscps}
    found = set()
    for dscp in NETWORK_CONTROL:
        into = analysis.treat(port, dscp).ingress
        if dscp not in claimed and into.lossless and into.priority is not None:
            found.add(into.priority)
    return frozenset(found)


@fabric_check("pfc.unneeded_priority", by_port=True)
def unneeded_priority(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port pauses a priority that no RoCE class uses."""
    analysis = given.analysis
    if not analysis.data_classes or any(t.assumed for t in analysis.data_classes):
        return  # nobody states what is sent, so nobody can say what is not needed
    names = ", ".join(traffic.name for traffic in analysis.data_classes)
    for port in analysis.ports:
        pfc, used = _pfc(port), _used(analysis, port)
        if pfc is None or not pfc.generate or not used:
            continue
        stock = port.device.limits.stock_pfc_priorities or frozenset()
        for priority in sorted(pfc.generate - used - stock - _planned(given, port)):
            yield Problem(
                f"{port} pauses priority {priority}, which no RoCE class uses "
                f"({names}: priority {ranges(used)})",
                "its headroom is taken from the buffer, and whatever lands in it is lossless",
                [_line(pfc, priority)],
                *_at(port),
                value=str(priority),
            )


def _planned(given: Given[NoParams], port: JudgedPort) -> set[int | None]:
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
def negotiated(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """PFC comes up only if the peer agrees by DCBX, and nothing shows that it does."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc, maps = _pfc(port), _maps(port)
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
            *_at(port),
            value="auto, peer silent" if silent is not None else "auto",
            severity=None if silent is not None else Severity.WARNING,
            assumed=link_note(assumed=port.assumed),
        )


def _silence(peer: Endpoint | None) -> Where | None:
    """The place that says that the peer sends no DCBX; None where that is not known."""
    pfc = peer.interface.qos.pfc if peer is not None and peer.interface.qos is not None else None
    if pfc is None:
        return None
    if pfc.advertises is False:
        return pfc.where("advertises")
    return pfc.where("dcbx") if pfc.dcbx == "off" else None


@fabric_check("pfc.with_link_pause", by_port=True)
def with_link_pause(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """802.3x pause, which stops everything, is on beside PFC."""
    for port in given.analysis.ports:
        pfc = _pfc(port)
        if pfc is None or not (pfc.generate or pfc.honour):
            continue
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
                *_at(port),
                value="+".join(name for name, _ in on),
            )


@fabric_check("pfc.half_configured", by_port=True)
def half_configured(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A priority is named lossless and PFC is off, or is paused and no class belongs to it."""
    for port in given.analysis.ports:
        pfc = _pfc(port)
        if pfc is None or port.device.system.pfc_killed:
            continue
        if pfc.named and pfc.mode is PfcMode.OFF:
            if told_unattached(given.analysis, port, "no-drop policy"):
                continue  # the policy that would switch it on is bound nowhere
            yield _named_and_off(given.analysis, port, pfc, pfc.named)
        elif pfc.generate:
            yield from _without_class(given.analysis, port, pfc, pfc.generate)
        if _applies_none(port, pfc):
            yield from _unclassified(given.analysis, port, pfc)
        elif pfc.generate:
            yield from _unreached(given.analysis, port, pfc, pfc.generate)


def _named_and_off(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, named: frozenset[int]
) -> Problem:
    needed = any(analysis.needs_pause(t, port) for t in analysis.data_classes)
    return Problem(
        f"{port} names priority {ranges(named)} lossless and has PFC off",
        "no pause is sent and none is obeyed: the class is lossy on this port",
        [
            pfc.where("mode" if pfc.at.get("mode") else "generate"),
            *(pfc.where(priority) for priority in sorted(named) if pfc.at.get(priority)),
        ],
        *_at(port),
        value=ranges(named),
        severity=Severity.WARNING if pfc.stated("mode") and not needed else None,
    )


def _without_class(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, paused: frozenset[int]
) -> Iterator[Outcome]:
    """No traffic class pauses with any of the priorities that PFC is on for."""
    maps = _maps(port)
    if maps is None or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return  # a known class is lossy here: the rules about its path say why
    table = maps.tc_to_pfc_priority
    if not maps.tc_to_pg.entries and maps.tc_to_pg.otherwise is None and not table.entries:
        return
    if any(table.get(tc) in paused for tc in range(8)):
        return
    if any(other_group(port, tc) is not None for tc in range(8)):
        return  # the maps contradict each other: a rule of its own
    yield Problem(
        f"{port} has PFC on for priority {ranges(paused)}, and no traffic class leads to it",
        "no pause is ever sent: every class is lossy on this port",
        [pfc.where("generate"), *_groups(maps)],
        *_at(port),
        value=ranges(paused),
    )


def _applies_none(port: JudgedPort, pfc: PfcConfig) -> bool:
    """PFC is switched on, and everything that arrives is in the class of the platform's default."""
    qos, device = port.interface.qos, port.device
    if qos is None or pfc.mode is not PfcMode.ON or not pfc.stated("mode"):
        return False
    own = device.qos.classifiers.get(qos.classifier or "")
    return own is not None and own.builtin and not qos.stated("classifier")


def _is_idle(analysis: Analysis, port: JudgedPort) -> bool:
    """No code point that arrives is paused, and no known class is lossy here: then the rules
    about its path say why.
    """
    if port.device.partial or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return False
    return all(analysis.treat(port, dscp).ingress.lossless is False for dscp in DSCPS)


def _unreached(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, paused: frozenset[int]
) -> Iterator[Outcome]:
    """PFC is on for a priority that has a class, and nothing that arrives gets into it."""
    qos, maps = port.interface.qos, _maps(port)
    if qos is None or maps is None or port.device.is_host or not _is_idle(analysis, port):
        return
    if not any(maps.tc_to_pfc_priority.get(tc) in paused for tc in range(8)):
        return  # it has no class at all
    by_tag = qos.trust is Trust.PCP
    yield Problem(
        f"{port} has PFC on for priority {ranges(paused)}, and "
        + ("packets without a tag do not get" if by_tag else "no code point gets")
        + " into its class",
        "no pause is ever sent: every class is lossy on this port",
        [
            pfc.where("mode" if pfc.stated("mode") else "generate"),
            qos.where("trust" if by_tag else "classifier"),
        ],
        *_at(port),
        value=f"{ranges(paused)} not reached",
        severity=Severity.WARNING,  # nothing says that RoCE uses the port
    )


def _unclassified(analysis: Analysis, port: JudgedPort, pfc: PfcConfig) -> Iterator[Outcome]:
    """Other ports of the device apply a policy, this one does not."""
    qos, device = port.interface.qos, port.device
    if qos is None or not _is_idle(analysis, port):
        return
    for other in device.interfaces.values():
        if other.qos is not None and other.qos.stated("classifier"):
            yield Problem(
                f"{port} has PFC on and applies no classification, "
                f"{other.name} of this device applies {other.qos.classifier}",
                "all that arrives here is in the default class: none of it is ever paused",
                [pfc.where("mode"), qos.where("classifier"), other.qos.where("classifier")],
                *_at(port),
                value="no classification",
                severity=Severity.WARNING,  # nothing says that RoCE uses the port
            )
            return


def _groups(maps: Forwarding) -> list[Where]:
    """The first entries of the map that leads classes to their groups."""
    table = maps.tc_to_pg
    if table.otherwise is not None:
        return [table.where("otherwise")]
    return [table.where(tc) for tc in sorted(table.entries)[:3]]
