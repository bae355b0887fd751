"""Where a report comes from: when its files were captured, from which commit, by which command."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roce_lint.text.numbers import whole_number

if TYPE_CHECKING:
    from roce_lint.cli.run_options import RunOptions
    from roce_lint.pipeline import Report
    from roce_lint.settings import Settings

WORDS = "roce_lint.words"
"""Key under which the command line is kept in the context."""

_TIME = re.compile(rb"^# command: [^\n]*\btime: *(\d{4}-\d\d-\d\dT\d\d:\d\d)")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HEAD = 512

LATEST = 253_402_300_799
"""Seconds of the last moment that a date of four digits can tell."""


def provenance(
    asked: RunOptions, settings: Settings, report: Report
) -> tuple[tuple[str, str], ...]:
    """What the head of a page tells, each with its name. The clock is never asked: the same input
    gives the same page.
    """
    folder = Path(report.base)
    told = {
        "captured": capture_times(report),
        "commit": commit(folder),
        "command": _command(),
        "intent": asked.intent or "",
        "profile": asked.profile or settings.profile or "",
    }
    return tuple((name, value) for name, value in told.items() if value)


def capture_times(report: Report) -> str:
    """From the headers of the captures, the first and the last; else from SOURCE_DATE_EPOCH."""
    times = sorted(set(_times(report)))
    if times:
        first, last = (text.replace("T", " ") for text in (times[0], times[-1]))
        return f"{first} UTC" if first == last else f"{first} to {last} UTC"
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = whole_number(epoch, high=LATEST)
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _times(report: Report) -> Iterator[str]:
    for device in report.devices:
        for name in device.files:
            path = Path(report.base, name)
            if not path.is_file():
                continue  # a member of an archive, standard input
            with path.open("rb") as file:
                found = _TIME.match(file.read(_HEAD))
            if found:
                yield found[1].decode()


def commit(folder: Path) -> str:
    """The commit that is checked out where the folder lies; its files may be changed since."""
    for top in (folder.resolve(), *folder.resolve().parents):
        git = top / ".git"
        if git.is_file():
            target = _text(git).removeprefix("gitdir:").strip()
            git = (top / target).resolve()
        if git.is_dir():
            return _resolve(git)
    return ""


def _resolve(git: Path) -> str:
    head = _text(git / "HEAD").strip()
    if not head.startswith("ref: "):
        return head if _COMMIT.fullmatch(head) else ""
    name = head.removeprefix("ref: ")
    shared = _text(git / "commondir").strip()
    for place in (git, git / shared):
        found = _text(place / name).strip()
        if _COMMIT.fullmatch(found):
            return found
        for line in _text(place / "packed-refs").splitlines():
            value, _, ref = line.partition(" ")
            if ref == name and _COMMIT.fullmatch(value):
                return value
    return ""


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _command() -> str:
    ctx = click.get_current_context(silent=True)
    words = ctx.find_root().meta.get(WORDS) if ctx is not None else None
    return shlex.join(["roce-lint", *words]) if words else ""
