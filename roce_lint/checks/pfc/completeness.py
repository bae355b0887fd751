"""Half of what a lossless class takes is configured, and the other half is missing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.fact import unconfirmed_places
from roce_lint.analysis.port_parts import at_port, maps_of, pfc_of
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort, PfcDesign
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Stage,
    Where,
    fabric_check,
)
from roce_lint.model.qos import Forwarding, MatchKind, PfcConfig, PfcMode, Trust
from roce_lint.model.units import DSCPS, ranges


@fabric_check("pfc.half_configured")
def half_of_pfc_configured(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A priority is named lossless and PFC is off, or is paused and no class belongs to it."""
    for _, outcome in over_kinds(given.analysis, partial(_half, given.analysis)):
        yield outcome
    if not given.analysis.data_classes:  # else the design says whether to pause, port by port
        for ports in given.analysis.devices().values():
            yield from _paused_nowhere(given.analysis, ports)


def _half(analysis: Analysis, port: JudgedPort) -> Iterator[Outcome]:
    pfc = pfc_of(port)
    if pfc is None or port.device.system.pfc_killed:
        return
    if pfc.named and pfc.mode is PfcMode.OFF:
        if _is_between_switches(analysis, port):
            return  # one text for all switches, which the design puts to use at hosts only
        yield _named_and_off(analysis, port, pfc, pfc.named)
    elif pfc.generate:
        yield from _without_class(analysis, port, pfc, pfc.generate)
    if _applies_none(port, pfc):
        yield from _unclassified(analysis, port, pfc)
    elif pfc.generate:
        yield from _unreached(analysis, port, pfc, pfc.generate)


def _is_between_switches(analysis: Analysis, port: JudgedPort) -> bool:
    """True where the design pauses at the host edge only, and this port is not there."""
    designs = [analysis.mode(traffic, port).pfc for traffic in analysis.data_classes]
    return PfcDesign.HOST_EDGE in designs and not any(
        analysis.needs_pause(traffic, port) for traffic in analysis.data_classes
    )


def _paused_nowhere(analysis: Analysis, ports: list[JudgedPort]) -> Iterator[Outcome]:
    """A device has a lossless class that code points lead to, and PFC is off on all its ports."""
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
            f"{port.device.hostname} has class {found.tc_name} paused with priority "
            f"{table.entries[found.tc]}, and PFC is off on every port that is judged",
            "no pause is sent and none is obeyed: the class is lossy",
            [table.where(found.tc), pfc.where("mode"), found.tc_where[0]],
            port.device.hostname,
            value=str(table.entries[found.tc]),
            severity=Severity.WARNING,  # nothing says that RoCE uses the device
        )
        return


def _is_meant(maps: Forwarding, tc: int) -> bool:
    """True where a line says that a class is to be paused. Where priorities pause groups, that is a
    line about the priority of its group: a class has a group in a fabric without PFC, too.
    """
    table, groups = maps.tc_to_pfc_priority, maps.pfc_priority_to_pg
    if tc not in table.entries or not table.stated(tc):
        return False
    of_class = [priority for priority, pg in groups.entries.items() if pg == maps.tc_to_pg.get(tc)]
    return not groups.entries or any(map(groups.stated, of_class))


def _is_off(port: JudgedPort) -> bool:
    """True where PFC is surely off, and no rule about the port itself says so."""
    pfc = pfc_of(port)
    off = pfc is not None and pfc.mode is PfcMode.OFF and not pfc.named
    return off and not port.device.system.pfc_killed


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
        *at_port(port),
        value=ranges(named),
        severity=Severity.WARNING if pfc.stated("mode") and not needed else None,
        stage=Stage.ENABLED,
    )


def _without_class(
    analysis: Analysis, port: JudgedPort, pfc: PfcConfig, paused: frozenset[int]
) -> Iterator[Outcome]:
    """No traffic class pauses with any of the priorities that PFC is on for."""
    maps = maps_of(port)
    if maps is None or any(analysis.needs_pause(t, port) for t in analysis.data_classes):
        return  # a known class is lossy here: the rules about its path say why
    table = maps.tc_to_pfc_priority
    if not maps.tc_to_pg.entries and maps.tc_to_pg.otherwise is None and not table.entries:
        return
    if any(table.get(tc) in paused for tc in range(8)):
        return
    yield Problem(
        f"{port} has PFC on for priority {ranges(paused)}, and no traffic class leads to it",
        "no pause is ever sent: every class is lossy on this port",
        [pfc.where("generate"), *_groups(maps)],
        *at_port(port),
        value=ranges(paused),
        rests_on=(pfc.where("generate"), *unconfirmed_places((*_groups(maps), *_priorities(maps)))),
        stage=Stage.MATCHED,
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
    qos, maps = port.interface.qos, maps_of(port)
    if qos is None or maps is None or port.device.is_host:
        return
    wanted = {tc for tc in range(8) if maps.tc_to_pfc_priority.get(tc) in paused}
    if not wanted:
        return  # it has no class at all
    astray = _tags_astray(analysis, port, wanted, paused)
    if not astray and not _is_idle(analysis, port):
        return
    by_tag = qos.trust is Trust.PCP
    named = pfc.stated("generate") and not (by_tag and pfc.stated("mode"))
    yield Problem(
        f"{port} has PFC on for priority {ranges(paused)}, and "
        + ("no 802.1p priority gets" if astray else _WHAT_GETS[by_tag])
        + " into its class",
        "no pause is ever sent: every class is lossy on this port",
        [
            *astray,
            *_without_match(port, wanted),
            pfc.where("mode" if not named else "generate"),
            qos.where("trust" if by_tag else "classifier"),
            *([pfc.where("mode")] if named else []),
        ],
        *at_port(port),
        value=f"{ranges(paused)} not reached",
        severity=Severity.WARNING,  # nothing says that RoCE uses the port
        stage=Stage.MATCHED,
    )


_WHAT_GETS = {True: "packets without a tag do not get", False: "no code point gets"}
"""By whether a port goes by the tag."""


def _tags_astray(
    analysis: Analysis, port: JudgedPort, wanted: set[int], paused: frozenset[int]
) -> list[Where]:
    """Where a port that goes by the tag leads the paused priorities, if it leads none into a class
    that is paused; empty where it does, or where that is not known.
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
    if None in into or into & wanted:
        return []
    return [table.where(table.key(priority)) for priority in sorted(paused)]


def _without_match(port: JudgedPort, wanted: set[int]) -> list[Where]:
    """The line of the one wanted class that the port's policy has and leads no packets to."""
    qos = port.interface.qos
    classifier = port.device.qos.classifiers.get(qos.classifier or "") if qos is not None else None
    matches = classifier.matches if classifier is not None else []
    found = [m.where("values") for m in matches if m.kind is MatchKind.NOTHING and m.tc in wanted]
    return found if len(found) == 1 else []


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
                *at_port(port),
                value="no classification",
                severity=Severity.WARNING,  # nothing says that RoCE uses the port
                stage=Stage.MATCHED,
            )
            return


def _groups(maps: Forwarding) -> list[Where]:
    """The first entries of the map that leads classes to their groups."""
    table = maps.tc_to_pg
    if table.otherwise is not None:
        return [table.where("otherwise")]
    return [table.where(tc) for tc in sorted(table.entries)[:3]]


def _priorities(maps: Forwarding) -> list[Where]:
    """Where the classes get the priorities by which they are paused."""
    table = maps.tc_to_pfc_priority
    return [table.where(table.key(tc)) for tc in range(8)]
