from __future__ import annotations

import importlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roce_lint.loading import cache as module
from roce_lint.loading import pool
from roce_lint.loading.cache import DAY, FILE, Cache, open_cache
from roce_lint.loading.group import Group
from roce_lint.loading.load import load
from roce_lint.loading.pool import Read, read_group
from roce_lint.loading.serialization import pack
from roce_lint.model.device import Device
from roce_lint.nos.base import Nos
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.registry import all_nos
from roce_lint.pipeline import Request, run
from roce_lint.report import FORMATS, Options, render
from roce_lint.settings import FileSettings, Settings
from tests.command import ended, fork
from tests.unit.loading.making import eos, nxos, part, put


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, which is not made yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "roce-lint"


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    return put(tmp_path / "lab", {"leaf1.cfg": eos("leaf1"), "leaf2.cfg": nxos("leaf2", mtu=1500)})


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The devices that are read while the test runs."""
    seen: list[str] = []

    def spy(group: Group, **given: Any) -> Read:
        seen.append(group.device)
        return read_group(group, **given)

    monkeypatch.setattr(pool, "read_group", spy)
    return seen


def devices(*paths: Path, **given: object) -> list[Device]:
    return load(tuple(map(str, paths)), cache=True, **given).devices  # type: ignore[arg-type]


@pytest.mark.usefixtures("folder")
def test_what_was_read_is_not_read_again(configs: Path, reads: list[str]) -> None:
    first = devices(configs)
    assert reads == ["leaf1", "leaf2"]
    assert devices(configs) == first
    assert reads == ["leaf1", "leaf2"]


def test_without_a_cache_nothing_is_kept(folder: Path, configs: Path, reads: list[str]) -> None:
    for _ in range(2):
        run(Request((str(configs),), cache=False), Settings())
    assert reads == ["leaf1", "leaf2"] * 2
    assert not folder.exists()


@pytest.mark.usefixtures("folder")
def test_only_what_changed_is_read_again(configs: Path, reads: list[str]) -> None:
    devices(configs)
    put(configs, {"leaf2.cfg": nxos("leaf2", mtu=9000)})
    found = {device.hostname: device for device in devices(configs)}
    assert reads == ["leaf1", "leaf2", "leaf2"]
    assert found["leaf2"].interfaces["Ethernet1/1"].ip_mtu == 9000


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("sample", ["clean-fabric", "broken-fabric"])
def test_a_cached_run_reports_the_same_bytes(root: Path, sample: str, reads: list[str]) -> None:
    def reports(*, cache: bool) -> dict[str, str]:
        report = run(Request((str(root / "sample_configs" / sample),), cache=cache), Settings())
        options = Options(cwd=str(root), verbose=True, show_unknown=True)
        return {name: render(name, report, options) for name in FORMATS}

    plain = reports(cache=False)
    assert reports(cache=True) == plain
    read = len(reads)
    assert reports(cache=True) == plain
    assert len(reads) == read


@pytest.mark.usefixtures("folder")
def test_places_are_shown_from_where_the_files_are_now(
    configs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    devices(configs)
    configs.rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    report = run(Request(("moved",)), Settings())
    assert reads == ["leaf1", "leaf2"]
    assert report.fabric is not None
    assert report.excerpts is not None
    port = report.fabric.devices["leaf2"].interfaces["Ethernet1/1"]
    place = report.excerpts.locate(port.where("ip_mtu"))
    assert (place.file, place.line, place.text, place.note) == ("leaf2.cfg", 5, "mtu 1500", "")


@pytest.mark.usefixtures("folder")
def test_another_name_is_another_device(configs: Path, reads: list[str]) -> None:
    devices(configs)
    (configs / "leaf1.cfg").rename(configs / "other.cfg")
    found = devices(configs)
    assert reads == ["leaf1", "leaf2", "leaf1"]
    assert found[0].src.files[0].name == "other.cfg"


@pytest.mark.usefixtures("folder")
def test_settings_that_matter_make_another_key(configs: Path, reads: list[str]) -> None:
    put(configs, {"leaf2.cfg": nxos(None)})

    def hostnames(**said: object) -> list[str | None]:
        settings = Settings(files={"leaf2*": FileSettings(**said)})  # type: ignore[arg-type]
        report = run(Request((str(configs),)), settings)
        return [device.name for device in report.devices] + [d.role for d in report.devices]

    assert hostnames() == ["leaf1", "leaf2", None, None]
    assert hostnames(device="x") == ["leaf1", "x", None, None]
    assert reads == ["leaf1", "leaf2", "x"]
    # A role is applied to the device whether it was parsed or cached.
    assert hostnames(role="spine") == ["leaf1", "leaf2", None, "spine"]
    assert hostnames() == ["leaf1", "leaf2", None, None]
    assert reads == ["leaf1", "leaf2", "x"]


@pytest.mark.usefixtures("folder")
def test_what_gave_a_diagnostic_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    put(tmp_path / "lab", {"s1/config_db.json": '{"PORT": {', "leaf1.cfg": eos()})
    first = load((str(tmp_path / "lab"),), cache=True)
    again = load((str(tmp_path / "lab"),), cache=True)
    assert reads == ["leaf1", "s1", "s1"]
    assert [entry.kind for entry in first.diagnostics] == ["syntax"]
    assert again.diagnostics == first.diagnostics


def made(tmp_path: Path, code: str = "", template: str = "x") -> Nos:
    """A NOS in a separate package, freshly imported."""
    package = put(
        tmp_path / "plug",
        {
            "acmelint/__init__.py": "",
            "acmelint/reader.py": f"def normalize(read): {code or 'return None'}\n",
            "acmelint/templates/parse/x.ttp": template,
        },
    )
    sys.path.insert(0, str(package))
    try:
        importlib.invalidate_caches()
        for name in ("acmelint.reader", "acmelint"):
            sys.modules.pop(name, None)
        reader = importlib.import_module("acmelint.reader")
    finally:
        sys.path.remove(str(package))
    templates = package / "acmelint" / "templates"
    return Nos("acme", "Acme", (Source("s", Form.RAW),), reader.normalize, templates=templates)


def test_every_part_of_a_reader_is_in_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest(nos: Nos) -> bytes:
        monkeypatch.setitem(all_nos(), "acme", nos)
        module._reader_digest.cache_clear()
        return module._reader_digest("acme")

    plain = digest(made(tmp_path))
    assert digest(made(tmp_path)) == plain
    others = [
        digest(made(tmp_path, code="return 1")),
        digest(made(tmp_path, template="y")),
        digest(Nos("acme", "Acme", (Source("t", Form.RAW),), made(tmp_path).normalize)),
    ]
    monkeypatch.setattr(module, "__version__", "99")
    others.append(digest(made(tmp_path)))
    module._reader_digest.cache_clear()
    assert len({plain, *others}) == 5


def test_the_key_covers_our_own_code_and_templates(root: Path) -> None:
    files = {path.relative_to(root).as_posix() for path in module._code(all_nos()["eos"])}
    assert {
        "roce_lint/text/match.py", "roce_lint/model/qos.py", "roce_lint/nos/reading.py",
        "roce_lint/nos/eos/ports.py", "templates/eos/parse/interface.ttp",
    } <= files  # fmt: skip
    assert not any(name.startswith("roce_lint/nos/nxos") for name in files)


def test_the_key_is_the_same_in_another_process() -> None:
    """An address in memory, or the order of a set, would differ."""
    code = """
from roce_lint.loading.cache import _reader_digest
from roce_lint.nos.registry import all_nos
print(*[_reader_digest(name).hex() for name in sorted(all_nos())])
"""
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                           check=True, env=environment)  # fmt: skip
    assert found.stdout.split() == [module._reader_digest(n).hex() for n in sorted(all_nos())]


def test_a_reader_in_a_single_module_does_not_drag_in_its_neighbours(tmp_path: Path) -> None:
    put(tmp_path, {"acmesingle.py": "def normalize(read): return None\n", "other.py": ""})
    sys.path.insert(0, str(tmp_path))
    try:
        normalize = importlib.import_module("acmesingle").normalize
    finally:
        sys.path.remove(str(tmp_path))
    nos = Nos("acme", "Acme", (), normalize, templates=tmp_path / "none")
    assert [p.name for p in module._code(nos) if p.is_relative_to(tmp_path)] == ["acmesingle.py"]


def test_the_folder_is_private(folder: Path) -> None:
    assert open_cache() is not None
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert open_cache() is not None
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_to_is_refused(folder: Path, mode: int) -> None:
    folder.mkdir(parents=True)
    folder.chmod(mode)
    assert open_cache() is None


def test_a_folder_of_somebody_else_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert open_cache() is None


def test_a_folder_that_leads_elsewhere_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert open_cache() is None


def test_where_no_folder_can_be_made_there_is_no_cache(
    folder: Path, configs: Path, reads: list[str]
) -> None:
    folder.parent.write_text("in the way")
    assert open_cache() is None
    assert [device.hostname for device in devices(configs)] == ["leaf1", "leaf2"]
    assert reads == ["leaf1", "leaf2"]


@pytest.mark.parametrize("given", ["", "relative/path"])
def test_the_usual_place_is_taken_where_none_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_cache() is not None
    assert (tmp_path / ".cache" / "roce-lint").is_dir()


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def nobody() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", nobody)
    assert open_cache() is None


def spoil(database: sqlite3.Connection, statement: str) -> None:
    with database:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    "content", [b"", b"not a database " * 99, b"SQLite format 3\0" + bytes(5000)]
)
def test_a_broken_file_begins_anew(
    folder: Path, configs: Path, reads: list[str], content: bytes
) -> None:
    devices(configs)
    (folder / FILE).write_bytes(content)
    for _ in range(3):
        assert len(devices(configs)) == 2
    assert reads in (["leaf1", "leaf2"] * 2, ["leaf1", "leaf2"] * 3)
    del reads[:]
    devices(configs)
    assert reads == []


def test_a_file_torn_in_the_middle_is_no_harm(
    folder: Path, configs: Path, reads: list[str]
) -> None:
    devices(configs)
    data = bytearray((folder / FILE).read_bytes())
    for at in range(4096, len(data), 97):
        data[at] ^= 0xA5
    (folder / FILE).write_bytes(data)
    for _ in range(3):
        assert [device.hostname for device in devices(configs)] == ["leaf1", "leaf2"]
    del reads[:]
    devices(configs)
    assert reads == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE devices SET device = x'80'",
        "UPDATE devices SET device = substr(device, 2)",
        "UPDATE devices SET device = x'00000000' || substr(device, 5)",
        "UPDATE devices SET device = 'text'",
        "UPDATE devices SET device = (SELECT device FROM devices ORDER BY key LIMIT 1)",
        "PRAGMA user_version = 99",
        "DROP TABLE devices",
        "ALTER TABLE devices RENAME COLUMN used TO seen",
    ],
)
def test_rows_that_are_not_what_was_stored_are_read_anew(
    folder: Path, configs: Path, reads: list[str], statement: str
) -> None:
    first = devices(configs)
    spoil(sqlite3.connect(folder / FILE), statement)
    del reads[:]
    assert devices(configs) == first
    assert reads
    devices(configs)  # begins anew where the file itself had to go
    del reads[:]
    assert devices(configs) == first
    assert reads == []


def test_another_run_that_writes_is_not_waited_for_long(
    folder: Path, configs: Path, monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.05)
    connect, waits = sqlite3.connect, []

    def spy(file: Path, *, timeout: float) -> sqlite3.Connection:
        waits.append(timeout)
        return connect(file, timeout=timeout)

    monkeypatch.setattr(module.sqlite3, "connect", spy)
    devices(configs)
    other = connect(folder / FILE, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    del waits[:]
    assert len(devices(configs)) == 2
    assert set(waits) == {0.05}
    assert len(waits) <= 2
    other.execute("ROLLBACK")
    other.close()
    assert reads == ["leaf1", "leaf2"] * 2
    devices(configs)
    assert reads == ["leaf1", "leaf2"] * 2  # nothing was thrown away


def test_runs_at_the_same_time_do_not_disturb_each_other(
    folder: Path, configs: Path, tmp_path: Path
) -> None:
    put(configs, {f"leaf{n}.cfg": eos(f"leaf{n}", 9000 + n) for n in range(3, 60)})
    children = []
    for number in range(6):
        if (child := fork()) == 0:
            try:
                done = ended("check", configs, "--format", "json")
                (tmp_path / f"{number}.txt").write_text(f"{done.returncode}\n{done}")
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    results = {(tmp_path / f"{number}.txt").read_text() for number in range(6)}
    assert len(results) == 1
    assert results.pop().startswith("0\n")
    with sqlite3.connect(folder / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("SELECT COUNT(*) FROM devices").fetchall() == [(59,)]
    database.close()


def group(name: str) -> tuple[Group, bytes]:
    one = part(f"{name}.cfg", name)
    entry = Group(name, "eos", [one])
    read = read_group(entry)
    assert read.device is not None
    return entry, pack(read.device)


def test_the_oldest_go_where_they_become_too_many(tmp_path: Path) -> None:
    kept = [group(f"d{n}") for n in range(4)]
    size = max(len(data) for _, data in kept)
    groups = [entry for entry, _ in kept]

    def known(day: int) -> set[int]:
        return set(Cache(tmp_path, now=day * DAY).get(groups))

    Cache(tmp_path, now=1 * DAY).put(kept[:1])
    Cache(tmp_path, now=2 * DAY).put(kept[1:2])
    Cache(tmp_path, now=3 * DAY).put(kept[2:3])
    assert known(3) == {0, 1, 2}  # all were used on day 3 now
    Cache(tmp_path, now=4 * DAY).get(groups[:1])
    Cache(tmp_path, now=5 * DAY, limit=2 * size + 9).put(kept[3:])
    assert known(5) == {0, 3}


def test_an_empty_put_makes_no_file(tmp_path: Path) -> None:
    Cache(tmp_path).put([])
    assert list(tmp_path.iterdir()) == []


def test_many_devices_are_asked_for_in_batches(tmp_path: Path) -> None:
    kept = [group(f"d{n}") for n in range(1203)]
    Cache(tmp_path).put(kept)
    found = Cache(tmp_path).get([entry for entry, _ in kept])
    assert [found[n].hostname for n in range(1203)] == [f"d{n}" for n in range(1203)]


@pytest.mark.parametrize(
    "statement",
    [
        """DROP TABLE devices; CREATE VIEW devices AS
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT zeroblob(9) AS key, 1 AS used, x AS device FROM n""",
        "CREATE TRIGGER t AFTER UPDATE ON devices BEGIN DELETE FROM devices; END",
        "CREATE TABLE others (a)",
        "CREATE INDEX i ON devices (used)",
    ],
)
def test_a_file_that_computes_is_put_aside_and_told(
    folder: Path, configs: Path, reads: list[str], statement: str
) -> None:
    devices(configs)
    database = sqlite3.connect(folder / FILE)
    database.executescript(statement)
    database.close()
    loaded = load((str(configs),), cache=True)
    assert [device.hostname for device in loaded.devices] == ["leaf1", "leaf2"]
    told = [entry.message for entry in loaded.diagnostics if entry.kind == "cache"]
    (message,) = told
    assert message.startswith("is not a cache of this program; it was moved aside ")
    assert (folder / module.ASIDE).is_file()
    assert not any(entry.incomplete for entry in loaded.diagnostics)
    del reads[:]
    devices(configs)  # from a file of our own again
    assert reads == []


def test_a_file_of_somebody_else_is_put_aside(
    folder: Path, configs: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    devices(configs)
    monkeypatch.setattr(module, "_is_private", lambda _folder: True)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    loaded = load((str(configs),), cache=True)
    (told,) = [entry.message for entry in loaded.diagnostics if entry.kind == "cache"]
    assert told.startswith("belongs to another user; ")
    assert reads == ["leaf1", "leaf2"] * 2


def test_a_device_that_is_too_long_is_not_even_taken_from_the_file(
    folder: Path, configs: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    devices(configs)
    monkeypatch.setattr(module, "DEVICE_LIMIT", 10)
    assert len(devices(configs)) == 2
    assert reads == ["leaf1", "leaf2"] * 2
