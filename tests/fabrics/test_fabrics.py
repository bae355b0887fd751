"""Whole fabrics: every planted fault is found and no other, and sound designs are silent.

Every folder tests/fabrics/<case>/fabric is a small fabric of a design in use, and `expected.txt`
beside it holds both outputs. `pytest --rewrite` rewrites it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.engine.finding import Severity
from roce_lint.engine.run import NO_PEER
from roce_lint.pipeline import Report, Request, run
from roce_lint.report.wording import subjects_of
from roce_lint.settings import Settings
from tests.conftest import ROOT, Golden

HERE = Path(__file__).resolve().parent
CLEAN = "sample_configs/clean-fabric"
BROKEN = "sample_configs/broken-fabric"
CASES = sorted(path.parent.name for path in HERE.glob("*/expected.txt"))

PLANTED = [
    # gpu02 pauses priority 4 on its second rail, its data is priority 3
    ("PFC001", "hosts/gpu02/mlnx_qos-ens2f0np0.txt", 18),
    # gpu06 has an MTU of 9216 on its first rail, its leaf carries 9100
    ("MTU003", "hosts/gpu06/ip-link.json", 56),
    # gpu07 was given the DSCP where the whole traffic class byte is wanted
    ("NIC001", "hosts/gpu07/traffic_class-mlx5_0.txt", 2),
    # gpu09 pauses priority 5 on its second rail, and its unit says 3
    ("PFC001", "hosts/gpu09/niccli-qos-2.txt", 8),
    # gpu10 has DCQCN off on its second rail
    ("NIC007", "hosts/gpu10/irdma-cc.txt", 5),
    # gpu11 puts DSCP 26 into priority 2 on its second rail, and its script says 3
    ("MAP001", "hosts/gpu11/nicctl-qos.txt", 42),
    # leaf1 trusts CoS towards hosts, whose packets are untagged
    ("MAP002", "switches/leaf1.cfg", 9),
    # leaf1 pauses priority 4 towards the spines
    ("PFC001", "switches/leaf1.cfg", 35),
    # leaf2 marks in queue 4, whose block is named: nothing uses it, and RoCE leaves by queue 5
    ("ECN001", "switches/leaf2.cfg", 45),
    # leaf2 has a misspelt policy on one port
    ("MAP003", "switches/leaf2.cfg", 107),
    # leaf2 carries 1500 bytes on an uplink
    ("MTU001", "switches/leaf2.cfg", 192),
    # leaf3 gives the lossless groups of a port a lossy buffer profile
    ("BUF001", "switches/leaf3.json", 45),
    # leaf3 expects another port of spine2 than LLDP sees
    ("LNK001", "switches/leaf3.json", 245),
    # leaf3 lacks the WRED profile of queue 3 on one port: the row is named
    ("ECN001", "switches/leaf3.json", 882),
    # leaf4 puts CNPs into the class of the data
    ("CLS002", "switches/leaf4.cfg", 35),
    # leaf4 applies no input policy on one port: the stanza is named
    ("MAP004", "switches/leaf4.cfg", 79),
    # leaf4 has PFC off on one port
    ("PFC001", "switches/leaf4.cfg", 91),
    # leaf5 has a classifier of its own on one port, in which DSCP 26 is best-effort
    ("MAP001", "switches/leaf5.conf", 286),
    # leaf5 pauses DSCP 28, not 26, in its congestion notification profile
    ("MAP001", "switches/leaf5.conf", 348),
    # leaf6 has a profile of its own on one port, which does not mark the queue of RoCE
    ("ECN001", "switches/leaf6.yaml", 83),
    # leaf6 moves the pause of `qos roce` to priority 4
    ("PFC001", "switches/leaf6.yaml", 90),
    # spine1 has a cable of 0 m
    ("BUF002", "switches/spine1.json", 187),
    # spine1 maps DSCP 26 into the default class
    ("MAP001", "switches/spine1.json", 304),
    # spine2 begins to mark above the point where it ends
    ("ECN003", "switches/spine2.cfg", 24),
    # spine2 has unmarked traffic in the lossless class
    ("CLS003", "switches/spine2.cfg", 204),
]
"""Every fault of the broken fabric: rule, file below its folder, line."""

INTERFACE_OF_MAP004 = "interface Ethernet1/2"
"""Text on the line of MAP004: the missing line cannot be named."""


def judged(folder: Path) -> Report:
    intent = folder / "intent.yaml"
    asked = Request(
        paths=(str(folder),), intent=str(intent) if intent.is_file() else None, cache=False
    )
    return run(asked, Settings())


def causes(report: Report) -> list[tuple[str, str, int]]:
    """Every place where a finding names its cause."""
    return sorted(
        (finding.rule, place.file, place.line)
        for finding in report.findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if place.role == "cause"
    )


def seen(folder: str, *options: str) -> tuple[int, str]:
    """Exit status of `check`, and both outputs as in the golden files."""
    intent = ROOT / folder / "intent.yaml"
    extra = ["--intent", f"{folder}/intent.yaml"] if intent.is_file() else []
    done = CliRunner().invoke(
        cli, ["check", "--no-cache", *options, *extra, folder], prog_name="roce-lint"
    )
    # How many rules there are is the business of the rules, not of every golden file.
    reported = re.sub(r"\d+ rules$", "N rules", done.stderr, flags=re.MULTILINE)
    return done.exit_code, f"{done.stdout}--- standard error\n{reported}"


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make paths in reports relative to the root."""
    monkeypatch.chdir(ROOT)


def test_the_clean_fabric_is_clean(golden: Golden) -> None:
    report = judged(ROOT / CLEAN)
    assert [(f.rule, f.message) for f in report.findings] == []
    assert [d.message for d in report.diagnostics] == []
    status, text = seen(CLEAN)
    assert status == 0
    assert text.startswith("--- standard error")
    golden.check(HERE / "clean-fabric.txt", text)


def test_what_was_planted_is_found_and_nothing_else() -> None:
    report = judged(ROOT / BROKEN)
    assert causes(report) == sorted(PLANTED)
    assert [d.message for d in report.diagnostics] == []


def test_the_stanza_without_its_line_is_named() -> None:
    (line,) = [n for rule, file, n in PLANTED if rule == "MAP004"]
    text = (ROOT / BROKEN / "switches/leaf4.cfg").read_text().split("\n")
    assert text[line - 1] == INTERFACE_OF_MAP004


def test_the_report_of_the_broken_fabric(golden: Golden) -> None:
    status, text = seen(BROKEN, "--format", "text")
    assert status == 1
    golden.check(HERE / "broken-fabric.text.txt", text)


def test_the_concise_report_of_the_broken_fabric() -> None:
    """It has the places and texts of the findings, and the same end of standard error."""
    report = judged(ROOT / BROKEN)
    status, text = seen(BROKEN, "--format", "concise")
    lines, _, error = text.partition("--- standard error")
    assert status == 1
    assert error.startswith("\nNot checked")
    assert (HERE / "broken-fabric.text.txt").read_text().endswith(error)
    assert lines.splitlines() == [
        f"{BROKEN}/{place.file}:{place.line}: {finding.severity.label} {finding.rule} "
        f"{finding.name}: {finding.message} [{subjects_of(occurrence)}]"
        for finding in report.findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if place.role == "cause"
    ]


@pytest.mark.parametrize("case", CASES)
def test_a_sound_design_is_left_alone(golden: Golden, case: str) -> None:
    report = judged(HERE / case / "fabric")
    grave = [(f.rule, f.message) for f in report.findings if f.severity >= Severity.WARNING]
    assert grave == []
    assert [d.message for d in report.diagnostics] == []
    assert report.judged_ports > 0
    status, text = seen(f"tests/fabrics/{case}/fabric")
    assert status == 0
    golden.check(HERE / case / "expected.txt", text)


DESIGNS = [
    "cnp-with-network-control",
    "dscp-18-priority-2",
    "dscp-24-priority-3",
    "dscp-30-priority-4",
    "dscp-46-priority-5",
    "ecn-only",
    "native-mtus",
    "pfc-at-host-edge",
    "pfc-only",
    "storage-class",
    "two-roce-classes",
]
"""Designs in use, each with a leaf of every kind, two spines and a host on each leaf."""


@pytest.mark.parametrize("case", DESIGNS)
def test_a_design_is_checked_from_end_to_end(case: str) -> None:
    report = judged(HERE / case / "fabric")
    assert report.fabric is not None
    assert report.analysis is not None
    leaves = {d.nos for name, d in report.fabric.devices.items() if name.startswith("leaf")}
    spines = {d.nos for name, d in report.fabric.devices.items() if name.startswith("spine")}
    assert (leaves, spines) == ({"eos", "nxos", "sonic"}, {"eos", "sonic"})
    per_device = {
        name: len(report.analysis.ports_of(device))
        for name, device in report.fabric.devices.items()
    }
    hosts = dict.fromkeys(("gpu1", "gpu2", "gpu3"), 1)
    switches = dict.fromkeys(("leaf1", "leaf2", "leaf3", "spine1", "spine2"), 3)
    assert per_device == hosts | switches
    assert all(port.peer is not None for port in report.analysis.ports)
    assert (report.findings, report.unknowns) == ([], [])


def modes(case: str) -> dict[str, tuple[str, ...]]:
    """Detected design modes for each class of a case."""
    return {found.name: found.modes for found in judged(HERE / case / "fabric").classes}


@pytest.mark.parametrize(
    ("case", "mode"),
    [
        ("native-mtus", "PFC on every hop, ECN marking (PFC is on at 18 of 18 ports)"),
        ("ecn-only", "no PFC, ECN marking (PFC is on at 0 of 18 ports, off at 18)"),
        ("pfc-only", "PFC on every hop, no ECN marking (PFC is on at 18 of 18 ports)"),
        (
            "pfc-at-host-edge",
            "PFC at the host edge only, ECN marking (PFC is on at 6 of 18 ports, off at 12)",
        ),
    ],
)
def test_the_design_is_recognised(case: str, mode: str) -> None:
    assert modes(case)["RoCE DSCP 26"] == (mode,)


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith("dscp-")])
def test_the_code_point_is_taken_from_the_hosts(case: str) -> None:
    _, dscp, _, priority = case.split("-")
    report = judged(HERE / case / "fabric")
    assert report.analysis is not None
    (traffic,) = report.analysis.data_classes
    assert traffic.dscps == (int(dscp),)
    assert {
        mode.priority for (name, _), mode in report.analysis.modes.items() if name == traffic.name
    } == {int(priority)}


def test_two_classes_are_kept_apart() -> None:
    report = judged(HERE / "two-roce-classes" / "fabric")
    assert report.analysis is not None
    found = {
        t.dscps: report.analysis.modes[(t.name, 0)].priority for t in report.analysis.data_classes
    }
    assert found == {(26,): 3, (34,): 4}


def test_without_links_the_missing_inputs_are_named() -> None:
    report = judged(HERE / "switches-only" / "fabric")
    assert [(c.name, c.basis) for c in report.classes] == [("RoCE DSCP 26", "inferred")]
    missing = {unknown.missing for unknown in report.unknowns}
    assert missing - {NO_PEER} == {each for each in missing if "CNP" in each}
    assert len(missing) == 2


def ports(case: str, device: str) -> list[str]:
    report = judged(HERE / case / "fabric")
    assert report.analysis is not None
    return [port.interface.name for port in report.analysis.ports if port.device.hostname == device]


def test_both_ports_of_a_bond_are_paths_and_the_peer_link_is_not() -> None:
    assert ports("dual-homed-bond", "gpu1") == ["ens1f0np0", "ens1f1np1"]
    assert ports("dual-homed-bond", "leaf1") == ["Ethernet1/1", "Ethernet31/1"]


def test_a_host_without_rdma_and_a_management_switch_are_not_checked() -> None:
    assert ports("host-without-rdma", "login1") == []
    assert ports("host-without-rdma", "leaf1") == ["Ethernet1/1", "Ethernet31/1"]
    assert ports("management-switch", "mgmt1") == []
