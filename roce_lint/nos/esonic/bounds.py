"""What Enterprise SONiC refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refused import Bounds, table

_PAGE = "docs/nos/esonic.md#what-the-device-refuses"

LIMITS = table(
    Bounds(
        "detect-time", 100, 5000, _PAGE, "ms", instead="the port is watched with the default time"
    ),
    Bounds("restore-time", 100, 60000, _PAGE, "ms"),
    Bounds("weight", 1, 100, _PAGE),
)
"""By the name of the setting, as the readers call it."""
