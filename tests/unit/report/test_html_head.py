"""The head of the page: how much is checked, what to fix first, where it comes from, what is new."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.cli.printing import capture_times, commit
from roce_lint.engine.finding import Answer, Repair, Verdict
from roce_lint.errors import UsageError
from roce_lint.report import render
from roce_lint.report.comparison import compare_reports, read_earlier
from roce_lint.report.html import blocks
from roce_lint.report.html.coverage import coverage, order, percent
from tests.unit.report import sample
from tests.unit.report.sample import CNP, MTU, OPTIONS, PFC, device, report
from tests.unit.report.test_html import page

SHA = "0123456789abcdef0123456789abcdef01234567"


def test_the_head_states_how_much_is_checked_and_broken() -> None:
    text = page(report()).read()
    assert "Checked: 93 % of 56 NIC pairs ; 86 % broken." in text
    clean = page(sample.clean()).read()
    assert "Checked: 100 % of 56 NIC pairs ; no fault in what was checked." in clean
    assert coverage(Verdict()) is None


def test_the_bar_is_whole() -> None:
    found = coverage(Verdict(pairs=3, judged=2, broken=1))
    assert found is not None
    assert [state for state, _, _ in found.bar] == ["broken", "unknown", "holds"]
    assert sum(width for _, _, width in found.bar) == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize(
    ("part", "said"),
    [(0, "0 %"), (1, "under 1 %"), (310, "31 %"), (999, "over 99 %"), (1000, "100 %")],
)
def test_a_few_are_not_none(part: int, said: str) -> None:
    assert percent(part, 1000) == said


def test_causes_are_listed_in_the_order_of_repair() -> None:
    found = Verdict(
        Answer.NOT_READY,
        pairs=56,
        judged=56,
        broken=50,
        causes=3,
        order=(Repair((MTU,), 10), Repair((PFC,), 30), Repair((CNP,), 50)),
    )
    steps = order(found, lambda finding: {"id": finding.rule, "name": finding.rule})
    assert [step["cause"]["name"] for step in steps] == ["MTU001", "PFC002", "NIC003"]
    assert [step["share"] for step in steps] == [20, 60, 100]
    text = page(report(verdict=found)).read()
    assert "Fix these first" in text
    assert "Fix these first" not in page(sample.clean()).read()


def test_why_and_how_to_mend_stand_once_and_are_linked() -> None:
    found = page(report())
    ids = [named["id"] for named in found.all("details", class_="about")]
    assert ids == ["rule-MTU001", "rule-NIC003", "rule-PFC002"]
    links = {named["href"] for named in found.all("a", class_="rulelink")}
    assert links == {f"#{name}" for name in ids}
    assert found.read().count("Raise the MTU of the smaller end.") == 3  # one a rule


def test_markdown_of_pages_becomes_blocks() -> None:
    made = blocks(
        "One **two** `a<b`\nthree [x](http://y).\n\n- EOS: `mtu 9214`\n  more\n- NX-OS\n\n```text\nmtu\n  9216\n```\n"
    )
    assert [(block.kind, block.spans) for block in made] == [
        ("p", [("One two ", False), ("a<b", True), (" three x.", False)]),
        ("li", [("EOS: ", False), ("mtu 9214", True), (" more", False)]),
        ("li", [("NX-OS", False)]),
        ("pre", [("mtu\n  9216", True)]),
    ]
    assert [block.kind for block in blocks("```\nnever closed")] == ["pre"]


def earlier(tmp_path: Path, *findings: object, **changes: object) -> Path:
    path = tmp_path / "old.json"
    path.write_text(render("json", report(*findings, **changes), OPTIONS))  # type: ignore[arg-type]
    return path


def test_a_page_tells_what_is_new_and_what_is_gone(tmp_path: Path) -> None:
    old = read_earlier(earlier(tmp_path, MTU, CNP, verdict=Verdict(pairs=56, broken=20)))
    found = compare_reports(report(MTU, PFC), old)
    assert (found.new, [each.rule for each in found.gone], found.stays) == (
        frozenset({PFC.fingerprint}),
        ["NIC003"],
        1,
    )
    made = page(report(MTU, PFC), earlier=old)
    assert len(made.all("span", class_="new")) == 1
    text = made.read()
    assert "Since old.json" in text
    assert "48 of 56 pairs broken; before 20 of 56" in text
    assert "spine1: spine1 Ethernet0 sends CNP with priority 0" in text
    assert "Since" not in page(report(MTU, PFC)).read()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "x"}', '{"schema": "roce-lint/report/1"}', "[" * 9999]
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(UsageError, match="not a JSON report"):
        read_earlier(path)
    with pytest.raises(UsageError, match="No such file"):
        read_earlier(tmp_path / "none.json")


def test_hostile_words_of_an_earlier_report_are_text(tmp_path: Path) -> None:
    path = earlier(tmp_path, CNP)
    data = json.loads(path.read_text())
    data["findings"][0] |= {"severity": '"><script>', "message": "<script>alert(1)</script>"}
    path.write_text(json.dumps(data))
    found = page(report(MTU), earlier=read_earlier(path))
    assert len(found.all("script")) == 1
    assert "<script>alert(1)</script>" in found.read()


def test_the_time_is_that_of_the_captures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name, minute in (("a", "13"), ("b", "20")):
        head = f"# command: mlnx_qos -i x  host: {name}  time: 2026-10-07T06:{minute}:11Z\n"
        (tmp_path / name).write_text(head)
    both = report(devices=[device("h", "host", "a", "b", "gone")], base=str(tmp_path))
    assert capture_times(both) == "2026-10-07 06:13 to 2026-10-07 06:20 UTC"
    one = replace(both, devices=[device("h", "host", "a")])
    assert capture_times(one) == "2026-10-07 06:13 UTC"
    none = replace(both, devices=[])
    assert capture_times(none) == ""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert capture_times(none) == "1970-01-02 00:00 UTC"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    assert capture_times(none) == ""


def test_the_commit_is_read_and_no_command_is_run(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    git = tmp_path / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    assert commit(tmp_path / "configs") == ""
    (git / "HEAD").write_text(f"{SHA}\n")
    assert commit(tmp_path / "configs") == SHA
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text(f"# pack-refs\n{SHA} refs/heads/main\n")
    assert commit(tmp_path / "configs") == SHA
    (git / "refs" / "heads" / "main").write_text("f" * 40)
    assert commit(tmp_path / "configs") == "f" * 40
    (git / "HEAD").write_text("ref: refs/heads/none\n")
    assert commit(tmp_path) == ""


def test_the_head_shows_where_it_comes_from() -> None:
    found = page(report(), provenance=(("captured", "2026-10-07 06:13 UTC"), ("command", "a <b>")))
    assert "captured 2026-10-07 06:13 UTC" in found.read()
    assert "command a <b>" in found.read()
