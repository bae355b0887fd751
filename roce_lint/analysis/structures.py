"""Named structures of a device that have no effect: attached to nothing, or defined nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.treatment import egress_of, forwarding_of
from roce_lint.model.device import Device, Structure
from roce_lint.model.interface import Interface
from roce_lint.model.qos import EgressPolicy, PortQos, Trust


def is_undefined(structure: Structure) -> bool:
    """True for a name in use that nothing defines."""
    return not structure.defined and bool(structure.references) and structure.lossless_matters


def unattached(device: Device, kind: str) -> list[Structure]:
    """Structures of a kind of which the device refers to none at all."""
    known = [s for s in device.structures if s.kind == kind and s.lossless_matters]
    mine = [s for s in known if s.at.get("", 0) > 0]
    return [] if any(s.references for s in known) else mine


def bound_other(port: Interface) -> bool:
    """True where a line has the port classify by something else than the DSCP."""
    qos = port.qos
    return qos is not None and qos.trust in (Trust.PCP, Trust.NONE) and qos.stated("trust")


def unbound_classifier(device: Device, port: Interface, dscp: int) -> str | None:
    """Name of a classifier of the device that would pause `dscp`, or put it into a queue that
    marks, where the port has only the platform's default.
    """
    qos = port.qos
    if qos is None or qos.stated("classifier"):
        return None
    own = device.qos.classifiers.get(qos.classifier or "")
    if own is not None and not own.builtin:
        return None
    return next(serving_classifiers(device, qos, dscp), None)


def serving_classifiers(device: Device, qos: PortQos, dscp: int) -> Iterator[str]:
    """Names of the other classifiers of the device that would pause `dscp` on a port, or put it
    into a queue that marks.
    """
    own = device.qos.classifiers.get(qos.classifier or "")
    maps, out = forwarding_of(device, qos), egress_of(device, qos)
    for name, other in device.qos.classifiers.items():
        if other.builtin or other is own or maps is None:
            continue
        tc = other.dscp_to_tc.entries.get(dscp)
        if tc is None:
            continue
        if maps.tc_to_pfc_priority.get(tc) is not None or _marked(out, maps.tc_to_queue.get(tc)):
            yield name


def _marked(policy: EgressPolicy | None, number: int | None) -> bool:
    queue = policy.queue(number) if policy is not None and number is not None else None
    return queue is not None and queue.marking is not None and queue.marking.ecn is True
