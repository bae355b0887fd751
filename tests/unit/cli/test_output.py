"""Streams: colour on a terminal only, UTF-8 always, progress only when it takes long."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from roce_lint.cli import output, run_options
from roce_lint.cli.run_options import Meter
from roce_lint.report import Options


class Stream(io.StringIO):
    """A stream with a given terminal state."""

    def __init__(self, terminal: bool):
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"CLICOLOR_FORCE": "1"}, True),
        (False, {"CLICOLOR_FORCE": "0"}, False),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "FORCE_COLOR": "0"}, False),
        (True, {"TERM": "xterm", "CLICOLOR": "0"}, False),
        (True, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_only_where_it_is_welcome(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert output.wants_color(Stream(terminal)) is expected


def test_each_stream_has_its_own_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "132")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", Stream(False))
    monkeypatch.setattr("sys.stderr", Stream(True))
    options = Options(cwd="/site")
    assert output.for_stream(options).color is False
    assert output.for_stream(options, err=True).color is True
    assert output.for_stream(options, err=True).width == 132


def test_text_is_written_as_utf8_in_any_locale(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    output.write("ä\udcff\n")
    output.write("é\n", err=True)
    output.write("")
    assert capfdbinary.readouterr() == (b"\xc3\xa4?\n", b"\xc3\xa9\n")


def test_outputs_are_parsed(tmp_path: Path) -> None:
    given = (f"json={tmp_path}/a=b.json", f"text={tmp_path}/t.txt")
    assert output.parse_outputs(given) == [
        ("json", tmp_path / "a=b.json"),
        ("text", tmp_path / "t.txt"),
    ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock of the progress bar, fixed at `now`."""
    made = SimpleNamespace(now=100.0)
    made.monotonic = lambda: made.now
    monkeypatch.setattr(run_options, "time", made)
    return made


def test_a_short_run_shows_no_progress(clock: SimpleNamespace) -> None:
    with Meter() as meter:
        clock.now += run_options.AFTER / 2
        meter("reading", 1, 10)
        assert meter._bar is None


def test_a_long_run_shows_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clock: SimpleNamespace
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with Meter() as meter:
        clock.now += run_options.AFTER
        meter("reading", 3, 10)
        meter("reading", 10, 10)
        clock.now += run_options.EVERY / 2
        meter("judging", 1, 2)  # too soon after the last drawing
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "reading" in captured.err
    assert "10/10" in captured.err
    assert "judging" not in captured.err
