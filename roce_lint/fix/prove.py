"""Verification of fixes: a copy of the tree with corrected files is read and checked again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from roce_lint.engine.finding import Finding
from roce_lint.fix.files import ConfigFile
from roce_lint.fix.peers import Deviation
from roce_lint.loading.load import load
from roce_lint.model.device import Device
from roce_lint.pipeline.evaluation import Terms
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.pipeline.runner import load_files
from roce_lint.text.splice import splice


@contextmanager
def corrected_tree(path: Path, texts: Mapping[str, str | None]) -> Iterator[Path]:
    """A copy of the tree at `path` for the duration of the block, with these texts for the files of
    these names, or added to them (relative to `path`, as `os.path.relpath` gives them); None
    removes a file.

    Files are linked where the file system can, so that a large tree costs only its names. Other
    users have no access.

    Raises:
        OSError: there is no room, or something cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="roce-lint-") as folder:
        top = Path(folder) / path.resolve().name
        if path.is_dir():
            shutil.copytree(
                path, top, symlinks=True, copy_function=_link, ignore=_not_plain, dirs_exist_ok=True
            )
            _own(top)
        else:
            _link(str(path), str(top))
        for name, text in texts.items():
            target = top / name if path.is_dir() else top
            target.unlink(missing_ok=True)  # a link: its target is not written
            if text is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode("utf-8"))
        yield top


@contextmanager
def partial_tree(path: Path, files: Mapping[str, str], texts: Mapping[str, str]) -> Iterator[Path]:
    """As `corrected_tree`, with a few files only, given by name and location.

    Raises:
        OSError: as there.
    """
    with tempfile.TemporaryDirectory(prefix="roce-lint-") as folder:
        top = Path(folder) / path.resolve().name
        for name, place in files.items():
            target = top / name if path.is_dir() else top
            target.parent.mkdir(parents=True, exist_ok=True)
            if name in texts:
                target.write_bytes(texts[name].encode("utf-8"))
            else:
                _link(place, str(target))
        yield top


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system, or a file of another user
        shutil.copyfile(source, target)
    return target


def _own(top: Path) -> None:
    """Make the folders of a copy writable: copied ones may be read-only."""
    top.chmod(0o700)
    for folder, names, _ in os.walk(top):
        for name in names:
            below = Path(folder, name)
            if not below.is_symlink():
                below.chmod(0o700)


def _not_plain(folder: str, names: list[str]) -> set[str]:
    """Entries that are never read: hidden names, pipes, devices and unreadable files."""
    kept = {
        entry.name
        for entry in os.scandir(folder)
        if not entry.name.startswith(".")
        and (entry.is_symlink() or entry.is_dir() or os.access(entry.path, os.R_OK))
        and (entry.is_symlink() or entry.is_dir() or entry.is_file())
    }
    return set(names) - kept


Atom = tuple[str, int, str, str, str]
"""A rule, its severity, a device, a subject, and the traffic class."""


@dataclass(slots=True)
class State:
    """Findings and unknowns of a fabric, and its devices as read."""

    report: Report
    atoms: frozenset[Atom]
    open: frozenset[tuple[str, ...]]  # unknowns, and unread parts of files
    scope: Hashable  # the classes, the ports that carry them, and the links with their source
    devices: dict[str, Device] = field(repr=False)

    def select(self, request: Request) -> list[Finding]:
        """Findings of the rules of a request, on its devices only."""
        chosen = {
            name
            for name, device in self.devices.items()
            if is_asked_for(device, request.device, request.role)
        }
        return [
            finding.restrict(own)
            for finding in self.report.findings
            if finding.rule.startswith(request.select or "")
            and not (request.ignore and finding.rule.startswith(request.ignore))
            and (own := [each for each in finding.occurrences if each.device in chosen])
        ]


class Proof:
    """Checks a tree with any of its files corrected."""

    def __init__(self, path: str, terms: Terms):
        self._path = Path(path)
        self._terms = terms
        self.runs = 0

    def as_it_is(self) -> State:
        """Check the tree as it is.

        Raises:
            UsageError, LinksError: as for a check.
        """
        return self._judge(str(self._path))

    def with_changes(self, ways: Iterable[Deviation], files: dict[str, ConfigFile]) -> State:
        """Check the tree with the changes; `files` are the files of the tree by name.

        Raises:
            ValueError: two changes are about the same lines.
            OSError: the copy could not be made.
        """
        self.runs += 1
        with corrected_tree(self._path, self.texts(ways, files)) as tree:
            return self._judge(str(tree))

    def read(self, device: Device, texts: Mapping[str, str]) -> Device | None:
        """Read one device with some of its files corrected; None if the result is not a device.

        `texts` has the files by their paths below the tree.
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
        """Corrected texts by path below the tree."""
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
        request = replace(self._terms.request, paths=(path,))
        report = self._terms.report(load_files(request, self._terms.settings), None)
        devices = report.fabric.devices if report.fabric is not None else {}
        return State(report, atoms(report.findings), _open(report), _scope(report), dict(devices))


def atoms(findings: Iterable[Finding]) -> frozenset[Atom]:
    """Findings by port; suppressed ones are ignored."""
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
