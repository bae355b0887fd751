"""Golden switches: ports, loopbacks, sessions and queues, and nothing beyond the intent."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface

from roce_lint.design.layout import Layout, Loc, PlannedPort, PlannedSwitch
from roce_lint.design.queues import DesignSpec, maps_of, port_qos, watchdog_of
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.model.qos import PfcWatchdog, QosObjects, SystemQos
from roce_lint.model.routing import Balancing, BgpSession, Routing

FAMILIES = ("ipv4", "ipv6")
"""Address families of links without addresses of their own (RFC 8950)."""


def switch_of(spec: DesignSpec, layout: Layout, planned: PlannedSwitch) -> Device:
    """The golden device of a switch."""
    device = Device(
        hostname=planned.name,
        nos=planned.nos,
        role=planned.role,
        model=planned.platform or None,
        os_version=planned.release or None,
        partial=True,  # it states requirements only
        qos=maps_of(spec, planned.offer),
        system=SystemQos(headroom=planned.offer.headroom, src=spec.src),
        src=spec.src,
        at={"": spec.at(*planned.keys), "hostname": spec.at(*planned.keys)},
    )
    watchdog = watchdog_of(spec, planned)  # its limits hold without a port too
    for port in planned.ports.values():
        made = _port(spec, planned, port, device.qos, watchdog)
        if port.parent is not None and port.parent not in device.interfaces:
            whole = made if port.parent == port.name else _whole_port(spec, port)
            whole.parts, whole.parts_gbps = port.parts, port.speed_gbps
            whole.at["parts"] = spec.at(*port.parts_keys)
            whole.at["parts_gbps"] = made.at["speed_gbps"]
            device.interfaces[port.parent] = whole
        device.interfaces[port.name] = made
    if planned.loopback is not None:
        device.interfaces[planned.offer.loopback] = Interface(
            name=planned.offer.loopback,
            kind=InterfaceKind.LOOPBACK,
            enabled=True,
            addresses=(planned.loopback,),
            src=spec.src,
            at=dict.fromkeys(("", "addresses"), spec.at(*planned.loopback_keys)),
        )
    if planned.asn is not None:
        spec.put(device, *planned.asn_keys, asn=planned.asn)
        device.routing = _routing(spec, layout, planned)
    device.lldp, device.at["lldp"] = True, device.at[""]
    _forward(spec, device, planned)
    balancing = spec.schema.balancing
    if balancing is not None and balancing.l4_ports is not None:
        place = spec.at("balancing", "l4_ports")
        device.balancing = Balancing(
            l4_ports=balancing.l4_ports, src=spec.src, at={"": place, "l4_ports": place}
        )
    _require_supported(spec, planned)
    return device


def _forward(spec: DesignSpec, device: Device, planned: PlannedSwitch) -> None:
    """Record what carries packets between the ports: forwarding, announcements, a router id."""
    own = [*planned.ports.values()]
    stated = [(ip_interface(each), port.address_keys) for port in own for each in port.addresses]
    families = {f"ipv{address.version}": keys for address, keys in reversed(stated)}
    if spec.schema.addressing.links == "unnumbered":
        families = dict.fromkeys(FAMILIES, ("addressing", "links"))
    if families:
        spec.put(device, *min(families.items())[1], forwards=frozenset(families))
    routing = device.routing
    if routing is None:
        return
    if routing.sessions:
        routing.connected, routing.at["connected"] = True, routing.at[""]
        _require_routes_to_hosts(spec, planned, routing)
    elif own and not (spec.schema.fabric and spec.schema.fabric.devices):
        # Of listed devices, addresses may be left open: they are compared without them.
        message = "BGP sessions require addresses on the links between switches"
        spec.refusals.add(planned.asn_keys, message, "give addressing.links")
    if planned.loopback is not None and ip_interface(planned.loopback).version == 4:
        stated = [(ip_interface(planned.loopback), planned.loopback_keys)]
    fours = [(each.ip, keys) for each, keys in stated if each.version == 4]
    if fours:
        lowest, keys = min(fours)
        spec.put(routing, *keys, router_id=str(lowest))


def _require_routes_to_hosts(spec: DesignSpec, planned: PlannedSwitch, routing: Routing) -> None:
    """Require sessions that carry the routes to hosts: a session between addresses carries those of
    its own address family, one by port carries both.
    """
    if not routing.sessions.keys().isdisjoint(planned.ports):
        return
    carried = {ip_address(peer).version for peer in routing.sessions}
    for port in planned.ports.values():
        for address in port.addresses if port.to_host else ():
            version = ip_interface(address).version
            if version not in carried:
                message = f"hosts with IPv{version} addresses, but no links between switches have"
                hint = "addressing.links of the same family, or unnumbered"
                spec.refusals.add(port.address_keys, f"{message} any", hint)


def _require_supported(spec: DesignSpec, planned: PlannedSwitch) -> None:
    offer = planned.offer
    sizes: dict[Loc, int | None] = {("mtu",): spec.schema.mtu}
    own = spec.schema.overrides.get(planned.name)
    for name, port in own.ports.items() if own is not None else ():
        sizes["overrides", planned.name, "ports", name, "mtu"] = port.mtu
    for keys, mtu in sizes.items():
        if mtu is not None and mtu not in offer.ip_mtu:
            message = f"{planned.nos} takes {offer.ip_mtu.takes}, found {mtu}"
            spec.refusals.add(keys, message, f"see {offer.ip_mtu.source}")
    for each in spec.classes:
        if each.number not in offer.classes:
            message = f"{planned.nos} has classes {offer.classes[0]} to {offer.classes[-1]}"
            spec.refusals.add(each.keys or ("classes",), message)
    if offer.lossless is not None and len(spec.paused) > offer.lossless:
        message = f"{planned.nos} has at most {offer.lossless} lossless, found {len(spec.paused)}"
        spec.refusals.add(("classes",), message, f"see {offer.source}")


def port_of(spec: DesignSpec, port: PlannedPort, device: str) -> Interface:
    """A port of a switch or host."""
    made = Interface(
        name=port.name,
        enabled=True,
        routed=True,
        speed_gbps=port.speed_gbps,
        rail=port.rail,
        tagged=False,
        src=spec.src,
        at=dict.fromkeys(("", "speed_gbps"), spec.at(*port.keys)),
    )
    spec.put(made, *port.fec_keys, fec=Fec(port.fec) if port.fec is not None else None)
    spec.put(made, *port.address_keys, addresses=port.addresses or None)
    spec.put(made, *port.cable_keys, cable_m=port.cable_m)
    spec.put(made, "mtu", ip_mtu=spec.schema.mtu)
    own = spec.schema.overrides.get(device)
    single = own.ports.get(made.name) if own is not None else None
    if single is not None:
        keys = ("overrides", device, "ports", made.name)
        spec.put(made, *keys, "mtu", ip_mtu=single.mtu)
        spec.put(made, *keys, "enabled", enabled=single.enabled)
    return made


def _port(
    spec: DesignSpec,
    planned: PlannedSwitch,
    port: PlannedPort,
    objects: QosObjects,
    watchdog: PfcWatchdog | None,
) -> Interface:
    made = port_of(spec, port, planned.name)
    made.lanes = port.lanes
    if port.parent != port.name:
        made.parent = port.parent
    if port.peer is not None:
        spec.put(made, *port.cable_keys, description=f"to {' '.join(port.peer)}")
    made.qos = port_qos(spec, planned, port, objects)
    if len(spec.deviations(planned.name, port.name)) > 1:
        watchdog = watchdog_of(spec, planned, port.name)
    made.qos.watchdog = watchdog
    if watchdog is not None:
        made.qos.at["watchdog"] = watchdog.at[""]
    return made


def _whole_port(spec: DesignSpec, port: PlannedPort) -> Interface:
    """The port that a part belongs to, which carries no packets itself."""
    return Interface(
        name=port.parent or "",
        kind=InterfaceKind.BREAKOUT_PARENT,
        src=spec.src,
        at={"": spec.at(*port.parts_keys)},
    )


def _routing(spec: DesignSpec, layout: Layout, planned: PlannedSwitch) -> Routing:
    """A session to the peer of each link; by port where links are unnumbered. A link whose
    addresses the intent leaves open has no peer address.
    """
    routing = Routing(src=spec.src, at={"": spec.at(*planned.asn_keys)})
    balancing = spec.schema.balancing
    if balancing is not None:
        spec.put(routing, "balancing", "max_paths", max_paths=balancing.max_paths)
    for port in planned.ports.values():
        other = layout.switches.get(port.peer[0]) if port.peer is not None else None
        if other is None or port.peer is None or other.asn is None:
            continue
        far = other.ports[port.peer[1]]
        by_address = bool(port.addresses and far.addresses)
        if not by_address and spec.schema.addressing.links != "unnumbered":
            continue
        peer = str(ip_interface(far.addresses[0]).ip) if by_address else port.name
        place = spec.at(*other.asn_keys)
        # Without a policy: a switch rejects its own AS number, so routes do not go up again.
        routing.sessions[peer] = BgpSession(
            peer=peer,
            asn=other.asn,
            own_as_allowed=0,
            filtered_in=False,
            filtered_out=False,
            src=spec.src,
            at=dict.fromkeys(("", "asn", "own_as_allowed"), place),
        )
        routing.at[peer] = place
    return routing
