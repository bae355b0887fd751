"""The texts of a capture as parts of devices: what wrote each, and whose it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from roce_lint.errors import AmbiguousFormat, UnknownFormat
from roce_lint.loading.captures.devices import split
from roce_lint.loading.captures.passage import Passage
from roce_lint.loading.captures.read import Capture
from roce_lint.loading.discover import FoundFile
from roce_lint.loading.group import stem
from roce_lint.loading.hostname import time_of_writing
from roce_lint.loading.identify import Identity, identify
from roce_lint.loading.naming import device_name
from roce_lint.loading.part import Part, pack, read_as
from roce_lint.nos.base import Form, Source
from roce_lint.nos.registry import all_nos
from roce_lint.text.source import digest

DOCUMENTS = (Form.JSON, Form.YAML, Form.SHELL, Form.ENV, Form.INI, Form.RAW)
"""Forms in which a document may hold texts and be read all the same."""


def is_document(nos: str | None, whole: str, rest: str) -> bool:
    """True for JSON, YAML and scripts that a reader takes as they are, texts inside included.

    `rest` is the document without these texts: by that it is told, or as a whole where it is of a
    kind whose texts are commands, such as a manifest or a playbook.
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


def parts_of(file: FoundFile, capture: Capture, only: str | None) -> list[tuple[Part, str]]:
    """The parts of a file, each with its text.

    Raises:
        SeveralDevicesError: a text holds several devices and does not tell where each begins.
    """
    parts = []
    for passage in capture.passages:
        identity = _identity(file, passage, only)
        if identity is None:
            continue
        source = all_nos()[identity.nos].by_source[identity.source]
        pieces = split(passage, source) if passage.command is None else [passage]
        for piece in pieces:
            found = identity if piece is passage else _identity(file, piece, only)
            if found is not None:
                parts.append(_part(file, piece, found))
    return _in_force(parts)


def _identity(file: FoundFile, passage: Passage, only: str | None) -> Identity | None:
    """What wrote a passage; None where nobody knows, or only by a word or two of another output."""
    name = file.name if passage.command is None else "."
    try:
        identity = identify(name, passage.text, only)
    except (UnknownFormat, AmbiguousFormat):
        return None
    if passage.host is not None and identity.host is None:
        identity = replace(identity, host=device_name(passage.host))
    return identity


def _part(file: FoundFile, passage: Passage, identity: Identity) -> tuple[Part, str]:
    text = passage.text
    data = text.encode("utf-8", "surrogatepass")
    part = Part(
        file.name, None, identity, digest(data), len(data), file.folder, file.leaf,
        written=time_of_writing(text, identity.time), packed=pack(data), placing=passage.placing,
        startup=passage.startup,
    )  # fmt: skip
    return part, text


def _in_force(parts: list[tuple[Part, str]]) -> list[tuple[Part, str]]:
    """Without what boots, where what runs stands beside it, and without what the shell of a switch
    printed: the outputs of another system's commands, beside its configuration.
    """
    parts = _outputs(parts)
    hosts = {_of(part) for part, _ in parts} - {""}
    alone = hosts.pop() if len(hosts) == 1 else ""  # what names nobody is then of this one too
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


def _is_of(part: Part, systems: set[str]) -> bool:
    """Whether an output is one of the systems of its device, or can be taken for one."""
    return part.identity.nos in systems or any(read_as(part, nos) for nos in sorted(systems))


def _outputs(parts: list[tuple[Part, str]]) -> list[tuple[Part, str]]:
    """Without what a command printed that was given again because it failed, or was cut short.

    Of several outputs of one command those that nobody would know without its name give way.
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
        says = _is_known(text.partition("\n")[2], part)
        known[key] = known.get(key, False) or says
        kept.append((part, text, says))
    return [
        (part, text)
        for part, text, says in kept
        if says or not known.get((part.identity.nos, part.identity.source), False)
    ]


def _is_known(output: str, part: Part) -> bool:
    """Whether an output tells by itself what it is."""
    try:
        return bool(output.strip()) and identify(".", output).nos == part.identity.nos
    except (UnknownFormat, AmbiguousFormat):
        return False


def _of(part: Part) -> str:
    return (part.identity.host or "").casefold()


def settle_hosts(parts: Iterable[Part], file: FoundFile) -> None:
    """Give what one device printed in a file one name: that in its configuration, if there is one.

    A prompt may be cut short or set by hand, and a bare one names nobody; the name of the file
    does then, where it lies in no folder of a device.
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
