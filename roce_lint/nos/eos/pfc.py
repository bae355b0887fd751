"""Priority flow control and its watchdog, of ports and of the device."""

from __future__ import annotations

from collections.abc import Sequence

from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog, WatchdogAction
from roce_lint.nos.eos import defaults
from roce_lint.nos.eos.context import SOURCE, Context, word
from roce_lint.nos.eos.lines import AUTO, QosLines, parse_action, parse_value, seconds
from roce_lint.nos.reading import ABSENT, Reader, Value

DCBX = {"ieee": "ieee", "cee": "cee"}

MILLI = 1000.0


class Watchdog:
    """Device-wide lines of the PFC watchdog, and the watchdog of a port."""

    def __init__(self, context: Context) -> None:
        self.context = context
        stated = _global_times(context)
        self.times = {which: time for which, time in stated.items() if time}
        self.refused = stated.get("timeout", ABSENT).position if "timeout" not in self.times else 0
        self.action = _global_action(context, "watchdog_action")
        self.override = _global_action(context, "watchdog_override")
        self._shared: dict[tuple[int, ...], PfcWatchdog] = {}

    def of_device(self) -> PfcWatchdog | None:
        """The device-wide settings, if any line states one."""
        lines = [time.position for time in self.times.values()]
        lines += [action.position for action in (self.action, self.override) if action]
        if not lines:
            return None
        action = self.override or self.action or self.context.default(defaults.WATCHDOG_ACTION)
        return self.context.reading.build(
            PfcWatchdog, min(lines), action=action, **_milliseconds(self.times)
        )

    def of_port(self, begin: int, layers: Sequence[QosLines]) -> PfcWatchdog:
        """Watchdog of a port; ports without their own lines share the object."""
        speaking = [lines for lines in layers if lines.has_watchdog]
        key = tuple(id(lines) for lines in speaking)
        shared = all(lines.profile for lines in speaking) and bool(speaking or self.times)
        if shared and key in self._shared:
            return self._shared[key]
        settle, default = self.context.settle, self.context.default
        times: dict[str, Value[float]] = {
            which: settle(
                f"watchdog {which}",
                [lines.watchdog_times.get(which, ABSENT) for lines in speaking],
                self.times.get(which, ABSENT),
            )
            for which in ("timeout", "polling-interval", "recovery-time")
        }
        action = self.override or settle(
            "watchdog action",
            [lines.watchdog_action for lines in speaking],
            self.action or default(defaults.WATCHDOG_ACTION),
        )
        # The watchdog is on unless turned off, but has no effect without a timeout.
        enabled = settle(
            "watchdog", [lines.watchdog for lines in speaking], times["timeout"].map(lambda _: True)
        )
        refused = 0
        if enabled.value is not False and not times["timeout"]:
            stated = [lines.watchdog_times.get("timeout", ABSENT) for lines in speaking]
            refused = next((time.position for time in stated if time.position), self.refused)
            enabled = default(defaults.WATCHDOG_IDLE)
        if shared:
            lines = [value.position for value in self.times.values()]
            begin = speaking[0].begin if speaking else min(lines)
        made = self.context.reading.build(
            PfcWatchdog, begin, enabled=enabled, action=action, **_milliseconds(times)
        )
        if refused:  # EOS refuses the timeout: this line disables the watchdog
            made.at["detection_ms"] = refused
        chosen = [*(lines.watchdog_action for lines in speaking), self.action]
        if not any(chosen) and (wrong := max(each.position for each in chosen)) > 0:
            made.at["action"] = wrong  # an action that EOS refuses: the line is why none is chosen
        if shared:
            self._shared[key] = made
        return made


class Pfc:
    """Builds the PFC settings of ports; ports of one profile share the object."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._shared: dict[tuple[int, ...], PfcConfig] = {}

    def of_port(self, reader: Reader, layers: Sequence[QosLines]) -> PfcConfig:
        """PFC of the port whose stanza is `reader`."""
        speaking = [lines for lines in layers if lines.has_pfc]
        own = [reader.text("dcbx"), reader.text("pause_tx"), reader.text("pause_rx")]
        shared = bool(speaking) and all(lines.profile for lines in speaking) and not any(own)
        key = tuple(id(lines) for lines in speaking)
        if shared and key in self._shared:
            return self._shared[key]
        context = self.context
        modes = [lines.pfc.map(lambda on: PfcMode.ON if on else PfcMode.OFF) for lines in speaking]
        mode = context.settle("priority-flow-control", modes, context.default(defaults.PFC_OFF))
        named, dropped = self._priorities_named(speaking)
        active = _active(context, mode, named, dropped)
        dcbx, pause_tx, pause_rx = own
        made = context.reading.build(
            PfcConfig,
            speaking[0].begin if shared else reader.begin,
            mode=mode,
            generate=active,
            honour=active,
            named=None if named is None else frozenset(named),
            dcbx=_dcbx(context, dcbx),
            link_pause_tx=_pause(context, pause_tx),
            link_pause_rx=_pause(context, pause_rx),
        )
        made.at.update((priority, line) for priority, line in (named or {}).items())
        if shared:
            self._shared[key] = made
        return made

    def _priorities_named(
        self, layers: Sequence[QosLines]
    ) -> tuple[dict[int, int] | None, list[int]]:
        """Lines of no-drop priorities (None: they contradict each other), and of dropping ones."""
        found: dict[int, int] = {}
        dropped: list[int] = []
        for priority in sorted({priority for lines in layers for priority in lines.no_drop}):
            state = self.context.settle(
                f"priority-flow-control priority {priority}",
                [lines.no_drop.get(priority, ABSENT) for lines in layers],
                Value(value=False),
            )
            if state.value is None:
                return None, []
            if state.value:
                found[priority] = state.position
            elif state.position > 0:
                dropped.append(state.position)
        return found, dropped


def _active(
    context: Context, mode: Value[PfcMode], named: dict[int, int] | None, dropped: list[int]
) -> Value[frozenset[int]]:
    """Priorities with PFC in force: the no-drop priorities, if PFC is on."""
    if mode.value is PfcMode.OFF:
        return Value(frozenset(), mode.position)
    if mode.value is None or named is None:
        return ABSENT
    if not named:
        return Value(frozenset(), dropped[0]) if dropped else context.default(defaults.NO_PRIORITY)
    return Value(frozenset(named), min(named.values()))


def _dcbx(context: Context, value: Value[str]) -> Value[str]:
    if value.value is None or value.value.startswith("default"):
        return context.default(defaults.DCBX_OFF)
    if value.value.startswith("no"):
        return Value("off", value.position)
    return parse_value(context, value, DCBX.get, "a DCBX mode")


def _pause(context: Context, value: Value[str]) -> Value[bool]:
    """802.3x pause; `desired` is negotiated, hence unknown."""
    if value.value is None:
        return context.default(defaults.LINK_PAUSE_OFF)
    if value.value == "desired":
        return ABSENT
    return Value(value.value == "on", value.position)


def _milliseconds(times: dict[str, Value[float]]) -> dict[str, Value[float]]:
    return {
        field: times.get(which, ABSENT).map(lambda time: None if time == AUTO else time * MILLI)
        for field, which in (
            ("detection_ms", "timeout"),
            ("polling_ms", "polling-interval"),
            ("restoration_ms", "recovery-time"),
        )
    }


def _global_times(context: Context) -> dict[str, Value[float]]:
    found: dict[str, Value[float]] = {}
    groups = context.reading.groups
    events = [*groups(SOURCE, "watchdog_time"), *groups(SOURCE, "no_watchdog_time")]
    events.sort(key=lambda event: event.begin)
    last = {word(event, "which"): event for event in events}
    for which, event in last.items():
        text = word(event, "seconds")
        if text:
            found[which] = seconds(context, which, text, event.begin)
    context.settle_lines([each.begin for each in events], {each.begin for each in last.values()})
    return found


def _global_action(context: Context, group: str) -> Value[WatchdogAction]:
    event = context.last(group)
    return ABSENT if event is None else parse_action(context, event.text("action"))
