"""The examples of the rule pages as small fabrics, and what roce-lint says about each."""

from __future__ import annotations

from functools import cache

from roce_lint.engine.finding import Finding
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.model.fabric import Fabric
from roce_lint.pipeline.examples import Example, causes, examples_of
from roce_lint.resources import resource_dir

__all__ = ["CRASHES", "STEERING", "Example", "causes", "examples", "examples_of", "known_files",
           "pages", "told"]  # fmt: skip

CRASHES = ("SRC900", "SRC901")
"""Rules about a crash of roce-lint itself: no configuration is an example of one."""

STEERING = ("links.yaml", "links.csv", "intent.yaml", "roce-lint.toml")
"""Files of an example that belong to no device."""


@cache
def pages() -> tuple[RulePage, ...]:
    """All pages of the checkout."""
    return tuple(load_pages([resource_dir("rules")]))


def examples(*words: str) -> list[Example]:
    """The examples of all pages that have one of the words."""
    return [example for page in pages() for example in examples_of(page) if example.word in words]


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
