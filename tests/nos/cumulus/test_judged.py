"""Findings for a Cumulus switch among others: scope, links, severities, bad files."""

from __future__ import annotations

from pathlib import Path

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings

LEAF = """\
nv set interface swp1 ip address 10.1.1.0/31
nv set interface swp1 qos pfc-watchdog state enable
nv set interface swp2 ip address 10.1.2.0/31
nv set interface swp2 qos pfc-watchdog state enable
nv set interface swp3-4 type swp
nv set interface swp5 evpn multihoming uplink on
nv set qos roce mode {mode}
nv set system hostname leaf1
"""

TRUST = """\
mlnx_qos -i ens1f0np0
DCBX mode: OS controlled
Priority trust state: dscp
"""


def judge(folder: Path, **files: str) -> Report:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return run(Request((str(folder),), jobs=1, cache=False), Settings())


def found(report: Report) -> list[tuple[str, str, int]]:
    return [
        (f.rule, f.severity.label, f.location.line if f.location else 0)
        for f in report.findings
        if f.severity >= Severity.WARNING
    ]


def test_uplinks_and_idle_ports_are_no_edge_ports(tmp_path: Path) -> None:
    report = judge(tmp_path, leaf1_txt=LEAF.format(mode="lossless"))
    assert report.judged_ports == 2
    assert found(report) == []


def test_lossy_roce_is_a_design_of_its_own(tmp_path: Path) -> None:
    report = judge(tmp_path, leaf1_txt=LEAF.format(mode="lossy"))
    assert report.judged_ports == 2
    assert found(report) == []


def test_two_leaves_of_which_one_has_no_qos(tmp_path: Path) -> None:
    """The second trusts 802.1p on routed ports, which bring none, and has no PFC."""
    plain = LEAF.replace("nv set qos roce mode {mode}\n", "").replace("leaf1", "leaf2")
    plain = plain.replace("10.1.1.0", "10.1.1.1").replace("swp2 ip address 10.1.2.0/31", "swp2")
    report = judge(tmp_path, leaf1_txt=LEAF.format(mode="lossless"), leaf2_txt=plain)
    assert found(report) == [("MAP002", "error", 1)]
    assert [f.also for f in report.findings if f.rule == "MAP002"] == [("PFC001", "PFC002")]


def test_a_default_cable_length_is_not_a_statement(tmp_path: Path) -> None:
    """`qos roce` assumes 100 m for every cable; a NIC set to 5 m does not contradict it."""
    links = "- [leaf1:swp1, leaf2:swp1]\n"
    leaf2 = LEAF.replace("leaf1", "leaf2").replace("10.1", "10.2").format(mode="lossless")
    own = "nv set qos pfc default-global cable-length 5\n"
    report = judge(
        tmp_path / "a", leaf1_txt=LEAF.format(mode="lossless"), leaf2_txt=leaf2 + own,
        **{"links.yaml": links},
    )  # fmt: skip
    assert "LNK005" not in {f.rule for f in report.findings}
    both = judge(
        tmp_path / "b",
        leaf1_txt=LEAF.format(mode="lossless") + own.replace("5", "40"),
        leaf2_txt=leaf2 + own,
        **{"links.yaml": links},
    )
    assert [f.rule for f in both.findings if f.rule == "LNK005"] == ["LNK005"]


def test_a_broken_document_is_reported_with_its_line(tmp_path: Path) -> None:
    text = "- header:\n    nvue-api-version: nvue_v1\n- set:\n    qos: [\n"
    report = judge(tmp_path, **{"startup.yaml": text, "leaf1_txt": LEAF.format(mode="lossless")})
    (reported,) = report.diagnostics
    assert (reported.kind, reported.file, reported.line) == ("syntax", "startup.yaml", 5)
    assert report.incomplete


def test_interfaces_of_a_switch_and_of_a_host_in_one_snapshot(tmp_path: Path) -> None:
    report = judge(
        tmp_path,
        leaf9__interfaces="auto swp1\niface swp1\n    mtu 9216\n    address 10.1.1.0/31\n",
        leaf9__qos_features="default_ecn_red_conf.ecn_enable = true\n",
        gpu1__interfaces="auto ens1f0np0\niface ens1f0np0 inet static\n    mtu 9000\n",
        gpu1__mlnx_qos_txt=TRUST,
    )
    nos = {d.name: d.nos for d in report.devices}
    assert nos["leaf9"] == "cumulus"
    assert nos.get("gpu1", "linux") == "linux"
