"""PFC of CloudEngine switches: profiles, their use on ports, deadlock detection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog, WatchdogAction
from roce_lint.nos.quantities import number, read_numbers, upto, whole, write_ranges
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, first, last_of, line_of, records, stanzas, text_of
from roce_lint.nos.switch_ports import Port
from roce_lint.nos.vrp import defaults
from roce_lint.text.match import Record
from roce_lint.text.numbers import real

PROFILE = "pfc profile"

BUILTIN = "default"
"""Profile that `dcb pfc` without a name opens and `dcb pfc enable` applies."""

UNITS = 10
"""Default units of detection and recovery in a profile."""

T = TypeVar("T")

MODES = {"manual": PfcMode.ON, "auto": PfcMode.AUTO}
ACTIONS = {"discard": WatchdogAction.DROP, "forwarding": WatchdogAction.FORWARD}


@dataclass(slots=True)
class Profile:
    """The lossless priorities of a profile with their lines, and its units by priority."""

    priorities: Value[frozenset[int]]
    lines: dict[int, int] = field(default_factory=dict)
    detect: dict[int, Value[int]] = field(default_factory=dict)
    recover: dict[int, Value[int]] = field(default_factory=dict)


@dataclass(slots=True)
class Pause:
    """Device-wide PFC statements."""

    reading: Reading
    stated: bool = False  # a device-wide line configures PFC
    killed: Value[bool] = ABSENT
    profiles: dict[str, Profile] = field(default_factory=dict)
    interval: Value[int] = ABSENT  # milliseconds of a unit
    detect: Value[int] = ABSENT  # milliseconds
    recover: Value[int] = ABSENT
    action: Value[WatchdogAction] = ABSENT

    @classmethod
    def read(cls, reading: Reading, *, whole_file: bool) -> Pause:
        """All profiles and global lines.

        In a partial configuration (`whole_file` is False) a missing profile may be in the rest.
        """
        pause = cls(reading)
        pause._globals()
        found = stanzas(reading, records(reading, CONFIG, "pfc_profile"), _profile_name)
        three: Value[frozenset[int]] = reading.default(defaults.PRIORITY_3)
        reading.names.builtin(PROFILE, BUILTIN)
        if whole_file:
            pause.profiles[BUILTIN] = Profile(three, {3: three.position})
        for name, reader in found.items():
            pause.stated = True
            pause.profiles[name] = _profile(reader, name, three)
        return pause

    def of_port(self, port: Port) -> PfcConfig:
        """PFC in force on the port."""
        given: Value[str] = port.inherit(_applied_profile)
        off: Value[PfcMode] = self.reading.default(defaults.PFC_OFF)
        mode = Value(PfcMode.OFF, given.position) if given.position else off
        sent: Value[frozenset[int]] = Value(frozenset(), mode.position)
        known: Profile | None = None
        if given.value is not None:
            name, chosen = _words(given.value)
            mode = Value(MODES.get(chosen), given.position)
            port.refer(PROFILE, Value(name, given.position))
            known = self.profiles.get(name)
            sent = known.priorities if known is not None and mode.value is PfcMode.ON else ABSENT
        made = self.reading.build(
            PfcConfig,
            port.reader.begin,
            mode=mode,
            generate=sent,
            honour=sent,
            named=known.priorities if known is not None else ABSENT,
        )
        made.at |= known.lines.items() if known is not None else ()
        return made

    def watchdog(self, port: Port) -> PfcWatchdog:
        """Deadlock detection of the port: always on, with the times of its profile."""
        applied: Value[str] = port.inherit(_applied_profile)
        known = self.profiles.get(_words(applied.value or "")[0])
        return self.reading.build(
            PfcWatchdog,
            port.reader.begin,
            enabled=self.reading.default(defaults.DEADLOCK_ON),
            detection_ms=self._time(self.detect, known, known.detect if known else {}),
            restoration_ms=self._time(self.recover, known, known.recover if known else {}),
            action=self.action,
        )

    def _time(
        self, stated: Value[int], profile: Profile | None, units: dict[int, Value[int]]
    ) -> Value[float]:
        """Milliseconds of a period; unknown if the priorities of a profile have different ones."""
        if stated.position:
            return stated.map(real)
        default: Value[float] = self.reading.default(defaults.DEADLOCK_MS)
        lossless = profile.priorities.value if profile is not None else None
        given = [units[priority] for priority in sorted(lossless or ()) if priority in units]
        if not given:
            return first(self.interval.map(lambda each: float(each * UNITS)), default)
        left = UNITS if len(given) < len(lossless or ()) else given[0].value
        if {value.value for value in given} != {left} or left is None:
            return Value(None, given[0].position)
        each = self.interval.value if self.interval.position else UNITS
        return Value(float(left * each) if each is not None else None, given[0].position)

    def _globals(self) -> None:
        self.killed = text_of(self.reading, "pfc_killed").map(lambda _: True)
        self.stated = bool(self.killed)
        self.interval = self._global("interval", lambda r, v: whole(r, v, 1000, "interval", 10))
        self.detect = self._global("timer", lambda r, v: whole(r, v, 1500, "timer", 10))
        self.recover = self._global("recovery", lambda r, v: whole(r, v, 1500, "timer"))
        self.action = self._global(
            "behavior", lambda r, v: r.convert(v, ACTIONS.__getitem__, "discard or forwarding")
        )

    def _global(self, name: str, parse: Callable[[Reader, Value[str]], Value[T]]) -> Value[T]:
        line = line_of(self.reading, name)
        self.stated |= bool(line.begin)
        return parse(line, line.word(name))


def _profile_name(record: Record) -> str:
    """Profile name; `dcb pfc` alone is the profile `default`."""
    words = record.values["head"][0][0].split()
    return words[2] if len(words) > 2 else BUILTIN


def _profile(reader: Reader, name: str, three: Value[frozenset[int]]) -> Profile:
    """Priority 3, plus `priority` lines, minus `undo priority` lines."""
    reading = reader.reading
    reader.all("head")
    if name != BUILTIN:
        reading.names.define(PROFILE, name, reader.begin)
    made = Profile(three, {3: three.position})
    events = [(value, True) for value in reader.all("priority")]
    events += [(value, False) for value in reader.all("no_priority")]
    for value, adds in sorted(events, key=lambda event: event[0].position):
        text = value.map(write_ranges)
        listed = read_numbers(reading, text, upto(7), "a list of priorities", "priority")
        for priority in listed.value or ():
            if adds:
                made.lines[priority] = value.position
            else:
                made.lines.pop(priority, None)
    stated = sorted(line for line in made.lines.values() if line > 0)
    made.priorities = Value(frozenset(made.lines), stated[0] if stated else reader.begin)
    _times(reader, made)
    return made


def _times(reader: Reader, made: Profile) -> None:
    """Read `priority 3 deadlock-detect time 10 [deadlock-recovery time 15]`, and recovery alone."""
    given = (
        *zip(reader.all("detect_priority"), reader.all("detect"), strict=True),
        *zip(reader.all("recover_priority"), reader.all("recover"), strict=True),
    )
    for priority, text in given:
        words = (text.value or "").split()
        units = {
            words[0]: words[2] if len(words) > 2 else "",
            **({words[3]: words[5]} if len(words) > 5 else {}),
        }
        for word, found in (("deadlock-detect", made.detect), ("deadlock-recovery", made.recover)):
            queue, amount = number(priority.value or ""), number(units.get(word, ""))
            if word in units and (queue is None or amount is None):
                reader.bad(f"{text.value!r} is no time of deadlock detection", text.position)
            elif word in units and queue is not None:
                found[queue] = Value(amount, text.position)


def _applied_profile(reader: Reader) -> Value[str]:
    """Profile of `dcb pfc enable`; no value at the line of `undo dcb pfc enable`."""
    name, value = last_of(reader, "pfc", "pfc_bare", "no_pfc", reset=())
    if name == "no_pfc":
        return Value(None, value.position)
    return Value("", value.position) if name == "pfc_bare" else value


def _words(text: str) -> tuple[str, str]:
    """Profile and mode of `[PROFILE] [mode manual]`; the default mode is manual."""
    words = text.split()
    mode = words[words.index("mode") + 1] if "mode" in words[:-1] else "manual"
    name = words[0] if words and words[0] != "mode" else BUILTIN
    return name, mode
