"""Check the examples of rule pages, as small fabrics."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Finding
from roce_lint.engine.page import Block, RulePage
from roce_lint.errors import RulePageError
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request
from roce_lint.pipeline.runner import run
from roce_lint.settings import Settings, load


@dataclass(frozen=True)
class Example:
    """The files of one word and case. `fixed` are the files of `bad` with some replaced."""

    rule: str
    word: str
    case: str
    files: dict[str, Block] = field(hash=False)

    def __str__(self) -> str:
        return "-".join(part for part in (self.rule, self.word, self.case) if part)

    @property
    def expectations(self) -> list[tuple[str, int]]:
        """Files and lines on which the rule must report."""
        return sorted((name, line) for name, block in self.files.items() for line in block.expect)

    def write(self, folder: Path) -> None:
        """Make the snapshot folder.

        Raises:
            RulePageError: a file of the example would be outside of it.
        """
        for name, block in self.files.items():
            path = folder / name
            if not path.resolve().is_relative_to(folder.resolve()):
                raise RulePageError(f"{self}: file={name} leads out of the example")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")

    def check(self, folder: Path, rules: tuple[str, ...] = ()) -> Report:
        """Write the files and check them with every rule, site rules included."""
        self.write(folder)
        intent, settings = folder / "intent.yaml", folder / "roce-lint.toml"
        request = Request(
            (str(folder),),
            jobs=1,
            cache=False,
            rules=rules,
            intent=str(intent) if intent.exists() else None,
        )
        return run(request, load(settings) if settings.exists() else Settings())


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


def causes(findings: Iterable[Finding], rule: str) -> list[tuple[str, int]]:
    """Files and lines of all causes named by findings of a rule."""
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


def fault_of(example: Example, rules: tuple[str, ...]) -> str:
    """Deviation of an example from its page; empty if it passes."""
    with tempfile.TemporaryDirectory(prefix="roce-lint-") as folder:
        report = example.check(Path(folder).resolve(), rules)
    if not report.devices:
        return "no device was read"
    found = causes(report.findings, example.rule)
    if example.word == "bad":
        if not any(finding.rule == example.rule for finding in report.findings):
            return "the rule reports nothing"
        expected = example.expectations
        return (
            ""
            if not expected or found == expected
            else f"reports {_at(found)}, not {_at(expected)}"
        )
    if any(finding.rule == example.rule for finding in report.findings):
        return f"the rule reports {_at(found) or 'the fabric'}"
    unknown = next((u for u in report.unknowns if u.rule == example.rule), None)
    return f"not checked: missing {unknown.missing}" if unknown is not None else ""


def _at(places: list[tuple[str, int]]) -> str:
    return ", ".join(f"{name}:{line}" for name, line in places)
