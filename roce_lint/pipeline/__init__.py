"""Load, link, analyse, judge: paths and settings in, a Report out. Nothing else happens here."""

from __future__ import annotations

from roce_lint.pipeline.report import ClassSummary, DeviceSummary, Report
from roce_lint.pipeline.request import Progress, Request, is_asked_for
from roce_lint.pipeline.steps import run

__all__ = [
    "ClassSummary",
    "DeviceSummary",
    "Progress",
    "Report",
    "Request",
    "is_asked_for",
    "run",
]
