"""Workers end with their parent, and import nothing from the checked folder."""

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
    """Enough files for several processes."""
    filler = "".join(f"ip prefix-list P{n} seq 10 permit 10.{n % 250}.0.0/16\n" for n in range(900))
    folder = tmp_path_factory.mktemp("large")
    return put(folder, {f"leaf{n}.cfg": eos(f"leaf{n}") + filler for n in range(120)})


MARK = "ROCE_LINT_TEST_MARK"
PATIENCE = 60.0
"""Seconds to wait for an event."""

GONE_WITHIN = 2.0
"""Seconds after the kill within which all processes must have ended."""


def left(mark: str) -> set[int]:
    """Processes with an inherited mark in their environment, whoever started them."""
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


def killed(large: Path, how: signal.Signals, wanted: int, later: float, patience: float) -> int:
    """Kill a run when it has so many workers and a time has passed; return its number of processes."""
    command = [sys.executable, "-m", "roce_lint", "check", str(large), "-j", "2", "--no-cache"]
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, MARK: mark},
    ) as parent:  # fmt: skip
        until = time.monotonic() + PATIENCE
        while len(left(mark)) < 1 + wanted and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(later)
        most = len(left(mark))
        os.kill(parent.pid, how)
        until = time.monotonic() + patience
        while (still := left(mark)) and time.monotonic() < until:
            time.sleep(0.01)
        assert still == set()
    return most


@LINUX
def test_workers_end_with_their_parent(large: Path) -> None:
    assert killed(large, signal.SIGKILL, 2, 0.0, PATIENCE) > 1


@pytest.mark.deep
@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_is_left_behind(large: Path, how: signal.Signals) -> None:
    """Killed as soon as there are workers, a little later, and at any moment from the start."""
    chance = random.Random(int(how))  # noqa: S311  (moments, not secrets)
    moments = [(2, 0.0), (2, 0.1), (2, 1.0), (0, 0.3), (0, 2.0)]
    most = [killed(large, how, n, chance.random() * end, GONE_WITHIN) for n, end in moments]
    assert max(most) > 1, "no worker was seen"


def test_the_working_folder_is_not_imported(tmp_path: Path) -> None:
    trap = "import pathlib\npathlib.Path('PWNED').write_text('x')\nraise SystemExit(9)\n"
    for name in ("multiprocessing", "click", "json", "yaml", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(trap)
    configs = put(tmp_path / "configs", {"leaf1.cfg": eos("leaf1"), "leaf2.cfg": eos("leaf2")})
    code = (
        "import sys; del sys.path[0]\n"
        "from roce_lint.loading import pool, workers\n"
        "workers.LINUX, pool.POOL_FROM = False, 0\n"  # as where processes are spawned
        "from roce_lint.cli.main import main\n"
        f"sys.argv = ['roce-lint', 'check', {str(configs)!r}, '-j', '2', '--no-cache', '-q']\n"
        "main()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    for command in ([sys.executable, "-c", code], [sys.executable, "-m", "roce_lint", "rules"]):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
        )
        assert done.returncode in (0, 1, 3), done.stderr.decode()  # no traceback, no wrong use
        assert not (tmp_path / "PWNED").exists()
