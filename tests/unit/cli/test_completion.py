"""What shells are given to complete a command line, asked as they ask."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.catalog.profiles import names
from roce_lint.cli.completion import SHELLS
from roce_lint.cli.main import COMMANDS, cli


def completed(*words: str) -> list[str]:
    """What bash would be offered behind these words, the last of which is not typed to its end."""
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


def test_devices_of_the_folder(root: Path) -> None:
    folder = str(root / "sample_configs" / "clean-fabric")
    assert "leaf1" in completed("check", folder, "--device", "lea")
    assert completed("check", folder, "--device", "nobody") == []
    assert completed("check", folder + "/none", "--device", "") == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_one_that_the_shell_can_read(shell: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["completion", shell])
    assert done.exit_code == 0
    assert "_ROCE_LINT_COMPLETE" in done.stdout
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "roce-lint"
    script.write_text(done.stdout)
    subprocess.run([shell, "-n", script], check=True)
