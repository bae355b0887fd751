"""Output folders written atomically: prepared beside the target, then moved into place."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Self

from roce_lint.errors import UsageError, WriteError
from roce_lint.text.files import write_file

MANIFEST = "manifest.json"
_RUN = 0o111

SCHEMA = "roce-lint/generated/1"

NO_CONFIGURATION = "# Commands of roce-lint, no configuration"
"""First line of a file with commands; such files are not read as configurations."""


class Folder:
    """A new output folder; its files become visible when it is moved into place."""

    def __init__(self, target: Path, *, force: bool = False):
        self.target = target
        self.force = force
        self.hashes: dict[str, str] = {}
        self._there = _holds_anything(target)
        self._ours = self._there and is_untouched(target)
        if self._there and not self._ours and not force:
            raise UsageError(
                f"{target} holds files that roce-lint did not write, or that were changed since",
                hint="name a new folder; --force overwrites files of the same names",
            )
        self.path = _make_beside(target)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name: str, text: str) -> None:
        """Write a file below the folder.

        Raises:
            WriteError: it cannot be written, or the path leads out of the folder.
        """
        file, data = self.path / name, text.encode()
        if self.path.resolve() not in file.resolve().parents:
            raise WriteError("leads out of the folder", location=name)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            if text.startswith("#!"):
                file.chmod(file.stat().st_mode | _RUN)
        except OSError as error:
            raise WriteError(f"cannot be written: {error.strerror}", location=str(file)) from None
        self.hashes[name] = hashlib.sha256(data).hexdigest()

    def move(self, head: dict[str, object]) -> None:
        """Write the manifest and put the folder into place.

        An unmodified folder of roce-lint is replaced; of any other, with `force`, files of the same
        names are replaced and the rest stays.

        Raises:
            WriteError: it cannot be moved; existing files are untouched, except those replaced one
                by one.
        """
        manifest = {"schema": SCHEMA, **head, "files": dict(sorted(self.hashes.items()))}
        self.write(MANIFEST, json.dumps(manifest, indent=2) + "\n")
        if self._there and not self._ours:
            self._replace_files()
            return
        old = None
        try:
            if self._there:
                old = Path(tempfile.mkdtemp(prefix=f".{self.target.name}.", dir=self.path.parent))
                self.target.replace(old)
            self.path.replace(self.target)
        except OSError as error:
            if old is not None and not self.target.exists():
                with suppress(OSError):
                    old.replace(self.target)
            message = f"cannot be moved into place: {error.strerror}"
            raise WriteError(message, location=str(self.target)) from None
        if old is not None:
            shutil.rmtree(old, ignore_errors=True)

    def _replace_files(self) -> None:
        for name in self.hashes:
            file = self.target / name
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"cannot be made: {error.strerror}"
                raise WriteError(message, location=str(file.parent)) from None
            write_file(file, (self.path / name).read_bytes())


def is_untouched(folder: Path) -> bool:
    """Whether roce-lint wrote all files of a folder, and none has changed since."""
    try:
        known = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(known, dict) or known.get("schema") != SCHEMA:
        return False
    files = known.get("files")
    found = {
        str(file.relative_to(folder)): file
        for file in folder.rglob("*")
        if file.is_symlink() or not file.is_dir()
    }
    found.pop(MANIFEST, None)
    if not isinstance(files, dict) or found.keys() != files.keys():
        return False
    return all(
        file.is_file()
        and not file.is_symlink()
        and hashlib.sha256(file.read_bytes()).hexdigest() == files[name]
        for name, file in found.items()
    )


def _holds_anything(target: Path) -> bool:
    """Whether the folder contains anything."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is not a folder")
    try:
        return target.is_dir() and any(target.iterdir())
    except OSError as error:
        raise UsageError(f"{target} cannot be read: {error.strerror}") from None


def _make_beside(target: Path) -> Path:
    """Make a folder beside the target."""
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name[:64]}.", dir=target.absolute().parent))
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
    except OSError as error:
        raise UsageError(f"{target} cannot be made: {error.strerror}") from None
    return made
