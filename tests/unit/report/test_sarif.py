"""SARIF: valid by the official schema, a result a device, nothing lost on the way."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roce_lint.engine.finding import Finding, Occurrence, Suppression
from roce_lint.report import render
from roce_lint.report.sarif import uri
from tests.unit.report import sample
from tests.unit.report.sample import HOSTILE, MTU, OPTIONS, PFC, place, report

TWINS = (PFC, replace(PFC, fingerprint=PFC.fingerprint + "#2"))


def parsed(*findings: Finding) -> Any:
    return json.loads(render("sarif", report(*findings), OPTIONS))


@pytest.fixture(scope="module")
def sarif_schema(root: Path) -> jsonschema.Draft4Validator:
    text = (root / "tests" / "data" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema.Draft4Validator(
        json.loads(text), format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER
    )


@pytest.mark.parametrize(
    "made",
    [
        report,
        sample.clean,
        lambda: report(HOSTILE),
        lambda: report(*TWINS),
        lambda: report(sample.VERIFIED),
    ],
)
def test_sarif_is_valid_by_the_official_schema(
    sarif_schema: jsonschema.Draft4Validator, made: Any
) -> None:
    log = json.loads(render("sarif", made(), OPTIONS))
    assert [error.message for error in sarif_schema.iter_errors(log)] == []


def test_the_official_schema_would_notice(sarif_schema: jsonschema.Draft4Validator) -> None:
    log = parsed()
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    paths = {error.path[-1] for error in sarif_schema.iter_errors(log)}
    assert paths == {"level", "startLine"}


def test_sarif_has_a_result_for_every_device_of_a_finding() -> None:
    results = parsed(*TWINS)["runs"][0]["results"]
    assert [result["properties"]["device"] for result in results] == [
        f"leaf{n}" for _ in range(2) for n in range(2, 7)
    ]
    hashes = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]
    assert len(set(hashes)) == 10


def test_sarif_places_are_relative_and_encoded() -> None:
    result = parsed()["runs"][0]["results"][0]
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "configs/leaf1.cfg"},
                "region": {"startLine": 455, "snippet": {"text": "mtu 1500"}},
            }
        }
    ]
    related = result["relatedLocations"][0]
    assert (related["id"], related["message"]["text"]) == (1, "evidence: active_mtu: 4096 (5)")
    assert result["message"]["text"].endswith("\nSee [configs/gpu-017/ibv_devinfo.txt:14](1).")
    assert uri("a b/ä#?%,:.cfg") == "a%20b/%C3%A4%23%3F%25%2C%3A.cfg"
    assert uri("<stdin>") == "%3Cstdin%3E"
    assert uri("snap.tar.gz!leaf1/x.txt") == "snap.tar.gz!leaf1/x.txt"
    assert uri("\udcff\ud800.cfg") == "%ED%B3%BF%ED%A0%80.cfg"


def test_only_our_own_links_are_links() -> None:
    odd = Occurrence("leaf1", (), (place("a.cfg", 1, "x"), place("b]\\[.cfg", 2, "y", "evidence")))
    evil = replace(MTU, message="see [here](http://x) and [1](1)", occurrences=(odd,))
    text = parsed(evil)["runs"][0]["results"][0]["message"]["text"]
    assert re.findall(r"(?<!\\)\]\((.*?)\)", text) == ["1"]
    assert text.endswith(r"See [configs/b\]\\\[.cfg:2](1).")


def test_sarif_says_how_precise_a_rule_is() -> None:
    rules = parsed()["runs"][0]["tool"]["driver"]["rules"]
    told = {
        r["id"]: (r["properties"]["precision"], r["properties"]["problem.severity"]) for r in rules
    }
    assert told["MTU001"] == ("high", "error")
    assert told["NIC003"] == ("high", "recommendation")


@pytest.mark.parametrize(("cwd", "away"), [("/site", 0), ("/site/other", 1), ("/elsewhere", 1)])
def test_files_outside_of_the_working_directory_are_told(cwd: str, away: int) -> None:
    options = replace(OPTIONS, cwd=cwd)
    found = report(MTU, diagnostics=[], base="/site/configs")
    run = json.loads(render("sarif", found, options))["runs"][0]
    notes = run["invocations"][0].get("toolExecutionNotifications", [])
    assert [note["descriptor"]["id"] for note in notes] == ["outside-root"] * away
    assert all(
        note["level"] == "warning" and "2 files" in note["message"]["text"] for note in notes
    )


def test_sarif_has_no_region_without_a_line() -> None:
    nowhere = replace(MTU, occurrences=(Occurrence("leaf1", (), ()),))
    result = parsed(nowhere)["runs"][0]["results"][0]
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "configs/leaf1.cfg"}}}
    ]
    unknown = replace(MTU, occurrences=(Occurrence("stranger", (), ()),))
    assert "locations" not in parsed(unknown)["runs"][0]["results"][0]


def test_sarif_says_that_the_run_was_not_whole() -> None:
    invocation = parsed()["runs"][0]["invocations"][0]
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
    result = parsed(replace(MTU, suppressed=mark))["runs"][0]["results"][0]
    assert result["suppressions"] == [
        {"kind": kind, "status": "accepted", "justification": f"{by}: known"}
    ]


def test_sarif_knows_rules_without_a_page() -> None:
    crash = replace(MTU, rule="SRC900", name="rule-crashed")
    run = parsed(crash)["runs"][0]
    index = run["results"][0]["ruleIndex"]
    assert run["tool"]["driver"]["rules"][index] == {"id": "SRC900", "name": "rule-crashed"}


def test_a_site_says_where_the_pages_are(sarif_schema: jsonschema.Draft4Validator) -> None:
    options = replace(OPTIONS, help_url="https://docs.site/rules/{id}-{name}.html")
    log = json.loads(render("sarif", report(MTU), options))
    assert [error.message for error in sarif_schema.iter_errors(log)] == []
    rules = {rule["id"]: rule for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    address = "https://docs.site/rules/MTU001-mtu-too-small-for-class.html"
    assert rules["MTU001"]["helpUri"] == address
    assert "helpUri" not in parsed(MTU)["runs"][0]["tool"]["driver"]["rules"][0]
    by_page = replace(OPTIONS, help_url="https://git.site/net/blob/v0/rules/{page}")
    log = json.loads(render("sarif", report(MTU), by_page))
    links = [rule["helpUri"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert links[0] == "https://git.site/net/blob/v0/rules/mtu/MTU001-mtu-too-small-for-class.md"


def test_help_addresses_of_a_site() -> None:
    options = replace(OPTIONS, help_url="https://docs.site/rules/{path}.html")
    log = json.loads(render("sarif", report(MTU), options))
    links = [rule["helpUri"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert links[0] == "https://docs.site/rules/mtu/MTU001-mtu-too-small-for-class.html"


def test_rules_that_found_something_bring_their_page() -> None:
    rules = {rule["id"]: rule for rule in parsed(MTU)["runs"][0]["tool"]["driver"]["rules"]}
    whole = [rule for rule, said in rules.items() if "markdown" in said.get("help", {})]
    assert whole == ["MTU001"]
    assert len(rules) > 1
