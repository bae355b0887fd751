"""With which status `check` leaves, and what a pipeline may require besides no findings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from roce_lint.text.numbers import decimal_of

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

CLEAN, FINDINGS, INCOMPLETE = 0, 1, 3

LEVELS = ("error", "warning", "info", "never")

REQUIRED = ("ready", "proved")

WHOLE = 100.0


class Percent(click.ParamType[float]):
    """`95%` or `95`."""

    name = "percent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, from 0 to 100."""
        text = str(value).strip().removesuffix("%").strip()
        if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", text) or decimal_of(text) > WHOLE:
            self.fail(f"{value!r} is no percentage from 0% to 100%", param, ctx)
        return decimal_of(text)


@dataclass(slots=True, frozen=True, kw_only=True)
class Demands:
    """What makes an answer a failure.

    `require` is "ready" (all pairs judged, none broken) or "proved" (all pairs judged), `coverage`
    the percentage of the pairs that must have been judged.
    """

    fail_on: str = "error"
    strict: bool = False
    require: str | None = None
    coverage: float | None = None


def status(report: Report, demands: Demands) -> int:
    """The exit status: findings before incompleteness before nothing."""
    from roce_lint.engine.baseline import CRASHES  # noqa: PLC0415
    from roce_lint.engine.finding import Severity  # noqa: PLC0415
    from roce_lint.engine.verdict import Answer  # noqa: PLC0415

    counting = [finding for finding in report.findings if finding.suppressed is None]
    verdict = report.verdict
    if demands.fail_on != "never":
        level = Severity[demands.fail_on.upper()]
        if any(f.severity >= level and f.rule not in CRASHES for f in counting):
            return FINDINGS
    if demands.require == "ready" and verdict.answer is Answer.NOT_READY:
        return FINDINGS
    if demands.require is not None and not verdict.complete:
        return INCOMPLETE
    if demands.coverage is not None and verdict.coverage < demands.coverage:
        return INCOMPLETE
    if report.incomplete or any(finding.rule in CRASHES for finding in report.findings):
        return INCOMPLETE
    if demands.strict and (report.unknowns or report.unrecognised_lines or report.unjudged):
        return INCOMPLETE
    return CLEAN
