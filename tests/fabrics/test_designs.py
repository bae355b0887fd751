"""Legal designs other than PFC on every hop are recognised without a finding."""

from __future__ import annotations

import json
import re

import pytest

from roce_lint.analysis.result import PfcDesign
from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report
from tests.bench import check
from tests.fabrics.stable import build, switches


def reported(report: Report) -> list[tuple[str, str]]:
    return [(f.rule, f.message) for f in report.findings]


def designs(report: Report) -> set[PfcDesign]:
    assert report.analysis is not None
    return {mode.pfc for mode in report.analysis.modes.values()}


def without(tables: dict[str, dict[str, object]]) -> None:
    """A SONiC switch without PFC: its classes have groups all the same."""
    for name in ("MAP_PFC_PRIORITY_TO_QUEUE", "PFC_WD"):
        del tables[name]
    for row in tables["PORT_QOS_MAP"].values():
        assert isinstance(row, dict)
        for key in ("pfc_enable", "pfcwd_sw_enable", "pfc_to_queue_map"):
            del row[key]
    tables["TC_TO_PRIORITY_GROUP_MAP"] = {"ROCE": {str(n): "0" for n in range(8)}}
    groups = tables["BUFFER_PG"]
    tables["BUFFER_PG"] = {key: row for key, row in groups.items() if key.endswith("|0")}


@pytest.mark.parametrize("size", [3, 6])
def test_a_group_is_no_pause(size: int) -> None:
    files = build(["sonic"] * size)
    for name in switches(files).values():
        tables = json.loads(files[name])
        without(tables)
        files[name] = json.dumps(tables, indent=1)
    report = check(files)
    assert [f for f in reported(report) if f[0].startswith("PFC")] == []
    assert [c.name for c in report.classes] == ["RoCE DSCP 26"]
    assert report.classes[0].marked


def one_way(text: str) -> str:
    """A Junos switch that honours PFC and sends none."""
    found = re.search(r"\n( +)input \{\n.*?\n\1\}", text, re.DOTALL)
    assert found is not None
    return text.replace(found[0], "", 1)


@pytest.mark.parametrize("size", [3, 5])
def test_pause_that_is_obeyed_and_not_sent(size: int) -> None:
    files = build(["junos"] * size)
    odd = {name: one_way(files[name]) for name in switches(files).values()}
    report = check(files | odd)
    assert [f for f in reported(report) if f[0].startswith("PFC")] == []
    assert designs(report) == {PfcDesign.OBEYS_ONLY}
    leaf = switches(files)["leaf1"]
    report = check({**files, leaf: odd[leaf]})
    assert {f.device for f in report.findings if f.severity is Severity.ERROR} == {"leaf1"}


def test_a_spine_by_its_own_word_has_no_hosts() -> None:
    """Its leaves are not in the folder: no finding is about hosts."""
    tables = json.loads(build(["sonic"] * 4)["switches/spine1.json"])
    del tables["PFC_WD"]
    for row in tables["PORT_QOS_MAP"].values():
        del row["pfcwd_sw_enable"]
    for kind, expected in (("SpineRouter", False), ("Spine", False), ("ToRRouter", True)):
        tables["DEVICE_METADATA"]["localhost"]["type"] = kind
        report = check({"spine1/config_db.json": json.dumps(tables, indent=1)})
        assert report.analysis is not None
        assert report.judged_ports == 3
        assert {port.faces_host for port in report.analysis.ports} == {expected}
        assert ("PFC020" in {f.rule for f in report.findings}) is expected
