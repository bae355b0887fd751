"""`priority-flow-control` lines taken apart: the mode of a port, and its watchdog."""

from __future__ import annotations

from dataclasses import dataclass

from roce_lint.model.qos import PfcMode
from roce_lint.nos.nxos.bounds import LIMITS
from roce_lint.nos.nxos.stanzas import options, whole
from roce_lint.nos.reading import ABSENT, Reader, Value

PFC_MODES = {"on": PfcMode.ON, "off": PfcMode.OFF, "auto": PfcMode.AUTO}

PFC = {**dict.fromkeys(PFC_MODES, 0), "send-tlv": 0}
"""Keywords of `priority-flow-control mode`, none with arguments."""

WATCHDOG = {"on": 0, "off": 0, "disable-action": 0, "interface-multiplier": 1}
"""Keywords of `priority-flow-control watch-dog-interval` and the number of their arguments."""

HIGHEST_MULTIPLIER = 100
"""No multiplier of the watchdog goes beyond."""


@dataclass(slots=True, frozen=True)
class WatchdogLine:
    """What a `watch-dog-interval` line says."""

    enabled: bool | None
    disable_action: bool = False  # only log
    multiplier: int | None = None  # of the interval, on this port; None: the global one


def pfc_line(reader: Reader, line: Value[str]) -> tuple[Value[PfcMode], Value[bool]]:
    """Mode, and whether the port advertises it regardless, of `priority-flow-control mode`."""
    if not line:
        return ABSENT, ABSENT
    words = options(reader.reading, line, PFC)
    mode = next((PFC_MODES[word] for word in words if word in PFC_MODES), None)
    return Value(mode, line.position), Value("send-tlv" in words, line.position)


def watchdog_line(reader: Reader, line: Value[str]) -> Value[WatchdogLine]:
    """A `watch-dog-interval` line taken apart."""
    if not line:
        return ABSENT
    if (line.value or "").split()[:1] and (line.value or "").split()[0] not in WATCHDOG:
        reader.reading.refuse(LIMITS["watch-dog-interval"], line.value or "", line.position)
        return Value(WatchdogLine(None), line.position)
    words = options(reader.reading, line, WATCHDOG)
    enabled = True if "on" in words else False if "off" in words else None
    given = words.get("interface-multiplier", ("0",))[0]
    multiplier = whole(
        reader, Value(given, line.position), HIGHEST_MULTIPLIER, "interface-multiplier"
    )
    return Value(
        WatchdogLine(enabled, "disable-action" in words, multiplier.value or None), line.position
    )
