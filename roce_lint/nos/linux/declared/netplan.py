"""netplan: YAML files of /etc/netplan, laid over one another in the order of their names."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from roce_lint.nos.linux.declared.network import Declaration, match_interfaces, tool_witness
from roce_lint.nos.linux.host import Host
from roce_lint.nos.reading import Input

KINDS = ("ethernets", "bonds", "vlans", "bridges")
YES = ("true", "yes", "on")

Keys = tuple[Hashable, ...]


def read_netplan(host: Host, entry: Input) -> None:
    """Take in one file."""
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
        self.said = Declaration(host, tool_witness("netplan"))

    def read(self) -> None:
        """State what the definition says of every interface it selects."""
        for port in self._ports():
            self.said.port(port, self._at())
            if self.data.get("mtu") is not None:
                self.said.mtu(port, str(self.data["mtu"]), self._at("mtu"))
            if str(self.data.get("dhcp4", "")).lower() in YES:
                self.said.follow_dhcp(port, self._at("dhcp4"))
            self._addresses(port)
            if self.kind == "vlans":
                link, number = self.data.get("link"), self.data.get("id")
                parent = str(link) if link is not None else None
                self.said.vlan(port, parent, str(number), self._at("id"))
                self._at("link")
            elif self.kind == "bonds":
                members = self.data.get("interfaces")
                names = [str(each) for each in members] if isinstance(members, list) else []
                self.said.bond(port, names, self._at("interfaces"))
        self.said.finish()

    def _ports(self) -> list[str]:
        """The interfaces: the definition's own name, or what its match selects."""
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
            self.said.address(port, str(text), self._at("addresses", row))

    def _at(self, *keys: Hashable) -> int:
        if not keys:
            return self.host.spot(self.entry, *self.keys)
        return self.host.at(self.entry, *self.keys, *keys)
