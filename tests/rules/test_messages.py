"""Messages of findings, in one golden file per rule page; no other test compares them whole.

For each bad example the findings of its rule: places of the causes, severity, message and
consequence. `pytest --rewrite` rewrites them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from roce_lint.engine.page import RulePage
from roce_lint.report.wording import message_of
from tests.conftest import Golden
from tests.rules.examples import CRASHES, Example, examples_of, page_cases, pages, report_of

MESSAGES = Path(__file__).resolve().parent / "messages"


def lines_of(example: Example) -> Iterator[str]:
    """Lines for the findings about an example by its own rule."""
    yield str(example).removeprefix(f"{example.rule}-")
    for finding in report_of(example).findings:
        if finding.rule != example.rule:
            continue
        for occurrence in finding.occurrences:
            causes = [
                f"{place.file}:{place.line}"
                for place in occurrence.locations
                if place.role == "cause"
            ]
            where = ", ".join(causes) or occurrence.device
            yield f"  {where}: {finding.severity.label}: {message_of(finding, occurrence)}"
        yield f"    {finding.consequence}"


@pytest.mark.parametrize("page", page_cases())
def test_the_messages_of_a_page(golden: Golden, page: RulePage) -> None:
    lines = [
        line for example in examples_of(page) if example.word == "bad" for line in lines_of(example)
    ]
    golden.check(MESSAGES / f"{page.id}.txt", "".join(f"{line}\n" for line in lines))


def test_each_file_belongs_to_a_page() -> None:
    files = {path.stem for path in MESSAGES.iterdir()}
    assert files == {page.id for page in pages() if page.id not in CRASHES}
