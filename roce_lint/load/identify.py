"""Which source wrote a file: its `# command:` header, else the best score of signatures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import PurePosixPath

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.nos.base import Nos, Source
from roce_lint.nos.registry import all_nos

PROBE = 4 << 10
HEAD = 64 << 10
TAIL = 8 << 10
"""Characters of a file that signatures look at: first a short probe, then head and tail."""

CERTAIN = 10
MARGIN = 3
"""Points a winner must have over the runner-up; below, the file is ambiguous."""

FILE_NAME_SCORE = 5

HEADER = re.compile(
    r"^# command: (?P<command>.*?)(?:\s{2,}host: (?P<host>\S+))?(?:\s{2,}time: (?P<time>\S+))?\s*$"
)


@dataclass(slots=True, frozen=True)
class Identity:
    """What a file is: NOS, source, and what its header or name says."""

    nos: str
    source: str
    args: dict[str, str] = field(default_factory=dict)
    host: str | None = None
    time: str | None = None
    header: bool = False


def identify(name: str, text: str, only: str | None = None) -> Identity:
    """Identify a file from its text and name. `only` restricts the search to one NOS.

    Raises:
        UnknownFormat: no signature scores; `location` is the file name.
        AmbiguousFormat: two sources score alike; the message names both and their evidence.
    """
    head = text[:PROBE]
    header = HEADER.match(head.lstrip("\ufeff").split("\n", 1)[0])
    if header:
        printed = _by_command(header["command"].strip(), only)
        if printed:
            nos, source, args = printed[0] if len(printed) == 1 else _likest(printed, name, text)
            return Identity(nos, source, dict(args), header["host"], header["time"], header=True)
    best = _score(name, head, only)
    if len(text) > PROBE and not _decided(best):
        best = _score(name, text[:HEAD] + "\n" + text[HEAD:][-TAIL:], only)
    if not best:
        known = (
            f"a header names the command {header['command']!r}, which no reader knows"
            if header
            else ""
        )
        raise UnknownFormat(known or "no reader recognises it", location=name)
    first, *others = best
    if others and others[0].points > first.points - MARGIN and others[0].nos != first.nos:
        both = " or ".join(f"{s.nos} {s.source} ({s.points}: {', '.join(s.why)})" for s in best[:2])
        raise AmbiguousFormat(f"could be {both}", location=name)
    args = _name_args(all_nos()[first.nos].by_source[first.source], name)
    return Identity(
        first.nos,
        first.source,
        args,
        header["host"] if header else None,
        header["time"] if header else None,
        header is not None,
    )


@dataclass(slots=True)
class _Score:
    points: int
    nos: str
    source: str
    why: list[str]


def _decided(best: list[_Score]) -> bool:
    if not best or best[0].points < CERTAIN:
        return False
    rivals = [score for score in best[1:] if score.nos != best[0].nos]
    return not rivals or rivals[0].points <= best[0].points - MARGIN


def _score(name: str, text: str, only: str | None) -> list[_Score]:
    scores = []
    for nos, source in _scored_sources(only):
        why = [s for s in source.signatures if s.regex.search(text)]
        points = sum(s.weight for s in why)
        if source.file_name and _file_name(source.file_name).search(PurePosixPath(name).name):
            points += FILE_NAME_SCORE
        if points > 0:
            scores.append(_Score(points, nos.name, source.name, [s.why for s in why]))
    scores.sort(key=lambda s: (-s.points, s.nos, s.source))
    return scores


@cache
def _scored_sources(only: str | None) -> tuple[tuple[Nos, Source], ...]:
    return tuple(
        (nos, source)
        for nos in all_nos().values()
        if only is None or nos.name == only
        for source in nos.sources
        if source.signatures or source.file_name
    )


@cache
def _file_name(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


Printed = tuple[str, str, tuple[tuple[str, str], ...]]
"""NOS, source and arguments of a command."""


@lru_cache(maxsize=4096)
def _by_command(command: str, only: str | None) -> tuple[Printed, ...]:
    """Every source that a command prints: `show running-config` is not one vendor's."""
    found: list[Printed] = []
    for nos in all_nos().values():
        if only is not None and nos.name != only:
            continue
        for source in nos.sources:
            match = re.fullmatch(source.command, command) if source.command else None
            if match:
                args = tuple((k, v) for k, v in match.groupdict().items() if v is not None)
                found.append((nos.name, source.name, args))
    return tuple(found)


def _likest(printed: tuple[Printed, ...], name: str, text: str) -> Printed:
    """Of the sources one command prints, the one whose signatures the text shows.

    Raises:
        AmbiguousFormat: the text shows none of them more than another.
    """
    scores = {
        (score.nos, score.source): score.points
        for score in _score(name, text[:HEAD] + "\n" + text[HEAD:][-TAIL:], None)
    }
    ranked = sorted(printed, key=lambda item: -scores.get(item[:2], 0))
    best, second = (scores.get(item[:2], 0) for item in ranked[:2])
    if best == second:
        platforms = " or ".join(sorted({item[0] for item in printed}))
        message = f"its command is printed by {platforms}, and the text does not tell which"
        raise AmbiguousFormat(message, location=name)
    return ranked[0]


def _name_args(source: Source, name: str) -> dict[str, str]:
    if source.file_name is None:
        return {}
    match = _file_name(source.file_name).search(PurePosixPath(name).name)
    return {k: v for k, v in match.groupdict().items() if v is not None} if match else {}
