"""Files that can be corrected: configurations of one device in loadable form, as statements with
their headers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from roce_lint.loading.captures.read import HEADING
from roce_lint.loading.discover import STDIN
from roce_lint.model.device import Device
from roce_lint.text.excerpts import wide_coding
from roce_lint.text.outline import Statement, outline
from roce_lint.text.source import FileRef, SourceFile, digest

LARGEST = 64 << 20
"""Largest file that is corrected, in bytes."""


@dataclass(slots=True)
class ConfigFile:
    """One file of one device, and its text."""

    device: Device
    ref: FileRef
    text: str
    statements: list[Statement]

    @property
    def name(self) -> str:
        """Path of the file below PATH."""
        return self.ref.name


class Files:
    """Files of a fabric that can be corrected, and the reasons for the rest."""

    def __init__(self, devices: Iterable[Device], memory: Mapping[str, SourceFile]):
        known = list(devices)
        self._memory = memory
        users = Counter(
            ref.path for device in known for ref in device.src.files if ref.path is not None
        )
        self.refused: dict[str, str] = {}
        self._of: dict[str, list[ConfigFile]] = {}
        for device in known:
            for ref in device.src.files:
                file = self._read(device, ref, users)
                if file is not None:
                    self._of.setdefault(device.hostname, []).append(file)

    def of(self, device: str) -> list[ConfigFile]:
        """The files of a device that can be corrected."""
        return self._of.get(device, [])

    def by_name(self) -> Mapping[str, ConfigFile]:
        """All files by their names."""
        return {file.name: file for files in self._of.values() for file in files}

    def _read(self, device: Device, ref: FileRef, users: Counter[str]) -> ConfigFile | None:
        text = reason = ""
        if device.is_host:
            reason = "host files are command output and cannot be edited"
        elif ref.placing is not None or (ref.path is None and ref.name != STDIN):
            reason = "its file is in an archive, or embedded"
        elif ref.path is None:
            text = self._memory[ref.name].text
        elif users[ref.path] > 1:
            reason = "its file is shared by several devices"
        elif Path(ref.path).is_symlink():
            reason = "its file is a symbolic link"
        else:
            text, reason = _text(ref)
        if reason:
            self.refused[ref.name] = reason
            return None
        return ConfigFile(device, ref, text, outline(text))


def _text(ref: FileRef) -> tuple[str, str]:
    """The text of a file; or the reason that it cannot be changed line by line."""
    path = Path(ref.path or "")
    try:
        data = path.read_bytes()
    except OSError as error:
        return "", f"its file cannot be read: {error.strerror}"
    if digest(data) != ref.sha256:
        return "", "its file has changed since it was read"
    if len(data) > LARGEST or b"\0" in data or wide_coding(data):
        return "", "its file is not UTF-8 text, or too large"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "", "its file is not UTF-8 text"
    if text.lstrip("\ufeff \r\n").startswith(HEADING):
        return "", "its file is command output and cannot be edited"
    return text, ""
