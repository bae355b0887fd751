"""Every example of every rule page behaves as the page states."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint import checks
from roce_lint.checks import site
from roce_lint.cli.explain import find
from roce_lint.engine import registry
from roce_lint.engine.finding import Certainty, Severity
from roce_lint.engine.page import RulePage
from roce_lint.pipeline import Report
from roce_lint.text.source import Origin
from tests.rules.examples import (
    CRASHES,
    STEERING,
    Example,
    cases,
    causes,
    describe,
    examples,
    examples_of,
    known_files,
    pages,
    report_of,
)


@pytest.mark.parametrize("example", cases(examples("bad", "good", "fixed")))
def test_an_example(example: Example) -> None:
    """A bad one is found at its lines, any other is clean; all are read whole."""
    report = report_of(example)
    (require_found if example.word == "bad" else require_clean)(example, report)
    require_read(example, report)
    require_doubt(report)


def require_found(example: Example, report: Report) -> None:
    assert example.expectations, "a bad example states the expected lines"
    assert causes(report.findings, example.rule) == example.expectations, describe(report.findings)


def require_clean(example: Example, report: Report) -> None:
    errors = [f for f in report.findings if f.severity is Severity.ERROR]
    mine = [f for f in report.findings if f.rule == example.rule]
    assert not example.expectations
    assert describe([*errors, *mine]) == []


def require_read(example: Example, report: Report) -> None:
    if (example.rule, example.word) == ("SRC004", "bad"):  # a file is not read
        assert {d.kind for d in report.diagnostics} == {"two-configs"}
        return
    # A cable to a port that no file has makes the result incomplete.
    about = {"links"} if (example.rule, example.word) == ("LNK004", "bad") else set()
    assert {d.kind for d in report.diagnostics} <= about, report.diagnostics
    wanted = {name for name in example.files if name not in STEERING}
    wanted -= {"leaf1/startup-config.cfg"}  # only compared with the running configuration
    assert known_files(report.fabric) == wanted
    # A port is in scope, or the rule is about the files themselves.
    assert report.judged_ports > 0 or example.rule.startswith("SRC")
    if not (example.rule == "SRC001" and example.word == "bad"):
        assert causes(report.findings, "SRC001") == []


def require_doubt(report: Report) -> None:
    """An unconfirmed default never makes an error."""
    for finding in report.findings:
        if not rests_on_unconfirmed(report, finding.rule, finding.fingerprint):
            continue
        assert finding.severity < Severity.ERROR, describe([finding])
        assert finding.confidence is Certainty.LOW


def rests_on_unconfirmed(report: Report, rule: str, fingerprint: str) -> bool:
    """Whether a place of the finding is an unconfirmed default."""
    return any(
        place.origin is Origin.DEFAULT and place.note.endswith(", unconfirmed")
        for finding in report.findings
        if (finding.rule, finding.fingerprint) == (rule, fingerprint)
        for occurrence in finding.occurrences
        for place in occurrence.locations
    )


def test_some_example_rests_on_an_unconfirmed_default() -> None:
    """Otherwise the test above proves nothing."""
    reports = (report_of(example) for example in examples("bad"))
    assert any(
        rests_on_unconfirmed(report, f.rule, f.fingerprint)
        for report in reports
        for f in report.findings
    )


@pytest.mark.parametrize("page", [p for p in pages() if p.id not in CRASHES], ids=lambda p: p.id)
def test_a_page_shows_the_fault_and_its_absence(page: RulePage) -> None:
    words = {example.word for example in examples_of(page)}
    assert "bad" in words
    assert words & {"good", "fixed"}


@pytest.mark.parametrize("page", [p for p in pages() if p.id not in CRASHES], ids=lambda p: p.id)
def test_a_fixed_file_was_bad(page: RulePage) -> None:
    bad = {(block.case, block.file): block.text for block in page.blocks if block.word == "bad"}
    for block in page.blocks:
        if block.word == "fixed":
            assert bad.get((block.case, block.file), block.text) != block.text
            assert block.case in {case for case, _ in bad}


@pytest.mark.parametrize("rule", CRASHES)
def test_a_crash_has_no_example(rule: str) -> None:
    page = next(page for page in pages() if page.id == rule)
    assert list(examples_of(page)) == []
    assert len(page.section("Example")) > 100


def test_every_check_has_a_page() -> None:
    registry.import_checks(checks)
    own = {
        check.name
        for check in registry.CHECKS.values()
        if check.function.__module__.startswith("roce_lint.checks.") and not for_sites(check)
    }
    assert own == {page.head.check for page in pages()}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.id)
def test_the_function_of_a_page_is_found_by_its_name(page: RulePage) -> None:
    """`pfc-off-on-class-path` in rules/pfc: `pfc_off_on_class_path` below roce_lint/checks/pfc."""
    registry.import_checks(checks)
    function = registry.get(page.head.check, page.path).function
    family = Path(page.path).parent.name
    assert function.__name__ == page.head.name.replace("-", "_")
    assert function.__module__.startswith(f"roce_lint.checks.{family}.")


@pytest.mark.parametrize("page", [p for p in pages() if p.head.formerly], ids=lambda p: p.id)
def test_a_former_name_finds_its_page(page: RulePage) -> None:
    names = {each.head.name for each in pages()}
    assert names.isdisjoint(page.head.formerly)
    assert [find(name, pages()) for name in page.head.formerly] == [page] * len(page.head.formerly)


def for_sites(check: registry.Check) -> bool:
    """Checks that wait for a page of a site's own."""
    return check.function.__module__ == site.__name__


def test_a_page_covers_rules_that_exist() -> None:
    known = {page.id for page in pages()}
    assert {covered for page in pages() for covered in page.head.covers} <= known


PROMISED = {
    "MTU001": ("error", "mtu.too_small_for_roce", {"MTU002", "MTU003"}),
    "MTU002": ("error", "mtu.ends_differ", set()),
    "MTU003": ("error", "mtu.host_above_leaf", set()),
    "MAP001": ("error", "mapping.code_point_outside_lossless", set()),
    "MAP002": ("error", "mapping.trust_ignores_code_point", {"MAP001"}),
    "MAP003": ("error", "mapping.undefined_reference", set()),
    "MAP004": ("error", "mapping.policy_not_attached", {"MAP001", "MAP005"}),
    "MAP005": ("info", "mapping.unused", set()),
    "PFC001": ("error", "pfc.off_on_class_path", {"PFC002"}),
    "PFC002": ("error", "pfc.priority_differs_on_link", set()),
    "PFC003": ("error", "pfc.on_without_class", {"PFC001", "PFC002"}),
    "PFC004": ("error", "pfc.switched_off_globally", {"PFC001", "PFC002"}),
    "ECN001": ("error", "ecn.data_queue_not_marked", set()),
    "ECN002": ("error", "ecn.drops_instead_of_marking", set()),
    "ECN003": ("error", "ecn.thresholds_invalid", set()),
    "ECN004": ("warning", "ecn.thresholds_differ", set()),
    "CLS001": ("error", "classes.foreign_in_lossless", set()),
    "CLS002": ("error", "classes.cnp_with_data", set()),
    "CLS003": ("warning", "classes.unmarked_in_lossless", set()),
    "BUF001": ("error", "buffers.lossless_without_buffer", set()),
    "BUF002": ("error", "buffers.cable_length_missing", set()),
    "NIC001": ("error", "nic.marks_outside_lossless", set()),
    "LNK001": ("error", "links.claims_contradict", set()),
    "SRC001": ("info", "sources.unrecognised_lines", set()),
    "SRC002": ("warning", "sources.bad_value", set()),
    "SRC900": ("error", "sources.rule_crashed", set()),
    "SRC901": ("error", "sources.reader_crashed", set()),
}
"""Rules of the first release: id, severity, check and at least these covered rules. Settings, waivers
and baselines of sites depend on them; later rules are not listed."""


@pytest.mark.parametrize("rule", PROMISED)
def test_a_rule_is_what_it_was_when_it_became_stable(rule: str) -> None:
    severity, check, covers = PROMISED[rule]
    head = next(page.head for page in pages() if page.id == rule)
    assert (head.severity, head.check, head.stage) == (severity, check, "stable")
    assert covers <= set(head.covers)
