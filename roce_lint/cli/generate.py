"""`roce-lint generate`: generate golden configurations from an intent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.run_options import role_option, show_progress
from roce_lint.engine.finding import CLEAN, FINDINGS, INCOMPLETE
from roce_lint.nos.base import PARTS, WHOLE
from roce_lint.text.numbers import count

if TYPE_CHECKING:
    from roce_lint.design.golden import Design
    from roce_lint.generate import GeneratedFiles
    from roce_lint.text.folders import Folder

SHOWN = 3
"""Number of devices that a line lists."""


@click.command("generate", cls=Command)
@click.argument("intent")
@option("output", "target", required=True)
@options("device", role_option)
@option("part", type=click.Choice(PARTS), default=WHOLE)
@option("templates", type=click.Path(exists=True, file_okay=False, path_type=Path))
@options("commands", "check", "force")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    intent: str,
    target: str,
    device: tuple[str, ...],
    role: tuple[str, ...],
    **how: Any,
) -> None:
    """Generate golden configurations from INTENT into a new folder.

    Exit status: 0 complete; 1 --check found faults, nothing is written; 2 the intent is wrong or
    cannot be designed; 3 some devices or settings cannot be generated (listed on stderr).
    """
    from roce_lint import generate as floor  # noqa: PLC0415
    from roce_lint.pipeline.designing import design_fabric  # noqa: PLC0415
    from roce_lint.report.design import cable  # noqa: PLC0415
    from roce_lint.text.folders import Folder  # noqa: PLC0415

    options = floor.PrintOptions(how["part"], how["templates"], how["commands"])
    if options.templates is not None:
        floor.require_systems(options.templates)
    design = design_fabric(intent)
    chosen = floor.choose_devices(design.layout, device, role)
    with Folder(Path(target), force=how["force"]) as folder:
        made = show_progress(lambda: floor.render_all(design, chosen, options, folder))
        lines = (cable(each.a, each.b, each) for each in design.layout.cables)
        folder.write("links.yaml", "".join(f"{line}\n" for line in lines))
        folder.write("README.md", floor.readme_of(design, chosen, made, options))
        status = CLEAN if made.whole else INCOMPLETE
        if how["check"] and made.written:
            status = _check(design, folder) or status
        _print_omissions(made)
        if status != FINDINGS:
            folder.move(floor.manifest_of(design, made, options.part))
            files = sum(map(len, made.written.values()))
            devices = count(len(made.written), "device")
            output.write(f"{target}: {devices} in {count(files, 'file')}\n")
    ctx.exit(status)


def _check(design: Design, folder: Folder) -> int:
    """Exit status of a strict check of the folder; prints its findings."""
    from roce_lint.cli.printing import print_strictly  # noqa: PLC0415
    from roce_lint.pipeline import Request, run  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    request = Request(
        paths=(str(folder.path),),
        intent=str(design.intent.path),
        links=str(folder.path / "links.yaml"),
        cache=False,
        isolated=True,
    )
    return print_strictly(show_progress(lambda: run(request, NONE)), str(folder.path))


def _print_omissions(made: GeneratedFiles) -> None:
    for what, reasons in (("not rendered", made.refused), ("left out", made.left)):
        for reason, names in reasons.items():
            shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
            output.write(f"roce-lint: {what}: {reason} ({shown})\n", err=True)
