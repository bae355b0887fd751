"""Numbers out of text that anybody may have written: checked for form, length and bounds first.

`int` and `float` raise for what is no number, for 5,000 digits, and for what no float holds.
"""

from __future__ import annotations

LONGEST = 18
"""Digits of a number that is taken for one; the largest rates and sizes have 14."""


def whole_number(text: str, low: int = 0, high: int = 10**LONGEST) -> int | None:
    """The decimal number that a text is, of ASCII digits alone and within the bounds; else None."""
    if not (text.isascii() and text.isdigit()) or len(text) > LONGEST:
        return None
    number = int(text)
    return number if low <= number <= high else None


def parse_whole(text: str) -> int:
    """The whole number that a text is, with or without a minus sign.

    Raises:
        ValueError: it is none, or longer than any that a device knows.
    """
    bare = text.strip()
    number = whole_number(bare.removeprefix("-"))
    if number is None:
        raise ValueError(f"no whole number: {text[:40]!r}")
    return -number if bare.startswith("-") else number


def parse_decimal(text: str) -> float:
    """The decimal number that a text is: `0.5`, `-3`; no exponent, no infinity.

    Raises:
        ValueError: it is none, or longer than any that a device knows.
    """
    bare = text.strip().removeprefix("-")
    before, _, after = bare.partition(".")
    digits = before + after
    if not digits.isascii() or not digits.isdigit() or len(digits) > LONGEST:
        raise ValueError(f"no decimal number: {text[:40]!r}")
    return float(text)
