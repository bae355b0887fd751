"""What Cumulus Linux refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

PAGE = "docs/nos/cumulus.md#what-the-device-refuses"

POOLS = "memory-percent of all pools"

LIMITS = table(
    Bounds(
        "mtu",
        552,
        9216,
        PAGE,
        "bytes",
        instead="the MTU stays what it was, 9216 bytes where nothing else was set",
    ),
    Bounds("switch-priority", 0, 7, PAGE),
    Bounds("traffic-class", 0, 7, PAGE),
    Bounds("dscp", 0, 63, PAGE),
    Bounds("pcp", 0, 7, PAGE),
    Bounds("robustness", 1, 1000, PAGE),
    Bounds("probability", 0, 100, PAGE, "percent"),
    Bounds("memory-percent", 1, 100, PAGE),
    Bounds(
        POOLS,
        0,
        100,
        PAGE,
        "percent",
        instead="the change is not applied: the pools stay what they were",
    ),
    Bounds("bw-percent", 0, 100, PAGE),
    Bounds("cable-length", 1, 100000, PAGE, "m"),
)
"""By the name of the setting, as the readers call it."""
