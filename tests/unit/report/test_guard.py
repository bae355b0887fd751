"""One finding that cannot be shown costs the report nothing but itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from roce_lint.engine.finding import INCOMPLETE
from roce_lint.pipeline.runner import Criteria, exit_status
from roce_lint.report import FORMATS, guard, render
from tests.unit.report.sample import CNP, MTU, OPTIONS, PFC, report


class Hidden(str):
    """Words that cannot be shown."""

    __slots__ = ()

    def split(self, *_args: Any) -> Any:
        raise LookupError("secret hunter2 in the way")

    encode = splitlines = split


BROKEN = replace(CNP, message=Hidden("x"), consequence=Hidden("y"))


@pytest.mark.parametrize(
    "name", [name for name in FORMATS if name not in ("json", "sarif", "html")]
)
def test_the_others_are_shown(name: str) -> None:
    made = report(MTU, BROKEN, PFC)
    text = render(name, made, OPTIONS)
    assert "a finding that cannot be shown: to show a finding of" in text.replace("\\", "")
    assert MTU.rule in text
    assert PFC.rule in text
    assert "hunter2" not in text
    assert "SRC900" in text or name in ("concise", "gitlab")  # findings only
    assert made.incomplete
    assert exit_status(made, Criteria(fail_on="never")) == INCOMPLETE


def test_json_goes_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from roce_lint.report import json as json_report  # noqa: PLC0415

    original = json_report._finding

    def fails(finding: Any) -> Any:
        if finding.message == CNP.message:
            raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")
        return original(finding)

    monkeypatch.setattr(json_report, "_finding", fails)
    data = json.loads(render("json", report(MTU, CNP, PFC), OPTIONS))
    assert [f["fingerprint"] for f in data["findings"]] == [f.fingerprint for f in (MTU, CNP, PFC)]
    assert "UnicodeEncodeError" in data["findings"][1]["message"]


def test_what_is_no_findings_fault_is_raised() -> None:
    def fails(_report: object) -> str:
        raise LookupError("always")

    with pytest.raises(LookupError, match="always"):
        guard(fails, report(MTU))
