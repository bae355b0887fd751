"""Names that nothing defines: which packets of which ports they are about, and misspelt ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.model.device import Device, Structure
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.nos.junos.fabric import HOST, Edit, cos, judged, sub, summaries
from tests.unit.checks.judging import judged as judge
from tests.unit.checks.judging import policy, severities_and_values
from tests.unit.fabric import lines_of, port, switch

CLEAN = Path(__file__).parents[4] / "sample_configs" / "clean-fabric"


def undefined(leaf: Device, kind: str, name: str, line: int) -> Structure:
    """A name that a line refers to and nothing defines."""
    made = policy(leaf, kind, name, line)
    made.at[""] = 0
    return made


@pytest.mark.parametrize(
    ("fields", "acts"),
    [
        (("egress",), "leaving"),
        (("rewrite",), "leaving"),
        (("classifier",), "arriving"),
        (("trust",), "arriving"),
        (("forwarding",), "both"),
        (("egress", "classifier"), "both"),
    ],
)
def test_what_a_port_applies_says_which_packets(fields: tuple[str, ...], acts: str) -> None:
    leaf = switch("leaf1")
    line = lines_of(leaf).next()
    for name in ("e1", "e2"):
        port(leaf, name)
    qos = leaf.interfaces["e2"].qos
    assert qos is not None
    for field in fields:
        qos.at[field] = line
    undefined(leaf, "queuing policy", "OUT", line)
    (found,) = judge("MAP003", leaf).findings
    expected = None if acts == "both" else acts
    assert found.acts in (expected, "both")
    assert found.reaches == (("leaf1", "e2", acts),)


def test_a_line_inside_what_a_port_applies_counts_too() -> None:
    leaf = switch("leaf1", marked=(3,))
    line = lines_of(leaf).next()
    port(leaf, "e1")
    qos = leaf.interfaces["e1"].qos
    assert qos is not None
    queue = leaf.qos.egress[qos.egress or ""].queue(3)
    assert queue is not None
    assert queue.marking is not None
    queue.marking.at["kmin"] = line
    undefined(leaf, "marking profile", "MARK", line)
    (found,) = judge("MAP003", leaf).findings
    assert found.reaches == (("leaf1", "e1", "leaving"),)


def test_a_name_of_no_port_reaches_none() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    undefined(leaf, "queuing policy", "OUT", lines_of(leaf).next())
    (found,) = judge("MAP003", leaf).findings
    assert found.reaches == ()


SPELT: dict[str, tuple[list[Edit], list[str]]] = {
    "one name misspelt": (
        [sub("et-* scheduler-map FABRIC", "et-* scheduler-map FABRICS")],
        ["error MAP003: interfaces et-* scheduler-map FABRICS"],
    ),
    "another name altogether": (
        [sub("et-* scheduler-map FABRIC", "et-* scheduler-map OLD")],
        [
            "error MAP003: interfaces et-* scheduler-map OLD",
            "info MAP005: scheduler-maps FABRIC forwarding-class best-effort scheduler BULK",
        ],
    ),
    "two that it may be": (
        [
            sub("et-* scheduler-map FABRIC", "et-* scheduler-map FABRICS"),
            cos("scheduler-maps FABRIX forwarding-class DATA scheduler DATA"),
        ],
        [
            "error MAP003: interfaces et-* scheduler-map FABRICS",
            "info MAP005: scheduler-maps FABRIC forwarding-class best-effort scheduler BULK",
            "info MAP005: scheduler-maps FABRIX forwarding-class DATA scheduler DATA",
        ],
    ),
    "one of another kind": (
        [
            sub("et-* scheduler-map FABRIC", "et-* scheduler-map FABRICS"),
            cos("schedulers FABRICK transmit-rate percent 5"),
        ],
        [
            "error MAP003: interfaces et-* scheduler-map FABRICS",
            "info MAP005: schedulers FABRICK transmit-rate percent 5",
        ],
    ),
}


@pytest.mark.parametrize("name", SPELT)
def test_an_unused_name_beside_a_misspelt_one(tmp_path: Path, name: str) -> None:
    edits, expected = SPELT[name]
    report, lines = judged(tmp_path, *edits, more=HOST)
    assert summaries(report, lines) == expected


def test_the_unused_definition_is_evidence(tmp_path: Path) -> None:
    report, lines = judged(tmp_path, sub("drop-profile MARK", "drop-profile MARC"))
    (found,) = report.findings
    assert found.also == ("MAP005",)
    assert [(lines[p.line - 1].split()[2], p.role) for p in found.occurrences[0].locations] == [
        ("schedulers", "cause"),
        ("drop-profiles", "evidence"),
    ]


def test_case_tells_names_apart_and_is_misspelt_all_the_same() -> None:
    leaf = switch("leaf1")
    port(leaf, "e1")
    undefined(leaf, "qos profile", "RoCE", lines_of(leaf).next())
    policy(leaf, "qos profile", "ROCE")
    assert [level for level, _ in severities_and_values("MAP003", leaf)] == ["error"]
    assert [level for level, _ in severities_and_values("MAP005", leaf)] == ["info"]


WRITTEN = {
    "junos scheduler map": (
        "leaf5.conf",
        "scheduler-map FABRIC;",
        "scheduler-map FABRICX;",
        "leaving",
    ),
    "junos scheduler": ("leaf5.conf", "scheduler NO-LOSS;", "scheduler NO-LOS;", "leaving"),
    "junos drop profile": ("leaf5.conf", "profile ROCE-ECN;", "profile ROCE-ECM;", "leaving"),
    "junos classifier": ("leaf5.conf", "  dscp ROCE;", "  dscp ROCEE;", "arriving"),
    "junos profile": ("leaf5.conf", "profile ROCE;", "profile ROCEE;", "both"),
    "nxos queuing policy": (
        "leaf2.cfg",
        "queuing output ROCE-OUT",
        "queuing output ROCE-OT",
        "leaving",
    ),
    "nxos class policy": ("leaf2.cfg", "qos input ROCE-", "qos input ROCK-", "arriving"),
    "eos profile": ("leaf1.cfg", "service-profile ROCE-HOST", "service-profile ROCE-HOTS", "both"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_hop_is_marked_in_its_direction(tmp_path: Path, name: str) -> None:
    """The path of the finding passes the leaf the way that the name is about, and marks it."""
    file, old, new, acts = WRITTEN[name]
    found = _broken(tmp_path, file, old, new)
    reached = [(port, way) for _, port, way in found.reaches if " " not in port]
    assert {way for _, way in reached} == {acts}
    assert found.pairs is not None
    (hop,) = [hop for hop in found.path if hop.here]
    assert hop.device == file.partition(".")[0]
    ports = {port for port, _ in reached}
    met = {"leaving": {hop.out}, "arriving": {hop.into}, "both": {hop.into, hop.out}}[acts]
    assert met & ports
    assert hop.place is not None
    assert new.split()[-1].rstrip(";") in hop.place.text


def _broken(tmp_path: Path, file: str, old: str, new: str) -> Finding:
    """The one finding of the clean fabric with a name misspelt once."""
    for path in CLEAN.rglob("*"):
        if path.is_file():
            target = tmp_path / path.relative_to(CLEAN)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            if path.name == file:
                assert old in text
                text = text.replace(old, new, 1)
            target.write_text(text, encoding="utf-8")
    findings = run(Request((str(tmp_path),), jobs=1, cache=False), Settings()).findings
    (found,) = [finding for finding in findings if finding.rule == "MAP003"]
    return found
