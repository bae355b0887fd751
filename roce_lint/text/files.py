"""Input files read within size limits; output files written atomically."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

from roce_lint.errors import RoceLintError, WriteError
from roce_lint.text.source import SourceFile, digest

_NEW = 0o666

SIZE_LIMIT = 1 << 20
"""Bytes of a hand-written file: a profile, a rule page, an intent."""

FILES_LIMIT = 1000
"""Files of a folder of profiles, hardware or rule pages; roce-lint itself has 200 pages."""


def read_small(path: Path, limit: int = SIZE_LIMIT) -> bytes:
    """The bytes of a regular file; pipes and devices are never waited for.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger than the limit.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(None, "is not a regular file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(None, f"is larger than {limit >> 20} MiB")
    return data


def read_source(path: Path, name: str, limit: int, refuse: type[RoceLintError]) -> SourceFile:
    """The text of a hand-written file; `name` is its name in reports.

    Raises:
        RoceLintError: of the kind `refuse`; it cannot be read, or is too large or not UTF-8.
    """
    try:
        with path.open("rb") as opened:
            data = opened.read(limit + 1)
    except OSError as error:
        raise refuse(f"cannot be read: {error.strerror}", location=name) from error
    if len(data) > limit:
        raise refuse(f"larger than {limit >> 20} MiB", location=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refuse("is not UTF-8", location=f"{name}:{line}") from error
    return SourceFile(name, text, digest(data), str(path.resolve()))


def list_files(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder that match a glob, in order.

    Raises:
        OSError: there are too many.
    """
    found = sorted(islice(folder.glob(pattern), FILES_LIMIT + 1))
    if len(found) > FILES_LIMIT:
        raise OSError(None, f"holds more than {FILES_LIMIT} files")
    return found


def is_below(file: str, paths: Iterable[str]) -> bool:
    """Whether a file lies below one of the paths, or is one; `-` is standard input."""
    real = os.path.realpath(file)
    tops = [os.path.realpath(path) for path in paths if path != "-"]
    return any(os.path.commonpath([real, top]) == top for top in tops)


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to `path` atomically.

    An existing file keeps its permissions; a symbolic link is replaced and not followed. A target
    that is not a regular file (a pipe, /dev/stdout) is written to directly.

    Raises:
        WriteError: it cannot be written; the existing file is untouched.
    """
    try:
        state = path.lstat()
    except FileNotFoundError:
        state = None
    except OSError as error:
        raise _unwritable(error, path) from None
    if state is not None and not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
        try:
            path.write_bytes(data)
        except OSError as error:
            raise _unwritable(error, path) from None
        return
    kept = stat.S_IMODE(state.st_mode) if state and stat.S_ISREG(state.st_mode) else _usual()
    beside = ""
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(kept)
        Path(beside).replace(path)
    except OSError as error:
        raise _unwritable(error, path) from None
    finally:  # also where an interrupt ends the run; after the replacement there is no such file
        with suppress(OSError):
            Path(beside).unlink(missing_ok=True)


def _usual() -> int:
    """Default permissions of a new file here."""
    mask = os.umask(0)
    os.umask(mask)
    return _NEW & ~mask


def _unwritable(error: OSError, path: Path) -> WriteError:
    return WriteError(f"cannot be written: {error.strerror}", location=str(path))
