"""`roce-lint intent`: what an intent may say, and what it comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roce_lint.cli import output
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.design.golden import Design
    from roce_lint.pipeline.report import Report

INCOMPLETE = 3


@click.command("intent")
@click.argument("file", required=False)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of intent.yaml, for editors.")
@click.option("--device", metavar="NAME", help="Show one device of the design, port by port.")
@click.option(
    "--links",
    is_flag=False,
    flag_value="-",
    metavar="[FILE]",
    help="Print the cables of the design as links.yaml; with --from the cable plan to read.",
)
@click.option("--from", "source", metavar="PATH", help="Draft the intent of an existing fabric.")
@click.option("-o", "--output", "target", metavar="FILE", help="Write the draft to a new file.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str | None,
    schema: bool,  # noqa: FBT001  (a flag)
    device: str | None,
    links: str | None,
    source: str | None,
    target: str | None,
) -> None:
    """Design the fabric that the intent FILE wants, and judge the design by all rules. With --from
    draft the intent of configurations: what most ports do, and what is otherwise where.

    docs/intent.md explains each key with an example. Exit status: 0 all pairs of NICs judged and
    none broken, or all of a fabric drafted; 1 findings; 2 the intent is wrong or asks for what
    cannot be; 3 not all is known.
    """
    if source is not None:
        if file is not None or schema or device is not None:
            raise UsageError("--from drafts an intent: FILE, --schema and --device are for one")
        ctx.exit(_draft(source, links, target))
    if target is not None:
        raise UsageError("-o is for --from")
    if links not in (None, "-") and file is None:  # --links FILE: what follows is the intent
        file, links = links, "-"
    if schema:
        from roce_lint.intent import document  # noqa: PLC0415  (pydantic only if asked)

        output.write(json.dumps(document.schema(), indent=2) + "\n")
        return
    if file is None:
        raise UsageError(
            "nothing is asked for", hint="FILE is an intent; --schema prints what one may say"
        )
    from roce_lint.pipeline.designing import design_fabric  # noqa: PLC0415

    made = design_fabric(file)
    if links or device is not None:
        _show(made, device, links=bool(links))
        return
    ctx.exit(_judge(made))


def _show(made: Design, device: str | None, *, links: bool) -> None:
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.text.spelling import did_you_mean  # noqa: PLC0415

    devices = made.fabric.devices
    if device is not None and device not in devices:
        hint = did_you_mean(device, devices)
        raise UsageError(f"--device {device}: no device matches", hint=hint)
    cables = [
        link
        for link in made.fabric.links
        if device is None or device in {end.device.hostname for end in link.ends}
    ]
    lines = shown.cables(cables) if links else shown.device(made, device or "")
    output.write("".join(f"{line}\n" for line in lines))


def _judge(made: Design) -> int:
    from roce_lint.cli.exit_status import Demands, status  # noqa: PLC0415
    from roce_lint.pipeline.designing import judge_design  # noqa: PLC0415
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    report = judge_design(made, NONE)
    output.write("".join(f"{line}\n" for line in shown.overview(made)))
    _findings(report)
    return status(report, Demands(fail_on="info", strict=True, require="ready"))


def _findings(report: Report) -> None:
    from roce_lint.report import text  # noqa: PLC0415

    options = Options(cwd=str(Path.cwd()), show_unknown=True, all_gaps=True)
    out, err = output.for_stream(options), output.for_stream(options, err=True)
    parts = text.parts(report, options)
    output.write(text.paint(parts.findings, out))
    output.write(text.paint(parts.tail, err), err=True)


def _draft(source: str, links: str | None, target: str | None) -> int:
    """Draft the intent of configurations; the status says whether all of them stands in it."""
    from roce_lint import pipeline  # noqa: PLC0415
    from roce_lint.pipeline.drafting import draft_intent  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    if not Path(source).exists():
        raise UsageError(f"no such file or folder: {source}")
    if target is not None and Path(target).exists():
        raise UsageError(f"{target} is there already", hint="name a new file")
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
    return 0 if made.whole and not report.incomplete else INCOMPLETE
