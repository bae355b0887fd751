"""What the mode of a port makes of the priorities that are named lossless for it."""

from __future__ import annotations

from roce_lint.model.qos import PfcMode
from roce_lint.nos.reading import ABSENT, Value


def paused_priorities(mode: Value[PfcMode], named: Value[frozenset[int]]) -> Value[frozenset[int]]:
    """Priorities that a port pauses: the named ones with PFC on, none with PFC off.

    Not known where the neighbour has a say in it.
    """
    if mode.value is PfcMode.ON:
        return named
    return Value(frozenset(), mode.position) if mode.value is PfcMode.OFF else ABSENT
