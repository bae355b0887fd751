"""What Junos refuses: the bounds and words that its documents give."""

from __future__ import annotations

from roce_lint.nos.refusals import Bounds, Words, table

_PAGE = "docs/nos/junos.md#what-the-device-refuses"

LIMITS = table(
    Bounds("pfc-priority", 0, 7, _PAGE, instead="the class is no lossless one"),
    Bounds("queue", 0, 11, _PAGE),
    Bounds("percent", 0, 100, _PAGE),
    Bounds("dynamic-threshold", 0, 10, _PAGE),
    Words("priority", ("low", "medium-low", "medium-high", "high", "strict-high"), _PAGE),
    Words("loss-priority", ("low", "medium-low", "medium-high", "high", "any"), _PAGE),
    Bounds("flow-control-queue", 0, 7, _PAGE, instead="the queue obeys no pause by the line"),
)
"""By the name of the setting, as the readers call it."""
