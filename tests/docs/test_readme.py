"""The README and docs/commands.md show what the commands really print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import ended
from tests.conftest import Golden

COMMANDS = "docs/commands.md"


def _printed(root: Path, *words: str) -> str:
    """Both streams of roce-lint, as a terminal shows them, without colour."""
    done = ended(*words, cwd=root, NO_COLOR="1")
    return done.output + f"roce-lint: exit status {done.returncode}\n"


def _shown(
    root: Path,
    golden: Golden,
    marker: str,
    printed: str,
    *,
    end: bool = False,
    page: str = COMMANDS,
) -> None:
    """Fail unless the block of the page is the beginning (the end) of the output. With --rewrite
    the block is renewed with as many lines as it has.
    """
    path = root / page
    text = path.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {marker} -->\n```\n(.*?)```\n<!-- /{marker} -->", text, re.DOTALL)
    if found is None:
        pytest.fail(f"{page} has no block between <!-- {marker} --> and <!-- /{marker} -->")
    lines = printed.splitlines(keepends=True)
    count = found.group(1).count("\n")
    wanted = "".join(lines[-count:] if end else lines[:count])
    golden.check(path, text[: found.start(1)] + wanted + text[found.end(1) :])


def test_the_demo_is_what_the_command_prints(root, golden):
    printed = _printed(root, "check", "sample_configs/broken-fabric")
    golden.check(root / "docs" / "demo.txt", printed)
    finding = next(part for part in printed.split("\n\n") if "spine1.json:304: error" in part)
    _shown(root, golden, "demo-finding", finding + "\n", page="README.md")
    _shown(root, golden, "demo", printed, end=True, page="README.md")


def test_the_readme_shows_the_table_of_a_port(root, golden):
    printed = _printed(
        root, "show", "sample_configs/clean-fabric", "--device", "leaf2", "--port", "Ethernet1/1"
    )
    _shown(root, golden, "port", printed)


def test_the_readme_shows_a_traced_class(root, golden):
    printed = _printed(
        root, "trace", "sample_configs/broken-fabric", "--from", "gpu01", "--to", "gpu05"
    )
    _shown(root, golden, "trace", printed)
    _shown(root, golden, "trace-end", printed, end=True)


def test_the_readme_shows_a_difference(root, golden):
    samples = "sample_configs/clean-fabric", "sample_configs/broken-fabric"
    printed = _printed(root, "diff", *samples, "--device", "leaf*", "--device", "spine*")
    _shown(root, golden, "diff", printed)


def test_the_readme_shows_a_change_that_is_in_no_file(root, golden):
    change = "leaf2:Ethernet1/31 mtu=9216"
    printed = _printed(root, "whatif", "sample_configs/broken-fabric", "--set", change)
    _shown(root, golden, "whatif", printed)


def test_fixing_shows_a_diff(root, golden):
    printed = _printed(
        root, "fix", "sample_configs/broken-fabric/switches/leaf2.cfg", "--disruptive",
        "--select", "MAP003",
    )  # fmt: skip
    _shown(root, golden, "fix", printed, page="docs/fixing.md")


def test_a_new_leaf_shows_its_choices(root, golden, tmp_path):
    wanted = "--name", "leaf7", "--like", "leaf2", "-o", str(tmp_path / "out")
    printed = _printed(root, "new-leaf", "sample_configs/clean-fabric", *wanted)
    _shown(root, golden, "new-leaf", printed, page="docs/new-leaf.md")


def test_the_readme_shows_what_is_generated(root, golden, tmp_path):
    intent, out = "sample_configs/intents/sonic.yaml", tmp_path / "out"
    printed = _printed(root, "generate", intent, "-o", str(out), "--part", "roce")
    assert printed.endswith("out: 8 devices in 16 files\nroce-lint: exit status 0\n")
    text = (out / "configs" / "leaf1.json").read_text(encoding="utf-8")
    _shown(root, golden, "generated", text, end=True)
