"""Output of reports to standard streams, files and pagers."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import IO

import click

from roce_lint.errors import UsageError, WriteError
from roce_lint.report import FORMATS, Options
from roce_lint.report.wording import escape_json
from roce_lint.text.files import write_file

COLORS = ("auto", "always", "never")
"""Values of --color."""

UNFOLDED = 1 << 20
"""Columns where there is no terminal: nothing is wrapped."""


def choose_color(ctx: click.Context, _param: click.Parameter, choice: str | None) -> None:
    """Take the value of --color."""
    ctx.color = {"always": True, "never": False}.get(choice or "")


def is_terminal(stream: IO[str]) -> bool:
    """Whether the stream is an interactive terminal with a movable cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: IO[str]) -> bool:
    """Whether to use colour: by --color, else NO_COLOR and the like, else on terminals only
    (no-color.org, force-color.org, bixense.com/clicolors).
    """
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.color is not None:
        return ctx.color
    variable = os.environ.get
    if variable("NO_COLOR") or variable("FORCE_COLOR") == "0":
        return False
    if variable("FORCE_COLOR") or variable("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and variable("CLICOLOR") != "0"


def columns() -> int:
    """Width of the terminal."""
    return max(shutil.get_terminal_size().columns, 40)


# What is written, recorded to be written again.

Written = tuple[str, str, str]
"""Kind (OUT, ERR, SAVED, APPENDED, or LOST where it failed), file, text."""

OUT, ERR, SAVED, APPENDED, LOST = "out", "err", "saved", "appended", "lost"

_record: ContextVar[list[Written] | None] = ContextVar("_record", default=None)


@contextmanager
def recorded() -> Iterator[list[Written]]:
    """Record what the block writes to standard output, standard error and files."""
    record: list[Written] = []
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)


def write_again(written: Iterable[Sequence[str]]) -> bool:
    """Write what was recorded; return whether all files were written."""
    saved = True
    for kind, file, text in written:
        if kind in (OUT, ERR):
            write(text, err=kind == ERR)
        else:
            saved &= save(Path(file), text) if kind == SAVED else append(Path(file), text)
    return saved


def _note(kind: str, text: str, file: str = "") -> None:
    record = _record.get()
    if record is not None:
        record.append((kind, file, text))


def write(text: str, *, err: bool = False) -> None:
    """Write UTF-8 in every locale; a closed pipe is not an error.

    Raises:
        UsageError: standard output cannot be written. Messages to a closed stderr are lost.
    """
    if not text:
        return
    _note(ERR if err else OUT, text)
    stream = sys.stderr if err else sys.stdout
    try:
        click.echo(text.encode("utf-8", "replace"), nl=False, err=err)
        stream.flush()
    except OSError as error:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stream.fileno())
        os.close(devnull)
        if not err and not isinstance(error, BrokenPipeError):
            message = f"cannot be written: {error.strerror}"
            raise UsageError(message, location="standard output") from None


def page(text: str, *, pager: bool = True) -> None:
    """Write to standard output; on a terminal through a pager where the text is longer.

    The pager is $PAGER or less.

    Raises:
        UsageError: standard output cannot be written.
    """
    lines = shutil.get_terminal_size().lines
    words = shlex.split(os.environ.get("PAGER", "less"))
    short = text.count("\n") < lines
    if not pager or short or not words or not (sys.stdin.isatty() and is_terminal(sys.stdout)):
        write(text)
        return
    environment = {"LESS": "FRX", **os.environ}  # colours; quits if the text fits one screen
    try:
        with subprocess.Popen(words, stdin=subprocess.PIPE, env=environment) as reader:  # noqa: S603
            reader.communicate(text.encode("utf-8", "replace"))
    except OSError:
        write(text)


def write_json(data: object) -> None:
    """Write data as JSON to standard output; other types as their text.

    Raises:
        UsageError: standard output cannot be written.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
    write(escape_json(text) + "\n")


def parse_outputs(given: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Parse the `FORMAT=FILE` pairs of --output, before the run starts.

    Raises:
        UsageError: unknown format, no such folder, or a file given twice.
    """
    outputs: list[tuple[str, Path]] = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not file:
            raise UsageError(f"--output expects FORMAT=FILE such as html=report.html, got {text!r}")
        if name not in FORMATS:
            known = ", ".join(FORMATS)
            raise UsageError(f"--output {text}: unknown format {name!r}", hint=known)
        path = Path(file)
        if file == "-":
            raise UsageError(f"--output {text}: for standard output use --format {name}")
        require_writable(path, f"--output {text}")
        if any(path.resolve() == other.resolve() for _, other in outputs):
            raise UsageError(f"--output {text}: two reports cannot go into one file")
        outputs.append((name, path))
    return outputs


def require_writable(path: Path, option: str) -> None:
    """Check an output file before the run: a long run must not fail at a misspelt name.

    Raises:
        UsageError: no such folder, or it is not writable.
    """
    if not path.parent.is_dir():
        raise UsageError(f"{option}: no such folder: {path.parent}")
    if path.is_dir():
        raise UsageError(f"{option}: is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option}: is not writable")


def save(path: Path, text: str) -> bool:
    """Write a file, or report why not; an existing file is untouched then."""
    try:
        write_file(path, text.encode("utf-8", "replace"))
    except WriteError as error:
        _note(LOST, "")
        write(f"roce-lint: {error}\n", err=True)
        return False
    _note(SAVED, text, str(path))
    return True


def append(path: Path, text: str) -> bool:
    """Append to a file, or report why not."""
    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        _note(LOST, "")
        write(f"roce-lint: {path}: cannot be written: {error.strerror}\n", err=True)
        return False
    _note(APPENDED, text, str(path))
    return True


def for_stream(options: Options, *, err: bool = False) -> Options:
    """Options with the colour and width of a standard stream."""
    stream = sys.stderr if err else sys.stdout
    terminal = is_terminal(stream)
    width = columns() if terminal else UNFOLDED
    return replace(options, color=wants_color(stream), terminal=terminal, width=width)
