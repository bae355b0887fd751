"""`roce-lint show`: the devices that were read, and the behaviour of a port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.help import Command, option, options
from roce_lint.cli.printing import print_file_remarks
from roce_lint.cli.run_options import RunOptions, fabric_options, format_option
from roce_lint.engine.finding import INCOMPLETE
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.pipeline import Report
    from roce_lint.report.layout import Line
    from roce_lint.text.excerpts import Excerpts

SCHEMA = "roce-lint/show/1"

TABLE_WIDTH = 400


@click.command("show", cls=Command)
@click.argument("path", default=".")
@options("port", format_option("text", "json"), option("pager", default=True), "lines", "verbose")
@fabric_options
@click.pass_context
def command(ctx: click.Context, /, path: str, port: str | None, form: str, **given: Any) -> None:
    """Show the devices below PATH (default: the current folder) as they were read.

    Without --port: traffic classes and design mode, and for each device its files, the ports in
    scope with the reason, and lines that were not recognised; with -v the whole model.
    """
    lines, verbose, pager = (given.pop(name) for name in ("lines", "verbose", "pager"))
    run_options = RunOptions(paths=(path,), **given)
    report = run_options.check()
    view = View(report, run_options, pager=pager)
    options = Options(cwd=str(Path.cwd()), verbose=verbose)
    if port is not None:
        view.port(port, form, options)
    else:
        view.devices(form, options, lines=lines)
    print_file_remarks(report, options)
    ctx.exit(INCOMPLETE if report.incomplete else 0)


class View:
    """Output of `show` for one run."""

    def __init__(self, report: Report, run_options: RunOptions, *, pager: bool):
        self._pager = pager
        self.report = report
        fabric = report.fabric.devices.values() if report.fabric is not None else ()
        self._devices = [device for device in fabric if run_options.selects(device)]

    def devices(self, form: str, options: Options, *, lines: bool) -> None:
        """Print the selected devices."""
        from roce_lint.pipeline.treatment import known_tiers  # noqa: PLC0415
        from roce_lint.report import device as device_view  # noqa: PLC0415
        from roce_lint.report import summary, text  # noqa: PLC0415
        from roce_lint.report.layout import EMPTY  # noqa: PLC0415
        from roce_lint.report.places import Places  # noqa: PLC0415

        analysis, excerpts = _parts(self.report)
        kept = known_tiers(analysis, excerpts)
        if form == "json":
            data = {
                **self._heading(),
                "routes_kept_apart": device_view.tier_data(kept),
                "devices": [
                    device_view.as_data(device, analysis, excerpts, lines=lines)
                    for device in self._devices
                ],
            }
            output.write_json(data)
            return
        places = Places(self.report.base, options.cwd)

        def all_lines() -> Iterator[Line]:
            yield from summary.classes(self.report, options)
            yield from device_view.tier_lines(kept, places)
            for device in self._devices:
                yield EMPTY
                yield from device_view.as_lines(
                    device, analysis, excerpts, places, lines=lines, model=options.verbose
                )

        output.page(text.paint(all_lines(), output.for_stream(options)), pager=self._pager)

    def port(self, spelling: str, form: str, options: Options) -> None:
        """Print one port of one device."""
        from roce_lint.pipeline.diagnosis import Diagnoses  # noqa: PLC0415
        from roce_lint.pipeline.treatment import find_port, port_rows  # noqa: PLC0415
        from roce_lint.report import port_table, text  # noqa: PLC0415
        from roce_lint.report.layout import EMPTY, line  # noqa: PLC0415
        from roce_lint.report.places import Places  # noqa: PLC0415
        from roce_lint.report.wording import one_line  # noqa: PLC0415

        device, port = find_port(self._devices, spelling)
        analysis, excerpts = _parts(self.report)
        judged = analysis.port(device.hostname, port.name)
        why = judged.why if judged else analysis.not_judged.get((device.hostname, port.name), "")
        rows = port_rows(device, port, excerpts)
        diagnosed = Diagnoses(self.report, analysis, excerpts)
        broken = [
            each
            for traffic in (*analysis.data_classes, *analysis.cnp_classes)
            for each in (diagnosed.of_port(traffic, judged) if judged is not None else ())
        ]
        if form == "json":
            output.write_json(
                {
                    **self._heading(),
                    "device": device.hostname,
                    "port": port.name,
                    "judged": judged is not None,
                    "why": why,
                    "rows": port_table.as_data(rows),
                    "broken": [port_table.stage_data(each) for each in broken],
                }
            )
            return
        scope = "judged" if judged else "not judged"
        head = f"{device.hostname} {port.name} ({device.nos}): {scope}" + (
            f", {why}" if why else ""
        )
        lines = [line((one_line(head), "strong")), EMPTY]
        places = Places(self.report.base, options.cwd)
        lines += port_table.as_lines(rows, places)
        if broken:
            lines += [EMPTY, line(("broken", "strong"))]
        lines += [port_table.stage_line(each, places, f"{each.traffic}: ") for each in broken]
        # Tables are not wrapped here: the terminal wraps them.
        painted = replace(output.for_stream(options), width=TABLE_WIDTH)
        output.page(text.paint(lines, painted), pager=self._pager)

    def _heading(self) -> dict[str, Any]:
        from roce_lint.report.wording import weakening_data  # noqa: PLC0415

        return {
            "schema": SCHEMA,
            "weakened_by": weakening_data(self.report.diagnostics),
            "classes": [
                {"name": traffic.name, "basis": traffic.basis, "modes": list(traffic.modes)}
                for traffic in self.report.classes
            ],
        }


def _parts(report: Report) -> tuple[Analysis, Excerpts]:
    if report.analysis is None or report.excerpts is None:
        raise UsageError("no configuration was read")
    return report.analysis, report.excerpts
