"""RDMA devices of a host and their PCI paths to accelerators, from the recorded statements."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.nic import Gid, Nic
from roce_lint.model.sourced import Concern, Part
from roce_lint.nos.linux import defaults, sysfs
from roce_lint.nos.linux.dcb import PRIORITIES
from roce_lint.nos.linux.host import AGENT, GID, NIC, PCI, PORT, Host, lines_of, witness
from roce_lint.nos.linux.interfaces import list_existing
from roce_lint.nos.linux.nic import intel
from roce_lint.nos.linux.nic.mlxconfig import compare_next_boot, functions_of
from roce_lint.nos.linux.rdma import GID_TABLES, address_of
from roce_lint.nos.reading import ABSENT, Input, Value
from roce_lint.text.numbers import whole_of

# `lspci -vv` output: PCI Express bridges between NICs and accelerators.

SLOT = "PCI slot"
"""Kind of object: a PCI function by its address, `0000:17:00.0`."""

_ADDRESS = re.compile(
    r"(?:(?P<domain>[0-9a-f]{4,5}):)?(?P<rest>[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.IGNORECASE
)
_HEAD = re.compile(rf"(?P<address>{_ADDRESS.pattern}) (?P<class>[^:\[]+?)(?: \[[0-9a-f]{{4}}\])?: ")
_BUSES = re.compile(
    r"Bus: primary=[0-9a-f]{2}, secondary=(?P<low>[0-9a-f]{2}), subordinate=(?P<high>[0-9a-f]{2})"
)
_ORDERING = re.compile(r".*\bRlxdOrd(?P<sign>[+-])")
_REDIRECT = re.compile(r"ACSCtl:.*?\bReqRedir(?P<request>[+-]) CmpltRedir(?P<completion>[+-])")
_DRIVER = re.compile(r"Kernel driver in use: (?P<driver>\S+)")

ACCELERATORS = ("3D controller", "Processing accelerators", "Display controller")
"""PCI classes of devices that exchange RDMA data directly; a VGA controller drives a console."""


def read_lspci(host: Host, entry: Input) -> None:
    """Read `lspci -vv`. Capabilities are shown to root only; buses to everybody."""
    who = witness(entry)
    address = ""
    for number, line in lines_of(entry):
        if head := _HEAD.match(line):
            address = normal(head["address"])
        found = ("class", head["class"]) if head else _detail(line)
        if address and found:
            stated = Value(found[1], host.line(entry, number))
            host.claims.state(SLOT, address, found[0], stated, who)


def _detail(line: str) -> tuple[str, object] | None:
    """Field and value of a line below the head of a function."""
    if buses := _BUSES.match(line):
        return "buses", (whole_of(buses["low"], 16), whole_of(buses["high"], 16))
    if redirect := _REDIRECT.match(line):
        return "redirects", "+" in (redirect["request"], redirect["completion"])
    if ordering := _ORDERING.match(line):
        return "relaxed ordering", ordering["sign"] == "+"
    driver = _DRIVER.match(line)
    return ("driver", driver["driver"]) if driver else None


def normal(address: str) -> str:
    """A PCI address with its domain, in lower case; empty if invalid."""
    match = _ADDRESS.fullmatch(address.strip())
    return f"{match['domain'] or '0000'}:{match['rest']}".lower() if match else ""


def peers_of(host: Host, bus: str) -> tuple[Value[bool], Value[bool]]:
    """Whether an accelerator shares a PCI bridge with the NIC at a PCI address, at the
    accelerator's position, and whether a bridge on the path redirects packets up to the root.
    """
    claims, own = host.claims, normal(bus)
    names = claims.names(SLOT)
    if own not in names or any(_statement(host, n, "driver").value == "vfio-pci" for n in names):
        return ABSENT, ABSENT  # a virtual machine that has a function needs the isolation
    cards = [n for n in names if _statement(host, n, "class").value in ACCELERATORS]
    mine = _above(host, own)
    if not cards or not mine:
        return ABSENT, ABSENT
    shared = next((c for c in cards if mine & _above(host, c)), None)
    at = _statement(host, shared or cards[0], "class").position
    between = mine ^ _above(host, shared) if shared else mine
    redirects = [_statement(host, bridge, "redirects") for bridge in sorted(between)]
    redirected = next((value for value in redirects if value.value), ABSENT)
    if not redirected and redirects and all(redirects):
        redirected = redirects[0]
    return Value(shared is not None, at), redirected


def _above(host: Host, address: str) -> set[str]:
    """Bridges between the root and a function."""
    domain, bus = address[:-8], whole_of(address[-7:-5], 16)
    buses = {n: _statement(host, n, "buses").value or (1, 0) for n in host.claims.names(SLOT)}
    return {n for n, (low, high) in buses.items() if n[:-8] == domain and low <= bus <= high}


def _statement(host: Host, name: str, what: str) -> Value[Any]:
    return host.claims.get(SLOT, name, what)


# RDMA devices.

RDMA_FIELDS = ("PFC", "DSCP to priority", "NP enabled", "RP enabled", "CNP DSCP")
"""Fields that make an interface a NIC if no RDMA tool lists the devices."""


def build_nics(host: Host, interfaces: dict[str, Interface]) -> dict[str, Nic]:
    """All RDMA devices by name.

    If no RDMA tool lists them, ports set up for RoCE replace them; a single device without a known
    port belongs to a single such port.
    """
    gids = _gids(host)
    names = list_existing(host, NIC, "RDMA device")
    likely = {
        name: Value(name, interface.at.get("", 0))
        for name, interface in interfaces.items()
        if interface.kind is InterfaceKind.PHYSICAL and host.claims.has(PORT, name, *RDMA_FIELDS)
    }
    if not names:
        return {name: _nic(host, name, interfaces, (), port) for name, port in likely.items()}
    only = next(iter(likely.values())) if len(names) == len(likely) == 1 else ABSENT
    made = {name: _nic(host, name, interfaces, gids.get(name, ()), only) for name in names}
    behind: dict[str, list[Nic]] = {}
    for name, nic in made.items():
        interface = interfaces.get(nic.port or "")
        for key in _firmware_of(host, name, _uplink(interface) if interface else nic.port):
            behind.setdefault(key, []).append(nic)
    compare_next_boot(host, behind)
    return made


def _gids(host: Host) -> dict[str, tuple[Gid, ...]]:
    found: dict[str, list[Gid]] = {}
    for name in host.claims.names(GID):
        nic, _, index = name.rpartition(" ")
        gid, version = (host.claims.get(GID, name, what) for what in ("GID", "GID version"))
        if gid:
            fields = {"gid": gid, "roce_version": version, "address": gid.map(address_of)}
            entry = host.reading.build(Gid, gid.position, index=whole_of(index), **fields)
            found.setdefault(nic, []).append(entry)
    return {nic: tuple(sorted(each, key=lambda gid: gid.index)) for nic, each in found.items()}


def _nic(
    host: Host,
    name: str,
    interfaces: dict[str, Interface],
    gids: tuple[Gid, ...],
    own_port: Value[str] = ABSENT,
) -> Nic:
    claims, own = host.claims, partial(host.claims.get, NIC, name)
    port = own("port") or own_port
    interface = interfaces.get(port.value or "")
    uplink = _uplink(interface) if interface else port.value
    firmware = _firmware_of(host, name, uplink)

    def about(what: str) -> Value[Any]:
        return claims.get(PORT, uplink, what) if uplink else ABSENT

    maker = _maker(host, name, uplink)

    def cnp(what: str) -> Value[int]:
        """Value of the device, of the driver, the stored one, or the documented default."""
        stated = own(what) or about(what) or _stored_value(host, firmware, what)
        default = DEFAULT_CNP.get((maker, what))
        return stated if stated or default is None else host.reading.default(default)

    bus = str(about("bus").value or "")
    (by_switch, redirected), lanes = peers_of(host, bus), about("PCIe lanes").value
    roce = own("RoCE version")
    if not roce and gids:
        newest = max(gids, key=lambda gid: gid.roce_version or 0)
        roce = Value(newest.roce_version, newest.at.get("roce_version", 0))
    roce_on = intel.roce_state(host, name, uplink)  # False: set to iWARP
    made = host.reading.build(
        Nic,
        claims.begin(NIC, name) or own_port.position,
        name=name,
        port=port,
        active=own("active"),
        ethernet=own("Ethernet") if roce_on.value is not False else roce_on,
        family=own("board") or about("board") or own("part"),
        maker=Value(MAKERS.get(maker), 0) if maker in MAKERS else ABSENT,
        firmware=own("firmware") or about("firmware"),
        roce_version=roce,
        gids=gids,
        gids_none=ABSENT if gids else claims.get(GID_TABLES, "all", "empty"),
        gids_partial=claims.get(GID_TABLES, "all", "partial"),
        rdma_mtu=own("RDMA MTU") or _derive_mtu(host, interface, about("RDMA MTU")),
        traffic_class=own("traffic class"),
        cma_tos=own("rdma_cm ToS"),
        own_dscp=own("own DSCP"),
        cnp_dscp=cnp("CNP DSCP"),
        cnp_priority=cnp("CNP priority"),
        np_priorities=_points(host, name, uplink, "NP enabled", firmware),
        rp_priorities=_points(host, name, uplink, "RP enabled", firmware)
        or (host.reading.default(defaults.REACTION_OFF_IRDMA) if maker == "irdma" else ABSENT),
        takes_out_of_order=own("part").map(IN_ANY_ORDER.get),
        pcie_gbps=about("PCIe lane").map(lambda gbps: round(gbps * lanes, 1) if lanes else None),
        slot=about("bus").map(lambda bus: str(bus).rpartition(".")[0] or None),
        gpu_by_switch=by_switch,
        gpu_redirected=redirected,
        relaxed_ordering=_statement(host, normal(bus), "relaxed ordering"),
        all_writes_relaxed=_stored_value(host, firmware, "write ordering").map(bool),
        announced_by=_agents(host, uplink, firmware),
    )
    if made.announced_by and host.claims.names(AGENT):
        made.at[Concern.OTHER_AGENT] = host.claims.begin(AGENT, host.claims.names(AGENT)[0])
    if uplink:
        sysfs.compare(host, name, uplink)
    for field, what in (("np_priorities", "NP enabled"), ("rp_priorities", "RP enabled")):
        if uplink and made.stated(field):  # it combines one line per priority
            table = claims.table(PORT, uplink, what)
            if table.entries:
                unknown = table.unknown_numbers(PRIORITIES)
                setattr(made, field.replace("priorities", "open"), unknown)
            made.at.update({Part(field, number): place for number, place in table.at.items()})
    return made


IN_ANY_ORDER = {
    **dict.fromkeys(("4115", "4117"), False),
    **dict.fromkeys(("4119", "4121", "4123", "4125", "4127", "4129", "4131"), True),
}
"""Whether packets are placed in any order, by `vendor_part_id` of mlx5: ConnectX-4 and 4 Lx take
them in order only, ConnectX-5 to 8 in any (docs/nos/linux.md, order of packets)."""


def _uplink(interface: Interface) -> str | None:
    """Port with the settings of an interface's RDMA device: of a virtual function the physical
    port, of a bond the first member, since both are ports of one adapter.
    """
    if interface.kind is InterfaceKind.VF:
        return interface.parent
    if interface.kind is InterfaceKind.LAG and interface.members:
        return interface.members[0]
    return interface.name


def _firmware_of(host: Host, nic: str, port: str | None) -> list[str]:
    """Names under which settings of a port's PCI function are stated."""
    bus = str(host.claims.get(PORT, port, "bus").value or "") if port else ""
    devices = host.claims.names(PCI)
    return [*([bus] if bus in devices else []), *functions_of(bus, nic, devices)]


def _derive_mtu(host: Host, interface: Interface | None, limit: Value[int]) -> Value[int]:
    """The RDMA MTU that the kernel derives from a known interface MTU, if the adapter's own limit
    is not lower.
    """
    if interface is None or interface.ip_mtu is None:
        return ABSENT
    steps: Any = defaults.RDMA_MTU.value
    mtu = next((rdma for least, rdma in steps.items() if interface.ip_mtu >= least), None)
    if mtu is not None and limit.value is not None and limit.value < mtu:
        return limit
    return Value(mtu, host.reading.src.cite(defaults.RDMA_MTU.citation))


MAKERS = {"mlx5": "nvidia", "bnxt_re": "broadcom", "irdma": "intel", "ionic": "amd"}
"""Vendor of a driver (drivers/infiniband/hw of the kernel)."""


def _maker(host: Host, name: str, port: str | None) -> str:
    """The driver's family, by the name of the RDMA device or the driver of its interface."""
    of_name = next((each for each in ("mlx5", "bnxt_re", "ionic") if name.startswith(each)), "")
    if of_name or port is None:
        return of_name
    if host.is_mlx5(port):
        return "mlx5"
    driver = next((str(v.value) for _, v in host.claims.values(PORT, port, "driver")), "")
    return {"bnxt_en": "bnxt_re", **dict.fromkeys(intel.DRIVERS, "irdma")}.get(driver, driver)


DEFAULT_CNP = {
    ("mlx5", "CNP DSCP"): defaults.CNP_DSCP,
    ("mlx5", "CNP priority"): defaults.CNP_PRIORITY,
    ("bnxt_re", "CNP DSCP"): defaults.CNP_DSCP_BNXT,
    ("bnxt_re", "CNP priority"): defaults.CNP_PRIORITY_BNXT,
}


def _stored_value(host: Host, firmware: list[str], what: str) -> Value[Any]:
    """Value in the adapter's memory."""
    found = (host.claims.get(PCI, device, what) for device in firmware)
    return next((value for value in found if value), ABSENT)


def _agents(host: Host, port: str | None, firmware: list[str]) -> Value[frozenset[str]]:
    """LLDP agents that advertise on a port, with the line of the firmware's agent.

    A mode of 0 is off (docs/nos/linux.md, LLDP of the firmware).
    """
    own: Value[int] = _stored_value(host, firmware, "firmware LLDP")
    agents = host.claims.names(AGENT)
    if port and host.claims.get(PORT, port, "lldpad").value:
        agents.append("lldpad")
    if own.value:
        agents.append("firmware")
    return Value(frozenset(agents), own.position) if own else ABSENT


def _points(
    host: Host, nic: str, port: str | None, what: str, firmware: list[str]
) -> Value[frozenset[int]]:
    """Priorities for which the notification or reaction point is on.

    Adapters other than mlx5 have one switch for both points and all priorities. On irdma it covers
    the notification point only when on: the response to ECN marks without it is not documented.
    """
    if port and (bits := host.claims.table(PORT, port, what).known_bits(PRIORITIES)):
        return bits
    if mask := _stored_value(host, firmware, "CC priorities"):
        return mask.map(lambda number: frozenset(n for n in range(8) if number >> n & 1))
    switch: Value[bool] = host.claims.get(NIC, nic, "CC")
    if not switch:
        dcqcn: Value[bool] = host.claims.get(NIC, nic, "DCQCN")
        switch = dcqcn if dcqcn.value or what == "RP enabled" else switch
    every = frozenset(range(PRIORITIES))
    return switch.map(lambda on: every if on else frozenset())
