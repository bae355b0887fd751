"""Numbers from untrusted text: no unexpected exceptions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.model.units import parse_dscp
from roce_lint.text.numbers import (
    BEYOND,
    LONGEST,
    decimal_of,
    parse_decimal,
    parse_whole,
    real,
    whole_literal,
    whole_number,
    whole_of,
    whole_part,
)

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
    with pytest.raises(ValueError, match="not a decimal number"):
        parse_decimal(text)
    with pytest.raises(ValueError, match="not a whole number"):
        parse_whole(text)


def test_signs_and_fractions() -> None:
    assert (parse_whole("-7"), parse_decimal("-0.5"), parse_decimal("3")) == (-7, -0.5, 3.0)


@given(st.text())
def test_any_text_gives_a_finite_number_or_none(text: str) -> None:
    try:
        assert math.isfinite(parse_decimal(text))
    except ValueError:
        assert parse_dscp(text) is None or parse_dscp(text) < 64


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12), ("-3", -3), ("007", 7), ("0", 0), (" 4 ", 4), ("٣", 3),
        ("9" * 5000, BEYOND), ("-" + "9" * 5000, BEYOND), ("0" * 5000 + "7", 7), ("²", BEYOND), ("", BEYOND),
        ("1_0", BEYOND), ("1.5", BEYOND), ("-", BEYOND), ("nan", BEYOND), ("\ud800", BEYOND),
    ],
)  # fmt: skip
def test_what_a_pattern_found_is_a_number_or_larger_than_any(text: str, number: int) -> None:
    assert whole_of(text) == number


def test_numbers_of_other_bases() -> None:
    assert (whole_of("ff", 16), whole_of("0110", 2), whole_of("zz", 16)) == (255, 6, BEYOND)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5), (".5", 0.5), ("5.", 5.0), ("-2", -2.0), ("1e3", 1000.0), ("1E-3", 0.001), ("1e309", BEYOND),
        ("9" * 400, BEYOND), ("inf", BEYOND), ("nan", BEYOND), ("1_0", BEYOND), ("", BEYOND), ("٣", BEYOND),
    ],
)  # fmt: skip
def test_decimal_numbers_that_a_pattern_found(text: str, number: float) -> None:
    assert decimal_of(text) == number


def test_numbers_of_numbers() -> None:
    assert (real(10**400), real(3), whole_part(2.9), whole_part(-2.9)) == (BEYOND, 3.0, 2, -2)
    assert [whole_part(float(name)) for name in ("inf", "-inf", "nan")] == [BEYOND] * 3


@pytest.mark.parametrize(
    ("text", "number"),
    [("106", 106), (" 0x6A ", 106), ("0x", None), ("0x1_0", None), ("0xzz", None), ("1e3", None),
     ("-1", None), ("", None), ("0x" + "f" * 30, None), ("9" * 30, None)],
)  # fmt: skip
def test_literals_decimal_and_hexadecimal(text: str, number: int | None) -> None:
    assert whole_literal(text) == number
