"""A hand-made report that has one of everything, for the tests of all formats."""

from __future__ import annotations

from dataclasses import replace

from roce_lint.engine.finding import (
    Answer,
    Certainty,
    Diagnostic,
    Finding,
    Occurrence,
    Pairs,
    PathHop,
    Remedy,
    Repair,
    Severity,
    SkippedFile,
    Suppression,
    UnknownGroup,
    Verdict,
    VerifiedFix,
)
from roce_lint.engine.page import RulePage, parse_page
from roce_lint.model.change import Change, Safety
from roce_lint.model.path import of_port
from roce_lint.pipeline import ClassSummary, DeviceSummary, Report
from roce_lint.report import Options
from roce_lint.text.source import Location, Origin
from roce_lint.text.splice import Splice

PAGE = """---
id: {id}
name: {name}
severity: {severity}
check: {check}
since: 0.1.0
stage: stable
covers: []
params: {{}}
---

# {title}

## What is wrong
One end of a link carries less than the other sends.
## Why it matters
Full-size packets are dropped.
## How to fix
Raise the MTU of the smaller end.
## Not reported when
Both ends carry it.
## Example
None here.
## Sources
- RFC 791
"""


def page(rule: str, name: str, severity: str, title: str) -> RulePage:
    """A rule page with this head."""
    text = PAGE.format(
        id=rule, name=name, severity=severity, title=title, check=f"{rule[:3].lower()}.some_check"
    )
    return parse_page(text, f"rules/{rule[:3].lower()}/{rule}-{name}.md")


MTU001 = page("MTU001", "mtu-too-small-for-class", "error", "A hop carries less than is sent")
PFC002 = page("PFC002", "pause-not-honoured", "warning", "A port does not obey pause")
NIC003 = page("NIC003", "cnp-priority-default", "info", "CNP leaves with the default priority")


def place(file: str, line: int, text: str, role: str = "cause", **more: object) -> Location:
    """A location."""
    return Location(file, line, text, role, **more)  # type: ignore[arg-type]


MTU = Finding(
    rule="MTU001",
    name="mtu-too-small-for-class",
    severity=Severity.ERROR,
    confidence=Certainty.HIGH,
    message="leaf1 Ethernet1/64 carries 1500 bytes, gpu-017 mlx5_3 sends 4154",
    consequence="full-size RDMA packets are dropped here",
    occurrences=(
        Occurrence(
            "leaf1",
            ("Ethernet1/64",),
            (
                place("leaf1.cfg", 455, "mtu 1500"),
                place("gpu-017/ibv_devinfo.txt", 14, "active_mtu: 4096 (5)", "evidence"),
            ),
        ),
    ),
    fingerprint="0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    help="roce-lint explain MTU001",
    traffic="RoCE DSCP 26",
    fix=Change(of_port("leaf1", "Ethernet1/64", "ip_mtu"), 9214, Safety.DISRUPTIVE, 1500),
)

DIFF = "# MTU001 on leaf1\n--- a/leaf1.cfg\n+++ b/leaf1.cfg\n@@ -455 +455,2 @@\n-   mtu 1500\n+   mtu `9214`\n"
VERIFIED = replace(
    MTU,
    occurrences=(
        replace(
            MTU.occurrences[0],
            wanted=(replace(MTU.fix, why="as 7 of 8 equal ports"),),
            verified=VerifiedFix(
                DIFF,
                (
                    ("leaf1.cfg", Splice(455, 1, ("   mtu `9214`",))),
                    ("leaf1.cfg", Splice(460, 0, ("!", "end"))),
                ),
            ),
        ),
    ),
)

PFC = Finding(
    rule="PFC002",
    name="pause-not-honoured",
    severity=Severity.WARNING,
    confidence=Certainty.LOW,
    message="leaf2 Ethernet1/1 does not obey pause of priority 3.",
    consequence="its peer is overrun",
    occurrences=tuple(
        Occurrence(
            f"leaf{n}",
            tuple(f"Ethernet1/{port}" for port in range(1, 33)),
            (
                place(f"leaf{n}.cfg", 12, "priority-flow-control mode off"),
                place(f"leaf{n}.cfg", 40, "interface Ethernet1/1", "evidence"),
            ),
        )
        for n in range(2, 7)
    ),
    fingerprint="11111111111111111111111111111111",
    help="roce-lint explain PFC002",
    traffic="RoCE DSCP 26",
    notes=("the link is known from addresses only",),
    also=("PFC004", "PFC005"),
    remedy=Remedy(
        "nxos", "Cisco NX-OS", ("interface Ethernet1/1", "priority-flow-control mode on")
    ),
    pairs=Pairs(1984, 4032),
    path=(
        PathHop("gpu-001", None, "ens1f0np0", 26, None, here=False),
        PathHop("leaf1", "Ethernet1/1", "Ethernet1/60", 26, None, here=False),
        PathHop(
            "leaf2",
            "Ethernet1/60",
            "Ethernet1/1",
            26,
            place("leaf2.cfg", 12, "priority-flow-control mode off"),
            here=True,
        ),
        PathHop("gpu-017", "ens1f0np0", None, 26, None, here=False),
    ),
)

CNP = Finding(
    rule="NIC003",
    name="cnp-priority-default",
    severity=Severity.INFO,
    confidence=Certainty.HIGH,
    message="spine1 Ethernet0 sends CNP with priority 0",
    consequence="",
    occurrences=(
        Occurrence(
            "spine1",
            ("Ethernet0", "Ethernet8"),
            (
                place(
                    "snap.tar.gz!spine1/config_db.json",
                    812,
                    '"mtu": "9100",',
                    origin=Origin.DEFAULT,
                    column=13,
                    note="SONiC default: 9100",
                    path="PORT|Ethernet0|mtu",
                ),
            ),
        ),
    ),
    fingerprint="22222222222222222222222222222222",
    help="roce-lint explain NIC003",
)

WAIVED = Finding(
    rule="PFC002",
    name="pause-not-honoured",
    severity=Severity.WARNING,
    confidence=Certainty.HIGH,
    message="old1 Ethernet7 does not obey pause of priority 3",
    consequence="its peer is overrun",
    occurrences=(Occurrence("old1", ("Ethernet7",), (place("old1.cfg", 3, "pfc off"),)),),
    fingerprint="33333333333333333333333333333333",
    help="roce-lint explain PFC002",
    suppressed=Suppression("waiver", "replaced in spring", "2027-03-31"),
)

HOSTILE_TEXT = (
    "a|b `c` <script>alert(1)</script> 100%, x: y\r\n\x1b[31mred\x00\x0b\ud800 [l](u) @me"
)

HOSTILE = Finding(
    rule="MTU001",
    name="mtu-too-small-for-class",
    severity=Severity.ERROR,
    confidence=Certainty.HIGH,
    message=HOSTILE_TEXT,
    consequence=HOSTILE_TEXT,
    occurrences=(
        Occurrence(
            "e\x1bvil|`",
            ("Et,h:1%",),
            (place("we ird/ä#?%,:`|\n.cfg", 7, HOSTILE_TEXT),),
        ),
        Occurrence("nowhere", (), ()),
    ),
    fingerprint="44444444444444444444444444444444",
    help="roce-lint explain MTU001",
    notes=(HOSTILE_TEXT,),
    fix=Change(of_port("e\x1bvil", "x\ny", "ip_mtu"), (1, 2), Safety.MANUAL),
)

LINES = {"understood": 201, "ignored": 44, "shadowed": 1, "unrecognised": 2, "unclaimed": 310}


def device(name: str, role: str | None = "leaf", *files: str, lines: bool = False) -> DeviceSummary:
    """A device as reports list it."""
    names = files or (f"{name}.cfg",)
    counted = dict(LINES) if lines else dict.fromkeys(LINES, 0)
    return DeviceSummary(name, "eos", role, names, counted)


def report(*findings: Finding, **changes: object) -> Report:
    """A report of these findings (none given: one of each that is not hostile)."""
    made = Report(
        findings=list(findings or (MTU, PFC, WAIVED, CNP)),
        unknowns=[
            UnknownGroup("BUF001", "cable length", "leaf1", ("Ethernet1",)),
            UnknownGroup(
                "MTU001",
                "the peer port (provide LLDP output or links.yaml)",
                "leaf1",
                ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3"),
                (place("leaf1.cfg", 20, "interface Ethernet1/1", "evidence"),),
            ),
            UnknownGroup(
                "PFC002",
                "the peer port (provide LLDP output or links.yaml)",
                "leaf1",
                ("Ethernet1/1",),
            ),
            UnknownGroup("NIC003", "firmware", "gpu-017", ()),
        ],
        diagnostics=[
            Diagnostic("two.cfg", "two-configs", "two.cfg and 2.cfg are leaf9", incomplete=False),
            Diagnostic("x.bin", "unknown-format", "no source signature scores", 3),
            Diagnostic(
                "<stdin>", "syntax", "file ends inside a table", 9, detail="Traceback:\n  x"
            ),
        ],
        devices=[
            device("leaf1", lines=True),
            *(device(f"leaf{n}") for n in range(2, 7)),
            device("spine1", "spine", "snap.tar.gz!spine1/config_db.json"),
            device("gpu-017", "host", "gpu-017/ibv_devinfo.txt", "gpu-017/nccl.conf"),
            device("old1", None),
        ],
        classes=[
            ClassSummary(
                "RoCE DSCP 26",
                "data",
                (26,),
                "stated",
                2,
                (place("gpu-017/nccl.conf", 3, "NCCL_IB_TC=104", "evidence"),),
                ("PFC on every hop, ECN marking (pause on 70 ports, none on 2)",),
            ),
            ClassSummary("CNP DSCP 48", "cnp", (48,), "inferred", 0, (), ()),
        ],
        links=8,
        judged_ports=72,
        rules={item.id: item for item in (MTU001, NIC003, PFC002)},
        skipped=[
            SkippedFile("README.md", "a document or program, by its ending"),
            SkippedFile("notes/plan.txt", "no reader recognises it"),
        ],
        verdict=Verdict(
            Answer.NOT_READY,
            pairs=56,
            judged=52,
            broken=48,
            causes=2,
            missing=(("cable length", 4),),
            repairs=(Repair((MTU,), 40), Repair((MTU, PFC), 48)),
        ),
        base="configs",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def clean() -> Report:
    """A report in which nothing is wrong and nothing is missing."""
    return report(
        unknowns=[],
        diagnostics=[],
        skipped=[],
        verdict=Verdict(Answer.READY, pairs=56, judged=56),
        findings=[],
        devices=[device("leaf1")],
    )


OPTIONS = Options(cwd="/site")
