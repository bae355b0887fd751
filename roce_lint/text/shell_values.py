"""Values of shell words, here-documents and variables, as far as the text alone decides them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from roce_lint.text import shell_tree
from roce_lint.text.shell_words import Part, PartKind, Token

VALUE_LIMIT = 1 << 16
"""Characters a word may have after substitution; a longer one is unknown."""

VARIABLE_LIMIT = 2000
"""Variables whose values are tracked at one time; the rest are unknown."""

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
        self.odd_splitting = False  # IFS was set: words are no longer split at blanks

    def get(self, name: str) -> str | None:
        """The value, None when it is not known."""
        return None if self._all_unsure or name in self._unsure else self._known.get(name)

    def set(self, name: str, value: str | None) -> None:
        """Record an assignment of the script."""
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
        """Trust the values that a called function assigns, within the block."""
        unsure, self._unsure = self._unsure, self._unsure - set(names or ())
        yield
        self._unsure = unsure | self._unsure

    def save(self) -> dict[str, str]:
        """A copy for `restore`."""
        return dict(self._known)

    def restore(self, saved: dict[str, str]) -> None:
        """Restore a state from `save`."""
        self._known = dict(saved)


def parse_assignment(token: Token) -> tuple[str, bool, bool] | None:
    """Name, whether it appends, and whether it is one element, if the word is an assignment."""
    first = token.parts[0] if token.parts else None
    if first is None or first.kind is not PartKind.LITERAL or first.quoted:
        return None
    found = _ASSIGNED.match(token.text)
    # The name must be unquoted; only the index of an element may hold expansions.
    if not found or (not found[2] and not _ASSIGNED.match(first.text)):
        return None
    return found[1], bool(found[3]), bool(found[2])


def value_of(token: Token, variables: Variables) -> str | None:
    """The assigned value; None when it is not known."""
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
    """The words that a word expands to: none, one or several; a single None when not known."""
    parts = token.parts
    if len(parts) == 1 and parts[0].kind is PartKind.LITERAL and parts[0].quoted:
        return (_render(parts[0].text),)
    # `"$@"` is one word per parameter; a parameter with blanks counts as several.
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
    """The part as unquoted expansions see it, with quoted text hidden."""
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
    """Words with unquoted variables, whose values are split at blanks."""
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


# Here-documents with substituted variables.

_EXPANSION = re.compile(
    r"\\(?P<kept>[\\$`\n])"
    r"|\$(?:(?P<name>[A-Za-z_]\w*|[1-9])|\{(?P<braced>[A-Za-z_]\w*|[1-9])\})"
    r"|\$\{[^}\n]*\}?|\$\([^\n]*\)|`[^`\n]*`|\$[@*#?$!0-]",
    re.ASCII,
)


def here_text(text: str, variables: Variables, unknown: str) -> str:
    """The text as the command gets it; `unknown` replaces values known only at run time."""
    size = 0

    def put_in(found: re.Match[str]) -> str:
        nonlocal size
        if found["kept"] is not None:
            return "" if found["kept"] == "\n" else found["kept"]
        name = found["name"] or found["braced"]
        value = variables.get(name) if name else None
        size += len(value or "")
        return unknown if value is None or size > VALUE_LIMIT else value

    return _EXPANSION.sub(put_in, text)


# Variables that statements may set, run or not.

DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})
"""Assigning commands; all except export and readonly make the variable local to a function."""

_OWN = frozenset({"declare", "typeset", "local"})
_NAMING = frozenset({"read", "unset", "mapfile", "readarray", "getopts", "let", "printf"})
_PREFIXES = frozenset({"builtin", "command"})
_TAKING_NAMES = _NAMING | DECLARING
_ANYTHING = frozenset({"eval", "source", "."})
# Assignments before these builtins persist in POSIX shells, but not in bash.
_SPECIAL = _ANYTHING | {":", "exec", "export", "readonly", "set", "shift", "trap", "unset"}


def variables_set(
    statements: Sequence[shell_tree.Statement], *, outside: bool = False
) -> set[str] | None:
    """Names of all variables that `statements` may set; None if any variable may be set.

    With `outside`, local variables of functions are left out.
    """
    names: set[str] = set()
    own: set[str] = set()
    for simple in _simple(statements, names):
        names.update(name for token in simple.words for part in token.parts for name in part.sets)
        before, rest = _split_assignments(simple)
        command = literal(rest[0]) if rest else ""
        if command in _ANYTHING or (command in _TAKING_NAMES and _computes_names(rest)):
            return None
        if not rest or command in _SPECIAL:
            names.update(_names(before))
        if command in _TAKING_NAMES:
            names.update(_names(rest[1:]))
        if command in _OWN:
            own.update(_names(rest[1:]))
    return names - own if outside else names


def commands_called(statements: Sequence[shell_tree.Statement]) -> set[str]:
    """Names of all commands anywhere in the text."""
    found = set()
    for simple in _simple(statements, set()):
        _, rest = _split_assignments(simple)
        if rest:
            found.add(literal(rest[0]))
    return found


def option(tokens: Sequence[Token], letter: str, before: bool) -> bool:  # noqa: FBT001
    """Whether `set` has switched option `letter` on (`-a`) or off (`+a`)."""
    for token in tokens[1:]:
        if letter in token.bare[1:]:
            before = {"-": True, "+": False}.get(token.bare[0], before)
    return before


def literal(token: Token) -> str:
    """The text of a word without expansions; "" for any other."""
    if any(part.kind is not PartKind.LITERAL for part in token.parts):
        return ""
    return "".join(part.text for part in token.parts)


def _split_assignments(simple: shell_tree.Simple) -> tuple[Sequence[Token], Sequence[Token]]:
    """The assignments before a command, and the command as the shell looks it up."""
    words = simple.words
    count = next((i for i, token in enumerate(words) if not parse_assignment(token)), len(words))
    rest = words[count:]
    while rest and literal(rest[0]) in _PREFIXES:
        rest = rest[1:]
    return words[:count], rest


def _names(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        target = parse_assignment(token)
        name = target[0] if target else literal(token).partition("=")[0]
        if NAME.fullmatch(name):
            yield name


def _computes_names(rest: Sequence[Token]) -> bool:
    """Whether a command that takes names of variables may get one that is not in the text."""
    if literal(rest[0]) == "printf" and all(token.bare != "-v" for token in rest):
        return False
    return any(
        part.kind is not PartKind.LITERAL
        for token in rest
        if not parse_assignment(token)
        for part in token.parts
    )


def _simple(
    statements: Sequence[shell_tree.Statement], names: set[str]
) -> Iterator[shell_tree.Simple]:
    """All simple commands within; names of loops are added to `names` on the way."""
    for statement in statements:
        match statement:
            case shell_tree.Simple():
                yield statement
            case shell_tree.Pipeline() | shell_tree.Chain():
                yield from _simple(statement.parts, names)
            case shell_tree.Branches():
                yield from _simple(statement.head, names)
                for body in statement.bodies:
                    yield from _simple(body, names)
            case shell_tree.For():
                names.add(statement.name)
                yield from _simple(statement.body, names)
            case shell_tree.Loop():
                names.update(statement.sets)
                yield from _simple(statement.body, names)
            case shell_tree.Function() | shell_tree.Group():
                yield from _simple(statement.body, names)
