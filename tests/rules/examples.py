"""Examples of the rule pages as small fabrics, and the report about each."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.engine.fold import Raw
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.model.fabric import Fabric
from roce_lint.pipeline import Report
from roce_lint.pipeline.examples import Example, causes, examples_of
from roce_lint.resources import resource_dir
from tests.rules.law import recorded
from tests.sampling import sampled

__all__ = ["CRASHES", "STEERING", "Example", "cases", "causes", "checked", "describe", "examples",
           "examples_of", "known_files", "page_cases", "pages", "report_of"]  # fmt: skip

CRASHES = ("SRC900", "SRC901")
"""Rules about a crash of roce-lint itself, which have no example."""

STEERING = ("links.yaml", "links.csv", "intent.yaml", "roce-lint.toml")
"""Files of an example that belong to no device."""


@cache
def pages() -> tuple[RulePage, ...]:
    """All rule pages of the checkout."""
    return tuple(load_pages([resource_dir("rules")]))


def examples(*words: str) -> list[Example]:
    """Examples of all pages with one of the words."""
    return [example for page in pages() for example in examples_of(page) if example.word in words]


def cases(examples: Iterable[Example], one_in: int = 1) -> list[Any]:
    """Test parameters of examples; one in `one_in`, and at least one per family, run in `make test`.

    Examples of one rule run on one worker and share its reports.
    """
    return [
        pytest.param(
            example,
            marks=[*marks, pytest.mark.xdist_group(example.rule)],
            id=str(example),
        )
        for example, marks in (
            (case.values[0], case.marks) if isinstance(case, tuple) else (case, ())
            for case in sampled(examples, one_in, lambda example: example.rule[:3])
        )
    ]


def page_cases() -> list[Any]:
    """Test parameters of the pages with examples, on the worker of their examples."""
    return [
        pytest.param(page, marks=pytest.mark.xdist_group(page.id), id=page.id)
        for page in pages()
        if page.id not in CRASHES
    ]


@cache
def checked(example: Example) -> tuple[Report, list[Raw]]:
    """Report and unfolded problems of an example; tests of a worker share them and must not change
    them.
    """
    with TemporaryDirectory(prefix="roce-lint-") as folder, recorded() as problems:
        return example.check(Path(folder).resolve()), problems


def report_of(example: Example) -> Report:
    """Shared report about an example."""
    return checked(example)[0]


def describe(findings: list[Finding]) -> list[str]:
    """One line per finding, for the message of a failing test."""
    return [
        f"{f.location.file}:{f.location.line}: {f.severity.label} {f.rule} {f.message}"
        if f.location
        else f"{f.severity.label} {f.rule} {f.message}"
        for f in findings
    ]


def known_files(fabric: Fabric | None) -> set[str]:
    """Names of the files that devices were read from."""
    devices = fabric.devices.values() if fabric is not None else ()
    return {ref.name for device in devices for ref in device.src.files}
