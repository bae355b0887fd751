"""Network interfaces of a host: `ip link`, `ip addr` and `ethtool` output."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

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
"""Relevant kinds of virtual interfaces (ip-link(8), TYPE); any other kind is OTHER."""

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
    """Read `ip -j link show` or `ip -j addr show`."""
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
        """Record every field of this element."""
        info = self._mapping("linkinfo")
        kind = info.get("info_kind")
        if kind in UNSEEN:
            return
        state = self._state
        state("present", True, "ifname")
        state("kind", _kind(kind, self.data.get("link_type")), "linkinfo", "info_kind")
        state("MTU", self._of(int, "mtu"), "mtu")
        flags = self.data.get("flags")
        if isinstance(flags, list):
            state("enabled", "UP" in flags, "flags")
        mac = self._of(str, "address")
        state("MAC", mac if mac != NO_MAC else None, "address")
        state("parent", self._of(str, "link"), "link")
        state("master", self._of(str, "master"), "master")
        state("index", self._of(int, "ifindex"), "ifindex")
        names = self.data.get("altnames")
        if isinstance(names, list):
            state("other names", tuple(str(name) for name in names), "altnames")
        vlan = self._mapping("linkinfo", "info_data").get("id")
        if kind == "vlan" and isinstance(vlan, int):
            state("VLAN", vlan, "linkinfo", "info_data", "id")
        self._vfs()
        self._addresses()

    def _of(self, kind: type[T], key: str) -> T | None:
        """The value of a key; noted and None if its type is wrong."""
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

    def _state(self, what: str, value: Any, *keys: Hashable) -> None:
        if value is not None:
            position = self.host.at(self.entry, self.row, *keys)
            self.host.port(self.name, what, Value(value, position), self.who)

    def _vfs(self) -> None:
        listed = self.data.get("vfinfo_list")
        if isinstance(listed, list):
            found = [vf.get("mac") or vf.get("address") for vf in listed if isinstance(vf, dict)]
            macs = tuple(str(mac) for mac in found if mac and mac != NO_MAC)
            self._state("VF MACs", macs or None, "vfinfo_list")

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
        self._state("addresses", addresses, "addr_info")


def _kind(kind: object, medium: object) -> InterfaceKind | None:
    """Kind that an element states; without one it need not be a port (`ip` without -d)."""
    if isinstance(kind, str):
        return KINDS.get(kind, InterfaceKind.OTHER)
    return InterfaceKind.LOOPBACK if medium == LOOPBACK else None


def read_text(host: Host, entry: Input) -> None:
    """Read `ip link show` or `ip addr show` as text."""
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


# `ethtool` output for a port: speed, driver, global pause, FEC.

FECS = {
    "auto": Fec.AUTO,
    "rs": Fec.RS,
    "llrs": Fec.RS,
    "baser": Fec.FC,
    "off": Fec.NONE,
    "none": Fec.NONE,
}
"""FEC encodings as ethtool prints them (ethtool(8), --show-fec)."""

ON_OFF = {"on": True, "off": False}

_OWNER = re.compile(
    r"(?:Settings for|Pause parameters for|FEC parameters for|Private flags for) (\S+):$"
)


def _rows(entry: Input) -> Iterator[tuple[int, str, str]]:
    """Number, key and value of every `Key: value` line."""
    for number, line in lines_of(entry):
        key, colon, value = line.partition(":")
        if colon:
            yield number, key.strip(), value.strip()


def _owner(host: Host, entry: Input) -> str | None:
    """The port in the first line, else in the command or the file name."""
    for _, line in lines_of(entry):
        owner = _OWNER.match(line)
        if owner and owner[1] != "interface":
            return owner[1]
        break
    return host.port_of(entry)


def _is_wanted(rows: Iterable[tuple[int, str, str]], keys: Iterable[str]) -> bool:
    return bool({key for _, key, _ in rows} & set(keys))


def read_settings(host: Host, entry: Input) -> None:
    """Read `ethtool DEV`."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("Speed", "Auto-negotiation")) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    for number, key, value in rows:
        if key == "Speed":
            speed = re.fullmatch(r"(\d{1,9})Mb/s", value)
            gbps = whole_of(speed[1]) / 1000 if speed else None
            host.port(port, "speed", Value(gbps, host.line(entry, number)), who)
        elif key == "Auto-negotiation":
            position = host.line(entry, number)
            host.port(port, "autonegotiation", Value(ON_OFF.get(value), position), who)


def read_driver(host: Host, entry: Input) -> None:
    """Read `ethtool -i DEV`, which does not name the port."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("driver",)) or (port := host.port_of(entry)) is None:
        return
    who = witness(entry)
    for number, key, value in rows:
        if key == "driver":
            host.port(port, "driver", Value(value, host.line(entry, number)), who)
        elif key == "bus-info" and value:
            host.port(port, "bus", Value(value.lower(), host.line(entry, number)), who)
        elif key == "firmware-version" and value not in ("", "N/A"):
            _firmware(host, port, Value(value, host.line(entry, number)), entry)


def _firmware(host: Host, port: str, value: Value[str], entry: Input) -> None:
    """`28.39.1002 (MT_0000000838)`: version and, for NVIDIA, the board."""
    match = re.fullmatch(r"(\S+?),?(?: .*?\((\w+)\))?(?: .*)?", str(value.value))
    if match:
        who = witness(entry)
        host.port(port, "firmware", Value(match[1], value.position), who)
        host.port(port, "board", Value(match[2], value.position), who)


def read_pause(host: Host, entry: Input) -> None:
    """Read `ethtool -a DEV`. The JSON form of ethtool 6.1 is wrong and not read."""
    rows = list(_rows(entry))
    if not _is_wanted(rows, ("RX", "TX")) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    stated = {key: (number, ON_OFF.get(value)) for number, key, value in rows}
    for key in ("RX", "TX"):
        # With autonegotiation on, the negotiated value is in effect.
        number, state = stated.get(f"{key} negotiated", stated.get(key, (0, None)))
        if number:
            position = host.line(entry, number)
            host.port(port, f"{key} pause", Value(state, position), who)


def read_fec(host: Host, entry: Input) -> None:
    """Read `ethtool --show-fec DEV`."""
    rows = list(_rows(entry))
    configured = next((row for row in rows if row[1].endswith("onfigured FEC encodings")), None)
    active = next((row for row in rows if row[1].startswith("Active FEC encoding")), None)
    if not (configured or active) or not (port := _owner(host, entry)):
        return
    who = witness(entry)
    words = configured[2].lower().split() if configured else []
    if configured and ("auto" in words or len(words) == 1):
        fec = Fec.AUTO if "auto" in words else FECS.get(words[0])
        host.port(port, "FEC", Value(fec, host.line(entry, configured[0])), who)
    elif active:
        fec = FECS.get(active[2].lower().split()[0]) if active[2] else None
        host.port(port, "FEC", Value(fec, host.line(entry, active[0])), who)


def read_flags(host: Host, entry: Input) -> None:
    """Read `ethtool --show-priv-flags DEV`: whether the firmware's LLDP agent runs."""
    rows = [row for row in _rows(entry) if row[1] == "fw-lldp-agent"]
    if not rows or not (port := _owner(host, entry)):
        return
    for number, _, value in rows:
        state = Value(ON_OFF.get(value), host.line(entry, number))
        host.port(port, "firmware LLDP agent", state, witness(entry))


def megabits(text: str) -> float | None:
    """Gb/s of a sysfs speed in Mb/s; None for the -1 of a link that is down."""
    number = whole(text)
    return number / 1000 if number else None
