"""Files that are written: beside their place and moved there, so that each is either old or new."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from roce_lint.errors import WriteError

_NEW = 0o666


def write_file(path: Path, data: bytes) -> None:
    """Put `data` at `path` as a whole.

    What stands there keeps its permissions; a symbolic link is replaced and not followed. What is
    no regular file (a pipe, /dev/stdout) is written to, because nothing else can be done with it.

    Raises:
        WriteError: it cannot be written; what stood there is untouched.
    """
    try:
        state = path.lstat()
    except FileNotFoundError:
        state = None
    except OSError as error:
        raise _unwritable(error, path) from None
    if state is not None and not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
        _write_to(path, data)
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
        with suppress(OSError):
            Path(beside).unlink(missing_ok=True)
        raise _unwritable(error, path) from None


def _write_to(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise _unwritable(error, path) from None


def _usual() -> int:
    """The permissions that a new file gets here."""
    mask = os.umask(0)
    os.umask(mask)
    return _NEW & ~mask


def _unwritable(error: OSError, path: Path) -> WriteError:
    return WriteError(f"cannot be written: {error.strerror}", location=str(path))
