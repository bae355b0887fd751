"""The addresses of a link: what they say of its ends, and whether they can speak to each other."""

from __future__ import annotations

import contextlib
import ipaddress
import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.scope import states_lossless
from roce_lint.engine.api import (
    Device,
    Endpoint,
    Fabric,
    Given,
    Link,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
    device_check,
    fabric_check,
    link_check,
)
from roce_lint.model.fabric import LinkConflict, LinkSource
from roce_lint.model.interface import Interface
from roce_lint.model.qos import Trust

Address = ipaddress.IPv4Interface | ipaddress.IPv6Interface

_WORDS = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.NEIGHBOR_TABLE: "the configured neighbour table",
    LinkSource.DESCRIPTION: "its description",
}


@link_check("links.one_end_shut")
def link_with_one_end_shut(link: Link, given: Given[NoParams]) -> Iterator[Outcome]:
    """Addresses or descriptions link two ports, and one of them is shut down."""
    if not link.known_from.inferred or not _is_believed(link):
        return
    for end in link.ends:
        other = link.other(end)
        if end.interface.enabled is not False or other.interface.enabled is False:
            continue
        if _is_meant(other):
            message = f"{end} is shut down, and {other} at the other end is up and made for RoCE"
            harm = "the link is down: its traffic takes the remaining paths, or none"
            at, names = [end.interface.where("enabled"), *link.where[:1]], (end.interface.name,)
            note = link_note(assumed=link.assumed)
            yield Problem(message, harm, at, end.device.hostname, names, assumed=note)


def _is_believed(link: Link) -> bool:
    """False where one old description may have made the link."""
    return link.known_from is not LinkSource.DESCRIPTION or _mutual(link)


def _is_meant(end: Endpoint) -> bool:
    """True for a port that is configured to carry a class of RoCE."""
    qos = end.interface.qos
    if end.device.is_host or qos is None:
        return False
    trusts = qos.stated("trust") and qos.trust not in (None, Trust.NONE)
    return states_lossless(qos) or qos.stated("classifier") or trusts


def _mutual(link: Link) -> bool:
    """True where the description of each end names the device at the other."""
    return all(
        link.other(end).device.hostname.casefold() in (end.interface.description or "").casefold()
        for end in link.ends
    )


@device_check("links.address_on_switched_port")
def address_on_switched_port(device: Device, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port of RoCE has an address and does not route."""
    judged = [] if device.is_host else given.analysis.ports_of(device)
    ports = (device.interfaces.get(j.interface.lag or "", j.interface) for j in judged)
    for port in {port.name: port for port in ports}.values():
        if port.routed is not False or not port.addresses or port.peer_link:
            continue
        yield Problem(
            f"{device.hostname} {port.name} has the address {port.addresses[0]} and is switched",
            "the address is not in force: no route and no session goes over this port",
            [port.where("addresses"), port.where("routed")],
            device.hostname,
            (port.name,),
            value=str(port.routed),
        )


@fabric_check("links.different_subnets")
def ends_in_different_subnets(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Both ends of a link have addresses, and none of one is in a subnet of the other."""
    apart = []
    together = 0
    for link in fabric.links:
        if link.known_from in (LinkSource.ADDRESS, LinkSource.REUSED_ADDRESS):
            together += 1
        elif _says_who_is_linked(link):
            fits = _fit(link)
            together += fits is True
            if fits is False:
                apart.append(link)
            elif fits and any(end.device.is_host for end in link.ends):
                yield from _masks_and_addresses(link)
            yield from _given_to_itself(link)
    if together or len(apart) == 1:  # else these are not the addresses of these links
        for link in apart:
            yield _in_two_subnets(link)


def _masks_and_addresses(link: Link) -> Iterator[Outcome]:
    """A host and its switch have one address, or subnets that overlap and differ in size."""
    a, b = sorted(link.ends, key=lambda end: not end.device.is_host)
    mine, theirs = _addresses(a)[1], _addresses(b)[1]
    agreed = {one.network for one in mine} & {other.network for other in theirs}
    for one, other in itertools.product(mine, theirs):
        if one.ip == other.ip:
            message = f"{a} and {b} at the other end have the same address {one.ip}"
            harm = "neither reaches the other: what is sent to the address stays where it is sent"
            yield _of_both(link, a, message, harm, str(one.ip))
        elif not agreed and one.network.overlaps(other.network):
            message = f"{a} has {one}, {b} at the other end {other}: the subnets differ in size"
            harm = "the end with the larger one looks for all of its addresses on this link: they "
            harm += "are reached only where the peer answers ARP for them"
            value = f"/{one.network.prefixlen} against /{other.network.prefixlen}"
            yield replace(_of_both(link, a, message, harm, value), severity=Severity.INFO)


def _given_to_itself(link: Link) -> Iterator[Outcome]:
    """A host has no other IPv4 address than one it gave to itself, on a link that routes."""
    for end in link.ends:
        own, other = _parsed(end.interface), link.other(end)
        mine, theirs = _spell(own, {4}), _spell(_addresses(other)[1], {4})
        usable = any(not one.is_link_local for one in own) or other.interface.routed is False
        if end.device.is_host and mine and theirs and not usable:
            message = f"{end} has given itself the address {mine}, {other} at the other end has "
            harm = "no router passes the address on: RoCE over this port reaches nobody"
            yield _of_both(link, end, message + theirs, harm, "link-local")


def _says_who_is_linked(link: Link) -> bool:
    """Whether the link is known well enough, and up."""
    return _is_believed(link) and all(end.interface.enabled is not False for end in link.ends)


def _fit(link: Link) -> bool | None:
    """Whether the ends have a subnet in common; None where one has no address of a kind that the
    other has.
    """
    mine, theirs = (_addresses(end)[1] for end in link.ends)
    if not _versions(mine, theirs):
        return None
    return any(one.network.overlaps(other.network) for one in mine for other in theirs)


def _versions(mine: list[Address], theirs: list[Address]) -> set[int]:
    versions: set[int] = {one.version for one in mine}
    return versions & {other.version for other in theirs}


def _in_two_subnets(link: Link) -> Problem:
    mine, theirs = (_addresses(end)[1] for end in link.ends)
    versions = _versions(mine, theirs)
    a, b = link.ends
    found, wanted = _spell(mine, versions), _spell(theirs, versions)
    harm = (
        "the ends cannot speak to each other: no route goes over the link, and its traffic takes "
    )
    harm += "the remaining paths, or none"
    message = f"{a} has {found}, {b} at the other end {wanted}"
    return _of_both(link, a, message, harm, f"{found}/{wanted}")


def _of_both(link: Link, first: Endpoint, message: str, harm: str, value: str) -> Problem:
    """A problem of the addresses of both ends, reported at the first."""
    at = [_addresses(first)[0], _addresses(link.other(first))[0], *link.where[:1]]
    device, names = first.device.hostname, (first.interface.name,)
    note = link_note(assumed=link.assumed)
    return Problem(message, harm, at, device, names, value, assumed=note)


def _addresses(end: Endpoint) -> tuple[Where, list[Address]]:
    """Addresses of a port, or of the channel it is a member of, that are in a subnet with others,
    and their line.
    """
    port: Interface | None = end.interface
    if port is not None and not port.addresses and port.lag is not None:
        port = end.device.interfaces.get(port.lag)
    port = port or end.interface
    shared = [one for one in _parsed(port) if one.network.num_addresses > 1]
    return port.where("addresses"), [one for one in shared if not one.is_link_local]


def _parsed(port: Interface) -> list[Address]:
    found = []
    for text in port.addresses:
        with contextlib.suppress(ValueError):
            found.append(ipaddress.ip_interface(text))
    return found


def _spell(addresses: list[Address], versions: set[int]) -> str:
    return ", ".join(str(address) for address in addresses if address.version in versions)


@fabric_check("links.addresses_contradict")
def addresses_of_another_link(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A plan, neighbour table or description names another peer than the addresses of both ends."""
    found: dict[tuple[str, LinkSource], list[LinkConflict]] = defaultdict(list)
    for conflict in fabric.conflicts:
        if conflict.trusted is LinkSource.ADDRESS:
            found[conflict.port[0], conflict.doubted].append(conflict)
    for (device, source), conflicts in found.items():
        first, *rest = conflicts
        more = f"; the same of {len(rest)} more of its ports" if rest else ""
        at = [*(conflict.where[0] for conflict in conflicts), *(() if rest else first.where[1:])]
        yield Problem(
            f"{' '.join(first.port)}: {_WORDS[source]} says {first.doubted_peer}, and its address "
            f"is in one subnet with {first.trusted_peer}{more}",
            "what is written is of another cable: whoever plans or moves cables by it takes down "
            "the wrong link",
            at,
            device,
            tuple(conflict.port[1] for conflict in conflicts),
            value=", ".join(conflict.doubted_peer for conflict in conflicts),
            several=bool(rest),
            severity=Severity.INFO if source is LinkSource.DESCRIPTION else None,
        )
