"""Where reports go: standard output, files, and a terminal that may be gone."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from roce_lint.errors import UsageError, WriteError
from roce_lint.report import FORMATS, Options
from roce_lint.report.wording import escape_json
from roce_lint.text.files import write_file

if TYPE_CHECKING:
    from roce_lint.pipeline import Report


F = TypeVar("F", bound=Callable[..., Any])

COLORS = ("auto", "always", "never")
"""Values of --color."""

INSIDE = "!"
"""What stands between the name of an archive and that of a file in it."""

UNFOLDED = 1 << 20
"""Columns of what is no terminal: nothing is folded."""


def color_option(function: F) -> F:
    """Add --color to a command; everything that it writes obeys."""
    return click.option(
        "--color", type=click.Choice(COLORS), expose_value=False, callback=_choose_color,
        help="Colour of what is printed  [default: auto]",
    )(function)  # fmt: skip


def _choose_color(ctx: click.Context, _param: click.Parameter, wanted: str | None) -> None:
    ctx.color = {"always": True, "never": False}.get(wanted or "")


def is_terminal(stream: IO[str]) -> bool:
    """True where somebody reads along, on something that can move its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wants_color(stream: IO[str]) -> bool:
    """Whether colour is welcome: --color first, then the variables that tools agree on, then
    whether it is a terminal (no-color.org, force-color.org, bixense.com/clicolors).
    """
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.color is not None:
        return ctx.color
    said = os.environ.get
    if said("NO_COLOR") or said("FORCE_COLOR") == "0":
        return False
    if said("FORCE_COLOR") or said("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return is_terminal(stream) and said("CLICOLOR") != "0"


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


def page(text: str, *, pager: bool = True) -> None:
    """Write to standard output; on a terminal, what is longer than it goes through a pager.

    The pager is $PAGER or less; without one, or with `pager` false, the text is just written.

    Raises:
        UsageError: standard output cannot be written.
    """
    lines = shutil.get_terminal_size().lines
    words = shlex.split(os.environ.get("PAGER", "less"))
    short = text.count("\n") < lines
    if not pager or short or not words or not (sys.stdin.isatty() and is_terminal(sys.stdout)):
        write(text)
        return
    environment = {"LESS": "FRX", **os.environ}  # colours, and gone where it fits one screen
    try:
        with subprocess.Popen(words, stdin=subprocess.PIPE, env=environment) as reader:  # noqa: S603
            reader.communicate(text.encode("utf-8", "replace"))
    except OSError:
        write(text)


def write_json(data: object) -> None:
    """Write data as JSON to standard output; what JSON does not know becomes its text.

    Raises:
        UsageError: standard output cannot be written.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
    write(escape_json(text) + "\n")


def parse_outputs(given: tuple[str, ...]) -> list[tuple[str, Path]]:
    """The `FORMAT=FILE` pairs of --output, checked before anything is judged.

    Raises:
        UsageError: no such format, no such folder, or a file given twice.
    """
    outputs: list[tuple[str, Path]] = []
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not file:
            raise UsageError(f"--output expects FORMAT=FILE such as html=report.html, got {text!r}")
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


def see_that_no_input_is_lost(
    paths: Iterable[Path], report: Report, steering: Iterable[str]
) -> None:
    """A report must not take the place of what was judged, or of what steered the judgement.

    Raises:
        UsageError: one of the files to be written was read in this run, or steers any.
    """
    from roce_lint.loading.discover import CONTROL  # noqa: PLC0415

    written = {os.path.realpath(path): path for path in paths}
    if not written:
        return
    steered = ((Path(name), "steers this run") for name in steering)
    for name, what in (*_read_in(report), *steered):
        path = written.get(os.path.realpath(name))
        if path is not None:
            raise UsageError(what, location=str(path))
    for real, path in written.items():
        if os.path.basename(real) in CONTROL and path.exists():  # noqa: PTH119
            raise UsageError("steers the runs over its folder", location=str(path))


def _read_in(report: Report) -> Iterator[tuple[Path, str]]:
    """The files of a run, and what each is; of one in an archive the archive, too."""
    read = [(name, f"is a configuration of {device.name}")
            for device in report.devices for name in device.files]  # fmt: skip
    read += [(said.file, "is what this run could not read whole")
             for said in report.diagnostics if said.incomplete]  # fmt: skip
    for name, what in read:
        yield Path(report.base, name), what
        if INSIDE in name:
            yield Path(report.base, name.partition(INSIDE)[0]), what


def _unwritable(error: OSError, what: str) -> UsageError:
    return UsageError(f"cannot be written: {error.strerror}", location=what)


def for_stream(options: Options, *, err: bool = False) -> Options:
    """The options with colour and width of a standard stream."""
    stream = sys.stderr if err else sys.stdout
    terminal = is_terminal(stream)
    width = columns() if terminal else UNFOLDED
    return replace(options, color=wants_color(stream), terminal=terminal, width=width)
