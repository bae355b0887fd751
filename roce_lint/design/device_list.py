"""Layout of a fabric that is listed device by device, with a list of cables or a cable plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from roce_lint.design.layout import (
    MOST_CABLES,
    MOST_DEVICES,
    Cable,
    Layout,
    Loc,
    PlannedPort,
    PlannedSwitch,
    Refusals,
)
from roce_lint.design.tiers import TIERS, add_hosts, offer_of
from roce_lint.intent.fabric import PORT, FabricSchema, HostSchema, LinkSchema
from roce_lint.model.device import Role
from roce_lint.topology.plan_file import PlannedLink, read_plan

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}\.(?:ya?ml|csv)")
_HEIGHT = {Role.HOST: 0, Role.LEAF: 1, Role.SPINE: 2, Role.SUPERSPINE: 3}


def lay_out(
    fabric: FabricSchema, hosts: dict[str, HostSchema], beside: Path, refusals: Refusals
) -> Layout:
    """The listed devices, and the cables between them; `beside` is the intent's folder.

    Raises:
        LinksError: the cable plan is wrong.
    """
    layout = Layout()
    for name, _ in TIERS:
        if getattr(fabric, name) is not None:
            refusals.add(("fabric", name), f"fabric.{name} and fabric.devices exclude each other")
    for key in ("rails", "planes"):
        if getattr(fabric, key) is not None:
            message = f"fabric.{key} is for tiers by counts; links name their rail"
            refusals.add(("fabric", key), message)
    roles = {item.role for item in fabric.devices.values()}
    if fabric.tiers is not None and fabric.tiers != len(roles):
        message = f"fabric.tiers is {fabric.tiers}, but there are {len(roles)}"
        refusals.add(("fabric", "tiers"), message)
    if fabric.pods != 1:
        refusals.add(("fabric", "pods"), "fabric.pods is for tiers by counts")
    count = len(fabric.devices) + sum(each.count for each in hosts.values())
    if count > MOST_DEVICES:
        refusals.add(("fabric",), f"has {count} devices; at most {MOST_DEVICES} are supported")
        return layout
    _add_switches(layout, fabric, refusals)
    add_hosts(layout, hosts, refusals)
    taken: set[tuple[str, str]] = set()
    for a, b, given, keys in _links(fabric, beside, refusals):
        if not _are_known(layout, fabric, (a, b), keys, refusals):
            continue
        for end in (a, b):
            if end in taken:
                refusals.add(keys, f"{':'.join(end)} is at the end of two cables")
            taken.add(end)
        _add(layout, fabric, a, b, given, keys, refusals)
    _add_open_ports(layout, fabric, refusals)
    return layout


def _add_open_ports(layout: Layout, fabric: FabricSchema, refusals: Refusals) -> None:
    """Add ports without a cable."""
    for device, switch in layout.switches.items():
        item = fabric.devices[device]
        for name, schema in item.ports.items():
            keys: Loc = ("fabric", "devices", device, "ports", name)
            if name in switch.ports:
                refusals.add(keys, f"{name} of {device} is at the end of a cable")
                continue
            made = PlannedPort(name, schema.speed_gbps, (*keys, "speed_gbps"), fec=item.fec)
            made.fec_keys = ("fabric", "devices", device, "fec")
            made.cable_m, made.cable_keys = schema.cable_m, (*keys, "cable_m")
            switch.ports[name] = made


def _add_switches(layout: Layout, fabric: FabricSchema, refusals: Refusals) -> None:
    counts: dict[str, int] = {}
    for name, item in fabric.devices.items():
        keys: Loc = ("fabric", "devices", name)
        offer = offer_of((*keys, "nos"), item.nos, refusals)
        if offer is None:
            continue
        n = counts[item.role] = counts.get(item.role, 0) + 1
        made = PlannedSwitch(name, Role(item.role), item.nos, offer, keys, item.platform)
        made.release, made.n, made.i = item.release, n, n
        made.asn, made.asn_keys = item.asn, (*keys, "asn")
        layout.switches[name] = made


def _links(
    fabric: FabricSchema, beside: Path, refusals: Refusals
) -> Iterator[tuple[tuple[str, str], tuple[str, str], PlannedLink | LinkSchema, Loc]]:
    links = fabric.links
    if isinstance(links, str):
        keys: Loc = ("fabric", "links")
        if not _FILE.fullmatch(links):
            message = f"must be a .yaml or .csv file beside the intent, found {links[:40]!a}"
            refusals.add(keys, message)
            return
        planned = read_plan(beside / links, str(beside / links))
        if len(planned) > MOST_CABLES:
            refusals.add(keys, f"has {len(planned)} cables; at most {MOST_CABLES} are supported")
            return
        for plan in planned:
            yield plan.a, plan.b, plan, keys
        return
    if len(links) > MOST_CABLES:
        refusals.add(("fabric", "links"), f"more than {MOST_CABLES} cables are not supported")
        return
    for number, item in enumerate(links):
        keys = ("fabric", "links", number)
        if ":" not in item.a or ":" not in item.b:
            refusals.add(keys, "an end of a cable is device:port")
            continue
        (a, _, own), (b, _, other) = item.a.partition(":"), item.b.partition(":")
        yield (a, own), (b, other), item, keys


def _are_known(
    layout: Layout,
    fabric: FabricSchema,
    ends: tuple[tuple[str, str], ...],
    keys: Loc,
    refusals: Refusals,
) -> bool:
    for device, port in ends:
        found = layout.device(device)
        if found is None and (device in fabric.devices or refusals.concern("hosts")):
            return False  # refused already
        if found is None:
            refusals.unknown(keys, "the design has no device", device, list(layout.names))
            return False
        if device in layout.hosts and port not in found.ports:
            refusals.unknown(keys, f"{device} has no interface", port, list(found.ports))
            return False
        if not PORT.fullmatch(port):
            refusals.add(keys, f"is not a port name, found {port[:40]!a}")
            return False
    return ends[0] != ends[1]


def _add(
    layout: Layout,
    fabric: FabricSchema,
    a: tuple[str, str],
    b: tuple[str, str],
    given: PlannedLink | LinkSchema,
    keys: Loc,
    refusals: Refusals,
) -> None:
    speed = given.speed_gbps
    for device, _ in (a, b):
        if speed is None and device in layout.hosts:
            speed = layout.hosts[device].kind.speed_gbps
    if speed is None:
        refusals.add(keys, f"the link of {':'.join(a)} needs a speed_gbps")
        return
    for device, port in (a, b):
        if device in layout.switches:
            made = PlannedPort(port, speed, keys, fec=fabric.devices[device].fec)
            made.fec_keys = ("fabric", "devices", device, "fec")
            layout.switches[device].ports[port] = made
    low, high = sorted((a, b), key=lambda end: _HEIGHT[layout.role(end[0])])
    layout.join(Cable(low, high, keys, speed, given.cable_m, given.rail))
