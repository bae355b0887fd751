"""Scripts that set up other hosts: what runs on each is a script of that host."""

from __future__ import annotations

import re

from roce_lint.loading.captures.cutting import HEADER, SESSION
from roce_lint.loading.captures.passage import Passage
from roce_lint.text.shell import parse_script
from roce_lint.text.shell_items import Command
from roce_lint.text.shell_nesting import InnerScript, inner_scripts

LONGEST = 256 << 10
"""Characters of a script that is looked into."""

LINES = 200_000
"""Lines that are made for all hosts together."""

_RUNS_ELSEWHERE = re.compile(r"(?:^|[\s;&|(/])(?:ssh|pdsh|clush|pssh|parallel-ssh)[ \t]")


def may_run_elsewhere(text: str) -> bool:
    """Whether a text is a script in which a remote shell is named; no more than a look."""
    return (
        text.startswith("#!") and len(text) <= LONGEST and _RUNS_ELSEWHERE.search(text) is not None
    )


def on_hosts(whole: Passage) -> list[Passage]:
    """A script without what it runs on other hosts, and the script of each of them.

    A host that is not named in the text has none: its commands stay where they are.
    """
    found: dict[str, list[tuple[str, int]]] = {}
    kept: set[int] = set()
    gone: set[int] = set()
    made = 0
    for command, _, within in inner_scripts(parse_script(whole.lines).commands):
        lines = set(range(command.number, command.last + 1))
        if within is None or not within.hosts:
            kept |= lines
            continue
        said = _lines(command, within)
        made += len(said) * len(within.hosts)
        if made > LINES:
            return [whole]
        gone |= lines | {number for _, number in said}
        for host in within.hosts:
            found.setdefault(host, []).extend(said)
    if not found:
        return [whole]
    rest = ["" if n in gone - kept else line for n, line in enumerate(whole.lines, 1)]
    return [whole.with_lines(rest), *(_script(whole, host, said) for host, said in found.items())]


def _lines(command: Command, within: InnerScript) -> list[tuple[str, int]]:
    """What a host is to run, with the numbers of the lines; what may be left out in a branch."""
    texts = within.text.rstrip("\n").split("\n")
    said = [
        (text, within.number + index if within.by_line else command.number)
        for index, text in enumerate(texts)
    ]
    if command.conditional and said:
        said = [("if maybe; then", said[0][1]), *said, ("fi", said[-1][1])]
    return said


def _script(whole: Passage, host: str, said: list[tuple[str, int]]) -> Passage:
    first = said[0][1]
    lines = [f"{HEADER}{SESSION}  host: {host}", *(text for text, _ in said)]
    numbers = [whole.numbers[number - 1] for number in (first, *(number for _, number in said))]
    return Passage(lines, numbers, host, SESSION, -1)
