"""A fault that affects only egress or only ingress of a port: the pairs are those of that
direction, and the shown path is one of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from roce_lint.engine.finding import Finding, Severity
from tests.bench import Files, check, edit
from tests.fabrics.shaped import ROLES, build

LEAF = "switches/l1.json"
"""The SONiC leaf of the 2-tier fabric: h2 alone is on it, by Ethernet16, of four hosts."""

Tables = dict[str, Any]


def bound(table: str, field: str, number: str, target: str) -> Callable[[Tables], None]:
    """A separate map at Ethernet16 with one changed number."""

    def change(tables: Tables) -> None:
        tables[table]["ODD"] = tables[table]["ROCE"] | {number: target}
        tables["PORT_QOS_MAP"]["Ethernet16"][field] = "ODD"

    return change


def rewritten(tables: Tables) -> None:
    tables["TC_TO_DSCP_MAP"] = {"ODD": {"0": "0", "3": "10", "6": "48"}}
    tables["PORT_QOS_MAP"]["Ethernet16"]["tc_to_dscp_map"] = "ODD"


OF_LEAF = {
    "a pause stops another queue": (
        bound("MAP_PFC_PRIORITY_TO_QUEUE", "pfc_to_queue_map", "3", "2"), "MAP006", "to h2",
    ),
    "data leaves by another queue": (
        bound("TC_TO_QUEUE_MAP", "tc_to_queue_map", "3", "1"), "MAP006", "to h2",
    ),
    "data is in another group": (
        bound("TC_TO_PRIORITY_GROUP_MAP", "tc_to_pg_map", "3", "0"), "MAP006", "from h2",
    ),
    "data is in another class": (
        bound("DSCP_TO_TC_MAP", "dscp_to_tc_map", "26", "1"), "MAP001", "from h2",
    ),
    "CNPs leave by the queue of the data": (
        bound("TC_TO_QUEUE_MAP", "tc_to_queue_map", "6", "3"), "CLS002", "to h2",
    ),
    "CNPs are in the class of the data": (
        bound("DSCP_TO_TC_MAP", "dscp_to_tc_map", "48", "3"), "CLS002", "from h2",
    ),
    "data is rewritten": (rewritten, "MAP007", "to h2"),
}  # fmt: skip

ECN = "hosts/h2/ecn-ens1np0.txt"
OF_HOST = {
    "it does not tell of marks": (ECN, "roce_np/enable/3:1", "roce_np/enable/3:0", "NIC007", "to"),
    "it does not slow down": (ECN, "roce_rp/enable/3:1", "roce_rp/enable/3:0", "NIC007", "from"),
    "its CNPs look like data": (ECN, "cnp_dscp:48", "cnp_dscp:26", "CLS002", "from"),
    "its data is outside": (
        "hosts/h2/traffic_class-mlx5_0.txt", "106", "42", "NIC001", "from",
    ),
    "it sends more than it may": (
        "hosts/h2/ip-link.txt", "mtu 9000", "mtu 9500", "MTU003", "from",
    ),
    "its interface is too small": (
        "hosts/h2/ip-link.txt", "mtu 9000", "mtu 1500", "MTU005", "from",
    ),
}  # fmt: skip


SOUND, _ = build("2-tier")


def only(files: Files) -> Finding:
    """The only finding: nothing is reported twice."""
    (finding,) = check(files, roles=ROLES).findings
    return finding


def with_tables(change: Callable[[Tables], object]) -> Files:
    tables = json.loads(SOUND[LEAF])
    change(tables)
    return {**SOUND, LEAF: json.dumps(tables, indent=1)}


def way(finding: Finding) -> str:
    """Whether the pairs begin or end at h2, if they are the three of one direction."""
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (3, 12)
    hosts = finding.path[0].device, finding.path[-1].device
    return "from h2" if hosts[0] == "h2" else "to h2" if hosts[1] == "h2" else str(hosts)


@pytest.mark.parametrize("fault", OF_LEAF)
def test_a_fault_of_a_port_counts_its_direction(fault: str) -> None:
    change, rule, expected = OF_LEAF[fault]
    finding = only(with_tables(change))
    assert (finding.rule, finding.device, finding.occurrences[0].subjects) == (
        rule, "l1", ("Ethernet16",),
    )  # fmt: skip
    assert way(finding) == expected


@pytest.mark.parametrize("fault", OF_HOST)
def test_a_fault_of_a_nic_counts_its_direction(fault: str) -> None:
    name, old, new, rule, expected = OF_HOST[fault]
    files = edit(SOUND, name, (old, new), every=True)
    finding = only(files)
    assert (finding.rule, finding.device) == (rule, "h2")
    assert finding.location is not None
    assert finding.location.text == next(
        line.strip() for line in files[name].splitlines() if new in line
    )
    assert way(finding) == f"{expected} h2"


def test_both_parts_of_dcqcn_off_are_a_finding_a_direction() -> None:
    found = check(edit(SOUND, ECN, ("/3:1", "/3:0"), every=True), roles=ROLES).findings
    assert [(f.rule, f.pairs.hit if f.pairs else None) for f in found] == [
        ("NIC007", 3), ("NIC007", 3),
    ]  # fmt: skip
    assert {way(finding) for finding in found} == {"to h2", "from h2"}


OF_BOTH = {
    "it pauses another priority": [
        ("enabled     0   0   0   1   0", "enabled     0   0   0   0   1"),
    ],
    "it has the data in another priority": [
        ("29,28,27,26,", "29,28,27,"), ("prio:2 dscp:", "prio:2 dscp:26,"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("fault", OF_BOTH)
def test_a_nic_that_disagrees_with_its_leaf_hurts_both_ways(fault: str) -> None:
    """Its traffic does not stop for PFC of the leaf, nor does the leaf for its own."""
    finding = only(edit(SOUND, "hosts/h2/mlnx_qos-ens1np0.txt", *OF_BOTH[fault], every=True))
    assert finding.device == "h2"
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (6, 12)


def test_a_pause_of_the_class_of_cnps_is_the_odd_line() -> None:
    """Class 6 belongs to DSCP 48 by its number: the PFC line is the odd one."""
    line = "   priority-flow-control priority 3 no-drop\n"
    finding = only(edit(SOUND, "switches/l0.cfg", (line, line + line.replace("3", "6"))))
    assert (finding.rule, finding.severity) == ("CLS002", Severity.ERROR)
    assert finding.location is not None
    assert finding.location.text == "priority-flow-control priority 6 no-drop"
    evidence = next(p for p in finding.occurrences[0].locations if p.role == "evidence")
    assert evidence.text == "qos map dscp 48 to traffic-class 6"


@pytest.mark.parametrize(("port", "rule"), [("Ethernet0", "LNK002"), ("Ethernet8", "TOP004")])
def test_a_speed_that_differs_is_one_cause(port: str, rule: str) -> None:
    """The headroom for another speed follows from it. Only s0 states a speed."""
    finding = only(with_tables(lambda tables: tables["PORT"][port].update(speed="100000")))
    assert (finding.rule, finding.also, finding.subjects) == (rule, ("BUF006",), (port,))
    assert finding.location is not None
    assert finding.location.text == '"speed": "100000",'


def test_too_few_paths_are_those_of_what_goes_up() -> None:
    """h0 and h1 on l0 send to h2 and h3 over one of two uplinks; the other direction is unaffected."""
    peers = "".join(f"   neighbor 10.0.{n}.1 remote-as 6510{n}\n" for n in (0, 1))
    bgp = f"ip routing\nrouter bgp 65000\n{peers}   maximum-paths 1\n"
    finding = only(edit(SOUND, "switches/l0.cfg", ("\nend", f"\n{bgp}end")))
    assert finding.rule == "TOP009"
    assert finding.pairs is not None
    assert (finding.pairs.hit, finding.pairs.all) == (4, 12)
    assert finding.path[0].device in ("h0", "h1")
