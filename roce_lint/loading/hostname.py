"""What a text says about itself before it is taken apart: whose it is, and when it was written."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from roce_lint.loading.naming import device_name
from roce_lint.loading.signs import searcher
from roce_lint.nos.base import Signature, Source
from roce_lint.text.numbers import parse_whole, whole_of

HEADING_LINES = 40
"""Lines at the beginning in which a saved configuration says when it was saved."""

LINE_LIMIT = 300
_COMMENT = re.compile(r"\s*(?:[!#]|$)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CTIME = re.compile(
    rf"\b(?P<month>{'|'.join(_MONTHS)}) {{1,2}}(?P<day>\d{{1,2}}) (?P<clock>\d\d:\d\d:\d\d)"
    r"(?:\.\d+)?(?: [A-Z]{2,5})? (?P<year>\d{4})\b"
)
_ISO = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?")


def hostname_in(source: Source, text: str) -> str | None:
    """The hostname a text states, found without taking the text apart."""
    if not source.hostname:
        return None
    match = searcher(Signature(source.hostname, 0, "hostname"))(text)
    return device_name(match["name"]) if match else None


def time_of_writing(text: str, stated: str | None = None) -> datetime | None:
    """When a text was written: what its header states, else the latest date in its heading.

    A date without a zone is taken as UTC: it is compared with those of the same device only.
    """
    if stated is not None:
        return _moment(stated)
    moments = []
    for line in text[: HEADING_LINES * LINE_LIMIT].split("\n", HEADING_LINES)[:HEADING_LINES]:
        if not _COMMENT.match(line):
            break
        moment = _moment(line[:LINE_LIMIT])
        if moment is not None:
            moments.append(moment)
    return max(moments, default=None)


def _moment(text: str) -> datetime | None:
    try:
        if found := _CTIME.search(text):
            month = _MONTHS.index(found["month"]) + 1
            hour, minute, second = map(whole_of, found["clock"].split(":"))
            day = datetime(parse_whole(found["year"]), month, parse_whole(found["day"]), tzinfo=UTC)
            return day.replace(hour=hour, minute=minute, second=second)
        if found := _ISO.search(text):
            moment = datetime.fromisoformat(found[0])
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:  # 2026-13-45
        return None
    return None
