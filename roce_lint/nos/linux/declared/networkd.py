"""Network files of a host: systemd-networkd, udev, NetworkManager keyfiles, netplan."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.linux.declared.network import (
    Declaration,
    leaf_of,
    match_interfaces,
    tool_witness,
)
from roce_lint.nos.linux.host import PORT, Host
from roce_lint.nos.reading import Input, Value

# Ini-like files: systemd units and network files, NetworkManager keyfiles.


@dataclass(slots=True, frozen=True)
class Entry:
    """One `key = value`; a repeated key gives two entries, in file order."""

    section: str  # "" before the first header, and below a broken header
    key: str
    value: str
    number: int  # line of the key
    last: int  # last line of the value; the same unless it is continued


@dataclass(slots=True, frozen=True)
class BadLine:
    """A line that is neither section, entry, comment nor blank."""

    number: int
    text: str


@dataclass(slots=True)
class Ini:
    """Contents of a file; iterating gives the entries."""

    entries: list[Entry] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


def parse_ini(lines: list[str]) -> Ini:
    """Read the lines as systemd does (systemd.syntax(7)).

    A line that ends in a backslash continues in the next, with a blank in its place; comment lines
    in between are left out. A comment takes a whole line: `#` and `;` inside a value are part of
    it. An empty value is an entry, since it resets earlier settings.
    """
    found = Ini()
    section = ""
    for number, last, text in _join_lines(lines):
        if text.startswith("["):
            closed = text.endswith("]") and len(text) > len("[]")
            section = text[1:-1] if closed else ""
            if not closed:
                found.bad.append(BadLine(number, text))
            continue
        key, equals, value = text.partition("=")
        key = key.rstrip()
        if key and equals:
            found.entries.append(Entry(section, key, value.strip(), number, last))
        else:
            found.bad.append(BadLine(number, text))
    return found


def _join_lines(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First line, last line and text of every logical line that is not blank or a comment."""
    parts: list[str] = []
    first = last = 0
    for number, line in enumerate(lines, 1):
        text = line.lstrip("\ufeff \t") if number == 1 else line.lstrip()
        if text.startswith(("#", ";")):
            continue
        first = first if parts else number
        last = number
        if _is_continued(text):
            parts.append(text[:-1] + " ")
            continue
        parts.append(text)
        whole = "".join(parts).strip()
        parts = []
        if whole:
            yield first, last, whole
    if parts and (whole := "".join(parts).strip()):  # the file ends in a continued line
        yield first, last, whole


def _is_continued(text: str) -> bool:
    """Whether the last backslash is not itself escaped."""
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


# Entries of such a file, with notes on malformed lines.

SHOWN = 64
"""Characters of a line that a note shows."""


def entries(host: Host, entry: Input) -> Iterator[Entry]:
    """Settings in file order; lines that are neither section nor setting have no effect."""
    found = parse_ini(entry.lines)
    first = host.reading.src.files[entry.file].first
    for bad in found.bad:
        what = "a section that is not closed" if bad.text.startswith("[") else "not a setting"
        message = f"{bad.text[:SHOWN]!r} is {what}: left out"
        host.reading.note(NoteKind.BAD_VALUE, message, first + bad.number)
    yield from found


@dataclass(slots=True)
class _Unit:
    """Settings of a file, by section and key; a repeated key adds up."""

    settings: dict[tuple[str, str], list[Value[str]]] = field(default_factory=dict)

    def all(self, section: str, key: str) -> list[Value[str]]:
        """All values of a key; an empty one removes those before it."""
        found: list[Value[str]] = []
        for value in self.settings.get((section, key), ()):
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
        unit.settings.setdefault((found.section, found.key), []).append(value)
    return unit


def read_networkd(host: Host, entry: Input) -> None:
    """Read one file; its sections, or its suffix, determine its kind."""
    unit = _parse(host, entry)
    if unit.last("NetDev", "Name"):
        _netdev(host, unit)
    elif leaf_of(entry).endswith(".link") or any(key in unit.settings for key in OF_LINKS):
        _link(host, entry, unit)
    else:
        _network(host, entry, unit)


OF_LINKS = (("Match", "OriginalName"), ("Link", "Name"), ("Link", "NamePolicy"))
"""Settings that only a .link file has."""


def _select(host: Host, unit: _Unit, name_key: str) -> list[str]:
    """Interfaces that [Match] selects; unknown for a match by driver or path."""
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
    """Read a .network file; the first in name order that matches an interface applies."""
    declaration = Declaration(host, tool_witness("networkd"))
    first = min((v.position for each in unit.settings.values() for v in each), default=0)
    for port in _select(host, unit, "Name"):
        if host.claims.has(PORT, port, "networkd file"):
            continue
        host.port(port, "networkd file", Value(leaf_of(entry), first), declaration.who)
        declaration.port(port, first)
        mtu = unit.last("Link", "MTUBytes")
        if mtu.value:
            declaration.mtu(port, mtu.value, mtu.position)
        dhcp = unit.last("Network", "DHCP")
        if (dhcp.value or "no").lower() in ("yes", "true", "ipv4"):
            declaration.follow_dhcp(port, dhcp.position)
        for section in ("Network", "Address"):
            for address in unit.all(section, "Address"):
                declaration.address(port, address.value or "", address.position)
        for vlan in unit.all("Network", "VLAN"):
            host.port(vlan.value or "", "parent", Value(port, vlan.position), declaration.who)
            host.reading.take(vlan.position)
        bond = unit.last("Network", "Bond")
        if bond.value:
            declaration.bond(bond.value, [port], bond.position)
    declaration.finish()


def _netdev(host: Host, unit: _Unit) -> None:
    declaration = Declaration(host, tool_witness("networkd"))
    name, kind = unit.last("NetDev", "Name"), unit.last("NetDev", "Kind")
    port = name.value or ""
    declaration.port(port, name.position)
    mtu = unit.last("NetDev", "MTUBytes")
    if mtu.value:
        declaration.mtu(port, mtu.value, mtu.position)
    number = unit.last("VLAN", "Id")
    if kind.value == "vlan" and number.value:
        declaration.vlan(port, None, number.value, number.position)
    elif kind.value in ("bond", "team"):
        host.port(port, "kind", Value(InterfaceKind.LAG, kind.position), declaration.who)
        host.reading.take(kind.position)


def _link(host: Host, entry: Input, unit: _Unit) -> None:
    """Read a .link file: udev names an interface and sets its MTU once, before any tool."""
    declaration = Declaration(host, tool_witness("udev"))
    renamed = unit.last("Link", "Name")
    mtu = unit.last("Link", "MTUBytes")
    ports = [renamed.value] if renamed.value else _select(host, unit, "OriginalName")
    for port in ports:
        if mtu.value and port and not host.claims.has(PORT, port, "link file"):
            host.port(port, "link file", Value(leaf_of(entry), mtu.position), declaration.who)
            declaration.mtu(port, mtu.value, mtu.position)


# NetworkManager keyfiles: one connection per file. Their secrets are never stored.

WANTED = {
    ("connection", "id"),
    ("connection", "type"),
    ("connection", "interface-name"),
    ("connection", "master"),
    ("connection", "controller"),
    ("connection", "autoconnect"),
    ("ethernet", "mtu"),
    ("ethernet", "mac-address"),
    ("802-3-ethernet", "mtu"),
    ("802-3-ethernet", "mac-address"),
    ("vlan", "id"),
    ("vlan", "parent"),
    ("vlan", "interface-name"),
    ("ipv4", "method"),
}
"""Settings that are read; all others are dropped at once."""

_ADDRESS = re.compile(r"address(?:es)?\d*")


def read_keyfile(host: Host, entry: Input) -> None:
    """Read one connection; uncertain without autoconnect."""
    first = host.reading.src.files[entry.file].first
    found: dict[tuple[str, str], Value[str]] = {}
    addresses: list[Value[str]] = []
    for each in entries(host, entry):
        value = Value(each.value, first + each.number)
        if (each.section, each.key) in WANTED:
            found[(each.section.removeprefix("802-3-"), each.key)] = value
        elif each.section in ("ipv4", "ipv6") and _ADDRESS.fullmatch(each.key):
            addresses.append(value)
    none: Value[str] = Value(None)
    if found.get(("connection", "autoconnect"), none).value == "false":
        return
    declaration = Declaration(host, tool_witness("NetworkManager"))
    for port in _ports(host, found):
        begin = found.get(("connection", "id"), none).position or first + 1
        declaration.port(port, begin)
        mtu = found.get(("ethernet", "mtu"), none)
        if mtu.value:
            declaration.mtu(port, mtu.value, mtu.position)
        method = found.get(("ipv4", "method"), none)
        if method.value == "auto":
            declaration.follow_dhcp(port, method.position)
        for address in addresses:
            # The gateway follows the address after a comma.
            text = (address.value or "").partition(",")[0]
            declaration.address(port, text, address.position)
        _stack(declaration, port, found)
    declaration.finish()


def _ports(host: Host, found: dict[tuple[str, str], Value[str]]) -> list[str]:
    none: Value[str] = Value(None)
    name = found.get(("connection", "interface-name"), none)
    name = name or found.get(("vlan", "interface-name"), none)
    if name.value:
        host.reading.take(name.position)
        return [name.value]
    mac = found.get(("ethernet", "mac-address"), none)
    if mac.value:
        host.reading.take(mac.position)
        return match_interfaces(host, [], mac.value)
    return []


def _stack(declaration: Declaration, port: str, found: dict[tuple[str, str], Value[str]]) -> None:
    """VLAN interfaces and members of bonds."""
    none: Value[str] = Value(None)
    number, parent = found.get(("vlan", "id"), none), found.get(("vlan", "parent"), none)
    if number.value:
        declaration.vlan(port, parent.value, number.value, number.position)
    kind = found.get(("connection", "type"), none)
    if kind.value == "bond":
        declaration.bond(port, [], kind.position)
    master = found.get(("connection", "controller"), found.get(("connection", "master"), none))
    if master.value:
        declaration.host.port(port, "master", master, declaration.who)
        declaration.host.reading.take(master.position)


# netplan: YAML files of /etc/netplan, merged in name order.

KINDS = ("ethernets", "bonds", "vlans", "bridges")
YES = ("true", "yes", "on")

Keys = tuple[Hashable, ...]


def read_netplan(host: Host, entry: Input) -> None:
    """Read one file."""
    network = entry.tree.get("network") if isinstance(entry.tree, dict) else None
    if not isinstance(network, dict):
        return
    host.mark(entry, "network", "version")
    host.mark(entry, "network", "renderer")
    for kind in KINDS:
        listed = network.get(kind)
        for name, data in listed.items() if isinstance(listed, dict) else ():
            if isinstance(data, dict):
                _Definition(host, entry, kind, str(name), data).read()


class _Definition:
    """One interface definition."""

    def __init__(self, host: Host, entry: Input, kind: str, name: str, data: dict[str, Any]):
        self.host = host
        self.entry = entry
        self.keys: Keys = ("network", kind, name)
        self.kind = kind
        self.name = name
        self.data = data
        self.declaration = Declaration(host, tool_witness("netplan"))

    def read(self) -> None:
        """Record the settings of every interface that the definition selects."""
        for port in self._ports():
            self.declaration.port(port, self._at())
            if self.data.get("mtu") is not None:
                self.declaration.mtu(port, str(self.data["mtu"]), self._at("mtu"))
            if str(self.data.get("dhcp4", "")).lower() in YES:
                self.declaration.follow_dhcp(port, self._at("dhcp4"))
            self._addresses(port)
            if self.kind == "vlans":
                link, number = self.data.get("link"), self.data.get("id")
                parent = str(link) if link is not None else None
                self.declaration.vlan(port, parent, str(number), self._at("id"))
                self._at("link")
            elif self.kind == "bonds":
                members = self.data.get("interfaces")
                names = [str(each) for each in members] if isinstance(members, list) else []
                self.declaration.bond(port, names, self._at("interfaces"))
        self.declaration.finish()

    def _ports(self) -> list[str]:
        """Interfaces: the name of the definition, or those that its match selects."""
        match = self.data.get("match")
        if isinstance(match, dict):
            self._at("match")
        renamed = self.data.get("set-name")
        if renamed is not None:
            self._at("set-name")
            return [str(renamed)]
        if self.kind != "ethernets" or not isinstance(match, dict):
            return [self.name]
        name, mac = match.get("name"), match.get("macaddress")
        if name is None and mac is None:
            return []  # a match by driver: which ports that are is not known
        names = [str(name)] if name is not None else []
        return match_interfaces(self.host, names, str(mac) if mac is not None else None)

    def _addresses(self, port: str) -> None:
        listed = self.data.get("addresses")
        for row, each in enumerate(listed if isinstance(listed, list) else ()):
            # An address with options is a mapping of one key.
            text = next(iter(each), "") if isinstance(each, dict) else each
            self.declaration.address(port, str(text), self._at("addresses", row))

    def _at(self, *keys: Hashable) -> int:
        if not keys:
            return self.host.spot(self.entry, *self.keys)
        return self.host.at(self.entry, *self.keys, *keys)
