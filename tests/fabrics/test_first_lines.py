"""The deciding line comes first, and the consequences of one line are reported once.

Three leaves under a spine, all of one system and without hosts; the second leaf has one fault. All
findings are expected, each with its first line as in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from roce_lint.pipeline import Report
from tests.bench import Files, check, edit
from tests.fabrics import mixed
from tests.fabrics.stable import build, switches
from tests.metamorphic.snapshot import sample

Edit = tuple[str, str]


@dataclass(frozen=True)
class Case:
    """One fault: the replaced text on the second leaf, and the findings."""

    says: str
    nos: str
    edits: tuple[Edit, ...]
    found: tuple[tuple[str, str], ...]  # severity and rule, the first line
    also: tuple[str, ...] = ()  # reported with the first of them
    everywhere: tuple[Edit, ...] = field(default=(), kw_only=True)  # what the fabric has instead


def planted(case: Case) -> Files:
    files = build([case.nos] * 4)
    for device, name in switches(files).items():
        own = case.edits if device == "leaf2" else ()
        files = edit(files, name, *case.everywhere, *own, every=True)
    return files


def stated(report: Report) -> list[tuple[str, str]]:
    return [
        (f"{f.severity.label} {f.rule}", f.location.text.strip() if f.location else "")
        for f in report.findings
    ]


PORT_ROW = """\
  },
  "Ethernet8": {
   "dscp_to_tc_map": "ROCE",
   "tc_to_queue_map": "ROCE",
   "tc_to_pg_map": "ROCE",
   "pfc_to_queue_map": "ROCE",
   "pfc_enable": "3",
   "pfcwd_sw_enable": "3"
  }
"""
BY_HAND = """\
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos mapping default-global dscp 48 switch-priority 6
nv set qos pfc default-global switch-priority 3
nv set qos pfc default-global tx enable
nv set qos pfc default-global rx enable
"""
UNMARKED = """\
nv set qos mapping default-global trust l3
nv set qos mapping default-global dscp 26 switch-priority 3
nv set qos mapping default-global dscp 48 switch-priority 6
nv set qos pfc default-global switch-priority 3
nv set qos pfc default-global tx enable
nv set qos pfc default-global rx enable
nv set qos egress-scheduler default-global traffic-class 0 bw-percent 50
nv set qos egress-scheduler default-global traffic-class 3 bw-percent 50
nv set qos egress-scheduler default-global traffic-class 6 mode strict
"""
INPUT = """\
            input {
                dscp {
                    code-point 011010 {
                        pfc;
                    }
                }
            }
"""

CASES = [
    Case(
        "ECN is off in the profile",
        "sonic",
        (('"ecn_all"', '"ecn_none"'),),
        (("error ECN002", '"ecn": "ecn_none",'),),
    ),
    Case(
        "the profile has no word on ECN",
        "sonic",
        (('"ecn": "ecn_all",', ""),),
        (("error ECN002", '"LOSSLESS": {'),),
    ),
    Case(
        "queues without a marking profile",
        "sonic",
        ((',\n   "wred_profile": "LOSSLESS"', ""),),
        (("error ECN001", '"Ethernet0|3": {'),),
        ("MAP005",),
    ),
    Case(
        "the profile on another queue",
        "sonic",
        (
            (',\n   "wred_profile": "LOSSLESS"', ""),
            (
                '|4": {\n   "scheduler": "scheduler.0"',
                '|4": {\n   "scheduler": "scheduler.0",\n   "wred_profile": "LOSSLESS"',
            ),
        ),
        (("error ECN001", '"wred_profile": "LOSSLESS"'),),
    ),
    Case(
        "a lossless profile without headroom",
        "sonic",
        (('"xoff": "300990"', '"xoff": "0"'),),
        (("error BUF001", '"xoff": "0",'),),
        ("BUF013",),
    ),
    Case(
        "no row for the port",
        "sonic",
        (
            (
                PORT_ROW,
                "  }\n",
            ),
        ),
        (("error MAP004", '"Ethernet8": {'),),
        ("PFC022",),
    ),
    Case(
        "a rewrite of a class that has eight code points",
        "eos",
        (("!\nend", "!\nqos rewrite dscp\nqos map traffic-class 3 to dscp 10\n!\nend"),),
        (("warning MAP007", "qos map traffic-class 3 to dscp 10"),),
        everywhere=(("qos map dscp 26 to traffic-class 3\n", ""),),
    ),
    Case(
        "a rewrite map where a classification was meant",
        "eos",
        (("qos map dscp 20 to traffic-class 3", "qos map traffic-class 3 to dscp 20"),),
        (("error MAP001", "qos map traffic-class 3 to dscp 20"),),
        ("MAP009",),
        everywhere=(("map dscp 26 to", "map dscp 20 to"),),
    ),
    Case(
        "trust on the port and in its profile",
        "eos",
        (("interface Ethernet1/1\n", "interface Ethernet1/1\n   qos trust cos\n"),),
        (("warning SRC002", "qos trust cos"),),
    ),
    Case(
        "a misspelt word",
        "eos",
        (("priority-flow-control priority 3", "priority-flow-control priorty 3"),),
        (("info SRC001", "priority-flow-control priorty 3 no-drop"),),
    ),
    Case(
        "a leaf wholly on another priority",
        "eos",
        (
            ("dscp 26 to traffic-class 3", "dscp 26 to traffic-class 5"),
            ("priority 3 no-drop", "priority 5 no-drop"),
            ("uc-tx-queue 3", "uc-tx-queue 5"),
        ),
        (("error PFC002", "qos map dscp 26 to traffic-class 5"),),
    ),
    Case(
        "a class that the policy leaves out",
        "nxos",
        (("  class ROCE\n    set qos-group 3\n", ""),),
        (("error MAP001", "class-map type qos match-any ROCE"),),
        ("MAP005",),
    ),
    Case(
        "classes of network-qos that nothing defines",
        "nxos",
        (("c-8q-nq3", "c-8q-nq3x"), ("c-8q-nq-default", "c-8q-nq-rest")),
        (("error MAP003", "class type network-qos c-8q-nq3x"),),
        ("PFC003",),
    ),
    Case(
        "trust left out",
        "cumulus",
        (
            (
                "nv set qos roce enable on\nnv set qos roce mode lossless\n",
                BY_HAND,
            ),
        ),
        (
            ("error MAP002", "nv set qos mapping default-global dscp 26 switch-priority 3"),
            ("warning BUF020", "nv set qos pfc default-global switch-priority 3"),
        ),
    ),
    Case(
        "a profile without input",
        "junos",
        (
            (
                INPUT,
                "",
            ),
        ),
        (("error PFC003", "ROCE {"),),
    ),
    Case(
        "a queue without marking",
        "cumulus",
        (("nv set qos roce enable on\nnv set qos roce mode lossless\n", UNMARKED),),
        (
            ("warning BUF020", "nv set qos pfc default-global switch-priority 3"),
            (
                "error ECN001",
                "nv set qos egress-scheduler default-global traffic-class 3 bw-percent 50",
            ),
        ),
    ),
    Case(
        "ports that nobody watches",
        "cumulus",
        (("nv set interface swp1 qos pfc-watchdog state enable\n", ""),),
        (("warning PFC020", "nv set interface swp1 type swp"),),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.nos}: {case.says}")
def test_the_deciding_line_comes_first_and_alone(case: Case) -> None:
    report = check(planted(case))
    assert stated(report) == list(case.found)
    assert set(case.also) <= {rule for finding in report.findings[:1] for rule in finding.also}


@dataclass(frozen=True)
class AtHosts:
    """One fault of a fabric with hosts, in one file, and the findings above info."""

    says: str
    file: str
    edit: Edit
    found: tuple[tuple[str, str], ...]
    kinds: tuple[str, ...] = ("eos", "cumulus", "nxos")


AT_HOSTS = [
    AtHosts(
        "a host of two sends CNPs with another code point",
        "hosts/gpu-nxos/ecn-ens1np0.txt",
        ("cnp_dscp:48", "cnp_dscp:4"),
        (("warning CLS004", "/sys/class/net/ens1np0/ecn/roce_np/cnp_dscp:4"),),
        ("eos", "nxos"),
    ),
]


@pytest.mark.parametrize("case", AT_HOSTS, ids=lambda case: case.says)
def test_the_host_that_is_odd_is_named_first(case: AtHosts) -> None:
    report = check(edit(mixed.build(case.kinds), case.file, case.edit))
    assert [each for each in stated(report) if not each[0].startswith("info")] == list(case.found)


def test_what_a_yaml_document_lacks_is_named_at_the_header_of_the_port() -> None:
    """Whatever the first key below it is: ports that lack the same form one finding."""
    clean, name = sample("clean-fabric"), "switches/leaf6.yaml"
    watched = "        qos:\n          pfc-watchdog:\n            state: enable\n"
    assert clean[name].count(watched) == 2
    report = check(edit(clean, name, (watched, ""), every=True))
    (finding,) = [f for f in report.findings if f.rule == "PFC020"]
    assert finding.severity.label == "warning"
    shown = [place for o in finding.occurrences for place in o.locations if place.role == "cause"]
    headers = {"swp1:", "swp2:", "swp1,3,31-32:"}
    assert {place.text.strip() for place in shown} <= headers
