"""Baselines identify findings by fingerprint; other files are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.engine.baseline import baseline_text, read_baseline
from roce_lint.engine.finding import Finding, Occurrence, Severity, Suppression
from roce_lint.errors import UsageError
from tests.unit.report.sample import CNP, MTU, PFC, WAIVED


def test_what_is_written_is_known_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([MTU, WAIVED, PFC]))
    marked = read_baseline(path).apply([MTU, PFC, CNP, WAIVED])
    known = Suppression("baseline", "known: known.json")
    assert [finding.suppressed for finding in marked] == [known, known, None, WAIVED.suppressed]


def test_the_file_is_for_review_and_stable() -> None:
    text = baseline_text([PFC, WAIVED, MTU])
    assert text == baseline_text([MTU, PFC])
    assert json.loads(text) == {
        "schema": "roce-lint/baseline/1",
        "folded": True,
        "findings": [
            {
                "fingerprint": "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                "rule": "MTU001",
                "severity": "error",
                "devices": ["leaf1"],
                "ports": {"leaf1": ["Ethernet1/64"]},
                "message": "leaf1 Ethernet1/64 carries 1500 bytes, gpu-017 mlx5_3 sends 4154",
            },
            {
                "fingerprint": "1" * 32,
                "rule": "PFC002",
                "severity": "warning",
                "devices": ["leaf2", "leaf3", "leaf4", "leaf5", "leaf6"],
                "ports": {o.device: sorted(o.subjects) for o in PFC.occurrences},
                "message": "leaf2 Ethernet1/1 does not obey pause of priority 3.",
            },
        ],
    }


def test_writing_again_keeps_what_the_baseline_suppresses() -> None:
    known = replace(MTU, suppressed=Suppression("baseline", "known"))
    assert baseline_text([known]) == baseline_text([MTU])


@pytest.mark.parametrize("rule", ["SRC900", "SRC901"])
def test_a_crash_is_never_known(tmp_path: Path, rule: str) -> None:
    crash = replace(MTU, rule=rule)
    assert json.loads(baseline_text([crash]))["findings"] == []
    path = tmp_path / "known.json"
    path.write_text(baseline_text([MTU]))
    assert read_baseline(path).apply([crash]) == [crash]


def test_findings_that_are_gone_are_counted_for_judged_rules(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([MTU, PFC]))
    baseline = read_baseline(path)
    assert baseline.count_gone([MTU], ["MTU001", "PFC002"]) == 1
    assert baseline.count_gone([MTU], ["MTU001"]) == 0
    assert baseline.count_gone([MTU, PFC], ["MTU001", "PFC002"]) == 0


def on(finding: Finding, *devices: str) -> Finding:
    occurrences = tuple(Occurrence(device, ("Ethernet1/1",), ()) for device in devices)
    return replace(finding, occurrences=occurrences)


def test_the_same_fault_on_a_further_device_is_new(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([on(MTU, "leaf2", "leaf3")]))
    baseline = read_baseline(path)
    new, known = baseline.apply([on(MTU, "leaf1", "leaf2", "leaf3")])
    assert ([o.device for o in new.occurrences], new.suppressed) == (["leaf1"], None)
    assert new.fingerprint == MTU.fingerprint
    assert [o.device for o in known.occurrences] == ["leaf2", "leaf3"]
    assert known.suppressed == Suppression("baseline", "known: known.json")
    assert known.fingerprint == f"{MTU.fingerprint}#known"
    assert known.notes[-1] == "the message describes leaf1"
    assert baseline.count_gone([new, known], ["MTU001"]) == 0
    # Written again, it knows them all.
    assert baseline_text([new, known]) == baseline_text([on(MTU, "leaf1", "leaf2", "leaf3")])


def test_the_same_fault_on_other_devices_only_is_new(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([on(MTU, "leaf2")]))
    other = on(MTU, "leaf1")
    assert read_baseline(path).apply([other]) == [other]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"schema": "roce-lint/report/1", "findings": []}',
        b'{"schema": "roce-lint/baseline/1"}',
        b'{"schema": "roce-lint/baseline/1", "findings": [1]}',
        b'{"schema": "roce-lint/baseline/1", "findings": [{"fingerprint": 1, "rule": "X", "devices": []}]}',
        b'{"schema": "roce-lint/baseline/1", "findings": [{"fingerprint": "1", "rule": "X"}]}',
        b'{"schema": "roce-lint/baseline/1", "findings": [{"fingerprint": "1", "rule": "X", "devices": [1]}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "known.json"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        read_baseline(path)
    assert caught.value.message == "not a roce-lint baseline (roce-lint/baseline/1)"
    assert caught.value.location == str(path)


def test_a_missing_baseline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory"):
        read_baseline(tmp_path / "known.json")


def at(finding: Finding, *ports: str, device: str = "leaf1") -> Finding:
    return replace(finding, occurrences=(Occurrence(device, ports, ()),))


def test_a_known_cause_that_grows_counts_where_it_is_new(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([at(MTU, "Ethernet1/1")]))
    baseline = read_baseline(path)
    (same,) = baseline.apply([at(MTU, "Ethernet1/1")])
    assert same.suppressed is not None
    new, known = baseline.apply([at(MTU, "Ethernet1/1", "Ethernet31/1")])
    assert (new.subjects, new.suppressed) == (("Ethernet31/1",), None)
    assert new.notes[-1] == "known on 1 port, new on leaf1 Ethernet31/1"
    assert (known.subjects, known.suppressed) == (("Ethernet1/1",), same.suppressed)
    assert len({new.fingerprint, known.fingerprint}) == 2
    assert baseline_text([new, known]) == baseline_text(
        [at(MTU, "Ethernet1/1", "Ethernet31/1")]
    ).replace(MTU.message, new.message)
    (fewer,) = baseline.apply([at(MTU, "Ethernet1/1")])
    assert fewer.suppressed is not None


def test_a_known_cause_that_gets_graver_counts_again(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(baseline_text([replace(MTU, severity=Severity.WARNING)]))
    baseline = read_baseline(path)
    (graver,) = baseline.apply([MTU])
    assert graver.suppressed is None
    assert graver.notes[-1] == "known as warning, more severe now"
    (milder,) = baseline.apply([replace(MTU, severity=Severity.INFO)])
    assert milder.suppressed is not None
    assert not baseline.knows(MTU, MTU.occurrences[0])


def test_a_baseline_that_names_devices_only_knows_all_their_ports(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    old = {"fingerprint": MTU.fingerprint, "rule": "MTU001", "devices": ["leaf1"], "message": ""}
    path.write_text(json.dumps({"schema": "roce-lint/baseline/1", "findings": [old]}))
    (known,) = read_baseline(path).apply([at(MTU, "Ethernet1/1", "Ethernet31/1")])
    assert known.suppressed is not None


@pytest.mark.parametrize("wrong", [{"ports": []}, {"ports": {"a": "b"}}, {"severity": "grave"}])
def test_a_baseline_with_a_wrong_field_is_none(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = tmp_path / "known.json"
    entry = {"fingerprint": "f", "rule": "MTU001", "devices": ["leaf1"], **wrong}
    path.write_text(json.dumps({"schema": "roce-lint/baseline/1", "findings": [entry]}))
    with pytest.raises(UsageError, match="not a roce-lint baseline"):
        read_baseline(path)
