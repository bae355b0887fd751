"""Facts that the analysis found, for checks."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.analysis.cable import Cables
from roce_lint.analysis.equivalence import Treatments
from roce_lint.analysis.missing_switches import Absent
from roce_lint.analysis.treatment import (
    Ingress,
    Treatment,
    catch_all,
    classifier_of,
    egress_of,
    forwarding_of,
)
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Flow, Nic
from roce_lint.model.qos import Trust
from roce_lint.text.source import Where


class Basis(enum.Enum):
    """Evidence for a class."""

    STATED = "stated"  # a host states that it sends the class
    PLAN = "plan"  # the intent or a named profile
    INFERRED = "inferred"  # from PFC of NICs or protection by switches; senders are assumed


@dataclass(slots=True, frozen=True)
class RoceClass:
    """A class of RoCE traffic: its DSCPs, and the lines that prove it."""

    name: str
    flow: Flow
    dscps: tuple[int, ...]
    basis: Basis
    where: tuple[Where, ...]
    senders: int = 0  # hosts that state it
    marked: bool = False  # inferred from ECN marking, in a fabric without PFC
    backed: tuple[int, int] = (0, 0)
    """For an inferred class: how many switches in its networks protect it, and their total."""
    networks: frozenset[int] | None = None
    """The RoCE networks of the class, if networks have separate classes; None: all."""
    named: bool = True
    """False where no line names its DSCPs one by one: they come from a class selector, a catch-all
    or a default of the platform."""
    by_default: bool = False  # from a platform default, without any line
    sides: tuple[tuple[int, ...], ...] = ()
    """Alternatives of an undecided tie: DSCPs with equally many devices."""
    tie: str = ""
    """Tie-breaker between DSCPs with equally many devices."""

    @property
    def assumed(self) -> bool:
        """True if no host states that it sends this class."""
        return self.basis is Basis.INFERRED

    def spell(self, dscp: int) -> str:
        """One of its DSCPs in a message: the class name if it has no other."""
        return self.name if self.dscps == (dscp,) else f"DSCP {dscp} of {self.name}"

    def is_in(self, network: int) -> bool:
        """Whether a network has the class."""
        return self.networks is None or network in self.networks


class PfcDesign(enum.Enum):
    """Ports on which a design uses PFC for a class."""

    EVERYWHERE = "PFC on every hop"
    HOST_EDGE = "PFC at the host edge only"
    OBEYS_ONLY = "PFC honoured, not sent"
    NOWHERE = "no PFC"
    UNKNOWN = "unknown"


@dataclass(slots=True, frozen=True)
class Mode:
    """Design mode of one class in one network, by the majority of its ports in scope.

    `marking` is None without a known majority. The counts are ports: (yes, no, unknown).
    """

    pfc: PfcDesign
    marking: bool | None
    pfc_votes: tuple[int, int, int]
    marking_votes: tuple[int, int, int]
    priority: int | None = None  # PFC priority of the class on most ports
    stated: bool = False  # by the intent or profile, not by majority


NOT_HERE = Mode(PfcDesign.NOWHERE, marking=False, pfc_votes=(0, 0, 0), marking_votes=(0, 0, 0))
"""Mode of a class in a network that has other classes."""

UNKNOWN_MODE = Mode(PfcDesign.UNKNOWN, None, (0, 0, 0), (0, 0, 0))


@dataclass(slots=True, eq=False)
class JudgedPort:
    """A port in scope: its peer and its network. Not frozen: there is one for each port."""

    device: Device
    interface: Interface
    network: int
    peer: Endpoint | None
    faces_host: bool  # a host, or an edge port when no hosts are in the folder
    reason: str = ""
    assumed: bool = False  # the link is known from addresses or descriptions only
    key: tuple[str, str] = field(init=False)
    """Identity of the port."""
    kind: tuple[str, str] = field(init=False)
    """Identity of the port that represents its kind: a key of `Analysis.equals`."""

    def __post_init__(self) -> None:
        self.key = self.kind = (self.device.hostname, self.interface.name)

    @property
    def why(self) -> str:
        """Reason for being in scope, for people."""
        return self.reason or f"on the path of RoCE traffic: linked to {self.peer}"

    @property
    def gbps(self) -> float | None:
        """Speed of the link in Gb/s, from either end."""
        own = self.interface.speed_gbps
        return own if own is not None or self.peer is None else self.peer.interface.speed_gbps

    def __str__(self) -> str:
        return f"{self.device.hostname} {self.interface.name}"


@dataclass(slots=True, frozen=True)
class LargestPacket:
    """Largest RoCE packet of any sender: bytes of the IP packet, and its source.

    `assumed` is True where no host states its packet size, and the size is the limit of host-facing
    ports.
    """

    bytes: int
    by: str
    where: tuple[Where, ...]
    assumed: bool = False
    bound: bool = False  # the MTU of an interface: RoCE packets that fit it may be smaller


@dataclass(slots=True)
class Analysis:
    """Facts of a fabric: classes, scope, mode and required packet sizes, with shared treatments."""

    fabric: Fabric
    classes: list[RoceClass] = field(default_factory=list)
    tagged: dict[int, tuple[Where, ...]] = field(default_factory=dict)
    """Without a known data class: no-drop 802.1p priorities that the tag of a packet leads to."""
    ports: list[JudgedPort] = field(default_factory=list)
    roce_nics: list[tuple[Device, Nic]] = field(default_factory=list)
    unset_nics: list[tuple[Device, Nic]] = field(default_factory=list)
    """Those of them that carry RoCE by the plan alone."""
    absent: Absent = field(default_factory=dict)
    loose: list[tuple[Device, Interface]] = field(default_factory=list)
    """Ports meant for RoCE with an unknown peer, if hosts are linked."""
    not_judged: dict[tuple[str, str], str] = field(default_factory=dict)
    modes: dict[tuple[str, int], Mode] = field(default_factory=dict)  # (class name, network)
    required: dict[int, LargestPacket] = field(default_factory=dict)  # by network
    sends: dict[tuple[str, str], LargestPacket] = field(default_factory=dict)  # by host port
    networks: int = 0
    kinds: list[tuple[JudgedPort, int]] = field(default_factory=list)
    """One port in scope of every kind, and the number of ports of that kind."""
    types: list[list[JudgedPort]] = field(default_factory=list)
    """Ports of one kind, and of the same kind on equal hosts."""
    equals: dict[tuple[str, str], list[JudgedPort]] = field(default_factory=dict)
    """All ports of a kind, by the key of its representative in `kinds`."""
    by_key: dict[tuple[str, str], JudgedPort] = field(default_factory=dict)
    by_device: dict[str, list[JudgedPort]] = field(default_factory=dict)
    _nics: dict[str, list[Nic]] = field(default_factory=dict)
    _kinds_in: dict[int, list[tuple[JudgedPort, int]]] = field(default_factory=dict, init=False)
    majorities: dict[tuple[int, int], bool | None] = field(default_factory=dict)
    """Computed majorities on protection, by network and DSCP."""
    _catch_all: dict[int, int | None] = field(default_factory=dict)
    treatments: Treatments = field(default_factory=Treatments)
    one_way: frozenset[int] = frozenset()
    """Networks in which most switch ports honour PFC and send none."""
    missing_flows: set[Flow] = field(default_factory=set)
    """Kinds of classes that a check needed and that are unknown (shared by narrowed copies)."""
    _of_switches: tuple[int, list[JudgedPort]] = field(default=(-1, []), init=False)
    """Ports in scope of switches, and the number of all ports when they were collected."""
    _positions: dict[int, int] = field(default_factory=dict, init=False)
    cache: dict[object, Any] = field(default_factory=dict, init=False)
    """Results computed from the analysis, by the function that computes them: see `cached`."""
    diagnoses: dict[tuple[str, tuple[str, str]], Any] = field(default_factory=dict, init=False)
    """By class and port: see `diagnose`."""
    link_tagged: frozenset[int] = frozenset()
    """Ids of the ports whose tagging was learned from their links."""
    cables: Cables = field(init=False)
    """Lengths of all cables."""

    def __post_init__(self) -> None:
        """Set up the parts that follow from the fabric alone."""
        self.cables = Cables(self.fabric)

    @property
    def data_classes(self) -> list[RoceClass]:
        """Classes that carry RDMA data. If there are none, the query is recorded: the absence of
        findings then proves nothing.
        """
        found = [c for c in self.classes if c.flow is Flow.DATA]
        if not found:
            self.missing_flows.add(Flow.DATA)
        return found

    @property
    def cnp_classes(self) -> list[RoceClass]:
        """Classes that carry CNPs."""
        return [c for c in self.classes if c.flow is Flow.CNP]

    def port(self, device: str, interface: str) -> JudgedPort | None:
        """The port in scope, or None."""
        return (self.by_key or self.index()).get((device, interface))

    def index(self) -> dict[tuple[str, str], JudgedPort]:
        """All ports in scope by device and interface name."""
        if not self.by_key:
            self.by_key = {port.key: port for port in self.ports}
        return self.by_key

    def position(self, port: JudgedPort) -> int:
        """Index of a port in the order of all of them."""
        if not self._positions:
            self._positions = {id(port): number for number, port in enumerate(self.ports)}
        return self._positions[id(port)]

    def switch_ports(self) -> Iterator[JudgedPort]:
        """Ports in scope of switches."""
        if self._of_switches[0] != len(self.ports):
            devices = [ports for ports in self.devices().values() if not ports[0].device.is_host]
            self._of_switches = len(self.ports), [port for ports in devices for port in ports]
        return iter(self._of_switches[1])

    def ports_of(self, device: Device) -> list[JudgedPort]:
        """Ports in scope of one device."""
        return self.devices().get(device.hostname, [])

    def devices(self) -> dict[str, list[JudgedPort]]:
        """All ports in scope by device."""
        if not self.by_device:
            for port in self.ports:
                self.by_device.setdefault(port.device.hostname, []).append(port)
        return self.by_device

    def kinds_in(self, network: int) -> list[tuple[JudgedPort, int]]:
        """The kinds of ports of a network."""
        if not self._kinds_in:
            for port, number in self.kinds:
                self._kinds_in.setdefault(port.network, []).append((port, number))
        return self._kinds_in.get(network, [])

    def nics_of(self, device: Device) -> list[Nic]:
        """RDMA devices of one host that carry RoCE."""
        if not self._nics:
            for host, nic in self.roce_nics:
                self._nics.setdefault(host.hostname, []).append(nic)
        return self._nics.get(device.hostname, [])

    def host_ports(self) -> Iterator[JudgedPort]:
        """Ports in scope of hosts: those of RoCE NICs."""
        return (p for ports in self.devices().values() if ports[0].device.is_host for p in ports)

    def protected(self, network: int, dscp: int) -> bool | None:
        """Whether most switch ports of a network send PFC or mark ECN for a DSCP (cached).

        None if most votes are unknown, or in a tie. A few deviating ports do not change the design:
        they are separate findings. In a network with a single switch, PFC of NICs counts as much.
        """
        key = (network, dscp)
        if key not in self.majorities:
            votes = {True: 0, False: 0, None: 0}
            here = self.kinds_in(network)
            ports = [(port, count) for port, count in here if not port.device.is_host]
            if len({port.device.hostname for port, _ in ports}) == 1:
                nics = [(port, count) for port, count in here if port.device.is_host]
                lossless = (n for p, n in nics if self.treat(p, dscp).ingress.lossless)
                votes[True] += sum(lossless)
            for port, count in ports:
                treated = self.treat(port, dscp)
                marks = treated.egress.marks and treated.egress.in_force
                answers = (treated.ingress.lossless, marks)
                votes[True if True in answers else None if None in answers else False] += count
            unclear = votes[True] + votes[False] <= votes[None] or votes[True] == votes[False]
            self.majorities[key] = None if unclear else votes[True] > votes[False]
        return self.majorities[key]

    def mode(self, traffic: RoceClass, port: JudgedPort) -> Mode:
        """Design mode of a class in the network of a port."""
        if not traffic.is_in(port.network):
            return NOT_HERE
        return self.modes.get((traffic.name, port.network), UNKNOWN_MODE)

    def needs_pause(self, traffic: RoceClass, port: JudgedPort) -> bool | None:
        """Whether the design requires PFC for the class on a port; None if the mode is unknown."""
        design = self.mode(traffic, port).pfc
        if design is PfcDesign.UNKNOWN:
            return None
        if design is PfcDesign.HOST_EDGE:
            return port.faces_host or port.device.is_host
        return design is PfcDesign.EVERYWHERE

    def guessed(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where nothing proves that the class uses the port: no host states that it sends the
        class, and the peer is unknown.
        """
        return traffic.assumed and port.peer is None

    def out_of_step(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True for a class that most switches of the network do not protect, while they protect
        another: its sender is wrong, not the few switches that protect it.
        """
        if self.mode(traffic, port).stated:
            return False
        dscps = (d for c in self.data_classes if c.name != traffic.name for d in c.dscps)
        if not any(self.protected(port.network, dscp) for dscp in dscps):
            return False
        return not any(self.protected(port.network, dscp) for dscp in traffic.dscps)

    def misplaced(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where the port puts this class outside the classes that it protects or could
        protect.

        The mapping rules report it; its consequences are not separate faults.
        """
        qos = port.interface.qos
        if self.needs_pause(traffic, port) is not True or qos is None:
            return self.unmarked_in_bulk(traffic, port)
        into = self.treat(port, traffic.dscps[0]).ingress
        if qos.pfc is None or not qos.pfc.generate:  # it protects no class, or ignores the DSCP
            return into.tc is not None and qos.trust in (Trust.NONE, Trust.PCP)
        return into.lossless is False and (
            into.priority is None or into.priority != self.mode(traffic, port).priority
        )

    def unmarked_in_bulk(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where the design uses ECN but not PFC for the class on this switch port, and the
        class shares the queue of unmarked traffic, while another queue of the port marks ECN.

        A separate queue without ECN marking is another fault: that of the queue.
        """
        qos = port.interface.qos
        if port.device.is_host or qos is None or 0 in traffic.dscps:
            return False
        if self.needs_pause(traffic, port) is not False or not self.mode(traffic, port).marking:
            return False
        out = self.treat(port, traffic.dscps[0]).egress
        if out.marks is not False or out.queue not in self.bulk_queues(port):
            return False
        policy = egress_of(port.device, qos)
        return policy is not None and any(
            queue.marking is not None and queue.marking.ecn
            for (_, number), queue in policy.queues.items()
            if number != out.queue
        )

    def bulk_queues(self, port: JudgedPort) -> frozenset[int]:
        """Queues of bulk traffic: that of DSCP 0, and that of the class with more than half of all
        DSCPs (cached per map).
        """
        qos = port.interface.qos
        found = {self.treat(port, 0).egress.queue}
        classifier, maps = classifier_of(port.device, qos), forwarding_of(port.device, qos)
        if classifier is not None and maps is not None:
            if id(classifier) not in self._catch_all:
                self._catch_all[id(classifier)] = catch_all(classifier)
            tc = self._catch_all[id(classifier)]
            found.add(None if tc is None else maps.tc_to_queue.get(tc))
        return frozenset(number for number in found if number is not None)

    def ingress(self, port: JudgedPort, dscp: int) -> Ingress:
        """Ingress treatment of a DSCP on a port in scope."""
        return self.treatments.ingress(port.device, port.interface, dscp)

    def treat(self, port: JudgedPort, dscp: int) -> Treatment:
        """Treatment of a DSCP on a port in scope."""
        return self.treatments.of(port.device, port.interface, dscp)
