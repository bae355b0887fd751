"""What a run finds in its environment when a hosted pipeline runs it."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roce_lint.cli import output
from roce_lint.report import Options
from roce_lint.report.wording import OUTSIDE
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

_FORMATS = {"GITHUB_ACTIONS": "github", "GITLAB_CI": "gitlab"}
"""Variables that the services set to `true` in every job, and the format they read. CI alone says
nothing: many tools set it, and people do on their own machines.
"""

_OF_A_REPOSITORY = ("github", "gitlab", "sarif")
"""Formats whose reader knows the files of one repository only."""


@dataclass(slots=True, frozen=True)
class Surroundings:
    """Where the command runs."""

    format: str = "text"  # for standard output where none is asked for
    summary: Path | None = None  # where GitHub shows what a step wrote


def surroundings(outputs: Collection[str]) -> Surroundings:
    """What the environment says; a format that is written into a file anyway is not printed."""
    found = [name for key, name in _FORMATS.items() if os.environ.get(key) == "true"]
    chosen = next((name for name in found if name not in outputs), "text")
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if "github" in found else None
    return Surroundings(chosen, Path(summary) if summary else None)


def append(path: Path, text: str) -> bool:
    """Add to the summary of a step; or say why not, as nothing is lost but a copy."""
    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        output.write(f"roce-lint: {path}: cannot be written: {error.strerror}\n", err=True)
        return False
    return True


def warn_of_files_outside(report: Report, formats: Collection[str], options: Options) -> None:
    """Say where findings stand in files that the reader of a format will not know."""
    from roce_lint.report.places import Places, outside  # noqa: PLC0415

    concerned = [name for name in _OF_A_REPOSITORY if name in formats]
    away = outside(report, Places(report.base, options.cwd)) if concerned else []
    if away:
        files = count(len(away), "file")
        said = f"{', '.join(concerned)}: {files} outside of the working directory: {OUTSIDE}"
        output.write(f"roce-lint: warning: {said}\n", err=True)
