"""Standard streams that are closed, full, or not there: the answer and its status stay the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.conftest import ROOT

LEAF = str(ROOT / "sample_configs" / "broken-fabric" / "switches" / "leaf2.cfg")


def shell(words: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of sh in which `$0` is roce-lint's interpreter and `$1` a switch with errors."""
    return subprocess.run(
        ["sh", "-c", words, sys.executable, LEAF, *options],
        cwd=ROOT, capture_output=True, check=False, timeout=120,
    )  # fmt: skip


CHECK = '"$0" -m roce_lint check "$1" --no-cache -j 1 --format concise'


def test_a_closed_standard_error_changes_nothing() -> None:
    whole, closed = shell(CHECK), shell(f"{CHECK} 2>&-")
    assert (closed.returncode, closed.stdout) == (1, whole.stdout)
    assert whole.stdout.count(b"\n") >= 3


def test_a_closed_standard_output_leaves_the_status(tmp_path: Path) -> None:
    done = shell(f'{CHECK} --output json="$2" >&-', str(tmp_path / "out.json"))
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "out.json").read_text().startswith("{")


def test_everything_closed() -> None:
    assert shell(f"{CHECK} <&- >&- 2>&-").returncode == 1


def test_standard_input_that_is_closed_is_empty() -> None:
    done = shell('"$0" -m roce_lint check - <&-')
    assert done.returncode == 3
    assert b"<stdin>: no-text: empty file" in done.stderr


@pytest.mark.parametrize("command", ["check . --select MTU", "rules", "explain MTU001", "show ."])
def test_a_full_standard_output_is_told(command: str, tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text("! device: leaf1 (x, EOS-4.32.1F)\nhostname leaf1\nend\n")
    words = command.replace(" . ", " $2 ").replace("show .", "show $2")
    done = shell(f'"$0" -m roce_lint {words} --format json >/dev/full', str(tmp_path))
    if command.startswith("explain"):
        done = shell(f'"$0" -m roce_lint {words} >/dev/full')
    said = b"roce-lint: standard output: cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr[-len(said) :]) == (2, said)


def test_a_reader_of_help_that_goes_away_is_no_error() -> None:
    done = shell('{ "$0" -m roce_lint check --help; echo $? >&2; } | true')
    assert done.stderr in (b"0\n", b"")


def test_what_the_answer_is_written_into_is_no_file_to_judge(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(
        "! device: leaf1 (x, EOS-4.32.1F)\ninterface Ethernet1\nend\n"
    )
    (tmp_path / "lost.cfg").write_text("")
    words = 'cd "$2" && PYTHONPATH="$3" "$0" -m roce_lint check . >out.txt 2>err.txt'
    done = shell(words, str(tmp_path), str(ROOT))
    assert done.returncode == 0
    said = (tmp_path / "err.txt").read_text()
    assert "lost.cfg: no-text: empty file; skipped\n" in said
    assert "out.txt" not in said
    assert "err.txt" not in said


def test_a_draft_states_what_it_leaves_out() -> None:
    """Exit status 3 has its reason on standard error; the draft itself is the output."""
    leaf = str(ROOT / "tests" / "nos" / "aoscx" / "leaf" / "running-config.cfg")
    result = CliRunner().invoke(cli, ["intent", "--from", leaf], prog_name="roce-lint")
    assert result.exit_code == 3
    assert "left out: leaf1: " in result.stderr
    assert "left out" not in result.stdout
