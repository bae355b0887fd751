"""`pull` against terminals of all systems: files written, lines sent, and failures."""

from __future__ import annotations

import json
import subprocess
import tarfile
from pathlib import Path

import pytest

from roce_lint.loading.identify import header_of, identify
from roce_lint.nos.pull import Kind
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline import Request, run
from roce_lint.pull.dialog import Dialog, Failure, Limits
from roce_lint.settings import Settings
from tests.command import Ended, ended
from tests.conftest import ROOT
from tests.live.live_server import PASSWORD, PROMPTS, Box, Live, inventory, serve
from tests.nos.lldp.outputs import OUTPUTS, PORTS, configuration, system_of

SWITCHES = ROOT / "sample_configs" / "clean-fabric" / "switches"
EOS = (SWITCHES / "leaf1.cfg").read_text(encoding="utf-8")
SHOWN = "show running-config"


def pull(tmp: Path, live: Live, *options: str, known: bool = True, nos=None, **env: str):
    (tmp / ".ssh").mkdir(exist_ok=True)
    if known:
        (tmp / ".ssh" / "known_hosts").write_text(live.known(), encoding="utf-8")
    file = inventory(tmp / "inventory.yaml", live, nos)
    given = {"HOME": str(tmp), "ROCE_LINT_PASSWORD": PASSWORD, **env}
    return ended("pull", file, "-o", tmp / "snap", "--timeout", "20", *options, **given)


def eos(**said) -> Box:
    return Box("eos", {SHOWN: EOS, "show version": "4.32"}, **said)


def failures(done: Ended) -> dict[str, str]:
    lines = [line.split(": ", 1) for line in done.stderr.splitlines() if ": " in line]
    return {
        name: said
        for name, said in lines
        if not said.endswith(" answers") and not said.startswith("unknown command:")
    }


def test_all_systems_are_asked_what_is_declared_and_nothing_else(tmp_path: Path) -> None:
    boxes = {}
    for name in PROMPTS:
        asked = all_nos()[name].pulled.of([Kind.CONFIG])
        boxes[name] = Box(name, {c.text: f"said by {name}\n" for c in asked})
    with serve(boxes) as live:
        done = pull(tmp_path, live)
    assert failures(done) == {}
    assert (done.returncode, done.stdout) == (0, f"12 of 12 devices are in {tmp_path / 'snap'}\n")
    for name, box in boxes.items():
        pulled = all_nos()[name].pulled
        declared = [command.text for command in pulled.of([Kind.CONFIG])]
        sent = [line for line in box.heard if line and line != "(gone)"]
        assert [line for line in sent if line not in pulled.prepares] == declared, name
        for command in pulled.of([Kind.CONFIG]):
            kept = (tmp_path / "snap" / name / command.file).read_text(encoding="utf-8")
            head, _, text = kept.partition("\n")
            assert head.startswith(f"# command: {command.text}  host: {name}  time: 20")
            assert text == f"said by {name}\n"


def test_what_was_pulled_is_judged_as_what_was_saved(tmp_path: Path) -> None:
    broken = ROOT / "sample_configs" / "broken-fabric" / "switches"
    boxes, saved = {}, tmp_path / "saved"
    for path in sorted(broken.iterdir()):
        text = path.read_text(encoding="utf-8")
        nos = identify(path.name, text).nos
        needed = [c for c in all_nos()[nos].pulled.commands if c.needed]
        if "lldp" in path.name or identify(path.name, text).source == "lldp":
            continue
        boxes[path.stem] = Box(nos, {needed[0].text: text})
        (saved / path.stem).mkdir(parents=True)
        head = f"# command: {needed[0].text}  host: {path.stem}  time: 2026-01-01T00:00:00Z\n"
        (saved / path.stem / needed[0].file).write_text(head + text, encoding="utf-8")
    assert {box.nos for box in boxes.values()} >= {"eos", "nxos", "sonic", "junos"}
    with serve(boxes) as live:
        done = pull(tmp_path, live)
    assert done.returncode == 0, done.stderr
    told = []
    for folder in ("saved", "snap"):
        words = ("check", ".", "--no-cache", "--format", "concise")
        told.append(ended(*words, cwd=tmp_path / folder).stdout)
    assert told[0].count("\n") > 5
    assert told[1] == told[0]


def test_what_was_pulled_is_read_or_passed_over(tmp_path: Path) -> None:
    outputs = {
        (system_of(path), header_of(text).command): text.partition("\n")[2]
        for path in OUTPUTS
        for text in [path.read_text(encoding="utf-8")]
    }
    boxes = {}
    for name in PROMPTS:
        boxes[name] = Box(name, {})
        for command in all_nos()[name].pulled.of(Kind):
            text = configuration(name) if command.needed else outputs.get((name, command.text))
            if text is None:
                text = "Name     Status\nx        1\n"
            boxes[name].answers[command.text] = text
    with serve(boxes) as live:
        done = pull(tmp_path, live, "--collect", "all")
    assert done.returncode == 0, done.stderr
    report = run(Request(paths=(str(tmp_path / "snap"),), cache=False), Settings())
    assert report.diagnostics == []
    heard = {
        device.hostname: {port for port in device.interfaces if device.interfaces[port].neighbors}
        for device in report.fabric.devices.values()
    }
    assert heard == {name: set(PORTS[name]) for name in PROMPTS}


def test_each_failure_has_its_cause_and_the_others_are_kept(tmp_path: Path) -> None:
    boxes = {
        "good": eos(),
        "locked": eos(),
        "cut": eos(cut_at=SHOWN),
        "other": Box("junos", {}, prompt="leaf1#"),
        "lonely": eos(),
    }
    with serve(boxes) as live:
        done = pull(tmp_path, live)
        again = pull(tmp_path, live, "--resume")
    told = failures(done)
    assert done.returncode == 3
    assert told["locked"] == "login refused"
    assert told["cut"] == "connection closed"
    assert told["other"].startswith("another system than eos") or "junos" in told["other"]
    assert "good" not in told
    assert "lonely" not in told
    assert again.returncode == 3
    assert boxes["good"].heard.count(SHOWN) == 1, "what is there is not asked for again"
    assert boxes["cut"].heard.count(SHOWN) == 2
    assert not list((tmp_path / "snap").rglob("*.part"))


@pytest.mark.deep
def test_a_device_that_hangs_is_given_up(tmp_path: Path) -> None:
    with serve({"good": eos(), "hangs": eos(hang_at=SHOWN)}) as live:
        done = pull(tmp_path, live, "--timeout", "6")
    assert done.returncode == 3
    assert {name: why[:10] for name, why in failures(done).items()} == {"hangs": "time limit"}


def test_too_much_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Flood:
        def settimeout(self, seconds: float) -> None: ...

        def recv(self, count: int) -> bytes:
            return b"x" * count

        def sendall(self, data: bytes) -> None: ...

    dialog = Dialog(Flood(), Limits(5, 1e12, 1 << 20), r"(?!)")
    monkeypatch.setattr(dialog, "_drain", lambda: None)
    with pytest.raises(Failure, match="output too large"):
        dialog.run("show x")


def test_the_key_of_a_host(tmp_path: Path) -> None:
    with serve({"good": eos()}) as live:
        unknown = pull(tmp_path, live, known=False)
        assert failures(unknown)["good"].startswith("host key unknown (ssh-ed25519 SHA256:")
        assert live.logins == [], "no password goes to a host that is not known"
        taken = pull(tmp_path, live, "--accept-new", "--resume", known=False)
        assert taken.returncode == 0, taken.stderr
        known = tmp_path / ".ssh" / "known_hosts"
        assert known.read_text(encoding="utf-8") == live.known()
        key = subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "other")],
            check=False,
        )
        assert key.returncode == 0
        public = (tmp_path / "other.pub").read_text(encoding="utf-8").split()
        known.write_text(f"[127.0.0.1]:{live.port} {public[0]} {public[1]}\n", encoding="utf-8")
        (tmp_path / "snap" / "good" / "show-running-config.txt").unlink()
        changed = pull(tmp_path, live, "--accept-new", "--resume", known=False)
    assert failures(changed)["good"].startswith("host key changed (ssh-ed25519 SHA256:")
    assert changed.returncode == 3


def test_logins_stop_before_the_account_is_locked(tmp_path: Path) -> None:
    boxes = {f"leaf{number}": eos() for number in range(12)}
    with serve(boxes) as live:
        done = pull(tmp_path, live, "--max-refused", "3", ROCE_LINT_PASSWORD="wrong")
        assert len(live.logins) == 3
    causes = sorted(failures(done).values())
    assert causes == ["login refused"] * 3 + ["not tried (too many logins were refused)"] * 9


def test_enable_is_sent_where_it_is_needed(tmp_path: Path) -> None:
    boxes = {"low": eos(enabled=False), "high": eos()}
    with serve(boxes) as live:
        done = pull(tmp_path, live)
    assert done.returncode == 0, done.stderr
    assert boxes["low"].heard.count("enable") == 1
    assert "enable" not in boxes["high"].heard


def test_an_answer_ends_at_the_prompt_alone(tmp_path: Path) -> None:
    tricky = EOS + "leaf1#\nbanner leaf1# of us\n\x1b[1mleaf1#\x1b[0m\nstill \u00e9 here\nend\n"
    box = Box("eos", {SHOWN: tricky}, chunk=2000, banner="Welcome\r\n" * 1000)
    with serve({"leaf1": box}) as live:
        done = pull(tmp_path, live)
    assert done.returncode == 0, done.stderr
    kept = (tmp_path / "snap" / "leaf1" / "show-running-config.txt").read_text(encoding="utf-8")
    assert kept.endswith("leaf1#\nbanner leaf1# of us\nleaf1#\nstill \u00e9 here\nend\n")


def test_no_secret_reaches_the_disk_or_the_output(tmp_path: Path) -> None:
    planted = ["s3cretUser", "s3cretCommunity", "s3cretRadius"]
    lines = (
        f"username x secret sha512 {planted[0]}\nsnmp-server community {planted[1]} ro\n"
        f"radius-server key 7 {planted[2]}\n"
    )
    with serve({"leaf1": Box("eos", {SHOWN: EOS + lines})}) as live:
        done = pull(tmp_path, live, "--password-command", f"echo {PASSWORD}")
    assert done.returncode == 0, done.stderr
    files = [path for path in (tmp_path / "snap").rglob("*") if path.is_file()]
    assert len(files) >= 2
    said = [done.stdout, done.stderr, *(path.read_text(encoding="utf-8") for path in files)]
    assert not [word for word in (*planted, PASSWORD) for text in said if word in text]
    manifest = json.loads((tmp_path / "snap" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["devices"]["leaf1"]["commands"][SHOWN]["status"] == "ok"


def test_a_dry_run_connects_to_nothing(tmp_path: Path) -> None:
    with serve({"leaf1": eos(), "leaf2": eos()}) as live:
        done = pull(tmp_path, live, "--dry-run", "--device", "*2")
        assert live.logins == []
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"leaf2: eos at 127.0.0.1:{live.port}"
    assert done.stdout.splitlines()[1] == "  show running-config"
    assert not (tmp_path / "snap").exists()


def test_a_question_at_login_is_not_answered(tmp_path: Path) -> None:
    asks = "There are security risks in the configuration file. Continue? [Y/N]:"
    box = Box("vrp", {}, banner=asks)
    with serve({"leaf1": box}) as live:
        done = pull(tmp_path, live)
    assert failures(done)["leaf1"].startswith("a question at login")
    assert [line for line in box.heard if line and line != "(gone)"] == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "snap").mkdir()
    (tmp_path / "snap" / "notes").write_text("mine", encoding="utf-8")
    with serve({"leaf1": eos()}) as live:
        done = pull(tmp_path, live)
        assert live.logins == []
    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "snap").iterdir()] == ["notes"]


def test_a_host_is_collected_by_the_script_that_is_printed(tmp_path: Path) -> None:
    with serve({"gpu01": Box("linux", {})}) as live:
        done = pull(tmp_path, live)
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / "snap" / "gpu01" / "collected.tar") as there:
        names = there.getnames()
        first = there.extractfile(names[0])
        assert first is not None
        assert b"gpu01" in first.readline()
    assert any("collector" in name for name in names)


def test_a_host_that_answers_something_else_is_a_failed_one(tmp_path: Path) -> None:
    with serve({"gpu01": Box("linux", {"sh -s": "Access denied"})}) as live:
        done = pull(tmp_path, live)
    assert failures(done)["gpu01"].startswith("no output of the collection script")
    assert not (tmp_path / "snap" / "gpu01" / "collected.tar").exists()
