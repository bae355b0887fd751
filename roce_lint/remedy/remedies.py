"""Remedies of findings: wanted values, and the lines of the device's own system that state them."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Finding, Remedy
from roce_lint.engine.page import RulePage
from roce_lint.errors import RenderError
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.path import Path, PathError
from roce_lint.nos.base import Nos
from roce_lint.nos.printer import UNWORDED
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.commands import commands
from roce_lint.remedy.effect import changed, effect
from roce_lint.remedy.wants import Golden, Wants

Check = Callable[[Mapping[str, Device], Container[str]], Iterable[Finding]]
"""Findings of the rules with these ids, with devices replaced by name."""


def with_remedies(
    findings: Iterable[Finding],
    pages: Iterable[RulePage],
    analysis: Analysis,
    golden: Golden | None,
    check: Check,
) -> list[Finding]:
    """Add the wanted changes of findings, and their lines on the first device, where the finding
    disappears on that device with them.
    """
    known = list(findings)
    wants = Wants(analysis, pages, golden).mark(known)
    ways = {n: wants.of(each, each.occurrences[0]) for n, each in enumerate(known)}
    for _ in range(ROUNDS):
        made = {n: new for n, way in ways.items() if (new := _next(known[n], way, analysis))}
        devices, tried = _together(analysis.fabric.devices, made)
        found = check(devices, {each.rule for each in tried.values()}) if tried else ()
        left = set().union(*map(_places, found))
        for number, new in tried.items():
            if left.isdisjoint(_places(new.restrict(new.occurrences[:1]))):
                known[number] = new
                del made[number]
        ways = {
            n: ways[n] if n in tried else chain([each.occurrences[0].wanted], ways[n])
            for n, each in made.items()
        }
    return known


ROUNDS = 3
"""Checks of the fabric with remedies: one may fail, or contradict that of another finding."""


def _together(
    devices: Mapping[str, Device], findings: Mapping[int, Finding]
) -> tuple[dict[str, Device], dict[int, Finding]]:
    """Devices with the changes of findings, and the findings whose changes contradict no other."""
    wanted: dict[str, dict[Path, Change]] = {}
    made: dict[str, Device] = {}
    tried: dict[int, Finding] = {}
    for number, finding in findings.items():
        changes = finding.occurrences[0].wanted
        name = changes[0].path.device  # it may be the peer of the finding's device
        own = wanted.get(name, {}) | {each.path: each for each in changes}
        if any(own[path].value != each.value for path, each in wanted.get(name, {}).items()):
            continue
        try:
            made[name] = changed(devices[name], own.values())
        except PathError:  # another change takes the object away
            continue
        wanted[name], tried[number] = own, finding
    return made, tried


def _places(finding: Finding) -> set[tuple[str, ...]]:
    return {
        (finding.rule, each.device, subject, finding.traffic)
        for each in finding.occurrences
        for subject in each.subjects or ("",)
    }


def _next(
    finding: Finding, ways: Iterator[tuple[Change, ...]], analysis: Analysis
) -> Finding | None:
    """A finding with the next of its changes that have lines."""
    first, *others = finding.occurrences
    for changes in ways:
        devices = {change.path.device for change in changes}
        device = analysis.fabric.devices.get(next(iter(devices))) if len(devices) == 1 else None
        remedy = _remedy(device, changes) if device is not None else None
        if remedy is not None:
            occurrences = replace(first, wanted=changes), *others
            return replace(finding, occurrences=occurrences, fix=changes[0], remedy=remedy)
    return None


def _remedy(device: Device, changes: tuple[Change, ...]) -> Remedy | None:
    """The lines that make changes on a device; None where none is confirmed, or where a template
    leaves out what it printed before.
    """
    nos = all_nos()[device.nos]
    try:
        made = effect(device, changes)
    except (PathError, RenderError):
        return None
    lost = set(made.printed_after.left) - set(made.printed_before.left)
    if not all(each.endswith(UNWORDED) for each in lost):
        return None
    lines = _lines(nos, commands(nos, made.printed_before, made.printed_after))
    return Remedy(nos.name, nos.title, lines) if lines else None


def _lines(nos: Nos, text: str) -> tuple[str, ...]:
    """Commands without those that begin and end a session; of a JSON patch, its operations."""
    if nos.commands is not None:
        patch = text[text.find("[\n") : text.rfind("\n]") + 2]
        return tuple(json.dumps(each) for each in json.loads(patch or "[]"))
    lines = text.splitlines()
    if nos.typed is not None:
        lines = lines[len(nos.typed.begin) : len(lines) - len(nos.typed.end)]
    return tuple(line for line in lines if not line.lstrip().startswith("#"))
