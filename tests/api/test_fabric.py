"""A fabric that was loaded answers as the commands do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import roce_lint
from tests.command import ended

BROKEN = "sample_configs/broken-fabric"


@pytest.fixture(scope="module")
def fabric(root: Path) -> roce_lint.LoadedFabric:
    return roce_lint.load(root / BROKEN)


def _printed(root: Path, *words: str) -> str:
    return ended(*words, cwd=root).stdout


def test_its_report_is_that_of_the_command(root: Path, fabric: roce_lint.LoadedFabric) -> None:
    data = json.loads(_printed(root, "check", BROKEN, "--format", "json"))
    ours = json.loads(
        roce_lint.render("json", fabric.check(), roce_lint.Options(cwd=str(root), fail_on="error"))
    )
    assert ours["findings"] == data["findings"]
    assert ours["summary"] == data["summary"]


def test_a_selection_finds_what_the_command_finds(
    root: Path, fabric: roce_lint.LoadedFabric
) -> None:
    before = [finding.fingerprint for finding in fabric.check().findings]
    data = json.loads(
        _printed(root, "check", BROKEN, "--format", "json", "--select", "PFC", "--select", "ECN")
    )
    found = fabric.check(select=["PFC", "ECN"]).findings
    assert sorted(finding.fingerprint for finding in found) == sorted(
        entry["fingerprint"] for entry in data["findings"]
    )
    assert [finding.fingerprint for finding in fabric.check().findings] == before


def test_a_trace_is_that_of_the_command(root: Path, fabric: roce_lint.LoadedFabric) -> None:
    words = ("trace", BROKEN, "--from", "gpu01", "--to", "gpu05", "--format", "json")
    data = json.loads(_printed(root, *words))
    assert [one.as_dict() for one in fabric.trace("gpu01", "gpu05")] == data["traces"]


def test_the_table_of_a_port_is_that_of_the_command(
    root: Path, fabric: roce_lint.LoadedFabric
) -> None:
    words = ("show", BROKEN, "--device", "leaf2", "--port", "Ethernet1/1", "--format", "json")
    data = json.loads(_printed(root, *words))
    port = fabric.port("leaf2", "Ethernet1/1")
    assert (port.table(), port.why) == (data["rows"], data["why"])
    assert [each.stage for each in port.broken()] == [each["stage"] for each in data["broken"]]


def test_rows_of_a_table_have_the_same_keys_and_plain_values(
    fabric: roce_lint.LoadedFabric,
) -> None:
    for name in roce_lint.TABLES:
        rows = fabric.table(name)
        assert rows, name
        assert {tuple(row) for row in rows} == {tuple(rows[0])}
        assert {type(value) for row in rows for value in row.values()} <= {
            str, int, float, bool, type(None),
        }  # fmt: skip


def test_findings_as_rows_are_as_many_as_their_places(fabric: roce_lint.LoadedFabric) -> None:
    places = sum(len(finding.occurrences) for finding in fabric.check().findings)
    assert len(fabric.table("findings")) == places


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda fabric: fabric.port("leaf99", "Ethernet1/1"), "no device leaf99"),
        (lambda fabric: fabric.port("leaf2", "Ethernet9/9"), "no port Ethernet9/9"),
        (lambda fabric: fabric.port("leaf2", "Ethernet1/1").treatment(64), "64 is no DSCP"),
        (lambda fabric: fabric.trace("gpu01", "nobody"), "nobody"),
        (lambda fabric: fabric.trace("gpu01", "gpu05", name="x", dscp=1), "exclude"),
        (lambda fabric: fabric.check(select=["pfc-1"]), "is not a rule id or prefix"),
        (lambda fabric: fabric.check(select="PFC"), "lists"),
        (lambda fabric: fabric.table("nothing"), "there is no table 'nothing'"),
        (lambda _: roce_lint.load("/nowhere/at/all"), "no such file or folder"),
        (lambda _: roce_lint.load(".", settings="/nowhere.toml"), "there is no such file"),
    ],
)
def test_what_the_caller_must_mend_is_said(
    fabric: roce_lint.LoadedFabric, ask: object, said: str
) -> None:
    assert callable(ask)
    with pytest.raises(roce_lint.RoceLintError, match=said):
        ask(fabric)


def test_settings_beside_the_paths_are_used_unless_isolated(tmp_path: Path, root: Path) -> None:
    (tmp_path / "leaf.cfg").write_bytes((root / BROKEN / "switches" / "leaf2.cfg").read_bytes())
    (tmp_path / "roce-lint.toml").write_text('ignore = ["ECN"]\n')
    kept = {f.rule[:3] for f in roce_lint.load(tmp_path).check().findings}
    everything = {f.rule[:3] for f in roce_lint.load(tmp_path, isolated=True).check().findings}
    assert "ECN" not in kept
    assert everything > kept


def test_a_folder_of_nothing_has_no_answer(tmp_path: Path) -> None:
    fabric = roce_lint.load(tmp_path)
    assert fabric.devices == {}
    assert fabric.links == []
    assert fabric.check().incomplete
    assert fabric.check(select=["PFC"]).incomplete
    assert fabric.table("devices") == []
    assert fabric.table("treatments") == []
