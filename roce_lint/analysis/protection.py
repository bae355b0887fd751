"""Lossless or ECN-marked DSCPs per device, with the deciding line."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from roce_lint.analysis.cache import cached
from roce_lint.analysis.port_parts import classifier_at, maps_of, policy_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import catch_all, is_marked
from roce_lint.model.device import Device
from roce_lint.model.qos import Classifier, CodeMap, EgressPolicy, MatchKind, PortQos, Trust
from roce_lint.model.sourced import Part
from roce_lint.model.units import DSCPS
from roce_lint.text.source import Origin, Where

CONTROL = (48, 56)
"""Class selectors 6 and 7, used by the switches' routing protocols (RFC 4594, section 3)."""

SELECTOR = 8
"""Number of DSCPs of one class selector: they share their upper three bits (RFC 2474, 4.2.2)."""


class Mention(enum.IntEnum):
    """Way in which a DSCP got into a protected class, the most explicit last."""

    DEFAULT = 0  # by a default of the platform
    REST = 1  # by a catch-all line
    BLOCK = 2  # by one line for a class selector
    NAMED = 3  # by a line for this DSCP, alone or among few


@dataclass(slots=True, frozen=True)
class ProtectedCode:
    """A DSCP that a device protects: its group on the device and the deciding lines.

    `group` is the PFC priority; without PFC it is the queue, a number local to the device. `marks`
    is True if its queue marks ECN.
    """

    group: int
    where: tuple[Where, ...]  # the line with the class, and the one with the DSCP
    naming: Mention
    marks: bool
    called: str = ""  # name of the class on the device


@dataclass(slots=True)
class Voice:
    """DSCPs that one device protects on ports in scope, by side."""

    device: Device
    kept: dict[int, ProtectedCode] = field(default_factory=dict)
    edge: set[int] = field(default_factory=set)  # on ports that face hosts
    core: set[int] = field(default_factory=set)  # on others

    def add(self, port: JudgedPort, dscp: int, kept: ProtectedCode) -> None:
        """Add a DSCP that a port of the device protects."""
        self.kept.setdefault(dscp, kept)
        (self.edge if port.faces_host else self.core).add(dscp)


def pausing_devices(analysis: Analysis, ports: Iterable[JudgedPort]) -> list[Voice]:
    """Devices that send PFC, each with its lossless DSCPs."""
    found: dict[str, Voice] = {}
    for port, qos, _ in _ports_that_differ(ports):
        generate = qos.pfc.generate if qos.pfc is not None else None
        for dscp in _candidates(port, qos, generate) if generate else ():
            into = analysis.ingress(port, dscp)
            if into.lossless and into.priority is not None:
                marks = _is_marked(port, into.tc)
                kept = _protected_code(port, dscp, into.priority, into.tc_where, marks=marks)
                found.setdefault(port.device.hostname, Voice(port.device)).add(port, dscp, kept)
    return list(found.values())


def marking_switches(analysis: Analysis, ports: Iterable[JudgedPort]) -> list[Voice]:
    """Switches that mark ECN, each with the DSCPs whose queue marks.

    A bulk queue does not count: that of DSCP 0, or of the class with most DSCPs. If most switches
    mark every queue in use, ECN marking is no evidence of RoCE, and only DSCPs in lines count.
    """
    found: dict[str, Voice] = {}
    marking = []
    everything: set[str] = set()  # switches that mark every queue
    for port, _, policy in _ports_that_differ(ports):
        if port.device.is_host or policy is None:
            continue
        if any(map(is_marked, policy.queues.values())):
            treated = {dscp: analysis.treat(port, dscp) for dscp in DSCPS}
            marking.append((port, treated))
            if all(each.egress.in_force for each in treated.values()):
                everything.add(port.device.hostname)
    others = {port.device.hostname for port, _ in marking} - everything
    common = 1 < len(everything) + len(others) <= 2 * len(everything)
    for port, treated in marking:
        named = codes_named_alone(analysis, port) - frozenset(CONTROL) if common else DSCPS
        if not common and port.device.hostname in everything:
            continue
        bulk = analysis.bulk_queues(port)
        for dscp in named:
            out, into = treated[dscp].egress, treated[dscp].ingress
            if out.in_force and out.queue is not None and out.queue not in bulk:
                kept = _protected_code(port, dscp, out.queue, into.tc_where, marks=True)
                found.setdefault(port.device.hostname, Voice(port.device)).add(port, dscp, kept)
    return list(found.values())


def marked_and_not_paused(analysis: Analysis) -> list[int]:
    """DSCPs in lines of most switches whose queue marks ECN and that have no PFC.

    DSCPs of the switches' routing protocols are left out.
    """
    kinds = [port for port, _ in analysis.kinds]
    naming_one = {
        name
        for name, device in analysis.fabric.devices.items()
        if any(names(device, dscp) for dscp in DSCPS if dscp not in CONTROL)
    }
    ports = [port for port in kinds if port.device.hostname in naming_one]
    paused = {dscp for voice in pausing_devices(analysis, kinds) for dscp in voice.kept}
    naming = Counter(
        dscp
        for voice in marking_switches(analysis, ports)
        for dscp, kept in voice.kept.items()
        if kept.naming >= Mention.BLOCK and dscp not in CONTROL
    )
    switches = {port.device.hostname for port in analysis.switch_ports()}
    return sorted(d for d, n in naming.items() if d not in paused and 2 * n > len(switches))


def names(device: Device, dscp: int) -> bool:
    """Whether a line of the device names the DSCP, in any class."""
    return any(
        classifier.dscp_to_tc.stated(dscp) and dscp in classifier.dscp_to_tc.entries
        for classifier in device.qos.classifiers.values()
    )


def intended_codes(analysis: Analysis, network: int) -> set[int]:
    """Protected DSCPs of a network: those in lines of most switches, else all."""
    kept = {dscp for dscp in DSCPS if analysis.protected(network, dscp)}
    switches = {
        port.device.hostname: port.device
        for port in analysis.switch_ports()
        if port.network == network
    }
    naming = {dscp: sum(names(each, dscp) for each in switches.values()) for dscp in kept}
    return {dscp for dscp in kept if 2 * naming[dscp] > len(switches)} or kept


def mention_of(port: JudgedPort, dscp: int, place: Where) -> Mention:
    """Kind of mention of a DSCP in the line that gives its class."""
    if place.origin is not Origin.STATED:
        return Mention.DEFAULT
    classifier = classifier_at(port)
    if classifier is None or dscp not in classifier.dscp_to_tc.entries:
        return Mention.REST
    return Mention.BLOCK if _is_one_of_block(classifier, dscp) else Mention.NAMED


def _is_one_of_block(classifier: Classifier, dscp: int) -> bool:
    """True where one line puts most of the DSCP's class selector into one class."""
    table = classifier.dscp_to_tc
    first = dscp - dscp % SELECTOR
    line = _line(classifier, dscp)
    alike = [
        other
        for other in range(first, first + SELECTOR)
        if other in table.entries
        and table.entries[other] == table.entries[dscp]
        and _line(classifier, other) == line
    ]
    return 2 * len(alike) > SELECTOR


def _line(classifier: Classifier, dscp: int) -> object:
    """The line that names a DSCP, which may differ from the one that gives its class."""
    for match in classifier.matches:
        if match.kind is MatchKind.DSCP and dscp in match.values:
            return match.at.get("values"), match.values
    table = classifier.dscp_to_tc
    return table.at.get(Part("number", dscp), table.at.get(dscp))


def _ports_that_differ(
    ports: Iterable[JudgedPort],
) -> Iterator[tuple[JudgedPort, PortQos, EgressPolicy | None]]:
    """One port for each way in which a device classifies, sends PFC and marks ECN."""
    seen: set[tuple[object, ...]] = set()
    for port in ports:
        qos = port.interface.qos
        if qos is None:
            continue
        alike = (
            port.device.hostname,
            port.faces_host,
            qos.classifier,
            qos.forwarding,
            qos.trust,
            qos.egress,
            qos.pfc.generate if qos.pfc is not None else None,
            qos.default_pcp,
        )
        if alike not in seen:
            seen.add(alike)
            yield port, qos, policy_of(port)


def _candidates(port: JudgedPort, qos: PortQos, generate: frozenset[int]) -> Iterable[int]:
    """DSCPs that may be lossless on the port: no other DSCP has a no-drop class."""
    if qos.trust in (Trust.NONE, Trust.PCP):
        return DSCPS
    classifier, maps = classifier_at(port), maps_of(port)
    if classifier is None or maps is None:
        return ()
    class_of, priority_of = classifier.dscp_to_tc.get, maps.tc_to_pfc_priority.get
    return [
        dscp for dscp in DSCPS if (tc := class_of(dscp)) is not None and priority_of(tc) in generate
    ]


def _is_marked(port: JudgedPort, tc: int | None) -> bool:
    policy, maps = policy_of(port), maps_of(port)
    number = maps.tc_to_queue.get(tc) if maps is not None and tc is not None else None
    return policy is not None and is_marked(policy.queue(number))


def _protected_code(
    port: JudgedPort, dscp: int, group: int, places: tuple[Where, ...], *, marks: bool
) -> ProtectedCode:
    naming = mention_of(port, dscp, places[0])
    own = naming is Mention.DEFAULT or len(places) == 1
    where = places if own else places[:-1]  # the last binds the port
    return ProtectedCode(group, where, naming, marks, _class_name(port, dscp))


def _class_name(port: JudgedPort, dscp: int) -> str:
    """Name of the class of a DSCP in the configuration."""
    classifier = classifier_at(port)
    for match in classifier.matches if classifier is not None else ():
        if match.kind is MatchKind.DSCP and dscp in match.values and match.class_name:
            return match.class_name
    return port.device.qos.class_name(classifier.dscp_to_tc.get(dscp)) if classifier else ""


def by_network(ports: Iterable[JudgedPort]) -> dict[int, list[JudgedPort]]:
    """Ports in scope by RoCE network."""
    found: dict[int, list[JudgedPort]] = defaultdict(list)
    for port in ports:
        found[port.network].append(port)
    return dict(sorted(found.items()))


def codes_named_alone(analysis: Analysis, port: JudgedPort) -> frozenset[int]:
    """DSCPs that a line of the port's map names, alone or as a class selector (cached per map).
    Rows of a full table do not count if they have the same class as most rows.
    """
    classifier = classifier_at(port)
    if classifier is None or classifier.builtin:
        return frozenset()
    known = _codes_by_map(analysis)
    if id(classifier) not in known:
        table, rest = classifier.dscp_to_tc, catch_all(classifier)
        known[id(classifier)] = frozenset(
            dscp
            for dscp, tc in table.entries.items()
            if table.stated(dscp)
            and tc != rest
            and mention_of(port, dscp, table.where(dscp)) >= Mention.BLOCK
        )
    return known[id(classifier)]


def is_listed(port: JudgedPort, dscp: int) -> bool:
    """Whether a line of the port's map, other than a row of a full table, is about the DSCP."""
    classifier = classifier_at(port)
    table = classifier.dscp_to_tc if classifier is not None else CodeMap()
    return table.stated(dscp) and 2 * sum(map(table.stated, table.entries)) < len(DSCPS)


@cached
def _codes_by_map(_analysis: Analysis) -> dict[int, frozenset[int]]:
    """Cache of the individually named DSCPs, by id of a map."""
    return {}
