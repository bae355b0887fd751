"""RoCE that an overlay carries: whether its code point is on the header that the fabric sees."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.detour import detour_of
from roce_lint.analysis.overlay import carries, tunnels
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.engine.api import Device, Given, NoParams, Outcome, Problem, Unknown, device_check
from roce_lint.model.interface import Interface, Tunnel


@device_check("mapping.lost_in_overlay")
def code_point_lost_in_overlay(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A tunnel carries RoCE and does not put its code point on the outer header."""
    if device.is_host:
        return
    analysis = given.analysis
    yield from _backups(analysis, device)
    for end in tunnels(device):
        ports = [p for p in analysis.ports_of(device) if p.faces_host and carries(end, p)]
        for traffic in analysis.data_classes:
            protected = [port for port in ports if _is_protected(analysis, traffic, port)]
            if protected and end.tunnel is not None:
                yield from _outer(traffic, end, end.tunnel, protected)


def _outer(
    traffic: RoceClass, end: Interface, tunnel: Tunnel, ports: list[JudgedPort]
) -> Iterator[Outcome]:
    device = ports[0].device.hostname
    if tunnel.dscp_copied or tunnel.dscp in traffic.dscps:
        return
    if tunnel.dscp is None and not tunnel.stated("dscp_copied"):
        lack = f"the DSCP that {end.name} writes into the outer header (no line says it)"
        yield Unknown(lack, [end.where()], device, (end.name,))
        return
    field = "dscp_copied" if tunnel.dscp is None else "dscp"
    what = (
        f"does not copy the DSCP of {traffic.name} into the outer header"
        if tunnel.dscp is None
        else f"writes DSCP {tunnel.dscp} into the outer header of {traffic.name}"
    )
    yield Problem(
        f"{device} {end.name} {what}",
        "between the ends of the tunnel the fabric sees another code point: there the class is "
        "not the one that is paused and marked",
        [tunnel.where(field), ports[0].interface.where("untagged_vlan")],
        device,
        (end.name,),
        value="" if tunnel.dscp is None else str(tunnel.dscp),
        traffic=traffic.name,
        hurts=tuple(port.interface.name for port in ports),
        acts="arriving",
    )


def _backups(analysis: Analysis, device: Device) -> Iterator[Outcome]:
    """Ports whose cable goes to two switches, of which one at a time forwards."""
    for port in analysis.ports_of(device):
        other = port.interface.shared_with
        if other is None or not port.faces_host:
            continue
        ends = (device, analysis.fabric.devices.get(other))
        if all(end is not None and detour_of(end) is not None for end in ends):
            continue
        if any(_is_protected(analysis, traffic, port) for traffic in analysis.data_classes):
            lack = (
                "the maps of the tunnel between two switches that share a cable: the one that "
                "stands by sends RoCE through it to the other"
            )
            where = [port.interface.where("shared_with")]
            yield Unknown(lack, where, device.hostname, (port.interface.name,))


def _is_protected(analysis: Analysis, traffic: RoceClass, port: JudgedPort) -> bool:
    mode = analysis.mode(traffic, port)
    return bool(analysis.needs_pause(traffic, port) or mode.marking)
