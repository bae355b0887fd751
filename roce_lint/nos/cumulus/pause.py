"""PFC, link pause and the PFC watchdog of a port."""

from __future__ import annotations

from collections.abc import Hashable

from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog
from roce_lint.nos.cumulus.defaults import (
    CABLE,
    GLOBAL,
    NO_PFC_TLV,
    NO_PRIORITY,
    NOT_WATCHED,
    OBEYS_ALL,
    PAUSE_DIRECTION,
    PFC_DIRECTION,
    POLLING,
    RESTORED,
    ROBUSTNESS,
    WATCHDOG_DROPS,
    Context,
)
from roce_lint.nos.cumulus.mapping import HIGHEST_PRIORITY
from roce_lint.nos.cumulus.statements import View
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.text.numbers import real

LONGEST_CABLE_M = 100_000
MOST_POLLS = 1000


class PauseReader:
    """Builds PFC configurations, one for all ports with the same lines."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.made: dict[Hashable, PfcConfig] = {}
        base = context.base
        implied = base is not None and base.paused and base.paused_everywhere
        self.anywhere = bool(implied or context.chosen.line or context.profile("pfc", GLOBAL))
        """Whether PFC is set by lines that belong to no port, so that ports can share it."""

    def read(self, port: View, bound: dict[str, Value[str]], begin: int) -> PfcConfig | None:
        """PFC and link pause in effect on one port; None if nothing is known."""
        profile, pause = bound["pfc"], bound["link-pause"]
        tlv = port.switch("lldp", "dcbx-pfc-tlv")
        own = port.word("storage-optimized")
        old = Value("pfc", own.position) if own.value == "pfc" else ABSENT
        key = (profile, pause, tlv, old, 0 if self.anywhere else begin)
        known = self.made.get(key)
        if known is None:
            made = self._pfc(profile, pause, old, begin)
            if made is None:
                return None
            _state(made, "advertises", tlv if tlv.position else self._default_tlv())
            known = self.made[key] = made
        return known

    def _default_tlv(self) -> Value[bool]:
        return self.context.reading.default(NO_PFC_TLV)

    def _pfc(
        self, profile: Value[str], pause: Value[str], old: Value[str], begin: int
    ) -> PfcConfig | None:
        context, reading = self.context, self.context.reading
        name = profile.value or GLOBAL
        view = context.profile("pfc", name)
        rx, tx = self._link_pause(pause)
        if name != GLOBAL and not view:
            return None  # a name that nothing defines
        base = context.base if name == GLOBAL else None
        implied = base.paused if base is not None else frozenset()
        if base is not None and not base.paused_everywhere and not old:
            implied = frozenset()
        if not view and not implied:
            if context.base is None:
                return None
            off = context.cite("pfc")
            return reading.build(
                PfcConfig,
                context.chosen.line or begin,
                mode=Value(PfcMode.OFF, off),
                generate=Value(frozenset(), off),
                honour=Value(frozenset(), off),
                link_pause_rx=rx,
                link_pause_tx=tx,
            )
        return self._on(view, implied, profile.position or old.position, (rx, tx))

    def _on(
        self,
        view: View,
        implied: frozenset[int],
        bound_at: int,
        pause: tuple[Value[bool], Value[bool]],
    ) -> PfcConfig:
        context, reading = self.context, self.context.reading
        stated = read_pause(view)
        if stated:
            priorities = Value(frozenset(stated), min(stated.values()))
        elif implied:
            priorities = Value(implied, context.cite("pfc"))
        else:
            priorities = reading.default(NO_PRIORITY)
        sends = _or(view.switch("tx"), reading.default(PFC_DIRECTION))
        obeys = _or(view.switch("rx"), reading.default(PFC_DIRECTION))
        made = reading.build(
            PfcConfig,
            view.begin or bound_at or context.chosen.line,
            mode=_mode(sends, obeys, bound_at or view.begin or context.chosen.line),
            generate=priorities if sends.value else Value(frozenset(), sends.position),
            honour=reading.default(OBEYS_ALL)
            if obeys.value
            else Value(frozenset(), obeys.position),
            named=Value(frozenset(stated), min(stated.values())) if stated else ABSENT,
            link_pause_rx=pause[0],
            link_pause_tx=pause[1],
            cable_m=self._cable(view, implied),
        )
        for priority, position in stated.items():
            made.at[priority] = position
        return made

    def _cable(self, view: View, implied: frozenset[int]) -> Value[float]:
        context = self.context
        stated = view.integer("cable-length", low=1, high=LONGEST_CABLE_M)
        if not stated.position and implied:  # releases 5.0 to 5.2 had it elsewhere
            stated = context.qos.integer("roce", "cable-length", low=1, high=LONGEST_CABLE_M)
        if stated.position:
            return stated.map(real)
        if implied and context.base is not None:
            return Value(context.base.cable_m, context.cite("cable"))
        return context.reading.default(CABLE)

    def _link_pause(self, bound: Value[str]) -> tuple[Value[bool], Value[bool]]:
        """802.3x pause, receive and send; both off without a profile."""
        view = self.context.profile("link-pause", bound.value or GLOBAL)
        if not view:
            return ABSENT, ABSENT
        unsaid = self.context.reading.default(PAUSE_DIRECTION)
        read_pause(view)
        return _or(view.switch("rx"), unsaid), _or(view.switch("tx"), unsaid)


def read_pause(view: View) -> dict[int, int]:
    """Read a PFC or link-pause profile; returns its priorities with their lines.

    Thresholds are in bytes, and absent if the switch computes them.
    """
    for word in ("port-buffer", "xoff-threshold", "xon-threshold"):
        view.integer(word)
    view.integer("cable-length", low=1, high=LONGEST_CABLE_M)
    view.switch("tx")
    view.switch("rx")
    return view.integers("switch-priority", HIGHEST_PRIORITY)


class WatchdogReader:
    """Builds watchdogs, one for all ports with the same lines."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.made: dict[Hashable, PfcWatchdog] = {}
        view = context.qos.get("pfc-watchdog")
        reading = context.reading
        polling = view.integer("polling-interval", high=1 << 20)
        polls = view.integer("robustness", high=MOST_POLLS)
        self.polling = _or(polling.map(real), reading.default(POLLING))
        self.detection = reading.default(ROBUSTNESS)
        if polling.position or polls.position:
            times = polls.value if polls.value is not None else 3
            self.detection = Value(
                (self.polling.value or 0) * times, polls.position or polling.position
            )
        self.restoration = self.polling if polling.position else reading.default(RESTORED)

    def read(self, port: View, begin: int) -> PfcWatchdog:
        """The watchdog of one port."""
        reading = self.context.reading
        stated = port.get("qos", "pfc-watchdog").enabled()
        enabled = _or(stated, reading.default(NOT_WATCHED))
        key = (enabled, begin if not stated.position else 0)
        known = self.made.get(key)
        if known is None:
            times = (
                {
                    "polling_ms": self.polling,
                    "detection_ms": self.detection,
                    "restoration_ms": self.restoration,
                    "action": reading.default(WATCHDOG_DROPS),
                }
                if enabled.value
                else {}
            )
            known = self.made[key] = reading.build(
                PfcWatchdog, stated.position or begin, enabled=enabled, **times
            )
        return known


def _mode(sends: Value[bool], obeys: Value[bool], place: int) -> Value[PfcMode]:
    """On or off; unknown if PFC acts in one direction only."""
    if sends.value and obeys.value:
        return Value(PfcMode.ON, place)
    return Value(None) if sends.value or obeys.value else Value(PfcMode.OFF, sends.position)


def _or(stated: Value[bool] | Value[float], default: Value[bool] | Value[float]) -> Value[bool]:
    """The stated value, even if wrong, else the default."""
    return stated if stated.position else default  # type: ignore[return-value]


def _state(made: PfcConfig, name: str, value: Value[bool]) -> None:
    setattr(made, name, value.value)
    if value.position:
        made.at[name] = value.position
