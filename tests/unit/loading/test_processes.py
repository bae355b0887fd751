"""Workers end with their parent, and import nothing from the folder that is judged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.loading.making import eos, put

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than one process reads."""
    filler = "".join(f"ip prefix-list P{n} seq 10 permit 10.{n % 250}.0.0/16\n" for n in range(900))
    folder = tmp_path_factory.mktemp("large")
    return put(folder, {f"leaf{n}.cfg": eos(f"leaf{n}") + filler for n in range(120)})


MARK = "ROCE_LINT_TEST_MARK"
GONE_WITHIN = 2.0
"""Seconds from the kill after which nothing of the run may be there."""


def left(mark: str) -> set[int]:
    """Processes that inherited a mark in their environment, begun by whomever."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                environment = (entry / "environ").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if f"{MARK}={mark}".encode() in environment.split(b"\0") and state != "Z":
                found.add(int(entry.name))
    return found


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_is_left_behind(large: Path, how: signal.Signals) -> None:
    """Killed as soon as there are workers, a little later, and at any moment from the start."""
    chance = random.Random(int(how))  # noqa: S311  (moments, not secrets)
    command = [sys.executable, "-m", "roce_lint", "check", str(large), "-j", "2", "--no-cache"]
    most = 0
    for number, (wanted, later) in enumerate([(2, 0.0), (2, 0.1), (2, 1.0), (0, 0.3), (0, 2.0)]):
        mark = f"{os.getpid()}-{int(how)}-{number}"
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, MARK: mark},
        ) as parent:  # fmt: skip
            until = time.monotonic() + 60
            while len(left(mark)) < 1 + wanted and time.monotonic() < until:
                time.sleep(0.005)
            time.sleep(chance.random() * later)
            most = max(most, len(left(mark)))
            killed = time.monotonic()
            os.kill(parent.pid, how)
            while (still := left(mark)) and time.monotonic() - killed < GONE_WITHIN:
                time.sleep(0.01)
            assert still == set()
    assert most > 1, "no worker was seen"


def test_the_working_folder_is_not_imported(large: Path, tmp_path: Path) -> None:
    trap = "import pathlib\npathlib.Path('PWNED').write_text('x')\nraise SystemExit(9)\n"
    for name in ("multiprocessing", "click", "json", "yaml", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(trap)
    code = (
        "import sys; del sys.path[0]\n"
        "from roce_lint.loading import workers\n"
        "workers.LINUX = False\n"  # as where processes are spawned
        "from roce_lint.cli.main import main\n"
        f"sys.argv = ['roce-lint', 'check', {str(large)!r}, '-j', '2', '--no-cache', '-q']\n"
        "main()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    for command in ([sys.executable, "-c", code], [sys.executable, "-m", "roce_lint", "rules"]):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
        )
        assert done.returncode in (0, 1, 3), done.stderr.decode()  # no traceback, no wrong use
        assert not (tmp_path / "PWNED").exists()
