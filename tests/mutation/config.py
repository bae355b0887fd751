"""Changes of indented configurations, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.text.source import LineState
from tests.mutation.change import NUMBER, PORT, WORDS, Change, digit, shape

Made = tuple[Change, str]

OTHER = re.compile(
    r"!|description |ip |ipv6 |hostname |switchname |version |vdc |vrf |vlan \d|no ip |router |"
    r"address-family|neighbor |network |management |logging|ntp |snmp|feature |boot |interface "
)
"""Lines irrelevant to RoCE traffic: identity, addresses, routing."""

ROUTING = ("router ", "route-map ")
"""Stanzas without any line about RoCE traffic."""

NAMES = ("interface ", "policy-map", "class-map")
"""Lines followed by a name: its numbers are not values."""


def changes(lines: list[str], states: bytearray | list[int], used: set[str]) -> Iterator[Made]:
    """All changes of the lines that were read and are relevant for ports in use."""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if states[number - 1] != LineState.UNDERSTOOD or OTHER.match(text):
            continue
        above = headers(lines, number)
        top = above[0] if above else text
        if top.startswith(ROUTING):
            continue
        if top.startswith("interface ") and top.split()[1] not in used:
            continue
        base = Change("", shape(*above, text))
        yield from _digits(base, lines, number)
        yield from _words(base, lines, number)
        yield _made(base.of("delete"), [*lines[: number - 1], *lines[number:]])
        yield from _moved(base, lines, number)


def _made(change: Change, lines: list[str]) -> Made:
    return change, "\n".join(lines)


def _digits(base: Change, lines: list[str], number: int) -> Iterator[Made]:
    line = lines[number - 1]
    if line.lstrip().startswith(NAMES):
        return
    start = len(line) - len(line.lstrip()) + len(line.split(None, 1)[0])
    for count, value in enumerate(NUMBER.finditer(line, start), 1):
        if PORT.search(line, max(value.start() - 12, 0), value.end()):
            continue
        if re.search(r"[A-Za-z]-?\d*q?-?$", line[: value.start()].rsplit(" ", 1)[-1]):
            continue  # c-out-8q-q5: a part of a name
        yield from _other(base, lines, number, digit(line, value), f" #{count}")


def _words(base: Change, lines: list[str], number: int) -> Iterator[Made]:
    line = lines[number - 1]
    for word in re.finditer(r"[\w-]+", line):
        if word[0] in WORDS and not line.lstrip().startswith(NAMES):
            other = f"{line[: word.start()]}{WORDS[word[0]]}{line[word.end() :]}"
            changed = [*lines[: number - 1], other, *lines[number:]]
            yield _made(base.of("word", number, more=f" ~{word[0]}"), changed)


def _other(base: Change, lines: list[str], number: int, other: str, more: str) -> Iterator[Made]:
    """The line with another value, in its place and after it."""
    rest = lines[number:]
    yield _made(base.of("digit", number, more=more), [*lines[: number - 1], other, *rest])
    twice = [*lines[:number], other, *rest]
    yield _made(base.of("double", number, number + 1, more=more), twice)


def _moved(base: Change, lines: list[str], number: int) -> Iterator[Made]:
    """The line in the next block of the same kind and depth, if any."""
    header = next(
        (
            n
            for n in range(number, 0, -1)
            if depth(lines[n - 1]) < depth(lines[number - 1])
            and lines[n - 1].strip() not in ("", "!")
        ),
        0,
    )
    if not header or depth(lines[number - 1]) == 0:
        return
    word = lines[header - 1].split()[0]
    for other in range(number + 1, len(lines) + 1):
        line = lines[other - 1]
        if depth(line) == depth(lines[header - 1]) and line.split()[:1] == [word]:
            moved = [*lines[: number - 1], *lines[number:other], lines[number - 1], *lines[other:]]
            yield _made(base.of("move"), moved)
            return


def headers(lines: list[str], number: int) -> list[str]:
    """Headers of a line, the outermost first."""
    above: list[str] = []
    level = depth(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() not in ("", "!") and depth(line) < level:
            above.insert(0, line.strip())
            level = depth(line)
    return above


def depth(line: str) -> int:
    """Number of leading blanks."""
    return len(line) - len(line.lstrip())
