"""One identified file, and access to its text: from disk, or from archives and stdin in memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from roce_lint.errors import AmbiguousFormat, ReadError, UnknownFormat
from roce_lint.loading.decode import decode
from roce_lint.loading.discover import FILE_LIMIT, read_file, reason
from roce_lint.loading.identify import Identity, identify
from roce_lint.loading.naming import day_in
from roce_lint.nos.declare import Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import LineMap, SourceFile, digest, key_of


@dataclass(slots=True, eq=False)
class FilePart:
    """One identified file on its way to a device."""

    name: str
    path: str | None
    identity: Identity
    sha256: str
    size: int
    folder: str  # folder, as in the report
    leaf: str
    hostname: str | None = None  # according to its content
    written: datetime | None = None  # date in its own header
    given: str | None = None  # device assigned by the settings
    role: str | None = None  # set by the settings
    device: str = ""  # the device it belongs to, once known
    packed: bytes | None = None  # kept only where the file cannot be read again
    file: SourceFile | None = None  # kept where there are few, to avoid reading twice
    placing: LineMap | None = None  # of an extracted text: the place of its lines
    frame: bytes | None = None  # hash of its text without the host's own values
    own: tuple[str, ...] = ()  # these values
    startup: bool = False  # startup configuration, by its command, heading or name
    bundled: str = ""  # of a part from a bundle, the same for all parts of a device there

    @property
    def source(self) -> Source:
        """The declared source it was identified as."""
        return all_nos()[self.identity.nos].by_source[self.identity.source]

    @property
    def day(self) -> datetime | None:
        """The date in the file name, else in the nearest folder name with one."""
        names = (self.leaf, *reversed(self.folder.split("/")))
        return next((day for name in names if (day := day_in(name)) is not None), None)

    @property
    def stated_name(self) -> str | None:
        """The device name according to header, content or settings."""
        return self.identity.host or self.hostname or self.given


def pack(data: bytes) -> bytes:
    """Bytes compressed for memory: configurations shrink to a sixth, at little cost."""
    return zlib.compress(data, 1)


def text_of(part: FilePart) -> SourceFile:
    """The file of a part.

    Raises:
        ReadError: it cannot be read (any more), or has changed since it was identified.
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
        raise ReadError("changed while being read", location=part.name)
    return SourceFile(part.name, text, sha, part.path)


def read_as(part: FilePart, nos: str) -> bool:
    """Reassign an output to the system of its device, if that has such an output."""
    try:
        identity = identify(part.name, text_of(part).text, nos)
    except (ReadError, UnknownFormat, AmbiguousFormat):
        return False
    if part.source.base or all_nos()[nos].by_source[identity.source].base:
        return False
    part.identity = replace(identity, host=part.identity.host, undecided=False)
    part.frame = None  # that of another source
    return True


def _file(name: str, data: bytes, sha: str, placing: LineMap | None) -> SourceFile:
    text = decode(data).text if placing is None else data.decode("utf-8", "surrogatepass")
    return SourceFile(name, text or "", sha, None, placing)


class Memory(Mapping[str, SourceFile]):
    """Packed texts that cannot be read again, by file name, or by key if extracted from a file."""

    def __init__(self) -> None:
        self._packed: dict[str, tuple[str, bytes, str, LineMap | None]] = {}
        self._lent: dict[str, Callable[[], SourceFile]] = {}

    def keep(self, part: FilePart) -> None:
        """Store a part's bytes."""
        if part.packed is not None:
            key = key_of(part.name, part.sha256, part.placing)
            self._packed[key] = (part.name, part.packed, part.sha256, part.placing)

    def lend(self, key: str, text: Callable[[], SourceFile]) -> None:
        """Store where a text is."""
        self._lent[key] = text

    def __getitem__(self, key: str) -> SourceFile:
        if (lent := self._lent.get(key)) is not None:
            return lent()
        name, packed, sha, placing = self._packed[key]
        return _file(name, zlib.decompress(packed), sha, placing)

    def __iter__(self) -> Iterator[str]:
        return chain(self._packed, self._lent.keys() - self._packed.keys())

    def __len__(self) -> int:
        return len(self._packed.keys() | self._lent)
