"""Numbers out of text that anybody may have written: checked for form, length and bounds first.

`int` and `float` raise for what is no number, for 5,000 digits, and for what no float holds; they
take blanks, underscores and digits of other scripts, which no device does. Nothing else in the
package makes numbers of text, and a house test sees to it.

Text that may be anything goes through `whole_number`, `parse_whole` or `parse_decimal`, which say
what is none; what a pattern has found to be a number through `whole_of` or `decimal_of`, which
raise nothing. What is a number already goes through `real` and `whole_part`.
"""

from __future__ import annotations

import re

LONGEST = 18
"""Digits of a number that is taken for one; the largest rates and sizes have 14."""


BEYOND: int = 10**LONGEST
"""Stands for what is too long for a number: larger than any bound, and still exact as a float."""

_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[+-]?\d{1,3})?", re.IGNORECASE | re.ASCII
)


def whole_of(digits: str, base: int = 10) -> int:
    """The number that a pattern has found, with or without a minus sign.

    Never raises: what is too long for a number, or is none after all, is BEYOND, so that bounds
    refuse it as they refuse any large number.
    """
    if len(digits) <= LONGEST and digits.isdecimal() and base == 10:
        return int(digits)  # nearly all
    bare = digits.strip()
    written = bare.removeprefix("-")
    significant = written.lstrip("0") or written[-1:]
    if len(significant) > LONGEST or "_" in bare:
        return BEYOND
    try:
        number = int(significant, base)
    except ValueError:
        return BEYOND
    return -number if bare.startswith("-") else number


def decimal_of(digits: str) -> float:
    """The decimal number that a pattern has found, with or without an exponent; never raises:
    BEYOND for what is too large, or is none after all.
    """
    bare = digits.strip()
    return real(float(bare)) if _DECIMAL.fullmatch(bare) else float(BEYOND)


def real(number: float) -> float:
    """A number as a float; BEYOND for one that no float holds."""
    return float(number) if -BEYOND <= number <= BEYOND else float(BEYOND)


def whole_part(number: float) -> int:
    """A number without its fraction; BEYOND for infinities and what is not a number."""
    return int(number) if -BEYOND <= number <= BEYOND else BEYOND


def whole_number(text: str, low: int = 0, high: int = 10**LONGEST) -> int | None:
    """The decimal number that a text is, of ASCII digits alone and within the bounds; else None."""
    if not (text.isascii() and text.isdigit()) or len(text) > LONGEST:
        return None
    number = int(text)
    return number if low <= number <= high else None


def whole_literal(text: str) -> int | None:
    """The whole number that a text is, decimal or hexadecimal behind `0x`; None for anything else.
    Blanks around it do not count.
    """
    bare = text.strip()
    if bare[:2] in ("0x", "0X"):
        sound = bare.isascii() and bare[2:].isalnum() and len(bare) <= LONGEST
        return number if sound and (number := whole_of(bare[2:], 16)) < BEYOND else None
    return whole_number(bare)


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


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 port`, `2 ports`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


_NUMBER = re.compile(r"\d+(?:[./:]\d+)*")

SHAPE = 120
"""Characters of the shape of a line."""


def without_numbers(text: str) -> str:
    """The shape of a line: its numbers, which differ between devices and ports, are left out."""
    return _NUMBER.sub("N", text)[:SHAPE]
