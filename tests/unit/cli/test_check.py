"""`roce-lint check`: the request to the pipeline, the output streams, and the exit status."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roce_lint.engine.baseline import baseline_text
from roce_lint.engine.finding import Diagnostic, Suppression, UnknownGroup
from roce_lint.errors import IntentError, LinksError, RulePageError, SettingsError, UsageError
from roce_lint.pipeline import Request
from roce_lint.pipeline.runner import Criteria, exit_status
from roce_lint.report import FORMATS, Options, render
from tests.unit.cli.conftest import Run
from tests.unit.report import sample
from tests.unit.report.sample import CNP, MTU, PFC, report

Asked = dict[str, Any]

SWITCH = """! device: leaf1 (DCS-7060X6-64PE, EOS-4.32.1F)
hostname leaf1
!
interface Ethernet1
   no switchport
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
"""
BROKEN = Diagnostic("x.bin", "unknown-format", "no idea")
REMARK = Diagnostic("x.bin", "encoding", "not UTF-8", incomplete=False)
UNKNOWN = UnknownGroup("BUF001", "cable length", "leaf1", ("Et1",))
WARNED = Suppression("waiver", "known")


def plain(*findings: Any, **changes: Any) -> Any:
    """A report with these findings only."""
    rest = {"unknowns": [], "diagnostics": [], "devices": [sample.device("leaf1")], "skipped": []}
    return replace(report(MTU), findings=list(findings), **{**rest, **changes})


# ----------------------------------------------------------------------------------- exit status


@pytest.mark.parametrize(
    ("made", "fail_on", "strict", "expected"),
    [
        (plain(), "error", False, 0),
        (plain(), "info", True, 0),
        (plain(MTU), "error", False, 1),
        (plain(PFC), "error", False, 0),
        (plain(PFC), "warning", False, 1),
        (plain(CNP), "warning", False, 0),
        (plain(CNP), "info", False, 1),
        (plain(MTU, PFC, CNP), "never", False, 0),
        (plain(replace(MTU, suppressed=WARNED)), "info", False, 0),
        (plain(diagnostics=[BROKEN]), "error", False, 3),
        (plain(diagnostics=[REMARK]), "error", True, 0),
        (plain(MTU, diagnostics=[BROKEN]), "error", False, 1),
        (plain(PFC, diagnostics=[BROKEN]), "error", False, 3),
        (plain(MTU, diagnostics=[BROKEN]), "never", False, 3),
        (plain(replace(MTU, rule="SRC900")), "info", False, 3),
        (plain(replace(MTU, rule="SRC901")), "info", False, 3),
        (plain(replace(MTU, rule="SRC900"), CNP), "info", False, 1),
        (plain(replace(MTU, rule="SRC900", suppressed=WARNED)), "error", False, 3),
        (plain(unknowns=[UNKNOWN]), "error", False, 0),
        (plain(unknowns=[UNKNOWN]), "error", True, 3),
        (plain(devices=[sample.device("leaf1", lines=True)]), "error", False, 0),
        (plain(devices=[sample.device("leaf1", lines=True)]), "error", True, 3),
        (plain(MTU, unknowns=[UNKNOWN]), "error", True, 1),
    ],
)
def test_the_exit_status(made: Any, fail_on: str, strict: bool, expected: int) -> None:
    assert exit_status(made, Criteria(fail_on=fail_on, strict=strict)) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--strict"], 3),
        (["--strict", "--fail-on", "warning"], 1),
    ],
)
def test_the_exit_status_of_the_command(
    run: Run, asked: Asked, args: list[str], expected: int
) -> None:
    asked["report"] = plain(PFC, unknowns=[UNKNOWN])
    assert run("check", "configs", *args).exit_code == expected


def test_the_settings_say_what_fails_and_the_command_line_goes_first(
    run: Run, asked: Asked, site: Path
) -> None:
    (site / "roce-lint.toml").write_text('fail-on = "warning"\n')
    asked["report"] = plain(PFC)
    assert run("check", "configs").exit_code == 1
    assert run("check", "configs", "--fail-on", "error").exit_code == 0


# ---------------------------------------------------------------------------------- what is asked


def test_everything_is_passed_on(run: Run, asked: Asked, site: Path) -> None:
    (site / "mine").mkdir()
    result = run(
        "check", "configs", ".", "--intent", "i.yaml", "--links", "l.csv", "--profile", "p",
        "--rules", "mine", "--select", "mtu,PFC001", "--select", "ECN", "--ignore", "NIC",
        "--device", "leaf*", "--device", "spine1", "--role", "leaf", "-j", "3", "--no-cache",
    )  # fmt: skip
    assert result.exit_code == 1
    assert asked["request"] == Request(
        paths=("configs", "."),
        links="l.csv",
        intent="i.yaml",
        profile="p",
        rules=("mine",),
        select=("MTU", "PFC001", "ECN"),
        ignore=("NIC",),
        device=("leaf*", "spine1"),
        role=("leaf",),
        jobs=3,
        cache=False,
        stdin=None,
        remedies=True,
    )


def test_nothing_given_means_this_folder(run: Run, asked: Asked) -> None:
    run("check")
    assert asked["request"] == Request(remedies=True)
    assert asked["settings"].path is None


def test_standard_input_is_read_byte_for_byte(run: Run, asked: Asked) -> None:
    run("check", "-", stdin=b"hostname leaf1\r\n\xff\n")
    assert asked["request"].paths == ("-",)
    assert asked["request"].stdin == "hostname leaf1\r\n\udcff\n"


def test_settings_fill_what_the_command_line_leaves_open(
    run: Run, asked: Asked, site: Path
) -> None:
    text = 'select = ["MTU"]\nignore = ["MTU009"]\nprofile = "p"\n'
    (site / "roce-lint.toml").write_text(text)
    run("check", "configs")
    request, settings = asked["request"], asked["settings"]
    assert (settings.select, settings.ignore, settings.profile) == (("MTU",), ("MTU009",), "p")
    assert (request.select, request.ignore, request.profile) == ((), (), None)
    run("check", "configs", "--select", "PFC", "--ignore", "ECN", "--profile", "q")
    request = asked["request"]
    assert (request.select, request.ignore, request.profile) == (("PFC",), ("ECN",), "q")


def test_named_settings_are_read_instead_of_found_ones(run: Run, asked: Asked, site: Path) -> None:
    (site / "roce-lint.toml").write_text("broken")
    (site / "other.toml").write_text('profile = "q"\n')
    run("check", "configs", "--config", "other.toml")
    assert asked["settings"].profile == "q"


# -------------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere"], "no such file or folder: nowhere"),
        (["configs", "--rules", "nowhere"], "--rules nowhere: no such folder"),
        (["configs", "--config", "no.toml"], "no.toml: no such file"),
        (["configs", "--select", "mtu-x"], "--select: 'mtu-x' is not a rule id or prefix (such as MTU001, MTU or PFC0)"),
        (["configs", "--ignore", "M1"], "--ignore: 'M1' is not a rule id or prefix (such as MTU001, MTU or PFC0)"),
        (["configs", "--output", "json"], "--output expects FORMAT=FILE such as html=report.html, got 'json'"),
        (["configs", "--output", "xml=x"], f"--output xml=x: unknown format 'xml' ({', '.join(FORMATS)})"),
        (["configs", "--output", "json=-"], "--output json=-: for standard output use --format json"),
        (["configs", "--output", "json=a/b.json"], "--output json=a/b.json: no such folder: a"),
        (["configs", "--output", "json=configs"], "--output json=configs: is a folder"),
        (
            ["configs", "--output", "json=x", "--output", "sarif=./x"],
            "--output sarif=./x: two reports cannot go into one file",
        ),
        (["configs", "--baseline", "no.json"], "no.json: No such file or directory"),
        (["configs", "--fail-on", "fatal"], "Invalid value for '--fail-on': 'fatal' is not one of 'error', 'warning', 'info', 'never'. (see roce-lint check --help)"),
        (["configs", "-j", "0"], "Invalid value for '-j' / '--jobs': 0 is not in the range x>=1. (see roce-lint check --help)"),
    ],
)  # fmt: skip
def test_wrong_use(run: Run, asked: Asked, args: list[str], message: str) -> None:
    result = run("check", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"roce-lint: {message}\n"
    assert "request" not in asked


def test_an_option_that_is_none(run: Run, asked: Asked) -> None:
    result = run("check", "configs", "--bassline", "x")
    assert result.exit_code == 2
    assert result.stderr.startswith("roce-lint: No such option")
    assert result.stderr.endswith("(see roce-lint check --help)\n")


@pytest.mark.parametrize(
    "kind", [UsageError, SettingsError, IntentError, LinksError, RulePageError]
)
def test_what_the_caller_must_mend(run: Run, asked: Asked, kind: Any) -> None:
    asked["error"] = kind("is wrong", location="f.yaml:3", hint="mend it")
    result = run("check", "configs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "roce-lint: f.yaml:3: is wrong (mend it)\n"


def test_wrong_settings(run: Run, asked: Asked, site: Path) -> None:
    (site / "roce-lint.toml").write_text("\nselekt = []\n")
    result = run("check", "configs")
    assert result.exit_code == 2
    assert result.stderr == (
        "roce-lint: roce-lint.toml:2: unknown key 'selekt' (did you mean 'select'?)\n"
    )


def test_an_interrupt(run: Run, asked: Asked) -> None:
    asked["error"] = KeyboardInterrupt()
    assert run("check", "configs").exit_code == 130


# ------------------------------------------------------------------------------- what goes where


def test_findings_go_to_standard_output_and_all_else_to_standard_error(
    run: Run, asked: Asked
) -> None:
    result = run("check", "configs")
    assert result.stdout.splitlines()[0] == (
        "configs/leaf1.cfg:455: error MTU001 mtu-too-small-for-class"
    )
    assert result.stdout.splitlines()[-1].startswith("    snap.tar.gz!spine1/config_db.json:812")
    assert result.stderr.splitlines()[0] == "RoCE DSCP 26: set on 2 hosts"
    assert result.stderr.splitlines()[-1].startswith("NOT READY: 48 of 56 NIC pairs broken")
    assert "Details and fix: roce-lint explain MTU001\n" in result.stderr
    assert "configs/x.bin:3: unknown-format: no source signature scores" in result.stderr


def test_quiet_gives_findings_only(run: Run, asked: Asked) -> None:
    loud = run("check", "configs")
    quiet = run("check", "configs", "-q")
    assert quiet.stdout == loud.stdout
    assert quiet.stderr == "roce-lint: incomplete; run without -q for the reasons\n"
    asked["report"] = plain(MTU)
    assert run("check", "configs", "-q").stderr == ""


def test_no_findings_means_nothing_on_standard_output(run: Run, asked: Asked) -> None:
    asked["report"] = plain()
    assert run("check", "configs").stdout == ""


def test_verbose_shows_tracebacks_and_what_is_suppressed(run: Run, asked: Asked) -> None:
    result = run("check", "configs", "-v")
    assert "        Traceback:\n          x\n" in result.stderr
    assert "suppressed by waiver until 2027-03-31: replaced in spring" in result.stdout
    assert "Traceback" not in run("check", "configs").stderr


@pytest.mark.parametrize("name", ["json", "sarif", "gitlab"])
def test_a_machine_format_is_alone_on_standard_output(run: Run, asked: Asked, name: str) -> None:
    result = run("check", "configs", "--format", name)
    json.loads(result.stdout)
    assert "1 error, 1 warning, 1 info, 1 suppressed in 9 devices" in result.stderr


def test_concise_says_elsewhere_what_it_leaves_out(run: Run, asked: Asked) -> None:
    result = run("check", "configs", "--format", "concise", "--max-findings", "1")
    assert len(result.stdout.splitlines()) == 1
    assert "2 more findings not shown (1 warning, 1 info)\n" in result.stderr


def test_max_findings_does_not_change_the_status(run: Run, asked: Asked) -> None:
    asked["report"] = plain(MTU, PFC)
    args = ("check", "configs", "--max-findings", "1", "--fail-on", "warning")
    assert run(*args).exit_code == 1


def test_unknowns_are_listed_on_demand(run: Run, asked: Asked) -> None:
    line = "leaf1: unknown BUF001: cable length [leaf1 Ethernet1]\n"
    assert line in run("check", "configs", "--show-unknown").stdout
    assert line not in run("check", "configs").stdout


def test_grouping(run: Run, asked: Asked) -> None:
    lines = run("check", "configs", "--group-by", "device").stdout.splitlines()
    assert lines[0] == "leaf1 (leaf): 1 finding on Ethernet1/64"


def test_one_run_writes_several_reports(run: Run, asked: Asked, site: Path) -> None:
    outputs = [f"--output={name}=out.{name}" for name in FORMATS]
    result = run("check", "configs", *outputs)
    page = (site / "out.html").read_text()
    command = shlex.join(["roce-lint", "check", "configs", *outputs])
    options = Options(cwd=str(site), provenance=(("command", command),))
    assert page == render("html", asked["report"], options)
    for name in (name for name in FORMATS if name != "html"):
        kept = Path(__file__).parents[1] / "report" / "golden"
        names = {"text": "text.txt", "junit": "report.xml", "sarif": "report.sarif", "json": "report.json", "gitlab": "report.gitlab.json", "jsonl": "report.jsonl", "csv": "report.csv"}  # fmt: skip
        golden = kept / names.get(name, f"report.{name}.txt")
        assert (site / f"out.{name}").read_text() == golden.read_text(), name
    assert result.stdout.startswith("configs/leaf1.cfg:455: error")


def test_a_report_that_cannot_be_written(run: Run, asked: Asked) -> None:
    result = run("check", "configs", "--output", "json=/dev/full", "--output", "sarif=a.sarif")
    assert result.exit_code == 1  # there are findings; without them it would be 3
    assert result.stderr.endswith(
        "\nroce-lint: /dev/full: cannot be written: No space left on device\n"
    )
    assert Path("a.sarif").is_file()  # nor are the other reports
    assert result.stdout.startswith("configs/leaf1.cfg:455: error")  # the answer is not lost


@pytest.mark.parametrize("option", ["--output=json=gone/x", "--write-baseline=gone/x"])
def test_a_wrong_folder_is_told_before_anything_is_judged(
    run: Run, asked: Asked, option: str
) -> None:
    result = run("check", "configs", option)
    said = f"roce-lint: {option.replace('=', ' ', 1)}: no such folder: gone\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)
    assert "request" not in asked


def test_two_names_of_one_file_are_one_file(run: Run, asked: Asked, site: Path) -> None:
    (site / "link").symlink_to("a.json")
    result = run("check", "configs", "--output", "json=a.json", "--output", "sarif=link")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "two reports cannot go into one file" in result.stderr


def test_a_device_that_is_not_there_is_wrong_use(run: Run, site: Path) -> None:
    (site / "configs" / "leaf1.cfg").write_text(SWITCH)
    for words, said in (
        (("--device", "leef1"), "--device leef1: no device matches (did you mean leaf1?)"),
        (("--device", "leaf1", "--device", "x*"), "--device x*: no device matches"),
        (("--role", "spine"), "--role spine: no device has this role"),
    ):
        result = run("check", "configs", "--no-cache", *words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"roce-lint: {said}")
    assert run("check", "configs", "--no-cache", "--device", "leaf*").exit_code == 0


def test_only_what_was_asked_for_is_in_the_report(run: Run, site: Path) -> None:
    for name in ("leaf1", "leaf2"):
        (site / "configs" / f"{name}.cfg").write_text(SWITCH.replace("leaf1", name))
    every = json.loads(run("check", "configs", "--no-cache", "--format", "json").stdout)
    assert [device["name"] for device in every["devices"]] == ["leaf1", "leaf2"]
    words = ("--device", "leaf2", "--format", "json")
    one = json.loads(run("check", "configs", "--no-cache", *words).stdout)
    assert [device["name"] for device in one["devices"]] == ["leaf2"]
    assert {entry["device"] for entry in every["unknowns"]} == {"leaf1", "leaf2"}
    assert {entry["device"] for entry in one["unknowns"]} == {"leaf2"}
    assert one["summary"]["devices"] == 1
    assert one["summary"]["judged_ports"] * 2 == every["summary"]["judged_ports"] == 2


def test_a_selection_of_nothing_is_wrong_use(run: Run, site: Path) -> None:
    result = run("check", "configs", "--select", "MTU001", "--ignore", "MTU")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "leave no rule to check" in result.stderr


# -------------------------------------------------------------------------- waivers and baselines

WAIVER = '[[waiver]]\nrule = "MTU"\nreason = "lab"\nexpires = 2027-01-31\n'


def test_a_waiver_counts_until_its_day(run: Run, asked: Asked, site: Path) -> None:
    (site / "roce-lint.toml").write_text(WAIVER)
    asked["report"] = plain(MTU)
    held = run("check", "configs", "--today", "2027-01-31")
    assert (held.exit_code, held.stdout) == (0, "")
    assert "0 errors, 0 warnings, 0 info, 1 suppressed" in held.stderr
    asked["report"] = plain(MTU)
    over = run("check", "configs", "--today", "2027-02-01")
    assert over.exit_code == 1
    assert "roce-lint.toml:1: waiver: waiver of MTU for * expired on 2027-01-31\n" in over.stderr


def test_an_unused_waiver_is_told_unless_only_a_part_was_judged(
    run: Run, asked: Asked, site: Path
) -> None:
    (site / "roce-lint.toml").write_text(WAIVER)
    told = "roce-lint.toml:1: waiver: waiver of MTU for * covers no finding\n"
    args = ("check", "configs", "--today", "2027-01-01")
    for more, expected in (((), True), (("--select", "MTU"), False), (("--device", "x"), False)):
        asked["report"] = plain(PFC)
        result = run(*args, *more)
        assert result.exit_code == 0
        assert (told in result.stderr) is expected


def test_a_baseline_is_written_and_then_known(run: Run, asked: Asked, site: Path) -> None:
    asked["report"] = plain(MTU, PFC)
    assert run("check", "configs", "--write-baseline", "known.json").exit_code == 1
    assert (site / "known.json").read_text() == baseline_text([MTU, PFC])
    asked["report"] = plain(MTU, CNP)
    result = run("check", "configs", "--baseline", "known.json", "--format", "json")
    assert result.exit_code == 0
    marks = [finding["suppressed"] for finding in json.loads(result.stdout)["findings"]]
    assert marks == [{"by": "baseline", "reason": "known: known.json", "expires": None}, None]
    assert (
        "known.json: baseline: 1 entry matches no finding any more: refresh "
        "the baseline with --write-baseline\n" in result.stderr
    )
