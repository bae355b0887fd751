"""What shell words come to, as far as the text alone decides it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from roce_lint.text.shell_words import Part, PartKind, Token

VALUE_LIMIT = 1 << 16
"""Characters a word may have after variables were put in; a longer one is unknown."""

VARIABLE_LIMIT = 2000
"""Variables whose values are remembered at one time; the rest are unknown."""

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

ALL_QUOTED = Part(PartKind.VARIABLE, "@", quoted=True)

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\[[^\]]*\])?(\+?)=", re.ASCII)
_PATTERN = re.compile(r"[*?]|\[.+\]")
_BRACES = re.compile(r"\{(?=[^{}]*?(?:,|\.\.))[^{}]*+\}")
_TEMPLATE = ("{{", "}}", "{%", "%}")
_HOME = re.compile(r"(?:^|:)~")


class Variables:
    """The variables whose value is certain at one point of a script."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._unsure: set[str] = set()  # set by functions, which may be called at any time
        self._all_unsure = False
        self.odd_splitting = False  # IFS was set: words no longer fall apart at blanks

    def get(self, name: str) -> str | None:
        """The value, None when it is not known."""
        return None if self._all_unsure or name in self._unsure else self._known.get(name)

    def set(self, name: str, value: str | None) -> None:
        """Remember what the script set."""
        self.odd_splitting |= name == "IFS"
        if value is None or (len(self._known) >= VARIABLE_LIMIT and name not in self._known):
            self._known.pop(name, None)
        else:
            self._known[name] = value

    def forget(self, names: Iterable[str] | None) -> None:
        """Make variables unknown; None means all."""
        if names is None:
            self._known.clear()
            return
        for name in names:
            self._known.pop(name, None)

    def distrust(self, names: Iterable[str] | None) -> None:
        """Make variables unknown for good; None means all."""
        self._unsure.update(names or ())
        self._all_unsure |= names is None

    @contextmanager
    def trust(self, names: Iterable[str] | None) -> Iterator[None]:
        """While a function is followed that sets these, their values are what it gives them."""
        unsure, self._unsure = self._unsure, self._unsure - set(names or ())
        yield
        self._unsure = unsure | self._unsure

    def save(self) -> dict[str, str]:
        """A copy for `restore`."""
        return dict(self._known)

    def restore(self, saved: dict[str, str]) -> None:
        """Go back to what `save` gave."""
        self._known = dict(saved)


def parse_assignment(token: Token) -> tuple[str, bool, bool] | None:
    """Name, whether it appends, and whether it is one element, if the word is an assignment."""
    first = token.parts[0] if token.parts else None
    if first is None or first.kind is not PartKind.LITERAL or first.quoted:
        return None
    found = _ASSIGNED.match(token.text)
    # The name must stand unquoted; only the index of an element may hold expansions.
    if not found or (not found[2] and not _ASSIGNED.match(first.text)):
        return None
    return found[1], bool(found[3]), bool(found[2])


def value_of(token: Token, variables: Variables) -> str | None:
    """What an assignment gives its variable; None when that is not known."""
    target = parse_assignment(token)
    if target is None or target[2]:
        return None
    name, appends, _ = target
    parts = list(token.parts)
    literal = parts[0].text.partition("=")[2]
    parts[0] = Part(PartKind.LITERAL, literal)
    shape = "".join(_shape(part) for part in parts)
    if _HOME.search(shape):
        return None
    value = _join(parts, variables)
    before = variables.get(name) if appends else ""
    if value is None or before is None or len(before) + len(value) > VALUE_LIMIT:
        return None
    return before + value


def expand_word(token: Token, variables: Variables) -> Sequence[str | None]:
    """The words that a word becomes: none, one or several; a single None when not known."""
    parts = token.parts
    if len(parts) == 1 and parts[0].kind is PartKind.LITERAL and parts[0].quoted:
        return (_render(parts[0].text),)
    # `"$@"` is a word for each parameter; one with blanks in it is taken for several.
    if tuple(part for part in parts if part.text) == (ALL_QUOTED,):
        parts = (Part(PartKind.VARIABLE, "@"),)
    elif any(part.text == "@" and part.kind is PartKind.VARIABLE for part in parts):
        return (None,)
    shape = "".join(_shape(part) for part in parts)
    if _PATTERN.search(shape) or _BRACES.search(shape) or shape.startswith("~"):
        return (None,)
    if all(part.kind is PartKind.LITERAL or part.quoted for part in parts):
        return (_join(parts, variables),)
    return _split(parts, variables)


def _shape(part: Part) -> str:
    """What a part shows to the expansions that look at unquoted text; quoted text is hidden."""
    return part.text if part.kind is PartKind.LITERAL and not part.quoted else '"'


def _join(parts: Sequence[Part], variables: Variables) -> str | None:
    pieces: list[str] = []
    size = 0
    for part in parts:
        piece = _piece(part, variables)
        size += len(piece or "")
        if piece is None or size > VALUE_LIMIT:
            return None
        pieces.append(piece)
    return _render("".join(pieces))


def _piece(part: Part, variables: Variables) -> str | None:
    if part.kind is PartKind.LITERAL:
        return part.text
    return variables.get(part.text) if part.kind is PartKind.VARIABLE else None


def _render(text: str) -> str | None:
    """None for text with the marks of a template that was not rendered."""
    return None if any(mark in text for mark in _TEMPLATE) else text


def _split(parts: Sequence[Part], variables: Variables) -> Sequence[str | None]:
    """Words with unquoted variables, whose values fall apart at blanks."""
    fields: list[str] = []
    current: str | None = None  # of the word being built; None when none is begun
    size = 0
    for part in parts:
        piece = _piece(part, variables)
        size += len(piece or "")
        if piece is None or size > VALUE_LIMIT:
            return (None,)
        if part.kind is PartKind.LITERAL or part.quoted:
            current = (current or "") + piece
            continue
        if _PATTERN.search(piece) or variables.odd_splitting:
            return (None,)
        if current is not None and piece[:1].isspace():
            fields.append(current)
            current = None
        words = piece.split()
        if words:
            words[0] = (current or "") + words[0]
            *whole, current = words
            fields += whole
            if piece[-1].isspace():
                fields.append(current)
                current = None
    if current is not None:
        fields.append(current)
    return [_render(word) for word in fields]
