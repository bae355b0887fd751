"""Places made readable: the file, the line and its text, read again when a finding is shown.

Positions are numbers and the text stays on disk, so that thousands of devices fit into memory.
"""

from __future__ import annotations

import stat
from collections import ChainMap, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.errors import ReadError
from roce_lint.text.codings import wide_coding
from roce_lint.text.environment import mask_environment
from roce_lint.text.json_places import JsonPlaces
from roce_lint.text.places import BOM, Keys, Place
from roce_lint.text.redaction import MASK, names_secret, redact
from roce_lint.text.secret_labels import secret_lines
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

__all__ = ["Excerpts", "printable", "redact"]

FILES_KEPT = 32
"""Files held at one time; findings are shown device by device."""

CHARACTERS_KEPT = 1 << 26
"""Characters of those files together; a single larger file is still held."""

PLACES_KEPT = 1 << 14
"""Places held: what many findings show is read from its file once."""

READ_LIMIT = 1 << 26
"""Bytes of a file that is read again; larger ones were never read in the first place."""

_WIDE = 20 * TEXT_LIMIT  # what is searched for secrets before the text is cut
_NOTHING = digest(b"")  # of a file that is named without having been read: it lacks no text
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(slots=True)
class _ReadFile:
    """A file read again."""

    text: str
    lines: list[str]
    note: str = ""
    secret: frozenset[int] = frozenset()  # lines that a line above tells to be secret
    places: dict[Keys, Place] = field(default_factory=dict)
    json: JsonPlaces | None = None  # of a file that is JSON, once a path of it was asked for


class Excerpts:
    """Resolves `Where` into `Location`.

    `memory` holds, by name, the files that cannot be read again: standard input and members of
    archives.
    """

    def __init__(self, memory: Mapping[str, SourceFile] | None = None):
        self._memory = {} if memory is None else memory
        self._kept: OrderedDict[tuple[str, str | None, str], _ReadFile] = OrderedDict()
        self._located: dict[tuple[Where, str], Location] = {}
        self._refs: dict[str, FileRef] = {}  # by name, the files of what was located

    def extend(self, files: Mapping[str, SourceFile]) -> Excerpts:
        """The same with further files that are held in memory; what was read again is shared."""
        made = Excerpts(ChainMap(dict(files), self._memory))  # type: ignore[arg-type]
        made._kept, made._located, made._refs = self._kept, self._located, self._refs
        return made

    def locate(self, where: Where, role: str = "cause") -> Location:
        """The line of `where`, without secrets and control characters, cut to TEXT_LIMIT.

        A file that changed or vanished since it was read is no error; the note says so. Without
        a place the line is 0, and the file is named only if the object has but one.
        """
        key = (where, role)
        found = self._located.get(key)
        if found is None:
            if len(self._located) >= PLACES_KEPT:
                self._located.clear()
            found = self._located[key] = self._locate(where, role)
        return found

    def around(self, name: str, line: int, reach: int) -> list[tuple[int, str]]:
        """The lines of a file near one on which something was located, each with its number.

        Indented as they are, and otherwise as `locate` shows lines. Empty where the file is part
        of another one, is not what it was when it was read, or the line is too long to be shown.
        """
        ref = self._refs.get(name)
        if ref is None or ref.placing is not None or line <= 0:
            return []
        kept = self._read(ref)
        last = len(kept.lines) - (not kept.lines[-1])  # what ends in a line break has no line more
        near = range(max(line - reach, 1), min(line + reach, last) + 1)
        if ref.environment:  # a line alone does not show whose value it is
            near = range(line, line + 1)
        if kept.note or any(len(kept.lines[n - 1]) > TEXT_LIMIT for n in near):
            return []
        return [(n, _indent(kept, n, environment=ref.environment)) for n in near]

    def lines(self, ref: FileRef) -> list[str]:
        """All lines of a file as they are now; to compare them, never to show them."""
        return self._read(ref).lines

    def _locate(self, where: Where, role: str) -> Location:
        said = _describe(where)
        if where.position <= 0:
            only = where.src.files[0].name if len(where.src.files) == 1 else ""
            return Location(only, 0, "", role, where.origin, None, said)
        index = where.src.file_of(where.position)
        ref = where.src.files[index]
        self._refs[ref.name] = ref
        kept = self._read(ref)
        if where.position < TREE:
            line = where.src.line_of(where.position)
            note = _and(said, kept.note)
            shown = _show(kept, line, environment=ref.environment)
            return Location(ref.name, ref.line(line), shown, role, where.origin, None, note)
        keys = where.src.paths[where.position - TREE][1]
        line, column = _place(kept, where.src, index, keys)
        note = _and(said, kept.note)
        secret = any(names_secret(key) for key in keys[:-1])
        text = MASK if secret else _show(kept, line, column, environment=ref.environment)
        path = _path(keys)
        if ref.placing is not None:
            line, column = ref.placing.line(line), ref.placing.column(column)
        return Location(ref.name, line, text, role, where.origin, column, note, path)

    def _read(self, ref: FileRef) -> _ReadFile:
        """The file as it is now, from those kept or read again."""
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
            file = SourceFile(ref.name, _decode(data), digest(data), ref.path)
        note = "" if file.sha256 == ref.sha256 else "the file has changed since it was read"
        lines = file.lines()
        lines[0] = lines[0].removeprefix(BOM)
        return _ReadFile(file.text, lines, note, secret_lines(lines))


def _bytes_of(path: str | None) -> bytes | None:
    """Contents of a regular file of bearable size; None for anything else."""
    if path is None:
        return None
    file = Path(path)
    try:
        state = file.stat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > READ_LIMIT:
            return None
        return file.read_bytes()
    except (OSError, ValueError):  # ValueError: a path with a NUL
        return None


def _decode(data: bytes) -> str:
    """The text as it was when it was loaded: what is no UTF-8 becomes U+FFFD."""
    return data.decode(wide_coding(data) or "utf-8-sig", "replace")


def _place(kept: _ReadFile, src: SourceMap, index: int, keys: Keys) -> tuple[int, int | None]:
    """Line and column of a path.

    Of YAML all paths that the device has in the file are found at once, because finding one takes
    as long.
    """
    if keys not in kept.places and kept.text:
        if kept.json is None and form_of(kept.text) is TreeForm.JSON:
            kept.json = json_places(kept.text)
        if kept.json is not None:
            kept.places[keys] = kept.json.place(keys)
        else:
            wanted = [path for file, path in src.paths if file == index]
            try:
                kept.places.update(locate_all(kept.text, TreeForm.YAML, wanted))
            except ReadError as error:
                kept.places.update(dict.fromkeys(wanted, (1, 0)))
                kept.note = _and(kept.note, error.message)
    line, column = kept.places.get(keys, (1, 0))
    return line, column or None


def _path(keys: Keys) -> str:
    """`TABLE|key|field`, without what stands below a key that names a secret."""
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
    """The text of a line; of a long line, what begins at `column`."""
    if not 0 < line <= len(kept.lines):
        return ""
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
    """Without characters that move the cursor, reorder the text or cannot be encoded."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char in "\t\N{NO-BREAK SPACE}" else _UNPRINTABLE
        for char in text
    )


def _describe(where: Where) -> str:
    """What the line itself does not say: its label, the default that holds, or that none does."""
    said = ""
    if where.citation is not None:
        said = where.citation.says + ("" if where.confirmed else ", unconfirmed")
    elif where.origin is Origin.ABSENT:
        said = "not stated"
    return ": ".join(part for part in (where.label, said) if part)


def _and(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
