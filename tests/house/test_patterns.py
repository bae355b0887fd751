"""No pattern of the package takes more than linear time of what a hostile line can hold.

Every pattern is attacked as the package uses it (from the beginning, or searched for): with what
leads into its inner parts, then one short text pumped many times, then something that fits nowhere.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

ATTACK = Path(__file__).parent / "attack.py"


@pytest.fixture(scope="module")
def attacked() -> dict[str, list[str]]:
    """Patterns that were attacked, and those that fell; in a process that imports nothing else."""
    done = subprocess.run(
        [sys.executable, str(ATTACK)], cwd=ROOT, capture_output=True, text=True, check=True,
        timeout=900, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_no_pattern_is_slower_than_its_line_is_long(attacked: dict[str, list[str]]) -> None:
    assert attacked["fell"] == []


def test_the_patterns_of_every_folder_are_attacked(attacked: dict[str, list[str]]) -> None:
    folders = {place.split("/")[0] for place in attacked["attacked"]}
    assert {"nos", "text", "loading", "engine", "report", "topology", "declared"} <= folders
    assert len(attacked["attacked"]) > 1000


def test_patterns_written_where_they_are_used_are_among_them(
    attacked: dict[str, list[str]],
) -> None:
    places = attacked["attacked"]
    assert sum(place.startswith("nos/eos/lines.py") for place in places) >= 2
    assert sum(place.startswith("nos/linux/packet_marks.py") for place in places) >= 4


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
