"""Verification: corrected files are read, and the fabric is checked with the devices read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from roce_lint.analysis.analyse import forget_tags
from roce_lint.engine.finding import Diagnostic, Finding
from roce_lint.loading.discover import FoundFile
from roce_lint.loading.file_part import FilePart, Memory
from roce_lint.loading.group import group
from roce_lint.loading.intake import Intake, take
from roce_lint.loading.load import LoadResult
from roce_lint.loading.pool import read_group
from roce_lint.model.device import Device
from roce_lint.pipeline.evaluation import Terms
from roce_lint.pipeline.inputs import file_rules
from roce_lint.pipeline.report import Report
from roce_lint.pipeline.request import Request, is_asked_for
from roce_lint.pipeline.runner import load_files
from roce_lint.text.excerpts import Excerpts


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


class Scope(NamedTuple):
    """The classes with their modes, the ports that carry them, and the links with their source."""

    classes: frozenset[Hashable]
    ports: frozenset[Hashable]
    links: frozenset[Hashable]

    def keeps(self, other: Scope) -> bool:
        """Whether another state has the same ports and links, and no class that is new: one that
        only a corrected host sent is gone.
        """
        return (
            other.classes <= self.classes
            and other.ports == self.ports
            and other.links == self.links
        )


@dataclass(slots=True)
class State:
    """Findings and unknowns of a fabric, and its devices as read."""

    report: Report
    atoms: frozenset[Atom]
    open: frozenset[tuple[str, ...]]  # unknowns, and unread parts of files
    scope: Scope
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
    """Checks a fabric with devices replaced by their corrected state."""

    def __init__(self, terms: Terms):
        self._terms = terms
        self._loaded = LoadResult()
        self._before: Report | None = None
        self._parts: dict[int, list[FilePart]] = {}
        self._kept: list[Device] = []

    def as_it_is(self) -> State:
        """Read and check the fabric as it is.

        Raises:
            UsageError, LinksError: as for a check.
        """
        self._loaded = load_files(self._terms.request, self._terms.settings)
        self._terms.keeps = True
        self._before = self._terms.report(self._loaded)
        if self._before.fabric is not None:
            forget_tags(self._before.fabric)
        return _state(self._before)

    @property
    def memory(self) -> Memory:
        """Texts that cannot be read again."""
        return self._loaded.memory

    def read(self, device: Device, texts: Mapping[str, str]) -> Device | None:
        """Read one device with some of its files corrected; None if the result is not this device,
        or if less of it is understood. `texts` are the files by the names that reports use.
        """
        files: dict[str, bytes] = {}
        for ref in device.src.files:
            text = texts.get(ref.name)
            if text is None and ref.path is None:
                return None
            files[ref.name] = (
                text.encode("utf-8") if text is not None else Path(ref.path or "").read_bytes()
            )
        made, remarks, parts = self._read(files, device.hostname)
        known = {(each.file, each.kind) for each in self._loaded.diagnostics}
        if made is None or any(r.incomplete and (r.file, r.kind) not in known for r in remarks):
            return None
        made = replace(made, role=device.role)
        self._parts[id(made)] = parts
        self._kept.append(made)  # so that no id is used again
        return made

    def read_printed(self, device: str, files: Mapping[str, str]) -> Device | None:
        """Read the printed files of a device."""
        named = {name: text.encode("utf-8") for name, text in files.items()}
        return self._read(named, device)[0]

    def _read(
        self, files: Mapping[str, bytes], device: str
    ) -> tuple[Device | None, list[Diagnostic], list[FilePart]]:
        taken = Intake()
        for name, data in files.items():
            folder, _, leaf = name.rpartition("/")
            file = FoundFile(name, None, named=False, folder=folder, leaf=leaf, data=data)
            taken.add(take(file, file_rules(self._terms.settings)))
        groups, remarks = group(taken.parts)
        for each in groups:
            found = read_group(each)
            if found.device is not None and found.device.hostname == device:
                return found.device, [*remarks, *taken.diagnostics, *found.diagnostics], taken.parts
        return None, [], []

    def judge(self, devices: Mapping[str, Device]) -> State:
        """Check the fabric with these devices, by name, in place of those read.

        Raises:
            LinksError: the cable plan is wrong.
        """
        before = self._before
        if before is None or before.fabric is None:
            raise ValueError("nothing was read")
        self._terms.hardware.fill(devices.values())
        fabric = before.fabric.with_devices(devices)
        now = [devices.get(d.hostname, d) for d in self._loaded.devices]
        loaded = replace(self._loaded, devices=now, diagnostics=[*self._loaded.diagnostics])
        for device in devices.values():
            for part in self._parts.get(id(device), ()):
                loaded.memory.keep(part)
        excerpts = Excerpts(loaded.memory)
        report = self._terms.answer(loaded, fabric, excerpts=excerpts, like=before.analysis)
        forget_tags(fabric)
        return _state(report)


def _state(report: Report) -> State:
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
        ("unknown", each.rule if each.device else "", each.missing, each.device, subject)
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


def _scope(report: Report) -> Scope:
    analysis = report.analysis
    if analysis is None:
        return Scope(frozenset(), frozenset(), frozenset())
    links = frozenset(
        (link.a.key, link.b.key, link.known_from, link.cable_m) for link in analysis.fabric.links
    )
    data = {each.name for each in analysis.data_classes}  # CNPs are paused nowhere
    modes = {(*key, mode.pfc) for key, mode in analysis.modes.items() if key[0] in data}
    classes = {(each.name, each.flow, tuple(each.dscps)) for each in analysis.classes}
    return Scope(frozenset(classes | modes), frozenset(analysis.by_key), links)
