"""Malicious input beside configurations: archives, links, devices, caches, depths."""

from __future__ import annotations

import io
import json
import os
import pickle
import sqlite3
import struct
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from roce_lint.loading import cache as cache_module
from roce_lint.loading import decode
from roce_lint.loading.cache import FILE
from roce_lint.loading.load import load
from roce_lint.loading.serialization import LENGTH, ForeignError, seal, unpack
from roce_lint.report import FORMATS
from tests.command import ended
from tests.conftest import Within
from tests.hostile.places import HOSTS, patience
from tests.unit.loading.making import check, diagnostics_of, eos, message, names, put, zipped

MEBI = 1 << 20


# -------------------------------------------------------------------------------------- archives


def thin(name: str, size: int) -> str:
    """A configuration of so many bytes that packs to next to nothing."""
    line = f"   description {'nothing ' * 100}\n"
    return eos(name).removesuffix("end\n") + line * (size // len(line)) + "end\n"


@pytest.mark.parametrize("form", ["zip", "gz"])
def test_many_small_bombs_are_no_cheaper_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Each is below what the ratio of one archive counts from; their sum is not."""
    import gzip  # noqa: PLC0415

    monkeypatch.setattr("roce_lint.loading.load.RATIO_FROM", 2 * MEBI)
    for number in range(6):
        text = thin(f"leaf{number}", MEBI)
        if form == "zip":
            put(tmp_path, {f"s{number}.zip": zipped({f"leaf{number}.cfg": text})})
        else:
            put(tmp_path, {f"s{number}.cfg.gz": gzip.compress(text.encode())})
    put(tmp_path, {"z.zip": zipped({"leaf9.cfg": eos("leaf9")}), "leaf8.cfg": eos("leaf8")})
    report = check(tmp_path)
    assert names(report) == ["leaf0", "leaf1", "leaf8", "leaf9"]
    refused = [entry for entry in report.diagnostics if entry.kind == "over-limit"]
    assert len(refused) == 4
    assert all(entry.incomplete for entry in refused)
    assert refused[0].message == (
        "refused: with those before it, unpacks to more than 20 times its size"
    )


def test_what_packs_as_configurations_do_is_never_counted() -> None:
    assert decode.beyond(1000, 20_000) == 0
    assert decode.beyond(1000, 20_001) == 1


def test_a_zip_in_a_zip_in_a_zip(tmp_path: Path) -> None:
    data = zipped({"deep.cfg": eos("deep")})
    for _ in range(8):
        data = zipped({"in.zip": data})
    put(tmp_path, {"a.zip": data, "leaf1.cfg": eos()})
    report = check(tmp_path)
    assert names(report) == ["leaf1"]
    assert diagnostics_of(report) == [("a.zip!in.zip", None, "no-text", False)]


def test_fifty_thousand_members(tmp_path: Path, within: Within) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(50_000):
            archive.writestr(f"n{number}.txt", "")
        archive.writestr("leaf1.cfg", eos())
    put(tmp_path, {"a.zip": out.getvalue()})
    with within(30):
        assert names(check(tmp_path)) == ["leaf1"]


@pytest.mark.parametrize(
    "name", ["../../evil.cfg", "/etc/evil.cfg", "C:\\evil.cfg", "a\n\x1b[31m.cfg", "a\u202egfc.cfg"]
)
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_names_of_members_lead_nowhere(tmp_path: Path, name: str, form: str) -> None:
    out = io.BytesIO()
    if form == "zip":
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(name, eos())
    else:
        with tarfile.open(fileobj=out, mode="w") as tape:
            info = tarfile.TarInfo(name)
            info.size = len(eos())
            tape.addfile(info, io.BytesIO(eos().encode()))
            for kind in (tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
                other = tarfile.TarInfo("leaf2.cfg")
                other.type, other.linkname = kind, "/etc/passwd"
                tape.addfile(other)
    inside = put(tmp_path / "in", {f"a.{form}": out.getvalue()})
    before = sorted(tmp_path.rglob("*"))
    done = ended("check", inside, "--no-cache", "--format", "json")
    assert sorted(tmp_path.rglob("*")) == before
    assert [device["name"] for device in json.loads(done.stdout)["devices"]] == ["leaf1"]
    assert all(text.isprintable() for text in (done.stdout + done.stderr).split("\n"))


# -------------------------------------------------------------------- links, pipes, devices, depths


def links(folder: Path) -> None:
    put(folder.parent, {"outside/leaf9.cfg": eos("leaf9"), "outside/links.yaml": "[]\n"})
    for name, target in {
        "out.cfg": "../outside/leaf9.cfg", "dangling.cfg": "gone", "loop.cfg": "loop.cfg",
        "folder": "../outside", "up": "..", "passwd.cfg": "/etc/passwd", "zero.cfg": "/dev/zero",
        "self.cfg": "/proc/self/mem", "links.yaml": "../outside/links.yaml",
    }.items():  # fmt: skip
        (folder / name).symlink_to(target)


def pipes(folder: Path) -> None:
    for name in ("leaf9.cfg", "links.yaml", "intent.yaml", "a.zip"):
        os.mkfifo(folder / name)


def pipe_of_settings(folder: Path) -> None:
    os.mkfifo(folder / "roce-lint.toml")


def endless_settings(folder: Path) -> None:
    (folder / "roce-lint.toml").symlink_to("/dev/zero")


def holes(folder: Path) -> None:
    with (folder / "leaf9.cfg").open("wb") as file:
        file.truncate(2 << 30)


def long_line(folder: Path) -> None:
    (folder / "leaf9.cfg").write_bytes(b"interface " + b"x" * 70 * MEBI)


def depths(folder: Path) -> None:
    """1,500 folders, the path of which is longer than the system takes."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("dddd", dir_fd=here)
        below = os.open("dddd", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    with open(os.open("leaf9.cfg", os.O_WRONLY | os.O_CREAT, dir_fd=here), "w") as file:  # noqa: PTH123
        file.write(eos("leaf9"))
    os.close(here)


def laughs(folder: Path) -> None:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    document = (
        "- set:\n    system: {hostname: x}\n    interface:\n      swp1: {link: {mtu: 9216}}\n"
    )
    put(folder, {
        "nvue.yaml": document + "\n".join("    " + line for line in lines),
        "netplan/01.yaml": "network:\n  version: 2\n  ethernets: &e\n    <<: *e\n    eth0: {mtu: 1}\n",
        "job.yaml": "apiVersion: v1\nkind: Pod\nspec: !!python/object/apply:os.system ['touch PWNED']\n",
    })  # fmt: skip


@pytest.mark.parametrize(
    ("make", "status", "told"),
    [
        (links, 0, "out.cfg: link: symbolic link that leads out of the folder; not followed"),
        (pipes, 0, ""),
        (pipe_of_settings, 0, ""),
        (endless_settings, 0, "roce-lint.toml: link: symbolic link that leads out of the folder"),
        (holes, 0, "leaf9.cfg: over-limit: larger than 64 MiB; skipped"),
        (long_line, 0, "leaf9.cfg: over-limit: larger than 64 MiB; skipped"),
        (depths, 3, "unreadable: File name too long"),
        (laughs, 3, ""),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)  # fmt: skip
def test_nothing_that_lies_there_is_followed_or_waited_for(
    tmp_path: Path, make: Callable[[Path], None], status: int, told: str
) -> None:
    folder = put(tmp_path / "in", {"leaf1.cfg": eos()})
    make(folder)
    done = ended("check", folder, "--no-cache", "--format", "json", confined=patience)
    subprocess.run(["rm", "-rf", str(folder / "dddd")], check=True)  # deeper than Python can go
    assert done.returncode == status, done.stderr
    assert told in done.stderr
    read = [device["name"] for device in json.loads(done.stdout)["devices"]]
    assert "leaf1" in read
    assert "leaf9" not in read
    assert "root:" not in done.stdout
    assert not (folder / "PWNED").exists()


def test_a_pipe_that_is_named_among_files_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "leaf9.cfg")
    done = ended("check", HOSTS, "--no-cache", tmp_path / "leaf9.cfg", confined=patience)
    assert done.returncode == 1
    assert "leaf9.cfg: unreadable: is neither a file nor a folder" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("--links", "links.yaml"), ("--links", "links.csv"), ("--intent", "intent.yaml"),
        ("--baseline", "known.json"), ("--config", "set.toml"), ("--trusted-config", "set.toml"),
    ],
)  # fmt: skip
def test_what_is_named_and_endless_is_refused(tmp_path: Path, option: str, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    done = ended("check", HOSTS, "--no-cache", "-q", option, tmp_path / name, confined=patience)
    assert (done.returncode, done.stdout) == (2, "")
    assert name in done.stderr


# ---------------------------------------------------------------------------------------- formats


@pytest.mark.parametrize("name", FORMATS)
def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, name: str) -> None:
    """Spreadsheet formulas, in every place from which a cell is made."""
    formula = "=cmd|'/c calc'!A1"
    text = eos(formula).replace(
        "9214", f"9214\n   description {formula}\n   service-profile {formula}"
    )
    put(tmp_path, {f"{formula[:4]}x.cfg": text})
    done = ended("check", tmp_path, "--no-cache", "--show-unknown", "-v", "--format", name)
    if name == "csv":
        import csv  # noqa: PLC0415

        rows = list(csv.reader(io.StringIO(done.stdout)))
        assert len(rows) > 1
        assert not [cell for row in rows for cell in row if cell[:1] in "=+-@\t\r" and cell]


# ------------------------------------------------------------------------------------------ cache


def row(data: bytes) -> bytes:
    places = pickle.dumps([])
    length = len(places).to_bytes(LENGTH, "big")
    return seal(length + places + pickle.PROTO + b"\5" + data + pickle.STOP)


HOSTILE = {
    "BYTEARRAY8 of a TiB": pickle.BYTEARRAY8 + struct.pack("<Q", 1 << 40),
    "BINBYTES8 of a TiB": pickle.BINBYTES8 + struct.pack("<Q", 1 << 40),
    "BINUNICODE8 of an EiB": pickle.BINUNICODE8 + struct.pack("<Q", 1 << 60),
    "FRAME of an EiB": pickle.FRAME + struct.pack("<Q", 1 << 60),
    "LONG4 of two GiB": pickle.LONG4 + struct.pack("<i", (1 << 31) - 1),
    "memo of two thousand million": pickle.NONE + pickle.LONG_BINPUT + struct.pack("<I", 1 << 31),
    "a buffer that nobody gave": pickle.NEXT_BUFFER,
    "a bytearray of two hundred GiB": b"c__builtin__\nbytearray\n(I274877906944\ntR",
    "a persistent name": b"Pevil\n",
    "an extension": pickle.EXT1 + b"\x01",
    "a stack that is not there": pickle.SETITEMS,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_row_of_a_cache_ends_or_fills_a_run(name: str, within: Within) -> None:
    with within(5), pytest.raises(ForeignError):
        unpack(row(HOSTILE[name]))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_run_with_such_a_cache_answers_as_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    put(tmp_path / "in", {"leaf1.cfg": eos()})
    first = load((str(tmp_path / "in"),), cache=True)
    with sqlite3.connect(tmp_path / "cache" / "roce-lint" / FILE) as database:
        assert database.execute("UPDATE devices SET device = ?", [row(HOSTILE[name])]).rowcount == 1
    database.close()
    assert load((str(tmp_path / "in"),), cache=True).devices == first.devices


def test_a_cache_never_grows_beyond_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred runs over other configurations each: the file ends to grow."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    limit = 40_000
    monkeypatch.setattr(
        cache_module.Cache.__init__, "__kwdefaults__", {"limit": limit, "now": None}
    )
    file = tmp_path / "cache" / "roce-lint" / FILE
    sizes = []
    for number in range(100):
        put(tmp_path / "in", {"leaf1.cfg": eos(f"leaf{number}")})
        (device,) = load((str(tmp_path / "in"),), cache=True).devices
        assert device.hostname == f"leaf{number}"
        sizes.append(file.stat().st_size)
    assert max(sizes) < 3 * limit
    assert sizes[-1] == sizes[49]
    with sqlite3.connect(file) as database:
        (kept,) = database.execute("SELECT SUM(LENGTH(device)) FROM devices").fetchone()
    database.close()
    assert 0 < kept <= limit


def test_what_was_put_aside_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    put(tmp_path / "in", {"leaf1.cfg": eos()})
    folder = tmp_path / "cache" / "roce-lint"
    load((str(tmp_path / "in"),), cache=True)
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)
    report = check_cached(tmp_path / "in")
    assert "is not a regular file" in message(report)
    assert check_cached(tmp_path / "in").diagnostics == []


def check_cached(folder: Path):
    from roce_lint.pipeline import Request, run  # noqa: PLC0415
    from roce_lint.settings import Settings  # noqa: PLC0415

    return run(Request(paths=(str(folder),)), Settings())
