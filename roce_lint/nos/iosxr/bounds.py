"""What IOS-XR refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table

_PAGE = "docs/nos/iosxr.md#what-the-device-refuses"

_STAYS = "the profile has no line for the class: what pause needs is not set by it"

LIMITS = table(
    Bounds("traffic-class", 0, 7, _PAGE),
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("pause-threshold", 307200, 1574400, _PAGE, "bytes", instead=_STAYS),
    Bounds("headroom", 345600, 1651200, _PAGE, "bytes", instead=_STAYS),
    Bounds("ecn", 153600, 897408, _PAGE, "bytes", instead=_STAYS),
)
"""By the name of the setting, as the readers call it."""
