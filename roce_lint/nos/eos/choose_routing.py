"""Which statements of EOS say how it routes: BGP, its sessions, and what a whole switch needs."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.interface import WIRED
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.nos.bgp import is_address
from roce_lint.nos.eos.words import Bgp, BgpFamily, BgpVrf, Routes, RoutesSix
from roce_lint.nos.omissions import Omission
from roce_lint.nos.selection import has_router_id, is_named, value_to_state
from roce_lint.nos.words import Words

GROUP = "UNDERLAY"
"""Peer group of sessions by port, which EOS wants to have one."""


def by_port(device: Device) -> set[str]:
    """Ports whose neighbour is found by its link-local address: nothing else names it."""
    sessions = device.routing.sessions.values() if device.routing is not None else ()
    return {session.peer for session in sessions if not is_address(session.peer)}


def forwarding(device: Device) -> Iterator[Words]:
    """What makes the whole switch route; a part of a configuration says nothing of it."""
    routed = [p for p in device.interfaces.values() if p.kind in WIRED and p.routed and not p.vrf]
    if not routed or not is_named(device):
        return
    over_six = bool(by_port(device))
    yield Routes(on="ip routing ipv6 interfaces" if over_six else "ip routing")
    if over_six or any(":" in address for port in routed for address in port.addresses):
        yield RoutesSix(on=True)


def bgp(device: Device) -> Iterator[Bgp]:
    """The stanza of BGP, where the device has a number."""
    asn = value_to_state(device, "asn")
    if asn is None:
        return
    words = Bgp(asn=asn)
    routing = device.routing
    if routing is not None:
        paths = value_to_state(routing, "max_paths")
        words.max_paths = f"{paths} ecmp {paths}" if paths is not None else None
        if is_named(device) and routing.sessions:
            words.connected = True
        words.families = tuple(_families(routing)) or None
        by_vrf: dict[str, list[str]] = {}
        for key, session in routing.sessions.items():
            by_vrf.setdefault(key.rpartition(" ")[0], []).extend(_session(session))
        words.neighbors = tuple(_with_group(by_vrf.pop("", []))) or None
        words.vrfs = tuple(
            BgpVrf(name=vrf, neighbors=tuple(_with_group(lines))) for vrf, lines in by_vrf.items()
        )
    yield words


def _families(routing: Routing) -> Iterator[BgpFamily]:
    """What sessions exchange beyond IPv4 routes over IPv4, which needs no line."""
    stated = [s for key, s in routing.sessions.items() if " " not in key and list(_session(s))]
    if any(not is_address(session.peer) for session in stated):
        yield BgpFamily(
            family="ipv4",
            next_hop=(f"{GROUP} next-hop address-family ipv6 originate",),
            active=(f"{GROUP} activate",),
        )
    six = tuple(f"{session.peer} activate" for session in stated if ":" in session.peer)
    if six:
        yield BgpFamily(family="ipv6", active=six)


def unsaid(device: Device) -> Iterator[Omission]:
    """Sessions that no line states, and what is said of sessions by port in their group alone."""
    vrfs = {port.vrf for port in device.interfaces.values() if port.kind in WIRED and port.routed}
    for vrf in sorted(vrfs - {None}, key=str):
        yield Omission(f"ip routing vrf {vrf}, without which its ports do not route", "")
    if device.routing is None:
        return
    if not has_router_id(device):
        yield Omission("router-id, which no IPv4 address gives", "")
    for key, session in device.routing.sessions.items():
        place = f"sessions {key}"
        if not list(_session(session)):
            yield Omission("session", place)
        elif not is_address(session.peer):
            for name in ("own_as_allowed", "sends_communities"):
                if value_to_state(session, name):
                    yield Omission(name, place)
        elif ":" in session.peer and " " in key:
            yield Omission("activation in the address family of IPv6", place)


def _with_group(lines: list[str]) -> list[str]:
    if any(line.startswith("interface ") for line in lines):
        return [f"{GROUP} peer group", *lines]
    return lines


def _session(session: BgpSession) -> Iterator[str]:
    asn = value_to_state(session, "asn")
    if not is_address(session.peer):
        if asn is not None:
            yield f"interface {session.peer} peer-group {GROUP} remote-as {asn}"
        return
    if asn is not None:
        yield f"{session.peer} remote-as {asn}"
    if value_to_state(session, "own_as_allowed"):
        yield f"{session.peer} allowas-in {session.own_as_allowed}"
    if value_to_state(session, "sends_communities"):
        yield f"{session.peer} send-community"
