"""Reads the members of archives in place: nothing is written to disk, everything is bounded."""

from __future__ import annotations

import gzip
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import IO, Any

from roce_lint.loading.decode import RATIO_FROM, RATIO_LIMIT
from roce_lint.loading.discover import FILE_LIMIT, HEAD, READ_ONLY, reason
from roce_lint.loading.naming import printable

MEMBER_LIMIT = 200_000
ARCHIVE_LIMIT = 4 << 30
HEADER_LIMIT = 1 << 20
"""Bytes between two members of a tar; longer names and attributes occur only in attacks."""

DIRECTORY_LIMIT = 64 << 20
"""Bytes of a zip's table of contents, which is held in memory: 200,000 members with long names."""

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Other methods may allocate gigabytes of dictionary before the first byte."""

_TORN = (
    OSError,
    EOFError,
    ValueError,
    struct.error,
    zlib.error,
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)
_STEP = 1 << 20


class LimitError(Exception):
    """An archive over a limit."""


@dataclass(slots=True)
class Member:
    """One file of an archive: its bytes, or the reason why there are none."""

    name: str  # printable; never a path to anything
    data: bytes = b""
    whole: bool = True  # False: larger than FILE_LIMIT; `data` is its beginning
    problem: str = ""


Wanted = Callable[[str], bool]
"""Whether to read a member with that name."""


def members(path: str, wanted: Wanted) -> Iterator[Member]:
    """The wanted files of a tar or zip, in order. Members read before a fault remain valid.

    Raises:
        RefusedError: over a limit.
        OSError: not an archive, or truncated.
    """
    with open(os.open(path, READ_ONLY), "rb") as file:  # noqa: PTH123  (never waits for a pipe)
        budget = _Budget(os.fstat(file.fileno()).st_size)
        try:
            if path.lower().endswith(".zip"):
                yield from _zip(file, budget, wanted)
            else:
                yield from _tar(file, budget, wanted)
        except _TORN as error:
            raise OSError(None, f"not a complete archive: {reason(error)}") from error


def _name(raw: str) -> str:
    """Name of a member: without `./`, and with leading `..` made visible."""
    parts = [part for part in raw.replace("\\", "/").split("/") if part not in ("", ".")]
    return printable("/".join(parts))


def is_hidden(name: str) -> bool:
    """Whether a folder walk would skip the name as hidden; also for the shadow files of macOS."""
    return any(
        part == "__MACOSX" or (part.startswith(".") and part not in ("..", ".env"))
        for part in name.split("/")
    )


class _Budget:
    """Limits of unpacked members and bytes of an archive."""

    def __init__(self, packed: int) -> None:
        self.packed = max(packed, 1)
        self.total = 0
        self.members = 0

    def member(self) -> None:
        """Count a member."""
        self.members += 1
        if self.members > MEMBER_LIMIT:
            raise LimitError(f"more than {MEMBER_LIMIT} members")

    def spend(self, size: int) -> None:
        """Count unpacked bytes."""
        self.total += size
        if self.total > ARCHIVE_LIMIT:
            raise LimitError(f"more than {ARCHIVE_LIMIT >> 30} GiB")
        if self.total > RATIO_FROM and self.total > RATIO_LIMIT * self.packed:
            raise LimitError(f"unpacks to more than {RATIO_LIMIT} times its size")


class _Meter:
    """The unpacked stream of a tar.

    Headers are counted separately: the library reads each into memory at once, whatever its claimed
    length.
    """

    def __init__(self, file: IO[bytes], budget: _Budget) -> None:
        self._file = file
        self._budget = budget
        self.header = 0

    def read(self, size: int) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        self._budget.spend(len(data))
        self.header += len(data)
        if self.header > HEADER_LIMIT:
            raise LimitError("a header of more than a megabyte")
        return data


_CONTENT = -(1 << 62)  # of a member: not a header, and counted by the budget


def _tar(file: BufferedReader, budget: _Budget, wanted: Wanted) -> Iterator[Member]:
    packed = file.peek(2)[:2] == b"\x1f\x8b"
    unpacked: IO[bytes] = gzip.GzipFile(fileobj=file) if packed else file  # type: ignore[assignment]
    stream: Any = _Meter(unpacked, budget)  # the library asks for more than it uses
    with tarfile.open(fileobj=stream, mode="r|", errors="surrogateescape") as archive:
        while (info := archive.next()) is not None:
            archive.members = []  # type: ignore[attr-defined]  # else all are kept
            budget.member()
            name = _name(info.name)
            if (info.isreg() or info.islnk()) and wanted(name):
                stream.header = _CONTENT
                yield _untar(archive, info, name)
            position: int = archive.fileobj.tell()
            stream.header = position - archive.offset  # the rest of the member comes first


def _untar(archive: tarfile.TarFile, info: tarfile.TarInfo, name: str) -> Member:
    if info.issparse():
        return Member(name, problem="stored as a sparse file; pack it without holes")
    if info.islnk():
        return Member(name, problem="stored as a link to another member; pack it as a file")
    content = archive.extractfile(info)
    whole = info.size <= FILE_LIMIT
    wanted = info.size if whole else HEAD
    data = content.read(wanted) if content is not None else b""
    if len(data) < wanted:
        raise tarfile.ReadError(f"{name} is cut off")
    return Member(name, data, whole)


def _zip(file: BufferedReader, budget: _Budget, wanted: Wanted) -> Iterator[Member]:
    if _directory_size(file) > DIRECTORY_LIMIT:
        raise LimitError(f"a table of contents of more than {DIRECTORY_LIMIT >> 20} MiB")
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            budget.member()
            name = _name(info.filename)
            if info.is_dir() or not wanted(name):
                continue
            if info.flag_bits & 1:
                yield Member(name, problem="encrypted; unpack it first")
            elif info.compress_type not in _METHODS:
                yield Member(name, problem="unsupported compression method; use deflate")
            else:
                yield _unzip(archive, info, name, budget)


def _unzip(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, budget: _Budget) -> Member:
    data = bytearray()
    limit = FILE_LIMIT if info.file_size <= FILE_LIMIT else HEAD
    try:
        with archive.open(info) as content:
            while len(data) < limit and (piece := content.read(min(_STEP, limit - len(data)))):
                budget.spend(len(piece))
                data += piece
    except _TORN as error:
        return Member(name, problem=f"not readable: {reason(error)}")
    return Member(name, bytes(data), whole=info.file_size <= FILE_LIMIT)


def _directory_size(file: IO[bytes]) -> int:
    """Bytes of a zip's table of contents, from its end record; 0 if there is none."""
    length = file.seek(0, os.SEEK_END)
    begin = max(length - _END.size - 0xFFFF - _LOCATOR.size, 0)
    file.seek(begin)
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + _END.size:
        return 0
    size: int = _END.unpack_from(tail, at)[5]
    locator = at - _LOCATOR.size
    if locator >= 0 and tail.startswith(b"PK\6\7", locator):
        file.seek(min(_LOCATOR.unpack_from(tail, locator)[2], length))
        record = file.read(_END64.size)
        if len(record) == _END64.size:
            size = max(size, _END64.unpack(record)[8])
    return size
