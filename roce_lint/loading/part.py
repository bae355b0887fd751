"""One identified file, and its text again: from disk, or from the memory of archives and stdin."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from roce_lint.errors import AmbiguousFormat, ReadError, UnknownFormat
from roce_lint.loading.dates import day_in
from roce_lint.loading.decode import decode
from roce_lint.loading.discover import FILE_LIMIT, read_file, reason
from roce_lint.loading.identify import Identity, identify
from roce_lint.nos.base import Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import LineMap, SourceFile, digest, key_of


@dataclass(slots=True, eq=False)
class Part:
    """One identified file on its way to a device."""

    name: str
    path: str | None
    identity: Identity
    sha256: str
    size: int
    folder: str  # where it lies, in the report's terms
    leaf: str
    hostname: str | None = None  # what its content says
    written: datetime | None = None  # what its own header says about when
    given: str | None = None  # the device the settings give it to
    role: str | None = None  # set by the settings
    device: str = ""  # the device it belongs to, once that is found out
    packed: bytes | None = None  # kept only where the file cannot be read again
    file: SourceFile | None = None  # kept where there are few, not to be read a second time
    placing: LineMap | None = None  # of a text taken out of the file: where its lines stand
    startup: bool = False  # what boots, printed beside what runs

    @property
    def source(self) -> Source:
        """The declared source it was identified as."""
        return all_nos()[self.identity.nos].by_source[self.identity.source]

    @property
    def day(self) -> datetime | None:
        """The day in the name of the file, else in that of the nearest folder that has one."""
        names = (self.leaf, *reversed(self.folder.split("/")))
        return next((day for name in names if (day := day_in(name)) is not None), None)

    @property
    def stated_name(self) -> str | None:
        """The device's name where somebody states it: header, content, settings."""
        return self.identity.host or self.hostname or self.given


def pack(data: bytes) -> bytes:
    """Bytes as memory keeps them: configurations shrink to a sixth, in no time."""
    return zlib.compress(data, 1)


def text_of(part: Part) -> SourceFile:
    """The file behind a part.

    Raises:
        ReadError: it cannot be read (any more), or is no more what was identified.
    """
    if part.file is not None:
        return part.file
    if part.packed is not None:
        return _file(part.name, zlib.decompress(part.packed), part.sha256, part.placing)
    try:
        data, _ = read_file(part.path or "", FILE_LIMIT, 0)
    except OSError as error:
        raise ReadError(reason(error), location=part.name) from error
    text = decode(data).text
    sha = digest(data)
    if text is None or sha != part.sha256:
        raise ReadError("changed while it was read", location=part.name)
    return SourceFile(part.name, text, sha, part.path)


def read_as(part: Part, nos: str) -> bool:
    """Take an output for one of the system whose device it is of, where that has such an output."""
    try:
        identity = identify(part.name, text_of(part).text, nos)
    except (ReadError, UnknownFormat, AmbiguousFormat):
        return False
    if part.source.base or all_nos()[nos].by_source[identity.source].base:
        return False
    part.identity = replace(identity, host=part.identity.host, undecided=False)
    return True


def _file(name: str, data: bytes, sha: str, placing: LineMap | None) -> SourceFile:
    text = decode(data).text if placing is None else data.decode("utf-8", "surrogatepass")
    return SourceFile(name, text or "", sha, None, placing)


class Memory(Mapping[str, SourceFile]):
    """The texts that cannot be read again, by file name or, where they are one of those that a
    file holds, by their key; each is unpacked when it is asked for.
    """

    def __init__(self) -> None:
        self._packed: dict[str, tuple[str, bytes, str, LineMap | None]] = {}

    def keep(self, part: Part) -> None:
        """Remember a part's bytes."""
        if part.packed is not None:
            key = key_of(part.name, part.sha256, part.placing)
            self._packed[key] = (part.name, part.packed, part.sha256, part.placing)

    def __getitem__(self, key: str) -> SourceFile:
        name, packed, sha, placing = self._packed[key]
        return _file(name, zlib.decompress(packed), sha, placing)

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)
