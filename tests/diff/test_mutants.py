"""A difference told as a change makes the one state into the other, and is judged like it."""

from __future__ import annotations

import os
import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.analysis.analyse import analyse
from roce_lint.engine.run import judge
from roce_lint.errors import ReadError
from roce_lint.model.apply import Lines, changed
from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.dump import dump
from roce_lint.model.path import Path
from roce_lint.model.plan import RocePlan
from roce_lint.nos.device_reader import Identified
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile
from roce_lint.topology.links import build_fabric
from roce_lint.topology.roles import assign_roles
from tests.diff.compared import compared, told
from tests.diff.told_as_changes import made_into
from tests.diff.told_as_changes import settings as as_settings
from tests.mutation.bench import Bench
from tests.mutation.mutants import Mutant, mutants

EVERY = 1 if os.environ.get("ROCE_LINT_ALL_MUTANTS") else 80
"""Of so many mutants one is judged here; all of them take ten minutes of processor time."""


@cache
def bench() -> Bench:
    return Bench.of("clean-fabric")


@cache
def everything() -> tuple[Mutant, ...]:
    return tuple(mutants(bench()))


@cache
def mutated(mutant: Mutant) -> Device | None:
    """The device of a mutant; None where it cannot be read any more."""
    own = bench().files[mutant.device]
    old = own[mutant.place]
    file = SourceFile.of(mutant.place, mutant.text)
    new = Identified(file, old.source, old.args, old.header_lines)
    try:
        return bench().read(mutant.device, list({**own, mutant.place: new}.values()))
    except ReadError:
        return None


@cache
def by_device() -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {}
    for mutant in everything():
        found.setdefault(mutant.device, []).append(mutant)
    return found


@given(st.data())
@settings(max_examples=30)
def test_a_difference_makes_the_one_into_the_other(data: st.DataObject) -> None:
    """On pairs of states of one device, each mutated by itself."""
    name = data.draw(st.sampled_from(sorted(by_device())))
    a, b = (mutated(data.draw(st.sampled_from(by_device()[name]))) for _ in "ab")
    if a is None or b is None:
        return
    before = str(dump(a))
    made = made_into(a, b)
    assert told(differences(made, b, stated=True)) == []
    assert told(differences(b, made, stated=True)) == []
    assert told(compared(made, b)) == []
    assert str(dump(a)) == before
    there = {unnumbered(d.path) for d in differences(a, b)}
    back = {unnumbered(d.path) for d in differences(b, a)}
    assert there == back


def unnumbered(path: Path) -> str:
    """A path without the place in a list, which is that of the one side or of the other."""
    return re.sub(r"\b(gids|emits)\[\d+\].*", r"\1", str(path))


Stands = set[tuple[str, str, str, str]]


def judged(device: Device, file: SourceFile) -> Stands:
    """What is found in the sample with one device replaced."""
    name = device.hostname
    devices = {**bench().devices, name: device}
    files = {n: known.file for own in bench().files.values() for n, known in own.items()}
    for other, each in devices.items():
        if other != name or not each.stated("role"):
            each.role = bench().stated[other]
    fabric, _ = build_fabric(list(devices.values()), [])
    assign_roles(fabric, {})
    fabric.plan = plan = RocePlan()
    excerpts = Excerpts({**files, file.name: file})
    found = judge(fabric, analyse(fabric, plan), plan, bench().rules, excerpts).findings
    return {
        (finding.rule, finding.severity.label, occurrence.device, subject)
        for finding in found
        for occurrence in finding.occurrences
        for subject in occurrence.subjects or ("",)
    }


def told_by_the_reader(device: Device) -> tuple[object, ...]:
    """What is said of lines, and no value: no change can say it."""
    notes = [(note.kind, note.message, note.count) for note in device.notes]
    structures = [(s.kind, s.name, s.defined, len(s.references)) for s in device.structures]
    return notes, structures, device.limits, device.partial, device.nics_partial


@pytest.mark.parametrize("part", range(4))
def test_a_change_is_judged_like_the_edited_file(part: int) -> None:
    """Exceptions: what a reader says of a line (a name that nothing defines, a value that is none)
    is a note of the file, and no value of the model; changes say values.
    """
    said = 0
    for mutant in everything()[part * EVERY // 4 :: EVERY]:
        a, b = bench().devices[mutant.device], mutated(mutant)
        if b is None or told_by_the_reader(a) != told_by_the_reader(b):
            continue
        wanted = as_settings(differences(a, b, stated=True))
        lines = Lines(wanted)
        made = changed(a, wanted, lines)
        edited = SourceFile.of(mutant.place, mutant.text)
        assert judged(made, lines.file) == judged(b, edited), str(mutant)
        said += bool(wanted)
    assert said > 0
