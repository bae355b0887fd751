"""Load, link, analyse, check: paths and settings in, a Report out."""

from __future__ import annotations

from roce_lint.pipeline.report import ClassSummary, DeviceSummary, Report
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.pipeline.runner import Run, run

__all__ = [
    "ClassSummary",
    "DeviceSummary",
    "Report",
    "Request",
    "Run",
    "is_asked_for",
    "run",
]
