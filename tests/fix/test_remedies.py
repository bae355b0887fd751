"""The lines under findings: where a finding has some, its changes repair it, and no word stands for a
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.fix.files import Files
from roce_lint.fix.offers import RefusedError, Workshop
from roce_lint.fix.prove import State, atoms
from roce_lint.model.device import Device
from roce_lint.remedy.effect import effect
from roce_lint.remedy.remedies import _together
from tests.bench import files_below, write_files
from tests.fix.bench import SAMPLE, SYSTEMS, fabric, planted
from tests.fix.conftest import SAMPLES
from tests.fix.harm import proof_of
from tests.mutation.mutants import Mutant
from tests.rules.examples import Example, examples
from tests.sampling import sample, sampled

PLACEHOLDERS = frozenset(
    {"BITMAP", "BYTE", "BYTES", "CELLS", "CLASS", "CNP-DSCP", "CNP-PRIORITY", "DEVICE", "DSCP",
     "DSCP-BITS", "GROUP", "KILOBYTES", "LENGTH", "MAX", "METRES", "MIN", "NAME", "NUMBER", "PERCENT",
     "PORT", "PRIORITY", "PROFILE", "QUEUE", "SCHEDULER", "UUID", "VALUE"}
)  # fmt: skip

BROKEN = SAMPLES / "broken-fabric"

UNREPAIRED: dict[str, str] = {
    "NIC007-bad": "two findings of one adapter, each repaired with the other alone",
}
"""Examples with lines that leave the finding, with the reason."""


def unrepaired(folder: Path, findings: Iterable[Finding]) -> list[str]:
    """Those of the findings that stay after the changes of their lines."""
    proof, _ = proof_of(folder)
    state = proof.as_it_is()
    workshop = Workshop(proof, state, Files(state.devices.values(), proof.memory))
    return [
        f"{finding.rule} {finding.device} {finding.subjects}: {finding.remedy.lines}"
        for finding in findings
        if not _places([finding.restrict(finding.occurrences[:1])]).isdisjoint(
            _places(proof.judge(_changed(state, workshop, finding)).report.findings)
        )
    ]


def with_lines(folder: Path) -> list[Finding]:
    """Findings with lines that fix them."""
    findings = proof_of(folder, remedies=True)[0].as_it_is().report.findings
    return [each for each in findings if each.remedy is not None]


def _changed(state: State, workshop: Workshop, finding: Finding) -> dict[str, Device]:
    """The first device of a finding with its changes: read from the corrected files, else applied
    to the model.
    """
    changes = finding.occurrences[0].wanted
    try:
        return {name: each.device for name, each in workshop.make(changes).items()}
    except RefusedError:
        return {finding.device: effect(state.devices[finding.device], changes).after}


def _places(findings: Iterable[Finding]) -> set[tuple[str, ...]]:
    """Rules and subjects of findings, whatever their severity."""
    return {(rule, *place) for rule, _, *place in atoms(findings)}


def placeholders(folder: Path, findings: Iterable[Finding]) -> Iterator[str]:
    """Words of lines that stand for a value, and are no name in the files."""
    names = {word for text in files_below(folder).values() for word in text.split()}
    for finding in findings:
        assert finding.remedy is not None
        for line in finding.remedy.lines:
            if PLACEHOLDERS & {*line.split()} - names:
                yield f"{finding.rule} {finding.device}: {line}"


EXAMPLES = sampled(examples("bad"), 9, lambda example: example.rule[:3])


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_lines_under_a_finding_of_an_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    findings = with_lines(tmp_path)
    assert bool(unrepaired(tmp_path, findings)) is (str(example) in UNREPAIRED)
    assert [*placeholders(tmp_path, findings)] == []


@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.deep)])
def test_the_lines_under_a_finding_of_the_broken_sample(one_in: int) -> None:
    findings = with_lines(BROKEN)
    assert len(findings) >= 22
    assert unrepaired(BROKEN, findings[::one_in]) == []
    assert [*placeholders(BROKEN, findings)] == []


def _names(case: tuple[str, Mutant]) -> str:
    return f"{case[0]} {case[1]}"


@pytest.mark.parametrize("one_in", [24, pytest.param(1, marks=pytest.mark.deep)])
def test_the_lines_under_a_finding_of_a_mutant(one_in: int, tmp_path: Path) -> None:
    mutants = [
        (name, mutant)
        for name in (*SYSTEMS, SAMPLE)
        for mutant in sample(planted(name), 40, lambda mutant: mutant.kind)
    ]
    cases, shown = sample(mutants, one_in, lambda case: case[0], name=_names), 0
    for number, (name, mutant) in enumerate(cases):
        folder = write_files(mutant.planted(fabric(name)), tmp_path / str(number))
        findings = with_lines(folder)
        assert [*placeholders(folder, findings)] == []
        assert unrepaired(folder, findings) == []
        shown += bool(findings)
    assert shown >= len(cases) / 3


def test_changes_of_a_peer_are_made_on_the_peer() -> None:
    state = proof_of(BROKEN, remedies=True)[0].as_it_is()
    finding = next(each for each in state.report.findings if each.remedy is not None)
    first = finding.occurrences[0]
    (own,) = {change.path.device for change in first.wanted}
    other = next(name for name in state.devices if name != own)
    moved = replace(finding, occurrences=(replace(first, device=other),))
    made, tried = _together(state.devices, {0: moved})
    assert (made.keys(), tried) == ({own}, {0: moved})
