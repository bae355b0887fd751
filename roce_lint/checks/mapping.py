"""Code point to class: trust, maps, policies, and names that nobody defined."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.classes import tagged
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.treatment import egress_of, forwarding_of
from roce_lint.checks.blame import mapped_in_vain, named_for, paused_in_vain
from roce_lint.checks.maps_inside import other_group
from roce_lint.checks.references import is_undefined
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.engine.finding import Acts
from roce_lint.model.device import Structure
from roce_lint.model.qos import EgressPolicy, PfcConfig, PfcMode, PortQos, Trust
from roce_lint.model.units import DSCPS, ranges
from roce_lint.text.source import Origin

ATTACHED = ("no-drop policy", "queuing policy", "qos policy", "qos profile")
"""Kinds of structures that do nothing until something refers to them."""


@fabric_check("mapping.code_point_outside_lossless", by_port=True, alone=True)
def code_point_outside_lossless(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port puts a RoCE code point into a class (a NIC: a priority) that it does not pause."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for port in analysis.ports:
            needed = analysis.needs_pause(traffic, port)
            if needed is False and analysis.unmarked_in_bulk(traffic, port):
                yield from _in_bulk(analysis, traffic, port)
                continue
            if needed is not True or port.device.system.pfc_killed:
                continue
            for dscp in traffic.dscps:
                yield from _misclassified(analysis, traffic, port, dscp)

    if analysis.tagged:
        yield from _by_tag(analysis)


def _by_tag(analysis: Analysis) -> Iterator[Outcome]:
    """Ports that tell what they pause by the 802.1p tag: no DSCP can be followed through them."""
    missing = "what becomes of RoCE that its 802.1p priority alone tells (classes are told by DSCP)"
    for port in analysis.ports:
        qos = port.interface.qos
        if qos is not None and tagged(port):
            yield Unknown(missing, [qos.where("classifier")], *_at(port))


def _misclassified(
    analysis: Analysis, traffic: RoceClass, port: JudgedPort, dscp: int
) -> Iterator[Outcome]:
    into = analysis.treat(port, dscp).ingress
    device, name = port.device.hostname, port.interface.name
    if into.tc is None:
        missing = into.missing or "the traffic class of the code point"
        yield Unknown(missing, list(into.tc_where[:1]), device, (name,))
        return
    qos = port.interface.qos
    if into.lossless and not into.certain:
        missing = "what an access list or VLAN match decides"
        yield Unknown(missing, list(into.tc_where[:1]), device, (name,))
    if into.lossless is not False or qos is None or qos.pfc is None or not qos.pfc.generate:
        return
    mode = analysis.mode(traffic, port)
    usual = mode.priority
    if into.priority is not None and into.priority == usual:
        return  # rightly classified, and not paused: the PFC line is to blame
    if not mode.stated and analysis.protected(port.network, dscp) is False:
        return  # hardly any switch protects the code point: the sender is out of step
    if analysis.guessed(traffic, port) and usual not in qos.pfc.generate:
        return  # neither classified nor paused: the class is not meant to use this port
    if not into.certain:
        missing = "what an access list or VLAN match decides"
        yield Unknown(missing, list(into.tc_where[:1]), device, (name,))
        return
    if other_group(port, into.tc) is not None:
        return  # the maps contradict each other: a rule of its own
    if _unbound(port, dscp) is not None:
        return  # the policy that would do it is not attached: a rule of its own
    what = "priority" if port.device.is_host else "class"
    yield Problem(
        f"{port} puts DSCP {dscp} into {what} {into.tc_name}, which is not lossless here "
        f"(paused: priority {ranges(qos.pfc.generate)})",
        f"RoCE DSCP {dscp} enters a lossy queue and is dropped under congestion",
        [
            *paused_in_vain(analysis, traffic, port),
            *mapped_in_vain(analysis, port, dscp),
            *into.tc_where,
            *named_for(port, qos.pfc.generate),
            qos.pfc.where("generate"),
        ],
        device,
        (name,),
        value=f"{dscp}:{into.tc}",
        traffic=traffic.name,
        acts=_acts(port),
    )


def _in_bulk(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> Iterator[Outcome]:
    """A design that marks instead of pausing, and a port that marks another queue."""
    dscp = traffic.dscps[0]
    treated = analysis.treat(port, dscp)
    into, out, qos = treated.ingress, treated.egress, port.interface.qos
    if not into.certain:
        missing = "what an access list or VLAN match decides"
        yield Unknown(missing, list(into.tc_where[:1]), *_at(port))
        return
    ignored = qos is not None and qos.trust in (Trust.PCP, Trust.NONE)
    if ignored or analysis.guessed(traffic, port) or _unbound(port, dscp) is not None:
        return  # rules of their own
    if not analysis.mode(traffic, port).stated and analysis.protected(port.network, dscp) is False:
        return  # hardly any switch protects the code point: the sender is out of step
    yield Problem(
        f"{port} puts DSCP {dscp} into class {into.tc_name}, whose queue {out.queue} is that of "
        "unmarked traffic and does not mark",
        f"RoCE DSCP {dscp} queues behind everything else and is dropped under congestion",
        [*into.tc_where, *([out.marks_where] if out.marks_where is not None else [])],
        *_at(port),
        value=f"{dscp}:{into.tc}",
        traffic=traffic.name,
        acts=_acts(port),
    )


@fabric_check("mapping.trust_ignores_code_point", by_port=True, alone=True)
def trust_ignores_code_point(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port classifies by something else than the DSCP that RoCE packets carry."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for port in analysis.ports:
            qos = port.interface.qos
            if qos is None or qos.trust not in (Trust.PCP, Trust.NONE):
                continue
            if analysis.needs_pause(traffic, port) is not True and not analysis.unmarked_in_bulk(
                traffic, port
            ):
                continue
            if qos.trust is Trust.PCP and port.interface.tagged is True:
                continue
            if qos.trust is Trust.PCP and port.interface.tagged is None:
                missing = "whether RoCE is 802.1Q tagged on the port"
                yield Unknown(missing, [qos.where("trust")], *_at(port))
                continue
            into = analysis.treat(port, traffic.dscps[0]).ingress
            if into.lossless:
                continue  # everything untagged goes to the lossless class: not this fault
            how = (
                "by 802.1p priority, which untagged packets do not carry"
                if qos.trust is Trust.PCP
                else "without looking at the DSCP"
            )
            yield Problem(
                f"{port} classifies {how}",
                f"{traffic.name} falls into the default class and is lossy here",
                [qos.where("trust")],
                *_at(port),
                value=qos.trust.value,
                traffic=traffic.name,
                acts=_acts(port),
            )


def _at(port: JudgedPort) -> tuple[str, tuple[str, ...]]:
    return port.device.hostname, (port.interface.name,)


def _acts(port: JudgedPort) -> Acts | None:
    """A switch classifies what arrives. A NIC sends by the same map as well: what it puts into
    another priority does not stop when its leaf pauses that of the class.
    """
    return "both" if port.device.is_host else None


@fabric_check("mapping.policy_not_attached")
def policy_not_attached(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A policy that would protect RoCE is defined, and a port on the path does not apply it."""
    analysis = given.analysis
    for traffic in analysis.data_classes:
        for port in analysis.switch_ports():
            name, qos = _unbound(port, traffic.dscps[0]), port.interface.qos
            if name is None or qos is None:
                continue
            needed = analysis.needs_pause(traffic, port)
            marked = needed is False and analysis.unmarked_in_bulk(traffic, port)
            if needed is not True and not marked:
                continue
            if not marked and _unattached(port.device, "qos policy"):
                continue  # told once, of the device
            if analysis.treat(port, traffic.dscps[0]).ingress.lossless is False:
                classifier = port.device.qos.classifiers[name]
                yield Problem(
                    f"{port} applies no classification; {name} of this device would put "
                    f"DSCP {traffic.dscps[0]} into the {'marked' if marked else 'lossless'} class",
                    f"{traffic.name} arrives in the default class and is "
                    f"{'not marked' if marked else 'lossy'} here",
                    [_no_classifier(qos), classifier.where()],
                    *_at(port),
                    value=name,
                    traffic=traffic.name,
                )
    for device in fabric.devices.values():
        yield from _never_attached(device, analysis)


def _no_classifier(qos: PortQos) -> Where:
    """Who says what the port does without a classifier: the platform's default, under one of the
    two names.
    """
    place = qos.where("classifier")
    return qos.where("trust") if place.origin is Origin.ABSENT else place


def _unbound(port: JudgedPort, dscp: int) -> str | None:
    """Name of a classifier of the device that would pause `dscp`, or put it into a queue that
    marks, where the port has only the platform's default.
    """
    qos = port.interface.qos
    if qos is None or qos.stated("classifier"):
        return None
    own = port.device.qos.classifiers.get(qos.classifier or "")
    if own is not None and not own.builtin:
        return None
    maps, out = forwarding_of(port.device, qos), egress_of(port.device, qos)
    for name, other in port.device.qos.classifiers.items():
        if other.builtin or other is own or maps is None:
            continue
        tc = other.dscp_to_tc.entries.get(dscp)
        if tc is None:
            continue
        if maps.tc_to_pfc_priority.get(tc) is not None or _marked(out, maps.tc_to_queue.get(tc)):
            return name
    return None


def _marked(policy: EgressPolicy | None, number: int | None) -> bool:
    queue = policy.queue(number) if policy is not None and number is not None else None
    return queue is not None and queue.marking is not None and queue.marking.ecn is True


def _never_attached(device: Device, analysis: Analysis) -> Iterator[Outcome]:
    """A policy of a kind of which the device attaches none at all, while RoCE needs it."""
    ports = analysis.ports_of(device)
    for kind in ATTACHED:
        mine = _unattached(device, kind)
        if not mine:
            continue
        suffering = [(port, want) for port in ports if (want := _lacks(analysis, port, kind))]
        if suffering:
            names = ", ".join(structure.name for structure in mine)
            demanded = any(want is Severity.ERROR for _, want in suffering)
            yield Problem(
                f"{device.hostname} defines {kind} {names} and attaches none",
                "what it says about RoCE has no effect",
                [structure.where() for structure in mine],
                device.hostname,
                tuple(port.interface.name for port, _ in suffering),
                value=kind,
                severity=None if demanded else Severity.WARNING,
            )


def told_unattached(analysis: Analysis, port: JudgedPort, kind: str) -> bool:
    """True where it is reported that the device attaches no policy of this kind, and the port
    suffers from it.
    """
    return bool(_unattached(port.device, kind)) and _lacks(analysis, port, kind) is not None


def _unattached(device: Device, kind: str) -> list[Structure]:
    """Structures of a kind of which the device refers to none at all."""
    known = [s for s in device.structures if s.kind == kind and s.lossless_matters]
    mine = [s for s in known if s.at.get("", 0) > 0]
    return [] if any(s.references for s in known) else mine


def queues_unattached(device: Device, qos: PortQos) -> bool:
    """True where a port has the platform's queues only because the device attaches none of the
    policies it defines for them. How RoCE is queued there is then a consequence.
    """
    kinds = ("queuing policy", "qos profile")
    return not qos.stated("egress") and any(_unattached(device, kind) for kind in kinds)


def broken_no_drop(device: Device, pfc: PfcConfig) -> bool:
    """True where what would pause a class is defined and not attached, or refers to nothing.

    A port with PFC and without a lossless class is then a consequence. It is none where the port
    applies no policy at all: then it is the default that leaves it without.
    """
    if _unattached(device, "no-drop policy"):
        return True
    return pfc.stated("generate") and any(
        structure.kind.startswith("no-drop ") and is_undefined(structure)
        for structure in device.structures
        if structure.reserved or not device.partial
    )


def _lacks(analysis: Analysis, port: JudgedPort, kind: str) -> Severity | None:
    """How grave it is for a port that its device attaches no policy of this kind.

    An error where the design demands what such a policy gives, or where the port has PFC on and
    half of what PFC takes; a warning where RoCE merely goes without marking; None where nothing
    is amiss.
    """
    marking = kind in ("queuing policy", "qos profile")
    pausing = kind != "queuing policy"
    if pausing and _half_paused(analysis, port, kind):
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


def _half_paused(analysis: Analysis, port: JudgedPort, kind: str) -> bool:
    """True where PFC is on and what this kind of policy brings to it is missing: a lossless
    class, or packets that are put into it. Or where there is a lossless class, and PFC is off.
    """
    qos = port.interface.qos
    if qos is None or qos.pfc is None:
        return False
    if qos.pfc.mode is PfcMode.OFF and kind == "no-drop policy":
        return bool(qos.pfc.named) and not qos.pfc.stated("mode")
    if qos.pfc.mode is not PfcMode.ON:
        return False
    if kind == "no-drop policy":
        return qos.pfc.generate is not None and not qos.pfc.generate
    return bool(qos.pfc.generate) and all(
        analysis.treat(port, dscp).ingress.lossless is False for dscp in DSCPS
    )
