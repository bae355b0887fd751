"""Runs of the command in this process: it starts nothing, and imports nothing anew."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from roce_lint.cli.main import cli
from tests.conftest import ROOT


@dataclass(frozen=True)
class Ended:
    """The exit status of a run and its streams; `output` has both, as a terminal shows them."""

    returncode: int
    stdout: str
    stderr: str
    output: str


def ended(
    *words: str | Path,
    cwd: Path = ROOT,
    confined: Callable[[], None] | None = None,
    **environment: str | None,
) -> Ended:
    """A run in this process, or in a fork of it that `confined` has first deprived of rights."""
    given = [*map(str, words)]
    if confined is None:
        return _run(given, cwd, environment)
    read, write = os.pipe()
    if (child := fork()) == 0:
        try:
            confined()
            with os.fdopen(write, "wb") as out:
                pickle.dump(_run(given, cwd, environment), out)
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        data = answer.read()
    os.waitpid(child, 0)
    made: Ended = pickle.loads(data)  # noqa: S301  (from our own fork)
    return made


def fork() -> int:
    """A fork of this process, although the test runner has other threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _run(words: list[str], cwd: Path, environment: dict[str, str | None]) -> Ended:
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(cli, words, prog_name="roce-lint", env=environment)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Ended(done.exit_code, done.stdout, done.stderr, done.output)
