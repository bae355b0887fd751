"""Stages of an arriving class: binding, trust, DSCP."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.deciding_lines import (
    excluding_class,
    idle_map_line,
    idle_pause_lines,
    line_naming_too_much,
    lines_naming_class,
    list_without_code_point,
    rewrite_instead_of_map,
)
from roce_lint.analysis.diagnosis.subject import Diagnosis, Fault, Lack
from roce_lint.analysis.ingress_egress import Ingress, label_priorities
from roce_lint.analysis.map_conflicts import map_conflict
from roce_lint.analysis.port_parts import maps_of, needs, needs_classifier
from roce_lint.analysis.protection import names
from roce_lint.analysis.stages import Acts, Stage
from roce_lint.analysis.structures import (
    binds_other_classifier,
    find_unattached,
    idle_classifiers,
    serving_classifiers,
    unbound_classifier,
)
from roce_lint.analysis.treatment import classifier_of, is_marked
from roce_lint.model.change import Change
from roce_lint.model.qos import PortQos, Trust
from roce_lint.model.units import PRIORITIES
from roce_lint.text.source import Origin


def binding(d: Diagnosis) -> Iterator[Fault]:
    """A switch port has no classification, although the device has a suitable policy."""
    if d.port.device.is_host or d.qos is None or not _is_judged(d):
        return
    if binds_other_classifier(d.port.interface):
        return  # another classifier is applied
    name = unbound_classifier(d.port.device, d.port.interface, d.dscp)
    if name is None or d.into.lossless is not False:
        return
    if not d.in_bulk and find_unattached(d.port.device, "qos policy"):
        return  # a fault of the device, not of the port
    classifier = d.port.device.qos.classifiers[name]
    default = d.qos.where("classifier")
    if default.origin is Origin.ABSENT:
        default = d.qos.where("trust")
    yield Fault(
        Stage.BINDING,
        (default, classifier.where()),
        f"has no QoS classification: {name} exists on this device but is not attached",
        name,
        rests_on=d.into.protected.doubts,
        changes=_bound(d, d.qos, name),
    )


def _is_judged(d: Diagnosis) -> bool:
    """True where the design protects the class on arrival, or has it in a separate queue."""
    return d.needed is True or d.in_bulk


def _bound(d: Diagnosis, qos: PortQos, name: str) -> tuple[Change, ...]:
    """The classifier applied, if no other one of the device maps the DSCP to the class as well."""
    if len([*serving_classifiers(d.port.device, qos, d.dscp)]) > 1:
        return ()
    return needs_classifier(d.port, name, f"the only one of the device that maps DSCP {d.dscp}")


def trust(d: Diagnosis) -> Iterator[Fault | Lack]:
    """The port classifies by something other than the DSCP that RoCE packets carry."""
    if d.qos is None or d.qos.trust not in (Trust.PCP, Trust.NONE) or not _is_judged(d):
        return
    by_tag = d.qos.trust is Trust.PCP
    if by_tag and d.port.interface.tagged is not False:
        if d.port.interface.tagged is None:
            yield Lack(Stage.TRUST, "802.1Q tagging of RoCE on the port", (d.qos.where("trust"),))
        return
    if d.into.lossless:
        return  # all untagged packets are lossless: another fault
    by_priority = "classifies by 802.1p priority, which untagged packets do not carry"
    trust = d.qos.where("trust")
    yield Fault(
        Stage.TRUST,
        (trust,),
        by_priority if by_tag else "ignores the DSCP of packets",
        d.qos.trust.value,
        rests_on=(trust, *d.into.protected.doubts),
        acts=_acts(d),
        idle=idle_classifiers(d.port.device, d.qos, d.dscp),
        changes=_by_code_point(d, d.qos),
    )


def _by_code_point(d: Diagnosis, qos: PortQos) -> tuple[Change, ...]:
    """The port classifies by DSCP: by its own map or, if that has none, by the only one that
    protects the class.
    """
    device = d.port.device
    own = classifier_of(device, qos)
    others = [*serving_classifiers(device, qos, d.dscp)]
    if own is None or own.dscp_to_tc.get(d.dscp) is not None or not others:
        return needs(d.port, {"qos.trust": Trust.DSCP})
    why = f"the only one of the device that maps DSCP {d.dscp}"
    return needs_classifier(d.port, others[0], why) if len(others) == 1 else ()


def code_point(d: Diagnosis) -> Iterator[Fault | Lack]:
    """A DSCP is in another class than the design has for it."""
    if d.in_bulk:
        yield from _in_bulk(d)
    elif d.needed is True and not d.port.device.system.pfc_killed:
        for dscp in d.traffic.dscps:
            yield from _outside(d, dscp)


def _in_bulk(d: Diagnosis) -> Iterator[Fault | Lack]:
    into, out = d.into, d.out
    if not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
    elif not (d.guessed or d.unprotected(d.dscp)):
        yield Fault(
            Stage.CODE_POINT,
            (
                *line_naming_too_much(d.port, d.dscp, d.traffic.dscps),
                *into.tc_where,
                *out.marked.where[:1],
            ),
            f"maps DSCP {d.dscp} to {into.class_label}, whose queue {out.queue} carries unmarked "
            "traffic and does not mark ECN",
            f"{d.dscp}:{into.tc}",
            d.dscp,
            demanded=_is_sent(d, d.dscp),
            rests_on=out.marked.doubts,
            acts=_acts(d),
            idle=into.tc_where,
            changes=_mapped_to_marks(d),
        )


def _mapped_to_marks(d: Diagnosis) -> tuple[Change, ...]:
    """The DSCP mapped to the only traffic class of the port whose queue marks ECN."""
    maps, policy = maps_of(d.port), d.policy
    if maps is None or policy is None:
        return ()
    queues = {tc: policy.queue(number) for tc, number in maps.tc_to_queue.entries.items()}
    marked = [tc for tc, queue in queues.items() if is_marked(queue)]
    if len(marked) != 1:
        return ()
    why = "the only class that marks ECN here"
    return needs(d.port, {f"qos.classifier.dscp_to_tc[{d.dscp}]": marked[0]}, why)


def _outside(d: Diagnosis, dscp: int) -> Iterator[Fault | Lack]:
    into, paused = d.analysis.treat(d.port, dscp).ingress, d.pfc and d.pfc.generate
    if into.tc is None:
        missing = into.missing or "the traffic class of the DSCP"
        yield Lack(Stage.CODE_POINT, missing, into.tc_where[:1])
        return
    if into.lossless and not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
    if not in_another_class(d, into) or not paused or d.pfc is None:
        return
    if map_conflict(d.analysis, d.traffic, d.port) is not None:
        return  # the class is right, but not its group
    if not into.certain:
        yield Lack(Stage.CODE_POINT, into.unless, into.tc_where[:1])
        return
    missing_pause = idle_pause_lines(d.analysis, d.traffic, d.port)
    label = f"priority {into.tc_name}" if d.port.device.is_host else into.class_label
    yield Fault(
        Stage.CODE_POINT,
        (
            *missing_pause,
            *rewrite_instead_of_map(d.port, dscp),
            *excluding_class(d.port, dscp),
            *list_without_code_point(d.traffic, d.port, dscp),
            *idle_map_line(d.analysis, d.port, dscp),
            *line_naming_too_much(d.port, dscp, d.traffic.dscps),
            *into.tc_where,
            *lines_naming_class(d.port, paused),
            d.pfc.where("generate"),
        ),
        f"maps DSCP {dscp} to {label}, which is lossy (PFC is on for {label_priorities(paused)})",
        f"{dscp}:{into.tc}",
        dscp,
        demanded=_is_sent(d, dscp),
        rests_on=into.protected.doubts,
        acts=_acts(d),
        idle=into.tc_where,
        changes=_paused_here(d, into) if missing_pause else mapped_to_pause(d, dscp),
    )


def mapped_to_pause(d: Diagnosis, dscp: int) -> tuple[Change, ...]:
    """A DSCP mapped to the only traffic class with the PFC priority that the design has for it."""
    classes = _classes_of_design(d)
    if len(classes) != 1:
        return ()
    return needs(d.port, {f"qos.classifier.dscp_to_tc[{dscp}]": classes[0]})


def _classes_of_design(d: Diagnosis) -> list[int]:
    """Traffic classes with the PFC priority of the design, if the port sends PFC for it."""
    maps, usual = maps_of(d.port), d.analysis.mode(d.traffic, d.port).priority
    if maps is None or d.pfc is None or usual not in (d.pfc.generate or ()):
        return []
    return [tc for tc in PRIORITIES if maps.tc_to_pfc_priority.get(tc) == usual]


def _paused_here(d: Diagnosis, into: Ingress) -> tuple[Change, ...]:
    """The priority of the design moved from the one class without packets to that of the DSCP."""
    idle, usual = _classes_of_design(d), d.analysis.mode(d.traffic, d.port).priority
    if len(idle) != 1 or into.tc is None:
        return ()
    maps = {
        f"tc_to_pfc_priority[{into.tc}]": usual,
        f"tc_to_pfc_priority[{idle[0]}]": None,
        f"pfc_priority_to_queue[{usual}]": d.out.queue,
    }
    return needs(d.port, {f"qos.forwarding.{entry}": value for entry, value in maps.items()})


def in_another_class(d: Diagnosis, into: Ingress) -> bool:
    """Whether a DSCP of the design is in another class than the no-drop one."""
    paused = (d.pfc.generate if d.pfc is not None else None) or frozenset()
    usual = d.analysis.mode(d.traffic, d.port).priority
    if into.lossless is not False or not paused or into.dscp is None:
        return False
    if into.priority is not None and into.priority == usual:
        return False  # classified correctly, without PFC
    if d.unprotected(into.dscp):
        return False
    return not (d.guessed and usual not in paused)  # otherwise the class does not belong here


def _acts(d: Diagnosis) -> Acts | None:
    """Affected packets. A switch classifies arriving ones. A NIC also sends by the same map:
    packets in another priority do not stop when its leaf sends PFC for the class.
    """
    return "both" if d.port.device.is_host else None


def _is_sent(d: Diagnosis, dscp: int) -> bool:
    """Whether the DSCP is certainly the one of the class.

    Not in an undecided tie (CLS020 names both sides), nor where the port protects other DSCPs of a
    class known only as a whole, and no line of the device maps this one elsewhere: nobody may send
    it.
    """
    if d.traffic.sides:
        return False
    if d.traffic.named or names(d.port.device, dscp):
        return True
    return not any(d.analysis.treat(d.port, other).ingress.lossless for other in d.traffic.dscps)
