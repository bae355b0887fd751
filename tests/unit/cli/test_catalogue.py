"""`roce-lint explain` and `roce-lint rules`, over pages made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roce_lint.cli import explain
from roce_lint.cli.rules import all_pages
from roce_lint.engine.page import load_pages
from roce_lint.report.wording import system_of
from tests.conftest import ROOT
from tests.unit.cli.conftest import Run
from tests.unit.report.sample import MTU001, NIC003, PAGE, PFC002


@pytest.fixture(autouse=True)
def _pages(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("explain", "rules"):
        monkeypatch.setattr(
            f"roce_lint.cli.{module}.all_pages", lambda folders: [MTU001, NIC003, PFC002]
        )


@pytest.mark.parametrize("name", ["MTU001", "mtu001", " MTU-too-small-for-class "])
def test_explain_by_id_or_name(run: Run, name: str) -> None:
    result = run("explain", name, "--examples")
    assert result.exit_code == 0
    assert result.stdout == (
        "MTU001 mtu-too-small-for-class (error, stable since 0.1.0)\n\n" + MTU001.body
    )
    assert MTU001.body.startswith("# A hop carries less than is sent\n\n## What is wrong\n")


def test_explain_lists_a_family(run: Run) -> None:
    result = run("explain", "pfc")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["PFC002"]


def test_explain_knows_a_name_that_a_rule_had() -> None:
    pages = load_pages([ROOT / "rules" / "links"])
    assert explain.find("planned-link-without-port", pages).id == "LNK004"


@pytest.mark.parametrize(
    ("rule", "field", "words"),
    [
        ("LNK008", "decision", "needs a decision: which value is right"),
        ("LNK001", "cabling", "needs cabling or hardware"),
        ("LNK002", ["interfaces.speed_gbps", "interfaces.lanes", "interfaces.fec"],
         "interfaces.speed_gbps, interfaces.lanes, interfaces.fec"),
    ],
)  # fmt: skip
def test_a_rule_names_what_fixes_it(
    run: Run, monkeypatch: pytest.MonkeyPatch, rule: str, field: object, words: str
) -> None:
    for module in ("explain", "rules"):
        links = load_pages([ROOT / "rules" / "links"])
        monkeypatch.setattr(f"roce_lint.cli.{module}.all_pages", lambda folders, p=links: p)
    for more in ((), ("--nos", "eos")):
        assert f")\n\nFixed by: {words}\n\n# " in run("explain", rule, *more).stdout
    entries = json.loads(run("rules", "--format", "json").stdout)["rules"]
    assert [entry["fixed_by"] for entry in entries if entry["id"] == rule] == [field]


def test_the_fix_on_one_system(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [each for each in load_pages([ROOT / "rules"]) if each.id == "CLS008"]
    monkeypatch.setattr("roce_lint.cli.explain.all_pages", lambda folders: pages)
    for nos, shown, hidden in (("eos", "- EOS: ", "- NX-OS: "), ("NXOS", "- NX-OS: ", "- EOS: ")):
        text = run("explain", "CLS008", "--nos", nos).stdout
        assert "\n\nRemove the policer from the class.\n\n" in text
        assert shown in text
        assert hidden not in text
        assert "\n\nTo limit RoCE, use the share of its queue.\n" in text
        assert "- A host: " in text
    assert run("explain", "CLS008", "--nos", "iosxe").exit_code == 2


@pytest.mark.parametrize(
    ("item", "nos"),
    [
        ("- NX-OS, queues: `x`", "nxos"),
        ("- SONiC: `x`", "sonic"),
        ("- Enterprise SONiC: `x`", "esonic"),
        ("- Linux, NVIDIA NICs: `x`", "linux"),
        ("- SR Linux: `x`", "srlinux"),
        ("- A host: `x`", ""),
        ("NX-OS: `x`", ""),
    ],
)
def test_the_system_of_an_item(item: str, nos: str) -> None:
    assert system_of(item) == nos


def test_examples_are_printed_when_they_are_wanted(run: Run) -> None:
    example = MTU001.section("Example")
    assert "## Example\n--examples prints them.\n" in run("explain", "MTU001").stdout
    assert example
    assert run("explain", "MTU001", "--examples").stdout.count(example) == 1


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("MTU002", "did you mean MTU001 mtu-too-small-for-class"),
        ("pause-not-honored", "did you mean PFC002 pause-not-honoured?"),
        ("xyzzy", "`roce-lint rules` lists all"),
    ],
)
def test_explain_suggests(run: Run, name: str, hint: str) -> None:
    result = run("explain", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"roce-lint: unknown rule {name!r} ({hint}")


def test_explain_on_a_terminal_is_painted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain.output, "is_terminal", lambda stream: True)
    painted = run("explain", "MTU001").stdout
    assert "\x1b[1mMTU001 mtu-too-small-for-class (error, stable since 0.1.0)\x1b[0m" in painted
    assert "## What is wrong" not in painted
    assert "What is wrong" in painted


def test_examples_say_what_their_fences_hide() -> None:
    page = "x\n```eos bad file=leaf1.cfg expect=5,9 case=a\nmtu 1\n```\n````json good file=a.json\n````\n```nccl bad file=n.conf\n```\n```text\n```\n"
    assert explain.add_captions(page) == (
        "x\n`leaf1.cfg` (wrong, line 5, 9):\n\n```eos\nmtu 1\n```\n"
        "`a.json` (right):\n\n````json\n````\n`n.conf` (part of the same example):\n\n```nccl\n```\n```text\n```\n"
    )


def test_rules_as_text(run: Run) -> None:
    assert run("rules").stdout == (
        "MTU001  error    mtu-too-small-for-class  A hop carries less than is sent\n"
        "NIC003  info     cnp-priority-default     CNP leaves with the default priority\n"
        "PFC002  warning  pause-not-honoured       A port does not obey pause\n"
    )


def test_rules_as_json(run: Run) -> None:
    data = json.loads(run("rules", "--format", "json").stdout)
    assert data["schema"] == "roce-lint/rules/1"
    assert data["rules"][0] == {
        "id": "MTU001",
        "name": "mtu-too-small-for-class",
        "title": "A hop carries less than is sent",
        "family": "MTU",
        "severity": "error",
        "stage": "stable",
        "since": "0.1.0",
        "check": "mtu.some_check",
        "covers": [],
        "fixed_by": [],
        "params": {},
    }
    assert [rule["id"] for rule in data["rules"]] == ["MTU001", "NIC003", "PFC002"]


def test_pages_of_a_site_are_added(site: Path) -> None:
    (site / "mine").mkdir()
    head = {"id": "XYZ999", "name": "own-rule", "severity": "info", "check": "own.rule"}
    text = PAGE.format(**head, title="Our own")
    (site / "mine" / "XYZ999-own-rule.md").write_text(text)
    pages = all_pages(("mine",))
    assert [page.title for page in pages if page.id == "XYZ999"] == ["Our own"]


def test_a_folder_that_does_not_exist(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roce_lint.cli.rules.all_pages", all_pages)
    result = run("rules", "--rules", "nowhere")
    assert (result.exit_code, result.stderr) == (
        2,
        "roce-lint: --rules nowhere: no such folder\n",
    )
