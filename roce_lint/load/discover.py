"""Finds files below the paths given: folders, archives, standard input, all within limits."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import UsageError

FILE_LIMIT = 64 << 20
"""Bytes of one file; a full `show running-config all` of a chassis is below 20 MB."""

MEMBER_LIMIT = 200_000
ARCHIVE_LIMIT = 4 << 30
RATIO_LIMIT = 20
"""Unpacked to packed size of an archive; configuration text packs 5 to 12 times."""

RATIO_FROM = 64 << 20
"""The ratio counts only above this unpacked size: small archives of repeated text pack better."""

DOCUMENTS = (".md", ".rst", ".html", ".htm", ".pdf", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".py")
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")
CONTROL = ("roce-lint.toml", "links.yaml", "links.yml", "links.csv", "intent.yaml", "intent.yml")
"""Files that steer a run and are no configuration of a device."""


@dataclass(slots=True)
class Found:
    """A file to identify: on disk (`path`) or in memory (`data`)."""

    name: str  # as reports show it
    path: str | None
    named: bool  # given on the command line: never skipped silently
    data: bytes | None = None
    size: int = 0


@dataclass(slots=True)
class Discovery:
    """Everything found."""

    files: list[Found] = field(default_factory=list)
    control: dict[str, Path] = field(default_factory=dict)  # links.yaml and the like, by name
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: int = 0
    base: str = "."


def discover(paths: tuple[str, ...], stdin: str | None = None) -> Discovery:
    """All candidate files, in a stable order.

    Raises:
        UsageError: a path does not exist.
    """
    found = Discovery(base=_base(paths))
    for text in paths:
        if text == "-":
            data = (stdin or "").encode("utf-8", "surrogateescape")
            found.files.append(Found("<stdin>", None, named=True, data=data, size=len(data)))
            continue
        path = Path(text)
        if path.is_dir():
            _walk(path, found)
        elif path.is_file():
            _file(path, os.path.relpath(path, found.base), found, named=True)
        elif path.exists() or path.is_symlink():
            message = "is neither a file nor a folder"
            found.diagnostics.append(Diagnostic(text, "unreadable", message))
        else:
            raise UsageError(f"no such file or folder: {text}")
    return found


def _base(paths: tuple[str, ...]) -> str:
    """The folder that file names in the report are relative to: PATH, or the common parent."""
    folders = [p if os.path.isdir(p) else os.path.dirname(p) or "." for p in paths if p != "-"]
    if not folders:
        return "."
    if len(folders) == 1:
        return folders[0]
    return os.path.commonpath([os.path.abspath(folder) for folder in folders])


def _walk(root: Path, found: Discovery) -> None:
    top = root.resolve()
    stack = [root]
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            name = os.path.relpath(folder, found.base)
            found.diagnostics.append(Diagnostic(name, "unreadable", _reason(error)))
            continue
        below = []
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = Path(entry.path)
            if entry.is_symlink() and not _inside(path, top):
                name = os.path.relpath(path, found.base)
                message = "symbolic link that leads out of the folder or into itself; not followed"
                found.diagnostics.append(Diagnostic(name, "link", message, incomplete=False))
            elif entry.is_dir(follow_symlinks=False):
                below.append(path)
            elif entry.is_file():
                _file(path, os.path.relpath(path, found.base), found, named=False)
        stack += reversed(below)


def _inside(path: Path, top: Path) -> bool:
    """A link may point at a file inside the folder that is checked, nowhere else."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return False
    return target.is_file() and target.is_relative_to(top)


def _file(path: Path, name: str, found: Discovery, *, named: bool) -> None:
    lower = path.name.lower()
    if lower in CONTROL and not named:
        found.control.setdefault(lower, path)
        return
    if lower.endswith(DOCUMENTS) and not named:
        found.skipped += 1
        return
    try:
        size = path.stat().st_size
    except OSError as error:
        found.diagnostics.append(Diagnostic(name, "unreadable", _reason(error)))
        return
    if lower.endswith(ARCHIVES):
        _archive(path, name, found)
        return
    found.files.append(Found(name, str(path), named, size=size))


def _archive(path: Path, name: str, found: Discovery) -> None:
    try:
        members = _zip(path) if path.name.lower().endswith(".zip") else _tar(path)
        total = count = 0
        packed = max(path.stat().st_size, 1)
        for member, size, data in members:
            count += 1
            total += size
            if count > MEMBER_LIMIT or total > ARCHIVE_LIMIT:
                raise _TooMuch(f"more than {MEMBER_LIMIT} members or {ARCHIVE_LIMIT >> 30} GiB")
            if total > RATIO_FROM and total > RATIO_LIMIT * packed:
                raise _TooMuch(f"unpacks to more than {RATIO_LIMIT} times its size")
            lower = member.lower()
            if data is None or lower.endswith(DOCUMENTS) or lower.rsplit("/", 1)[-1] in CONTROL:
                found.skipped += 1
                continue
            found.files.append(Found(f"{name}!{member}", None, named=False, data=data, size=size))
    except _TooMuch as error:
        message = f"archive refused: {error}"
        found.diagnostics.append(Diagnostic(name, "over-limit", message))
    except (
        OSError,
        EOFError,
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        RuntimeError,
        NotImplementedError,
    ) as error:
        message = f"not a readable archive: {_reason(error)}"
        found.diagnostics.append(Diagnostic(name, "unreadable", message))


class _TooMuch(Exception):
    """An archive over a limit."""


Member = tuple[str, int, bytes | None]


def _tar(path: Path) -> Iterator[Member]:
    raw: io.IOBase = path.open("rb")
    with raw:
        opened = gzip.open(raw) if path.name.lower().endswith(("gz", "tgz")) else raw  # type: ignore[call-overload]
        with tarfile.open(fileobj=opened, mode="r|") as archive:
            for member in archive:
                if not member.isfile():
                    continue
                if member.size > FILE_LIMIT:
                    yield member.name, member.size, None
                    continue
                file = archive.extractfile(member)
                yield member.name, member.size, file.read() if file is not None else None


def _zip(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            if info.file_size > FILE_LIMIT:
                yield info.filename, info.file_size, None
                continue
            with archive.open(info) as file:
                yield info.filename, info.file_size, file.read(FILE_LIMIT + 1)


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
