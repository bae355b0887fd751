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
from tests.unit.load.making import eos, put

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than one process reads."""
    filler = "".join(f"ip prefix-list P{n} seq 10 permit 10.{n % 250}.0.0/16\n" for n in range(900))
    folder = tmp_path_factory.mktemp("large")
    return put(folder, {f"leaf{n}.cfg": eos(f"leaf{n}") + filler for n in range(120)})


def workers(parent: int) -> set[int]:
    """Processes that say that they were begun by `parent`, and what they began."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.add(int(entry.name))
    return found


def alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_is_left_behind(large: Path, how: signal.Signals) -> None:
    chance = random.Random(int(how))  # noqa: S311  (moments, not secrets)
    for _ in range(3):
        command = [sys.executable, "-m", "roce_lint", "check", str(large), "-j", "2", "--no-cache"]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as parent:
            begin = time.monotonic()
            while not (mine := workers(parent.pid)) and time.monotonic() - begin < 60:
                time.sleep(0.01)
            assert mine, "no worker was seen"
            time.sleep(chance.random() / 10)
            mine |= workers(parent.pid)
            os.kill(parent.pid, how)
            parent.wait(timeout=30)
        begin = time.monotonic()
        while any(map(alive, mine)) and time.monotonic() - begin < 20:
            time.sleep(0.02)
        assert not any(map(alive, mine))


def test_the_working_folder_is_not_imported(large: Path, tmp_path: Path) -> None:
    trap = "import pathlib\npathlib.Path('PWNED').write_text('x')\nraise SystemExit(9)\n"
    for name in ("multiprocessing", "click", "json", "yaml", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text(trap)
    code = (
        "import sys; del sys.path[0]\n"
        "from roce_lint.load import workers\n"
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
