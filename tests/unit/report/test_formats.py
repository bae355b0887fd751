"""Machine formats: exact bytes, valid by their own schemas, and whole where people's are cut."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from roce_lint.engine.finding import Diagnostic, Finding, Occurrence, Suppression
from roce_lint.report import FORMATS, render
from roce_lint.report.github import command
from roce_lint.report.json import schema
from roce_lint.report.sarif import uri
from tests.conftest import Golden
from tests.unit.report import sample
from tests.unit.report.sample import CNP, HOSTILE, MTU, OPTIONS, PFC, WAIVED, place, report

GOLDEN = Path(__file__).parent / "golden"
ENDINGS = {"json": "json", "sarif": "sarif", "junit": "xml", "gitlab": "gitlab.json"}
TWINS = (PFC, replace(PFC, fingerprint=PFC.fingerprint + "#2"))


def parsed(name: str, *findings: Finding, **changes: object) -> Any:
    return json.loads(render(name, report(*findings, **changes), OPTIONS))


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "text"])
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


# ------------------------------------------------------------------------------------------ json


def test_the_published_schema_is_the_one_in_use(golden: Golden, root: Path) -> None:
    golden.check(root / "docs" / "report.schema.json", json.dumps(schema(), indent=2) + "\n")


@pytest.mark.parametrize("made", [report, sample.clean, lambda: report(HOSTILE)])
def test_json_is_valid_by_its_schema(made: Any) -> None:
    data = json.loads(render("json", made(), OPTIONS))
    jsonschema.Draft202012Validator(schema()).validate(data)
    assert data["schema"] == "roce-lint/report/1"


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
    }
    assert data["devices"][0]["lines"] == {
        "understood": 201,
        "ignored": 44,
        "shadowed": 1,
        "unrecognised": 2,
        "unclaimed": 310,
    }
    folded = data["findings"][1]
    assert folded["devices_affected"] == 5
    assert folded["impact"] == {"ports": 160}
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


# ----------------------------------------------------------------------------------------- sarif


@pytest.fixture(scope="module")
def sarif_schema(root: Path) -> jsonschema.Draft4Validator:
    text = (root / "tests" / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema.Draft4Validator(
        json.loads(text), format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER
    )


@pytest.mark.parametrize(
    "made", [report, sample.clean, lambda: report(HOSTILE), lambda: report(*TWINS)]
)
def test_sarif_is_valid_by_the_official_schema(
    sarif_schema: jsonschema.Draft4Validator, made: Any
) -> None:
    log = json.loads(render("sarif", made(), OPTIONS))
    assert [error.message for error in sarif_schema.iter_errors(log)] == []


def test_the_official_schema_would_notice(sarif_schema: jsonschema.Draft4Validator) -> None:
    log = parsed("sarif")
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    paths = {error.path[-1] for error in sarif_schema.iter_errors(log)}
    assert paths == {"level", "startLine"}


def test_sarif_has_a_result_for_every_device_of_a_finding() -> None:
    results = parsed("sarif", *TWINS)["runs"][0]["results"]
    assert [result["properties"]["device"] for result in results] == [
        f"leaf{n}" for _ in range(2) for n in range(2, 7)
    ]
    hashes = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]
    assert len(set(hashes)) == 10


def test_sarif_places_are_relative_and_encoded() -> None:
    result = parsed("sarif")["runs"][0]["results"][0]
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "configs/leaf1.cfg"},
                "region": {"startLine": 455, "snippet": {"text": "mtu 1500"}},
            }
        }
    ]
    assert result["relatedLocations"][0]["message"] == {"text": "evidence"}
    assert uri("a b/ä#?%,:.cfg") == "a%20b/%C3%A4%23%3F%25%2C%3A.cfg"
    assert uri("<stdin>") == "%3Cstdin%3E"
    assert uri("snap.tar.gz!leaf1/x.txt") == "snap.tar.gz!leaf1/x.txt"
    assert uri("\udcff\ud800.cfg") == "%ED%B3%BF%ED%A0%80.cfg"


def test_sarif_has_no_region_without_a_line() -> None:
    nowhere = replace(MTU, occurrences=(Occurrence("leaf1", (), ()),))
    result = parsed("sarif", nowhere)["runs"][0]["results"][0]
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "configs/leaf1.cfg"}}}
    ]
    unknown = replace(MTU, occurrences=(Occurrence("stranger", (), ()),))
    assert "locations" not in parsed("sarif", unknown)["runs"][0]["results"][0]


def test_sarif_says_that_the_run_was_not_whole() -> None:
    invocation = parsed("sarif")["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    notes = invocation["toolExecutionNotifications"]
    assert [(note["descriptor"]["id"], note["level"]) for note in notes] == [
        ("two-configs", "note"),
        ("unknown-format", "error"),
        ("syntax", "error"),
    ]
    whole = json.loads(render("sarif", sample.clean(), OPTIONS))
    assert whole["runs"][0]["invocations"] == [{"executionSuccessful": True}]


@pytest.mark.parametrize(
    ("by", "kind"), [("inline", "inSource"), ("baseline", "external"), ("waiver", "external")]
)
def test_sarif_keeps_suppressed_results(by: str, kind: str) -> None:
    mark = Suppression(by, "known", None)
    result = parsed("sarif", replace(MTU, suppressed=mark))["runs"][0]["results"][0]
    assert result["suppressions"] == [
        {"kind": kind, "status": "accepted", "justification": f"{by}: known"}
    ]


def test_sarif_knows_rules_without_a_page() -> None:
    crash = replace(MTU, rule="SRC900", name="rule-crashed")
    run = parsed("sarif", crash)["runs"][0]
    index = run["results"][0]["ruleIndex"]
    assert run["tool"]["driver"]["rules"][index] == {"id": "SRC900", "name": "rule-crashed"}


# ----------------------------------------------------------------------------------------- junit


def suites(*findings: Finding, **changes: object) -> dict[str, ET.Element]:
    root = ET.fromstring(render("junit", report(*findings, **changes), OPTIONS))
    return {suite.get("name", ""): suite for suite in root}


def outcome(case: ET.Element) -> list[str]:
    return [child.tag for child in case]


def test_junit_fails_on_errors_and_warnings_only() -> None:
    found = suites(unknowns=[])
    assert outcome(found["leaf1"][0]) == ["failure"]
    assert found["leaf1"][0][0].get("type") == "error"
    assert outcome(found["leaf2"][0]) == ["failure"]
    assert outcome(found["spine1"][0]) == ["system-out"]
    assert outcome(found["old1"][0]) == ["skipped"]
    assert [case.get("name") for case in found["gpu-017"]] == ["gpu-017: nothing found"]


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
    root = ET.fromstring(render("junit", report(), OPTIONS))
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert root.get(total) == str(len(root.findall(f".//{tag}")))
    assert root.get("tests") == str(len(root.findall(".//testcase")))


# ---------------------------------------------------------------------------------------- gitlab


def test_gitlab_fingerprints_are_unique() -> None:
    issues = parsed("gitlab", MTU, *TWINS, PFC)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 16


def test_gitlab_fingerprints_do_not_follow_the_line() -> None:
    moved = replace(
        MTU, occurrences=(Occurrence("leaf1", ("Ethernet1/64",), (place("leaf1.cfg", 9, "mtu 1500"),)),)
    )
    before, after = parsed("gitlab", MTU)[0], parsed("gitlab", moved)[0]
    assert before["fingerprint"] == after["fingerprint"]
    assert (before["location"]["lines"]["begin"], after["location"]["lines"]["begin"]) == (455, 9)


def test_gitlab_lines_begin_at_one() -> None:
    nowhere = replace(MTU, occurrences=(Occurrence("gpu-017", (), ()),))
    assert parsed("gitlab", nowhere)[0]["location"] == {
        "path": "configs/gpu-017/ibv_devinfo.txt",
        "lines": {"begin": 1},
    }


def test_gitlab_leaves_out_what_is_suppressed() -> None:
    assert [issue["check_name"] for issue in parsed("gitlab")] == ["MTU001", *["PFC002"] * 5, "NIC003"]


# ---------------------------------------------------------------------------------------- github


def test_a_workflow_command_is_escaped() -> None:
    assert command("error", "50%\r\nof, a:b", file="a,b:c%\n.cfg", line=3, title=None) == (
        "::error file=a%2Cb%3Ac%25%0A.cfg,line=3::50%25%0D%0Aof, a:b"
    )
    assert command("notice", "x") == "::notice::x"


def test_github_annotates_the_gravest_first() -> None:
    lines = render("github", report(CNP, PFC, MTU), OPTIONS).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "::error",
        *["::warning"] * 5,
        "::notice",
        "::notice",
        "::error",
        "::error",
    ]


def test_github_names_what_cannot_be_annotated() -> None:
    line = render("github", report(CNP, diagnostics=[]), OPTIONS)
    assert line == (
        "::notice title=NIC003 cnp-priority-default::spine1 Ethernet0 sends CNP with priority 0"
        "%0Aon Ethernet0, Ethernet8%0Asnap.tar.gz!spine1/config_db.json:812\n"
    )


def test_github_says_what_it_leaves_out() -> None:
    options = replace(OPTIONS, max_findings=1)
    assert render("github", report(diagnostics=[]), options).splitlines()[-1] == (
        "::notice title=roce-lint::2 more findings not shown (1 warning, 1 info)"
    )


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
