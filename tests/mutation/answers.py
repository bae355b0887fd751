"""Every mutant of the clean fabric read once, and judged as an edited file and as a change.

The tests that ask for them stand in two folders; parts of one name run in one process and share
the answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.errors import ReadError
from roce_lint.model.apply import Lines, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.text.source import SourceFile
from tests.diff.told_as_changes import settings
from tests.diff.unlike import unlike
from tests.mutation.bench import Bench
from tests.mutation.mutants import Mutant, mutants, outcome_of

GROUPS = (
    ("leaf3", "spine2"),
    ("spine1", "leaf1", "leaf2"),
    ("gpu01", "gpu05", "leaf5", "leaf6", "gpu09", "gpu10", "gpu11"),
)
"""Devices that have mutants of their own, in parts that take about the same time."""

parts = pytest.mark.parametrize(
    "devices",
    [
        pytest.param(group, marks=pytest.mark.xdist_group("-".join(group)), id="-".join(group))
        for group in GROUPS
    ],
)

Stands = frozenset[tuple[str, str, str, str]]
"""Rule, severity, device and subject of everything that is found."""

REMARKS = ("notes", "structures", "limits", "partial", "nics_partial")
"""Fields of a device in which a reader remarks on lines, and states no value."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What is found of a mutant: `file` as an edited file, `change` as a change of the model, and
    `remarked` as a change with what the reader remarks on the edited file. None of the three
    where it cannot be read; the last is None where the first two agree.
    """

    outcome: str
    file: Stands | None = None
    change: Stands | None = None
    remarked: Stands | None = None


@cache
def bench() -> Bench:
    """The clean fabric."""
    return Bench.of("clean-fabric")


@cache
def everything() -> tuple[Mutant, ...]:
    """All its mutants."""
    return tuple(mutants(bench()))


@cache
def unchanged() -> Stands:
    """What is found of the sample as it is."""
    return stands(bench().judge()[0])


@cache
def answers(devices: tuple[str, ...]) -> dict[Mutant, Answer]:
    """The mutants of some devices with what is found of each."""
    return {mutant: _answer(mutant) for mutant in everything() if mutant.device in devices}


def _answer(mutant: Mutant) -> Answer:
    try:
        device = bench().mutated(mutant.device, mutant.place, mutant.text)
    except ReadError:
        return Answer(outcome="refused")
    lines, made = said_as_change(mutant.device, device)
    # A model that is like another in all that judging may see is judged like it. Judging gives a
    # device its role, so that they are compared before.
    alike = not unlike(made, device)
    same = not unlike(made, bench().devices[mutant.device])
    edited = SourceFile.of(mutant.place, mutant.text)
    findings, unknowns = bench().judge_with(device, edited)
    file = stands(findings)
    change = file if alike else unchanged() if same else judged(made, lines)
    return Answer(
        outcome=outcome_of(mutant, findings, unknowns),
        file=file,
        change=change,
        remarked=None if change == file else _remarked(made, device, lines, file),
    )


def _remarked(made: Device, device: Device, lines: Lines, file: Stands) -> Stands:
    """What is found of a change with what the reader remarks on the edited file, `device`."""
    for name in REMARKS:
        setattr(made, name, getattr(device, name))
    made.role = device.role
    return judged(made, lines) if unlike(made, device) else file


def judged(made: Device, lines: Lines) -> Stands:
    """What is found of a device that was made by changes."""
    return stands(bench().judge_with(made, lines.file)[0])


def said_as_change(name: str, device: Device) -> tuple[Lines, Device]:
    """A device of the sample with all values set that another state of it has."""
    before = bench().devices[name]
    before.role = bench().stated[name]  # as it was read: judging gives it one
    wanted = settings(differences(before, device, stated=True))
    lines = Lines(wanted)
    return lines, apply_settings(before, wanted, lines)


def stands(findings: Iterable[Finding]) -> Stands:
    """What is found, without words and lines."""
    return frozenset(
        (finding.rule, finding.severity.label, occurrence.device, subject)
        for finding in findings
        for occurrence in finding.occurrences
        for subject in occurrence.subjects or ("",)
    )
