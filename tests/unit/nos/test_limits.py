"""Limits of a system by subject."""

from __future__ import annotations

import pytest

from roce_lint.nos.eos import OFFER
from roce_lint.nos.refusals import bounds_in, limits_of


def test_bounds_are_found_by_what_they_are_about() -> None:
    assert bounds_in("eos", "mtu") is limits_of("eos")["mtu"]


def test_words_are_no_bounds() -> None:
    with pytest.raises(TypeError, match="watchdog action takes words"):
        bounds_in("eos", "watchdog action")


def test_a_time_in_another_unit_is_as_sure_as_its_source() -> None:
    watchdog = OFFER.watchdog
    assert watchdog is not None
    assert watchdog.polling_ms is not None
    stated = bounds_in("eos", watchdog.polling_ms.what)
    assert watchdog.polling_ms.low == 1000 * stated.low
    assert watchdog.polling_ms.high == 1000 * stated.high
    assert watchdog.polling_ms.confidence is stated.confidence
