"""Model objects built by hand: small switches, hosts and links whose every value has a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.result import Analysis
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkSource
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import (
    Classifier,
    CodeMap,
    EgressPolicy,
    Forwarding,
    Marking,
    PfcConfig,
    PfcMode,
    PortQos,
    Queue,
    QueueKind,
    SystemQos,
    Trust,
)
from roce_lint.text.source import Citation, Confidence, SourceFile, SourceMap

IDENTITY = {n: n for n in range(8)}

CONFIRMED = Citation("the platform does it", "docs/nos/made.md#defaults")
UNCONFIRMED = Citation(
    "the platform may do it", "docs/nos/made.md#defaults", Confidence.UNCONFIRMED
)


class Lines:
    """The one file of a made device; `next()` gives the position of a fresh line."""

    def __init__(self, name: str, count: int = 4000):
        self.src = SourceMap()
        self.src.add(SourceFile.of(f"{name}.cfg", "\n" * count), "running-config")
        self.last = 0

    def next(self) -> int:
        self.last += 1
        return self.last


def code_map(lines: Lines, entries: Mapping[int, int], otherwise: int | None = None) -> CodeMap:
    """A map whose entries have a line each."""
    made = CodeMap(entries=dict(entries), src=lines.src, at={"": lines.next()})
    made.at.update({n: lines.next() for n in entries})
    if otherwise is not None:
        made.otherwise = otherwise
        made.at["otherwise"] = lines.next()
    return made


def default_map(lines: Lines, entries: Mapping[int, int], citation: Citation) -> CodeMap:
    """A map that the platform brings: every entry cites it."""
    made = CodeMap(entries=dict(entries), src=lines.src, at={"": lines.next()})
    made.at.update(dict.fromkeys(entries, lines.src.cite(citation)))
    return made


def switch(
    name: str,
    *,
    dscps: Mapping[int, int] | None = None,
    otherwise: int | None = 0,
    priorities: Mapping[int, int] | None = None,
    marked: Iterable[int] = (),
    role: Role | None = None,
    nos: str = "made",
) -> Device:
    """A switch without ports: `dscps` to classes, `priorities` of classes, `marked` queues."""
    lines = Lines(name)
    device = Device(hostname=name, nos=nos, role=role, src=lines.src, at={"": lines.next()})
    device.system = SystemQos(src=lines.src)
    device.qos.classifiers["map"] = Classifier(
        name="map",
        dscp_to_tc=code_map(lines, {26: 3} if dscps is None else dscps, otherwise),
        src=lines.src,
        at={"": lines.next()},
    )
    of_class = IDENTITY if priorities is None else priorities
    device.qos.forwardings["maps"] = Forwarding(
        name="maps",
        tc_to_queue=code_map(lines, IDENTITY),
        tc_to_pg=code_map(lines, IDENTITY),
        tc_to_pfc_priority=code_map(lines, of_class),
        pfc_priority_to_queue=code_map(lines, {p: tc for tc, p in of_class.items()}),
        src=lines.src,
        at={"": lines.next()},
    )
    device.qos.egress["out"] = egress(lines, marked)
    _LINES[id(device)] = lines
    return device


_LINES: dict[int, Lines] = {}


def lines_of(device: Device) -> Lines:
    """Fresh lines of the file a device was made with."""
    return _LINES[id(device)]


def egress(lines: Lines, marked: Iterable[int]) -> EgressPolicy:
    """An egress policy of eight queues, some of which mark."""
    policy = EgressPolicy(name="out", src=lines.src, at={"": lines.next()})
    chosen = set(marked)
    for number in range(8):
        marking = Marking(ecn=number in chosen, src=lines.src, at={"": lines.next()})
        marking.at["ecn"] = lines.next()
        policy.queues[QueueKind.UNICAST, number] = Queue(
            number=number, marking=marking, src=lines.src, at={"": lines.next()}
        )
    return policy


def port(
    device: Device,
    name: str,
    *,
    pauses: Iterable[int] | None = (3,),
    obeys: Iterable[int] | None = None,
    trust: Trust = Trust.DSCP,
    mtu: int | None = 9214,
    stated: bool = True,
    kind: InterfaceKind = InterfaceKind.PHYSICAL,
    enabled: bool | None = True,
    classifier: str | None = "map",
) -> Interface:
    """A port with QoS; `pauses` None: PFC is negotiated; `stated` False: only defaults."""
    lines = lines_of(device)
    src, begin = lines.src, lines.next()
    sent = None if pauses is None else frozenset(pauses)
    obeyed = sent if obeys is None else frozenset(obeys)
    mode = PfcMode.AUTO if sent is None else PfcMode.ON if sent else PfcMode.OFF
    pfc = PfcConfig(mode=mode, generate=sent, honour=obeyed, src=src, at={"": begin})
    qos = PortQos(
        trust=trust, classifier=classifier, forwarding="maps", egress="out", pfc=pfc,
        src=src, at={"": begin},
    )  # fmt: skip
    default = src.cite(CONFIRMED)
    for field in ("mode", "generate", "honour"):
        pfc.at[field] = lines.next() if stated and sent else default
    for field in ("trust", "classifier"):
        qos.at[field] = lines.next() if stated else default
    made = Interface(
        name=name, kind=kind, enabled=enabled, ip_mtu=mtu, tagged=False, qos=qos, src=src,
        at={"": begin},
    )  # fmt: skip
    if mtu is not None:
        made.at["ip_mtu"] = lines.next()
    device.interfaces[name] = made
    return made


def host(
    name: str,
    *nics: str,
    sends: int | None = None,
    cnp: int | None = None,
    pauses: Iterable[int] | None = None,
    rdma_mtu: int | None = None,
    mtu: int | None = None,
) -> Device:
    """A host with one RDMA device for each network interface named; its NIC maps DSCP >> 3.

    `pauses` None: nothing is known about its QoS.
    """
    device = switch(name, dscps={}, otherwise=None, role=Role.HOST)
    lines = lines_of(device)
    device.qos.classifiers["map"].dscp_to_tc = default_map(
        lines, {dscp: dscp >> 3 for dscp in range(64)}, CONFIRMED
    )
    for number, interface in enumerate(nics):
        made = port(device, interface, pauses=pauses or (), mtu=mtu)
        if pauses is None:
            made.qos = None
        nic = Nic(
            name=f"mlx5_{number}", port=interface, active=True, ethernet=True,
            rdma_mtu=rdma_mtu, src=lines.src, at={"": lines.next()},
        )  # fmt: skip
        if rdma_mtu is not None:
            nic.at["rdma_mtu"] = lines.next()
        device.nics[nic.name] = nic
    for flow, dscp in ((Flow.DATA, sends), (Flow.CNP, cnp)):
        if dscp is not None:
            device.emits.append(emission(device, dscp, flow))
    return device


def emission(
    device: Device,
    dscp: int,
    flow: Flow = Flow.DATA,
    certainty: Certainty = Certainty.STATED,
    nics: tuple[str, ...] = (),
) -> Emission:
    """A DSCP that a host sends, on a new line."""
    lines = lines_of(device)
    return Emission(
        dscp=dscp, flow=flow, certainty=certainty, by="NCCL_IB_TC", nics=nics, src=lines.src,
        at={"": lines.next(), "dscp": lines.next()},
    )  # fmt: skip


Ends = tuple[tuple[Device, str], tuple[Device, str]]


def fabric(
    *devices: Device, links: Iterable[Ends] = (), known_from: LinkSource = LinkSource.PLAN
) -> Fabric:
    """The fabric of these devices with the given links."""
    made = Fabric(devices={device.hostname: device for device in devices})
    for (a, a_port), (b, b_port) in links:
        link = Link(
            Endpoint(a, a.interfaces[a_port]), Endpoint(b, b.interfaces[b_port]), known_from
        )
        made.links.append(link)
        made.by_port[a.hostname, a_port] = made.by_port[b.hostname, b_port] = link
    return made


def analysed(
    *devices: Device, links: Iterable[Ends] = (), plan: RocePlan | None = None
) -> Analysis:
    """Analysis of a fabric."""
    return analyse(fabric(*devices, links=links), plan or RocePlan())
