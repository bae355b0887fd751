"""Golden switches: ports, loopbacks, sessions and queues, and nothing beyond the intent."""

from __future__ import annotations

from collections.abc import Hashable
from ipaddress import ip_interface

from roce_lint.design.layout import Layout, Loc, PlannedPort, PlannedSwitch
from roce_lint.design.queues import DesignSpec, maps_of, port_qos, watchdog_of
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.model.qos import PfcWatchdog, QosObjects, SystemQos
from roce_lint.model.routing import Balancing, BgpSession, Routing


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
    watchdog = watchdog_of(spec, planned.offer, planned.nos)
    for port in planned.ports.values():
        device.interfaces[port.name] = _port(spec, planned, port, device.qos, watchdog)
    if planned.loopback is not None:
        device.interfaces[planned.offer.loopback] = _loopback(spec, planned)
    if planned.asn is not None:
        device.asn = planned.asn
        device.at["asn"] = spec.at(*planned.asn_keys)
        device.routing = _routing(spec, layout, planned)
    balancing = spec.schema.balancing
    if balancing is not None and balancing.l4_ports is not None:
        place = spec.at("balancing", "l4_ports")
        device.balancing = Balancing(
            l4_ports=balancing.l4_ports, src=spec.src, at={"": place, "l4_ports": place}
        )
    _require_supported(spec, planned)
    return device


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
    at: dict[Hashable, int] = {"": spec.at(*port.keys), "speed_gbps": spec.at(*port.keys)}
    made = Interface(
        name=port.name,
        enabled=True,
        routed=True,
        speed_gbps=port.speed_gbps,
        addresses=port.addresses,
        rail=port.rail,
        cable_m=port.cable_m,
        tagged=False,
        src=spec.src,
        at=at,
    )
    if port.fec is not None:
        made.fec = Fec(port.fec)
        at["fec"] = spec.at(*port.fec_keys)
    if port.addresses:
        at["addresses"] = spec.at(*port.address_keys)
    if port.cable_m is not None:
        at["cable_m"] = spec.at(*port.cable_keys)
    _override(spec, made, device)
    return made


def _override(spec: DesignSpec, made: Interface, device: str) -> None:
    """Apply the port settings of the intent: general, then of this port."""
    if spec.schema.mtu is not None:
        made.ip_mtu, made.at["ip_mtu"] = spec.schema.mtu, spec.at("mtu")
    own = spec.schema.overrides.get(device)
    single = own.ports.get(made.name) if own is not None else None
    if single is None:
        return
    keys = ("overrides", device, "ports", made.name)
    if single.mtu is not None:
        made.ip_mtu, made.at["ip_mtu"] = single.mtu, spec.at(*keys, "mtu")
    if single.enabled is not None:
        made.enabled, made.at["enabled"] = single.enabled, spec.at(*keys, "enabled")


def _port(
    spec: DesignSpec,
    planned: PlannedSwitch,
    port: PlannedPort,
    objects: QosObjects,
    watchdog: PfcWatchdog | None,
) -> Interface:
    made = port_of(spec, port, planned.name)
    made.lanes = port.lanes
    made.qos = port_qos(spec, planned, port, objects)
    if watchdog is not None:
        made.qos.watchdog = watchdog
        made.qos.at["watchdog"] = spec.at("watchdog")
    return made


def _loopback(spec: DesignSpec, planned: PlannedSwitch) -> Interface:
    place = spec.at(*planned.loopback_keys)
    return Interface(
        name=planned.offer.loopback,
        kind=InterfaceKind.LOOPBACK,
        enabled=True,
        addresses=(planned.loopback or "",),
        src=spec.src,
        at={"": place, "addresses": place},
    )


def _routing(spec: DesignSpec, layout: Layout, planned: PlannedSwitch) -> Routing:
    """A session to the peer of each link; by port where links are unnumbered. A link whose
    addresses the intent leaves open has no peer address.
    """
    routing = Routing(src=spec.src, at={"": spec.at(*planned.asn_keys)})
    balancing = spec.schema.balancing
    if balancing is not None and balancing.max_paths is not None:
        routing.max_paths = balancing.max_paths
        routing.at["max_paths"] = spec.at("balancing", "max_paths")
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
            at={"": place, "asn": place, "own_as_allowed": place},
        )
        routing.at[peer] = place
    return routing
