"""Classification: the trust mode of ports, the class of RoCE, unattached policies, classes without
a match, and priorities that neighbours advertise.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.diagnosis import Diagnosis, Fault, diagnose
from roce_lint.analysis.port_parts import advertising_neighbours, needs, needs_classifier
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.structures import binds_other_classifier, find_unattached
from roce_lint.engine import api
from roce_lint.engine.api import BoundObject, Change, Device, Given, Outcome, Problem, Stage
from roce_lint.engine.finding import Severity
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.qos import Classifier, MatchKind, PfcMode
from roce_lint.model.units import DSCPS

CLASSIFYING = "qos policy"
NO_DROP = "no-drop policy"

ATTACHED = {
    NO_DROP: Stage.SWITCH,
    "queuing policy": Stage.QUEUES,
    CLASSIFYING: Stage.BINDING,
    "qos profile": Stage.PROFILE,
}
"""Kinds of structures that need attaching, and the stage that each provides."""


@api.class_port_check("mapping.code_point_outside_lossless")
def dscp_outside_lossless_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given
) -> Iterator[Outcome]:
    """A port maps a RoCE DSCP to a class (a NIC: a priority) without PFC."""
    found = diagnosis.at(Stage.CODE_POINT)
    yield from api.unknowns(diagnosis, found)
    for broken in found:
        if isinstance(broken, Fault) and broken.demanded:
            harm = (
                "shares the queue of unmarked traffic"
                if diagnosis.in_bulk
                else "enters a lossy queue"
            )
            what = f"RoCE DSCP {broken.dscp} {harm} and is dropped under congestion"
            yield api.problem(diagnosis, broken, what)


@api.stage_check("mapping.trust_ignores_code_point", Stage.TRUST)
def dscp_not_trusted(diagnosis: Diagnosis, broken: Fault) -> str:
    """A port classifies RoCE by something other than DSCP."""
    return f"{diagnosis.traffic.name} falls into the default class and is lossy here"


@api.fabric_check("mapping.policy_not_attached")
def policy_not_attached(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A policy that would protect RoCE is defined but not attached to a port on the path."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for _, outcome in over_kinds(analysis, partial(_unbound, analysis, traffic)):
            yield outcome
    for device in fabric.devices.values():
        yield from _never_attached(device, analysis)


def _unbound(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    diagnosis = diagnose(analysis, traffic, port)
    fate = "without ECN marking" if diagnosis.in_bulk else "lossy"
    harm = f"{traffic.name} arrives in the default class and is {fate} here"
    return api.outcomes(diagnosis, Stage.BINDING, harm)


def _never_attached(device: Device, analysis: Analysis) -> Iterator[Outcome]:
    """Policies of a kind that RoCE needs and the device attaches nowhere."""
    for kind, stage in ATTACHED.items():
        mine = find_unattached(device, kind)
        if not mine:
            continue
        ports = [
            p
            for p in analysis.ports_of(device)
            if kind != CLASSIFYING or not binds_other_classifier(p.interface)
        ]
        suffering = [
            (port.interface, need) for port in ports if (need := _lacks(analysis, port, kind))
        ]
        if kind == NO_DROP and not ports:  # PFC is on, whatever the ports lead to
            alone = filter(_pauses_nothing, device.interfaces.values())
            suffering = [(port, Severity.ERROR) for port in alone]
        if suffering:
            names = ", ".join(structure.name for structure in mine)
            demanded = any(need is Severity.ERROR for _, need in suffering)
            yield Problem(
                f"{device.hostname}: {kind} {names} {'is' if len(mine) == 1 else 'are'} defined "
                "but not attached",
                f"the {kind} has no effect",
                [structure.where() for structure in mine],
                device.hostname,
                tuple(port.name for port, _ in suffering),
                value=kind,
                severity=None if demanded else Severity.WARNING,
                stage=stage,
                lacks=tuple(structure.name for structure in mine),
                changes=_attached(device, kind, names, [port for port, _ in suffering])
                if len(mine) == 1
                else (),
            )


def _attached(device: Device, kind: str, name: str, ports: list[Interface]) -> tuple[Change, ...]:
    """The only policy of its kind attached to ports."""
    why, ends = f"the only {kind} of the device", [Endpoint(device, port) for port in ports]
    if kind == CLASSIFYING:
        return tuple(change for end in ends for change in needs_classifier(end, name, why))
    known = kind == "queuing policy" and name in device.qos.egress
    return tuple(c for end in ends if known for c in needs(end, {"qos.egress": name}, why))


def _pauses_nothing(port: Interface) -> bool:
    """Whether a line enables PFC on the port without a priority, and none shuts the port."""
    pfc = port.qos.pfc if port.qos is not None else None
    if pfc is None or pfc.generate or (port.enabled is False and port.stated("enabled")):
        return False
    return pfc.mode is PfcMode.ON and pfc.stated("mode")


def _lacks(analysis: Analysis, port: JudgedPort, kind: str) -> Severity | None:
    """Severity for a port of the missing policy of this kind; None where the port does not need it.

    An error where the design requires the policy or PFC is on and half configured; a warning
    where RoCE is merely not ECN-marked.
    """
    marking = kind in ("queuing policy", "qos profile")
    pausing = kind != "queuing policy"
    needs = [analysis.needs_pause(traffic, port) for traffic in analysis.data_classes]
    needless = bool(needs) and all(need is False for need in needs)
    if pausing and _is_half_paused(analysis, port, kind, needless=needless):
        return Severity.ERROR
    worst: Severity | None = None
    for traffic in analysis.data_classes:
        treated, mode = analysis.treat(port, traffic.dscps[0]), analysis.mode(traffic, port)
        unpaused = pausing and treated.ingress.lossless is False
        unmarked = marking and treated.egress.marks is False
        if (unpaused and analysis.needs_pause(traffic, port)) or (unmarked and mode.marking):
            return Severity.ERROR
        if unmarked and not mode.stated:
            worst = Severity.WARNING
    return worst


def _is_half_paused(analysis: Analysis, port: JudgedPort, kind: str, *, needless: bool) -> bool:
    """Whether PFC is on without the lossless class, or the classification, that this kind of
    policy provides; or off beside a lossless class, unless the design needs no PFC.
    """
    qos = port.interface.qos
    if qos is None or qos.pfc is None:
        return False
    if qos.pfc.mode is PfcMode.OFF and kind == NO_DROP:
        return not needless and bool(qos.pfc.named) and not qos.pfc.stated("mode")
    if qos.pfc.mode is not PfcMode.ON:
        return False
    if kind == NO_DROP:
        return qos.pfc.generate is not None and not qos.pfc.generate
    return (
        not needless
        and bool(qos.pfc.generate)
        and all(analysis.treat(port, dscp).ingress.lossless is False for dscp in DSCPS)
    )


@api.object_check("mapping.class_without_match", over="classifiers")
def class_without_match(bound: BoundObject[Classifier], given: Given) -> Iterator[Outcome]:
    """A class of a policy on a port in scope matches no packet."""
    device = bound.device.hostname
    ports = tuple(name for name in bound.ports if given.analysis.port(device, name) is not None)
    for match in bound.object.matches if ports else ():
        if match.kind is MatchKind.NOTHING:
            yield Problem(
                f"{device}: class {match.class_name} of policy {bound.name} has no match line",
                "its traffic falls through to the default class",
                [match.where("values"), match.where("tc")],
                subjects=ports,
                value=match.class_name or "",
            )


@api.fabric_check("mapping.advertised_otherwise")
def neighbour_priority_mismatch(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A neighbour advertises another priority for a RoCE DSCP than the port uses."""
    analysis = given.analysis
    for port, neighbor in advertising_neighbours(analysis):
        codes = neighbor.dscp_to_priority
        for traffic in analysis.data_classes if codes is not None else ():
            into = analysis.treat(port, traffic.dscps[0]).ingress
            other = codes.get(traffic.dscps[0]) if codes is not None else None
            own = into.tc if port.device.is_host and into.priority is None else into.priority
            if codes is None or None in (own, other) or own == other:
                continue
            yield Problem(
                f"{port} maps {traffic.name} to priority {own}, its neighbour {neighbor.device} "
                f"advertises priority {other}",
                f"the two ends use different PFC priorities for {traffic.name}: it is dropped "
                "when a buffer fills",
                [into.tc_where[0], codes.where(traffic.dscps[0])],
                *api.at_port(port),
                value=f"{own}: {other}",
                traffic=traffic.name,
            )
