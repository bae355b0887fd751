"""Kernel files below /sys and /proc/sys: shown by `grep` and `cat`, set by `echo`."""

from __future__ import annotations

import re
from collections.abc import Callable

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness, placed
from roce_lint.nos.linux.host import KERNEL, MODULE, NIC, PCI, PORT, Host, nic_name, whole, witness
from roce_lint.nos.linux.links import megabits
from roce_lint.nos.linux.rdma import VERSIONS, FirstPorts, state_gid
from roce_lint.nos.reading import Input, Value
from roce_lint.text.numbers import whole_of

_APPLIED = re.compile(r"[^()]*\((?P<name>\w+)\)\s*:\s*(?P<value>\S+)")


def compare(host: Host, nic: str, port: str) -> None:
    """Note a priority of RoCE data or CNPs that contradicts the port's DSCP map."""
    claims = host.claims
    table = claims.table(PORT, port, "DSCP to priority")
    for kind, packets, their in (("own", "RoCE", "its"), ("CNP", "CNPs", "their")):
        dscp: Value[int] = claims.get(NIC, nic, f"{kind} DSCP")
        own: Value[int] = claims.get(NIC, nic, f"{kind} priority")
        if dscp.value is None or own.value is None or dscp.value not in table.at:
            continue  # the port's priority is not stated
        given = table.entries[dscp.value]
        if given != own.value:
            message = f"{nic} sends {packets} with priority {own.value}, and {port} gives"
            message += f" {their} DSCP {dscp.value} priority {given}"
            claims.note(NoteKind.CONFLICT, message, own.position, table.at[dscp.value])


_PATH_VALUE = re.compile(r"(?P<path>/(?:sys|proc)/[^\s:=]+)\s*[:=]\s?(?P<value>.*)")
_FOUND_IN = re.compile(r"(?P<gid>\S+)(?: type=(?P<type>.*?))?(?: ndev=(?P<port>\S+))?$")
_TCLASS = re.compile(r"(?:Global )?t?class\s*=\s*(?P<value>\d+)|(?P<bare>\d+)$", re.IGNORECASE)

PER_LANE = {
    "2.5": 2.0, "5": 4.0, "5.0": 4.0, "8.0": 7.877, "16.0": 15.754, "32.0": 31.508, "64.0": 60.5,
}  # fmt: skip
"""Usable Gb/s of one PCIe lane by its GT/s: 8b/10b, then 128b/130b, then FLIT (PCIe 6.0)."""


class Sysfs:
    """Reads values of kernel files in order, on behalf of one witness."""

    def __init__(self, host: Host, who: Witness):
        self.host, self.who, self.ports = host, who, FirstPorts(host, who)
        self._bits: dict[tuple[str, str], dict[int, tuple[int, int]]] = {}

    def take(self, path: str, value: str, position: int) -> bool:
        """Record the value of the file at `path`; False if the file is not read."""
        if path.startswith("/proc/sys/"):
            name = path.removeprefix("/proc/sys/").replace("/", ".")
            return state_kernel(self.host, name, Value(value.strip(), position), self.who)
        for regex, handler in HANDLERS.get(_word(path), ()):
            match = regex.fullmatch(path)
            if match:
                handler(self, match, Value(value.strip(), position))
                self.host.reading.take(position)
                return True
        return False

    def finish(self) -> None:
        """Record settings spread over several files."""
        for (port, what), bits in self._bits.items():
            table = placed(dict(sorted(bits.items())), whole=False)
            self.host.port_table(port, what, table, self.who)
        self.ports.state()

    def ecn_bit(self, match: re.Match[str], value: Value[str]) -> None:
        """`ecn/roce_np/enable/3`: notification or reaction point per priority."""
        bit = whole(value.value or "", 0, 1)
        if bit is not None:
            bits = self._bits.setdefault((match["port"], f"{match['side'].upper()} enabled"), {})
            bits[whole_of(match["priority"])] = (bit, value.position)

    def gid(self, match: re.Match[str], value: Value[str]) -> None:
        """`gids/3`; a collector may print type and interface on the same line."""
        found = _FOUND_IN.match(value.value or "")
        if found is None:
            return
        nic = nic_name(match["nic"], match["number"])
        slot = (match["index"], found["gid"], found["type"])
        state_gid(self.host, nic, slot, value.position, self.who)
        if found["port"] and ":" not in found["port"]:
            self.ports.add(nic, match["index"], Value(found["port"], value.position))

    def gid_port(self, match: re.Match[str], value: Value[str]) -> None:
        """`gid_attrs/ndevs/3`."""
        if value.value and " " not in value.value:
            self.ports.add(nic_name(match["nic"], match["number"]), match["index"], value)

    def gid_type(self, match: re.Match[str], value: Value[str]) -> None:
        """`gid_attrs/types/3`."""
        name = f"{nic_name(match['nic'], match['number'])} {whole_of(match['index'])}"
        version = value.map(VERSIONS.get)
        self.host.claims.state("gid", name, "GID version", version, self.who)

    def traffic_class(self, match: re.Match[str], value: Value[str]) -> None:
        """`tc/1/traffic_class`: `Global tclass=106`, or the bare number a script writes; also by
        way of the interface of its RDMA device.
        """
        if port := match.groupdict().get("port"):
            self.host.nic(match["nic"], "port", Value(port, value.position), self.who)
        found = _TCLASS.match(value.value or "")
        number = whole(found["value"] or found["bare"], 0, 255) if found else None
        nic = nic_name(match["nic"], match["number"])
        self.host.nic(nic, "traffic class", Value(number, value.position), self.who)

    def applied(self, match: re.Match[str], value: Value[str]) -> None:
        """`cc/apply` of a Broadcom adapter, with the values in force by the names of files."""
        shown = _APPLIED.match(value.value or "")
        if shown is not None and shown["name"] in BNXT_FILES:
            BNXT_FILES[shown["name"]](self, match, Value(shown["value"], value.position))


Handler = Callable[[Sysfs, re.Match[str], Value[str]], None]


def _to(kind: str, what: str, convert: Callable[[str], object]) -> Handler:
    """A handler that records one converted value of a port, RDMA device or PCI function."""

    def state(sysfs: Sysfs, match: re.Match[str], value: Value[str]) -> None:
        name = match[kind]
        if kind == NIC and "number" in match.re.groupindex:
            name = nic_name(name, match["number"])
        converted = Value(convert(value.value or ""), value.position)
        sysfs.host.claims.state(kind, name, what, converted, sysfs.who)

    return state


def _in(low: int, high: int) -> Callable[[str], int | None]:
    return lambda text: whole(text, low, high)


def _switch(text: str) -> bool | None:
    number = whole(text, 0, 1)
    return None if number is None else bool(number)


_NET = r"/sys/class/net/(?P<port>[^/]+)/"
_IB = r"/sys/class/infiniband/(?P<nic>[^/]+)/"
_NET_IB = _NET + r"device/infiniband/(?P<nic>[^/]+)/"
_IB_PORT = _IB + r"ports/(?P<number>\d+)/"
_CMA = r"/sys/kernel/config/rdma_cm/(?P<nic>[^/]+)/ports/(?P<number>\d+)/"
_BNXT = r"/sys/kernel/config/bnxt_re/(?P<nic>[^/]+)/ports/(?P<number>\d+)/cc/"
_IRDMA = r"/sys/kernel/config/irdma/(?P<nic>[^/]+)/"
_MODULE = r"/sys/module/(?P<module>\w+)/parameters/"
_CC = r"/sys/kernel/debug/mlx5/(?P<pci>[0-9a-f:.]+)/cc_params/"

BNXT_FILES = {
    "roce_dscp": _to(NIC, "own DSCP", _in(0, 63)),
    "roce_prio": _to(NIC, "own priority", _in(0, 7)),
    "cnp_dscp": _to(NIC, "CNP DSCP", _in(0, 63)),
    "cnp_prio": _to(NIC, "CNP priority", _in(0, 7)),
    "ecn_enable": _to(NIC, "CC", _switch),
}
"""Files of congestion control of Broadcom adapters; numbers are decimal or 0x."""

MEANINGS: tuple[tuple[str, Handler], ...] = (
    (_NET + r"ecn/roce_(?P<side>np|rp)(?:/params)?/enable/(?P<priority>[0-7])", Sysfs.ecn_bit),
    (_NET + r"ecn/roce_np(?:/params)?/cnp_dscp", _to(PORT, "CNP DSCP", _in(0, 63))),
    (_NET + r"ecn/roce_np(?:/params)?/cnp_802p_prio", _to(PORT, "CNP priority", _in(0, 7))),
    (_NET + r"qos/trust", _to(PORT, "trust", lambda text: text or None)),
    (_NET + r"mtu", _to(PORT, "MTU", _in(68, 1 << 17))),
    (_NET + r"speed", _to(PORT, "speed", megabits)),
    (_NET + r"address", _to(PORT, "MAC", lambda text: text or None)),
    (
        _NET + r"device/current_link_speed",
        _to(PORT, "PCIe lane", lambda text: PER_LANE.get(text.split(" ", 1)[0])),
    ),
    (_NET + r"device/current_link_width", _to(PORT, "PCIe lanes", _in(1, 32))),
    (_IB + r"tc/(?P<number>\d+)/traffic_class", Sysfs.traffic_class),
    (_NET_IB + r"tc/(?P<number>\d+)/traffic_class", Sysfs.traffic_class),
    (_IB_PORT + r"gids/(?P<index>\d+)", Sysfs.gid),
    (_IB_PORT + r"gid_attrs/types/(?P<index>\d+)", Sysfs.gid_type),
    (_IB_PORT + r"gid_attrs/ndevs/(?P<index>\d+)", Sysfs.gid_port),
    (_IB_PORT + r"state", _to(NIC, "active", lambda text: text.endswith("ACTIVE"))),
    (_IB_PORT + r"link_layer", _to(NIC, "Ethernet", lambda text: text == "Ethernet")),
    (_IB + r"fw_ver", _to(NIC, "firmware", lambda text: text or None)),
    (_IB + r"board_id", _to(NIC, "board", lambda text: text or None)),
    (_CMA + r"default_roce_tos", _to(NIC, "rdma_cm ToS", _in(0, 255))),
    (_CMA + r"default_roce_mode", _to(NIC, "RoCE version", VERSIONS.get)),
    (_CC + r"np_cnp_dscp", _to(PCI, "CNP DSCP", _in(0, 63))),
    (_CC + r"np_cnp_prio", _to(PCI, "CNP priority", _in(0, 7))),
    *((_BNXT + name, handler) for name, handler in BNXT_FILES.items()),
    (_BNXT + "apply", Sysfs.applied),
    (_IRDMA + r"roce_dcqcn_enable", _to(NIC, "DCQCN", {"0": False, "1": True}.get)),
    (_MODULE + r"roce_ena", _to(MODULE, "roce_ena", _in(0, 1))),
)
"""Kernel files that are read: a regex of the path, and the handler of the value."""


def _word(path: str) -> str:
    """Last word of a path that is not a number: `enable` of `.../enable/3`."""
    parent, _, last = path.rpartition("/")
    return parent.rpartition("/")[2] if last.isdigit() or last[:1] == "(" else last


HANDLERS: dict[str, list[tuple[re.Pattern[str], Handler]]] = {}
for _path, _handler in MEANINGS:
    HANDLERS.setdefault(_word(_path), []).append((re.compile(_path), _handler))

KERNEL_SETTING = re.compile(
    r"net\.(?:ipv4\.(?:tcp_ecn$|conf\.[^.]+(?:\.\d+)?\.(?:rp_filter|arp_ignore|arp_announce|arp_filter)$)"
    r"|core\.[rw]mem_max$)"
)
"""Kernel settings that affect RoCE; no others are stored."""


def read_sysfs(host: Host, entry: Input) -> None:
    """Read `grep -r . /sys/...` (path:value lines) or `cat` of one file."""
    sysfs = Sysfs(host, witness(entry))
    single = entry.args.get("path") or _path_of(entry.args.get("nic"))
    if single and set(single) & set("*?[{"):
        single = None  # the output of several unnamed files
    for number, line in host.lines(entry):
        match = _PATH_VALUE.match(line)
        if match is None and single is None and line.startswith("Global tclass"):
            single = _path_of(host.nic_of(entry))
        path, value = (match["path"], match["value"]) if match else (single, line)
        if path:
            sysfs.take(path, value, host.spot_of_line(entry, number))
    sysfs.finish()


def _path_of(nic: str | None) -> str | None:
    return f"/sys/class/infiniband/{nic}/tc/1/traffic_class" if nic else None


def state_kernel(host: Host, name: str, value: Value[str], who: Witness) -> bool:
    """Record a kernel setting; False if it is not read."""
    if not KERNEL_SETTING.match(name):
        return False
    host.claims.state(KERNEL, name, "value", value, who)
    host.reading.take(value.position)
    return True


def read_sysctl(host: Host, entry: Input) -> None:
    """Read `sysctl` output or a sysctl.conf: `name = value` lines."""
    for number, line in host.lines(entry):
        name, equals, value = line.partition("=")
        name = name.strip().lstrip("-").replace("/", ".")
        if equals:
            stated = Value(value.strip(), host.spot_of_line(entry, number))
            state_kernel(host, name, stated, witness(entry))
