"""A fault of one line on the fabric of every operating system, and how to plant it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.bench import Files
from tests.fabrics.mixed import KINDS, SPINES, leaf_of

ALL = 132
OUT = 11
BOTH = 22


@dataclass(frozen=True)
class Fault:
    """A change of one line of a switch, and the expected finding.

    `old` is replaced at its first occurrence after `after`; the finding names the line of the new
    text, or the first occurrence of `line`.
    """

    device: str
    after: str
    old: str
    new: str
    rule: str
    pairs: int | None
    line: str = ""
    stage: str = ""

    def __str__(self) -> str:
        return f"{self.device}-{self.rule}-{self.stage}"

    @property
    def file(self) -> str:
        kind = KINDS[SPINES[self.device] if self.device in SPINES else self.device[5:]]
        return f"switches/{self.device}.{kind.suffix}"

    def apply(self, text: str) -> tuple[str, int]:
        """The changed text, and the line of the expected fault."""
        begin = text.index(self.after) if self.after else 0
        place = text.index(self.old, begin)
        changed = text[:place] + self.new + text[place + len(self.old) :]
        named = changed.index(self.line) if self.line else place
        return changed, changed.count("\n", 0, named) + 1

    def planted(self, files: Files, name: str = "") -> tuple[Files, int]:
        """A fabric with the fault, on its device or in another file; and its line."""
        text, line = self.apply(files[name or self.file])
        return {**files, name or self.file: text}, line


def leaf(nos: str, *what: object, **how: object) -> Fault:
    return Fault(leaf_of(nos), *what, **how)  # type: ignore[arg-type]


def nvue(line: str, rule: str, pairs: int, named: str = "", *, stage: str) -> Fault:
    """A fault of Cumulus that adds a line."""
    last = "nv set system"
    return leaf("cumulus", last, last, f"nv set {line}\n{last}", rule, pairs, named, stage=stage)
