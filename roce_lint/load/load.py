"""Paths in, devices out: discover, decode, identify, group, read."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.load.decode import decode
from roce_lint.load.discover import FILE_LIMIT, Discovery, Found, discover
from roce_lint.load.group import group, hostname_in, source_of, written_at
from roce_lint.load.identify import HEAD, identify
from roce_lint.load.part import Part
from roce_lint.load.pool import read_all
from roce_lint.model.device import Device
from roce_lint.text.source import SourceFile, digest


@dataclass(slots=True, frozen=True)
class FileRule:
    """What the settings say about files whose name matches `glob`."""

    glob: str
    nos: str | None = None
    device: str | None = None
    ignore: bool = False


@dataclass(slots=True)
class Loaded:
    """All devices that could be read, and what to say about the files that could not."""

    devices: list[Device] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    control: dict[str, Path] = field(default_factory=dict)
    memory: dict[str, SourceFile] = field(default_factory=dict)  # files that cannot be read again
    skipped: int = 0
    base: str = "."


Progress = Callable[[str, int, int], None]


def load(
    paths: tuple[str, ...],
    *,
    stdin: str | None = None,
    jobs: int = 0,
    rules: tuple[FileRule, ...] = (),
    progress: Progress | None = None,
) -> Loaded:
    """Load every device below the paths.

    Raises:
        UsageError: a path does not exist.
    """
    found = discover(paths, stdin)
    loaded = Loaded([], found.diagnostics, found.control, {}, found.skipped, found.base)
    parts = _parts(found, loaded, rules, progress)
    groups, diagnostics = group(parts)
    loaded.diagnostics += diagnostics
    done = 0

    def tick(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress("reading", done, len(groups))

    for read in read_all(groups, jobs, tick):
        loaded.diagnostics += read.diagnostics
        if read.device is not None:
            loaded.devices.append(read.device)
    return loaded


def _parts(
    found: Discovery, loaded: Loaded, rules: tuple[FileRule, ...], progress: Progress | None
) -> list[Part]:
    parts = []
    for number, file in enumerate(found.files):
        rule = next((r for r in rules if fnmatch.fnmatch(file.name, r.glob)), None)
        if rule is not None and rule.ignore:
            loaded.skipped += 1
            continue
        part = _part(file, rule, loaded)
        if part is not None:
            parts.append(part)
        if progress is not None and number % 64 == 0:
            progress("identifying", number, len(found.files))
    return parts


def _part(file: Found, rule: FileRule | None, loaded: Loaded) -> Part | None:
    data = _bytes(file, loaded)
    if data is None:
        return None
    decoded = decode(data)
    if decoded.text is None:
        if file.named:
            loaded.diagnostics.append(Diagnostic(file.name, "no-text", decoded.problem))
        else:
            loaded.skipped += 1
        return None
    text = decoded.text
    try:
        identity = identify(file.name, text, rule.nos if rule else None)
    except UnknownFormat as error:
        if file.named or (rule is not None and rule.nos):
            loaded.diagnostics.append(Diagnostic(file.name, "unknown-format", error.message))
        else:
            loaded.skipped += 1
        return None
    except AmbiguousFormat as error:
        loaded.diagnostics.append(Diagnostic(file.name, "ambiguous-format", error.message))
        return None
    if decoded.problem:
        loaded.diagnostics.append(
            Diagnostic(file.name, "encoding", decoded.problem, decoded.line, incomplete=False)
        )
    source = source_of(identity)
    sha = digest(data)
    part = Part(
        file.name,
        file.path,
        identity,
        sha,
        len(data),
        hostname_in(source, text),
        identity.time or written_at(text[:HEAD]),
        device=rule.device if rule else None,
    )
    if file.path is None:
        part.text = text
        loaded.memory[file.name] = SourceFile(file.name, text, sha, None)
    return part


def _bytes(file: Found, loaded: Loaded) -> bytes | None:
    if file.size > FILE_LIMIT:
        return _too_large(file, loaded)
    if file.data is not None:
        return file.data
    try:
        with Path(file.path or "").open("rb") as opened:
            data = opened.read(FILE_LIMIT + 1)
    except OSError as error:
        message = error.strerror or str(error)
        loaded.diagnostics.append(Diagnostic(file.name, "unreadable", message))
        return None
    return data if len(data) <= FILE_LIMIT else _too_large(file, loaded)


def _too_large(file: Found, loaded: Loaded) -> None:
    message = f"larger than {FILE_LIMIT >> 20} MiB, not read"
    loaded.diagnostics.append(Diagnostic(file.name, "over-limit", message))
