"""A folder of texts, written beside its place and moved there as a whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from roce_lint.errors import WriteError


def write_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Make a folder that holds these texts, each at its path below it. It must not exist yet, or
    be empty.

    Raises:
        WriteError: it cannot be written, or a path leads out of it; nothing is left behind.
    """
    beside = ""
    try:
        beside = tempfile.mkdtemp(prefix=f".{folder.name[:64]}.", dir=folder.absolute().parent)
        top = Path(beside).resolve()
        for name, text in texts.items():
            target = (top / name).resolve()
            if top not in target.parents:
                raise WriteError("leads out of the folder", location=name)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(text.encode("utf-8"))
        top.chmod(0o777 & ~_mask())
        if folder.is_dir():
            folder.rmdir()
        os.replace(top, folder)  # noqa: PTH105  (of a folder)
    except OSError as error:
        raise WriteError(f"cannot be written: {error.strerror}", location=str(folder)) from None
    finally:
        if beside:
            shutil.rmtree(beside, ignore_errors=True)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
