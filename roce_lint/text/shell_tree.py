"""The structure of a shell script: commands within conditions and loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from roce_lint.text.shell_words import Problem, Token, TokenKind, tokens_of

NEST_LIMIT = 50
"""Nested compound commands that are followed."""

_CLOSERS = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}", ")"})
_CASE_ENDS = frozenset({";;", ";&", ";;&"})
_SEPARATORS = frozenset({"\n", ";", "&"})


@dataclass(slots=True)
class Simple:
    """Words and redirections; assignments before the command are still among the words."""

    words: list[Token] = field(default_factory=list)
    redirects: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Pipeline:
    """Commands that each read the output of the previous one."""

    parts: list[Statement]


@dataclass(slots=True)
class Chain:
    """Statements joined by `&&` and `||`; `operators` precede the second and later ones."""

    parts: list[Statement]
    operators: list[str]


@dataclass(slots=True)
class For:
    """`for name in items`; items are None for the parameters of the script."""

    name: str
    items: list[Token] | None
    body: list[Statement]
    redirects: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Branches:
    """`if` and `case`: the head is run, then at most one of the bodies."""

    head: list[Statement]
    bodies: list[list[Statement]]
    redirects: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """`while`, `until`, `for ((...))`, `select`: run any number of times."""

    body: list[Statement]
    sets: tuple[str, ...] = ()
    redirects: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Function:
    """A function's body, run whenever it is called."""

    body: list[Statement]
    name: str = ""


@dataclass(slots=True)
class Group:
    """`{ ...; }`, or `( ... )`, which keeps its variables to itself."""

    body: list[Statement]
    subshell: bool
    redirects: list[Token] = field(default_factory=list)


Statement: TypeAlias = Simple | Pipeline | Chain | For | Branches | Loop | Function | Group


def parse(text: str) -> tuple[list[Statement], list[Problem]]:
    """Parse a script; faulty parts are left out and reported."""
    tokens, problems = tokens_of(text)
    parser = _Parser(tokens, len(text))
    return parser.script(), problems + parser.problems


class _TooDeepError(Exception):
    """More than NEST_LIMIT levels."""


class _Parser:
    def __init__(self, tokens: list[Token], length: int):
        self.problems: list[Problem] = []
        self._tokens = tokens
        self._end = Token(TokenKind.OPERATOR, "", length, length)
        self._at = 0
        self._depth = 0
        self._outermost = 0  # where the current top-level statement begins

    def script(self) -> list[Statement]:
        """All statements; an unmatched closing word is skipped."""
        found: list[Statement] = []
        while self._at < len(self._tokens):
            try:
                self._statements(frozenset(), found)
            except _TooDeepError:
                message = f"nests deeper than {NEST_LIMIT} levels; not read from here on"
                self._report(message, self._outermost)
                break
            if self._at < len(self._tokens):
                self._report(f'"{self._peek()}" closes nothing', self._at)
                self._at += 1
        return found

    def _report(self, message: str, at: int) -> None:
        token = self._tokens[at] if at < len(self._tokens) else self._end
        self.problems.append((token.start, message))

    def _token(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else self._end

    def _peek(self) -> str:
        """The next operator or bare word; "" for anything else and at the end."""
        token = self._token()
        return token.text if token.kind is TokenKind.OPERATOR else token.bare

    def _accept(self, *texts: str) -> bool:
        if self._peek() not in texts or self._at >= len(self._tokens):
            return False
        self._at += 1
        return True

    def _expect(self, text: str, opened: int) -> None:
        self._skip_separators()
        if not self._accept(text):
            self._report(f'"{self._tokens[opened].text}" without "{text}"', opened)

    def _skip_separators(self) -> None:
        while self._accept(*_SEPARATORS):
            pass

    def _statements(
        self, closers: frozenset[str], found: list[Statement] | None = None
    ) -> list[Statement]:
        """Statements up to one of `closers`, any other closing word, or the end."""
        found = [] if found is None else found
        self._depth += 1
        if self._depth > NEST_LIMIT:
            raise _TooDeepError
        while True:
            self._skip_separators()
            stop = self._peek()
            if self._at >= len(self._tokens) or stop in _CLOSERS or stop in closers:
                break
            begun = self._at
            self._outermost = begun if self._depth == 1 else self._outermost
            found.append(self._chain())
            self._at += self._at == begun  # an operator where a command should be
        self._depth -= 1
        return found

    def _chain(self) -> Statement:
        parts = [self._pipeline()]
        operators: list[str] = []
        while self._peek() in {"&&", "||"}:
            operators.append(self._peek())
            self._at += 1
            self._skip_newlines()
            parts.append(self._pipeline())
        return Chain(parts, operators) if operators else parts[0]

    def _skip_newlines(self) -> None:
        while self._accept("\n"):
            pass

    def _pipeline(self) -> Statement:
        while self._accept("!", "time"):
            pass
        parts = [self._command()]
        while self._accept("|", "|&"):
            self._skip_newlines()
            parts.append(self._command())
        return Pipeline(parts) if len(parts) > 1 else parts[0]

    def _command(self) -> Statement:
        begun = self._at
        word = self._peek()
        compound = {
            "if": self._if,
            "case": self._case,
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "{": self._group,
            "(": self._group,
            "function": self._function,
        }.get(word)
        if compound is None:
            if self._token().kind is TokenKind.OPERATOR:
                self._report("a command is missing here", begun)
            return self._simple()
        self._at += 1
        found = compound(begun)
        if isinstance(found, For | Branches | Loop | Group):
            found.redirects += self._redirects()
        return found

    def _redirects(self) -> list[Token]:
        begun = self._at
        while self._token().kind is TokenKind.REDIRECT:
            self._at += 1
        return self._tokens[begun : self._at]

    def _simple(self) -> Statement:
        found = Simple()
        while self._token().kind is not TokenKind.OPERATOR:
            token = self._token()
            self._at += 1
            (found.redirects if token.kind is TokenKind.REDIRECT else found.words).append(token)
        if self._peek() == "(" and len(found.words) == 1 and found.words[0].bare:
            begun = self._at - 1
            self._at += 1
            self._expect(")", begun)
            return self._body(begun, found.words[0].bare)
        return found

    def _function(self, begun: int) -> Statement:
        name = self._token().bare
        self._at += self._token().kind is TokenKind.WORD
        if self._accept("("):
            self._expect(")", begun)
        return self._body(begun, name)

    def _body(self, begun: int, name: str) -> Statement:
        """Body of a function: one compound command on this or a later line."""
        self._skip_newlines()
        if self._depth >= NEST_LIMIT:
            raise _TooDeepError
        self._depth += 1
        body = self._command()
        self._depth -= 1
        if isinstance(body, Simple):
            self._report("a function without a body", begun)
        return Function([body], name)

    def _if(self, begun: int) -> Statement:
        head = self._statements(frozenset({"then"}))
        self._expect("then", begun)
        bodies = [self._statements(frozenset({"elif", "else", "fi"}))]
        while self._accept("elif"):
            condition = self._statements(frozenset({"then"}))
            self._expect("then", begun)
            bodies.append(condition + self._statements(frozenset({"elif", "else", "fi"})))
        if self._accept("else"):
            bodies.append(self._statements(frozenset({"fi"})))
        self._expect("fi", begun)
        return Branches(head, bodies)

    def _while(self, begun: int) -> Statement:
        return Loop(self._statements(frozenset({"do"})) + self._do(begun))

    def _for(self, begun: int) -> Statement:
        name = self._token()
        self._at += name.kind in {TokenKind.WORD, TokenKind.TEST}
        self._skip_newlines()
        items = list(self._items()) if self._accept("in") else None
        self._skip_separators()
        body = self._do(begun)
        if name.kind is TokenKind.TEST:
            return Loop(body, name.parts[0].sets)
        if self._tokens[begun].bare == "select":
            return Loop(body, (name.bare,))
        return For(name.bare, items, body)

    def _items(self) -> Iterator[Token]:
        while self._token().kind is TokenKind.WORD:
            yield self._token()
            self._at += 1

    def _do(self, begun: int) -> list[Statement]:
        self._expect("do", begun)
        body = self._statements(frozenset({"done"}))
        self._expect("done", begun)
        return body

    def _group(self, begun: int) -> Statement:
        subshell = self._tokens[begun].text == "("
        closer = ")" if subshell else "}"
        body = self._statements(frozenset({closer}))
        self._expect(closer, begun)
        return Group(body, subshell)

    def _case(self, begun: int) -> Statement:
        subject = Simple([self._token()] if self._token().kind is TokenKind.WORD else [])
        self._at += len(subject.words)
        self._skip_newlines()
        self._expect("in", begun)
        bodies: list[list[Statement]] = []
        while True:
            self._skip_separators()
            if self._at >= len(self._tokens) or self._peek() == "esac":
                break
            self._pattern()
            bodies.append(self._statements(_CASE_ENDS))
            if not self._accept(*_CASE_ENDS) and self._peek() != "esac":
                break
        self._expect("esac", begun)
        return Branches([], bodies)

    def _pattern(self) -> None:
        """`(a | b)` before the body of a case; nothing in it is run."""
        self._accept("(")
        while self._token().kind is TokenKind.WORD or self._peek() == "|":
            self._at += 1
        self._accept(")")
