"""Tells formats and reads devices, here or in worker processes; none is lost to another's fault."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from roce_lint.budget import GENEROUS, Limits, OverBudgetError, budget, memory
from roce_lint.engine.finding import Diagnostic
from roce_lint.errors import ReadError
from roce_lint.loading.discover import FoundFile
from roce_lint.loading.endings import CUT_OFF
from roce_lint.loading.group import Group
from roce_lint.loading.intake import FileRule, Intake, take
from roce_lint.loading.part import Part, text_of
from roce_lint.loading.placeholders import find_template
from roce_lint.loading.transfer import ForeignError, pack, unpack
from roce_lint.loading.workers import Tick, Work, chunks, processors, spread
from roce_lint.model.device import Device, NoteKind
from roce_lint.nos.device_reader import IdentifiedFile, read_device
from roce_lint.nos.registry import all_nos
from roce_lint.text.numbers import whole_of
from roce_lint.text.redaction import redact

POOL_FROM = 3 << 20
"""Bytes below which one process is as fast as several (measured in benchmarks/)."""

CHUNK = 512 << 10
"""Bytes of configuration a worker is given at a time."""

TAKEN_FROM = 256
TAKEN_AT_ONCE = 32
"""Files below which one process tells formats as fast as several, and how many a worker is given
at a time.
"""

TELLING_SECONDS = 60.0
"""Processor time to tell the format of a file; the first and the last 64 KiB are looked at."""

CRASHED = "SRC901"

CRASH = "reader-crashed"
"""Kind of the diagnostics that are findings of SRC901 as well."""


@dataclass(slots=True)
class Read:
    """What reading one group gave: a device (and its bytes), or the reasons why not."""

    device: Device | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    packed: bytes | None = None


def read_group(group: Group, *, limits: Limits = GENEROUS, packed: bool = False) -> Read:
    """Read one device; a file that is not what it claims is left out and reported, and so is a
    device that takes more time or memory than it may.
    """
    read = Read()
    parts = list(group.parts)
    try:
        with memory(limits.device_gib), budget(limits.seconds_for(group.size)):
            while parts and read.device is None:
                read.device = _attempt(group, parts, read.diagnostics)
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


def _attempt(group: Group, parts: list[Part], diagnostics: list[Diagnostic]) -> Device | None:
    """Read the parts; one that cannot be read is taken out of the list and reported."""
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


def _is_template(
    device: Device, files: list[IdentifiedFile], parts: list[Part], diagnostics: list[Diagnostic]
) -> bool:
    """Whether places that nobody has filled decide over the device; says so of any."""
    found = find_template(device, [(one.file, one.source) for one in files])
    if found is None:
        return False
    places = "place" if found.count == 1 else "places"
    message = (
        f"a template: {found.count} {places} such as {found.text} are no values; render it first"
    )
    if found.whole:
        message += f"; {device.hostname} is not judged"
        parts.clear()
    diagnostics.append(
        Diagnostic(found.file, "template", message, found.line or None, incomplete=found.whole)
    )
    return found.whole


def _cut_off(device: Device) -> Iterator[Diagnostic]:
    """The texts that end inside what they began, each at the first place that shows it."""
    told = set()
    for note in device.notes:
        position = note.at.get("", 0)
        ref = device.src.files[device.src.file_of(position)]
        if note.kind is NoteKind.CUT and ref.name not in told:
            told.add(ref.name)
            message = f"{CUT_OFF}: {note.message}; what stood behind it is not judged"
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
    """What becomes of each file, in their order. `jobs` 0 means one process per processor."""
    jobs = jobs or processors()
    if jobs == 1 or len(files) < TAKEN_FROM or any(_is_of_this_process(file) for file in files):
        for file in files:
            yield _take(file, rules)
            tick(1)
        return
    given = list(chunks(files, lambda _: 1, TAKEN_AT_ONCE))
    yield from spread(given, Work(partial(_take_some, rules), _untaken), jobs, tick)


def _is_of_this_process(file: FoundFile) -> bool:
    """True for what other processes would have to be sent, or to send back, as bytes."""
    return file.data is not None or file.is_archive


def _take_some(rules: tuple[FileRule, ...], files: list[FoundFile]) -> list[Intake]:
    taken = [_take(file, rules) for file in files]
    for one in taken:
        one.forget_texts()  # they would have to be sent
    return taken


def _take(file: FoundFile, rules: tuple[FileRule, ...]) -> Intake:
    """What becomes of a file. Archives have limits of their own."""
    if file.is_archive:
        return take(file, rules)
    try:
        with budget(TELLING_SECONDS):
            return take(file, rules)
    except OverBudgetError as error:
        return _untaken(file, str(error))


def _untaken(file: FoundFile, why: str = "ended the process (out of memory?)") -> Intake:
    taken = Intake()
    taken.remark(file.name, "unreadable", f"telling its format {why}")
    return taken


def read_all(
    groups: list[Group],
    jobs: int,
    tick: Tick,
    meanwhile: Callable[[], object] | None = None,
    *,
    limits: Limits = GENEROUS,
    packed: bool = False,
) -> Iterator[Read]:
    """Read all groups, in their order. `jobs` 0 means one process per processor.

    `meanwhile` is called when the workers have begun; without workers, before anything is read.
    With `packed` a device comes with its bytes as well, for the cache.
    """
    jobs = jobs or processors()
    if jobs == 1 or sum(group.size for group in groups) < POOL_FROM:
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
    for group, read in zip(groups, spread(given, work, jobs, tick, meanwhile), strict=True):
        if read.packed is not None:
            try:
                read.device = unpack(read.packed)
            except ForeignError as error:
                what = f"gave what is no part of the model: {error}"
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
