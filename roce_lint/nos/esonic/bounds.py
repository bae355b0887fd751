"""What Enterprise SONiC refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, Words, table

_PAGE = "docs/nos/esonic.md#what-the-device-refuses"

LIMITS = table(
    Bounds(
        "detect-time", 100, 5000, _PAGE, "ms", instead="the port is watched with the default time"
    ),
    Bounds("restore-time", 100, 60000, _PAGE, "ms"),
    Bounds("weight", 1, 100, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("pfc-priority", 0, 7, _PAGE, instead="no priority is paused by the line"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    Words("watchdog action", ("drop", "forward", "alert"), _PAGE),
    Words(
        "cable-length",
        ("5m", "40m", "300m"),
        _PAGE,
        instead="the length stays what it was, 40 m where nothing else was set",
    ),
)
"""By the name of the setting, as the readers call it."""
