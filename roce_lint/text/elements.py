"""Documents of nested elements, as XML writes them, each element with the line that begins it.

Nothing outside the document is ever looked at: a document that declares a type or an entity is
refused, and so is one that is nested too deep or holds too much.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from roce_lint.text.places import DEPTH_LIMIT

ELEMENTS = 1_000_000
"""Elements of one document; a whole chassis has some 100,000."""


class ElementsError(Exception):
    """A text that is no such document, or none that is read; `line` is where that shows."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Element:
    """An element: its name without a namespace, its line, its text, and those inside it.

    `marks` are its attributes, names without a namespace as well.
    """

    name: str
    line: int
    text: str = ""
    below: list[Element] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)

    def first(self, name: str) -> Element | None:
        """The first element of a name inside this one."""
        return next((each for each in self.below if each.name == name), None)


def read_xml(text: str, first: int = 1) -> Element:
    """The outermost element; the first line of the text has the number `first`.

    What stands behind its end, such as a prompt, is passed over.

    Raises:
        ElementsError: it is no XML, breaks off, or holds what no device prints.
    """
    reader = _Reader(first)
    try:
        reader.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        if reader.root is None or reader.opened:
            message = expat.ErrorString(error.code)
            raise ElementsError(message, first + error.lineno - 1) from error
    if reader.root is None:
        raise ElementsError("no element", first)
    return reader.root


class _Reader:
    """What the parser calls; it keeps the elements that are open."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.root: Element | None = None
        self.opened: list[Element] = []
        self.said: list[list[str]] = []
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.say
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def line(self) -> int:
        """The line that is being read."""
        return self.first + self.parser.CurrentLineNumber - 1

    def begin(self, name: str, marks: dict[str, str]) -> None:
        """An element begins."""
        self.count += 1
        if len(self.opened) >= DEPTH_LIMIT:
            raise ElementsError("nested deeper than any device nests", self.line())
        if self.count > ELEMENTS:
            raise ElementsError(f"more than {ELEMENTS} elements", self.line())
        made = Element(_plain(name), self.line())
        made.marks = {_plain(key): value for key, value in marks.items()}
        if self.opened:
            self.opened[-1].below.append(made)
        elif self.root is None:
            self.root = made
        self.opened.append(made)
        self.said.append([])

    def end(self, _: str) -> None:
        """An element ends."""
        self.opened.pop().text = "".join(self.said.pop())

    def say(self, text: str) -> None:
        """Text between two marks."""
        if self.said:
            self.said[-1].append(text)

    def refuse(self, *_: Any) -> None:
        """A declaration that would make text out of nothing, or out of another file."""
        raise ElementsError("a declaration of a document type or an entity", self.line())


def _plain(name: str) -> str:
    return name.rsplit(":", 1)[-1]
