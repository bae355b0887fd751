"""What Dell OS10 refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

_PAGE = "docs/nos/os10.md#what-the-device-refuses"

LIMITS = table(
    Bounds("qos-group", 0, 7, _PAGE),
    Bounds("queue", 0, 7, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("dot1p", 0, 7, _PAGE),
    Bounds("bandwidth percent", 0, 100, _PAGE),
    Bounds("pfc-cos", 0, 7, _PAGE, instead="the class pauses nothing by the line"),
    Bounds("drop-probability", 0, 100, _PAGE, "percent"),
)
"""By the name of the setting, as the readers call it."""
