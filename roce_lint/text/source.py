"""Files, and the positions by which every value remembers its line.

A position is one integer that names a file and a line at once, so that a model object can keep one
small number per field instead of a wrapper around every value:

* `> 0` and below `TREE`: a line. The files of one device are counted end to end.
* `>= TREE`: an interned path into a JSON or YAML tree, turned into a line only when shown.
* `< 0`: a citation. No line states the value, it is a default of the platform with a source.

A `SourceMap` holds names and numbers, never text: with 20,000 devices the text stays on disk and is
read again when a finding is shown.
"""

from __future__ import annotations

import enum
import hashlib
from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from zlib import crc32

TREE = 1 << 30
"""First position that is a tree path and not a line."""

LINE_LIMIT = 16 << 10
"""Characters of a line that patterns are applied to; the longest line seen in a configuration has
4,000. JSON and YAML, which may be one line as a whole, are read without patterns."""

TEXT_LIMIT = 200
"""Characters of a line that a report shows."""


class LineState(enum.IntEnum):
    """State of one line of a configuration."""

    UNCLAIMED = 0  # in a section that no template claims
    UNDERSTOOD = 1  # a normalizer took a value from it
    IGNORED = 2  # recognised, and irrelevant (comment, description, management)
    SHADOWED = 3  # a later line sets the same value
    UNRECOGNISED = 4  # in a claimed section, but nothing took it
    CAPTURED = 5  # matched, not taken (yet); counts as unrecognised when reading ends


class Confidence(enum.Enum):
    """Certainty of a fact. Unconfirmed facts may warn, never be an error."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"


@dataclass(slots=True, frozen=True)
class Citation:
    """Source of a platform default.

    Possibly only a part of the value is confirmed: `among` are its possible numbers, and `unfilled`
    means that a class is not one that a line fills (a DSCP that no line maps to a class is not in
    it). Conclusions that hold for all possible values are certain.
    """

    says: str  # "EOS default: routed ports trust DSCP"
    source: str  # heading in docs/nos/*.md or a document
    confidence: Confidence = Confidence.CONFIRMED
    among: frozenset[int] | None = None
    unfilled: bool = False


NUMBER = 4
"""Bytes of a line number inside a `LineMap`."""


@dataclass(slots=True, frozen=True)
class LineMap:
    """Maps the lines of an extracted text to the lines of its file.

    `numbers` holds a file's line number for each line of the text, NUMBER bytes each; `margin` is
    the number of characters before each line there, -1 where that is not known.
    """

    numbers: bytes
    margin: int = 0

    @classmethod
    def of(cls, numbers: Iterable[int], margin: int = 0) -> LineMap:
        """Make a map from line numbers."""
        return cls(b"".join(number.to_bytes(NUMBER, "little") for number in numbers), margin)

    def line(self, number: int) -> int:
        """Line of the file for line `number` of the text; 1 for a missing one."""
        at = (number - 1) * NUMBER
        found = self.numbers[at : at + NUMBER] if number > 0 else b""
        return int.from_bytes(found, "little") or 1

    def column(self, column: int | None) -> int | None:
        """The column of the file for a column of the text."""
        return None if column is None or self.margin < 0 else column + self.margin


@dataclass(slots=True, frozen=True)
class SourceFile:
    """One file's text as it was read; lines are counted by line feeds only.

    `str.splitlines()` also splits at form feeds and U+2028, which would shift every later line
    against an editor.
    """

    name: str  # as shown: relative to the PATH given, `snap.tar.gz!leaf1/x.txt` in an archive
    text: str
    sha256: str
    path: str | None = None  # where it can be read again; None: standard input, archive member
    placing: LineMap | None = None  # of an extracted text, the place of its lines

    @classmethod
    def of(cls, name: str, text: str, path: str | None = None) -> SourceFile:
        """Make a file from text already decoded (tests, standard input, archive members)."""
        return cls(name, text, digest(text.encode("utf-8", "surrogateescape")), path)

    def lines(self) -> list[str]:
        """All lines without their ends; a trailing newline gives a last empty line."""
        text = self.text
        if "\r" in text:
            return [line.rstrip("\r") for line in text.split("\n")]
        return text.split("\n")

    def long_lines(self) -> list[int]:
        """Numbers of the lines that are longer than LINE_LIMIT."""
        text, at = self.text, 0
        while len(text) - at > LINE_LIMIT:
            # If every stretch of this length contains a line end, no line is longer: most texts are
            # examined in a few places only.
            end = text.rfind("\n", at, at + LINE_LIMIT + 1)
            if end < 0:
                return [n for n, line in enumerate(text.split("\n"), 1) if len(line) > LINE_LIMIT]
            at = end + 1
        return []

    def without(self, numbers: Collection[int]) -> SourceFile:
        """The same file with these lines left empty."""
        kept = (
            "" if number in numbers else line
            for number, line in enumerate(self.text.split("\n"), 1)
        )
        return SourceFile(self.name, "\n".join(kept), self.sha256, self.path)


def digest(data: bytes) -> str:
    """Content hash, used by the cache and to detect files that changed."""
    return hashlib.sha256(data).hexdigest()


@dataclass(slots=True)
class FileRef:
    """One file of a device inside its SourceMap."""

    name: str
    path: str | None
    sha256: str
    source: str  # name of the declared Source: "running-config", "mlnx_qos"
    first: int  # position of its line 1 is first + 1
    lines: int
    states: bytearray = field(repr=False)  # a LineState per line (line forms) or per leaf (trees)
    placing: LineMap | None = None  # of a text extracted from the file
    time: str | None = None  # capture time, from its header
    environment: bool = False  # contains variables of programs, which may be secrets

    @property
    def key(self) -> str:
        """Key of its text where it cannot be read again; a file may hold many texts."""
        return key_of(self.name, self.sha256, self.placing)

    def line(self, number: int) -> int:
        """Line of the file for line `number` of the text."""
        return number if self.placing is None else self.placing.line(number)


def key_of(name: str, sha256: str, placing: LineMap | None) -> str:
    """The name of a file, or of one of the texts extracted from it."""
    if placing is None:
        return name
    # A file may contain the same words twice, for instance for two devices.
    return f"{name}#{sha256}#{crc32(placing.numbers):08x}"


@dataclass(slots=True)
class Ignore:
    """An inline `roce-lint: ignore RULE -- reason` comment in file number `file`.

    `first` to `last` are the lines it covers; `fault` is the reason why it covers none.
    """

    position: int
    rules: tuple[str, ...]
    reason: str
    file: int = 0
    first: int = 0
    last: int = 0
    fault: str = ""


@dataclass(slots=True, eq=False)
class SourceMap:
    """Turns the positions of one device into file and line.

    Tree positions are nodes: the last key of a path, in `keys`, and in `above` the number of the
    node before it, NUMBER bytes each; of the first node, without a key, -1 - the file's number.
    """

    files: list[FileRef] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    above: bytearray = field(default_factory=bytearray, repr=False)
    keys: list[Hashable] = field(default_factory=list)
    ignores: list[Ignore] = field(default_factory=list)
    _interned: dict[tuple[int, tuple[Hashable, ...]], int] = field(default_factory=dict, repr=False)
    _cited: dict[Citation, int] = field(default_factory=dict, repr=False)

    def add(
        self, file: SourceFile, source: str, lines: int | None = None, *, environment: bool = False
    ) -> int:
        """Append a file; return its index. Its line n has position `files[index].first + n`."""
        first = self.files[-1].first + self.files[-1].lines if self.files else 0
        count = file.text.count("\n") + 1 if lines is None else lines
        self.files.append(
            FileRef(
                file.name,
                file.path,
                file.sha256,
                source,
                first,
                count,
                bytearray(count),
                file.placing,
                environment=environment,
            )
        )
        return len(self.files) - 1

    def path(self, file: int, keys: tuple[Hashable, ...]) -> int:
        """Position of a tree path (JSON keys and list indexes) in file number `file`."""
        position = self._interned.get((file, keys))
        if position is None:
            above = self.path(file, keys[:-1]) - TREE if keys else -1 - file
            position = self._interned[file, keys] = TREE + len(self.keys)
            self.above += above.to_bytes(NUMBER, "little", signed=True)
            self.keys.append(keys[-1] if keys else None)
        return position

    def keys_of(self, position: int) -> tuple[int, tuple[Hashable, ...]]:
        """Number of the file, and the keys, of a tree position."""
        number, keys = position - TREE, list[Hashable]()
        while (above := self.node_above(number)) >= 0:
            keys.append(self.keys[number])
            number = above
        return -1 - above, tuple(reversed(keys))

    def node_above(self, number: int) -> int:
        """Number of the tree node before node `number`; -1 - the file's number for the first."""
        at = number * NUMBER
        return int.from_bytes(self.above[at : at + NUMBER], "little", signed=True)

    def trees(self) -> Iterator[tuple[int, int, tuple[Hashable, ...]]]:
        """All tree positions, each with the number of its file and its keys."""
        for position in range(TREE, TREE + len(self.keys)):
            yield position, *self.keys_of(position)

    def cite(self, citation: Citation) -> int:
        """Position (negative) of `citation`."""
        index = self._cited.get(citation)
        if index is None:
            self.citations.append(citation)
            index = self._cited[citation] = -len(self.citations)
        return index

    def citation(self, position: int) -> Citation:
        """The citation of a negative position."""
        return self.citations[-position - 1]

    def file_of(self, position: int) -> int:
        """Index of the file of a line or tree position."""
        if position >= TREE:
            return self.keys_of(position)[0]
        return bisect_right(self.files, position - 1, key=attrgetter("first")) - 1

    def line_of(self, position: int) -> int:
        """Line number inside its file of a line position (not of a tree position)."""
        return position - self.files[self.file_of(position)].first

    def holds(self, position: int) -> bool:
        """Whether a position is one of this map, or 0 for none."""
        if position >= TREE:
            return position - TREE < len(self.keys)
        lines = self.files[-1].first + self.files[-1].lines if self.files else 0
        return -len(self.citations) <= position <= lines

    def freeze(self) -> None:
        """Drop data that only reading needs; called when a device is finished."""
        self._interned = {}
        self._cited = {}


NO_SOURCE = SourceMap()
"""The map of objects that were not read from a file (golden devices, tests)."""


class Origin(enum.Enum):
    """Origin of a value."""

    STATED = "stated"
    DEFAULT = "default"
    ABSENT = "absent"


@dataclass(slots=True, frozen=True)
class Where:
    """A place a check can point at: the line of a value, or of the object that lacks it."""

    src: SourceMap
    position: int  # > 0, or 0 when the object itself has no place
    origin: Origin = Origin.STATED
    citation: Citation | None = None
    label: str = ""  # the meaning, shown where the line itself does not state it

    @property
    def captured(self) -> str | None:
        """Capture time of the file, if its header states it."""
        at = self.position
        return self.src.files[self.src.file_of(at)].time if at > 0 and self.src.files else None

    @property
    def confirmed(self) -> bool:
        """False if the value rests on an unconfirmed default."""
        return self.citation is None or self.citation.confidence is Confidence.CONFIRMED


@dataclass(slots=True, frozen=True)
class Location:
    """A `Where` resolved for people: file, line and the text of the line."""

    file: str
    line: int
    text: str
    role: str = "cause"  # cause, evidence
    origin: Origin = Origin.STATED
    column: int | None = None
    note: str = ""  # "EOS default: ..." or "not stated"
    path: str = ""  # tree sources: the keys, TABLE|key|field
