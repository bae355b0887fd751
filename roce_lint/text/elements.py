"""XML documents as nested elements, each with its first line.

Nothing outside the document is ever read: documents that declare a type or an entity are refused,
as are those nested too deeply or too large.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from roce_lint.text.places import DEPTH_LIMIT

ELEMENTS = 1_000_000
"""Elements of one document; a whole chassis has some 100,000."""


class ElementsError(Exception):
    """A text that is not an XML document, or is refused; `line` is the place of the fault."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class Element:
    """An element: name without namespace, line, text, and child elements.

    `marks` are its attributes, also without namespace.
    """

    name: str
    line: int
    text: str = ""
    below: list[Element] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)


def read_xml(text: str, first: int = 1) -> Element:
    """Parse a document; its first line has the number `first`. Text after its end, such as a
    prompt, is skipped.

    Raises:
        ElementsError: it is not XML, is cut off, or exceeds a limit.
    """
    reader = _Reader(first)
    try:
        reader.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        if reader.root is None or reader.opened:
            raise ElementsError(expat.ErrorString(error.code), first + error.lineno - 1) from error
    if reader.root is None:
        raise ElementsError("no element", first)
    return reader.root


class _Reader:
    """Parser callbacks; holds the open elements."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.root: Element | None = None
        self.opened: list[Element] = []
        self.texts: list[list[str]] = []
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.append
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def line(self) -> int:
        """The current line."""
        return self.first + self.parser.CurrentLineNumber - 1

    def begin(self, name: str, marks: dict[str, str]) -> None:
        """Begin an element."""
        self.count += 1
        if len(self.opened) >= DEPTH_LIMIT:
            raise ElementsError("nested too deeply", self.line())
        if self.count > ELEMENTS:
            raise ElementsError(f"more than {ELEMENTS} elements", self.line())
        made = Element(_plain(name), self.line())
        made.marks = {_plain(key): value for key, value in marks.items()}
        if self.opened:
            self.opened[-1].below.append(made)
        elif self.root is None:
            self.root = made
        self.opened.append(made)
        self.texts.append([])

    def end(self, _: str) -> None:
        """End an element."""
        self.opened.pop().text = "".join(self.texts.pop())

    def append(self, text: str) -> None:
        """Text between two marks."""
        if self.texts:
            self.texts[-1].append(text)

    def refuse(self, *_: Any) -> None:
        """Refuse a declaration that would expand to other text or read another file."""
        raise ElementsError("a declaration of a document type or an entity", self.line())


def _plain(name: str) -> str:
    return name.rsplit(":", 1)[-1]
