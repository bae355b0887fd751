"""Ignores, waivers and baselines from files to every format, through the command line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from roce_lint.report import FORMATS
from tests.bench import write_files
from tests.conftest import ROOT
from tests.small_fabrics.made import made
from tests.unit.cli.conftest import Run

SCHEMA = ROOT / "tests" / "data" / "sarif-2.1.0.json"

SWITCH = """! device: {name} (DCS-7060X6-64PE, EOS-4.32.1F)
hostname {name}
!
interface Ethernet1
   mtu {mtu}
   no switchport
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""
IGNORE = "1500 !! roce-lint: ignore MTU002 -- in the lab"
SELECT = 'select = ["MTU", "SRC"]\n'
WAIVER = '[[waiver]]\nrule = "MTU002"\ndevice = "leaf2"\nreason = "spring"\nexpires = 2027-03-31\n'


def write(site: Path, **mtus: object) -> None:
    """Leaves that each have a link to a spine of their own, whose MTU is 9214."""
    plan = ""
    for leaf, mtu in mtus.items():
        spine = leaf.replace("leaf", "spine")
        plan += f"- [{leaf}:Ethernet1, {spine}:Ethernet1]\n"
        (site / "configs" / f"{leaf}.cfg").write_text(SWITCH.format(name=leaf, mtu=mtu))
        (site / "configs" / f"{spine}.cfg").write_text(SWITCH.format(name=spine, mtu=9214))
    (site / "configs" / "links.yaml").write_text(plan)


BARE_PAGE = """---
id: SIT001
name: large-enough
severity: error
check: mtu.at_least
params: {bytes: 9300}
---

# Frames of our site fit
"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_page_of_head_and_title_works_in_every_format(run: Run, site: Path, form: str) -> None:
    write(site, leaf1=9214)
    (site / "rules").mkdir()
    (site / "rules" / "SIT001.md").write_text(BARE_PAGE)
    result = check(run, "--rules", "rules", "--select", "SIT", "--format", form)
    assert result.exit_code == 1
    assert "SIT001" in result.stdout
    told = run("explain", "SIT001", "--rules", "rules").stdout
    assert told == "SIT001 large-enough (error, stable)\n\n# Frames of our site fit\n"


def check(run: Run, *args: str, today: str = "2027-01-01") -> Any:
    return run("check", "configs", "--no-cache", "-j", "1", "--today", today, *args)


def findings(run: Run, *args: str, **given: str) -> list[tuple[str, list[str], str | None]]:
    """Rule, devices and what it is suppressed by, from the JSON report."""
    entries = json.loads(check(run, "--format", "json", *args, **given).stdout)["findings"]
    return [
        (
            entry["rule"],
            [each["device"] for each in entry["occurrences"]],
            entry["suppressed"] and entry["suppressed"]["by"],
        )
        for entry in entries
    ]


@pytest.fixture
def three(site: Path, run: Run) -> Path:
    """Three leaves of one fault: one is known, one waived, one ignored; and a new fourth."""
    write(site, leaf1=1500, leaf2=1500, leaf3=IGNORE)
    (site / "roce-lint.toml").write_text(SELECT + WAIVER)
    assert check(run, "--write-baseline", "known.json").exit_code == 1
    write(site, leaf1=1500, leaf2=1500, leaf3=IGNORE, leaf4=1500)
    return site


KNOWN = ("--baseline", "known.json")


def test_each_says_by_what_it_is_suppressed(run: Run, three: Path) -> None:
    assert sorted(findings(run, *KNOWN), key=lambda found: found[1]) == [
        ("MTU002", ["leaf1"], "baseline"),
        ("MTU002", ["leaf2"], "waiver"),
        ("MTU002", ["leaf3"], "inline"),
        ("MTU002", ["leaf4"], None),
    ]


def test_only_what_counts_fails(run: Run, three: Path) -> None:
    assert check(run, *KNOWN).exit_code == 1
    (three / "configs" / "leaf4.cfg").unlink()
    assert check(run, *KNOWN).exit_code == 0
    assert check(run).exit_code == 1


def test_sarif(run: Run, three: Path) -> None:
    log = json.loads(check(run, *KNOWN, "--format", "sarif").stdout)
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).validate(log)
    results = log["runs"][0]["results"]
    told = {
        entry["properties"]["device"]: (
            entry["baselineState"],
            [(mark["kind"], mark["justification"]) for mark in entry.get("suppressions", ())],
        )
        for entry in results
    }
    assert told == {
        "leaf1": ("unchanged", [("external", "baseline: known: known.json")]),
        "leaf2": ("new", [("external", "waiver: spring (until 2027-03-31)")]),
        "leaf3": ("new", [("inSource", "inline: in the lab")]),
        "leaf4": ("new", []),
    }
    prints = [entry["partialFingerprints"]["primaryLocationLineHash"] for entry in results]
    assert len(set(prints)) == len(results) == 4


def test_sarif_without_a_baseline_knows_nothing_new(run: Run, three: Path) -> None:
    results = json.loads(check(run, "--format", "sarif").stdout)["runs"][0]["results"]
    assert [entry for entry in results if "baselineState" in entry] == []


def test_junit(run: Run, three: Path) -> None:
    root = ET.fromstring(check(run, *KNOWN, "--format", "junit").stdout)  # noqa: S314  (our own)
    cases = {
        suite.get("name"): [
            child.tag for case in suite if " mtu-differs" in str(case.get("name")) for child in case
        ]
        for suite in root
        if str(suite.get("name")).startswith("leaf")
    }
    assert cases == {
        "leaf1": ["skipped"],
        "leaf2": ["skipped"],
        "leaf3": ["skipped"],
        "leaf4": ["failure"],
    }
    names = Counter(case.get("name") for case in root.iter("testcase"))
    assert max(names.values()) == 1


def test_gitlab(run: Run, three: Path) -> None:
    issues = json.loads(check(run, *KNOWN, "--format", "gitlab").stdout)
    found = [issue for issue in issues if issue["check_name"] != "weakened-by"]
    assert [issue["location"]["path"] for issue in found] == ["configs/leaf4.cfg"]


def test_text_shows_them_when_asked(run: Run, three: Path) -> None:
    quiet, loud = check(run, *KNOWN), check(run, *KNOWN, "-v")
    assert "suppressed by" not in quiet.stdout
    assert "1 error, 0 warnings, 0 info, 3 suppressed in" in quiet.stderr
    for said in (
        "suppressed by baseline: known: known.json",
        "suppressed by waiver until 2027-03-31: spring",
        "suppressed by inline: in the lab",
    ):
        assert loud.stdout.count(said) == 1


def test_what_covers_nothing_is_an_information(run: Run, three: Path) -> None:
    write(three, leaf1=9214, leaf2=9214, leaf3=IGNORE.replace("1500", "9214"), leaf4=9214)
    result = check(run, *KNOWN, "--format", "concise")
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if "weakened-by" not in line]
    assert [line.partition(" SRC005 ")[0] for line in lines] == [
        "configs/leaf3.cfg:5: info",
        "roce-lint.toml:2: info",
        "known.json: info",
    ]
    assert [line.rpartition(" [")[2] for line in lines] == ["leaf3]", "the fabric]", "the fabric]"]
    assert ["MTU002" in line for line in lines] == [True, True, False]
    assert check(run, *KNOWN, "--fail-on", "info").exit_code == 1


def test_a_waiver_that_is_over_counts_no_more_and_is_told(run: Run, three: Path) -> None:
    assert ("MTU002", ["leaf2", "leaf4"], None) in findings(run, *KNOWN, today="2027-04-01")
    assert ("SRC005", [""], None) in findings(run, *KNOWN, today="2027-04-01")


@pytest.mark.parametrize("form", ["text", "markdown", "github", "sarif", "junit", "gitlab", "json"])
def test_every_format_tells_of_an_unused_waiver(run: Run, site: Path, form: str) -> None:
    write(site, leaf1=9214)
    (site / "roce-lint.toml").write_text(SELECT + WAIVER)
    result = check(run, "--format", form)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout.count("covers no finding") >= 1
    assert "roce-lint.toml" in result.stdout


def test_what_is_said_about_waivers_is_no_known_finding(run: Run, site: Path) -> None:
    """It is neither written into a baseline nor, for that, reported as gone."""
    write(site, leaf1=1500)
    (site / "roce-lint.toml").write_text(SELECT + WAIVER)
    check(run, "--write-baseline", "known.json")
    known = json.loads((site / "known.json").read_text())["findings"]
    assert [entry["rule"] for entry in known] == ["MTU002"]
    (finding,) = (
        entry
        for entry in json.loads(check(run, *KNOWN, "--format", "json").stdout)["findings"]
        if entry["rule"] == "SRC005"
    )
    assert finding["message"] == "waiver of MTU002 for leaf2 covers no finding"
    assert finding["consequence"] == "no device leaf2 (did you mean leaf1?)"


def test_what_follows_from_a_waiver_that_is_over(run: Run, site: Path) -> None:
    write(site, leaf2=1500)
    (site / "roce-lint.toml").write_text(SELECT + WAIVER)
    done = check(run, "--format", "json", today="2027-04-01")
    (finding,) = (f for f in json.loads(done.stdout)["findings"] if f["rule"] == "SRC005")
    assert finding["message"] == "waiver of MTU002 for leaf2 expired on 2027-03-31"
    assert finding["consequence"] == "its findings count again"


def test_a_waiver_covers_what_its_cause_explains(run: Run, site: Path) -> None:
    """A priority that is paused and mapped differently is one cause, waived or not."""
    own = made("junos").change("leaf2", ("pfc-priority 3", "pfc-priority 4"))
    write_files(own.texts, site / "configs")
    rules = []
    for settings in ("", '[[waiver]]\nrule = "PFC002"\nreason = "x"\nexpires = 2099-01-01\n'):
        (site / "roce-lint.toml").write_text(settings)
        found = json.loads(run("check", "configs", "--format", "json").stdout)["findings"]
        rules.append([(each["rule"], each["suppressed"] is not None) for each in found])
    assert rules == [[("PFC002", False)], [("PFC002", True)]]


@pytest.mark.parametrize(
    ("toml", "line", "message"),
    [
        ('\nselect = ["MTU", "XYZ"]\n', 2, "no rule starts with 'XYZ'"),
        ('ignore = ["XYZ"]\n', 1, "no rule starts with 'XYZ'"),
        (
            '\n[rules.MTU999]\nseverity = "info"\n',
            2,
            "unknown rule MTU999 (did you mean MTU009?; --rules DIR adds",
        ),
        ("[rules.ECN005]\n[rules.ECN005.params]\nx = 1\n", 2, "ECN005 has no parameter 'x'"),
        ('profile = "nosuch"\n', 1, "there is no profile 'nosuch'"),
        ('[catalog]\nprofiles = ["gone"]\n', 2, "there is no folder gone"),
        ('[files."*"]\nnos = "eoss"\n', 2, "unknown system 'eoss'"),
    ],
)
def test_what_only_the_catalogue_knows_to_be_wrong_has_its_line(
    run: Run, site: Path, toml: str, line: int, message: str
) -> None:
    (site / "roce-lint.toml").write_text(toml)
    result = check(run)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"roce-lint: roce-lint.toml:{line}: {message}")


@pytest.mark.parametrize("where", ["plans/links.yaml", "configs/links.yaml"])
def test_a_wrong_cable_plan_is_named_as_from_here(run: Run, site: Path, where: str) -> None:
    write(site, leaf1=9214)
    (site / "plans").mkdir()
    (site / where).write_text("- [leaf1:Ethernet1, spine1:Ethernet1]\n- [a:b, a:b]\n")
    result = check(run, *(("--links", where) if where.startswith("plans") else ()))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"roce-lint: {where}:2: both ends are a:b\n"


def test_a_waiver_of_a_rule_that_does_not_exist_is_wrong_use(run: Run, site: Path) -> None:
    (site / "configs" / "leaf1.cfg").write_text("hostname leaf1\n")
    (site / "roce-lint.toml").write_text('[[waiver]]\nrule = "PCF001"\nreason = "typo"\n')
    result = run("check", "configs", "--no-cache")
    assert result.exit_code == 2
    assert "roce-lint.toml:2: waiver: no rule starts with 'PCF001'" in result.stderr
    assert "did you mean PFC001" in result.stderr
