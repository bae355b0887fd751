"""One file found: read it, decode it, identify it; or say why it is left out."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.errors import AmbiguousFormat, SettingsError, UnknownFormat, UnreadOutput
from roce_lint.loading.captures.compression import UnpackError, beyond, unpack
from roce_lint.loading.captures.devices import SeveralDevicesError, names_another
from roce_lint.loading.captures.parts import is_document, parts_of, settle_hosts
from roce_lint.loading.captures.passage import passage_of
from roce_lint.loading.captures.read import Capture, read_capture
from roce_lint.loading.captures.refusals import is_program, refusal
from roce_lint.loading.decode import COMPRESSED, decode
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
from roce_lint.loading.endings import CUT_OFF, cut_off
from roce_lint.loading.forms import form_of_bytes, form_of_text
from roce_lint.loading.hostname import hostname_in, time_of_writing
from roce_lint.loading.identify import Identity, identify
from roce_lint.loading.naming import device_name, printable
from roce_lint.loading.part import Part, pack
from roce_lint.loading.reports import is_baseline, is_report
from roce_lint.nos.base import Form
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import SourceFile, digest

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
class Intake:
    """What became of the files: parts of devices, remarks, and what was passed over."""

    parts: list[Part] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    beyond: int = 0  # bytes that were unpacked beyond what packed sizes speak for

    def add(self, other: Intake) -> None:
        """Append what became of other files."""
        self.parts += other.parts
        self.diagnostics += other.diagnostics
        self.skipped += other.skipped
        self.beyond += other.beyond

    def forget_texts(self) -> None:
        """Have the files read again when they are taken apart."""
        for part in self.parts:
            part.file = None

    def remark(self, file: str, kind: str, message: str) -> None:
        """Say why something is missing from the answer."""
        self.diagnostics.append(Diagnostic(file, kind, message))

    def skip(self, file: FoundFile, kind: str, message: str, endings: tuple[str, ...] = ()) -> None:
        """Pass over a file: in silence, unless it was named or its ending promises something."""
        if file.named:
            self.remark(file.name, kind, message)
        elif _is_written_now(file):
            return
        elif file.leaf.lower().endswith(endings):
            said = f"{message}; skipped"
            self.diagnostics.append(Diagnostic(file.name, kind, said, incomplete=False))
        else:
            self.skipped.append(SkippedFile(file.name, message))


def _is_written_now(file: FoundFile) -> bool:
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


def take(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """Take in a file, or all members of an archive."""
    taken = Intake()
    rule = next((r for r in rules if fnmatch.fnmatch(file.name, r.glob)), None)
    if rule is not None and rule.ignore:
        taken.skipped.append(SkippedFile(file.name, "the settings say so"))
        return taken
    if file.is_archive:
        return _archive(file, rules)
    data = _bytes(file, taken)
    if data is not None and data.startswith(COMPRESSED):
        data = _unpack(file, data, taken)
    if data is not None:
        _identify(file, data, rule or FileRule(""), taken)
    return taken


def _archive(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """All members of an archive. What was read before it breaks off is judged; one over a limit
    is refused as a whole.
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
        why = "in an archive it steers nothing" if not why and leaf in CONTROL else why
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
    """Whether the beginning of a file that is too large is one of a configuration."""
    text = decode(head).text
    return text is not None and _is_known(file, text)


def _is_known(file: FoundFile, text: str) -> bool:
    """Whether any reader knows a text, or a few of its words."""
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
        _tell_quotation(file, text, form, taken)
        return
    if rule.nos is None and is_report(text):
        if is_baseline(text) and not file.named:
            return
        taken.skip(file, "report", "a report of a checker, no configuration")
        return
    if len(text) > LINE_LIMIT and text.count("\n") > LINE_LIMIT:
        _too_many_lines(file, text, rule, taken)
        return
    before = len(taken.parts)
    last = 0 if text.endswith("\n") else text.count("\n") + 1
    capture = read_capture(text, partial(is_document, rule.nos))
    if capture is None or not _take_capture(file, capture, rule, taken, last):
        identity = _tell(file, text, rule, taken)
        if identity is None:
            return
        part = Part(
            file.name, file.path, identity, digest(data), len(data), file.folder, file.leaf,
            written=time_of_writing(text, identity.time),
            given=device_name(rule.device), role=rule.role,
            packed=None if file.path is not None else pack(data),
        )  # fmt: skip
        if file.path is not None:
            part.file = SourceFile(file.name, text, part.sha256, file.path)
        if not (
            names_another(text, part.source)
            and _take_capture(file, Capture([passage_of(text)]), rule, taken, last)
        ):
            _keep_part(part, text, taken, last)
    if decoded.problem and len(taken.parts) > before:
        taken.diagnostics.append(
            Diagnostic(file.name, "encoding", decoded.problem, decoded.line, incomplete=False)
        )


def _tell_quotation(file: FoundFile, text: str, form: str, taken: Intake) -> None:
    """A text that another program wrote around the lines of a device."""
    if file.named or _is_known(file, text):
        taken.remark(file.name, "unsupported-form", form)
    else:
        taken.skip(file, "unsupported-form", form, CONFIGURATIONS)


def _too_many_lines(file: FoundFile, text: str, rule: FileRule, taken: Intake) -> None:
    if _tell(file, text, rule, taken) is not None:
        taken.remark(file.name, "over-limit", f"more than {LINE_LIMIT} lines, not read")


def _tell(file: FoundFile, text: str, rule: FileRule, taken: Intake) -> Identity | None:
    """What wrote a text that is read as it is; None, and a remark, where nobody knows."""
    if rule.nos is None and is_program(text):
        if form := refusal(text):
            taken.remark(file.name, "unsupported-form", form)
        else:
            taken.skipped.append(SkippedFile(file.name, "Terraform of a cloud"))
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
    """A script that writes a document, and is taken for it by its words, as the script it is."""
    nos = all_nos()[identity.nos]
    if not text.startswith("#!") or nos.by_source[identity.source].form is not Form.YAML:
        return identity
    scripts = [source.name for source in nos.sources if source.form is Form.SHELL]
    return replace(identity, source=scripts[0], args={}) if scripts else identity


def _keep_part(part: Part, text: str, taken: Intake, last: int) -> None:
    """Add a part, if it is no longer than what its source can be.

    `last` is the number of the file's last line where that has no end, else 0.
    """
    if part.source.form in SCRIPTS and len(text) > SCRIPT_LIMIT:
        source = part.identity.source
        message = f"more than {SCRIPT_LIMIT >> 10} KiB, too long for a {source}; not read"
        taken.remark(part.name, "over-limit", message)
        return
    part.hostname = hostname_in(part.source, text)
    taken.parts.append(part)
    missing = cut_off(part.source, text, at_end=bool(last) and _last_line(part, text) == last)
    if missing and not part.identity.args.get("part"):
        message = f"{CUT_OFF}: {missing}; what stood behind it is not judged"
        taken.remark(part.name, "cut-off", message)


def _last_line(part: Part, text: str) -> int:
    end = text.count("\n") + 1
    return end if part.placing is None else part.placing.line(end)


def _take_capture(
    file: FoundFile, capture: Capture, rule: FileRule, taken: Intake, last: int
) -> bool:
    """The texts of a capture as parts; False where nobody knows any of them."""
    try:
        parts = parts_of(file, capture, rule.nos)
    except SeveralDevicesError as error:
        message = (
            f"holds the configurations of several devices ({', '.join(error.names[:4])}), and "
            "nothing tells where each begins: save each in a file of its own"
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
    if capture.told:
        message = f"read as a capture; taken out: {'; '.join(capture.told)}"
        taken.diagnostics.append(Diagnostic(file.name, "capture", message, incomplete=False))
    return True


def _whole_configuration(nos: str | None) -> Identity | None:
    """What a file is that the settings give to a NOS: its configuration, if it has but one kind."""
    if nos is None:
        return None
    base = [source.name for source in all_nos()[nos].sources if source.base]
    return Identity(nos, base[0]) if len(base) == 1 else None
