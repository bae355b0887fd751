"""PFC, link pause and the PFC watchdog: of a port, and the watchdog's global lines."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog, WatchdogAction
from roce_lint.nos.nxos import defaults
from roce_lint.nos.nxos.defaults import CONFIG
from roce_lint.nos.nxos.ports import HIGHEST_MULTIPLIER, Lines, watchdog_line
from roce_lint.nos.quantities import whole
from roce_lint.nos.reading import ABSENT, Reading, Value
from roce_lint.nos.stanzas import first, last_line, value_in_force
from roce_lint.text.numbers import real


@dataclass(slots=True)
class Watchdog:
    """The watchdog's global lines; times in milliseconds."""

    enabled: Value[bool]
    interval: Value[float]
    shutdown: Value[int] = ABSENT  # multiplier of the interval until a queue counts as stuck
    restore: Value[int] = ABSENT  # multiplier of the interval until it is restored

    def times(self, multiplier: Value[int]) -> Value[float]:
        """The interval times a multiplier, at the line of the multiplier; unknown without one."""
        interval = self.interval.value
        if interval is None:
            return ABSENT
        return multiplier.map(lambda count: count * interval)


def pfc_config(reading: Reading, lines: Lines, priorities: Value[frozenset[int]]) -> PfcConfig:
    """PFC of a port. `priorities` are the no-drop priorities of the network-qos policy."""
    mode = first(lines.pfc_mode, reading.default(defaults.PFC_AUTO))
    sent: Value[frozenset[int]] = ABSENT  # auto: the DCBX result is not in a configuration
    if mode.value is PfcMode.ON:
        sent = priorities
    elif mode.value is PfcMode.OFF:
        sent = Value(frozenset(), mode.position)
    advertises = mode.map(lambda known: known is PfcMode.AUTO or bool(lines.send_tlv.value))
    silent = next((lldp for lldp in (lines.lldp_tx, lines.lldp_rx) if lldp.value is False), ABSENT)
    if silent and mode.value is PfcMode.AUTO:
        sent = Value(frozenset(), silent.position)  # no peer to negotiate with
    if lines.lldp_tx.value is False:
        advertises = lines.lldp_tx
    off = reading.default(defaults.LINK_PAUSE_OFF)
    return reading.build(
        PfcConfig,
        lines.begin,
        mode=mode,
        generate=sent,
        honour=sent,
        advertises=advertises,
        dcbx=silent.map(lambda _: "off") if silent else lines.dcbx,
        link_pause_rx=first(lines.pause_rx, off),
        link_pause_tx=first(lines.pause_tx, off),
    )


def port_watchdog(reading: Reading, lines: Lines, system: Watchdog) -> PfcWatchdog:
    """The watchdog of a port; its times come from the global lines."""
    line = lines.watchdog
    multiplier = system.shutdown
    if line.value is not None and line.value.multiplier is not None:
        multiplier = Value(line.value.multiplier, line.position)
    action: Value[WatchdogAction] = reading.default(defaults.WATCHDOG_DROPS)
    if line.value is not None and line.value.disable_action:
        action = Value(WatchdogAction.ALERT, line.position)
    return reading.build(
        PfcWatchdog,
        lines.begin,
        enabled=first(
            line.map(lambda stated: stated.enabled), reading.default(defaults.WATCHDOG_OFF)
        ),
        polling_ms=system.interval,
        detection_ms=system.times(multiplier),
        restoration_ms=system.times(system.restore),
        action=action,
    )


def read_watchdog(reading: Reading) -> Watchdog:
    """The global lines of the PFC watchdog."""
    switch = last_line(reading, CONFIG, "watchdog")
    enabled: Value[bool] = ABSENT
    if switch is not None:
        line = watchdog_line(switch, value_in_force(switch, "watchdog", "no_watchdog"))
        enabled = line.map(lambda stated: stated.enabled)
    return Watchdog(
        first(enabled, reading.default(defaults.WATCHDOG_OFF)),
        first(
            _number(reading, "watchdog_interval", "interval", 100, 1000).map(real),
            reading.default(defaults.WATCHDOG_INTERVAL),
        ),
        _number(reading, "watchdog_shutdown", "multiplier", 1, 10),
        _number(reading, "watchdog_restore", "multiplier", 0, HIGHEST_MULTIPLIER),
    )


def _number(reading: Reading, group: str, name: str, low: int, high: int) -> Value[int]:
    reader = last_line(reading, CONFIG, group)
    if reader is None:
        return ABSENT
    return whole(reader, reader.text(name), high, group.replace("_", " "), low)
