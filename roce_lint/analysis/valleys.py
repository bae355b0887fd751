"""Switches where descending packets can ascend again, and PFC deadlocks through them.

A packet that came down to a switch goes up again if the switch above accepts routes that came down
from its own tier.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from roce_lint.analysis.paths import Crossing, Node, Paths, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort, RoceClass
from roce_lint.analysis.sessions import RouteAcceptance, Sessions
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.text.source import Where


@dataclass(slots=True)
class Turn:
    """A switch below two others at which packets can turn, from either of them to the other."""

    first: Crossing  # up, to one of the two
    second: Crossing


@dataclass(slots=True)
class LoopFreeTier:
    """Switches of one tier that reject each other's routes, with one line per mechanism."""

    switches: list[str]
    where: list[Where]


def loop_free_tiers(fabric: Fabric, analysis: Analysis) -> list[LoopFreeTier]:
    """Tiers in which every two neighbours reject each other's routes at every switch below."""
    paths = paths_of(analysis)
    sessions = Sessions(fabric, paths)
    tiers: dict[tuple[int, int], LoopFreeTier | None] = {}
    for (one, other), turns in turns_by_pair(paths).items():
        a, b = fabric.devices[one], fabric.devices[other]
        tier = (turns[0].first.out.network, paths.nodes[one].tier)
        lows = [turn.first.out.device for turn in turns]
        taken = [sessions.takes(*ends) for low in lows for ends in ((a, low, b), (b, low, a))]
        kept = tiers.setdefault(tier, LoopFreeTier([], []))
        if kept is None or any(answer.value is not False for answer in taken):
            tiers[tier] = None
            continue
        kept.switches += [name for name in (one, other) if name not in kept.switches]
        kept.where += [answer.where for answer in taken if answer.where is not None]
    return [kept for _, kept in sorted(tiers.items()) if kept is not None]


def turns_by_pair(paths: Paths) -> dict[tuple[str, str], list[Turn]]:
    """Switches below both of two switches of one tier. Only neighbours by name are compared, so
    that the work grows with links: if a tier has two AS numbers or two route policies, two
    neighbours differ.
    """
    found: dict[tuple[str, str], list[Turn]] = defaultdict(list)
    for node in paths.nodes.values():
        for one, other in pairwise(_above(paths, node)):
            if one.into.device.hostname != other.into.device.hostname:
                pair = (one.into.device.hostname, other.into.device.hostname)
                found[pair].append(Turn(one, other))
    return found


def _above(paths: Paths, node: Node) -> list[Crossing]:
    """One link to every switch above, grouped by tier."""
    links = {crossing.into.device.hostname: crossing for crossing in reversed(node.up)}
    return [links[name] for name in sorted(links, key=lambda name: (paths.nodes[name].tier, name))]


def route_acceptance(sessions: Sessions, turn: Turn, a: Device, b: Device) -> RouteAcceptance:
    """Acceptance of the routes of two switches by each other, through the one below them."""
    low = turn.first.out.device
    one, other = sessions.takes(a, low, b), sessions.takes(b, low, a)
    if one.value and other.value:
        return one
    refused = next((taken for taken in (one, other) if taken.value is False), None)
    if refused is not None:
        return refused
    return one if one.value is None and (other.value or one.where is not None) else other


def lead_on(sessions: Sessions, circle: Circle, turns: list[Turn]) -> bool:
    """Whether both switches know paths to at least two others through the switch above them: with
    one AS for all they reject each other's routes.
    """
    ends = (circle.one, circle.other)
    for turn, beyond in zip(ends, (circle.one.second, circle.other.first), strict=True):
        low = turn.first.out.device
        session = sessions.of(low, beyond.into.device)
        own = session is not None and bool(session.stated.own_as_allowed)
        others = [t.first.out.device for t in turns if t not in ends]
        if sum(own or device.asn != low.asn for device in others) < len(ends):
            return False
    return True


def are_all_routed(turns: list[Turn]) -> bool:
    """Whether the links of all turns are known to be routed at both ends."""
    return all(
        end.interface.routed
        for turn in turns
        for crossing in (turn.first, turn.second)
        for end in (crossing.out, crossing.into)
    )


@dataclass(slots=True)
class Circle:
    """Four links: PFC on each can wait for the next one."""

    traffic: RoceClass
    one: Turn
    other: Turn
    ports: list[tuple[JudgedPort, int]]  # ingress ports with their PFC priorities


def circle_at(analysis: Analysis, turns: list[Turn]) -> Circle | None:
    """Two switches where packets can turn, joined by links with PFC for a class of data."""
    usable = [turn for turn in turns if pause_cycle(analysis, turn, turn) is not None]
    if len(usable) < 2:
        return None
    one, other = usable[:2]
    found = pause_cycle(analysis, one, other)
    return None if found is None else Circle(found[0], one, other, found[1])


def pause_cycle(
    analysis: Analysis, one: Turn, other: Turn
) -> tuple[RoceClass, list[tuple[JudgedPort, int]]] | None:
    """A class with PFC all the way round, with the ports and their priorities."""
    ports = [one.first.out, one.second.into, other.second.out, other.first.into]
    for traffic in analysis.data_classes:
        into = [analysis.treat(port, traffic.dscps[0]).ingress for port in ports]
        if all(i.lossless and i.priority is not None for i in into):
            return traffic, [(p, i.priority or 0) for p, i in zip(ports, into, strict=True)]
    return None
