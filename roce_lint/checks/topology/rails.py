"""Rails: NIC i of every host of a pod is wired to one leaf, so that NICs of one index are near."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.paths import End, paths_of
from roce_lint.analysis.port_parts import link_note
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Where, fabric_check
from roce_lint.model.nic import Nic


class RailParams(BaseModel):
    """Parameters of `rails.crossed`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    equals: int = Field(default=3, ge=2)
    """Hosts that agree on the rail of a NIC against the odd one, at least."""
    share: float = Field(default=0.75, gt=0.5, le=1)
    """Share of the hosts of a pod that makes a leaf the rail of a NIC."""


@dataclass(slots=True)
class Seat:
    """A NIC with the leaf it is wired to. Its place in the host is the same on all its equals."""

    end: End
    nic: Nic
    place: str

    @property
    def leaf(self) -> str:
        """The leaf; a NIC with several has no rail."""
        return self.end.wires[0].leaf.device.hostname


@fabric_check("rails.crossed", params=RailParams)
def nic_on_another_rail(fabric: Fabric, given: Given[RailParams]) -> Iterator[Outcome]:
    """A NIC is wired to the leaf of another rail."""
    hosts = _seats(fabric, paths_of(given.analysis).ends)
    rails = _rails(hosts.values(), given.params)
    for host, seats in hosts.items():
        yield from _odd(fabric, host, seats, rails)


def _seats(fabric: Fabric, ends: Iterable[End]) -> dict[str, list[Seat]]:
    """By host, its NICs that are wired to one leaf each; hosts with several NICs only.

    NICs are told by the slot of the card where all of the host have one stated and different,
    else by the name of the RDMA device.
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
"""The places of the NICs of a host: hosts are compared that have the same."""


def _kind(seats: list[Seat]) -> Kind:
    return tuple(sorted(seat.place for seat in seats))


def _rails(hosts: Iterable[list[Seat]], params: RailParams) -> dict[tuple[str, Kind], Counter[str]]:
    """By leaf and kind of host: whose NICs are wired there, where nearly all are of one place.

    A leaf that has NICs of all places of its hosts is the leaf of no rail.
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
    """NICs of a host that are not on their rail; two that have changed places are one cause."""
    kind = _kind(seats)
    found = [(seat, rails.get((seat.leaf, kind))) for seat in seats]
    usual = [(seat, votes.most_common(1)[0]) for seat, votes in found if votes is not None]
    odd = [(seat, place, often) for seat, (place, often) in usual if place != seat.place]
    if not odd:
        return
    wrong = [seat for seat, _, _ in odd]
    exchanged = sorted(seat.place for seat in wrong) == sorted(place for _, place, _ in odd)
    names = {seat.place: seat.nic.name for seat in seats}
    told = "; ".join(
        f"{seat.nic.name} is wired to {seat.leaf}, where {often} other hosts have {names[place]}"
        for seat, place, often in odd
    )
    cables = " and ".join(seat.nic.name for seat in wrong)
    yield Problem(
        f"{host}: the cables of {cables} are exchanged ({told})"
        if exchanged
        else f"{host}: {told}",
        "NICs of one rail, which send to each other most, are no longer on one leaf: their data "
        "goes over the spines, and shares the ports of another rail",
        list(_places(fabric, wrong)),
        host,
        tuple(seat.nic.port or seat.nic.name for seat in wrong),
        value=", ".join(f"{seat.place}: {seat.leaf}" for seat in wrong),
        assumed=link_note(assumed=any(wire.leaf.assumed for s in wrong for wire in s.end.wires)),
    )


def _places(fabric: Fabric, odd: list[Seat]) -> Iterator[Where]:
    """The lines that say where the cables lead, and the NICs."""
    for seat in odd:
        link = fabric.link_of(*seat.end.wires[0].leaf.key)
        if link is not None:
            yield from link.where[:1]
    for seat in odd:
        host = seat.end.wires[0].host
        if host is not None:
            yield host.interface.where()
        yield seat.nic.where()
