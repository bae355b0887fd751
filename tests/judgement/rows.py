"""Small fabrics, each one fault or one right design, and all that is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.pipeline import Report, Request, run
from roce_lint.settings import Settings
from tests.fabrics.mixed import build
from tests.fabrics.stable import write

Edit = tuple[str, str]


@dataclass(frozen=True)
class Row:
    """Three leaves under a spine, all of one system; or, with hosts, one leaf of each system with
    its host under two spines.

    `odd` is written on the second leaf only, with hosts on the first, `alike` on every switch before that. In both, what is
    replaced has to be there. `found` is all that is said: severity, rule, and a part of the line
    that stands first.
    """

    name: str
    nos: str
    found: tuple[tuple[str, str], ...] = ()
    odd: tuple[Edit, ...] = ()
    alike: tuple[Edit, ...] = field(default=(), kw_only=True)
    at: str = field(default="", kw_only=True)  # the switch that is odd, where it is another
    more: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)  # files by path
    without: tuple[str, ...] = field(default=(), kw_only=True)  # files that are taken away
    hosts: Mapping[str, tuple[Edit, ...]] | None = field(default=None, kw_only=True)  # by file
    classes: tuple[str, ...] | None = field(default=None, kw_only=True)
    unknown: str = field(default="", kw_only=True)  # words that some unknown has

    def __str__(self) -> str:
        return self.name


def changed(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with each edit made; an edit that finds nothing is a mistake of the row."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return text


def made(folder: Path, row: Row) -> Path:
    """Write the fabric of a row."""
    if row.hosts is None:
        files = write(folder, [row.nos] * 4)
        odd = row.at or "leaf2"
    else:
        systems = tuple(row.nos.split())
        build(folder, systems)
        files = {p.stem: p for p in (folder / "switches").iterdir()}
        odd = row.at or f"leaf-{systems[0]}"
    for name, file in files.items():
        mine = row.alike if row.hosts is None or name.startswith("leaf-") else ()
        file.write_text(changed(file.read_text(), (*mine, *(row.odd if name == odd else ()))))
    for where, edits in (row.hosts or {}).items():
        for path in sorted(folder.glob(where)):
            path.write_text(changed(path.read_text(), edits))
    for where in row.without:
        for path in folder.glob(where):
            path.unlink()
    for path, text in row.more:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def judged(folder: Path, select: tuple[str, ...] = ()) -> Report:
    """What a run says of a folder."""
    return run(Request((str(folder),), jobs=1, cache=False, select=select), Settings())


def said(report: Report) -> list[tuple[str, str]]:
    """Severity and rule of each finding, and the line that stands first."""
    return [
        (f"{f.severity.label} {f.rule}", f.location.text.strip() if f.location else "")
        for f in report.findings
    ]
