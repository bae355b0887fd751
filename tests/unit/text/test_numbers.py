"""Numbers of text that anybody may have written: none raises what nobody expects."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.units import parse_dscp
from roce_lint.text.numbers import LONGEST, parse_decimal, parse_whole, whole_number

HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("63", 63), ("064", 64), ("", None), ("-1", None), ("5 x", None), (HUGE, None), ("١٢", None), ("1_0", None), ("9" * LONGEST, 10**LONGEST - 1)],
)  # fmt: skip
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_bounds() -> None:
    assert [whole_number(text, 1, 4094) for text in ("0", "1", "4094", "4095")] == [
        None,
        1,
        4094,
        None,
    ]


@pytest.mark.parametrize(
    "text", [HUGE, "nan", "inf", "1e309", "1e3", "", ".", "-", "1.2.3", "1_0", "١"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no decimal number"):
        parse_decimal(text)
    with pytest.raises(ValueError, match="no whole number"):
        parse_whole(text)


def test_signs_and_fractions() -> None:
    assert (parse_whole("-7"), parse_decimal("-0.5"), parse_decimal("3")) == (-7, -0.5, 3.0)


@given(st.text())
def test_any_text_gives_a_finite_number_or_none(text: str) -> None:
    try:
        assert math.isfinite(parse_decimal(text))
    except ValueError:
        assert parse_dscp(text) is None or parse_dscp(text) < 64
