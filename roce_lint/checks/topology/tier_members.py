"""Switches against their tier: the release they run, and the place they say they have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from roce_lint.analysis.result import Analysis
from roce_lint.engine.api import (
    Device,
    Fabric,
    Given,
    NoParams,
    Outcome,
    Problem,
    fabric_check,
)
from roce_lint.model.device import Role


@fabric_check("topology.releases_differ")
def releases_differing_in_tier(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """Switches of one make and tier run different releases of their system."""
    tiers: dict[Hashable, list[Device]] = defaultdict(list)
    for device in _switches_with_roce(fabric, given.analysis):
        if device.os_version and device.stated("os_version"):
            key = (device.nos, device.role, given.analysis.makes.of(device))
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
                    f"{device.hostname} runs {release}, {_count(len(by_release[usual]))} of its "
                    f"make and tier {usual}",
                    "defaults, limits and faults of the two releases may differ",
                    [device.where("os_version"), example.where("os_version")],
                    device.hostname,
                    value=release,
                )


def _count(number: int) -> str:
    return f"{number} others" if number > 1 else "another"


@fabric_check("topology.role_contradicts_links")
def type_contradicting_links(fabric: Fabric, given: Given[NoParams]) -> Iterator[Outcome]:
    """What a switch says of its place in the fabric is not where its links are."""
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
        links = ""
        if above and hosts[name]:
            links = f"hosts on {hosts[name]} of its ports"
        elif device.role is Role.LEAF and _is_above(others[name], hosts, name):
            links = f"{len(others[name])} switches that have hosts, and no host of its own"
        if links:
            field = "role" if device.stated("role") else "above_leaves"
            word = "a spine" if above else "a leaf"
            yield Problem(
                f"{name} says that it is {word}, and it has {links}",
                "it is judged, and compared with others, by its own word",
                [device.where(field)],
                name,
                value=word,
            )


def _is_above(others: set[str], hosts: dict[str, int], name: str) -> bool:
    """True for a switch without hosts whose links all lead to switches that have some."""
    return not hosts[name] and len(others) > 1 and all(hosts[peer] for peer in others)


def _switches_with_roce(fabric: Fabric, analysis: Analysis) -> Iterator[Device]:
    """Switches with a port that carries RoCE."""
    for device in fabric.devices.values():
        if not device.is_host and analysis.ports_of(device):
            yield device
