"""Two leaves and two spines with one lossless class, and ways to spoil the first leaf."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings

Edit = Callable[[str], str]

PORT = """\
set interfaces {port} description {to}
set interfaces {port} mtu 9216
set interfaces {port} speed 400g
set interfaces {port} ether-options fec fec91
set interfaces {port} unit 0 family inet mtu 9170
set interfaces {port} unit 0 family inet address {address}/31
"""

QOS = """\
set class-of-service classifiers dscp ROCE forwarding-class CNP loss-priority low code-points 110000
set class-of-service classifiers dscp ROCE forwarding-class DATA loss-priority low code-points 011010
set class-of-service drop-profiles MARK interpolate fill-level 55
set class-of-service drop-profiles MARK interpolate fill-level 90
set class-of-service drop-profiles MARK interpolate drop-probability 0
set class-of-service drop-profiles MARK interpolate drop-probability 100
set class-of-service shared-buffer ingress buffer-partition lossless percent 66
set class-of-service shared-buffer ingress buffer-partition lossless-headroom percent 24
set class-of-service shared-buffer ingress buffer-partition lossy percent 10
set class-of-service shared-buffer egress buffer-partition lossless percent 66
set class-of-service shared-buffer egress buffer-partition lossy percent 10
set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service forwarding-classes class DATA queue-num 4
set class-of-service forwarding-classes class DATA no-loss
set class-of-service forwarding-classes class DATA pfc-priority 3
set class-of-service congestion-notification-profile PAUSE pfc-watchdog
set class-of-service congestion-notification-profile PAUSE input cable-length 40
set class-of-service congestion-notification-profile PAUSE input dscp code-point 011010 pfc
set class-of-service congestion-notification-profile PAUSE output ieee-802.1 code-point 011 flow-control-queue 4
set class-of-service interfaces et-* congestion-notification-profile PAUSE
set class-of-service interfaces et-* scheduler-map FABRIC
set class-of-service interfaces et-* unit * classifiers dscp ROCE
set class-of-service scheduler-maps FABRIC forwarding-class best-effort scheduler BULK
set class-of-service scheduler-maps FABRIC forwarding-class CNP scheduler CNP
set class-of-service scheduler-maps FABRIC forwarding-class DATA scheduler DATA
set class-of-service schedulers BULK transmit-rate percent 35
set class-of-service schedulers CNP transmit-rate percent 5
set class-of-service schedulers CNP priority strict-high
set class-of-service schedulers DATA transmit-rate percent 60
set class-of-service schedulers DATA drop-profile-map loss-priority any protocol any drop-profile MARK
set class-of-service schedulers DATA explicit-congestion-notification
set routing-options autonomous-system {asn}
"""


def device(name: str, asn: int, **ports: str) -> str:
    """A configuration of `set` lines; each port is `et_N="peer address"`."""
    text = f"set system host-name {name}\n"
    for port, link in ports.items():
        to, address = link.split()
        slot = port.removeprefix("et_")
        text += PORT.format(port=f"et-0/0/{slot}", to=to, address=address)
    return text + QOS.format(asn=asn)


LEAF = device(
    "leaf1",
    65001,
    et_0="gpu1 10.1.1.0",
    et_1="gpu2 10.1.1.2",
    et_30="spine1 10.0.1.1",
    et_31="spine2 10.0.2.1",
)
OTHERS = {
    "leaf2.conf": device(
        "leaf2",
        65002,
        et_0="gpu3 10.1.2.0",
        et_1="gpu4 10.1.2.2",
        et_30="spine1 10.0.1.3",
        et_31="spine2 10.0.2.3",
    ),
    "spine1.conf": device("spine1", 65100, et_0="leaf1 10.0.1.0", et_1="leaf2 10.0.1.2"),
    "spine2.conf": device("spine2", 65100, et_0="leaf1 10.0.2.0", et_1="leaf2 10.0.2.2"),
}

HOST = {
    "links.yaml": """\
- [leaf1:et-0/0/0, gpu1:eth0]
- [leaf1:et-0/0/30, spine1:et-0/0/0]
- [leaf1:et-0/0/31, spine2:et-0/0/0]
- [leaf2:et-0/0/30, spine1:et-0/0/1]
- [leaf2:et-0/0/31, spine2:et-0/0/1]
""",
    "gpu1/rdma.txt": "# command: rdma link show  host: gpu1\n"
    "link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0\n",
    "gpu1/nccl.conf": "NCCL_IB_TC=106\n",
    "gpu1/cnp.txt": "# command: cat /sys/class/net/eth0/ecn/roce_np/cnp_dscp  host: gpu1\n48\n",
}
"""A host that sends RoCE with DSCP 26 and CNPs with DSCP 48, and the cables."""


def sub(old: str, new: str) -> Edit:
    """Other words in every line that has the old ones."""

    def edit(text: str) -> str:
        if old not in text:
            raise ValueError(old)
        return text.replace(old, new)

    return edit


def drop(words: str) -> Edit:
    """Without the lines that have some words."""
    return lambda text: re.sub(
        rf"^.*{re.escape(words)}.*\n", "", sub(words, words)(text), flags=re.MULTILINE
    )


def add(*statements: str) -> Edit:
    """With more statements; a `deactivate` line is one as it is."""
    lines = tuple(s if s.startswith("deactivate ") else f"set {s}" for s in statements)
    return lambda text: text + "".join(f"{line}\n" for line in lines)


def cos(*statements: str) -> Edit:
    """With more statements of class-of-service."""
    return add(*(f"class-of-service {statement}" for statement in statements))


def judged(
    folder: Path, *edits: Edit, more: Mapping[str, str] | None = None
) -> tuple[Report, list[str]]:
    """Report on the fabric with an edited first leaf and more files, and that leaf's lines."""
    text = LEAF
    for edit in edits:
        text = edit(text)
    files = {"leaf1.conf": text, **OTHERS, **(more or {})}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    plan = folder / "intent.yaml"
    request = Request(
        (str(folder),), jobs=1, cache=False, intent=str(plan) if plan.exists() else None
    )
    return run(request, Settings()), text.split("\n")


def summaries(report: Report, lines: list[str]) -> list[str]:
    """Severity, rule and deciding lines of all findings; files other than the leaf by name."""
    found = set()
    for finding in report.findings:
        for occurrence in finding.occurrences:
            for place in occurrence.locations:
                if place.role != "cause":
                    continue
                text = place.file
                if place.file == "leaf1.conf":
                    text = lines[place.line - 1].removeprefix("set ")
                    text = text.removeprefix("class-of-service ")
                found.add(f"{finding.severity.label} {finding.rule}: {text}")
    return sorted(found)
