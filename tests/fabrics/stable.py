"""Folders of switches alone, of any size and any system, and single lines of one switch broken in
every simple way: what the tool believes RoCE to be must not follow the one that is broken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roce_lint.analysis.result import Analysis
from roce_lint.pipeline import Request, run
from roce_lint.settings import Settings
from tests.fabrics.mixed import KINDS

WORDS = re.compile(r"dscp|code-?point|pfc|priority-flow|pause|no-drop|no-loss|lossless|traffic-cla"
                   r"|trust|qos|class|ecn|random-detect|wred|\d\d\d\d\d\d|\"\d+\": \"\d\"",
                   re.IGNORECASE)  # fmt: skip
"""Lines worth breaking: those that have to do with classes."""


@dataclass(frozen=True)
class Broken:
    """One line of a text, taken out, changed or moved."""

    how: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.how}-{self.line}"


def write(folder: Path, systems: Sequence[str]) -> dict[str, Path]:
    """Leaves of the systems given in turn under one spine of the first; by name, their files."""
    switches = folder / "switches"
    switches.mkdir(parents=True)
    links, files = [], {}
    for number, nos in enumerate(systems[1:]):
        name = f"leaf{number + 1}"
        files[name] = switches / f"{name}.{KINDS[nos].suffix}"
        files[name].write_text(KINDS[nos].write(name, [f"10.{p}.{number}.0/31" for p in range(2)]))
        its = KINDS[systems[0]].port(number)
        links.append(f"- [{name}:{KINDS[nos].port(1)}, spine1:{its}]")
    addresses = [f"10.1.{number}.1/31" for number in range(len(systems) - 1)]
    files["spine1"] = switches / f"spine1.{KINDS[systems[0]].suffix}"
    files["spine1"].write_text(KINDS[systems[0]].write("spine1", addresses))
    (folder / "links.yaml").write_text("\n".join(links) + "\n")
    return files


def files_of(folder: Path) -> list[Path]:
    """The configurations of the switches of a sound fabric of the tests."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "hosts" not in path.parts and not path.name.startswith("links")
    )


def believed(folder: Path) -> tuple[str, ...]:
    """What the tool takes RoCE to be: the code points of each class."""
    return tuple(traffic.name for traffic in _analysis(folder).data_classes)


def _analysis(folder: Path) -> Analysis:
    report = run(Request((str(folder),), jobs=1, cache=False), Settings())
    assert report.analysis is not None
    return report.analysis


def breakings(text: str, seed: int, most: int | None = None) -> Iterator[Broken]:
    """Ways to break a text, one line each; `most`: no more than so many, the same ones each time."""
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
