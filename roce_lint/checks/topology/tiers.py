"""The shape of the fabric: uplinks that are not alike, and what comes in against what goes out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator

from pydantic import BaseModel, ConfigDict, Field

from roce_lint.analysis.paths import Node, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.uplinks import Uplink, load_of, uplinks_of
from roce_lint.engine.api import (
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    Unknown,
    Where,
    fabric_check,
)
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.units import spell_speed

ALIKE = 3
"""Switches that agree on their uplinks against the odd one, at least."""
SHARE = 0.75
"""Share of the switches that makes their number of uplinks the usual one."""
ROUNDING = 0.01
"""Share by which a ratio may exceed the limit."""


@fabric_check("tiers.uplinks_differ")
def uplinks_not_alike(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Uplinks of one switch differ in speed or number, or it has fewer of them than its equals."""
    analysis = given.analysis
    nodes = paths_of(analysis).nodes
    cables = _cables(fabric, nodes)
    told: set[str] = set()
    for node in nodes.values():
        uplinks = uplinks_of(node)
        found = [
            *_speeds(fabric, uplinks),
            *_numbers(fabric, nodes, node, uplinks, cables[node.name]),
        ]
        if found:
            told.add(node.name)
            yield found[0]
    for group in _equals(analysis, nodes.values()):
        yield from _fewer(analysis, group, cables, told)


def _claims(fabric: Fabric, ports: Iterable[JudgedPort]) -> list[Where]:
    """Who says where ports lead that are said elsewhere to lead somewhere else."""
    return [where for port in ports for where in fabric.contradiction(*port.key)]


def _speeds(fabric: Fabric, uplinks: list[Uplink]) -> Iterator[Problem]:
    """Uplinks that carry less than most of the others of the switch."""
    known = [(uplink.gbps, uplink) for uplink in uplinks if not _ends_disagree(uplink)]
    rates = Counter(gbps for gbps, _ in known if gbps is not None)
    if len(rates) < 2:
        return
    usual = max(rates, key=lambda gbps: (rates[gbps], gbps))
    like = next(uplink for gbps, uplink in known if gbps == usual)
    odd = [(gbps, uplink) for gbps, uplink in known if gbps not in (None, usual)]
    for gbps, uplink in odd:
        yield Problem(
            f"{uplink.port.device.hostname} {uplink} carries {spell_speed(gbps)}, "
            f"{rates[usual]} other uplink{'s' * (rates[usual] > 1)} of the "
            f"switch {spell_speed(usual)}",
            "equal-cost paths get as many flows each, whatever they carry: the slower is "
            "congested and paused while the others are idle",
            [*_claims(fabric, [uplink.port]), _speed_place(uplink.port), _speed_place(like.port)],
            uplink.port.device.hostname,
            tuple(crossing.out.interface.name for _, u in odd for crossing in u.crossings),
            value=f"{gbps:g}/{usual:g}",
        )


def _ends_disagree(uplink: Uplink) -> bool:
    """True where both ends state a speed and not the same one: a rule about links says so."""
    return any(
        crossing.out.interface.speed_gbps is not None
        and crossing.into.interface.speed_gbps is not None
        and crossing.out.interface.speed_gbps != crossing.into.interface.speed_gbps
        for crossing in uplink.crossings
    )


def _speed_place(port: JudgedPort) -> Where:
    interface = port.interface
    if interface.speed_gbps is None and port.peer is not None:
        interface = port.peer.interface
    return interface.where("speed_gbps")


def _numbers(
    fabric: Fabric,
    nodes: dict[str, Node],
    node: Node,
    uplinks: list[Uplink],
    cables: Counter[str],
) -> Iterator[Problem]:
    """Switches above that have fewer links from this one than others of their tier.

    Cables count that are known and down: why they are is another rule's matter.
    """
    tiers = {uplink.above: nodes[uplink.above].tier for uplink in uplinks}
    for tier in set(tiers.values()):
        above = [name for name in tiers if tiers[name] == tier]
        most = max(above, key=lambda name: cables[name])
        for name in above:
            if cables[name] == cables[most]:
                continue
            fewer = [crossing.out for crossing in node.up if crossing.into.device.hostname == name]
            other = next(u for u in uplinks if u.above == most)
            yield Problem(
                f"{node.name} has {_links(cables[name])} to {name} and {cables[most]} to {most}",
                "traffic that others send to it is spread over the switches above as if they all "
                "carried as much: the links to the one are congested",
                [
                    *_claims(fabric, (crossing.out for crossing in node.up)),
                    fewer[0].interface.where(),
                    other.port.interface.where(),
                ],
                node.name,
                tuple(port.interface.name for port in fewer),
                value=f"{cables[name]}/{cables[most]}",
            )


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def _cables(fabric: Fabric, nodes: dict[str, Node]) -> dict[str, Counter[str]]:
    """Known cables of every switch by the switch at the other end, those that are down too."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for link in fabric.links:
        a, b = link.a.device.hostname, link.b.device.hostname
        if a in nodes and b in nodes:
            found[a][b] += 1
            found[b][a] += 1
    return found


def _equals(analysis: Analysis, nodes: Iterable[Node]) -> Iterator[list[Node]]:
    """Switches of one tier and network below the same kind of tier."""
    groups: dict[Hashable, list[Node]] = defaultdict(list)
    for node in nodes:
        if node.up:
            port = node.up[0].out
            key = (node.tier, port.network, port.device.role, port.device.model)
            groups[key].append(node)
    yield from groups.values()


def _fewer(
    analysis: Analysis, group: list[Node], cables: dict[str, Counter[str]], told: set[str]
) -> Iterator[Outcome]:
    """Switches with fewer cables up than nearly all others of the group have.

    A port that may be an uplink, of which nobody says where it leads, makes the number unknown.
    """
    nodes = paths_of(analysis).nodes
    totals = {node.name: _up_cables(nodes, node, cables[node.name]) for node in group}
    usual, often = Counter(totals.values()).most_common(1)[0]
    if often < ALIKE or often < SHARE * len(group):
        return
    for node in group:
        device = node.up[0].out.device
        if totals[node.name] >= usual or node.name in told or _may_have_more(analysis, device):
            continue
        first = node.up[0].out
        yield Problem(
            f"{node.name} has {_links(totals[node.name])} up, {often} switches of its kind have "
            f"{usual}",
            "it sends and receives less than the others: its NICs are the slow ones of a job, and "
            "the links that are left are congested",
            [*_claims(analysis.fabric, [c.out for c in node.up]), first.interface.where()],
            node.name,
            tuple(crossing.out.interface.name for crossing in node.up),
            value=f"{totals[node.name]}/{usual}",
        )


def _up_cables(nodes: dict[str, Node], node: Node, cables: Counter[str]) -> int:
    """Cables to switches of higher tiers, those that are down too."""
    return sum(count for name, count in cables.items() if nodes[name].tier > node.tier)


def _may_have_more(analysis: Analysis, device: Device) -> bool:
    """True where a port is up and routed or hears a switch, and no link of it is known."""
    if any(name == device.hostname for name, _ in analysis.absent):
        return True
    return any(
        (port.routed or port.uplink)
        and port.kind is InterfaceKind.PHYSICAL
        and port.enabled is not False
        and not port.idle
        and (device.hostname, port.name) not in analysis.fabric.by_port
        for port in device.interfaces.values()
    )


class RatioParams(BaseModel):
    """Parameters of `tiers.oversubscribed`: what may come in for each that goes up."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    leaf: float | None = Field(default=None, gt=0)
    """Of a switch that NICs are attached to; over what an intent says."""
    spine: float | None = Field(default=None, gt=0)
    """Of a switch between two tiers of switches."""


@fabric_check("tiers.oversubscribed", params=RatioParams)
def oversubscribed_uplinks(fabric: Fabric, given: Given[RatioParams]) -> Iterator[Outcome]:
    """A switch can be sent more from below than its uplinks carry, and than the site allows."""
    analysis = given.analysis
    partly = {name for name, _ in analysis.absent}
    for node in paths_of(analysis).nodes.values():
        if not node.up:
            continue
        device, first = node.up[0].out.device, node.up[0].out.interface
        load = load_of(analysis, device)
        is_leaf = any(port.faces_host for port in analysis.ports_of(device))
        limit, place = _limit(given, Role.LEAF if is_leaf else Role.SPINE)
        if load is None or limit is None:
            continue
        if load.ratio is None or device.hostname in partly:
            missing = _MISSING[device.hostname in partly]
            yield Unknown(missing, [first.where()], device.hostname, (first.name,))
        elif load.ratio > limit * (1 + ROUNDING):
            yield Problem(
                f"{device.hostname} takes {load.below:g} Gb/s from below and has {load.above:g} "
                f"Gb/s of uplinks, {load.ratio:.3g}:1; {limit:g}:1 is allowed",
                "when all below send at once the uplinks are congested: PFC spreads it to the "
                "senders",
                [first.where(), *([place] if place is not None else [])],
                device.hostname,
                tuple(crossing.out.interface.name for crossing in node.up),
                value=f"{load.ratio:.3g}:1",
                shaped=True,
                assumed="what is attached to the ports is not known" if load.assumed else "",
            )


_MISSING = (
    "the speed of the ports (the configuration or a NIC's ethtool tells)",
    "the configuration of the switches at the other end",
)


def _limit(given: Given[RatioParams], role: Role) -> tuple[float | None, Where | None]:
    """The ratio that is allowed, and the line of the intent that says so."""
    own = given.params.leaf if role is Role.LEAF else given.params.spine
    if own is not None:
        return own, None
    planned = given.plan.oversubscription.get(role)
    return planned, given.plan.where(("oversubscription", role)) if planned else None
