"""`random-detect`, `afd` and `congestion-control`: ECN marking and early drop of a queue."""

from __future__ import annotations

from roce_lint.model.device import NoteKind
from roce_lint.model.qos import Marking, MarkingMode
from roce_lint.nos.nxos.stanzas import number, options, threshold
from roce_lint.nos.reading import ABSENT, Reader, Value
from roce_lint.text.numbers import real

RANDOM_DETECT = {
    "minimum-threshold": 2,
    "maximum-threshold": 2,
    "drop-probability": 1,
    "weight": 1,
    "threshold": 1,  # burst-optimized, mesh-optimized: the switch chooses the depths
    "cap-average": 0,
    "ecn": 0,
}
"""Keywords of a `random-detect` line and the number of their arguments."""

AFD = {"queue-desired": 2, "ecn": 0}
"""Keywords of an `afd` line (approximate fair drop)."""


def early_detection(
    reader: Reader, line: Value[str], ecn_line: Value[str] = ABSENT
) -> Marking | None:
    """What a `random-detect` line, or the same under congestion-control, does; None: nothing.

    `ecn_line` is an `ecn` that stands on a line of its own.
    """
    words = (line.value or "").split(None, 1)
    if not words or words[0] != "random-detect":
        return None  # tail-drop
    given = options(
        reader.reading, Value(words[1] if words[1:] else "", line.position), RANDOM_DETECT
    )
    kmin = threshold(reader.reading, given.get("minimum-threshold"), line.position)
    kmax = threshold(reader.reading, given.get("maximum-threshold"), line.position)
    static = "minimum-threshold" in given or "maximum-threshold" in given
    ecn = "ecn" in given
    decides = ecn_line.position if ecn_line and not ecn else line.position
    return reader.build(
        Marking,
        ecn=Value(ecn or bool(ecn_line), decides),
        wred_drop=Value(not (ecn or ecn_line), decides),
        mode=Value(MarkingMode.STATIC if static else MarkingMode.PLATFORM, line.position),
        kmin=kmin,
        kmax=kmax,
        pmax_percent=_percent(reader, given.get("drop-probability"), line.position),
        averaged_over=_weight(given.get("weight"), line.position),
    )


def fair_drop(reader: Reader, line: Value[str]) -> Marking:
    """What an `afd` line does: it marks or drops by flow, at depths the switch derives."""
    given = options(reader.reading, line, AFD)
    ecn = "ecn" in given
    return reader.build(
        Marking,
        ecn=Value(ecn, line.position),
        wred_drop=Value(not ecn, line.position),
        mode=Value(MarkingMode.PLATFORM, line.position),
    )


def _weight(words: tuple[str, ...] | None, position: int) -> Value[int]:
    return Value(number(words[0]), position) if words else ABSENT


def _percent(reader: Reader, words: tuple[str, ...] | None, position: int) -> Value[float]:
    if not words:
        return ABSENT
    percent = number(words[0])
    if not reader.reading.takes("drop-probability", percent, position):
        return Value(None, position)
    if percent is None or percent > 100:
        message = f"drop-probability {words[0][:40]!r} is not a number from 0 to 100"
        reader.reading.note(NoteKind.BAD_VALUE, message, position)
        return Value(None, position)
    return Value(real(percent), position)
