"""Intake of one file: read it, decode it, identify it; or record why it is left out."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.errors import AmbiguousFormat, SettingsError, UnknownFormat, UnreadOutput
from roce_lint.loading.captures.attribution import (
    SeveralDevicesError,
    is_document,
    names_another,
    parts_of,
    settle_hosts,
)
from roce_lint.loading.captures.read import Capture, read_capture
from roce_lint.loading.captures.segment import segment_of
from roce_lint.loading.decode import (
    COMPRESSED,
    CUT_OFF,
    UnpackError,
    beyond,
    cut_off,
    decode,
    unpack,
)
from roce_lint.loading.discover import (
    ARCHIVES,
    CONTROL,
    FILE_LIMIT,
    HEAD,
    FoundFile,
    passed_over,
    read_file,
    reason,
)
from roce_lint.loading.file_part import FilePart, pack
from roce_lint.loading.forms import (
    form_of_bytes,
    form_of_text,
    is_baseline,
    is_program,
    is_report,
    refusal,
)
from roce_lint.loading.group import hostname_in, time_of_writing
from roce_lint.loading.host_copies import take_apart
from roce_lint.loading.identify import Identity, identify
from roce_lint.loading.naming import device_name, printable
from roce_lint.nos.declare import Form
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import SourceFile, digest

LINE_LIMIT = 1_000_000
"""Lines of one file; each takes some 400 bytes while it is read. A full chassis has 700,000."""

SCRIPT_LIMIT = 256 << 10
"""Characters of a script, unit or environment file; those with more contain an installer."""

CONFIGURATIONS = (".cfg", ".config")
"""Endings of files that are skipped with a remark, not silently, if unrecognised."""

_PACKED = tuple(f"{ending}.gz" for ending in (*CONFIGURATIONS, ".conf", ".json", ".txt"))

TEXTS = (*CONFIGURATIONS, ".conf", ".json", ".log", ".txt", ".yaml", ".yml", *ARCHIVES, *_PACKED)
"""As above, for files without text: a failed backup leaves an empty file behind."""

SCRIPTS = (Form.SHELL, Form.ENV, Form.INI)


_HEADING = 1000
_STARTUP = re.compile(
    r"\A[^\n]*(?<![a-z])startup(?![a-z])|\n[!#] ?command: (?:show startup|display saved)-conf",
    re.IGNORECASE,
)
"""Sign of a startup configuration in the names of the file and its folder, or in its heading."""


@dataclass(slots=True, frozen=True)
class FileRule:
    """Settings for files whose name matches `glob`."""

    glob: str
    nos: str | None = None
    device: str | None = None
    ignore: bool = False
    role: str | None = None


@dataclass(slots=True)
class Intake:
    """Results of intake: parts of devices, remarks, and skipped files."""

    parts: list[FilePart] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    beyond: int = 0  # unpacked bytes in excess of the packed sizes

    def add(self, other: Intake) -> None:
        """Append the results of other files."""
        self.parts += other.parts
        self.diagnostics += other.diagnostics
        self.skipped += other.skipped
        self.beyond += other.beyond

    def forget_texts(self) -> None:
        """Drop cached text; files are re-read when parsed."""
        for part in self.parts:
            part.file = None

    def remark(self, file: str, kind: str, message: str) -> None:
        """Report missing input."""
        self.diagnostics.append(Diagnostic(file, kind, message))

    def skip(self, file: FoundFile, kind: str, message: str, endings: tuple[str, ...] = ()) -> None:
        """Skip a file: silently, unless it was named or has the ending of a configuration."""
        if file.named:
            self.remark(file.name, kind, message)
        elif _is_written_now(file):
            return
        elif file.leaf.lower().endswith(endings):
            text = f"{message}; skipped"
            self.diagnostics.append(Diagnostic(file.name, kind, text, incomplete=False))
        else:
            self.skipped.append(SkippedFile(file.name, message))


def _is_written_now(file: FoundFile) -> bool:
    """Whether a file receives this run's own output (`check . > report.txt`)."""
    if file.path is None:
        return False
    with suppress(OSError):
        state = Path(file.path).stat()
        return any(os.path.samestat(state, os.fstat(stream)) for stream in (1, 2))
    return False


def check_rules(rules: tuple[FileRule, ...]) -> None:
    """Refuse settings that name an unknown NOS.

    Raises:
        SettingsError: they do.
    """
    known = all_nos()
    for rule in rules:
        if rule.nos is not None and rule.nos not in known:
            message = f'[files."{rule.glob}"] nos: unknown system {rule.nos!r}'
            raise SettingsError(message, hint=f"known are {', '.join(sorted(known))}")


def take(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """Take in a file, or all members of an archive."""
    taken = Intake()
    rule = next((r for r in rules if fnmatch.fnmatch(file.name, r.glob)), None)
    if rule is not None and rule.ignore:
        taken.skipped.append(SkippedFile(file.name, "ignored by the settings"))
        return taken
    if file.is_archive:
        return _archive(file, rules)
    data = _bytes(file, taken)
    if data is not None and data.startswith(COMPRESSED):
        data = _unpack(file, data, taken)
    if data is None:
        return taken
    header = _HEADER.match(data) if rule is None and file.path and len(data) <= SHORT else None
    if header is None:
        _identify(file, data, rule or FileRule(""), taken)
        return taken
    key = (file.leaf, header["command"], header.end(), data[header.end() :])
    known = _KNOWN.get(key)
    if known is not None:
        taken.parts.append(_like(known, file, data, header))
        return taken
    _identify(file, data, FileRule(""), taken)
    remarks = taken.diagnostics or taken.skipped
    for part in taken.parts if not remarks and len(taken.parts) == 1 else ():
        if part.frame is not None and not part.startup:
            if len(_KNOWN) >= KNOWN:
                del _KNOWN[next(iter(_KNOWN))]
            _KNOWN[key] = _Known(part.identity, part.hostname, part.frame, part.own)
    return taken


# Hosts have many equal outputs, which are identified once.

KNOWN = 1 << 10
"""Outputs that are remembered."""

SHORT = 16 << 10
"""Maximum bytes of one."""

_HEADER = re.compile(
    rb"(?P<command># command: [^\n]{1,300}?)  host: (?P<host>(?![^\n ]*--)[\w.-]{1,64})"
    rb"  time: (?P<time>[\w.:+-]{1,40})\n"
)


class _Known(NamedTuple):
    identity: Identity
    hostname: str | None
    frame: bytes
    own: tuple[str, ...]


_KNOWN: dict[Hashable, _Known] = {}
"""Outputs of hosts by all that their identification depends on: file name, text, and the length of
the header, which a terminal may have wrapped; but not its host and time.
"""


def _like(known: _Known, file: FoundFile, data: bytes, header: re.Match[bytes]) -> FilePart:
    """The part of an output that differs from a known one in host and time."""
    host, time, sha = device_name(header["host"].decode()), header["time"].decode(), digest(data)
    old = known.identity
    return FilePart(
        file.name, file.path,
        Identity(old.nos, old.source, old.args, host, time, old.header, old.undecided),
        sha, len(data), file.folder, file.leaf, hostname=known.hostname,
        written=time_of_writing("", time), frame=known.frame, own=known.own,
        file=SourceFile(file.name, data.decode(), sha, file.path),
        startup=bool(_STARTUP.search("/".join(file.name.split("/")[-2:]))),
    )  # fmt: skip


def _archive(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """All members of an archive.

    Members before a truncation are checked; an archive over a limit is refused as a whole.
    """
    from roce_lint.loading.archive import LimitError  # noqa: PLC0415  (only where there is one)

    taken = Intake()
    total = 0
    try:
        for member in _members(file, taken):
            total += len(member.data or b"")
            taken.add(take(member, rules))
        taken.beyond += beyond(Path(file.path or "").stat().st_size, total)
    except LimitError as error:
        taken = Intake()
        taken.remark(file.name, "over-limit", f"archive refused: {error}")
    except OSError as error:
        taken.remark(file.name, "unreadable", reason(error))
    return taken


def _members(file: FoundFile, taken: Intake) -> Iterator[FoundFile]:
    from roce_lint.loading.archive import is_hidden, members  # noqa: PLC0415  (as above)

    def wanted(name: str) -> bool:
        leaf = name.rsplit("/", 1)[-1].lower()
        why = "hidden" if is_hidden(name) else passed_over(leaf)
        why = "ignored inside an archive" if not why and leaf in CONTROL else why
        if why:
            taken.skipped.append(SkippedFile(f"{file.name}!{printable(name)}", why))
        return not why

    for member in members(file.path or "", wanted):
        name = f"{file.name}!{member.name}"
        if member.problem:
            taken.remark(name, "unreadable", member.problem)
            continue
        folder, slash, leaf = member.name.rpartition("/")
        yield FoundFile(
            name, None, named=False,
            folder=f"{file.name}!{folder}" if slash else file.name,
            leaf=leaf, data=member.data, whole=member.whole,
        )  # fmt: skip


def _bytes(file: FoundFile, taken: Intake) -> bytes | None:
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


def _unpack(file: FoundFile, data: bytes, taken: Intake) -> bytes | None:
    """The file inside a packed one; it is then known by its name without the last ending."""
    try:
        inner = unpack(data, FILE_LIMIT)
    except UnpackError as error:
        if file.named or file.leaf.lower().endswith(TEXTS):
            taken.remark(file.name, "unreadable", str(error))
        else:
            taken.skip(file, "no-text", str(error))
        return None
    taken.beyond += beyond(len(data), len(inner))
    if len(inner) <= FILE_LIMIT and file.leaf.lower().endswith((".gz", ".xz")):
        file.leaf = file.leaf[:-3]
    file.path = None
    return inner


def _matters(file: FoundFile, head: bytes) -> bool:
    """Whether the beginning of a file over the size limit is that of a configuration."""
    text = decode(head).text
    return text is not None and _is_known(file, text)


def _is_known(file: FoundFile, text: str) -> bool:
    """Whether any reader recognises a text, or a few of its words."""
    try:
        identify(file.name, text)
    except UnknownFormat as error:
        return error.hint is not None
    except AmbiguousFormat:
        return True
    return True


def _identify(file: FoundFile, data: bytes, rule: FileRule, taken: Intake) -> None:
    decoded = decode(data)
    text = decoded.text
    if text is None:
        taken.skip(file, "no-text", form_of_bytes(data) or decoded.problem, TEXTS)
        return
    if rule.nos is None and (form := form_of_text(text, quotes=True)):
        _report_quotation(file, text, form, taken)
        return
    if rule.nos is None and is_report(text):
        if is_baseline(text) and not file.named:
            return
        taken.skip(file, "report", "a report of a checker, not a configuration")
        return
    if len(text) > LINE_LIMIT and text.count("\n") > LINE_LIMIT:
        _too_many_lines(file, text, rule, taken)
        return
    before = len(taken.parts)
    last = 0 if text.endswith("\n") else text.count("\n") + 1
    capture = read_capture(text, partial(is_document, rule.nos))
    if capture is None or not _take_capture(file, capture, rule, taken, last):
        identity = _identify_text(file, text, rule, taken)
        if identity is None:
            return
        names = file.name.split("/")
        part = FilePart(
            file.name, file.path, identity, digest(data), len(data), file.folder, file.leaf,
            written=time_of_writing(text, identity.time),
            given=device_name(rule.device), role=rule.role,
            packed=None if file.path is not None else pack(data),
            startup=bool(_STARTUP.search(f"{'/'.join(names[-2:])}\n{text[:_HEADING]}")),
        )  # fmt: skip
        if file.path is not None:
            part.file = SourceFile(file.name, text, part.sha256, file.path)
        if not (
            names_another(text, part.source)
            and _take_capture(file, Capture([segment_of(text)]), rule, taken, last)
        ):
            _keep_part(part, text, taken, last)
    if decoded.problem and len(taken.parts) > before:
        taken.diagnostics.append(
            Diagnostic(file.name, "encoding", decoded.problem, decoded.line, incomplete=False)
        )


def _report_quotation(file: FoundFile, text: str, form: str, taken: Intake) -> None:
    """Report a text that another program wrote around the lines of a device."""
    if file.named or _is_known(file, text):
        taken.remark(file.name, "unsupported-form", form)
    else:
        taken.skip(file, "unsupported-form", form, CONFIGURATIONS)


def _too_many_lines(file: FoundFile, text: str, rule: FileRule, taken: Intake) -> None:
    if _identify_text(file, text, rule, taken) is not None:
        taken.remark(file.name, "over-limit", f"more than {LINE_LIMIT} lines, not read")


def _identify_text(file: FoundFile, text: str, rule: FileRule, taken: Intake) -> Identity | None:
    """Identify a text that is read as it is; None, and a remark, if unrecognised."""
    if rule.nos is None and is_program(text):
        if form := refusal(text):
            taken.remark(file.name, "unsupported-form", form)
        else:
            taken.skipped.append(SkippedFile(file.name, "Terraform for a cloud"))
        return None
    try:
        return _as_script(identify(file.name, text, rule.nos), text)
    except UnreadOutput as error:
        taken.skipped.append(SkippedFile(file.name, error.message))
    except UnknownFormat as error:
        if rule.nos is None and (form := refusal(text)):
            taken.remark(file.name, "unsupported-form", form)
            return None
        forced = _whole_configuration(rule.nos)
        if forced is not None:
            return forced
        if rule.nos is None and (form := form_of_text(text)):
            if error.hint and not file.named:
                taken.remark(file.name, "unsupported-form", form)
            else:
                taken.skip(file, "unsupported-form", form, CONFIGURATIONS)
        elif rule.nos or error.hint:
            hint = f" ({error.hint})" if error.hint else ""
            taken.remark(file.name, "unknown-format", error.message + hint)
        else:
            taken.skip(file, "unknown-format", error.message, CONFIGURATIONS)
    except AmbiguousFormat as error:
        taken.remark(file.name, "ambiguous-format", error.message)
    return None


def _as_script(identity: Identity, text: str) -> Identity:
    """Identify a script as such if it writes a document and was mistaken for that document."""
    nos = all_nos()[identity.nos]
    if not text.startswith("#!") or nos.by_source[identity.source].form is not Form.YAML:
        return identity
    scripts = [source.name for source in nos.sources if source.form is Form.SHELL]
    return replace(identity, source=scripts[0], args={}) if scripts else identity


def _keep_part(part: FilePart, text: str, taken: Intake, last: int) -> None:
    """Add a part, unless it is longer than its source can be.

    `last` is the number of the file's last line if unterminated, else 0.
    """
    if part.source.form in SCRIPTS and len(text) > SCRIPT_LIMIT:
        source = part.identity.source
        message = f"more than {SCRIPT_LIMIT >> 10} KiB, too long for a {source}; not read"
        taken.remark(part.name, "over-limit", message)
        return
    part.hostname = hostname_in(part.source, text)
    taken.parts.append(part)
    if part.placing is None:
        take_apart(part, text)
    missing = cut_off(part.source, text, at_end=bool(last) and _last_line(part, text) == last)
    if missing and not part.identity.args.get("part"):
        message = f"{CUT_OFF}: {missing}; the rest is missing and was not checked"
        taken.remark(part.name, "cut-off", message)


def _last_line(part: FilePart, text: str) -> int:
    end = text.count("\n") + 1
    return end if part.placing is None else part.placing.line(end)


def _take_capture(
    file: FoundFile, capture: Capture, rule: FileRule, taken: Intake, last: int
) -> bool:
    """Add the texts of a capture as parts; False if none is recognised."""
    try:
        parts = parts_of(file, capture, rule.nos)
    except SeveralDevicesError as error:
        message = (
            f"holds the configurations of several devices ({', '.join(error.names[:4])}), and "
            "their boundaries are unclear: save each in a separate file"
        )
        taken.remark(file.name, "several-devices", message)
        return True
    for message, line in capture.refused:
        taken.diagnostics.append(Diagnostic(file.name, "unsupported-form", message, line))
    if not parts:
        return bool(capture.refused)
    for part, text in parts:
        part.given, part.role = device_name(rule.device), rule.role
        _keep_part(part, text, taken, last)
    settle_hosts(taken.parts[-len(parts) :], file)
    if capture.removed:
        message = f"read as a capture; removed: {'; '.join(capture.removed)}"
        taken.diagnostics.append(Diagnostic(file.name, "capture", message, incomplete=False))
    return True


def _whole_configuration(nos: str | None) -> Identity | None:
    """Identity of a file that the settings assign to a NOS with one kind of configuration."""
    if nos is None:
        return None
    base = [source.name for source in all_nos()[nos].sources if source.base]
    return Identity(nos, base[0]) if len(base) == 1 else None
