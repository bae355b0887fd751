"""Records about links: cable plan, LLDP and neighbour tables, and their contradictions."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.scope import states_lossless
from roce_lint.engine.api import Given, Outcome, Problem, Severity, at_port, fabric_check
from roce_lint.model.fabric import Endpoint, Fabric, LinkConflict, LinkSource
from roce_lint.model.interface import Interface

_WORDS = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.LLDP: "LLDP",
    LinkSource.NEIGHBOR_TABLE: "the configured neighbour table",
}


@fabric_check("links.claims_contradict")
def contradicting_link_claims(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A port for which the cable plan, LLDP or neighbour tables name different peers."""
    exchanged = _exchanges(fabric)
    for conflict in fabric.conflicts:
        if conflict.trusted is LinkSource.ADDRESS:
            continue  # LNK010 reports it
        device, port = conflict.port
        other = exchanged.get(id(conflict))
        if other is not None:
            if other.port > conflict.port:
                yield _crossing(conflict, other)
            continue
        # Only LLDP shows the cable itself; a configured table is merely another plan.
        contradicted = {conflict.trusted, conflict.doubted} == {LinkSource.PLAN, LinkSource.LLDP}
        heard = conflict.trusted is conflict.doubted is LinkSource.LLDP
        trusted, doubted = _sources(conflict)
        yield Problem(
            f"{device} {port}: {trusted} names {conflict.trusted_peer}, "
            f"{doubted} names {conflict.doubted_peer}",
            "either the cable is in the wrong port or a record is out of date: findings about "
            "this link may concern another cable",
            list(conflict.where),
            device,
            (port,),
            value=conflict.doubted_peer,
            severity=None if contradicted or heard else Severity.WARNING,
            assumed="two LLDP outputs disagree, and the current one is unknown" if heard else "",
        )


def _sources(conflict: LinkConflict) -> tuple[str, str]:
    """Names of both sources of a conflict; two outputs with their capture times."""
    if conflict.trusted is not conflict.doubted:
        return _WORDS[conflict.trusted], _WORDS[conflict.doubted]
    doubted, *others = (
        f" captured {where.captured}" if where.captured else "" for where in conflict.where
    )
    name = _WORDS[conflict.trusted]
    return f"{name} output{others[0] if others else ''}", f"another {name} output{doubted}"


def _exchanges(fabric: Fabric) -> dict[int, LinkConflict]:
    """Pairs of conflicts with one cause: LLDP sees two planned cables with swapped ends.

    Maps each conflict by identity to its counterpart.
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
        f"{device} {port} and {_name(other.port)} have swapped cables: LLDP sees "
        f"{one.doubted_peer} and {other.doubted_peer}, planned are {one.trusted_peer} and "
        f"{other.trusted_peer}",
        "traffic of one leaf or rail uses the ports of another: findings about these links may "
        "concern the wrong one",
        [one.where[0], other.where[0], *one.where[1:], *other.where[1:]],
        device,
        (port,),
        value=one.doubted_peer,
    )


@fabric_check("links.planned_not_heard")
def planned_link_without_lldp(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A planned link that is up at both ends and has no LLDP neighbour on either."""
    ports = {d.hostname: d.interfaces.values() for d in fabric.devices.values()}
    listening = {name for name, own in ports.items() if any(map(_hears, own))}
    ends = ((link.other(end), end) for link in fabric.links for end in link.ends)
    speaks = {other.device.hostname for other, end in ends if _hears(end.interface)}
    for link in fabric.links if listening else ():
        if link.known_from is not LinkSource.PLAN:
            continue
        if any(_hears(end.interface) for end in link.ends):
            continue
        if any(end.interface.enabled is False for end in link.ends):
            continue
        if any(given.analysis.port(*end.key) is None for end in link.ends):
            continue
        for end in link.ends:
            other = link.other(end)
            if end.device.hostname in listening and other.device.hostname in speaks:
                yield Problem(
                    f"{end} has no LLDP neighbour, but the cable plan connects it to {other}; "
                    f"{other.device.hostname} sends LLDP on other links",
                    "the cable is missing, broken or in an unplanned port: traffic takes the "
                    "remaining paths, or none",
                    [*link.where[:1], end.interface.where(), other.interface.where()],
                    *at_port(end),
                    value=str(other),
                )
                break


def _hears(port: Interface) -> bool:
    """Whether LLDP output names a neighbour of a port."""
    return any(not neighbor.planned for neighbor in port.neighbors)


@fabric_check("links.heard_not_planned")
def link_missing_in_plan(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A link seen by LLDP between two devices of the cable plan that the plan does not list."""
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
            f"{link.a} is connected to {link.b} (LLDP), but the cable plan lists neither port",
            "the cable is unplanned or the plan is out of date: checks against the plan skip this "
            "link",
            list(link.where[:2]),
            *at_port(link.a),
            value=str(link.b),
        )


@fabric_check("links.planned_without_port")
def linked_port_shut_or_missing(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A port that a plan, LLDP or a neighbour table names, and that is shut down or missing."""
    for absent in fabric.missing:
        if absent.named_by not in _WORDS:
            continue  # a description may be outdated: the result is incomplete, without a finding
        near = f" as the peer of {' '.join(absent.near)}" if absent.near else ""
        yield Problem(
            f"{absent.device} has no port {absent.port}, which {_WORDS[absent.named_by]} names"
            f"{near}",
            "the link is not checked: one end is missing",
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
                    f"{end} is shut down, but {_WORDS[link.known_from]} connects it to {other}",
                    "the link was up when LLDP was captured: it was shut since, or this is not "
                    "the running configuration"
                    if heard
                    else "the link is down: traffic takes the remaining paths, or none",
                    [end.interface.where("enabled"), *link.where[:1]],
                    *at_port(end),
                )


def _protects(end: Endpoint) -> bool:
    """Whether a port is configured to carry a lossless class."""
    qos = end.interface.qos
    return qos is not None and states_lossless(qos)
