"""Codecs: the forms of values in captured texts.

`parse` makes a value of the text and notes what it cannot be; `text` prints it. A value that a
device would not take is refused by both. A codec of a system that is only read has no `text`, one
of a system whose reader has its own patterns no `parse`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from roce_lint.errors import RenderError
from roce_lint.model.units import ranges
from roce_lint.nos.quantities import read_numbers, upto, whole
from roce_lint.nos.reading import Reader, Value
from roce_lint.nos.refusals import Bounds, Limit

T = TypeVar("T")

Limits = Mapping[str, Limit]
"""What the platform documents that it takes, by setting."""


class Codec(Generic[T]):
    """The two directions of a form."""

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """The value of a text; one that it cannot be is noted, and not known."""
        raise NotImplementedError

    def text(self, value: T, limits: Limits) -> str:
        """The text of a value.

        Raises:
            RenderError: no text of this kind states it, or the platform refuses it.
        """
        raise NotImplementedError


class Text(Codec[str]):
    """Words as they stand."""

    def parse(self, reader: Reader, text: Value[str]) -> Value[str]:  # noqa: ARG002
        """The text itself."""
        return text

    def text(self, value: str, limits: Limits) -> str:  # noqa: ARG002
        """The text itself, if a line can hold it."""
        if not value.isprintable() or value != " ".join(value.split()) or not value:
            raise RenderError(f"{value[:40]!a} is no text of one line")
        return value


TEXT = Text()


@dataclass(frozen=True)
class Whole(Codec[int]):
    """A whole number; `what` is its setting, by which the platform's bounds are known."""

    what: str
    high: int
    low: int = 0

    def parse(self, reader: Reader, text: Value[str]) -> Value[int]:
        """The number, if the device takes it."""
        return whole(reader, text, self.high, self.what, self.low)

    def text(self, value: int, limits: Limits) -> str:
        """Its digits."""
        check(self.what, value, limits, self.low, self.high)
        return str(value)


@dataclass(frozen=True)
class Numbers(Codec[frozenset[int]]):
    """A list of numbers from 0, `3` or `0,24-31`; `called` is what a remark calls it."""

    called: str
    high: int
    what: str = ""

    def parse(self, reader: Reader, text: Value[str]) -> Value[frozenset[int]]:
        """The numbers, each of which the device takes."""
        return read_numbers(reader.reading, text, upto(self.high), self.called, self.what)

    def text(self, value: frozenset[int], limits: Limits) -> str:
        """The numbers in order, ranges joined."""
        if not value:
            raise RenderError(f"{self.called}: none is no list")
        for number in (min(value), max(value)):
            check(self.what or self.called, number, limits, 0, self.high)
        return ranges(value)


class OneOf(Codec[T]):
    """A word of a few; `called` is what a remark calls them."""

    def __init__(self, words: Mapping[str, T], called: str, *, any_case: bool = False):
        self.words = words
        self._called = called
        self._any_case = any_case

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """What the word stands for."""
        if self._any_case:
            text = text.map(str.lower)
        return reader.convert(text, self.words.__getitem__, self._called)

    def text(self, value: T, limits: Limits) -> str:  # noqa: ARG002
        """The first word that stands for it."""
        for word, meant in self.words.items():
            if meant == value:
                return word
        raise RenderError(f"{str(value)[:40]!r} is not {self._called}")


@dataclass(frozen=True)
class KnownTexts(Codec[T]):
    """A text of which the platform documents all that there are; it refuses any other."""

    what: str
    codec: Codec[T]

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """What the text says; nothing where it is refused: what was set before holds."""
        if not reader.reading.accepts_word(self.what, text.value, text.position):
            return Value(None)
        return self.codec.parse(reader, text)


@dataclass(frozen=True)
class Begins(Codec[T]):
    """The first word of a text whose other words are details that nothing asks for."""

    codec: Codec[T]

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """What the first word says."""
        return self.codec.parse(reader, text.map(lambda words: words.split(maxsplit=1)[0]))


@dataclass(frozen=True)
class Behind(Codec[str]):
    """What stands behind fixed words that are captured too, as in `ipv6 address 2001:db8::1/64`."""

    words: str

    def parse(self, reader: Reader, text: Value[str]) -> Value[str]:  # noqa: ARG002
        """The text without the words."""
        return text.map(lambda line: " ".join(line.split()[len(self.words.split()) :]) or None)

    def text(self, value: str, limits: Limits) -> str:
        """The words and the text."""
        return f"{self.words} {TEXT.text(value, limits)}"


@dataclass(frozen=True)
class ParsedBy(Codec[T]):
    """A form of one statement alone, read by a function."""

    function: Callable[[Reader, Value[str]], Value[T]]

    def parse(self, reader: Reader, text: Value[str]) -> Value[T]:
        """The value that the function makes of the text."""
        return self.function(reader, text)


def check(what: str, number: float, limits: Limits, low: float, high: float) -> None:
    """Refuse a number that the platform refuses.

    Raises:
        RenderError: it lies outside of the documented bounds, or else of those of the codec.
    """
    limit = limits.get(what)
    if isinstance(limit, Bounds):
        if number not in limit:
            raise RenderError(f"{what} {number:g} is refused, the device takes {limit.takes}")
    elif not low <= number <= high:
        raise RenderError(f"{what} {number:g} is not a number from {low:g} to {high:g}")
