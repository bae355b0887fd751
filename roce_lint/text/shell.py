"""Shell scripts and environment files as evidence of settings; nothing is ever executed.

Only certain values are recorded: literal words, variables that the script itself set to a literal
before, and loops over literal lists. Every other word is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from roce_lint.text import shell_tree, shell_values
from roce_lint.text.places import NOTE_LIMIT, LineIndex, Note
from roce_lint.text.shell_tree import Branches, Chain, For, Function, Group, Loop, Pipeline, Simple
from roce_lint.text.shell_words import (
    LEFT_OUT,
    UNKNOWN,
    Assignment,
    Command,
    HereText,
    Problem,
    Script,
    Token,
    TokenKind,
)

SCRIPT_LIMIT = 1 << 20
"""Characters of a script that are read; scripts that set up a host have some thousands."""

STEP_LIMIT = 100_000
"""Commands and loop rounds that are followed."""

WORK_LIMIT = 1 << 23
"""Total characters of words produced by loops and variables."""


def parse_script(lines: list[str]) -> Script:
    """Read a shell script.

    Nothing in a heredoc is a command of the script. A function is followed where it is called; one
    that the text never calls, at its definition. A line with an open quote is left out with a note,
    and so is the text after one of the limits above.
    """
    return follow(lines).script


def follow(lines: list[str]) -> Runner:
    """Follow a script and record its effects and the parts that could not be read."""
    text = "\n".join(lines).removeprefix("\ufeff")
    cut = text.rfind("\n", 0, SCRIPT_LIMIT) + 1 if len(text) > SCRIPT_LIMIT else len(text)
    statements, problems = shell_tree.parse(text[:cut])
    if cut < len(text):
        problems.append((cut, "the script is too long; not read from here on"))
    runner = Runner(text, shell_values.commands_called(statements))
    try:
        runner.run(statements)
    except _ExhaustedError as error:
        problems.append((error.offset, "too many rounds or words; not followed from here on"))
    runner.take_away()
    runner.report(problems)
    return runner


CALLS = 8
"""Nested function calls that are followed."""

PARAMETERS = tuple(str(number) for number in range(1, 10))
"""Names of the parameters of a function."""


def _writes(redirect: Token, target: str | None) -> bool:
    """Whether standard output goes to the file `target`, and not to another descriptor."""
    if redirect.text == ">&" and target is not None and (target.isdigit() or target == "-"):
        return False
    return redirect.text[0] != "<" and redirect.descriptor in {"", "1"}


class _ExhaustedError(Exception):
    """Raised when STEP_LIMIT or WORK_LIMIT is reached."""

    def __init__(self, offset: int):
        super().__init__(offset)
        self.offset = offset


class Runner:
    """Follows a script from top to bottom and records certain effects."""

    def __init__(self, text: str, called: set[str]):
        self.script = Script()
        self.direct: list[Assignment] = []  # those that are not a prefix of a command
        self.left_out: set[int] = set()  # lines
        self._text = text
        self._lines = LineIndex(text)
        self._variables = shell_values.Variables()
        self._called = called  # names of commands anywhere in the text
        self._functions: dict[str, Function] = {}
        self._calls: list[str] = []  # functions that are being followed
        self._conditional = False
        self._exports_all = False  # after `set -a`
        self._subshell = False
        self._prefixes: set[int] = set()  # assignments visible to a single command
        self._over: dict[str, int] = {}  # by name: how many another one goes before
        self._last: dict[str, tuple[int, bool]] = {}
        self._gone: dict[tuple[str, bool], int] = {}  # name, surely: how many are before it
        self._stdin: tuple[str | None, ...] = ()
        self._stdout: tuple[str | None, ...] = ()
        self._steps = 0
        self._work = 0

    def report(self, problems: list[Problem]) -> None:
        """Turn oddities into notes."""
        lines = sorted((self._line(offset), message) for offset, message in problems)
        self.left_out = {line for line, message in lines if message == LEFT_OUT}
        self.script.notes = [Note(line, message) for line, message in lines[:NOTE_LIMIT]]
        if len(lines) > NOTE_LIMIT:
            more = f"{len(lines) - NOTE_LIMIT} more such notes"
            self.script.notes.append(Note(lines[NOTE_LIMIT][0], more))

    def take_away(self) -> None:
        """Remove assignments that `unset` reverts or that are overwritten before a program runs. If
        `unset` may not run, earlier assignments become uncertain.
        """
        taken, self.script.assignments, self.direct = self.script.assignments, [], []
        for index, found in enumerate(taken):
            if index in self._prefixes:
                self.script.assignments.append(found)
            elif index >= self._gone.get((found.name, True), 0):
                doubtful = index < self._gone.get((found.name, False), 0)
                left = replace(found, conditional=True) if doubtful else found
                self.direct.append(left)
                if not found.exported or index >= self._over.get(found.name, 0):
                    self.script.assignments.append(left)

    def _unset(self, name: str, *, certain: bool = True) -> None:
        """Record an `unset`; a subshell or a branch may leave the variable as it was."""
        certain = certain and not self._conditional and not self._subshell
        self._gone[name, certain] = len(self.script.assignments)

    def run(self, statements: Sequence[shell_tree.Statement]) -> None:
        """Follow statements in sequence."""
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
                with self._redirect(statement.redirects):
                    self._compound(statement)

    def _compound(self, statement: For | Branches | Loop | Group) -> None:
        saved = self._variables.save()
        match statement:
            case Group():
                around, self._subshell = self._subshell, self._subshell or statement.subshell
                self.run(statement.body)
                self._subshell = around
                if statement.subshell:
                    self._variables.restore(saved)
            case Branches():
                self.run(statement.head)
                self._perhaps(statement.bodies)
            case Loop():
                self._variables.forget((*statement.sets, *PARAMETERS, "@"))
                self._variables.forget(shell_values.variables_set(statement.body))
                self._perhaps([statement.body])
            case For():
                self._for(statement)

    def _perhaps(self, bodies: list[list[shell_tree.Statement]]) -> None:
        """Follow bodies that may or may not run: afterwards nothing they set is certain."""
        saved = self._variables.save()
        around, self._conditional = self._conditional, True
        for body in bodies:
            self._variables.restore(saved)
            self.run(body)
        self._conditional = around
        self._variables.restore(saved)
        for body in bodies:
            self._variables.forget(shell_values.variables_set(body))

    def _for(self, loop: For) -> None:
        items: list[str | None] = [None]
        if loop.items is not None:
            items = [word for token in loop.items for word in self._words(token)]
        if None in items:
            self._variables.forget([loop.name])
            self._variables.forget(shell_values.variables_set(loop.body))
            self._perhaps([loop.body])
            self._variables.forget([loop.name])
            return
        for item in items:
            self._step(loop.items[0].start if loop.items else 0)
            self._variables.set(loop.name, item)
            self.run(loop.body)

    def _function(self, function: Function) -> None:
        """Follow a function that is not called here, with unknown variables."""
        self._functions[function.name] = function
        if function.name in self._called:
            self._variables.distrust(shell_values.variables_set(function.body, outside=True))
            return
        saved = self._variables.save()
        self._variables.forget(None)
        around, self._conditional = self._conditional, True
        exports_all, self._exports_all = self._exports_all, False
        self.run(function.body)
        self._conditional, self._exports_all = around, exports_all
        self._variables.restore(saved)
        self._variables.distrust(shell_values.variables_set(function.body, outside=True))

    def _call(self, words: Sequence[str | None]) -> None:
        function = self._functions[words[0] or ""]
        known = list(words[1:])
        known = known[: known.index(None)] if None in known else known
        kept = shell_values.variables_set(function.body, outside=True)
        own = (shell_values.variables_set(function.body) or set()) - (kept or set())
        around = {name: self._variables.get(name) for name in (*PARAMETERS, "@", *own)}
        whole = " ".join(word or "" for word in known)
        given = dict(zip(PARAMETERS, known, strict=False))
        given["@"] = whole if len(known) == len(words) - 1 else None
        for name in (*PARAMETERS, "@"):
            self._variables.set(name, given.get(name))
        self._calls.append(function.name)
        with self._variables.trust(kept):
            self.run(function.body)
        self._calls.pop()
        self._variables.forget(kept)
        for name, value in around.items():
            self._variables.set(name, value)

    def _chain(self, chain: Chain) -> None:
        """`a && b || c`: all but the first may be skipped."""
        self._statement(chain.parts[0])
        saved = self._variables.save()
        around, self._conditional = self._conditional, True
        rest = chain.parts[1:]
        for index, (operator, part) in enumerate(zip(chain.operators, rest, strict=True)):
            if operator == "||":
                self._variables.forget(shell_values.variables_set(rest[:index]))
            self._statement(part)
        self._conditional = around
        self._variables.restore(saved)
        self._variables.forget(shell_values.variables_set(rest))

    def _pipeline(self, pipeline: Pipeline) -> None:
        """Follow a pipeline: each part has its own variables, only the ends connect outside."""
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
    def _redirect(self, redirects: list[Token]) -> Iterator[None]:
        stdin, stdout = self._stdin, self._stdout
        reads, writes = self._targets(redirects)
        self._stdin, self._stdout = reads or stdin, writes or stdout
        yield
        self._stdin, self._stdout = stdin, stdout

    def _targets(
        self, redirects: list[Token]
    ) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
        """Files that standard input and standard output are redirected to."""
        reads: list[str | None] = []
        writes: list[str | None] = []
        for token in redirects:
            if token.here is not None:
                continue
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
        words = shell_values.expand_word(token, self._variables)
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
            count = next(
                (i for i, token in enumerate(tokens) if not shell_values.parse_assignment(token)),
                len(tokens),
            )
            if count == len(tokens):
                certain = alone and not simple.redirects  # `A=<x>` has another meaning
                for token in tokens:
                    self._assign(token, certain=certain, exported=self._exports_all)
            else:
                self._command(simple, count, piped=piped)
        for token in tokens:
            for part in token.parts:
                self._variables.forget(part.sets)

    def _assign(self, token: Token, *, exported: bool, certain: bool = True) -> None:
        target = shell_values.parse_assignment(token)
        if target:
            value = shell_values.value_of(token, self._variables) if certain else None
            self._record(Assignment(target[0], value, *self._state(token, exported=exported)))

    def _state(self, token: Token, *, exported: bool) -> tuple[int, bool, bool]:
        return self._line(token.start), exported, self._conditional

    def _record(self, found: Assignment) -> None:
        self._work += len(found.value or "") + 1
        self._variables.set(found.name, found.value)
        if found.value == "":  # as if it were not set
            self._unset(found.name)
        if found.exported:
            reached = len(self.script.commands), self._subshell
            if self._last.get(found.name) == reached and not found.conditional:
                self._over[found.name] = len(self.script.assignments)  # no program saw those before
            self._last[found.name] = reached
        self.script.assignments.append(found)
        self.direct.append(found)

    def _command(self, simple: Simple, count: int, *, piped: bool) -> None:
        """Follow a command with `count` assignments before it."""
        environment = []
        for token in simple.words[:count]:
            target = shell_values.parse_assignment(token)
            if target:
                value = shell_values.value_of(token, self._variables)
                environment.append(Assignment(target[0], value, *self._state(token, exported=True)))
        for found in environment:
            if found.value == "":
                self._unset(found.name, certain=False)
            self._prefixes.add(len(self.script.assignments))
            self.script.assignments.append(found)
        rest = simple.words[count:]
        names = shell_values.variables_set([simple])
        if shell_values.literal(rest[0]) in shell_values.DECLARING:
            self._declare(rest)
            if names is None:
                self._variables.forget(None)
            return
        words = [word for token in rest for word in self._words(token)]
        again = len(self._calls) >= CALLS or (words and words[0] in self._calls)
        if words and words[0] in self._functions and not again:
            self._call(words)
            return
        if shell_values.literal(rest[0]) == "unset" and "-f" not in words:
            for word in words[1:]:
                if word is not None:
                    self._unset(word)
        if shell_values.literal(rest[0]) in ("set", "shift"):
            self._exports_all = shell_values.option(rest, "a", self._exports_all)
            self._variables.forget((*PARAMETERS, "@"))
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
                here=self._here_document(simple.redirects),
                piped=piped,
                conditional=self._conditional,
            )
        )

    def _here_document(self, redirects: list[Token]) -> HereText | None:
        """The here-document of a command, with known variables substituted."""
        found = next((token for token in redirects if token.here is not None), None)
        if found is None or found.here is None or found.descriptor not in ("", "0"):
            return None
        begin, end = found.here
        text = self._text[begin:end]
        if found.text == "<<-":
            text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
        if not found.parts:
            text = shell_values.here_text(text, self._variables, UNKNOWN)
        self._work += len(text)
        return HereText(text, self._line(begin))

    def _declare(self, tokens: list[Token]) -> None:
        """`export`, `declare` and similar: assignments written as a command."""
        kind = shell_values.literal(tokens[0])
        flags = "".join(token.bare for token in tokens[1:] if token.bare.startswith("-"))
        exported = kind == "export" or "x" in flags or self._exports_all
        for token in tokens[1:]:
            name, _, value = shell_values.literal(token).partition("=")
            if shell_values.parse_assignment(token):
                plain = not set(flags) & set("aAinluc")
                self._assign(token, exported=exported, certain=plain)
            elif not shell_values.NAME.fullmatch(name) or set(flags) & set("fn"):
                if kind == "export" and "n" in flags:
                    self._unset(name)
            elif "=" in shell_values.literal(token):  # quoted as a whole: export "X=1"
                self._record(Assignment(name, value, *self._state(token, exported=exported)))
            elif exported:
                known = self._variables.get(name)
                self._record(Assignment(name, known, *self._state(token, exported=True)))
            elif kind == "local":
                self._variables.forget([name])


__all__ = [
    "UNKNOWN", "Assignment", "Command", "HereText", "Note", "Script", "follow", "parse_script",
]  # fmt: skip
