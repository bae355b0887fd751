"""Resolves places into file, line and text, read and decoded again when a finding is shown.

Positions are numbers and the text stays on disk, so that thousands of devices fit into memory.
"""

from __future__ import annotations

from collections import ChainMap, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.errors import ReadError
from roce_lint.text.environment import mask_environment
from roce_lint.text.files import read_small
from roce_lint.text.json_scan import JsonPlaces
from roce_lint.text.places import BOM, Keys, Place
from roce_lint.text.redaction import MASK, names_secret, redact, redact_each, secret_lines
from roce_lint.text.source import (
    TEXT_LIMIT,
    TREE,
    FileRef,
    Location,
    Origin,
    SourceFile,
    SourceMap,
    Where,
    digest,
)
from roce_lint.text.tree import Document, TreeForm, form_of, json_places, locate_all

# Detection of UTF-16 and UTF-32: by byte order mark, or by NUL bytes next to ASCII.

MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
PROBE = 8 << 10
"""Bytes at the beginning that are examined."""

SHARE = 9
"""Minimum of ten characters without a byte order mark that must be ASCII next to a NUL."""


def wide_coding(data: bytes) -> str | None:
    """Name of the encoding; None for single-byte text, and for binary data."""
    begin = data[:4]
    if begin.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0")):
        for mark, coding in MARKS:
            if begin.startswith(mark):
                return coding
    if b"\0" not in begin or len(begin) < 4:
        return None  # nearly every text: this test must be cheap
    head = data[:PROBE]
    for first, coding in ((0, "utf-16-le"), (1, "utf-16-be")):
        filled, empty = head[first::2], head[1 - first :: 2]
        if empty.count(0) * 10 >= len(empty) * SHARE and 0 not in filled:
            return coding
    return None


__all__ = ["Excerpts", "printable", "redact"]

FILES_KEPT = 32
"""Files cached at one time; findings are shown device by device."""

CHARACTERS_KEPT = 1 << 26
"""Characters of the cached files; a single larger file is still cached."""

PLACES_KEPT = 1 << 14
"""Cached places: those of many findings are read from the file once."""

READ_LIMIT = 1 << 26
"""Bytes of a file that is read again; larger ones were never parsed."""

_WIDE = 20 * TEXT_LIMIT  # searched for secrets before the text is cut
_NOTHING = digest(b"")  # a file that is named without having been read; it has no text
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(slots=True, frozen=True)
class ShownFile(SourceFile):
    """A file as reports show it, without its secrets.

    `text` is empty. `shown` has the lines with their indentation, `long` the texts of those over
    TEXT_LIMIT by line and column, `places` line and column by position of a tree path.
    """

    shown: tuple[str, ...] = ()
    long: dict[tuple[int, int], str] = field(default_factory=dict)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    note: str = ""


@dataclass(slots=True)
class _ReadFile:
    text: str
    lines: list[str]
    note: str = ""
    secret: frozenset[int] = frozenset()  # lines that a line above marks as secret
    places: dict[Keys, Place] = field(default_factory=dict)
    json: JsonPlaces | None = None  # of a JSON file, after the first look-up of a path
    whole: ShownFile | None = None  # where secrets are masked already


class Excerpts:
    """Resolves `Where` into `Location`.

    `memory` holds, by name, the files that cannot be read again: standard input and members of
    archives.
    """

    def __init__(self, memory: Mapping[str, SourceFile] | None = None):
        self._memory = {} if memory is None else memory
        self._kept: OrderedDict[tuple[str, str | None, str], _ReadFile] = OrderedDict()
        self._located: dict[tuple[Where, str], Location] = {}
        self._refs: dict[str, FileRef] = {}  # by name, the files of located places

    def extend(self, files: Mapping[str, SourceFile]) -> Excerpts:
        """Return a copy with further in-memory files; the cache is shared."""
        made = Excerpts(ChainMap(dict(files), self._memory))  # type: ignore[arg-type]
        made._kept, made._located, made._refs = self._kept, self._located, self._refs
        return made

    def locate(self, where: Where, role: str = "cause") -> Location:
        """The line of `where`, without secrets and control characters, cut to TEXT_LIMIT.

        A file that changed or vanished since it was read is not an error; the note reports it.
        Without a place the line is 0, and the file is named only if the object has a single one.
        """
        key = (where, role)
        found = self._located.get(key)
        if found is None:
            if len(self._located) >= PLACES_KEPT:
                self._located.clear()
            found = self._located[key] = self._locate(where, role)
        return found

    def around(self, name: str, line: int, reach: int) -> list[tuple[int, str]]:
        """Numbered lines of a file around a located line.

        Indentation is kept, and lines are masked as by `locate`. Empty if the file is embedded
        in another one, has changed since it was read, or the line is too long.
        """
        ref = self._refs.get(name)
        if ref is None or ref.placing is not None or line <= 0:
            return []
        kept = self._read(ref)
        last = len(kept.lines) - (not kept.lines[-1])  # a final line break begins no line
        near = range(max(line - reach, 1), min(line + reach, last) + 1)
        if ref.environment:  # a single line does not show whose value it is
            near = range(line, line + 1)
        long = {n for n, _ in kept.whole.long} if kept.whole is not None else set()
        if kept.note or any(n in long or len(kept.lines[n - 1]) > TEXT_LIMIT for n in near):
            return []
        return [(n, _indent(kept, n, environment=ref.environment)) for n in near]

    def shown(self, src: SourceMap, index: int) -> ShownFile:
        """All that reports can show of a file."""
        ref = src.files[index]
        kept = self._read(ref)
        masked = kept.lines if ref.environment else redact_each(kept.lines)
        shown: list[str] = []
        long: dict[tuple[int, int], str] = {}
        places: dict[int, tuple[int, int]] = {}
        for number, line in enumerate(kept.lines, 1):
            text = masked[number - 1]
            if ref.environment or number in kept.secret or len(line) + len(MASK) > TEXT_LIMIT:
                text = _show(kept, number, environment=ref.environment)
            if len(line) > TEXT_LIMIT:
                long[number, 1] = text
            shown.append(line[: len(line) - len(line.lstrip())] + printable(text).strip())
        for position, file, keys in src.trees():
            if file == index:
                at, column = _place(kept, src, index, keys)
                places[position] = at, column or 0
                if (at, 1) in long:
                    text = _show(kept, at, column, environment=ref.environment)
                    long[at, column or 1] = text
        return ShownFile(
            ref.name, "", ref.sha256, None, ref.placing, tuple(shown), long, places, kept.note
        )

    def head(self, name: str) -> str:
        """The first line of a file that is known by what reports show of it."""
        file = self._memory.get(name)
        return file.shown[0] if isinstance(file, ShownFile) and file.shown else ""

    def lines(self, ref: FileRef) -> list[str]:
        """All current lines of a file; for comparison, never for display."""
        return self._read(ref).lines

    def _locate(self, where: Where, role: str) -> Location:
        described = _describe(where)
        if where.position <= 0:
            only = where.src.files[0].name if len(where.src.files) == 1 else ""
            return Location(only, 0, "", role, where.origin, None, described)
        index = where.src.file_of(where.position)
        ref = where.src.files[index]
        self._refs[ref.name] = ref
        kept = self._read(ref)
        if where.position < TREE:
            line = where.src.line_of(where.position)
            note = _and(described, kept.note)
            shown = _show(kept, line, environment=ref.environment)
            return Location(ref.name, ref.line(line), shown, role, where.origin, None, note)
        keys = where.src.keys_of(where.position)[1]
        line, column = _place(kept, where.src, index, keys, where.position)
        note = _and(described, kept.note)
        secret = any(names_secret(key) for key in keys[:-1])
        text = MASK if secret else _show(kept, line, column, environment=ref.environment)
        path = _path(keys)
        if ref.placing is not None:
            line, column = ref.placing.line(line), ref.placing.column(column)
        return Location(ref.name, line, text, role, where.origin, column, note, path)

    def _read(self, ref: FileRef) -> _ReadFile:
        """The current file, cached or read again."""
        key = (ref.key, ref.path, ref.sha256)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
            return kept
        kept = self._kept[key] = self._read_again(ref)
        while len(self._kept) > FILES_KEPT or (
            len(self._kept) > 1
            and sum(len(each.text) for each in self._kept.values()) > CHARACTERS_KEPT
        ):
            self._kept.popitem(last=False)
        return kept

    def _read_again(self, ref: FileRef) -> _ReadFile:
        file = self._memory.get(ref.key)
        if file is None or ref.path is not None:
            data = _bytes_of(ref.path)
            if data is None:
                lost = "" if ref.sha256 == _NOTHING else "the file can no longer be read"
                return _ReadFile("", [], lost)
            # As at load time: invalid UTF-8 becomes U+FFFD.
            text = data.decode(wide_coding(data) or "utf-8-sig", "replace")
            file = SourceFile(ref.name, text, digest(data), ref.path)
        if isinstance(file, ShownFile):
            return _ReadFile("", [*file.shown], file.note, whole=file)
        note = "" if file.sha256 == ref.sha256 else "the file has changed since it was read"
        lines = file.lines()
        lines[0] = lines[0].removeprefix(BOM)
        return _ReadFile(file.text, lines, note, secret_lines(lines))


def _bytes_of(path: str | None) -> bytes | None:
    """Contents of a regular file within the limit; None for anything else."""
    try:
        return read_small(Path(path), READ_LIMIT) if path is not None else None
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None


def _place(
    kept: _ReadFile, src: SourceMap, index: int, keys: Keys, position: int = 0
) -> tuple[int, int | None]:
    """Line and column of a path; `position` is its own.

    In YAML all paths of the device in the file are resolved at once, because one takes as long.
    """
    if keys not in kept.places and kept.text:
        if kept.json is None and form_of(kept.text) is TreeForm.JSON:
            kept.json = json_places(kept.text)
        if kept.json is not None:
            kept.places[keys] = kept.json.place(keys)
        else:
            wanted = [path for _, file, path in src.trees() if file == index]
            try:
                kept.places.update(locate_all(kept.text, TreeForm.YAML, wanted))
            except ReadError as error:
                kept.places.update(dict.fromkeys(wanted, (1, 0)))
                kept.note = _and(kept.note, error.message)
    line, column = kept.places.get(keys, (1, 0))
    if kept.whole is not None:
        line, column = kept.whole.places.get(position, (1, 0))
    return line, column or None


def _path(keys: Keys) -> str:
    """`TABLE|key|field`, cut below a key that names a secret."""
    shown: list[str] = []
    for key in keys:
        if isinstance(key, Document):
            continue
        if shown and names_secret(shown[-1]):
            shown.append(MASK)
            break
        shown.append(redact(str(key)))
    return printable("|".join(shown))


def _show(
    kept: _ReadFile, line: int, column: int | None = None, *, environment: bool = False
) -> str:
    """The text of a line; of a long line, the part from `column` on."""
    if not 0 < line <= len(kept.lines):
        return ""
    if kept.whole is not None:
        found = kept.whole.long.get((line, column or 1))
        return printable(kept.lines[line - 1].strip() if found is None else found)
    if line in kept.secret:
        return MASK
    text = kept.lines[line - 1]
    begin = (column or 1) - 1 if len(text) > TEXT_LIMIT else 0
    if not text[:begin].strip():
        begin = 0
    shown = text[begin : begin + _WIDE]
    if environment:
        above, below = (kept.lines[n : n + 1] or [""] for n in (max(line - 2, 0), line))
        shown = mask_environment(shown, above[0], below[0])
    shown = printable(redact(shown)).strip()
    shown = (_CUT if begin else "") + shown
    return shown if len(shown) <= TEXT_LIMIT else shown[: TEXT_LIMIT - 1] + _CUT


def _indent(kept: _ReadFile, line: int, *, environment: bool) -> str:
    text = kept.lines[line - 1].expandtabs()
    shown = _show(kept, line, environment=environment)
    return " " * (len(text) - len(text.lstrip())) + shown if shown else ""


def printable(text: str) -> str:
    """Remove characters that move the cursor, reorder the text or cannot be encoded."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char in "\t\N{NO-BREAK SPACE}" else _UNPRINTABLE
        for char in text
    )


def _describe(where: Where) -> str:
    """A note on the line: its label, the effective default, or "not stated"."""
    described = ""
    if where.citation is not None:
        described = where.citation.says + ("" if where.confirmed else ", unconfirmed")
    elif where.origin is Origin.ABSENT:
        described = "not stated"
    return ": ".join(part for part in (where.label, described) if part)


def _and(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
