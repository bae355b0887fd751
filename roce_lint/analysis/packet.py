"""Largest RoCE packet: sent by each NIC, required of every hop of a network, and enlarged by the
headers of an overlay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.analysis.cache import cached
from roce_lint.analysis.overlay import carries, tunnels
from roce_lint.analysis.paths import Port, Reachable, paths_of
from roce_lint.analysis.port_parts import policy_of
from roce_lint.analysis.result import Analysis, JudgedPort, LargestPacket
from roce_lint.analysis.scope import states_lossless, wires
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface
from roce_lint.model.nic import Nic
from roce_lint.model.plan import RocePlan
from roce_lint.model.units import ROCE_HEADERS_IPV4, ROCE_HEADERS_IPV6

LARGEST_PAYLOAD = 4096
"""Largest RDMA payload of a packet in bytes (IBTA specification 1: path MTU)."""

PAYLOADS = (LARGEST_PAYLOAD, 2048, 1024, 512, 256)
"""Possible path MTUs."""

RESERVED = 96
"""Bytes that NIC drivers subtract from the MTU of an interface before they choose the path MTU
(Linux, include/rdma/ib_addr.h, iboe_get_mtu): GRH 40, UDP 8, BTH 12, XRC 4, AtomicETH 28, ICRC 4.
"""


def largest_packet(device: Device, nic: Nic) -> LargestPacket | None:
    """Largest IP packet of RoCE traffic sent by a NIC.

    Its active RDMA MTU plus RoCEv2 headers; if unknown, the MTU of its network interface as an
    upper bound.
    """
    port = device.interfaces.get(nic.port or "")
    if nic.rdma_mtu is not None:
        addresses = [gid.address for gid in nic.gids if gid.address]
        v6 = any(":" in each for each in addresses) and not any("." in each for each in addresses)
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
    """Bytes of the largest RoCE packet, where `need` may only be an upper bound.

    Payloads are powers of two, and a driver leaves room for every header.
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
        if port.key in analysis.sends:
            _raise_to(analysis, port, analysis.sends[port.key])
    if plan.required_packet is not None:
        by = f"{plan.name} requires {plan.required_packet} bytes"
        where = (plan.where("required_packet"),)
        minimum = LargestPacket(plan.required_packet, by, where)
        for port in analysis.ports:
            _raise_to(analysis, port, minimum)
    known = set(analysis.required)
    for port in analysis.switch_ports():
        if port.network not in known and (size := _let_in_by(port)) is not None:
            highest = analysis.required.get(port.network)
            if highest is None or size > highest.bytes:
                by = f"{port} accepts RoCE packets of up to {size} bytes"
                where = (port.interface.where("ip_mtu"),)
                analysis.required[port.network] = LargestPacket(size, by, where, assumed=True)


def _raise_to(analysis: Analysis, port: JudgedPort, need: LargestPacket) -> None:
    known = analysis.required.get(port.network)
    if known is None or need.bytes > known.bytes:
        analysis.required[port.network] = need


def _let_in_by(port: JudgedPort) -> int | None:
    """Bytes that a host-facing port accepts, where no host states its packet size."""
    mtu = port.interface.ip_mtu
    if not port.faces_host or mtu is None or not port.interface.stated("ip_mtu"):
        return None
    if port.peer is None and not _is_made_for_roce(port):
        return None
    return min(mtu, LARGEST_PAYLOAD + ROCE_HEADERS_IPV4)


def _is_made_for_roce(port: JudgedPort) -> bool:
    """True where more than trust is configured: trust alone serves any other traffic too."""
    qos, policy = port.interface.qos, policy_of(port)
    if qos is None:
        return False
    queues = policy.queues.values() if policy is not None else ()
    marks = any(queue.marking is not None and queue.marking.ecn for queue in queues)
    return marks or states_lossless(qos) or qos.stated("classifier")


# A switch that puts RoCE into a tunnel adds an Ethernet, a VXLAN, a UDP and an IP header, and
# tunnel endpoints must not fragment (RFC 7348, section 4.3). Every cable on a shortest path from
# such a switch to another one has to carry the packet with these headers.


@dataclass(slots=True)
class Underlay:
    """MTU requirements of ports that overlay packets cross: `sure` ones, and `maybe` where it is
    unknown whether the tunnel carries RoCE.
    """

    sure: dict[Port, LargestPacket] = field(default_factory=dict)
    maybe: dict[Port, LargestPacket] = field(default_factory=dict)

    def need(self, port: JudgedPort, inside: LargestPacket | None) -> LargestPacket | None:
        """Required packet size of a port, if packets without an outer header require `inside`."""
        outside = self.sure.get(port.key)
        if outside is None or (inside is not None and inside.bytes >= outside.bytes):
            return inside
        return outside


@cached
def underlay_of(analysis: Analysis) -> Underlay:
    """Requirements of overlays on the cables of a fabric."""
    found = Underlay()
    needs = [
        need
        for ports in analysis.devices().values()
        if not ports[0].device.is_host
        for need in _put_in(analysis, ports)
    ]
    if not needs:
        return found
    paths = paths_of(analysis)
    reached = Reachable(paths)
    for sure, into in ((True, found.sure), (False, found.maybe)):
        # The largest first: a cable needs the size of the first leaf that uses it.
        leaves: dict[int, list[tuple[str, LargestPacket]]] = defaultdict(list)
        for known, leaf, need in needs:
            if known is sure and leaf in reached.number:
                leaves[need.bytes].append((leaf, need))
        for size in sorted(leaves, reverse=True):
            numbers = sum(1 << reached.number[leaf] for leaf in {leaf for leaf, _ in leaves[size]})
            need = leaves[size][0][1]
            for port in _ports_crossed(reached, numbers):
                into.setdefault(port, need)
    return found


def _put_in(
    analysis: Analysis, ports: list[JudgedPort]
) -> Iterator[tuple[bool, str, LargestPacket]]:
    """Largest encapsulated packets of a switch, and whether each is certain."""
    device = ports[0].device
    ends = list(tunnels(device))
    largest: dict[bool, LargestPacket] = {}
    for port in ports if ends else ():
        if not port.faces_host:
            continue
        inside = analysis.sends.get(port.peer.key) if port.peer is not None else None
        inside = inside or analysis.required.get(port.network)
        if inside is None:
            continue
        for end in ends:
            sure = carries(end, port)
            if sure is False:
                continue
            need = _with_headers(device, end, inside)
            known = largest.get(bool(sure))
            if known is None or need.bytes > known.bytes:
                largest[bool(sure)] = need
    for sure, need in sorted(largest.items()):
        yield sure, device.hostname, need


def _with_headers(device: Device, end: Interface, inside: LargestPacket) -> LargestPacket:
    adds = end.tunnel.adds if end.tunnel is not None else 0
    size = largest_roce(inside)
    room = f", which RoCE fills up to {size}" if size < inside.bytes else ""
    by = f"{inside.by}{room}, and {device.hostname} {end.name} adds {adds} bytes of headers"
    return LargestPacket(size + adds, by, (*inside.where, end.where()), assumed=inside.assumed)


def _ports_crossed(reached: Reachable, leaves: int) -> Iterator[Port]:
    """Ports of the cables on shortest paths from these leaves to other switches with NICs."""
    used: dict[tuple[str, str], bool] = {}
    for crossing in reached.crossings.values():
        out, into = crossing.out.device.hostname, crossing.into.device.hostname
        rises = reached.nodes[into].tier - reached.nodes[out].tier
        if rises < 0:
            continue  # the same cable seen from below
        if (out, into) not in used:
            used[out, into] = any(
                (1 << source | targets) & leaves
                for source, targets in reached.pairs_over(out, into, along=rises == 0)
            )
        if used[out, into]:
            yield crossing.out.key
            yield crossing.into.key
