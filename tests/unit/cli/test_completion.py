"""Shell completion, requested as shells do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.catalog.profiles import names
from roce_lint.cli.completion import SHELLS
from roce_lint.cli.main import COMMANDS, cli
from tests.parts import part


def completed(*words: str) -> list[str]:
    """Completions in bash after these words, the last of which is incomplete."""
    env = {
        "_ROCE_LINT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["roce-lint", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = CliRunner(env=env).invoke(cli, prog_name="roce-lint")
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_commands() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("tr") == ["trace"]


def test_rules_and_families() -> None:
    assert {"MTU", "MTU001"} <= set(completed("explain", "mtu"))
    assert "PFC001" in completed("check", "--select", "PFC0")
    assert completed("check", "--ignore", "XYZ") == []


def test_profiles() -> None:
    assert completed("check", "--profile", "") == list(names())


def test_systems() -> None:
    assert "sonic" in completed("explain", "PFC001", "--nos", "so")


def test_devices_of_the_folder(root: Path) -> None:
    folder = str(root / "sample_configs" / "clean-fabric")
    assert "leaf1" in completed("check", folder, "--device", "lea")
    assert completed("check", folder, "--device", "nobody") == []
    ends = completed("trace", folder, "--from", "")
    assert "gpu01" in ends
    assert "leaf1" not in ends
    assert completed("check", folder + "/none", "--device", "") == []


ASKED = {
    "bash": (
        'source "$0"; COMP_WORDS=(roce-lint tr); COMP_CWORD=1; _roce_lint_completion roce-lint;'
        'echo "${COMPREPLY[@]}"'
    ),
    # Without a line editor nobody would show what is added.
    "zsh": (
        "compdef() { :; }; _describe() { print -l -- ${(P)3%%:*}; };"
        "compadd() { print -l -- ${(P)@[-1]}; };"
        'source "$0"; words=(roce-lint tr); CURRENT=2; _roce_lint_completion'
    ),
    "fish": 'source $argv[1]; complete -C "roce-lint tr"',
}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(shell: str) -> None:
    done = CliRunner().invoke(cli, ["completion", shell])
    assert done.exit_code == 0
    assert "_ROCE_LINT_COMPLETE" in done.stdout


@pytest.mark.deep
@pytest.mark.parametrize("shell", SHELLS)
def test_a_real_shell_completes_a_command(shell: str, tmp_path: Path) -> None:
    program = part(shell)
    script = tmp_path / "roce-lint"
    script.write_text(CliRunner().invoke(cli, ["completion", shell]).stdout)
    subprocess.run([program, "-n", script], check=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    quiet = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [program, *quiet, "-c", ASKED[shell], script], env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.stdout.split()[:1], done.stderr) == (["trace"], "")
