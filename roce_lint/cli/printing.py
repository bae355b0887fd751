"""A report on standard output, and what goes with it on standard error."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from roce_lint.cli import output
from roce_lint.report import Options, guard, render
from roce_lint.report.wording import WEAKENED

if TYPE_CHECKING:
    from roce_lint.pipeline import Report


def print_report(report: Report, form: str, options: Options, *, quiet: bool) -> None:
    """The report: findings to standard output, head and tail to standard error."""
    from roce_lint.report import summary, text  # noqa: PLC0415
    from roce_lint.report.layout import EMPTY  # noqa: PLC0415
    from roce_lint.report.selection import choose  # noqa: PLC0415

    out = output.for_stream(options)
    err = output.for_stream(options, err=True)
    if form != "text":
        output.write(render(form, report, replace(options, color=False)))
        left_out = choose(report.findings, options.max_findings).remark
        remark = left_out if form == "concise" else ""
        tail = list(summary.tail(report, options, remark=remark))
    else:
        parts = guard(lambda shown: text.parts(shown, out), report)
        tail = parts.tail
        if not quiet and parts.head:
            output.write(text.paint([*parts.head, EMPTY], err), err=True)
        output.write(text.paint(parts.findings, out))
        if not quiet and parts.findings:
            output.write("\n", err=True)
    if not quiet:
        output.write(text.paint(tail, err), err=True)
    else:
        _in_short(report)


def _in_short(report: Report) -> None:
    """What must not be passed over even where only findings are wanted."""
    if report.incomplete:
        output.write("roce-lint: the answer is incomplete; without -q it says why\n", err=True)
    milder = sum(1 for item in report.diagnostics if item.kind == WEAKENED)
    if milder:
        said = f"weakened by the judged tree ({milder}); without -q it says how"
        output.write(f"roce-lint: {said}\n", err=True)
