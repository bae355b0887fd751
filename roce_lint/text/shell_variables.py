"""Which variables statements may set, whether they are run or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roce_lint.text.shell_tree import (
    Branches,
    Chain,
    For,
    Function,
    Group,
    Loop,
    Pipeline,
    Simple,
    Statement,
)
from roce_lint.text.shell_values import NAME, parse_assignment
from roce_lint.text.shell_words import PartKind, Token

DECLARING = frozenset({"export", "declare", "typeset", "local", "readonly"})
"""Commands that assign; those but export and readonly make the variable the function's own."""

_OWN = frozenset({"declare", "typeset", "local"})
_NAMING = frozenset({"read", "unset", "mapfile", "readarray", "getopts", "let", "printf"})
_PREFIXES = frozenset({"builtin", "command"})
_TAKING_NAMES = _NAMING | DECLARING
_ANYTHING = frozenset({"eval", "source", "."})
# Before these, POSIX shells keep an assignment; bash does not.
_SPECIAL = _ANYTHING | {":", "exec", "export", "readonly", "set", "shift", "trap", "unset"}


def variables_set(statements: Sequence[Statement], *, outside: bool = False) -> set[str] | None:
    """Names of all variables that `statements` may set; None where that may be any.

    With `outside`, those that a function declares to be its own are left out.
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


def commands_called(statements: Sequence[Statement]) -> set[str]:
    """Names of all commands that stand in the text, wherever."""
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
    """The text of a word in which nothing is expanded; "" for any other."""
    if any(part.kind is not PartKind.LITERAL for part in token.parts):
        return ""
    return "".join(part.text for part in token.parts)


def _split_assignments(simple: Simple) -> tuple[Sequence[Token], Sequence[Token]]:
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


def _simple(statements: Sequence[Statement], names: set[str]) -> Iterator[Simple]:
    """All simple commands within; names of loops are added to `names` on the way."""
    for statement in statements:
        match statement:
            case Simple():
                yield statement
            case Pipeline() | Chain():
                yield from _simple(statement.parts, names)
            case Branches():
                yield from _simple(statement.head, names)
                for body in statement.bodies:
                    yield from _simple(body, names)
            case For():
                names.add(statement.name)
                yield from _simple(statement.body, names)
            case Loop():
                names.update(statement.sets)
                yield from _simple(statement.body, names)
            case Function() | Group():
                yield from _simple(statement.body, names)
