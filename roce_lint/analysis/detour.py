"""The tunnel between two switches that share the cable of a host (dual-ToR).

One of the two at a time sends to the host. The one that stands by puts what it has for the host
into a tunnel to the other, in classes of their own: the maps of the tunnel hold there, not those of
the ports. Which of the two stands by, no configuration says; both ways are ways of a packet.
"""

from __future__ import annotations

from dataclasses import replace

from roce_lint.analysis.fact import Fact
from roce_lint.analysis.overlay import Packet, rewritten, unknown_treatment
from roce_lint.analysis.paths import End, Wire
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import (
    Ingress,
    Treatment,
    egress,
    forwarding_of,
    pauses,
    treat_exit,
    unknown_ingress,
)
from roce_lint.model.device import Device
from roce_lint.model.interface import Detour
from roce_lint.model.units import PRIORITIES


def detour_of(device: Device) -> Detour | None:
    """The maps of the tunnel of a switch, where they are all known."""
    for interface in device.interfaces.values():
        if interface.tunnel is not None and interface.tunnel.detour is not None:
            return interface.tunnel.detour
    return None


def other_leg(target: End, wire: Wire) -> Wire | None:
    """The leg of a shared cable that ends at the other switch, where its tunnel is known too."""
    other = wire.leaf.interface.shared_with
    if other is None or detour_of(wire.leaf.device) is None:
        return None
    for leg in target.wires:
        device = leg.leaf.device
        if device.hostname == other and leg.host is wire.host and detour_of(device) is not None:
            return leg
    return None


def begins(
    analysis: Analysis, into: JudgedPort, out: JudgedPort, packet: Packet
) -> tuple[Treatment, Packet]:
    """What the switch that stands by does: the port it came in by gives the class, and the tunnel
    the queue and the outer code point.
    """
    detour = detour_of(into.device)
    if packet.dscp is None or detour is None:
        return unknown_treatment(packet.missing), Packet(
            None, None, carried=True, missing=packet.missing
        )
    arrived = analysis.treat(into, packet.dscp).ingress
    treated = treat_exit(into.device, out.interface, arrived)
    treated = replace(
        treated,
        egress=egress(into.device, out.interface, arrived.traffic_class, detour.tc_to_queue),
    )
    outer = None if arrived.tc is None else detour.tc_to_dscp.get(arrived.tc)
    lack = f"the DSCP that the tunnel of {into.device.hostname} gives class {arrived.tc_name}"
    missing = arrived.missing if arrived.tc is None else "" if outer is not None else lack
    return treated, Packet(outer, packet.dscp, carried=True, missing=missing)


def ends(into: JudgedPort, out: JudgedPort, packet: Packet) -> tuple[Treatment, Packet]:
    """What the active switch does: the inner code point gives the class and the priority group by
    the maps of the tunnel, and the port to the host the queue.
    """
    device, detour = into.device, detour_of(into.device)
    if packet.inner is None or detour is None:
        return unknown_treatment(packet.missing), Packet(None, missing=packet.missing)
    arrived = _ingress(device, into, packet.inner, detour)
    treated = treat_exit(device, out.interface, arrived)
    return treated, rewritten(Packet(packet.inner), treated.rewrite)


def _ingress(device: Device, into: JudgedPort, inner: int, detour: Detour) -> Ingress:
    """The class, priority group and pause of a packet that comes out of the tunnel."""
    qos = into.interface.qos
    tc = detour.dscp_to_tc.get(inner)
    place = detour.dscp_to_tc.where(detour.dscp_to_tc.key(inner))
    maps = forwarding_of(device, qos) if qos is not None else None
    if qos is None or tc is None or maps is None:
        lack = "the maps of the port"
        if tc is None:
            lack = "what the tunnel makes of the inner code point"
        return replace(unknown_ingress(lack, dscp=inner), traffic_class=Fact(tc, (place,), lack))
    pg, to_pg = detour.tc_to_pg.get(tc), detour.tc_to_pg
    group = maps.pfc_priority_to_pg
    priority = next((p for p in PRIORITIES if pg is not None and group.get(p) == pg), None)
    entry = (group.where(group.key(priority)),) if priority is not None else ()
    known, paused = Fact(tc, (place,)), Fact(priority, entry)
    return Ingress(
        inner,
        known,
        Fact(pg, (to_pg.where(to_pg.key(tc)),)),
        paused,
        pauses(device, qos, known, maps, paused),
        device.qos.class_name(tc),
    )
