"""PORT_QOS_MAP and PFC_WD: trust, PFC and watchdog of a port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from roce_lint.model.device import Device, NoteKind
from roce_lint.model.interface import Interface, InterfaceKind
from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog, PortQos, Trust, WatchdogAction
from roce_lint.model.sourced import Home
from roce_lint.model.units import PRIORITIES
from roce_lint.nos.reading import Value, put
from roce_lint.nos.sonic import defaults
from roce_lint.nos.sonic.maps import CLASS_MAPS, DSCP_TC, PCP_TC, TC_DSCP, ClassMaps, Maps
from roce_lint.nos.sonic.ports import ON_OFF, port_of
from roce_lint.nos.sonic.tables import Namespace, Row, whole
from roce_lint.text.numbers import real

TABLE = "PORT_QOS_MAP"
GLOBAL = "global"
WATCHDOG = "PFC_WD"
WATCHDOG_GLOBAL = "GLOBAL"

ACTIONS = {word: WatchdogAction(word) for word in ("drop", "forward", "alert")}
ENABLE = {"enable": True, "disable": False}
LONGEST_MS = 10_000_000
"""Far above the limit of any release; a rule checks the limits themselves."""


@dataclass(slots=True)
class PortQosReader:
    """Reads the QoS bindings of all ports of one namespace."""

    space: Namespace
    device: Device
    maps: Maps
    rows: dict[str, Row]
    watchdogs: dict[str, Row]
    global_map: bool
    polling: Value[float]

    def read(self, port: Interface) -> PortQos:
        """QoS of PORT_QOS_MAP, PFC_WD and the port's own row."""
        row = self.rows.get(port.name) or Row(TABLE, port.name)
        begin = row.position or port.at.get("", 0)
        qos = PortQos(src=self.space.reading.src, at={"": begin})
        if self._has_bindings:
            self._classify(qos, row)
            self._class_maps(qos, row)
            qos.pfc = self._pfc(port, row, begin)
        if self._has_bindings or WATCHDOG in self.space:
            qos.watchdog = self._watchdog(port, row, begin)
        return qos

    @property
    def _has_bindings(self) -> bool:
        """Whether the bindings of ports are known. An empty table is not saved: in a whole
        configuration with maps, its absence means that nothing is bound.
        """
        return TABLE in self.space or ("PORT" in self.space and DSCP_TC.table in self.space)

    def _classify(self, qos: PortQos, row: Row) -> None:
        dscp = self.space.refer(row, "dscp_to_tc_map", DSCP_TC.kind)
        pcp = self.space.refer(row, "dot1p_to_tc_map", PCP_TC.kind)
        if dscp or pcp:
            trust = Trust.BOTH if dscp and pcp else Trust.DSCP if dscp else Trust.PCP
            position = dscp.position if dscp else pcp.position
            classifier = Value(self.maps.classifier(dscp.value, pcp.value), position)
            put(qos, trust=Value(trust, position), classifier=classifier)
            if pcp:
                put(qos, default_pcp=self.space.reading.default(defaults.UNTAGGED_PCP))
        elif not self.global_map:
            put(qos, trust=self.space.reading.default(defaults.NOT_TRUSTED))
            put(qos, default_tc=self.space.reading.default(defaults.DEFAULT_TC))

    def _class_maps(self, qos: PortQos, row: Row) -> None:
        found = [self.space.refer(row, name, table.kind) for name, table in CLASS_MAPS.items()]
        names = ClassMaps(*(each.value for each in found))
        position = next((each.position for each in found[:3] if each.position), 0)
        put(qos, forwarding=Value(self.maps.forwarding(names, qos.at[""]), position))
        rewrite = self.space.refer(row, "tc_to_dscp_map", TC_DSCP.kind)
        put(qos, rewrite=rewrite.map(self.space.label))
        self.space.refer(row, "scheduler", "scheduler")

    def _pfc(self, port: Interface, row: Row, begin: int) -> PfcConfig:
        """`pfc_enable` sends and honours PFC; with `pfc_asym` a port honours every priority."""
        enabled = self.space.default(_priorities(row, "pfc_enable"), defaults.NO_PFC)
        asymmetric = self.space.row("PORT", port.name).one_of("pfc_asym", ON_OFF)
        everything = Value(frozenset(PRIORITIES), asymmetric.position)
        return self.space.reading.build(
            PfcConfig,
            begin,
            mode=enabled.map(lambda some: PfcMode.ON if some else PfcMode.OFF),
            generate=enabled,
            honour=everything if asymmetric.value else enabled,
            dcbx=self.space.reading.default(defaults.NO_DCBX),
        )

    def _watchdog(self, port: Interface, row: Row, begin: int) -> PfcWatchdog | None:
        """Watchdog of a port with a row in PFC_WD and priorities in pfcwd_sw_enable.

        If the device starts the watchdog by default (default_pfcwd_status), the absence of all rows
        is inconclusive: they may have been written after the file was saved. A row for any port
        shows that they have been written.
        """
        priorities = _priorities(row, "pfcwd_sw_enable")
        if TABLE in self.space:
            priorities = self.space.default(priorities, defaults.NO_WATCHED_PRIORITY)
        watchdog = self.watchdogs.get(port.name)
        if watchdog is None:
            written = any(name != WATCHDOG_GLOBAL for name in self.watchdogs)
            own = self.space.metadata
            if self.device.partial or (
                not written and own.one_of("default_pfcwd_status", ENABLE).value
            ):
                return None
            return self.space.reading.build(
                PfcWatchdog,
                begin,
                enabled=self.space.reading.default(defaults.NOT_WATCHED),
                priorities=priorities,
            )
        detection = _time(watchdog, "detection_time")
        # orchagent refuses a row without the time: "detection_time missing".
        enabled = Value(detection.position > 0, watchdog.position)
        if priorities.value is not None and not priorities.value:
            enabled = Value(False, priorities.position)
        made = self.space.reading.build(
            PfcWatchdog,
            watchdog.position,
            enabled=enabled if priorities.value is not None else Value(None),
            polling_ms=self.polling,
            detection_ms=detection,
            restoration_ms=_time(watchdog, "restoration_time"),
            action=self.space.default(watchdog.one_of("action", ACTIONS), defaults.WATCHDOG_ACTION),
            priorities=priorities,
        )
        if row.parts and not made.stated("priorities"):
            made.at[Home("priorities")] = row.position
        return made


def read_port_qos(space: Namespace, device: Device, maps: Maps) -> None:
    """Set the PortQos of every port, and the device-wide QoS."""
    rows: dict[str, Row] = {}
    for name, _, row in space.port_rows(TABLE):
        port = port_of(space, device, name, row)
        if port is not None and port.kind in (InterfaceKind.LAG, InterfaceKind.VLAN):
            message = f"{TABLE}|{row.key[:64]}: QoS is bound to member ports, never to {name[:64]}"
            space.reading.bad(message, row.position)
        if name in rows:
            message = f"{TABLE}|{row.key[:64]}: {name[:64]} has another row before this one"
            space.reading.note(NoteKind.DUPLICATE, message, row.position)
        rows[name] = row
    global_row = rows.get(GLOBAL) or Row(TABLE, GLOBAL)
    global_map = bool(space.refer(global_row, "dscp_to_tc_map", DSCP_TC.kind))
    watchdogs = {name: row for name, _, row in space.port_rows(WATCHDOG)}
    for name, row in watchdogs.items():
        port_of(space, device, name, row)
    common = watchdogs.get(WATCHDOG_GLOBAL) or Row(WATCHDOG, WATCHDOG_GLOBAL)
    polling = _time(common, "POLL_INTERVAL")
    if common.parts:
        watchdog = space.reading.build(PfcWatchdog, common.position, polling_ms=polling)
        device.system.watchdog = watchdog
        put(device.system, pfc_killed=common.one_of("BIG_RED_SWITCH", ENABLE))
    reader = PortQosReader(space, device, maps, rows, watchdogs, global_map, polling)
    names = space.rows("PORT") or device.interfaces
    for name in names:
        port = device.interfaces[name]
        own_row = port.kind is InterfaceKind.INTERNAL and name in rows
        if port.kind is InterfaceKind.PHYSICAL or own_row:
            port.qos = reader.read(port)


def _time(row: Row, name: str) -> Value[float]:
    return row.integer(name, 0, LONGEST_MS, "a time in milliseconds").map(real)


def _priorities(row: Row, name: str) -> Value[frozenset[int]]:
    """A list such as `3,4`; blanks in it are noted, a wrong number makes it unknown."""
    value = row.convert(name, _read_priorities, "a list of priorities such as 3,4")
    if value.value is None:
        return Value(None, value.position)
    numbers, blanks = value.value
    if blanks:
        message = "blanks in the list: the device's own models refuse it"
        row.complain(name, message, value.position, NoteKind.LEXICAL)
    return Value(numbers, value.position)


@lru_cache(maxsize=256)
def _read_priorities(text: str) -> tuple[frozenset[int], bool]:
    """The numbers of a list (ValueError: it is not one), and whether there are blanks in it."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    numbers = frozenset(whole(part) for part in parts)
    if not numbers <= set(PRIORITIES):
        raise ValueError(text)
    return numbers, " " in text.strip()
