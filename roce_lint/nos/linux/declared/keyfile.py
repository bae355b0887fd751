"""NetworkManager's keyfiles: one connection a file. Secrets in them are never kept."""

from __future__ import annotations

import re

from roce_lint.nos.linux.declared.ini_file import entries
from roce_lint.nos.linux.declared.network import Declaration, match_interfaces, tool_witness
from roce_lint.nos.linux.host import Host
from roce_lint.nos.reading import Input, Value

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
"""Settings that are read; everything else is forgotten at once."""

_ADDRESS = re.compile(r"address(?:es)?\d*")


def read_keyfile(host: Host, entry: Input) -> None:
    """Take in one connection. One that is not brought up by itself says nothing certain."""
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
    said = Declaration(host, tool_witness("NetworkManager"))
    for port in _ports(host, found):
        begin = found.get(("connection", "id"), none).position or first + 1
        said.port(port, begin)
        mtu = found.get(("ethernet", "mtu"), none)
        if mtu.value:
            said.mtu(port, mtu.value, mtu.position)
        method = found.get(("ipv4", "method"), none)
        if method.value == "auto":
            said.follow_dhcp(port, method.position)
        for address in addresses:
            # The gateway follows the address behind a comma.
            text = (address.value or "").partition(",")[0]
            said.address(port, text, address.position)
        _stack(said, port, found)
    said.finish()


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


def _stack(said: Declaration, port: str, found: dict[tuple[str, str], Value[str]]) -> None:
    """VLAN interfaces and members of bonds."""
    none: Value[str] = Value(None)
    number, parent = found.get(("vlan", "id"), none), found.get(("vlan", "parent"), none)
    if number.value:
        said.vlan(port, parent.value, number.value, number.position)
    kind = found.get(("connection", "type"), none)
    if kind.value == "bond":
        said.bond(port, [], kind.position)
    master = found.get(("connection", "controller"), found.get(("connection", "master"), none))
    if master.value:
        said.host.port(port, "master", master, said.who)
        said.host.reading.take(master.position)
