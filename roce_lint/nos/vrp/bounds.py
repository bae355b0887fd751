"""What CloudEngine refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, table
from roce_lint.text.source import Confidence

_PAGE = "docs/nos/vrp.md#what-the-device-refuses"

LIMITS = table(
    Bounds("DSCP", 0, 63, _PAGE),
    Bounds("priority", 0, 7, _PAGE, instead="no priority is paused by the line"),
    Bounds("discard-percentage", 0, 100, _PAGE, "percent"),
    Bounds("interval", 10, 1000, _PAGE, "ms", confidence=Confidence.UNCONFIRMED),
)
"""By the name of the setting, as the readers call it."""
