"""`roce-lint diff`: semantic diff of two fabric states."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, options
from roce_lint.cli.run_options import RunOptions, fabric_options, format_option, show_progress
from roce_lint.engine.finding import WEAKENED
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.pipeline.comparison import Comparison, Side

SAME, DIFFERENT, INCOMPLETE = 0, 1, 3
"""Unlike in `check`, incomplete wins over differences: 1 means that these are all differences, and
an incomplete side cannot give that.
"""


@click.command("diff", cls=Command)
@click.argument("a")
@click.argument("b")
@options(format_option("text", "json", "markdown"), "match", "stated", "findings", "verbose")
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, a: str, b: str, **given: Any) -> None:
    """Compare two states of a fabric by the behaviour of their ports. A and B are files, folders,
    snapshots or archives; one may be an intent, then only its requirements are compared.

    Exit status: 0 no difference; 1 differences; 2 wrong use; 3 something could not be read (the
    rest is compared).
    """
    from roce_lint.pipeline.comparison import ComparisonOptions, compare  # noqa: PLC0415
    from roce_lint.pipeline.drift import find_drift, is_intent  # noqa: PLC0415

    form, verbose = given.pop("form"), given.pop("verbose")
    how = ComparisonOptions(
        renamed=_names_by_old_name(given.pop("match")),
        stated=given.pop("stated"),
        findings=given.pop("findings"),
    )
    if a == b == "-":
        raise UsageError("standard input cannot be both sides")
    run_options = [RunOptions(paths=(path,), **given) for path in (a, b)]
    settings = [side.settings() for side in run_options]
    requests = [side.request() for side in run_options]
    work = find_drift if is_intent(a) or is_intent(b) else compare
    sides = (requests[0], requests[1]), (settings[0], settings[1])
    found = show_progress(lambda: work(*sides, how))
    _require_devices(run_options[0], found)
    options = Options(cwd=str(Path.cwd()), verbose=verbose)
    _print(found, form, options)
    for side in (found.a, found.b):
        _print_diagnostics(side, options)
    ctx.exit(INCOMPLETE if found.incomplete else DIFFERENT if found.entries else SAME)


def _names_by_old_name(given: tuple[str, ...]) -> dict[str, str]:
    """Parse --match: new names of devices by their old names."""
    known: dict[str, str] = {}
    for text in given:
        old, equals, new = text.partition("=")
        if not equals or not old or not new:
            raise UsageError(f"--match expects OLD=NEW, got {text!r}")
        if known.get(old, new) != new or any(o != old and n == new for o, n in known.items()):
            raise UsageError(f"--match {text}: another --match has one of these names")
        known[old] = new
    return known


def _require_devices(run_options: RunOptions, found: Comparison) -> None:
    """Refuse a misspelt name: it must not look like a device without differences."""
    from roce_lint.text.names import did_you_mean  # noqa: PLC0415

    devices = [d for side in (found.a, found.b) for d in side.fabric.devices.values()]
    for glob in run_options.device:
        if not any(
            replace(run_options, device=(glob,), role=()).selects(device) for device in devices
        ):
            hint = did_you_mean(glob, [device.hostname for device in devices])
            raise UsageError(f"--device {glob}: no device matches", hint=hint)
    if devices and not any(run_options.selects(device) for device in devices):
        raise UsageError("no device of either side matches --device and --role")


def _print(found: Comparison, form: str, options: Options) -> None:
    from roce_lint.report import difference, text  # noqa: PLC0415

    if form != "text":
        output.write(difference.render(found, form, options))
        return
    shown = output.for_stream(options)
    output.write(text.paint(difference.as_lines(found, shown), shown))


def _print_diagnostics(side: Side, options: Options) -> None:
    """Print remarks about files to stderr, with the paths of the command line."""
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
