"""The whole fabric read and judged again with files corrected: what stands there then."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Finding
from roce_lint.fix.equals import Deviation
from roce_lint.fix.files import ConfigFile
from roce_lint.fix.tree import corrected_tree, partial_tree
from roce_lint.loading.load import LoadResult, load
from roce_lint.model.device import Device
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.judging import Terms
from roce_lint.pipeline.report import Report
from roce_lint.text.splice import splice

Atom = tuple[str, int, str, str, str]
"""A rule, its severity, a device, a subject, and the traffic class."""


@dataclass(slots=True)
class State:
    """What is said of a fabric, and its devices as they were read."""

    report: Report
    atoms: frozenset[Atom]
    open: frozenset[tuple[str, ...]]  # what is not known, and what of the files was not read
    scope: Hashable  # the classes, the ports that carry them, and the links with their source
    devices: dict[str, Device] = field(repr=False)


class Proof:
    """Judges a tree with any of its files corrected."""

    def __init__(self, path: str, terms: Terms):
        self._path = Path(path)
        self._terms = terms
        self.runs = 0

    def as_it_is(self) -> State:
        """The tree as it stands.

        Raises:
            UsageError, LinksError: as for a check.
        """
        return self._judge(str(self._path))

    def with_changes(self, ways: Iterable[Deviation], files: dict[str, ConfigFile]) -> State:
        """The tree with the changes made; `files` are those of the tree by name.

        Raises:
            ValueError: two changes are about the same lines.
            OSError: the copy could not be made.
        """
        self.runs += 1
        with corrected_tree(self._path, self.texts(ways, files)) as tree:
            return self._judge(str(tree))

    def read(self, device: Device, texts: Mapping[str, str]) -> Device | None:
        """A device read by itself, with some of its files corrected; None where it is then none.

        `texts` has them by their paths below the tree.
        """
        files = {
            os.path.relpath(ref.path, self._path): ref.path
            for ref in device.src.files
            if ref.path is not None and ref.placing is None
        }
        with partial_tree(self._path, files, texts) as tree:
            rules = file_rules(self._terms.settings)
            read = load((str(tree),), jobs=1, rules=rules, cache=False).devices
        return next((each for each in read if each.hostname == device.hostname), None)

    def texts(self, ways: Iterable[Deviation], files: dict[str, ConfigFile]) -> dict[str, str]:
        """The corrected texts by their paths below the tree."""
        by_file: dict[str, list[Deviation]] = {}
        for way in ways:
            by_file.setdefault(way.file, []).append(way)
        return {
            os.path.relpath(files[name].ref.path or "", self._path): splice(
                files[name].text, (way.splice for way in own)
            )
            for name, own in by_file.items()
        }

    def _judge(self, path: str) -> State:
        request, settings = self._terms.request, self._terms.settings
        loaded: LoadResult = load(
            (path,),
            jobs=request.jobs,
            rules=file_rules(settings),
            cache=request.cache,
            limits=settings.limits.limits(),
        )
        report = self._terms.report(loaded, None)
        devices = report.fabric.devices if report.fabric is not None else {}
        return State(report, atoms(report.findings), _open(report), _scope(report), dict(devices))


def atoms(findings: Iterable[Finding]) -> frozenset[Atom]:
    """What findings say, taken apart; those that are suppressed count for nothing."""
    return frozenset(
        (finding.rule, finding.severity.value, occurrence.device, subject, finding.traffic)
        for finding in findings
        if finding.suppressed is None
        for occurrence in finding.occurrences
        for subject in occurrence.subjects or ("",)
    )


def _open(report: Report) -> frozenset[tuple[str, ...]]:
    unknown = {
        ("unknown", each.rule, each.missing, each.device, subject)
        for each in report.unknowns
        for subject in each.subjects or ("",)
    }
    files = {
        ("file", each.kind, each.file, each.device)
        for each in report.diagnostics
        if each.incomplete
    }
    lines = {
        ("line not recognised", device.name, str(number))
        for device in report.devices
        for number in range(device.lines.get("unrecognised", 0))
    }
    return frozenset(unknown | files | lines)


def _scope(report: Report) -> Hashable:
    analysis = report.analysis
    if analysis is None:
        return None
    classes = tuple((each.name, each.flow, tuple(each.dscps)) for each in analysis.classes)
    modes = tuple(sorted((key, mode.pfc) for key, mode in analysis.modes.items()))
    links = frozenset(
        (link.a.key, link.b.key, link.known_from, link.cable_m) for link in analysis.fabric.links
    )
    return classes, modes, frozenset(analysis.by_key), links
