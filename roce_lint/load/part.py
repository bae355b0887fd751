"""One identified file, and its text again: from disk, or from the memory of archives and stdin."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from roce_lint.errors import ReadError
from roce_lint.load.decode import decode
from roce_lint.load.identify import Identity
from roce_lint.text.source import SourceFile


@dataclass(slots=True)
class Part:
    """One identified file on its way to a device."""

    name: str
    path: str | None
    identity: Identity
    sha256: str
    size: int
    hostname: str | None  # what its header or content says
    written: str | None  # what its own header says about when
    text: str | None = None  # kept only where the file cannot be read again
    device: str | None = None  # set by the settings


def text_of(part: Part) -> SourceFile:
    """The file behind a part.

    Raises:
        ReadError: it cannot be read (any more).
    """
    if part.text is not None:
        return SourceFile(part.name, part.text, part.sha256, None)
    try:
        data = Path(part.path or "").read_bytes()
    except OSError as error:
        raise ReadError(error.strerror or str(error), location=part.name) from error
    text = decode(data).text
    if text is None:
        raise ReadError("changed while it was read", location=part.name)
    return SourceFile(part.name, text, part.sha256, part.path)
