"""Switches, hosts and cables of a fabric as entries of an intent."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any

from roce_lint.analysis.cable import CableSource
from roce_lint.analysis.result import Analysis
from roce_lint.design.drafting.draft import Draft, short, usual
from roce_lint.design.layout import Loc
from roce_lint.intent.fabric import PORT, fault_of_host
from roce_lint.model.device import Device, Role
from roce_lint.model.fabric import Endpoint, Link
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.nic import Nic
from roce_lint.nos.registry import all_nos
from roce_lint.text.names import natural
from roce_lint.text.numbers import whole_of

ROLES = (Role.LEAF, Role.SPINE, Role.SUPERSPINE)
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>\d{1,5})")


@dataclass(slots=True)
class DeviceEntries:
    """Devices in the intent."""

    switches: dict[str, Device] = field(default_factory=dict)
    hosts: dict[str, Device] = field(default_factory=dict)
    ports: dict[str, list[str]] = field(default_factory=dict)
    """RDMA ports of each host, in the order of its types."""


def put_fabric(analysis: Analysis, draft: Draft) -> DeviceEntries:
    """Add switches, links and hosts; report those that an intent cannot hold."""
    listed = DeviceEntries()
    devices = sorted(analysis.fabric.devices.values(), key=lambda d: natural(d.hostname))
    known = [each for each in devices if not each.fleet and not fault_of_host(each.hostname)]
    for device in known:
        if not device.is_host and all_nos()[device.nos].offer is not None:
            listed.switches[device.hostname] = device
        elif not device.is_host:
            draft.leave(f"{device.hostname}: {device.nos} is not supported by `generate`")
    for role in ROLES:
        for device in listed.switches.values():
            if _role(device) is role:
                draft.put(("fabric", "devices", device.hostname), _switch(device, role, draft))
    _put_hosts(analysis, [d for d in known if d.is_host], listed, draft)
    _put_links(analysis, listed, draft)
    _put_open_ports(analysis, listed, draft)
    return listed


def _role(device: Device) -> Role:
    return device.role if device.role in ROLES else Role.LEAF


def _switch(device: Device, role: Role, draft: Draft) -> dict[str, Any]:
    keys: Loc = ("fabric", "devices", device.hostname)
    if device.role is not role:
        word = device.role.value if device.role is not None else "unknown"
        draft.note(keys, f"QUESTION: is it a {role.value}? Its role is {word}")
    made: dict[str, Any] = {"role": role.value, "nos": device.nos}
    for key, text in (("platform", device.model), ("release", device.os_version)):
        if text and text.isascii() and text.isprintable():
            made[key] = text if key == "platform" else text[:200]
    if device.asn is not None:
        made["asn"] = device.asn
    fec = usual((port.fec, 1) for port in device.interfaces.values() if port.stated("fec"))
    if fec is not None:
        made["fec"] = fec.value
    return made


def _put_hosts(
    analysis: Analysis, hosts: list[Device], listed: DeviceEntries, draft: Draft
) -> None:
    types: dict[tuple[Any, ...], list[Device]] = defaultdict(list)
    for host in hosts:
        nics = sorted(analysis.nics_of(host), key=lambda nic: natural(nic.port or ""))
        nics = [nic for nic in nics if nic.port is not None and PORT.fullmatch(nic.port)]
        if not nics:
            continue
        kind = _kind(analysis, host, nics)
        if kind is None:
            draft.leave(f"{host.hostname}: vendor or speed of its adapters is unknown")
            continue
        types[kind].append(host)
        listed.hosts[host.hostname] = host
        listed.ports[host.hostname] = list(kind[1])
    for kind, own in types.items():
        for first, names, pattern in _runs([host.hostname for host in own]):
            word = re.sub(r"[^A-Za-z0-9]+$", "", pattern.split("{")[0]) or "host"
            others = draft.tree.get("hosts", {})
            key = next(k for n in range(1, 9999) if (k := f"{word}-{n}" if n > 1 else word)
                       not in others)  # fmt: skip
            draft.put(("hosts", key), _host_type(kind, first, len(names), pattern))


def _kind(analysis: Analysis, host: Device, nics: list[Nic]) -> tuple[Any, ...] | None:
    """Common attributes of hosts of one type; None if one is unknown."""
    maker = usual((nic.maker, 1) for nic in nics)
    ports = tuple(nic.port for nic in nics)
    judged = [analysis.port(host.hostname, nic.port or "") for nic in nics]
    speed = usual((port.gbps, 1) for port in judged if port is not None)
    if maker is None or speed is None or len(set(ports)) != len(ports):
        return None
    return maker, ports, tuple(nic.name for nic in nics), speed


def _host_type(kind: tuple[Any, ...], first: int, count: int, pattern: str) -> dict[str, Any]:
    maker, ports, rdma, speed = kind
    made: dict[str, Any] = {"count": count, "name": pattern}
    if first != 1 and "{" in pattern:
        made["first"] = first
    made |= {"nics": len(ports), "family": maker, "ports": list(ports)}
    if rdma != ports:
        made["rdma"] = list(rdma)
    return made | {"speed_gbps": short(speed)}


def _runs(names: list[str]) -> Iterator[tuple[int, list[str], str]]:
    """Consecutive names, with the first number and their pattern."""
    run: list[str] = []
    for name in [*names, ""]:
        if run and not _follows(run[-1], name):
            found = _NUMBERED.fullmatch(run[0])
            if len(run) == 1 or found is None:
                yield 1, run, run[0]
            else:
                digits = found["number"]
                width = f":0{len(digits)}d" if digits.startswith("0") or len(digits) > 1 else ""
                yield whole_of(digits), run, f"{found['stem']}{{n{width}}}"
            run = []
        if name:
            run.append(name)


def _follows(one: str, other: str) -> bool:
    a, b = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    if a is None or b is None or a["stem"] != b["stem"]:
        return False
    as_long = len(a["number"]) == len(b["number"])
    return as_long and whole_of(b["number"]) == whole_of(a["number"]) + 1


def _put_links(analysis: Analysis, listed: DeviceEntries, draft: Draft) -> None:
    made: list[tuple[Any, dict[str, Any]]] = []
    taken: set[tuple[str, str]] = set()
    for link in analysis.fabric.links:
        low, high = sorted(link.ends, key=_height)
        if not _stands(low, listed) or not _stands(high, listed) or high.device.is_host:
            continue
        if low.key in taken or high.key in taken:
            continue
        entry = _link(analysis, link, low, high)
        if entry is None:
            draft.leave(f"the link of {low} and {high}: unknown speed")
            continue
        taken |= {low.key, high.key}
        made.append((_order(low, high), entry))
    if made:
        made.sort(key=lambda pair: pair[0])
        draft.put(("fabric", "links"), [entry for _, entry in made])


def _height(end: Endpoint) -> int:
    return -1 if end.device.is_host else ROLES.index(_role(end.device))


def _stands(end: Endpoint, listed: DeviceEntries) -> bool:
    name, port = end.key
    if end.interface.kind is not InterfaceKind.PHYSICAL or not PORT.fullmatch(port):
        return False
    return name in listed.switches or port in listed.ports.get(name, ())


def _order(low: Endpoint, high: Endpoint) -> Any:
    """Sort key: links between switches first, by address of the upper end, then by name."""
    address = first_address(high.interface)
    ip = ip_interface(address).ip if address else None
    numbered = (ip.version, ip.packed) if ip is not None else (9, b"")
    names = [natural(text) for end in (low, high) for text in end.key]
    return (low.device.is_host, numbered, names)


def first_address(port: Interface) -> str:
    """The numbering address of a port: not link-local, IPv4 before IPv6."""
    found = [a for a in port.addresses if "/" in a and not ip_interface(a).is_link_local]
    return min(found, key=lambda a: ip_interface(a).version, default="")


def _link(analysis: Analysis, link: Link, low: Endpoint, high: Endpoint) -> dict[str, Any] | None:
    speeds = [link.speed_gbps, *(e.interface.speed_gbps for e in (high, low))]
    speeds += [end.interface.live_gbps for end in (high, low)]
    speed = next((each for each in speeds if each is not None), None)
    if speed is None:
        return None
    made: dict[str, Any] = {"a": ":".join(low.key), "b": ":".join(high.key)}
    made["speed_gbps"] = short(speed)
    cable = analysis.cables.of_link(link)
    if cable is not None and cable.source is not CableSource.DEFAULT:
        made["cable_m"] = short(cable.metres)
    rail = link.rail if link.rail is not None else low.interface.rail
    return made | ({"rail": rail} if rail is not None else {})


def _put_open_ports(analysis: Analysis, listed: DeviceEntries, draft: Draft) -> None:
    """Add ports whose peer is unknown or not in the intent."""
    links = draft.tree.get("fabric", {}).get("links", [])
    cabled = {entry[end] for entry in links for end in ("a", "b")}
    unknown: Counter[str] = Counter()
    for name, device in listed.switches.items():
        for judged in analysis.ports_of(device):
            port = judged.interface
            if f"{name}:{port.name}" in cabled or not PORT.fullmatch(port.name):
                continue
            if port.kind is not InterfaceKind.PHYSICAL or port.enabled is False:
                continue
            if judged.gbps is None:
                unknown[name] += 1
                continue
            made: dict[str, Any] = {"speed_gbps": short(judged.gbps)}
            cable = analysis.cables.of_port(device, port)
            if cable is not None and cable.source is not CableSource.DEFAULT:
                made["cable_m"] = short(cable.metres)
            draft.put(("fabric", "devices", name, "ports", port.name), made)
    for name, count in unknown.items():
        draft.leave(f"{name}: unknown speed of {count} of its ports without a known link")
