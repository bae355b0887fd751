"""What is said about links, and what contradicts."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.scope import states_lossless
from roce_lint.engine.api import (
    Device,
    Endpoint,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    fabric_check,
)
from roce_lint.model.fabric import LinkConflict, LinkSource
from roce_lint.model.interface import Interface

_WORDS = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.LLDP: "LLDP",
    LinkSource.NEIGHBOR_TABLE: "the configured neighbour table",
}


@fabric_check("links.claims_contradict")
def contradicting_link_claims(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The cable plan, LLDP and neighbour tables name different peers for one port."""
    exchanged = _exchanges(fabric)
    for conflict in fabric.conflicts:
        if conflict.trusted is LinkSource.ADDRESS:
            continue  # it is written down wrongly: LNK010
        device, port = conflict.port
        other = exchanged.get(id(conflict))
        if other is not None:
            if other.port > conflict.port:
                yield _crossing(conflict, other)
            continue
        # What runs against what was planned; a configured table is merely another plan.
        contradicted = {conflict.trusted, conflict.doubted} == {LinkSource.PLAN, LinkSource.LLDP}
        heard = conflict.trusted is conflict.doubted is LinkSource.LLDP
        trusted, doubted = _claimants(conflict)
        yield Problem(
            f"{device} {port}: {trusted} says {conflict.trusted_peer}, "
            f"{doubted} says {conflict.doubted_peer}",
            "either a cable is in the wrong port, or what is written about it is out of date; "
            "every finding about this link may be about the wrong one",
            list(conflict.where),
            device,
            (port,),
            value=conflict.doubted_peer,
            severity=None if contradicted or heard else Severity.WARNING,
            assumed="both outputs were heard, and which cable is meant is not known"
            if heard
            else "",
        )


def _claimants(conflict: LinkConflict) -> tuple[str, str]:
    """The two claimants of a conflict; outputs with the times of both captures."""
    if conflict.trusted is not conflict.doubted:
        return _WORDS[conflict.trusted], _WORDS[conflict.doubted]
    doubted, *others = (
        f" captured {where.captured}" if where.captured else "" for where in conflict.where
    )
    name = _WORDS[conflict.trusted]
    return f"{name} output{others[0] if others else ''}", f"another {name} output{doubted}"


def _exchanges(fabric: Fabric) -> dict[int, LinkConflict]:
    """Conflicts of which two are one cause: LLDP sees two planned cables with their ends changed.

    Each of the two has the other one.
    """
    seen = {
        frozenset((_name(conflict.port), conflict.doubted_peer)): conflict
        for conflict in fabric.conflicts
        if (conflict.trusted, conflict.doubted) == (LinkSource.PLAN, LinkSource.LLDP)
    }
    planned: dict[str, str] = {}
    for link in fabric.links:
        if link.known_from is LinkSource.PLAN:
            planned[str(link.a)], planned[str(link.b)] = str(link.b), str(link.a)
    found = {}
    for ends, conflict in seen.items():
        beyond = frozenset(planned.get(end, "") for end in ends)
        other = seen.get(beyond)
        if other is not None and other is not conflict:
            found[id(conflict)] = other
    return found


def _name(port: tuple[str, str]) -> str:
    return " ".join(port)


def _crossing(one: LinkConflict, other: LinkConflict) -> Problem:
    device, port = one.port
    return Problem(
        f"the cables of {device} {port} and {_name(other.port)} are exchanged: LLDP sees "
        f"{one.doubted_peer} and {other.doubted_peer}, planned are {one.trusted_peer} and "
        f"{other.trusted_peer}",
        "traffic of one leaf or rail takes the ports of another; every finding about these links "
        "may be about the wrong one",
        [one.where[0], other.where[0], *one.where[1:], *other.where[1:]],
        device,
        (port,),
        value=one.doubted_peer,
    )


@fabric_check("links.planned_not_heard")
def planned_link_not_heard(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Both ends of a planned link are up, and neither hears the other, though they hear others."""
    listening = {d.hostname for d in fabric.devices.values() if _listens(d)}
    speaks = _speakers(fabric) if listening else set()
    for link in fabric.links if listening else ():
        if link.known_from is not LinkSource.PLAN or any(_hears(end) for end in link.ends):
            continue
        if any(end.interface.enabled is False for end in link.ends):
            continue
        if any(given.analysis.port(*end.key) is None for end in link.ends):
            continue
        for end in link.ends:
            other = link.other(end)
            if end.device.hostname in listening and other.device.hostname in speaks:
                yield Problem(
                    f"{end}: the cable plan links it to {other}, and LLDP hears nobody on it; "
                    f"{other.device.hostname} is heard on other links",
                    "the cable is missing, broken or in a port that nobody planned: the traffic "
                    "takes the remaining paths, or none",
                    [*link.where[:1], end.interface.where(), other.interface.where()],
                    end.device.hostname,
                    (end.interface.name,),
                    value=str(other),
                )
                break


def _speakers(fabric: Fabric) -> set[str]:
    """Devices that another one hears by LLDP on some link."""
    return {
        link.other(end).device.hostname
        for link in fabric.links
        for end in link.ends
        if _heard(end.interface)
    }


def _listens(device: Device) -> bool:
    """Whether the files have LLDP output of a device: it hears somebody."""
    return any(_heard(port) for port in device.interfaces.values())


def _heard(port: Interface) -> bool:
    return any(not neighbor.planned for neighbor in port.neighbors)


def _hears(end: Endpoint) -> bool:
    return _heard(end.interface)


@fabric_check("links.heard_not_planned")
def link_missing_in_plan(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The cable plan has other links of both devices, and not one that LLDP sees."""
    planned = {
        end.device.hostname
        for link in fabric.links
        if link.known_from is LinkSource.PLAN
        for end in link.ends
    }
    for link in fabric.links:
        if link.known_from is not LinkSource.LLDP:
            continue
        ports = [given.analysis.port(*end.key) for end in link.ends]
        if None in ports or any(end.device.hostname not in planned for end in link.ends):
            continue
        yield Problem(
            f"{link.a} is linked to {link.b} by LLDP, the cable plan has neither port",
            "a cable that nobody planned, or a plan that is out of date: what is checked against "
            "the plan leaves this link out",
            list(link.where[:2]),
            link.a.device.hostname,
            (link.a.interface.name,),
            value=str(link.b),
        )


@fabric_check("links.planned_without_port")
def linked_port_shut_or_missing(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """A port that a plan, LLDP or a table links and that is shut down or does not exist."""
    for absent in fabric.missing:
        if absent.named_by not in _WORDS:
            continue  # a description may be old: the answer is incomplete, and nothing is found
        near = f" at the other end of {' '.join(absent.near)}" if absent.near else ""
        yield Problem(
            f"{absent.device} has no port {absent.port}, which {_WORDS[absent.named_by]} names"
            f"{near}",
            "the link is not checked: one of its ends is missing",
            [absent.where],
            absent.device,
            (absent.port,),
            value=absent.port,
        )
    nics = {(device.hostname, nic.port) for device, nic in given.analysis.roce_nics}
    for link in fabric.links:
        if link.known_from not in _WORDS:
            continue
        heard = link.known_from is LinkSource.LLDP
        for end in link.ends:
            other = link.other(end)
            shut = end.interface.enabled is False and other.interface.enabled is not False
            if shut and (other.key in nics or _protects(other)):
                yield Problem(
                    f"{end} is shut down, {_WORDS[link.known_from]} links it to {other}",
                    "the link was up when LLDP was read: it has been shut since, or what runs is "
                    "not what is written"
                    if heard
                    else "the link is down: its traffic takes the remaining paths, or none",
                    [end.interface.where("enabled"), *link.where[:1]],
                    end.device.hostname,
                    (end.interface.name,),
                )


def _protects(end: Endpoint) -> bool:
    """True for a port that is configured to carry a lossless class."""
    qos = end.interface.qos
    return qos is not None and states_lossless(qos)
