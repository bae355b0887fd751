"""What `ip link` and `ip addr` show, as JSON and as text: the network interfaces of a host."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value

T = TypeVar("T", int, str)

_NEEDED = {int: "a whole number", str: "text"}

KINDS = {
    "vlan": InterfaceKind.SUBINTERFACE,
    "bond": InterfaceKind.LAG,
    "team": InterfaceKind.LAG,
    "bridge": InterfaceKind.BRIDGE,
    "vxlan": InterfaceKind.TUNNEL,
    "geneve": InterfaceKind.TUNNEL,
    "gre": InterfaceKind.TUNNEL,
    "ipip": InterfaceKind.TUNNEL,
    "sit": InterfaceKind.TUNNEL,
    "wireguard": InterfaceKind.TUNNEL,
}
"""Kinds of virtual interfaces (ip-link(8), TYPE) that matter; any other kind is OTHER."""

UNSEEN = ("veth", "ifb", "nlmon", "tun")
"""Kinds that come and go with containers and carry no RoCE; they are left out."""

LOOPBACK = "loopback"
ETHERNET = "ether"

_HEAD = re.compile(
    r"(?P<index>\d+): (?P<name>[^\s:@]+)(?:@(?P<parent>[^\s:]+))?: <(?P<flags>[^>]*)>"
    r"(?: .*?\bmtu (?P<mtu>\d+))?(?:.*?\bmaster (?P<master>\S+))?"
)
_MAC = re.compile(r"link/(?P<type>\w+) (?P<mac>[0-9a-f:]{17})\b")
_VLAN = re.compile(r"vlan protocol \S+ id (?P<vlan>\d+)\b")
_ADDRESS = re.compile(r"inet6? (?P<address>[0-9A-Fa-f.:]+/\d+)\b.*?\bscope (?P<scope>\w+)")
_VF = re.compile(r"vf \d+ .*?(?P<mac>(?:[0-9a-f]{2}:){5}[0-9a-f]{2})")
_ALTNAME = re.compile(r"altname (?P<name>\S+)")

NO_MAC = "00:00:00:00:00:00"


def read_json(host: Host, entry: Input) -> None:
    """Take in `ip -j link show` or `ip -j addr show`."""
    if not isinstance(entry.tree, list):
        return
    who = witness(entry)
    for row, data in enumerate(entry.tree):
        if isinstance(data, dict) and isinstance(data.get("ifname"), str):
            _JsonLink(host, entry, row, data, who).read()


class _JsonLink:
    """One element of the list that `ip -j` prints."""

    def __init__(self, host: Host, entry: Input, row: int, data: dict[str, Any], who: Witness):
        self.host = host
        self.entry = entry
        self.row = row
        self.data = data
        self.who = who
        self.name = str(data["ifname"])

    def read(self) -> None:
        """State every field this element has."""
        info = self._mapping("linkinfo")
        kind = info.get("info_kind")
        if kind in UNSEEN:
            return
        say = self._say
        say("present", True, "ifname")
        say("kind", _kind(kind, self.data.get("link_type")), "linkinfo", "info_kind")
        say("MTU", self._of(int, "mtu"), "mtu")
        flags = self.data.get("flags")
        if isinstance(flags, list):
            say("enabled", "UP" in flags, "flags")
        mac = self._of(str, "address")
        say("MAC", mac if mac != NO_MAC else None, "address")
        say("parent", self._of(str, "link"), "link")
        say("master", self._of(str, "master"), "master")
        say("index", self._of(int, "ifindex"), "ifindex")
        names = self.data.get("altnames")
        if isinstance(names, list):
            say("other names", tuple(str(name) for name in names), "altnames")
        vlan = self._mapping("linkinfo", "info_data").get("id")
        if kind == "vlan" and isinstance(vlan, int):
            say("VLAN", vlan, "linkinfo", "info_data", "id")
        self._vfs()
        self._addresses()

    def _of(self, kind: type[T], key: str) -> T | None:
        """The value of a key; noted and None where it is of another kind."""
        value = self.data.get(key)
        if type(value) is kind:
            return value
        if value is not None:
            position = self.host.at(self.entry, self.row, key)
            message = f"{key} {str(value)[:40]!r} is not {_NEEDED[kind]}"
            self.host.reading.note(NoteKind.BAD_VALUE, message, position)
        return None

    def _mapping(self, *keys: str) -> dict[str, Any]:
        data: Any = self.data
        for key in keys:
            data = data.get(key) if isinstance(data, dict) else None
        return data if isinstance(data, dict) else {}

    def _say(self, what: str, value: Any, *keys: Hashable) -> None:
        if value is not None:
            position = self.host.at(self.entry, self.row, *keys)
            self.host.port(self.name, what, Value(value, position), self.who)

    def _vfs(self) -> None:
        listed = self.data.get("vfinfo_list")
        if isinstance(listed, list):
            found = [vf.get("mac") or vf.get("address") for vf in listed if isinstance(vf, dict)]
            macs = tuple(str(mac) for mac in found if mac and mac != NO_MAC)
            self._say("VF MACs", macs or None, "vfinfo_list")

    def _addresses(self) -> None:
        listed = self.data.get("addr_info")
        if not isinstance(listed, list):
            return
        addresses = tuple(
            f"{each['local']}/{each['prefixlen']}"
            for each in listed
            if isinstance(each, dict)
            and each.get("scope") == "global"
            and isinstance(each.get("local"), str)
            and isinstance(each.get("prefixlen"), int)
        )
        self._say("addresses", addresses, "addr_info")


def _kind(kind: object, medium: object) -> InterfaceKind | None:
    """The kind an element states; one without a kind need not be a port (`ip` without -d)."""
    if isinstance(kind, str):
        return KINDS.get(kind, InterfaceKind.OTHER)
    return InterfaceKind.LOOPBACK if medium == LOOPBACK else None


def read_text(host: Host, entry: Input) -> None:
    """Take in `ip link show` or `ip addr show` as text."""
    who = witness(entry)
    name = ""
    addresses: dict[str, list[Value[str]]] = {}
    macs: dict[str, list[Value[str]]] = {}
    for number, line in lines_of(entry):
        head = _HEAD.match(line)
        if head:
            name = _head(host, head, host.line(entry, number), who)
        elif name:
            _detail(host, entry, name, (number, line), who)
            for found, pattern, group in ((addresses, _ADDRESS, "address"), (macs, _VF, "mac")):
                match = pattern.match(line)
                if match and match.groupdict().get("scope", "global") == "global":
                    position = host.line(entry, number)
                    if match[group] != NO_MAC:
                        found.setdefault(name, []).append(Value(match[group], position))
    for what, found in (("addresses", addresses), ("VF MACs", macs)):
        for port, values in found.items():
            listed = tuple(str(value.value) for value in values)
            host.port(port, what, Value(listed, values[0].position), who)


def _head(host: Host, head: re.Match[str], position: int, who: Witness) -> str:
    name = head["name"]
    for what, value in (
        ("present", True),
        ("enabled", "UP" in head["flags"].split(",")),
        ("MTU", whole(head["mtu"]) if head["mtu"] else None),
        ("parent", head["parent"]),
        ("master", head["master"]),
        ("index", whole(head["index"])),
    ):
        host.port(name, what, Value(value, position), who)
    if "LOOPBACK" in head["flags"]:
        host.port(name, "kind", Value(InterfaceKind.LOOPBACK, position), who)
    return name


def _detail(host: Host, entry: Input, name: str, line: tuple[int, str], who: Witness) -> None:
    number, text = line
    mac = _MAC.match(text)
    if mac and mac["type"] == ETHERNET:
        host.port(name, "MAC", Value(mac["mac"], host.line(entry, number)), who)
    vlan = _VLAN.match(text)
    if vlan:
        position = host.line(entry, number)
        host.port(name, "VLAN", Value(whole(vlan["vlan"], 0, 4095), position), who)
    other = _ALTNAME.match(text)
    if other:
        host.port(name, "other names", Value((other["name"],), host.line(entry, number)), who)
    first = text.split(None, 1)[0]
    if first in KINDS:
        kind = KINDS[first]
    elif first == "dummy":
        kind = InterfaceKind.OTHER
    else:
        return
    host.port(name, "kind", Value(kind, host.line(entry, number)), who)
