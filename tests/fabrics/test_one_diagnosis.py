"""`show` and `trace` show the faults that the rules find on a port, and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from roce_lint.analysis.diagnosis import OF_CNP, OF_DATA
from roce_lint.analysis.paths import Paths
from roce_lint.analysis.result import Analysis, RoceClass
from roce_lint.engine.finding import Finding, StageOnPort
from roce_lint.model.nic import Flow
from roce_lint.pipeline import Report, Request, run
from roce_lint.pipeline.diagnosis import BrokenStage, Diagnoses
from roce_lint.pipeline.trace import question as questions
from roce_lint.settings import Settings
from tests.conftest import ROOT
from tests.rules.examples import Example, cases, examples, report_of

BROKEN = ROOT / "sample_configs" / "broken-fabric"
FAMILIES = ("MAP", "PFC", "ECN", "BUF", "CLS")


def parts(report: Report) -> tuple[Analysis, Diagnoses]:
    assert report.analysis is not None
    assert report.excerpts is not None
    return report.analysis, Diagnoses(report, report.analysis, report.excerpts)


def stood(report: Report, analysis: Analysis) -> Iterator[tuple[Finding, StageOnPort, RoceClass]]:
    """Stages of a class in findings, and the class."""
    for finding in report.findings:
        for each in finding.stages:
            traffic = next((c for c in analysis.classes if c.name == each.traffic), None)
            if traffic is None or analysis.port(each.device, each.port) is None:
                continue
            if each.stage in (OF_CNP if traffic.flow is Flow.CNP else OF_DATA):
                yield finding, each, traffic


def agree(report: Report) -> None:
    """Every stage of a finding is shown with its rule, every shown one is in a finding."""
    analysis, diagnosed = parts(report)
    for _, each, traffic in stood(report, analysis):
        port = analysis.port(each.device, each.port)
        assert port is not None
        shown = list(diagnosed.of_port(traffic, port))
        assert any(s.stage == each.stage.words and each.rule in s.rules for s in shown), each
    unreported = [
        shown
        for traffic in analysis.data_classes
        for port in analysis.ports
        for shown in diagnosed.of_port(traffic, port)
        if shown.unreported
    ]
    assert unreported == []


@pytest.mark.parametrize(
    "example", cases(e for e in examples("bad") if e.rule.startswith(FAMILIES))
)
def test_of_an_example(example: Example) -> None:
    agree(report_of(example))


@pytest.fixture(scope="module")
def broken() -> Report:
    return run(Request((str(BROKEN),), jobs=1, cache=False), Settings())


def test_of_a_whole_fabric(broken: Report) -> None:
    agree(broken)


def at_hop(
    report: Report, finding: Finding, each: StageOnPort, traffic: RoceClass
) -> list[BrokenStage]:
    """Broken stages on the port in a trace along the path of a finding."""
    analysis, _ = parts(report)
    paths = Paths(analysis)
    first, last = finding.path[0], finding.path[-1]
    (source, *_) = paths.ends_of(first.device, first.out)
    (target, *_) = paths.ends_of(last.device, last.into)
    one = questions.ask(report, paths, source, target, traffic, traffic.dscps[0])
    port = f"{each.device} {each.port}"
    return [s for way in one.ways for hop in way.stages for s in hop.broken if s.port == port]


def test_a_trace_shows_at_the_hop_what_is_found_there(broken: Report) -> None:
    analysis, diagnosed = parts(broken)
    seen = 0
    for finding, each, traffic in stood(broken, analysis):
        port = analysis.port(each.device, each.port)
        here = [hop for hop in finding.path if hop.here and hop.device == each.device]
        if traffic.flow is Flow.CNP or port is None or not here:
            continue
        into, out = (port if name == each.port else None for name in (here[0].into, here[0].out))
        reported = [s for s in diagnosed.at_hop(traffic, into, out) if each.rule in s.rules]
        if reported:
            assert set(reported) <= set(at_hop(broken, finding, each, traffic)), each
            seen += 1
    assert seen >= 5


def test_a_fault_without_a_selected_rule_still_breaks_a_trace() -> None:
    """`holds` never appears for a class with a broken stage on the path."""
    request = Request((str(BROKEN),), jobs=1, cache=False, select=("LNK",))
    report = run(request, Settings())
    analysis, diagnosed = parts(report)
    (port, traffic) = next(
        (port, traffic)
        for traffic in analysis.data_classes
        for port in analysis.ports
        if port.faces_host
        and port.peer
        and any(s.unreported for s in diagnosed.of_port(traffic, port))
    )
    assert port.peer is not None
    paths = Paths(analysis)
    (source, *_) = paths.ends_of(port.peer.device.hostname)
    target = next(
        e for e in paths.ends if e.network == source.network and e.device != source.device
    )
    ways = questions.ask(report, paths, source, target, traffic, traffic.dscps[0]).ways
    back = questions.ask(report, paths, target, source, traffic, traffic.dscps[0]).ways
    assert any(way.broken for way in (*ways, *back))
