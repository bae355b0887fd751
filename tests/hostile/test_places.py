"""Full, read-only, missing, or foreign folders: the answer is the same, old files are intact."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ended
from tests.conftest import ROOT
from tests.hostile.places import BROKEN, COMMAND, HOSTS, bound_by_permissions, disk, quota
from tests.unit.loading.making import eos, put, zipped

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")


@pytest.fixture(scope="module")
def broken_report() -> str:
    """The report of the broken sample without obstacles."""
    done = ended("check", HOSTS, "--no-cache", "--format", "json")
    assert done.returncode == 1
    return done.stdout


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with disk(tmp_path / "disk") as place:
        yield place


# ------------------------------------------------------------------------------------ full disks


@pytest.mark.parametrize("words", [["--write-baseline", "{}/old"], ["--output", "html={}/old"]])
def test_a_full_disk_keeps_the_old_file(small_disk: Path, words: list[str]) -> None:
    old = small_disk / "old"
    old.write_bytes(b"old" * 2000)
    (small_disk / "fill").write_bytes(bytes(48 << 10))
    given = [word.format(small_disk) for word in words]
    done = ended("check", BROKEN, "--no-cache", "-q", *given)
    assert done.returncode == 1  # there are findings; the file is said to be missing
    assert "old: cannot be written: No space left on device" in done.stderr
    assert old.read_bytes() == b"old" * 2000
    assert sorted(path.name for path in small_disk.iterdir()) == ["fill", "old"]


def test_a_cache_on_a_full_disk_changes_nothing(small_disk: Path, broken_report: str) -> None:
    for size in (0, 40 << 10, 60 << 10):
        (small_disk / "fill").write_bytes(bytes(size))
        for _ in range(2):
            done = ended("check", HOSTS, "--format", "json", XDG_CACHE_HOME=str(small_disk))
            assert (done.returncode, done.stdout) == (1, broken_report)
        shutil.rmtree(small_disk / "roce-lint", ignore_errors=True)


@pytest.mark.parametrize(
    "blocks", [pytest.param(0, marks=pytest.mark.deep), 4, pytest.param(40, marks=pytest.mark.deep)]
)
def test_a_cache_under_a_quota_changes_nothing(
    tmp_path: Path, broken_report: str, blocks: int
) -> None:
    """A file may grow to so many blocks of 512 bytes, as where the quota of a user is used up."""
    given = {"XDG_CACHE_HOME": str(tmp_path)}
    limit = blocks * 512
    for _ in range(3):
        done = ended("check", HOSTS, "--format", "json", confined=quota(limit), **given)
        assert (done.returncode, done.stdout) == (1, broken_report)
    assert all(path.stat().st_size <= limit for path in tmp_path.rglob("*") if path.is_file())
    done = ended("check", HOSTS, "--format", "json", **given)
    assert (done.returncode, done.stdout) == (1, broken_report)


# ------------------------------------------------------------- what may not be read or written


@LINUX
def test_what_may_not_be_read_is_told(tmp_path: Path) -> None:
    put(tmp_path, {"leaf1.cfg": eos(), "leaf2.cfg": eos("leaf2"), "shut/leaf3.cfg": eos("leaf3")})
    (tmp_path / "leaf2.cfg").chmod(0)
    (tmp_path / "shut").chmod(0)
    done = ended("check", tmp_path, "--no-cache", confined=bound_by_permissions)
    (tmp_path / "shut").chmod(0o755)
    assert done.returncode == 3
    assert "leaf2.cfg: unreadable: Permission denied" in done.stderr
    assert "shut: unreadable: Permission denied" in done.stderr
    assert "1 device" in done.stderr


@LINUX
@pytest.mark.parametrize("name", ["roce-lint.toml", "links.yaml"])
def test_what_steers_and_may_not_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    put(tmp_path, {"leaf1.cfg": eos(), name: ""})
    (tmp_path / name).chmod(0)
    done = ended("check", tmp_path, "--no-cache", confined=bound_by_permissions)
    assert done.returncode == 2
    assert re.search(rf"{name}: (cannot be read: )?Permission denied", done.stderr)


@LINUX
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    """An impossible output is refused before the check; the existing file stays."""
    old = tmp_path / "old"
    old.write_bytes(b"old")
    tmp_path.chmod(0o555)
    try:
        for words in (
            ["--output", f"json={tmp_path}/new"],
            ["--write-baseline", f"{tmp_path}/new"],
        ):
            done = ended("check", HOSTS, "--no-cache", *words, confined=bound_by_permissions)
            assert (done.returncode, done.stdout) == (2, "")
            assert "is not writable" in done.stderr
        done = ended(
            "check", HOSTS, "--no-cache", "--output", f"json={old}", confined=bound_by_permissions
        )
        assert done.returncode == 1
        assert "old: cannot be written: Permission denied" in done.stderr
    finally:
        tmp_path.chmod(0o755)
    assert old.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@LINUX
def test_init_in_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    put(tmp_path, {"leaf1.cfg": eos()})
    tmp_path.chmod(0o555)
    done = ended("init", tmp_path, confined=bound_by_permissions)
    tmp_path.chmod(0o755)
    assert done.returncode == 3
    assert "cannot be written: Permission denied" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["leaf1.cfg"]


@LINUX
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_cache_that_may_not_be_written_changes_nothing(
    tmp_path: Path, broken_report: str, mode: int
) -> None:
    given = {"XDG_CACHE_HOME": str(tmp_path)}
    ended("check", HOSTS, "--format", "json", confined=bound_by_permissions, **given)
    kept = tmp_path / "roce-lint"
    file = kept / "devices.sqlite"
    before = file.read_bytes()
    file.chmod(0o400)
    kept.chmod(mode)
    try:
        done = ended("check", HOSTS, "--format", "json", confined=bound_by_permissions, **given)
    finally:
        kept.chmod(0o700)
    assert (done.returncode, done.stdout) == (1, broken_report)
    assert file.read_bytes() == before
    assert [path.name for path in kept.iterdir()] == ["devices.sqlite"]


@LINUX
@pytest.mark.parametrize("home", ["", "/nonexistent", "relative", "READ-ONLY", "FILE"])
def test_no_home_is_no_harm(tmp_path: Path, broken_report: str, home: str) -> None:
    (tmp_path / "f").write_text("")
    (tmp_path / "shut").mkdir(mode=0o500)
    place = {"READ-ONLY": str(tmp_path / "shut"), "FILE": str(tmp_path / "f")}.get(home, home)
    given = {"HOME": place, "XDG_CACHE_HOME": ""}
    done = ended(
        "check",
        HOSTS,
        "--format",
        "json",
        cwd=tmp_path / "shut",
        confined=bound_by_permissions,
        **given,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["summary"] == json.loads(broken_report)["summary"]


# ------------------------------------------------------------------------------- what is written


INPUTS = {
    "a configuration": ("leaf1.cfg", "is a configuration of leaf1"),
    "an archive": ("snap.zip", "is a configuration of leaf7"),
    "settings": ("roce-lint.toml", "steers this run"),
    "cables": ("links.yaml", "steers the runs over its folder"),
    "an intent": ("mine.yaml", "steers this run"),
    "an earlier baseline": ("known.json", "steers this run"),
    "what could not be read": ("cut.json", "could not be read completely by this run"),
}


@pytest.mark.parametrize("through", ["", "a link"])
@pytest.mark.parametrize("name", INPUTS)
def test_no_report_takes_the_place_of_an_input(tmp_path: Path, name: str, through: str) -> None:
    file, said = INPUTS[name]
    put(tmp_path, {
        "leaf1.cfg": eos(), "snap.zip": zipped({"leaf7.cfg": eos("leaf7")}),
        "roce-lint.toml": "", "links.yaml": "[]\n", "mine.yaml": "mode: lossless\n",
        "known.json": "", "cut.json": '{"DEVICE_METADATA": {"localhost": {"hostname": "s1"}},\n "PORT',
    })  # fmt: skip
    ended(
        "check", tmp_path / "leaf1.cfg", "--no-cache", "--write-baseline", tmp_path / "known.json"
    )
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    target = tmp_path / file
    if through:
        (tmp_path.parent / f"{tmp_path.name}.link").symlink_to(target)
        target = tmp_path.parent / f"{tmp_path.name}.link"
    intent = ["--intent", tmp_path / "mine.yaml"] if name == "an intent" else []
    known = ["--baseline", tmp_path / "known.json"] if name == "an earlier baseline" else []
    done = ended("check", tmp_path, "--no-cache", *intent, *known, "--output", f"json={target}")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_report_of_before_is_replaced(tmp_path: Path) -> None:
    put(tmp_path, {"leaf1.cfg": eos()})
    for _ in range(2):
        known = ["--write-baseline", tmp_path / "known.json"]
        words = ["--output", f"json={tmp_path}/out.json", "--output", f"text={tmp_path}/out.txt"]
        assert ended("check", tmp_path, "--no-cache", *words, *known).returncode == 0
    renew = ["--baseline", tmp_path / "known.json", "--write-baseline", tmp_path / "known.json"]
    assert ended("check", tmp_path, "--no-cache", *renew).returncode == 0


# --------------------------------------------------------------------------- streams and signals


LOCALES = [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati"},
    {"PYTHONIOENCODING": "ascii"},
    {"LANG": "tr_TR.ISO8859-9", "PYTHONUTF8": "0"},
]


@pytest.mark.parametrize(
    "given", [LOCALES[0], *(pytest.param(each, marks=pytest.mark.deep) for each in LOCALES[1:])]
)
def test_no_locale_changes_a_byte(broken_report: str, given: dict[str, str]) -> None:
    done = subprocess.run(
        [*COMMAND, "check", HOSTS, "--no-cache", "--format", "json"], cwd=ROOT,
        capture_output=True, check=False, timeout=120, env={**os.environ, **given},
    )  # fmt: skip
    assert (done.returncode, done.stdout.decode()) == (1, broken_report)


def test_a_reader_that_goes_away_changes_no_status() -> None:
    words = '{ "$0" -m roce_lint check "$1" --no-cache -v; echo $? >&2; } | head -1'
    done = subprocess.run(
        ["sh", "-c", words, sys.executable, str(HOSTS)], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == "1"
    assert len(done.stdout.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("becomes", ["ValueError", "SystemExit", "KeyboardInterrupt"])
def test_an_interrupt_that_a_library_swallows_is_one(becomes: str) -> None:
    """An interrupt inside a library is not reported as an internal error."""
    script = f"""
import os, signal
# Whoever runs the tests in the background has the signal ignored, and so would this process.
signal.signal(signal.SIGINT, signal.default_int_handler)
from roce_lint.cli import main
def struck(**_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise {becomes}(3) from None
main.cli.main = struck
main.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "")


STEPS = (
    "roce_lint.pipeline.runner.run", "roce_lint.cli.judging.render", "tempfile.mkstemp", "os.fsync",
    "pathlib.Path.chmod", "pathlib.Path.replace",
)  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_an_interrupt_at_a_step_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"old")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupted)
    done = ended("check", HOSTS, "--no-cache", "-q", "--output", f"html={old}")
    assert done.returncode == 130
    assert old.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


STARTED = """
import os, signal, sys
# A shell starts what runs in the background with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
from roce_lint.cli import main
note = main._note_interrupts
def started():
    note()
    os.write(1, b"started")
main._note_interrupts = started
main.main()
"""


@pytest.mark.deep
@pytest.mark.parametrize("later", [0.0, 0.1, 0.2, 0.4, 0.8, 5.0])
def test_an_interrupt_at_any_moment_leaves_nothing_half(tmp_path: Path, later: float) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"old")
    words = ["check", str(HOSTS), "--no-cache", "-q", "--output", f"html={old}"]
    with subprocess.Popen(
        [sys.executable, "-c", STARTED, *words], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:  # fmt: skip
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.read(7) == b"started"
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(later)
        run.send_signal(signal.SIGINT)
        said = run.stderr.read()
    assert run.returncode in (1, 130)
    assert b"Traceback" not in said
    whole = old.read_bytes()
    assert whole == b"old" or whole.rstrip().endswith(b"</html>")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
