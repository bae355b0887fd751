"""Syntax from public guides, lab notes and generators; the texts are made for these tests.

Each stands for something that was first read wrong, or said badly, in a configuration found in the
wild.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from roce_lint.engine.finding import Severity
from roce_lint.pipeline import Report, Request, run
from roce_lint.report.layout import plain
from roce_lint.report.selection import Options
from roce_lint.report.summary import head
from roce_lint.settings import Settings

Findings = list[tuple[str, str, list[int]]]
"""Severity, rule and deciding lines of every finding."""


def judged(tmp_path: Path, text: str, name: str = "leaf1.cfg") -> Report:
    (tmp_path / name).write_text(text)
    return run(Request(paths=(str(tmp_path / name),), cache=False), Settings())


def findings_of(report: Report, least: Severity = Severity.INFO) -> Findings:
    return [
        (
            finding.severity.label,
            finding.rule,
            [p.line for o in finding.occurrences for p in o.locations if p.role == "cause"],
        )
        for finding in report.findings
        if finding.severity >= least
    ]


def top(report: Report) -> list[str]:
    """Class overview of a report, without the indented lines."""
    text = plain(head(report, Options(cwd=report.base)))
    return [line for line in text.splitlines() if line and not line.startswith(" ")]


COMMENTED = """\
!Command: show running-config
hostname rail1
class-map type qos match-all ROCE
  match dscp 26          ! what the hosts send
policy-map type qos IN
  class ROCE
    set qos-group 3      ! lossless
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    pause pfc-cos 3      ! one priority
    mtu 9216
policy-map type queuing OUT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes
    ecn
system qos
  service-policy type network-qos NQ
  service-policy type queuing output OUT
interface Ethernet1/1
  description rail 1 ! do not touch
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input IN
  no shutdown
priority-flow-control watch-dog-interval on
"""


def test_comments_behind_commands_and_ecn_on_a_line_of_its_own(tmp_path: Path) -> None:
    report = judged(tmp_path, COMMENTED)
    assert [traffic.name for traffic in report.classes] == ["RoCE DSCP 26"]
    assert report.classes[0].modes[0].startswith("PFC on every hop, ECN marking ")
    assert findings_of(report) == []
    assert report.fabric is not None
    port = report.fabric.devices["rail1"].interfaces["Ethernet1/1"]
    assert port.description == "rail 1 ! do not touch"


def test_the_lines_of_a_class_name_its_dscp_and_its_class(tmp_path: Path) -> None:
    (traffic,) = judged(tmp_path, COMMENTED).classes
    assert [place.line for place in traffic.locations] == [7, 4]


def test_a_wrong_classification_is_shown_with_both_lines(tmp_path: Path) -> None:
    for n in (2, 3):
        (tmp_path / f"rail{n}.cfg").write_text(COMMENTED.replace("rail1", f"rail{n}"))
    wrong = COMMENTED.replace("  match dscp 26 ", "  match dscp 24 ", 1)
    wrong = wrong.replace("policy-map type qos IN\n", f"{OTHER}policy-map type qos IN\n{ITS}", 1)
    (tmp_path / "rail1.cfg").write_text(wrong)
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    (found,) = (f for f in report.findings if f.rule == "MAP001")
    places = [(p.line, p.text, p.role) for p in found.occurrences[0].locations]
    assert places[:2] == [(9, "set qos-group 2", "cause"), (6, "match dscp 26", "evidence")]


OTHER = "class-map type qos match-all OTHER\n  match dscp 26\n"
ITS = "  class OTHER\n    set qos-group 2\n"

CLASS_OF_ANOTHER_TYPE = """\
feature lldp

class-map type qos match-all ROCE
  match dscp 26

policy-map type qos IN
  class ROCE
    set qos-group 3

policy-map type network-qos NQ
  class type network-qos class-default
    mtu 9216
  class type network-qos c-out-8q-q3
    pause pfc-cos 3
    mtu 9216

system qos
  service-policy type qos input IN
  service-policy type network-qos NQ

interface Ethernet1/27
  priority-flow-control mode on
"""


def test_a_queuing_class_in_a_no_drop_policy_is_undefined_in_a_part_too(tmp_path: Path) -> None:
    """No other part of the configuration can define a name reserved by the platform."""
    report = judged(tmp_path, CLASS_OF_ANOTHER_TYPE)
    assert findings_of(report, Severity.WARNING) == [("error", "MAP003", [13])]
    (found,) = (f for f in report.findings if f.rule == "MAP003")
    assert found.subjects == ("no-drop class map c-out-8q-q3",)
    assert "cannot be" in found.message


BY_TAG = """\
!Command: show running-config
hostname tor1
class-map type qos match-all RDMA
  match cos 3
policy-map type qos IN
  class RDMA
    set qos-group 3
policy-map type network-qos NQ
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
system qos
  service-policy type network-qos NQ
interface Ethernet1/1
  switchport
  switchport mode trunk
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  no shutdown
interface Ethernet1/2
  switchport
  switchport mode trunk
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input IN
  no shutdown
priority-flow-control watch-dog-interval on
"""


FOLLOW_A_CLASS = {
    *(f"BUF0{n}" for n in ("01", "05", "08", "10", "15")),
    *(f"CLS0{n}" for n in ("05", "06", "08", "09")),
    *(f"ECN0{n}" for n in ("01", "02", "05", "06", "08", "10", "13")),
    *("MAP001", "MAP002", "MAP006", "PFC001"),
}
"""Rules that check a class at each port of a switch."""


def test_a_class_known_only_by_its_tag_is_listed_but_not_checked(tmp_path: Path) -> None:
    report = judged(tmp_path, BY_TAG)
    (line,) = top(report)
    assert line.endswith("lossless traffic is identified by 802.1p priority (3), not by DSCP.")
    unknown = [(u.rule, u.subjects) for u in report.unknowns if "802.1p priority" in u.missing]
    # Every rule that follows a class through a port says so of the one port that goes by the tag.
    assert {rule for rule, _ in unknown} == FOLLOW_A_CLASS
    assert {ports for _, ports in unknown} == {("Ethernet1/2",)}
    assert len(unknown) == len(FOLLOW_A_CLASS)


def test_pfc_on_a_port_without_the_policy_of_its_neighbours(tmp_path: Path) -> None:
    assert findings_of(judged(tmp_path, BY_TAG)) == [("warning", "PFC009", [18])]
    everywhere = BY_TAG.replace(
        "NQ\ninterface", "NQ\n  service-policy type qos input IN\ninterface"
    )
    assert findings_of(judged(tmp_path, everywhere)) == []
    lossy = BY_TAG.replace("  priority-flow-control mode on\n", "", 1)
    assert findings_of(judged(tmp_path, lossy)) == []


TWO_CLASSES = """\
{
    "DSCP_TO_TC_MAP": {"AZURE": {"0": "1", "3": "3", "4": "4"}},
    "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "1": "0", "3": "3", "4": "4"}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "1", "3": "3", "4": "4"}},
    "PORT_QOS_MAP": {
        "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
        "Ethernet4": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
        "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE"}
    }
}
"""
PORTS = """\
    "PORT": {
        "Ethernet0": {"speed": "100000", "admin_status": "up"},
        "Ethernet4": {"speed": "100000", "admin_status": "up"},
        "Ethernet8": {"speed": "SPEED", "admin_status": "up"}
    },
"""
"""Port table that a rendered QoS file lacks."""


@pytest.mark.parametrize(
    ("speed", "judged_ports", "unknown"), [(None, 3, True), ("10000", 2, False)]
)
def test_a_port_for_services_is_no_fault(
    tmp_path: Path, speed: str | None, judged_ports: int, unknown: bool
) -> None:
    table = PORTS.replace("SPEED", speed) if speed else ""
    report = judged(tmp_path, TWO_CLASSES.replace("{\n", "{\n" + table, 1), "qos.json")
    assert "PFC001" not in {each.rule for each in report.findings}
    assert report.judged_ports == judged_ports
    missing = {each.rule for each in report.unknowns if "speed of the port" in each.missing}
    assert missing == ({"PFC001", "CLS006"} if unknown else set())


MARKING = """\
    "WRED_PROFILE": {"W": {"wred_green_enable": "true", "ecn": "ecn_all", "green_min_threshold": "1048576", "green_max_threshold": "2097152", "green_drop_probability": "5"}},
    "QUEUE": {
        "Ethernet0|3": {"wred_profile": "W"}, "Ethernet0|4": {"wred_profile": "W"},
        "Ethernet4|3": {"wred_profile": "W"}, "Ethernet4|4": {"wred_profile": "W"}
    },
"""


def test_other_missing_settings_of_a_service_port_are_unknown_too(tmp_path: Path) -> None:
    marked = TWO_CLASSES.replace("{\n", "{\n" + MARKING, 1)
    report = judged(tmp_path, marked, "qos.json")
    assert [found for found in findings_of(report) if found[0] == "error"] == []
    missing = {each.rule for each in report.unknowns if "speed of the port" in each.missing}
    assert missing == {"PFC001", "ECN001"}
    ports = PORTS.replace("SPEED", "100000")
    report = judged(tmp_path, marked.replace("{\n", "{\n" + ports, 1), "qos.json")
    rules = {rule for each in report.findings for rule in (each.rule, *each.also)}
    assert "ECN001" in rules, "a port that is fast enough"


def test_one_missing_line_for_two_classes_is_one_finding(tmp_path: Path) -> None:
    table = PORTS.replace("SPEED", "50000")
    report = judged(tmp_path, TWO_CLASSES.replace("{\n", "{\n" + table, 1), "qos.json")
    assert ("warning", "PFC001", [13]) in findings_of(report)
    (found,) = (each for each in report.findings if each.rule == "PFC001")
    assert "DSCP 3-4" in found.message
    assert found.traffic == "RoCE DSCP 3-4"
    assert found.fix is not None
    assert found.fix.value == frozenset({3, 4})


PASTED_TWICE = """\
! device: leaf{n} (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf{n}
!
interface Ethernet1
   description one
   mtu 9214
   no switchport
   ip address 10.0.{n}.1/30
!
interface Ethernet1
   description two
   mtu 1500
"""


def test_overridden_lines_are_one_finding_of_all_devices(tmp_path: Path) -> None:
    for n in (1, 2):
        (tmp_path / f"leaf{n}.cfg").write_text(PASTED_TWICE.format(n=n))
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    assert findings_of(report) == [("info", "SRC003", [5, 6, 5, 6])]
    (found,) = report.findings
    assert found.message.endswith(": description one; mtu N")


@pytest.mark.parametrize("times", [1, 3])
def test_outputs_without_a_port_are_one_finding(tmp_path: Path, times: int) -> None:
    for n in range(times):
        (tmp_path / f"qos{n}.txt").write_text(
            f"DCBX mode: OS controlled\nPriority trust state: dscp\nCable len: {n}\n"
        )
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    assert [(rule, len(lines)) for _, rule, lines in findings_of(report)] == [("SRC001", times)]


def test_a_mark_without_a_known_device_is_reported(tmp_path: Path) -> None:
    (line,) = top(judged(tmp_path, "NCCL_IB_TC=104\nNCCL_IB_GID_INDEX=3\n", "nccl.conf"))
    assert line == (
        "No RoCE class was found: the RDMA devices of hosts with DSCP 26 are unknown (rdma "
        "link), and no port in scope has a lossless class."
    )


WRONG_FOR_ALL_PORTS = MARKING.replace('"1048576"', '"many"')
"""An unreadable value used by four queues of two ports."""


def test_a_value_of_many_ports_is_reported_once_per_device(tmp_path: Path) -> None:
    text = TWO_CLASSES.replace(
        "{\n", "{\n" + PORTS.replace("SPEED", "100000") + WRONG_FOR_ALL_PORTS, 1
    )
    for n in (1, 2):
        name = f'{{\n    "DEVICE_METADATA": {{"localhost": {{"hostname": "leaf{n}"}}}},\n'
        (tmp_path / f"leaf{n}.json").write_text(text.replace("{\n", name, 1))
    report = run(Request(paths=(str(tmp_path),), cache=False), Settings())
    (found,) = (each for each in report.findings if each.rule == "SRC002")
    assert [each.device for each in found.occurrences] == ["leaf1", "leaf2"]
    assert [len(each.locations) for each in found.occurrences] == [1, 1]
