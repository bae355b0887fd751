"""The addresses of a link: what they say of its ends, and whether they can speak to each other."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator

from roce_lint.analysis.port_parts import link_note
from roce_lint.analysis.scope import states_lossless
from roce_lint.engine.api import (
    Endpoint,
    Fabric,
    Given,
    Link,
    NoParams,
    Outcome,
    Problem,
    Severity,
    Where,
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
            yield Problem(
                f"{end} is shut down, and {other} at the other end is up and made for RoCE",
                "the link is down: its traffic takes the remaining paths, or none",
                [end.interface.where("enabled"), *link.where[:1]],
                end.device.hostname,
                (end.interface.name,),
                assumed=link_note(assumed=link.assumed),
            )


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
    if together or len(apart) == 1:  # else these are not the addresses of these links
        for link in apart:
            yield _in_two_subnets(link)


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
    (first, mine), (second, theirs) = (_addresses(end) for end in link.ends)
    versions = _versions(mine, theirs)
    a, b = link.ends
    return Problem(
        f"{a} has {_spell(mine, versions)}, {b} at the other end {_spell(theirs, versions)}",
        "the ends cannot speak to each other: no route goes over the link, and its traffic takes "
        "the remaining paths, or none",
        [first, second, *link.where[:1]],
        a.device.hostname,
        (a.interface.name,),
        value=f"{_spell(mine, versions)}/{_spell(theirs, versions)}",
        assumed=link_note(assumed=link.assumed),
    )


def _addresses(end: Endpoint) -> tuple[Where, list[Address]]:
    """Addresses of a port, or of the channel it is a member of, that are in a subnet with others,
    and their line.
    """
    port: Interface | None = end.interface
    if port is not None and not port.addresses and port.lag is not None:
        port = end.device.interfaces.get(port.lag)
    port = port or end.interface
    found = []
    for text in port.addresses:
        try:
            address = ipaddress.ip_interface(text)
        except ValueError:
            continue
        if not address.is_link_local and address.network.num_addresses > 1:
            found.append(address)
    return port.where("addresses"), found


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
        yield Problem(
            f"{' '.join(first.port)}: {_WORDS[source]} says {first.doubted_peer}, and its address "
            f"is in one subnet with {first.trusted_peer}{more}",
            "what is written is of another cable: whoever plans or moves cables by it takes down "
            "the wrong link",
            [
                *(conflict.where[0] for conflict in conflicts),
                *(() if rest else first.where[1:]),
            ],
            device,
            tuple(conflict.port[1] for conflict in conflicts),
            value=", ".join(conflict.doubted_peer for conflict in conflicts),
            several=bool(rest),
            severity=Severity.INFO if source is LinkSource.DESCRIPTION else None,
        )
