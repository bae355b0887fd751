"""Incomplete configuration of a lossless class, on a port or towards its neighbour."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.ingress_egress import label_priorities
from roce_lint.analysis.port_parts import maps_of, needs, needs_pfc, pfc_of
from roce_lint.analysis.provenance import unconfirmed_places
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign
from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, at_port, fabric_check
from roce_lint.engine.finding import Severity
from roce_lint.model.interface import Neighbor
from roce_lint.model.qos import Forwarding, MatchKind, PfcConfig, PfcMode, Trust
from roce_lint.model.units import DSCPS, ranges


@fabric_check("pfc.half_configured")
def incomplete_pfc_configuration(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A no-drop priority without PFC, or a PFC priority without a traffic class."""
    for _, outcome in over_kinds(given.analysis, partial(_half, given.analysis)):
        yield outcome
    if not given.analysis.data_classes:  # else the design decides, port by port
        for ports in given.analysis.devices().values():
            yield from _paused_nowhere(given.analysis, ports)


def _half(analysis: Analysis, port: JudgedPort) -> Iterator[Outcome]:
    pfc = pfc_of(port)
    if pfc is None or port.device.system.pfc_killed:
        return
    if pfc.named and pfc.mode is PfcMode.OFF:
        if _is_between_switches(analysis, port):
            return  # shared template text, in use at host ports only
        yield _named_and_off(analysis, port, pfc, pfc.named)
    elif pfc.generate:
        yield from _without_class(analysis, port, pfc, pfc.generate)
    if _applies_none(port, pfc):
        yield from _unclassified(analysis, port, pfc)
    elif pfc.generate:
        yield from _unreached(analysis, port, pfc, pfc.generate)


def _is_between_switches(analysis: Analysis, port: JudgedPort) -> bool:
    """Whether the design has PFC at the host edge only and this port is elsewhere."""
    designs = [analysis.mode(traffic, port).pfc for traffic in analysis.data_classes]
    return PfcDesign.HOST_EDGE in designs and not any(
        analysis.needs_pause(traffic, port) for traffic in analysis.data_classes
    )


def _paused_nowhere(analysis: Analysis, ports: list[JudgedPort]) -> Iterator[Outcome]:
    """A no-drop class with a DSCP on a device with PFC off on all ports."""
    if not all(map(_is_off, ports)):
        return
    for port in ports:
        maps, pfc = maps_of(port), pfc_of(port)
        if maps is None or pfc is None or port.device.is_host:
            continue
        table = maps.tc_to_pfc_priority
        into = (analysis.treat(port, dscp).ingress for dscp in DSCPS)
        found = next((i for i in into if i.tc is not None and _is_meant(maps, i.tc)), None)
        if found is None or found.tc is None or not found.tc_where[0].position > 0:
            continue
        yield Problem(
            f"{port.device.hostname}: {found.class_label} is no-drop (PFC priority "
            f"{table.entries[found.tc]}) but PFC is off on every port in scope",
            "PFC is neither sent nor honoured: the class is lossy",
            [table.where(found.tc), pfc.where("mode"), found.tc_where[0]],
            port.device.hostname,
            value=str(table.entries[found.tc]),
            severity=Severity.WARNING,  # RoCE may not use the device
        )
        return


def _is_meant(maps: Forwarding, tc: int) -> bool:
    """Whether a line makes a class no-drop. Where priorities belong to groups, that is a line about
    the priority of its group: a class has a group in a fabric without PFC, too.
    """
    table, groups = maps.tc_to_pfc_priority, maps.pfc_priority_to_pg
    if tc not in table.entries or not table.stated(tc):
        return False
    of_class = [priority for priority, pg in groups.entries.items() if pg == maps.tc_to_pg.get(tc)]
    return not groups.entries or any(map(groups.stated, of_class))


def _is_off(port: JudgedPort) -> bool:
    """Whether PFC is certainly off and no rule about the port itself reports it."""
    pfc = pfc_of(port)
    off = pfc is not None and pfc.mode is PfcMode.OFF and not pfc.named
    return off and not port.device.system.pfc_killed


def _named_and_off(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, named: frozenset[int]
) -> Problem:
    needed = any(analysis.needs_pause(t, port) for t in analysis.data_classes)
    on_purpose = pfc.stated("mode") and not needed
    return Problem(
        f"{port}: priority {ranges(named)} is no-drop but PFC is disabled",
        "PFC is neither sent nor honoured: the class is lossy on this port",
        [
            pfc.where("mode" if pfc.at.get("mode") else "generate"),
            *(pfc.where(priority) for priority in sorted(named) if pfc.at.get(priority)),
        ],
        *at_port(port),
        value=ranges(named),
        severity=Severity.WARNING if on_purpose else None,
        changes=() if on_purpose else needs_pfc(port, named),
        stage=Stage.ENABLED,
    )


def _without_class(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, paused: frozenset[int]
) -> Iterator[Outcome]:
    """No traffic class maps to any of the PFC priorities."""
    maps = maps_of(port)
    if maps is None or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return  # a known class is lossy here: other rules report the reason
    table = maps.tc_to_pfc_priority
    if not maps.tc_to_pg.entries and maps.tc_to_pg.otherwise is None and not table.entries:
        return
    mapped = frozenset(p for tc in range(8) if (p := table.get(tc)) is not None)
    if mapped & paused:
        return
    meant = all(_is_meant(maps, tc) for tc in range(8) if table.get(tc) is not None)
    priorities = [table.where(table.key(tc)) for tc in range(8)]
    yield Problem(
        f"{port} has PFC on for {label_priorities(paused)}, but no traffic class maps to it",
        "PFC is never sent: every class is lossy on this port",
        [pfc.where("generate"), *_groups(maps)],
        *at_port(port),
        value=ranges(paused),
        rests_on=(pfc.where("generate"), *unconfirmed_places((*_groups(maps), *priorities))),
        changes=needs_pfc(port, mapped) if meant and len(mapped) == 1 else (),
        stage=Stage.MATCHED,
    )


def _applies_none(port: JudgedPort, pfc: PfcConfig) -> bool:
    """Whether PFC is on and all arriving traffic gets the platform's default class."""
    qos, device = port.interface.qos, port.device
    if qos is None or pfc.mode is not PfcMode.ON or not pfc.stated("mode"):
        return False
    own = device.qos.classifiers.get(qos.classifier or "")
    return own is not None and own.builtin and not qos.stated("classifier")


def _is_idle(analysis: Analysis, port: JudgedPort) -> bool:
    """Whether no arriving DSCP is lossless, and no known class has to be; other rules report one
    that has to be.
    """
    if port.device.partial or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return False
    return all(analysis.treat(port, dscp).ingress.lossless is False for dscp in DSCPS)


def _unreached(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, paused: frozenset[int]
) -> Iterator[Outcome]:
    """PFC is on for the priority of a class that no arriving packet enters."""
    qos, maps = port.interface.qos, maps_of(port)
    if qos is None or maps is None or port.device.is_host:
        return
    no_drop = {tc for tc in range(8) if maps.tc_to_pfc_priority.get(tc) in paused}
    if not no_drop:
        return  # it has no class at all
    astray = _tags_astray(analysis, port, no_drop, paused)
    if not astray and not _is_idle(analysis, port):
        return
    entries = {f"qos.classifier.pcp_to_tc[{p}]": tc for p in paused for tc in no_drop}
    by_tag = qos.trust is Trust.PCP
    named = pfc.stated("generate") and not (by_tag and pfc.stated("mode"))
    yield Problem(
        f"{port} has PFC on for {label_priorities(paused)}, but "
        + ("no 802.1p priority maps to" if astray else _UNMAPPED[by_tag])
        + " its class",
        "PFC is never sent: every class is lossy on this port",
        [
            *astray,
            *_without_match(port, no_drop),
            pfc.where("mode" if not named else "generate"),
            qos.where("trust" if by_tag else "classifier"),
            *([pfc.where("mode")] if named else []),
        ],
        *at_port(port),
        value=f"{ranges(paused)} not reached",
        changes=needs(port, entries) if astray and len(paused) == len(no_drop) == 1 else (),
        severity=Severity.WARNING,  # RoCE may not use the port
        stage=Stage.MATCHED,
    )


_UNMAPPED = {True: "untagged packets never reach", False: "no DSCP maps to"}
"""By whether the port trusts the 802.1p priority."""


def _tags_astray(
    analysis: Analysis, port: JudgedPort, no_drop: set[int], paused: frozenset[int]
) -> list[Where]:
    """Map lines of the PFC priorities of a port that trusts 802.1p, if none of them maps to a
    no-drop class; empty where one does, or where that is unknown.
    """
    qos, device = port.interface.qos, port.device
    classifier = device.qos.classifiers.get(qos.classifier or "") if qos is not None else None
    if qos is None or classifier is None or qos.trust is not Trust.PCP:
        return []
    kinds = {match.kind for match in classifier.matches}
    if not classifier.exact and not (kinds and kinds <= {MatchKind.PCP, MatchKind.ANY}):
        return []
    if device.partial or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return []
    table = classifier.pcp_to_tc
    into = {table.get(priority) for priority in range(8)}
    if None in into or into & no_drop:
        return []
    return [table.where(table.key(priority)) for priority in sorted(paused)]


def _without_match(port: JudgedPort, no_drop: set[int]) -> list[Where]:
    """Line of the one no-drop class in the port's policy that matches nothing."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get(qos.classifier or "") if qos is not None else None
    matches = classifier.matches if classifier is not None else []
    found = [m.where("values") for m in matches if m.kind is MatchKind.NOTHING and m.tc in no_drop]
    return found if len(found) == 1 else []


def _unclassified(analysis: Analysis, port: JudgedPort, pfc: PfcConfig) -> Iterator[Outcome]:
    """Other ports of the device apply a policy, this port does not."""
    qos, device = port.interface.qos, port.device
    if qos is None or not _is_idle(analysis, port):
        return
    applied = [o for o in device.interfaces.values() if o.qos and o.qos.stated("classifier")]
    fields = ("classifier", "trust", "default_pcp", "default_tc")
    for other in applied:
        if other.qos is not None:
            alike = {o.qos.classifier for o in applied if o.qos is not None}
            values = {f"qos.{field}": getattr(other.qos, field) for field in fields}
            yield Problem(
                f"{port} has PFC on but no QoS input policy "
                f"({other.name} has {other.qos.classifier})",
                "all arriving traffic is in the default class: PFC is never sent for it",
                [pfc.where("mode"), qos.where("classifier"), other.qos.where("classifier")],
                *at_port(port),
                value="no classification",
                severity=Severity.WARNING,  # RoCE may not use the port
                changes=needs(port, values, f"as {other.name}") if len(alike) == 1 else (),
                stage=Stage.MATCHED,
            )
            return


def _groups(maps: Forwarding) -> list[Where]:
    """First entries of the map from traffic class to priority group."""
    table = maps.tc_to_pg
    if table.otherwise is not None:
        return [table.where("otherwise")]
    return [table.where(tc) for tc in sorted(table.entries)[:3]]


@fabric_check("pfc.advertised_otherwise")
def neighbour_pfc_mismatch(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A port uses a PFC priority that its neighbour does not advertise."""
    analysis = given.analysis
    for port in analysis.ports:
        pfc = pfc_of(port)
        if port.peer is not None or pfc is None or pfc.willing:
            continue  # its configuration is compared, or the port is willing
        heard = [n for n in port.interface.neighbors if n.pfc_priorities is not None]
        if heard and not any(n.pfc_willing for n in heard):
            yield from _unpaused(analysis, port, heard)


def _unpaused(analysis: Analysis, port: JudgedPort, heard: list[Neighbor]) -> Iterator[Outcome]:
    for traffic in analysis.data_classes:
        into = analysis.treat(port, traffic.dscps[0]).ingress
        if not into.lossless or into.priority is None:
            continue
        if analysis.needs_pause(traffic, port) is False:
            continue
        if any(into.priority in (n.pfc_priorities or ()) for n in heard):
            continue
        first = heard[0]
        listed = ranges(first.pfc_priorities or frozenset())
        other = label_priorities(first.pfc_priorities or frozenset()) if listed else "no priority"
        places = [into.lossless_where, first.where("pfc_priorities"), into.priority_where]
        yield Problem(
            f"{port} sends PFC for {traffic.name} with priority {into.priority}, but its neighbour "
            f"{first.device} advertises PFC for {other}",
            f"each end ignores the other's PFC frames for {traffic.name}: it is dropped when a "
            "buffer fills",
            list(dict.fromkeys(place for place in places if place is not None)),
            *at_port(port),
            value=f"{into.priority}: {listed}",
            traffic=traffic.name,
        )
