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


@click.command("intent")
@click.argument("file", required=False)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of intent.yaml, for editors.")
@click.option("--device", metavar="NAME", help="Show one device of the design, port by port.")
@click.option("--links", is_flag=True, help="Print the cables of the design as links.yaml.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str | None,
    schema: bool,  # noqa: FBT001  (a flag)
    device: str | None,
    links: bool,  # noqa: FBT001  (a flag)
) -> None:
    """Design the fabric that the intent FILE wants, and judge the design by all rules.

    docs/intent.md explains each key with an example. Exit status: 0 all pairs of NICs judged and
    none broken; 1 findings; 2 the intent is wrong or asks for what cannot be; 3 not all is known.
    """
    if schema:
        from roce_lint.intent import document  # noqa: PLC0415  (pydantic only if asked)

        output.write(json.dumps(document.schema(), indent=2) + "\n")
        return
    if file is None:
        raise UsageError(
            "nothing is asked for", hint="FILE is an intent; --schema prints what one may say"
        )
    from roce_lint.pipeline.designing import designed  # noqa: PLC0415

    made = designed(file)
    if links or device is not None:
        _show(made, device, links=links)
        return
    ctx.exit(_judge(made))


def _show(made: Design, device: str | None, *, links: bool) -> None:
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.text.spelling import meant  # noqa: PLC0415

    devices = made.fabric.devices
    if device is not None and device not in devices:
        hint = meant(device, devices)
        raise UsageError(f"--device {device}: no device is called so", hint=hint)
    cables = [
        link
        for link in made.fabric.links
        if device is None or device in {end.device.hostname for end in link.ends}
    ]
    lines = shown.cables(cables) if links else shown.device(made, device or "")
    output.write("".join(f"{line}\n" for line in lines))


def _judge(made: Design) -> int:
    from roce_lint.cli.exit_status import Demands, status  # noqa: PLC0415
    from roce_lint.pipeline.designing import judged  # noqa: PLC0415
    from roce_lint.report import design as shown  # noqa: PLC0415
    from roce_lint.settings import NONE  # noqa: PLC0415

    report = judged(made, NONE)
    output.write("".join(f"{line}\n" for line in shown.overview(made)))
    _findings(report)
    return status(report, Demands(fail_on="info", strict=True, require="ready"))


def _findings(report: Report) -> None:
    from roce_lint.report import text  # noqa: PLC0415

    options = Options(cwd=str(Path.cwd()), show_unknown=True)
    out, err = output.for_stream(options), output.for_stream(options, err=True)
    parts = text.parts(report, options)
    output.write(text.paint(parts.findings, out))
    output.write(text.paint(parts.tail, err), err=True)
