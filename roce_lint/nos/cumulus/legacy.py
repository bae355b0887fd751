"""ifupdown2 stanzas and NCLU commands, translated to NVUE statements with the same effect."""

from __future__ import annotations

import re

from roce_lint.nos.cumulus.commands import Unread
from roce_lint.nos.cumulus.statements import Statements
from roce_lint.nos.reading import Input
from roce_lint.text.source import LineState

Words = list[str]

_END = re.compile(r"(?:frr (?:version|defaults)\b|hostname |username |log |router |!)")
"""First lines of the routing daemon's file, in a capture that continues with it."""

_PEER = re.compile(r"neighbor (\S+) interface\b")

_ENDS = ("auto", "allow-", "source", "mapping", "no-auto-down", "rename")


def read_interfaces(statements: Statements, entry: Input) -> list[Unread]:
    """Add an /etc/network/interfaces to the tree; returns the lines that need a reader."""
    ref = statements.reading.src.files[entry.file]
    claimed: list[Unread] = []
    name = ""
    foreign = False
    for number, line in enumerate(entry.lines):
        text = line.strip()
        position = ref.first + number + 1
        if not text or text.startswith("#"):
            ref.states[number] = LineState.IGNORED
            continue
        words = text.split()
        if words[0] == "iface" and len(words) > 1:
            foreign, name = False, words[1]
            statements.put(["interface", name], position)
            statements.reading.take(position)
        elif words == ["iface"]:
            name = ""
            statements.reading.bad("iface without a name: its lines are left out", position)
        elif text.startswith(_ENDS) and not line[0].isspace():
            name = ""
            ref.states[number] = LineState.IGNORED
        elif _END.match(line):
            foreign, name = True, ""
            if words[0] == "hostname" and len(words) == 2:
                statements.put(["system", "hostname", words[1]], position)
            elif words[:2] == ["router", "bgp"] and len(words) == 3:
                statements.put(["router", "bgp", "autonomous-system", words[2]], position)
        elif foreign and (peer := _PEER.match(text)):
            statements.put(["vrf", "default", "router", "bgp", "neighbor", peer[1]], position)
        elif name and not foreign:
            claimed.append(Unread(number, text.replace("-", " ").split() or [text]))
            for path in _stanza(name, words):
                statements.put(path, position)
    return claimed


def _stanza(name: str, words: Words) -> list[Words]:
    """The statements of one line of a stanza."""
    key, values = words[0], words[1:]
    if not values:
        return []
    port = ["interface", name]
    members = [value for value in values if value != "glob"]
    match key:
        case "alias":
            return [[*port, "description", " ".join(values)]]
        case "link-speed":
            values = [f"{values[0]}M"]
        case "bridge-vids":
            return [[*port, "bridge", "domain", "bridge", "vlan", vlan] for vlan in values]
        case "bridge-ports":
            return [["interface", member, "bridge", "domain", name] for member in members]
        case "bond-slaves":
            return [[*port, "bond", "member", member] for member in members]
        case "clagd-peer-ip" | "clagd-backup-ip":
            return [["interface", name.partition(".")[0], "type", "peerlink"]]
        case "link-down" if values[0] == "yes":
            values = ["down"]
    key = key.replace("-", " ")
    stated = [[*port, *_STANZA[key], values[0]]] if key in _STANZA else []
    return [*stated, [*port, "type", _TYPES[key]]] if key in _TYPES else stated


_BRIDGE = ("bridge", "domain", "bridge")
_BOTH = {
    "mtu": ("link", "mtu"), "link autoneg": ("link", "auto-negotiate"), "link fec": ("link", "fec"),
    "vrf": ("ip", "vrf"), "bridge access": (*_BRIDGE, "access"),
    "bridge pvid": (*_BRIDGE, "untagged"),
}  # fmt: skip
_STANZA = _BOTH | {
    "address": ("ip", "address"), "link down": ("link", "state"), "link speed": ("link", "speed"),
    "vlan id": ("vlan",),
}  # fmt: skip
_NCLU_PORT = _BOTH | {
    "breakout": ("link", "breakout"), "bond slaves": ("bond", "member"),
    **dict.fromkeys(("bridge vids", "bridge trunk vlans"), (*_BRIDGE, "vlan")),
    **dict.fromkeys(("ip address", "ipv6 address"), ("ip", "address")),
}  # fmt: skip
"""Words of a stanza or a command before its value, and the NVUE words before the same value."""

_TYPES = {
    "vlan id": "svi", "vrf table": "vrf", "bridge vlan aware": "bridge",
    **dict.fromkeys(("vxlan id", "vxlan local tunnelip", "vxlan vni"), "tunnel"),
}  # fmt: skip
"""Keys that determine the kind of a stanza's interface."""

_ADD = re.compile(r"(?:[^\s#$]{1,128}[$#] *|[ \t]*)?(?:sudo +)?net +add +")


def read_nclu(statements: Statements, entry: Input) -> list[Unread]:
    """Add `net add` commands to the tree; returns the lines that need a reader."""
    ref = statements.reading.src.files[entry.file]
    claimed: list[Unread] = []
    for number, line in enumerate(entry.lines):
        found = _ADD.match(line)
        if found is None:
            if not line.strip() or line.lstrip().startswith("#"):
                ref.states[number] = LineState.IGNORED
            continue
        words = line[found.end() :].split()
        if words and words[0] in ("interface", "bond", "vlan", "loopback", "roce"):
            claimed.append(Unread(number, ["interface", *words[1:]]))
        for path in _nclu(words):
            statements.put(path, ref.first + number + 1)
    return claimed


def _nclu(words: Words) -> list[Words]:
    """The statements of one `net add` command, without these two words."""
    match words:
        case ["hostname", name]:
            return [["system", "hostname", name]]
        case ["roce", ("lossless" | "lossy") as mode]:
            return [["qos", "roce", "mode", mode]]
        case ["bgp", "autonomous-system", number]:
            return [["router", "bgp", "autonomous-system", number]]
        case ["bridge", _, "ports", ports]:
            return [["interface", ports, "bridge", "domain", "bridge"]]
        case ["interface" | "bond" | "loopback", names, *rest]:
            return _nclu_port(names, rest)
        case ["vlan", number, *rest]:
            return _nclu_port(f"vlan{number}", rest)
        case ["bgp", "neighbor", peer, "interface", *_]:
            return [["vrf", "default", "router", "bgp", "neighbor", peer, "type", "unnumbered"]]
    return []


def _nclu_port(name: str, rest: Words) -> list[Words]:
    port = ["interface", name]
    if not rest:
        return [port]
    if path := _NCLU_PORT.get(" ".join(rest[:-1])):
        return [[*port, *path, rest[-1]]]
    match rest:
        case ["alias", *text]:
            return [[*port, "description", " ".join(text)]]
        case ["link", "speed", value]:
            return [[*port, "link", "speed", f"{value}M"]]
        case ["link", "down"]:
            return [[*port, "link", "state", "down"]]
        case ["storage-optimized", *pfc]:
            return [[*port, "storage-optimized", *pfc]]
    return []
