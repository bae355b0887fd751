"""Code points that a host can send: the traffic, its marking and the certainty."""

from __future__ import annotations

from typing import Any

from roce_lint.catalog.applications import (
    CLASS_BYTE,
    DSCP,
    ON,
    Variable,
    leaving,
    of_kind,
    row_of,
    selects,
    variables,
    without_rdma,
)
from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.environment import (
    HIGHEST_DSCP,
    UNCLEAR,
    UNMARKED,
    UnmarkedLibrary,
    stated,
)
from roce_lint.nos.linux.host import ENVIRONMENT, NO_TOS, STORAGE, Host, whole
from roce_lint.nos.linux.packet_marks import MARKS, PacketMark
from roce_lint.nos.reading import Value


def build_emissions(host: Host, nics: dict[str, Nic], settled: dict[str, str]) -> list[Emission]:
    """Every code point the host can send, with its origin and certainty.

    A forced traffic class overrides the request of an application, which overrides the rdma_cm
    default. Queue pairs made through DevX escape the forced class. An application whose settled
    variables disable RDMA sends nothing.
    """
    others = _applications(host, nics, settled)
    emissions = [
        *_forced_emissions(host, nics),
        *others,
        *_storage(host, nics),
        *_ucx_default(host, nics),
    ]
    emissions += _unmarked_emissions(host, nics, settled)
    emissions += _others(host, nics)
    for nic in nics.values():
        emissions += _own(host, nic, others)
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


def _sent(
    host: Host, byte: Value[int], by: str, used: list[str], nics: dict[str, Nic],
    certainty: Certainty = Certainty.STATED, flow: Flow = Flow.DATA, *, storage: bool,
) -> list[Emission]:  # fmt: skip
    """Emission of a traffic class by some adapters; none if all adapters are known and unused."""
    if nics and not used:
        return []
    names = () if len(used) == len(nics) else tuple(used)
    fields = {"flow": flow, "certainty": certainty, "by": by, "nics": names}
    return [_emission(host, byte, byte.position, **fields, storage=storage)]


def _forced_emissions(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    by, sure = "global traffic class", Certainty.STATED
    return [
        _emission(host, byte, byte.position, flow=Flow.DATA, certainty=sure, by=by, nics=(name,))
        for name, nic in nics.items()
        if (byte := _statement(nic, "traffic_class")).value is not None
    ]


def _applications(host: Host, nics: dict[str, Nic], settled: dict[str, str]) -> list[Emission]:
    """One emission for each distinct value of a marking variable."""
    emissions = []
    for row in of_kind(CLASS_BYTE, DSCP).values():
        seen: set[int] = set()
        given = stated(host, row.name)
        if not given or without_rdma(settled, row.used_by):
            continue
        may_leave = any(
            variables()[name].leaves_rdma(value.value or "")
            for name in leaving(row.used_by)
            for _, value in stated(host, name)
        )
        for who, value in given:
            sure = not who.conditional and not may_leave
            byte = value.map(lambda text: whole(text, 0, 255))
            if row.kind == CLASS_BYTE and 0 < (byte.value or 0) <= HIGHEST_DSCP and sure:
                _note_small_byte(host, row.name, byte)
            if row.kind == DSCP:
                byte = byte.map(lambda number: number << 2)
            if byte.value is None or byte.value in seen:
                continue
            seen.add(byte.value)
            emissions += _application(host, nics, row, byte, certain=sure)
    return emissions


def _note_small_byte(host: Host, name: str, byte: Value[int]) -> None:
    number = byte.value or 0
    message = f"{name}={number} is the whole traffic class byte and marks DSCP {number >> 2};"
    message += f" DSCP {number} would be {number << 2}"
    host.reading.note(NoteKind.LEXICAL, message, byte.position)


def _application(
    host: Host, nics: dict[str, Nic], row: Variable, byte: Value[int], *, certain: bool
) -> list[Emission]:
    used = list(nics)
    if row.name.startswith(("NCCL_", "RCCL_")):
        used = _used_by_nccl(host, used)
    if row.storage and row.devices:
        listed = ",".join(value.value or "" for _, value in stated(host, row.devices))
        used = [nic for nic in used if selects(listed, nic, row.devices)]
    if not byte.value or byte.value < 4:  # DSCP 0 is no request
        used = [nic for nic in used if nics[nic].own_dscp is None]
        if nics and not used:
            return []
    forced = [nic for nic in used if nics[nic].traffic_class is not None]
    if row.devx is True or (row.devx and _setting_position(host, str(row.devx))):
        forced = []
    flow = Flow.CONTROL if row.flow == "control" else Flow.DATA
    sure = Certainty.STATED if row.confirmed and certain else Certainty.POSSIBLE
    free = [nic for nic in used if nic not in forced]
    emissions = _sent(host, byte, row.name, free, nics, sure, flow, storage=row.storage)
    if row.storage:
        forced = forced if certain else []
        return emissions + _forced_storage(host, nics, forced, row.name, byte.position)
    dscp = (byte.value or 0) >> 2
    if any((nics[nic].traffic_class or 0) >> 2 != dscp for nic in forced):
        by, sure = f"{row.name} (queue pairs made through DevX)", Certainty.POSSIBLE
        fields = {"flow": flow, "certainty": sure, "by": by, "nics": tuple(forced)}
        emissions.append(_emission(host, byte, byte.position, **fields, storage=False))
    return emissions


def _forced_storage(
    host: Host, nics: dict[str, Nic], forced: list[str], by: str, position: int
) -> list[Emission]:
    """Storage traffic on adapters with a forced traffic class, which overrides its own."""
    emissions = []
    for byte in dict.fromkeys(nics[nic].traffic_class for nic in forced):
        used = tuple(nic for nic in forced if nics[nic].traffic_class == byte)
        origin = f"{by}, under the forced traffic class {byte}"
        fields = {"flow": Flow.DATA, "certainty": Certainty.STATED, "by": origin, "nics": used}
        emissions.append(_emission(host, Value(byte, position), position, **fields, storage=True))
    return emissions


def _used_by_nccl(host: Host, nics: list[str]) -> list[str]:
    """Devices that NCCL_IB_HCA selects. A list that selects none is a separate fault; the marking
    of the host is still stated.
    """
    listed = stated(host, "NCCL_IB_HCA")
    text = (listed[-1][1].value or "") if listed else ""
    return [nic for nic in nics if selects(text, nic)] or nics


def _ucx_default(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """UCX default marking, if UCX is set up for RDMA without a traffic class."""
    given = stated(host, "UCX_IB_TRAFFIC_CLASS")
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


def _unmarked_emissions(
    host: Host, nics: dict[str, Nic], settled: dict[str, str]
) -> list[Emission]:
    """Default marking of libraries that are set up here without a traffic class.

    A variable with an unknown value is not missing, nor is one of a network other than verbs.
    """
    emissions = []
    for name, library in UNMARKED.items():
        if any(host.claims.values(kind, name, "value" if kind == ENVIRONMENT else "line")
               for kind in (ENVIRONMENT, UNCLEAR)) or _elsewhere(host):  # fmt: skip
            continue
        if without_rdma(settled, variables()[name].used_by):
            continue
        on_gpu = _setting_position(host, library.gpu)
        place = on_gpu or _setup_position(host, library)
        used = list(nics)
        used = _used_by_nccl(host, used)
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
    """Whether variables move data off verbs, or mark it by service level (SL)."""
    texts = {
        name: [value.value or "" for _, value in stated(host, name)]
        for name in ("NCCL_IB_DISABLE", "NCCL_NET", "NCCL_NET_PLUGIN", "NCCL_IB_SL")
    }
    return (
        any(value not in ("", "0") for value in (*texts["NCCL_IB_DISABLE"], *texts["NCCL_IB_SL"]))
        or any(value.upper() not in ("", "IB") for value in texts["NCCL_NET"])
        or any(value.lower() not in ("", "none") for value in texts["NCCL_NET_PLUGIN"])
    )


def _setting_position(host: Host, setting: str) -> int:
    """Position of the line that makes a setting such as `NCCL_GIN_TYPE=3`; 0 without one."""
    name, _, expected = setting.partition("=")
    wanting = ON if expected in ON else (expected,)
    for _, value in stated(host, name):
        if (value.value or "").strip().lower() in wanting:
            return value.position
    return 0


def _setup_position(host: Host, library: UnmarkedLibrary) -> int:
    """Position of the first line that sets up a library to use RDMA; 0 without one."""
    for name in host.claims.names(ENVIRONMENT):
        given = stated(host, name)
        if given and library.shown.fullmatch(name):
            return given[0][1].position
    return 0


def _ucx_uses_rdma(host: Host) -> int:
    """Position of the line that makes UCX use RDMA; 0 without one."""
    transports = stated(host, "UCX_TLS")
    if transports:
        begins = variables()["UCX_TLS"].rdma
        lists = ((value, (value.value or "").lower().split(",")) for _, value in transports)
        chosen = (v.position for v, names in lists for n in names if n.strip().startswith(begins))
        return next(chosen, 0)
    for _, value in stated(host, "UCX_NET_DEVICES"):
        if ":" in (value.value or ""):  # mlx5_0:1 is an RDMA port, eth0 is not
            return value.position
    return 0


def _storage(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """Marking of RDMA storage by commands and module options, and by a forced traffic class. A
    connection that names its interface uses that one.
    """
    emissions = []
    for by in host.claims.names(STORAGE):
        row = row_of(by)
        given = reversed(host.claims.values(STORAGE, by, "ToS"))
        for who, tos in {(w.conditional, b.value): (w, b) for w, b in given}.values():
            byte, out = tos.map(lambda pair: pair[0]), tos.value[1]
            mine = [n for n, nic in nics.items() if not out or nic.port == out.partition(".")[0]]
            free = [nic for nic in mine if nics[nic].traffic_class is None]
            forced = [nic for nic in mine if nics[nic].traffic_class is not None]
            sure = not who.conditional and row is not None and row.confirmed
            certainty = Certainty.STATED if sure else Certainty.POSSIBLE
            if byte.value != NO_TOS:
                emissions += _sent(host, byte, by, free, nics, certainty, storage=True)
            if not who.conditional:
                emissions += _forced_storage(host, nics, forced, by, byte.position)
    return emissions


def _others(host: Host, nics: dict[str, Nic]) -> list[Emission]:
    """Marking by kernel rules of packets other than RoCE that may leave by a RoCE port. RDMA
    devices are named if a rule names their port.
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


def _own(host: Host, nic: Nic, others: list[Emission]) -> list[Emission]:
    """Default marking of the adapter itself."""
    if nic.own_dscp is None or nic.traffic_class is not None:
        return []
    other = any(
        each.flow is Flow.DATA and (not each.nics or nic.name in each.nics) for each in others
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
    """rdma_cm connections without a ToS get the default; 0 means that it is unset."""
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
