"""GitHub's annotations and GitLab's Code Quality: what the services show, and no more."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

from roce_lint.engine.finding import Finding, Occurrence
from roce_lint.report import render
from roce_lint.report.github import Command
from tests.unit.report.sample import CNP, HOSTILE, MTU, OPTIONS, PFC, place, report

TWINS = (PFC, replace(PFC, fingerprint=PFC.fingerprint + "#2"))


def parsed(name: str, *findings: Finding) -> Any:
    return json.loads(render(name, report(*findings), OPTIONS))


# ---------------------------------------------------------------------------------------- gitlab


def test_gitlab_fingerprints_are_unique() -> None:
    issues = parsed("gitlab", MTU, *TWINS, PFC)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 16


def test_gitlab_fingerprints_do_not_follow_the_line() -> None:
    moved = replace(
        MTU,
        occurrences=(Occurrence("leaf1", ("Ethernet1/64",), (place("leaf1.cfg", 9, "mtu 1500"),)),),
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


def test_gitlab_tells_lines_and_remedy_beside_the_description() -> None:
    body = parsed("gitlab")[0]["content"]["body"]
    assert "configs/leaf1.cfg:455                 mtu 1500" in body
    assert "Fix: set ip\\_mtu of leaf1 Ethernet1/64 to 9214 (stops traffic for a moment)" in body
    assert "affects 1,984 of 4,032" in parsed("gitlab", PFC)[0]["content"]["body"]
    hostile = parsed("gitlab", HOSTILE)[0]["content"]["body"]
    outside = re.sub(r"```+text\n.*?\n```+|``.*?``", "", hostile, flags=re.DOTALL)
    assert "<script" not in outside
    assert "@me" not in outside


def test_gitlab_leaves_out_what_is_suppressed() -> None:
    assert [issue["check_name"] for issue in parsed("gitlab")] == [
        "MTU001",
        *["PFC002"] * 5,
        "NIC003",
    ]


# ---------------------------------------------------------------------------------------- github


def test_a_workflow_command_is_escaped() -> None:
    given = Command("error", "50%\r\nof, a:b", "MTU001 mtu", "a,b:c%\n.cfg", line=3)
    assert str(given) == (
        "::error file=a%2Cb%3Ac%25%0A.cfg,line=3,title=MTU001 mtu::50%25%0D%0Aof, a:b"
    )
    assert str(Command("notice", "x", "roce-lint")) == "::notice title=roce-lint::x"


def test_github_annotates_the_gravest_first() -> None:
    lines = render("github", report(CNP, PFC, MTU), OPTIONS).splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        *["::error"] * 3,
        *["::warning"] * 5,
        *["::notice"] * 2,
    ]
    assert "no source signature" in lines[0]  # that the answer is incomplete must not be cut


def many(number: int, like: Finding) -> list[Finding]:
    return [
        replace(
            like,
            fingerprint=f"{n:032x}",
            message=f"cause {n} of 100%, a:b ::error::x",
            occurrences=(Occurrence("leaf1", ("Et1",), (place("leaf1.cfg", n + 1, "mtu"),)),),
        )
        for n in range(number)
    ]


def test_github_shows_ten_of_a_level_and_keeps_the_rest_in_the_log() -> None:
    found = [*many(12, PFC), *many(25, MTU)]
    lines = render("github", report(*found, diagnostics=[]), OPTIONS).splitlines()
    shown = Counter(line.split(" ")[0] for line in lines if line.startswith("::"))
    assert shown == {
        "::error": 10,
        "::warning": 10,
        "::notice": 1,
        "::group::roce-lint:": 1,
        "::endgroup::": 1,
    }
    assert "::notice title=roce-lint::and 17 more (15 errors, 2 warnings): see the log of this step" in lines  # fmt: skip
    log = lines[lines.index("::group::roce-lint: more findings") + 1 : -1]
    assert len(log) == 17
    assert log[0].startswith("  configs/leaf1.cfg:11: error MTU001 mtu-too-small-for-class: ")
    assert "cause 10 of 100%, a:b : :error::x" in log[0]


def test_github_needs_no_log_for_ten() -> None:
    lines = render("github", report(*many(10, MTU), diagnostics=[]), OPTIONS).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10


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
