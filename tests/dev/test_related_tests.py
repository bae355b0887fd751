"""The tests that a quick look runs: those that changed, and those of changed modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.dev.__main__ import main
from roce_lint.dev.related_tests import module_of, near_tests


@pytest.mark.parametrize(
    ("changed", "near", "far"),
    [
        (
            "roce_lint/report/excerpt.py",
            "tests/unit/report/test_excerpt.py",
            "tests/unit/text/test_numbers.py",
        ),
        (
            "roce_lint/dev/related_tests.py",
            "tests/dev/test_related_tests.py",
            "tests/unit/report/test_excerpt.py",
        ),
        (
            "tests/unit/cli/test_man.py",
            "tests/unit/cli/test_man.py",
            "tests/unit/cli/test_check.py",
        ),
    ],
)
def test_what_is_near(root: Path, changed: str, near: str, far: str) -> None:
    found = near_tests(root, [changed])
    assert near in found
    assert far not in found
    assert all((root / name).is_file() for name in found)


def test_what_is_no_code_is_near_to_nothing(root: Path) -> None:
    assert near_tests(root, ["README.md", "roce_lint/gone.py", "tests/corpus/test_corpus.py"]) == []
    assert module_of("roce_lint/report/__init__.py") == "roce_lint.report"


def test_the_command_prints_them(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests", "tests/dev/test_related_tests.py"], root) == 0
    assert capsys.readouterr().out == "tests/dev/test_related_tests.py\n"
