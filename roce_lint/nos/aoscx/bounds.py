"""What AOS-CX refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

_PAGE = "docs/nos/aoscx.md#what-the-device-refuses"

LIMITS = table(
    Bounds("queue", 0, 7, _PAGE),
    Bounds("local-priority", 0, 7, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="no priority is paused by the line"),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("CoS", 0, 7, _PAGE),
    Bounds("ip mtu", 68, 9198, _PAGE, "bytes"),
)
"""By the name of the setting, as the readers call it."""
