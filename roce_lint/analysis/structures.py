"""Named structures of a device without effect: not attached, or not defined."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.treatment import classifier_of, egress_of, forwarding_of, is_marked
from roce_lint.model.device import Device, Structure
from roce_lint.model.interface import Interface
from roce_lint.model.qos import PortQos, Trust
from roce_lint.text.source import Where


def is_undefined(structure: Structure) -> bool:
    """True for a referenced name that is not defined."""
    return not structure.defined and bool(structure.references) and structure.lossless_matters


def find_unattached(device: Device, kind: str) -> list[Structure]:
    """Structures of a kind, if the device refers to none of them."""
    known = [s for s in device.structures if s.kind == kind and s.lossless_matters]
    mine = [s for s in known if s.at.get("", 0) > 0]
    return [] if any(s.references for s in known) else mine


def idle(device: Device, *kinds: str) -> tuple[Where, ...]:
    """Definitions that nothing refers to: of each kind, the only one."""
    found = ([s for s in device.structures if s.kind == kind and is_idle(s)] for kind in kinds)
    return tuple(each[0].where() for each in found if len(each) == 1)


def is_idle(structure: Structure) -> bool:
    """True for a defined QoS structure that nothing refers to."""
    used = structure.references or not structure.lossless_matters
    return structure.at.get("", 0) > 0 and not used


def idle_classifiers(device: Device, qos: PortQos, dscp: int) -> tuple[Where, ...]:
    """Definitions of unused classifiers that would protect a DSCP."""
    unused = {structure.at[""] for structure in device.structures if is_idle(structure)}
    serving = (device.qos.classifiers[name] for name in serving_classifiers(device, qos, dscp))
    return tuple(each.where() for each in serving if each.at.get("", 0) in unused)


def definitions_with(device: Device, dscp: int) -> tuple[Where, ...]:
    """Definitions of unused classes that would match a DSCP."""
    return tuple(s.where() for s in device.structures if dscp in (s.dscps or ()) and is_idle(s))


def binds_other_classifier(port: Interface) -> bool:
    """True where a line makes the port classify by something other than the DSCP."""
    qos = port.qos
    return qos is not None and qos.trust in (Trust.PCP, Trust.NONE) and qos.stated("trust")


def unbound_classifier(device: Device, port: Interface, dscp: int) -> str | None:
    """Classifier of the device that would make `dscp` lossless, or put it into a queue that marks
    ECN, where the port has only the platform's default.
    """
    qos = port.qos
    if qos is None or qos.stated("classifier"):
        return None
    own = classifier_of(device, qos)
    if own is not None and not own.builtin:
        return None
    return next(serving_classifiers(device, qos, dscp), None)


def serving_classifiers(device: Device, qos: PortQos, dscp: int) -> Iterator[str]:
    """Other classifiers of the device that would make `dscp` lossless or mark ECN on a port."""
    own = classifier_of(device, qos)
    maps, out = forwarding_of(device, qos), egress_of(device, qos)
    for name, other in device.qos.classifiers.items():
        tc = other.dscp_to_tc.entries.get(dscp)
        if other.builtin or other is own or maps is None or tc is None:
            continue
        queue = out.queue(maps.tc_to_queue.get(tc)) if out is not None else None
        if maps.tc_to_pfc_priority.get(tc) is not None or is_marked(queue):
            yield name
