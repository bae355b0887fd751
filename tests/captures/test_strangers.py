"""Forwarded text is read as the file is, or reported as incomplete."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.captures.bases import BASES
from tests.captures.strangers import STRANGERS
from tests.captures.test_matrix import (
    cases,
    failures,
    findings_of,
    is_incomplete,
    judged,
    plain,
    put,
    understood,
)

TEXT_BESIDE = ("cumulus yaml",)
"""Documents in which a stray line is a syntax error: reported, with status 3."""

BRACES = {("junos braces", "Jira")}
"""A mark of a ticket is a statement in braces: reported by its line."""


@pytest.mark.parametrize(("base", "ways"), cases(STRANGERS))
def test_text_passed_on_equals_the_file(base: str, ways: list[str], tmp_path: Path) -> None:
    assert failures(ways, lambda way: check_way(base, way, tmp_path)) == {}


def check_way(base: str, way: str, folder: Path) -> None:
    _, findings, lines, devices = plain(base)
    report = judged(put(folder, STRANGERS[way](BASES[base], BASES[base].text)))
    if base in TEXT_BESIDE and is_incomplete(report):
        return
    assert understood(report) >= lines
    assert len(report.devices) == len(devices) == 1
    if (base, way) in BRACES:
        assert any("{code}" in place.text for finding in report.findings
                   for occurrence in finding.occurrences for place in occurrence.locations)  # fmt: skip
        return
    assert findings_of(report) == findings


def test_returns_alone_are_told(tmp_path: Path) -> None:
    for base in BASES.values():
        report = judged(put(tmp_path, base.text.replace("\n", "\r")))
        assert is_incomplete(report)
        assert "carriage return" in report.diagnostics[0].message
