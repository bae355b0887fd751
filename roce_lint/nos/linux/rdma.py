"""Output of RDMA tools: devices and their ports, GID tables, defaults of rdma_cm."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Any

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
        for what, key, value in (
            ("present", "ifname", True),
            ("active", "state", data.get("state") == "ACTIVE"),
            ("port", "netdev", data.get("netdev")),
        ):
            if isinstance(data.get(key), str):
                host.nic(nic, what, Value(value, host.at(entry, row, key)), who)


def read_link_text(host: Host, entry: Input) -> None:
    """Read `rdma link show`, or the `ibdev2netdev` of NVIDIA's driver package."""
    who = witness(entry)
    for number, line in lines_of(entry):
        if match := _LINK.match(line) or _IBDEV.match(line):
            nic = nic_name(match["device"], match["number"])
            position = host.line(entry, number)
            host.nic(nic, "present", Value(True, position), who)
            host.nic(nic, "port", Value(match["port"], position), who)
            if match.re is _LINK:
                host.nic(nic, "active", Value(match["state"] == "ACTIVE", position), who)


def read_show_gids(host: Host, entry: Input) -> None:
    """Read `show_gids`; columns are identified by their content, not by tabs."""
    who = witness(entry)
    ports = FirstPorts(host, who)
    rows: int | None = 0
    for number, line in lines_of(entry):
        if "..." in line:  # a document shows the table, and its author left something out
            _state_tables(host, entry, number, "partial")
            rows = None
            continue
        row = _GID_ROW.match(line)
        count = _GIDS_FOUND.match(line)
        if _LIKE_GID_ROW.match(line) and (row is None or normal_gid(row["gid"]) is None):
            _record_damage(host, entry, number, "it is no entry of a GID table")
        elif count and rows is not None and whole(count["count"]) != rows:
            _record_damage(host, entry, number, f"{rows} entries stand above it")
        elif count and rows == 0:
            _state_tables(host, entry, number, "empty")
        if row is None:
            continue
        rows = None if rows is None else rows + 1
        nic = nic_name(row["device"], row["number"])
        position = host.line(entry, number)
        host.nic(nic, "present", Value(True, position), who)
        state_gid(host, nic, (row["index"], row["gid"], row["version"]), position, who)
        ports.add(nic, row["index"], Value(row["port"], position))
    ports.state()


def _record_damage(host: Host, entry: Input, number: int, why: str) -> None:
    """Record a lost entry of a GID table: entries that are missing from it may have been lost."""
    host.bad(f"show_gids: {why}: the table is not whole", host.spot_of_line(entry, number))
    _state_tables(host, entry, number, "partial")


def _state_tables(host: Host, entry: Input, number: int, what: str) -> None:
    stated = Value(True, host.line(entry, number))
    host.claims.state(GID_TABLES, "all", what, stated, witness(entry))


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
    host.nic(nic, "heard", Value(True, position), who)
    host.claims.state(GID, name, "GID", Value(gid, position), who)
    if version is not None:
        state = Value(VERSIONS.get(version.strip()), position)
        host.claims.state(GID, name, "GID version", state, who)


class FirstPorts:
    """Network interfaces of the GIDs of a witness, and of each RDMA device by its GID table.

    GIDs of VLAN interfaces follow those of the port in the same table: the lowest slot is the
    port's.
    """

    def __init__(self, host: Host, who: Witness) -> None:
        self._host, self._who = host, who
        self._lowest: dict[str, tuple[int, Value[str]]] = {}

    def add(self, nic: str, index: str, port: Value[str]) -> None:
        """Record that `port` has the address of the GID in slot `index`."""
        number = whole(index, 0, GID_LIMIT)
        if number is not None and port:
            self._host.claims.state(GID, f"{nic} {number}", "interface", port, self._who)
            if number <= self._lowest.get(nic, (number,))[0]:
                self._lowest[nic] = (number, port)

    def state(self) -> None:
        """Record the port of each device."""
        for nic, (_, port) in self._lowest.items():
            self._host.nic(nic, "port", port, self._who)


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
        key, colon, value = line.partition(":")
        value = value.strip()
        if key == "hca_id" and colon:
            device, number, pending = value, "1", {}
        if gid and device:
            position = host.line(entry, line_number)
            slot = (gid["index"], gid["gid"], gid["type"])
            state_gid(host, nic_name(device, number), slot, position, who)
        elif not device or not colon:
            continue
        elif key == "port":
            number = value
            for what, stated in pending.items():
                host.nic(nic_name(device, number), what, stated, who)
        elif key in DEVICE_KEYS:
            if value and value != "0":
                pending[DEVICE_KEYS[key]] = Value(value, host.line(entry, line_number))
        elif key in PORT_KEYS:
            what, convert = PORT_KEYS[key]
            stated = Value(convert(value), host.line(entry, line_number))
            of_device = key in ("hca_id", "transport")
            host.nic(device if of_device else nic_name(device, number), what, stated, who)


DEVICE_KEYS = {"fw_ver": "firmware", "board_id": "board", "vendor_part_id": "part"}
PORT_KEYS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "hca_id": ("present", lambda _: True),
    "transport": ("RoCE", intel.transport),
    "state": ("active", lambda text: text.startswith("PORT_ACTIVE")),
    "active_mtu": ("RDMA MTU", lambda text: whole(text.split(" ", 1)[0], 256, 4096)),
    "link_layer": ("Ethernet", {"Ethernet": True, "InfiniBand": False}.get),
}
"""Lines of ibv_devinfo: fields that a device shares with its ports, and others with a parser."""


LISTS = ("rdma-link-json", "rdma-link", "ibdev2netdev", "ibv_devinfo")
"""Outputs that list all RDMA devices, unless the command names one."""

_ONE = re.compile(r" (?:-d|--ib-dev)\b| (?!show\b|list\b|-)\S")
"""Arguments of such a command that name a device."""


def lists_all(entry: Input) -> bool:
    """Whether an output lists all RDMA devices of the host. Without its command line it may be
    limited to one device, unless it shows several.
    """
    if entry.source.name == "ibdev2netdev":
        return True
    if (argument := entry.args.get("asked")) is not None:
        return _ONE.search(argument) is None
    if isinstance(entry.tree, list):
        return len(entry.tree) > 1
    return sum(line.startswith(("link ", "hca_id:")) for _, line in lines_of(entry)) > 1


def read_cma(host: Host, entry: Input) -> None:
    """Read `cma_roce_tos -d DEV` or `cma_roce_mode -d DEV`: one value."""
    what = "RoCE version" if entry.source.name == "cma_roce_mode" else "rdma_cm ToS"
    read = [(n, whole(line, 0, 255), VERSIONS.get(line)) for n, line in lines_of(entry)]
    read = [each for each in read if each[1:] != (None, None)]
    nic = host.nic_of(entry) if read else None
    for number, tos, version in read if nic is not None else ():
        value = Value(version if what == "RoCE version" else tos, host.line(entry, number))
        host.nic(nic or "", what, value, witness(entry))


def address_of(gid: str | None) -> str | None:
    """IP address of a GID: IPv4 if mapped, else the GID itself."""
    return gid.removeprefix("::ffff:") if gid else None
