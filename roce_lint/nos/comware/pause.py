"""PFC of Comware switches, per device and port, and deadlock detection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from roce_lint.model.buffer import BufferPool, PoolUse
from roce_lint.model.device import NoteKind
from roce_lint.model.qos import PfcConfig, PfcMode, PfcWatchdog, WatchdogAction
from roce_lint.nos.comware import defaults
from roce_lint.nos.comware.maps import Entries
from roce_lint.nos.quantities import paused_priorities, read_numbers, upto, whole, write_ranges
from roce_lint.nos.reading import ABSENT, Reader, Reading, Value
from roce_lint.nos.stanzas import CONFIG, first, last_of, line_of, text_of
from roce_lint.nos.switch_ports import Port

MODES = {"enable": PfcMode.ON, "auto": PfcMode.AUTO}
ACTIONS = {"discard": WatchdogAction.DROP, "forwarding": WatchdogAction.FORWARD}

MOST_CELLS = 1 << 24
"""More cells than any device has; a larger number is a typing error."""

T = TypeVar("T")


@dataclass(slots=True)
class Pause:
    """Device-wide PFC statements."""

    reading: Reading
    whole_file: bool
    mode: Value[PfcMode] = ABSENT
    no_drop: Value[frozenset[int]] = ABSENT
    pools: dict[str, BufferPool] = field(default_factory=dict)
    watched: Value[frozenset[int]] = ABSENT  # priorities with a detection interval
    action: Value[WatchdogAction] = ABSENT

    @classmethod
    def read(cls, reading: Reading, local: Entries, *, whole_file: bool) -> Pause:
        """All global lines; lines missing from a partial configuration may be in the rest.

        `local` are the local precedences by priority.
        """
        pause = cls(reading, whole_file)
        pause.mode = line_of(reading, "system_pfc").text("pfc").map(MODES.get)
        pause.no_drop = _priorities(line_of(reading, "system_no_drop"))
        action, what = text_of(reading, "action"), "discard or forwarding"
        pause.action = reading.convert(action, ACTIONS.__getitem__, what)
        pause._pools()
        pause._read_watchdog(local)
        return pause

    @property
    def stated(self) -> bool:
        """True if a device-wide line configures PFC."""
        return bool(self.mode.position or self.no_drop.position or self.pools)

    def of_port(self, port: Port) -> PfcConfig:
        """PFC in force on the port."""
        own: Value[PfcMode] = port.inherit(_mode)
        mode = self._either(own, self.mode, "PFC")
        listed_: Value[frozenset[int]] = port.inherit(_priorities)
        named = self._either(listed_, self.no_drop, "the lossless priorities")
        if self.whole_file:
            mode = first(mode, self.reading.default(defaults.PFC_OFF))
            named = first(named, self.reading.default(defaults.NO_PRIORITY))
        sent = paused_priorities(mode, named)
        link = port.text("link_pause")
        made = self.reading.build(
            PfcConfig,
            port.reader.begin,
            mode=mode,
            generate=sent,
            honour=sent,
            link_pause_rx=link.map(lambda _: True),
            link_pause_tx=link.map(lambda line: line == "flow-control"),
            named=named if named.position > 0 else ABSENT,
        )
        if named.position > 0:
            made.at |= dict.fromkeys(named.value or (), named.position)
        return made

    def watchdog(self, port: Port) -> PfcWatchdog:
        """Deadlock detection of the port; the unit of its interval is not confirmed."""
        on: Value[bool] = port.reader.text("deadlock").map(lambda _: True)
        if not on.position and self.whole_file:
            on = self.reading.default(defaults.DEADLOCK_OFF)
        return self.reading.build(
            PfcWatchdog,
            port.reader.begin,
            enabled=on,
            priorities=self.watched if on.value else ABSENT,
            action=first(self.action, self.reading.default(defaults.DEADLOCK_FORWARDS)),
        )

    def _either(self, own: Value[T], system: Value[T], what: str) -> Value[T]:
        """The line of the port or device: the last typed is in force; their order is unknown."""
        if own.position and system.position and own.value != system.value:
            message = f"the device sets {what} differently: the line typed last is in force"
            self.reading.note(NoteKind.REMARK, message, own.position, system.position)
            return Value(None, own.position)
        return first(own, system)

    def _pools(self) -> None:
        for reader in self.reading.groups(CONFIG, "pool"):
            number = whole(reader, reader.text("pool"), 63, "poolid")
            cells = whole(reader, reader.text("headroom"), MOST_CELLS, "headroom")
            if number.value is not None:
                name = f"pool {number.value}"
                self.pools[name] = reader.build(
                    BufferPool, name=name, use=PoolUse.HEADROOM, headroom_cells=cells
                )

    def _read_watchdog(self, local: Entries) -> None:
        """Read lines that name a `cos`; its priority is certain if the mapping keeps its number."""
        found: set[int] = set()
        position, sure = 0, True
        for reader in self.reading.groups(CONFIG, "deadlock"):
            reader.text("interval")
            cos = whole(reader, reader.text("cos"), 7, "cos")
            if cos.value is not None:
                found.add(cos.value)
                position = position or cos.position
                sure = sure and local[cos.value].value == cos.value
        if found and sure:
            self.watched = Value(frozenset(found), position)


def _mode(reader: Reader) -> Value[PfcMode]:
    name, value = last_of(reader, "pfc", "no_pfc", reset=())
    if name == "no_pfc":
        return Value(PfcMode.OFF, value.position)
    return value.map(MODES.get)


def _priorities(reader: Reader) -> Value[frozenset[int]]:
    """The priorities of `priority-flow-control no-drop dot1p 3,5-6`; the last line is in force."""
    text = reader.text("no_drop").map(lambda words: write_ranges(words.partition(" ")[2].strip()))
    return read_numbers(reader.reading, text, upto(7), "a list of priorities", "dot1p")
