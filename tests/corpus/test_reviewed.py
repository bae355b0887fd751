"""All errors and warnings of the corpus and of stock platforms are in the reviewed lists.

A new one fails, and so does one that is gone: read it against the file, then change the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report
from tests.conftest import ROOT
from tests.corpus.reviewed import CORPUS, MANY, PLATFORMS, Causes, Reviewed, reviewed
from tests.corpus.test_corpus import CORPUS as FILES
from tests.corpus.test_corpus import judged

BOARDS = ROOT.parent / "shared" / "platforms"

on_files = pytest.mark.skipif(not FILES.is_dir(), reason="no ../shared/corpus beside the project")
on_boards = pytest.mark.skipif(
    not BOARDS.is_dir(), reason="no ../shared/platforms beside the project"
)


def reported(report: Report) -> Causes:
    """Errors and warnings of a report in the format of the list."""
    found: dict[tuple[str, str], set[int]] = {}
    for finding in report.findings:
        places = (place for each in finding.occurrences for place in each.locations)
        if finding.severity >= Severity.WARNING:
            lines = found.setdefault((finding.severity.label, finding.rule), set())
            lines.update(place.line for place in places if place.role == "cause")
    return {key: (len(lines), _brief(sorted(lines))) for key, lines in found.items()}


def _brief(lines: list[int]) -> tuple[int, ...]:
    return tuple(lines) if len(lines) <= MANY else (lines[0], lines[-1])


def below(folder: Path) -> list[Path]:
    """Folders of boards; empty if they are not beside the project."""
    return sorted(path for path in folder.glob("*") if path.is_dir())


@on_boards
@pytest.mark.parametrize("path", below(BOARDS), ids=lambda path: path.name)
def test_a_stock_platform(path: Path) -> None:
    assert reported(judged(path)) == reviewed(PLATFORMS, path.name)


@on_boards
def test_no_table_of_a_board_is_a_capture() -> None:
    messages = [entry.message for path in below(BOARDS) for entry in judged(path).diagnostics]
    assert messages == []


def others() -> list[Path]:
    """Files of the corpus without an entry: the rest of the product."""
    listed = {entry.path for entry in CORPUS}
    paths = (path for path in sorted(FILES.glob("*/*")) if path.is_file())
    return [path for path in paths if path.relative_to(FILES).as_posix() not in listed]


@on_files
@pytest.mark.parametrize("name", sorted({entry.path for entry in CORPUS}))
def test_a_published_file(name: str) -> None:
    assert reported(judged(FILES / name)) == reviewed(CORPUS, name)


@on_files
@pytest.mark.deep
@pytest.mark.parametrize("path", others(), ids=lambda path: path.name)
def test_a_published_file_without_entry_is_clean(path: Path) -> None:
    assert reported(judged(path)) == {}


@pytest.mark.parametrize("entries", [CORPUS, PLATFORMS], ids=["corpus", "platforms"])
def test_every_entry_has_a_reason_and_is_the_only_one_of_its_rule(
    entries: Iterable[Reviewed],
) -> None:
    assert [entry for entry in entries if len(entry.why.split()) < 5] == []
    keys = [(e.path, e.severity, e.rule) for e in entries]
    assert len(keys) == len(set(keys))
    # What is known to be wrong is none of the reasons for an error.
    errors = [entry for entry in entries if entry.severity == "error"]
    assert not any(entry.made_up for entry in errors)
