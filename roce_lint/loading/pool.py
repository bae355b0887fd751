"""Identifies formats and parses devices, locally or in workers; a faulty file affects no other."""

from __future__ import annotations

import importlib
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from roce_lint.budget import GENEROUS, Limits, OverBudgetError, budget, memory
from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.loading.decode import CUT_OFF
from roce_lint.loading.discover import FoundFile
from roce_lint.loading.file_part import FilePart, text_of
from roce_lint.loading.group import Group
from roce_lint.loading.intake import FileRule, Intake, take
from roce_lint.loading.serialization import ForeignError, pack, unpack
from roce_lint.loading.workers import Tick, Work, chunks, processors, spread
from roce_lint.model.device import Device, NoteKind, ParseNote
from roce_lint.nos.declare import Form, Source
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.text.alignment import align
from roce_lint.text.numbers import whole_of
from roce_lint.text.redaction import redact
from roce_lint.text.source import FileRef, LineState, SourceFile

# Unfilled placeholders of a template: neither values, nor replaced by defaults.

_HINTS = (
    ("$", ("${", " $", "\t$", '"$', "'$")), ("%", ("{%", "%{")), ("{", ("{{",)), ("<", ("<",)),
)  # fmt: skip
"""Beginnings of placeholders, by a character that is fast to find."""

_PLACEHOLDER = re.compile(
    r"\$\{[^}\n]{1,200}\}|\{\{[^\n]{1,200}?\}\}|\{%[^\n]{1,200}?%\}|%\{[^}\n]{1,200}\}"
    r"|(?<![\w<])<[A-Z][A-Z0-9_ -]{1,40}>|(?<=[ \t\"'])\$(?!junos)[A-Za-z_]\w{1,60}\b(?![$./])"
)
_FREE_TEXT = re.compile(
    r"\s*(?:set \S.*? )?(?:description|remark|comment|alias|annotate|name|banner|message|snmp\S*)\b"
)
_COUNTED = (
    LineState.UNDERSTOOD, LineState.SHADOWED, LineState.UNRECOGNISED, LineState.CAPTURED,
)  # fmt: skip
LINE_FORMS = (Form.INDENTED, Form.STATEMENTS)


@dataclass(slots=True, frozen=True)
class Template:
    """A template: its first placeholder, their number, and whether the device is lost."""

    file: str
    line: int
    text: str
    count: int
    whole: bool


def find_template(device: Device, files: list[tuple[SourceFile, Source]]) -> Template | None:
    """Placeholders among the lines that make a switch; None without any."""
    for ref, (file, source) in zip(device.src.files, files, strict=False):
        if source.base and source.form in LINE_FORMS and (found := _in_lines(ref, file, source)):
            return found
    return _in_notes(device)


def _may_hold(text: str) -> bool:
    """Whether there may be a placeholder; a cheap search for characters."""
    return any(mark in text and any(hint in text for hint in hints) for mark, hints in _HINTS)


def _in_lines(ref: FileRef, file: SourceFile, source: Source) -> Template | None:
    if not _may_hold(file.text) or not _PLACEHOLDER.search(file.text):
        return None
    own = re.compile(source.variables) if source.variables is not None else None
    places = [
        (number, found[0])
        for number, (line, state) in enumerate(zip(file.lines(), ref.states, strict=False), 1)
        if state in _COUNTED and not _FREE_TEXT.match(line)
        for found in _PLACEHOLDER.finditer(line)
        if own is None or not own.fullmatch(found[0])
    ]
    if not places:
        return None
    number, text = places[0]
    return Template(ref.name, ref.line(number), text, len(places), whole=True)


def _in_notes(device: Device) -> Template | None:
    """Values that a reader could not take because they are placeholders."""
    kept: list[ParseNote] = []
    found: list[ParseNote] = []
    for note in device.notes:
        match = _PLACEHOLDER.search(note.message) if note.kind is NoteKind.BAD_VALUE else None
        (kept if match is None else found).append(note)
    if not found:
        return None
    device.notes = kept
    position = found[0].at.get("", 0)
    ref = device.src.files[device.src.file_of(position)] if position else device.src.files[0]
    text = _PLACEHOLDER.search(found[0].message)
    return Template(ref.name, 0, text[0] if text else "", len(found), whole=False)


# Identification and parsing.

POOL_FROM = 3 << 20
"""Bytes below which one process is as fast as several (measured in benchmarks/)."""

CHUNK = 512 << 10
"""Bytes of configuration a worker is given at a time."""

PARALLEL_FROM = 256
FILES_AT_ONCE = 128
"""Files below which one process is as fast as several, and files per worker at a time."""

IDENTIFY_SECONDS = 60.0
"""Processor time to identify a file; the first and the last 64 KiB are examined."""

CRASHED = "SRC901"

CRASH = "reader-crashed"
"""Kind of the diagnostics that are also findings of SRC901."""


@dataclass(slots=True)
class Read:
    """Result of reading one group: a device (and its bytes), or the reasons for failure."""

    device: Device | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    packed: bytes | None = None


def read_group(group: Group, *, limits: Limits = GENEROUS, packed: bool = False) -> Read:
    """Read one device; a file that is not what it claims is left out and reported, and so is a
    device that exceeds the limits of time or memory.
    """
    read = Read()
    parts = list(group.parts)
    try:
        with memory(limits.device_gib), budget(limits.seconds_for(group.size)):
            while parts and read.device is None:
                read.device = _attempt(group, parts, read.diagnostics)
            if read.device is not None and group.startup:
                _note_unsaved(read.device, group, parts, read.diagnostics)
            if packed and read.device is not None:
                read.packed = pack(read.device)
    except OverBudgetError as error:
        read.device = None
        read.diagnostics.append(_crash(group, str(error)))
    except MemoryError:
        read.device = None
        read.diagnostics.append(
            _crash(group, f"took more than {limits.device_gib:g} GiB of memory")
        )
    except Exception as error:  # the border around one device: the others must be read
        read.device = None
        what = redact(f"{type(error).__name__}: {error}"[:500])
        read.diagnostics.append(_crash(group, f"crashed: {what}", redact(traceback.format_exc())))
    return read


def _attempt(group: Group, parts: list[FilePart], diagnostics: list[Diagnostic]) -> Device | None:
    """Read the parts; one that cannot be read is removed from the list and reported."""
    files = []
    for part in list(parts):
        try:
            file = text_of(part)
        except ReadError as error:
            diagnostics.append(Diagnostic(part.name, "unreadable", error.message))
            parts.remove(part)
            continue
        identity = part.identity
        header = 1 if identity.header else 0
        files.append(IdentifiedFile(file, part.source, dict(identity.args), header, identity.time))
    if not files:
        return None
    try:
        device = read_device(all_nos()[group.nos], group.device, files)
        if _is_template(device, files, parts, diagnostics):
            return None
        diagnostics += _cut_off(device)
        return device
    except ReadError as error:
        name, line = _place(error)
        placing = next((f.file.placing for f in files if f.file.name == name), None)
        line = placing.line(line) if placing is not None and line is not None else line
        diagnostics.append(Diagnostic(name or parts[0].name, "syntax", error.message, line))
        bad = [part for part in parts if part.name == name] or list(parts)
        for part in bad:
            parts.remove(part)
        return None


def _note_unsaved(
    device: Device, group: Group, parts: list[FilePart], diagnostics: list[Diagnostic]
) -> None:
    """Note each line that only the running or only the startup configuration has."""
    startup = group.startup[0]
    running = next((p for p in parts if p.identity.source == startup.identity.source), None)
    saved = _attempt(group, [startup], diagnostics)
    if running is None or saved is None:
        return
    refs = device.src.files[parts.index(running)], saved.src.files[0]
    texts = [text_of(part).lines() for part in (running, startup)]
    told = [[n for n, line in enumerate(own) if line.lstrip()[:1] not in _BESIDE] for own in texts]
    lines = [[own[n].rstrip() for n in numbers] for own, numbers in zip(texts, told, strict=True)]
    for part in align(*lines):
        ranges = ((part.a, part.a_end), (part.b, part.b_end)) if not part.same else ()
        for side, (begin, end) in enumerate(ranges):
            for number in told[side][begin:end]:
                note = ParseNote(kind=NoteKind.UNSAVED, message=_UNSAVED[side])
                note.src = (device, saved)[side].src
                note.at[""] = refs[side].first + number + 1
                device.notes.append(note)


_BESIDE = ("", "!", "#")
"""First characters of blank lines and comments."""

_UNSAVED = (
    "the startup configuration does not have this line",
    "only the startup configuration has this line",
)


def _is_template(
    device: Device,
    files: list[IdentifiedFile],
    parts: list[FilePart],
    diagnostics: list[Diagnostic],
) -> bool:
    """Report placeholders; True if they make the device unusable."""
    found = find_template(device, [(one.file, one.source) for one in files])
    if found is None:
        return False
    fields = "1 placeholder is" if found.count == 1 else f"{found.count} placeholders are"
    message = f"a template: {fields} not filled in, such as {found.text}; render it first"
    if found.whole:
        message += f"; {device.hostname} was not checked"
        parts.clear()
    diagnostics.append(
        Diagnostic(found.file, "template", message, found.line or None, incomplete=found.whole)
    )
    return found.whole


def _cut_off(device: Device) -> Iterator[Diagnostic]:
    """Report texts that end inside a construct, each at its first place."""
    reported = set()
    for note in device.notes:
        position = note.at.get("", 0)
        ref = device.src.files[device.src.file_of(position)]
        if note.kind is NoteKind.CUT and ref.name not in reported:
            reported.add(ref.name)
            message = f"{CUT_OFF}: {note.message}; the rest is missing and was not checked"
            line = ref.line(device.src.line_of(position))
            source = (ref.path, ref.sha256)
            yield Diagnostic(
                ref.name, "cut-off", message, line, device=device.hostname, source=source
            )


def _place(error: ReadError) -> tuple[str, int | None]:
    name, colon, line = (error.location or "").rpartition(":")
    return (name, whole_of(line)) if colon and line.isdecimal() else (error.location or "", None)


def _crash(group: Group, what: str, detail: str = "") -> Diagnostic:
    message = f"{CRASHED} reading {group.device} {what}"
    first = group.parts[0]
    return Diagnostic(
        first.name, CRASH, message, detail=detail, device=group.device,
        source=(first.path, first.sha256),
    )  # fmt: skip


def take_all(
    files: list[FoundFile], rules: tuple[FileRule, ...], jobs: int, tick: Tick
) -> Iterator[Intake]:
    """Take in all files, in order. `jobs` 0 means one process per processor."""
    jobs = jobs or processors()
    if jobs == 1 or len(files) < PARALLEL_FROM or any(_is_of_this_process(file) for file in files):
        for file in files:
            yield _take(file, rules)
            tick(1)
        return
    given = list(chunks(files, lambda _: 1, FILES_AT_ONCE))
    yield from spread(given, Work(partial(_take_some, rules), _untaken), jobs, tick)


def _is_of_this_process(file: FoundFile) -> bool:
    """Whether other processes would need the file, or its result, sent as bytes."""
    return file.data is not None or file.is_archive


def _take_some(rules: tuple[FileRule, ...], files: list[FoundFile]) -> list[Intake]:
    taken = [_take(file, rules) for file in files]
    for one in taken:
        one.forget_texts()  # they would have to be sent
    return taken


def _take(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """Take in a file. Archives have their own limits."""
    if file.is_archive:
        return take(file, rules)
    try:
        with budget(IDENTIFY_SECONDS):
            return take(file, rules)
    except OverBudgetError as error:
        return _untaken(file, str(error))


def _untaken(file: FoundFile, why: str = "ended the process (out of memory?)") -> Intake:
    taken = Intake()
    taken.remark(file.name, "unreadable", f"identifying its format {why}")
    return taken


Spread = Callable[
    [list[list[Group]], Work[Group, Read], Tick, Callable[[], object] | None], Iterator[Read]
]
"""A function that reads elsewhere than in local processes."""


def read_all(
    groups: list[Group],
    jobs: int,
    tick: Tick,
    meanwhile: Callable[[], object] | None = None,
    *,
    limits: Limits = GENEROUS,
    packed: bool = False,
    cluster: Spread | None = None,
) -> Iterator[Read]:
    """Read all groups, in order. `jobs` 0 means one process per processor.

    `meanwhile` is called when the workers have begun; without workers, before anything is read.
    With `packed` a device comes with its bytes as well, for the cache.
    """
    jobs = jobs or processors()
    few = jobs == 1 or sum(group.size for group in groups) < POOL_FROM
    if cluster is None and few:
        if meanwhile is not None:
            meanwhile()
        for group in groups:
            yield read_group(group, limits=limits, packed=packed)
            tick(1)
        return
    for name in {group.nos for group in groups}:  # once, and not in every worker
        importlib.import_module(all_nos()[name].module)
    work = Work(partial(_read_packed, limits), _lose)
    given = list(chunks(groups, _size, CHUNK))
    if cluster is not None:
        reads = cluster(given, work, tick, meanwhile)
    else:
        reads = spread(given, work, jobs, tick, meanwhile)
    for group, read in zip(groups, reads, strict=True):
        if read.packed is not None:
            try:
                read.device = unpack(read.packed)
            except ForeignError as error:
                what = f"returned data outside the model: {error}"
                read.diagnostics.append(_crash(group, what))
                read.packed = None
        if not packed:
            read.packed = None
        yield read


def _size(group: Group) -> int:
    return group.size


def _read_packed(limits: Limits, groups: list[Group]) -> list[Read]:
    reads = []
    for group in groups:
        read = read_group(group, limits=limits, packed=True)
        read.device = None  # its memory is the next one's
        reads.append(read)
    return reads


def _lose(group: Group) -> Read:
    return Read(None, [_crash(group, "ended the process (out of memory?)")])
