"""Inputs of a normalizer: the files of one device, and readers over their records."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.model.sourced import Concern, Sourced
from roce_lint.nos.declare import Default, Source
from roce_lint.nos.names import Names
from roce_lint.nos.refusals import Bounds, Limit, Words
from roce_lint.text.match import Record, merge
from roce_lint.text.numbers import parse_whole, whole_part
from roce_lint.text.redaction import MASK, names_secret, redact
from roce_lint.text.sections import Sections, Stanza
from roce_lint.text.source import TREE, FileRef, LineState, SourceFile, SourceMap
from roce_lint.text.statements import Statements

NEAR = 64  # lines around a refused one that may depend on it

NOTES = 1000
"""Stored notes of one device; a device with more is probably misidentified."""

OTHERS = (Concern.OTHER, Concern.SECOND_OTHER)
"""Keys of `ParseNote.at` for the lines that a line contradicts."""

_QUOTED = re.compile(r"'[^'\n]*+'")

T = TypeVar("T")
U = TypeVar("U")
S = TypeVar("S", bound=Sourced)


class Value(NamedTuple, Generic[T]):
    """A value with its position: > 0 a line or path, < 0 a cited default, 0 not stated (None)."""

    value: T | None
    position: int = 0

    def map(self, change: Callable[[T], U | None]) -> Value[U]:
        """Convert the value, keep the position; an absent value stays absent."""
        if self.value is None:
            return Value(None, self.position)
        return Value(change(self.value), self.position)

    def or_else(self, other: Value[T]) -> Value[T]:
        """This value, or `other` if this one is absent."""
        return self if self.value is not None else other

    def stated_or(self, other: Value[T]) -> Value[T]:
        """This value, valid or not, or `other` if no line states it."""
        return self if self.position else other

    def __bool__(self) -> bool:
        return self.value is not None


_UNDERSTOOD = LineState.UNDERSTOOD.value

ABSENT: Value[Any] = Value(None, 0)


@dataclass(slots=True)
class Input:
    """One parsed file of a device.

    `records` holds the top-level records of line forms by group name; `tree` the data of JSON and
    YAML. `args` are the named groups of the command or file name.
    """

    source: Source
    file: int  # index in the SourceMap
    text: SourceFile
    args: dict[str, str]
    records: dict[str, list[Record]] = field(default_factory=dict)
    tree: Any = None
    first_leaf: int = 0  # number of this document's first leaf in its file
    root: tuple[Hashable, ...] = ()  # prefix of paths into this document
    taken: dict[Hashable, Any] = field(default_factory=dict)  # trie of tree paths read, "*" for any
    sections: Sections | None = None  # of indented text: knows which lines continue others
    statements: Statements | None = None  # of words in braces or `set` lines
    unread: list[tuple[Hashable, ...]] = field(default_factory=list)
    """Untaken paths of claimed parts of a tree."""
    _lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines of the file, built once; copy them before a change."""
        if self._lines is None:
            self._lines = self.text.lines()
        return self._lines


@dataclass(slots=True)
class Reading:
    """Files of one device by source; `reading["mlnx_qos"]` are the inputs of that source."""

    nos: str  # its public name
    hostname: str
    src: SourceMap
    inputs: list[Input] = field(default_factory=list)
    notes: list[ParseNote] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    _defaults: dict[int, tuple[Default, Value[Any]]] = field(default_factory=dict, repr=False)
    limits: Mapping[str, Limit] = field(default_factory=dict)
    _refused: set[int] = field(default_factory=set, repr=False)
    _latest: FileRef | None = field(default=None, repr=False)

    def __getitem__(self, source: str) -> list[Input]:
        return [entry for entry in self.inputs if entry.source.name == source]

    def groups(self, source: str, group: str) -> Iterator[Reader]:
        """Readers over all records of a group, over all inputs of the source."""
        for entry in self[source]:
            for record in entry.records.get(group, ()):
                yield Reader(record, self)

    def merge(self, source: str, group: str, key: str) -> Iterator[tuple[str, Reader]]:
        """Readers by name; stanzas with the same name are added up in file order."""
        by_name: dict[str, list[Record]] = {}
        for entry in self[source]:
            for record in entry.records.get(group, ()):
                by_name.setdefault(record.values[key][0][0], []).append(record)
        for name, records in by_name.items():
            yield name, Reader.over(records, self)

    def define(
        self, source: str, group: str, kind: str, builtin: str = ""
    ) -> Iterator[tuple[str, Reader]]:
        """Readers by name, each a definition of this kind with its first lines taken; that of the
        name `builtin` only changes what the device defines.
        """
        for name, reader in self.merge(source, group, "name"):
            reader.take()
            reader.all("name")
            if name != builtin:
                self.names.define(kind, name, reader.begin)
            yield name, reader

    def note(
        self, kind: NoteKind, message: str, position: int, *others: int, beside: int = 0
    ) -> None:
        """Add a note about a line without a usable value, up to NOTES of them.

        `others` are the lines that it contradicts: any of them may be the wrong one. `beside` is a
        line that is right for other ports, and is only shown.
        """
        self.add(
            ParseNote(
                kind=kind,
                message=redact(message),
                src=self.src,
                at={
                    "": max(position, 0),
                    **{k: n for k, n in zip(OTHERS, others, strict=False) if n > 0},
                    **({Concern.BESIDE: beside} if beside > 0 else {}),
                },
            )
        )

    def refer(self, kind: str, name: Value[str]) -> Value[str]:
        """Record a reference to a named structure, if there is one; returns the name."""
        if name.value is not None:
            self.names.refer(kind, name.value, name.position)
        return name

    def bad(self, message: str, position: int) -> None:
        """Note a line without a usable value."""
        self.note(NoteKind.BAD_VALUE, message, position)

    def add(self, note: ParseNote) -> None:
        """Store a note; the last stored one states that there are more."""
        if len(self.notes) == NOTES - 1:
            more = "more is wrong from here on than is worth listing"
            note = replace(note, message=more, instead="", port="")
        if len(self.notes) < NOTES:
            self.notes.append(self._without_secret(note))

    def _without_secret(self, note: ParseNote) -> ParseNote:
        """The note without the value that it quotes, if a key above marks it as secret."""
        position = note.at.get("", 0)
        keys = self.src.keys_of(position)[1] if position >= TREE else ()
        if not any(names_secret(key) for key in keys):
            return note
        return replace(note, message=_QUOTED.sub(repr(MASK), note.message))

    def refuse(
        self, limit: Limit, given: str, position: int, port: str = "", other: int = 0
    ) -> None:
        """Note once per line that the platform refuses a value, and the value in force instead."""
        message = redact(f"{limit.what} {given[:40]!r} is refused, the device takes {limit.takes}")
        if position in self._refused:
            return
        self._refused.add(position)
        at: dict[Hashable, int] = {
            "": max(position, 0),
            Concern.LIMIT: self.src.cite(limit.citation),
        }
        if other > 0:  # the line that sets the bound
            at[Concern.OTHER] = other
        section = self.section_of(position)
        if section:
            at[Concern.SECTION] = section
        self.add(
            ParseNote(
                kind=NoteKind.REFUSED,
                message=message,
                src=self.src,
                at=at,
                instead=limit.instead,
                port=port,
                around=self._around(position),
            )
        )

    def accepts_number(self, what: str, number: float | None, position: int) -> bool:
        """Whether the platform accepts a number for a setting; a refusal is noted."""
        limit = self.limits.get(what)
        if number is None or not isinstance(limit, Bounds) or number in limit:
            return True
        self.refuse(limit, f"{number:g}" if number % 1 else str(whole_part(number)), position)
        return False

    def accepts_word(self, what: str, word: str | None, position: int) -> bool:
        """Whether the platform accepts a word for a setting; a refusal is noted."""
        limit = self.limits.get(what)
        if word is None or not isinstance(limit, Words) or word in limit.words:
            return True
        self.refuse(limit, word, position)
        return False

    def section_of(self, position: int) -> int:
        """First line of a line's section; 0 without sections."""
        file, stanza = self._stanza(position)
        return self.src.files[file].first + stanza.number if stanza is not None else 0

    def _stanza(self, position: int) -> tuple[int, Stanza | None]:
        """File number and section of a line."""
        if not 0 < position < TREE:
            return 0, None
        file = self.src.file_of(position)
        number = position - self.src.files[file].first
        for entry in self.inputs:
            if entry.file == file and entry.sections is not None:
                stanzas = entry.sections.stanzas
                index = bisect_right(stanzas, number, key=lambda stanza: stanza.number) - 1
                return file, stanzas[index] if index >= 0 else None
        return file, None

    def _around(self, position: int) -> tuple[int, ...]:
        """Lines above a line, and those beside it; the row of a leaf."""
        if position >= TREE:
            file, keys = self.src.keys_of(position)
            return (self.src.path(file, keys[:-1]),)
        file, stanza = self._stanza(position)
        if stanza is None:
            return ()
        first = self.src.files[file].first
        index = bisect_left(stanza.numbers, position - first)
        if position - first == stanza.number or index == len(stanza.numbers):
            return ()
        near = slice(max(0, index - NEAR), index + NEAR)
        lines = [(0, stanza.number), *zip(stanza.depths[near], stanza.numbers[near], strict=True)]
        mine = index - near.start + 1
        depth = level = lines[mine][0]
        found = []
        for other, number in reversed(lines[:mine]):
            if other < level or other == level == depth:  # opens the part of the line, or is in it
                found.append(number)
            level = min(level, other)
        rest = takewhile(lambda line: line[0] >= depth, lines[mine + 1 :])
        found += [number for other, number in rest if other == depth]
        return tuple(first + number for number in found)

    def convert(
        self, value: Value[str], change: Callable[[str], U | None], what: str, name: str = ""
    ) -> Value[U]:
        """Convert a text; a failed conversion (ValueError, KeyError, None) is noted, with the name
        of the value, and absent.
        """
        if value.value is None:
            return Value(None, value.position)
        try:
            found = change(value.value)
        except (ValueError, KeyError):
            found = None
        if found is None:
            message = f"{name} {value.value[:64]!r} is not {what}".strip()
            self.bad(message, value.position)
        return Value(found, value.position)

    def default(self, default: Default) -> Value[Any]:
        """A cited default as a value."""
        known = self._defaults.get(id(default))
        if known is None:
            # The default stays cached: an id may be reused after its object is gone.
            known = default, Value(default.value, self.src.cite(default.citation))
            self._defaults[id(default)] = known
        return known[1]

    def mark(self, position: int, state: LineState) -> None:
        """Set the state of the line at `position` (tree positions have their states elsewhere).

        A line that is in force anywhere is not shadowed: below a range of ports it may be overruled
        on some of them only.
        """
        if 0 < position < TREE:
            ref = self._file_of(position)
            line = position - ref.first - 1
            if state is LineState.SHADOWED and ref.states[line] == LineState.UNDERSTOOD:
                return
            ref.states[line] = state

    def _file_of(self, position: int) -> FileRef:
        """File of a line; mostly that of the previous call."""
        ref = self._latest
        if ref is None or not ref.first < position <= ref.first + ref.lines:
            ref = self._latest = self.src.files[self.src.file_of(position)]
        return ref

    def take(self, position: int) -> None:
        """Mark a line as understood."""
        if 0 < position < TREE:
            ref = self._file_of(position)
            ref.states[position - ref.first - 1] = _UNDERSTOOD

    def build(self, kind: type[S], begin: int = 0, /, **fields: Any) -> S:
        """Build a model object: `Value` arguments set value and position, others the value only.

        `begin` is the position of the object; it becomes `at[""]`.
        """
        at: dict[Hashable, int] = {"": begin} if begin else {}
        plain: dict[str, Any] = {}
        for name, given in fields.items():
            if type(given) is Value:
                plain[name] = given.value
                if given.position and given.value is not None:
                    at[name] = given.position
            else:
                plain[name] = given
        return kind(src=self.src, at=at, **plain)


def put(made: Sourced, **values: Value[Any]) -> None:
    """Set fields of an object, with their positions; absent values leave them as they are."""
    for name, value in values.items():
        if value.value is not None:
            setattr(made, name, value.value)
            if value.position:
                made.at[name] = value.position


class Reader:
    """Typed values of one record, each with its position; taking a value marks its line."""

    __slots__ = ("reading", "record", "starts")

    def __init__(self, record: Record, reading: Reading, starts: tuple[int, ...] = ()):
        self.record = record
        self.reading = reading
        self.starts = starts or (record.position,)

    @classmethod
    def over(cls, records: list[Record], reading: Reading) -> Reader:
        """Reader of stanzas with the same name, added up."""
        return cls(merge(records), reading, tuple(record.position for record in records))

    @property
    def begin(self) -> int:
        """Position of the line that starts the record."""
        return self.record.position

    def __contains__(self, name: str) -> bool:
        return name in self.record.values

    def all(self, name: str) -> list[Value[str]]:
        """All captures of `name` in file order, all taken (for values that add up)."""
        found = self.record.values.get(name, ())
        for _, position in found:
            self.reading.take(position)
        return [Value(text, position) for text, position in found]

    def text(self, name: str, *, reset: tuple[str, ...] = ()) -> Value[str]:
        """The value in force: the last capture without a later `reset` capture.

        `reset` names captures of the `no X` and `default X` forms, which are events in the same
        sequence. Earlier captures are marked shadowed when a later one overrules them.
        """
        values = self.record.values
        found = values.get(name)
        for other in reset:
            if other in values:
                break
        else:  # nothing took anything back, which is the rule
            if not found:
                return ABSENT
            for _, earlier in found[:-1]:
                self.reading.mark(earlier, LineState.SHADOWED)
            text, position = found[-1]
            self.reading.take(position)
            return Value(text, position)
        events = sorted(
            [(position, text) for text, position in found or ()]
            + [(p, None) for r in reset for _, p in self.record.values.get(r, ())],
            key=itemgetter(0),
        )
        if not events:
            return ABSENT
        for position, _ in events[:-1]:
            self.reading.mark(position, LineState.SHADOWED)
        position, text_or_none = events[-1]
        self.reading.take(position)
        return Value(text_or_none, position)

    def word(self, name: str, place: int = 0) -> Value[str]:
        """Like `text`, one of its words."""
        return self.text(name).map(lambda text: text.split()[place])

    def integer(self, name: str, *, reset: tuple[str, ...] = ()) -> Value[int]:
        """Like `text`, as a whole number; a value that will not convert is noted and absent."""
        return self.convert(self.text(name, reset=reset), parse_whole, "a whole number")

    def switch(self, *, on: str | tuple[str, ...], off: str | tuple[str, ...]) -> Value[bool]:
        """True or False by the last flag capture."""
        values = self.record.values
        if type(on) is type(off) is str and on not in values and off not in values:
            return ABSENT
        events: list[tuple[int, bool]] = []
        for names, state in ((on, True), (off, False)):
            for name in (names,) if isinstance(names, str) else names:
                events += [(p, state) for _, p in values.get(name, ())]
        if not events:
            return ABSENT
        events.sort(key=itemgetter(0))
        for position, _ in events[:-1]:
            self.reading.mark(position, LineState.SHADOWED)
        position, state = events[-1]
        self.reading.take(position)
        return Value(state, position)

    def convert(self, value: Value[str], change: Callable[[str], U | None], what: str) -> Value[U]:
        """Convert a captured string; a failed conversion becomes a note."""
        return self.reading.convert(value, change, what)

    def bad(self, message: str, position: int) -> None:
        """Note a line without a usable value."""
        self.reading.bad(message, position)

    def children(self, group: str) -> list[Reader]:
        """Readers over the child records of a group, in file order."""
        return [Reader(child, self.reading) for child in self.record.children.get(group, ())]

    def blocks(self, group: str) -> list[Reader]:
        """Like `children`, with the first line of each taken."""
        found = self.children(group)
        for below in found:
            below.take()
        return found

    def take(self) -> None:
        """Mark the line (or lines) that start this record as understood."""
        for position in self.starts:
            self.reading.take(position)

    def build(self, kind: type[S], /, **fields: Any) -> S:
        """Build a model object at the first line of this record."""
        return self.reading.build(kind, self.begin, **fields)
