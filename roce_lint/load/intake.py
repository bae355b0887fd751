"""One file found: read it, decode it, identify it; or say why it is left out."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import AmbiguousFormat, SettingsError, UnknownFormat
from roce_lint.load.decode import decode
from roce_lint.load.discover import (
    ARCHIVES,
    CONTROL,
    DOCUMENTS,
    FILE_LIMIT,
    HEAD,
    Found,
    read_file,
    reason,
)
from roce_lint.load.hostname import hostname_in, written_at
from roce_lint.load.identify import Identity, identify
from roce_lint.load.naming import device_name
from roce_lint.load.part import Part, pack
from roce_lint.load.reports import is_report
from roce_lint.nos.base import Form
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import digest

LINE_LIMIT = 1_000_000
"""Lines of one file; each takes some 400 bytes while it is read. A full chassis has 700,000."""

SCRIPT_LIMIT = 256 << 10
"""Characters of a script, unit or environment file; those with more hold an installer."""

CONFIGURATIONS = (".cfg", ".config")
"""Endings of files that are skipped with a remark, not in silence, where nobody knows them."""

_PACKED = tuple(f"{ending}.gz" for ending in (*CONFIGURATIONS, ".conf", ".json", ".txt"))

TEXTS = (*CONFIGURATIONS, ".conf", ".json", ".log", ".txt", ".yaml", ".yml", *ARCHIVES, *_PACKED)
"""The same for those that hold no text: a back-up that failed leaves an empty file behind."""

SCRIPTS = (Form.SHELL, Form.ENV, Form.INI)


@dataclass(slots=True, frozen=True)
class FileRule:
    """What the settings say about files whose name matches `glob`."""

    glob: str
    nos: str | None = None
    device: str | None = None
    ignore: bool = False
    role: str | None = None


@dataclass(slots=True)
class Taken:
    """What became of the files: parts of devices, remarks, and how many were passed over."""

    parts: list[Part] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: int = 0

    def add(self, other: Taken) -> None:
        """Append what became of other files."""
        self.parts += other.parts
        self.diagnostics += other.diagnostics
        self.skipped += other.skipped

    def remark(self, file: str, kind: str, message: str) -> None:
        """Say why something is missing from the answer."""
        self.diagnostics.append(Diagnostic(file, kind, message))

    def skip(self, file: Found, kind: str, message: str, endings: tuple[str, ...] = ()) -> None:
        """Pass over a file: in silence, unless it was named or its ending promises something."""
        if file.named:
            self.remark(file.name, kind, message)
        elif file.leaf.lower().endswith(endings) and not _is_written_now(file):
            said = f"{message}; skipped"
            self.diagnostics.append(Diagnostic(file.name, kind, said, incomplete=False))
        else:
            self.skipped += 1


def _is_written_now(file: Found) -> bool:
    """True for what this run's own output goes into (`check . > report.txt`)."""
    if file.path is None:
        return False
    with suppress(OSError):
        state = Path(file.path).stat()
        return any(os.path.samestat(state, os.fstat(stream)) for stream in (1, 2))
    return False


def check_rules(rules: tuple[FileRule, ...]) -> None:
    """See that the settings name no NOS that nobody reads.

    Raises:
        SettingsError: they do.
    """
    known = all_nos()
    for rule in rules:
        if rule.nos is not None and rule.nos not in known:
            message = f'[files."{rule.glob}"] nos: no reader is called {rule.nos!r}'
            raise SettingsError(message, hint=f"known are {', '.join(sorted(known))}")


def take(file: Found, rules: tuple[FileRule, ...]) -> Taken:
    """Take in a file, or all members of an archive."""
    taken = Taken()
    rule = next((r for r in rules if fnmatch.fnmatch(file.name, r.glob)), None)
    if rule is not None and rule.ignore:
        taken.skipped = 1
        return taken
    if file.is_archive:
        return _archive(file, rules)
    data = _bytes(file, taken)
    if data is not None:
        _identify(file, data, rule or FileRule(""), taken)
    return taken


def _archive(file: Found, rules: tuple[FileRule, ...]) -> Taken:
    """All members of an archive. What was read before it breaks off is judged; one over a limit
    is refused as a whole.
    """
    from roce_lint.load.archive import RefusedError  # noqa: PLC0415  (only where there is one)

    taken = Taken()
    try:
        for member in _members(file, taken):
            taken.add(take(member, rules))
    except RefusedError as error:
        taken = Taken()
        taken.remark(file.name, "over-limit", f"archive refused: {error}")
    except OSError as error:
        taken.remark(file.name, "unreadable", reason(error))
    return taken


def _members(file: Found, taken: Taken) -> Iterator[Found]:
    from roce_lint.load.archive import is_hidden, members  # noqa: PLC0415  (as above)

    def wanted(name: str) -> bool:
        leaf = name.rsplit("/", 1)[-1].lower()
        passed = is_hidden(name) or leaf.endswith(DOCUMENTS) or leaf in CONTROL
        taken.skipped += passed
        return not passed

    for member in members(file.path or "", wanted):
        name = f"{file.name}!{member.name}"
        if member.problem:
            taken.remark(name, "unreadable", member.problem)
            continue
        folder, slash, leaf = member.name.rpartition("/")
        yield Found(
            name, None, named=False,
            folder=f"{file.name}!{folder}" if slash else file.name,
            leaf=leaf, data=member.data, whole=member.whole,
        )  # fmt: skip


def _bytes(file: Found, taken: Taken) -> bytes | None:
    """All bytes of a file that can be a configuration."""
    data, whole = file.data, file.whole
    if data is None:
        try:
            data, whole = read_file(file.path or "", FILE_LIMIT, HEAD)
        except OSError as error:
            taken.remark(file.name, "unreadable", reason(error))
            return None
    if whole and len(data) <= FILE_LIMIT:
        return data
    message = f"larger than {FILE_LIMIT >> 20} MiB"
    if file.named or _matters(file, data[:HEAD]):
        taken.remark(file.name, "over-limit", f"{message}, not read")
    else:
        taken.skip(file, "over-limit", message, TEXTS)
    return None


def _matters(file: Found, head: bytes) -> bool:
    """Whether the beginning of a file that is too large is one of a configuration."""
    text = decode(head).text
    if text is None:
        return False
    try:
        identify(file.name, text)
    except UnknownFormat as error:
        return error.hint is not None
    except AmbiguousFormat:
        return True
    return True


def _identify(file: Found, data: bytes, rule: FileRule, taken: Taken) -> None:
    decoded = decode(data)
    text = decoded.text
    if text is None:
        taken.skip(file, "no-text", decoded.problem, TEXTS)
        return
    if rule.nos is None and is_report(text):
        taken.skip(file, "report", "a report of a checker, no configuration")
        return
    try:
        identity = identify(file.name, text, rule.nos)
    except UnknownFormat as error:
        forced = _whole_configuration(rule.nos)
        if forced is None:
            if rule.nos or error.hint:
                hint = f" ({error.hint})" if error.hint else ""
                taken.remark(file.name, "unknown-format", error.message + hint)
            else:
                taken.skip(file, "unknown-format", error.message, CONFIGURATIONS)
            return
        identity = forced
    except AmbiguousFormat as error:
        taken.remark(file.name, "ambiguous-format", error.message)
        return
    if decoded.problem:
        taken.diagnostics.append(
            Diagnostic(file.name, "encoding", decoded.problem, decoded.line, incomplete=False)
        )
    part = Part(
        file.name, file.path, identity, digest(data), len(data), file.folder, file.leaf,
        written=written_at(text, identity.time),
        given=device_name(rule.device), role=rule.role,
        packed=None if file.path is not None else pack(data),
    )  # fmt: skip
    if text.count("\n") > LINE_LIMIT:
        taken.remark(file.name, "over-limit", f"more than {LINE_LIMIT} lines, not read")
    elif part.source.form in SCRIPTS and len(text) > SCRIPT_LIMIT:
        message = f"more than {SCRIPT_LIMIT >> 10} KiB, too long for a {identity.source}; not read"
        taken.remark(file.name, "over-limit", message)
    else:
        part.hostname = hostname_in(part.source, text)
        taken.parts.append(part)


def _whole_configuration(nos: str | None) -> Identity | None:
    """What a file is that the settings give to a NOS: its configuration, if it has but one kind."""
    if nos is None:
        return None
    base = [source.name for source in all_nos()[nos].sources if source.base]
    return Identity(nos, base[0]) if len(base) == 1 else None
