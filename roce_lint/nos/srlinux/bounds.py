"""What SR Linux refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

_PAGE = "docs/nos/srlinux.md#what-the-device-refuses"

BOOLEANS = _PAGE
"""Who says which words a switch of the models takes."""

LIMITS = table(
    Bounds("pfc-pause-frame-priority", 0, 7, _PAGE),
    Bounds("detection-timer", 10, 1500, _PAGE, "ms"),
    Bounds("recovery-timer", 100, 1500, _PAGE, "ms"),
    Bounds("max-drop-probability-percent", 0, 100, _PAGE),
    Bounds("min-threshold-percent", 0, 100, _PAGE),
    Bounds("max-threshold-percent", 0, 100, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("mtu", 1280, 9500, _PAGE, "bytes"),
)
"""By the name of the setting, as the readers call it."""
