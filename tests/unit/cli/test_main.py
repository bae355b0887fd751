"""The command itself: start-up, wrong commands, crashes, and readers that go away."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import roce_lint
from roce_lint.cli.main import COMMANDS, GROUPS, cli
from roce_lint.engine.finding import Finding
from roce_lint.errors import RoceLintError
from tests.unit.cli.conftest import Run

ROOT = Path(__file__).parents[3]


def python(script: str, *args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", script, *args],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        **options,
    )


def test_version(run: Run) -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"roce-lint {roce_lint.__version__}\n")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(run: Run, option: str) -> None:
    result = run(option)
    assert result.exit_code == 0
    listed = re.findall(r"^  ([a-z][a-z-]*) {2,}[A-Z]", result.stdout, re.MULTILINE)
    assert listed == list(COMMANDS)
    assert re.findall(r"^(\S.*):$", result.stdout, re.MULTILINE) == ["Options", *GROUPS]


def test_no_command_is_wrong_use(run: Run) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Usage: roce-lint [OPTIONS] COMMAND [ARGS]...")


def test_an_unknown_command(run: Run) -> None:
    result = run("chek")
    assert result.exit_code == 2
    assert result.stderr == "roce-lint: unknown command 'chek' (did you mean check?)\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_and_the_modules_agree(run: Run, name: str) -> None:
    command = cli.get_command(None, name)  # type: ignore[arg-type]
    assert command is not None
    assert command.name == name
    result = run(name, "--help")
    assert result.exit_code == 0
    assert f"roce-lint {name}" in result.stdout


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_start_up_loads_click_and_nothing_else(option: str) -> None:
    script = (
        "import sys\n"
        "from roce_lint.cli.main import cli\n"
        "try: cli.main([sys.argv[1]])\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'rich', 'yaml', 'ttp', 'jinja2', 'netmiko', 'importlib.metadata',\n"
        "         'multiprocessing', 'roce_lint.pipeline', 'roce_lint.report', 'roce_lint.model'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    assert python(script, option).stderr == "[]\n"


def test_a_check_imports_what_it_reads_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(
        "!Command: show running-config\nhostname leaf1\ninterface Ethernet1/1\n  mtu 9216\n"
    )
    script = (
        "import sys\n"
        "from roce_lint.cli.main import cli\n"
        "try: cli.main(['check', sys.argv[1], '--no-cache', '-q', '--format', 'concise'])\n"
        "except SystemExit: pass\n"
        "readers = {f'roce_lint.nos.{nos}.normalize' for nos in ('nxos', 'junos', 'linux', 'sonic')}\n"
        "heavy = {'yaml', 'ttp', 'jinja2', 'tarfile', 'multiprocessing', 'sqlite3'}\n"
        "print(sorted((readers | heavy) & set(sys.modules)), file=sys.stderr)\n"
    )
    assert (
        python(script, str(tmp_path)).stderr.splitlines()[-1] == "['roce_lint.nos.nxos.normalize']"
    )


def test_importing_the_package_costs_nothing() -> None:
    script = (
        "import sys, roce_lint\n"
        "print(sorted(name for name in sys.modules if name.startswith('roce_lint')))"
    )
    assert python(script).stdout == "['roce_lint', 'roce_lint._version']\n"


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "roce_lint", "--version"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == f"roce-lint {roce_lint.__version__}\n"


@pytest.mark.parametrize(("error", "expected"), [("ZeroDivisionError", 3), ("SystemExit", 0)])
def test_a_crash_does_not_look_like_findings(error: str, expected: int) -> None:
    script = (
        "from roce_lint.pipeline import runner\n"
        "from roce_lint.cli.main import main\n"
        "import sys\n"
        f"def crash(*args, **named): raise {error}()\n"
        "runner.run = crash\n"
        "sys.argv = ['roce-lint', 'check', '.']\n"
        "main()\n"
    )
    done = python(script)
    assert done.returncode == expected
    assert done.stdout == ""
    assert ("internal error of roce-lint" in done.stderr) is (expected == 3)
    assert ("ZeroDivisionError" in done.stderr) is (expected == 3)


def test_a_reader_that_goes_away_is_no_error() -> None:
    script = (
        "from roce_lint.pipeline import runner\n"
        "from roce_lint.cli.main import main\n"
        "from tests.unit.report.sample import MTU, report\n"
        "import sys\n"
        "runner.run = lambda *args, **named: report(*[MTU] * 5000)\n"
        "sys.argv = ['roce-lint', 'check', '.', '--format', 'json', '-q']\n"
        "main()\n"
    )
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            check=False,
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        os.close(write)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


# ------------------------------------------------------------------------------ the Python interface


def test_the_public_names_are_what_they_say() -> None:
    assert roce_lint.Finding is Finding
    assert roce_lint.RoceLintError is RoceLintError
    for name in roce_lint.__all__:
        assert getattr(roce_lint, name) is not None
        assert name in dir(roce_lint)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'roce_lint' has no attribute 'chek'"):
        roce_lint.chek  # noqa: B018
