"""What the analysis found out, as checks see it."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.analysis.absent import Absent
from roce_lint.analysis.alike import Treatments
from roce_lint.analysis.contents import Contents
from roce_lint.analysis.treatment import Treatment, egress_of
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Flow, Nic
from roce_lint.model.qos import Trust
from roce_lint.text.source import Where


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

    @property
    def assumed(self) -> bool:
        """True when no host states that it sends this class."""
        return self.basis is Basis.INFERRED


class PfcDesign(enum.Enum):
    """Where a design uses PFC for a class."""

    EVERYWHERE = "PFC on every hop"
    HOST_EDGE = "PFC at the host edge only"
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

    def __str__(self) -> str:
        return f"{self.device.hostname} {self.interface.name}"


@dataclass(slots=True, frozen=True)
class Required:
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
    required: dict[int, Required] = field(default_factory=dict)  # by network
    sends: dict[tuple[str, str], Required] = field(default_factory=dict)  # by host port
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
    _treatments: Treatments = field(default_factory=Treatments)
    made: dict[str, Any] = field(default_factory=dict, init=False)
    """What is made once of the whole analysis and asked for by several, by name."""

    @property
    def contents(self) -> Contents:
        """Which QoS objects of a device say the same."""
        return self._treatments.contents

    @property
    def data_classes(self) -> list[RoceClass]:
        """Classes that carry RDMA data."""
        return [c for c in self.classes if c.flow is Flow.DATA]

    @property
    def cnp_classes(self) -> list[RoceClass]:
        """Classes that carry congestion notification packets."""
        return [c for c in self.classes if c.flow is Flow.CNP]

    def port(self, device: str, interface: str) -> JudgedPort | None:
        """The judged port, or None when it is out of scope."""
        return self.index().get((device, interface))

    def index(self) -> dict[tuple[str, str], JudgedPort]:
        """All judged ports by device and interface name."""
        if not self.by_key:
            self.by_key = {port.key: port for port in self.ports}
        return self.by_key

    def switch_ports(self) -> Iterator[JudgedPort]:
        """Judged ports of switches."""
        known = self.made.get("ports of switches")
        if known is None or known[0] != len(self.ports):
            of_switches = [port for port in self.ports if not port.device.is_host]
            known = self.made["ports of switches"] = len(self.ports), of_switches
        return iter(known[1])

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
                answers = (treated.ingress.lossless, treated.egress.marks)
                votes[True if True in answers else None if None in answers else False] += 1
            unclear = votes[True] + votes[False] <= votes[None] or votes[True] == votes[False]
            self._protected[key] = None if unclear else votes[True] > votes[False]
        return self._protected[key]

    def _switches_of(self, network: int) -> list[JudgedPort]:
        if not self._switches:
            for port in self.index().values():
                if not port.device.is_host:
                    self._switches.setdefault(port.network, []).append(port)
        return self._switches.get(network, [])

    def mode(self, traffic: RoceClass, port: JudgedPort) -> Mode:
        """Design mode of a class in the network of a port."""
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
        out, bulk = (self.treat(port, dscp).egress for dscp in (traffic.dscps[0], 0))
        if out.marks is not False or out.queue is None or out.queue != bulk.queue:
            return False
        policy = egress_of(port.device, qos)
        return policy is not None and any(
            queue.marking is not None and queue.marking.ecn
            for (_, number), queue in policy.queues.items()
            if number != out.queue
        )

    def treat(self, port: JudgedPort, dscp: int) -> Treatment:
        """How a judged port treats a code point."""
        return self._treatments.of(port.device, port.interface, dscp)
