"""Defaults and bounds of EOS (docs/nos/eos.md), and the shared state of its readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import (
    HeadroomModel,
    PfcMode,
    SchedulerKind,
    ShareKind,
    Trust,
    WatchdogAction,
)
from roce_lint.model.units import ThresholdUnit
from roce_lint.nos.base import Offer, WatchdogOffer
from roce_lint.nos.declare import Default
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.refusals import Bounds, Words, bounds_in, table
from roce_lint.text.source import Confidence, LineState

_AT = "docs/nos/eos.md#"
_PORTS, _MAPS, _MTU = f"{_AT}ports", f"{_AT}trust-and-maps", f"{_AT}how-mtu-is-counted"
_PFC, _WATCHDOG, _QUEUES, _ROUTING = (_AT + h for h in ("pfc", "watchdog", "queues", "routing"))
_unsure = partial(Default, confidence=Confidence.UNCONFIRMED)

# Ports.
ENABLED = Default(True, "EOS default: interfaces are up", _PORTS)
SWITCHED = Default(False, "EOS default: ports and channels are switched", _PORTS)
ACCESS_VLAN = Default(1, "EOS default: access VLAN 1", _PORTS)
NATIVE_VLAN = Default(1, "EOS default: native VLAN 1", _PORTS)
ALLOWED_VLANS = Default(
    frozenset(range(1, 4095)), "EOS default: a trunk carries VLANs 1-4094", _PORTS
)

# MTU.
MTU_ROUTED = Default(1500, "EOS default: IP MTU 1500", _MTU)
# 9214 is the most common maximum; 9212 and 9194 exist.
MTU_SWITCHED = _unsure(
    9214, "EOS switches frames up to the hardware maximum whatever `mtu` says", _MTU
)

# Trust and maps.
TRUST_ROUTED = Default(Trust.DSCP, "EOS default: a routed port trusts DSCP", _MAPS)
TRUST_SWITCHED = Default(Trust.PCP, "EOS default: a switched port trusts CoS", _MAPS)
PORT_COS = Default(0, "EOS default: packets without a tag have CoS 0", _MAPS)
DSCP_MAP = Default(
    tuple((1, 0, 2, 3, 4, 5, 6, 7)[dscp >> 3] for dscp in range(64)),
    "EOS default DSCP map (DSCP 0-7 to class 1, 8-15 to class 0, then DSCP >> 3)",
    _MAPS,
)
COS_MAP = Default(
    (1, 0, 2, 3, 4, 5, 6, 7),
    "EOS default CoS map (CoS 0 to class 1, CoS 1 to class 0, then the same number)",
    _MAPS,
)
ONE_MAP = Default("qos map", "EOS has one set of maps, in force on every port", _MAPS)
QUEUE_MAP = Default(tuple(range(8)), "EOS default: traffic class N leaves by queue N", _MAPS)
QUEUE_MAP_LOW = _unsure(
    tuple(range(8)),
    "EOS default: traffic class N leaves by queue N (classes 0 and 1 may be swapped)",
    _MAPS,
    among=frozenset((0, 1)),
)
REWRITE_OFF = Default(False, "EOS default: no DSCP rewrite without `qos rewrite dscp`", _MAPS)

# PFC.
PFC_OFF = Default(PfcMode.OFF, "EOS default: priority flow control is off", _PFC)
NO_PRIORITY = Default(frozenset(), "EOS default: no priority is no-drop", _PFC)
PFC_NOT_KILLED = Default(False, "EOS default: no `priority-flow-control all off`", _PFC)
PFC_PRIORITY = Default(
    tuple(range(8)), "EOS: the PFC priority of a traffic class has its number", _PFC
)
PRIORITY_GROUP = _unsure(
    tuple(range(8)), "EOS: a traffic class has a priority group of its own", _PFC
)
DCBX_OFF = Default("off", "EOS default: DCBX is off", _PFC)
LINK_PAUSE_OFF = Default(False, "EOS default: 802.3x flow control is off", _PFC)
HEADROOM = Default(
    HeadroomModel.PLATFORM, "EOS gives no-drop priorities their headroom itself", _PFC
)

# Watchdog.
WATCHDOG_IDLE = _unsure(
    False, "EOS: the watchdog watches nothing until a timeout is set", _WATCHDOG
)
WATCHDOG_ACTION = Default(
    WatchdogAction.ERRDISABLE, "EOS default: the watchdog disables the port", _WATCHDOG
)

# Queues.
STRICT = Default(SchedulerKind.STRICT, "EOS default: every queue is strict priority", _QUEUES)
NO_ECN = Default(False, "EOS default: a queue does not mark ECN", _QUEUES)
NO_WRED = Default(False, "EOS default: a queue has no WRED", _QUEUES)
ALL_STRICT = Default("default", "EOS default: eight strict queues without ECN", _QUEUES)

# Routing.
NO_FORWARDING = Default(
    frozenset[str](), "EOS default: it does not route without `ip routing`", _ROUTING
)
LLDP_ON = _unsure(True, "EOS default: LLDP is on", _ROUTING)
MAX_PATHS = Default(1, "EOS default: BGP uses one path", _ROUTING)
NO_OWN_AS = Default(
    0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", _ROUTING
)

DEFAULTS = tuple(entry for entry in list(vars().values()) if isinstance(entry, Default))

# Documented bounds and word lists.

_PAGE = "docs/nos/eos.md#what-the-device-refuses"

_NO_ECN = "the queue keeps its thresholds; without any it has no ECN marking"

_seconds = partial(Bounds, source=_PAGE, unit="seconds")

LIMITS = table(
    _seconds("watchdog timeout", 0.01, 60, instead="no time is set: the watchdog is inactive here"),
    _seconds("watchdog recovery-time", 0.01, 60),
    _seconds(
        "watchdog polling-interval", 0.005, 30, instead="the platform chooses the polling interval"
    ),
    Bounds("traffic class", 0, 7, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="the line enables PFC for no priority"),
    Bounds("CoS", 0, 7, _PAGE),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("max-mark-probability", 1, 100, _PAGE, "percent", instead=_NO_ECN),
    Bounds("weight", 0, 15, _PAGE, instead=_NO_ECN),
    Words(
        "watchdog action",
        ("drop", "notify-only", "errdisable"),
        _PAGE,
        instead="the action is unchanged (errdisable by default)",
    ),
    Bounds("queue", 0, 7, _PAGE),
    Bounds("ECN threshold", 1, 256000000, _PAGE, instead=_NO_ECN),
    Bounds(
        "mtu", 68, 65535, _PAGE, "bytes", instead="the MTU is unchanged (1500 bytes by default)"
    ),
)
"""Limits by setting, as the readers name it."""


# Design settings; the sources are in docs/nos/eos.md.

_MS = 1000
"""Milliseconds of the time unit of the EOS watchdog."""


def _time(name: str) -> Bounds:
    limit = bounds_in(LIMITS, name)
    return replace(limit, low=limit.low * _MS, high=limit.high * _MS, unit="ms")


OFFER = Offer(
    port="Ethernet{n}/1",
    split="Ethernet{n}/{sublane}",
    loopback="Loopback0",
    splits_by_speed=True,
    classes=range(8),
    trust=Trust.DSCP,
    share_of=ShareKind.WEIGHT,
    unit=ThresholdUnit.BYTES,
    threshold=bounds_in(LIMITS, "ECN threshold"),
    pmax_percent=bounds_in(LIMITS, "max-mark-probability"),
    ip_mtu=bounds_in(LIMITS, "mtu"),
    watchdog=WatchdogOffer(
        polling_ms=_time("watchdog polling-interval"),
        detection_ms=_time("watchdog timeout"),
        restoration_ms=_time("watchdog recovery-time"),
        actions=frozenset({WatchdogAction.DROP, WatchdogAction.ALERT, WatchdogAction.ERRDISABLE}),
        source=_PAGE,
    ),
    headroom=HeadroomModel.PLATFORM,
    caps_in_percent=True,
    source="docs/nos/eos.md#names-of-ports-breakouts-and-lags",
)


# Shared state of the EOS reader: cited defaults, and the choice between two lines.

T = TypeVar("T")

SOURCE = "running-config"


def captured_values(reader: Reader, name: str) -> list[Value[str]]:
    """Captures of a line, not yet taken: their effect is known once all lines are read."""
    return [Value(text, position) for text, position in reader.record.values.get(name, ())]


def word(reader: Reader, name: str) -> str:
    """The only capture of a line, not yet taken; empty without one."""
    found = reader.record.values.get(name)
    return found[-1][0] if found else ""


@dataclass(slots=True)
class Context:
    """One device while it is read.

    `begin` is the position of objects without a line (platform defaults). `whole` is True when the
    files hold the whole configuration, so that an absent line means the default. `spelled` is True
    for `show running-config all`, where defaults are printed as lines.
    """

    reading: Reading
    begin: int = 0
    whole: bool = False
    spelled: bool = False
    model: Value[str] = ABSENT
    version: Value[str] = ABSENT

    def default(self, default: Default) -> Value[Any]:
        """A cited default."""
        return self.reading.default(default)

    def settle(self, what: str, stated: Iterable[Value[T]], default: Value[T]) -> Value[T]:
        """The value in force among several lines that set the same thing.

        A port, its profile, its channel and the channel's profile may all set it. EOS does not
        document which wins where they differ: the value is unknown and a note names both lines. In
        a file that prints defaults, a line with the default has no weight.
        """
        found = [value for value in stated if value.value is not None]
        if not found:
            return default
        first = found[0]
        if all(value.value == first.value for value in found):
            return first
        if self.spelled:
            found = [value for value in found if value.value != default.value]
            if all(value.value == found[0].value for value in found):
                return found[0]
        other = next(value for value in found if value.value != found[0].value)
        self.reading.note(
            NoteKind.CONFLICT,
            f"{what}: another line applies here too and says otherwise, "
            "and EOS does not document which of the two counts",
            found[0].position,
            beside=other.position,
        )
        return ABSENT

    def switch(self, *, on: str, off: str) -> Value[bool]:
        """True or False by the last line of two groups of device-wide lines."""
        lines = [(line, "on") for line in self.reading.groups(SOURCE, on)]
        lines += [(line, "off") for line in self.reading.groups(SOURCE, off)]
        if not lines:
            return ABSENT
        lines.sort(key=lambda entry: entry[0].begin)
        self.settle_lines([line.begin for line, _ in lines[:-1]], ())
        last, flag = lines[-1]
        return last.text(flag).map(lambda _: flag == "on")

    def settle_lines(self, lines: Iterable[int], alive: Collection[int]) -> None:
        """Mark lines in force as understood, and overruled lines as shadowed."""
        for position in lines:
            state = LineState.UNDERSTOOD if position in alive else LineState.SHADOWED
            self.reading.mark(position, state)

    def last(self, group: str) -> Reader | None:
        """The last device-wide line of one group, which is in force."""
        found = list(self.reading.groups(SOURCE, group))
        self.settle_lines([line.begin for line in found[:-1]], ())
        return found[-1] if found else None

    def refer(self, kind: str, name: Value[str]) -> None:
        """Record a reference to a named structure, if there is one."""
        if name.value is not None:
            self.reading.names.refer(kind, name.value, name.position)

    def bad(self, message: str, position: int) -> None:
        """Note a line with an invalid value."""
        self.reading.note(NoteKind.BAD_VALUE, message, position)
