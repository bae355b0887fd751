"""Bundles: devices that were read, in one file, to be checked later or elsewhere.

A bundle holds the models of the devices, the lines that reports can show, without their secrets,
and the remarks on the files. It has a line with its version, the hash of the rest, and compressed
records: a `_Head`, and for each device an `_Entry`, the model and the texts. File names are
relative to the folder that was read, and that folder to the folder of the bundle.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from roce_lint._version import __version__
from roce_lint.budget import Limits, OverBudgetError, budget, memory
from roce_lint.engine.finding import Diagnostic, SkippedFile
from roce_lint.loading.discover import BUNDLE, PLANS, UNUSED_PLAN, Control, Discovery, beneath
from roce_lint.loading.discover import reason as reason_of
from roce_lint.loading.file_part import FilePart, Memory
from roce_lint.loading.group import Group
from roce_lint.loading.intake import Intake
from roce_lint.loading.naming import printable
from roce_lint.loading.pool import Read
from roce_lint.loading.serialization import ForeignError, pack_masked, unpack_strict
from roce_lint.model.device import Role
from roce_lint.nos.registry import all_nos
from roce_lint.text.excerpts import Excerpts, ShownFile
from roce_lint.text.files import read_small
from roce_lint.text.redaction import MASK, names_secret, redact, redact_each, secret_lines
from roce_lint.text.source import FileRef, SourceFile, SourceMap, key_of

T = TypeVar("T")

MAGIC = b"roce-lint bundle "
FORMAT = 1

SIZE_LIMIT = 1 << 30
"""Bytes of a bundle; 256 switches with 1,024 hosts take 10 MB."""

RECORD_LIMIT = 256 << 20
RECORD_RATIO = 200
SMALL = 1 << 20
"""Unpacked bytes of one record, the ratio to its packed size, and what is always allowed. Texts of
configurations pack 5 to 12 times."""

_LENGTH = 4
_Text = tuple[tuple[str, ...], list[tuple[int, int, str]], list[tuple[int, int, int]], str]
"""Fields of a `ShownFile`."""


@dataclass(slots=True)
class _Head:
    base: str  # relative to the folder of the bundle, as are the folders
    folders: list[str]
    controls: list[Control]  # paths relative to the base
    found: tuple[list[Diagnostic], list[SkippedFile]]
    taken: tuple[list[Diagnostic], list[SkippedFile]]
    settings: tuple[str, str] | None  # path, relative to the folder of the bundle, and text
    __pydantic_config__: ClassVar = ConfigDict(strict=True)


@dataclass(slots=True)
class _Entry:
    """One device; or one file that is not used, without a `nos`."""

    device: str
    nos: str
    parts: list[tuple[int, FilePart]]  # with their order in the bundle
    diagnostics: list[Diagnostic]
    __pydantic_config__: ClassVar = ConfigDict(
        strict=True, ser_json_bytes="base64", val_json_bytes="base64"
    )


_HEAD, _ENTRY, _TEXTS = TypeAdapter(_Head), TypeAdapter(_Entry), TypeAdapter(list[_Text])


# Writing.


class _Masks:
    """Texts without their secrets. Texts that differ in nothing else get different ones."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        known = self._known.get(text)
        if known is None:
            known = redact(text)
            if known != text:
                count = self._count[known] = self._count.get(known, -1) + 1
                # The form of a token, which reports mask.
                known = known.replace(MASK, f"ghp_{count:020d}", 1) if count else known
            self._known[text] = known
        return known


def write_bundle(
    path: Path,
    found: Discovery,
    taken: Intake,
    reads: list[tuple[Group, Read]],
    excerpts: Excerpts,
    settings: tuple[Path, str] | None,
) -> bytes:
    """The bytes of a bundle for `path`, with the results of reading and the found settings."""
    folder, mask = os.path.abspath(path.parent), _Masks()  # noqa: PTH100  (lexical)

    def relative(name: str | Path) -> str:
        return os.path.relpath(os.path.abspath(name), folder)  # noqa: PTH100

    def masked(each: Diagnostic) -> Diagnostic:
        source = (None, each.source[1]) if each.source is not None else None
        return replace(each, message=mask(each.message), detail=mask(each.detail), source=source)

    head = _Head(
        relative(found.base),
        [relative(each) for each in found.folders],
        [
            Control(each.kind, os.path.relpath(each.path, found.base), each.name, _plan(each))
            for each in found.controls
        ],
        ([masked(d) for d in found.diagnostics if d.kind != UNUSED_PLAN], found.skipped),
        ([masked(d) for d in taken.diagnostics], taken.skipped),
        (relative(settings[0]), settings[1]) if settings is not None else None,
    )
    order = {id(part): number for number, part in enumerate(taken.parts)}
    used = {id(part) for group, _ in reads for part in group.files}
    rest = [Group(part.device, "", [part]) for part in taken.parts if id(part) not in used]
    records = [_HEAD.dump_json(head)]
    for group, read in [*reads, *((each, Read()) for each in rest)]:
        parts = [(order[id(part)], part) for part in group.files]
        texts = [_text(part, read, excerpts) for _, part in parts]
        parts = [(at, replace(part, path=None, packed=None, file=None)) for at, part in parts]
        diagnostics = [masked(each) for each in read.diagnostics]
        entry = _Entry(group.device, group.nos, parts, diagnostics)
        records.append(_ENTRY.dump_json(entry))
        records.append(_model(read, mask))
        records.append(_TEXTS.dump_json(texts))
    packed = [zlib.compress(record) for record in records]
    rest_of_file = b"".join(len(each).to_bytes(_LENGTH, "big") + each for each in packed)
    return b"%b%b\n%b" % (
        _version(),
        hashlib.sha256(rest_of_file).hexdigest().encode(),
        rest_of_file,
    )


def _version() -> bytes:
    return b"%b%d %b\n" % (MAGIC, FORMAT, __version__.encode())


def _plan(file: Control) -> str | None:
    """The text of a cable plan without its secrets; None if it is none, or cannot be read."""
    if file.kind not in PLANS:
        return None
    try:
        text = read_small(Path(file.path), RECORD_LIMIT).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.split("\n")
    secret = secret_lines(lines)
    masked = enumerate(redact_each(lines), 1)
    return "\n".join(MASK if number in secret else line for number, line in masked)


def _model(read: Read, mask: Callable[[str], str]) -> bytes:
    if read.device is None:
        return b""
    src = read.device.src
    for ref in src.files:
        ref.path = None
    for ignore in src.ignores:
        ignore.reason = redact(ignore.reason)
    src.keys = [*_masked(src)]
    variables = read.device.environment
    variables.update((name, MASK) for name in variables if names_secret(name))
    return pack_masked(read.device, mask)


def _masked(src: SourceMap) -> Iterator[Hashable]:
    """The keys of trees, those below a name of secrets masked."""
    secret: set[int] = set()
    for number, key in enumerate(src.keys):
        hidden = src.node_above(number) in secret
        if hidden or names_secret(key):
            secret.add(number)
        yield MASK if hidden else key


def _text(part: FilePart, read: Read, excerpts: Excerpts) -> _Text:
    src = read.device.src if read.device is not None else SourceMap()
    key = key_of(part.name, part.sha256, part.placing)
    index = next((n for n, ref in enumerate(src.files) if ref.key == key), None)
    if index is None:
        ref = FileRef(part.name, part.path, part.sha256, "", 0, 0, bytearray(), part.placing)
        ref.environment = part.source.environment
        src, index = SourceMap([ref]), 0
    file = excerpts.shown(src, index)
    long = [(line, column, text) for (line, column), text in file.long.items()]
    places = [(position, *place) for position, place in file.places.items()]
    return file.shown, long, places, file.note


# Reading.


@dataclass(slots=True)
class Bundle:
    """A bundle that was read; one that cannot be has a diagnostic alone."""

    found: Discovery
    _taken: Intake = field(default_factory=Intake)
    _entries: dict[str, tuple[_Entry, Read, bytes]] = field(default_factory=dict)

    def take(self, prefix: str) -> Intake:
        """The parts of the devices, and diagnostics about files, below a folder of the run."""
        parts: list[tuple[int, FilePart]] = []
        for key, (entry, read, _) in self._entries.items():
            for _, part in entry.parts:
                part.name, part.bundled = beneath(prefix, part.name), key
                part.folder = beneath(prefix, part.folder) or prefix
            for ref in read.device.src.files if read.device is not None else ():
                ref.name = beneath(prefix, ref.name)
            read.diagnostics = _beneath(prefix, entry.diagnostics)
            parts += entry.parts
        skipped = [SkippedFile(beneath(prefix, s.file), s.reason) for s in self._taken.skipped]
        parts.sort(key=lambda pair: pair[0])
        diagnostics = _beneath(prefix, self._taken.diagnostics)
        return Intake([part for _, part in parts], diagnostics, skipped)

    def reads(self, groups: list[Group]) -> dict[int, Read]:
        """The devices by the number of their group."""
        found: dict[int, Read] = {}
        for number, group in enumerate(groups):
            for part in group.files:
                if (known := self._entries.get(part.bundled)) is not None:
                    found[number] = _same(*known[:2], group)
        return found

    def lend(self, texts: Memory, base: str) -> None:
        """Make the texts known to a run whose names are relative to `base`."""
        for plan in self.found.controls:
            if plan.text is not None:
                name = os.path.relpath(plan.path, base)
                texts.lend(name, partial(SourceFile.of, name, plan.text))
        for entry, _, packed in self._entries.values():
            for number, (_, part) in enumerate(entry.parts):
                text = partial(_shown, part, packed, number)
                texts.lend(key_of(part.name, part.sha256, part.placing), text)
                if part.placing is not None and part.placing.line(1) == 1:
                    texts.lend(part.name, text)


def _beneath(prefix: str, given: list[Diagnostic]) -> list[Diagnostic]:
    return [replace(each, file=beneath(prefix, each.file)) for each in given]


def _same(entry: _Entry, read: Read, group: Group) -> Read:
    """The device of a group, if it was read from the same files."""
    own = [part for _, part in entry.parts]
    same = [*map(id, own)] == [*map(id, group.files)] and entry.nos == group.nos
    if same and own[0].source.apart and read.device is not None:  # named after its file
        entry.device = read.device.hostname = group.device
    if same and entry.device == group.device:
        return read
    first = {part.bundled: part for part in reversed(group.files)}  # of each bundle
    names = " and ".join(sorted(part.name for part in first.values()))
    message = (
        f"two configurations of {group.device}: {names}; files from a bundle are not joined with "
        "others, so none is judged"
    )
    part = group.parts[0]
    source = (part.path, part.sha256)
    return Read(
        None, [Diagnostic(part.name, "two-configs", message, device=group.device, source=source)]
    )


def _shown(part: FilePart, packed: bytes, number: int) -> ShownFile:
    given = part.name, "", part.sha256, None, part.placing
    try:
        lines, long, places, note = _TEXTS.validate_json(_unpack(packed), strict=True)[number]
    except (ForeignError, ValidationError, IndexError):
        return ShownFile(*given, note="the text in the bundle cannot be read")
    by_column = {(line, column): text for line, column, text in long}
    return ShownFile(*given, lines, by_column, {at: (line, col) for at, line, col in places}, note)


def open_bundles(paths: tuple[str, ...], limits: Limits) -> dict[str, Bundle]:
    """The bundles among some paths."""
    found: dict[str, Bundle] = {}
    for path in dict.fromkeys(paths):
        if path.endswith(BUNDLE) and os.path.isfile(path):  # noqa: PTH113  (never raises)
            try:
                found[path] = _open(path, limits)
            except (OSError, ForeignError) as error:
                message = f"a bundle that cannot be used: {reason_of(error)}"
            except (OverBudgetError, MemoryError):
                message = "a bundle that cannot be used: it takes too much time or memory"
            else:
                continue
            base = str(Path(path).parent)
            name = printable(Path(path).name)
            diagnostic = Diagnostic(name, "unreadable", message)
            found[path] = Bundle(Discovery(diagnostics=[diagnostic], base=base, folders=[base]))
    return found


def settings_of(path: str) -> tuple[Path, str] | None:
    """The settings that were found where a bundle was read, as path and text."""
    try:
        head = _HEAD.validate_json(_unpack(next(_records(path))), strict=True)
    except (OSError, ForeignError, ValidationError, StopIteration):
        return None  # reported when it is read
    return (_at(path, head.settings[0]), head.settings[1]) if head.settings else None


def _at(path: str, name: str) -> Path:
    return Path(os.path.normpath(Path(path).parent / name))


def _open(path: str, limits: Limits) -> Bundle:
    records = _records(path)
    head = _validate(_HEAD, next(records, b""))
    base = str(_at(path, head.base))
    found = Discovery(
        controls=[replace(each, path=str(Path(base, each.path))) for each in head.controls],
        diagnostics=head.found[0],
        skipped=head.found[1],
        base=base,
        folders=[str(_at(path, each)) for each in head.folders],
    )
    entries: dict[str, tuple[_Entry, Read, bytes]] = {}
    for number, packed in enumerate(records):
        entry = _validate(_ENTRY, packed)
        if not all(_is_known(part) for _, part in entry.parts):
            raise ForeignError("a file is of a kind that this version does not know")
        model, texts = next(records, b""), next(records, b"")
        data = _unpack(model)
        read = Read(diagnostics=entry.diagnostics)
        if data:
            with memory(limits.device_gib), budget(limits.seconds_for(len(data))):
                read.device = unpack_strict(data)
            if read.device.hostname != entry.device or not _fits(entry, read.device.src):
                raise ForeignError("a device is not the one of its files")
        entries[f"{path}#{number}"] = entry, read, texts
    return Bundle(found, Intake([], *head.taken), entries)


def _is_known(part: FilePart) -> bool:
    nos = all_nos().get(part.identity.nos)
    known = part.role is None or part.role in {role.value for role in Role}
    return known and nos is not None and part.identity.source in nos.by_source


def _fits(entry: _Entry, src: SourceMap) -> bool:
    keys = {key_of(part.name, part.sha256, part.placing) for _, part in entry.parts}
    return all(ref.key in keys and ref.path is None for ref in src.files)


def _validate(adapter: TypeAdapter[T], packed: bytes) -> T:
    try:
        return adapter.validate_json(_unpack(packed), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ForeignError(f"a value is wrong: {first['msg']}") from None


def _records(path: str) -> Iterator[bytes]:
    """The packed records of a bundle."""
    data = read_small(Path(path), SIZE_LIMIT)
    version, _, rest = data.partition(b"\n")
    if not version.startswith(MAGIC):
        raise ForeignError("it was not written by `roce-lint read`")
    if version + b"\n" != _version():
        given = printable(version[len(MAGIC) :][:60].decode("utf-8", "replace"))
        raise ForeignError(
            f"it has version {given}, this is {FORMAT} {__version__}; read the files again"
        )
    sha, _, rest = rest.partition(b"\n")
    if hashlib.sha256(rest).hexdigest().encode() != sha:
        raise ForeignError("it is cut off or was changed")
    at = 0
    while at < len(rest):
        begin = at + _LENGTH
        at = begin + int.from_bytes(rest[at:begin], "big")
        yield rest[begin:at]


def _unpack(packed: bytes) -> bytes:
    unpacked = zlib.decompressobj()
    limit = min(RECORD_LIMIT, max(SMALL, RECORD_RATIO * len(packed)))
    try:
        data = unpacked.decompress(packed, limit + 1)
    except zlib.error as error:
        raise ForeignError(f"a record is broken: {error}") from error
    if len(data) > limit:
        raise ForeignError(f"a record unpacks to more than {limit} bytes")
    if not unpacked.eof:
        raise ForeignError("a record is cut off")
    return data
