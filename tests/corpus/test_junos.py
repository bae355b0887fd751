"""Real Junos configurations: each finding is justified line by line.

Juniper's own designs differ: lossless with PFC and ECN (aiml-mtb), marked only (5stage), front ends
and routers without RoCE. None of them may be called wrong for being what it is.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from roce_lint.analysis.result import PfcDesign
from roce_lint.engine.finding import Finding, Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.corpus import test_corpus

CORPUS = test_corpus.CORPUS / "junos"

pytestmark = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus of real configs beside the project (../shared/corpus)"
)

Expected = list[tuple[str, str, int]]
"""Severity, rule and line of every finding."""

ALONE: dict[str, Expected] = {
    # A profile with an output only, bound nowhere.
    "5stage-compute-leaf1-qfx5120.conf": [("info", "MAP005", 1854)],
    # The same profile on one port: it obeys pause for priority 3 and sends none, in a design that
    # marks and does not pause: legal.
    "5stage-storage-leaf1-qfx5130.conf": [("info", "PFC003", 1931)],
    # apply-groups of groups that are not in the file: what they would say is missing.
    "bf-apply-groups.conf": [("warning", "SRC002", 9), ("warning", "SRC002", 10)],
    "bf-juniper-class-of-service.conf": [("warning", "SRC002", 13)],
    # One code point in two classes (`be` is 000), drop profiles that nothing defines, and
    # schedulers that no scheduler map names.
    "bf-class-of-service-comprehensive.conf": [
        ("warning", "SRC002", 13),
        ("warning", "SRC002", 20),
        ("info", "MAP005", 64),
        ("info", "MAP005", 66),
        ("info", "MAP003", 69),
        ("info", "MAP003", 70),
        ("info", "MAP005", 71),
        ("info", "MAP005", 72),
        ("info", "MAP005", 73),
    ],
    # Test files for the reader of another program: objects that no interface uses. The classes
    # that the system brings (fcoe, no-loss, be, nc) and its classifier `default` are no faults.
    "bf-class-of-service-default-classifier.conf": [("info", "MAP005", 5)],
    "bf-class-of-service-qfx-fcoe-no-loss.conf": [("info", "MAP005", n) for n in (6, 8, 10)],
    "bf-class-of-service-qfx-short-aliases.conf": [("info", "MAP005", n) for n in (6, 9, 12)],
    # "## Warning: statement ignored: unsupported platform" above a statement of a group.
    "mebs-cr1-ptx10001.conf": [("warning", "SRC002", 30)],
}

BARE = {
    "bf-apply-groups-at-levels.conf",
    "bf-apply-groups.conf",
    "bf-class-of-service-code-point-aliases.conf",
    "bf-class-of-service-comprehensive.conf",
    "bf-class-of-service-default-classifier.conf",
    "bf-class-of-service-qfx-fcoe-no-loss.conf",
    "bf-class-of-service-qfx-short-aliases.conf",
    "bf-flatten-with-apply-flags-omit.conf",
    "bf-juniper-class-of-service.conf",
}
"""Test files of another parser without an interface: incomplete."""

BACK_END = [f"aiml-mtb-{name}-qfx5240.conf" for name in ("leaf1", "leaf2", "spine1", "spine2")]
FIVE_STAGES = sorted(path.name for path in CORPUS.glob("5stage-*")) if CORPUS.is_dir() else []
FILES = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []


def judged(*paths: Path, **more: str) -> Report:
    return run(Request(paths=tuple(map(str, paths)), jobs=1, cache=False, **more), Settings())  # type: ignore[arg-type]


def found(report: Report) -> Expected:
    return sorted(map(_spelled, report.findings), key=lambda entry: entry[2])


def _spelled(finding: Finding) -> tuple[str, str, int]:
    line = finding.location.line if finding.location else 0
    return finding.severity.label, finding.rule, line


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_alone(path: Path) -> None:
    report = test_corpus.judged(path)
    assert [device.nos for device in report.devices] == ["junos"]
    bare = ["no-interface"] if path.name in BARE else []
    assert [entry.kind for entry in report.diagnostics] == bare
    assert report.incomplete is bool(bare)
    assert found(report) == ALONE.get(path.name, [])


@pytest.fixture
def together(tmp_path: Path) -> Path:
    """Folder for captures of one fabric."""
    return tmp_path


def test_the_lossless_back_end_is_clean(together: Path) -> None:
    """Two leaves and two spines, PFC and ECN on every hop."""
    for name in BACK_END:
        shutil.copy(CORPUS / name, together)
    report = judged(together)
    assert found(report) == []
    assert report.fabric is not None
    assert (len(report.fabric.links), report.judged_ports) == (8, 52)
    assert report.analysis is not None
    (traffic,) = report.analysis.data_classes
    assert traffic.dscps == (26,)
    (mode,) = report.analysis.modes.values()
    assert (mode.pfc, mode.marking, mode.priority) == (PfcDesign.EVERYWHERE, True, 3)


def test_the_back_end_matches_its_profile(together: Path) -> None:
    for name in BACK_END:
        shutil.copy(CORPUS / name, together)
    assert found(judged(together, profile="juniper-aidc")) == []


def test_five_stages_with_ecn_and_without_pfc(together: Path) -> None:
    """No PFC finding for ports without intended PFC, or for a leaf without QoS.

    DSCP 26 leaves as 8, which every hop puts into the same queue: no fault. DSCP 16 to 40 are in
    other queues on spines than on leaves: no RoCE, a note (CLS025).
    """
    for name in FIVE_STAGES:
        shutil.copy(CORPUS / name, together)
    plan = together / "intent.yaml"
    plan.write_text("classes:\n  roce:\n    dscp: [26]\n    lossless: false\n    marked: true\n")
    for report in (judged(together), judged(together, intent=str(plan))):
        causes = [
            (f.severity.label, f.rule, f.location.file.split("/")[-1])
            for f in report.findings
            if f.location
        ]
        assert causes == [
            ("info", "CLS025", "5stage-compute-leaf1-qfx5120.conf"),
            ("info", "MAP005", "5stage-compute-leaf1-qfx5120.conf"),
            ("info", "PFC003", "5stage-storage-leaf1-qfx5130.conf"),
        ]


PLAN = """\
- [leaf001-001-1:et-0/0/48, spine001-001-1:et-0/0/2]
- [leaf002-001-1:et-0/0/0, spine002-001-1:et-0/0/2]
- [spine001-001-1:et-0/0/0, sspine001-1:et-0/0/0]
- [spine002-001-1:et-0/0/0, sspine001-1:et-0/0/2]
"""
MARKED = "classes:\n  roce:\n    dscp: [26]\n    lossless: false\n    marked: true\n"


def five_stages(
    folder: Path, plan: str, changed: str = "", *changes: tuple[str, str]
) -> list[tuple[str, str, str]]:
    """Errors and warnings of the five stages with a plan of cables; one file may be changed."""
    for name in FIVE_STAGES:
        text = (CORPUS / name).read_text()
        for old, new in changes if name == changed else ():
            assert old in text
            text = text.replace(old, new, 1)
        (folder / name).write_text(text)
    (folder / "links.yaml").write_text(plan)
    (folder / "intent.yaml").write_text(MARKED)
    report = judged(folder, intent=str(folder / "intent.yaml"))
    return [
        (f.rule, Path(f.location.file).name, f.location.text)
        for f in report.findings
        if f.location and f.severity >= Severity.WARNING and f.rule != "PFC003"
    ]


def test_a_leaf_without_qos_is_reported_if_it_is_on_the_path(together: Path) -> None:
    """Alone, and among devices that no link leads to, it is a plain switch. The spine that its
    descriptions name is not in the folder; here the plan leads it to another, whose address is in
    another subnet.
    """
    assert five_stages(together, PLAN) == []
    cable = "- [leaf003-001-1:et-0/0/48, spine002-001-1:et-0/0/3]\n"
    assert five_stages(together, PLAN + cable) == [
        ("ECN001", "5stage-services-leaf1-qfx5130.conf", "et-0/0/48 {"),
        ("LNK009", "5stage-services-leaf1-qfx5130.conf", "address 10.0.1.41/31;"),
    ]


def test_a_rewrite_is_a_fault_if_the_next_hop_treats_it_differently(together: Path) -> None:
    """The leaf sends DSCP 26 on as 8; a spine that has 8 in its bulk class does not mark it.

    The spine itself is reported, too: the other devices have 8 in their marked class.
    """
    found = five_stages(
        together,
        PLAN,
        "5stage-compute-spine1-qfx5210.conf",
        ("code-points [ 001000 011010 ];", "code-points 011010;"),
        ("code-points [ 000000 000001 ", "code-points [ 001000 000000 000001 "),
    )
    bulk = "loss-priority low code-points [ 001000 "
    assert [(rule, file, text[: len(bulk)]) for rule, file, text in found] == [
        ("MAP007", "5stage-compute-leaf1-qfx5120.conf", "loss-priority low code-point cs1;"),
        ("CLS025", "5stage-compute-spine1-qfx5210.conf", bulk),
    ]


FAULTS = [
    # What is changed in leaf 1, what it becomes, and the errors and warnings that must be found.
    ("code-points 011010", "code-points 011011", [("error", "MAP001")]),
    (" no-loss pfc-priority 3", " pfc-priority 3", [("error", "PFC003")]),
    ("pfc-priority 3", "pfc-priority 4", [("error", "PFC002")]),
    ("flow-control-queue 4", "flow-control-queue 3", [("error", "MAP006")]),
    ("            explicit-congestion-notification;\n", "", [("error", "ECN002")]),
    ("[ 55 90 ]", "[ 90 55 ]", [("error", "ECN003")]),
    ("scheduler-map sm1;", "scheduler-map sm2;", [("error", "MAP003")]),
    ("            pfc-watchdog;\n", "", [("warning", "PFC020")]),
    ("percent 24;", "percent 0;", [("error", "BUF020"), ("error", "BUF021")]),
    ("        mtu 9216;\n", "        mtu 1514;\n", [("error", "MTU001")]),
]


@pytest.mark.parametrize(
    ("old", "new", "expected"), FAULTS, ids=[old.strip() for old, *_ in FAULTS]
)
def test_a_fault_in_one_leaf_is_found(
    together: Path, old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    for name in BACK_END:
        shutil.copy(CORPUS / name, together)
    leaf = together / BACK_END[0]
    text = leaf.read_text()
    assert old in text
    leaf.write_text(text.replace(old, new, 1))
    report = judged(together)
    grave = {(f.severity.label, f.rule) for f in report.findings if f.severity >= Severity.WARNING}
    assert set(expected) <= grave
