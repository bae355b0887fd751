"""Folders of switches only, of any size and system, with single lines of one switch broken in every
simple way: the inferred RoCE classes must not follow the broken one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from tests.bench import Files, analyse_files
from tests.fabrics.mixed import KINDS

WORDS = re.compile(r"dscp|code-?point|pfc|priority-flow|pause|no-drop|no-loss|lossless|traffic-cla"
                   r"|trust|qos|class|ecn|random-detect|wred|\d\d\d\d\d\d|\"\d+\": \"\d\"",
                   re.IGNORECASE)  # fmt: skip
"""Lines about classes, which are worth breaking."""


@dataclass(frozen=True)
class Broken:
    """One line of a text, deleted, changed or moved."""

    how: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.how}-{self.line}"


def build(systems: Sequence[str]) -> Files:
    """Leaves of the given systems in turn under one spine of the first."""
    files, links = {}, []
    for number, nos in enumerate(systems[1:]):
        name, kind = f"leaf{number + 1}", KINDS[nos]
        addresses = [f"10.{p}.{number}.0/31" for p in range(2)]
        files[f"switches/{name}.{kind.suffix}"] = kind.write(name, addresses)
        links.append(f"- [{name}:{kind.port(1)}, spine1:{KINDS[systems[0]].port(number)}]")
    addresses = [f"10.1.{number}.1/31" for number in range(len(systems) - 1)]
    spine = KINDS[systems[0]]
    files[f"switches/spine1.{spine.suffix}"] = spine.write("spine1", addresses)
    return files | {"links.yaml": "\n".join(links) + "\n"}


def switches(files: Files) -> dict[str, str]:
    """Name of the configuration of each switch."""
    return {
        PurePath(name).stem: name
        for name in sorted(files)
        if not name.startswith(("hosts/", "links"))
    }


def believed(files: Files) -> tuple[str, ...]:
    """DSCPs of each class that the tool infers for RoCE."""
    return tuple(traffic.name for traffic in analyse_files(files).data_classes)


def unstable(files: Files, name: str, seed: int, most: int | None) -> list[tuple[str, object]]:
    """Changes of one file that change the inferred classes."""
    sound = believed(files)
    found = (
        (f"{name} {broken}", believed({**files, name: broken.text}))
        for broken in breakings(files[name], seed, most)
    )
    return [(broken, reported) for broken, reported in found if reported != sound]


def breakings(text: str, seed: int, most: int | None = None) -> Iterator[Broken]:
    """Single-line changes of a text; at most `most`, the same ones each time."""
    lines = text.splitlines(keepends=True)
    wanted = [n for n, line in enumerate(lines) if WORDS.search(line)]
    made = [each for n in wanted for each in _of_line(lines, n)]
    if most is not None and len(made) > most:
        made = random.Random(seed).sample(made, most)  # noqa: S311  (no secret)
    yield from made


def _of_line(lines: list[str], n: int) -> Iterator[Broken]:
    line = lines[n]
    yield Broken("deleted", n + 1, "".join((*lines[:n], *lines[n + 1 :])))
    for number, digits in enumerate(re.finditer(r"\d", line)):
        other = str((int(digits[0]) + 1) % 10)
        changed = line[: digits.start()] + other + line[digits.end() :]
        text = "".join((*lines[:n], changed, *lines[n + 1 :]))
        yield Broken(f"digit{number}", n + 1, text)
    if n + 1 < len(lines):
        text = "".join((*lines[:n], lines[n + 1], line, *lines[n + 2 :]))
        yield Broken("moved", n + 1, text)
