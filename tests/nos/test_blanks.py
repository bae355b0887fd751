"""Blanks and line ends that an editor or terminal adds have no effect: one model, and the same
findings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roce_lint.loading.identify import identify
from roce_lint.model.dump import dump
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.nos.test_cases import cases, inputs, read_case
from tests.sampling import sampled


def behind(step: int) -> Callable[[str], str]:
    """Append a blank, or a tab, to every `step`th line that does not continue in the next."""

    def changed(text: str) -> str:
        lines = text.split("\n")
        for number in range(0, len(lines) - 1, step):
            lines[number] += "" if lines[number].endswith("\\") else " \t"[number % 2]
        return "\n".join(lines)

    return changed


WAYS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blanks behind every line": behind(1),
    "blanks behind some lines": behind(3),
}


def values(item: Any) -> Any:
    """`dump` output without positions."""
    if isinstance(item, dict):
        return {key: values(value) for key, value in item.items() if key != "@"}
    if isinstance(item, list):
        plain = [each for each in item if not (isinstance(each, str) and each.startswith("@"))]
        return [values(each) for each in plain]
    return re.sub(r"(?<=:)\d+", "N", item) if isinstance(item, str) else item


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.parent.name}/{case.name}")
def test_blanks_say_nothing(case: Path) -> None:
    nos = all_nos()[case.parent.name]
    plain = values(dump(read_case(nos, case)[0]))
    for way, change in WAYS.items():
        found, _ = read_case(nos, case, lambda raw, change=change: change(raw.decode()).encode())
        assert values(dump(found)) == plain, way


@pytest.mark.parametrize("ends", ["\n", "\r\n", " \n"], ids=["LF", "CRLF", "blanks"])
def test_a_document_that_only_sets_is_recognised(ends: str) -> None:
    text = "set:\n  interface:\n    swp1:\n      type: swp\n".replace("\n", ends)
    assert identify("x.txt", text).nos == "cumulus"


def fingerprints(case: Path, copy: Path, behind: str) -> set[tuple[str, str]]:
    """Fingerprints of the findings about a case, with a suffix on each file's first line."""
    for path in inputs(case):
        target = copy / path.relative_to(case)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes().replace(b"\n", behind.encode(), 1))
    report = run(Request(paths=(str(copy),), jobs=1, cache=False), Settings())
    return {(finding.rule, finding.fingerprint) for finding in report.findings}


@pytest.mark.parametrize(
    "case",
    sampled(cases(), 3, lambda case: case.parent.name, name=lambda case: "/".join(case.parts[-2:])),
    ids=lambda case: f"{case.parent.name}/{case.name}",
)
def test_an_additional_line_changes_no_cause(case: Path, tmp_path: Path) -> None:
    """A baseline stays valid after lines are added above its findings."""
    plain = fingerprints(case, tmp_path / "plain" / case.name, "\n")
    assert fingerprints(case, tmp_path / "longer" / case.name, "\n\n") == plain


TWICE = """\
{
    "DEVICE_METADATA": {"localhost": {"hostname": "leaf1", "type": "ToRRouter"}},
    "PORT": {
        "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "mtu": "1500"}
    }
}
"""


def test_a_repeated_key_is_one_cause_at_any_place(tmp_path: Path) -> None:
    found = []
    for lines in ("\n", "\n\n\n"):
        path = tmp_path / "config_db.json"
        path.write_text(TWICE.replace("\n", lines, 1))
        report = run(Request(paths=(str(path),), jobs=1, cache=False), Settings())
        found += [f for f in report.findings if "comes again" in f.message]
    first, second = found
    assert [f.message.partition('"')[0] for f in found] == [
        "leaf1: config_db.json:4: ",
        "leaf1: config_db.json:6: ",
    ]
    assert first.fingerprint == second.fingerprint
