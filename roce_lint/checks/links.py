"""What is said about links, and what contradicts."""

from __future__ import annotations

from collections.abc import Iterator

from roce_lint.engine.api import Fabric, Given, NoParams, Outcome, Problem, fabric_check
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
        yield Problem(
            f"{device} {port}: {_WORDS[conflict.trusted]} says {conflict.trusted_peer}, "
            f"{_WORDS[conflict.doubted]} says {conflict.doubted_peer}",
            "either a cable is in the wrong port, or what is written about it is out of date; "
            "every finding about this link may be about the wrong one",
            list(conflict.where),
            device,
            (port,),
            value=conflict.doubted_peer,
        )
