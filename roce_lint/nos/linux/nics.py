"""The RDMA devices of a host and the code points it can send, out of what was said about them."""

from __future__ import annotations

from typing import Any

from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.nic import Certainty, Emission, Flow, Gid, Nic
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.environment import MARKERS, Marker, selected
from roce_lint.nos.linux.firmware import functions_of
from roce_lint.nos.linux.host import ENVIRONMENT, GID, NIC, PCI, PORT, Host, whole
from roce_lint.nos.linux.interfaces import existing
from roce_lint.nos.linux.port_qos import PRIORITIES
from roce_lint.nos.linux.rdma import address_of
from roce_lint.nos.reading import ABSENT, Value

SPEAKS_OF_RDMA = ("PFC", "DSCP to priority", "NP enabled", "RP enabled", "CNP DSCP")
"""What makes an interface a NIC where no RDMA tool lists the devices."""

RDMA_TRANSPORTS = ("rc", "dc", "ud", "ib")
"""Beginnings of UCX transport names that use RDMA (rc_x, dc_mlx5, ud_v ...)."""


def build_nics(host: Host, interfaces: dict[str, Interface]) -> dict[str, Nic]:
    """All RDMA devices by name.

    Where no RDMA tool lists them, ports that are set up for RoCE stand for them; a lone device
    without a known port is that of a lone such port.
    """
    gids = _gids(host)
    names = existing(host, NIC, "RDMA device")
    likely = {
        name: Value(name, interface.at.get("", 0))
        for name, interface in interfaces.items()
        if interface.kind is InterfaceKind.PHYSICAL
        and host.claims.knows(PORT, name, *SPEAKS_OF_RDMA)
    }
    if not names:
        return {name: _nic(host, name, interfaces, (), port) for name, port in likely.items()}
    only = next(iter(likely.values())) if len(names) == len(likely) == 1 else ABSENT
    return {name: _nic(host, name, interfaces, gids.get(name, ()), only) for name in names}


def _gids(host: Host) -> dict[str, tuple[Gid, ...]]:
    found: dict[str, list[Gid]] = {}
    for name in host.claims.names(GID):
        nic, _, index = name.rpartition(" ")
        gid = host.claims.get(GID, name, "GID")
        if not gid:
            continue
        entry = host.reading.build(
            Gid,
            gid.position,
            index=int(index),
            gid=gid,
            roce_version=host.claims.get(GID, name, "GID version"),
            address=gid.map(address_of),
        )
        found.setdefault(nic, []).append(entry)
    return {nic: tuple(sorted(each, key=lambda gid: gid.index)) for nic, each in found.items()}


def _nic(
    host: Host,
    name: str,
    interfaces: dict[str, Interface],
    gids: tuple[Gid, ...],
    own_port: Value[str] = ABSENT,
) -> Nic:
    claims = host.claims
    port = claims.get(NIC, name, "port") or own_port
    interface = interfaces.get(port.value or "")
    uplink = _uplink(interface) if interface else port.value
    firmware = _firmware_of(host, name, uplink)

    def about(what: str) -> Value[Any]:
        return claims.get(PORT, uplink, what) if uplink else ABSENT

    mlx5 = name.startswith("mlx5_") or (uplink is not None and host.is_mlx5(uplink))
    roce = claims.get(NIC, name, "RoCE version")
    if not roce and gids:
        newest = max(gids, key=lambda gid: gid.roce_version or 0)
        roce = Value(newest.roce_version, newest.at.get("roce_version", 0))
    made = host.reading.build(
        Nic,
        claims.begin(NIC, name) or own_port.position,
        name=name,
        port=port,
        active=claims.get(NIC, name, "active"),
        ethernet=claims.get(NIC, name, "Ethernet"),
        family=claims.get(NIC, name, "board") or about("board") or claims.get(NIC, name, "part"),
        firmware=claims.get(NIC, name, "firmware") or about("firmware"),
        roce_version=roce,
        gids=gids,
        rdma_mtu=claims.get(NIC, name, "RDMA MTU") or _derived_mtu(host, interface),
        traffic_class=claims.get(NIC, name, "traffic class"),
        cma_tos=claims.get(NIC, name, "rdma_cm ToS"),
        cnp_dscp=_cnp(host, about("CNP DSCP"), firmware, "CNP DSCP", mlx5=mlx5),
        cnp_priority=_cnp(host, about("CNP priority"), firmware, "CNP priority", mlx5=mlx5),
        np_priorities=_points(host, uplink, "NP enabled", firmware),
        rp_priorities=_points(host, uplink, "RP enabled", firmware),
        pcie_gbps=_slot(about("PCIe lane"), about("PCIe lanes").value),
        slot=about("bus").map(lambda bus: str(bus).rpartition(".")[0] or None),
    )
    for field, what in POINTS:
        if uplink and made.stated(field):
            lines = claims.table(PORT, uplink, what).at
            made.at.update({f"{field} {number}": place for number, place in lines.items()})
    return made


POINTS = (("np_priorities", "NP enabled"), ("rp_priorities", "RP enabled"))
"""Fields of a Nic that sum up one line a priority, and what those lines are claimed as."""


def _uplink(interface: Interface) -> str | None:
    """The port whose settings hold for the RDMA device of an interface: of a virtual function the
    physical one, of a bond the first member, since both are ports of one adapter.
    """
    if interface.kind is InterfaceKind.VF:
        return interface.parent
    if interface.kind is InterfaceKind.LAG and interface.members:
        return interface.members[0]
    return interface.name


def _slot(lane: Value[float], lanes: int | None) -> Value[float]:
    """Usable Gb/s of the slot: one lane times the number of lanes."""
    return lane.map(lambda gbps: round(gbps * lanes, 1) if lanes else None)


def _firmware_of(host: Host, nic: str, port: str | None) -> list[str]:
    """Names under which settings of the PCI function behind a port were stated."""
    bus = str(host.claims.get(PORT, port, "bus").value or "") if port else ""
    devices = host.claims.names(PCI)
    return [*([bus] if bus in devices else []), *functions_of(bus, nic, devices)]


def _derived_mtu(host: Host, interface: Interface | None) -> Value[int]:
    """The RDMA MTU that the kernel derives from a known interface MTU."""
    if interface is None or interface.ip_mtu is None:
        return ABSENT
    steps: Any = defaults.RDMA_MTU.value
    mtu = next((rdma for least, rdma in steps if interface.ip_mtu >= least), None)
    return Value(mtu, host.reading.src.cite(defaults.RDMA_MTU.citation))


def _cnp(host: Host, live: Value[int], firmware: list[str], what: str, *, mlx5: bool) -> Value[int]:
    """Driver setting, else the NIC's stored one, else the documented default."""
    if live:
        return live
    for device in firmware:
        stored: Value[int] = host.claims.get(PCI, device, what)
        if stored:
            return stored
    if not mlx5:
        return ABSENT
    return host.reading.default(defaults.CNP_DSCP if what == "CNP DSCP" else defaults.CNP_PRIORITY)


def _points(host: Host, port: str | None, what: str, firmware: list[str]) -> Value[frozenset[int]]:
    """Priorities for which the notification or reaction point is on."""
    if port:
        bits = host.claims.table(PORT, port, what).set_bits(PRIORITIES)
        if bits:
            return bits
    for device in firmware:
        mask = host.claims.get(PCI, device, "CC priorities")
        if mask:
            return mask.map(lambda number: frozenset(n for n in range(8) if number >> n & 1))
    return ABSENT


def build_emissions(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """Every code point the host can send, with who says so and how sure it is.

    A forced traffic class goes before what applications ask for, and that before the default of
    rdma_cm. Queue pairs made through DevX escape the force.
    """
    emissions = [*_forced(host, nics), *_applications(host, nics), *_ucx_default(host, nics)]
    for nic in nics.values():
        emissions += _rdma_cm(host, nic)
        emissions += _notifications(host, nic)
    return emissions


def _emission(host: Host, byte: Value[int], begin: int, **fields: Any) -> Emission:
    """An emission of a traffic class byte: DSCP and ECN bits."""
    return host.reading.build(
        Emission,
        begin,
        dscp=byte.map(lambda number: number >> 2),
        ect=byte.map(lambda number: number & 3),
        **fields,
    )


def _stated(nic: Nic, name: str) -> Value[Any]:
    return Value(getattr(nic, name), nic.at.get(name, 0))


def _forced(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    return [
        _emission(
            host,
            _stated(nic, "traffic_class"),
            nic.at["traffic_class"],
            flow=Flow.DATA,
            certainty=Certainty.STATED,
            by="global traffic class",
            nics=(nic.name,),
        )
        for nic in nics.values()
        if nic.traffic_class is not None
    ]


def _applications(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """One emission for each distinct value that a marking variable is given anywhere."""
    emissions = []
    for name, marker in MARKERS.items():
        seen: set[int] = set()
        for _, value in host.claims.values(ENVIRONMENT, name, "value"):
            byte = value.map(lambda text: whole(text, 0, 255))
            if byte.value is None or byte.value in seen:
                continue
            seen.add(byte.value)
            emissions += _application(host, nics, name, marker, byte)
    return emissions


def _application(
    host: Host, nics: dict[str, Nic], name: str, marker: Marker, byte: Value[int]
) -> list[Emission]:
    used = list(nics)
    if name.startswith(("NCCL_", "RCCL_")):
        listed = host.claims.values(ENVIRONMENT, "NCCL_IB_HCA", "value")
        # A list that selects nothing is another fault; what the host would mark is still stated.
        used = (selected(listed[-1][1].value or "", used) if listed else used) or used
    forced = [nic for nic in used if nics[nic].traffic_class is not None]
    switch = host.claims.values(ENVIRONMENT, marker.if_set, "value") if marker.if_set else []
    on = not marker.if_set or any(v.value in ("1", "true", "yes", "y", "on") for _, v in switch)
    if marker.escapes and on:
        forced = []
    free = [nic for nic in used if nic not in forced]
    emissions = []
    if free or not nics:
        emissions.append(
            _emission(
                host,
                byte,
                byte.position,
                flow=marker.flow,
                certainty=Certainty.STATED,
                by=name,
                nics=() if len(free) == len(nics) else tuple(free),
            )
        )
    dscp = (byte.value or 0) >> 2
    if any((nics[nic].traffic_class or 0) >> 2 != dscp for nic in forced):
        emissions.append(
            _emission(
                host,
                byte,
                byte.position,
                flow=marker.flow,
                certainty=Certainty.POSSIBLE,
                by=f"{name} (queue pairs made through DevX)",
                nics=tuple(forced),
            )
        )
    return emissions


def _ucx_default(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """What UCX marks by itself, where it is set up to use RDMA and is given no traffic class."""
    claims = host.claims
    given = claims.values(ENVIRONMENT, "UCX_IB_TRAFFIC_CLASS", "value")
    if any(value.value.lower() not in ("", "auto") for _, value in given if value.value):
        return []
    place = given[0][1].position if given else _ucx_uses_rdma(host)
    free = [nic.name for nic in nics.values() if nic.traffic_class is None]
    if not place or (nics and not free):
        return []
    return [
        host.reading.build(
            Emission,
            place,
            dscp=host.reading.default(defaults.UCX_DSCP),
            flow=Flow.DATA,
            certainty=Certainty.DEFAULT,
            by="UCX_IB_TRAFFIC_CLASS=auto",
            nics=() if len(free) == len(nics) else tuple(free),
            ect=2,
        )
    ]


def _ucx_uses_rdma(host: Host) -> int:
    """Position of the line that makes UCX use RDMA; 0 where nothing says so."""
    transports = host.claims.values(ENVIRONMENT, "UCX_TLS", "value")
    for _, value in transports:
        names = [name.strip().lower() for name in (value.value or "").split(",")]
        if any(name.startswith(RDMA_TRANSPORTS) for name in names):
            return value.position
    if transports:
        return 0
    for _, value in host.claims.values(ENVIRONMENT, "UCX_NET_DEVICES", "value"):
        if ":" in (value.value or ""):  # mlx5_0:1 is an RDMA port, eth0 is not
            return value.position
    return 0


def _rdma_cm(host: Host, nic: Nic) -> list[Emission]:
    """rdma_cm connections that ask for no ToS get the default; 0 is what nobody set."""
    if nic.cma_tos is None or nic.traffic_class is not None:
        return []
    byte = _stated(nic, "cma_tos")
    certainty = Certainty.STATED if nic.cma_tos else Certainty.POSSIBLE
    return [
        _emission(
            host,
            byte,
            byte.position,
            flow=Flow.DATA,
            certainty=certainty,
            by="rdma_cm default ToS",
            nics=(nic.name,),
        )
    ]


def _notifications(host: Host, nic: Nic) -> list[Emission]:
    """CNPs, unless the notification point is off for every priority."""
    if nic.cnp_dscp is None or nic.np_priorities == frozenset():
        return []
    stated = nic.at.get("cnp_dscp", 0) > 0
    return [
        host.reading.build(
            Emission,
            nic.at["cnp_dscp"] if stated else nic.at.get("", 0),
            dscp=_stated(nic, "cnp_dscp"),
            flow=Flow.CNP,
            certainty=Certainty.STATED if stated else Certainty.DEFAULT,
            by="cnp_dscp",
            nics=(nic.name,),
        )
    ]
