"""MTU of every hop on the path, of both ends of each link, and of neighbours by LLDP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from roce_lint.analysis.packet import underlay_of
from roce_lint.analysis.port_parts import has_class_mtu, link_note, set_mtu
from roce_lint.analysis.result import Analysis, JudgedPort, LargestPacket
from roce_lint.engine.api import Given, Outcome, Problem, Unknown, at_port, fabric_check, link_check
from roce_lint.engine.finding import Severity
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link
from roce_lint.model.interface import OSPF, Interface, InterfaceKind

HEADER_ACCOUNTING = 128
"""Bytes by which vendors' MTUs differ for the same packets: 9216 on the medium, and 9214, 9170
and 9100 as IP MTU coexist in working fabrics."""

JUMBO_MTU = 9214
"""Largest IP MTU that every platform accepts, however it counts."""

JUMBO = 9000
"""IP MTU from which a difference between two switches no longer affects RoCE (at most 4096 bytes
of payload) and hardly anything else."""


@fabric_check("mtu.too_small_for_roce")
def mtu_too_small_for_roce(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A hop whose MTU is below the largest RoCE packet that reaches it."""
    analysis = given.analysis
    gateways, underlay = _Gateways(analysis), underlay_of(analysis)
    needs = (analysis.sends, analysis.required, underlay.sure, underlay.maybe)
    most = max((need.bytes for some in needs for need in some.values()), default=0)
    kinds = [port for port, _ in analysis.kinds if port.network in analysis.required]
    passing = (port for port in kinds if (port.interface.ip_mtu or 0) >= most)
    enough = {port.key for port in passing if port.interface.untagged_vlan is None}
    for port in (port for port in analysis.switch_ports() if port.kind not in enough):
        at_host = analysis.sends.get(port.peer.key) if port.peer and port.faces_host else None
        need = underlay.need(port, at_host or analysis.required.get(port.network))
        maybe = underlay.maybe.get(port.key)
        for hop in (port.interface, *gateways.of(port)):
            size = hop.ip_mtu
            if need is None or size is None or not size >= (maybe or need).bytes >= need.bytes:
                yield from _hop(port, hop, need, maybe)


def _hop(
    port: JudgedPort, hop: Interface, need: LargestPacket | None, maybe: LargestPacket | None
) -> Iterator[Outcome]:
    device, place = port.device.hostname, hop.where("ip_mtu")
    if need is None:
        missing = "the packet size of the senders (provide a host snapshot or an intent)"
        yield Unknown(missing, [place], device, (hop.name,))
    elif hop.ip_mtu is None:
        if not has_class_mtu(port.device, hop):
            yield Unknown("the MTU of the port", [place], device, (hop.name,))
    elif hop.ip_mtu < need.bytes:
        # Nothing is known of the host at this port: it may send smaller packets.
        unsure = need.assumed and port.faces_host and hop is port.interface
        yield Problem(
            f"{device} {hop.name} has an IP MTU of {hop.ip_mtu}, but {need.by}",
            f"RDMA packets larger than {hop.ip_mtu} bytes are dropped here",
            [place, *need.where],
            device,
            (hop.name,),
            value=str(hop.ip_mtu),
            changes=_raised(port.device, hop, need.bytes, port.peer),
            severity=Severity.WARNING if unsure else None,
            assumed=link_note(assumed=port.assumed),
            compares=True,
        )
    elif maybe is not None and hop.ip_mtu < maybe.bytes:
        missing = f"tunnelling of RoCE here ({maybe.by})"
        yield Unknown(missing, [place, maybe.where[-1]], device, (hop.name,))


class _Gateways:
    """VLAN interfaces that route RoCE out of its VLAN, by device."""

    def __init__(self, analysis: Analysis):
        # VLANs (None: routed) by device and network, and the VLAN interfaces by device.
        self._ways: dict[tuple[str, int], set[int | None]] = {}
        self._by_vlan: dict[str, dict[int, list[Interface]]] = {}
        for port in analysis.switch_ports():
            vlan, routed = port.interface.untagged_vlan, port.interface.routed
            if routed or vlan is not None:  # a trunk may carry the same VLAN on
                ways = self._ways.setdefault((port.device.hostname, port.network), set())
                ways.add(None if routed else vlan)

    def of(self, port: JudgedPort) -> list[Interface]:
        """VLAN interfaces behind an access port; none where RoCE stays inside the VLAN."""
        vlan, key = port.interface.untagged_vlan, (port.device.hostname, port.network)
        if vlan is None or port.interface.routed or self._ways[key] == {vlan}:
            return []
        return self._gateways_of(port.device).get(vlan, [])

    def _gateways_of(self, device: Device) -> dict[int, list[Interface]]:
        known = self._by_vlan.get(device.hostname)
        if known is None:
            known = self._by_vlan[device.hostname] = {}
            for port in device.interfaces.values():
                vlan = port.untagged_vlan
                routes = port.enabled is not False and port.addresses
                if port.kind is InterfaceKind.VLAN and vlan is not None and routes:
                    known.setdefault(vlan, []).append(port)
        return known


@link_check("mtu.ends_differ")
def mtu_differs_on_link(link: Link, given: Given) -> Iterator[Outcome]:
    """Two switch ends whose MTUs differ by more than header accounting."""
    low, high, small, large = _by_mtu(link, given.analysis)
    if small >= JUMBO or large - small <= HEADER_ACCOUNTING:
        return
    first = given.analysis.port(*link.ends[0].key)
    need = given.analysis.required.get(first.network) if first is not None else None
    if need is not None and need.assumed:
        need = None  # no host states its packet size
    both_stated = all(end.interface.stated("ip_mtu") for end in link.ends)
    if need is not None and not both_stated:
        return
    claims = given.fabric.contradiction(*low.key)
    yield Problem(
        f"{low} has an IP MTU of {small}, its peer {high} {large}",
        "large packets from the peer are dropped"
        if need is None
        else "RoCE packets fit, but larger packets of other traffic are dropped",
        [*claims, low.interface.where("ip_mtu"), high.interface.where("ip_mtu")],
        *at_port(low),
        value=str(small),
        several=bool(claims),
        changes=_raised(low.device, low.interface, large, high),
        severity=None if need is None else Severity.WARNING,
        assumed=link_note(assumed=link.assumed),
        compares=True,
    )


def _by_mtu(link: Link, analysis: Analysis) -> tuple[Endpoint, Endpoint, int, int]:
    """Ends of a link by MTU, and these; MTU 0 unless both are switch ports with a known MTU."""
    if link.a.interface.ip_mtu == link.b.interface.ip_mtu:
        return link.a, link.b, 0, 0
    low, high = sorted(link.ends, key=lambda end: end.interface.ip_mtu or 0)
    small, large = low.interface.ip_mtu, high.interface.ip_mtu
    ports = (analysis.port(*end.key) for end in link.ends)
    if small is None or large is None or any(p is None or p.device.is_host for p in ports):
        return low, high, 0, 0  # MTU001 reports an unknown MTU
    return low, high, small, large


def _raised(
    device: Device, port: Interface, least: int, peer: Endpoint | JudgedPort | None = None
) -> tuple[Change, ...]:
    """Change to the MTU of most ports of the device that have enough, else to that of the peer."""
    sizes = [each.ip_mtu for each in device.interfaces.values()]
    usual = Counter(size for size in sizes if size is not None and size >= least)
    other = peer.interface.ip_mtu if peer is not None else None
    size = other if other is not None and other >= least else JUMBO_MTU
    return (set_mtu(device, port, usual.most_common(1)[0][0] if usual else size),)


@link_check("mtu.stops_adjacency")
def mtu_mismatch_blocks_adjacency(link: Link, given: Given) -> Iterator[Outcome]:
    """A link with OSPF or IS-IS whose ends have different configured MTUs."""
    low, high, small, large = _by_mtu(link, given.analysis)
    if small == large or not all(end.interface.stated("ip_mtu") for end in link.ends):
        return
    for protocol in low.interface.igp:
        # OSPF: the end with the smaller MTU rejects the database description of the other.
        # IS-IS: it drops the hellos that the other end pads to its own MTU.
        decides = low if protocol == OSPF else high
        runs = protocol in high.interface.igp
        if not runs or protocol in decides.interface.igp_any_mtu:
            continue
        yield Problem(
            f"{low} has MTU {small}, its peer {high} {large}, and {protocol} runs over the link",
            f"{protocol} forms no adjacency: no route uses this link, and RoCE takes other paths",
            [
                low.interface.where("ip_mtu"),
                high.interface.where("ip_mtu"),
                low.interface.where("igp"),
                high.interface.where("igp"),
            ],
            *at_port(low),
            value=f"{protocol}: {small} and {large}",
            changes=(set_mtu(high.device, high.interface, small),)
            if small >= JUMBO  # the larger one may be too large for the other platform
            else _raised(low.device, low.interface, large, high),
            assumed=link_note(assumed=link.assumed),
        )


@link_check("mtu.host_above_leaf")
def host_mtu_above_leaf_mtu(link: Link, given: Given) -> Iterator[Outcome]:
    """A host whose MTU is above that of its switch port."""
    hosts = [end for end in link.ends if end.device.is_host]
    if len(hosts) != 1 or given.analysis.port(*hosts[0].key) is None:
        return
    host = hosts[0]
    leaf = link.other(host)
    mine, theirs = host.interface.ip_mtu, leaf.interface.ip_mtu
    if theirs is None and has_class_mtu(leaf.device, leaf.interface):
        return
    if mine is None or theirs is None:
        yield Unknown(
            "the MTU of the port" if theirs is None else "the MTU of the host's interface",
            [leaf.interface.where("ip_mtu")],
            *at_port(leaf),
        )
    elif mine > theirs:
        yield _above(host, leaf, given.analysis.sends.get(host.key), assumed=link.assumed)


def _above(host: Endpoint, leaf: Endpoint, sent: LargestPacket | None, *, assumed: bool) -> Problem:
    mine, theirs = host.interface.ip_mtu or 0, leaf.interface.ip_mtu or 0
    # Change the host if its known RDMA packet size fits the leaf: only other traffic is too large.
    # Else change the leaf.
    fits = sent is not None and sent.bytes < mine and sent.bytes <= theirs
    blamed, other = (host, leaf) if fits else (leaf, host)
    return Problem(
        f"{host} sends packets of up to {mine} bytes, but {leaf} has an IP MTU of {theirs}",
        f"RoCE packets of {sent.bytes} bytes fit, but larger packets of the host are dropped"
        if sent is not None and fits
        else f"packets of the host larger than {theirs} bytes are dropped at the leaf",
        [blamed.interface.where("ip_mtu"), other.interface.where("ip_mtu")],
        *at_port(blamed),
        value=str(blamed.interface.ip_mtu),
        changes=(set_mtu(host.device, host.interface, theirs),)
        if fits and theirs >= JUMBO
        else _raised(leaf.device, leaf.interface, mine),
        severity=Severity.WARNING if fits else None,
        assumed=link_note(assumed=assumed),
        compares=True,
    )


# Frame sizes that neighbours advertise by LLDP.

FRAME_OVERHEAD = 18
"""Bytes of an untagged Ethernet frame around its IP packet: header and check sequence."""


@fabric_check("mtu.advertised_too_small")
def neighbour_advertising_smaller_frames(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A host whose RoCE packets exceed the frame size its neighbour advertises."""
    analysis = given.analysis
    for port in analysis.host_ports():
        need = analysis.sends.get(port.key)
        if port.peer is not None or need is None or need.assumed:
            continue
        for neighbor in port.interface.neighbors:
            frame = neighbor.max_frame
            if not frame or frame >= need.bytes + FRAME_OVERHEAD:
                continue
            yield Problem(
                f"{port} has a neighbour {neighbor.device} that advertises frames of up to {frame} "
                f"bytes, but {need.by}",
                f"RDMA packets larger than {frame - FRAME_OVERHEAD} bytes are dropped there",
                [neighbor.where("max_frame"), *need.where],
                *at_port(port),
                value=str(frame),
            )
            break
