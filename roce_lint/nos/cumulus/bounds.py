"""What Cumulus Linux refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refused import Bounds, table

_PAGE = "docs/nos/cumulus.md#what-the-device-refuses"

LIMITS = table(
    Bounds(
        "mtu",
        552,
        9216,
        _PAGE,
        "bytes",
        instead="the MTU stays what it was, 9216 bytes where nothing else was set",
    ),
    Bounds("switch-priority", 0, 7, _PAGE),
    Bounds("traffic-class", 0, 7, _PAGE),
    Bounds("probability", 0, 100, _PAGE, "percent"),
    Bounds("memory-percent", 1, 100, _PAGE),
    Bounds("bw-percent", 0, 100, _PAGE),
    Bounds("cable-length", 1, 100000, _PAGE, "m"),
)
"""By the name of the setting, as the readers call it."""
