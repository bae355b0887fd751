"""A crash of a check or a reader is a finding, and everything else is still checked."""

from __future__ import annotations

import importlib.metadata
import re
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.engine import fold
from roce_lint.engine import run as engine_run
from roce_lint.engine.api import Problem, device_check
from roce_lint.engine.finding import Diagnostic, Severity
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.run import Rules, judge
from roce_lint.loading import identify, pool
from roce_lint.model.plan import RocePlan
from roce_lint.nos import registry as nos_registry
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Signature, Source
from roce_lint.pipeline import Request, run
from roce_lint.resources import resource_dir
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from tests.unit.engine.rules import BODY, checks_of_this_test, judged, page, shown
from tests.unit.fabric import analysed, fabric, port, switch


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    with checks_of_this_test():
        yield


def own(rule: str) -> RulePage:
    return next(page for page in load_pages([resource_dir("rules")]) if page.id == rule)


@pytest.fixture
def crashing() -> RulePage:
    @device_check("test:crash")
    def crash(device, given):
        yield Problem("found before the crash", "so what", [device.where()])
        raise KeyError("Ethernet1/1")

    return page("TST001", "test:crash")


@pytest.fixture
def healthy() -> RulePage:
    @device_check("test:healthy")
    def healthy(device, given):
        yield Problem("odd", "so what", [device.where()])

    return page("TST002", "test:healthy")


def leaf():
    device = switch("leaf1")
    port(device, "e1")
    return device


def test_a_crashed_rule_is_a_finding_and_the_others_go_on(
    crashing: RulePage, healthy: RulePage
) -> None:
    result = judged(fabric(leaf()), crashing, healthy, own("SRC900"), own("SRC901"))
    assert shown(result.findings) == [
        ("SRC900", "error", "rule TST001 crashed: KeyError: 'Ethernet1/1'"),
        ("TST001", "error", "found before the crash"),
        ("TST002", "error", "odd"),
    ]
    crash = result.findings[0]
    assert (crash.device, crash.subjects, crash.location) == ("", ("TST001",), None)
    assert crash.consequence == "findings of this rule are missing"


def test_a_crashed_rule_makes_the_answer_incomplete(crashing: RulePage) -> None:
    (diagnostic,) = judged(fabric(leaf()), crashing, own("SRC900")).diagnostics
    assert diagnostic.incomplete
    assert diagnostic.kind == "rule-crashed"
    assert diagnostic.message == "SRC900 rule TST001 crashed: KeyError: 'Ethernet1/1'"
    assert "in crash" in diagnostic.detail


def test_without_its_page_a_crash_is_a_diagnostic_still(crashing: RulePage) -> None:
    result = judged(fabric(leaf()), crashing)
    assert [f.rule for f in result.findings] == ["TST001"]
    assert [d.kind for d in result.diagnostics] == ["rule-crashed"]


def test_a_site_may_lower_the_severity_of_a_crash(crashing: RulePage) -> None:
    lowered = {"SRC900": Severity.INFO}
    found = judged(fabric(leaf()), crashing, own("SRC900"), severities=lowered).findings
    assert ("SRC900", Severity.INFO) in [(f.rule, f.severity) for f in found]


def test_a_rule_that_takes_too_long_is_interrupted_and_the_others_go_on(healthy: RulePage) -> None:
    @device_check("test:slow")
    def slow(device, given):
        yield Problem("found in time", "so what", [device.where()])
        re.match(r"(?:a|aa)+$", "a" * 80 + "b")

    result = judged(
        fabric(leaf()), page("TST001", "test:slow"), healthy, own("SRC900"), seconds=0.1
    )
    assert shown(result.findings) == [
        ("SRC900", "error", "rule TST001 took more than 0.1 s of processor time"),
        ("TST001", "error", "found in time"),
        ("TST002", "error", "odd"),
    ]
    assert [d.incomplete for d in result.diagnostics] == [True]


def test_a_finding_that_cannot_be_folded_is_told_and_the_others_are_there(
    healthy: RulePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    @device_check("test:bad")
    def bad(device, given):
        yield Problem("whole", "so what", [device.where()], value="good")
        yield Problem("broken", "so what", [device.where()], value="bad")

    def fingerprint(*parts: str) -> str:
        if "bad" in parts:
            raise ValueError("password hunter2")
        return ".".join(parts)

    monkeypatch.setattr(fold, "fingerprint", fingerprint)
    result = judged(fabric(leaf()), page("TST001", "test:bad"), healthy, own("SRC900"))
    assert shown(result.findings) == [
        ("TST001", "error", "whole"),
        ("TST002", "error", "odd"),
        (
            "SRC900",
            "error",
            "to put together a finding of TST001 crashed: ValueError: password ***",
        ),
    ]
    assert [d.incomplete for d in result.diagnostics] == [True]
    assert "hunter2" not in result.diagnostics[0].detail


def test_a_folding_that_fails_leaves_every_problem_a_finding(
    healthy: RulePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_run, "cover", lambda _raws: 1 // 0)
    result = judged(fabric(leaf()), healthy, own("SRC900"))
    assert [f.rule for f in result.findings] == ["TST002", "SRC900"]
    assert "ZeroDivisionError" in result.findings[1].message


def test_devices_whose_reading_crashed_alike_are_one_finding() -> None:
    unread = [
        Diagnostic(
            f"leaf{n}.cfg",
            "reader-crashed",
            f"SRC901 reading leaf{n} crashed: IndexError: list index out of range",
            device=f"leaf{n}",
        )
        for n in (2, 3)
    ]
    made = fabric(leaf())
    analysis = analysed(*made.devices.values())
    rules = Rules([own("SRC901")])
    (found,) = judge(made, analysis, RocePlan(), rules, Excerpts(), unread).findings
    assert found.message == "reading leaf2 crashed: IndexError: list index out of range"
    assert [(o.device, o.locations[0].file, o.locations[0].line) for o in found.occurrences] == [
        ("leaf2", "leaf2.cfg", 1),
        ("leaf3", "leaf3.cfg", 1),
    ]


# The whole way: a reader that raises, a rule that raises, the exit status.

CONFIG = "! made by acme\nhostname acme1\n"


def explode(reading):
    message = "no such port"
    raise IndexError(message)


@pytest.fixture
def acme(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A NOS that another package brings and whose reader raises."""
    config = Source(
        "config",
        form=Form.RAW,
        signatures=(Signature(r"^! made by acme", 20, "heading"),),
        base=True,
        hostname=r"^hostname (?P<name>\S+)",
    )
    point = types.SimpleNamespace(
        name="acme", value="acme:NOS", load=lambda: Nos("acme", "Acme", (config,), explode)
    )
    monkeypatch.setattr(
        importlib.metadata,
        "entry_points",
        lambda group: [point] if group == nos_registry.ENTRY_POINTS else [],
    )
    forget_nos()
    yield
    monkeypatch.undo()
    forget_nos()


def forget_nos() -> None:
    """Recompute cached data of the known NOSes."""
    for module in (nos_registry, identify):
        for made_once in vars(module).values():
            if hasattr(made_once, "cache_clear"):
                made_once.cache_clear()


@pytest.mark.usefixtures("acme")
def test_a_reader_that_raises_is_found(tmp_path: Path) -> None:
    (tmp_path / "acme1.cfg").write_text(CONFIG)
    report = run(Request((str(tmp_path),), jobs=1, cache=False), Settings())
    assert shown(report.findings) == [
        ("SRC901", "error", "reading acme1 crashed: IndexError: no such port")
    ]
    found = report.findings[0]
    assert (found.device, found.location.file, found.location.line) == ("acme1", "acme1.cfg", 1)
    assert report.incomplete
    assert [(d.kind, d.device) for d in report.diagnostics] == [(pool.CRASH, "acme1")]


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize("level", ["error", "info", "never"])
def test_a_crash_alone_is_exit_status_3_whatever_the_level(tmp_path: Path, level: str) -> None:
    (tmp_path / "acme1.cfg").write_text(CONFIG)
    done = CliRunner().invoke(
        cli,
        ["check", str(tmp_path), "--fail-on", level, "--no-cache"],
        prog_name="roce-lint",
    )
    assert done.exit_code == 3
    assert "SRC901" in done.stdout


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of a site's own rules with one page for a check of this test."""
    folder = tmp_path / "rules"
    folder.mkdir()
    return folder


def write_page(folder: Path, rule: str, check: str, severity: str) -> None:
    head = (
        f"---\nid: {rule}\nname: fault-{rule.lower()}\nseverity: {severity}\ncheck: {check}\n"
        "since: 0.1.0\nstage: preview\n---\n"
    )
    (folder / f"{rule}.md").write_text(head + BODY)


LEAF = "! device: leaf1 (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname leaf1\n!\ninterface Ethernet1/1\n"


@pytest.mark.usefixtures("crashing")
@pytest.mark.parametrize(("severity", "status"), [("error", 1), ("info", 3)])
def test_findings_beside_a_crash_decide_the_exit_status(
    tmp_path: Path, site: Path, severity: str, status: int
) -> None:
    configs = tmp_path / "configs"
    configs.mkdir()
    (configs / "leaf1.cfg").write_text(LEAF)
    write_page(site, "TST001", "test:crash", severity)
    command = ["check", str(configs), "--rules", str(site), "--no-cache"]
    done = CliRunner().invoke(cli, command, prog_name="roce-lint")
    assert f"{severity} TST001" in done.stdout
    assert done.exit_code == status, done.output
    assert "SRC900" in done.stdout
