"""A capture taken apart at its prompts and headings: each command with its own output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from roce_lint.loading.captures.banners import banner_lines
from roce_lint.loading.captures.blocks import is_header
from roce_lint.loading.captures.passage import Passage
from roce_lint.loading.captures.prompts import (
    LONGEST,
    VERBS,
    Prompt,
    is_between,
    is_typed_at_switch,
    read_prompt,
)
from roce_lint.loading.captures.session import (
    CONFIGURES,
    TOP,
    TypedCommand,
    configuration,
    statement,
)
from roce_lint.loading.identify import is_command

HEADER = "# command: "
SESSION = "cat session.sh"
"""The command by which what was typed at a host is handed on: as a script of these lines."""

BRACKETS = 3
"""Prompts in square brackets that it takes to believe the first; a section of an INI file has none
of its keys on its own line.
"""

_DECORATION = r"[-=+*#~_]"
_HEADINGS = (
    re.compile(
        rf"{_DECORATION}{{3,}}[ \t]*[`'\"]?(?P<command>[a-z][^`'\"]*?)[`'\"]?[ \t]*+"
        rf"{_DECORATION}{{3,}}[ \t:]*"
    ),
    re.compile(r"`(?P<command>[a-z][^`]*)`[ \t]*"),
    re.compile(r"# ?command: *(?P<command>\S.*)"),
)
HEADING_BEGINS = ("---", "===", "+++", "***", "###", "~~~", "___", "`", "# command:", "#command:")
ALIKE = 2
"""Headings of commands that are known and drawn alike, to believe them and others like them."""

_LONGEST_HEADING = 1000
"""Characters: a heading that people or scripts write holds one command."""

_HOST_OF_HEADING = re.compile(r"(?<!\s)\s{2,}+host: *+(\S++)")
_TIME_OF_HEADING = re.compile(r"(?<!\s)\s{2,}+time: *+\S++")
_EDIT = re.compile(r"\[edit ?(?P<path>[^\]]*)\]\s*")
_FORMATTED = re.compile(r"\|\s*(?:(?:display|as)\s+)?(?:json(?:-pretty)?|xml)\b")
_ABBREVIATIONS = (
    (re.compile(r"^sho?(?=\s)"), "show"),
    (re.compile(r"^disp?l?a?(?=\s)"), "display"),
    (re.compile(r"^(show|display) ru?n?n?i?n?g?(?=\s|$|\|)"), r"\1 running-config"),
    (re.compile(r"^(show|display) sta?r?t?u?p?(?=\s|$|\|)"), r"\1 startup-config"),
    (re.compile(r"^display cu?r?r?e?n?t?(?=\s|$|\|)"), "display current-configuration"),
    (re.compile(r"^show conf(?:ig?u?r?a?t?i?o?)?(?=\s|$|\|)"), "show configuration"),
    (re.compile(r"^wr(?:ite)? t(?:erm(?:inal)?)?$"), "show running-config"),
    (re.compile(r"^show lldp ne\S*(?= det|$)"), "show lldp neighbors"),
    (re.compile(r"^show lldp neighbors det\S*$"), "show lldp neighbors detail"),
)
_FAR = re.compile(
    r"(?:sudo )?ssh (?:-[iopljF] ?\S+ |-[A-Za-z]+ )*+(?:[\w.-]{1,32}@)?"
    r"(?P<host>[A-Za-z0-9][\w.-]{0,62}) (?P<command>[^ -].*)"
)
STARTUP = re.compile(r"startup|saved-conf|candidate")


@dataclass(slots=True)
class _Cut:
    """A prompt or a heading with a command, at a line."""

    index: int
    prompt: Prompt
    heading: bool = False


@dataclass(slots=True)
class _TypedCommands:
    """What was typed at one device, in the order of the file."""

    modes: list[TypedCommand] = field(default_factory=list)
    statements: list[tuple[str, int]] = field(default_factory=list)
    script: list[tuple[str, int]] = field(default_factory=list)


def cut(whole: Passage) -> list[Passage]:
    """The passages of a text; itself where it holds neither prompts nor headings."""
    cuts = list(_cuts(whole.lines))
    if not cuts:
        return [whole]
    passages = [whole.part(0, cuts[0].index)]
    typing: dict[str | None, _TypedCommands] = {}
    for number, one in enumerate(cuts):
        end = cuts[number + 1].index if number + 1 < len(cuts) else len(whole.lines)
        then = cuts[number + 1].prompt if number + 1 < len(cuts) else None
        passages += _output(whole, one, end)
        if not one.heading:
            _keep(typing.setdefault(one.prompt.host, _TypedCommands()), whole, one, then, end)
    for host, typed in typing.items():
        passages += _typed_passages(host, typed)
    return [passage for passage in passages if not passage.is_blank]


# ------------------------------------------------------------------------------------ where to cut


def _cuts(lines: list[str]) -> Iterator[_Cut]:
    found = _candidates(lines)
    known = _names_believed([one for one in found if not one.heading])
    if not any(one.heading or _is_believed(one.prompt, known) for one in found):
        return
    inside = banner_lines(lines)
    found = [one for one in found if one.index not in inside]
    prompts = [one for one in found if not one.heading]
    known = _names_believed(prompts)
    script = lines[0].startswith("#!")
    bare = [one for one in prompts if one.prompt.bare and _is_believed(one.prompt, known)]
    traced = any(lines[one.index].startswith("+") for one in bare)
    for one in found:
        if one.prompt.bare and (script or _says_it_again(lines, one.index)):
            continue
        shown = traced and lines[one.index].startswith("+")
        if one.heading or shown or _is_believed(one.prompt, known):
            yield one if one.heading else _Cut(one.index, _place(one.prompt, known))


def _says_it_again(lines: list[str], index: int) -> bool:
    """Whether a comment stands above the command that it is about, as in a script."""
    below = lines[index + 1] if index + 1 < len(lines) else ""
    return bool(below.strip()) and is_command(expand_command(below))


def _candidates(lines: list[str]) -> list[_Cut]:
    found = []
    headings = []
    framed = []
    for index, line in enumerate(lines):
        if not line or line[0] in " \t!":
            continue
        if line.startswith(HEADING_BEGINS) and (named := _framed_command(line)) is not None:
            framed.append((index, named))
            if named.is_known:
                headings.append(_Cut(index, Prompt(named.host, named.command), heading=True))
                continue
        prompt = read_prompt(line.rstrip())
        if prompt is not None:
            found.append(_Cut(index, prompt))
    # A single one at the very top is the one by which a file is told as it is.
    ours = sum(lines[one.index].startswith("#") for one in headings) > 1
    drawn = Counter(named.frame for _, named in framed if named.is_known)
    if any(one.index > 0 for one in headings) and (
        ours
        or max(drawn.values()) >= ALIKE
        or any(is_command(expand_command(one.prompt.typed)) for one in headings)
    ):
        # One of a command that nobody knows, drawn to the letter as some of known ones.
        headings += [
            _Cut(index, Prompt(named.host, named.command), heading=True)
            for index, named in framed
            if not named.is_known and drawn[named.frame] >= ALIKE
        ]
        found = sorted([*found, *headings], key=lambda one: one.index)
    return found


@dataclass(frozen=True, slots=True)
class _FramedCommand:
    """A command between the marks of a heading; `is_known`: it is one that devices have."""

    frame: str
    command: str
    host: str | None
    is_known: bool


def heading(line: str) -> tuple[str, str | None] | None:
    """The command that a heading names, and its host; None for another line."""
    named = _framed_command(line)
    return (named.command, named.host) if named is not None and named.is_known else None


def _framed_command(line: str) -> _FramedCommand | None:
    if len(line) > _LONGEST_HEADING:
        return None
    for form in _HEADINGS:
        if found := form.fullmatch(line.rstrip()):
            given = found["command"]
            frame = line.rstrip().replace(given, "", 1)
            command, host = given.strip(), None
            if line.startswith("#") and (named := _HOST_OF_HEADING.search(command)):
                command, host = command[: named.start()], named[1]
            command = _TIME_OF_HEADING.sub("", command)
            words = command.split(None, 1)
            ours = line.startswith("#")  # says itself that it is a command
            known = ours or (bool(words) and words[0] in VERBS) or is_command(command)
            return _FramedCommand(frame, command, host, known)
    return None


def _names_believed(prompts: list[_Cut]) -> set[str]:
    """Names that stand in a prompt with a command behind it that was typed at a device."""
    names = set()
    brackets: list[str] = []
    for one in prompts:
        prompt = one.prompt
        if prompt.bare or prompt.host is None:
            continue
        if prompt.mode == "":
            brackets.append(prompt.host)
        elif (
            prompt.in_shell
            or prompt.mode is not None
            or (prompt.typed and is_typed_at_switch(prompt.typed))
        ):
            names.add(prompt.host)
    if len(brackets) >= BRACKETS and not names:
        shortest = min(brackets, key=len)
        if all(name == shortest or name.startswith(f"{shortest}-") for name in brackets):
            names.add(shortest)
    return names


def _is_believed(prompt: Prompt, known: set[str]) -> bool:
    if prompt.bare:
        return is_command(expand_command(_mode_reached(prompt)[1]))
    if prompt.mode == "":
        return _owner(prompt.host or "", known) is not None
    if prompt.host not in known:
        return False
    if prompt.in_shell or prompt.mode is not None or prompt.sets:
        return True
    return is_typed_at_switch(prompt.typed)


def _owner(name: str, known: set[str]) -> str | None:
    """The device in square brackets, whose name its mode follows."""
    owners = [host for host in known if name == host or name.startswith(f"{host}-")]
    return max(owners, key=len, default=None)


def _place(prompt: Prompt, known: set[str]) -> Prompt:
    if prompt.mode != "" or prompt.host is None:
        return prompt
    owner = _owner(prompt.host, known) or prompt.host
    return Prompt(owner, prompt.typed, prompt.host[len(owner) + 1 :])


# -------------------------------------------------------------------------------- what was printed


@lru_cache(maxsize=4096)
def expand_command(command: str) -> str:
    """A command without the abbreviations that people type most."""
    command = " ".join(command.split())
    if not command.startswith(("sh", "dis", "wr")):
        return command
    for short, long in _ABBREVIATIONS:
        command = short.sub(long, command)
    return command


def _mode_reached(prompt: Prompt) -> tuple[str | None, str]:
    """Where a command ran, and the command: `ssh gpu1 show_gids` printed what gpu1 has."""
    found = _FAR.fullmatch(prompt.typed) if prompt.in_shell else None
    if found is None:
        return prompt.host, prompt.typed
    return found["host"], found["command"].strip("'\" ")


def _output(whole: Passage, one: _Cut, end: int) -> Iterator[Passage]:
    """The output of a command; what follows a prompt without one is nobody's."""
    prompt = one.prompt
    if prompt.mode is not None and not prompt.typed.startswith(("do ", "show ", "display ")):
        return
    if prompt.typed.startswith(CONFIGURES):
        return
    last = end
    while last > one.index + 1 and (not whole.lines[last - 1] or is_between(whole.lines[last - 1])):
        last -= 1
    output = whole.part(one.index + 1, last)
    output.host = prompt.host
    if output.is_blank:
        return
    host, typed = _mode_reached(prompt)
    output.host = host
    command = expand_command(typed.removeprefix("do "))
    if not command:
        yield output
        return
    output.command = command
    output.startup = STARTUP.search(command) is not None
    header = "" if _FORMATTED.search(command) else f"{HEADER}{command}"
    if header and host:
        header += f"  host: {host}"
    output.lines = [header, *output.lines]
    output.numbers = [whole.numbers[one.index], *output.numbers]
    yield output


# ----------------------------------------------------------------------------------- what was typed


def _keep(typing: _TypedCommands, whole: Passage, one: _Cut, then: Prompt | None, end: int) -> None:
    """Remember a command that configures."""
    prompt, number = one.prompt, whole.numbers[one.index]
    if prompt.mode is not None:
        after = then.mode if then is not None and then.host == prompt.host else None
        typing.modes.append(TypedCommand(number, prompt.mode, prompt.typed, after))
    elif prompt.sets:
        said = statement(prompt.typed, _path(whole.lines, one.index))
        if said is not None:
            typing.statements.append((said, number))
    elif prompt.typed.startswith(CONFIGURES):
        typing.statements.append((prompt.typed, number))
    elif prompt.in_shell and prompt.typed and not any(whole.lines[one.index + 1 : end]):
        typing.script.append((prompt.typed, number))


def _path(lines: list[str], index: int) -> str:
    """The place in the configuration that the line above a prompt tells."""
    above = lines[index - 1] if index else ""
    found = _EDIT.fullmatch(above) if len(above) < LONGEST else None
    return found["path"].strip() if found else ""


def _typed_passages(host: str | None, typing: _TypedCommands) -> Iterator[Passage]:
    lines = configuration(typing.modes, is_header)
    for made in (lines, typing.statements):
        if made:
            yield _passage(host, made)
    if typing.script:
        script = _passage(host, typing.script)
        named = f"  host: {host}" if host else ""
        script.command = SESSION
        script.lines = [f"{HEADER}{SESSION}{named}", *script.lines]
        script.numbers = [script.numbers[0], *script.numbers]
        yield script


def _passage(host: str | None, lines: list[tuple[str, int]]) -> Passage:
    return Passage(
        [line for line, _ in lines], [number for _, number in lines], host, None, -1,
        told=["prompts before what was typed"],
    )  # fmt: skip


__all__ = ["TOP"]
