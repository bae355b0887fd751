"""Rule pages and checks made for tests; the checks are named `test:...` like a plug-in's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from roce_lint import checks
from roce_lint.engine import registry
from roce_lint.engine.finding import Finding
from roce_lint.engine.page import HEADINGS, RulePage, parse_page
from roce_lint.engine.run import Judgement, Rules, judge
from roce_lint.model.fabric import Fabric
from roce_lint.model.plan import RocePlan
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile
from tests.unit.fabric import analysed

# Modules register when they are imported, and only then: no test may be the first to do it.
registry.import_checks(checks)

BODY = "\n# A fault\n" + "".join(f"\n## {heading}\n\nText.\n" for heading in HEADINGS)


def page(
    rule: str = "TST001",
    check: str = "test:check",
    severity: str = "error",
    covers: tuple[str, ...] = (),
    params: str = "{}",
) -> RulePage:
    """A page for a check."""
    head = (
        f"---\nid: {rule}\nname: fault-{rule.lower()}\nseverity: {severity}\ncheck: {check}\n"
        f"since: 0.1.0\nstage: preview\ncovers: [{', '.join(covers)}]\nparams: {params}\n---\n"
    )
    return parse_page(head + BODY, f"{rule}.md")


@contextmanager
def checks_of_this_test() -> Iterator[None]:
    """Take away again what was registered inside."""
    before = dict(registry.CHECKS)
    try:
        yield
    finally:
        registry.CHECKS.clear()
        registry.CHECKS.update(before)


def judged(
    fabric: Fabric, *pages: RulePage, memory: dict[str, str] | None = None, **rules: object
) -> Judgement:
    """Check a fabric with these pages; `memory` is the text of its files by name."""
    files = {name: SourceFile.of(name, text) for name, text in (memory or {}).items()}
    analysis = analysed(*fabric.devices.values())
    return judge(fabric, analysis, RocePlan(), Rules(list(pages), **rules), Excerpts(files))


def shown(findings: list[Finding]) -> list[tuple[str, str, str]]:
    """Rule, severity and message of every finding."""
    return [(f.rule, f.severity.label, f.message) for f in findings]
