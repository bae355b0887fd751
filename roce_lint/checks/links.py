"""What is said about links, and what contradicts."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.analysis.scope import configured_lossless
from roce_lint.engine.api import (
    Endpoint,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Severity,
    fabric_check,
)
from roce_lint.model.fabric import LinkSource

_WORDS = {
    LinkSource.PLAN: "the cable plan",
    LinkSource.LLDP: "LLDP",
    LinkSource.NEIGHBOR_TABLE: "the configured neighbour table",
}


@fabric_check("links.claims_contradict")
def claims_contradict(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The cable plan, LLDP and neighbour tables name different peers for one port."""
    for conflict in fabric.conflicts:
        device, port = conflict.port
        # What runs against what was planned; a configured table is merely another plan.
        contradicted = {conflict.trusted, conflict.doubted} == {LinkSource.PLAN, LinkSource.LLDP}
        yield Problem(
            f"{device} {port}: {_WORDS[conflict.trusted]} says {conflict.trusted_peer}, "
            f"{_WORDS[conflict.doubted]} says {conflict.doubted_peer}",
            "either a cable is in the wrong port, or what is written about it is out of date; "
            "every finding about this link may be about the wrong one",
            list(conflict.where),
            device,
            (port,),
            value=conflict.doubted_peer,
            severity=None if contradicted else Severity.WARNING,
        )


@fabric_check("links.planned_without_port")
def planned_without_port(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """The cable plan leads to a port that does not exist, or to one that is shut down."""
    for absent in fabric.missing:
        yield Problem(
            f"the cable plan names port {absent.port} of {absent.device}, which has none",
            "nothing on this link is judged: it has one end only",
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
    return qos is not None and configured_lossless(qos)
