"""A device that commands are typed at: its statements, and what each command does to them.

It knows no settings: a typed line stays beside the one that it replaces, as in a file, where the
reader takes the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint.loading.identify import identify
from roce_lint.model.device import Device
from roce_lint.nos.base import Nos, Typed
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.text.outline import outline
from roce_lint.text.source import SourceFile

Chain = tuple[str, ...]

END = re.compile(r"(?:end|exit)(?:-\S+)?|return|commit|nv config apply")
ADDRESS = re.compile(r"ip(?:v4)? address \S+")
"""A device has one such address; the readers take each."""


@dataclass
class Terminal:
    """Statements of a device, and the open mode; `known` are statements of its configurations."""

    typed: Typed
    statements: dict[Chain, None]
    known: set[Chain]
    headers: set[Chain]
    mode: Chain = ()
    unfit: list[str] = field(default_factory=list)  # commands that remove nothing

    def type(self, line: str) -> None:
        """Enter one command."""
        typed = self.typed
        if line in (*typed.begin, *typed.end):
            return
        if line == typed.leave or END.fullmatch(line):
            assert self.mode, f"{line} leaves too much"
            self.mode = self.mode[:-1]
            return
        for word in (f"{typed.take} ", "default "):
            rest = line.removeprefix(word)
            if rest != line and (word == "default " or (*self.mode, line) not in self.known):
                self._remove(line, rest)
                return
        bare = line.removeprefix(f"{typed.put} ")
        chain = (*self.mode, bare)
        off = re.compile(rf"(?:{typed.take}|default) ")
        beside = [each for each in self.statements if each[:-1] == self.mode]
        for each in beside if not typed.put else []:
            on, other = off.sub("", bare, count=1), off.sub("", each[-1], count=1)
            opposite = (on == bare) != (other == each[-1]) and (
                f"{on} ".startswith(f"{other} ") or f"{other} ".startswith(f"{on} ")
            )
            again = ADDRESS.fullmatch(bare) and ADDRESS.fullmatch(each[-1])
            if opposite or again or (each == chain and chain not in self.headers):
                del self.statements[each]
        self.statements.setdefault(chain)
        if chain in self.headers:
            self.mode = chain

    def _remove(self, line: str, rest: str) -> None:
        depth = len(self.mode)
        words = (rest, f"{self.typed.take} {rest}") if line.startswith("default ") else (rest,)
        gone = [
            each
            for each in self.statements
            if each[:depth] == self.mode and len(each) > depth
            and any(f"{each[depth]} ".startswith(f"{word} ") for word in words)
        ]  # fmt: skip
        # `no mtu` removes `mtu 9214`, and `no ecn` in the same way all words of that setting.
        short = [each for each in gone if len(each[depth].split()) - len(rest.split()) < 2]
        gone = (not self.typed.put and short) or gone
        if not gone:
            self.unfit.append(line)
        for each in gone:
            del self.statements[each]

    def text(self) -> str:
        """The configuration."""
        put = f"{self.typed.put} " if self.typed.put else ""
        lines: list[str] = []

        def add(above: Chain) -> None:
            for each in self.statements:
                if each[:-1] == above:
                    lines.append("   " * len(above) + put + each[-1])
                    add(each)

        add(())
        return "".join(f"{line}\n" for line in lines)


def statements(text: str, typed: Typed) -> dict[Chain, None]:
    """The statements of a printed configuration, each number of a list by itself."""
    found: dict[Chain, None] = {}
    for each in outline(text):
        if not END.fullmatch(each.text):
            for line in numbers(each.text.removeprefix(f"{typed.put} ")):
                found.setdefault((*each.above, line))
    return found


RUN = r"\d+(?:(?:[-,]| to | )\d+)*"
LISTS = re.compile(rf"(.*\b(?:dscp|dscp-map|import) )({RUN})(?= |$)(.*)")


def numbers(line: str) -> list[str]:
    """A line for each code point."""
    found = LISTS.fullmatch(line)
    made = []
    for part in re.split("[, ]", found[2].replace(" to ", "-")) if found is not None else ():
        low, _, high = part.partition("-")
        made += [f"{found[1]}{n}{found[3]}" for n in range(int(low), int(high or low) + 1)]
    return made or [line]


def after_typing(nos: Nos, before: str, commands: str, after: str) -> tuple[Device, list[str]]:
    """The device once the commands are typed, and the commands that removed nothing."""
    typed = nos.typed
    assert typed is not None
    known = {*statements(before, typed), *statements(after, typed)}
    headers = {chain[:-1] for chain in known} - {()}
    terminal = Terminal(typed, statements(before, typed), known, headers)
    for line in commands.splitlines():
        for each in numbers(line):
            terminal.type(each)
    assert terminal.mode == ()
    return read(nos, terminal.text()), terminal.unfit


def read(nos: Nos, text: str) -> Device:
    """The device of a printed text."""
    name = "leaf1.txt"
    source = next((each for each in nos.sources if each.base), None)
    if nos.typed is not None and nos.typed.put:
        source = nos.by_source[identify(name, text, only=nos.name).source]
    assert source is not None
    return read_device(nos, "leaf1", [IdentifiedFile(SourceFile.of(name, text), source)])
