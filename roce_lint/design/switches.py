"""Golden switches: their ports, loopbacks, sessions and queues, and nothing that is not wished."""

from __future__ import annotations

from collections.abc import Hashable
from ipaddress import ip_interface

from roce_lint.design.layout import Layout, PlannedPort, PlannedSwitch
from roce_lint.design.queues import Wish, maps_of, port_qos
from roce_lint.design.refusals import Loc
from roce_lint.design.watchdog import watchdog_of
from roce_lint.model.device import Device
from roce_lint.model.interface import Fec, Interface, InterfaceKind
from roce_lint.model.qos import PfcWatchdog, QosObjects, SystemQos
from roce_lint.model.routing import Balancing, BgpSession, Routing


def switch_of(wish: Wish, layout: Layout, planned: PlannedSwitch) -> Device:
    """The golden device of a switch."""
    device = Device(
        hostname=planned.name,
        nos=planned.nos,
        role=planned.role,
        model=planned.platform or None,
        os_version=planned.release or None,
        partial=True,  # it states what is wished; of all else it says nothing
        qos=maps_of(wish, planned.offer),
        system=SystemQos(headroom=planned.offer.headroom, src=wish.src),
        src=wish.src,
        at={"": wish.at(*planned.keys), "hostname": wish.at(*planned.keys)},
    )
    watchdog = watchdog_of(wish, planned.offer, planned.nos)
    for port in planned.ports.values():
        device.interfaces[port.name] = _port(wish, planned, port, device.qos, watchdog)
    if planned.loopback is not None:
        device.interfaces[planned.offer.loopback] = _loopback(wish, planned)
    if planned.asn is not None:
        device.asn = planned.asn
        device.at["asn"] = wish.at(*planned.asn_keys)
        device.routing = _routing(wish, layout, planned)
    balancing = wish.schema.balancing
    if balancing is not None and balancing.l4_ports is not None:
        place = wish.at("balancing", "l4_ports")
        device.balancing = Balancing(
            l4_ports=balancing.l4_ports, src=wish.src, at={"": place, "l4_ports": place}
        )
    _see_that_it_fits(wish, planned)
    return device


def _see_that_it_fits(wish: Wish, planned: PlannedSwitch) -> None:
    offer = planned.offer
    sizes: dict[Loc, int | None] = {("mtu",): wish.schema.mtu}
    own = wish.schema.overrides.get(planned.name)
    for name, port in own.ports.items() if own is not None else ():
        sizes["overrides", planned.name, "ports", name, "mtu"] = port.mtu
    for keys, mtu in sizes.items():
        if mtu is not None and mtu not in offer.ip_mtu:
            message = f"{planned.nos} takes {offer.ip_mtu.takes}, found {mtu}"
            wish.wanting.add(keys, message, f"see {offer.ip_mtu.source}")
    for each in wish.classes:
        if each.number not in offer.classes:
            message = f"{planned.nos} has classes {offer.classes[0]} to {offer.classes[-1]}"
            wish.wanting.add(each.keys or ("classes",), message)
    if offer.lossless is not None and len(wish.paused) > offer.lossless:
        message = f"{planned.nos} has at most {offer.lossless} lossless, found {len(wish.paused)}"
        wish.wanting.add(("classes",), message, f"see {offer.source}")


def port_of(wish: Wish, port: PlannedPort, device: str) -> Interface:
    """The port itself, of a switch or host."""
    at: dict[Hashable, int] = {"": wish.at(*port.keys), "speed_gbps": wish.at(*port.keys)}
    made = Interface(
        name=port.name,
        enabled=True,
        routed=True,
        speed_gbps=port.speed_gbps,
        addresses=port.addresses,
        rail=port.rail,
        cable_m=port.cable_m,
        tagged=False,
        src=wish.src,
        at=at,
    )
    if port.fec is not None:
        made.fec = Fec(port.fec)
        at["fec"] = wish.at(*port.fec_keys)
    if port.addresses:
        at["addresses"] = wish.at(*port.address_keys)
    if port.cable_m is not None:
        at["cable_m"] = wish.at(*port.cable_keys)
    _override(wish, made, device)
    return made


def _override(wish: Wish, made: Interface, device: str) -> None:
    """Put over a port what the intent says of all ports, and what it says of this one."""
    if wish.schema.mtu is not None:
        made.ip_mtu, made.at["ip_mtu"] = wish.schema.mtu, wish.at("mtu")
    own = wish.schema.overrides.get(device)
    single = own.ports.get(made.name) if own is not None else None
    if single is None:
        return
    keys = ("overrides", device, "ports", made.name)
    if single.mtu is not None:
        made.ip_mtu, made.at["ip_mtu"] = single.mtu, wish.at(*keys, "mtu")
    if single.enabled is not None:
        made.enabled, made.at["enabled"] = single.enabled, wish.at(*keys, "enabled")


def _port(
    wish: Wish,
    planned: PlannedSwitch,
    port: PlannedPort,
    objects: QosObjects,
    watchdog: PfcWatchdog | None,
) -> Interface:
    made = port_of(wish, port, planned.name)
    made.lanes = port.lanes
    made.qos = port_qos(wish, planned, port, objects)
    if watchdog is not None:
        made.qos.watchdog = watchdog
        made.qos.at["watchdog"] = wish.at("watchdog")
    return made


def _loopback(wish: Wish, planned: PlannedSwitch) -> Interface:
    place = wish.at(*planned.loopback_keys)
    return Interface(
        name=planned.offer.loopback,
        kind=InterfaceKind.LOOPBACK,
        enabled=True,
        addresses=(planned.loopback or "",),
        src=wish.src,
        at={"": place, "addresses": place},
    )


def _routing(wish: Wish, layout: Layout, planned: PlannedSwitch) -> Routing:
    """A session to the switch at the far end of each link; by port where links are unnumbered.
    Nothing names the peer of a link of which the intent leaves the addresses open.
    """
    routing = Routing(src=wish.src, at={"": wish.at(*planned.asn_keys)})
    balancing = wish.schema.balancing
    if balancing is not None and balancing.max_paths is not None:
        routing.max_paths = balancing.max_paths
        routing.at["max_paths"] = wish.at("balancing", "max_paths")
    for port in planned.ports.values():
        other = layout.switches.get(port.peer[0]) if port.peer is not None else None
        if other is None or port.peer is None or other.asn is None:
            continue
        far = other.ports[port.peer[1]]
        by_address = bool(port.addresses and far.addresses)
        if not by_address and wish.schema.addressing.links != "unnumbered":
            continue
        peer = str(ip_interface(far.addresses[0]).ip) if by_address else port.name
        place = wish.at(*other.asn_keys)
        # Without a policy, and without the own number in a path: what goes down stays down.
        routing.sessions[peer] = BgpSession(
            peer=peer,
            asn=other.asn,
            own_as_allowed=0,
            filtered_in=False,
            filtered_out=False,
            src=wish.src,
            at={"": place, "asn": place, "own_as_allowed": place},
        )
        routing.at[peer] = place
    return routing
