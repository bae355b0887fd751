"""The pages in docs/custom-rules.md work as they stand there, from a folder named with --rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roce_lint.engine.page import RulePage, parse_page
from roce_lint.errors import RulePageError, SettingsError
from roce_lint.pipeline import Report, Request, run
from roce_lint.pipeline.inputs import load_rules
from roce_lint.settings import RuleSettings, Settings
from tests.conftest import ROOT
from tests.rules.examples import causes, describe, examples_of

GUIDE = ROOT / "docs" / "custom-rules.md"

_PAGE = re.compile(
    r"^`our-rules/(?P<name>\S+\.md)`:\n\n`{5}markdown\n(?P<text>.*?)^`{5}$",
    re.MULTILINE | re.DOTALL,
)


def guide() -> dict[str, str]:
    """The pages of the guide by file name."""
    return {match["name"]: match["text"] for match in _PAGE.finditer(GUIDE.read_text("utf-8"))}


def page(name: str) -> RulePage:
    return parse_page(guide()[name], name)


NAMES = sorted(guide())


def judge(
    folder: Path, name: str, word: str, *, settings: Settings | None = None,
    edit: Callable[[str], str] = str,
) -> Report:  # fmt: skip
    """Judge the example of a page with that page."""
    rules = folder / "our-rules"
    rules.mkdir()
    (rules / name).write_text(edit(guide()[name]))
    configs = folder / "configs"
    next(e for e in examples_of(page(name)) if e.word == word).write(configs)
    request = Request((str(configs),), rules=(str(rules),), jobs=1, cache=False)
    return run(request, settings or Settings())


def test_there_are_three() -> None:
    assert NAMES == [
        "SIT001-roce-outside-priority-3.md",
        "SIT002-small-host-port.md",
        "SIT003-other-priorities-paused.md",
    ]
    assert [f"{page(name).id}-{page(name).head.name}.md" for name in NAMES] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_bad_example_is_found(name: str, tmp_path: Path) -> None:
    report = judge(tmp_path, name, "bad")
    expected = next(e for e in examples_of(page(name)) if e.word == "bad").expectations
    assert len(expected) == 1
    assert causes(report.findings, page(name).id) == expected, describe(report.findings)
    assert {f.severity.label for f in report.findings if f.rule == page(name).id} == {
        page(name).head.severity
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_fixed_example_is_clean(name: str, tmp_path: Path) -> None:
    report = judge(tmp_path, name, "fixed")
    assert report.judged_ports > 0
    assert [f for f in report.findings if f.rule == page(name).id] == []
    assert [u for u in report.unknowns if u.rule == page(name).id] == []


MESSAGES = {
    "SIT001-roce-outside-priority-3.md":
        "leaf1 Ethernet1 maps DSCP 26 to PFC priority 4, site standard is 3",
    "SIT002-small-host-port.md":
        "leaf1 Ethernet1/1: MTU 4200, site standard is 9000",
    "SIT003-other-priorities-paused.md":
        "leaf1 Ethernet0 sends PFC for priority 3-5, site standard is priority 3-4",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_message_names_both(name: str, tmp_path: Path) -> None:
    report = judge(tmp_path, name, "bad")
    assert [f.message for f in report.findings if f.rule == page(name).id] == [MESSAGES[name]]


PARAMS = [
    ("SIT001", "{dscp: 26, traffic_class: 4}", None),
    ("SIT001", "{dscp: 26, traffic_class: 3}", "maps DSCP 26 to traffic class 4, site standard is 3"),
    ("SIT001", "{dscp: 26, queue: 4}", None),
    ("SIT001", "{dscp: 26, queue: 3}", "maps DSCP 26 to queue 4, site standard is 3"),
    ("SIT001", "{dscp: 26, lossless: true}", None),
    ("SIT001", "{dscp: 26, lossless: false}",
     "maps DSCP 26 to traffic class 4, which is lossless; site standard is lossy"),
    ("SIT001", "{dscp: 24, lossless: false}", None),
    ("SIT001", "{dscp: 24, pfc_priority: 1}",
     "maps DSCP 24 to traffic class 1, which is lossy; site standard is lossless"),
    ("SIT001", "{dscp: 26, pfc_priority: 3, facing: switch}", None),
    ("SIT002", "{bytes: 4200}", None),
    ("SIT002", "{bytes: 4201}", "MTU 4200, site standard is 4201"),
    ("SIT002", "{bytes: 9000, facing: switch}", None),
    ("SIT003", "{priorities: [5, 4, 3]}", None),
    ("SIT003", "{priorities: []}", "sends PFC for priority 3-5, site standard is no priority"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "params", "message"), PARAMS)
def test_parameters(rule: str, params: str, message: str | None, tmp_path: Path) -> None:
    name = next(name for name in NAMES if name.startswith(rule))
    report = judge(
        tmp_path, name, "bad", edit=lambda text: re.sub("params: .*", f"params: {params}", text)
    )
    found = [f.message.split(" ", 2)[2] for f in report.findings if f.rule == rule]
    assert found == ([message] if message else [])


@pytest.mark.parametrize(
    ("rule", "params", "says"),
    [
        ("SIT001", "{dscp: 26}", "name one of lossless, pfc_priority, traffic_class, queue"),
        ("SIT001", "{dscp: 64, lossless: true}", "less than or equal to 63"),
        ("SIT002", "{bytes: 9000, facing: moon}", "'any', 'host' or 'switch'"),
        ("SIT002", "{bites: 9000}", "parameters of SIT002: bytes: Field required"),
        ("SIT003", "{priorities: [8]}", "priorities are 0 to 7"),
    ],
)
def test_wrong_parameters_are_refused(rule: str, params: str, says: str, tmp_path: Path) -> None:
    name = next(name for name in NAMES if name.startswith(rule))
    with pytest.raises(RulePageError, match=re.escape(says)):
        judge(
            tmp_path, name, "bad", edit=lambda text: re.sub("params: .*", f"params: {params}", text)
        )


def test_settings_override_parameters(tmp_path: Path) -> None:
    settings = Settings(rules={"SIT002": RuleSettings(params={"bytes": 4200})})
    report = judge(tmp_path, "SIT002-small-host-port.md", "bad", settings=settings)
    assert [f for f in report.findings if f.rule == "SIT002"] == []


def test_settings_with_wrong_parameters_are_refused(tmp_path: Path) -> None:
    settings = Settings(rules={"SIT002": RuleSettings(params={"bytes": "many"})})
    with pytest.raises(SettingsError, match="parameters of SIT002: bytes: "):
        judge(tmp_path, "SIT002-small-host-port.md", "bad", settings=settings)


def test_the_guide_lists_every_check_of_a_site() -> None:
    load_rules(Request(), Settings())
    from roce_lint.engine.registry import CHECKS  # noqa: PLC0415  (filled by then)

    listed = set(re.findall(r"^\| `([a-z.]+[a-z_]+)` \|", GUIDE.read_text("utf-8"), re.MULTILINE))
    assert listed == {
        name
        for name, check in CHECKS.items()
        if check.function.__module__.startswith("roce_lint.checks.site")
    }
