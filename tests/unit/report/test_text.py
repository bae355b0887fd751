"""The text report: exact bytes for every way to ask for it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.engine.finding import Occurrence, Pairs, Severity, UnknownGroup, Verdict
from roce_lint.report import render
from roce_lint.report.text import parts
from roce_lint.report.wording import reach_of
from tests.conftest import Golden
from tests.unit.report import sample
from tests.unit.report.sample import CNP, HOSTILE, MTU, OPTIONS, PFC, place, report

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("text", {}),
        ("text-verbose", {"verbose": True}),
        ("text-by-rule", {"group_by": "rule"}),
        ("text-by-device", {"group_by": "device"}),
        ("text-unknown", {"show_unknown": True}),
        ("text-max", {"max_findings": 1}),
        ("text-color", {"color": True, "width": 60}),
    ],
)
def test_the_text_report(golden: Golden, name: str, options: dict[str, object]) -> None:
    text = render("text", report(), replace(OPTIONS, **options))
    golden.check(GOLDEN / f"{name}.txt", text)


def test_nothing_wrong_and_nothing_missing() -> None:
    assert render("text", sample.clean(), OPTIONS) == (
        "RoCE DSCP 26: set on 2 hosts\n"
        "    PFC on every hop, ECN marking (pause on 70 ports, none on 2)\n"
        "    configs/gpu-017/nccl.conf:3    NCCL_IB_TC=104\n"
        "CNP DSCP 48: no host states its DSCP; inferred from the lossless classes of the switches\n"
        "\n"
        "0 errors, 0 warnings, 0 info in 1 device, 8 links, 72 ports checked, 3 rules\n"
        "READY: all 56 NIC pairs judged, none broken\n"
    )


def test_only_findings_go_between_head_and_tail() -> None:
    divided = parts(report(MTU), OPTIONS)
    assert [line.text for line in divided.findings] == [
        "configs/leaf1.cfg:455: error MTU001 mtu-too-small-for-class",
        (
            "    leaf1 Ethernet1/64 carries 1500 bytes, gpu-017 mlx5_3 sends 4154. "
            "Full-size RDMA packets are dropped here"
        ),
        "    configs/leaf1.cfg:455                 mtu 1500",
        "    configs/gpu-017/ibv_devinfo.txt:14    active_mtu: 4096 (5)",
        "    fix: set ip_mtu of leaf1 Ethernet1/64 to 9214 (stops traffic for a moment)",
    ]
    assert divided.head[0].text == "RoCE DSCP 26: set on 2 hosts"
    assert divided.tail[-1].text.startswith("NOT READY: 48 of 56 NIC pairs broken, 2 causes")


def test_a_finding_on_hundreds_of_leaves_is_one_block() -> None:
    wide = replace(
        PFC,
        occurrences=tuple(
            Occurrence(f"leaf{n:03}", ("Ethernet1",), (place(f"leaf{n:03}.cfg", 12, "pfc off"),))
            for n in range(1, 513)
        ),
    )
    devices = [sample.device(f"leaf{n:03}") for n in range(1, 513)]
    lines = [line.text for line in parts(report(wide, devices=devices), OPTIONS).findings]
    assert lines[2:8] == [
        "    on 512 leaves: leaf001-512",
        (
            "    affects 1,984 of 4,032 NIC pairs: "
            "gpu-001 > leaf1 > leaf2 [Ethernet1/60 > Ethernet1/1] > gpu-017"
        ),
        "    configs/leaf001.cfg:12    pfc off",
        "    configs/leaf002.cfg:12    pfc off",
        "    configs/leaf003.cfg:12    pfc off",
        "    and the same on 509 more devices",
    ]


def test_many_places_of_one_device_are_counted() -> None:
    many = replace(
        MTU,
        occurrences=(
            Occurrence(
                "leaf1",
                tuple(f"Ethernet{n}" for n in range(1, 9)),
                tuple(place("leaf1.cfg", n, f"mtu {n}") for n in range(1, 9)),
            ),
        ),
    )
    lines = [line.text for line in parts(report(many), OPTIONS).findings]
    assert lines[2:7] == [
        "    on 8 ports: Ethernet1-8",
        "    configs/leaf1.cfg:1    mtu 1",
        "    configs/leaf1.cfg:2    mtu 2",
        "    configs/leaf1.cfg:3    mtu 3",
        "    and 5 more places",
    ]
    verbose = [line.text for line in parts(report(many), replace(OPTIONS, verbose=True)).findings]
    assert "    configs/leaf1.cfg:8    mtu 8" in verbose
    assert "    and 5 more places" not in verbose


def test_a_long_list_begins_with_what_reaches_furthest() -> None:
    many = [replace(MTU, fingerprint=f"{n:032x}") for n in range(10)]
    head = [line.text for line in parts(report(*many, PFC), OPTIONS).head]
    assert head[-6:-3] == [
        "11 root causes on 6 leaves. Largest impact:",
        "    PFC002  160 ports on 5 leaves  configs/leaf2.cfg:12",
        "    MTU001  1 port on 1 leaf       configs/leaf1.cfg:455",
    ]


def test_what_breaks_most_pairs_comes_first() -> None:
    """A warning breaks none, however many ports it is about."""
    one = replace(MTU, pairs=Pairs(40, 56, 40), fingerprint="0" * 32)
    many = [replace(MTU, pairs=Pairs(8, 56, 8), fingerprint=f"{n:032x}") for n in range(1, 10)]
    warned = replace(PFC, severity=Severity.WARNING, pairs=Pairs(56, 56, None))
    head = [line.text for line in parts(report(*many, one, warned), OPTIONS).head]
    assert head[-6:-3] == [
        "11 root causes on 6 leaves. Largest impact:",
        "    MTU001  40 of 56 pairs  1 port on 1 leaf  configs/leaf1.cfg:455",
        "    MTU001  8 of 56 pairs   1 port on 1 leaf  configs/leaf1.cfg:455",
    ]


def test_what_is_left_out_is_counted_by_severity() -> None:
    tail = [line.text for line in parts(report(), replace(OPTIONS, max_findings=1)).tail]
    assert "2 more findings not shown (1 warning, 1 info)" in tail


def test_the_gravest_is_what_is_shown() -> None:
    shown = parts(report(CNP, PFC, MTU), replace(OPTIONS, max_findings=1)).findings
    assert shown[0].text == "configs/leaf1.cfg:455: error MTU001 mtu-too-small-for-class"


def test_unknowns_are_grouped_by_what_is_missing() -> None:
    tail = [line.text for line in parts(report(), OPTIONS).tail]
    assert tail[:4] == [
        "Not checked, because input is missing:",
        (
            "    3 ports: the peer port (provide LLDP output or links.yaml): "
            "needed for MTU001, PFC002"
        ),
        "    1 port: cable length: needed for BUF001",
        "    1 device: firmware: needed for NIC003",
    ]


def test_an_unknown_of_no_device_is_of_the_fabric() -> None:
    only = report(unknowns=[UnknownGroup("WLK001", "a link", "", ())])
    assert [line.text for line in parts(only, OPTIONS).tail][1] == (
        "    the fabric: a link: needed for WLK001"
    )


def test_a_run_that_judged_nothing_says_so() -> None:
    empty = report(
        devices=[], classes=[], judged_ports=0, unknowns=[], diagnostics=[], findings=[],
        verdict=Verdict(missing=(("a configuration: none was recognised", 0),)),
    )  # fmt: skip
    assert [line.text for line in parts(empty, OPTIONS).tail][-1] == (
        "NOT PROVED: no pair was judged; missing: a configuration: none was recognised"
    )
    no_port = replace(empty, devices=[sample.device("leaf1")])
    (none,) = parts(no_port, OPTIONS).head
    assert none.text.startswith("No RoCE class was found: no host states one, and no port in ")


def test_oversubscription_is_told_tier_by_tier() -> None:
    ratios = {"leaf1": 2.0, "leaf2": 1.125, "leaf3": None}
    devices = [replace(sample.device(name), oversubscription=r) for name, r in ratios.items()]
    devices.append(replace(sample.device("spine1", "spine"), oversubscription=1.0))
    text = render("text", report(devices=devices), OPTIONS)
    assert "Oversubscription (downlinks : uplinks): leaf 1.12:1 to 2:1, spine 1:1\n" in text
    assert "Oversubscription" not in render("text", report(devices=devices[2:3]), OPTIONS)


def test_many_remarks_about_files_are_counted() -> None:
    one = report().diagnostics[0]
    tail = [line.text for line in parts(report(diagnostics=[one] * 25), OPTIONS).tail]
    assert tail.count("configs/two.cfg: two-configs: two.cfg and 2.cfg are leaf9") == 20
    assert "and 5 more about files (-v lists all)" in tail


@pytest.mark.parametrize("width", [40, 60, 90, 200])
def test_a_narrow_terminal_loses_nothing(width: int) -> None:
    painted = render("text", report(), replace(OPTIONS, color=True, width=width))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", painted)
    assert "".join(shown.split()) == "".join(render("text", report(), OPTIONS).split())
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("color", [False, True])
def test_hostile_names_cannot_steer_the_terminal(color: bool) -> None:
    options = replace(OPTIONS, color=color, verbose=True, show_unknown=True, width=80)
    text = render("text", report(HOSTILE), options)
    ours = {"\x1b"} if color else set()
    assert {c for c in text if ord(c) < 32 or 0x7F <= ord(c) < 0xA0} == {"\n"} | ours
    assert "\x1b[31mred" not in text
    assert "\udc80" not in text.encode("utf-8").decode("utf-8")


def test_plain_text_needs_no_rich() -> None:
    script = (
        "import sys\n"
        "from tests.unit.report.sample import report, OPTIONS\n"
        "from roce_lint.report import render\n"
        "for name in ('text', 'concise', 'sarif', 'junit', 'github', 'gitlab'):\n"
        "    render(name, report(), OPTIONS)\n"
        "sys.exit('rich' in sys.modules)\n"
    )
    root = Path(__file__).parents[3]
    assert subprocess.run([sys.executable, "-c", script], cwd=root, check=False).returncode == 0


@pytest.mark.parametrize(
    ("first", "behind"),
    [
        (None, ""),
        (1984, ""),
        (1200, "; first fault on the path of 1,200"),
        (0, "; never the first fault on a path"),
    ],
)
def test_an_error_says_of_how_many_pairs_it_is_the_first_fault(
    first: int | None, behind: str
) -> None:
    told = reach_of(Pairs(1984, 4032, first))
    assert told == f"affects 1,984 of 4,032 NIC pairs{behind}"
