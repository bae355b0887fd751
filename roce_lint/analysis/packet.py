"""The largest RoCE packet: what each NIC sends, and what every hop of a network must carry."""

from __future__ import annotations

from roce_lint.analysis.result import Analysis, JudgedPort, LargestPacket
from roce_lint.analysis.scope import states_lossless, wires
from roce_lint.analysis.treatment import egress_of
from roce_lint.model.device import Device
from roce_lint.model.nic import Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.units import ROCE_HEADERS_IPV4, ROCE_HEADERS_IPV6

LARGEST_PAYLOAD = 4096
"""Bytes of RDMA payload in one packet, at most (IBTA specification 1: path MTU)."""

PAYLOADS = (LARGEST_PAYLOAD, 2048, 1024, 512, 256)
"""The path MTUs there are."""

RESERVED = 96
"""Bytes that the drivers of adapters take off an interface's MTU before they choose the path MTU
(Linux, include/rdma/ib_addr.h, iboe_get_mtu): GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28, ICRC
4."""


def largest_packet(device: Device, nic: Nic) -> LargestPacket | None:
    """Largest IP packet of RoCE traffic a NIC sends.

    Its active RDMA MTU plus RoCEv2 headers; where that is not known, the MTU of its network
    interface, which bounds it from above.
    """
    port = device.interfaces.get(nic.port or "")
    if nic.rdma_mtu is not None:
        v6 = any(gid.address and ":" in gid.address for gid in nic.gids) and not any(
            gid.address and "." in gid.address for gid in nic.gids
        )
        headers = ROCE_HEADERS_IPV6 if v6 else ROCE_HEADERS_IPV4
        by = (
            f"{device.hostname} {nic.name} sends {nic.rdma_mtu} bytes of payload "
            f"and {headers} of headers"
        )
        return LargestPacket(nic.rdma_mtu + headers, by, (nic.where("rdma_mtu"),))
    if port is not None and port.ip_mtu is not None and port.stated("ip_mtu"):
        by = f"{device.hostname} {port.name} has an MTU of {port.ip_mtu}"
        return LargestPacket(port.ip_mtu, by, (port.where("ip_mtu"),), bound=True)
    return None


def largest_roce(need: LargestPacket) -> int:
    """Bytes of the largest RoCE packet, where `need` may only bound it from above.

    Payloads come in powers of two, and a driver chooses one that leaves room for every header.
    """
    if not need.bound:
        return need.bytes
    room = need.bytes - RESERVED
    payload = next((size for size in PAYLOADS if size <= room), 0)
    return min(payload + ROCE_HEADERS_IPV4, need.bytes) if payload else need.bytes


def find_required(analysis: Analysis, plan: RocePlan) -> None:
    """Fill `analysis.sends` (per host port) and `analysis.required` (per network)."""
    for device, nic in analysis.roce_nics:
        need = largest_packet(device, nic)
        if need is not None:
            analysis.sends.update({(device.hostname, wire): need for wire in wires(device, nic)})
    for port in analysis.ports:
        _raise_to(analysis, port, analysis.sends.get(port.key))
    if plan.required_packet is not None:
        wanted = LargestPacket(
            plan.required_packet,
            f"{plan.name} asks for {plan.required_packet} bytes",
            (plan.where("required_packet"),),
        )
        for port in analysis.ports:
            _raise_to(analysis, port, wanted)
    known = set(analysis.required)
    for port in analysis.switch_ports():
        if port.network not in known and (size := _let_in_by(port)) is not None:
            highest = analysis.required.get(port.network)
            if highest is None or size > highest.bytes:
                by = f"{port} lets hosts send RoCE packets of up to {size} bytes"
                where = (port.interface.where("ip_mtu"),)
                analysis.required[port.network] = LargestPacket(size, by, where, assumed=True)


def _raise_to(analysis: Analysis, port: JudgedPort, need: LargestPacket | None) -> None:
    known = analysis.required.get(port.network)
    if need is not None and (known is None or need.bytes > known.bytes):
        analysis.required[port.network] = need


def _let_in_by(port: JudgedPort) -> int | None:
    """Bytes that a host-facing port lets a host send, where no host says what it does send."""
    mtu = port.interface.ip_mtu
    if not port.faces_host or mtu is None or not port.interface.stated("ip_mtu"):
        return None
    if port.peer is None and not _is_made_for_roce(port):
        return None
    return min(mtu, LARGEST_PAYLOAD + ROCE_HEADERS_IPV4)


def _is_made_for_roce(port: JudgedPort) -> bool:
    """True where more than trust is configured: trust alone is as good for any other traffic."""
    qos = port.interface.qos
    if qos is None:
        return False
    policy = egress_of(port.device, qos)
    queues = policy.queues.values() if policy is not None else ()
    marks = any(queue.marking is not None and queue.marking.ecn for queue in queues)
    return marks or states_lossless(qos) or qos.stated("classifier")
