"""Which statements of NX-OS say what a device is to do."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.model.device import Device
from roce_lint.model.routing import BgpSession, Routing
from roce_lint.nos.bgp import is_address
from roce_lint.nos.nxos import choose_ports, choose_qos
from roce_lint.nos.nxos.render import TOLD
from roce_lint.nos.nxos.words import (
    Bgp,
    Family,
    Feature,
    Hostname,
    LoadSharing,
    Neighbor,
    PeerFamily,
    RouteMap,
    WatchdogOn,
)
from roce_lint.nos.omissions import Omission, find_omissions
from roce_lint.nos.selection import Selection, has_router_id, is_named, is_wished, value_to_state
from roce_lint.nos.words import Words

CONNECTED = "CONNECTED"
"""Name of the route map that lets all connected networks through: NX-OS wants to have one."""

BOTH_ENDS = "source-destination"


def choose(device: Device) -> Selection:
    """The statements of the whole configuration, and what none says."""
    left = [*find_omissions(device, TOLD), *choose_qos.unsaid(device), *choose_ports.unsaid(device)]
    return Selection(tuple(_stanzas(device)), (*left, *_unsaid_routing(device)))


def _stanzas(device: Device) -> Iterator[Words]:
    """What is referred to stands first: policies, then what attaches them, then ports."""
    if is_named(device):
        yield Hostname(hostname=device.hostname)
        if device.asn is not None:
            yield Feature(feature="bgp")
        yield Feature(feature="lldp")
    yield from _hash(device)
    yield from choose_qos.input_policies(device)
    yield from choose_qos.queuing_policies(device)
    yield from choose_qos.network_policies(device)
    yield from _watchdog(device)
    yield from choose_ports.breakouts(device)
    yield from choose_ports.all_ports(device)
    yield from _bgp(device)


def _hash(device: Device) -> Iterator[Words]:
    balancing = device.balancing
    if balancing is None or balancing.l4_ports is None:
        return
    words = ["address", BOTH_ENDS, *(["port", BOTH_ENDS] if balancing.l4_ports else [])]
    if balancing.seed is not None:
        words += ["universal-id", str(balancing.seed)]
    yield LoadSharing(hash=" ".join(words))


def _watchdog(device: Device) -> Iterator[Words]:
    """The switch of the device, without which ports that switch it on watch nothing."""
    system = device.system.watchdog
    ports = [port.qos.watchdog for port in device.interfaces.values() if port.qos is not None]
    if system is not None:
        on = value_to_state(system, "enabled")
    else:
        on = True if is_wished(device) and any(each and each.enabled for each in ports) else None
    if on is not None:
        yield WatchdogOn(on=on)


def _bgp(device: Device) -> Iterator[Words]:
    asn = value_to_state(device, "asn")
    if asn is None:
        return
    words, routing = Bgp(asn=asn), device.routing
    if routing is not None:
        stated = [s for key, s in routing.sessions.items() if _has_words(key, s)]
        if stated and is_named(device):
            yield RouteMap(name=CONNECTED, action="permit", number=10)
        paths = value_to_state(routing, "max_paths")
        words.any_as = True if paths is not None and paths > 1 else None
        words.families = tuple(_families(device, routing, stated)) or None
        words.neighbors = tuple(_neighbor(session) for session in stated) or None
    yield words


def _families(device: Device, routing: Routing, stated: list[BgpSession]) -> Iterator[Family]:
    spoken = {_family(session) for session in stated} or {"ipv4 unicast"}
    for family in sorted(spoken):
        words = Family(family=family, max_paths=value_to_state(routing, "max_paths"))
        if stated and is_named(device):
            words.redistribute = CONNECTED
        if len(words.values()) > 1:
            yield words


def _family(session: BgpSession) -> str:
    return "ipv6 unicast" if ":" in session.peer else "ipv4 unicast"


def _neighbor(session: BgpSession) -> Neighbor:
    family = PeerFamily(
        family=_family(session),
        own_as=value_to_state(session, "own_as_allowed") or None,
        communities="send-community" if value_to_state(session, "sends_communities") else None,
    )
    return Neighbor(peer=session.peer, asn=value_to_state(session, "asn"), families=(family,))


def _has_words(key: str, session: BgpSession) -> bool:
    return (
        " " not in key and is_address(session.peer) and value_to_state(session, "asn") is not None
    )


def _unsaid_routing(device: Device) -> Iterator[Omission]:
    """Sessions in a VRF, and by port: those would not be read back."""
    if device.routing is None:
        return
    if not has_router_id(device):
        yield Omission("router-id, which no IPv4 address gives", "")
    for key, session in device.routing.sessions.items():
        if not _has_words(key, session):
            yield Omission("session", f"sessions {key}")
