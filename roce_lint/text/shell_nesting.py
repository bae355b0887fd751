"""Scripts within a script: run by `sh -c`, ssh, a parallel shell, expect or a here-document.

Returns the text, its place, and the hosts it runs on, as far as the words state them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roce_lint.text.numbers import whole_of
from roce_lint.text.shell_words import UNKNOWN, Command

Words = tuple[str | None, ...]

SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh")
LAUNCHERS = (
    "mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "srun", "sbatch", "salloc", "qsub",
    "docker", "podman", "nerdctl", "enroot", "apptainer", "singularity", "kubectl",
)  # fmt: skip
"""Commands that start a job or a container, and pass variables on to it."""

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
    "chroot": (re.compile(r"-\S+|[./]\S*"), ()),
    "nsenter": (_OPTION, ("-t",)),
    "sshpass": (_OPTION, ("-p", "-f", "-d")),
    "flock": (re.compile(r"-\S+|[./]\S*"), ("-w", "-E")),
}
"""Commands that run the rest of their line: their words, and options with an argument."""

HOSTS = 4096
"""Hosts that one command may name."""

_SSH = frozenset(f"-{letter}" for letter in "BbcDEeFIiJLlmOopQRSWw")
_PDSH = frozenset(f"-{letter}" for letter in "wxgltufRNoS")
_PSSH = frozenset(f"-{letter}" for letter in "HhlpoetOx")
_LISTED = {
    "pdsh": (_PDSH, "-w"), "clush": (_PDSH, "-w"), "pssh": (_PSSH, "-H"),
    "parallel-ssh": (_PSSH, "-H"),
}  # fmt: skip
"""Parallel shells: options with a value, and the one that lists hosts."""

_MANAGED = {"ansible": "-a", "salt": "cmd.run"}
"""Tools that run a command on hosts of an inventory, and the word before the command."""

_NAME = re.compile(r"[A-Za-z0-9][\w.:-]{0,252}")
_RANGE = re.compile(r"(?P<head>[\w.-]*)\[(?P<inside>[\d,-]{1,400})\](?P<tail>[\w.-]*)")
_LINE_ENDS = re.compile(r"\\[rn]|[\r\n]")
_SPAWNED = ("spawn", "exp_spawn")
_SENT = ("send", "exp_send")


@dataclass(slots=True, frozen=True)
class InnerScript:
    """A script in a command. `hosts` is None if it runs locally, and empty if unknown."""

    text: str
    number: int  # of its first line
    hosts: tuple[str, ...] | None = None
    by_line: bool = False  # each of its lines is a line of the file


def own_words(words: Words) -> tuple[Words, list[str]]:
    """The command itself after `sudo -E env A=1 timeout 5`, and the variables set on the way."""
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


def inner_scripts(
    commands: Sequence[Command],
) -> Iterator[tuple[Command, Words, InnerScript | None]]:
    """Every command with its own words and the script that it runs."""
    spawned: tuple[str, ...] = ()
    before: Command | None = None
    for command in commands:
        words, _ = own_words(command.words)
        tool = (words[0] or "").rsplit("/", 1)[-1] if words else ""
        if tool in _SPAWNED:
            rest = _behind_options(words[2:], _SSH) if words[1:2] == ("ssh",) else ()
            spawned = _target(rest[0]) if rest else ()
            yield command, words, None
        elif tool in _SENT:
            text = _LINE_ENDS.sub("\n", _text(words[1:])).strip()
            yield command, words, InnerScript(text.removeprefix("-- "), command.number, spawned)
        else:
            yield command, words, _inner_script(tool, words, command, before)
        before = command


def _inner_script(
    tool: str, words: Words, command: Command, before: Command | None
) -> InnerScript | None:
    if tool in SHELLS or tool in ("su", "expect"):
        return _option(words, command) or _read(words, command, before)
    if tool == "ssh":
        return _ssh(words, command, before)
    if tool in _LISTED:
        return _listed_script(words, command, *_LISTED[tool])
    here, text = _run_by(tool, words)
    if text:
        return InnerScript(text, command.number, None if here else ())
    if tool in LAUNCHERS:
        shell = next((at for at, word in enumerate(words) if word in SHELLS), 0)
        return _option(words[shell:], command) if shell else _read(words, command, before)
    return None


def _run_by(tool: str, words: Words) -> tuple[bool, str]:
    """Whether a command runs a script on this host, and its text; empty if it runs none."""
    text = ""
    if tool == "eval":
        text = _text(words[1:])
    elif tool in ("docker", "podman") and words[1:2] == ("exec",):
        rest = _behind_options(words[2:], frozenset(("-e", "-u", "-w", "--env")))
        text = _text(rest[1:])
    elif tool == "kubectl" and "--" in words:
        return False, _text(words[words.index("--") + 1 :])
    elif tool in _MANAGED and _MANAGED[tool] in words[:-1]:
        return False, words[words.index(_MANAGED[tool]) + 1] or ""
    return True, text


def _text(words: Words) -> str:
    """Words as the text of a script; an unknown word stays unknown."""
    return " ".join(UNKNOWN if word is None else word for word in words)


def _option(words: Words, command: Command) -> InnerScript | None:
    """The script in `bash -c "script"`."""
    su = words[0] == "su"
    for option, text in itertools.pairwise(words[1:]):
        if option is not None and re.fullmatch(r"-\w*c", option):
            return InnerScript(text, command.number) if text is not None else None
        if not su and (option is None or not option.startswith("-")):
            return None
    return None


def _read(words: Words, command: Command, before: Command | None) -> InnerScript | None:
    """The script that a shell reads: its here-document, or that of `cat` before it."""
    if any(word is None or word[:1] != "-" for word in words[1:]):
        return None
    here = command.here
    if here is None and command.piped and before is not None and before.words == ("cat",):
        here = before.here
    return InnerScript(here.text, here.number, by_line=True) if here is not None else None


def _behind_options(words: Words, with_value: frozenset[str]) -> Words:
    while words and words[0] is not None and words[0].startswith("-") and len(words[0]) > 1:
        words = words[2 if words[0] in with_value else 1 :]
    return words


def _ssh(words: Words, command: Command, before: Command | None = None) -> InnerScript | None:
    rest = _behind_options(words[1:], _SSH)
    if not rest:
        return None
    hosts = _target(rest[0])
    # Options may follow the host, too.
    rest = _behind_options(rest[1:], _SSH)
    named = _text(rest).split() or [SHELLS[0]]  # the remote shell splits the words again
    shell = named[0].rsplit("/", 1)[-1]
    if shell in SHELLS and (found := _read((shell, *named[1:]), command, before)) is not None:
        return InnerScript(found.text, found.number, hosts, by_line=True)
    return InnerScript(_text(rest), command.number, hosts) if rest else None


def _target(word: str | None) -> tuple[str, ...]:
    """The host of `user@host`; none if unknown."""
    name = (word or "").rpartition("@")[2]
    return (name,) if _NAME.fullmatch(name) else ()


def _listed_script(
    words: Words, command: Command, options: frozenset[str], at: str
) -> InnerScript | None:
    """`pdsh -w gpu[1-4] COMMAND`."""
    hosts: tuple[str, ...] = ()
    rest = words[1:]
    while rest and rest[0] is not None and rest[0].startswith("-") and len(rest[0]) > 1:
        if rest[0] == at and len(rest) > 1:
            # Brackets are a pattern to the shell, and a list to the tool.
            written = re.search(rf"\s{at}\s*([\w.@,:\[\]-]+)(?=\s)", command.text)
            hosts = hosts_of(rest[1] or (written[1] if written else ""))
        elif rest[0].startswith(at) and not rest[0].startswith("--"):
            hosts = hosts_of(rest[0][2:])
        rest = rest[2 if rest[0] in options else 1 :]
    return InnerScript(_text(rest), command.number, hosts) if rest else None


def hosts_of(listed: str) -> tuple[str, ...]:
    """`gpu[01-04],gpu7` in full; empty if any part is not a host name."""
    found: list[str] = []
    for each in re.split(r"[\s,]+(?![^\[]*\])", listed.strip()):
        name = each.rpartition("@")[2]
        ranged = _RANGE.fullmatch(name)
        if ranged is None and not _NAME.fullmatch(name):
            return ()
        found += [name] if ranged is None else _expand(ranged)
        if len(found) > HOSTS:
            return ()
    return tuple(found)


def _expand(ranged: re.Match[str]) -> list[str]:
    names: list[str] = []
    for part in ranged["inside"].split(","):
        first, _, last = part.partition("-")
        last = last or first
        if not (first.isdigit() and last.isdigit()) or len(last) > 9 or len(first) > 9:
            return []
        numbers = range(whole_of(first), min(whole_of(last), whole_of(first) + HOSTS) + 1)
        names += [f"{ranged['head']}{n:0{len(first)}}{ranged['tail']}" for n in numbers]
    return names
