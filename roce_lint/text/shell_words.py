"""Shell text split into words, operators and redirections by the rules of POSIX and bash.

Nothing is expanded here. The effect of expansion on a word is kept in its parts: literal text, a
variable, or something known only to a running shell.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from roce_lint.text.places import Note

_BLANKS = re.compile(r"(?:[ \t]|\\\n)*")
_RUN = re.compile(r"[^ \t\n\\'\"`$;&|<>()]+")
_QUOTED_RUN = re.compile(r'[^"\\$`]+')
_OPERATOR = re.compile(r";;&|;;|;&|&&|\|\||\|&|[;&|()\n]")
_REDIRECT = re.compile(r"(\d*|\{\w+\})(<<<|<<-?|<>|<&|>&|>>|>\||<(?!\()|>(?!\())|(&>>?)")
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SPECIAL = re.compile(r"""[\\'"`(){}$]""")
_ARRAY = re.compile(r"[A-Za-z_]\w*\+?=", re.ASCII)
_LINE_END = re.compile(r"(?<!\\)\n")
_TEST_GAP = re.compile(r"(?:[ \t;&|<>()]|\\?\n)*")
_SETS = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)|[-+*/%&|^]=|(?:<<|>>)=")
_DEFAULTS = re.compile(r"([A-Za-z_]\w*):?=", re.ASCII)
_BEFORE_COMMAND = {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"}


Problem: TypeAlias = tuple[int, str]
"""An oddity: its offset and description."""


LEFT_OUT = "a quote or bracket is not closed; the line is left out"


class PartKind(enum.Enum):
    """Kind of a piece of a word."""

    LITERAL = "literal"
    VARIABLE = "variable"
    UNKNOWN = "unknown"  # command substitution, arithmetic, arrays, `${x:-y}`, parameters


@dataclass(slots=True, frozen=True)
class Part:
    """A piece of a word: text, or a variable's name."""

    kind: PartKind
    text: str = ""
    quoted: bool = False
    sets: tuple[str, ...] = ()  # variables that expanding it may set


class TokenKind(enum.Enum):
    """Kind of a token."""

    WORD = "word"
    TEST = "test"  # `[[ ... ]]` or `(( ... ))`
    OPERATOR = "operator"
    REDIRECT = "redirect"


@dataclass(slots=True, frozen=True)
class Token:
    """One token; a redirection has its operator as text and its target as parts."""

    kind: TokenKind
    text: str  # as written
    start: int
    end: int
    parts: tuple[Part, ...] = ()
    descriptor: str = ""  # of a redirection, where written: "2" in `2> file`
    here: tuple[int, int] | None = None  # of `<<`: the place of its text; parts where it is quoted

    @property
    def bare(self) -> str:
        """The text of a word without quotes or expansions, like keywords; else ""."""
        one = len(self.parts) == 1 and self.kind is TokenKind.WORD
        part = self.parts[0] if one else None
        plain = part is not None and part.kind is PartKind.LITERAL and not part.quoted
        return part.text if plain and part is not None else ""


class UnbalancedError(Exception):
    """A quote or bracket is opened and never closed."""

    def __init__(self, offset: int):
        super().__init__(offset)
        self.offset = offset


def tokens_of(text: str) -> tuple[list[Token], list[Problem]]:
    """All tokens of a script, and its oddities.

    A quote may span several lines. If one is never closed, the odd one cannot be identified: each
    line is then parsed separately, and lines with an open quote are left out.
    """
    try:
        lexer = _Lexer(text, by_line=False)
        lexer.run()
    except UnbalancedError:
        lexer = _Lexer(text, by_line=True)
        lexer.run()
    return lexer.tokens, lexer.problems


class _Lexer:
    def __init__(self, text: str, *, by_line: bool):
        self.tokens: list[Token] = []
        self.problems: list[Problem] = []
        self._text = text
        self._at = 0
        self._by_line = by_line
        self._limit = 0 if by_line else len(text)
        self._heredocs: list[tuple[str, bool, int]] = []  # end word, tabs before it, token

    def run(self) -> None:
        """Read to the end of the text."""
        while True:
            self._skip_blanks()
            if self._at >= len(self._text):
                return
            try:
                self._token()
            except UnbalancedError as error:
                if not self._by_line:
                    raise
                self._drop_line(error.offset)

    def _drop_line(self, offset: int) -> None:
        """Leave out the line with the quote at `offset`, its earlier commands included."""
        self.problems.append((offset, LEFT_OUT))
        while self.tokens and self.tokens[-1].text != "\n":
            self.tokens.pop()
        self._heredocs.clear()
        self._at = self._end_of_line(offset)

    def _end_of_line(self, offset: int) -> int:
        """End of the logical line; called with rising offsets, so that each is searched once."""
        if offset >= self._limit:
            found = _LINE_END.search(self._text, offset)
            self._limit = found.start() if found else len(self._text)
        return self._limit

    def _scan_limit(self) -> int:
        return self._end_of_line(self._at) if self._by_line else len(self._text)

    def _skip_blanks(self) -> None:
        found = _BLANKS.match(self._text, self._at)
        self._at = found.end() if found else self._at
        if self._text.startswith("#", self._at):
            end = self._text.find("\n", self._at)
            self._at = end if end >= 0 else len(self._text)

    def _token(self) -> None:
        start = self._at
        redirect = _REDIRECT.match(self._text, start)
        if redirect:
            self._redirect(redirect)
            return
        if self._text.startswith("((", start) and (self._fresh() or self.tokens[-1].bare == "for"):
            end = self._close_nested(start, ")")
            if self._text.startswith("))", end - 2):
                self._at = end
                self._add(TokenKind.TEST, start, (_arithmetic(self._text[start:end]),))
                return
        operator = _OPERATOR.match(self._text, start)
        if operator:
            self._at = operator.end()
            self._add(TokenKind.OPERATOR, start)
            if operator[0] == "\n":
                self._skip_heredocs()
            return
        if self._text.startswith(("[[ ", "[[\t"), start) and self._fresh():
            self._condition()
            return
        self._add(TokenKind.WORD, start, self._word())

    def _add(self, kind: TokenKind, start: int, parts: tuple[Part, ...] = ()) -> None:
        self.tokens.append(Token(kind, self._text[start : self._at], start, self._at, parts))

    def _fresh(self) -> bool:
        """Whether a command may begin here."""
        if not self.tokens:
            return True
        before = self.tokens[-1]
        return before.kind is TokenKind.OPERATOR or before.bare in _BEFORE_COMMAND

    def _redirect(self, found: re.Match[str]) -> None:
        operator = found[2] or found[3]
        self._at = found.end()
        self._skip_blanks()
        start = self._at
        parts = () if _OPERATOR.match(self._text, start) else self._word()
        if operator in {"<<", "<<-"}:
            written = self._text[start : self._at]
            delimiter = re.sub(r"[\\'\"]", "", written)
            self._heredocs.append((delimiter, operator == "<<-", len(self.tokens)))
            parts = () if written == delimiter else (Part(PartKind.LITERAL, "", quoted=True),)
        self.tokens.append(
            Token(TokenKind.REDIRECT, operator, found.start(), self._at, parts, found[1] or "")
        )

    def _skip_heredocs(self) -> None:
        for delimiter, tabs, number in self._heredocs:
            begun = self._at - 1
            token = self.tokens[number]
            while True:
                end = self._text.find("\n", self._at)
                end = end if end >= 0 else len(self._text)
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if tabs else line) == delimiter:
                    self.tokens[number] = replace(token, here=(begun + 1, end - len(line)))
                    break
                if end == len(self._text):
                    self.problems.append((begun, f'the text up to "{delimiter}" never ends'))
                    break
        self._heredocs.clear()

    def _condition(self) -> None:
        """`[[ ... ]]`, in which operators and brackets have another meaning."""
        start, bound = self._at, self._scan_limit()
        self._at += 2
        sets: list[str] = []
        while True:
            found = _TEST_GAP.match(self._text, self._at, bound)
            self._at = found.end() if found else self._at
            if self._at >= bound:
                raise UnbalancedError(start)
            word = self._at
            for part in self._word():
                sets += part.sets
            if self._text[word : self._at] == "]]":
                break
        self._add(TokenKind.TEST, start, (Part(PartKind.UNKNOWN, sets=tuple(sets)),))

    def _word(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        start = self._at
        text = self._text
        while self._at < len(text):
            mark = text[self._at]
            run = _RUN.match(text, self._at)
            if run:
                self._at = run.end()
                parts.append(Part(PartKind.LITERAL, run[0]))
            elif mark == "\\":
                escaped = text[self._at + 1 : self._at + 2]
                self._at += 2
                if escaped != "\n":
                    parts.append(Part(PartKind.LITERAL, escaped or "\\", quoted=True))
            elif mark == "'":
                parts.append(self._single(self._at + 1))
            elif mark == '"':
                self._double(parts)
            elif mark in "$`":
                parts.append(self._expansion(quoted=False))
            elif self._opens_inside(start):
                self._at = self._close_nested(text.index("(", self._at), ")")
                parts.append(Part(PartKind.UNKNOWN))
            else:
                break
        return tuple(parts)

    def _opens_inside(self, start: int) -> bool:
        """Whether the bracket of an array, a pattern such as `@(a|b)`, or `<(...)` begins here."""
        if self._text.startswith(("<(", ">("), self._at):
            return True
        before = self._text[start : self._at]
        pattern = before.endswith(("@", "+", "!", "?", "*"))
        return self._text[self._at] == "(" and bool(pattern or _ARRAY.fullmatch(before))

    def _single(self, begin: int) -> Part:
        end = self._text.find("'", begin, self._scan_limit())
        if end < 0:
            raise UnbalancedError(begin - 1)
        self._at = end + 1
        return Part(PartKind.LITERAL, self._text[begin:end], quoted=True)

    def _double(self, parts: list[Part]) -> None:
        start = self._at
        self._at += 1
        parts.append(Part(PartKind.LITERAL, "", quoted=True))  # "" is a word, too
        while self._at < self._scan_limit():
            run = _QUOTED_RUN.match(self._text, self._at, self._scan_limit())
            mark = self._text[self._at]
            if run:
                self._at = run.end()
                parts.append(Part(PartKind.LITERAL, run[0], quoted=True))
            elif mark == '"':
                self._at += 1
                return
            elif mark == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                self._at += 2
                literal = {"\n": ""}.get(escaped, escaped if escaped in '"\\$`' else mark + escaped)
                parts.append(Part(PartKind.LITERAL, literal, quoted=True))
            else:
                parts.append(self._expansion(quoted=True))
        raise UnbalancedError(start)

    def _expansion(self, *, quoted: bool) -> Part:
        text, start = self._text, self._at
        follows = text[start + 1 : start + 2]
        name = _VARIABLE.match(text, start + 1)
        if text[start] == "`":
            self._at = self._close_nested(start, "`")
            return Part(PartKind.UNKNOWN)
        if name:
            self._at = name.end()
            return Part(PartKind.VARIABLE, name[0], quoted)
        if follows == "{":
            self._at = self._close_nested(start + 1, "}")
            return _parameter(text[start + 2 : self._at - 1], quoted=quoted)
        if follows == "(":
            self._at = self._close_nested(start + 1, ")")
            return _arithmetic(text[start + 1 : self._at])
        if follows == "'" and not quoted:
            part = self._single(start + 2)
            return Part(PartKind.UNKNOWN) if "\\" in part.text else part
        self._at = start + 1
        if follows == '"' and not quoted:  # $"..." is looked up in a message catalogue
            return Part(PartKind.LITERAL, "", quoted=True)
        if follows and follows in "@123456789*#?$!-0[":
            self._at = start + 2
            kind = PartKind.VARIABLE if follows in "@123456789" else PartKind.UNKNOWN
            return Part(kind, follows if kind is PartKind.VARIABLE else "", quoted)
        return Part(PartKind.LITERAL, "$", quoted=True)

    def _close_nested(self, start: int, closer: str) -> int:
        """Offset after the bracket or backtick that closes the one at `start`."""
        closers = [closer]
        at = start + 1
        while closers:
            found = _SPECIAL.search(self._text, at, self._scan_limit())
            if not found:
                raise UnbalancedError(start)
            mark, top, at = found[0], closers[-1], found.end()
            if mark == "\\":
                at += 1
            elif mark == top:
                closers.pop()
            elif mark == "'" and top != '"':
                at = self._text.find("'", at, self._scan_limit()) + 1
                if not at:
                    raise UnbalancedError(start)
            elif mark == "$" and self._text[at : at + 1] in {"(", "{"}:
                closers.append(")" if self._text[at] == "(" else "}")
                at += 1
            elif mark in '"`' or (mark == "(" and top == ")"):
                closers.append(")" if mark == "(" else mark)
        return at


def _parameter(inside: str, *, quoted: bool) -> Part:
    """`${...}`: a plain name is a variable; `${x:=y}` may set it."""
    if _VARIABLE.fullmatch(inside) or (inside.isdecimal() and len(inside) == 1):
        return Part(PartKind.VARIABLE, inside, quoted)
    default = _DEFAULTS.match(inside)
    return Part(PartKind.UNKNOWN, sets=(default[1],) if default else ())


def _arithmetic(expression: str) -> Part:
    """`((...))` may set any variable it names; a command substitution sets none outside."""
    sets = expression.startswith("((") and _SETS.search(expression)
    return Part(PartKind.UNKNOWN, sets=tuple(_VARIABLE.findall(expression)) if sets else ())


# Contents of a script: commands with their words, assignments, embedded texts.


@dataclass(slots=True, frozen=True)
class HereText:
    """A text inside a script that a command reads, and its first line."""

    text: str  # unknown parts of it are UNKNOWN
    number: int


UNKNOWN = "$(unknown)"
"""Replaces a value known only at run time; a shell that reads the text finds it unknown, too."""


@dataclass(slots=True, frozen=True)
class Assignment:
    """An assignment: `X=1`, `export X=1`, or `X=1` before a command."""

    name: str
    value: str | None  # None: not known without running the script
    number: int
    exported: bool  # visible to programs started later, or to the command after it
    conditional: bool = False  # as for Command


@dataclass(slots=True, frozen=True)
class Command:
    """One simple command as the script would run it; unrolled loops give one a round."""

    words: tuple[str | None, ...]  # None: not known without running; may be several words
    number: int
    text: str  # as written
    last: int  # last line; the same unless it is continued
    stdin: tuple[str | None, ...] = ()  # files it reads from by `<`
    stdout: tuple[str | None, ...] = ()  # files it writes to by `>` and `>>`, the last one wins
    environment: tuple[Assignment, ...] = ()
    here: HereText | None = None  # the here-document after it, by `<<`
    piped: bool = False  # reads the output of the command before it in the list
    conditional: bool = False  # within if, case, while or a function, or after && or ||


@dataclass(slots=True)
class Script:
    """Effects of a script, in the order of its text."""

    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
