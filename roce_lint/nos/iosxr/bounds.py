"""What IOS-XR refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refused import Bounds, table

_PAGE = "docs/nos/iosxr.md#what-the-device-refuses"

LIMITS = table(
    Bounds("traffic-class", 0, 7, _PAGE),
)
"""By the name of the setting, as the readers call it."""
