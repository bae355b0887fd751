"""Reports next to the configurations are not configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.loading.forms import is_report
from roce_lint.report import FORMATS, Options, render
from tests.unit.loading.making import check, diagnostics_of, eos, names, nxos, put
from tests.unit.report.sample import report

OTHERS = {
    "baseline": '{\n  "schema": "roce-lint/baseline/1",\n  "findings": []}',
    "sarif of another": '{"version": "2.1.0", "runs": []}',
    "junit of another": "<testsuites>\n<testsuite/></testsuites>",
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_each_format_is_known(name: str) -> None:
    assert is_report(render(name, report(), Options(cwd="/site")))


@pytest.mark.parametrize("name", OTHERS)
def test_what_lies_beside_reports_is_known(name: str) -> None:
    assert is_report(OTHERS[name])


@pytest.mark.parametrize(
    "text",
    [
        eos(),
        nxos(),
        '{"schema": "x", "PORT": {}}',
        '{"DEVICE_METADATA": {}}',
        "<rpc-reply>\n<configuration/></rpc-reply>",
        "   description link: error MTU001 seen\n",
        "logging event link-status: error on\n",
    ],
)
def test_a_configuration_is_no_report(text: str) -> None:
    assert not is_report(text)


def test_a_second_run_judges_what_the_first_did(tmp_path: Path) -> None:
    """`check . --output json=out.json` twice."""
    put(tmp_path, {"leaf1.cfg": eos()})
    for name in FORMATS:
        put(tmp_path, {f"out.{name}": render(name, report(), Options(cwd="/site"))})
    found = check(tmp_path)
    assert (names(found), diagnostics_of(found), len(found.skipped)) == (
        ["leaf1"],
        [],
        len(FORMATS),
    )


def test_known_findings_beside_the_configurations_are_not_passed_over(tmp_path: Path) -> None:
    put(tmp_path, {"leaf1.cfg": eos(), "known.json": OTHERS["baseline"]})
    found = check(tmp_path)
    assert (names(found), diagnostics_of(found), found.skipped) == (["leaf1"], [], [])
    assert diagnostics_of(check(tmp_path / "known.json")) == [("known.json", None, "report", True)]


def test_a_report_that_is_named_is_refused(tmp_path: Path) -> None:
    put(tmp_path, {"out.json": render("json", report(), Options(cwd="/site"))})
    found = check(tmp_path / "out.json")
    assert diagnostics_of(found) == [("out.json", None, "report", True)]
    assert found.diagnostics[0].message == "a report of a checker, not a configuration"
