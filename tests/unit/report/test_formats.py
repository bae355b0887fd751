"""Machine formats: exact bytes, valid by their own schemas, and whole where people's are cut."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Remedy
from roce_lint.report import FORMATS, render
from roce_lint.report.json_model import schema
from roce_lint.text.source import Location, Origin
from tests.conftest import Golden
from tests.unit.report import sample
from tests.unit.report.sample import (
    CNP,
    DIFF,
    HOSTILE,
    MTU,
    OPTIONS,
    PFC,
    VERIFIED,
    WAIVED,
    place,
    report,
)

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {
    "json": "json",
    "jsonl": "jsonl",
    "csv": "csv",
    "sarif": "sarif",
    "junit": "xml",
    "gitlab": "gitlab.json",
}
TWINS = (PFC, replace(PFC, fingerprint=PFC.fingerprint + "#2"))


def parsed(name: str, *findings: Finding, **changes: object) -> Any:
    return json.loads(render(name, report(*findings, **changes), OPTIONS))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("text", "html")])
def test_the_format(golden: Golden, name: str) -> None:
    ending = ENDINGS.get(name, f"{name}.txt")
    golden.check(GOLDEN / f"report.{ending}", render(name, report(), OPTIONS))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("made", [report, sample.clean, lambda: report(HOSTILE)])
def test_two_runs_give_the_same_bytes(name: str, made: Any) -> None:
    first = render(name, made(), OPTIONS)
    assert first == render(name, made(), OPTIONS)
    assert "/site" not in first


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in ("text", "gitlab")])
def test_an_incomplete_answer_is_never_silent(name: str) -> None:
    broken = report(
        findings=[], unknowns=[], diagnostics=[Diagnostic("x.bin", "unknown-format", "no idea")]
    )
    text = render(name, broken, OPTIONS)
    if name == "concise":
        assert text == ""  # findings only; the command line prints the rest to standard error
    else:
        assert "no idea" in text


def test_the_bytes_do_not_hang_on_the_order_of_hashes(root: Path) -> None:
    script = (
        "import hashlib\n"
        "from roce_lint.report import FORMATS, render\n"
        "from tests.unit.report.sample import HOSTILE, OPTIONS, report\n"
        "for name in FORMATS:\n"
        "    for made in (report(), report(HOSTILE)):\n"
        "        text = render(name, made, OPTIONS).encode('utf-8', 'replace')\n"
        "        print(name, hashlib.sha256(text).hexdigest())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
    assert len(seen.pop().splitlines()) == 2 * len(FORMATS)


PLACELESS = replace(
    MTU,
    rule="SRC900",
    name="crash-of-a-rule",
    occurrences=(Occurrence("MAP001", (), (Location("", 0, "", "cause", Origin.ABSENT),)),),
)


def test_a_finding_that_is_nowhere_names_no_file() -> None:
    def lines(name: str) -> list[str]:
        only = report(PLACELESS, unknowns=[], diagnostics=[], classes=[])
        return render(name, only, OPTIONS).splitlines()

    assert lines("text")[2] == "MAP001: error SRC900 crash-of-a-rule"
    assert "    configs" not in "\n".join(lines("text"))
    assert lines("concise")[0].startswith("MAP001: error SRC900 crash-of-a-rule: leaf1 ")
    assert lines("github")[0].startswith("::error title=SRC900 crash-of-a-rule::leaf1 ")
    assert lines("markdown")[8].startswith("| error | SRC900 | `MAP001` | leaf1 ")
    assert parsed("gitlab", PLACELESS)[0]["location"] == {"path": "configs", "lines": {"begin": 1}}
    assert parsed("json", PLACELESS)["findings"][0]["locations"] == []
    assert "locations" not in parsed("sarif", PLACELESS)["runs"][0]["results"][0]
    assert suites(PLACELESS)["MAP001"][0].get("file") is None


def test_a_verified_fix_is_shown_with_its_diff() -> None:
    made = report(VERIFIED)
    text = render("text", made, OPTIONS)
    assert "    fix, verified:\n    # MTU001 on leaf1\n    --- a/leaf1.cfg\n" in text
    assert "    fix: " not in text
    assert f"Fix, verified:\n\n```diff\n{DIFF}```\n" in render("markdown", made, OPTIONS)
    assert "<dt>fix, verified</dt><dd><pre># MTU001 on leaf1\n" in render("html", made, OPTIONS)
    (fix,) = parsed("json", VERIFIED)["findings"][0]["fixes"]
    assert (fix["proved"], fix["from"]) == (True, "as 7 of 8 equal ports")


def test_a_verified_fix_is_applied_by_a_viewer_of_sarif() -> None:
    (fix,) = parsed("sarif", VERIFIED)["runs"][0]["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "configs/leaf1.cfg"
    regions = [[*each["deletedRegion"].values()] for each in change["replacements"]]
    assert regions == [[455, 1, 456, 1], [460, 1, 460, 1]]
    texts = [each["insertedContent"]["text"] for each in change["replacements"]]
    assert texts == ["   mtu `9214`\n", "!\nend\n"]


LONG = replace(PFC, remedy=Remedy("nxos", "Cisco NX-OS", tuple(f"line {n}" for n in range(1, 50))))


def test_commands_are_shown_as_the_format_has_room() -> None:
    few = "Cisco NX-OS: line 1; line 2; line 3; line 4; line 5; and 44 more lines: roce-lint fix\n"
    assert few in render("text", report(LONG), OPTIONS)
    assert "line 40\nand 9 more lines: roce-lint fix\n```" in render(
        "markdown", report(LONG), OPTIONS
    )
    assert "line 48\nline 49</pre>" in render("html", report(LONG), OPTIONS)


# ------------------------------------------------------------------------------------------ json


def test_the_published_schema_is_the_one_in_use(golden: Golden, root: Path) -> None:
    golden.check(root / "docs" / "report.schema.json", json.dumps(schema(), indent=2) + "\n")


@pytest.mark.parametrize("made", [report, sample.clean, lambda: report(HOSTILE)])
def test_json_is_valid_by_its_schema(made: Any) -> None:
    data = json.loads(render("json", made(), OPTIONS))
    jsonschema.Draft202012Validator(schema()).validate(data)
    assert data["schema"] == "roce-lint/report/1"


def test_every_field_of_the_schema_is_described() -> None:
    made = schema()
    assert made["$id"] == "urn:roce-lint:report:1"
    parts = {"": made, **made["$defs"]}
    fields = {
        f"{part}.{name}": field
        for part, described in parts.items()
        for name, field in described["properties"].items()
    }
    assert len(fields) > 100
    assert [name for name, field in fields.items() if not field.get("description")] == []


def test_json_lines_are_the_report_in_pieces() -> None:
    whole = parsed("json")
    lines = [json.loads(line) for line in render("jsonl", report(), OPTIONS).splitlines()]
    assert lines[0]["kind"] == "run"
    run = lines[0]["entry"]
    findings = [line["entry"] for line in lines if line["kind"] == "finding"]
    assert findings == whole["findings"]
    lists = {"files", "devices", "classes", "findings", "unknowns", "diagnostics"}
    assert run == {name: value for name, value in whole.items() if name not in lists}
    assert len(lines) == 1 + sum(len(whole[name]) for name in lists)


def test_json_names_files_relative_to_path() -> None:
    found = parsed("json")["findings"][0]
    assert [place["file"] for place in found["locations"]] == [
        "leaf1.cfg",
        "gpu-017/ibv_devinfo.txt",
    ]


def test_json_has_every_field_of_the_contract() -> None:
    data = parsed("json")
    assert data["summary"] == {
        "error": 1,
        "warning": 1,
        "info": 1,
        "suppressed": 1,
        "unknown": 4,
        "devices": 9,
        "links": 8,
        "rules": 3,
        "judged_ports": 72,
        "unrecognised": 2,
        "skipped": 2,
        "incomplete": True,
        "verdict": "not-ready",
        "pairs": 56,
        "pairs_judged": 52,
        "pairs_broken": 48,
        "pairs_assumed": False,
    }
    assert data["root"] == "configs"
    assert data["missing"] == [{"what": "cable length", "pairs": 4}]
    assert [entry["pairs_repaired"] for entry in data["repairs"]] == [40, 48]
    assert [entry["file"] for entry in data["files"] if entry["state"] == "skipped"] == [
        "README.md",
        "notes/plan.txt",
    ]
    assert data["devices"][0]["lines"] == {
        "understood": 201,
        "ignored": 44,
        "shadowed": 1,
        "unrecognised": 2,
        "unclaimed": 310,
    }
    folded = data["findings"][1]
    assert folded["devices_affected"] == 5
    impact = folded["impact"]
    assert (impact["ports"], impact["pairs_broken"], impact["pairs"]) == (160, 1984, 4032)
    assert [(hop["device"], hop["into"], hop["out"], hop["here"]) for hop in impact["path"]] == [
        ("gpu-001", None, "ens1f0np0", False),
        ("leaf1", "Ethernet1/1", "Ethernet1/60", False),
        ("leaf2", "Ethernet1/60", "Ethernet1/1", True),
        ("gpu-017", "ens1f0np0", None, False),
    ]
    assert (impact["path"][2]["place"]["file"], impact["path"][2]["place"]["line"]) == (
        "leaf2.cfg",
        12,
    )
    assert folded["occurrences"][4]["device"] == "leaf6"
    assert folded["device"] == "leaf2"
    assert folded["also"] == ["PFC004", "PFC005"]
    assert data["findings"][0]["fix"] == {
        "safety": "disruptive",
        "summary": "set ip_mtu of leaf1 Ethernet1/64 to 9214",
        "proved": False,
    }
    assert data["findings"][2]["suppressed"] == {
        "by": "waiver",
        "reason": "replaced in spring",
        "expires": "2027-03-31",
    }
    assert data["findings"][3]["locations"][0]["origin"] == "default"
    assert data["findings"][3]["locations"][0]["column"] == 13


def test_json_holds_everything_whatever_people_are_shown() -> None:
    data = json.loads(render("json", report(), replace(OPTIONS, max_findings=1)))
    assert [found["rule"] for found in data["findings"]] == ["MTU001", "PFC002", "PFC002", "NIC003"]


def test_json_shows_no_path_of_this_machine(root: Path) -> None:
    crashed = Diagnostic(str(root / "rules" / "mtu" / "MTU001-x.md"), "rule-crashed", "SRC900")
    data = parsed("json", diagnostics=[crashed])
    assert data["diagnostics"][0]["file"] == "rules/mtu/MTU001-x.md"


# ------------------------------------------------------------------------------------------- csv


def rows(*findings: Finding) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(render("csv", report(*findings), OPTIONS))))


def test_csv_has_a_row_for_every_device() -> None:
    found = [row for row in rows() if row["kind"] == "finding"]
    assert [row["device"] for row in found] == [
        "leaf1",
        *(f"leaf{n}" for n in range(2, 7)),
        "old1",
        "spine1",
    ]
    assert (found[0]["file"], found[0]["line"]) == ("configs/leaf1.cfg", "455")
    assert found[1]["pairs_broken"] == "1984"
    assert found[6]["suppressed"] == "waiver: replaced in spring"
    assert {row["kind"] for row in rows()} == {"finding", "unknown", "diagnostic"}


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t=", "\r="])
def test_csv_holds_no_formula(first: str) -> None:
    text = f"{first}HYPERLINK(1)"
    evil = replace(
        MTU,
        message=text,
        consequence=text,
        occurrences=(Occurrence(text, (text,), (place(f"{first}x.cfg", 3, text),)),),
    )
    cells = [cell for row in rows(evil) for cell in row.values()]
    assert any("HYPERLINK" in cell for cell in cells)
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []


# ----------------------------------------------------------------------------------------- junit


def tree(*findings: Finding, **changes: object) -> ET.Element:
    text = render("junit", report(*findings, **changes), OPTIONS)
    return ET.fromstring(text)  # noqa: S314  (written a line above)


def suites(*findings: Finding, **changes: object) -> dict[str, ET.Element]:
    return {suite.get("name", ""): suite for suite in tree(*findings, **changes)}


def outcome(case: ET.Element) -> list[str]:
    return [child.tag for child in case]


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("never", 0)])
def test_junit_fails_where_the_run_does(fail_on: str, failures: int) -> None:
    text = render("junit", report(), replace(OPTIONS, fail_on=fail_on))
    cases = ET.fromstring(text).iter("testcase")  # noqa: S314  (our own)
    failed = {case.get("classname") for case in cases if case.find("failure") is not None}
    assert len(failed) == failures


def test_junit_tells_what_does_not_fail() -> None:
    found = suites(unknowns=[])
    assert outcome(found["leaf1"][0]) == ["failure"]
    assert found["leaf1"][0][0].get("type") == "error"
    assert outcome(found["leaf2"][0]) == ["system-out"]
    assert outcome(found["spine1"][0]) == ["system-out"]
    assert outcome(found["old1"][0]) == ["skipped"]
    assert [case.get("name") for case in found["gpu-017"]] == ["gpu-017: no findings"]


def test_junit_does_not_pass_what_was_not_judged() -> None:
    cases = suites(findings=[])["leaf1"]
    assert [outcome(case) for case in cases] == [["skipped"]] * 3


@pytest.mark.parametrize("findings", [(MTU, *TWINS), (HOSTILE,), (PFC, WAIVED, CNP)])
def test_junit_names_are_unique(findings: tuple[Finding, ...]) -> None:
    twice = report().diagnostics * 2
    found = suites(*findings, diagnostics=twice)
    names = Counter(
        (case.get("classname"), case.get("name")) for suite in found.values() for case in suite
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_junit_counts_are_right() -> None:
    root = tree()
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert root.get(total) == str(len(root.findall(f".//{tag}")))
    assert root.get("tests") == str(len(root.findall(".//testcase")))


# ------------------------------------------------------------------------------ concise, markdown


def test_concise_has_a_line_for_every_cause() -> None:
    two = replace(
        MTU,
        occurrences=(
            Occurrence(
                "leaf1",
                ("Ethernet1", "Ethernet2"),
                (
                    place("leaf1.cfg", 5, "mtu 1500"),
                    place("leaf1.cfg", 9, "mtu 1500"),
                    place("x.txt", 1, "mtu 4200", "evidence"),
                ),
            ),
            Occurrence("leaf2", (), ()),
        ),
    )
    lines = render("concise", report(two), OPTIONS).splitlines()
    assert [re.sub(": error.* sends 4154", "", line) for line in lines] == [
        "configs/leaf1.cfg:5 [leaf1 Ethernet1, Ethernet2]",
        "configs/leaf1.cfg:9 [leaf1 Ethernet1, Ethernet2]",
        "leaf2 [leaf2]",
    ]


@pytest.mark.parametrize("name", ["concise", "github", "sarif", "junit", "gitlab"])
def test_every_device_has_the_words_for_itself(name: str) -> None:
    own = "leaf2 Ethernet7 carries 1500 bytes, gpu2 sends 4154"
    both = replace(
        MTU,
        occurrences=(
            Occurrence("leaf1", ("Ethernet1",), (place("leaf1.cfg", 5, "mtu 1500"),)),
            Occurrence("leaf2", ("Ethernet7",), (place("leaf2.cfg", 8, "mtu 1500"),), own),
        ),
    )
    text = render(name, report(both), OPTIONS)
    assert own in text
    assert "like leaf1" not in text


def test_concise_lists_unknowns_on_demand() -> None:
    lines = render("concise", report(MTU), replace(OPTIONS, show_unknown=True)).splitlines()
    assert lines[1] == "leaf1: unknown BUF001: cable length [leaf1 Ethernet1]"
    assert len(lines) == 5


def test_markdown_cannot_be_broken_out_of() -> None:
    text = render("markdown", report(HOSTILE, diagnostics=[]), OPTIONS)
    outside = re.sub(r"```+text\n.*?\n```+|``.*?``", "", text, flags=re.DOTALL)
    assert "<script" not in outside
    assert "@me" not in outside
    assert "[l](u)" not in outside
    row = next(line for line in text.splitlines() if line.startswith("| error"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 5


def test_a_fence_is_longer_than_any_inside() -> None:
    ticks = replace(
        MTU, occurrences=(Occurrence("leaf1", (), (place("leaf1.cfg", 1, "````` x"),)),)
    )
    text = render("markdown", report(ticks), OPTIONS)
    assert "``````text\nconfigs/leaf1.cfg:1    ````` x\n``````\n" in text


def test_markdown_fits_into_a_comment() -> None:
    many = [replace(PFC, fingerprint=f"{n:032x}") for n in range(200)]
    text = render("markdown", report(*many), OPTIONS)
    assert len(text) < 65_536
    assert "160 more findings not shown (160 warnings)" in text
