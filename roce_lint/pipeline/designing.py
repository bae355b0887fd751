"""A design judged like any fabric: golden devices in memory, before a line of them is printed."""

from __future__ import annotations

from pathlib import Path

from roce_lint.design.golden import Design, design
from roce_lint.intent.read import read_whole
from roce_lint.loading.load import LoadResult
from roce_lint.pipeline.judging import Terms
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request
from roce_lint.settings import Settings


def design_fabric(path: str) -> Design:
    """The golden devices of an intent.

    Raises:
        IntentError, LinksError: it is wrong, or a wish cannot be met.
    """
    return design(read_whole(Path(path)))


def judge_design(made: Design, settings: Settings) -> Report:
    """The report about golden devices, by the rules and the intent they are made of.

    Raises:
        SettingsError, RulePageError: something else is to be mended.
    """
    request = Request(intent=str(made.intent.path), isolated=True)
    terms = Terms.of(request, settings)
    made.fabric.plan = terms.plan
    terms.hardware.fill(made.fabric.devices.values())
    return terms.answer(LoadResult(), made.fabric)
