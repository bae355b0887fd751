"""Resolves claims about links, in order of trust, into links and conflicts."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from roce_lint.model.device import Device
from roce_lint.model.fabric import Endpoint, Fabric, Link, LinkConflict, LinkSource, MissingPort
from roce_lint.model.interface import AGAIN, Interface, InterfaceKind, Neighbor
from roce_lint.text.names import first_names, likely_name
from roce_lint.text.numbers import whole_of
from roce_lint.text.source import Where
from roce_lint.topology.name_index import Names
from roce_lint.topology.plan_file import PlannedLink

_TOKEN = re.compile(r"[^\s_:,;()\[\]<>|=\"']+")

PROOFS = 4
"""Stored places that state the same link or conflict."""

NAMED = 5
"""Unknown devices of a plan that a message lists."""

PortKey = tuple[str, str]


@dataclass(slots=True)
class LinkClaim:
    """A claim that two ports are on one cable."""

    a: Endpoint
    b: Endpoint
    source: LinkSource
    where: Where
    planned: PlannedLink | None = None
    files: frozenset[int] = frozenset()  # of its device, those that show a neighbour


@dataclass(slots=True)
class UnresolvedLink:
    """An entry of a plan that could not be used.

    `device` is the one whose configuration lacks a named port: its file may have been cut off.
    """

    text: str
    where: Where
    device: str = ""


def build_fabric(
    devices: Iterable[Device], plan: list[PlannedLink] | None = None
) -> tuple[Fabric, list[UnresolvedLink]]:
    """Build a fabric from devices; planned links override everything received or inferred."""
    fabric = Fabric({d.hostname: d for d in sorted(devices, key=lambda d: d.hostname)})
    names = Names(fabric.devices.values())
    unresolved: list[UnresolvedLink] = []
    addressed = list(_address_claims(fabric))
    claims = [
        *_plan_claims(plan or [], names, unresolved, fabric),
        *_heard(fabric, names),
        *_description_claims(fabric, names),
    ]
    claims = [*_possible(claims, addressed, fabric), *addressed]
    claims.sort(key=lambda claim: claim.source)  # stable: file order within one source
    contradicted: dict[tuple[LinkSource, frozenset[PortKey]], LinkConflict] = {}
    shown = {(claim.a.key, claim.b.key): claim.files for claim in claims if claim.files}
    for claim in claims:
        taken = _join(fabric, claim)
        if taken is None or claim.source.inferred or taken.known_from.inferred:
            continue  # inferred links fill gaps and contradict nothing
        if claim.source is not taken.known_from:
            _contradict(fabric, claim, taken, contradicted)
        elif claim.source is LinkSource.PLAN:
            text = f"ignored: {claim.a} to {claim.b}, because {taken.a} goes to {taken.b}"
            unresolved.append(UnresolvedLink(text, claim.where))
        elif not _hears_both(claim, taken, shown):
            _contradict(fabric, claim, taken, contradicted)
    fabric.conflicts += _wrong_names(fabric, names)
    fabric.missing += _absent_ends(fabric, names)
    unresolved += _not_whole(fabric.missing)
    fabric.links.sort(key=lambda link: (link.a.key, link.b.key))
    return fabric, unresolved


def _possible(
    claims: list[LinkClaim], addressed: list[LinkClaim], fabric: Fabric
) -> Iterator[LinkClaim]:
    """Claims that do not contradict the addresses of both ends; the others become conflicts.

    Two addresses of one small subnet are configuration in force. A mistyped one has no partner, or
    one with a known cable, so each end must have its own partner. LLDP is an observation and always
    stays.
    """
    partners: dict[PortKey, tuple[Endpoint, LinkClaim]] = {}
    for claim in addressed:
        partners.setdefault(claim.a.key, (claim.b, claim))
        partners.setdefault(claim.b.key, (claim.a, claim))
    heard = {
        frozenset((claim.a.key, claim.b.key)) for claim in claims if claim.source is LinkSource.LLDP
    }
    listening = {key for pair in heard for key in pair}
    contradicted: dict[tuple[LinkSource, frozenset[PortKey]], LinkConflict] = {}
    for claim in claims:
        keys = frozenset((claim.a.key, claim.b.key))
        near, far = [partners.get(end.key) for end in (claim.a, claim.b)]
        if near is None or far is None or near[0].key == claim.b.key or keys & listening:
            yield claim
            continue
        known = contradicted.get((claim.source, keys))
        if known is not None:
            if len(known.where) < PROOFS:
                known.where = (*known.where, claim.where)
            continue
        contradicted[claim.source, keys] = conflict = LinkConflict(
            claim.a.key,
            LinkSource.ADDRESS,
            claim.source,
            str(near[0]),
            str(claim.b),
            (
                claim.where,
                claim.a.interface.where("addresses"),
                near[0].interface.where("addresses"),
            ),
        )
        fabric.conflicts.append(conflict)


def _wrong_names(fabric: Fabric, names: Names) -> Iterator[LinkConflict]:
    """Neighbour tables that name a known device without such a port, where the received or planned
    link goes to another device.
    """
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            link = fabric.by_port.get((device.hostname, port.name))
            if link is None or link.assumed:
                continue
            (peer,) = (end for end in link.ends if end.key != (device.hostname, port.name))
            for neighbor in port.neighbors:
                named = names.device(neighbor.device) if neighbor.planned else None
                if named is None or named is peer.device or named is device:
                    continue
                if names.heard(neighbor.device, neighbor.names) is None:
                    doubted = " ".join([named.hostname, *neighbor.names[:1]])
                    yield LinkConflict(
                        (device.hostname, port.name),
                        link.known_from,
                        LinkSource.NEIGHBOR_TABLE,
                        str(peer),
                        doubted,
                        (neighbor.where("device"), *link.where),
                    )


def _join(fabric: Fabric, claim: LinkClaim) -> Link | None:
    """Add or confirm the link; return the other link that already has one of the ports."""
    known = [fabric.by_port.get(end.key) for end in (claim.a, claim.b)]
    keys = {claim.a.key, claim.b.key}
    same = next((one for one in known if one and {end.key for end in one.ends} == keys), None)
    if same is not None:
        if not claim.source.inferred and len(same.where) < PROOFS:
            same.where = (*same.where, claim.where)
        return None
    taken = known[0] or known[1]
    if taken is not None and not _is_shared(claim, known):
        return taken
    a, b = sorted((claim.a, claim.b), key=lambda end: end.key)
    plan = claim.planned or PlannedLink(a.key, b.key, claim.where)
    link = Link(a, b, claim.source, (claim.where,), plan.cable_m, plan.speed_gbps, plan.rail)
    fabric.links.append(link)
    for end in link.ends:
        fabric.by_port.setdefault(end.key, link)
    return None


def _is_shared(claim: LinkClaim, known: list[Link | None]) -> bool:
    """Whether a claim is the second leg of a cable that two switches share: the host's port already
    has a link, and both switches declare their port as shared.
    """
    for end, link, other in ((claim.a, known[0], known[1]), (claim.b, known[1], known[0])):
        if end.interface.shared_with is None or link is not None or other is None:
            continue
        if any(leg.interface.shared_with is not None for leg in other.ends):
            return True
    return False


def _hears_both(
    claim: LinkClaim, taken: Link, shown: dict[tuple[PortKey, PortKey], frozenset[int]]
) -> bool:
    """Whether one output shows both neighbours on one port.

    That happens with the LLDP agents of a NIC's firmware and of its host. Two outputs that show one
    each contradict each other.
    """
    for end in taken.ends:
        if end.key == claim.a.key:
            other = shown.get((end.key, taken.other(end).key), frozenset())
            return not claim.files.isdisjoint(other)
    return False


def _contradict(
    fabric: Fabric,
    claim: LinkClaim,
    taken: Link,
    known: dict[tuple[LinkSource, frozenset[PortKey]], LinkConflict],
) -> None:
    """Record a conflict with a more trusted link; claims from both of its ends are one."""
    key = (claim.source, frozenset((claim.a.key, claim.b.key)))
    conflict = known.get(key)
    if conflict is not None:
        if len(conflict.where) < PROOFS:
            first, *rest = conflict.where
            conflict.where = (first, claim.where, *rest)
        return
    ours = {end.key for end in taken.ends}
    port, doubted = (claim.a, claim.b) if claim.a.key in ours else (claim.b, claim.a)
    trusted = taken.b if taken.a.key == port.key else taken.a
    conflict = known[key] = LinkConflict(
        port.key,
        taken.known_from,
        claim.source,
        str(trusted),
        str(doubted),
        (claim.where, *taken.where),
    )
    fabric.conflicts.append(conflict)


def _plan_claims(
    plan: list[PlannedLink], names: Names, unresolved: list[UnresolvedLink], fabric: Fabric
) -> Iterator[LinkClaim]:
    absent: dict[str, Where] = {}
    for link in plan:
        ends = []
        for device, port in (link.a, link.b):
            end = names.endpoint(device, port)
            ends.append(end)
            if end is None and names.device(device) is None:
                absent.setdefault(device, link.where)
            elif end is None:
                known = _whole(names, device)
                if known is not None:
                    fabric.missing.append(MissingPort(known.hostname, port, link.where))
                else:
                    text = f"{device} has no port {port}"
                    unresolved.append(UnresolvedLink(text, link.where))
        a, b = ends
        if a is None or b is None:
            near, (name, port) = (a, link.b) if a is not None else (b, link.a)
            if near is not None:
                known = names.device(name)
                far = name if known is None else known.hostname
                fabric.unread[near.key] = _far_end(far, port, link.where)
            continue
        if a.key == b.key:
            unresolved.append(UnresolvedLink(f"{a} cannot be linked to itself", link.where))
            continue
        yield LinkClaim(a, b, LinkSource.PLAN, link.where, link)
    if absent:
        hostnames, unknown = list(fabric.devices), list(absent)
        hinted = [_with_hint(name, hostnames) for name in unknown[:NAMED]]
        shown = first_names([*hinted, *unknown[NAMED:]], NAMED)
        whose = "their" if len(absent) > 1 else "its"
        text = f"no configuration for {shown}; {whose} links are ignored"
        unresolved.append(UnresolvedLink(text, next(iter(absent.values()))))


def _with_hint(device: str, hostnames: list[str]) -> str:
    """`spin2 (did you mean spine2?)`, if a device has nearly that name."""
    wanted = likely_name(device, hostnames)
    return f"{device} (did you mean {wanted}?)" if wanted else device


def _far_end(device: str, port: str, where: Where) -> Neighbor:
    at: dict[Hashable, int] = {"": where.position, "device": where.position}
    return Neighbor(
        device=device, names=(port,), planned=True, by="the cable plan", src=where.src, at=at
    )


def _whole(names: Names, device: str) -> Device | None:
    """The device if it was read completely; otherwise the port may be in another file."""
    known = names.device(device)
    return None if known is None or known.partial or not known.interfaces else known


def _absent_ends(fabric: Fabric, names: Names) -> Iterator[MissingPort]:
    """Ports named by an unlinked neighbour or description that a fully read device lacks."""
    for device in fabric.devices.values():
        nics = {nic.port for nic in device.nics.values()}
        for port in device.interfaces.values():
            if not port.neighbors and not port.description:
                continue
            linked = (device.hostname, port.name) in fabric.by_port
            carries = port.kind is InterfaceKind.PHYSICAL and port.enabled is not False
            if linked or not carries or (device.is_host and port.name not in nics):
                continue
            named = [
                (
                    [neighbor.device],
                    neighbor.names,
                    LinkSource.NEIGHBOR_TABLE if neighbor.planned else LinkSource.LLDP,
                    neighbor.where("names" if neighbor.stated("names") else ""),
                )
                for neighbor in port.neighbors
            ]
            if port.description:
                words = _TOKEN.findall(port.description)
                place = port.where("description")
                named.append((words, tuple(words), LinkSource.DESCRIPTION, place))
            for devices, ports, source, where in named:
                found = {d.hostname: d for name in devices if (d := _whole(names, name))}
                far = next(iter(found.values())) if len(found) == 1 else None
                name = None if far in (None, device) else names.absent_port(far, ports)
                if far is not None and name is not None:
                    near = (device.hostname, port.name)
                    yield MissingPort(far.hostname, name, where, source, near)
                    break


def _not_whole(missing: Iterable[MissingPort]) -> Iterator[UnresolvedLink]:
    """A remark on each device that lacks ports named by others."""
    by_device: dict[str, list[MissingPort]] = {}
    for each in missing:
        by_device.setdefault(each.device, []).append(each)
    for device, lacking in by_device.items():
        ports = list(dict.fromkeys(each.port for each in lacking))
        near = " ".join(lacking[0].near or ("the cable plan",))
        text = (
            f"{device} has no port {first_names(ports, NAMED)}, which {near} names: "
            "its configuration is cut off, or another one is meant"
        )
        yield UnresolvedLink(text, lacking[0].where, device)


def _heard(fabric: Fabric, names: Names) -> Iterator[LinkClaim]:
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            for neighbor in port.neighbors:
                found = names.heard(neighbor.device, neighbor.names, is_cut=bool(neighbor.is_cut))
                if found is None or found.device is device:
                    continue
                source = LinkSource.NEIGHBOR_TABLE if neighbor.planned else LinkSource.LLDP
                place = neighbor.where("names" if neighbor.stated("names") else "")
                lines = (neighbor.at.get("", 0), neighbor.at.get(AGAIN, 0))
                files = frozenset(device.src.file_of(n) for n in lines if n > 0)
                heard = frozenset() if neighbor.planned else files
                yield LinkClaim(Endpoint(device, port), found, source, place, files=heard)


def _address_claims(fabric: Fabric) -> Iterator[LinkClaim]:
    """Both ends of a /31, /30 or /127 that exactly two ports or channels of two devices share.

    The name of a VRF is local to a device; it separates networks with overlapping addresses.
    """
    networks: dict[str, dict[PortKey, tuple[Endpoint, str]]] = {}
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            if port.kind not in (InterfaceKind.PHYSICAL, InterfaceKind.LAG):
                continue
            for address in port.addresses:
                network = _point_to_point(address)
                if network is not None:
                    end = Endpoint(device, port)
                    networks.setdefault(network, {})[end.key] = (end, address)
    for shared in networks.values():
        by_vrf: dict[str | None, list[tuple[Endpoint, str]]] = {}
        reused = len(shared) > 2
        for end, address in shared.values():
            by_vrf.setdefault(end.interface.vrf if reused else None, []).append((end, address))
        source = LinkSource.REUSED_ADDRESS if reused else LinkSource.ADDRESS
        for ends in by_vrf.values():
            if len(ends) != 2 or ends[0][1] == ends[1][1]:
                continue
            (a, _), (b, _) = ends
            if a.device is not b.device:
                where = a.interface.where("addresses")
                for one, other in _cables(a, b):
                    yield LinkClaim(one, other, source, where)


def _cables(a: Endpoint, b: Endpoint) -> Iterator[tuple[Endpoint, Endpoint]]:
    """The cables between two ports or channels; channels of equal size are paired by member."""
    ends = [_members(end) for end in (a, b)]
    if len(ends[0]) == len(ends[1]):
        yield from zip(*ends, strict=True)


def _members(end: Endpoint) -> list[Endpoint]:
    device, port = end.device, end.interface
    if port.kind is InterfaceKind.PHYSICAL:
        return [end]
    return [
        Endpoint(device, each)
        for each in device.interfaces.values()
        if each.lag == port.name or each.name in port.members
    ]


def _point_to_point(address: str) -> str | None:
    """The network of an address with at most two usable hosts."""
    text, _, length = address.partition("/")
    if length not in (("127",) if ":" in text else ("31", "30")):
        return None
    head, _, last = text.rpartition(".")
    if head.replace(".", "").isdecimal() and last.isdecimal() and whole_of(last) < 256:
        # Equivalent to the library call below, which takes most of the time of this module.
        return f"{head}.{whole_of(last) & (-2 if length == '31' else -4)}/{length}"
    try:
        return str(ipaddress.ip_interface(address).network)
    except ValueError:
        return None


def _description_claims(fabric: Fabric, names: Names) -> Iterator[LinkClaim]:
    """Descriptions that name one known device and one of its ports.

    Descriptions become outdated: one that the other end's description contradicts, or that names
    the same port as another one, is ignored.
    """
    named: dict[PortKey, tuple[Endpoint, Endpoint]] = {}
    known: dict[str, _Description] = {}  # by description: many ports have the same one
    for device in fabric.devices.values():
        for port in device.interfaces.values():
            if port.description and port.kind is InterfaceKind.PHYSICAL:
                words = known.get(port.description)
                if words is None:
                    words = known[port.description] = _read_description(port.description, names)
                found = _endpoint(words, device, names)
                if found is not None:
                    end = Endpoint(device, port)
                    named[end.key] = (end, found)
    targets = Counter(found.key for _, found in named.values())
    for key, (end, found) in named.items():
        back = named.get(found.key)
        if targets[found.key] == 1 and (back is None or back[1].key == key):
            yield LinkClaim(end, found, LinkSource.DESCRIPTION, end.interface.where("description"))


_Description = tuple[list[str], dict[str, Device]]
"""Words of a description that may be names, and the devices that they name."""


def _read_description(description: str, names: Names) -> _Description:
    tokens = _TOKEN.findall(description)
    words = description.split()  # names may contain other separators: leaf_1
    devices: dict[str, Device] = {}
    for token in {*tokens, *words}:
        device = names.device(token)
        if device is not None:
            devices[device.hostname] = device
    return tokens, devices


def _endpoint(words: _Description, own: Device, names: Names) -> Endpoint | None:
    tokens, devices = words
    peers = [device for device in devices.values() if device is not own]
    if len(peers) != 1:
        return None
    peer = peers[0]
    ports: dict[str, Interface] = {}
    for token in [*tokens, *("".join(pair) for pair in pairwise(tokens))]:
        port = names.port(peer, token)
        if port is not None:
            ports[port.name] = port
    return Endpoint(peer, next(iter(ports.values()))) if len(ports) == 1 else None
