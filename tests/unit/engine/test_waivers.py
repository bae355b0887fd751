"""Waivers suppress what they cover, nothing more, and never silently do nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from roce_lint.engine.finding import Certainty, Finding, Occurrence, Severity, Suppression
from roce_lint.engine.waivers import WaiverResult, waive
from roce_lint.settings import load

TODAY = date(2027, 3, 31)
RULES = ("MTU001", "PFC002")


def finding(rule: str, **devices: tuple[str, ...]) -> Finding:
    return Finding(
        rule=rule,
        name="some-fault",
        severity=Severity.ERROR,
        confidence=Certainty.HIGH,
        message="it is wrong",
        consequence="it breaks",
        occurrences=tuple(Occurrence(name, subjects, ()) for name, subjects in devices.items()),
        fingerprint="f" * 32,
        help="roce-lint explain",
    )


def waived(folder: Path, toml: str, *findings: Finding, judged: object = RULES) -> WaiverResult:
    path = folder / "roce-lint.toml"
    path.write_text(toml)
    return waive(findings, load(path), TODAY, judged=judged, file="roce-lint.toml")  # type: ignore[arg-type]


def marks(result: WaiverResult) -> list[tuple[str, list[str], str | None]]:
    return [
        (
            f.fingerprint[32:],
            [o.device for o in f.occurrences],
            f.suppressed and f.suppressed.reason,
        )
        for f in result.findings
    ]


def remarks(result: WaiverResult) -> list[tuple[int | None, str]]:
    assert all(d.file == "roce-lint.toml" and not d.incomplete for d in result.diagnostics)
    return [(d.line, d.message) for d in result.diagnostics]


def test_a_whole_finding_is_waived(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "MTU"\nreason = "lab"\nexpires = 2027-03-31\n'
    result = waived(tmp_path, toml, finding("MTU001", leaf1=("Et1",)))
    assert result.findings[0].suppressed == Suppression("waiver", "lab", "2027-03-31")
    assert result.findings[0].fingerprint == "f" * 32
    assert remarks(result) == []


def test_an_expired_waiver_does_not_apply_and_says_so(tmp_path: Path) -> None:
    toml = '\n[[waiver]]\nrule = "MTU"\nreason = "lab"\nexpires = 2027-03-30\n'
    result = waived(tmp_path, toml, finding("MTU001", leaf1=("Et1",)))
    assert marks(result) == [("", ["leaf1"], None)]
    assert remarks(result) == [(2, "waiver of MTU for * expired on 2027-03-30")]


def test_a_finding_is_split_where_only_some_devices_are_covered(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "MTU001"\ndevice = "leaf[13]"\nreason = "lab"\n'
    whole = finding("MTU001", leaf1=("Et1",), leaf2=("Et1",), leaf3=("Et1",))
    result = waived(tmp_path, toml, whole)
    assert marks(result) == [("", ["leaf2"], None), ("#waived1", ["leaf1", "leaf3"], "lab")]
    assert result.findings[0].notes == ("the message describes leaf1",)
    assert result.findings[1].notes == ()


def test_two_waivers_give_two_reasons(tmp_path: Path) -> None:
    toml = (
        '[[waiver]]\nrule = "MTU"\ndevice = "leaf1"\nreason = "one"\n'
        '[[waiver]]\nrule = "MTU"\ndevice = "leaf*"\nreason = "two"\n'
    )
    result = waived(tmp_path, toml, finding("MTU001", leaf1=("Et1",), leaf2=("Et1",)))
    assert marks(result) == [("", ["leaf1"], "one"), ("#waived1", ["leaf2"], "two")]
    assert remarks(result) == []


@pytest.mark.parametrize(
    ("globs", "subjects", "covered"),
    [
        ('["Ethernet1/*"]', ("Ethernet1/1", "Ethernet1/2"), True),
        ('["Ethernet1/1", "Ethernet1/2"]', ("Ethernet1/1", "Ethernet1/2"), True),
        ('["Ethernet1/1"]', ("Ethernet1/1", "Ethernet1/2"), False),
        ('["Ethernet1/1"]', (), False),
        ("[]", (), True),
        ("[]", ("Ethernet1/1",), True),
    ],
)
def test_subjects(tmp_path: Path, globs: str, subjects: tuple[str, ...], covered: bool) -> None:
    toml = f'[[waiver]]\nrule = "MTU"\nsubjects = {globs}\nreason = "lab"\n'
    result = waived(tmp_path, toml, finding("MTU001", leaf1=subjects))
    assert marks(result) == [("", ["leaf1"], "lab" if covered else None)]


def test_a_waiver_that_covers_a_part_says_what_it_lacks(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "MTU"\ndevice = "leaf*"\nsubjects = ["Et1"]\nreason = "lab"\n'
    result = waived(tmp_path, toml, finding("MTU001", leaf1=("Et1", "Et2")))
    assert remarks(result) == [(1, "waiver of MTU for leaf* does not cover leaf1 Et2")]


@pytest.mark.parametrize(
    ("rule", "judged", "message"),
    [
        ("MTU", RULES, "waiver of MTU for leaf9 covers no finding"),
        (
            "MTX",
            RULES,
            "waiver of MTX for leaf9 covers nothing, as no rule that was judged starts with MTX",
        ),
        ("MTU", None, None),
    ],
)
def test_an_unused_waiver(tmp_path: Path, rule: str, judged: object, message: str | None) -> None:
    toml = f'[[waiver]]\nrule = "{rule}"\ndevice = "leaf9"\nreason = "lab"\n'
    result = waived(tmp_path, toml, finding("MTU001", leaf1=("Et1",)), judged=judged)
    assert marks(result) == [("", ["leaf1"], None)]
    assert remarks(result) == ([(1, message)] if message else [])


def test_a_crash_cannot_be_waived(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "SRC"\nreason = "lab"\n'
    result = waived(tmp_path, toml, finding("SRC900", MAP001=()))
    assert marks(result) == [("", ["MAP001"], None)]


def test_a_finding_suppressed_before_stays_as_it_is(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "MTU"\nreason = "lab"\n'
    known = replace(finding("MTU001", leaf1=("Et1",)), suppressed=Suppression("inline", "why"))
    assert waived(tmp_path, toml, known).findings == [known]


def test_waiving_a_folded_rule_counts_for_that_part_only(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "PFC002"\ndevice = "leaf1"\nreason = "lab"\n'
    broad = replace(finding("MTU001", leaf1=("Et1",)), also=("MTU002", "PFC002"))
    result = waived(tmp_path, toml, broad)
    assert marks(result) == [("", ["leaf1"], None)]
    assert result.findings[0].also == ("MTU002",)
    assert result.findings[0].notes == ("PFC002 is waived: lab",)
    assert remarks(result) == []


def test_a_folded_rule_waived_on_some_devices_only_stays(tmp_path: Path) -> None:
    toml = '[[waiver]]\nrule = "PFC002"\ndevice = "leaf1"\nreason = "lab"\n'
    broad = replace(finding("MTU001", leaf1=("Et1",), leaf2=("Et1",)), also=("PFC002",))
    result = waived(tmp_path, toml, broad)
    assert result.findings == [broad]
    assert remarks(result) == [(1, "waiver of PFC002 for leaf1 covers no finding")]
