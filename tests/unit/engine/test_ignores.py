"""Inline ignores suppress matching findings at their place, and nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.api import Problem
from roce_lint.engine.finding import Certainty, Severity, Suppression
from roce_lint.engine.fold import Raw, cover, fold
from roce_lint.engine.ignores import Ignores
from roce_lint.engine.page import FrontMatter, RulePage
from roce_lint.model.device import Device
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Ignore, Where
from roce_lint.topology.plan_file import read_plan
from tests.unit.fabric import fabric, switch

HEAD = "! device: {0} (DCS-7060X6-64PE, EOS-4.32.1F)\nhostname {0}\n!\n"
PLAN = "- [leaf1:Ethernet1, spine1:Ethernet1]\n- [leaf1:Ethernet2, spine1:Ethernet2]\n"
PORT = """interface Ethernet{0}{2}
   mtu {1}
   no switchport
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
"""


JUDGED = ("MTU002", "PFC002", "SRC")
"""Other findings of these configurations, not relevant here."""


def judge(folder: Path, leaf: str, *, select: tuple[str, ...] = JUDGED, **more: str) -> Report:
    """A leaf, and a spine whose two ports carry 9214 bytes."""
    spine = "".join(PORT.format(n, 9214, "") for n in (1, 2))
    files = {"leaf1.cfg": HEAD.format("leaf1") + leaf, "links.yaml": PLAN, **more}
    files["spine1.cfg"] = HEAD.format("spine1") + spine
    for name, text in files.items():
        (folder / name).write_text(text)
    return run(Request((str(folder),), jobs=1, cache=False, select=select), Settings())


def summarize(report: Report, *rules: str) -> list[tuple[str, tuple[str, ...], int, str | None]]:
    """Rule, ports, deciding line, and the reason for which it does not count."""
    return [
        (
            finding.rule,
            finding.subjects,
            finding.location.line if finding.location else 0,
            finding.suppressed.reason if finding.suppressed else None,
        )
        for finding in report.findings
        if finding.rule.startswith(rules)
    ]


def ports(first: str, second: str, *, header: str = "") -> str:
    return PORT.format(1, first, header) + PORT.format(2, second, "")


IGNORE = "  !! roce-lint: ignore MTU002 -- lab"


def test_on_the_deciding_line(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500" + IGNORE, "9214"))
    assert summarize(report, "MTU", "SRC") == [("MTU002", ("Ethernet1",), 5, "lab")]
    (finding,) = report.findings
    assert finding.suppressed == Suppression("inline", "lab")
    assert report.count(Severity.ERROR) == 0


def test_on_the_header_of_the_stanza(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500", "9214", header=IGNORE))
    assert summarize(report, "MTU", "SRC") == [("MTU002", ("Ethernet1",), 5, "lab")]


def test_a_finding_is_split_where_only_some_ports_are_ignored(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500", "1500" + IGNORE))
    assert summarize(report, "MTU", "SRC") == [
        ("MTU002", ("Ethernet1",), 5, None),
        ("MTU002", ("Ethernet2",), 11, "lab"),
    ]
    counted, ignored = (f for f in report.findings if f.rule == "MTU002")
    assert ignored.fingerprint == f"{counted.fingerprint}#2"


def test_the_fingerprint_of_what_counts_does_not_change(tmp_path: Path) -> None:
    before = judge(tmp_path, ports("1500", "1500"))
    # The ignored part is the first in the file now, and still gets the number.
    after = judge(tmp_path, ports("1500" + IGNORE, "1500"))
    whole = next(f for f in before.findings if f.rule == "MTU002")
    counted = next(f for f in after.findings if f.rule == "MTU002" and f.suppressed is None)
    assert counted.subjects == ("Ethernet2",)
    assert counted.fingerprint == whole.fingerprint


def test_all_ports_ignored_for_one_reason_are_one_finding(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500" + IGNORE, "1500" + IGNORE))
    assert summarize(report, "MTU", "SRC") == [("MTU002", ("Ethernet1", "Ethernet2"), 5, "lab")]


def test_another_rule_is_not_ignored_and_the_ignore_is_unused(tmp_path: Path) -> None:
    comment = "  !! roce-lint: ignore PFC002, MTU002 -- lab"
    report = judge(tmp_path, ports("1500" + comment, "9214"))
    assert summarize(report, "MTU", "SRC") == [
        ("MTU002", ("Ethernet1",), 5, "lab"),
        ("SRC005", (), 5, None),
    ]
    said = next(f.message for f in report.findings if f.rule == "SRC005")
    assert "PFC002" in said
    assert "MTU002" not in said


def test_an_ignore_of_a_rule_that_is_not_judged_is_not_told(tmp_path: Path) -> None:
    leaf = ports("9214" + IGNORE, "9214")
    assert summarize(judge(tmp_path, leaf), "SRC") == [("SRC005", (), 5, None)]
    assert summarize(judge(tmp_path, leaf, select=("PFC", "SRC")), "SRC") == []


def test_without_a_reason_it_is_not_obeyed(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500  ! roce-lint: ignore MTU002", "9214"))
    assert summarize(report, "MTU", "SRC") == [
        ("MTU002", ("Ethernet1",), 5, None),
        ("SRC006", (), 5, None),
    ]


def test_a_line_with_an_ignore_is_read_as_ever(tmp_path: Path) -> None:
    report = judge(tmp_path, ports("1500" + IGNORE, "9214"))
    assert report.unrecognised_lines == 0
    assert report.fabric is not None
    assert report.fabric.devices["leaf1"].interfaces["Ethernet1"].ip_mtu == 1500


def test_in_an_environment_file(tmp_path: Path) -> None:
    (tmp_path / "gpu1").mkdir()
    text = "NCCL_IB_HCA=mlx5_0  # roce-lint: ignore NIC -- under test\nNCCL_IB_TC=106\n"
    report = judge(tmp_path, ports("9214", "9214"), **{"gpu1/nccl.conf": text})
    assert report.fabric is not None
    (ignore,) = report.fabric.devices["gpu1"].src.ignores
    assert (ignore.rules, ignore.reason, ignore.first, ignore.last) == (
        ("NIC",),
        "under test",
        1,
        1,
    )
    assert [e.dscp for e in report.fabric.devices["gpu1"].emits] == [26]


def test_in_a_cable_plan(tmp_path: Path) -> None:
    plan = "- [leaf1:Ethernet1, spine1:Ethernet1]  # roce-lint: ignore MTU, LNK -- moved in May\n"
    (tmp_path / "links.yaml").write_text(plan)
    (link,) = read_plan(tmp_path / "links.yaml", "links.yaml")
    (ignore,) = link.where.src.ignores
    assert (ignore.rules, ignore.reason, ignore.first, ignore.last) == (
        ("MTU", "LNK"), "moved in May", 1, 1,
    )  # fmt: skip
    report = judge(tmp_path, ports("9214", "9214"), **{"links.yaml": plan})
    assert [
        ("MTU" in f.message, f.location and (f.location.file, f.location.line))
        for f in report.findings
        if f.rule == "SRC005"
    ] == [(True, ("links.yaml", 1))]


def test_a_device_from_the_cache_keeps_its_ignores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    configs = tmp_path / "configs"
    configs.mkdir()
    judge(configs, ports("1500" + IGNORE, "9214"))
    request = Request((str(configs),), jobs=1, cache=True, select=JUDGED)
    for _ in range(2):
        report = run(request, Settings())
        assert summarize(report, "MTU", "SRC") == [("MTU002", ("Ethernet1",), 5, "lab")]
    assert list((tmp_path / "cache").rglob("*.*")) != []


# --------------------------------------------------------------------------- folded findings


def raw(rule: str, position: int, device: Device, covers: tuple[str, ...] = ()) -> Raw:
    head = {"id": rule, "name": "some-fault", "severity": "error", "check": "a.b", "since": "0"}
    page = RulePage(FrontMatter(**head, stage="stable", covers=covers), "", "", "", ())
    problem = Problem("it is wrong", "it breaks", [Where(device.src, position)], device.hostname)
    return Raw(page, problem, Severity.ERROR, Certainty.HIGH)


def folded(*ignored: str) -> list[tuple[str, tuple[str, ...], str | None]]:
    """MTU001 covers MTU002 on one line with an ignore of these rules."""
    device = switch("leaf1")
    device.src.ignores = [Ignore(7, (rule,), f"no {rule}", 0, 7, 7) for rule in ignored]
    raws = [raw("MTU001", 7, device, ("MTU002",)), raw("MTU002", 7, device)]
    excerpts = Excerpts()
    ignores = Ignores(excerpts)
    for each in raws:
        ignores.mark(each)
    assert list(ignores.find_unused(fabric(device), ["MTU001", "MTU002"], [])) == []
    return [
        (f.rule, f.also, f.suppressed.reason if f.suppressed else None)
        for f in fold(cover(raws), {}, excerpts)
    ]


def test_nothing_ignored() -> None:
    assert folded() == [("MTU001", ("MTU002",), None)]


def test_ignoring_a_folded_rule_counts_for_that_part_only() -> None:
    assert folded("MTU002") == [("MTU001", (), None), ("MTU002", (), "no MTU002")]


def test_ignoring_the_broader_rule_accepts_what_it_takes_in() -> None:
    assert folded("MTU001") == [("MTU001", ("MTU002",), "no MTU001")]


def test_ignoring_both_is_one_suppressed_finding() -> None:
    assert folded("MTU001", "MTU002") == [("MTU001", ("MTU002",), "no MTU001")]


def test_a_crash_is_not_ignored() -> None:
    device = switch("leaf1")
    device.src.ignores = [Ignore(7, ("SRC",), "why", 0, 7, 7)]
    crash = raw("SRC901", 7, device)
    Ignores(Excerpts()).mark(crash)
    assert crash.suppressed is None
