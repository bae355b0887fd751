"""Addresses of a link: agreement of both ends, and with the records about the cable."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.scope import states_lossless
from roce_lint.engine.api import Given, Outcome, Problem, device_check, fabric_check, link_check
from roce_lint.engine.finding import Severity
from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkConflict, LinkSource
from roce_lint.model.interface import Address, Interface
from roce_lint.model.qos import Trust
from roce_lint.text.numbers import count
from roce_lint.text.source import Where

_WORDS = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.NEIGHBOR_TABLE: "the configured neighbour table",
    LinkSource.DESCRIPTION: "its description",
}


@link_check("links.one_end_shut")
def link_with_one_end_shut(link: Link, given: Given) -> Iterator[Outcome]:
    """One end of an inferred link is shut down while the other is up."""
    if not link.known_from.inferred or not _is_credible(link):
        return
    for end in link.ends:
        other = link.other(end)
        if end.interface.enabled is not False or other.interface.enabled is False:
            continue
        if _carries_roce(other):
            message = f"{end} is shut down, but its peer {other} is up and configured for RoCE"
            harm = "the link is down: traffic takes the remaining paths, or none"
            at, names = [end.interface.where("enabled"), *link.where[:1]], (end.interface.name,)
            note = link_note(assumed=link.assumed)
            yield Problem(message, harm, at, end.device.hostname, names, assumed=note)


def _is_credible(link: Link) -> bool:
    """Whether more than one description, which may be outdated, supports the link: another source,
    or the descriptions of both ends.
    """
    return link.known_from is not LinkSource.DESCRIPTION or all(
        link.other(end).device.hostname.casefold() in (end.interface.description or "").casefold()
        for end in link.ends
    )


def _carries_roce(end: Endpoint) -> bool:
    """Whether a port is configured to carry a RoCE class."""
    qos = end.interface.qos
    if end.device.is_host or qos is None:
        return False
    trusts = qos.stated("trust") and qos.trust not in (None, Trust.NONE)
    return states_lossless(qos) or qos.stated("classifier") or trusts


@device_check("links.address_on_switched_port")
def address_on_switched_port(device: Device, given: Given) -> Iterator[Outcome]:
    """A RoCE port with an IP address that is switched, not routed."""
    judged = [] if device.is_host else given.analysis.ports_of(device)
    ports = (device.interfaces.get(j.interface.lag or "", j.interface) for j in judged)
    for port in {port.name: port for port in ports}.values():
        if port.routed is not False or not port.addresses or port.peer_link:
            continue
        yield Problem(
            f"{device.hostname} {port.name} has IP address {port.addresses[0]} but is switched",
            "the address is inactive: no route or BGP session uses this port",
            [port.where("addresses"), port.where("routed")],
            subjects=(port.name,),
            value=str(port.routed),
        )


@fabric_check("links.different_subnets")
def ends_in_different_subnets(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Ends of a link whose addresses have no common subnet."""
    apart = []
    together = 0
    for link in fabric.links:
        if link.known_from in (LinkSource.ADDRESS, LinkSource.REUSED_ADDRESS):
            together += 1
        elif _is_credible(link) and all(e.interface.enabled is not False for e in link.ends):
            fits = _fit(link)
            together += fits is True
            if fits is False:
                apart.append(link)
            elif fits and any(end.device.is_host for end in link.ends):
                yield from _masks_and_addresses(link)
            yield from _self_assigned(link)
    if together or len(apart) == 1:  # else these are not the addresses of these links
        for link in apart:
            yield _in_two_subnets(link)


def _masks_and_addresses(link: Link) -> Iterator[Outcome]:
    """A host and its switch with the same address, or with overlapping subnets of other sizes."""
    a, b = sorted(link.ends, key=lambda end: not end.device.is_host)
    mine, theirs = _addresses(a)[1], _addresses(b)[1]
    agreed = {one.network for one in mine} & {other.network for other in theirs}
    for one, other in itertools.product(mine, theirs):
        if one.ip == other.ip:
            message = f"{a} and its peer {b} have the same address {one.ip}"
            harm = "neither reaches the other: each delivers packets for the address to itself"
            yield _of_both(link, a, message, harm, str(one.ip))
        elif not agreed and one.network.overlaps(other.network):
            message = f"{a} has {one}, its peer {b} has {other}: the subnets differ in size"
            harm = "the end with the larger subnet reaches its other addresses only if the peer "
            harm += "answers ARP for them"
            value = f"/{one.network.prefixlen} against /{other.network.prefixlen}"
            yield replace(_of_both(link, a, message, harm, value), severity=Severity.INFO)


def _self_assigned(link: Link) -> Iterator[Outcome]:
    """A host whose only IPv4 address is link-local, on a routed link."""
    for end in link.ends:
        own, other = end.interface.parsed_addresses, link.other(end)
        mine, theirs = _spell(own, {4}), _spell(_addresses(other)[1], {4})
        usable = any(not one.is_link_local for one in own) or other.interface.routed is False
        if end.device.is_host and mine and theirs and not usable:
            message = f"{end} has only the link-local address {mine}, its peer {other} has "
            harm = "link-local addresses are not routed: RoCE over this port reaches no one"
            yield _of_both(link, end, message + theirs, harm, "link-local")


def _fit(link: Link) -> bool | None:
    """Whether the ends share a subnet; None where they have no IP version in common."""
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
    found, opposite = _spell(mine, versions), _spell(theirs, versions)
    harm = "the ends cannot communicate: no route uses the link, and traffic takes the remaining "
    harm += "paths, or none"
    message = f"{a} has {found}, its peer {b} has {opposite}: no common subnet"
    return _of_both(link, a, message, harm, f"{found}/{opposite}")


def _of_both(link: Link, first: Endpoint, message: str, harm: str, value: str) -> Problem:
    """Problem of the addresses of both ends, reported at the first."""
    at = [_addresses(first)[0], _addresses(link.other(first))[0], *link.where[:1]]
    device, names = first.device.hostname, (first.interface.name,)
    note = link_note(assumed=link.assumed)
    return Problem(message, harm, at, device, names, value, assumed=note)


def _addresses(end: Endpoint) -> tuple[Where, list[Address]]:
    """Line and addresses of a port or its channel, without link-local ones and host routes."""
    port: Interface | None = end.interface
    if port is not None and not port.addresses and port.lag is not None:
        port = end.device.interfaces.get(port.lag)
    port = port or end.interface
    shared = [one for one in port.parsed_addresses if one.network.num_addresses > 1]
    return port.where("addresses"), [one for one in shared if not one.is_link_local]


def _spell(addresses: list[Address], versions: set[int]) -> str:
    return ", ".join(str(address) for address in addresses if address.version in versions)


@fabric_check("links.addresses_contradict")
def link_record_contradicts_addresses(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A plan, neighbour table or description that contradicts the addresses of both ends."""
    found: dict[tuple[str, LinkSource], list[LinkConflict]] = defaultdict(list)
    for conflict in fabric.conflicts:
        if conflict.trusted is LinkSource.ADDRESS:
            found[conflict.port[0], conflict.doubted].append(conflict)
    for (device, source), conflicts in found.items():
        first, *rest = conflicts
        more = f"; likewise {count(len(rest), 'more port')}" if rest else ""
        at = [*(conflict.where[0] for conflict in conflicts), *(() if rest else first.where[1:])]
        yield Problem(
            f"{' '.join(first.port)}: {_WORDS[source]} names {first.doubted_peer}, but its address "
            f"shares a subnet with {first.trusted_peer}{more}",
            "the record describes another cable: recabling by it takes down the wrong link",
            at,
            device,
            tuple(conflict.port[1] for conflict in conflicts),
            value=", ".join(conflict.doubted_peer for conflict in conflicts),
            several=bool(rest),
            severity=Severity.INFO if source is LinkSource.DESCRIPTION else None,
        )
