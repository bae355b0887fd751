"""`roce-lint generate`: golden configurations of an intent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.run_options import ROLES
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.design.golden import Design
    from roce_lint.generate.devices import GeneratedFiles
    from roce_lint.text.folders import Folder

DONE, FINDINGS, INCOMPLETE = 0, 1, 3

SHOWN = 3
"""Devices that a line names."""


@click.command("generate")
@click.argument("intent")
@click.option("-o", "--output", "target", required=True, metavar="DIR", help="Folder to write.")
@click.option("--device", multiple=True, metavar="GLOB", help="Only devices with this name.")
@click.option("--role", type=click.Choice(ROLES), multiple=True, help="Only these roles.")
@click.option(
    "--part", type=click.Choice(["all", "roce"]), default="all", show_default=True,
    help="Whole configurations, or what treats RoCE alone.",
)  # fmt: skip
@click.option("--commands", is_flag=True, help="Also as commands, where a system takes them.")
@click.option("--check", is_flag=True, help="Judge what was written before it is put into place.")
@click.option("--force", is_flag=True, help="Overwrite files that were not made here.")
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
    """Write the golden configurations that INTENT wants into a new folder DIR.

    docs/intent.md explains the intent. Exit status: 0 every wish is written; 1 --check found
    faults, and nothing was put into place; 2 the intent is wrong or asks for what cannot be;
    3 some devices or wishes cannot be printed, which is told.
    """
    from roce_lint.generate import devices as floor  # noqa: PLC0415
    from roce_lint.pipeline.designing import design_fabric  # noqa: PLC0415
    from roce_lint.report.design import cables  # noqa: PLC0415
    from roce_lint.text.folders import Folder  # noqa: PLC0415

    part: str = how["part"]
    design = design_fabric(intent)
    wanted = floor.choose_devices(design, device, role)
    with Folder(Path(target), force=how["force"]) as folder:
        made = floor.render_all(design, wanted, part, folder, commands=how["commands"])
        folder.write("links.yaml", "".join(f"{line}\n" for line in cables(design.fabric.links)))
        folder.write("README.md", floor.readme_of(design, wanted, made, part))
        status = DONE if made.whole else INCOMPLETE
        if how["check"] and made.written:
            status = _judge(design, folder) or status
        _tell(made)
        if status != FINDINGS:
            folder.move(floor.manifest_of(design, made, part))
            output.write(f"{target}: {_count(made.written, 'device')} in {_files(made)}\n")
    ctx.exit(status)


def _judge(design: Design, folder: Folder) -> int:
    """The status of a strict check of the folder, whose findings are printed."""
    from roce_lint.cli.exit_status import Demands, status  # noqa: PLC0415
    from roce_lint.pipeline import Request, run  # noqa: PLC0415
    from roce_lint.report import text  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    request = Request(
        paths=(str(folder.path),),
        intent=str(design.intent.path),
        links=str(folder.path / "links.yaml"),
        cache=False,
        isolated=True,
    )
    report = run(request, NONE)
    options = Options(cwd=str(folder.path), show_unknown=True, all_gaps=True)
    parts = text.parts(report, options)
    output.write(text.paint(parts.findings, output.for_stream(options)))
    output.write(text.paint(parts.tail, output.for_stream(options, err=True)), err=True)
    return status(report, Demands(fail_on="info", strict=True, require="ready"))


def _tell(made: GeneratedFiles) -> None:
    """Say on standard error what is not in the files, each reason once."""
    for what, reasons in (("not rendered", made.refused), ("left out", made.left)):
        for reason, names in reasons.items():
            shown = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
            output.write(f"roce-lint: {what}: {reason} ({shown})\n", err=True)


def _files(made: GeneratedFiles) -> str:
    return _count([name for names in made.written.values() for name in names], "file")


def _count(things: dict[str, list[str]] | list[str], what: str) -> str:
    return f"{len(things)} {what}" if len(things) == 1 else f"{len(things)} {what}s"
