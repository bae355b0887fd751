"""`roce-lint fix`: output, written files, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from roce_lint.cli.main import cli
from roce_lint.errors import WriteError
from roce_lint.fix import offers, render
from roce_lint.fix.files import Files
from roce_lint.model.change import Change, Safety
from roce_lint.model.path import of_port
from roce_lint.text import files
from roce_lint.text.redaction import MASK
from tests.fix.conftest import SAMPLES, Command
from tests.fix.harm import proof_of

LEAF2 = SAMPLES / "broken-fabric" / "switches" / "leaf2.cfg"
MTU = ("--disruptive", "--select", "MTU001")


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def leaf(tmp_path: Path) -> Path:
    """A folder with one switch, one port of which has too small an MTU."""
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "leaf2.cfg").write_bytes(LEAF2.read_bytes())
    return folder


def test_the_diff_names_finding_label_and_change(leaf: Path, command: Command) -> None:
    done = command("fix", str(leaf), *MTU)
    head = "# MTU001 mtu-too-small-for-roce on leaf2 Ethernet1/31 [disruptive; as 5 of 5 equal ports]\n"
    assert done.stdout.startswith(head)
    assert "#   leaf2 interfaces[Ethernet1/31].ip_mtu: 1500 -> 9216\n" in done.stdout
    assert "--- a/leaf2.cfg\n+++ b/leaf2.cfg\n" in done.stdout
    assert "-  mtu 1500\n+  mtu 9216\n" in done.stdout
    assert (leaf / "leaf2.cfg").read_bytes() == LEAF2.read_bytes()


def test_what_is_not_known_to_be_safe_is_asked_for_by_name(leaf: Path, command: Command) -> None:
    done = command("fix", str(leaf), "--select", "MTU001")
    assert done.stdout == ""
    assert "1 more verified, but may disrupt traffic" in done.stderr


def test_files_are_changed_in_place_and_kept_in_a_folder(leaf: Path, command: Command) -> None:
    file = leaf / "leaf2.cfg"
    file.chmod(0o640)
    command("fix", str(leaf), *MTU, "--write", "--backup", str(leaf.parent / "old"))
    before, after = LEAF2.read_text().splitlines(), file.read_text().splitlines()
    assert [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]] == [
        ("  mtu 1500", "  mtu 9216")
    ]
    assert file.stat().st_mode & 0o777 == 0o640
    assert (leaf.parent / "old" / "leaf2.cfg").read_bytes() == LEAF2.read_bytes()
    assert names(leaf) == ["leaf2.cfg"]


def test_without_a_backup_nothing_else_stands_there(leaf: Path, command: Command) -> None:
    command("fix", str(leaf), *MTU, "--write")
    assert names(leaf) == ["leaf2.cfg"]


def test_what_was_written_is_checked(leaf: Path, command: Command) -> None:
    """The written file checks as before, without the finding; a backup beside it is not read."""
    (leaf / "leaf2.cfg.orig").write_bytes(LEAF2.read_bytes())
    before = json.loads(command("check", str(leaf), "--format", "json", "--no-cache").stdout)
    command("fix", str(leaf), *MTU, "--write")
    after = json.loads(command("check", str(leaf), "--format", "json", "--no-cache").stdout)
    left = {each["fingerprint"] for each in after["findings"]}
    gone = [each["rule"] for each in before["findings"] if each["fingerprint"] not in left]
    assert gone == ["MTU001"]
    assert before["summary"]["pairs"] == after["summary"]["pairs"]
    assert [entry for entry in after["diagnostics"] if entry["incomplete"]] == []


def test_line_ends_of_the_file_are_kept(leaf: Path, command: Command) -> None:
    file = leaf / "leaf2.cfg"
    file.write_bytes(LEAF2.read_bytes().replace(b"\n", b"\r\n"))
    command("fix", str(leaf), *MTU, "--write")
    data = file.read_bytes()
    assert b"  mtu 9216\r\n" in data
    assert data.count(b"\n") == data.count(b"\r\n")


def test_secrets_are_masked_in_the_diff_and_kept_in_the_file(leaf: Path, command: Command) -> None:
    file = leaf / "leaf2.cfg"
    secret = "snmp-server community Kq7vWz9r group network-operator"
    file.write_text(file.read_text().replace("  mtu 1500\n", f"  mtu 1500\n{secret}\n"))
    done = command("fix", str(leaf), *MTU)
    assert "Kq7vWz9r" not in done.output
    command("fix", str(leaf), *MTU, "--write")
    assert "Kq7vWz9r" in file.read_text()


def test_the_plan_is_for_programs_too(leaf: Path, command: Command, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command("fix", str(leaf), *MTU, "-o", str(out))
    assert names(out) == [
        "README.md", "commands", "configs", "manifest.json", "plan.json", "plan.md", "rollback",
    ]  # fmt: skip
    plan = json.loads((out / "plan.json").read_text())
    (fix,) = plan["fixes"]
    assert fix["proved"] is True
    assert fix["safety"] == "disruptive"
    assert [each["rule"] for each in fix["findings"]] == ["MTU001"]
    assert fix["changes"][0]["path"] == "leaf2 interfaces[Ethernet1/31].ip_mtu"
    assert [(each["file"], each["removed"]) for each in fix["edits"]] == [("leaf2.cfg", 1)]
    assert plan["waves"] == [{"role": "device", "devices": ["leaf2"], "worse": []}]
    assert "1. device: leaf2\n" in (out / "plan.md").read_text()


def test_a_snapshot_of_command_output_gets_commands_alone(leaf: Path, command: Command) -> None:
    file = leaf / "leaf2.cfg"
    file.write_text("# command: show running-config\n" + file.read_text())
    before = file.read_bytes()
    done = command("fix", str(leaf), *MTU, "--write")
    assert file.read_bytes() == before
    done = command("fix", str(leaf), *MTU)
    assert "# leaf2: interface Ethernet1/31\n# leaf2: mtu 9216\n" in done.stdout
    assert "--- a/" not in done.stdout


def test_what_a_link_leads_to_is_never_changed(
    leaf: Path, command: Command, tmp_path: Path
) -> None:
    real = tmp_path / "real.cfg"
    (leaf / "leaf2.cfg").rename(real)
    (leaf / "leaf2.cfg").symlink_to(real)
    done = command("fix", str(leaf), *MTU, "--write")
    assert done.exit_code in (0, 1, 3)
    assert real.read_bytes() == LEAF2.read_bytes()


def test_a_file_that_changed_since_it_was_read_is_not_written(
    leaf: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = leaf / "leaf2.cfg"

    def texts_of(answer: offers.Answer, chosen: list[offers.Offer]) -> dict[str, str]:
        file.write_bytes(LEAF2.read_bytes() + b"! edited by hand\n")
        return made(answer, chosen)

    made = render.texts_of
    monkeypatch.setattr(render, "texts_of", texts_of)
    done = command("fix", str(leaf), *MTU, "--write")
    assert done.exit_code == 2
    assert "leaf2.cfg: changed since it was read; not written" in done.stderr
    assert file.read_bytes() == LEAF2.read_bytes() + b"! edited by hand\n"


def test_a_tree_that_cannot_be_written_is_named(
    leaf: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, _data: bytes) -> None:
        raise WriteError(f"cannot write {path.name}: Read-only file system")

    monkeypatch.setattr(files, "write_file", refused)
    done = command("fix", str(leaf), *MTU, "--write")
    assert done.exit_code == 3
    assert "leaf2.cfg" in done.stderr
    assert (leaf / "leaf2.cfg").read_bytes() == LEAF2.read_bytes()


def test_standard_input_gets_a_diff(command: Command) -> None:
    done = command("fix", "-", *MTU, stdin=LEAF2.read_text())
    assert "-  mtu 1500\n+  mtu 9216\n" in done.stdout


def test_a_masked_line_stays(leaf: Path, command: Command) -> None:
    file = leaf / "leaf2.cfg"
    text = file.read_text().replace("  mtu 1500\n", f"  mtu {MASK}\n")
    file.write_text(text)
    done = command("fix", str(leaf), "--disruptive", "--write")
    assert f"  mtu {MASK}\n" in file.read_text()
    assert done.exit_code in (0, 1, 3)


def test_changes_that_contradict_each_other_are_refused_by_name(leaf: Path) -> None:
    proof, _ = proof_of(leaf)
    state = proof.as_it_is()
    workshop = offers.Workshop(proof, state, Files(state.devices.values(), proof.memory))
    port = of_port("leaf2", "Ethernet1/31", "ip_mtu")
    one, other = (Change(port, mtu, Safety.SAFE, 1500, f"as port {mtu}") for mtu in (9216, 9000))
    with pytest.raises(offers.RefusedError, match=r"Ethernet1/31\]\.ip_mtu: as port 9216, but"):
        workshop.make([one, other])
    assert workshop.make([one])["leaf2"].splices


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nowhere",), "no such file or folder"),
        (("{leaf}", "-o", "{full}"), "not empty"),
        (("{leaf}", "-o", "{leaf}/out"), "is inside the folder that is checked"),
        (("{leaf}", "-o", "{leaf}/../a/b/c"), "no such folder"),
        (("{leaf}", "--write", "-o", "{leaf}/../o"), "exclude each other"),
    ],
)
def test_wrong_use_writes_nothing(
    leaf: Path, command: Command, tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").touch()
    done = command("fix", *(each.format(leaf=leaf, full=full) for each in args))
    assert done.exit_code == 2
    assert said in done.stderr
    assert names(leaf) == ["leaf2.cfg"]
    assert names(full) == ["x"]


def test_a_waived_finding_is_left_alone(leaf: Path, command: Command) -> None:
    (leaf / "roce-lint.toml").write_text(
        '[[waiver]]\nrule = "MTU001"\nreason = "known"\nexpires = 2099-01-01\n'
    )
    done = command("fix", str(leaf), *MTU)
    assert done.stdout == ""
    assert done.stderr == (
        "roce-lint.toml: weakened-by: 1 waiver (MTU001)\n0 fixes verified, 0 need manual work\n"
    )


def test_standard_input_is_read(leaf: Path) -> None:
    text = (leaf / "leaf2.cfg").read_text()
    done = CliRunner().invoke(cli, ["fix", "-", *MTU], input=text)
    assert "--- a/<stdin>\n+++ b/<stdin>\n" in done.stdout
    assert "-  mtu 1500\n+  mtu 9216\n" in done.stdout


def test_a_check_shows_verified_fixes(leaf: Path, command: Command) -> None:
    only = ("--select", "MTU001,CLS001", "--no-cache")
    given = json.loads(command("check", str(leaf), "--format", "json", *only).stdout)
    done = json.loads(command("check", str(leaf), "--fixes", "--format", "json", *only).stdout)
    assert [each["proved"] for each in given["findings"][0]["fixes"]] == [False]
    (fix,) = done["findings"][0]["fixes"]
    assert (fix["old"], fix["new"], fix["proved"]) == ("1500", "9216", True)
    assert fix["from"].startswith("as ")
    text = command("check", str(leaf), "--fixes", *only).stdout
    assert "    --- a/leaf2.cfg\n    +++ b/leaf2.cfg\n" in text
    assert "    -  mtu 1500\n    +  mtu 9216\n" in text


def test_a_check_names_the_reason_where_no_fix_is_verified(command: Command) -> None:
    args = ("--select", "PFC009", "--no-cache", "--fixes")
    text = command("check", str(LEAF2.with_name("leaf1.cfg")), *args).stdout
    assert "    note: no verified fix: needs a decision: which value is right (--intent" in text
    assert "    fix" not in text
