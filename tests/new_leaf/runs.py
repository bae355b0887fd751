"""Runs of `new-leaf` on generated fabrics, and their results."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.bench import Files, files_below, write_files
from tests.command import Ended, ended


@dataclass(frozen=True)
class Run:
    """A run with the folder that it read and the files that it wrote."""

    root: Path
    target: Path
    end: Ended
    files: Files

    @property
    def configs(self) -> Files:
        """The files for the folder that was read, by their paths there."""
        found = {name: text for name, text in self.files.items() if name.startswith("configs/")}
        return {name.removeprefix("configs/"): text for name, text in found.items()}

    @property
    def links(self) -> set[frozenset[str]]:
        """The two ends of each link of the cable plan that was written."""
        return links_of(self.files["links.yaml"])


def new_leaf(folder: Path, files: Files, name: str, like: str, *options: str | int) -> Run:
    """A run over files; `folder` gets them and what is written."""
    root, target = write_files(files, folder / "in"), folder / "out"
    words: list[str | Path] = ["new-leaf", root, "--name", name, "--like", like, "-o", target]
    end = ended(*words, *map(str, options))
    return Run(root, target, end, files_below(target))


def written(folder: Path, files: Files, name: str, like: str, *options: str | int) -> Run:
    """A run that succeeds."""
    run = new_leaf(folder, files, name, like, *options)
    assert run.end.returncode == 0, run.end.stderr
    return run


def refused(folder: Path, files: Files, name: str, like: str, *options: str | int) -> str:
    """The reason why a run wrote nothing."""
    run = new_leaf(folder, files, name, like, *options)
    assert run.end.returncode == 2, run.end.output
    assert not run.target.exists()
    assert {*folder.iterdir()} <= {run.root, run.target}
    assert files_below(run.root) == files
    return run.end.stderr


def links_of(plan: str) -> set[frozenset[str]]:
    """The two ends of each link of a cable plan."""
    rows = yaml.safe_load(plan)
    return {frozenset((row["a"], row["b"]) if isinstance(row, dict) else row) for row in rows}


def changed(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that a text loses, and those that it gains, without their indent."""
    steps = [*difflib.ndiff(old.splitlines(), new.splitlines())]

    def of(sign: str) -> Iterator[str]:
        return (step[2:].strip() for step in steps if step.startswith(sign))

    return [*of("- ")], [*of("+ ")]
