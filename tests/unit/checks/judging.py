"""Runs one rule over devices made by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from inspect import unwrap
from typing import Any

from roce_lint import checks
from roce_lint.analysis.analyse import analyse
from roce_lint.engine import registry
from roce_lint.engine.api import Given, Outcome
from roce_lint.engine.page import RulePage, load_pages
from roce_lint.engine.run import Judgement, Rules, judge, outcomes
from roce_lint.model.device import Device, Structure
from roce_lint.model.fabric import LinkSource
from roce_lint.model.plan import RocePlan
from roce_lint.resources import resource_dir
from roce_lint.text.excerpts import Excerpts
from tests.unit.fabric import Ends, fabric, lines_of, port, switch

registry.import_checks(checks)

_WITH_DIGIT = re.compile(r"[\w./:*+-]*\d[\w./:*+-]*")


@cache
def page_of(rule: str) -> RulePage:
    """The page of a rule."""
    return next(page for page in load_pages([resource_dir("rules")]) if page.id == rule)


def judged(
    rule: str,
    *devices: Device,
    links: Iterable[Ends] = (),
    plan: RocePlan | None = None,
    known_from: LinkSource = LinkSource.PLAN,
    cable_m: float | None = None,
) -> Judgement:
    """Run one rule, or several separated by blanks, on a fabric; `cable_m` is the planned length of
    every cable.
    """
    made = fabric(*devices, links=links, known_from=known_from)
    for link in made.links if cable_m is not None else ():
        link.cable_m, link.where = cable_m, (link.a.interface.where(),)
    wanted = plan or RocePlan()
    return judge(
        made,
        analyse(made, wanted),
        wanted,
        Rules([page_of(one) for one in rule.split()]),
        Excerpts(),
    )


def outcomes_of(function: Callable[..., object], given: Given[Any]) -> list[Outcome]:
    """Outcomes of this check function, called as by the engine."""
    check = next(c for c in registry.CHECKS.values() if unwrap(c.function) is function)
    return list(outcomes(check, given.fabric, given))


def values(message: str) -> str:
    """The names and numbers of a message in order: every word with a digit. Only golden files of
    the rule pages compare the text between them.
    """
    return " ".join(word.rstrip(".:,/-") for word in _WITH_DIGIT.findall(message))


def severities_and_values(rule: str, *devices: Device, **how: object) -> list[tuple[str, str]]:
    """Severity of the findings of a rule, and the names and numbers of their messages."""
    found = judged(rule, *devices, **how).findings
    return [(finding.severity.label, values(finding.message)) for finding in found]


def found_on(rule: str, *devices: Device, **how: object) -> list[tuple[str, tuple[str, ...]]]:
    """Severity of the findings of a rule, and the ports or names that they are about."""
    found = judged(rule, *devices, **how).findings
    return [(finding.severity.label, finding.subjects) for finding in found]


def taken_in(rules: str, *devices: Device, **how: object) -> list[tuple[str, tuple[str, ...]]]:
    """Findings of several rules, and which others each of them has taken in."""
    return [(f.rule, f.also) for f in judged(rules, *devices, **how).findings]


def missing(rule: str, *devices: Device, **how: object) -> set[str]:
    """Missing inputs of a rule."""
    return {unknown.missing for unknown in judged(rule, *devices, **how).unknowns}


def leaf_spine(
    *, leaf: Device | None = None, spine: Device | None = None
) -> tuple[Device, Device, list[Ends]]:
    """A leaf with an edge port and an uplink, a spine, and the link."""
    leaf, spine = leaf or switch("leaf1"), spine or switch("spine1")
    port(leaf, "e1")
    port(leaf, "e49")
    port(spine, "e1")
    return leaf, spine, [((leaf, "e49"), (spine, "e1"))]


def policy(leaf: Device, kind: str, name: str, *references: int) -> Structure:
    """A named structure that a device defines, and what refers to it."""
    made = Structure(kind=kind, name=name, references=references, src=leaf.src)
    made.at[""] = lines_of(leaf).next()
    leaf.structures.append(made)
    return made
