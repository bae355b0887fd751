"""Design mode of each class: PFC everywhere, at the host edge or nowhere; with ECN or not.

Legal designs differ (PFC + ECN, ECN only, PFC only, PFC at the host edge, PFC honoured and not
sent). The majority of ports in scope defines the design; deviating ports are findings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.analysis.port_parts import classifier_at, pfc_of
from roce_lint.analysis.result import Analysis, JudgedPort, Mode, PfcDesign, RoceClass
from roce_lint.model.nic import Flow
from roce_lint.model.plan import PlannedClass, RocePlan


def find_modes(analysis: Analysis, plan: RocePlan) -> None:
    """Fill `analysis.one_way`, and `analysis.modes` for every class and network."""
    analysis.one_way = _one_way(analysis)
    by_dscp = {dscp: planned for planned in plan.classes for dscp in planned.dscps}
    networks = sorted({port.network for port, _ in analysis.kinds})
    for traffic in analysis.classes:
        planned = by_dscp.get(traffic.dscps[0])
        for network in networks:
            if not traffic.is_in(network):
                continue
            mode = _by_majority(analysis, traffic, network)
            if planned is not None:
                mode = _override(mode, planned)
            analysis.modes[(traffic.name, network)] = mode


def _one_way(analysis: Analysis) -> frozenset[int]:
    """Networks in which most switch ports are configured to honour PFC and send none.

    A single switch is not a design: half of its PFC configuration may be missing.
    """
    votes: dict[int, Counter[bool]] = defaultdict(Counter)
    switches: dict[int, set[str]] = defaultdict(set)
    for port, count in analysis.kinds:
        pfc = pfc_of(port)
        if port.device.is_host:
            continue
        obeys = pfc is not None and bool(pfc.honour) and pfc.stated("honour")
        one_way = obeys and pfc is not None and pfc.generate == frozenset()
        votes[port.network][one_way] += count
        if one_way:
            switches[port.network].add(port.device.hostname)
    return frozenset(
        network
        for network, count in votes.items()
        if count[True] > count[False] and len(switches[network]) > 1
    )


def _by_majority(analysis: Analysis, traffic: RoceClass, network: int) -> Mode:
    edge: Counter[bool | None] = Counter()
    core: Counter[bool | None] = Counter()
    strays: Counter[bool] = Counter()  # by position at the edge
    idle: Counter[bool] = Counter()  # of these, ports with PFC for an unused class
    marks: Counter[bool | None] = Counter()
    priorities: Counter[int] = Counter()
    for port, count in analysis.kinds_in(network):
        treated = [analysis.treat(port, dscp) for dscp in traffic.dscps]
        lossless = _agree(t.ingress.lossless for t in treated)
        for t in treated:
            if t.ingress.lossless and t.ingress.priority is not None:
                priorities[t.ingress.priority] += count
        at_edge = port.faces_host or port.device.is_host
        (edge if at_edge else core)[lossless] += count
        if not port.device.is_host:
            # Data in the wrong class is no evidence about its intended queue; CNPs do not belong
            # in a no-drop class.
            data = traffic.flow is Flow.DATA
            pfc = pfc_of(port)
            astray = data and lossless is False and pfc is not None and bool(pfc.generate)
            strays[at_edge] += count if astray else 0
            if astray and not traffic.assumed and not _is_led_to_pause(analysis, port):
                idle[at_edge] += count
            marks[None if astray else _agree(t.egress.marks for t in treated)] += count
    most = priorities.most_common(1)
    votes = _votes(edge + core)
    # Ports with PFC for another class deviate from a design and do not form one: certainly if hosts
    # state the class and no line maps to the no-drop class of the ports, and in a network with one
    # switch, whose ports are as many as those of NICs.
    off = strays if _majority(edge + core) is None else idle
    if (edge + core)[True]:
        edge[False] -= off[True]
        core[False] -= off[False]
    design = _pfc_design(edge, core)
    if design is PfcDesign.NOWHERE and network in analysis.one_way and traffic.flow is Flow.DATA:
        design = PfcDesign.OBEYS_ONLY
    priority = most[0][0] if most else None
    return Mode(design, _majority(marks), votes, _votes(marks), priority)


def _is_led_to_pause(analysis: Analysis, port: JudgedPort) -> bool:
    """Whether a line of the port's map puts a DSCP into one of its no-drop classes."""
    classifier = classifier_at(port)
    if classifier is None:
        return False
    named = {dscp for dscp in classifier.dscp_to_tc.entries if classifier.dscp_to_tc.stated(dscp)}
    return any(analysis.treat(port, dscp).ingress.lossless for dscp in sorted(named))


def _agree(answers: Iterable[bool | None]) -> bool | None:
    """True if any DSCP of the class is treated so, None if nothing is known."""
    found = set(answers)
    if True in found:
        return True
    return None if None in found else False


def _pfc_design(edge: Counter[bool | None], core: Counter[bool | None]) -> PfcDesign:
    both = _majority(edge + core)
    if _majority(edge) and _majority(core) is False and core[True] == 0:
        return PfcDesign.HOST_EDGE
    if both is None:
        return PfcDesign.UNKNOWN
    return PfcDesign.EVERYWHERE if both else PfcDesign.NOWHERE


def _majority(votes: Counter[bool | None]) -> bool | None:
    if votes[True] == votes[False]:
        return None
    return votes[True] > votes[False]


def _votes(votes: Counter[bool | None]) -> tuple[int, int, int]:
    return (votes[True], votes[False], votes[None])


def _override(mode: Mode, planned: PlannedClass) -> Mode:
    pfc = mode.pfc
    if planned.lossless is not None:
        pfc = PfcDesign.EVERYWHERE if planned.lossless else PfcDesign.NOWHERE
    return replace(
        mode,
        pfc=pfc,
        marking=mode.marking if planned.marked is None else planned.marked,
        priority=mode.priority if planned.pfc_priority is None else planned.pfc_priority,
        stated=True,
    )
