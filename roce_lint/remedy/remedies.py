"""Remedies of findings: wanted values, and the lines of the device's own system that state them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.analysis.result import Analysis
from roce_lint.engine.finding import Finding, Remedy
from roce_lint.engine.page import RulePage
from roce_lint.errors import RenderError
from roce_lint.model.change import Change
from roce_lint.model.device import Device
from roce_lint.model.path import PathError
from roce_lint.nos.base import Nos
from roce_lint.nos.registry import all_nos
from roce_lint.remedy.commands import commands
from roce_lint.remedy.effect import effect
from roce_lint.remedy.wants import Golden, Wants

OCCURRENCES = 16
"""Devices of one finding whose wanted values are worked out; `fix` does it for all."""


def with_remedies(
    findings: Iterable[Finding],
    pages: Iterable[RulePage],
    analysis: Analysis,
    golden: Golden | None,
) -> list[Finding]:
    """Add the wanted changes of findings, and their lines on the first device."""
    known = list(findings)
    wants = Wants(analysis, pages, golden).mark(known)
    return [_with_remedy(finding, wants, analysis) for finding in known]


def _with_remedy(finding: Finding, wants: Wants, analysis: Analysis) -> Finding:
    wanted = [
        replace(each, wanted=next(wants.of(finding, each), ())) if number < OCCURRENCES else each
        for number, each in enumerate(finding.occurrences)
    ]
    changes = wanted[0].wanted
    devices = {change.path.device for change in changes}
    device = analysis.fabric.devices.get(next(iter(devices))) if len(devices) == 1 else None
    remedy = _remedy(device, changes) if device is not None else None
    return replace(finding, occurrences=tuple(wanted), fix=next(iter(changes), None), remedy=remedy)


def _remedy(device: Device, changes: tuple[Change, ...]) -> Remedy | None:
    """The lines that make changes on a device; None where none is confirmed."""
    nos = all_nos()[device.nos]
    try:
        made = effect(device, changes)
    except (PathError, RenderError):
        return None
    lines = _lines(nos, commands(nos, made.printed_before, made.printed_after))
    return Remedy(nos.name, nos.title, lines) if lines else None


def _lines(nos: Nos, text: str) -> tuple[str, ...]:
    """Commands without those that begin and end a session; of a JSON patch, its operations."""
    if nos.commands is not None:
        patch = text[text.find("[\n") : text.rfind("\n]") + 2]
        return tuple(json.dumps(each) for each in json.loads(patch or "[]"))
    lines = text.splitlines()
    typed = nos.typed
    if typed is not None:
        lines = lines[len(typed.begin) : len(lines) - len(typed.end)]
    return tuple(line for line in lines if not line.lstrip().startswith("#"))
