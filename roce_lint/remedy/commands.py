"""Difference of two configurations as the commands that are typed at the device."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from roce_lint.model.interface import InterfaceKind
from roce_lint.model.units import ranges
from roce_lint.nos.base import FileEdit, Nos, RenderedFiles, Typed
from roce_lint.remedy.host_commands import host_commands
from roce_lint.text.numbers import whole_of
from roce_lint.text.outline import outline

Chain = tuple[str, ...]
"""A statement below its headers, outermost first."""


def commands(nos: Nos, before: RenderedFiles, after: RenderedFiles) -> str:
    """The commands that bring a running device from one printed configuration to another; empty if
    nothing differs, or no command can. Swapped configurations give the rollback.
    """
    if nos.is_host:
        return "".join(f"{line}\n" for line in host_commands(before.files, after.files))
    if nos.commands is not None:
        first, second = (next(iter(each.files.values()), "{}") for each in (before, after))
        return text_commands(nos, FileEdit(first, second))
    return _typed_text(nos, FileEdit(before.lines, after.lines), whole=False)


def text_commands(nos: Nos, edit: FileEdit) -> str:
    """The same for two texts, each the whole configuration of a device."""
    if nos.commands is not None:
        found: str = nos.commands(edit)
        return found
    return "" if edit.before.lstrip().startswith("{") else _typed_text(nos, edit, whole=True)


def _typed_text(nos: Nos, edit: FileEdit, *, whole: bool) -> str:
    typed = nos.typed
    if typed is None:
        return ""
    before, after = (_Tree.of(text, typed) for text in edit)
    steps = _Difference(nos, typed, before, after, whole=whole).steps()
    lines = list(_below_headers(steps, typed.leave, {**before.closing, **after.closing}))
    if typed.put:
        lines = [line for _, line in steps]
    return "".join(f"{line}\n" for line in (*typed.begin, *lines, *typed.end)) if lines else ""


def _below_headers(
    steps: Iterable[tuple[Chain, str]], leave: str, closing: Mapping[Chain, str]
) -> Iterator[str]:
    """Lines with the headers to type before them, and the words that leave the headers."""
    inside: Chain = ()
    for above, line in (*steps, ((), "")):
        shared = next(n for n in range(len(inside), -1, -1) if inside[:n] == above[:n])
        for depth in range(len(inside), shared, -1):
            yield closing.get(inside[:depth], leave)
        yield from above[shared:]
        inside = above
        if line:
            yield line


# Statements.

_LEAVING = re.compile(r"(?:end|exit)-(\S+)|end|return")
"""Lines that leave a mode and state nothing; the first form names the header that it closes."""


@dataclass(slots=True)
class _Tree:
    """Statements in order, and those without others below them by their header."""

    chains: dict[Chain, int] = field(default_factory=dict)
    headers: set[Chain] = field(default_factory=set)
    lines: dict[Chain, dict[str, int]] = field(default_factory=dict)
    closing: dict[Chain, str] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, typed: Typed) -> _Tree:
        """The statements of a text; with `put` each is one line of words, and none is a header."""
        made = cls()
        found = [(*each.above, each.text) for each in outline(text)]
        made.headers = {chain[:-1] for chain in found}
        if typed.put:
            paths = (_path(chain, typed) for chain in found if chain not in made.headers)
            found, made.headers = [(path,) for path in paths if path not in typed.end], {()}
        for chain in found:
            leaves = _LEAVING.fullmatch(chain[-1])
            if leaves is None:
                made.chains.setdefault(chain, len(made.chains))
            elif leaves[1]:
                owners = (c for c in reversed(made.chains) if c[-1].split()[0].endswith(leaves[1]))
                made.closing.update((owner, chain[-1]) for owner in islice(owners, 1))
        for chain, at in made.chains.items():
            if chain not in made.headers:
                made.lines.setdefault(chain[:-1], {})[chain[-1]] = at
        return made

    def below(self, header: Chain) -> list[Chain]:
        """Classes directly below a header; the default class is always the last."""
        found = (chain for chain in self.chains if chain[:-1] == header)
        return [chain for chain in found if not chain[-1].endswith("class-default")]

    def forget(self, header: Chain) -> None:
        """Remove a header with all below it."""
        depth = len(header)
        self.chains = {c: at for c, at in self.chains.items() if c[:depth] != header}
        self.lines = {c: lines for c, lines in self.lines.items() if c[:depth] != header}


def _path(chain: Chain, typed: Typed) -> str:
    """The words of a statement and of its headers, as one line."""
    words = []
    for each in chain:
        key, colon, value = each.removesuffix(": {}").rstrip("{;").rstrip().partition(": ")
        quoted = f"'{value}'" if " " in value and value[:1] not in "'\"[" else value
        words += [key.removesuffix(":"), quoted] if colon else [key.removesuffix(":")]
    return " ".join(words).removeprefix("- set ").removeprefix(f"{typed.put} ")


# Settings. A statement with several numbers (`match dscp 26,48`) counts as one for each of them.

_RUN = re.compile(r"(?<!\S)(?:0|[1-9]\d{0,3})(?:(?:[-,]| to | )\d+)*(?!\S)(?!.*(?<!\S)\d)")
"""The last numbers of a text."""

_UNITS = frozenset({"percent", "bytes", "kbytes", "mbytes", "kbps", "mbps", "gbps", "ms", "us"})


def _named(line: str, typed: Typed) -> str:
    """The words that name the setting of a statement; empty if they are not known."""
    found = re.match(rf"(?:{typed.keys})(?!\S)", line)
    return found[0] if found is not None else ""


def _setting(line: str, typed: Typed) -> str:
    """The words of a statement that stay when its value changes; itself for an entry of a list."""
    if named := _named(line, typed):
        return named
    words = line.split(" ")
    return " ".join(words[: -2 if len(words) > 2 and words[-1] in _UNITS else -1]) or line


def _split(line: str, typed: Typed) -> tuple[str, str, str]:
    """A statement around the numbers of its setting; itself and nothing if there are none."""
    run = _RUN.search(_named(line, typed))
    return (line[: run.start()], run[0], line[run.end() :]) if run is not None else (line, "", "")


def _numbers(run: str) -> Iterator[int]:
    for part in re.findall(r"\d+(?:(?:-| to )\d+)?", run):
        low, *high = re.split("-| to ", part)
        yield from range(whole_of(low), whole_of(high[0] if high else low) + 1)


def _one_by_one(lines: Mapping[str, int], typed: Typed) -> dict[str, int]:
    """Statements with one number each."""
    found: dict[str, int] = {}
    for line, at in lines.items():
        head, run, tail = _split(line, typed)
        found |= {f"{head}{number}{tail}": at for number in _numbers(run)} if run else {line: at}
    return found


def _together(
    lines: Mapping[str, int], like: Iterable[str], typed: Typed
) -> Iterator[tuple[int, str]]:
    """Statements that differ in one number as one, in the form of those that have several."""
    parts = (_split(each, typed) for each in like)
    forms = {head: run for head, run, _ in parts if not run.isdigit()}
    found: dict[tuple[str, str, str], tuple[int, list[int]]] = {}
    for line, at in lines.items():
        head, run, tail = _split(line, typed)
        numbers = found.setdefault((head, run * (head not in forms), tail), (at, []))[1]
        numbers += _numbers(run)
    for (head, _, tail), (at, numbers) in found.items():
        text, form = ranges(numbers), forms.get(head, "")
        if " to " in form:
            text = text.replace("-", " to ").replace(",", " ")
        elif not set(form) & set(",-"):
            text = " ".join(str(number) for number in sorted(numbers))
        yield at, f"{head}{text}{tail}"


# Differences.

_ONE = re.compile(r"(?:router )?bgp \S+")
"""Headers of which a device has one: the old one goes first."""

_ORDERED = re.compile(r"policy-map (?!type (?:queuing|network-qos) )")
"""Headers whose first class that matches decides."""

_PORTS = (InterfaceKind.PHYSICAL, InterfaceKind.BREAKOUT_PARENT, InterfaceKind.MANAGEMENT)


@dataclass(slots=True)
class _Difference:
    """Lines to type that make one configuration of another."""

    nos: Nos
    typed: Typed
    before: _Tree
    after: _Tree
    whole: bool

    def steps(self) -> list[tuple[Chain, str]]:
        """New objects before their users, as printed, each line after what it cannot stand beside;
        then what is removed, the users first.
        """
        begin: dict[Chain, int] = {}
        end: dict[Chain, int] = {}
        for chain, at in self.after.chains.items():
            end |= {chain[:depth]: at for depth in range(len(chain))}
            begin.setdefault(chain[:-1], at)
        found: list[tuple[int, int, Chain, str]] = []  # place, order there, headers, line
        gone: list[tuple[int, Chain, str]] = []
        for chain in self._out_of_order():
            found.append((begin[chain[:-1]], 1, chain[:-1], f"{self.typed.take} {chain[-1]}"))
            self.before.forget(chain)
        for header in dict.fromkeys((*self.after.lines, *self.before.lines)):
            if self._goes(header):
                continue
            first, put, last = self._between(header)
            rest = end.get(header, len(self.after.chains)) if header else len(self.after.chains)
            start = min((at for at, _ in put), default=rest)
            found += [(start, 1, header, line) for _, line in first]
            found += [
                (start, 0, header, line) if line == "shutdown" else (at, 2, header, line)
                for at, line in put
            ]
            if header:
                found += [(rest, 3, header, line) for _, line in last]
            else:
                gone += [(-at, header, line) for at, line in last]
        for chain, at in self.before.chains.items():
            if self._goes(chain) and not self._goes(chain[:-1]):
                line, above = f"{self.typed.take} {chain[-1]}", chain[:-1]
                if above or _ONE.fullmatch(chain[-1]):
                    found.append((end.get(above, 0) if above else -1, 3, above, line))
                else:
                    gone.append((-at, above, line))
        found.sort(key=lambda each: each[:2])
        steps = [(above, line) for _, _, above, line in found]
        return [*steps, *((above, line) for _, above, line in sorted(gone))]

    def _out_of_order(self) -> list[Chain]:
        """Classes to type again, since new ones are added behind those that are there."""
        found: list[Chain] = []
        for header in self.before.headers & self.after.headers - {()}:
            if _ORDERED.match(header[-1]):
                old, new = (tree.below(header) for tree in (self.before, self.after))
                typed = [each for each in old if each in new]
                typed += [each for each in new if each not in old]
                pairs = enumerate(zip(typed, new, strict=True))
                wrong = next((n for n, (a, b) in pairs if a != b), len(new))
                found += [each for each in typed[wrong:] if each in old]
        return found

    def _goes(self, chain: Chain) -> bool:
        """Whether a header goes with all below it; a port stays, and its lines are removed."""
        if not chain or chain in self.after.chains:
            return False
        if self._goes(chain[:-1]):
            return True
        return chain in self.before.headers and not self._is_port(chain[-1])

    def _is_port(self, header: str) -> bool:
        word, _, name = header.partition(" ")
        if word != "interface" or self.nos.ports is None:
            return False
        names: Any = self.nos.ports.function
        return names.kind_of(names.canonical(name)) in _PORTS

    def _between(self, header: Chain) -> tuple[list[tuple[int, str]], ...]:
        """Lines to remove before others, to type, and to remove after, each with its place."""
        texts = [
            {
                line: at
                for line, at in tree.lines.get(header, {}).items()
                if (*header, line) not in other.headers
            }
            for tree, other in ((self.before, self.after), (self.after, self.before))
        ]
        if texts[0].keys() == texts[1].keys():
            return [], [], []
        old, new = (_one_by_one(each, self.typed) for each in texts)
        lists = {
            setting
            for table in (old, new)
            for setting, times in Counter(_setting(each, self.typed) for each in table).items()
            if times > 1
        }
        put = {line: at for line, at in new.items() if line not in old}
        typed = {_setting(each, self.typed) for each in put}
        opposite = put if not self.typed.put else {}
        removed: tuple[dict[str, int], dict[str, int]] = {}, {}
        for line, at in old.items():
            setting = _setting(line, self.typed)
            entry = setting in {line} | lists
            if line in new or line == f"{self.typed.take} shutdown":
                continue  # without that line a port is as the system likes it
            replaced = not entry and setting in typed and not re.match(self.typed.exclusive, line)
            if not replaced and not self._is_undone(line, opposite):
                whole, text = (False, line) if setting in lists else self._object(line)
                removed[entry or whole].setdefault(text, at)
        first, last = (
            [(at, self._negated(line)) for at, line in _together(some, texts[0], self.typed)]
            for some in removed
        )
        lines = _together(put, [*texts[1], *texts[0]], self.typed)
        return first, [(at, f"{self.typed.put} {line}".strip()) for at, line in lines], last

    def _is_undone(self, line: str, put: Iterable[str]) -> bool:
        """Whether a typed line is the opposite of one."""
        take = f"{self.typed.take} "
        on = line.removeprefix(take)
        return any(
            f"{on} ".startswith(f"{each.removeprefix(take)} ")
            if on == line
            else f"{each} ".startswith(f"{on} ")
            for each in put
            if each.startswith(take) is (on == line)
        )

    def _object(self, line: str) -> tuple[bool, str]:
        """Words to remove for a line: an object of which nothing is left (True), or the setting."""
        if self.typed.put:
            words, known = line.split(" "), re.match(self.typed.objects, line)
            objects = [" ".join(words[:n]) for n in range(1, len(words))] if self.whole else []
            for each in objects or ([known[0]] if known is not None else []):
                if not any(
                    f"{left} ".startswith(f"{each} ") for left in self.after.lines.get((), ())
                ):
                    return True, each
        return False, _named(line, self.typed) or line

    def _negated(self, line: str) -> str:
        """The words that remove a line."""
        on = line.removeprefix(f"{self.typed.take} ")
        if self.typed.default and re.match(self.typed.default, line):
            return f"default {on}"
        return f"{self.typed.take} {line}" if on == line else on
