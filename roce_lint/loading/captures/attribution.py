"""The texts of a capture as parts of devices: format and owner of each, one device per text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.captures.banners import banner_lines
from roce_lint.loading.captures.read import Capture
from roce_lint.loading.captures.segment import Segment, segment_of
from roce_lint.loading.discover import FoundFile
from roce_lint.loading.file_part import FilePart, pack, read_as
from roce_lint.loading.group import stem, time_of_writing
from roce_lint.loading.identify import Identity, identify
from roce_lint.loading.naming import device_name
from roce_lint.loading.signature_search import searcher
from roce_lint.nos.declare import Form, Signature, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import digest

# Several devices in one text: each hostname line begins another configuration.

BACK = 400
"""Lines above a hostname within which its configuration may begin."""

_BEGINS = re.compile(
    r"[!#*=~/+<-]{0,80} ?(?:command|running configuration|current configuration|configuration of|"
    r"device|last commit|last configuration|show running|show run|file|begin|start)\b.*"
    r"|(?:[-=*#~!]{3,}).*|!Time: .*|#{1,6} .*|version \S+;?|! ?=+.*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:end|return|}|`{3,}|~{3,}|\.\.\.)\s*")


class SeveralDevicesError(Exception):
    """A text names several devices, and the beginning of the second is unclear."""

    def __init__(self, names: list[str]):
        super().__init__(", ".join(names))
        self.names = names


def names_another(text: str, source: Source) -> bool:
    """Whether a text holds several devices, separable or not."""
    if not _may_name_another(text, source):
        return False
    try:
        return len(split(segment_of(text), source)) > 1
    except SeveralDevicesError:
        return True


def _may_name_another(text: str, source: Source) -> bool:
    """Whether a text may name a second device in the syntax of the first; a cheap test."""
    if not source.hostname or not source.base or source.form is Form.JSON:
        return False
    first = searcher(Signature(source.hostname, 0, "hostname"))(text)
    if first is None:
        return False
    begin = text.rfind("\n", 0, first.start("name")) + 1
    words = text[begin : first.start("name")]
    return bool(words.strip()) and text.find(f"\n{words}", first.end()) >= 0


def split(whole: Segment, source: Source) -> list[Segment]:
    """The text of each device.

    Raises:
        SeveralDevicesError: it holds several devices with unclear boundaries.
    """
    if not source.hostname or not source.base or source.form is Form.JSON:
        return [whole]
    inside = banner_lines(whole.lines) if source.form is Form.INDENTED else set()
    named = [one for one in _name_lines(whole.text, source.hostname) if one[0] not in inside]
    if len({name.casefold() for _, name in named}) < 2:
        return [whole]
    starts = [0]
    for (_, before), (index, name) in pairwise(named):
        if before.casefold() == name.casefold():
            continue
        begin = _begin(whole.lines, index, starts[-1])
        if begin is None:
            if source.form is Form.STATEMENTS or source.form is Form.RAW:
                return [whole]  # groups of such a system may each name one of its own members
            raise SeveralDevicesError(list(dict.fromkeys(name for _, name in named)))
        starts.append(begin)
    return [whole.part(a, b) for a, b in pairwise([*starts, len(whole.lines)])]


def _name_lines(text: str, pattern: str) -> list[tuple[int, str]]:
    """The lines that name a device, and the names."""
    found = []
    line, last = 0, 0
    for match in re.compile(pattern, re.MULTILINE).finditer(text):
        line += text.count("\n", last, match.start("name"))
        last = match.start("name")
        found.append((line, match["name"]))
    return found


def _begin(lines: list[str], index: int, floor: int) -> int | None:
    """First line of the configuration that names its device at `index`."""
    for at in range(index - 1, max(floor, index - BACK), -1):
        line = lines[at].strip()
        if not line:
            continue
        if lines[at][:1] not in (" ", "\t") and _ENDS.fullmatch(line):
            return at + 1
        if _BEGINS.fullmatch(line):
            first = at
            while first > floor + 1 and (
                not lines[first - 1].strip() or _BEGINS.fullmatch(lines[first - 1].strip())
            ):
                first -= 1
            return first
    return None


# Parts of a capture.

DOCUMENTS = (Form.JSON, Form.YAML, Form.SHELL, Form.ENV, Form.INI, Form.RAW)
"""Forms of documents that may embed texts and are still read themselves."""


def is_document(nos: str | None, whole: str, rest: str) -> bool:
    """Whether a reader takes the document as it is, embedded texts included.

    `rest` is the document without these texts, which identifies it; a document whose texts are
    commands, such as a manifest or a playbook, is identified as a whole.
    """
    source = _source(nos, rest)
    if source is not None and source.form in DOCUMENTS:
        return True
    source = _source(nos, whole)
    return source is not None and source.form is Form.YAML and not source.base


def _source(nos: str | None, text: str) -> Source | None:
    try:
        identity = identify(".", text, nos) if text and not text.isspace() else None
    except (UnknownFormat, AmbiguousFormat):
        return None
    return all_nos()[identity.nos].by_source[identity.source] if identity is not None else None


def parts_of(file: FoundFile, capture: Capture, only: str | None) -> list[tuple[FilePart, str]]:
    """The parts of a file, each with its text.

    Raises:
        SeveralDevicesError: a text holds several devices with unclear boundaries.
    """
    parts = []
    for segment in capture.segments:
        identity = _identity(file, segment, only)
        if identity is None:
            continue
        source = all_nos()[identity.nos].by_source[identity.source]
        pieces = split(segment, source) if segment.command is None else [segment]
        for piece in pieces:
            found = identity if piece is segment else _identity(file, piece, only)
            if found is not None:
                parts.append(_part(file, piece, found))
    return _in_force(parts)


def _identity(file: FoundFile, segment: Segment, only: str | None) -> Identity | None:
    """Format of a segment; None if unknown, or recognised only by a word or two."""
    name = file.name if segment.command is None else "."
    try:
        identity = identify(name, segment.text, only)
    except (UnknownFormat, AmbiguousFormat):
        return None
    if segment.host is not None and identity.host is None:
        identity = replace(identity, host=device_name(segment.host))
    return identity


def _part(file: FoundFile, segment: Segment, identity: Identity) -> tuple[FilePart, str]:
    text = segment.text
    data = text.encode("utf-8", "surrogatepass")
    part = FilePart(
        file.name, None, identity, digest(data), len(data), file.folder, file.leaf,
        written=time_of_writing(text, identity.time), packed=pack(data), placing=segment.placing,
        startup=segment.startup,
    )  # fmt: skip
    return part, text


def _in_force(parts: list[tuple[FilePart, str]]) -> list[tuple[FilePart, str]]:
    """Drop startup configurations beside running ones, and shell output of a switch (of another
    system) beside its configuration.
    """
    parts = _outputs(parts)
    hosts = {_of(part) for part, _ in parts} - {""}
    alone = hosts.pop() if len(hosts) == 1 else ""  # unnamed parts then belong to this device, too
    running = {(_of(part), part.identity.source) for part, _ in parts if not part.startup}
    systems: dict[str, set[str]] = {}
    for part, _ in parts:
        if part.source.base:
            for host in (_of(part) or alone, ""):
                systems.setdefault(host, set()).add(part.identity.nos)
    return [
        (part, text)
        for part, text in parts
        if not (part.startup and part.source.base and (_of(part), part.identity.source) in running)
        and (part.source.base or _is_of(part, systems.get(_of(part), {part.identity.nos})))
    ]


def _is_of(part: FilePart, systems: set[str]) -> bool:
    """Whether an output is one of the systems of its device, or can be read as one."""
    return part.identity.nos in systems or any(read_as(part, nos) for nos in sorted(systems))


def _outputs(parts: list[tuple[FilePart, str]]) -> list[tuple[FilePart, str]]:
    """Drop failed or truncated outputs of a repeated command.

    Of several outputs of one command, those recognisable only by its name are dropped.
    """
    count = Counter((part.identity.nos, part.identity.source) for part, _ in parts)
    several = {key for key, number in count.items() if number > 1}
    known: dict[tuple[str, str], bool] = {}
    kept = []
    for part, text in parts:
        key = part.identity.nos, part.identity.source
        if not part.source.base or key not in several or not part.identity.header:
            kept.append((part, text, True))
            continue
        is_known = _is_known(text.partition("\n")[2], part)
        known[key] = known.get(key, False) or is_known
        kept.append((part, text, is_known))
    return [
        (part, text)
        for part, text, is_known in kept
        if is_known or not known.get((part.identity.nos, part.identity.source), False)
    ]


def _is_known(output: str, part: FilePart) -> bool:
    """Whether the content alone identifies an output."""
    try:
        return bool(output.strip()) and identify(".", output).nos == part.identity.nos
    except (UnknownFormat, AmbiguousFormat):
        return False


def _of(part: FilePart) -> str:
    return (part.identity.host or "").casefold()


def settle_hosts(parts: Iterable[FilePart], file: FoundFile) -> None:
    """Give all parts of one device in a file one name: that of its configuration, if any.

    A prompt may be shortened or custom, and a bare one has no name; then the file name is used,
    unless it is in a device folder.
    """
    parts = list(parts)
    stated: dict[str, str] = {}
    for part in parts:
        if part.hostname and part.source.base:
            stated.setdefault(_of(part), part.hostname)
    only = next(iter(stated.values())) if len(set(stated.values())) == 1 else None
    hosts = {_of(part): part.identity.host for part in parts if part.identity.host}
    alone = next(iter(hosts.values())) if len(hosts) == 1 else None
    for part in parts:
        host = stated.get(_of(part)) if part.identity.host else only
        if host is None and part.identity.host is None and part.identity.header:
            host = alone  # outputs without a name beside those of one host
        if host is None and part.identity.host is None and part.placing is not None:
            host = device_name(stem(file.leaf)) if not file.folder and len(parts) > 1 else None
        if host is not None and not (part.source.base and part.hostname):
            part.identity = replace(part.identity, host=host)
        elif part.source.base and part.hostname and part.identity.host:
            part.identity = replace(part.identity, host=part.hostname)
