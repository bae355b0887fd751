"""Splits a capture at its prompts and headings into commands, each with its output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from roce_lint.loading.captures.banners import banner_lines, is_header
from roce_lint.loading.captures.prompts import (
    LONGEST,
    VERBS,
    Prompt,
    is_between,
    is_typed_at_switch,
    read_prompt,
)
from roce_lint.loading.captures.segment import Segment
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
"""Pseudo-command for the commands typed on a host: a script of these lines."""

BRACKETS = 3
"""Prompts in square brackets required to accept the first one; an INI file has section headings
in brackets, too, but no text after them."""

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
SIMILAR = 2
"""Headings of known commands in the same style that are required to accept further ones."""

_LONGEST_HEADING = 1000
"""Maximum characters: a heading written by people or scripts holds one command."""

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
    """Commands typed at one device, in the order of the file."""

    modes: list[TypedCommand] = field(default_factory=list)
    statements: list[tuple[str, int]] = field(default_factory=list)
    script: list[tuple[str, int]] = field(default_factory=list)


def cut(whole: Segment) -> list[Segment]:
    """The segments of a text; the text itself where it holds neither prompts nor headings."""
    cuts = list(_cuts(whole.lines))
    if not cuts:
        return [whole]
    segments = [whole.part(0, cuts[0].index)]
    typing: dict[str | None, _TypedCommands] = {}
    for number, one in enumerate(cuts):
        end = cuts[number + 1].index if number + 1 < len(cuts) else len(whole.lines)
        then = cuts[number + 1].prompt if number + 1 < len(cuts) else None
        segments += _output(whole, one, end)
        if not one.heading:
            _keep(typing.setdefault(one.prompt.host, _TypedCommands()), whole, one, then, end)
    for host, typed in typing.items():
        segments += _typed_segments(host, typed)
    return [segment for segment in segments if not segment.is_blank]


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
        if one.prompt.bare and (script or _is_repeated_in_comment(lines, one.index)):
            continue
        shown = traced and lines[one.index].startswith("+")
        if one.heading or shown or _is_believed(one.prompt, known):
            yield one if one.heading else _Cut(one.index, _place(one.prompt, known))


def _is_repeated_in_comment(lines: list[str], index: int) -> bool:
    """Whether the line is a comment on the command below it, as in a script."""
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
    # A single heading at the very top identifies the file as it is.
    ours = sum(lines[one.index].startswith("#") for one in headings) > 1
    drawn = Counter(named.frame for _, named in framed if named.is_known)
    if any(one.index > 0 for one in headings) and (
        ours
        or max(drawn.values()) >= SIMILAR
        or any(is_command(expand_command(one.prompt.typed)) for one in headings)
    ):
        # A heading of an unknown command, in exactly the style of the known ones.
        headings += [
            _Cut(index, Prompt(named.host, named.command), heading=True)
            for index, named in framed
            if not named.is_known and drawn[named.frame] >= SIMILAR
        ]
        found = sorted([*found, *headings], key=lambda one: one.index)
    return found


@dataclass(frozen=True, slots=True)
class _FramedCommand:
    """A command between the marks of a heading; `is_known`: some device has it."""

    frame: str
    command: str
    host: str | None
    is_known: bool


def heading(line: str) -> tuple[str, str | None] | None:
    """The command and host in a heading; None for another line."""
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
            ours = line.startswith("#")  # explicitly marked as a command
            known = ours or (bool(words) and words[0] in VERBS) or is_command(command)
            return _FramedCommand(frame, command, host, known)
    return None


def _names_believed(prompts: list[_Cut]) -> set[str]:
    """Names in prompts followed by a command that is typed at a device."""
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
    """The device in square brackets whose name precedes its mode."""
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
    """Expand the most common abbreviations of a command."""
    command = " ".join(command.split())
    if not command.startswith(("sh", "dis", "wr")):
        return command
    for short, long in _ABBREVIATIONS:
        command = short.sub(long, command)
    return command


def _mode_reached(prompt: Prompt) -> tuple[str | None, str]:
    """Host and command: `ssh gpu1 show_gids` runs on gpu1."""
    found = _FAR.fullmatch(prompt.typed) if prompt.in_shell else None
    if found is None:
        return prompt.host, prompt.typed
    return found["host"], found["command"].strip("'\" ")


def _output(whole: Segment, one: _Cut, end: int) -> Iterator[Segment]:
    """The output of a command; text after a prompt without one has no owner."""
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


def _keep(typing: _TypedCommands, whole: Segment, one: _Cut, then: Prompt | None, end: int) -> None:
    """Record a configuration command."""
    prompt, number = one.prompt, whole.numbers[one.index]
    if prompt.mode is not None:
        after = then.mode if then is not None and then.host == prompt.host else None
        typing.modes.append(TypedCommand(number, prompt.mode, prompt.typed, after))
    elif prompt.sets:
        words = statement(prompt.typed, _path(whole.lines, one.index))
        if words is not None:
            typing.statements.append((words, number))
    elif prompt.typed.startswith(CONFIGURES):
        typing.statements.append((prompt.typed, number))
    elif prompt.in_shell and prompt.typed and not any(whole.lines[one.index + 1 : end]):
        typing.script.append((prompt.typed, number))


def _path(lines: list[str], index: int) -> str:
    """The configuration path shown in the line above a prompt."""
    above = lines[index - 1] if index else ""
    found = _EDIT.fullmatch(above) if len(above) < LONGEST else None
    return found["path"].strip() if found else ""


def _typed_segments(host: str | None, typing: _TypedCommands) -> Iterator[Segment]:
    lines = configuration(typing.modes, is_header)
    for made in (lines, typing.statements):
        if made:
            yield _segment(host, made)
    if typing.script:
        script = _segment(host, typing.script)
        named = f"  host: {host}" if host else ""
        script.command = SESSION
        script.lines = [f"{HEADER}{SESSION}{named}", *script.lines]
        script.numbers = [script.numbers[0], *script.numbers]
        yield script


def _segment(host: str | None, lines: list[tuple[str, int]]) -> Segment:
    return Segment(
        [line for line, _ in lines], [number for _, number in lines], host, None, -1,
        removed=["prompts before typed commands"],
    )  # fmt: skip


__all__ = ["TOP"]
