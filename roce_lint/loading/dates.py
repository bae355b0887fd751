"""Days in the names of files and folders: backups and snapshots are kept by them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from roce_lint.text.numbers import whole_of

_DAY = re.compile(
    r"(?<![0-9])(?P<year>20[0-9]{2})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})"
    r"(?:[T@_.\- ]?(?P<hour>[0-9]{2})[:_.\-h]?(?P<minute>[0-9]{2})"
    r"(?:[:_.\-m]?(?P<second>[0-9]{2})s?)?Z?)?(?![0-9])"
)


def day_in(name: str) -> datetime | None:
    """The day, with the time of it where that is stated, in the name of a file or folder.

    The last one of several: what stands before it is rather part of the device's name.
    """
    found = [moment for match in _DAY.finditer(name) if (moment := _moment(match)) is not None]
    return found[-1] if found else None


def without_day(name: str) -> str:
    """A name without the day in it, and without the mark before that."""

    def cut(match: re.Match[str]) -> str:
        return match[0] if _moment(match) is None else "\0"

    return re.sub(r"[-_.@ ]?\0", "", _DAY.sub(cut, name)).strip("-_.@ ")


def above_days(folder: str) -> str:
    """A folder without those at its end that are called by a day and nothing else."""
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
