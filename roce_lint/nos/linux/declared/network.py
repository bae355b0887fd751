"""Interface settings in network configuration files of any tool."""

from __future__ import annotations

import fnmatch
import ipaddress
import re

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import PORT, Host, whole
from roce_lint.nos.reading import Input, Value

YES = ("true", "yes", "on")


def leaf_of(entry: Input) -> str:
    """Base name of a file on the host (of its header, if any): these tools order files by it."""
    return (entry.args.get("path") or entry.text.name).rsplit("/", 1)[-1]


class Declaration:
    """Records the statements of one file on behalf of its tool.

    All files of a tool have one witness: the last statement wins.
    """

    def __init__(self, host: Host, tool: str):
        self.host, self.who = host, Witness(tool, live=False, file=-1)
        self.addresses: dict[str, list[Value[str]]] = {}
        self.gateways: dict[str, list[Value[str]]] = {}

    def mtu(self, name: str, value: Value[str]) -> None:
        """Record the MTU; 0 and `auto` leave it to the driver. Units of MTUBytes= are powers
        of 1024 (systemd.network(5)).
        """
        text, position = value.value or "", value.position
        if text.lower() in ("0", "auto", ""):
            return
        unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1].upper(), 1)
        number = whole(text if unit == 1 else text[:-1], 1, 1 << 17)
        if number is None or not 68 <= number * unit <= 1 << 17:
            self.unclear_mtu(name, f"MTU {text[:40]} is none", position)
        else:
            self.state(name, "MTU", number * unit, position)

    def unclear_mtu(self, name: str, message: str, position: int) -> None:
        """Note and record that the MTU is set to an unknown value."""
        self.host.bad(message, position)
        self.state(name, "unclear MTU", True, position)

    def address(self, name: str, text: str, position: int) -> None:
        """Record an address with its prefix length; anything else is noted."""
        try:
            found = str(ipaddress.ip_interface(text))
        except ValueError:
            self.host.bad(f"{text[:60]!r} is no address", position)
            return
        self.addresses.setdefault(name, []).append(Value(found, position))

    def gateway(self, name: str, text: str, position: int) -> None:
        """Record the next hop of a route through an interface."""
        self.gateways.setdefault(name, []).append(Value(text, position))

    def vlan(self, name: str, parent: str | None, number: str | None, position: int) -> None:
        """Record a VLAN interface and its parent."""
        self.state(name, "VLAN", whole(number or "", 0, 4095), position)
        self.state(name, "parent", parent, position)

    def named_vlan(self, name: str, parent: str | None, position: int) -> None:
        """Record a VLAN interface whose name ends in its number."""
        number = re.search(r"(?<!\d)(\d+)$", name)
        self.vlan(name, parent, number[1] if number else None, position)

    def bond(self, name: str, position: int, *members: str) -> None:
        """Record a bond and its members."""
        self.state(name, "kind", InterfaceKind.LAG, position)
        for member in members:
            self.state(member, "master", name, position)

    def finish(self) -> None:
        """Record the addresses, of which an interface may have several, and the gateway, where all
        its routes have the same.
        """
        for name, found in self.addresses.items():
            listed = tuple(str(value.value) for value in found)
            self.state(name, "declared addresses", listed, found[0].position)
        for name, found in self.gateways.items():
            if len({value.value for value in found}) == 1:
                self.state(name, "gateway", *found[0])

    def state(self, name: str, what: str, value: object, position: int) -> None:
        """Record one field of an interface: "declared" by any file, "DHCP" for addresses, and
        perhaps the MTU, of a server.
        """
        self.host.port(name, what, Value(value, position), self.who)
        self.host.reading.take(position)


def match_interfaces(host: Host, names: list[str], mac: str | None = None) -> list[str]:
    """Interfaces that a match by names (with wildcards) and MAC address selects.

    A plain name selects itself, listed in an output or not.
    """
    known = with_mac(host, mac) if mac else host.claims.names(PORT)
    found = known if mac and not names else []
    for name in names:
        if re.search(r"[*?\[]", name):
            found += [port for port in known if fnmatch.fnmatchcase(port, name)]
        elif not mac or name in known:
            found.append(name)
    return list(dict.fromkeys(found))


def with_mac(host: Host, mac: str) -> list[str]:
    """Interfaces with a MAC address."""
    return host.claims.where(PORT, "MAC", lambda stated: str(stated).lower() == mac.lower())


DEFAULT_MTU = 1500
"""Default MTU of an Ethernet interface (Linux, ETH_DATA_LEN)."""


def compare_with_live(host: Host) -> None:
    """Note file settings that are missing on the live interfaces, or differ there.

    Only for interfaces of RDMA devices; called after all statements are recorded.
    """
    for port in host.rdma_ports():
        _report_undeclared_mtu(host, port)
        _report_missing_addresses(host, port)


def _report_undeclared_mtu(host: Host, port: str) -> None:
    claims = host.claims
    listed, statements = claims.values(PORT, port, "declared"), claims.values(PORT, port, "MTU")
    live = next((value for who, value in statements if who.live), None)
    if not listed or live is None or live.value == DEFAULT_MTU:
        return
    elsewhere = claims.has(PORT, port, "DHCP", "parent", "master", "unclear MTU")
    if elsewhere or any(not who.live for who, _ in statements):
        return
    who, place = listed[-1]
    message = f"{port} MTU is {live.value} now, {who.name} sets none and nothing else here does:"
    message += f" {DEFAULT_MTU} after the next start"
    claims.note(NoteKind.DRIFT, message, place.position, live.position)


def _report_missing_addresses(host: Host, port: str) -> None:
    live = next((v for who, v in host.claims.values(PORT, port, "addresses") if who.live), None)
    if live is None:
        return
    for who, declared in host.claims.values(PORT, port, "declared addresses"):
        missing = [each for each in declared.value or () if each not in (live.value or ())]
        if missing:
            message = f"{port}: {who.name} sets address {', '.join(missing)}, which the interface"
            message += " does not have: never applied or taken away"
            host.claims.note(NoteKind.DRIFT, message, declared.position, live.position)
