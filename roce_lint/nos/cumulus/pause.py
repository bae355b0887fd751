"""PFC, link pause and the PFC watchdog of a port."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog
from roce_lint.nos.cumulus import defaults
from roce_lint.nos.cumulus.context import Context
from roce_lint.nos.cumulus.mapping import HIGHEST_PRIORITY
from roce_lint.nos.cumulus.statements import GLOBAL, View
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
        if key not in self.made:
            made = self._pfc(profile, pause, old, begin)
            if made is None:
                return None
            sends = tlv.stated_or(self.context.reading.default(defaults.NO_PFC_TLV))
            made.advertises, made.at["advertises"] = sends
            self.made[key] = made
        return self.made[key]

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
        named = Value(frozenset(stated), min(stated.values())) if stated else ABSENT
        usual = (
            Value(implied, context.cite("pfc"))
            if implied
            else reading.default(defaults.NO_PRIORITY)
        )
        priorities = named.stated_or(usual)
        sends = view.switch("tx").stated_or(reading.default(defaults.PFC_DIRECTION))
        obeys = view.switch("rx").stated_or(reading.default(defaults.PFC_DIRECTION))
        made = reading.build(
            PfcConfig,
            view.begin or bound_at or context.chosen.line,
            mode=_mode(sends, obeys, bound_at or view.begin or context.chosen.line),
            generate=priorities if sends.value else Value(frozenset(), sends.position),
            honour=reading.default(defaults.OBEYS_ALL)
            if obeys.value
            else Value(frozenset(), obeys.position),
            named=named,
            link_pause_rx=pause[0],
            link_pause_tx=pause[1],
            cable_m=self._cable(view, implied),
        )
        made.at.update(stated.items())
        return made

    def _cable(self, view: View, implied: frozenset[int]) -> Value[float]:
        context = self.context
        stated = view.integer("cable-length", low=1, high=LONGEST_CABLE_M)
        if not stated.position and implied:  # releases 5.0 to 5.2 had it elsewhere
            stated = context.qos.integer("roce", "cable-length", low=1, high=LONGEST_CABLE_M)
        if not stated.position and implied and context.base is not None:
            return Value(context.base.cable_m, context.cite("cable"))
        return stated.map(real).stated_or(context.reading.default(defaults.CABLE))

    def _link_pause(self, bound: Value[str]) -> tuple[Value[bool], Value[bool]]:
        """802.3x pause, receive and send; both off without a profile."""
        view = self.context.profile("link-pause", bound.value or GLOBAL)
        if not view:
            return ABSENT, ABSENT
        unsaid = self.context.reading.default(defaults.PAUSE_DIRECTION)
        read_pause(view)
        return view.switch("rx").stated_or(unsaid), view.switch("tx").stated_or(unsaid)


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
        self.polling = polling.map(real).stated_or(reading.default(defaults.POLLING))
        self.detection = reading.default(defaults.ROBUSTNESS)
        if polling.position or polls.position:
            times = polls.value if polls.value is not None else 3
            lasting = (self.polling.value or 0) * times
            self.detection = Value(lasting, polls.position or polling.position)
        self.restoration = polling.map(real).stated_or(reading.default(defaults.RESTORED))

    def read(self, port: View, begin: int) -> PfcWatchdog:
        """The watchdog of one port."""
        reading = self.context.reading
        stated = port.get("qos", "pfc-watchdog").enabled()
        enabled = stated.stated_or(reading.default(defaults.NOT_WATCHED))
        key = (enabled, begin if not stated.position else 0)
        if key not in self.made:
            fields: dict[str, Value[Any]] = {}
            if enabled.value:
                fields = {"polling_ms": self.polling, "detection_ms": self.detection}
                fields["restoration_ms"] = self.restoration
                fields["action"] = reading.default(defaults.WATCHDOG_DROPS)
            place = stated.position or begin
            self.made[key] = reading.build(PfcWatchdog, place, enabled=enabled, **fields)
        return self.made[key]


def _mode(sends: Value[bool], obeys: Value[bool], place: int) -> Value[PfcMode]:
    """On or off; unknown if PFC acts in one direction only."""
    if sends.value and obeys.value:
        return Value(PfcMode.ON, place)
    return Value(None) if sends.value or obeys.value else Value(PfcMode.OFF, sends.position)
