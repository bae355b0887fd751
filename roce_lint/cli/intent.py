"""`roce-lint intent`: show, validate or draft an intent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.errors import UsageError

if TYPE_CHECKING:
    from roce_lint.design.golden import Design

INCOMPLETE = 3


@click.command("intent", cls=Command)
@click.argument("file", required=False)
@options("schema", option("show", "device"), "print-links")
@option("links", is_flag=False, flag_value="-")
@option("from", "source", metavar="PATH", help="Draft the intent of these configurations.")
@option("output", "target", metavar="FILE", help="Write the draft to a new file.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str | None,
    schema: bool,  # noqa: FBT001  (a flag)
    device: str | None,
    print_links: bool,  # noqa: FBT001
    links: str | None,
    source: str | None,
    target: str | None,
) -> None:
    """Design the fabric of the intent FILE, and check the design by all rules. With --from, draft
    the intent of existing configurations: the settings of most ports, and each exception.

    Exit status: 0 all NIC pairs checked and none broken, or the draft is complete; 1 findings;
    2 the intent is wrong or cannot be designed; 3 incomplete.
    """
    if print_links:
        links = links or "-"
    if source is not None:
        if file is not None or schema or device is not None:
            raise UsageError("--from drafts an intent: FILE, --schema and --show do not apply")
        ctx.exit(_draft(source, links, target))
    if target is not None:
        raise UsageError("-o needs --from")
    if links not in (None, "-") and file is None:  # the former --links [FILE]
        file, links = links, "-"
    if schema:
        from roce_lint.intent.schema import json_schema  # noqa: PLC0415  (pydantic)

        output.write(json.dumps(json_schema(), indent=2) + "\n")
        return
    if file is None:
        raise UsageError("FILE is missing", hint="an intent; --schema prints its JSON Schema")
    from roce_lint.pipeline.designing import design_fabric  # noqa: PLC0415

    made = design_fabric(file)
    if links or device is not None:
        _show(made, device, links=bool(links))
        return
    ctx.exit(_check(made))


def _show(made: Design, device: str | None, *, links: bool) -> None:
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.text.names import did_you_mean  # noqa: PLC0415

    devices = made.fabric.devices
    if device is not None and device not in devices:
        hint = did_you_mean(device, devices)
        raise UsageError(f"--show {device}: no device matches", hint=hint)
    cables = [
        link
        for link in made.fabric.links
        if device is None or device in {end.device.hostname for end in link.ends}
    ]
    lines = shown.cables(cables) if links else shown.device(made, device or "")
    output.write("".join(f"{line}\n" for line in lines))


def _check(made: Design) -> int:
    from roce_lint.cli.printing import print_strictly  # noqa: PLC0415
    from roce_lint.pipeline.designing import judge_design  # noqa: PLC0415
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    report = judge_design(made, NONE)
    output.write("".join(f"{line}\n" for line in shown.overview(made)))
    return print_strictly(report, str(Path.cwd()))


def _draft(source: str, links: str | None, target: str | None) -> int:
    """Draft the intent of configurations; return whether it is complete as exit status."""
    from roce_lint import pipeline  # noqa: PLC0415
    from roce_lint.pipeline.designing import draft_intent  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    if not Path(source).exists():
        raise UsageError(f"no such file or folder: {source}")
    if target is not None and Path(target).exists():
        raise UsageError(f"{target} exists", hint="name a new file")
    plan = links if links != "-" else None
    report = pipeline.run(pipeline.Request(paths=(source,), links=plan), NONE)
    made = draft_intent(report, source)
    if target is None:
        output.write(made.text)
    else:
        from roce_lint.text.files import write_file  # noqa: PLC0415

        write_file(Path(target), made.text.encode())
    for text in made.left_out:
        output.write(f"left out: {text}\n", err=True)
    for text in made.refused:
        output.write(f"cannot be designed: {text}\n", err=True)
    for each in report.diagnostics:
        if each.incomplete:
            output.write(f"{each.file}: {each.kind}: {each.message}\n", err=True)
    if made.whole and not report.incomplete:
        return 0
    output.write("roce-lint: the draft is incomplete, for the reasons above (status 3)\n", err=True)
    return INCOMPLETE
