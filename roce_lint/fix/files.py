"""The files that can be corrected: configurations as a device takes them back, of one device."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from roce_lint.fix.outline import Statement, is_json, outline
from roce_lint.model.device import Device
from roce_lint.text.codings import wide_coding
from roce_lint.text.source import FileRef, digest

LARGEST = 64 << 20
"""Bytes of a file that is corrected."""

_OUTPUT = "# command:"
"""How a file of a snapshot begins; configurations have such words in comments of their own."""


@dataclass(slots=True)
class ConfigFile:
    """One file of one device, and its text."""

    device: Device
    ref: FileRef
    text: str
    statements: list[Statement]

    @property
    def is_json(self) -> bool:
        """Whether commas stand between its statements."""
        return is_json(self.text)

    def ends_in_comma(self, line: int) -> bool:
        """Whether a comma ends a line."""
        return self.text.split("\n")[line - 1].rstrip().endswith(",")

    @property
    def name(self) -> str:
        """Its name below the PATH."""
        return self.ref.name


class Files:
    """What can be corrected of a fabric, and why the rest cannot."""

    def __init__(self, devices: Iterable[Device]):
        known = list(devices)
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
            reason = "a host's files show what commands print"
        elif ref.path is None or ref.placing is not None:
            reason = "stands in an archive, in another file or came from standard input"
        elif users[ref.path] > 1:
            reason = "stands for several devices"
        elif Path(ref.path).is_symlink():
            reason = "is a symbolic link"
        else:
            text, reason = _text(ref)
        if reason:
            self.refused[ref.name] = reason
            return None
        return ConfigFile(device, ref, text, outline(text))


def _text(ref: FileRef) -> tuple[str, str]:
    """The text of a file; or why it is not one that can be changed line by line."""
    path = Path(ref.path or "")
    try:
        data = path.read_bytes()
    except OSError as error:
        return "", f"cannot be read: {error.strerror}"
    if digest(data) != ref.sha256:
        return "", "has changed since it was read"
    if len(data) > LARGEST or b"\0" in data or wide_coding(data):
        return "", "is no UTF-8 text, or too large"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "", "is no UTF-8 text"
    if text.lstrip("\ufeff \r\n").startswith(_OUTPUT):
        return "", "holds what a command prints"
    return text, ""
