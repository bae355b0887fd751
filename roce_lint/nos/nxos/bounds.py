"""What Cisco NX-OS refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, Words, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/nxos.md#what-the-device-refuses"

LIMITS = table(
    Bounds(
        "MTU",
        576,
        9216,
        _PAGE,
        "bytes",
        instead="the MTU stays what it was, 1500 bytes where nothing else was set",
    ),
    Bounds(
        "class MTU",
        576,
        9216,
        _PAGE,
        "bytes",
        instead="the class MTU stays what it was, 1500 bytes where nothing else was set",
    ),
    Bounds("qos-group", 0, 7, _PAGE, instead="the class stays in qos-group 0"),
    Bounds("DSCP", 0, 63, _PAGE, instead="the class takes none of these packets by the line"),
    Bounds("CoS", 0, 7, _PAGE, instead="the class takes none of these packets by the line"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
    Bounds("priority level", 1, 8, _PAGE),
    Bounds("bandwidth percent", 0, 100, _PAGE),
    Bounds(
        "buffer-size",
        5000,
        268435456,
        _PAGE,
        "bytes",
        instead="the platform sizes the buffer of the class itself",
    ),
    Bounds("pfc-cos", 0, 7, _PAGE, instead="the line pauses no CoS"),
    Bounds("watchdog interval", 100, 1000, _PAGE, "ms", confidence=Confidence.UNCONFIRMED),
    Words(
        "watch-dog-interval",
        ("on", "off", "disable-action", "interface-multiplier"),
        _PAGE,
        instead="the watchdog stays as it was, off where nothing else was set",
    ),
)
"""By the name of the setting, as the readers call it."""
