"""Names of files and devices, made safe to display and compare, and the dates in them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from roce_lint.text.numbers import whole_of

NAME_LIMIT = 253
"""Characters of a device name: limit of DNS (RFC 1035, 2.3.4)."""


def printable(name: str) -> str:
    r"""Escape characters that move the cursor or cannot be encoded.

    They are written as in Python (`leaf\x1b1.cfg`, `leaf\n1.cfg`); a byte that is not UTF-8, which
    Python keeps as a surrogate, as `\xff`.
    """
    if name.isprintable():
        return name
    return "".join(char if char.isprintable() else _escape(char) for char in name)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def device_name(text: str | None) -> str | None:
    """A device name from a file, folder or header; None if nothing is left of it."""
    if text is None:
        return None
    name = text[: 4 * NAME_LIMIT].strip().strip("\"'")
    return printable(name)[:NAME_LIMIT] or None


# Dates in file and folder names (backups, snapshots).

_DAY = re.compile(
    r"(?<![0-9])(?P<year>20[0-9]{2})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})"
    r"(?:[T@_.\- ]?(?P<hour>[0-9]{2})[:_.\-h]?(?P<minute>[0-9]{2})"
    r"(?:[:_.\-m]?(?P<second>[0-9]{2})s?)?Z?)?(?![0-9])"
)


def day_in(name: str) -> datetime | None:
    """The date, with its time if stated, in a file or folder name.

    The last one of several: earlier ones are probably part of the device's name.
    """
    found = [moment for match in _DAY.finditer(name) if (moment := _moment(match)) is not None]
    return found[-1] if found else None


def without_day(name: str) -> str:
    """A name without its date and the separator before it."""

    def cut(match: re.Match[str]) -> str:
        return match[0] if _moment(match) is None else "\0"

    return re.sub(r"[-_.@ ]?\0", "", _DAY.sub(cut, name)).strip("-_.@ ")


def above_days(folder: str) -> str:
    """A folder without trailing components that are only a date."""
    while folder and day_in(last := folder.rsplit("/", 1)[-1]) and not without_day(last):
        folder = folder.rpartition("/")[0]
    return folder


def _moment(match: re.Match[str]) -> datetime | None:
    year, month, day, hour, minute, second = (
        whole_of(match[part] or "0")
        for part in ("year", "month", "day", "hour", "minute", "second")
    )
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:  # 20261345 is a number
        return None
