"""What the analysis found out, as checks see it."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roce_lint.analysis.answers import Answers
from roce_lint.analysis.cable import Cables
from roce_lint.analysis.contents import Contents
from roce_lint.analysis.equivalence import Treatments
from roce_lint.analysis.makes import Makes
from roce_lint.analysis.memo import Made
from roce_lint.analysis.missing_switches import Absent
from roce_lint.analysis.treatment import (
    Ingress,
    Treatment,
    catch_all,
    egress_of,
    forwarding_of,
)
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Flow, Nic
from roce_lint.model.qos import Trust
from roce_lint.text.source import Where

if TYPE_CHECKING:
    from roce_lint.analysis.diagnosis import Diagnosis


class Basis(enum.Enum):
    """Who says that a class exists."""

    STATED = "stated"  # a host says that it sends it
    PLAN = "plan"  # the intent or a named profile
    INFERRED = "inferred"  # from what NICs pause or switches protect; senders are assumed


@dataclass(slots=True, frozen=True)
class RoceClass:
    """A class of RoCE traffic: the code points that belong to it, and the lines that say so."""

    name: str
    flow: Flow
    dscps: tuple[int, ...]
    basis: Basis
    where: tuple[Where, ...]
    senders: int = 0  # hosts that state it
    marked: bool = False  # assumed from what switches mark, where nothing is paused
    backed: tuple[int, int] = (0, 0)
    """Where it is assumed: of the switches in its networks, how many protect it, and all."""
    networks: frozenset[int] | None = None
    """The RoCE networks it belongs to, where each has classes of its own; None: all."""
    named: bool = True
    """False where no line names its code points one by one: they are those of a class selector, of
    all the rest, or of the platform's default."""
    by_default: bool = False  # no line is about it: a platform's default alone has it
    sides: tuple[tuple[int, ...], ...] = ()
    """Code points of which as many devices have one as have the other, where nothing decides."""
    tie: str = ""
    """What decided where as many devices had other code points."""

    @property
    def assumed(self) -> bool:
        """True when no host states that it sends this class."""
        return self.basis is Basis.INFERRED

    def spell(self, dscp: int) -> str:
        """One of its code points in a message: the name where that says it, else both."""
        return self.name if self.dscps == (dscp,) else f"DSCP {dscp} of {self.name}"

    def is_in(self, network: int) -> bool:
        """Whether a network has the class."""
        return self.networks is None or network in self.networks


class PfcDesign(enum.Enum):
    """Where a design uses PFC for a class."""

    EVERYWHERE = "PFC on every hop"
    HOST_EDGE = "PFC at the host edge only"
    OBEYS_ONLY = "pause is obeyed and not sent"
    NOWHERE = "no PFC"
    UNKNOWN = "not known"


@dataclass(slots=True, frozen=True)
class Mode:
    """The design mode of one class in one network, as the majority of its judged ports has it.

    `marking` is None when no majority is known. The counts are ports: (yes, no, not known).
    """

    pfc: PfcDesign
    marking: bool | None
    pfc_votes: tuple[int, int, int]
    marking_votes: tuple[int, int, int]
    priority: int | None = None  # PFC priority most ports pause the class with
    stated: bool = False  # by the intent or profile, not by majority


NOT_HERE = Mode(PfcDesign.NOWHERE, marking=False, pfc_votes=(0, 0, 0), marking_votes=(0, 0, 0))
"""Of a class in a network that has others."""

UNKNOWN_MODE = Mode(PfcDesign.UNKNOWN, None, (0, 0, 0), (0, 0, 0))


@dataclass(slots=True, frozen=True, eq=False)
class JudgedPort:
    """A port in scope: where it leads and which network it is in."""

    device: Device
    interface: Interface
    network: int
    peer: Endpoint | None
    faces_host: bool  # a host, or an edge port when no hosts are in the folder
    why: str  # why it is in scope, for people
    assumed: bool = False  # the link is known from addresses or descriptions only

    @property
    def key(self) -> tuple[str, str]:
        """Identity of the port."""
        return (self.device.hostname, self.interface.name)

    @property
    def gbps(self) -> float | None:
        """Speed of the link in Gb/s, as either end says it: of a cable it is one."""
        own = self.interface.speed_gbps
        return own if own is not None or self.peer is None else self.peer.interface.speed_gbps

    def __str__(self) -> str:
        return f"{self.device.hostname} {self.interface.name}"


@dataclass(slots=True, frozen=True)
class LargestPacket:
    """The largest RoCE packet somebody sends: bytes of the IP packet, and who says so.

    `assumed` is True where no host says what it sends, and the size is what host-facing ports let
    through.
    """

    bytes: int
    by: str
    where: tuple[Where, ...]
    assumed: bool = False
    bound: bool = False  # the MTU of an interface: RoCE packets that fit it may be smaller


@dataclass(slots=True)
class Analysis:
    """Classes, scope, mode and required packet sizes of a fabric, with cached treatments."""

    fabric: Fabric
    classes: list[RoceClass] = field(default_factory=list)
    tagged: dict[int, tuple[Where, ...]] = field(default_factory=dict)
    """Where no data class is known: paused 802.1p priorities that a packet's tag leads to."""
    ports: list[JudgedPort] = field(default_factory=list)
    roce_nics: list[tuple[Device, Nic]] = field(default_factory=list)
    absent: Absent = field(default_factory=dict)
    loose: list[tuple[Device, Interface]] = field(default_factory=list)
    """Where hosts are linked: ports meant for RoCE of which nothing says where they lead."""
    not_judged: dict[tuple[str, str], str] = field(default_factory=dict)
    modes: dict[tuple[str, int], Mode] = field(default_factory=dict)  # (class name, network)
    required: dict[int, LargestPacket] = field(default_factory=dict)  # by network
    sends: dict[tuple[str, str], LargestPacket] = field(default_factory=dict)  # by host port
    networks: int = 0
    kinds: list[tuple[JudgedPort, int]] = field(default_factory=list)
    """One judged port of every kind, and how many ports are of that kind."""
    equals: dict[tuple[str, str], list[JudgedPort]] = field(default_factory=dict)
    """All ports of a kind, by the key of the one that stands for it in `kinds`."""
    by_key: dict[tuple[str, str], JudgedPort] = field(default_factory=dict)
    by_device: dict[str, list[JudgedPort]] = field(default_factory=dict)
    _nics: dict[str, list[Nic]] = field(default_factory=dict)
    _switches: dict[int, list[JudgedPort]] = field(default_factory=dict)
    _protected: dict[tuple[int, int], bool | None] = field(default_factory=dict)
    _catch_all: dict[int, int | None] = field(default_factory=dict)
    _treatments: Treatments = field(default_factory=Treatments)
    one_way: frozenset[int] = frozenset()
    """Networks in which most switch ports obey pause and send none."""
    asked: set[Flow] = field(default_factory=set)
    """Kinds of classes that a check asked for, and none is known (shared by narrowed copies)."""
    _of_switches: tuple[int, list[JudgedPort]] = field(default=(-1, []), init=False)
    """Judged ports of switches, and of how many ports they were taken."""
    _positions: dict[int, int] = field(default_factory=dict, init=False)
    diagnoses: dict[tuple[str, tuple[str, str]], Diagnosis] = field(
        default_factory=dict, init=False
    )
    """By class and port, those that were asked for; `diagnose` fills it."""
    made: Made = field(default_factory=dict, init=False)
    told: frozenset[int] = frozenset()
    """Ids of the ports that their links told whether packets are tagged."""
    answers: Answers | None = field(default=None, init=False)
    """Where what rules say of kinds of ports is kept for another judgement."""
    known: Answers | None = field(default=None, init=False)
    """What an earlier judgement kept, where it holds for this one."""
    cables: Cables = field(init=False)
    """The lengths of all cables."""
    makes: Makes = field(default_factory=Makes)
    """Which switches are of one make."""

    def __post_init__(self) -> None:
        """What follows from the fabric alone."""
        self.cables = Cables(self.fabric)

    @property
    def contents(self) -> Contents:
        """Which QoS objects of a device say the same."""
        return self._treatments.contents

    @property
    def data_classes(self) -> list[RoceClass]:
        """Classes that carry RDMA data. That somebody asked is noted where there are none: his
        silence then says nothing.
        """
        found = [c for c in self.classes if c.flow is Flow.DATA]
        if not found:
            self.asked.add(Flow.DATA)
        return found

    @property
    def cnp_classes(self) -> list[RoceClass]:
        """Classes that carry congestion notification packets."""
        return [c for c in self.classes if c.flow is Flow.CNP]

    def port(self, device: str, interface: str) -> JudgedPort | None:
        """The judged port, or None when it is out of scope."""
        return (self.by_key or self.index()).get((device, interface))

    def index(self) -> dict[tuple[str, str], JudgedPort]:
        """All judged ports by device and interface name."""
        if not self.by_key:
            self.by_key = {port.key: port for port in self.ports}
        return self.by_key

    def position(self, port: JudgedPort) -> int:
        """Where a port stands in the order of all of them."""
        if not self._positions:
            self._positions = {id(port): number for number, port in enumerate(self.ports)}
        return self._positions[id(port)]

    def switch_ports(self) -> Iterator[JudgedPort]:
        """Judged ports of switches."""
        if self._of_switches[0] != len(self.ports):
            of_switches = [port for port in self.ports if not port.device.is_host]
            self._of_switches = len(self.ports), of_switches
        return iter(self._of_switches[1])

    def ports_of(self, device: Device) -> list[JudgedPort]:
        """Judged ports of one device."""
        return self.devices().get(device.hostname, [])

    def devices(self) -> dict[str, list[JudgedPort]]:
        """All judged ports by device."""
        if not self.by_device:
            for port in self.ports:
                self.by_device.setdefault(port.device.hostname, []).append(port)
        return self.by_device

    def nics_of(self, device: Device) -> list[Nic]:
        """RDMA devices of one host that carry RoCE."""
        if not self._nics:
            for host, nic in self.roce_nics:
                self._nics.setdefault(host.hostname, []).append(nic)
        return self._nics.get(device.hostname, [])

    def host_ports(self) -> Iterator[JudgedPort]:
        """Judged ports of hosts: those of RoCE NICs."""
        return (port for port in self.ports if port.device.is_host)

    def protected(self, network: int, dscp: int) -> bool | None:
        """Whether most switch ports of a network pause or mark a code point.

        None when less is known than not known, or half of the ports do (cached: hosts ask alike).
        A few ports that deviate do not change what the fabric is built for: they are findings of
        their own. Where one switch is all the network, what NICs pause counts as much.
        """
        key = (network, dscp)
        if key not in self._protected:
            votes = {True: 0, False: 0, None: 0}
            ports = self._switches_of(network)
            if len({port.device.hostname for port in ports}) == 1:
                nics = [port for port in self.host_ports() if port.network == network]
                votes[True] += sum(bool(self.treat(port, dscp).ingress.lossless) for port in nics)
            for port in ports:
                treated = self.treat(port, dscp)
                marks = treated.egress.marks and treated.egress.in_force
                answers = (treated.ingress.lossless, marks)
                votes[True if True in answers else None if None in answers else False] += 1
            unclear = votes[True] + votes[False] <= votes[None] or votes[True] == votes[False]
            self._protected[key] = None if unclear else votes[True] > votes[False]
        return self._protected[key]

    def majorities(self) -> list[tuple[tuple[int, int], bool | None]]:
        """Whether networks protect code points, by network and code point, as far as asked."""
        return list(self._protected.items())

    def shares(self, other: Analysis) -> None:
        """Take over what is known of the ports that this fabric has in common with another's."""
        self._treatments = other._treatments

    def _switches_of(self, network: int) -> list[JudgedPort]:
        if not self._switches:
            for port in self.index().values():
                if not port.device.is_host:
                    self._switches.setdefault(port.network, []).append(port)
        return self._switches.get(network, [])

    def mode(self, traffic: RoceClass, port: JudgedPort) -> Mode:
        """Design mode of a class in the network of a port."""
        if not traffic.is_in(port.network):
            return NOT_HERE
        return self.modes.get((traffic.name, port.network), UNKNOWN_MODE)

    def needs_pause(self, traffic: RoceClass, port: JudgedPort) -> bool | None:
        """Whether the design pauses the class on this port; None when the mode is not known."""
        design = self.mode(traffic, port).pfc
        if design is PfcDesign.UNKNOWN:
            return None
        if design is PfcDesign.HOST_EDGE:
            return port.faces_host or port.device.is_host
        return design is PfcDesign.EVERYWHERE

    def guessed(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where nothing says that the class uses the port: no host states that it sends the
        class, and nothing tells what is at the other end.
        """
        return traffic.assumed and port.peer is None

    def out_of_step(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True for a class that most switches of the network do not protect while they protect
        another: whoever sends it is to blame, and not what some of them do with it.
        """
        if self.mode(traffic, port).stated:
            return False
        protected = {
            other.name: any(self.protected(port.network, dscp) for dscp in other.dscps)
            for other in self.data_classes
        }
        return not protected[traffic.name] and any(protected.values())

    def misplaced(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where the port puts this class outside those that it protects or could protect.

        The rules about mapping report it; what follows from it is no fault of its own.
        """
        qos = port.interface.qos
        if self.needs_pause(traffic, port) is not True or qos is None:
            return self.unmarked_in_bulk(traffic, port)
        into = self.treat(port, traffic.dscps[0]).ingress
        if qos.pfc is None or not qos.pfc.generate:  # it protects none, or reads no code point
            return into.tc is not None and qos.trust in (Trust.NONE, Trust.PCP)
        return into.lossless is False and (
            into.priority is None or into.priority != self.mode(traffic, port).priority
        )

    def unmarked_in_bulk(self, traffic: RoceClass, port: JudgedPort) -> bool:
        """True where the design marks the class and does not pause it on this switch port, and the
        class shares the queue of unmarked traffic, while another queue of the port marks.

        A queue of its own that does not mark is another fault: that of the queue.
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
        """Queues of what nobody tells apart: that of DSCP 0, and that of the class that takes more
        than half of all code points (cached per map).
        """
        qos = port.interface.qos
        found = {self.treat(port, 0).egress.queue}
        objects = port.device.qos
        classifier = objects.classifiers.get(qos.classifier or "") if qos is not None else None
        maps = forwarding_of(port.device, qos) if qos is not None else None
        if classifier is not None and maps is not None:
            if id(classifier) not in self._catch_all:
                self._catch_all[id(classifier)] = catch_all(classifier)
            tc = self._catch_all[id(classifier)]
            found.add(None if tc is None else maps.tc_to_queue.get(tc))
        return frozenset(number for number in found if number is not None)

    def ingress(self, port: JudgedPort, dscp: int) -> Ingress:
        """What a judged port does with a code point as it arrives."""
        return self._treatments.ingress(port.device, port.interface, dscp)

    def treat(self, port: JudgedPort, dscp: int) -> Treatment:
        """How a judged port treats a code point."""
        return self._treatments.of(port.device, port.interface, dscp)
