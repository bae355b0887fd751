"""Undefined references to QoS structures, unused structures, and unapplied configuration groups."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from roce_lint.analysis.diagnosis.buffers import NOT_WRITTEN
from roce_lint.analysis.port_parts import needs, needs_classifier
from roce_lint.analysis.result import Analysis, PfcDesign
from roce_lint.analysis.scope import is_protecting
from roce_lint.analysis.stages import Stage
from roce_lint.analysis.structures import is_idle, is_undefined
from roce_lint.engine.api import Change, Endpoint, Given, Outcome, Problem, Unknown, device_check
from roce_lint.engine.finding import Acts, Severity
from roce_lint.model.device import GROUP, QOS_GROUP, Device, Structure
from roce_lint.model.interface import Interface
from roce_lint.model.qos import EgressPolicy, IngressBuffer, PfcMode, PortQos, QosObjects
from roce_lint.model.schema import REFERENCES
from roce_lint.model.sourced import Sourced
from roce_lint.text.names import likely_name
from roce_lint.text.numbers import count
from roce_lint.text.source import Origin, Where

OF_PAUSE = "no-drop "
"""Prefix of the kinds of structures that define the no-drop classes."""

NO_DROP_CLASS = "no-drop class map"

ARRIVING = ("trust", "classifier", "default_tc", "default_pcp", "ingress_buffer", "policing")
LEAVING = ("egress", "rewrite", "policing_out")
"""Fields for arriving and for leaving packets; the rest concerns both."""

ALIKE = 0.7
"""Similarity from which on one name is taken for a misspelling of the other."""


@device_check("mapping.undefined_reference")
def undefined_qos_reference(device: Device, given: Given) -> Iterator[Outcome]:
    """A line refers to an undefined policy, map, profile or class."""
    gone = [s for s in device.structures if is_undefined(s)]
    if device.partial:
        missing = "the rest of the configuration (only a part of it was read)"
        elsewhere = [s for s in gone if not s.reserved]
        if elsewhere:
            places = [Where(s.src, s.references[0]) for s in elsewhere[:1]]
            yield Unknown(missing, places, device.hostname)
        gone = [s for s in gone if s.reserved]
    made = [s for s in gone if s.expected]
    if made:
        places = [Where(s.src, s.references[0]) for s in made[:1]]
        yield Unknown(NOT_WRITTEN, places, device.hostname)
        gone = [s for s in gone if not s.expected]
    of_pause = sorted((s for s in gone if s.kind == NO_DROP_CLASS), key=lambda s: s.references)
    carrying = _ports_carrying(device, given.analysis)
    yield from (_undefined_names(device, [s], carrying) for s in gone if s.kind != NO_DROP_CLASS)
    if of_pause:  # a switch has one policy of this kind
        yield _undefined_names(device, of_pause, carrying)


def _ports_carrying(device: Device, analysis: Analysis) -> frozenset[str] | None:
    """Ports of a device that RoCE may use; None where the device neither carries nor protects it.
    Without hosts a port is known by its QoS, which may be missing due to the undefined name.
    """
    ports = analysis.ports_of(device)
    carried = any(t.is_in(port.network) for t in analysis.data_classes for port in ports)
    if not carried and not is_protecting(device):
        return None
    if not analysis.roce_nics:
        return frozenset(
            name for name, port in device.interfaces.items() if port.enabled is not False
        )
    return frozenset(port.interface.name for port in ports)


def _undefined_names(
    device: Device, gone: list[Structure], carrying: frozenset[str] | None
) -> Problem:
    """Problem of undefined names of one kind."""
    names = f"{gone[0].kind} {', '.join(structure.name for structure in gone)}"
    hurts = {
        port: acts
        for structure in gone
        for port, acts in _ports_applying(device, structure).items()
    }
    acts = set(hurts.values())
    of_pause = gone[0].kind.startswith(OF_PAUSE)
    elsewhere = carrying is not None and hurts and not of_pause and carrying.isdisjoint(hurts)
    left = sum(_is_left_without(port) for port in device.interfaces.values()) if of_pause else 0
    off = [name for name in hurts if of_pause and _is_off(device.interfaces[name])]
    return Problem(
        f"{device.hostname}: {names} {'are' if len(gone) > 1 else 'is'} not defined"
        + "".join(_why(device, structure) for structure in gone),
        f"{count(left, 'port')} with PFC on {'have' if left > 1 else 'has'} no no-drop priority: "
        "RoCE is lossy there"
        if left
        else "the device rejects or ignores the line"
        + (f"; PFC is also off on {count(len(off), 'port')}" if off else ""),
        [Where(each.src, position) for each in gone for position in each.references],
        subjects=tuple(f"{structure.kind} {structure.name}" for structure in gone),
        value=names,
        several=True,
        hurts=tuple(hurts),
        acts=acts.pop() if len(acts) == 1 else None,
        severity=Severity.INFO if carrying is None else Severity.WARNING if elsewhere else None,
        lacks=tuple(structure.name for structure in gone),
        changes=tuple(change for each in gone for change in _references_meant(device, each)),
        stage=Stage.SWITCH if of_pause else Stage.NAME,
    )


def _why(device: Device, structure: Structure) -> str:
    if structure.reserved:
        return " and cannot be: the platform reserves the name for another kind of class"
    near = _similar(device, structure)
    return f" (did you mean {near}?)" if near else ""


def _similar(device: Device, structure: Structure) -> str | None:
    defined = (s.name for s in device.structures if s.kind == structure.kind and s.at.get(""))
    return likely_name(structure.name, [name for name in defined if name != structure.name])


def _references_meant(device: Device, structure: Structure) -> Iterator[Change]:
    """References of ports to an undefined name changed to the similar one."""
    near = None if structure.reserved else _similar(device, structure)
    fields = [field for field, table in REFERENCES.items() if near in getattr(device.qos, table)]
    for port in device.interfaces.values() if fields else ():
        lines = port.qos.at if port.qos is not None else {}
        meant = [field for field in fields if lines.get(field, 0) in structure.references]
        if near and "classifier" in meant:
            yield from needs_classifier(Endpoint(device, port), near, "did you mean")
        else:
            values = {f"qos.{field}": near for field in meant}
            yield from needs(Endpoint(device, port), values, "did you mean")


def _ports_applying(device: Device, structure: Structure) -> dict[str, Acts]:
    """Ports that apply a structure, with the direction of the packets."""
    lines = set(structure.references)
    parts = _Parts(device.qos)
    found: dict[str, Acts] = {}
    for port in device.interfaces.values():
        if port.qos is not None and (acts := parts.packets(port.qos, lines)) is not None:
            found[port.name] = acts
        elif structure.kind.startswith(OF_PAUSE) and _is_left_without(port):
            found[port.name] = "arriving"
    return found


def _is_left_without(port: Interface) -> bool:
    """Whether PFC is on and its no-drop policy names no existing class."""
    pfc = port.qos.pfc if port.qos is not None else None
    if pfc is None or pfc.mode is not PfcMode.ON or not pfc.stated("generate"):
        return False
    return pfc.generate is not None and not pfc.generate


def _is_off(port: Interface) -> bool:
    """Whether neither a line nor the platform enables PFC."""
    pfc = port.qos.pfc if port.qos is not None else None
    return pfc is not None and pfc.mode is PfcMode.OFF


class _Parts:
    """Cached lines of the QoS objects of a device."""

    def __init__(self, objects: QosObjects) -> None:
        self.objects = objects
        self._known: dict[int, set[int]] = {}

    def packets(self, qos: PortQos, lines: set[int]) -> Acts | None:
        """Direction of the packets that the lines concern; None where they are not of the port."""
        arriving = self._touches(qos, lines, ARRIVING)
        leaving = self._touches(qos, lines, LEAVING)
        rest = {at for field, at in qos.at.items() if field not in (*ARRIVING, *LEAVING, "")}
        maps = self.objects.forwardings.get(qos.forwarding or "")
        own = [part for part in (qos.pfc, qos.watchdog, maps) if part is not None]
        if not lines.isdisjoint(rest) or any(not lines.isdisjoint(self._at(p)) for p in own):
            return "both"
        if arriving and leaving:
            return "both"
        return "arriving" if arriving else "leaving" if leaving else None

    def _touches(self, qos: PortQos, lines: set[int], fields: tuple[str, ...]) -> bool:
        if any(qos.at.get(field) in lines for field in fields):
            return True
        objects = (
            getattr(self.objects, table).get(getattr(qos, field) or "")
            for field, table in _TABLES.items()
            if field in fields
        )
        return any(part is not None and not lines.isdisjoint(self._at(part)) for part in objects)

    def _at(self, part: Sourced) -> set[int]:
        known = self._known.get(id(part))
        if known is None:
            known = self._known[id(part)] = set(_lines(part))
        return known


_TABLES = {
    "classifier": "classifiers",
    "ingress_buffer": "ingress_buffers",
    "policing": "policing",
    "policing_out": "policing",
    "egress": "egress",
    "rewrite": "rewrites",
}
"""Table of QosObjects for each field of PortQos that names an object."""


def _lines(part: Sourced) -> Iterator[int]:
    """Lines of an object and of its parts."""
    yield from part.at.values()
    below: list[object] = [getattr(part, name) for name in part.__dataclass_fields__]
    if isinstance(part, EgressPolicy):
        below += part.queues.values()
    if isinstance(part, IngressBuffer):
        below += part.groups.values()
    for each in below:
        for one in each if isinstance(each, (list, tuple)) else (each,):
            if isinstance(one, Sourced):
                yield from _lines(one)


MISSPELT = 100
"""Most undefined names that are compared with the unused ones for misspellings."""


@device_check("mapping.unused")
def unused_qos_structure(device: Device, given: Given) -> Iterator[Outcome]:
    """A structure is defined but not used."""
    if device.partial:
        return  # the reference may be in the part that was not read
    elsewhere = _names_used_at_hosts(device, given)
    misspelt = _Misspelt(device)
    for structure in filter(is_idle, device.structures):
        if (structure.kind, structure.name) in elsewhere:
            continue
        reference = misspelt.of(structure)
        yield Problem(
            f"{device.hostname}: {structure.kind} {structure.name} is defined but not used",
            "it has no effect; check for a misspelt reference",
            [Where(structure.src, structure.at[""], Origin.STATED)],
            subjects=(f"{structure.kind} {structure.name}",),
            value=f"{structure.kind} {structure.name}",
            severity=Severity.INFO,
            lacks=(structure.name,),
            about=Where(reference.src, reference.references[0]) if reference is not None else None,
        )


def _names_used_at_hosts(device: Device, given: Given) -> set[tuple[str, str]]:
    """No-drop policies used at host ports of other switches, where the design has PFC there only
    and this device has no such port: shared template text.
    """
    analysis = given.analysis
    ports = analysis.ports_of(device)
    designs = {analysis.mode(t, port).pfc for t in analysis.data_classes for port in ports}
    if designs != {PfcDesign.HOST_EDGE} or any(port.faces_host for port in ports):
        return set()
    return {
        (structure.kind, structure.name)
        for other in given.fabric.devices.values()
        for structure in other.structures
        if structure.kind == "no-drop policy" and structure.references
    }


class _Misspelt:
    """Undefined names of a device that are misspellings of unused structures."""

    def __init__(self, device: Device):
        self._unused = [s for s in device.structures if is_idle(s)]
        gone = [s for s in device.structures if is_undefined(s)]
        self._gone = gone if len(gone) <= MISSPELT else []
        self._rivals: dict[int, int] = {}

    def of(self, structure: Structure) -> Structure | None:
        """The one undefined name that resembles this structure and no other unused one."""
        gone = [s for s in self._gone if _may_be_one(s, structure)]
        if len(gone) != 1:
            return None
        key = id(gone[0])
        if key not in self._rivals:
            self._rivals[key] = sum(1 for s in self._unused if _may_be_one(s, gone[0]))
        return gone[0] if self._rivals[key] == 1 else None


def _may_be_one(one: Structure, other: Structure) -> bool:
    """Whether the names of two structures of one kind may be one misspelt name."""
    names = (one.name.casefold(), other.name.casefold())
    return one.kind == other.kind and SequenceMatcher(None, *names, autojunk=False).ratio() >= ALIKE


@device_check("mapping.group_not_applied")
def configuration_group_not_applied(device: Device, given: Given) -> Iterator[Outcome]:
    """A group with QoS or interface settings is not applied."""
    ports = given.analysis.ports_of(device)
    for structure in device.structures:
        about_qos = structure.kind == QOS_GROUP
        if not (about_qos or structure.kind == GROUP) or structure.references:
            continue
        if structure.at.get("", 0) <= 0 or device.partial or not ports:
            continue
        alone = about_qos and device.system.has_qos is False and bool(given.analysis.data_classes)
        what = "QoS" if about_qos else "interface"
        yield Problem(
            f"{device.hostname}: group {structure.name} with {what} settings is not applied"
            + (", and no other line configures QoS" if alone else ""),
            "its lines have no effect"
            + (": RoCE has neither PFC nor ECN marking on this device" if alone else ""),
            [
                Where(structure.src, structure.at[""]),
                # The ports lack the settings of the group: reported here, once.
                *(port.interface.where() for port in ports if alone),
            ],
            subjects=(f"group {structure.name}",),
            value=structure.name,
            several=alone,
            severity=None if alone else Severity.WARNING,
            hurts=tuple(port.interface.name for port in ports) if alone else (),
        )
