from __future__ import annotations

import base64
import gzip
import hashlib
import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roce_lint.loading import archive
from roce_lint.loading.archive import LimitError, Member, is_hidden, members
from tests.unit.loading.making import tar, zipped

FILES = {"leaf1.cfg": b"hostname leaf1\n", "hosts/gpu-1/a.txt": b"driver: x\n", "empty": b""}


def read(path: Path, data: bytes, wanted: archive.Wanted = lambda _: True) -> list[Member]:
    path.write_bytes(data)
    return list(members(str(path), wanted))


def contents(found: list[Member]) -> dict[str, bytes]:
    return {member.name: member.data for member in found}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.tar", tar(FILES)),
        ("a.tar.gz", tar(FILES, "w:gz")),
        ("a.TGZ", tar(FILES, "w:gz")),
        ("a.tar.gz", tar(FILES)),  # packed in name only
        ("a.zip", zipped(FILES)),
        ("a.zip", zipped(FILES, zipfile.ZIP_STORED)),
    ],
)
def test_all_members_are_read_in_order(tmp_path: Path, name: str, data: bytes) -> None:
    found = read(tmp_path / name, data)
    assert contents(found) == FILES
    assert [member.name for member in found] == list(FILES)


def test_members_nobody_wants_are_passed_over(tmp_path: Path) -> None:
    big = {"a": b"x" * (3 << 20), **FILES}
    for name, data in (("a.tar", tar(big)), ("a.zip", zipped(big, zipfile.ZIP_STORED))):
        found = read(tmp_path / name, data, lambda name: name == "leaf1.cfg")
        assert contents(found) == {"leaf1.cfg": b"hostname leaf1\n"}


@pytest.mark.parametrize("make", [tar, zipped])
def test_names_are_shown_and_lead_nowhere(tmp_path: Path, make: object) -> None:
    raw = ["../../evil.cfg", "/abs/leaf.cfg", "./ok/leaf2.cfg", "a\nb\x1b.cfg", "c:\\x\\y.cfg"]
    before = sorted(tmp_path.rglob("*"))
    suffix = "zip" if make is zipped else "tar"
    path = tmp_path / f"a.{suffix}"
    found = read(path, make(dict.fromkeys(raw, b"x")))  # type: ignore[operator]
    assert [member.name for member in found] == [
        "../../evil.cfg", "abs/leaf.cfg", "ok/leaf2.cfg", "a\\nb\\x1b.cfg", "c:/x/y.cfg",
    ]  # fmt: skip
    assert sorted(tmp_path.rglob("*")) == [*before, path]  # nothing was written


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("leaf1.cfg", False),
        ("../leaf1.cfg", False),
        (".git/config", True),
        ("a/.x.cfg", True),
        ("__MACOSX/a/._leaf1.cfg", True),
    ],
)
def test_what_a_folder_hides_is_hidden(name: str, hidden: bool) -> None:
    assert is_hidden(name) is hidden


def test_links_and_devices_have_no_content(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            info = tarfile.TarInfo(f"x{kind!r}")
            info.type, info.linkname = kind, "/etc/passwd"
            made.addfile(info)
        info = tarfile.TarInfo("leaf1.cfg")
        info.size = 1
        made.addfile(info, io.BytesIO(b"x"))
    found = read(tmp_path / "a.tar", out.getvalue())
    assert [(m.name, m.data, m.problem) for m in found] == [
        ("xb'1'", b"", "stored as a link to another member; pack it as a file"),
        ("leaf1.cfg", b"x", ""),
    ]


def test_a_torn_archive_gives_what_came_before(tmp_path: Path) -> None:
    data = tar({f"l{n}.cfg": bytes([65 + n]) * 30_000 for n in range(4)})
    path = tmp_path / "a.tar"
    path.write_bytes(data[:70_000])
    found = members(str(path), lambda _: True)
    assert [next(found).name, next(found).name] == ["l0.cfg", "l1.cfg"]
    with pytest.raises(OSError, match="not a complete archive: unexpected end of data"):
        next(found)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
@pytest.mark.parametrize(
    "data", [b"", b"hostname leaf1\n", b"\x1f\x8b\x08\0", b"PK\5\6", bytes(99)]
)
def test_what_is_no_archive_is_told(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(OSError, match="not a complete archive"):
        read(tmp_path / name, data)


def test_torn_gzip_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="ended before the end-of-stream marker"):
        read(tmp_path / "a.tgz", tar(FILES, "w:gz")[:-30])


def broken_zip(offset: int, value: int) -> bytes:
    """A zip of FILES with one byte of the first member's two headers changed."""
    data = bytearray(zipped(FILES))
    data[offset] = value
    data[data.find(b"PK\1\2") + offset + 2] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (broken_zip(6, 1), "encrypted; unpack it first"),
        (broken_zip(8, zipfile.ZIP_LZMA), "unsupported compression method; use deflate"),
        (broken_zip(14, 1), "not readable: Bad CRC-32 for file 'leaf1.cfg'"),
    ],
)
def test_one_bad_member_does_not_lose_the_others(tmp_path: Path, data: bytes, problem: str) -> None:
    found = read(tmp_path / "a.zip", data)
    assert [(member.name, member.problem) for member in found] == [
        ("leaf1.cfg", problem), ("hosts/gpu-1/a.txt", ""), ("empty", ""),
    ]  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every limit divided by a thousand."""
    for name in ("FILE_LIMIT", "HEAD", "RATIO_FROM", "ARCHIVE_LIMIT", "HEADER_LIMIT"):
        monkeypatch.setattr(archive, name, getattr(archive, name) >> 10)
    monkeypatch.setattr(archive, "HEADER_LIMIT", 20 << 10)
    monkeypatch.setattr(archive, "DIRECTORY_LIMIT", 4 << 10)
    monkeypatch.setattr(archive, "MEMBER_LIMIT", 200)


def text(size: int) -> bytes:
    """Text that hardly packs."""
    return base64.b64encode(hashlib.shake_128(b"seed").digest(size))[:size]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
def test_of_a_member_over_the_limit_the_beginning_is_read(tmp_path: Path, name: str) -> None:
    files = {"big": text((64 << 10) + 1), "leaf1.cfg": b"x"}
    make = {"a.tar": tar(files), "a.tar.gz": tar(files, "w:gz"), "a.zip": zipped(files)}
    big, leaf = read(tmp_path / name, make[name])
    assert (big.data, big.whole) == (files["big"][:64], False)
    assert (leaf.data, leaf.whole) == (b"x", True)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", ["a.tar.gz", "a.zip"])
def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, name: str) -> None:
    files = {f"{n}.cfg": bytes(60 << 10) for n in range(30)}
    data = zipped(files) if name == "a.zip" else tar(files, "w:gz")
    with pytest.raises(LimitError, match="unpacks to more than 20 times its size"):
        read(tmp_path / name, data)


@pytest.mark.usefixtures("small")
def test_what_nobody_wants_counts_as_well_where_it_is_unpacked(tmp_path: Path) -> None:
    data = tar({f"{n}.png": bytes(60 << 10) for n in range(30)}, "w:gz")
    with pytest.raises(LimitError, match="20 times"):
        read(tmp_path / "a.tgz", data, lambda _: False)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("make", [tar, zipped])
def test_too_many_members_are_refused(tmp_path: Path, make: object, monkeypatch: object) -> None:
    monkeypatch.setattr(archive, "DIRECTORY_LIMIT", 1 << 20)  # type: ignore[attr-defined]
    data = make({str(n): b"" for n in range(201)})  # type: ignore[operator]
    with pytest.raises(LimitError, match="more than 200 members"):
        read(tmp_path / ("a.zip" if make is zipped else "a.tar"), data)


@pytest.mark.usefixtures("small")
def test_too_much_in_all_is_refused(tmp_path: Path) -> None:
    data = tar({str(n): text(60_000) for n in range(80)})
    with pytest.raises(LimitError, match=r"more than \d+ GiB"):
        read(tmp_path / "a.tar", data)


@pytest.mark.usefixtures("small")
def test_a_table_of_contents_that_fills_the_memory_is_refused(tmp_path: Path) -> None:
    data = zipped({f"{n:060}": b"" for n in range(60)})
    with pytest.raises(LimitError, match="table of contents"):
        read(tmp_path / "a.zip", data)


@pytest.mark.usefixtures("small")
def test_the_size_of_a_long_table_of_contents_is_found(tmp_path: Path) -> None:
    data = zipped(FILES)
    at = data.find(b"PK\5\6")
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 3, 3, 5 << 10, 0)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, at, 1)
    with pytest.raises(LimitError, match="table of contents"):
        read(tmp_path / "a.zip", data[:at] + record + locator + data[at:])


def header(kind: bytes, size: int) -> bytes:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = kind, size
    return info.tobuf()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE])
@pytest.mark.parametrize("before", [{}, {"a": b"x" * 70_000}], ids=["first", "second"])
def test_a_header_that_fills_the_memory_is_refused(
    tmp_path: Path, kind: bytes, before: dict[str, bytes]
) -> None:
    members_before = tar(before)[: sum(512 + -(-len(b) // 512) * 512 for b in before.values())]
    data = members_before + header(kind, 50 << 20) + b"a" * (1 << 20)
    with pytest.raises(LimitError, match="a header of more than a megabyte"):
        read(tmp_path / "a.tar", data, lambda _: False)


def test_a_bomb_is_refused_long_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.tgz"
    with gzip.open(path, "wb", 1) as out:
        out.write(header(tarfile.GNUTYPE_LONGNAME, 4 << 30))
        for _ in range(80):
            out.write(bytes(1 << 20))
    with pytest.raises(LimitError):
        list(members(str(path), lambda _: True))


def test_members_with_holes_are_left_alone(tmp_path: Path) -> None:
    info = tarfile.TarInfo("big.cfg")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0",
                        "GNU.sparse.realsize": str(1 << 60), "GNU.sparse.name": "big.cfg"}  # fmt: skip
    block = b"1\n0\n0\n".ljust(512, b"\0")
    info.size = len(block)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
        made.addfile(info, io.BytesIO(block))
        leaf = tarfile.TarInfo("leaf1.cfg")
        leaf.size = 1
        made.addfile(leaf, io.BytesIO(b"x"))
    found = read(tmp_path / "a.tar", out.getvalue())
    assert [(m.name, m.data, m.problem) for m in found] == [
        ("big.cfg", b"", "stored as a sparse file; pack it without holes"), ("leaf1.cfg", b"x", ""),
    ]  # fmt: skip


WHOLE = {"a.tar": tar(FILES), "a.tgz": tar(FILES, "w:gz"), "a.zip": zipped(FILES)}


@given(
    name=st.sampled_from(list(WHOLE)),
    changes=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=8),
    length=st.integers(0, 1 << 20),
)
def test_no_damage_makes_it_fail_otherwise(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    changes: list[tuple[int, int]],
    length: int,
) -> None:
    data = bytearray(WHOLE[name])
    for at, value in changes:
        data[at % len(data)] = value
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data[: length % (2 * len(data))])
    try:
        found = list(members(str(path), lambda _: True))
    except (OSError, LimitError):
        return
    assert all(member.name.isprintable() for member in found)
