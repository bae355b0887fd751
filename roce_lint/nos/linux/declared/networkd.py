"""Network files of a host: systemd-networkd, udev, NetworkManager keyfiles, netplan."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from roce_lint.nos.linux.declared.network import YES, Declaration, leaf_of, match_interfaces
from roce_lint.nos.linux.host import PORT, Host
from roce_lint.nos.reading import ABSENT, Input, Value

# Ini-like files: systemd units and network files, NetworkManager keyfiles.


class Entry(NamedTuple):
    """One `key = value`; a repeated key gives two entries, in file order. Without a key, a line
    that is neither section, entry, comment nor blank.
    """

    section: str  # "" before the first header, and below a broken header
    key: str
    value: str
    number: int  # line of the key


def parse_ini(lines: list[str]) -> Iterator[Entry]:
    """Read the lines as systemd does (systemd.syntax(7)).

    A line that ends in a backslash continues in the next, with a blank in its place; comment lines
    in between are left out. A comment takes a whole line: `#` and `;` inside a value are part of
    it. An empty value is an entry, since it resets earlier settings.
    """
    section = ""
    for number, text in _join_lines(lines):
        key, equals, value = text.partition("=")
        if text.startswith("["):
            section = text[1:-1] if text.endswith("]") else ""
            if not section:
                yield Entry("", "", text, number)
        elif key and equals:
            yield Entry(section, key.rstrip(), value.strip(), number)
        else:
            yield Entry("", "", text, number)


def _join_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """First line and text of every logical line that is not blank or a comment."""
    begun, first = "", 0
    for number, line in enumerate((*lines, ""), 1):  # the last line may be continued as well
        text = line.lstrip("\ufeff \t") if number == 1 else line.lstrip()
        if text.startswith(("#", ";")):
            continue
        first = first if begun else number
        if (len(text) - len(text.rstrip("\\"))) % 2:  # the last backslash is not itself escaped
            begun += text[:-1] + " "
            continue
        if whole := (begun + text).strip():
            yield first, whole
        begun = ""


SHOWN = 64
"""Characters of a line that a note shows."""


def entries(host: Host, entry: Input) -> list[Entry]:
    """Settings in file order; lines that are neither section nor setting are noted."""
    found = list(parse_ini(entry.lines))
    for bad in (each for each in found if not each.key):
        what = "a section that is not closed" if bad.value.startswith("[") else "not a setting"
        host.bad(f"{bad.value[:SHOWN]!r} is {what}: left out", host.spot_of_line(entry, bad.number))
    return [each for each in found if each.key]


class _Unit:
    """Settings of a file, by section and key; a repeated key adds up."""

    def __init__(self, host: Host, entry: Input):
        self.settings: dict[tuple[str, str], list[Value[str]]] = {}
        for found in entries(host, entry):
            value = Value(found.value, host.spot_of_line(entry, found.number))
            self.settings.setdefault((found.section, found.key), []).append(value)

    def all(self, key: str, *sections: str) -> list[Value[str]]:
        """All values of a key; an empty one removes those before it in its section."""
        found: list[Value[str]] = []
        for section in sections:
            begin = len(found)
            for value in self.settings.get((section, key), ()):
                found = [*found, value] if value.value else found[:begin]
        return found

    def last(self, section: str, key: str) -> Value[str]:
        """The value in force."""
        found = self.all(key, section)
        return found[-1] if found else ABSENT


def read_networkd(host: Host, entry: Input) -> None:
    """Read one file; its sections, or its suffix, determine its kind."""
    unit = _Unit(host, entry)
    of_links = (("Match", "OriginalName"), ("Link", "Name"), ("Link", "NamePolicy"))
    if unit.last("NetDev", "Name"):
        _netdev(host, unit)
    elif leaf_of(entry).endswith(".link") or not unit.settings.keys().isdisjoint(of_links):
        _link(host, entry, unit)
    else:
        _network(host, entry, unit)


def _select(host: Host, unit: _Unit, name_key: str) -> list[str]:
    """Interfaces that [Match] selects; unknown for a match by driver or path."""
    stated = [unit.all(key, "Match") for key in (name_key, "MACAddress")]
    for value in (*stated[0], *stated[1]):
        host.reading.take(value.position)
    names, macs = ([w for v in values for w in (v.value or "").split()] for values in stated)
    if any(name.startswith("!") for name in names):
        return []
    if not macs:
        return match_interfaces(host, names)
    return [port for mac in macs for port in match_interfaces(host, names, mac)]


def _network(host: Host, entry: Input, unit: _Unit) -> None:
    """Read a .network file; the first in name order that matches an interface applies."""
    declaration = Declaration(host, "networkd")
    first = min((v.position for each in unit.settings.values() for v in each), default=0)
    for port in _select(host, unit, "Name"):
        if host.claims.has(PORT, port, "networkd file"):
            continue
        host.port(port, "networkd file", Value(leaf_of(entry), first), declaration.who)
        declaration.state(port, "declared", True, first)
        declaration.mtu(port, unit.last("Link", "MTUBytes"))
        dhcp = unit.last("Network", "DHCP")
        if (dhcp.value or "no").lower() in ("yes", "true", "ipv4"):
            declaration.state(port, "DHCP", True, dhcp.position)
        for address in unit.all("Address", "Network", "Address"):
            declaration.address(port, address.value or "", address.position)
        for gateway in unit.all("Gateway", "Network", "Route"):
            declaration.gateway(port, gateway.value or "", gateway.position)
        for vlan in unit.all("VLAN", "Network"):
            declaration.state(vlan.value or "", "parent", port, vlan.position)
        bond = unit.last("Network", "Bond")
        if bond.value:
            declaration.bond(bond.value, bond.position, port)
    declaration.finish()


def _netdev(host: Host, unit: _Unit) -> None:
    declaration = Declaration(host, "networkd")
    name, kind = unit.last("NetDev", "Name"), unit.last("NetDev", "Kind")
    port = name.value or ""
    declaration.state(port, "declared", True, name.position)
    declaration.mtu(port, unit.last("NetDev", "MTUBytes"))
    number = unit.last("VLAN", "Id")
    if kind.value == "vlan" and number.value:
        declaration.vlan(port, None, number.value, number.position)
    elif kind.value in ("bond", "team"):
        declaration.bond(port, kind.position)


def _link(host: Host, entry: Input, unit: _Unit) -> None:
    """Read a .link file: udev names an interface and sets its MTU once, before any tool."""
    declaration = Declaration(host, "udev")
    renamed = unit.last("Link", "Name")
    mtu = unit.last("Link", "MTUBytes")
    ports = [renamed.value] if renamed.value else _select(host, unit, "OriginalName")
    for port in ports:
        if mtu.value and port and not host.claims.has(PORT, port, "link file"):
            host.port(port, "link file", Value(leaf_of(entry), mtu.position), declaration.who)
            declaration.mtu(port, mtu)


# NetworkManager keyfiles: one connection per file. Their secrets are never stored.

WANTED = {
    "connection": ("id", "type", "interface-name", "master", "controller", "autoconnect"),
    "ethernet": ("mtu", "mac-address"),
    "802-3-ethernet": ("mtu", "mac-address"),
    "vlan": ("id", "parent", "interface-name"),
    "ipv4": ("method",),
}
"""Settings that are read, by section; all others are dropped at once."""

Settings = defaultdict[tuple[str, str], Value[str]]

_ADDRESS = re.compile(r"address(?:es)?\d*")


def read_keyfile(host: Host, entry: Input) -> None:
    """Read one connection; uncertain without autoconnect."""
    found: Settings = defaultdict(lambda: ABSENT)
    addresses: list[Value[str]] = []
    for each in entries(host, entry):
        value = Value(each.value, host.spot_of_line(entry, each.number))
        if each.key in WANTED.get(each.section, ()):
            found[each.section.removeprefix("802-3-"), each.key] = value
        elif each.section in ("ipv4", "ipv6") and _ADDRESS.fullmatch(each.key):
            addresses.append(value)
    if found["connection", "autoconnect"].value == "false":
        return
    begin = found["connection", "id"].position or host.spot_of_line(entry, 1)
    declaration = Declaration(host, "NetworkManager")
    for port in _ports(host, found):
        declaration.state(port, "declared", True, begin)
        declaration.mtu(port, found["ethernet", "mtu"])
        method = found["ipv4", "method"]
        if method.value == "auto":
            declaration.state(port, "DHCP", True, method.position)
        for address in addresses:  # the gateway follows after a comma
            text = (address.value or "").partition(",")[0]
            declaration.address(port, text, address.position)
        number, kind = found["vlan", "id"], found["connection", "type"]
        if number.value:
            declaration.vlan(port, found["vlan", "parent"].value, number.value, number.position)
        if kind.value == "bond":
            declaration.bond(port, kind.position)
        master = found["connection", "controller"] or found["connection", "master"]
        if master.value:
            declaration.state(port, "master", *master)
    declaration.finish()


def _ports(host: Host, found: Settings) -> list[str]:
    name = found["connection", "interface-name"] or found["vlan", "interface-name"]
    mac = found["ethernet", "mac-address"]
    chosen = name if name.value else mac
    if not chosen.value:
        return []
    host.reading.take(chosen.position)
    return [chosen.value] if chosen is name else match_interfaces(host, [], chosen.value)


# netplan: YAML files of /etc/netplan, merged in name order.

KINDS = ("ethernets", "bonds", "vlans", "bridges")


def read_netplan(host: Host, entry: Input) -> None:
    """Read one file."""
    network = entry.tree.get("network") if isinstance(entry.tree, dict) else None
    if not isinstance(network, dict):
        return
    for key in ("version", "renderer"):
        host.mark(entry, "network", key)
    for kind in KINDS:
        listed = network.get(kind)
        for name, data in listed.items() if isinstance(listed, dict) else ():
            if isinstance(data, dict):
                _Definition(host, entry, kind, str(name), data).read()


class _Definition:
    """One interface definition."""

    def __init__(self, host: Host, entry: Input, kind: str, name: str, data: dict[str, Any]):
        self.host, self.entry, self.kind, self.name, self.data = host, entry, kind, name, data
        self.declaration = Declaration(host, "netplan")

    def read(self) -> None:
        """Record the settings of every interface that the definition selects."""
        for port in self._ports():
            place = self.host.spot(self.entry, "network", self.kind, self.name)
            self.declaration.state(port, "declared", True, place)
            if self.data.get("mtu") is not None:
                self.declaration.mtu(port, Value(str(self.data["mtu"]), self._at("mtu")))
            if str(self.data.get("dhcp4", "")).lower() in YES:
                self.declaration.state(port, "DHCP", True, self._at("dhcp4"))
            self._addresses(port)
            if self.kind == "vlans":
                link, number = self._text("link"), str(self.data.get("id"))
                self.declaration.vlan(port, link, number, self._at("id"))
            elif self.kind == "bonds":
                names = [str(each) for each in self._list("interfaces")]
                self.declaration.bond(port, self._at("interfaces"), *names)
        self.declaration.finish()

    def _ports(self) -> list[str]:
        """Interfaces: the name of the definition, or those that its match selects."""
        match, renamed = self.data.get("match"), self._text("set-name")
        if isinstance(match, dict):
            self._at("match")
        if renamed is not None:
            return [renamed]
        if self.kind != "ethernets" or not isinstance(match, dict):
            return [self.name]
        name, mac = match.get("name"), match.get("macaddress")
        if name is None and mac is None:
            return []  # a match by driver: which ports that are is not known
        names = [str(name)] if name is not None else []
        return match_interfaces(self.host, names, str(mac) if mac is not None else None)

    def _addresses(self, port: str) -> None:
        for row, each in enumerate(self._list("addresses")):
            # An address with options is a mapping of one key.
            text = next(iter(each), "") if isinstance(each, dict) else each
            self.declaration.address(port, str(text), self._at("addresses", row))
        for row, each in enumerate(self._list("routes")):
            if isinstance(each, dict) and "via" in each:
                self.declaration.gateway(port, str(each["via"]), self._at("routes", row, "via"))

    def _list(self, key: str) -> list[Any]:
        found = self.data.get(key)
        return found if isinstance(found, list) else []

    def _text(self, key: str) -> str | None:
        if self.data.get(key) is None:
            return None
        self._at(key)
        return str(self.data[key])

    def _at(self, *keys: Hashable) -> int:
        return self.host.at(self.entry, "network", self.kind, self.name, *keys)
