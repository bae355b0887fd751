"""Where reports go: standard output, files, and a terminal that may be gone."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from roce_lint.errors import UsageError, WriteError
from roce_lint.report import FORMATS, Options
from roce_lint.report.wording import json_escaped
from roce_lint.text.files import write_file

if TYPE_CHECKING:
    from roce_lint.pipeline import Report


def is_terminal(stream: IO[str]) -> bool:
    """True where colour and progress are welcome (a terminal, and NO_COLOR is not set)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """Width of the terminal."""
    return max(shutil.get_terminal_size().columns, 40)


def write(text: str, *, err: bool = False) -> None:
    """Write UTF-8, whatever the locale says; a reader that went away is no error.

    Raises:
        UsageError: standard output cannot be written. What standard error cannot take is lost.
    """
    if not text:
        return
    stream = sys.stderr if err else sys.stdout
    try:
        click.echo(text.encode("utf-8", "replace"), nl=False, err=err)
        stream.flush()
    except OSError as error:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stream.fileno())
        os.close(devnull)
        if not err and not isinstance(error, BrokenPipeError):
            raise _unwritable(error, "standard output") from None


def write_json(data: object) -> None:
    """Write data as JSON to standard output; what JSON does not know becomes its text.

    Raises:
        UsageError: standard output cannot be written.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
    write(json_escaped(text) + "\n")


def parse_outputs(given: tuple[str, ...]) -> list[tuple[str, Path]]:
    """The `FORMAT=FILE` pairs of --output, checked before anything is judged.

    Raises:
        UsageError: no such format, no such folder, or a file given twice.
    """
    outputs: list[tuple[str, Path]] = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not file:
            raise UsageError(f"--output wants FORMAT=FILE, got {text!r}")
        if name not in FORMATS:
            known = ", ".join(FORMATS)
            raise UsageError(f"--output {text}: no format is called {name!r}", hint=known)
        path = Path(file)
        if file == "-":
            raise UsageError(f"--output {text}: for standard output use --format {name}")
        see_that_it_can_be_written(path, f"--output {text}")
        if any(path.resolve() == other.resolve() for _, other in outputs):
            raise UsageError(f"--output {text}: two reports cannot go into one file")
        outputs.append((name, path))
    return outputs


def see_that_it_can_be_written(path: Path, option: str) -> None:
    """Ask before anything is judged: a long run must not end in a name with a wrong letter.

    Raises:
        UsageError: there is no such folder, or nothing may be written there.
    """
    if not path.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"{option}: is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"{option}: may not be written")


def save(path: Path, text: str) -> bool:
    """Write a file, or say why it cannot be; what stood there is untouched then."""
    try:
        write_file(path, text.encode("utf-8", "replace"))
    except WriteError as error:
        write(f"roce-lint: {error}\n", err=True)
        return False
    return True


def see_that_no_input_is_lost(paths: Iterable[Path], report: Report) -> None:
    """A report must not take the place of what was judged.

    Raises:
        UsageError: one of the files to be written was read as configuration in this run.
    """
    written = {os.path.realpath(path): path for path in paths}
    if not written:
        return
    for device in report.devices:
        for name in device.files:
            path = written.get(os.path.realpath(Path(report.base, name)))
            if path is not None:
                raise UsageError(f"is a configuration of {device.name}", location=str(path))


def _unwritable(error: OSError, what: str) -> UsageError:
    return UsageError(f"cannot be written: {error.strerror}", location=what)


def for_stream(options: Options, *, err: bool = False) -> Options:
    """The options with colour and width of a standard stream."""
    stream = sys.stderr if err else sys.stdout
    return replace(options, color=is_terminal(stream), width=columns())
