"""A file gives one model and the same findings at the same lines, whatever tool forwarded it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
from tests.sampling import sample


def put(folder: Path, text: str) -> Path:
    path = folder / "capture.txt"
    path.write_bytes(text.encode())
    return path


def model(path: Path) -> list[Any]:
    """The devices without places."""
    return known(load((str(path),), jobs=1).devices)


def known(devices: Iterable[Device]) -> list[Any]:
    """The same, for given devices."""
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


def findings_of(report: Report) -> list[Any]:
    """The findings, with the text of the places instead of their lines."""
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
        return known(read_of(report)), findings_of(report), understood(report), names


def letters(text: str) -> str:
    """Without blanks, quotes and what escapes them; an escaped line end leaves its letter."""
    return re.sub(r"[^0-9A-Za-z]", "", text.replace("\\n", " "))


def rows(lines: list[str], first: int) -> list[str]:
    """A line with the next one, and with all rows that a terminal broke it into."""
    last = first
    while last + 1 < len(lines) and len(lines[last].rstrip("\r")) >= WIDTH:
        last += 1
    return lines[first : max(last, first + 1) + 1]


WIDTH = 80
"""Columns of a terminal, after which a line may go on in the next row."""


def assert_places(report: Report, text: str) -> None:
    """Every place that is shown has the words of the line that it names."""
    lines = text.split("\n")
    for finding in report.findings:
        for occurrence in finding.occurrences:
            for place in occurrence.locations:
                if place.line and place.text and not place.text.endswith("\u2026"):
                    here = "".join(rows(lines, place.line - 1))
                    here = html.unescape(html.unescape(here))  # of a page in a page
                    assert letters(place.text) in letters(here), place


def check(base: Base, text: str, folder: Path) -> None:
    path = put(folder, text)
    found, findings, lines, devices = plain(base.name)
    report = judged(path)
    assert tuple(device.name for device in report.devices) == devices, report.diagnostics
    assert understood(report) >= lines
    assert findings_of(report) == findings
    assert known(read_of(report)) == found
    assert_places(report, text)


def is_incomplete(report: Report) -> bool:
    """Whether a run reports that its answer is incomplete (status 3)."""
    return any(entry.incomplete and entry.message for entry in report.diagnostics)


def cases(ways: Iterable[str]) -> list[Any]:
    """Each base with its sampled ways, and in the deep suite with all others. The sample has each
    base, and each way on lines and on a document.
    """
    strata = (lambda pair: pair[0], lambda pair: (pair[1], BASES[pair[0]].tree))
    chosen = sample([(base, way) for way in ways for base in BASES], 16, *strata, name=" ".join)
    others = {base: [way for way in ways if (base, way) not in chosen] for base in BASES}
    return [(base, [way for other, way in chosen if other == base]) for base in BASES] + [
        pytest.param(*case, marks=pytest.mark.deep) for case in others.items()
    ]


def failures(ways: Iterable[str], check_way: Callable[[str], None]) -> dict[str, str]:
    """The failures of each way."""
    found = {}
    for way in ways:
        try:
            check_way(way)
        except AssertionError as error:
            found[way] = str(error)
    return found


@pytest.mark.parametrize(("base", "ways"), cases(CAPTURES))
def test_captures_equal_the_file(base: str, ways: list[str], tmp_path: Path) -> None:
    found = BASES[base]
    assert (
        failures(ways, lambda way: check(found, CAPTURES[way](found, found.text), tmp_path)) == {}
    )


def test_there_are_many_ways() -> None:
    assert len(CAPTURES) >= 40


"""Its mark is a few blanks and a word: other changes of blanks there look the same."""

WRAPPED = "wrapped at 80 columns"
DRAWN = ("pager with two", "pager erased", "pager wiped", "pager overwritten", "less")
SHOWN = ("pager", "less")
HEADS = ("RANCID", "Oxidized")


@dataclass(frozen=True)
class Apart:
    """Two ways that cannot be undone in combination: which, an example, and the reason."""

    why: str
    is_meant: Callable[[Base, str, str], bool]
    base: str
    inner: str
    outer: str


EXCEPTIONS = (
    Apart(
        "a system without comments has no mark for the head that a collector puts before a text:"
        " where something else stands around that text, its lines are nobody's",
        lambda base, inner, outer: outer in HEADS and not base.comment and inner not in PLAIN,
        "srlinux json", "hostvars", "Oxidized",
    ),
    Apart(
        "a terminal counts no control character as a column: a text that holds them was broken by"
        " something else, and where is not told",
        lambda _, inner, outer: outer == WRAPPED and inner.startswith(DRAWN),
        "junos braces", "pager with two returns", WRAPPED,
    ),
)  # fmt: skip
"""Unsupported combinations; a list that may only shrink. Each is reported, with status 3."""

PLAIN = frozenset(way for way in CAPTURES if way.startswith(("pager", "CRLF", "byte-order")))


@pytest.mark.parametrize("one", EXCEPTIONS, ids=lambda one: f"{one.inner} in {one.outer}")
def test_an_exception_is_still_one_and_is_told(one: Apart, tmp_path: Path) -> None:
    base = BASES[one.base]
    assert one.is_meant(base, one.inner, one.outer)
    text = CAPTURES[one.outer](base, CAPTURES[one.inner](base, base.text))
    with pytest.raises(AssertionError):
        check(base, text, tmp_path)
    report = judged(put(tmp_path, text))
    assert is_incomplete(report)


def is_possible(inner: str, outer: str) -> bool:
    """Whether two ways can be combined: a text has one pager, and a fence ends at the next of its
    kind.
    """
    return not (inner.startswith(SHOWN) and outer.startswith(SHOWN)) and (
        inner != "a ticket" or outer != "a ticket"
    )


def is_exception(base: Base, inner: str, outer: str) -> bool:
    """Whether a pair is a known exception."""
    return any(one.is_meant(base, inner, outer) for one in EXCEPTIONS)


@pytest.mark.parametrize("examples", [15, pytest.param(150, marks=pytest.mark.deep)])
def test_any_two_ways_compose(examples: int) -> None:
    bases, ways = st.sampled_from(sorted(BASES)), st.sampled_from(sorted(CAPTURES))
    # A run of CI decides on one change.
    decided = settings(max_examples=examples, deadline=None, derandomize=True)
    decided(given(bases, ways, ways)(check_two_ways))()


def check_two_ways(base: str, inner: str, outer: str) -> None:
    assume(is_possible(inner, outer))
    found = BASES[base]
    text = CAPTURES[outer](found, CAPTURES[inner](found, found.text))
    with TemporaryDirectory() as folder:
        if not is_exception(found, inner, outer):
            check(found, text, Path(folder))
            return
        try:
            check(found, text, Path(folder))
        except AssertionError:
            assert is_incomplete(judged(put(Path(folder), text))), (inner, outer)
