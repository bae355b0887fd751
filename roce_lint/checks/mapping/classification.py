"""Code point to class: what a port trusts, where it puts RoCE, and policies left unattached."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from roce_lint.analysis.diagnosis import diagnose
from roce_lint.analysis.representatives import over_kinds
from roce_lint.analysis.result import Analysis
from roce_lint.analysis.structures import binds_other_classifier, find_unattached
from roce_lint.engine.api import (
    Device,
    Diagnosis,
    Fabric,
    Fault,
    Given,
    JudgedPort,
    NoParams,
    Outcome,
    Problem,
    RoceClass,
    Severity,
    Stage,
    class_port_check,
    fabric_check,
    outcomes,
    problem,
    stage_check,
    unknowns,
)
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PfcMode
from roce_lint.model.units import DSCPS

CLASSIFYING = "qos policy"
NO_DROP = "no-drop policy"

ATTACHED = {
    NO_DROP: Stage.SWITCH,
    "queuing policy": Stage.QUEUES,
    CLASSIFYING: Stage.BINDING,
    "qos profile": Stage.PROFILE,
}
"""Kinds of structures that do nothing until something refers to them, and what they bring."""


@class_port_check("mapping.code_point_outside_lossless")
def code_point_outside_lossless_class(
    traffic: RoceClass, port: JudgedPort, diagnosis: Diagnosis, given: Given[NoParams]
) -> Iterator[Outcome]:
    """A port puts a RoCE code point into a class (a NIC: a priority) that it does not pause."""
    found = diagnosis.at(Stage.CODE_POINT)
    yield from unknowns(diagnosis, found)
    for broken in found:
        if isinstance(broken, Fault) and broken.demanded:
            harm = "queues behind everything else" if diagnosis.in_bulk else "enters a lossy queue"
            what = f"RoCE DSCP {broken.dscp} {harm} and is dropped under congestion"
            yield problem(diagnosis, broken, what)


@stage_check("mapping.trust_ignores_code_point", Stage.TRUST)
def trust_ignoring_the_code_point(diagnosis: Diagnosis, broken: Fault) -> str:
    """A port classifies by something else than the DSCP that RoCE packets carry."""
    return f"{diagnosis.traffic.name} falls into the default class and is lossy here"


@fabric_check("mapping.policy_not_attached")
def policy_not_attached(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy that would protect RoCE is defined, and a port on the path does not apply it."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for _, outcome in over_kinds(analysis, partial(_unbound, analysis, traffic)):
            yield outcome
    for device in fabric.devices.values():
        yield from _never_attached(device, analysis)


def _unbound(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    diagnosis = diagnose(analysis, traffic, port)
    fate = "not marked" if diagnosis.in_bulk else "lossy"
    harm = f"{traffic.name} arrives in the default class and is {fate} here"
    return outcomes(diagnosis, Stage.BINDING, harm)


def _never_attached(device: Device, analysis: Analysis) -> Iterator[Outcome]:
    """A policy of a kind of which the device attaches none at all, while RoCE needs it."""
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
            (port.interface, want) for port in ports if (want := _lacks(analysis, port, kind))
        ]
        if kind == NO_DROP and not ports:  # PFC is on, whatever the ports lead to
            alone = filter(_pauses_nothing, device.interfaces.values())
            suffering = [(port, Severity.ERROR) for port in alone]
        if suffering:
            names = ", ".join(structure.name for structure in mine)
            demanded = any(want is Severity.ERROR for _, want in suffering)
            yield Problem(
                f"{device.hostname} defines {kind} {names} and attaches none",
                "what it says about RoCE has no effect",
                [structure.where() for structure in mine],
                device.hostname,
                tuple(port.name for port, _ in suffering),
                value=kind,
                severity=None if demanded else Severity.WARNING,
                stage=stage,
                lacks=tuple(structure.name for structure in mine),
            )


def _pauses_nothing(port: Interface) -> bool:
    """True where a line has PFC on, for no priority, and none has the port shut."""
    pfc = port.qos.pfc if port.qos is not None else None
    if pfc is None or pfc.generate or (port.enabled is False and port.stated("enabled")):
        return False
    return pfc.mode is PfcMode.ON and pfc.stated("mode")


def _lacks(analysis: Analysis, port: JudgedPort, kind: str) -> Severity | None:
    """How grave it is for a port that its device attaches no policy of this kind.

    An error where the design demands what such a policy gives, or where the port has PFC on and
    half of what PFC takes; a warning where RoCE merely goes without marking; None where nothing
    is amiss.
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
    """True where PFC is on and what this kind of policy brings to it is missing: a lossless
    class, or packets that are put into it. Or where there is a lossless class, and PFC is off,
    unless the design needs no pause.
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
