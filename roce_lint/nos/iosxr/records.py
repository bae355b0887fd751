"""Names and small readings that the parts of the IOS-XR reader share."""

from __future__ import annotations

import re

from roce_lint.model.units import Threshold, ThresholdUnit
from roce_lint.nos.quantities import number
from roce_lint.text.numbers import whole_of

CONFIG = "running-config"
"""Name of the source."""

UNITS = {
    "bytes": (1, ThresholdUnit.BYTES),
    "kbytes": (1000, ThresholdUnit.BYTES),
    "mbytes": (1_000_000, ThresholdUnit.BYTES),
    "packets": (1, ThresholdUnit.PACKETS),
    "us": (1, ThresholdUnit.MICROSECONDS),
    "ms": (1000, ThresholdUnit.MICROSECONDS),
    "percent": (1, ThresholdUnit.PERCENT),
}
"""Units of depths; a kbyte is taken as 1000 bytes (docs/nos/iosxr.md)."""

_DEPTH = re.compile(r"(\d{1,12}) (bytes|kbytes|mbytes|packets|us|ms|percent)\b", re.ASCII)


def depths(text: str) -> list[Threshold]:
    """All depths with a unit in a line, in order."""
    return [
        Threshold(whole_of(amount) * UNITS[unit][0], UNITS[unit][1])
        for amount, unit in _DEPTH.findall(text)
    ]


def bytes_after(text: str, word: str) -> int | None:
    """Bytes behind a keyword: 1600000 of `headroom 1600000 bytes`."""
    found = re.search(rf"\b{word} (\d{{1,12}}) (k|m)?bytes\b", text, re.ASCII)
    amount = number(found[1]) if found else None
    if amount is None or found is None:
        return None
    return amount * {"k": 1000, "m": 1_000_000}.get(found[2] or "", 1)


def label(head: str) -> str:
    """The name in `match-any RDMA` and in `type qos RDMA`."""
    return head.rpartition(" ")[2]
