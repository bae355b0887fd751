"""Findings on the mutants of the clean fabric, as an edited file and as a change of the model.

The tests that use them are in two folders; parts of one name run in one process and share the
results.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.model.apply import Lines, apply_settings
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from tests.bench import load, report_on, report_on_change
from tests.diff.told_as_changes import settings
from tests.diff.unlike import unlike
from tests.metamorphic.snapshot import sample as sample_fabric
from tests.mutation.mutants import Mutant, mutants, outcome
from tests.sampling import sample

CLEAN = sample_fabric("clean-fabric")

GROUPS = (
    ("leaf3", "spine2"),
    ("spine1", "leaf1", "leaf2"),
    ("gpu01", "gpu05", "leaf5", "leaf6", "gpu09", "gpu10", "gpu11"),
)
"""Devices with separate mutants, in parts of about the same run time."""

ONE_IN = 32
"""Mutants per sampled one."""


@dataclass(frozen=True)
class Part:
    """The mutants of some devices, or the sample of them."""

    devices: tuple[str, ...]
    whole: bool = False

    @property
    def mutants(self) -> list[Mutant]:
        known = everything() if self.whole else sampled(everything())
        return [mutant for mutant in known if mutant.device in self.devices]


def _parametrized(*, whole: bool) -> pytest.MarkDecorator:
    parts = []
    for group in GROUPS:
        marks = [pytest.mark.xdist_group("-".join(group)), *[pytest.mark.deep] * whole]
        name = "-".join((*group, *["whole"] * whole))
        parts.append(pytest.param(Part(group, whole), marks=marks, id=name))
    return parts


parts = pytest.mark.parametrize("part", [*_parametrized(whole=False), *_parametrized(whole=True)])
whole_parts = pytest.mark.parametrize("part", _parametrized(whole=True))

Found = frozenset[tuple[str, str, str, str]]
"""Rule, severity, device and subject of every finding."""

REMARKS = ("notes", "structures", "limits", "partial", "nics_partial", "unread")
"""Fields of a device with remarks of a reader on lines, and without values."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Findings on a mutant: `file` as an edited file, `change` as a change of the model, and
    `remarked` as a change with the reader's remarks on the edited file. All are None if it is
    unreadable; the last is None if the first two agree.
    """

    file: Found | None = None
    change: Found | None = None
    remarked: Found | None = None


@cache
def everything() -> tuple[Mutant, ...]:
    """All mutants of the clean fabric."""
    return tuple(mutants(CLEAN))


@cache
def sampled(known: tuple[Mutant, ...]) -> list[Mutant]:
    """The sample: every kind of mutation of every device and every stage is in it."""
    return sample(known, ONE_IN, lambda m: (m.device, m.kind), lambda m: m.stage)


@cache
def unchanged() -> Found:
    """Findings on the clean fabric."""
    return found_in(report_on(load(CLEAN)).findings)


@cache
def checked(mutant: Mutant) -> tuple[str, Found]:
    """The outcome for a mutant as an edited file, and the findings."""
    report = report_on(load(mutant.planted(CLEAN)))
    return outcome(mutant, report), found_in(report.findings)


@cache
def answer(mutant: Mutant) -> Answer:
    """Findings on a mutant."""
    kind, file = checked(mutant)
    if kind == "refused":
        return Answer()
    devices = load(mutant.planted(CLEAN)).devices
    (device,) = (each for each in devices if each.hostname == mutant.device)
    lines, made = as_change(device)
    # A model that is like another in all that rules may see gets the same findings.
    if not unlike(made, device):
        change = file
    elif not unlike(made, before(device.hostname)):
        change = unchanged()
    else:
        change = judged(made, lines)
    remarked = None if change == file else _remarked(made, device, lines, file)
    return Answer(file=file, change=change, remarked=remarked)


def _remarked(made: Device, device: Device, lines: Lines, file: Found) -> Found:
    """Findings on a change with the reader's remarks on the edited file, `device`."""
    made = replace(made, **{name: getattr(device, name) for name in REMARKS})
    return judged(made, lines) if unlike(made, device) else file


def judged(made: Device, lines: Lines) -> Found:
    """Findings on a device that was made by changes."""
    return found_in(report_on_change(load(CLEAN), made, lines.file).findings)


@cache
def before(name: str) -> Device:
    """A device of the clean fabric."""
    return next(device for device in load(CLEAN).devices if device.hostname == name)


def as_change(device: Device) -> tuple[Lines, Device]:
    """A device of the clean fabric with all values of another state of it."""
    own = before(device.hostname)
    wanted = settings(differences(own, device, stated=True))
    lines = Lines(wanted)
    return lines, apply_settings(own, wanted, lines)


def found_in(findings: Iterable[Finding]) -> Found:
    """The findings without texts and lines."""
    return frozenset(
        (finding.rule, finding.severity.label, occurrence.device, subject)
        for finding in findings
        for occurrence in finding.occurrences
        for subject in occurrence.subjects or ("",)
    )
