"""No pattern of the package takes more than linear time for what a hostile line can hold.

Every pattern is attacked as the package uses it (from the beginning, or searched for): with text
that leads into its inner parts, then a short text repeated many times, then one that never matches.
An attack takes time and measures it, so patterns.txt records which patterns withstood it; the
landing suite compares that record, and `make test-deep` attacks them all again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT, Golden

ATTACK = Path(__file__).parent / "attack.py"
RECORD = Path(__file__).parent / "patterns.txt"


@dataclass
class Attack:
    """The result of attack.py: a hash for each file with patterns, and the patterns that fell."""

    hashes: dict[str, str]
    fell: list[str]
    count: int

    @property
    def record(self) -> str:
        """The text of patterns.txt."""
        return "".join(f"{value} {file}\n" for file, value in sorted(self.hashes.items()))


def attack(*files: str) -> Attack:
    """List all patterns and attack those of some files, in a process that imports nothing else."""
    done = subprocess.run(
        [sys.executable, str(ATTACK), *files], cwd=ROOT, capture_output=True, text=True, check=True,
        timeout=900, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return Attack(**json.loads(done.stdout))


def test_every_pattern_has_withstood_an_attack(golden: Golden) -> None:
    """With --rewrite, the patterns of the changed files are attacked."""
    found = attack()
    old = dict(line.split()[::-1] for line in RECORD.read_text().splitlines())
    changed = [file for file, value in found.hashes.items() if old.get(file) != value]
    if golden.rewrite and changed:
        assert attack(*changed).fell == []
    golden.check(RECORD, found.record)
    folders = {file.split("/")[0] for file in found.hashes}
    assert {"nos", "text", "loading", "engine", "report", "topology", "declared"} <= folders
    assert {"nos/eos/lines.py", "nos/linux/packet_marks.py"} <= found.hashes.keys()
    assert found.count > 1000


@pytest.mark.deep
def test_no_pattern_is_slower_than_its_line_is_long() -> None:
    assert attack("all").fell == []


@pytest.mark.deep
def test_the_attack_finds_what_is_slow() -> None:
    code = (
        "import json, re, runpy\n"
        f"attack = runpy.run_path({str(ATTACK)!r})['attack']\n"
        "slow = [r'(?P<k>\\w+)\\s*[=:]\\s*\"?(?P<v>[^\";]*)\"?\\s*;?\\s*$', r'(?:a|a)*$', r'x\\s*\\s*y']\n"
        "fast = [r'\\w+ \\d+$', r'(?:ab)*c', r'x\\s*+y', r'[^;]*+;']\n"
        "print(json.dumps([[bool(attack(re.compile(p), 'match')) for p in g] for g in (slow, fast)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [[True] * 3, [False] * 4]
