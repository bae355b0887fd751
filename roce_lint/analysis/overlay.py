"""Packets in an overlay: the outer DSCP that underlay switches see, and the inner one.

A switch encapsulates packets of a VLAN or VRF carried by its tunnel on their way to another switch;
the receiver's switch decapsulates them. If neither a line nor a default states the outer header, it
is unknown, and so are the hops that depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roce_lint.analysis.cache import cached
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.treatment import Treatment, unknown_egress, unknown_ingress
from roce_lint.model.device import Device
from roce_lint.model.interface import Interface, InterfaceKind, Tunnel


@dataclass(slots=True, frozen=True)
class Packet:
    """DSCP that the next hop sees; None if unknown, with the `missing` input.

    `inner` is the DSCP below the outer header of an encapsulated packet.
    """

    dscp: int | None
    inner: int | None = None
    carried: bool = False
    missing: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Key of the packet among packets of the same class."""
        return (self.dscp, self.inner, self.carried)


def tunnel_into(
    analysis: Analysis, into: JudgedPort, out: JudgedPort
) -> tuple[Interface, bool] | None:
    """The tunnel that a packet from a host to another switch enters, and whether it surely does."""
    if into.device.is_host or not into.faces_host or out.faces_host:
        return None
    return _tunnel_at(analysis, into)


@cached
def _tunnel_at(_: Analysis, port: JudgedPort) -> tuple[Interface, bool] | None:
    """The tunnel that packets of a port enter, and whether they surely do."""
    ends = [(end, carries(end, port)) for end in tunnels(port.device)]
    may = [(end, bool(carried)) for end, carried in ends if carried is not False]
    return max(may, key=lambda each: each[1], default=None)


def tunnels(device: Device) -> Iterator[Interface]:
    """Tunnel endpoints of a switch that are not shut down."""
    for interface in device.interfaces.values():
        if interface.tunnel is not None and interface.enabled is not False:
            yield interface


def carries(end: Interface, port: JudgedPort) -> bool | None:
    """Whether a tunnel carries packets of a port; None if unknown, or if it carries only some of
    the port's VLANs and that of RoCE is unknown.
    """
    tunnel, own = end.tunnel, port.interface
    if tunnel is None:
        return False
    vlans = _vlans(own)
    if own.vrf in (tunnel.vrfs or ()) or {own.name, own.lag} & (tunnel.ports or frozenset()):
        return True
    inside = vlans & (tunnel.vlans or frozenset())
    if tunnel.vrfs and vlans:
        inside |= _vlans_routed(port.device, tunnel.vrfs) & vlans
    if inside:
        return True if inside == vlans else None
    if {own.name, own.lag} & (tunnel.partly or frozenset()):
        return None
    return None if tunnel.vlans is None and (own.routed is False or vlans) else False


def _vlans(own: Interface) -> frozenset[int]:
    """VLANs of a port that RoCE may use."""
    vlans = own.tagged_vlans or frozenset()
    if own.untagged_vlan is None or (own.tagged and vlans):
        return vlans
    plain = frozenset({own.untagged_vlan})
    return plain if own.tagged is False else vlans | plain


def _vlans_routed(device: Device, vrfs: frozenset[str]) -> frozenset[int]:
    """VLANs that some VRFs route to others."""
    return frozenset(
        interface.untagged_vlan
        for interface in device.interfaces.values()
        if interface.kind is InterfaceKind.VLAN
        and interface.vrf in vrfs
        and interface.untagged_vlan is not None
    )


def enter(packet: Packet, device: Device, end: Interface, *, sure: bool = True) -> Packet:
    """The packet with the outer header of a tunnel; not `sure` if it may go on without one."""
    tunnel = end.tunnel or Tunnel(src=end.src)
    outer, kept = packet.dscp if tunnel.dscp_copied else tunnel.dscp, packet.missing
    if outer is not None and (sure or outer == packet.dscp):
        return Packet(outer, packet.dscp, carried=True)
    lack = f"the outer DSCP that {device.hostname} {end.name} writes"
    if not sure:
        lack = f"encapsulation by {device.hostname} {end.name}, and the outer DSCP"
    return Packet(None, packet.dscp, carried=True, missing=kept or lack)


def leave(packet: Packet, device: Device) -> tuple[Packet, Packet]:
    """The packet as the last switch classifies it, and as it leaves without the outer header."""
    ends = [end.tunnel for end in tunnels(device) if end.tunnel is not None]
    used = [t for t in ends if t.vlans is None or t.vlans or t.vrfs or t.ports or t.partly]
    ends = used or ends
    tunnel = ends[0] if len(ends) == 1 else None
    by_outer = tunnel.outer_decides if tunnel is not None else None
    replaced = tunnel.inner_replaced if tunnel is not None else None
    what = "the DSCP, inner or outer, that gives the class of a tunnelled packet"
    kept = "the handling of the inner DSCP of a tunnelled packet"
    return _either(packet, what, outer=by_outer), _either(packet, kept, outer=replaced)


def _either(packet: Packet, lack: str, *, outer: bool | None) -> Packet:
    """The packet with one of its headers alone."""
    dscp = packet.dscp if outer else packet.inner
    if dscp is None or (outer is None and packet.dscp != dscp):
        return Packet(None, missing=packet.missing or lack)
    return Packet(dscp)


def backup_treatment(treated: Treatment, out: JudgedPort) -> Treatment:
    """Treatment of a packet for a host on a cable that is shared with another switch: valid if this
    switch is active. Otherwise the packet takes a tunnel with too little known to follow it.
    """
    other = out.interface.shared_with
    if other is None or treated.egress.missing:
        return treated
    lack = (
        f"the active switch, {out.device.hostname} or {other}, on the cable of "
        f"{out.interface.name} (the standby one tunnels packets to it in other classes)"
    )
    out_by = replace(treated.egress.served_by, missing=lack)
    return replace(treated, egress=replace(treated.egress, served_by=out_by))


def rewritten(packet: Packet, dscp: int | None) -> Packet:
    """The packet after a switch rewrote the outermost DSCP."""
    return packet if dscp is None else replace(packet, dscp=dscp, missing="")


def unknown_treatment(missing: str) -> Treatment:
    """Treatment of a packet with an unknown DSCP."""
    return Treatment(unknown_ingress(missing), unknown_egress(""), None)
