"""Words: the statements of one stanza in the vendor's own terms, to be read or to be printed.

A class of words has the fields of one group of the parse templates. Each field names the variable
that captures it and the codec of its value, so that the form of a line is known by its template
alone, and the form of a value by its codec alone:

    class Port(Words, group="interface"):
        mtu: Word[int] = Word("mtu", Whole("mtu", 9198, 46))

Of the class, a field is a function over a reader: `Port.mtu(reader)` takes the line and gives the
value with its position. Of an object, it is the value to be printed, None where no line is to
stand: `Port(mtu=9198)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar, dataclass_transform, overload

from roce_lint.errors import RenderError
from roce_lint.nos.codecs import Codec, Limits
from roce_lint.nos.reading import ABSENT, Reader, Value

T = TypeVar("T")

Said = list[dict[str, str | None]]
"""Texts by variable, a dict for each line; None: the fixed words that the template captures."""


class Field(Generic[T]):
    """What every field does: it is kept on objects, and found by the class as what reads it."""

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, words: None, owner: type) -> Self: ...
    @overload
    def __get__(self, words: Words, owner: type) -> T | None: ...
    def __get__(self, words: Words | None, owner: type) -> Self | T | None:
        return self if words is None else words.__dict__.get(self.name)

    def __set__(self, words: Words, value: T | None) -> None:
        words.__dict__[self.name] = value

    def print_records(self, value: T, limits: Limits) -> Said:
        """The texts that state a value."""
        raise NotImplementedError


class Word(Field[T]):
    """A value on a line; `no` is the line that takes it back, and what then holds."""

    def __init__(self, variable: str, codec: Codec[T], no: No[T] | None = None):
        self.variable, self.codec, self.no = variable, codec, no

    def __call__(self, reader: Reader) -> Value[T]:
        """The value in force; taking it marks its line as understood."""
        values = reader.record.values
        if self.variable not in values and (self.no is None or self.no.variable not in values):
            return ABSENT  # most fields of most stanzas: no codec is asked
        if self.no is None:
            return self.codec.parse(reader, reader.text(self.variable))
        text = reader.text(self.variable, reset=(self.no.variable,))
        if text.value is None and text.position:
            return Value(self.no.value, text.position)
        return self.codec.parse(reader, text)

    def print_records(self, value: T, limits: Limits) -> Said:
        """The line that states the value."""
        return [{self.variable: self.codec.text(value, limits)}]


class No(NamedTuple, Generic[T]):
    """The line that takes a value back: its variable, and the value that holds with it."""

    variable: str
    value: T


class Many(Field[tuple[T, ...]]):
    """Values of lines that add up."""

    def __init__(self, variable: str, codec: Codec[T]):
        self.variable, self.codec = variable, codec

    def __call__(self, reader: Reader) -> list[Value[T]]:
        """All of them, in the order of the file."""
        return [self.codec.parse(reader, text) for text in reader.all(self.variable)]

    def print_records(self, value: tuple[T, ...], limits: Limits) -> Said:
        """A line for each."""
        return [{self.variable: self.codec.text(each, limits)} for each in value]


class Switch(Field[bool]):
    """A word of the template and its opposite; without an opposite it is on or not said."""

    def __init__(self, on: str, off: str = ""):
        self.on, self.off = on, off

    def __call__(self, reader: Reader) -> Value[bool]:
        """Which of them comes last."""
        return reader.switch(on=self.on, off=self.off or ())

    def print_records(self, value: bool, limits: Limits) -> Said:  # noqa: ARG002, FBT001
        """The word that says so."""
        variable = self.on if value else self.off
        if not variable:
            raise RenderError(f"{self.name}: no line says that it is off")
        return [{variable: None}]


W = TypeVar("W", bound="Words")


class Below(Field[tuple[W, ...]]):
    """Stanzas inside a stanza."""

    def __init__(self, kind: type[W]):
        self.kind = kind

    def __call__(self, reader: Reader) -> list[Reader]:
        """Their readers, in the order of the file."""
        return reader.children(self.kind.group)

    def print_records(self, value: tuple[W, ...], limits: Limits) -> Said:  # noqa: ARG002
        """Nothing on a line of this stanza."""
        return []


@dataclass_transform(kw_only_default=True)
class Words:
    """The statements of a stanza; a class of them has typed fields as a dataclass has."""

    group: ClassVar[str]
    fields: ClassVar[Mapping[str, Field[Any]]]

    def __init__(self, **values: Any):
        if unknown := values.keys() - self.fields.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        self.__dict__.update(values)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.values() == other.values()

    __hash__ = None  # type: ignore[assignment]

    def values(self) -> dict[str, Any]:
        """What it states, by field."""
        return {n: v for n in self.fields if (v := self.__dict__.get(n)) is not None}

    def __init_subclass__(cls, *, group: str, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.group = group
        kept: dict[str, Field[Any]] = dict(getattr(cls, "fields", {}))
        kept.update({name: f for name, f in vars(cls).items() if isinstance(f, Field)})
        cls.fields = kept

    def print_records(self, limits: Limits) -> Said:
        """The texts of its lines.

        Raises:
            RenderError: a value that no text says or that the platform refuses.
        """
        found: Said = []
        for name, value in self.values().items():
            found += self.fields[name].print_records(value, limits)
        return found

    def below(self) -> dict[str, list[Words]]:
        """The stanzas inside, by group."""
        found: dict[str, list[Words]] = {}
        for name, value in self.values().items():
            if isinstance(self.fields[name], Below):
                for words in value:
                    found.setdefault(words.group, []).append(words)
        return found

    def without(self, other: Self, *names: str) -> Self:
        """The same but for the fields of these names that another states alike."""
        own, others = self.values(), other.values()
        same = {name for name in names if name in own and own[name] == others.get(name)}
        return type(self)(**{name: value for name, value in own.items() if name not in same})
