"""The examples of the rule pages as small fabrics, and what roce-lint says about each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from roce_lint.engine.finding import Finding
from roce_lint.engine.page import Block, RulePage, load_pages
from roce_lint.model.fabric import Fabric
from roce_lint.pipeline import Report, Request, run
from roce_lint.resources import resource_dir
from roce_lint.settings import Settings, load

CRASHES = ("SRC900", "SRC901")
"""Rules about a crash of roce-lint itself: no configuration is an example of one."""

STEERING = ("links.yaml", "links.csv", "intent.yaml", "roce-lint.toml")
"""Files of an example that belong to no device."""


@dataclass(frozen=True)
class Example:
    """The files of one word and case. `fixed` are the files of `bad` with some of them replaced."""

    rule: str
    word: str
    case: str
    files: dict[str, Block] = field(hash=False)

    def __str__(self) -> str:
        return "-".join(part for part in (self.rule, self.word, self.case) if part)

    @property
    def expected(self) -> list[tuple[str, int]]:
        """Files and lines on which the rule must report."""
        return sorted((name, line) for name, block in self.files.items() for line in block.expect)

    def write(self, folder: Path) -> None:
        """Make the snapshot folder."""
        for name, block in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")

    def check(self, folder: Path) -> Report:
        """Write the files and judge them with every rule."""
        self.write(folder)
        intent = folder / "intent.yaml"
        settings = folder / "roce-lint.toml"
        request = Request(
            (str(folder),), jobs=1, cache=False, intent=str(intent) if intent.exists() else None
        )
        return run(request, load(settings) if settings.exists() else Settings())


@cache
def pages() -> tuple[RulePage, ...]:
    """All pages of the checkout."""
    return tuple(load_pages([resource_dir("rules")]))


def examples_of(page: RulePage) -> Iterator[Example]:
    """The examples of one page, in the order of the page."""
    found: dict[tuple[str, str], dict[str, Block]] = {}
    for block in page.blocks:
        found.setdefault((block.word, block.case), {})[block.file] = block
    for (word, case), files in found.items():
        whole = files
        if word == "fixed":
            rest = {
                name: Block(b.language, word, b.file, (), b.text, b.line, case)
                for name, b in found.get(("bad", case), {}).items()
            }
            whole = {**rest, **files}
        yield Example(page.id, word, case, whole)


def examples(*words: str) -> list[Example]:
    """The examples of all pages that have one of the words."""
    return [example for page in pages() for example in examples_of(page) if example.word in words]


def causes(findings: list[Finding], rule: str) -> list[tuple[str, int]]:
    """Files and lines of all causes that findings of a rule name."""
    return sorted(
        {
            (place.file, place.line)
            for finding in findings
            if finding.rule == rule
            for occurrence in finding.occurrences
            for place in occurrence.locations
            if place.role == "cause"
        }
    )


def told(findings: list[Finding]) -> list[str]:
    """Findings in one line each, for the message of a failing test."""
    return [
        f"{f.location.file}:{f.location.line}: {f.severity.label} {f.rule} {f.message}"
        if f.location
        else f"{f.severity.label} {f.rule} {f.message}"
        for f in findings
    ]


def known_files(fabric: Fabric | None) -> set[str]:
    """Names of the files that some device was read from."""
    devices = fabric.devices.values() if fabric is not None else ()
    return {ref.name for device in devices for ref in device.src.files}
