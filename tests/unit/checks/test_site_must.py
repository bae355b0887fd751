"""Demands of a site in one line each: what holds, what does not, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.analysis.demand import demand
from roce_lint.cli.main import cli
from roce_lint.errors import RoceLintError, RulePageError
from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.conftest import ROOT

HEAD = """\
---
id: SIT001
name: standard-of-this-site
severity: error
check: site.must
params: {params}
---

# The standard of this site
"""

LEAF = """\
! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
!
interface Ethernet1
   no switchport
   mtu 9214
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   tx-queue 3
      random-detect ecn minimum-threshold 500 kbytes maximum-threshold 1500 kbytes max-mark-probability 20 weight 0
!
interface Ethernet2
   no switchport
   mtu 9214
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
!
end
"""


def invoke(*args: str) -> Result:
    return CliRunner().invoke(cli, list(args), prog_name="roce-lint")


def judged(folder: Path, params: str) -> Report:
    rules, configs = folder / "rules", folder / "configs"
    rules.mkdir()
    configs.mkdir()
    (rules / "SIT001.md").write_text(HEAD.replace("{params}", params))
    (configs / "leaf1.cfg").write_text(LEAF)
    request = Request((str(configs),), rules=(str(rules),), jobs=1, cache=False, select=("SIT",))
    return run(request, Settings())


def messages_and_lines(report: Report) -> list[tuple[str, int]]:
    return [
        (finding.message, place.line)
        for finding in report.findings
        if (place := finding.location) is not None
    ]


@pytest.mark.parametrize(
    "line",
    [
        "queue(dscp=26).kmin == 500 kB",
        "queue(dscp=26).kmax <= 1.5 MB",
        "class(dscp=26).lossless == yes",
        "class(dscp=26).priority == 3",
        "class( dscp = 48 ).lossless == no",
        "ip_mtu >= 9000",
        "mtu != 1500",
        "trust == dscp",
        "pfc.generate == 3",
        "pfc.generate includes 3",
        "pfc.generate excludes 4,5",
    ],
)
def test_what_holds_is_silent(line: str, tmp_path: Path) -> None:
    report = judged(tmp_path, f'{{must: "{line}", when: "description == unset"}}')
    marking = "queue(" in line
    told = f"site standard is {SAYS[line]}" if marking else ""
    missing = f"leaf1 Ethernet2: {line.split(maxsplit=1)[0]} is missing: the queue does not mark ECN, {told}"
    assert [text for text, _ in messages_and_lines(report)] == ([missing] if marking else [])
    assert [u for u in report.unknowns if u.rule == "SIT001"] == []


SAYS = {
    "queue(dscp=26).kmin == 500 kB": "500000 bytes",
    "queue(dscp=26).kmax <= 1.5 MB": "at most 1500000 bytes",
}


@pytest.mark.parametrize(
    ("line", "message", "at"),
    [
        ("ip_mtu >= 9216", "leaf1 Ethernet1: ip_mtu is 9214, site standard is at least 9216", 6),
        ("pfc.generate == 3,4", "leaf1 Ethernet1: pfc.generate is 3, site standard is 3-4", 9),
        ("pfc.generate excludes 3", "leaf1 Ethernet1: pfc.generate is 3, site standard is without 3", 9),
        ("trust != dscp", "leaf1 Ethernet1: trust is dscp, site standard is not dscp", 7),
        ("queue(dscp=26).kmin > 500 kB",
         "leaf1 Ethernet1: queue(dscp=26).kmin is 500000 bytes, site standard is above 500000 bytes", 11),
        ("class(dscp=26).lossless == no",
         "leaf1 Ethernet1: class(dscp=26).lossless is yes, site standard is no", 9),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_found_on_its_line(
    line: str, message: str, at: int, tmp_path: Path
) -> None:
    assert (message, at) in messages_and_lines(judged(tmp_path, f'{{must: ["{line}"]}}'))


def test_what_nothing_states_is_unknown(tmp_path: Path) -> None:
    report = judged(tmp_path, '{must: "group(dscp=26).xoff_bytes >= 20 kB"}')
    assert messages_and_lines(report) == []
    assert [u.missing for u in report.unknowns if u.rule == "SIT001"] != []


def test_a_condition_chooses_the_ports(tmp_path: Path) -> None:
    params = '{must: "ip_mtu == 1500", when: ["queue(dscp=26).kmin == 500 kB", "ip_mtu > 9000"]}'
    (finding,) = judged(tmp_path, params).findings
    assert finding.subjects == ("Ethernet1",)


def test_nics_and_devices_are_asked_as_well(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    for number, params in enumerate(
        (
            '{must: "nic.traffic_class == 106"}',
            '{must: "nic.firmware >= 28.39.1002", when: "device.nos == linux"}',
            '{must: "device.role == spine", when: "device.nos == srlinux"}',
        ),
        1,
    ):
        text = HEAD.replace("{params}", params).replace("SIT001", f"SIT00{number}")
        (rules / f"{number}.md").write_text(text.replace("standard-of", f"standard-{number}-of"))
    request = Request(
        (str(ROOT / "sample_configs" / "broken-fabric"),),
        rules=(str(rules),), jobs=1, cache=False, select=("SIT",),
    )  # fmt: skip
    report = run(request, Settings())
    assert [(f.rule, f.device, f.message) for f in report.findings] == [
        ("SIT001", "gpu07", "gpu07 mlx5_0: nic.traffic_class is 26, site standard is 106"),
        ("SIT002", "gpu10",
         "gpu10 rocep26s0f0: nic.firmware is 1.70, site standard is at least 28.39.1002"),
    ]  # fmt: skip
    missing = {u.missing for u in report.unknowns if u.rule == "SIT002"}
    assert missing == {"nic.firmware as a version number"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ip_mtu", "not a condition: 'ip_mtu' (FIELD == VALUE"),
        ("ip_mtu>=9000", "not a condition"),
        ("ip_mto >= 9000", "'ip_mto' is not a field of a port (the nearest are ip_mtu"),
        ("queue(dscp=26).kmn == 1 kB", "'kmn' is not a field of a port (the nearest are kmin"),
        (
            "nic.firmwar == 1",
            "'firmwar' is not a field of an RDMA device (the nearest are firmware",
        ),
        ("device.rol == leaf", "'rol' is not a field of a device"),
        ("class(dscp=26).colour == 1", "a class has no colour (known: "),
        ("queue(dscp=77).kmin == 1 kB", "77 is not a DSCP"),
        ("queue(dscp=26).kmin == much", "kmin takes"),
        ("trust >= dscp", "has no order"),
        ("ip_mtu includes 9000", "is not a set"),
    ],
)
def test_what_is_no_demand_is_refused(line: str, says: str) -> None:
    with pytest.raises(RoceLintError) as caught:
        demand(line)
    assert says in str(caught.value)


def test_all_that_is_wrong_with_the_demands_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(RulePageError) as caught:
        judged(tmp_path, '{must: ["ip_mto >= 9000", "trust >= dscp"], when: "x"}')
    assert all(part in str(caught.value) for part in ("'ip_mto'", "no order", "not a condition"))
    assert "SIT001.md: parameters of SIT001: 'ip_mto'" in str(caught.value)


def test_one_rule_is_about_one_kind_of_thing(tmp_path: Path) -> None:
    with pytest.raises(RulePageError, match="about ports, about NICs, or about devices"):
        judged(tmp_path, '{must: ["ip_mtu >= 9000", "nic.firmware == 1"]}')


PAGE = """
## Example

```eos bad file=leaf1.cfg expect=5
! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
interface Ethernet1
   no switchport
   mtu 1500
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
```

```eos fixed file=leaf1.cfg
! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
interface Ethernet1
   no switchport
   mtu 9214
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
```
"""


def test_the_examples_of_a_folder_are_tried(tmp_path: Path) -> None:
    page = tmp_path / "SIT001.md"
    text = HEAD.replace("{params}", '{must: "ip_mtu >= 9000"}') + PAGE
    page.write_text(text)
    result = invoke("rules", "test", str(tmp_path))
    assert (result.exit_code, result.stdout.splitlines()) == (
        0, ["SIT001-bad: as expected", "SIT001-fixed: as expected"],
    )  # fmt: skip
    page.write_text(text.replace("expect=5", "expect=4").replace("mtu 9214", "mtu 4200"))
    result = invoke("rules", "test", str(tmp_path))
    assert (result.exit_code, result.stdout.splitlines()) == (
        1,
        ["SIT001-bad: reports leaf1.cfg:5, not leaf1.cfg:4",
         "SIT001-fixed: the rule reports leaf1.cfg:5"],
    )  # fmt: skip
    page.write_text(text.replace("check:", "fixed_by: [interfaces.ip_mtu, interfaces.mtu]\ncheck:"))
    result = invoke("rules", "test", str(tmp_path))
    assert (result.exit_code, result.stdout.splitlines()[0]) == (
        1, "SIT001: fixed_by: Interface has no field 'mtu'",
    )  # fmt: skip
    page.write_text(text.replace("file=leaf1.cfg", "file=../leaf1.cfg"))
    assert invoke("rules", "test", str(tmp_path)).exit_code == 2


def test_a_folder_without_pages_is_wrong_use(tmp_path: Path) -> None:
    assert invoke("rules", "test", str(tmp_path)).exit_code == 2
