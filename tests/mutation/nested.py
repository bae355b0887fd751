"""Changes of configurations in braces and in YAML, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roce_lint.text.source import LineState
from tests.mutation.change import NUMBER, PORT, WORDS, Change, digit, shape
from tests.mutation.config import Made, depth, headers

BRACES = re.compile(
    r"class-of-service\b|"
    r"interfaces / (?P<ports>et-\S+) / (?:(?!description|unit)[^/]*|unit 0 / family inet / mtu [^/]*)$"
)
YAML = re.compile(
    r"- set / (?:qos\b|interface / (?P<ports>swp[^/]*) / (?:link|qos)\b)(?!.* up$)|"
    r"- set / interface / (?P<state>swp[^/]*) / link / state / up$"
)
"""Path of a line that decides the treatment of RoCE, with the line; a port is in use or not."""

SWITCHED = re.compile(r"code-points? ")
"""Statements with binary numbers."""


def braces(lines: list[str], states: bytearray | list[int], used: set[str]) -> Iterator[Made]:
    """All changes of statements about RoCE and ports in use."""
    yield from _changes(lines, states, used, BRACES)


def yaml(lines: list[str], states: bytearray | list[int], used: set[str]) -> Iterator[Made]:
    """All changes of keys and values about RoCE and ports in use."""
    yield from _changes(lines, states, used, YAML)


def _changes(
    lines: list[str], states: bytearray | list[int], used: set[str], wanted: re.Pattern[str]
) -> Iterator[Made]:
    for number, line in enumerate(lines, 1):
        if states[number - 1] != LineState.UNDERSTOOD:
            continue
        names = [_bare(name) for name in (*headers(lines, number), line)]
        found = wanted.match(" / ".join(names))
        if found is None or not _in_use(found, used):
            continue
        base = Change("", shape(" / ".join(names)))
        before, after = lines[: number - 1], lines[number:]
        for more, kind, other in _others(line):
            yield base.of(kind, number, more=more), "\n".join([*before, other, *after])
            if kind == "digit" and _leaf(line):
                twice = base.of("double", number, number + 1, more=more)
                yield twice, "\n".join([*before, line, other, *after])
        if _leaf(line):
            yield base.of("delete"), "\n".join([*before, *after])


def _bare(line: str) -> str:
    """A line without its end markers."""
    return line.strip().removesuffix(" {").removesuffix(";").removesuffix(": {}").removesuffix(":")


def _leaf(line: str) -> bool:
    return not line.rstrip().endswith(("{", ":"))


def _in_use(found: re.Match[str], used: set[str]) -> bool:
    ports = next((text for text in found.groups() if text), None)
    return ports is None or any(name in used for name in PORT.findall(_spread(ports)))


def _spread(ports: str) -> str:
    """`swp1,3` with every port by its name; of a range its ends."""
    return re.sub(r"(?<=[,-])(?=\d)", "swp", ports) if ports.startswith("swp") else ports


def _others(line: str) -> Iterator[tuple[str, str, str]]:
    """Distinguishing text of the change, its kind, and the changed line."""
    bits = SWITCHED.search(line) is not None
    # A key is a name, but for a number that stands alone: a queue, a priority.
    alone = re.match(r"\s*'\d+':", line)
    start = 0 if alone else len(line) - len(line.lstrip()) + len((line.split(None, 1) or [""])[0])
    for count, value in enumerate(NUMBER.finditer(line, start), 1):
        if any(p.start() <= value.start() < p.end() for p in PORT.finditer(line)):
            continue
        if bits or not line[value.start() - 1 : value.start()].isalpha():
            yield f" #{count}", "digit", digit(line, value, flag=bits)
    for word in re.finditer(r"(?<![\w-])[\w-]+", line[start:]):
        if word[0] in WORDS and line[: depth(line)] + line.lstrip() == line:
            at = start + word.start()
            other = f"{line[:at]}{WORDS[word[0]]}{line[at + len(word[0]) :]}"
            yield f" ~{word[0]}", "word", other
