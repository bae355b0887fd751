"""Numbers from untrusted text: checked for form, length and bounds first.

`int` and `float` raise for text that is not a number, for 5,000 digits, and for values that no
float holds; they accept blanks, underscores and digits of other scripts, which no device prints.
Only this module converts text to numbers, and a house test enforces it.

Arbitrary text goes through `whole_number`, `parse_whole` or `parse_decimal`, which reject what is
not a number; text matched by a pattern through `whole_of` or `decimal_of`, which never raise;
numbers through `real` and `whole_part`.
"""

from __future__ import annotations

import re

LONGEST = 18
"""Maximum digits of a number; the largest rates and sizes have 14."""


BEYOND: int = 10**LONGEST
"""Replaces numbers that are too long: above any bound, and still exact as a float."""

_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[+-]?\d{1,3})?", re.IGNORECASE | re.ASCII
)


def whole_of(digits: str, base: int = 10) -> int:
    """Convert digits matched by a pattern, with or without a minus sign.

    Never raises: too many digits, or text that is not a number after all, give BEYOND, which bounds
    reject like any large number.
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
    """Convert a decimal number matched by a pattern, with or without an exponent; never raises:
    BEYOND for values that are too large or not a number after all.
    """
    bare = digits.strip()
    return real(float(bare)) if _DECIMAL.fullmatch(bare) else float(BEYOND)


def real(number: float) -> float:
    """A number as a float; BEYOND for one that no float holds."""
    return float(number) if -BEYOND <= number <= BEYOND else float(BEYOND)


def whole_part(number: float) -> int:
    """A number without its fraction; BEYOND for infinities and NaN."""
    return int(number) if -BEYOND <= number <= BEYOND else BEYOND


def whole_number(text: str, low: int = 0, high: int = 10**LONGEST) -> int | None:
    """Convert a text of ASCII digits within the bounds; else None."""
    if not (text.isascii() and text.isdigit()) or len(text) > LONGEST:
        return None
    number = int(text)
    return number if low <= number <= high else None


def whole_literal(text: str) -> int | None:
    """Convert a whole number, decimal or hexadecimal with `0x`; None for anything else.

    Surrounding blanks are ignored.
    """
    bare = text.strip()
    if bare[:2] in ("0x", "0X"):
        sound = bare.isascii() and bare[2:].isalnum() and len(bare) <= LONGEST
        return number if sound and (number := whole_of(bare[2:], 16)) < BEYOND else None
    return whole_number(bare)


def parse_whole(text: str) -> int:
    """Parse a whole number, with or without a minus sign.

    Raises:
        ValueError: it is not one, or longer than any that a device uses.
    """
    bare = text.strip()
    number = whole_number(bare.removeprefix("-"))
    if number is None:
        raise ValueError(f"not a whole number: {text[:40]!r}")
    return -number if bare.startswith("-") else number


def parse_decimal(text: str) -> float:
    """Parse a decimal number: `0.5`, `-3`; no exponent, no infinity.

    Raises:
        ValueError: it is not one, or longer than any that a device uses.
    """
    before, _, after = text.strip().removeprefix("-").partition(".")
    digits = before + after
    if not digits.isascii() or not digits.isdigit() or len(digits) > LONGEST:
        raise ValueError(f"not a decimal number: {text[:40]!r}")
    return float(text)


def count(number: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun: `1 port`, `2 ports`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


_NUMBER = re.compile(r"\d+(?:[./:]\d+)*")

SHAPE = 120
"""Maximum length of the shape of a line."""


def without_numbers(text: str) -> str:
    """The shape of a line: without its numbers, which differ between devices and ports."""
    return _NUMBER.sub("N", text)[:SHAPE]
