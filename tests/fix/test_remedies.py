"""The lines under findings: where a finding has some, its changes repair it, and no word stands for a
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from roce_lint.engine.finding import Finding
from roce_lint.fix.files import Files
from roce_lint.fix.offers import RefusedError, Workshop
from roce_lint.fix.prove import State, atoms
from roce_lint.model.device import Device
from roce_lint.remedy.effect import effect
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

UNREPAIRED: dict[str, str] = {
    "NIC007-bad": "two findings of one adapter, each repaired with the other alone",
    "TOP005-bad-switch": "most ports lack what the finding asks for",
}
"""Examples with lines that leave the finding, with the reason."""


def unrepaired(folder: Path) -> list[str]:
    """Findings that stay after the changes of their lines."""
    proof, _ = proof_of(folder)
    state = proof.as_it_is()
    workshop = Workshop(proof, state, Files(state.devices.values(), proof.memory))
    return [
        f"{finding.rule} {finding.device} {finding.subjects}: {finding.remedy.lines}"
        for finding in state.report.findings
        if finding.remedy is not None
        if not _places([finding.restrict(finding.occurrences[:1])]).isdisjoint(
            _places(proof.judge(_changed(state, workshop, finding)).report.findings)
        )
    ]


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


def placeholders(folder: Path) -> Iterator[str]:
    """Words of lines that stand for a value, and are no name in the files."""
    state = proof_of(folder)[0].as_it_is()
    names = {word for text in files_below(folder).values() for word in text.split()}
    for finding in state.report.findings:
        for line in finding.remedy.lines if finding.remedy is not None else ():
            if PLACEHOLDERS & {*line.split()} - names:
                yield f"{finding.rule} {finding.device}: {line}"


EXAMPLES = sampled(examples("bad"), 9, lambda example: example.rule[:3])


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_lines_under_a_finding_of_an_example(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path)
    assert bool(unrepaired(tmp_path)) is (str(example) in UNREPAIRED)
    assert [*placeholders(tmp_path)] == []


def test_the_lines_under_a_finding_of_the_broken_sample() -> None:
    assert unrepaired(SAMPLES / "broken-fabric") == []
    assert [*placeholders(SAMPLES / "broken-fabric")] == []


MUTANTS = [
    (name, mutant)
    for name in (*SYSTEMS, SAMPLE)
    for mutant in sample(planted(name), 40, lambda mutant: mutant.kind)
]

UNREPAIRED_MUTANTS = 20
"""Most percent of the mutants with lines that leave a finding. It may only shrink."""


def _names(case: tuple[str, Mutant]) -> str:
    return f"{case[0]} {case[1]}"


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(sample(MUTANTS, 24, lambda case: case[0], name=_names), id="sample"),
        pytest.param(MUTANTS, id="all", marks=pytest.mark.deep),
    ],
)
def test_the_lines_under_a_finding_of_a_mutant(
    cases: list[tuple[str, Mutant]], tmp_path: Path
) -> None:
    left = []
    for number, (name, mutant) in enumerate(cases):
        folder = write_files(mutant.planted(fabric(name)), tmp_path / str(number))
        assert [*placeholders(folder)] == []
        left += [str(mutant)] if unrepaired(folder) else []
    assert len(left) <= len(cases) * UNREPAIRED_MUTANTS / 100, left
