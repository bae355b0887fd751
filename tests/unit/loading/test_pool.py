from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.loading import pool, workers
from roce_lint.loading.group import Group
from roce_lint.loading.pool import Read, read_all, read_group
from roce_lint.model.device import Device
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.reading import Reading
from tests.unit.loading.conftest import Known
from tests.unit.loading.making import part

# Newer Pythons warn of a fork next to the threads of a test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


class Stranger:
    """An object that is not part of the model."""


def normalize(reading: Reading) -> Device:
    """Behave as the text of the device's files demands."""
    for entry in reading.inputs:
        match entry.text.text:
            case "crash":
                raise KeyError("lost")
            case "die":
                os._exit(9)
            case "bad":
                raise ReadError("not what it claims to be", location=f"{entry.text.name}:7")
            case "odd":
                raise ReadError("is odd")
            case "strange":
                return Device(hostname=reading.hostname, nos="acme", model=Stranger())  # type: ignore[arg-type]
            case "local":
                return Device(hostname=reading.hostname, nos="acme", model=lambda: None)  # type: ignore[arg-type]
    files = ",".join(entry.text.text for entry in reading.inputs)
    return Device(hostname=reading.hostname, nos="acme", model=files)


@pytest.fixture(autouse=True)
def acme(known: Known) -> Nos:
    source = Source("state", Form.RAW)
    return known(Nos("acme", "Acme", (source,), normalize=normalize))


@pytest.fixture(params=["here", "workers"])
def read(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Reads groups in this process, and again in two others, a few groups at a time."""
    if request.param == "workers":
        monkeypatch.setattr(pool, "POOL_FROM", 0)
        monkeypatch.setattr(pool, "CHUNK", 9)
    ticks: list[int] = []

    def all_of(*groups: Group, packed: bool = False) -> list[Read]:
        ticks.clear()
        found = list(read_all(list(groups), 2, ticks.append, packed=packed))
        assert sum(ticks) == len(groups)
        return found

    return all_of


Reads = Callable[..., list[Read]]


def group(device: str, *texts: str) -> Group:
    parts = [part(f"{device}/{n}", text, "acme", "state") for n, text in enumerate(texts)]
    return Group(device, "acme", parts)


def models(reads: list[Read]) -> list[str | None]:
    return [read.device.model if read.device is not None else None for read in reads]


def diagnostics_of(reads: list[Read]) -> list[Diagnostic]:
    return [entry for read in reads for entry in read.diagnostics]


def test_devices_come_in_the_order_of_their_groups(read: Reads) -> None:
    found = read(*(group(f"d{n}", str(n) * (n % 7)) for n in range(40)))
    assert models(found) == [str(n) * (n % 7) for n in range(40)]
    assert [entry.device.hostname for entry in found if entry.device] == [
        f"d{n}" for n in range(40)
    ]


def test_a_reader_that_crashes_loses_its_device_only(read: Reads) -> None:
    found = read(group("a", "1"), group("b", "crash"), group("c", "3"))
    assert models(found) == ["1", None, "3"]
    (crash,) = diagnostics_of(found)
    assert (crash.file, crash.kind, crash.device, crash.incomplete) == (
        "b/0", "reader-crashed", "b", True,
    )  # fmt: skip
    assert crash.message == "SRC901 reading b crashed: KeyError: 'lost'"
    assert crash.detail.startswith("Traceback")
    assert 'raise KeyError("lost")' in crash.detail


def test_a_file_that_is_not_what_it_claims_is_left_out_with_its_line(read: Reads) -> None:
    (found,) = read(group("a", "1", "bad", "3"))
    assert found.device is not None
    assert found.device.model == "1,3"
    assert found.diagnostics == [Diagnostic("a/1", "syntax", "not what it claims to be", 7)]


def test_several_such_files_are_all_left_out(read: Reads) -> None:
    (found,) = read(group("a", "bad", "2", "bad"))
    assert models([found]) == ["2"]
    assert [entry.file for entry in found.diagnostics] == ["a/0", "a/2"]


def test_a_device_of_such_files_only_is_none(read: Reads) -> None:
    found = read(group("a", "bad"), group("b", "odd", "2"))
    assert models(found) == [None, None]
    assert [(d.file, d.message, d.line) for d in diagnostics_of(found)] == [
        ("a/0", "not what it claims to be", 7), ("b/0", "is odd", None),
    ]  # fmt: skip


def test_a_file_that_changed_or_went_is_told(read: Reads, tmp_path: Path) -> None:
    entry = group("a", "1", "2", "3")
    for number, one in enumerate(entry.parts):
        one.path, one.packed = str(tmp_path / str(number)), None
    (tmp_path / "0").write_text("1")
    (tmp_path / "1").write_text("other")
    (found,) = read(entry)
    assert models([found]) == ["1"]
    assert [(d.file, d.kind, d.message) for d in found.diagnostics] == [
        ("a/1", "unreadable", "changed while being read"),
        ("a/2", "unreadable", "No such file or directory"),
    ]


@pytest.mark.parametrize("read", ["workers"], indirect=True)
def test_a_worker_that_dies_loses_its_device_only(read: Reads) -> None:
    groups = [group(f"d{n}", f"text{n}") for n in range(30)]
    groups[11] = group("d11", "die")
    groups[23] = group("d23", "die")
    found = read(*groups)
    assert models(found) == [None if n in (11, 23) else f"text{n}" for n in range(30)]
    assert [(d.file, d.kind, d.message) for d in diagnostics_of(found)] == [
        (f"d{n}/0", "reader-crashed",
         f"SRC901 reading d{n} ended the process (out of memory?)")
        for n in (11, 23)
    ]  # fmt: skip


@pytest.mark.parametrize("read", ["workers"], indirect=True)
def test_what_is_no_part_of_the_model_does_not_come_back(read: Reads) -> None:
    found = read(group("a", "1"), group("b", "strange"), group("c", "local"), group("d", "4"))
    assert models(found) == ["1", None, None, "4"]
    strange, local = diagnostics_of(found)
    assert strange.message == (
        "SRC901 reading b returned data outside the model: "
        "tests.unit.loading.test_pool.Stranger does not belong in a Device"
    )
    assert (local.device, local.kind) == ("c", "reader-crashed")
    assert "lambda" in local.message


def test_bytes_come_with_the_device_where_they_are_wanted(read: Reads) -> None:
    (without,) = read(group("a", "1"))
    (with_bytes,) = read(group("a", "1"), packed=True)
    assert without.packed is None
    assert with_bytes.packed is not None
    assert with_bytes.device == without.device


def test_a_border_is_around_the_reading_of_one_device() -> None:
    read = read_group(group("a", "strange"), packed=True)
    assert read.device is not None  # it can be sent; that it is strange shows on arrival
    read = read_group(group("a", "local"), packed=True)
    assert (read.device, read.packed) == (None, None)


def test_no_process_is_started_for_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_executor", None)  # calling it would fail
    reads = list(read_all([group("a", "1")], 8, lambda _: None))
    assert models(reads) == ["1"]


def test_beside_other_threads_processes_are_not_forked() -> None:
    ready = threading.Event()
    thread = threading.Thread(target=ready.wait)
    thread.start()
    try:
        assert workers._executor(1)._mp_context.get_start_method() == "spawn"
    finally:
        ready.set()
        thread.join()
    assert workers._executor(1)._mp_context.get_start_method() == "fork"


def test_processors_are_those_we_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 4, 7}, raising=False)
    assert workers.processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert workers.processors() == 1
