"""systemd-networkd and udev: .network, .netdev and .link files."""

from __future__ import annotations

from dataclasses import dataclass, field

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.linux.declared.ini_file import entries
from roce_lint.nos.linux.declared.network import (
    Declaration,
    leaf_of,
    match_interfaces,
    tool_witness,
)
from roce_lint.nos.linux.host import PORT, Host
from roce_lint.nos.reading import Input, Value


@dataclass(slots=True)
class _Unit:
    """What a file says, by section and key; a key that comes twice adds up."""

    said: dict[tuple[str, str], list[Value[str]]] = field(default_factory=dict)

    def all(self, section: str, key: str) -> list[Value[str]]:
        """Every value of a key; an empty one takes back those before it."""
        found: list[Value[str]] = []
        for value in self.said.get((section, key), ()):
            found = [*found, value] if value.value else []
        return found

    def last(self, section: str, key: str) -> Value[str]:
        """The value in force."""
        found = self.all(section, key)
        return found[-1] if found else Value(None)


def _parse(host: Host, entry: Input) -> _Unit:
    first = host.reading.src.files[entry.file].first
    unit = _Unit()
    for found in entries(host, entry):
        value = Value(found.value, first + found.number)
        unit.said.setdefault((found.section, found.key), []).append(value)
    return unit


def read_networkd(host: Host, entry: Input) -> None:
    """Take in one file; its sections tell what it is, as its ending does."""
    unit = _parse(host, entry)
    if unit.last("NetDev", "Name"):
        _netdev(host, unit)
    elif leaf_of(entry).endswith(".link") or any(key in unit.said for key in OF_LINKS):
        _link(host, entry, unit)
    else:
        _network(host, entry, unit)


OF_LINKS = (("Match", "OriginalName"), ("Link", "Name"), ("Link", "NamePolicy"))
"""Settings that only a .link file has."""


def _select(host: Host, unit: _Unit, name_key: str) -> list[str]:
    """Interfaces that [Match] selects; one by driver or path is not known."""
    names = [word for value in unit.all("Match", name_key) for word in (value.value or "").split()]
    macs = [
        word for value in unit.all("Match", "MACAddress") for word in (value.value or "").split()
    ]
    for key in (name_key, "MACAddress"):
        for value in unit.all("Match", key):
            host.reading.take(value.position)
    if any(name.startswith("!") for name in names):
        return []
    if not macs:
        return match_interfaces(host, names)
    return [port for mac in macs for port in match_interfaces(host, names, mac)]


def _network(host: Host, entry: Input, unit: _Unit) -> None:
    """The first file in the order of names that matches an interface is the one for it."""
    said = Declaration(host, tool_witness("networkd"))
    first = min((v.position for each in unit.said.values() for v in each), default=0)
    for port in _select(host, unit, "Name"):
        if host.claims.knows(PORT, port, "networkd file"):
            continue
        host.port(port, "networkd file", Value(leaf_of(entry), first), said.who)
        said.port(port, first)
        mtu = unit.last("Link", "MTUBytes")
        if mtu.value:
            said.mtu(port, mtu.value, mtu.position)
        dhcp = unit.last("Network", "DHCP")
        if (dhcp.value or "no").lower() in ("yes", "true", "ipv4"):
            said.follow_dhcp(port, dhcp.position)
        for section in ("Network", "Address"):
            for address in unit.all(section, "Address"):
                said.address(port, address.value or "", address.position)
        for vlan in unit.all("Network", "VLAN"):
            host.port(vlan.value or "", "parent", Value(port, vlan.position), said.who)
            host.reading.take(vlan.position)
        bond = unit.last("Network", "Bond")
        if bond.value:
            said.bond(bond.value, [port], bond.position)
    said.finish()


def _netdev(host: Host, unit: _Unit) -> None:
    said = Declaration(host, tool_witness("networkd"))
    name, kind = unit.last("NetDev", "Name"), unit.last("NetDev", "Kind")
    port = name.value or ""
    said.port(port, name.position)
    mtu = unit.last("NetDev", "MTUBytes")
    if mtu.value:
        said.mtu(port, mtu.value, mtu.position)
    number = unit.last("VLAN", "Id")
    if kind.value == "vlan" and number.value:
        said.vlan(port, None, number.value, number.position)
    elif kind.value in ("bond", "team"):
        host.port(port, "kind", Value(InterfaceKind.LAG, kind.position), said.who)
        host.reading.take(kind.position)


def _link(host: Host, entry: Input, unit: _Unit) -> None:
    """Udev names an interface and sets its MTU once, before any tool does."""
    said = Declaration(host, tool_witness("udev"))
    renamed = unit.last("Link", "Name")
    mtu = unit.last("Link", "MTUBytes")
    ports = [renamed.value] if renamed.value else _select(host, unit, "OriginalName")
    for port in ports:
        if mtu.value and port and not host.claims.knows(PORT, port, "link file"):
            host.port(port, "link file", Value(leaf_of(entry), mtu.position), said.who)
            said.mtu(port, mtu.value, mtu.position)
