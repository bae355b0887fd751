"""Code points that a host can send: the traffic, its marking and the certainty."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roce_lint.catalog import applications
from roce_lint.catalog.applications import DSCP, ON, Variable, row_of, selects, variables
from roce_lint.model.device import NoteKind
from roce_lint.model.nic import Certainty, Emission, Flow, Nic
from roce_lint.nos.linux import defaults
from roce_lint.nos.linux.dcb import DSCPS
from roce_lint.nos.linux.environment import UNCLEAR, UNMARKED, UnmarkedLibrary, stated
from roce_lint.nos.linux.host import ENVIRONMENT, NO_TOS, STORAGE, Host, whole
from roce_lint.nos.linux.packet_marks import MARKS, PacketMark
from roce_lint.nos.reading import Value


def build_emissions(host: Host, nics: dict[str, Nic], settled: dict[str, str]) -> list[Emission]:
    """Every code point the host can send, with its origin and certainty.

    A forced traffic class overrides the request of an application, which overrides the rdma_cm
    default. Queue pairs made through DevX escape the forced class. An application whose settled
    variables disable RDMA sends nothing.
    """
    made = _Emissions(host, nics, settled)
    for name, nic in nics.items():
        made.add_byte(_statement(nic, "traffic_class"), "global traffic class", [name])
    before = len(made.found)
    made.applications()
    others = made.found[before:]
    made.storage()
    made.ucx_default()
    made.unmarked()
    made.others()
    for nic in nics.values():
        made.own(nic, others)
        made.rdma_cm(nic)
        made.notifications(nic)
    return made.found


def _statement(nic: Nic, name: str) -> Value[Any]:
    return Value(getattr(nic, name), nic.at.get(name, 0))


class _Emissions:
    """Emissions of one host, with the names of its RDMA devices that send them; () for all."""

    def __init__(self, host: Host, nics: dict[str, Nic], settled: dict[str, str]):
        self.host, self.nics, self.settled = host, nics, settled
        self.found: list[Emission] = []

    def add(self, begin: int, by: str, nics: Iterable[str], **fields: Any) -> None:
        """Add an emission: data with a stated marking, unless `fields` differ."""
        fields = {"flow": Flow.DATA, "certainty": Certainty.STATED, **fields}
        emission = self.host.reading.build(Emission, begin, by=by, nics=tuple(nics), **fields)
        self.found.append(emission)

    def add_byte(self, byte: Value[int], by: str, nics: Iterable[str], **fields: Any) -> None:
        """Add an emission of a known traffic class byte: DSCP and ECN bits."""
        if byte:
            dscp, ect = byte.map(lambda number: number >> 2), byte.map(lambda number: number & 3)
            self.add(byte.position, by, nics, dscp=dscp, ect=ect, **fields)

    def unless_all(self, used: list[str]) -> list[str]:
        """Devices of an emission that only some of them send."""
        return [] if len(used) == len(self.nics) else used

    def applications(self) -> None:
        """One emission for each distinct value of a marking variable."""
        for row in applications.of_kind(applications.CLASS_BYTE, DSCP).values():
            seen: set[int] = set()
            given = stated(self.host, row.name)
            if not given or applications.without_rdma(self.settled, row.used_by):
                continue
            may_leave = any(
                variables()[name].leaves_rdma(value.value or "")
                for name in applications.leaving(row.used_by)
                for _, value in stated(self.host, name)
            )
            for who, value in given:
                sure = not who.conditional and not may_leave
                byte = value.map(lambda text: whole(text, 0, 255))
                if row.kind == DSCP:
                    byte = byte.map(lambda number: number << 2)
                elif sure and 0 < (byte.value or 0) < DSCPS:
                    number = byte.value or 0
                    message = f"{row.name}={number} is the whole traffic class byte and marks DSCP"
                    message += f" {number >> 2}; DSCP {number} would be {number << 2}"
                    self.host.reading.note(NoteKind.LEXICAL, message, byte.position)
                if byte.value is not None and byte.value not in seen:
                    seen.add(byte.value)
                    self.application(row, byte, certain=sure)

    def application(self, row: Variable, byte: Value[int], *, certain: bool) -> None:
        """Emissions of one value: by devices without a forced class, and past or under one."""
        host, nics, used = self.host, self.nics, list(self.nics)
        if row.name.startswith(("NCCL_", "RCCL_")):
            used = self.used_by_nccl()
        if row.storage and row.devices:
            listed = ",".join(value.value or "" for _, value in stated(host, row.devices))
            used = [nic for nic in used if selects(listed, nic, row.devices)]
        if not byte.value or byte.value < 4:  # DSCP 0 is no request
            used = [nic for nic in used if nics[nic].own_dscp is None]
            if nics and not used:
                return
        forced = [nic for nic in used if nics[nic].traffic_class is not None]
        if row.devx is True or (row.devx and _setting_position(host, str(row.devx))):
            forced = []
        flow = Flow.CONTROL if row.flow == "control" else Flow.DATA
        sure = Certainty.STATED if row.confirmed and certain else Certainty.POSSIBLE
        free = [nic for nic in used if nic not in forced]
        self.send(byte, row.name, free, flow=flow, certainty=sure, storage=row.storage)
        if row.storage:
            self.forced_storage(forced if certain else [], row.name, byte.position)
            return
        dscp = (byte.value or 0) >> 2
        if any((nics[nic].traffic_class or 0) >> 2 != dscp for nic in forced):
            by, sure = f"{row.name} (queue pairs made through DevX)", Certainty.POSSIBLE
            self.add_byte(byte, by, forced, flow=flow, certainty=sure, storage=False)

    def send(self, byte: Value[int], by: str, used: list[str], **fields: Any) -> None:
        """Add an emission by some devices; none if all devices are known and unused."""
        if used or not self.nics:
            self.add_byte(byte, by, self.unless_all(used), **fields)

    def forced_storage(self, forced: list[str], by: str, position: int) -> None:
        """Storage traffic on devices with a forced traffic class, which overrides its own."""
        for byte in dict.fromkeys(self.nics[nic].traffic_class for nic in forced):
            used = [nic for nic in forced if self.nics[nic].traffic_class == byte]
            origin = f"{by}, under the forced traffic class {byte}"
            self.add_byte(Value(byte, position), origin, used, storage=True)

    def used_by_nccl(self) -> list[str]:
        """Devices that NCCL_IB_HCA selects. A list that selects none is a separate fault; the
        marking of the host is still stated.
        """
        listed = stated(self.host, "NCCL_IB_HCA")
        text = (listed[-1][1].value or "") if listed else ""
        return [nic for nic in self.nics if selects(text, nic)] or list(self.nics)

    def ucx_default(self) -> None:
        """UCX default marking, if UCX is set up for RDMA without a traffic class."""
        given = stated(self.host, "UCX_IB_TRAFFIC_CLASS")
        if any(value.value.lower() not in ("", "auto") for _, value in given if value.value):
            return
        place = given[0][1].position if given else _ucx_uses_rdma(self.host)
        free = [nic.name for nic in self.nics.values() if nic.traffic_class is None]
        if place and (free or not self.nics):
            dscp, sure = self.host.reading.default(defaults.UCX_DSCP), Certainty.DEFAULT
            by, nics = "UCX_IB_TRAFFIC_CLASS=auto", self.unless_all(free)
            self.add(place, by, nics, dscp=dscp, certainty=sure, ect=2)

    def unmarked(self) -> None:
        """Default marking of libraries that are set up here without a traffic class.

        A variable with an unknown value is not missing, nor is one of a network other than verbs.
        """
        host, nics = self.host, self.nics
        for name, library in UNMARKED.items():
            known = host.claims.has(ENVIRONMENT, name, "value")
            known = known or host.claims.has(UNCLEAR, name, "line") or _elsewhere(host)
            if known or applications.without_rdma(self.settled, variables()[name].used_by):
                continue
            on_gpu = _setting_position(host, library.gpu)
            place = on_gpu or _setup_position(host, library)
            free = [n for n in self.used_by_nccl() if on_gpu or nics[n].traffic_class is None]
            free = [n for n in free if nics[n].own_dscp is None]
            if not place or (nics and not free):
                continue
            forced = on_gpu and any(nics[n].traffic_class is not None for n in free)
            made = ", and its queue pairs are made through DevX" if forced else ""
            by, used = f"{name} is not set{made}", self.unless_all(free)
            dscp = host.reading.default(library.sends)
            self.add(place, by, used, dscp=dscp, certainty=Certainty.DEFAULT)

    def storage(self) -> None:
        """Marking of RDMA storage by commands and module options, and by a forced traffic class. A
        connection that names its interface uses that one.
        """
        nics = self.nics
        for by in self.host.claims.names(STORAGE):
            row = row_of(by)
            given = reversed(self.host.claims.values(STORAGE, by, "ToS"))
            for who, tos in {(w.conditional, b.value): (w, b) for w, b in given}.values():
                byte, out = tos.map(lambda pair: pair[0]), tos.value[1]
                mine = [n for n, nic in nics.items() if not out or nic.port == _port_of(out)]
                free = [nic for nic in mine if nics[nic].traffic_class is None]
                forced = [nic for nic in mine if nics[nic].traffic_class is not None]
                sure = not who.conditional and row is not None and row.confirmed
                certainty = Certainty.STATED if sure else Certainty.POSSIBLE
                if byte.value != NO_TOS:
                    self.send(byte, by, free, certainty=certainty, storage=True)
                if not who.conditional:
                    self.forced_storage(forced, by, byte.position)

    def others(self) -> None:
        """Marking by kernel rules of packets other than RoCE that may leave by a RoCE port. RDMA
        devices are named if a rule names their port.
        """
        for name in self.host.claims.names(MARKS):
            tool = name.partition(" ")[0]
            for who, value in self.host.claims.values(MARKS, name, tool):
                mark: PacketMark | None = value.value
                if mark is None:
                    continue
                out = _port_of(mark.out)
                by_port = [nic.name for nic in self.nics.values() if out and nic.port == out]
                if self.nics and (by_port or not out):
                    sure = Certainty.POSSIBLE if who.conditional else Certainty.STATED
                    dscp, by = Value(mark.dscp, value.position), f"{tool}: {mark.what}"
                    fields = {"flow": Flow.OTHER, "certainty": sure, "dscp": dscp}
                    self.add(value.position, by, by_port, **fields)

    def own(self, nic: Nic, others: list[Emission]) -> None:
        """Default marking of the adapter itself."""
        if nic.own_dscp is None or nic.traffic_class is not None:
            return
        other = any(
            each.flow is Flow.DATA and (not each.nics or nic.name in each.nics) for each in others
        )
        sure, dscp = Certainty.POSSIBLE if other else Certainty.STATED, _statement(nic, "own_dscp")
        self.add(dscp.position, "roce_dscp", [nic.name], dscp=dscp, certainty=sure)

    def rdma_cm(self, nic: Nic) -> None:
        """rdma_cm connections without a ToS get the default; 0 means that it is unset."""
        byte = _statement(nic, "cma_tos")
        unset = byte.value is not None and byte.value < 4 and nic.own_dscp is not None
        if nic.traffic_class is None and not unset:
            sure = Certainty.STATED if byte.value else Certainty.POSSIBLE
            self.add_byte(byte, "rdma_cm default ToS", [nic.name], certainty=sure)

    def notifications(self, nic: Nic) -> None:
        """CNPs, unless the notification point is off for every priority."""
        if nic.cnp_dscp is None or nic.np_priorities == frozenset() == nic.np_open:
            return
        dscp = _statement(nic, "cnp_dscp")
        own = dscp.position > 0
        begin = dscp.position if own else nic.at.get("", 0)
        sure = Certainty.STATED if own else Certainty.DEFAULT
        self.add(begin, "cnp_dscp", [nic.name], dscp=dscp, flow=Flow.CNP, certainty=sure)


def _port_of(interface: str | None) -> str | None:
    """The port of an interface, which may be a VLAN of it."""
    return interface.partition(".")[0] if interface else None


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
    wanting, given = ON if expected in ON else (expected,), (v for _, v in stated(host, name))
    return next((v.position for v in given if (v.value or "").strip().lower() in wanting), 0)


def _setup_position(host: Host, library: UnmarkedLibrary) -> int:
    """Position of the first line that sets up a library to use RDMA; 0 without one."""
    named = (stated(host, n) for n in host.claims.names(ENVIRONMENT) if library.shown.fullmatch(n))
    return next((given[0][1].position for given in named if given), 0)


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
