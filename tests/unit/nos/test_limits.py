"""Limits of a system by subject."""

from __future__ import annotations

import pytest

from roce_lint.nos.eos import LIMITS, OFFER
from roce_lint.nos.refusals import Bounds, Words, bounds_in


def test_bounds_are_found_by_what_they_are_about() -> None:
    mtu = Bounds("mtu", 64, 9216, "docs/nos/made.md#limits")
    assert bounds_in({"mtu": mtu}, "mtu") is mtu


def test_words_are_no_bounds() -> None:
    mode = Words("mode", ("on", "off"), "docs/nos/made.md#limits")
    with pytest.raises(TypeError, match="mode takes words"):
        bounds_in({"mode": mode}, "mode")


def test_a_time_in_another_unit_is_as_sure_as_its_source() -> None:
    watchdog = OFFER.watchdog
    assert watchdog is not None
    assert watchdog.polling_ms is not None
    stated = bounds_in(LIMITS, watchdog.polling_ms.what)
    assert watchdog.polling_ms.low == 1000 * stated.low
    assert watchdog.polling_ms.high == 1000 * stated.high
    assert watchdog.polling_ms.confidence is stated.confidence
