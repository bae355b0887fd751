"""Rails: NIC i of every host of a pod is wired to the same leaf."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel, Field

from roce_lint.analysis.paths import End, paths_of
from roce_lint.analysis.port_parts import link_note
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, fabric_check
from roce_lint.model.nic import Nic


class RailParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `rails.crossed`."""

    equals: int = Field(default=3, ge=2)
    """Minimum number of hosts that agree on the rail of a NIC."""
    share: float = Field(default=0.75, gt=0.5, le=1)
    """Share of the hosts of a pod from which a leaf counts as the rail of a NIC."""


@dataclass(slots=True)
class Seat:
    """A NIC with its leaf, and its place in the host, which is comparable between hosts."""

    end: End
    nic: Nic
    place: str

    @property
    def leaf(self) -> str:
        """Name of the leaf; a NIC with several leaves has no rail."""
        return self.end.wires[0].leaf.device.hostname


@fabric_check("rails.crossed", params=RailParams)
def nic_on_wrong_rail(fabric: Fabric, given: Given[RailParams]) -> Iterator[Outcome]:
    """A NIC that is wired to the leaf of another rail."""
    hosts = _seats(fabric, paths_of(given.analysis).ends)
    rails = _rails(hosts.values(), given.params)
    for host, seats in hosts.items():
        yield from _odd(fabric, host, seats, rails)


def _seats(fabric: Fabric, ends: Iterable[End]) -> dict[str, list[Seat]]:
    """NICs with a single leaf, by host; hosts with one NIC are left out.

    NICs are identified by their slot if all NICs of the host have different known slots, else by
    the name of the RDMA device.
    """
    found: dict[str, list[tuple[End, Nic]]] = defaultdict(list)
    for end in ends:
        nic = fabric.devices[end.device].nics.get(end.nic)
        leaves = {wire.leaf.device.hostname for wire in end.wires}
        if nic is not None and len(leaves) == 1 and end.wires[0].host is not None:
            found[end.device].append((end, nic))
    seats = {}
    for host, nics in found.items():
        slots = {nic.slot for _, nic in nics}
        by_slot = None not in slots and len(slots) == len(nics)
        if len(nics) > 1:
            seats[host] = [Seat(e, n, (n.slot or "") if by_slot else n.name) for e, n in nics]
    return seats


Kind = tuple[str, ...]
"""Places of the NICs of a host; only hosts with the same places are compared."""


def _kind(seats: list[Seat]) -> Kind:
    return tuple(sorted(seat.place for seat in seats))


def _rails(hosts: Iterable[list[Seat]], params: RailParams) -> dict[tuple[str, Kind], Counter[str]]:
    """NIC places by leaf and kind of host, where nearly all NICs have the same place.

    A leaf with NICs of all places has no rail.
    """
    votes: dict[tuple[str, Kind], Counter[str]] = defaultdict(Counter)
    for seats in hosts:
        kind = _kind(seats)
        for seat in seats:
            votes[seat.leaf, kind][seat.place] += 1
    return {key: counts for key, counts in votes.items() if _agree(counts, params)}


def _agree(counts: Counter[str], params: RailParams) -> bool:
    often = counts.most_common(1)[0][1]
    return often >= params.equals and often >= params.share * counts.total()


def _odd(
    fabric: Fabric, host: str, seats: list[Seat], rails: dict[tuple[str, Kind], Counter[str]]
) -> Iterator[Problem]:
    """NICs of a host that are not on their rail; two swapped NICs are one problem."""
    kind = _kind(seats)
    found = [(seat, rails.get((seat.leaf, kind))) for seat in seats]
    usual = [(seat, votes.most_common(1)[0]) for seat, votes in found if votes is not None]
    odd = [(seat, place, often) for seat, (place, often) in usual if place != seat.place]
    if not odd:
        return
    wrong = [seat for seat, _, _ in odd]
    exchanged = sorted(seat.place for seat in wrong) == sorted(place for _, place, _ in odd)
    names = {seat.place: seat.nic.name for seat in seats}
    misplaced = "; ".join(
        f"{seat.nic.name} is wired to {seat.leaf}, where {often} other hosts have {names[place]}"
        for seat, place, often in odd
    )
    cables = " and ".join(seat.nic.name for seat in wrong)
    yield Problem(
        f"{host}: the cables of {cables} are swapped ({misplaced})"
        if exchanged
        else f"{host}: {misplaced}",
        "NICs of one rail no longer share a leaf: their traffic crosses the spines and uses "
        "ports of another rail",
        list(_places(fabric, wrong)),
        host,
        tuple(seat.nic.port or seat.nic.name for seat in wrong),
        value=", ".join(f"{seat.place}: {seat.leaf}" for seat in wrong),
        assumed=link_note(assumed=any(wire.leaf.assumed for s in wrong for wire in s.end.wires)),
    )


def _places(fabric: Fabric, odd: list[Seat]) -> Iterator[Where]:
    """Places of the links and the NICs."""
    for seat in odd:
        link = fabric.link_of(*seat.end.wires[0].leaf.key)
        if link is not None:
            yield from link.where[:1]
    for seat in odd:
        host = seat.end.wires[0].host
        if host is not None:
            yield host.interface.where()
        yield seat.nic.where()
