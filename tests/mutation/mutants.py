"""Every stated RoCE value of a fabric, changed once in each way; and whether that is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.engine.finding import Finding, UnknownGroup
from roce_lint.errors import ReadError
from roce_lint.nos.base import Form
from tests.mutation import config, nested, output, tree
from tests.mutation.bench import Bench
from tests.mutation.change import Change

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Mutant:
    """One change of one file of one device."""

    device: str
    place: str
    change: Change
    text: str = field(repr=False)

    @property
    def kind(self) -> str:
        """digit, word, delete, double or move."""
        return self.change.kind

    @property
    def shape(self) -> str:
        """What is changed, without what tells one port or host from another."""
        return self.change.shape

    def __str__(self) -> str:
        return f"{self.kind} {self.device}: {self.shape}"


def mutants(bench: Bench) -> Iterator[Mutant]:
    """All mutants; of those that are alike only the first.

    Alike are changes of one kind and shape on devices of one operating system and role: ports of
    a device, hosts of a rack, and leaves are written by the same template.
    """
    seen: set[Key] = set()
    for device, files in sorted(bench.files.items()):
        family = f"{bench.nos(device)} {device.rstrip('0123456789')}"
        used = bench.cabled(device)
        for place, known in files.items():
            for change, text in _changes(bench, device, place, used):
                key = (family, change.kind, change.shape)
                if key not in seen and text != known.file.text:
                    seen.add(key)
                    yield Mutant(device, place, change, text)


def _changes(bench: Bench, device: str, place: str, used: set[str]) -> Iterator[tuple[Change, str]]:
    known = bench.files[device][place]
    if known.source.form is Form.INDENTED:
        ref = next(ref for ref in bench.devices[device].src.files if ref.name == place)
        return config.changes(known.file.lines(), ref.states, used)
    if known.source.form is Form.STATEMENTS or place.endswith(".yaml"):
        ref = next(ref for ref in bench.devices[device].src.files if ref.name == place)
        walk = nested.yaml if place.endswith(".yaml") else nested.braces
        return walk(known.file.lines(), ref.states, used)
    if known.source.form is Form.JSON:
        return tree.changes(place, known.file.text, used)
    return output.changes(place, known.file.lines())


def found(mutant: Mutant, findings: list[Finding]) -> bool:
    """Whether a finding points at the change.

    A changed line must itself be named. Of a line that is gone (deleted, or moved away) no finding
    can point at the place: it has to name the line of the same file that decides now. The fabric
    is clean otherwise, so there is nothing else it could be about.
    """
    return any(
        mutant.change.gone or mutant.change.at(place.line, place.path)
        for finding in findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if place.file == mutant.place
    )


def outcome_of(mutant: Mutant, findings: list[Finding], unknowns: list[UnknownGroup]) -> str:
    """`found`, `elsewhere`, only `unknown`, or `unseen`."""
    if found(mutant, findings):
        return "found"
    if findings:
        return "elsewhere"
    return "unknown" if unknowns else "unseen"


def outcome(bench: Bench, mutant: Mutant) -> str:
    """The same of a mutant that is judged here, or `refused` by the reader."""
    try:
        findings, unknowns = bench.judge(mutant.device, mutant.place, mutant.text)
    except ReadError:
        return "refused"
    return outcome_of(mutant, findings, unknowns)
