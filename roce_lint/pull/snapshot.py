"""The folder that a pull writes: one folder a device, one file a command, and a manifest.

Every file is written beside and moved, so an existing name is a complete answer. Remains of a
killed pull are removed by the next one.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roce_lint._version import __version__
from roce_lint.errors import UsageError
from roce_lint.nos.pull import Command
from roce_lint.text.masking import mask_secrets

SCHEMA = "roce-lint/pull/1"
MANIFEST = "manifest.json"
_PART = ".part"


def stamp(seconds: float) -> str:
    """Format a time for headers and manifests."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@dataclass
class Snapshot:
    """A folder of answers and their metadata."""

    folder: Path
    devices: dict[str, dict[str, Any]] = field(default_factory=dict)

    def open(self, *, resume: bool) -> None:
        """Make the folder, or resume an existing one.

        Raises:
            UsageError: it is not empty and not to be resumed, or cannot be written.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not resume and any(self.folder.iterdir()):
                raise UsageError(
                    f"{self.folder} is not empty", hint="--resume fetches what is missing in it"
                )
            for part in (*self.folder.glob(f".*{_PART}"), *self.folder.glob(f"*/.*{_PART}")):
                part.unlink()
        except OSError as error:
            raise UsageError(f"{self.folder}: {error.strerror}") from None
        self.devices = self._manifest() if resume else {}

    def has(self, device: str, file: str) -> bool:
        """Whether an answer exists, unchanged since it was written."""
        path = self.folder / device / file
        if not path.is_file() or path.is_symlink():
            return False
        known = self.devices.get(device, {}).get("commands", {})
        hashes = [entry.get("sha256") for entry in known.values() if entry.get("file") == file]
        return not hashes or hashlib.sha256(path.read_bytes()).hexdigest() in hashes

    def write(self, device: str, command: Command, text: str, began: float) -> tuple[str, str]:
        """Write an answer without its secrets; return the name of its file and its hash.

        Raises:
            OSError: it cannot be written; then no part of it exists.
        """
        head = f"# command: {command.text}  host: {device}  time: {stamp(began)}\n"
        data = (head + mask_secrets(text)).encode("utf-8", "replace")
        self.write_bytes(device, command.file, data)
        return command.file, hashlib.sha256(data).hexdigest()

    def write_bytes(self, device: str, file: str, data: bytes) -> None:
        """Write a file of a device atomically.

        Raises:
            OSError: it cannot be written; then no part of it exists.
        """
        folder = self.folder / device
        folder.mkdir(exist_ok=True)
        _put(folder / file, data)

    def finish(self) -> None:
        """Write the manifest.

        Raises:
            UsageError: it cannot be written.
        """
        manifest = {"schema": SCHEMA, "version": __version__, "devices": self.devices}
        try:
            _put(self.folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
        except OSError as error:
            raise UsageError(f"{self.folder / MANIFEST}: {error.strerror}") from None

    def _manifest(self) -> dict[str, dict[str, Any]]:
        path = self.folder / MANIFEST
        try:
            manifest = json.loads(path.read_bytes()) if path.is_file() else {}
            return dict(manifest.get("devices", {}))
        except (OSError, ValueError, AttributeError):
            return {}  # existing files are complete all the same


def _put(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}{_PART}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
