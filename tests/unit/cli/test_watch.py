"""`check --watch`: the first report whole, then what every change of a file changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roce_lint.cli import check
from roce_lint.cli.judging import judge
from roce_lint.cli.main import cli
from roce_lint.cli.run_options import RunOptions
from tests.conftest import ROOT
from tests.unit.cli.conftest import Run

BROKEN = ROOT / "sample_configs" / "broken-fabric"
SAMPLE = ROOT / "sample_configs" / "clean-fabric"


@pytest.fixture
def fabric(tmp_path: Path) -> Path:
    folder = tmp_path / "fabric"
    shutil.copytree(SAMPLE, folder)
    return folder


def watching(fabric: Path, steps: Iterator[Callable[[], None]]) -> int:
    """Watch while each step is done between two looks, then interrupt."""
    words = ["check", str(fabric), "--no-cache"]
    with cli.make_context("roce-lint", [*words], resilient_parsing=True):
        command = cli.get_command(None, "check")  # type: ignore[arg-type]
        assert command is not None
        ctx = command.make_context("check", words[1:])
    given = dict(ctx.params)
    from roce_lint.cli.judging import AnswerOptions  # noqa: PLC0415

    wanted = AnswerOptions(**{name: given.pop(name) for name in AnswerOptions.__slots__})
    asked = RunOptions(**{**given, "paths": given["paths"]})

    def wait() -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    return check.watch(asked, lambda shown: judge(asked, wanted, shown=shown), wait)


def test_what_a_change_brings_and_takes(fabric: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spine = fabric / "switches" / "spine2.cfg"
    good = spine.read_text()
    bad = (BROKEN / "switches" / "spine2.cfg").read_text()
    (settings := fabric / "roce-lint.toml").write_text("")

    def steps() -> Iterator[Callable[[], None]]:
        capsys.readouterr()
        yield lambda: None  # nothing changed: nothing is said
        assert capsys.readouterr() == ("", "")
        yield lambda: (spine.write_text(bad), None)[1]
        told = capsys.readouterr()
        assert "changed: " in told.err
        assert "spine2.cfg" in told.err
        assert "new\n" in told.out
        assert "error ECN003" in told.out
        assert "NOT READY" in told.out
        yield lambda: (settings.write_text("fail-on = 3\n"), None)[1]
        assert "roce-lint.toml:1" in capsys.readouterr().err
        yield lambda: (settings.write_text(""), spine.write_text(good), None)[2]
        told = capsys.readouterr()
        assert "gone ECN003" in told.out
        assert "READY: all" in told.out

    assert watching(fabric, steps()) == 0


def test_files_that_come_and_go_are_changes(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = check.state_of([str(tmp_path / "a"), str(tmp_path / "b")])
    (tmp_path / "b").write_text("2")
    after = check.state_of([str(tmp_path / "a"), str(tmp_path / "b")])
    assert check.changed_files(before, after) == [str(tmp_path / "b")]
    assert check.changed_files(after, before) == [str(tmp_path / "b")]
    assert check.changed_files(after, after) == []


@pytest.mark.parametrize(
    "words", [["--output", "json=x.json"], ["--format", "json"], ["--write-baseline", "b.json"]]
)
def test_only_text_is_watched(run: Run, words: list[str]) -> None:
    done = run("check", "configs", "--watch", *words)
    assert done.exit_code == 2
    assert "--watch prints only text to standard output" in done.stderr
    assert "standard input does not change" in run("check", "-", "--watch").stderr
