"""`audit`: pull, check and drift as one report, from devices and from a snapshot."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command import Ended, ended
from tests.conftest import ROOT
from tests.live.live_server import PASSWORD, Box, Live, inventory, serve

SWITCHES = ROOT / "sample_configs" / "clean-fabric" / "switches"
FILE = "show-running-config.txt"
NAMES = ("leaf1", "leaf2")
TEXT = {name: (SWITCHES / f"{name}.cfg").read_text(encoding="utf-8") for name in NAMES[:1]}
TEXT["leaf2"] = TEXT["leaf1"].replace("hostname leaf1", "hostname leaf2")
CHANGED = "   mtu 9214\n"


def audit(cwd: Path, *options: str, **env: str) -> Ended:
    given = {"HOME": str(cwd), "ROCE_LINT_PASSWORD": PASSWORD, **env}
    return ended("audit", *options, cwd=cwd, **given)


def snapshot(folder: Path, failed: dict[str, str] | None = None, **texts: str) -> Path:
    """A snapshot as `pull` would write it."""
    devices = {}
    for name, text in {**TEXT, **texts}.items():
        why = (failed or {}).get(name)
        devices[name] = {"host": "x", "nos": "eos", "commands": {}, "failure": why}
        if why is None:
            (folder / name).mkdir(parents=True)
            head = f"# command: show running-config  host: {name}  time: 2026-01-01T00:00:00Z\n"
            (folder / name / FILE).write_text(head + text, encoding="utf-8")
    folder.mkdir(exist_ok=True)
    told = {"schema": "roce-lint/pull/1", "devices": devices}
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return folder


def entries(done: Ended, kind: str) -> list[str]:
    assert done.returncode in (0, 1, 3), done.stderr
    told = json.loads(done.stdout)["diagnostics"]
    return [item["message"] for item in told if item["kind"] == kind]


def live(tmp: Path, server: Live, *options: str, **env: str) -> Ended:
    (tmp / ".ssh").mkdir(exist_ok=True)
    (tmp / ".ssh" / "known_hosts").write_text(server.known(), encoding="utf-8")
    file = inventory(tmp / "inventory.yaml", server)
    return audit(tmp, str(file), "--timeout", "6", "--format", "json", *options, **env)


def boxes(**texts: str) -> dict[str, Box]:
    given = {**TEXT, **texts}
    return {name: Box("eos", {"show running-config": text}) for name, text in given.items()}


def test_what_is_there_is_compared_with_what_should_be(tmp_path: Path) -> None:
    golden = snapshot(tmp_path / "golden")
    drifted = TEXT["leaf1"].replace(CHANGED, "   mtu 1500\n", 1)
    with serve(boxes(leaf1=drifted)) as server:
        done = live(tmp_path, server, "--golden", str(golden), "--keep", "kept")
    drift = entries(done, "drift")
    assert done.returncode == 1
    assert len(drift) == 1
    assert drift[0].startswith("leaf1 Ethernet1/1: ip_mtu: 9214 -> 1500 (golden ")
    assert "'mtu 9214', now " in drift[0]
    assert "'mtu 1500'" in drift[0]
    assert entries(done, "not-pulled") == []
    offline = audit(tmp_path, "--snapshot", "kept", "--golden", str(golden), "--format", "json")
    assert entries(offline, "drift") == drift
    assert offline.returncode == 1


def test_equal_devices_have_not_drifted_and_nothing_is_left_behind(tmp_path: Path) -> None:
    golden = snapshot(tmp_path / "golden")
    before = tmp_path / "temporary"
    before.mkdir()
    with serve(boxes()) as server:
        done = live(tmp_path, server, "--golden", str(golden), "--fail-on", "never",
                    TMPDIR=str(before))  # fmt: skip
    assert list(before.iterdir()) == []
    assert entries(done, "drift") == []
    assert entries(done, "not-pulled") == []
    assert done.returncode == 0, done.stdout


def test_a_device_that_failed_is_an_entry_and_never_gone(tmp_path: Path) -> None:
    golden = snapshot(tmp_path / "golden")
    given = boxes()
    given["leaf2"] = Box("eos", {}, cut_at="show running-config")
    with serve(given) as server:
        done = live(tmp_path, server, "--previous", str(golden), "--fail-on", "never")
    assert entries(done, "not-pulled") == ["leaf2: connection closed"]
    assert entries(done, "drift") == []
    assert done.returncode == 3
    assert json.loads(done.stdout)["summary"]["verdict"] == "not-proved"


@pytest.mark.parametrize("form", ["text", "concise", "json", "jsonl", "sarif", "junit", "markdown",
                                  "html", "github", "gitlab", "csv"])  # fmt: skip
def test_every_format_tells_of_both(tmp_path: Path, form: str) -> None:
    golden = snapshot(tmp_path / "golden")
    drifted = TEXT["leaf1"].replace(CHANGED, "   mtu 1500\n", 1)
    snapshot(tmp_path / "now", {"leaf2": "login refused"}, leaf1=drifted)
    done = audit(tmp_path, "--snapshot", "now", "--golden", str(golden), "--format", form)
    assert done.returncode == 1
    told = done.stdout
    assert "leaf2: login refused" in told
    assert "9214 -" in told


def test_who_is_missing_in_a_snapshot_is_told(tmp_path: Path) -> None:
    kept = snapshot(tmp_path / "now")
    rows = "".join(f"  - {{name: {name}, nos: eos}}\n" for name in (*NAMES, "leaf9"))
    (tmp_path / "devices.yaml").write_text(f"devices:\n{rows}", encoding="utf-8")
    done = audit(tmp_path, "devices.yaml", "--snapshot", "now", "--format", "json")
    assert entries(done, "not-pulled") == ["leaf9: is not in the snapshot"]
    part = audit(tmp_path, "devices.yaml", "--snapshot", "now", "--device", "leaf[12]", "--format",
                 "json", "--fail-on", "never")  # fmt: skip
    assert entries(part, "not-pulled") == []
    assert part.returncode == 0
    (kept / "manifest.json").unlink()
    bare = audit(tmp_path, "--snapshot", "now", "--format", "json", "--fail-on", "never")
    assert bare.returncode == 3
    assert "no manifest" in entries(bare, "not-pulled")[0]


def test_what_cannot_be_compared_is_incomplete(tmp_path: Path) -> None:
    snapshot(tmp_path / "now")
    other = snapshot(tmp_path / "other")
    for name in NAMES:
        text = (other / name / FILE).read_text(encoding="utf-8")
        moved = other / f"x{name}"
        moved.mkdir()
        (moved / FILE).write_text(text.replace(name, f"x{name}"), encoding="utf-8")
        shutil.rmtree(other / name)
    done = audit(tmp_path, "--snapshot", "now", "--previous", "other", "--format", "json",
                 "--fail-on", "never")  # fmt: skip
    assert done.returncode == 3
    assert entries(done, "drift")[0].startswith("not compared with --previous other: no device")


def test_what_contradicts_itself_is_wrong_use(tmp_path: Path) -> None:
    snapshot(tmp_path / "now")
    (tmp_path / "devices.yaml").write_text("devices: [{name: a, nos: eos}]\n", encoding="utf-8")
    for options in (
        (),
        ("--snapshot", "nowhere"),
        ("--snapshot", "now", "--keep", "kept"),
        ("--snapshot", "now", "--golden", "nowhere"),
        ("devices.yaml", "--resume"),
    ):
        done = audit(tmp_path, *options)
        assert done.returncode == 2, options
    assert not (tmp_path / "kept").exists()


def test_the_manifest_names_who_was_not_tried(tmp_path: Path) -> None:
    rows = "  - {name: leaf1, host: 127.0.0.1}\n"
    (tmp_path / "devices.yaml").write_text(f"devices:\n{rows}", encoding="utf-8")
    done = audit(tmp_path, "devices.yaml", "--keep", "kept", "--format", "json")
    why = "leaf1: no system is declared (`nos`, or --default-nos for all)"
    assert entries(done, "not-pulled") == [why]
    assert done.returncode == 3
    again = audit(tmp_path, "--snapshot", "kept", "--format", "json")
    assert entries(again, "not-pulled") == [why]
