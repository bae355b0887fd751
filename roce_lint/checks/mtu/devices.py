"""MTU of classes and RDMA devices, MTUs of ports that differ from their peers, and host MTUs below
those of their paths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.equal_switches import equal_switches, odd_switches
from roce_lint.analysis.packet import underlay_of
from roce_lint.analysis.port_parts import has_class_mtu, link_note, maps_of, needs, set_mtu
from roce_lint.analysis.result import Analysis, JudgedPort, LargestPacket, RoceClass
from roce_lint.analysis.scope import wires
from roce_lint.analysis.treatment import Ingress, forwarding_of
from roce_lint.engine import api
from roce_lint.engine.api import Device, Fabric, Given, Outcome, Problem, Severity, Unknown, Where
from roce_lint.model.nic import Nic
from roce_lint.model.qos import CodeMap, Forwarding

RDMA_HEADERS = 80
"""Least number of bytes that a driver subtracts from the MTU before it picks the RDMA MTU: 96
for adapters (GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28, ICRC 4), 80 for Soft-RoCE (Linux,
include/rdma/ib_addr.h and drivers/infiniband/sw/rxe)."""

ADVISED_ROOM = 104
"""Bytes above the payload that NVIDIA recommends: MTU 4200 for 4096 bytes."""


@api.fabric_check("mtu.class_too_small")
def class_mtu_too_small_for_roce(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A RoCE class whose class MTU is below the largest RoCE packet."""
    analysis = given.analysis
    for ports in analysis.equals.values():
        first = ports[0]
        qos = None if first.device.is_host else first.interface.qos
        maps = forwarding_of(first.device, qos) if qos is not None else None
        if maps is None:
            continue
        needs = [(port, need) for port in ports if (need := _need(analysis, port)) is not None]
        if not _has_lower(maps.tc_mtu, max((need.bytes for _, need in needs), default=0)):
            continue
        for traffic in analysis.data_classes:
            for dscp in traffic.dscps:
                into = analysis.treat(first, dscp).ingress  # ports of one kind treat it identically
                mtu = None if into.tc is None else maps.tc_mtu.get(into.tc)
                if mtu is None:
                    continue  # the mapping rules report the missing class
                for port, need in needs:
                    if mtu < need.bytes:
                        yield from _class_mtu(traffic, port, into, maps, need)


def _need(analysis: Analysis, port: JudgedPort) -> LargestPacket | None:
    at_host = analysis.sends.get(port.peer.key) if port.peer and port.faces_host else None
    return underlay_of(analysis).need(port, at_host or analysis.required.get(port.network))


def _has_lower(table: CodeMap, size: int) -> bool:
    """Whether some class has an MTU below `size`."""
    rest = table.otherwise
    return (rest is not None and rest < size) or min(table.entries.values(), default=size) < size


def _class_mtu(
    traffic: RoceClass, port: JudgedPort, into: Ingress, maps: Forwarding, need: LargestPacket
) -> Iterator[Outcome]:
    """Outcome for a class whose MTU is below the packet size."""
    if into.tc is None:
        return
    mtu, key = maps.tc_mtu.get(into.tc), maps.tc_mtu.key(into.tc)
    where = maps.tc_mtu.where(key)
    device, name = port.device.hostname, port.interface.name
    if maps.tc_mtu_limits and port.interface.routed:
        return  # a routed port has a separate MTU
    if maps.tc_mtu_limits is None:
        missing = "the switch series (it decides whether a class MTU drops packets)"
        yield Unknown(missing, [where], device, (name,))
        return
    known = maps.tc_mtu.stated(key) or (key == into.tc and where.confirmed)
    if not maps.tc_mtu_limits and not (known and into.lossless is not False):
        return  # only lossless classes have a pause buffer sized by the class MTU
    unsure = need.assumed and port.faces_host
    limits, own = has_class_mtu(port.device, port.interface), port.interface.ip_mtu
    wide = own is not None and own >= need.bytes
    size = own if limits else port.interface.frame_mtu or own
    yield Problem(
        f"{device} has an MTU of {mtu} bytes for traffic class {into.tc_name} ({traffic.name}), "
        f"but {need.by}",
        f"RoCE packets larger than {mtu} bytes are dropped here"
        if limits
        else f"the pause buffer of the class is sized for packets of {mtu} bytes: "
        "larger ones may overflow it",
        [where, *need.where],
        device,
        (name,),
        value=str(mtu),
        traffic=traffic.name,
        severity=_class_severity(limits=limits, unsure=unsure, stated=maps.tc_mtu.stated(key)),
        assumed=link_note(assumed=port.assumed),
        changes=needs(port, {f"qos.forwarding.tc_mtu[{into.tc}]": size}, "the MTU of the port")
        if wide
        else (),
        compares=True,
    )


def _class_severity(*, limits: bool, unsure: bool, stated: bool) -> Severity | None:
    """Severity of a class MTU; None for that of the page."""
    if limits:
        return Severity.WARNING if unsure else None
    return Severity.WARNING if stated else Severity.INFO


@api.device_check("mtu.host_below_rdma")
def host_mtu_below_rdma_mtu(device: Device, given: Given) -> Iterator[Outcome]:
    """An RDMA device whose active MTU does not fit the MTU of its interface."""
    for nic in given.analysis.nics_of(device):
        port = device.interfaces.get(nic.port or "")
        if nic.rdma_mtu is None or not nic.stated("rdma_mtu") or port is None:
            continue
        if port.ip_mtu is None:
            missing = "the MTU of the host's interface"
            yield Unknown(missing, [port.where("ip_mtu")], device.hostname, (port.name,))
        elif port.ip_mtu < nic.rdma_mtu + RDMA_HEADERS:
            yield _below(device, nic, port.name, port.ip_mtu)


def _below(device: Device, nic: Nic, port: str, mtu: int) -> Problem:
    payload = nic.rdma_mtu or 0
    return Problem(
        f"{device.hostname} {port} has MTU {mtu}, but the active RDMA MTU of {nic.name} is "
        f"{payload} bytes",
        f"packets with more than {mtu - RDMA_HEADERS} bytes of payload do not fit the interface: "
        "connections fail, or the RDMA MTU shrinks at the next link-up",
        [device.interfaces[port].where("ip_mtu"), nic.where("rdma_mtu")],
        subjects=(port,),
        value=f"{mtu}/{payload}",
        changes=(set_mtu(device, device.interfaces[port], payload + ADVISED_ROOM),),
        compares=True,
    )


@api.fabric_check("mtu.rdma_mtu_differs")
def rdma_mtu_differing_among_hosts(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """An RDMA device whose active MTU differs from most of its network."""
    networks: dict[int, list[tuple[Device, Nic, JudgedPort]]] = defaultdict(list)
    for device, nic in given.analysis.roce_nics:
        for wire in wires(device, nic)[:1]:
            port = given.analysis.port(device.hostname, wire)
            if port is not None and nic.rdma_mtu is not None:
                networks[port.network].append((device, nic, port))
    for members in networks.values():
        counts = Counter(nic.rdma_mtu for _, nic, _ in members)
        (usual, agreeing), *others = counts.most_common()
        if not others or agreeing * 2 <= len(members):
            continue  # no usual value
        like = next(nic for _, nic, _ in members if nic.rdma_mtu == usual)
        for device, nic, port in members:
            if nic.rdma_mtu != usual:
                yield Problem(
                    f"{device.hostname} {nic.name} has an active RDMA MTU of {nic.rdma_mtu}, "
                    f"{agreeing} of {len(members)} devices of its network have {usual}",
                    "its connections use the smaller MTU, or fail where a program requests the "
                    "larger one",
                    [nic.where("rdma_mtu"), like.where("rdma_mtu")],
                    device.hostname,
                    (port.interface.name,),
                    value=f"{nic.rdma_mtu}/{usual}",
                )


class OddParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `mtu.odd_one_out`."""

    equals: int = Field(default=3, ge=2)
    """Minimum number of agreeing ports."""


@api.fabric_check("mtu.odd_one_out", params=OddParams)
def mtu_odd_one_out(fabric: Fabric, given: Given[OddParams]) -> Iterator[Outcome]:
    """A port, or a lossless class of a switch, whose MTU differs from its peers."""
    for traffic in given.analysis.data_classes:
        yield from _class_mtus(given.analysis, traffic)
    kinds: dict[tuple[object, ...], list[JudgedPort]] = defaultdict(list)
    for port in given.analysis.ports:
        if port.interface.ip_mtu is not None:
            device = port.device
            kinds[device.role, device.nos, port.faces_host, port.network].append(port)
    for ports in kinds.values():
        counts = Counter(port.interface.ip_mtu for port in ports)
        if len(counts) != 2 or len(ports) <= given.params.equals:
            continue
        (usual, agreeing), (other, single) = counts.most_common(2)
        if single != 1 or agreeing < given.params.equals:
            continue
        odd = next(port for port in ports if port.interface.ip_mtu == other)
        like = next(port for port in ports if port.interface.ip_mtu == usual)
        yield Problem(
            f"{odd} has MTU {other}, its {agreeing} peers have {usual}",
            "a line was probably forgotten or mistyped on this port",
            [odd.interface.where("ip_mtu"), like.interface.where("ip_mtu")],
            *api.at_port(odd),
            value=str(other),
        )


def _class_mtus(analysis: Analysis, traffic: RoceClass) -> Iterator[Problem]:
    known: dict[str, tuple[JudgedPort, int, bool, Where]] = {}
    for port, _ in analysis.kinds:
        maps, into = maps_of(port), analysis.treat(port, traffic.dscps[0]).ingress
        mtu = maps.tc_mtu.get(into.tc) if maps is not None and into.tc is not None else None
        if maps is None or mtu is None or into.tc is None or not into.lossless:
            continue
        if into.priority == analysis.mode(traffic, port).priority:  # else that is the difference
            key = maps.tc_mtu.key(into.tc)
            own = port, mtu, maps.tc_mtu.stated(key), maps.tc_mtu.where(key)
            known.setdefault(port.device.hostname, own)
    settings = {name: own[1:3] for name, own in known.items()}
    for odd in odd_switches(equal_switches(analysis), lambda d: settings.get(d.hostname)):
        port, mtu, stated, where = known[odd.device.hostname]
        _, usual, theirs, example = known[odd.example.hostname]
        has = f"sets MTU {mtu}" if stated else f"sets no MTU (default {mtu})"
        yield Problem(
            f"{odd.device.hostname} {has} for the class of {traffic.name}, {odd.agreeing} of "
            f"{odd.all} similar switches {'set' if theirs else 'use the default'} {usual}",
            "its pause buffer is sized for another packet size than on its peers",
            [where, example],
            odd.device.hostname,
            (port.interface.name,),
            value=f"{mtu}/{usual}",
            traffic=traffic.name,
        )


# Host MTUs compared with their paths.

SMALL = 1500
"""Default MTU of hosts, with RDMA payloads of 1024 bytes."""

ENOUGH = 4200
"""IP MTU from which RDMA payloads are 4096 bytes, with room for all headers."""


@api.fabric_check("mtu.hosts_below_path")
def hosts_below_path_mtu(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """RoCE NICs at 1500 bytes in a network whose switch ports all carry far more."""
    nics: dict[int, list[JudgedPort]] = defaultdict(list)
    switches: dict[int, list[JudgedPort]] = defaultdict(list)
    for port in given.analysis.ports:
        (nics if port.device.is_host else switches)[port.network].append(port)
    for network, ports in nics.items():
        sizes = [port.interface.ip_mtu for port in ports]
        carried = [port.interface.ip_mtu for port in switches[network]]
        if not carried or None in sizes or None in carried:
            continue
        least = min(size for size in carried if size is not None)
        if any(size is not None and size > SMALL for size in sizes) or least < ENOUGH:
            continue
        by_device: dict[str, list[JudgedPort]] = defaultdict(list)
        for port in ports:
            by_device[port.device.hostname].append(port)
        for device, own in by_device.items():
            yield Problem(
                f"{device} has MTU {own[0].interface.ip_mtu} on its RoCE NICs, but every port of "
                f"the path has at least {least}",
                "RDMA sends payloads of 1024 bytes where 4096 fit: four times as many packets "
                "and headers",
                [port.interface.where("ip_mtu") for port in own],
                device,
                tuple(port.interface.name for port in own),
                value=str(own[0].interface.ip_mtu),
                several=True,
            )
