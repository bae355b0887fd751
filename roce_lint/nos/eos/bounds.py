"""What Arista EOS refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, Words, table

_PAGE = "docs/nos/eos.md#what-the-device-refuses"

_NO_ECN = "the queue keeps the thresholds it had; where it had none, it does not mark"

LIMITS = table(
    Bounds(
        "watchdog timeout",
        0.01,
        60,
        _PAGE,
        "seconds",
        instead="no time is set: the watchdog watches nothing here",
    ),
    Bounds("watchdog recovery-time", 0.01, 60, _PAGE, "seconds"),
    Bounds(
        "watchdog polling-interval",
        0.005,
        30,
        _PAGE,
        "seconds",
        instead="the platform polls in an interval of its own choice",
    ),
    Bounds("traffic class", 0, 7, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="no priority is paused by the line"),
    Bounds("CoS", 0, 7, _PAGE),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("max-mark-probability", 1, 100, _PAGE, "percent", instead=_NO_ECN),
    Bounds("weight", 0, 15, _PAGE, instead=_NO_ECN),
    Words(
        "watchdog action",
        ("drop", "notify-only", "errdisable"),
        _PAGE,
        instead="the action stays what it was, errdisable where nothing else was set",
    ),
    Bounds("queue", 0, 7, _PAGE),
    Bounds(
        "ECN threshold",
        1,
        256000000,
        _PAGE,
        instead=_NO_ECN,
    ),
    Bounds(
        "mtu",
        68,
        65535,
        _PAGE,
        "bytes",
        instead="the MTU stays what it was, 1500 bytes where nothing else was set",
    ),
)
"""By the name of the setting, as the readers call it."""
