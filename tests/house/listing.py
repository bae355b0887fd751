"""The project's own files, as the house tests see them: what git would keep, nothing built."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def project_files() -> tuple[str, ...]:
    """Every file that is or could be committed, relative to the root, with forward slashes."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return tuple(sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()}))


def under(*folders: str, suffix: str = ".py") -> list[str]:
    """The project's files below the folders, by ending."""
    starts = tuple(f"{folder}/" for folder in folders)
    return [name for name in project_files() if name.startswith(starts) and name.endswith(suffix)]


def read(name: str) -> str:
    """The text of a project file."""
    return (ROOT / name).read_text(encoding="utf-8")
