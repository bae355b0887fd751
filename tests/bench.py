"""Fabrics checked in memory: files by name in, a report out, as of a folder with these files.

Each text is identified and read once, so that a fabric of which one file is changed again and again
costs little more than its analysis. All steps are those of the product, except for the search for
files on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from roce_lint.analysis.analyse import analyse, forget_tags
from roce_lint.analysis.result import Analysis
from roce_lint.budget import pause_collection
from roce_lint.loading.discover import CONTROL, DOCUMENTS, FoundFile
from roce_lint.loading.file_part import FilePart
from roce_lint.loading.group import Group, group
from roce_lint.loading.intake import Intake, take
from roce_lint.loading.load import LoadResult
from roce_lint.loading.pool import Read, read_group
from roce_lint.model.device import Device
from roce_lint.model.fabric import Fabric
from roce_lint.pipeline import Report, Request
from roce_lint.pipeline.evaluation import Terms, join
from roce_lint.settings import Settings
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import SourceFile, digest

Files = dict[str, str]
"""Texts by the names of their files."""

TEXTS_KEPT, DEVICES_KEPT, REPORTS_KEPT = 1024, 256, 8

_FOLDERS = TemporaryDirectory()


def files_below(folder: Path) -> Files:
    """The files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_files(files: Files, folder: Path) -> Path:
    """Write a fabric into a folder, for what reads one from disk."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder


def edit(files: Files, name: str, *edits: tuple[str, str], every: bool = False) -> Files:
    """A fabric with texts of one file replaced where they first occur, or everywhere; one that does
    not occur is a mistake of the test.
    """
    text = files[name]
    for old, new in edits:
        assert old in text, (name, old)
        text = text.replace(old, new, -1 if every else 1)
    return {**files, name: text}


def check(
    files: Files, *, roles: Mapping[str, str] | None = None, select: Iterable[str] = ()
) -> Report:
    """The report on a fabric; one asked for again soon is the same object."""
    return _report(tuple(files.items()), tuple((roles or {}).items()), tuple(select))


@lru_cache(REPORTS_KEPT)
def _report(
    files: tuple[tuple[str, str], ...], roles: tuple[tuple[str, str], ...], select: tuple[str, ...]
) -> Report:
    return report_on(load(dict(files)), roles=dict(roles), select=select)


def report_on(
    loaded: LoadResult, *, roles: Mapping[str, str] | None = None, select: Iterable[str] = ()
) -> Report:
    """The report on the devices of `load`."""
    terms = terms_of(tuple((roles or {}).items()), tuple(select))
    with pause_collection():
        return _forget(terms.report(_copied(loaded)))


def _forget(report: Report) -> Report:
    """Reset what ports learned from their links: later reports share the ports."""
    assert report.fabric is not None
    forget_tags(report.fabric)
    return report


def report_on_change(loaded: LoadResult, device: Device, lines: SourceFile) -> Report:
    """The report with one device replaced by a changed one, of which `lines` holds the changes."""
    own = [device if each.hostname == device.hostname else each for each in loaded.devices]
    loaded, terms = replace(loaded, devices=own), terms_of()
    with pause_collection():
        excerpts = Excerpts(loaded.memory).extend({lines.name: lines})
        return _forget(terms.answer(loaded, _joined(loaded), excerpts=excerpts))


def analyse_files(files: Files) -> Analysis:
    """The analysis of a fabric, without any rule."""
    with pause_collection():
        analysis = analyse(_joined(load(files)), terms_of().plan)
    forget_tags(analysis.fabric)
    return analysis


def _joined(loaded: LoadResult) -> Fabric:
    terms = terms_of()
    fabric, _ = join(_copied(loaded), terms.request, terms.settings)
    terms.hardware.fill(fabric.devices.values())
    fabric.plan = terms.plan
    return fabric


def _copied(loaded: LoadResult) -> LoadResult:
    """A copy whose devices can be given roles, and whose diagnostics can be extended."""
    devices = [replace(device, at=dict(device.at)) for device in loaded.devices]
    return replace(loaded, devices=devices, diagnostics=[*loaded.diagnostics])


def load(files: Files) -> LoadResult:
    """The devices of a fabric. They are shared by later calls and must not be changed."""
    loaded, taken = LoadResult(), Intake()
    for name, text in sorted(files.items()):
        if name in CONTROL:
            loaded.base = _folder_of(name, text)
            loaded.control[name] = Path(loaded.base, name)
        elif not name.endswith(DOCUMENTS):
            taken.add(_take(name, text))
    for part in taken.parts:
        loaded.memory.keep(part)
    groups, remarks = group(taken.parts)
    loaded.diagnostics += [*taken.diagnostics, *remarks]
    loaded.skipped += taken.skipped
    for each in groups:
        read = _read(each.device, each.nos, tuple(each.parts), tuple(each.startup))
        loaded.diagnostics += read.diagnostics
        if read.device is not None:
            loaded.devices.append(read.device)
            loaded.read.append((each, read.device))
    return loaded


@cache
def terms_of(roles: tuple[tuple[str, str], ...] = (), select: tuple[str, ...] = ()) -> Terms:
    """The rules and settings of all reports."""
    return Terms.of(Request(select=select), Settings(roles=dict(roles)))


@cache
def _folder_of(name: str, text: str) -> str:
    """A folder with one file that is read from disk."""
    folder = Path(_FOLDERS.name, digest(text.encode()))
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return str(folder)


@lru_cache(TEXTS_KEPT)
def _take(name: str, text: str) -> Intake:
    folder, _, leaf = name.rpartition("/")
    file = FoundFile(name, None, named=False, folder=folder, leaf=leaf, data=text.encode())
    return take(file, ())


@lru_cache(DEVICES_KEPT)
def _read(
    device: str, nos: str, parts: tuple[FilePart, ...], startup: tuple[FilePart, ...]
) -> Read:
    return read_group(Group(device, nos, [*parts], [*startup]))
