"""However a file came, it says the same: one model, the same findings at the same words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roce_lint.loading.load import load
from roce_lint.model.device import Device
from roce_lint.model.dump import dump
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.captures.bases import BASES, Base
from tests.captures.distortions import CAPTURES
from tests.nos.test_blanks import values

EXCEPTIONS: dict[tuple[str, str], str] = {
    ("comware", "wrapped at 80 columns"): (
        "a comment is as long as the terminal is wide: whether the next row is its rest, or a line"
        " of its own, nothing tells"
    ),
}
"""Base and way of what is not read, and why; this may only shrink."""


def put(folder: Path, text: str) -> Path:
    path = folder / "capture.txt"
    path.write_bytes(text.encode())
    return path


def model(path: Path) -> list[Any]:
    """What is known of the devices, without places."""
    return known(load((str(path),), jobs=1).devices)


def known(devices: Iterable[Device]) -> list[Any]:
    """The same of devices that were read."""
    found = [values(dump(device)) for device in devices]
    for device in found:
        notes = device.get("notes", [])
        device["notes"] = [note for note in notes if "passed over" not in note.get("message", "")]
    return found


def read_of(report: Report) -> Iterable[Device]:
    """The devices of a report; to read the file once more would cost as much again."""
    assert report.fabric is not None
    return report.fabric.devices.values()


def judged(path: Path) -> Report:
    return run(Request((str(path),), jobs=1, cache=False), Settings())


def told(report: Report) -> list[Any]:
    """The findings, with the words of the places and not where they stand."""
    return sorted(
        (
            finding.rule,
            finding.severity.label,
            finding.message,
            tuple(
                re.sub(r"\s+", " ", place.text)
                for occurrence in finding.occurrences
                for place in occurrence.locations
            ),
        )
        for finding in report.findings
        # What is said about the lines around a configuration, of which there are more.
        if finding.rule != "SRC001" and "passed over" not in finding.message
    )


def understood(report: Report) -> int:
    return sum(device.lines["understood"] for device in report.devices)


@cache
def plain(name: str) -> tuple[list[Any], list[Any], int, tuple[str, ...]]:
    with TemporaryDirectory() as folder:
        path = put(Path(folder), BASES[name].text)
        report = judged(path)
        names = tuple(device.name for device in report.devices)
        return known(read_of(report)), told(report), understood(report), names


def letters(text: str) -> str:
    """Without blanks, quotes and what escapes them; an escaped line end leaves its letter."""
    return re.sub(r"[^0-9A-Za-z]", "", text.replace("\\n", " "))


def assert_places(report: Report, text: str) -> None:
    """Every place that is shown has the words of the line that it names."""
    lines = text.split("\n")
    for finding in report.findings:
        for occurrence in finding.occurrences:
            for place in occurrence.locations:
                if place.line and place.text and not place.text.endswith("\u2026"):
                    here = html.unescape("".join(lines[place.line - 1 : place.line + 1]))
                    assert letters(place.text) in letters(here), place


def check(base: Base, text: str, folder: Path) -> None:
    path = put(folder, text)
    found, findings, lines, devices = plain(base.name)
    report = judged(path)
    assert tuple(device.name for device in report.devices) == devices, report.diagnostics
    assert understood(report) >= lines
    assert told(report) == findings
    assert known(read_of(report)) == found
    assert_places(report, text)


MATRIX = [(base, way) for base in BASES for way in CAPTURES if (base, way) not in EXCEPTIONS]


@pytest.mark.parametrize(("base", "way"), MATRIX)
def test_a_capture_says_what_the_file_says(base: str, way: str, tmp_path: Path) -> None:
    check(BASES[base], CAPTURES[way](BASES[base], BASES[base].text), tmp_path)


def test_there_are_many_ways() -> None:
    assert len(CAPTURES) >= 40
    assert set(EXCEPTIONS) <= {(base, way) for base in BASES for way in CAPTURES}


@pytest.mark.parametrize(("base", "way"), EXCEPTIONS)
def test_an_exception_is_still_one(base: str, way: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check(BASES[base], CAPTURES[way](BASES[base], BASES[base].text), tmp_path)


ENDS = ("pager", "less", "colours", "CRLF", "two returns", "byte-order")
"""What may come over any other way: what a terminal does to whatever it shows."""


BARE = "pager whose control characters are lost"
"""Its mark is a few blanks and a word: what else eats or adds blanks there cannot be told from it."""


def is_of_one_terminal(inner: str, outer: str) -> bool:
    """A text is shown by one pager, and blanks that a mail program replaced are no pager's."""
    if inner.startswith(("pager", "less")):
        return not outer.startswith(("pager", "less"))
    return outer != BARE or inner != "no-break spaces"


@settings(max_examples=25, deadline=None, derandomize=True)  # a run of CI decides of one change
@given(
    base=st.sampled_from(sorted(BASES)),
    inner=st.sampled_from(sorted(way for way in CAPTURES if not way.startswith("a JSON"))),
    outer=st.sampled_from(sorted(way for way in CAPTURES if way.startswith(ENDS))),
)
def test_ways_compose(base: str, inner: str, outer: str) -> None:
    assume(is_of_one_terminal(inner, outer))
    found = BASES[base]
    text = CAPTURES[outer](found, CAPTURES[inner](found, found.text))
    with TemporaryDirectory() as folder:
        check(found, text, Path(folder))


MARGINS = (
    "ISO stamps", "stamps in brackets", "clock stamps", "month stamps", "stamps with a bar",
    "indented", "indented by a tab", "quoted in a mail",
)  # fmt: skip
"""What a log or a mail writes before every line of whatever it holds."""

FEW = 8
"""Lines of a text that holds all in one of them: a stamp before it may be its own."""


def is_line_by_line(text: str) -> bool:
    """A return or a backspace of the inner way would take the margin with it, as on a screen."""
    plain = re.sub(r"\r+\n", "\n", text)
    return text.count("\n") >= FEW and not re.search(r"[\r\b\x1b\x07]", plain)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    base=st.sampled_from(sorted(BASES)),
    inner=st.sampled_from(sorted(CAPTURES)),
    outer=st.sampled_from(MARGINS),
)
def test_a_margin_stands_before_any_way(base: str, inner: str, outer: str) -> None:
    assume((base, inner) not in EXCEPTIONS and inner not in ("byte-order mark", BARE))
    found = BASES[base]
    text = CAPTURES[inner](found, found.text)
    assume(is_line_by_line(text))
    with TemporaryDirectory() as folder:
        check(found, CAPTURES[outer](found, text), Path(folder))
