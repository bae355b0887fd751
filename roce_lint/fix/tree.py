"""A copy of what was judged in which some files are others: what the proof reads."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def corrected_tree(path: Path, texts: Mapping[str, str | None]) -> Iterator[Path]:
    """A tree like the one at `path` for as long as the block runs, with these texts in the place
    of the files of these names, or beside them (as `os.path.relpath` gives them from `path`);
    without a file where its text is None.

    Files are linked where the file system can, so that a large tree costs its names alone. Nobody
    but this user may look into it.

    Raises:
        OSError: there is no room, or something cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="roce-lint-") as folder:
        top = Path(folder) / path.resolve().name
        if path.is_dir():
            shutil.copytree(
                path, top, symlinks=True, copy_function=_link, ignore=_not_plain, dirs_exist_ok=True
            )
            _own(top)
        else:
            _link(str(path), str(top))
        for name, text in texts.items():
            target = top / name if path.is_dir() else top
            target.unlink(missing_ok=True)  # a link: what it leads to is not written
            if text is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode("utf-8"))
        yield top


@contextmanager
def partial_tree(path: Path, files: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[Path]:
    """As `corrected_tree`, of a few files only, given by their names and where they are.

    Raises:
        OSError: as there.
    """
    with tempfile.TemporaryDirectory(prefix="roce-lint-") as folder:
        top = Path(folder) / path.resolve().name
        for name, place in files.items():
            target = top / name if path.is_dir() else top
            target.parent.mkdir(parents=True, exist_ok=True)
            if name in texts:
                target.write_bytes(texts[name].encode("utf-8"))
            else:
                _link(place, str(target))
        yield top


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system, or a file of another user
        shutil.copyfile(source, target)
    return target


def _own(top: Path) -> None:
    """Let this user change the folders of a copy, of which those copied may be read only."""
    top.chmod(0o700)
    for folder, names, _ in os.walk(top):
        for name in names:
            below = Path(folder, name)
            if not below.is_symlink():
                below.chmod(0o700)


def _not_plain(folder: str, names: list[str]) -> set[str]:
    """What is never read: hidden names, pipes and devices, and files that may not be read."""
    kept = {
        entry.name
        for entry in os.scandir(folder)
        if not entry.name.startswith(".")
        and (entry.is_symlink() or entry.is_dir() or os.access(entry.path, os.R_OK))
        and (entry.is_symlink() or entry.is_dir() or entry.is_file())
    }
    return set(names) - kept
