"""Network interfaces of a host: `ip link`, `ip addr` and `ethtool` output."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from roce_lint.model.interface import Fec, InterfaceKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import Host, lines_of, whole, witness
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

KINDS = {
    "vlan": InterfaceKind.SUBINTERFACE,
    **dict.fromkeys(("bond", "team"), InterfaceKind.LAG),
    "bridge": InterfaceKind.BRIDGE,
    **dict.fromkeys(("vxlan", "geneve", "gre", "ipip", "sit", "wireguard"), InterfaceKind.TUNNEL),
}
"""Relevant kinds of virtual interfaces (ip-link(8), TYPE); any other kind is OTHER."""

UNSEEN = ("veth", "ifb", "nlmon", "tun")
"""Kinds that come and go with containers and carry no RoCE; they are left out."""

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

_FIELDS = (
    ("MTU", "mtu", int),
    ("MAC", "address", str),
    ("parent", "link", str),
    ("master", "master", str),
    ("index", "ifindex", int),
)
_NEEDED = {int: "a whole number", str: "text"}


def read_json(host: Host, entry: Input) -> None:
    """Read `ip -j link show` or `ip -j addr show`."""
    who = witness(entry)
    for row, data in enumerate(entry.tree if isinstance(entry.tree, list) else ()):
        if isinstance(data, dict) and isinstance(data.get("ifname"), str):
            _read_element(host, entry, row, data, who)


def _read_element(host: Host, entry: Input, row: int, data: dict[str, Any], who: Witness) -> None:
    info = _mapping(data.get("linkinfo"))
    kind = info.get("info_kind")
    if kind in UNSEEN:
        return

    def state(what: str, value: Any, *keys: Hashable) -> None:
        if value is not None:
            host.port(data["ifname"], what, Value(value, host.at(entry, row, *keys)), who)

    state("present", True, "ifname")
    state("kind", _kind(kind, data.get("link_type")), "linkinfo", "info_kind")
    if isinstance(listed := data.get("flags"), list):
        state("enabled", "UP" in listed, "flags")
    for what, key, needed in _FIELDS:
        value = data.get(key)
        if type(value) is needed:
            state(what, value if value != NO_MAC else None, key)
        elif value is not None:
            message = f"{key} {str(value)[:40]!r} is not {_NEEDED[needed]}"
            host.bad(message, host.at(entry, row, key))
    if isinstance(listed := data.get("altnames"), list):
        state("other names", tuple(map(str, listed)), "altnames")
    vlan = _mapping(info.get("info_data")).get("id")
    if kind == "vlan" and isinstance(vlan, int):
        state("VLAN", vlan, "linkinfo", "info_data", "id")
    if isinstance(listed := data.get("vfinfo_list"), list):
        found = [vf.get("mac") or vf.get("address") for vf in listed if isinstance(vf, dict)]
        state("VF MACs", tuple(str(m) for m in found if m and m != NO_MAC) or None, "vfinfo_list")
    if isinstance(listed := data.get("addr_info"), list):
        state("addresses", tuple(filter(None, map(_address, listed))), "addr_info")


def _address(data: Any) -> str | None:
    """A global address with its prefix length."""
    data = _mapping(data)
    address, length = data.get("local"), data.get("prefixlen")
    known = isinstance(address, str) and isinstance(length, int) and data.get("scope") == "global"
    return f"{address}/{length}" if known else None


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _kind(kind: object, medium: object) -> InterfaceKind | None:
    """Kind that an element states; without one it need not be a port (`ip` without -d)."""
    if isinstance(kind, str):
        return KINDS.get(kind, InterfaceKind.OTHER)
    return InterfaceKind.LOOPBACK if medium == "loopback" else None


def read_text(host: Host, entry: Input) -> None:
    """Read `ip link show` or `ip addr show` as text."""
    who = witness(entry)
    name = ""
    listed: dict[tuple[str, str], list[Value[str]]] = {}
    for number, line in lines_of(entry):
        head = _HEAD.match(line)
        name = head["name"] if head else name
        for what, value in _head(head) if head else _details(line) if name else ():
            host.port_line(entry, number, name, what, value)
        if head or not name:
            continue
        address, vf = _ADDRESS.match(line), _VF.match(line)
        if address and address["scope"] == "global":
            place = host.line(entry, number)
            listed.setdefault((name, "addresses"), []).append(Value(address["address"], place))
        if vf:
            place = host.line(entry, number)
            if vf["mac"] != NO_MAC:
                listed.setdefault((name, "VF MACs"), []).append(Value(vf["mac"], place))
    for (port, what), values in listed.items():
        together = tuple(str(value.value) for value in values)
        host.port(port, what, Value(together, values[0].position), who)


def _head(head: re.Match[str]) -> Iterator[tuple[str, Any]]:
    yield "present", True
    yield "enabled", "UP" in head["flags"].split(",")
    yield "MTU", whole(head["mtu"]) if head["mtu"] else None
    yield from (("parent", head["parent"]), ("master", head["master"]))
    yield "index", whole(head["index"])
    yield "kind", InterfaceKind.LOOPBACK if "LOOPBACK" in head["flags"] else None


def _details(line: str) -> Iterator[tuple[str, Any]]:
    """Fields of a line below the head of an interface."""
    mac, vlan, other = _MAC.match(line), _VLAN.match(line), _ALTNAME.match(line)
    if mac and mac["type"] == "ether":
        yield "MAC", mac["mac"]
    if vlan:
        yield "VLAN", whole(vlan["vlan"], 0, 4095)
    if other:
        yield "other names", (other["name"],)
    first = line.split(None, 1)[0]
    if first in KINDS or first == "dummy":
        yield "kind", KINDS.get(first, InterfaceKind.OTHER)


# `ethtool` output for a port: speed, driver, global pause, FEC.

FECS = {
    "auto": Fec.AUTO, "rs": Fec.RS, "llrs": Fec.RS, "baser": Fec.FC, "off": Fec.NONE,
    "none": Fec.NONE,
}  # fmt: skip
"""FEC encodings as ethtool prints them (ethtool(8), --show-fec)."""

ON_OFF = {"on": True, "off": False}

_OWNER = re.compile(
    r"(?:Settings for|Pause parameters for|FEC parameters for|Private flags for) (\S+):$"
)


def _rows(host: Host, entry: Input, needed: str) -> tuple[str, list[tuple[int, str, str]]]:
    """The port in the first line, else in the command or the file name; number, key and value of
    every `Key: value` line, none without a port or a key that is `needed` (a regex).
    """
    lines = lines_of(entry)
    parted = [(number, *line.partition(":")) for number, line in lines]
    rows = [(number, key.strip(), value.strip()) for number, key, colon, value in parted if colon]
    if not any(re.fullmatch(needed, key) for _, key, _ in rows):
        return "", []
    owner = _OWNER.match(lines[0][1])
    port = owner[1] if owner and owner[1] != "interface" else host.port_of(entry)
    return port or "", rows if port else []


def _firmware(text: str) -> dict[str, Any]:
    """Version and, for NVIDIA, the board of `28.39.1002 (MT_0000000838)`."""
    match = re.fullmatch(r"(\S+?),?(?: .*?\((\w+)\))?(?: .*)?", text)
    return dict(zip(("firmware", "board"), match.groups(), strict=True)) if match else {}


def _speed(text: str) -> dict[str, Any]:
    speed = re.fullmatch(r"(\d{1,9})Mb/s", text)
    return {"speed": whole_of(speed[1]) / 1000 if speed else None}


ETHTOOL: dict[str, Callable[[str], dict[str, Any]]] = {
    "Speed": _speed,
    "Auto-negotiation": lambda text: {"autonegotiation": ON_OFF.get(text)},
    "driver": lambda text: {"driver": text},
    "bus-info": lambda text: {"bus": text.lower()} if text else {},
    "firmware-version": lambda text: {} if text in ("", "N/A") else _firmware(text),
    "fw-lldp-agent": lambda text: {"firmware LLDP agent": ON_OFF.get(text)},
}
"""Lines of `ethtool DEV`, `-i` and `--show-priv-flags`: the fields that each of them states."""


def read_ethtool(host: Host, entry: Input) -> None:
    """Read `ethtool DEV`, `ethtool -i DEV`, which does not name the port, or the flags of a driver:
    whether the firmware's LLDP agent runs.
    """
    port, rows = _rows(host, entry, "|".join(ETHTOOL))
    for number, key, value in rows:
        for what, stated in ETHTOOL[key](value).items() if key in ETHTOOL else ():
            host.port_line(entry, number, port, what, stated)


def read_pause(host: Host, entry: Input) -> None:
    """Read `ethtool -a DEV`. The JSON form of ethtool 6.1 is wrong and not read."""
    port, rows = _rows(host, entry, "RX|TX")
    stated = {key: (number, ON_OFF.get(value)) for number, key, value in rows}
    for key in ("RX", "TX"):
        # With autonegotiation on, the negotiated value is in effect.
        number, state = stated.get(f"{key} negotiated", stated.get(key, (0, None)))
        if number:
            host.port_line(entry, number, port, f"{key} pause", state)


def read_fec(host: Host, entry: Input) -> None:
    """Read `ethtool --show-fec DEV`."""
    port, rows = _rows(host, entry, ".*onfigured FEC encodings|Active FEC encoding.*")
    configured = next((row for row in rows if row[1].endswith("onfigured FEC encodings")), None)
    active = next((row for row in rows if row[1].startswith("Active FEC encoding")), None)
    words = configured[2].lower().split() if configured else []
    if configured and ("auto" in words or len(words) == 1):
        fec = Fec.AUTO if "auto" in words else FECS.get(words[0])
        host.port_line(entry, configured[0], port, "FEC", fec)
    elif active:
        fec = FECS.get(active[2].lower().split()[0]) if active[2] else None
        host.port_line(entry, active[0], port, "FEC", fec)


def megabits(text: str) -> float | None:
    """Gb/s of a sysfs speed in Mb/s; None for the -1 of a link that is down."""
    number = whole(text)
    return number / 1000 if number else None
