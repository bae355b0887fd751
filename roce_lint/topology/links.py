"""Joins claims about links, in order of trust, into links and conflicts."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkConflict, LinkSource
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.text.source import Where
from roce_lint.topology.naming import Names
from roce_lint.topology.plan_file import PlannedLink

_TOKEN = re.compile(r"[^\s_:,;()\[\]<>|=\"']+")


@dataclass(slots=True)
class LinkClaim:
    """Somebody says that two ports are on one cable."""

    a: Endpoint
    b: Endpoint
    source: LinkSource
    where: Where
    planned: PlannedLink | None = None


@dataclass(slots=True)
class Unresolved:
    """A planned link whose device is known but has no such port."""

    text: str
    where: Where


def build_fabric(
    devices: Iterable[Device], plan: list[PlannedLink] | None = None
) -> tuple[Fabric, list[Unresolved]]:
    """Join devices into a fabric; planned links win over everything heard or inferred."""
    fabric = Fabric({d.hostname: d for d in sorted(devices, key=lambda d: d.hostname)})
    names = Names(fabric.devices.values())
    unresolved: list[Unresolved] = []
    claims = [
        *_planned(plan or [], names, unresolved),
        *_heard(fabric, names),
        *_addressed(fabric),
        *_described(fabric, names),
    ]
    claims.sort(key=lambda claim: claim.source)  # stable: file order within one source
    for claim in claims:
        _join(fabric, claim)
    fabric.links.sort(key=lambda link: (link.a.key, link.b.key))
    return fabric, unresolved


def _join(fabric: Fabric, claim: LinkClaim) -> None:
    known = [fabric.by_port.get(end.key) for end in (claim.a, claim.b)]
    same = known[0]
    if same is not None and same is known[1]:
        if not claim.source.assumed and len(same.where) < 4:
            same.where = (*same.where, claim.where)
        return
    taken = next((link for link in known if link is not None), None)
    if taken is None:
        a, b = sorted((claim.a, claim.b), key=lambda end: end.key)
        planned = claim.planned
        link = Link(
            a,
            b,
            claim.source,
            (claim.where,),
            planned.cable_m if planned else None,
            planned.speed_gbps if planned else None,
            planned.rail if planned else None,
        )
        fabric.links.append(link)
        fabric.by_port[a.key] = fabric.by_port[b.key] = link
        return
    # Two LLDP neighbours on one port happen (NIC firmware and host): only different kinds of
    # statements contradict each other, and what is merely inferred never does.
    if claim.source.assumed or taken.known_from.assumed or claim.source is taken.known_from:
        return
    port = next(end for end, link in zip((claim.a, claim.b), known, strict=True) if link is taken)
    trusted = taken.b if taken.a.key == port.key else taken.a
    doubted = claim.b if port is claim.a else claim.a
    fabric.conflicts.append(
        LinkConflict(
            port.key,
            taken.known_from,
            claim.source,
            str(trusted),
            str(doubted),
            (claim.where, *taken.where),
        )
    )


def _planned(
    plan: list[PlannedLink], names: Names, unresolved: list[Unresolved]
) -> Iterator[LinkClaim]:
    for link in plan:
        ends = []
        for device, port in (link.a, link.b):
            end = names.endpoint(device, port)
            if end is None and names.device(device) is not None:
                unresolved.append(Unresolved(f"{device} has no port {port}", link.where))
            ends.append(end)
        a, b = ends
        if a is not None and b is not None:
            yield LinkClaim(a, b, LinkSource.PLAN, link.where, link)


def _heard(fabric: Fabric, names: Names) -> Iterator[LinkClaim]:
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            for neighbor in port.neighbors:
                peer = names.device(neighbor.device)
                if peer is None or peer is device:
                    continue
                found = next((p for n in neighbor.names if (p := names.port(peer, n))), None)
                if found is None:
                    continue
                source = LinkSource.NEIGHBOR_TABLE if neighbor.planned else LinkSource.LLDP
                place = neighbor.where("names" if neighbor.stated("names") else "")
                yield LinkClaim(Endpoint(device, port), Endpoint(peer, found), source, place)


def _addressed(fabric: Fabric) -> Iterator[LinkClaim]:
    """Both ends of a /31, /30 or /127 that exactly two ports of two devices share."""
    networks: dict[tuple[str, str | None], list[tuple[Endpoint, str]]] = {}
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            if port.kind is not InterfaceKind.PHYSICAL:
                continue
            for address in port.addresses:
                network = _point_to_point(address)
                if network is not None:
                    networks.setdefault((network, port.vrf), []).append(
                        (Endpoint(device, port), address)
                    )
    for ends in networks.values():
        if len(ends) != 2 or ends[0][1] == ends[1][1]:
            continue
        (a, _), (b, _) = ends
        if a.device is not b.device:
            yield LinkClaim(a, b, LinkSource.ADDRESS, a.interface.where("addresses"))


def _point_to_point(address: str) -> str | None:
    if not address.endswith(("/31", "/30", "/127")):
        return None
    try:
        return str(ipaddress.ip_interface(address).network)
    except ValueError:
        return None


def _described(fabric: Fabric, names: Names) -> Iterator[LinkClaim]:
    """Descriptions that name one known device and one of its ports."""
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            if port.description and port.kind is InterfaceKind.PHYSICAL:
                found = _named(port.description, device, names)
                if found is not None:
                    yield LinkClaim(
                        Endpoint(device, port),
                        found,
                        LinkSource.DESCRIPTION,
                        port.where("description"),
                    )


def _named(description: str, own: Device, names: Names) -> Endpoint | None:
    tokens = _TOKEN.findall(description)
    peers: dict[str, Device] = {}
    for token in tokens:
        device = names.device(token)
        if device is not None and device is not own:
            peers[device.hostname] = device
    if len(peers) != 1:
        return None
    peer = next(iter(peers.values()))
    ports: dict[str, Interface] = {}
    for token in [*tokens, *("".join(pair) for pair in pairwise(tokens))]:
        port = names.port(peer, token)
        if port is not None:
            ports[port.name] = port
    if len(ports) != 1:
        return None
    return Endpoint(peer, next(iter(ports.values())))
