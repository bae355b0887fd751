"""Reading on a Dask cluster: the same result, also where workers are lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from roce_lint.errors import UsageError
from roce_lint.loading import dask
from roce_lint.loading.group import Group
from roce_lint.loading.load import load
from roce_lint.loading.pool import read_all
from tests.conftest import ROOT
from tests.unit.loading.making import eos, part, put

CLUSTER = pytest.mark.skipif(
    find_spec("distributed") is None or sys.platform != "linux",
    reason="needs `pip install roce-lint[dask]`, and looks into /proc",
)
PATIENCE = 60.0
"""Seconds to wait for an event."""


class Cluster:
    """A scheduler, and the process of each worker, by name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open = ExitStack()
        self.scheduler = self._start("scheduler", "--port", "0", "--host", "127.0.0.1")
        self.file = folder / "scheduler.json"
        await_(lambda: text_of(self.file).endswith("}"))
        self.executor = json.loads(self.file.read_text())["address"].replace("tcp", "dask")
        self.workers: dict[str, subprocess.Popen[bytes]] = {}

    def _start(self, what: str, *words: str) -> subprocess.Popen[bytes]:
        file = self._folder / "scheduler.json"
        command = ["-m", "dask", what, "--scheduler-file", str(file), "--no-dashboard", *words]
        return self._open.enter_context(
            subprocess.Popen(
                [sys.executable, *command], cwd=self._folder, stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
        )  # fmt: skip

    def add(self, *names: str) -> None:
        """Start workers, and wait for them."""
        words = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--name")
        self.workers |= {name: self._start("worker", *words, name) for name in names}
        code = f"import distributed as d; d.Client(scheduler_file={str(self.file)!r}).wait_for_workers({len(self.workers)}, 60)"
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)

    def readers(self) -> list[int]:
        """The processes beside the workers."""
        tasks = [Path(f"/proc/{worker.pid}/task") for worker in self.workers.values()]
        return [
            int(pid)
            for task in tasks
            for file in task.glob("*/children")
            for pid in text_of(file).split()
            if "loading.dask" in text_of(Path(f"/proc/{pid}/cmdline"))
        ]

    def close(self) -> None:
        """Kill everything."""
        for process in (*self.workers.values(), self.scheduler):
            process.kill()
        self._open.close()


def text_of(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def await_(event: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not event():
        assert time.monotonic() < until
        time.sleep(0.01)


@contextmanager
def made_cluster(folder: Path, *workers: str) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        if workers:
            cluster.add(*workers)
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with made_cluster(tmp_path_factory.mktemp("cluster"), "one", "two") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough for several chunks."""
    filler = "".join(f"ip prefix-list P{n} seq 10 permit 10.{n % 250}.0.0/16\n" for n in range(900))
    folder = tmp_path_factory.mktemp("large")
    return put(
        folder,
        {f"leaf{n}.cfg": eos(f"leaf{n}").replace("end\n", f"{filler}end\n") for n in range(120)},
    )


def begin(path: Path, *words: str) -> subprocess.Popen[str]:
    code = "from roce_lint.loading import dask; dask.PATIENCE = 2.0; from roce_lint.cli.main import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "check", str(path), "--no-cache", "--format", "json", *words],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def answer(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = run.communicate(timeout=120)
    return run.returncode, out, err


@pytest.fixture(scope="module")
def expected(large: Path) -> tuple[int, str, str]:
    return answer(begin(large, "-j", "2"))


@CLUSTER
@pytest.mark.parametrize("sample", ["clean-fabric", "broken-fabric"])
def test_the_result_is_that_of_local_processes(cluster: Cluster, sample: str) -> None:
    folder = Path("sample_configs") / sample
    there = answer(begin(folder, "--executor", cluster.executor))
    assert there == answer(begin(folder, "-j", "2"))
    assert there[0] == (sample == "broken-fabric")
    assert cluster.readers() != []


@pytest.mark.deep
@CLUSTER
def test_a_worker_that_is_killed_in_the_middle_costs_a_retry(
    tmp_path: Path, large: Path, expected: tuple[int, str, str]
) -> None:
    with made_cluster(tmp_path, "one", "two") as cluster:
        run = begin(large, "--executor", cluster.executor)
        await_(cluster.readers)
        cluster.workers["one"].kill()
        assert answer(run) == expected


@pytest.mark.deep
@CLUSTER
@pytest.mark.parametrize("lost", ["workers", "scheduler"])
def test_without_a_cluster_the_rest_is_read_here(
    tmp_path: Path, large: Path, expected: tuple[int, str, str], lost: str
) -> None:
    with made_cluster(tmp_path, "one") as cluster:
        run = begin(large, "--executor", cluster.executor)
        await_(cluster.readers)
        (cluster.workers["one"] if lost == "workers" else cluster.scheduler).kill()
        status, out, err = answer(run)
    report, wanted = json.loads(out), json.loads(expected[1])
    assert status == expected[0]
    assert "distributed" not in err
    assert report["findings"] == wanted["findings"]
    assert [(d["file"], d["kind"]) for d in report["diagnostics"]] == [("the cluster", "executor")]


@pytest.mark.deep
@CLUSTER
def test_devices_that_end_their_processes_are_named(cluster: Cluster, tmp_path: Path) -> None:
    put(tmp_path, {"leaf1.cfg": eos("leaf1"), "leaf2.cfg": eos("leaf2")})
    run = begin(tmp_path, "--executor", cluster.executor)
    while run.poll() is None:  # as a system does that is out of memory
        for pid in cluster.readers():
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    lost = json.loads(answer(run)[1])["diagnostics"]
    assert [(d["file"], d["kind"]) for d in lost] == [
        ("leaf1.cfg", "reader-crashed"), ("leaf2.cfg", "reader-crashed"),
    ]  # fmt: skip
    assert all("ended the process (out of memory?)" in d["message"] for d in lost)


@pytest.mark.deep
@CLUSTER
def test_an_interrupt_cancels_the_tasks(cluster: Cluster, large: Path) -> None:
    run = begin(large, "--executor", cluster.executor)
    await_(cluster.readers)
    run.send_signal(signal.SIGINT)
    status, out, err = answer(run)
    assert (status, out) == (130, "")
    assert "Traceback" not in err
    code = (
        "import distributed, sys, time\n"
        f"client = distributed.Client({cluster.executor.removeprefix('dask://')!r})\n"
        "left = lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))\n"
        "for _ in range(600):\n"
        "    if not left(): sys.exit(0)\n"
        "    time.sleep(0.1)\n"
        "sys.exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stderr=subprocess.DEVNULL)


@pytest.mark.deep
@CLUSTER
def test_a_worker_of_another_version_is_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = dask.version()
    monkeypatch.setattr(dask, "__version__", "9.9.9")
    with pytest.raises(UsageError) as refused, dask.connect(cluster.executor):
        pass
    assert theirs in str(refused.value)
    assert "roce-lint 9.9.9 on Python 3." in str(refused.value)


@CLUSTER
def test_a_worker_that_joins_later_is_compared_too() -> None:
    with pytest.raises(UsageError, match=r"roce-lint 9\.9\.9 on Python 3\.1"):
        dask.read_chunk("roce-lint 9.9.9 on Python 3.1", b"")


@pytest.mark.deep
@CLUSTER
def test_a_file_that_changed_is_told(cluster: Cluster, tmp_path: Path) -> None:
    changed = part("leaf1.cfg", eos())
    changed.path, changed.packed = str(tmp_path / "leaf1.cfg"), None
    (tmp_path / "leaf1.cfg").write_text("other")
    groups = [
        Group("leaf1", "eos", [changed]),
        Group("leaf2", "eos", [part("leaf2.cfg", eos("leaf2"))]),
    ]
    with dask.connect(cluster.executor) as spread:
        reads = list(read_all(groups, 1, lambda _: None, cluster=spread))
    assert [read.device is not None for read in reads] == [False, True]
    assert [d.message for read in reads for d in read.diagnostics] == ["changed while being read"]


@pytest.mark.deep
@CLUSTER
def test_a_scheduler_without_workers_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "PATIENCE", 0.5)
    with (
        made_cluster(tmp_path) as empty,
        pytest.raises(UsageError, match="has no worker"),
        dask.connect(empty.executor),
    ):
        pass


@pytest.mark.deep
@CLUSTER
@pytest.mark.parametrize("kind", ["nothing", "silent", "web"])
def test_an_address_without_a_scheduler_is_refused_in_time(kind: str) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        began = time.monotonic()
        if kind != "nothing":
            server.listen()
        code = (
            "from roce_lint.loading import dask\n"
            "from roce_lint.errors import UsageError\n"
            "try:\n"
            f"    with dask.connect('dask://127.0.0.1:{server.getsockname()[1]}'): pass\n"
            "except UsageError as error:\n"
            "    print(error)\n"
        )
        run = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if kind == "web":
            peer, _ = server.accept()
            with peer:
                peer.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n" + b"x" * 999)
                out, err = run.communicate(timeout=30)
        else:
            out, err = run.communicate(timeout=30)
    assert "no Dask scheduler answers (start one with `dask scheduler`" in out
    assert err == ""
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "executor",
    [
        "",
        "dask://",
        "dask://leaf1",
        "tcp://10.0.0.5:8786",
        "10.0.0.5:8786",
        "dask://a:0",
        "dask://u@a:1",
        "dask://a:8786/x",
        "ray://a:1",
    ],
)
def test_an_address_has_a_host_and_a_port(executor: str) -> None:
    with pytest.raises(UsageError, match="is not the address") as refused, dask.connect(executor):
        pass
    assert refused.value.hint == "write dask://HOST:PORT, such as dask://10.0.0.5:8786"


def test_without_the_extra_the_command_to_install_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    executor = "dask://10.0.0.5:8786"
    with pytest.raises(UsageError, match="not installed") as refused, dask.connect(executor):
        pass
    assert refused.value.hint == "pip install 'roce-lint[dask]'"


def test_devices_of_the_cache_are_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = put(tmp_path / "configs", {"leaf1.cfg": eos("leaf1")})
    load((str(folder),), cache=True)
    put(folder, {"leaf2.cfg": eos("leaf2")})
    sent: list[str] = []

    def cluster(chunks, work, tick, _meanwhile):
        for chunk in chunks:
            sent.extend(group.device for group in chunk)
            yield from work.each(chunk)

    assert len(load((str(folder),), cache=True, cluster=cluster).devices) == 2
    assert sent == ["leaf2"]
