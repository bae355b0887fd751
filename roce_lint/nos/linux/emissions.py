"""The code points a host can send, out of what was said about it: who marks what, how surely."""

from __future__ import annotations

from typing import Any

from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.environment import (
    MARKERS,
    ON,
    UNCLEAR,
    UNMARKED,
    Marker,
    UnmarkedLibrary,
    select_devices,
)
from roce_lint.nos.linux.host import ENVIRONMENT, STORAGE, Host, whole
from roce_lint.nos.linux.packet_marks import MARKS, PacketMark
from roce_lint.nos.reading import Value

RDMA_TRANSPORTS = ("rc", "dc", "ud", "ib")
"""Beginnings of UCX transport names that use RDMA (rc_x, dc_mlx5, ud_v ...)."""


def build_emissions(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """Every code point the host can send, with who says so and how sure it is.

    A forced traffic class goes before what applications ask for, and that before the default of
    rdma_cm. Queue pairs made through DevX escape the force.
    """
    asked = _applications(host, nics)
    emissions = [
        *_forced_emissions(host, nics),
        *asked,
        *_storage(host, nics),
        *_ucx_default(host, nics),
    ]
    emissions += _unmarked_emissions(host, nics)
    emissions += _others(host, nics)
    for nic in nics.values():
        emissions += _own(host, nic, asked)
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


def _statement(nic: Nic, name: str) -> Value[Any]:
    return Value(getattr(nic, name), nic.at.get(name, 0))


def _forced_emissions(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    return [
        _emission(
            host,
            _statement(nic, "traffic_class"),
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
        used = (select_devices(listed[-1][1].value or "", used) if listed else used) or used
    if not byte.value or byte.value < 4:  # DSCP 0 asks for nothing
        used = [nic for nic in used if nics[nic].own_dscp is None]
        if nics and not used:
            return []
    forced = [nic for nic in used if nics[nic].traffic_class is not None]
    switch = host.claims.values(ENVIRONMENT, marker.if_set, "value") if marker.if_set else []
    on = not marker.if_set or any(v.value in ON for _, v in switch)
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
                storage=marker.storage,
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
                storage=marker.storage,
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


def _unmarked_emissions(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """What libraries send that are set up here and are given no traffic class: their default.

    A variable that is set to what is not known is not missing, and neither is one of a network
    that is no InfiniBand verbs.
    """
    emissions = []
    for name, library in UNMARKED.items():
        if any(host.claims.values(kind, name, "value" if kind == ENVIRONMENT else "line")
               for kind in (ENVIRONMENT, UNCLEAR)) or _elsewhere(host):  # fmt: skip
            continue
        on_gpu = _switch_position(host, library)
        place = on_gpu or _setup_position(host, library)
        used = list(nics)
        listed = host.claims.values(ENVIRONMENT, "NCCL_IB_HCA", "value")
        if listed:
            used = select_devices(listed[-1][1].value or "", used) or used
        free = [n for n in used if on_gpu or nics[n].traffic_class is None]
        free = [n for n in free if nics[n].own_dscp is None]
        if not place or (nics and not free):
            continue
        forced = on_gpu and any(nics[n].traffic_class is not None for n in free)
        made = ", and its queue pairs are made through DevX" if forced else ""
        emissions.append(
            host.reading.build(
                Emission,
                place,
                dscp=host.reading.default(library.sends),
                flow=Flow.DATA,
                certainty=Certainty.DEFAULT,
                by=f"{name} is not set{made}",
                nics=() if len(free) == len(nics) else tuple(free),
            )
        )
    return emissions


def _elsewhere(host: Host) -> bool:
    """Whether variables say that data takes another way than verbs, or is marked by its SL."""
    said = {
        name: [value.value or "" for _, value in host.claims.values(ENVIRONMENT, name, "value")]
        for name in ("NCCL_IB_DISABLE", "NCCL_NET", "NCCL_NET_PLUGIN", "NCCL_IB_SL")
    }
    return (
        any(value not in ("", "0") for value in (*said["NCCL_IB_DISABLE"], *said["NCCL_IB_SL"]))
        or any(value.upper() not in ("", "IB") for value in said["NCCL_NET"])
        or any(value.lower() not in ("", "none") for value in said["NCCL_NET_PLUGIN"])
    )


def _switch_position(host: Host, library: UnmarkedLibrary) -> int:
    """Position of the line by which queue pairs are made on the GPU; 0: none says so."""
    for name, values in library.gpu:
        for _, value in host.claims.values(ENVIRONMENT, name, "value"):
            if (value.value or "").strip().lower() in values:
                return value.position
    return 0


def _setup_position(host: Host, library: UnmarkedLibrary) -> int:
    """Position of the first line that sets up a library to use RDMA; 0: none does."""
    for name in host.claims.names(ENVIRONMENT):
        said = host.claims.values(ENVIRONMENT, name, "value")
        if said and library.shown.fullmatch(name):
            return said[0][1].position
    return 0


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


def _storage(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """What NVMe over RDMA is told to mark; a forced traffic class goes before it, as ever."""
    free = [nic.name for nic in nics.values() if nic.traffic_class is None]
    if nics and not free:
        return []
    return [
        _emission(
            host,
            byte,
            byte.position,
            flow=Flow.DATA,
            certainty=Certainty.POSSIBLE if who.conditional else Certainty.STATED,
            by="nvme connect --tos",
            nics=() if len(free) == len(nics) else tuple(free),
            storage=True,
        )
        for who, byte in host.claims.values(STORAGE, "nvme", "ToS")
    ]


def _others(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """What rules of the kernel write into packets that are no RoCE, where they may leave by a
    RoCE port. RDMA devices are named where a rule names their port.
    """
    emissions = []
    for name in host.claims.names(MARKS):
        tool = name.partition(" ")[0]
        for who, value in host.claims.values(MARKS, name, tool):
            mark: PacketMark | None = value.value
            if mark is None:
                continue
            out = mark.out.partition(".")[0] if mark.out else None  # a VLAN of the port
            by_port = tuple(nic.name for nic in nics.values() if out and nic.port == out)
            if not nics or (out and not by_port):
                continue
            certainty = Certainty.POSSIBLE if who.conditional else Certainty.STATED
            emissions.append(
                host.reading.build(
                    Emission,
                    value.position,
                    dscp=Value(mark.dscp, value.position),
                    flow=Flow.OTHER,
                    certainty=certainty,
                    by=f"{tool}: {mark.what}",
                    nics=by_port,
                )
            )
    return emissions


def _own(host: Host, nic: Nic, asked: list[Emission]) -> list[Emission]:
    """What the adapter itself marks, where nobody asks for anything else."""
    if nic.own_dscp is None or nic.traffic_class is not None:
        return []
    other = any(
        each.flow is Flow.DATA and (not each.nics or nic.name in each.nics) for each in asked
    )
    return [
        host.reading.build(
            Emission,
            nic.at.get("own_dscp", 0),
            dscp=_statement(nic, "own_dscp"),
            flow=Flow.DATA,
            certainty=Certainty.POSSIBLE if other else Certainty.STATED,
            by="roce_dscp",
            nics=(nic.name,),
        )
    ]


def _rdma_cm(host: Host, nic: Nic) -> list[Emission]:
    """rdma_cm connections that ask for no ToS get the default; 0 is what nobody set."""
    if nic.cma_tos is None or nic.traffic_class is not None:
        return []
    if nic.cma_tos < 4 and nic.own_dscp is not None:
        return []
    byte = _statement(nic, "cma_tos")
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
    if nic.cnp_dscp is None or nic.np_priorities == frozenset() == nic.np_open:
        return []
    stated = nic.at.get("cnp_dscp", 0) > 0
    return [
        host.reading.build(
            Emission,
            nic.at["cnp_dscp"] if stated else nic.at.get("", 0),
            dscp=_statement(nic, "cnp_dscp"),
            flow=Flow.CNP,
            certainty=Certainty.STATED if stated else Certainty.DEFAULT,
            by="cnp_dscp",
            nics=(nic.name,),
        )
    ]
