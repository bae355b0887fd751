"""Files that set up a host: shell scripts and systemd units, read as evidence, never run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.declared.commands import HANDLERS, has_typographic
from roce_lint.nos.linux.declared.ini_file import entries
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.environment import KEPT, state_variable
from roce_lint.nos.linux.host import Host, witness
from roce_lint.nos.linux.sysfs import Sysfs
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell import Assignment, Command, parse_script

NESTED = 4
"""Levels of `sh -c "..."` that are followed."""

SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh")
_NONE = re.compile(r"(?!)")
_OPTION = re.compile(r"-\S+")
_VARIABLE = re.compile(r"-\S+|[A-Za-z_]\w*=.*", re.DOTALL)
PASSING_ON = {
    "sudo": (_VARIABLE, ("-u", "-g", "-C", "-D", "-h", "-p", "-r", "-t", "-T", "-U")),
    "env": (_VARIABLE, ("-u", "-C", "-S")),
    "nohup": (_NONE, ()),
    "exec": (_OPTION, ("-a",)),
    "command": (_OPTION, ()),
    "time": (_OPTION, ("-f", "-o")),
    "timeout": (re.compile(r"-\S+|\d+(?:\.\d+)?[smhd]?"), ("-k", "-s")),
    "nice": (_OPTION, ("-n",)),
    "ionice": (_OPTION, ("-c", "-n")),
}
"""Commands that run the rest of their line as a command: which words are their own, and which
options take the word behind them."""


def read_script(host: Host, entry: Input) -> None:
    """Take in a shell script."""
    first = host.reading.src.files[entry.file].first
    script = parse_script(entry.text.lines())
    for note in script.notes:
        host.reading.note(NoteKind.UNRECOGNISED, note.message, first + note.line)
    reader = ScriptReader(host, witness(entry))
    exported = {found.name for found in script.assignments if found.exported}
    for found in script.assignments:
        if found.name in exported:
            if found.exported:
                reader.assign(found, first + found.number)
        elif KEPT.fullmatch(found.name):
            message = f"{found.name} is set but not exported: no program started here sees it"
            host.reading.note(NoteKind.LEXICAL, message, first + found.number)
    reader.run(script.commands, first)
    reader.finish()


class ScriptReader:
    """Takes commands one after the other on behalf of one file."""

    def __init__(self, host: Host, who: Witness):
        self.host = host
        self.certain = who
        self.perhaps = replace(who, name=f"{who.name} (in a branch)", conditional=True)
        self.sysfs = {who: Sysfs(host, who) for who in (self.certain, self.perhaps)}

    def finish(self) -> None:
        """State what is spread over several commands."""
        for sysfs in self.sysfs.values():
            sysfs.finish()

    def assign(self, found: Assignment, position: int) -> None:
        """A variable that programs see."""
        who = self.perhaps if found.conditional else self.certain
        state_variable(self.host, found.name, Value(found.value, position), who)

    def run(self, commands: Iterable[Command], first: int, depth: int = 0, line: int = 0) -> None:
        """Take commands; `line` is set where all of them stand on one line of the file."""
        before: Command | None = None
        for command in commands:
            position = first + (line or command.number)
            if depth:
                for found in command.environment:
                    self.assign(found, position)
            words, variables = _own_words(command.words)
            for variable in variables:
                name, _, value = variable.partition("=")
                self.assign(Assignment(name, value, 0, True, command.conditional), position)
            self._command(command, words, before, position)
            nested = _nested(words)
            if nested is not None and depth < NESTED:
                inner = parse_script([*nested.split("\n")])
                self.run(inner.commands, first, depth + 1, line or command.number)
            before = command

    def _command(
        self, command: Command, words: Words, before: Command | None, position: int
    ) -> None:
        if not words or words[0] is None:
            return
        tool = words[0].rsplit("/", 1)[-1]
        who = self.perhaps if command.conditional else self.certain
        setter = Setter(self.host, who, self.sysfs[who], position, tool)
        handler = HANDLERS.get(tool)
        if handler is not None:
            if not has_typographic(setter, words[1:]):
                handler(setter, words[1:])
        elif tool in ("echo", "printf"):
            _write(setter, words[1:], command.stdout)
        elif tool == "tee" and command.piped and before is not None:
            said, _ = _own_words(before.words)
            if said and said[0] in ("echo", "printf"):
                targets = tuple(word for word in words[1:] if word is None or word[:1] != "-")
                _write(setter, said[1:], targets)


def _own_words(words: Words) -> tuple[Words, list[str]]:
    """The command itself behind `sudo -E env A=1 timeout 5`, and the variables set on the way."""
    variables: list[str] = []
    while words and words[0] is not None:
        passing_on = PASSING_ON.get(words[0].rsplit("/", 1)[-1])
        if passing_on is None:
            break
        own, with_value = passing_on
        words = words[1:]
        while words and words[0] is not None and own.fullmatch(words[0]):
            if not words[0].startswith("-") and "=" in words[0]:
                variables.append(words[0])
            words = words[2 if words[0] in with_value else 1 :]
    return words, variables


def _nested(words: Words) -> str | None:
    """The script in `bash -c "script"`."""
    if len(words) < 3 or words[0] is None or words[0].rsplit("/", 1)[-1] not in SHELLS:
        return None
    for option, text in itertools.pairwise(words[1:]):
        if option is not None and re.fullmatch(r"-\w*c", option):
            return text
        if option is None or not option.startswith("-"):
            return None
    return None


def _write(setter: Setter, words: Words, targets: tuple[str | None, ...]) -> None:
    """`echo VALUE > FILE` below /sys or /proc/sys."""
    said = [word for word in words if word not in ("-n", "-e")]
    if None in said:
        return
    text = " ".join(word or "" for word in said).replace("\\n", "").strip()
    for target in targets:
        if target is not None and target.startswith(("/sys/", "/proc/sys/")):
            setter.sysfs.take(target, text, setter.position)


UNIT_COMMANDS = ("ExecStart", "ExecStartPre", "ExecStartPost", "ExecReload")
_PREFIX = re.compile(r"[-@:+!|]*")
_SPECIFIER = re.compile(r"%[^%]")


def read_unit(host: Host, entry: Input) -> None:
    """Take in a systemd unit: the commands it runs and the environment it gives them."""
    first = host.reading.src.files[entry.file].first
    reader = ScriptReader(host, witness(entry))
    for found in entries(host, entry):
        if found.section != "Service":
            continue
        position = first + found.number
        if found.key == "Environment":
            for assignment in parse_script([f"export {found.value}"]).assignments:
                reader.assign(assignment, position)
        elif found.key in UNIT_COMMANDS:
            # What systemd puts in for %i is not known from here; the shell parser knows $ names.
            line = _SPECIFIER.sub("${unknown}", _PREFIX.sub("", found.value, count=1))
            script = parse_script([line])
            for assignment in script.assignments:
                reader.assign(assignment, position)
            reader.run(script.commands, first, 0, found.number)
    reader.finish()
