"""A hostile pull request: what lies beside the configurations cannot switch its own gate off unseen."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roce_lint.cli.main import cli
from roce_lint.report import FORMATS
from tests.conftest import ROOT

BROKEN = ROOT / "sample_configs" / "broken-fabric"
SETTINGS = """\
fail-on = "never"
ignore = ["MTU", "PFC"]
profile = "mild"
help-url = "https://elsewhere.example/{id}"

[rules.CLS002]
severity = "info"

[files."leaf1*"]
ignore = true

[roles]
leaf2 = "other"

[catalog]
profiles = ["own"]

[limits]
device-seconds = 1

[[waiver]]
rule = "CLS"
reason = "because"
"""
TOLD = (
    'fail-on = "never"',
    "ignore = MTU, PFC",
    "CLS002 counts as info (default error)",
    "1 waiver (CLS)",
    "files are not read: leaf1*",
    "roles are set: leaf2",
    "profile = 'mild'",
    "folders of profiles or hardware: own",
    "limits are set: device_seconds",
)
MILD = 'name = "mild"\n'

pytestmark = pytest.mark.usefixtures("cached")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A part of the broken sample with everything beside it that could make its verdict milder."""
    folder = tmp_path / "pr"
    for name in ("hosts/gpu01", "hosts/gpu03"):
        shutil.copytree(BROKEN / name, folder / name)
    (folder / "switches").mkdir()
    for name in ("leaf1", "leaf2", "spine2"):
        shutil.copy(BROKEN / "switches" / f"{name}.cfg", folder / "switches")
    (folder / "roce-lint.toml").write_text(SETTINGS)
    (folder / "links.yaml").write_text("- this is no plan\n")
    (folder / "own").mkdir()
    (folder / "own" / "mild.toml").write_text(MILD)
    with tarfile.open(folder / "more.tar", "w") as archive:
        archive.add(folder / "roce-lint.toml", "roce-lint.toml")
    (folder / "::error::name##[x].cfg").write_text("hostname ##vso[task.x]y\n")
    (folder / "out.cfg").symlink_to("/etc/passwd")
    return folder


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["check", *map(str, args)], prog_name="roce-lint")


def test_isolated_the_errors_are_found(tree: Path) -> None:
    done = run(tree, "--isolated")
    assert done.exit_code == 1
    assert "weakened-by" not in done.output
    assert "MTU001" in done.stdout
    assert "PFC001" in done.stdout


def test_without_it_the_weakening_is_told_on_its_lines(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    done = run(tree)
    assert done.exit_code in (0, 3)
    for text in TOLD:
        assert f"weakened-by: {text}" in done.stderr
    assert "roce-lint.toml:1: weakened-by: fail-on" in done.stderr
    assert "roce-lint: check weakened by the checked files" in run(tree, "-q").stderr


def test_every_format_tells_it(tree: Path, tmp_path: Path) -> None:
    (tree / "links.yaml").unlink()
    run(tree, *(word for name in FORMATS for word in ("--output", f"{name}={tmp_path / name}")))
    texts = {name: (tmp_path / name).read_text() for name in FORMATS}
    for told in ("weakened-by", "limits are set"):
        assert [name for name, text in texts.items() if told not in text] == []


ENDS = ("--from", "gpu01", "--to", "gpu03")
COMMANDS = {
    "show": ("show",),
    "show --port": ("show", "--port", "Ethernet1/1", "--device", "leaf2"),
    "trace": ("trace", *ENDS),
    "whatif": ("whatif", "--set", "leaf2:* ip_mtu=1500"),
    "diff": ("diff", str(ROOT / "sample_configs" / "clean-fabric")),
    "diff --findings": ("diff", "--findings", str(ROOT / "sample_configs" / "clean-fabric")),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_tells_it_and_none_isolated(tree: Path, name: str) -> None:
    (tree / "links.yaml").unlink()
    settings = tree / "roce-lint.toml"
    settings.write_text(SETTINGS.replace('[files."leaf1*"]\nignore = true\n', ""))
    words = [*COMMANDS[name], str(tree)]
    plain, isolated, data = (
        CliRunner().invoke(cli, [*words, *more], prog_name="roce-lint")
        for more in ((), ("--isolated",), ("--format", "json"))
    )
    expected = "weakened-by: roles are set: leaf2"
    assert expected in plain.stderr
    assert "weakened-by" not in isolated.output
    assert expected in data.stderr
    found = json.loads(data.stdout)
    told = found["diagnostics"] if name.startswith("diff") else found["weakened_by"]
    assert "roles are set: leaf2" in {item["message"] for item in told}
    assert ("fail-on" in plain.stderr) == (name == "whatif")


def test_a_comparison_in_markdown_tells_it(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    words = ("diff", "--format", "markdown", ROOT / "sample_configs/clean-fabric")
    done = CliRunner().invoke(cli, [*map(str, words), str(tree)], prog_name="roce-lint")
    assert "weakened-by: roles are set: leaf2" in done.stdout


def test_a_comment_that_accepts_is_told_and_can_be_left_out(tree: Path) -> None:
    for name in ("roce-lint.toml", "links.yaml"):
        (tree / name).unlink()
    leaf = tree / "switches" / "leaf2.cfg"
    lines = leaf.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip() == "mtu 1500")
    lines.insert(at, "  ! roce-lint: ignore MTU -- never mind")
    leaf.write_text("\n".join(lines) + "\n")
    told, isolated = run(tree), run(tree, "--isolated")
    assert "weakened-by: comments in configurations: 1 finding accepted" in told.stderr
    assert "weakened-by" not in isolated.stderr
    assert isolated.stdout.count("MTU001") > told.stdout.count("MTU001")


def test_what_the_command_line_says_is_no_weakening_by_the_tree(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    done = run(tree, "--fail-on", "error", "--ignore", "TOP")
    assert "weakened-by: fail-on" not in done.stderr
    assert "weakened-by: ignore" not in done.stderr


def test_a_baseline_of_the_tree_is_told(tree: Path, tmp_path: Path) -> None:
    for name in ("roce-lint.toml", "links.yaml"):
        (tree / name).unlink()
    run(tree, "--write-baseline", tree / "known.json")
    shutil.copy(tree / "known.json", tmp_path / "known.json")
    assert (
        "weakened-by: a baseline in the checked tree"
        in run(tree, "--baseline", tree / "known.json").stderr
    )
    assert "weakened-by" not in run(tree, "--baseline", tmp_path / "known.json").stderr


def test_trusted_settings_are_the_only_ones(tree: Path, tmp_path: Path) -> None:
    trusted = tmp_path / "trusted.toml"
    trusted.write_text('ignore = ["TOP"]\n')
    done = run(tree, "--trusted-config", trusted)
    assert done.exit_code == 1
    assert "weakened-by" not in done.output
    assert "TOP" not in done.stdout


def test_trusted_settings_do_not_lie_in_the_tree(tree: Path) -> None:
    done = run(tree, "--trusted-config", tree / "roce-lint.toml")
    assert isinstance(done.exception, Exception) or done.exit_code == 2
    assert "is inside the checked folder" in str(done.exception) + done.output


def test_settings_of_the_tree_that_are_named_are_told_all_the_same(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    assert "weakened-by: fail-on" in run(tree, "--config", tree / "roce-lint.toml").stderr


@pytest.mark.parametrize("kind", ["profiles", "hardware"])
@pytest.mark.parametrize(
    ("named", "said"),
    [("../site", "is not below this file"), ("linked", "is not below this file")],
)
def test_found_settings_name_folders_below_them_only(
    tree: Path, tmp_path: Path, kind: str, named: str, said: str
) -> None:
    (tmp_path / "site").mkdir()
    (tree / "linked").symlink_to(tmp_path / "site")
    (tree / "links.yaml").unlink()
    (tree / "roce-lint.toml").write_text(f'[catalog]\n{kind} = ["{named}"]\n')
    done = run(tree)
    assert said in str(done.exception) + done.output
    outside = tmp_path / "outside.toml"
    outside.write_text(f'[catalog]\n{kind} = ["{tmp_path / "site"}"]\n')
    assert said not in str(run(tree, "--config", outside).exception)


@pytest.mark.parametrize("kind", ["profiles", "hardware"])
def test_only_regular_files_of_a_folder_are_read(tree: Path, kind: str) -> None:
    (tree / "links.yaml").unlink()
    (tree / "own" / "zero.toml").symlink_to("/dev/zero")
    os.mkfifo(tree / "own" / "pipe.toml")
    (tree / "roce-lint.toml").write_text(f'profile = "zero"\n[catalog]\n{kind} = ["own"]\n')
    if kind == "hardware":
        (tree / "own" / "mild.toml").unlink()
        (tree / "roce-lint.toml").write_text('[catalog]\nhardware = ["own"]\n')
    done = run(tree)
    assert "is not a regular file" in str(done.exception) + done.output


def test_a_profile_is_no_larger_than_a_person_writes(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    (tree / "own" / "mild.toml").write_text("#" * (2 << 20))
    done = run(tree)
    assert "is larger than 1 MiB" in str(done.exception) + done.output


def test_rule_pages_are_regular_files(tree: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "zero.md").symlink_to("/dev/zero")
    done = run(tree, "--isolated", "--rules", pages)
    assert "is not a regular file" in str(done.exception) + done.output


def test_fix_tells_it_and_not_isolated(tree: Path) -> None:
    (tree / "links.yaml").unlink()
    (tree / "roce-lint.toml").write_text('fail-on = "never"\n')
    plain, isolated = (
        CliRunner().invoke(
            cli, ["fix", str(tree), "--select", "MTU003", *more],
            prog_name="roce-lint",
        )
        for more in ((), ("--isolated",))
    )  # fmt: skip
    assert "roce-lint.toml: weakened-by: fail-on" in plain.stderr
    assert "weakened-by" not in isolated.output
    assert isolated.exit_code == 1


def test_a_cable_plan_of_the_tree_is_named(tmp_path: Path) -> None:
    """It is not used, and the missing links name the option that would use it."""
    head = "! device: {0} (DCS-7060X6-64PE, EOS-4.33.1F)\nhostname {0}\n!\n"
    body = (
        "qos profile ROCE\n   qos trust dscp\n   priority-flow-control on\n"
        "   priority-flow-control priority 3 no-drop\n!\n"
        "interface Ethernet1/1\n   no switchport\n   service-profile ROCE\nend\n"
    )
    for name in ("leaf1", "leaf2"):
        (tmp_path / f"{name}.cfg").write_text(head.format(name) + body)
    (tmp_path / "links.yaml").write_text("- [leaf1:Ethernet1/1, leaf2:Ethernet1/1]\n")
    isolated = run(tmp_path, "--isolated")
    assert "not read as configuration: " in isolated.stderr
    assert "links.yaml" in isolated.stderr
    assert "(provide --links links.yaml)" in isolated.stderr
    assert "links.yaml" not in run(tmp_path).stderr
    plan = tmp_path / "links.yaml"
    assert "--links" not in run(tmp_path, "--isolated", "--links", plan).stderr
