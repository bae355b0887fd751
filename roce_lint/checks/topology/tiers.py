"""Tiers of the fabric: uneven uplinks, oversubscription, switches unlike the rest of a tier."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator

from pydantic import BaseModel, Field

from roce_lint.analysis.equal_switches import model_of
from roce_lint.analysis.paths import Node, paths_of
from roce_lint.analysis.result import Analysis, JudgedPort
from roce_lint.analysis.uplinks import Uplink, load_of, uplinks_of
from roce_lint.engine.api import Fabric, Given, Outcome, Problem, Unknown, Where, fabric_check
from roce_lint.model.device import Device, Role
from roce_lint.model.interface import InterfaceKind
from roce_lint.model.units import spell_speed
from roce_lint.text.numbers import count

QUORUM = 3
"""Minimum number of switches that agree on their number of uplinks."""
SHARE = 0.75
"""Share of the switches from which a number of uplinks counts as usual."""
ROUNDING = 0.01
"""Tolerance of a ratio above the limit."""


@fabric_check("tiers.uplinks_differ")
def uneven_uplinks(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Uplinks of a switch that differ in speed or number, or fewer uplinks than its peers."""
    analysis = given.analysis
    nodes = paths_of(analysis).nodes
    cables = _cables(fabric, nodes)
    reported: set[str] = set()
    for node in nodes.values():
        uplinks = uplinks_of(node)
        found = [
            *_speeds(fabric, uplinks),
            *_numbers(fabric, nodes, node, uplinks, cables[node.name]),
        ]
        if found:
            reported.add(node.name)
            yield found[0]
    groups: dict[Hashable, list[Node]] = defaultdict(list)
    for node in nodes.values():
        if node.up:
            port = node.up[0].out
            groups[node.tier, port.network, port.device.role, port.device.model].append(node)
    for group in groups.values():
        yield from _fewer(analysis, group, cables, reported)


def _claims(fabric: Fabric, ports: Iterable[JudgedPort]) -> list[Where]:
    """Places of contradicting records about the peers of ports."""
    return [where for port in ports for where in fabric.contradiction(*port.key)]


def _speeds(fabric: Fabric, uplinks: list[Uplink]) -> Iterator[Problem]:
    """Uplinks whose speed differs from most others of the switch."""
    known = [(uplink.gbps, uplink) for uplink in uplinks if not _ends_disagree(uplink)]
    rates = Counter(gbps for gbps, _ in known if gbps is not None)
    if len(rates) < 2:
        return
    usual = max(rates, key=lambda gbps: (rates[gbps], gbps))
    like = next(uplink for gbps, uplink in known if gbps == usual)
    odd = [(gbps, uplink) for gbps, uplink in known if gbps not in (None, usual)]
    for gbps, uplink in odd:
        yield Problem(
            f"{uplink.port.device.hostname} {uplink} has {spell_speed(gbps)}, "
            f"{count(rates[usual], 'other uplink')} of the switch {spell_speed(usual)}",
            "ECMP gives each uplink the same number of flows: the slower one congests while the "
            "others idle",
            [*_claims(fabric, [uplink.port]), _speed_place(uplink.port), _speed_place(like.port)],
            uplink.port.device.hostname,
            tuple(crossing.out.interface.name for _, u in odd for crossing in u.crossings),
            value=f"{gbps:g}/{usual:g}",
        )


def _ends_disagree(uplink: Uplink) -> bool:
    """Whether the ends have different configured speeds, which LNK002 reports."""
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
    fabric: Fabric, nodes: dict[str, Node], node: Node, uplinks: list[Uplink], cables: Counter[str]
) -> Iterator[Problem]:
    """Upper switches with fewer links to this one than others of their tier have.

    Known cables that are down count as well: other rules report them.
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
                f"{node.name} has {count(cables[name], 'link')} to {name} but {cables[most]} to "
                f"{most}",
                "other switches spread their traffic evenly over the upper switches: the side "
                "with fewer links congests",
                [
                    *_claims(fabric, (crossing.out for crossing in node.up)),
                    fewer[0].interface.where(),
                    other.port.interface.where(),
                ],
                node.name,
                tuple(port.interface.name for port in fewer),
                value=f"{cables[name]}/{cables[most]}",
            )


def _cables(fabric: Fabric, nodes: dict[str, Node]) -> dict[str, Counter[str]]:
    """Known cables of every switch by peer switch, including those that are down."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for link in fabric.links:
        a, b = link.a.device.hostname, link.b.device.hostname
        if a in nodes and b in nodes:
            found[a][b] += 1
            found[b][a] += 1
    return found


def _fewer(
    analysis: Analysis, group: list[Node], cables: dict[str, Counter[str]], reported: set[str]
) -> Iterator[Outcome]:
    """Switches with fewer uplink cables than most of their group.

    A possible uplink without a known peer makes the number unknown.
    """
    nodes = paths_of(analysis).nodes
    # Cables to higher tiers, including those that are down.
    totals = {
        node.name: sum(n for name, n in cables[node.name].items() if nodes[name].tier > node.tier)
        for node in group
    }
    usual, often = Counter(totals.values()).most_common(1)[0]
    if often < QUORUM or often < SHARE * len(group):
        return
    for node in group:
        device = node.up[0].out.device
        if totals[node.name] >= usual or node.name in reported or _may_have_more(analysis, device):
            continue
        first = node.up[0].out
        yield Problem(
            f"{node.name} has {count(totals[node.name], 'uplink')}, {often} of its peers have "
            f"{usual}",
            "it has less bandwidth than its peers: its NICs slow down every job, and the "
            "remaining links congest",
            [*_claims(analysis.fabric, [c.out for c in node.up]), first.interface.where()],
            node.name,
            tuple(crossing.out.interface.name for crossing in node.up),
            value=f"{totals[node.name]}/{usual}",
        )


def _may_have_more(analysis: Analysis, device: Device) -> bool:
    """Whether an enabled port may be an uplink although no link of it is known."""
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


class RatioParams(BaseModel, extra="forbid", frozen=True):
    """Parameters of `tiers.oversubscribed`: allowed ratio of downlink to uplink bandwidth."""

    leaf: float | None = Field(default=None, gt=0)
    """Limit of switches with attached NICs; takes precedence over the intent."""
    spine: float | None = Field(default=None, gt=0)
    """Limit of switches between two tiers of switches."""


@fabric_check("tiers.oversubscribed", params=RatioParams)
def oversubscribed_uplinks(fabric: Fabric, given: Given[RatioParams]) -> Iterator[Outcome]:
    """A switch with more downlink than uplink bandwidth, beyond the allowed ratio."""
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
                f"{device.hostname} has {load.below:g} Gb/s of downlinks and {load.above:g} Gb/s "
                f"of uplinks ({load.ratio:.3g}:1, allowed {limit:g}:1)",
                "the uplinks congest when all NICs send at once: PFC spreads to the senders",
                [first.where(), *([place] if place is not None else [])],
                device.hostname,
                tuple(crossing.out.interface.name for crossing in node.up),
                value=f"{load.ratio:.3g}:1",
                shaped=True,
                assumed="the devices attached to the ports are unknown" if load.assumed else "",
            )


_MISSING = (
    "the speed of the ports (provide the configuration or a NIC's ethtool)",
    "the configuration of the peer switches",
)


def _limit(given: Given[RatioParams], role: Role) -> tuple[float | None, Where | None]:
    """Allowed ratio of a role, and its line in the intent."""
    own = given.params.leaf if role is Role.LEAF else given.params.spine
    if own is not None:
        return own, None
    planned = given.plan.oversubscription.get(role)
    return planned, given.plan.where(("oversubscription", role)) if planned else None


# Software release and declared role.


@fabric_check("topology.releases_differ")
def releases_differing_in_tier(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """Switches of the same model and tier with different software releases."""
    tiers: dict[Hashable, list[Device]] = defaultdict(list)
    for device in _switches_with_roce(fabric, given.analysis):
        if device.os_version and device.stated("os_version"):
            key = (device.nos, device.role, model_of(device))
            tiers[key].append(device)
    for members in tiers.values():
        by_release: dict[str, list[Device]] = defaultdict(list)
        for device in members:
            by_release[device.os_version or ""].append(device)
        ordered = sorted(by_release, key=lambda release: (-len(by_release[release]), release))
        usual, others = ordered[0], ordered[1:]
        example = by_release[usual][0]
        for release in others:
            for device in by_release[release]:
                yield Problem(
                    f"{device.hostname} runs {release}, {count(len(by_release[usual]), 'peer')} "
                    f"of its model and tier {usual}",
                    "defaults, limits and bugs of the two releases may differ",
                    [device.where("os_version"), example.where("os_version")],
                    device.hostname,
                    value=release,
                )


@fabric_check("topology.role_contradicts_links")
def role_contradicts_topology(fabric: Fabric, given: Given) -> Iterator[Outcome]:
    """A switch whose declared role does not match its links."""
    hosts: dict[str, int] = defaultdict(int)
    others: dict[str, set[str]] = defaultdict(set)
    for link in fabric.links:
        for end in link.ends:
            peer = link.other(end).device
            if peer.is_host:
                hosts[end.device.hostname] += 1
            else:
                others[end.device.hostname].add(peer.hostname)
    for device in _switches_with_roce(fabric, given.analysis):
        if not (device.stated("role") or device.stated("above_leaves")):
            continue
        name = device.hostname
        above = device.above_leaves or device.role in (Role.SPINE, Role.SUPERSPINE)
        alone = not hosts[name] and len(others[name]) > 1
        links = ""
        if above and hosts[name]:
            links = f"hosts on {count(hosts[name], 'port')}"
        elif device.role is Role.LEAF and alone and all(hosts[peer] for peer in others[name]):
            links = f"links to {len(others[name])} switches with hosts, and no host of its own"
        if links:
            field = "role" if device.stated("role") else "above_leaves"
            word = "a spine" if above else "a leaf"
            yield Problem(
                f"{name} is declared {word} but has {links}",
                "the declared role is used, also to choose its peers",
                [device.where(field)],
                name,
                value=word,
            )


def _switches_with_roce(fabric: Fabric, analysis: Analysis) -> Iterator[Device]:
    """Switches with a port that carries RoCE."""
    for device in fabric.devices.values():
        if not device.is_host and analysis.ports_of(device):
            yield device
