"""Reporters: each formats a Report as text in one format."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from roce_lint.report.guard import guard
from roce_lint.report.selection import GROUPINGS, Options

if TYPE_CHECKING:
    from roce_lint.pipeline import Report

FORMATS = {
    "text": "roce_lint.report.text",
    "concise": "roce_lint.report.concise",
    "json": "roce_lint.report.json",
    "jsonl": "roce_lint.report.jsonl",
    "csv": "roce_lint.report.csv",
    "sarif": "roce_lint.report.sarif",
    "junit": "roce_lint.report.junit",
    "github": "roce_lint.report.github",
    "gitlab": "roce_lint.report.gitlab",
    "markdown": "roce_lint.report.markdown",
    "html": "roce_lint.report.html",
}
"""Public format names and the modules that write them, imported on demand."""


def render(name: str, report: Report, options: Options) -> str:
    """Format the report as `name`, one of FORMATS.

    A finding that cannot be shown is replaced, in the report itself, by a stand-in.
    """
    module = importlib.import_module(FORMATS[name])

    def written(shown: Report) -> str:
        text: str = module.render(shown, options)
        return text

    from roce_lint.budget import pause_collection  # noqa: PLC0415  (who has a report has it)

    with pause_collection():
        return guard(written, report)


__all__ = ["FORMATS", "GROUPINGS", "Options", "guard", "render"]
