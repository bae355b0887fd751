"""Findings carry the vendor commands that fix them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

import roce_lint
from roce_lint.catalog.remedies import systems
from roce_lint.cli.main import cli
from roce_lint.engine.finding import Finding, Occurrence, Remedy
from roce_lint.engine.page import RulePage, parse_page
from roce_lint.engine.remedies import remedy_items, remedy_of
from roce_lint.errors import UsageError
from roce_lint.model.change import Change, Safety

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "sample_configs" / "broken-fabric"


@cache
def findings() -> list[Finding]:
    return roce_lint.load(SAMPLE).check().findings


def remedy(rule: str, device: str) -> Remedy:
    found = next(each for each in findings() if (each.rule, each.device) == (rule, device))
    assert found.remedy is not None
    return found.remedy


@pytest.mark.parametrize(
    ("rule", "device", "system", "lines"),
    [
        ("MAP002", "leaf1", "EOS", ("interface Ethernet1/1", "qos trust dscp")),
        ("MTU001", "leaf2", "NX-OS", ("interface Ethernet1/31", "mtu 9214")),
        ("MAP001", "spine1", "SONiC", ('DSCP_TO_TC_MAP|NAME: "26": "3"',)),
        ("NIC007", "gpu10", "Linux, Intel NICs", None),
        ("PFC001", "gpu09", "Linux, Broadcom NICs", None),
        ("MAP001", "gpu11", "Linux, AMD NICs", None),
    ],
)
def test_the_words_are_those_of_the_system(
    rule: str, device: str, system: str, lines: tuple[str, ...] | None
) -> None:
    found = remedy(rule, device)
    assert found.system == system
    assert lines is None or found.lines == lines


def test_binary_code_points_and_only_the_missing_priority_are_filled_in() -> None:
    assert remedy("MAP001", "leaf5").lines[0].endswith(" code-points 011010")
    assert remedy("PFC001", "leaf1").lines[2] == "priority-flow-control priority 3 no-drop"
    assert "--pfc 0,0,0,1,1,0,0,0" in remedy("PFC001", "gpu02").lines[0]


def test_a_misled_host_is_told_the_code_point_that_the_fabric_protects() -> None:
    assert remedy("NIC001", "gpu07").lines[0].startswith("echo 106 > ")


def test_queues_and_classes_are_filled_in_where_the_finding_knows_them() -> None:
    assert "class type queuing c-out-8q-q5" in remedy("ECN001", "leaf2").lines
    assert remedy("ECN001", "leaf3").lines[0] == 'QUEUE|Ethernet16|3: "wred_profile": "NAME"'
    assert remedy("MAP001", "gpu11").lines[0].endswith("--priority 3")


def test_the_class_of_data_is_not_told_for_other_traffic() -> None:
    assert remedy("CLS002", "leaf4").lines[-1] == "set qos-group CLASS"


def test_a_class_that_has_what_it_should_gets_no_line_that_says_so_again() -> None:
    found = [f for f in findings() if (f.rule, f.device) == ("MAP001", "leaf5")]
    named = {f.subjects[0]: f.remedy for f in found}
    assert named["et-0/0/0"] is None  # it is in NO-LOSS, and another code point is paused
    assert named["et-0/0/1"] is not None


XR = """!! IOS XR Configuration 7.11.2
hostname leaf1
interface FourHundredGigE0/0/0/0
 mtu 1514
 ipv4 address 10.0.0.0 255.255.255.254
!
end
"""


def test_a_system_that_counts_the_header_gets_its_own_number(tmp_path: Path) -> None:
    (tmp_path / "leaf1.cfg").write_text(XR)
    analysis = roce_lint.load(tmp_path).check().analysis
    assert analysis is not None
    port = "FourHundredGigE0/0/0/0"
    change = Change.on_port("leaf1", port, "ip_mtu", 9200, Safety.DISRUPTIVE, old=1500)
    here = Occurrence("leaf1", (port,), ())
    low = replace(findings()[0], occurrences=(here,), fix=change)
    assert remedy_of(low, ("mtu",), analysis) == Remedy("IOS-XR", (f"interface {port}", "mtu 9214"))
    assert remedy_of(low, ("watchdog",), analysis) is None


def test_a_part_of_a_finding_without_its_first_device_has_no_lines_of_it() -> None:
    found = next(each for each in findings() if each.remedy is not None)
    other = Occurrence("other", ("p1",), ())
    wide = replace(found, occurrences=(*found.occurrences, other))
    assert wide.on("other").remedy is None
    assert wide.restrict([other]).remedy is None
    assert wide.on(found.device).remedy == found.remedy


def page(rule: str) -> RulePage:
    found = next((ROOT / "rules").glob(f"*/{rule}-*.md"))
    return parse_page(found.read_text(), found.name)


def test_explain_tells_the_lines_of_one_system() -> None:
    assert remedy_items(page("PFC001"), "iosxr") == [
        (
            "- IOS-XR: `interface PORT`; `priority-flow-control mode on` (Cisco 8000 QoS "
            "Configuration Guide: Priority Flow Control; the class has its thresholds in "
            "hw-module profile priority-flow-control)"
        )
    ]
    assert len(remedy_items(page("PFC001"))) == len(systems())
    result = CliRunner().invoke(cli, ["explain", "PFC020", "--nos", "iosxr"])
    assert "- IOS-XR: a watchdog exists" in result.output
    assert "EOS" not in result.output
    assert "Why it matters" not in result.output


def test_a_system_that_is_not_read_is_told() -> None:
    result = CliRunner().invoke(cli, ["explain", "PFC020", "--nos", "iosxe"])
    assert isinstance(result.exception, SystemExit | UsageError)
    assert "iosxe" in result.output + str(result.exception)
