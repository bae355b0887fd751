"""What Comware refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

_PAGE = "docs/nos/comware.md#what-the-device-refuses"

LIMITS = table(
    Bounds("cos", 0, 7, _PAGE, instead="the line pauses no priority"),
    Bounds("priority", 0, 7, _PAGE),
    Bounds("dscp", 0, 63, _PAGE),
    Bounds("dot1p", 0, 7, _PAGE, instead="no priority is paused by the line"),
    Bounds("lp", 0, 7, _PAGE),
    Bounds("discard-probability", 0, 100, _PAGE, "percent"),
)
"""By the name of the setting, as the readers call it."""
