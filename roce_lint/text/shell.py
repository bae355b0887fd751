"""Shell scripts and environment files as evidence of what they set; nothing is ever executed.

Only what a reader of the text can be sure of is given a value: literal words, variables that the
script itself set to a literal before, and loops over literal lists. Every other word is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from roce_lint.text import shell_tree
from roce_lint.text.places import NOTE_LIMIT, LineIndex, Note
from roce_lint.text.shell_touched import DECLARING, literal, option, touched
from roce_lint.text.shell_tree import Branches, Chain, For, Function, Group, Loop, Pipeline, Simple
from roce_lint.text.shell_values import NAME, Variables, assigned, expanded, value_of
from roce_lint.text.shell_words import LEFT_OUT, Problem, Token, TokenKind

SCRIPT_LIMIT = 1 << 20
"""Characters of a script that are read; scripts that set up a host have some thousands."""

STEP_LIMIT = 100_000
"""Commands and loop rounds that are followed."""

WORK_LIMIT = 1 << 23
"""Characters of words that are made, loops unrolled and variables put in."""


@dataclass(slots=True, frozen=True)
class Assignment:
    """A variable given a value: `X=1`, `export X=1`, or `X=1` before a command."""

    name: str
    value: str | None  # None: not known without running the script
    number: int
    exported: bool  # programs started later, or the command behind it, see it
    conditional: bool = False  # as for Command


@dataclass(slots=True, frozen=True)
class Command:
    """One simple command as the script would run it; unrolled loops give one a round."""

    words: tuple[str | None, ...]  # None: not known without running; may stand for several words
    number: int
    text: str  # as written
    last: int  # line of its end; the same unless it is continued
    stdin: tuple[str | None, ...] = ()  # files it reads from by `<`
    stdout: tuple[str | None, ...] = ()  # files it writes to by `>` and `>>`, the last one wins
    environment: tuple[Assignment, ...] = ()
    piped: bool = False  # reads what the command before it in the list writes
    conditional: bool = False  # within if, case, while or a function, or behind && or ||


@dataclass(slots=True)
class Script:
    """What a script would do, in the order of its text."""

    commands: list[Command] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def parse_script(lines: list[str]) -> Script:
    """Read a shell script. Heredocs are skipped; a function's commands stand at its definition.

    A line with an open quote is left out with a note, and so is what follows when one of the
    limits above is reached.
    """
    return _read(lines).script


_ENV_LINE = re.compile(r"\s*(export\s+)?([A-Za-z_]\w*)\s*=(.*)", re.ASCII)
_SHELL_MARKS = re.compile(r"[`$\\'\"|&;<>()]|\{\{|\{%")


def parse_env(lines: list[str]) -> list[Assignment]:
    """Read `KEY=VALUE` files: nccl.conf, EnvironmentFile, scripts of `export X=...`.

    Where the shell reads a line as one thing and other readers of such files as another
    (`A=1 2`), the shell decides if the file has shell commands elsewhere; otherwise the value is
    the rest of the line, or None where that holds marks that mean something to the shell.
    """
    runner = _read(lines)
    commands = {command.number for command in runner.script.commands}
    unclear: dict[int, re.Match[str]] = {}
    for number in commands | runner.left_out:
        found = _ENV_LINE.fullmatch(lines[number - 1])
        if found and (not found[1] or number in runner.left_out):
            unclear[number] = found
    taken = [found for found in runner.direct if found.number not in unclear]
    shell = bool(commands - unclear.keys()) or any(found.exported for found in taken)
    for number, found in unclear.items():
        value = None if shell else _raw(found[3])
        taken.append(Assignment(found[2], value, number, exported=bool(found[1])))
    return sorted(taken, key=lambda entry: entry.number)


def _raw(rest: str) -> str | None:
    value = re.split(r"\s#", f" {rest}", maxsplit=1)[0].strip()
    return None if _SHELL_MARKS.search(value) else value


def _read(lines: list[str]) -> _Runner:
    text = "\n".join(lines).removeprefix("\ufeff")
    cut = text.rfind("\n", 0, SCRIPT_LIMIT) + 1 if len(text) > SCRIPT_LIMIT else len(text)
    statements, problems = shell_tree.parse(text[:cut])
    if cut < len(text):
        problems.append((cut, "the script is too long; not read from here on"))
    runner = _Runner(text)
    try:
        runner.run(statements)
    except _ExhaustedError as error:
        problems.append((error.offset, "too many rounds or words; not followed from here on"))
    runner.report(problems)
    return runner


def _writes(redirect: Token, target: str | None) -> bool:
    """Whether standard output goes to the file `target`, and not to another descriptor."""
    if redirect.text == ">&" and target is not None and (target.isdigit() or target == "-"):
        return False
    return redirect.text not in {"<", "<>", "<&", "<<<"} and redirect.descriptor in {"", "1"}


class _ExhaustedError(Exception):
    """STEP_LIMIT or WORK_LIMIT is reached."""

    def __init__(self, offset: int):
        super().__init__(offset)
        self.offset = offset


class _Runner:
    """Follows a script from top to bottom and keeps what is certain."""

    def __init__(self, text: str):
        self.script = Script()
        self.direct: list[Assignment] = []  # those that are no prefix of a command
        self.left_out: set[int] = set()  # lines
        self._text = text
        self._lines = LineIndex(text)
        self._variables = Variables()
        self._conditional = False
        self._exports_all = False  # after `set -a`
        self._stdin: tuple[str | None, ...] = ()
        self._stdout: tuple[str | None, ...] = ()
        self._steps = 0
        self._work = 0

    def report(self, problems: list[Problem]) -> None:
        """Turn what was odd into notes."""
        lines = sorted((self._line(offset), message) for offset, message in problems)
        self.left_out = {line for line, message in lines if message == LEFT_OUT}
        self.script.notes = [Note(line, message) for line, message in lines[:NOTE_LIMIT]]
        if len(lines) > NOTE_LIMIT:
            more = f"{len(lines) - NOTE_LIMIT} more such notes"
            self.script.notes.append(Note(lines[NOTE_LIMIT][0], more))

    def run(self, statements: Sequence[shell_tree.Statement]) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            self._statement(statement)

    def _line(self, offset: int) -> int:
        return self._lines.place(offset)[0]

    def _statement(self, statement: shell_tree.Statement) -> None:
        match statement:
            case Simple():
                self._simple(statement)
            case Pipeline():
                self._pipeline(statement)
            case Chain():
                self._chain(statement)
            case Function():
                self._function(statement)
            case For() | Branches() | Loop() | Group():
                with self._redirected(statement.redirects):
                    self._compound(statement)

    def _compound(self, statement: For | Branches | Loop | Group) -> None:
        saved = self._variables.save()
        match statement:
            case Group():
                self.run(statement.body)
                if statement.subshell:
                    self._variables.restore(saved)
            case Branches():
                self.run(statement.head)
                self._perhaps(statement.bodies)
            case Loop():
                self._variables.forget(statement.sets)
                self._variables.forget(touched(statement.body))
                self._perhaps([statement.body])
            case For():
                self._for(statement)

    def _perhaps(self, bodies: list[list[shell_tree.Statement]]) -> None:
        """Follow bodies of which any may run or not: afterwards nothing they set is certain."""
        saved = self._variables.save()
        around, self._conditional = self._conditional, True
        for body in bodies:
            self._variables.restore(saved)
            self.run(body)
        self._conditional = around
        self._variables.restore(saved)
        for body in bodies:
            self._variables.forget(touched(body))

    def _for(self, loop: For) -> None:
        items: list[str | None] = [None]
        if loop.items is not None:
            items = [word for token in loop.items for word in self._words(token)]
        if None in items:
            self._variables.forget([loop.name])
            self._variables.forget(touched(loop.body))
            self._perhaps([loop.body])
            self._variables.forget([loop.name])
            return
        for item in items:
            self._step(loop.items[0].start if loop.items else 0)
            self._variables.set(loop.name, item)
            self.run(loop.body)

    def _function(self, function: Function) -> None:
        """What a function does, whatever the script's variables are when it is called."""
        saved = self._variables.save()
        self._variables.forget(None)
        around, self._conditional = self._conditional, True
        exports_all, self._exports_all = self._exports_all, False
        self.run(function.body)
        self._conditional, self._exports_all = around, exports_all
        self._variables.restore(saved)
        self._variables.distrust(touched(function.body, outside=True))

    def _chain(self, chain: Chain) -> None:
        """`a && b || c`: all but the first may be left out."""
        self._statement(chain.parts[0])
        saved = self._variables.save()
        around, self._conditional = self._conditional, True
        rest = chain.parts[1:]
        for index, (operator, part) in enumerate(zip(chain.operators, rest, strict=True)):
            if operator == "||":
                self._variables.forget(touched(rest[:index]))
            self._statement(part)
        self._conditional = around
        self._variables.restore(saved)
        self._variables.forget(touched(rest))

    def _pipeline(self, pipeline: Pipeline) -> None:
        """Each part has variables of its own; only the ends meet what stands around."""
        stdin, stdout = self._stdin, self._stdout
        saved = self._variables.save()
        last = len(pipeline.parts) - 1
        for index, part in enumerate(pipeline.parts):
            self._stdin = () if index else stdin
            self._stdout = stdout if index == last else ()
            if isinstance(part, Simple):
                piped = index > 0 and isinstance(pipeline.parts[index - 1], Simple)
                self._simple(part, piped=piped, alone=False)
            else:
                self._statement(part)
            self._variables.restore(saved)
        self._stdin, self._stdout = stdin, stdout

    @contextmanager
    def _redirected(self, redirects: list[Token]) -> Iterator[None]:
        stdin, stdout = self._stdin, self._stdout
        reads, writes = self._targets(redirects)
        self._stdin, self._stdout = reads or stdin, writes or stdout
        yield
        self._stdin, self._stdout = stdin, stdout

    def _targets(
        self, redirects: list[Token]
    ) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """Files that standard input and standard output are bound to."""
        reads: list[str | None] = []
        writes: list[str | None] = []
        for token in redirects:
            words = self._words(token)
            target = words[0] if len(words) == 1 else None
            if token.text in {"<", "<>"} and token.descriptor in {"", "0"}:
                reads.append(target)
            elif _writes(token, target):
                writes.append(target)
        return tuple(reads), tuple(writes)

    def _step(self, offset: int) -> None:
        self._steps += 1
        if self._steps > STEP_LIMIT:
            raise _ExhaustedError(offset)

    def _words(self, token: Token) -> Sequence[str | None]:
        words = expanded(token, self._variables)
        self._work += sum(len(word or "") + 1 for word in words)
        if self._work > WORK_LIMIT:
            raise _ExhaustedError(token.start)
        return words

    def _simple(self, simple: Simple, *, piped: bool = False, alone: bool = True) -> None:
        tokens = simple.words
        if not tokens:
            return
        self._step(tokens[0].start)
        if tokens[0].kind is not TokenKind.TEST:
            count = next((i for i, token in enumerate(tokens) if not assigned(token)), len(tokens))
            if count == len(tokens):
                certain = alone and not simple.redirects  # `A=<x>` is meant otherwise
                for token in tokens:
                    self._assign(token, certain=certain, exported=self._exports_all)
            else:
                self._command(simple, count, piped=piped)
        for token in tokens:
            for part in token.parts:
                self._variables.forget(part.sets)

    def _assign(self, token: Token, *, exported: bool, certain: bool = True) -> None:
        target = assigned(token)
        if target:
            value = value_of(token, self._variables) if certain else None
            self._record(Assignment(target[0], value, *self._state(token, exported=exported)))

    def _state(self, token: Token, *, exported: bool) -> tuple[int, bool, bool]:
        return self._line(token.start), exported, self._conditional

    def _record(self, found: Assignment) -> None:
        self._work += len(found.value or "") + 1
        self._variables.set(found.name, found.value)
        self.script.assignments.append(found)
        self.direct.append(found)

    def _command(self, simple: Simple, count: int, *, piped: bool) -> None:
        """A command with `count` assignments before it."""
        environment = []
        for token in simple.words[:count]:
            target = assigned(token)
            if target:
                value = value_of(token, self._variables)
                state = self._state(token, exported=True)
                environment.append(Assignment(target[0], value, *state))
        self.script.assignments += environment
        rest = simple.words[count:]
        names = touched([simple])
        if literal(rest[0]) in DECLARING:
            self._declare(rest)
            if names is None:
                self._variables.forget(None)
            return
        words = [word for token in rest for word in self._words(token)]
        if literal(rest[0]) == "set":
            self._exports_all = option(rest, "a", self._exports_all)
        self._variables.forget(names)
        reads, writes = self._targets(simple.redirects)
        start = simple.words[0].start
        end = max(token.end for token in (*simple.words, *simple.redirects))
        self.script.commands.append(
            Command(
                words=tuple(words),
                number=self._line(start),
                text=self._text[start:end],
                last=self._line(end - 1),
                stdin=reads or self._stdin,
                stdout=writes or self._stdout,
                environment=tuple(environment),
                piped=piped,
                conditional=self._conditional,
            )
        )

    def _declare(self, tokens: list[Token]) -> None:
        """`export`, `declare` and their like: assignments written as a command."""
        kind = literal(tokens[0])
        flags = "".join(token.bare for token in tokens[1:] if token.bare.startswith("-"))
        exported = kind == "export" or "x" in flags or self._exports_all
        for token in tokens[1:]:
            name, _, value = literal(token).partition("=")
            if assigned(token):
                plain = not set(flags) & set("aAinluc")
                self._assign(token, exported=exported, certain=plain)
            elif not NAME.fullmatch(name) or set(flags) & set("fn"):
                continue
            elif "=" in literal(token):  # quoted as a whole: export "X=1"
                self._record(Assignment(name, value, *self._state(token, exported=exported)))
            elif exported:
                known = self._variables.get(name)
                self._record(Assignment(name, known, *self._state(token, exported=True)))
            elif kind == "local":
                self._variables.forget([name])
