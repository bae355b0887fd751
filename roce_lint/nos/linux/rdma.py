"""Output of RDMA tools: devices and their ports, GID tables, defaults of rdma_cm."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.host import GID, Host, lines_of, nic_name, whole, witness
from roce_lint.nos.linux.nic import intel
from roce_lint.nos.reading import Input, Value

GID_LIMIT = 4096
"""GID slots of one port that are kept; adapters have up to 1024."""

_LINK = re.compile(
    r"link (?P<device>[^/\s]+)/(?P<number>\d+) .*?\bstate (?P<state>\w+)"
    r"(?:.*?\bnetdev (?P<port>\S+))?"
)
_IBDEV = re.compile(
    r"(?:\S+ )?(?P<device>\w++)(?: \([^)]*+\).*?)? port (?P<number>\d++)(?: \([^)]*+\))?"
    r" <?=+> (?P<port>\S+)(?: \((?P<state>\w+)\))?"
)
_GID_ROW = re.compile(
    r"(?P<device>\S+)\s+(?P<number>\d+)\s+(?P<index>\d+)\s+(?P<gid>[0-9a-fA-F:]{2,39})"
    r"(?:\s+(?P<v4>\d+\.\d+\.\d+\.\d+))?\s+(?P<version>v[12])(?:\s+(?P<port>\S+))?$"
)
_GID_LINE = re.compile(r"GID\[\s*(?P<index>\d+)\]:\s*(?P<gid>[0-9a-fA-F:.]+)(?:, (?P<type>.+))?$")

_LIKE_GID_ROW = re.compile(r"\S+\s+\d+\s+\d+\s+\S")
_GIDS_FOUND = re.compile(r"n_gids_found=(?P<count>\d+)$")

GID_TABLES = "GID tables"
"""Kind of object: whether some entry of the host's GID tables could not be read."""

VERSIONS = {"v1": 1, "v2": 2, "RoCE v1": 1, "RoCE v2": 2, "IB/RoCE v1": 1}


def read_link_json(host: Host, entry: Input) -> None:
    """Read `rdma -j link show`."""
    who = witness(entry)
    for row, data in enumerate(entry.tree if isinstance(entry.tree, list) else ()):
        if not isinstance(data, dict) or not isinstance(data.get("ifname"), str):
            continue
        nic = nic_name(data["ifname"], str(data.get("port", 1)))
        host.nic(nic, "present", Value(value=True, position=host.at(entry, row, "ifname")), who)
        state = data.get("state")
        if isinstance(state, str):
            host.nic(nic, "active", Value(state == "ACTIVE", host.at(entry, row, "state")), who)
        port = data.get("netdev")
        if isinstance(port, str):
            host.nic(nic, "port", Value(port, host.at(entry, row, "netdev")), who)


def read_link_text(host: Host, entry: Input) -> None:
    """Read `rdma link show`, or the `ibdev2netdev` of NVIDIA's driver package."""
    who = witness(entry)
    for number, line in lines_of(entry):
        match = _LINK.match(line) or _IBDEV.match(line)
        if match is None:
            continue
        nic = nic_name(match["device"], match["number"])
        position = host.line(entry, number)
        host.nic(nic, "present", Value(value=True, position=position), who)
        host.nic(nic, "port", Value(match["port"], position), who)
        if match.re is _LINK:
            host.nic(nic, "active", Value(match["state"] == "ACTIVE", position), who)


ELIDED = "..."
NOT_COUNTED = -1
"""Number of rows of a table with omissions, which is unknown."""


def read_show_gids(host: Host, entry: Input) -> None:
    """Read `show_gids`; columns are identified by their content, not by tabs."""
    who = witness(entry)
    ports = FirstPorts()
    rows = 0
    for number, line in lines_of(entry):
        if ELIDED in line:  # a document shows the table, and its author left something out
            lost = Value(value=True, position=host.line(entry, number))
            host.claims.state(GID_TABLES, "all", "partial", lost, who)
            rows = NOT_COUNTED
            continue
        row = _GID_ROW.match(line)
        count = _GIDS_FOUND.match(line)
        if _LIKE_GID_ROW.match(line) and (row is None or normal_gid(row["gid"]) is None):
            _record_damage(host, entry, number, "it is no entry of a GID table")
        elif count and rows >= 0 and whole(count["count"]) != rows:
            _record_damage(host, entry, number, f"{rows} entries stand above it")
        elif count and not rows:
            nothing = Value(value=True, position=host.line(entry, number))
            host.claims.state(GID_TABLES, "all", "empty", nothing, who)
        rows += rows >= 0 and row is not None
        if row is None:
            continue
        nic = nic_name(row["device"], row["number"])
        position = host.line(entry, number)
        host.nic(nic, "present", Value(value=True, position=position), who)
        state_gid(host, nic, (row["index"], row["gid"], row["version"]), position, who)
        state_carrier(host, nic, row["index"], Value(row["port"], position), who)
        ports.add(nic, row["index"], Value(row["port"], position))
    ports.state(host, who)


def _record_damage(host: Host, entry: Input, number: int, why: str) -> None:
    """Record a lost entry of a GID table: entries that are missing from it may have been lost."""
    position = host.line(entry, number)
    host.reading.note(NoteKind.BAD_VALUE, f"show_gids: {why}: the table is not whole", position)
    lost = Value(value=True, position=position)
    host.claims.state(GID_TABLES, "all", "partial", lost, witness(entry))


def state_gid(
    host: Host, nic: str, slot: tuple[str, str, str | None], position: int, who: Witness
) -> None:
    """Record one entry of a GID table: index, GID, version; empty slots are skipped."""
    index, text, version = slot
    gid = normal_gid(text)
    number = whole(index, 0, GID_LIMIT)
    if gid is None or number is None:
        return
    name = f"{nic} {number}"
    host.nic(nic, "heard", Value(value=True, position=position), who)
    host.claims.state(GID, name, "GID", Value(gid, position), who)
    if version is not None:
        state = Value(VERSIONS.get(version.strip()), position)
        host.claims.state(GID, name, "GID version", state, who)


def state_carrier(host: Host, nic: str, index: str, port: Value[str], who: Witness) -> None:
    """Record the network interface that has the address of a GID table entry."""
    number = whole(index, 0, GID_LIMIT)
    if number is not None:
        host.claims.state(GID, f"{nic} {number}", "interface", port, who)


class FirstPorts:
    """Network interface of each RDMA device, by its GID table.

    GIDs of VLAN interfaces follow those of the port in the same table: the lowest slot is the
    port's.
    """

    def __init__(self) -> None:
        self._lowest: dict[str, tuple[int, Value[str]]] = {}

    def add(self, nic: str, index: str, port: Value[str]) -> None:
        """Record that the GID in slot `index` belongs to `port`."""
        number = whole(index, 0, GID_LIMIT)
        if number is not None and port and number <= self._lowest.get(nic, (number,))[0]:
            self._lowest[nic] = (number, port)

    def state(self, host: Host, who: Witness) -> None:
        """Record the port of each device."""
        for nic, (_, port) in self._lowest.items():
            host.nic(nic, "port", port, who)


def normal_gid(text: str) -> str | None:
    """A GID in its shortest spelling; None for an empty slot or an invalid GID."""
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return None
    if not int(address) or not int(address) & ((1 << 64) - 1):
        return None
    return str((address.ipv4_mapped and f"::ffff:{address.ipv4_mapped}") or address)


def read_devinfo(host: Host, entry: Input) -> None:
    """Read `ibv_devinfo`, with or without -v: one block a device, ports inside."""
    who = witness(entry)
    device = ""
    number = "1"
    pending: dict[str, Value[Any]] = {}
    for line_number, line in lines_of(entry):
        gid = _GID_LINE.match(line) if line.startswith("GID[") else None
        if gid and device:
            position = host.line(entry, line_number)
            slot = (gid["index"], gid["gid"], gid["type"])
            state_gid(host, nic_name(device, number), slot, position, who)
            continue
        key, colon, value = line.partition(":")
        if not colon or key not in KEYS:
            continue
        value = value.strip()
        if key == "hca_id":
            device, number, pending = value, "1", {}
            present = Value(value=True, position=host.line(entry, line_number))
            host.nic(device, "present", present, who)
        elif key == "port" and device:
            number = value
            for what, stated in pending.items():
                host.nic(nic_name(device, number), what, stated, who)
        elif device and key == "transport":
            position = host.line(entry, line_number)
            host.nic(device, "RoCE", Value(intel.transport(value), position), who)
        elif device and key in DEVICE_KEYS:
            what = DEVICE_KEYS[key]
            if value and value != "0":
                pending[what] = Value(value, host.line(entry, line_number))
        elif device and key in PORT_KEYS:
            what, stated = _port_field(key, value)
            position = host.line(entry, line_number)
            host.nic(nic_name(device, number), what, Value(stated, position), who)


DEVICE_KEYS = {"fw_ver": "firmware", "board_id": "board", "vendor_part_id": "part"}
PORT_KEYS = ("state", "active_mtu", "link_layer")
KEYS = frozenset(("hca_id", "port", "transport", *DEVICE_KEYS, *PORT_KEYS))
"""Lines of ibv_devinfo that are read."""


def _port_field(key: str, value: str) -> tuple[str, Any]:
    if key == "state":
        return "active", value.startswith("PORT_ACTIVE")
    if key == "active_mtu":
        return "RDMA MTU", whole(value.split(" ", 1)[0], 256, 4096)
    return "Ethernet", {"Ethernet": True, "InfiniBand": False}.get(value)


LISTS = ("rdma-link-json", "rdma-link", "ibdev2netdev", "ibv_devinfo")
"""Outputs that list all RDMA devices, unless the command names one."""

_ONE = re.compile(r" (?:-d|--ib-dev)\b| (?!show\b|list\b|-)\S")
"""Arguments of such a command that name a device."""


def lists_all(entry: Input) -> bool:
    """Whether an output lists all RDMA devices of the host. Without its command line it may be
    limited to one device, unless it shows several.
    """
    argument = entry.args.get("asked")
    if entry.source.name == "ibdev2netdev":
        return True
    if argument is not None:
        return _ONE.search(argument) is None
    if isinstance(entry.tree, list):
        return len(entry.tree) > 1
    devices = [line for _, line in lines_of(entry) if line.startswith(("link ", "hca_id:"))]
    return len(devices) > 1


def read_cma(host: Host, entry: Input) -> None:
    """Read `cma_roce_tos -d DEV` or `cma_roce_mode -d DEV`: one value."""
    nic: str | None = None
    for number, line in lines_of(entry):
        tos = whole(line, 0, 255)
        version = VERSIONS.get(line)
        if tos is None and version is None:
            continue
        nic = nic or host.nic_of(entry)
        if nic is None:
            return
        position = host.line(entry, number)
        if entry.source.name == "cma_roce_mode":
            host.nic(nic, "RoCE version", Value(version, position), witness(entry))
        else:
            host.nic(nic, "rdma_cm ToS", Value(tos, position), witness(entry))


def address_of(gid: str | None) -> str | None:
    """IP address of a GID: IPv4 if mapped, else the GID itself."""
    return gid.removeprefix("::ffff:") if gid else None
