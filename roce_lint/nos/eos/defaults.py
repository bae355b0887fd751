"""Defaults of EOS with their sources in docs/nos/eos.md, and the shared state of the readers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import HeadroomModel, PfcMode, SchedulerKind, Trust, WatchdogAction
from roce_lint.nos.base import Default
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.text.source import Confidence, LineState

_PAGE = "docs/nos/eos.md#"
_UNCONFIRMED = Confidence.UNCONFIRMED

# Ports.
ENABLED = Default(True, "EOS default: interfaces are up", _PAGE + "ports")
SWITCHED = Default(False, "EOS default: ports and channels are switched", _PAGE + "ports")
ACCESS_VLAN = Default(1, "EOS default: access VLAN 1", _PAGE + "ports")
NATIVE_VLAN = Default(1, "EOS default: native VLAN 1", _PAGE + "ports")
ALLOWED_VLANS = Default(
    frozenset(range(1, 4095)), "EOS default: a trunk carries VLANs 1-4094", _PAGE + "ports"
)

# MTU.
MTU_ROUTED = Default(1500, "EOS default: IP MTU 1500", _PAGE + "how-mtu-is-counted")
MTU_SWITCHED = Default(
    9214,
    "EOS switches frames up to the hardware maximum whatever `mtu` says",
    _PAGE + "how-mtu-is-counted",
    _UNCONFIRMED,  # 9214 is the most common maximum; 9212 and 9194 exist
)

# Trust and maps.
TRUST_ROUTED = Default(
    Trust.DSCP, "EOS default: a routed port trusts DSCP", _PAGE + "trust-and-maps"
)
TRUST_SWITCHED = Default(
    Trust.PCP, "EOS default: a switched port trusts CoS", _PAGE + "trust-and-maps"
)
PORT_COS = Default(0, "EOS default: packets without a tag have CoS 0", _PAGE + "trust-and-maps")
DSCP_MAP = Default(
    tuple((1, 0, 2, 3, 4, 5, 6, 7)[dscp >> 3] for dscp in range(64)),
    "EOS default DSCP map (DSCP 0-7 to class 1, 8-15 to class 0, then DSCP >> 3)",
    _PAGE + "trust-and-maps",
)
COS_MAP = Default(
    (1, 0, 2, 3, 4, 5, 6, 7),
    "EOS default CoS map (CoS 0 to class 1, CoS 1 to class 0, then the same number)",
    _PAGE + "trust-and-maps",
)
ONE_MAP = Default(
    "qos map", "EOS has one set of maps, in force on every port", _PAGE + "trust-and-maps"
)
QUEUE_MAP = Default(
    tuple(range(8)), "EOS default: traffic class N leaves by queue N", _PAGE + "trust-and-maps"
)
QUEUE_MAP_LOW = Default(
    tuple(range(8)),
    "EOS default: traffic class N leaves by queue N (classes 0 and 1 may be swapped)",
    _PAGE + "trust-and-maps",
    _UNCONFIRMED,
    among=frozenset((0, 1)),
)
REWRITE_OFF = Default(
    False, "EOS default: no DSCP rewrite without `qos rewrite dscp`", _PAGE + "trust-and-maps"
)

# PFC.
PFC_OFF = Default(PfcMode.OFF, "EOS default: priority flow control is off", _PAGE + "pfc")
NO_PRIORITY = Default(frozenset(), "EOS default: no priority is no-drop", _PAGE + "pfc")
PFC_NOT_KILLED = Default(False, "EOS default: no `priority-flow-control all off`", _PAGE + "pfc")
PFC_PRIORITY = Default(
    tuple(range(8)), "EOS: the PFC priority of a traffic class has its number", _PAGE + "pfc"
)
PRIORITY_GROUP = Default(
    tuple(range(8)),
    "EOS: a traffic class has a priority group of its own",
    _PAGE + "pfc",
    _UNCONFIRMED,
)
DCBX_OFF = Default("off", "EOS default: DCBX is off", _PAGE + "pfc")
LINK_PAUSE_OFF = Default(False, "EOS default: 802.3x flow control is off", _PAGE + "pfc")
HEADROOM = Default(
    HeadroomModel.PLATFORM, "EOS gives no-drop priorities their headroom itself", _PAGE + "pfc"
)

# Watchdog.
WATCHDOG_IDLE = Default(
    False,
    "EOS: the watchdog watches nothing until a timeout is set",
    _PAGE + "watchdog",
    _UNCONFIRMED,
)
WATCHDOG_ACTION = Default(
    WatchdogAction.ERRDISABLE, "EOS default: the watchdog disables the port", _PAGE + "watchdog"
)

# Queues.
STRICT = Default(
    SchedulerKind.STRICT, "EOS default: every queue is strict priority", _PAGE + "queues"
)
NO_ECN = Default(False, "EOS default: a queue does not mark ECN", _PAGE + "queues")
NO_WRED = Default(False, "EOS default: a queue has no WRED", _PAGE + "queues")
ALL_STRICT = Default("default", "EOS default: eight strict queues without ECN", _PAGE + "queues")

# Routing.
NO_FORWARDING = Default(
    frozenset[str](), "EOS default: it does not route without `ip routing`", _PAGE + "routing"
)
LLDP_ON = Default(True, "EOS default: LLDP is on", _PAGE + "routing", _UNCONFIRMED)
MAX_PATHS = Default(1, "EOS default: BGP uses one path", _PAGE + "routing")
NO_OWN_AS = Default(
    0, "BGP refuses a route whose path holds the own AS (RFC 4271, 9.1.2)", _PAGE + "routing"
)

DEFAULTS = tuple(entry for entry in list(vars().values()) if isinstance(entry, Default))


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

    def bad(self, message: str, position: int) -> None:
        """Note a line with an invalid value."""
        self.reading.note(NoteKind.BAD_VALUE, message, position)
