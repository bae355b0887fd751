"""Setup files of a host (shell scripts, systemd units and the files they write), never run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from roce_lint.catalog.applications import names_pattern, row_of
from roce_lint.model.device import NoteKind
from roce_lint.nos.linux.claims import Witness
from roce_lint.nos.linux.declared.commands import (
    HANDLERS,
    has_typographic,
    set_by_launcher,
    set_sysctl,
)
from roce_lint.nos.linux.declared.networkd import entries
from roce_lint.nos.linux.declared.setter import Setter, Words
from roce_lint.nos.linux.environment import state_variable
from roce_lint.nos.linux.host import NIC, PORT, Host, witness
from roce_lint.nos.linux.sysfs import Sysfs
from roce_lint.nos.reading import Input, Value
from roce_lint.text.shell import parse_script
from roce_lint.text.shell_nesting import InnerScript, inner_scripts, own_words
from roce_lint.text.shell_words import UNKNOWN, Assignment, Command, Script

# Settings files that a script writes with a here-document.

_FILES = {
    "environment": re.compile(
        r"(?:.*/)?\.?(?:nccl|rccl)\.conf|/etc/environment|.*\.env|/etc/default/.+"
    ),
    "sysctl": re.compile(r"/etc/sysctl(?:\.d/.+)?\.conf|/etc/sysctl\.d/.+"),
    "script": re.compile(r".*\.(?:sh|bash)|/etc/rc\.local|/etc/profile\.d/.+"),
}
"""Kinds of files by path; a script runs later."""

_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)")


def kind_of(path: str | None) -> str:
    """Kind of a file that is written; empty for unsupported ones."""
    return next((kind for kind, form in _FILES.items() if form.fullmatch(path or "")), "")


def take_line(setter: Setter, kind: str, line: str) -> None:
    """Record the setting of a line of a file; one with an unknown value is not recorded."""
    if kind == "sysctl" and UNKNOWN not in line and line.lstrip()[:1] not in ("#", ";"):
        name, equals, value = line.partition("=")
        set_sysctl(setter, (f"{name.strip()}{equals}{value.strip()}",))
    found = _LINE.fullmatch(line) if kind == "environment" else None
    if found is not None and row_of(found["name"]) is not None:
        text = found["value"].strip()
        quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
        known = UNKNOWN not in text
        stated = Value((text[1:-1] if quoted else text) if known else None, setter.position)
        state_variable(setter.host, found["name"], stated, setter.who)


# Scripts and units.

HEAD = 200
"""Characters at the start in which a script names its interpreter."""

SHOWN = 4
"""Hosts that a note names."""

NESTED = 4
"""Levels of `sh -c "..."` that are followed."""

_DIRECTIVE = re.compile(r"#(?:SBATCH|PBS|BSUB|\$)\s")
"""Comments with options of a batch system, such as `--export=ALL,A=1` and `-v A=1`."""

_DEFAULT = re.compile(
    rf"\b(?P<name>{names_pattern()})=[\"']?\$\{{\w+:?-(?P<value>[^${{}}\"'`\s]+)\}}"
    rf"|\$\{{(?P<own>{names_pattern()}):?=(?P<given>[^${{}}\"'`\s]+)\}}"
    rf"|-(?:x|e|-env) ?(?P<passed>{names_pattern()})=(?P<word>[^${{}}()\"'`\s]+)"
)
"""A default of a variable that may be set already, or an array of words passed on."""

_NAMED_TOOL = re.compile(r"[\"']?\$\{?(?P<tool>[A-Za-z_]\w*)\}?[\"']?\s")
_OPEN_FILE = re.compile(
    r"/(?:tc/[^/\s]+/traffic_class|qos/(?:trust|pfc)"
    r"|ecn/roce_[nr]p/\S*?(?:enable|cnp_dscp|cnp_802p_prio))"
)
"""Kernel files through which a script sets up adapters."""
_FIELDS = {
    "traffic_class": "traffic class", "trust": "trust", "pfc": "PFC", "cnp_dscp": "CNP DSCP",
    "cnp_802p": "CNP priority", "np": "NP enabled", "rp": "RP enabled",
}  # fmt: skip
"""Fields by words in file names; the first match counts."""
_TARGET = re.compile(r"(?:>|\btee\b)[^>]*?\$\{?(?P<name>[A-Za-z_]\w*)")

_SUBSTITUTION = re.compile(
    r"(?:\$\(|`)\s*(?:sudo\s+)?(?:[^\s`()]*/)?(?P<tool>[\w.]+)\s(?P<words>[^`)|]*)"
)
"""A command substitution, up to its first pipe."""


def read_script(host: Host, entry: Input) -> None:
    """Read a shell script."""
    first = host.reading.src.files[entry.file].first
    script = parse_script(entry.lines)
    other = entry.text.text[:HEAD].split("\n", 1)[0].rstrip().endswith(("expect", "expect -f"))
    for note in () if other else script.notes:  # expect has another grammar
        host.reading.note(NoteKind.UNRECOGNISED, note.message, first + note.line)
    reader = ScriptReader(host, witness(entry), entry.lines)
    exported = {found.name for found in script.assignments if found.exported}
    for found in script.assignments:
        if found.name in exported:
            if found.exported:
                reader.assign(found, first + found.number)
        elif (row := row_of(found.name)) is not None and not row.generic:
            message = f"{found.name} is set but not exported: no program started here sees it"
            host.reading.note(NoteKind.LEXICAL, message, first + found.number)
    reader.run(script.commands, first)
    for number, line in enumerate(entry.lines, 1):
        if not line.lstrip().startswith("#"):
            reader.check_substitution(line, first + number)
            for each in _DEFAULT.finditer(line) if entry.source.apart else ():
                name, text = [part for part in each.groups() if part is not None]
                state_variable(host, name, Value(text, first + number), reader.certain)
        elif directive := _DIRECTIVE.match(line):
            set_by_launcher(reader.at(first + number), tuple(line[directive.end() :].split()))
    reader.finish()


class ScriptReader:
    """Reads commands one after the other on behalf of one file."""

    def __init__(self, host: Host, who: Witness, lines: Sequence[str] = ()):
        self.host, self.depth = host, 0
        self.open: dict[str, str] = {}  # a file of adapters by the words of its line
        for line in lines:
            if (found := _OPEN_FILE.search(line)) is not None:
                self.open.update(dict.fromkeys(re.findall(r"\w+", line), found[0]))
        self.certain = who
        self.perhaps = replace(who, name=f"{who.name} (in a branch)", conditional=True)
        self.sysfs = {who: Sysfs(host, who) for who in (self.certain, self.perhaps)}

    def finish(self) -> None:
        """Record settings spread over several commands."""
        for sysfs in self.sysfs.values():
            sysfs.finish()

    def at(self, position: int, tool: str = "", *, perhaps: bool = False) -> Setter:
        """Target of a command at a position."""
        who = self.perhaps if perhaps else self.certain
        return Setter(self.host, who, self.sysfs[who], position, tool)

    def assign(self, found: Assignment, position: int) -> None:
        """Record a variable that programs see."""
        who = self.perhaps if found.conditional else self.certain
        state_variable(self.host, found.name, Value(found.value, position), who)

    def check_substitution(self, line: str, position: int) -> None:
        """Check the syntax of commands that are run for their output."""
        for found in _SUBSTITUTION.finditer(line):
            if found["tool"] in HANDLERS:
                has_typographic(self.at(position, found["tool"]), tuple(found["words"].split()))

    def run(
        self, commands: Sequence[Command], first: int, line: int = 0, *, perhaps: bool = False
    ) -> None:
        """Read commands; `line` is set if all of them are on one line of the file."""
        before: Command | None = None
        for command, words, within in inner_scripts(commands):
            position = first + (line or command.number)
            given = replace(command, conditional=True) if perhaps else command
            for variable in own_words(command.words)[1]:
                name, _, value = variable.partition("=")
                self.assign(Assignment(name, value, 0, True, given.conditional), position)
            self._command(given, words, before, position)
            if within is not None:
                self._follow(within, given, words, first, line)
            if command.here is not None:
                self._writes(given, words, first, line)
            before = given

    def run_text(self, text: str, position: int, *, perhaps: bool = False) -> None:
        """Read the commands of a script that is one value, at its position."""
        self.run(parse_script(text.split("\n")).commands, position - 1, 1, perhaps=perhaps)

    def _follow(
        self, within: InnerScript, command: Command, words: Words, first: int, line: int
    ) -> None:
        """Follow a script inside a command if it runs on this host."""
        if self.depth >= NESTED:
            return
        inner = parse_script(within.text.split("\n"))
        if within.hosts is None or self.host.reading.hostname in within.hosts:
            begin = first + within.number - 1 if within.by_line and not line else first
            at = 0 if within.by_line and not line else line or command.number
            self._run_inner(inner, begin, at, perhaps=command.conditional)
        elif any(each and each[0] in HANDLERS for _, each, _ in inner_scripts(inner.commands)):
            where = ", ".join(within.hosts[:SHOWN]) or "hosts that the text does not name"
            message = f"{words[0]} sets up other hosts ({where}): not judged here"
            self.host.reading.note(NoteKind.UNRECOGNISED, message, first + (line or command.number))

    def _run_inner(self, inner: Script, first: int, line: int, *, perhaps: bool) -> None:
        """Read a script within another: its exports and its commands."""
        for found in inner.assignments:
            if found.exported:
                given = replace(found, conditional=found.conditional or perhaps)
                self.assign(given, first + (line or found.number))
        self.depth += 1
        self.run(inner.commands, first, line, perhaps=perhaps)
        self.depth -= 1

    def _writes(self, command: Command, words: Words, first: int, line: int) -> None:
        """Read a here-document that `cat > FILE` or `tee FILE` writes into a settings file."""
        tool = _tool(words)
        if command.here is None or tool not in ("cat", "tee") or (tool == "cat" and words[1:]):
            return
        targets = _targets(command, words, tool)
        kind = kind_of(targets[-1 if tool == "cat" else 0]) if targets else ""
        if not kind:
            return
        begin = first + (line or command.here.number) - 1
        texts = command.here.text.split("\n")
        for number, text in enumerate(texts):
            position = begin + (0 if line else number + 1)
            take_line(self.at(position, words[0] or "", perhaps=command.conditional), kind, text)
        if kind == "script" and self.depth < NESTED:
            inner = parse_script(texts)
            self._run_inner(inner, first if line else begin, line, perhaps=True)

    def _command(
        self, command: Command, words: Words, before: Command | None, position: int
    ) -> None:
        tool = _tool(words)
        if words and words[0] is None and (named := _NAMED_TOOL.match(command.text)):
            tool = named["tool"].lower()  # `$MLNX_QOS -i ...` calls the tool of that name
        if not tool:
            return
        setter = self.at(position, tool, perhaps=command.conditional)
        if tool in HANDLERS:
            if not has_typographic(setter, words[1:]):
                HANDLERS[tool](setter, words[1:])
            return
        targets = _targets(command, words, tool)
        if tool == "tee" and command.piped and before is not None:
            words, _ = own_words(before.words)
            tool = (words[0] or "") if words else ""
        if tool in ("echo", "printf"):
            _write(setter, words[1:], targets)
            self._leave_open(setter, command, targets)

    def _leave_open(self, setter: Setter, command: Command, targets: Words) -> None:
        """Record a write to an adapter file whose name only the running script knows."""
        path = found[0] if (found := _OPEN_FILE.search(command.text)) else ""
        if not path and (name := _TARGET.search(command.text)):
            path = self.open.get(name["name"], "")
        if path and None in targets:
            what = next(field for word, field in _FIELDS.items() if word in path)
            setter.unplaced(NIC if what == "traffic class" else PORT, what)


def _tool(words: Words) -> str:
    return (words[0] or "").rsplit("/", 1)[-1] if words else ""


def _targets(command: Command, words: Words, tool: str) -> Words:
    if tool == "tee":
        return tuple(word for word in words[1:] if word is None or word[:1] != "-")
    return command.stdout


def _write(setter: Setter, words: Words, targets: tuple[str | None, ...]) -> None:
    """`echo VALUE > FILE` below /sys or /proc/sys."""
    plain = [word for word in words if word not in ("-n", "-e")]
    if None in plain:
        return
    text = " ".join(word or "" for word in plain).replace("\\n", "").strip()
    for target in targets:
        if target is not None and target.startswith(("/sys/", "/proc/sys/")):
            setter.sysfs.take(target, text, setter.position)


UNIT_COMMANDS = ("ExecStart", "ExecStartPre", "ExecStartPost", "ExecReload")
_PREFIX = re.compile(r"[-@:+!|]*")
_SPECIFIER = re.compile(r"%[^%]")
_SHELL_TEXT = re.compile(r'\s-\w*c\s+"[^"]*"')
"""The text of `sh -c "..."`, in which the shell, not systemd, expands variables."""
_UNIT_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


def read_unit(host: Host, entry: Input) -> None:
    """Read a systemd unit: the commands it runs and the environment it gives them."""
    first = host.reading.src.files[entry.file].first
    reader = ScriptReader(host, witness(entry), entry.lines)
    known: dict[str, str | None] = {}
    for found in entries(host, entry):
        if found.section != "Service":
            continue
        position = first + found.number
        if found.key == "Environment":
            for assignment in parse_script([f"export {found.value}"]).assignments:
                reader.assign(assignment, position)
                known[assignment.name] = assignment.value
        elif found.key in UNIT_COMMANDS:
            # The value of %i is unknown here, and the shell parser knows `$` names.
            line = _SPECIFIER.sub("${unknown}", _PREFIX.sub("", found.value, count=1))
            line = _UNIT_VARIABLE.sub(lambda v: known.get(v[1]) or v[0], line.replace("$$", "$"))
            script = parse_script([_SHELL_TEXT.sub(lambda t: t[0].replace("$", r"\$"), line)])
            for assignment in script.assignments:
                reader.assign(assignment, position)
            reader.run(script.commands, first, found.number)
    reader.finish()
