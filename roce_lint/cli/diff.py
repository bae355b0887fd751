"""`roce-lint diff`: what two states of a fabric differ in, compared by meaning and not as text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.errors import UsageError
from roce_lint.report import Options
from roce_lint.report.wording import WEAKENED

if TYPE_CHECKING:
    from roce_lint.pipeline.comparison import Comparison, Side

SAME, DIFFERENT, INCOMPLETE = 0, 1, 3
"""Unlike in `check`, what could not be read outweighs what was found: 1 says that these are the
differences, and of a side that is not whole nobody can say so.
"""


@click.command("diff")
@click.argument("a")
@click.argument("b")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text",
    show_default=True,
)  # fmt: skip
@click.option("--match", multiple=True, metavar="OLD=NEW", help="A device that was renamed.")
@click.option(
    "--stated", is_flag=True, help="Also what only one side states, and both sides do alike."
)
@click.option("--findings", is_flag=True, help="Also the findings that B has and A has not.")
@fabric_options
@click.option("-v", "--verbose", is_flag=True, help="All values, devices and lines.")
@click.pass_context
def command(ctx: click.Context, /, a: str, b: str, **given: Any) -> None:
    """Compare two states of a fabric: A and B are each a file, a folder, a snapshot or an archive.
    Either may be an intent: then what it states is compared, and nothing else.

    They are compared by what ports do. Exit status: 0 no difference; 1 differences; 2 wrong use;
    3 something could not be read (the rest is compared, and may differ).
    """
    from roce_lint.pipeline.comparison import ComparisonOptions, compare  # noqa: PLC0415
    from roce_lint.pipeline.drift import find_drift, is_intent  # noqa: PLC0415
    from roce_lint.report.weakening import by_settings  # noqa: PLC0415

    form, verbose = given.pop("form"), given.pop("verbose")
    how = ComparisonOptions(
        renamed=_names_by_old_name(given.pop("match")),
        stated=given.pop("stated"),
        findings=given.pop("findings"),
    )
    if a == b == "-":
        raise UsageError("standard input cannot be both sides")
    asked = [RunOptions(paths=(path,), **given) for path in (a, b)]
    settings = [side.settings() for side in asked]
    requests = [side.request(own) for side, own in zip(asked, settings, strict=True)]
    work = find_drift if is_intent(a) or is_intent(b) else compare
    found = work((requests[0], requests[1]), (settings[0], settings[1]), how)
    _see_that_all_are_there(asked[0], found)
    for each, own, side in zip(asked, settings, (found.a, found.b), strict=True):
        pages = side.report.rules if side.report is not None else {}
        side.diagnostics.extend(by_settings(each, own, _base(side), pages, "error"))
    options = Options(cwd=str(Path.cwd()), verbose=verbose)
    _print(found, form, options)
    for side in (found.a, found.b):
        _complain(side, options)
    ctx.exit(INCOMPLETE if found.incomplete else DIFFERENT if found.entries else SAME)


def _base(side: Side) -> Path:
    """The folder that the files of a side are named from."""
    given = Path(side.path)
    return given if given.is_dir() else given.parent


def _names_by_old_name(given: tuple[str, ...]) -> dict[str, str]:
    """The devices of --match, by their old names.

    Raises:
        UsageError: one is not OLD=NEW, or two contradict each other.
    """
    known: dict[str, str] = {}
    for text in given:
        old, equals, new = text.partition("=")
        if not equals or not old or not new:
            raise UsageError(f"--match expects OLD=NEW, got {text!r}")
        if known.get(old, new) != new or any(o != old and n == new for o, n in known.items()):
            raise UsageError(f"--match {text}: another --match names one of them too")
        known[old] = new
    return known


def _see_that_all_are_there(asked: RunOptions, found: Comparison) -> None:
    """A name in which a letter is wrong must not look like a device without a difference.

    Raises:
        UsageError: neither side has a device that was asked for.
    """
    from roce_lint.text.spelling import did_you_mean  # noqa: PLC0415

    devices = [d for side in (found.a, found.b) for d in side.fabric.devices.values()]
    for glob in asked.device:
        if not any(replace(asked, device=(glob,), role=()).wants(device) for device in devices):
            hint = did_you_mean(glob, [device.hostname for device in devices])
            raise UsageError(f"--device {glob}: no device matches", hint=hint)
    if devices and not any(asked.wants(device) for device in devices):
        raise UsageError("no device of either side has what --device and --role ask for")


def _print(found: Comparison, form: str, options: Options) -> None:
    from roce_lint.report import difference, text  # noqa: PLC0415

    if form != "text":
        output.write(difference.render(found, form, options))
        return
    shown = output.for_stream(options)
    output.write(text.paint(difference.as_lines(found, shown), shown))


def _complain(side: Side, options: Options) -> None:
    """What is to be said about files goes to standard error, by the path that was given."""
    from roce_lint.report import text  # noqa: PLC0415
    from roce_lint.report.layout import line  # noqa: PLC0415
    from roce_lint.report.wording import one_line  # noqa: PLC0415

    shown = [
        item
        for item in side.diagnostics
        if item.incomplete or item.kind == WEAKENED or options.verbose
    ]
    lines = []
    for item in shown:
        number = f":{item.line}" if item.line else ""
        file = side.path if item.file == "." else side.name(item.file)
        lines.append(line(one_line(f"{file}{number}: {item.kind}: {item.message}")))
    if lines:
        output.write(text.paint(lines, output.for_stream(options, err=True)), err=True)
