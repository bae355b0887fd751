"""`roce-lint show`: what was understood of the configurations, and what a port makes of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roce_lint.cli import output
from roce_lint.cli.run_options import RunOptions, fabric_options
from roce_lint.errors import UsageError
from roce_lint.report import Options

if TYPE_CHECKING:
    from roce_lint.analysis.result import Analysis
    from roce_lint.model.device import Device
    from roce_lint.pipeline import Report
    from roce_lint.report.layout import Line
    from roce_lint.text.excerpts import Excerpts

SCHEMA = "roce-lint/show/1"

INCOMPLETE = 3

TABLE_WIDTH = 400


@click.command("show")
@click.argument("path")
@click.option("--port", metavar="PORT", help="A table of what this port does with each code point.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--pager/--no-pager", default=True, help="On a terminal, page what is longer.")
@click.option("--lines", is_flag=True, help="List every line and how it was read.")
@fabric_options
@click.option("-v", "--verbose", is_flag=True, help="The whole normalized model, too.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    path: str,
    port: str | None,
    form: str,
    **given: Any,
) -> None:
    """Show what was understood of the configurations below PATH.

    Without --port: classes and design mode, and for every device its files, the ports in scope
    and why, and the lines that were not recognised.
    """
    from roce_lint.report.weakening import tell  # noqa: PLC0415

    lines, verbose, pager = (given.pop(name) for name in ("lines", "verbose", "pager"))
    asked = RunOptions(paths=(path,), **given)
    settings = asked.settings()
    report = asked.run(settings, progress=sys.stderr.isatty())
    tell(asked, settings, report)
    view = View(report, asked, pager=pager)
    options = Options(cwd=str(Path.cwd()), verbose=verbose)
    if port is not None:
        view.port(port, form, options)
    else:
        view.devices(form, options, lines=lines)
    _complain(report, options)
    ctx.exit(INCOMPLETE if report.incomplete else 0)


class View:
    """What `show` writes about one run."""

    def __init__(self, report: Report, asked: RunOptions, *, pager: bool):
        self._pager = pager
        self.report = report
        self._devices = [device for device in _fabric(report) if asked.wants(device)]

    def devices(self, form: str, options: Options, *, lines: bool) -> None:
        """All devices asked for."""
        from roce_lint.report import device as device_view  # noqa: PLC0415
        from roce_lint.report import summary, text, valleys  # noqa: PLC0415
        from roce_lint.report.layout import EMPTY  # noqa: PLC0415
        from roce_lint.report.places import Places  # noqa: PLC0415

        analysis, excerpts = _parts(self.report)
        kept = valleys.known_tiers(analysis, excerpts)
        if form == "json":
            data = {
                **self._heading(),
                "routes_kept_apart": valleys.as_data(kept),
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
            yield from valleys.as_lines(kept, places)
            for device in self._devices:
                yield EMPTY
                yield from device_view.as_lines(
                    device, analysis, excerpts, places, lines=lines, model=options.verbose
                )

        output.page(text.paint(all_lines(), output.for_stream(options)), pager=self._pager)

    def port(self, wanted: str, form: str, options: Options) -> None:
        """One port of one device."""
        from roce_lint.pipeline.diagnosis import Diagnoses  # noqa: PLC0415
        from roce_lint.report import diagnosis as broken_stages  # noqa: PLC0415
        from roce_lint.report import port_table, text  # noqa: PLC0415
        from roce_lint.report.layout import EMPTY, line  # noqa: PLC0415
        from roce_lint.report.places import Places  # noqa: PLC0415
        from roce_lint.report.wording import one_line  # noqa: PLC0415

        device, port = port_table.find(self._devices, wanted)
        analysis, excerpts = _parts(self.report)
        judged = analysis.port(device.hostname, port.name)
        why = judged.why if judged else analysis.not_judged.get((device.hostname, port.name), "")
        rows = port_table.table(device, port, excerpts)
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
                    "broken": [broken_stages.as_data(each) for each in broken],
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
        lines += [broken_stages.as_line(each, places, f"{each.traffic}: ") for each in broken]
        # A table is not folded: a wide terminal shows it whole, a narrow one breaks its lines.
        painted = replace(output.for_stream(options), width=TABLE_WIDTH)
        output.page(text.paint(lines, painted), pager=self._pager)

    def _heading(self) -> dict[str, Any]:
        from roce_lint.report import weakening  # noqa: PLC0415

        return {
            "schema": SCHEMA,
            "weakened_by": weakening.as_data(self.report.diagnostics),
            "classes": [
                {"name": traffic.name, "basis": traffic.basis, "modes": list(traffic.modes)}
                for traffic in self.report.classes
            ],
        }


def _fabric(report: Report) -> list[Device]:
    return list(report.fabric.devices.values()) if report.fabric is not None else []


def _parts(report: Report) -> tuple[Analysis, Excerpts]:
    if report.analysis is None or report.excerpts is None:
        raise UsageError("nothing was read")
    return report.analysis, report.excerpts


def _complain(report: Report, options: Options) -> None:
    """What is to be said about files goes to standard error."""
    from roce_lint.report import summary, text  # noqa: PLC0415

    lines = list(summary.about_files(report, options))
    output.write(text.paint(lines, output.for_stream(options, err=True)), err=True)
