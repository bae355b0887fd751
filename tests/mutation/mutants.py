"""Every stated RoCE value of a fabric, changed once in each way, and whether it is found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from roce_lint.engine.finding import Finding
from roce_lint.loading.file_part import FilePart
from roce_lint.model.device import Device
from roce_lint.nos.declare import Form
from roce_lint.pipeline import Report
from roce_lint.topology.links import build_fabric
from tests.bench import Files, load
from tests.mutation import config, nested, output, tree
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
        """The changed text, without differences between ports or hosts."""
        return self.change.shape

    @property
    def stage(self) -> str:
        """The changed table, structure or output."""
        return re.split(r"[|/#~\d]", self.shape, maxsplit=1)[0]

    def __str__(self) -> str:
        return f"{self.kind} {self.device}: {self.shape}"

    def planted(self, files: Files) -> Files:
        """The fabric with the change."""
        return {**files, self.place: self.text}


def mutants(files: Files) -> Iterator[Mutant]:
    """All mutants; of equivalent ones only the first.

    Equivalent are changes of one kind and shape on devices of one operating system and role: ports
    of a device, hosts of a rack, and leaves share a template.
    """
    seen: set[Key] = set()
    loaded = load(files)
    fabric, _ = build_fabric(loaded.devices, [])
    ends = [end for link in fabric.links for end in link.ends]
    for own, device in loaded.read:
        family = f"{device.nos} {device.hostname.rstrip('0123456789')}"
        used = {end.interface.name for end in ends if end.device is device}
        for part in own.parts:
            text = files[part.name]
            for change, changed in _changes(device, part, text, used):
                key = (family, change.kind, change.shape)
                if key not in seen and changed != text:
                    seen.add(key)
                    yield Mutant(device.hostname, part.name, change, changed)


def _changes(
    device: Device, part: FilePart, text: str, used: set[str]
) -> Iterator[tuple[Change, str]]:
    form, lines = part.source.form, text.split("\n")
    states = next(ref for ref in device.src.files if ref.name == part.name).states
    if form is Form.INDENTED:
        return config.changes(lines, states, used)
    if part.name.endswith(".yaml"):
        return nested.yaml(lines, states, used)
    if form is Form.STATEMENTS:
        return nested.braces(lines, states, used)
    if form is Form.JSON:
        return tree.changes(part.name, text, used)
    return output.changes(part.name, lines)


def found(mutant: Mutant, findings: list[Finding]) -> bool:
    """Whether a finding points at the change.

    A changed line must itself be named. A deleted or moved line cannot be: the finding has to name
    the line of the same file that decides now. The fabric is clean otherwise, so it can be about
    nothing else.
    """
    return any(
        mutant.change.gone or mutant.change.at(place.line, place.path)
        for finding in findings
        for occurrence in finding.occurrences
        for place in occurrence.locations
        if place.file == mutant.place
    )


def outcome(mutant: Mutant, report: Report) -> str:
    """`found`, `elsewhere`, only `unknown`, `unseen`, or `refused` by the reader."""
    remarks = [remark for remark in report.diagnostics if remark.kind != "cut-off"]
    if any(remark.file == mutant.place for remark in remarks):
        return "refused"
    if found(mutant, report.findings):
        return "found"
    if report.findings:
        return "elsewhere"
    return "unknown" if report.unknowns else "unseen"
