"""From the files of one device to the Device: parse, normalize, settle the state of every line."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from roce_lint.errors import ExtractError
from roce_lint.model.device import Device, NoteKind
from roce_lint.nos.base import Nos, Typed
from roce_lint.nos.declare import Form, Source, alternatives
from roce_lint.nos.lldp import hear
from roce_lint.nos.reading import Input, Reading
from roce_lint.nos.states import ABOUT_ROCE, collect_unread, find_users, ignore, passes, settle
from roce_lint.nos.switch_ports import is_address
from roce_lint.nos.trees import leaf_count
from roce_lint.resources import resource_dir
from roce_lint.text import sections, statements, tree
from roce_lint.text.environment import quoted
from roce_lint.text.excerpts import printable
from roce_lint.text.grammar import Group
from roce_lint.text.ignores import keep_ignores, without_ignore
from roce_lint.text.match import Template
from roce_lint.text.modes import Modes, restore
from roce_lint.text.redaction import MASK, names_secret, redact, redact_each, secret_lines
from roce_lint.text.source import LINE_LIMIT, TREE, FileRef, LineState, SourceFile, SourceMap

MESSAGE_LIMIT = 300
"""Characters of a note, which may quote a value of any length."""


@dataclass(slots=True)
class IdentifiedFile:
    """A file whose source is known; `args` come from its command line or file name."""

    file: SourceFile
    source: Source
    args: dict[str, str] = field(default_factory=dict)
    header_lines: int = 0  # leading lines that are no output (the `# command:` line)
    time: str | None = None  # when it was captured, by its header


def read_device(nos: Nos, hostname: str, files: list[IdentifiedFile]) -> Device:
    """Read one device.

    Raises:
        ReadError: a file cannot be parsed (broken JSON, for example); the caller reads the
            device again without it.
    """
    src = SourceMap()
    reading = Reading(nos.name, hostname, src, limits=nos.limits)
    for identified in files:
        reading.inputs += _take_apart(nos, reading, identified)
        src.files[-1].time = identified.time
    device = nos.normalize(reading)
    hear(reading, device, nos.ports.function if nos.ports is not None else None)
    _require_addresses(device, reading)
    for entry in reading.inputs:
        settle(reading, entry)
        known = {line.at[""] for line in device.unread}
        found = collect_unread(reading, entry)
        device.unread += (line for line in found if line.at[""] not in known)
    device.src = src
    device.notes = [*reading.notes, *device.notes]
    _mask(device, reading)
    device.structures = reading.names.structures(src)
    find_users(device, reading)
    src.freeze()
    return device


def _require_addresses(device: Device, reading: Reading) -> None:
    """Note invalid port addresses, and leave them out."""
    for port in device.interfaces.values():
        wrong = [text for text in port.addresses if not is_address(text)]
        for text in wrong:
            at = port.at.get(text, 0) or port.at.get("addresses", 0)
            reading.bad(f"{text[:60]!a} is not an address", max(at, 0))
        if wrong:
            port.addresses = tuple(text for text in port.addresses if text not in wrong)


def _mask(device: Device, reading: Reading) -> None:
    """Mask secrets in free text and variables of the device."""
    texts = {entry.file: entry.text for entry in reading.inputs}
    secret = cache(lambda index: secret_lines(texts[index].lines()) if index in texts else ())
    for note in device.notes:
        position = note.at.get("", 0)
        if note.kind is NoteKind.UNRECOGNISED and _has_secret_above(reading.src, position, secret):
            note.message = MASK
        note.message = printable(redact(note.message[:MESSAGE_LIMIT]))
    ports = [port for port in device.interfaces.values() if port.description]
    masked = redact_each([port.description or "" for port in ports])
    for port, description in zip(ports, masked, strict=True):
        port.description = description
    for name, value in device.environment.items():
        device.environment[name] = redact(quoted(value))


def _has_secret_above(
    src: SourceMap, position: int, secret: Callable[[int], Container[int]]
) -> bool:
    """Whether the context above a line or value marks it as secret."""
    if position >= TREE:
        return any(names_secret(key) for key in src.keys_of(position)[1][:-1])
    return position > 0 and src.line_of(position) in secret(src.file_of(position))


def _take_apart(nos: Nos, reading: Reading, identified: IdentifiedFile) -> list[Input]:
    file, source, src = identified.file, identified.source, reading.src
    if source.refusal and re.match(source.refusal, file.text):
        ref = src.files[src.add(file, source.name)]
        ref.states = bytearray([LineState.IGNORED]) * ref.lines
        return []
    if source.form in (Form.JSON, Form.YAML):
        return _take_trees(reading, identified)
    index = src.add(file, source.name, environment=source.environment)
    ref = src.files[index]
    long = file.long_lines()
    for number in long:
        message = f"a line of more than {LINE_LIMIT} characters is passed over"
        reading.bad(message, ref.first + number)
    file = file.without(long) if long else file
    entry = Input(source, index, file, identified.args)
    lines = list(entry.lines)
    for number in range(identified.header_lines):
        ref.states[number] = LineState.IGNORED
        lines[number] = ""
    # Junos drops `# ...` comments and keeps `/* ... */`, which annotate the next statement.
    mark = {Form.INDENTED: "!", Form.STATEMENTS: "#/"}.get(source.form, "#")
    kept = keep_ignores(src, index, file, mark)
    if source.form is Form.INDENTED:
        if kept:
            lines = [without_ignore(line, mark) for line in lines]
        _match(nos, reading, entry, lines)
    elif source.form is Form.STATEMENTS:
        entry.statements = statements.parse(lines, source.wanted, ref.first)
        unclosed = entry.statements.unclosed
        for message, position in entry.statements.notes:
            kind = NoteKind.CUT if position in unclosed else NoteKind.BAD_VALUE
            reading.note(kind, message, position)
    elif source.form is Form.LINES:
        from roce_lint.text.extract import extract  # noqa: PLC0415  (TTP and XML: few need them)

        template = _template_text(_template_path(nos, source.name))
        name = f"{nos.name}/parse/{source.name}.ttp"
        found = extract(template, name, lines, ref.first, ref.states, nos.patterns)
        for record in found:
            entry.records.setdefault(record.group, []).append(record)
        missed = [
            [(0, lines[number].strip(), number + 1)]
            for number, state in enumerate(ref.states)
            if state == LineState.UNRECOGNISED
        ]
        ignore(source, missed, ref.states)
    for number in long:
        ref.states[number - 1] = LineState.UNRECOGNISED
    return [entry]


def _take_trees(reading: Reading, identified: IdentifiedFile) -> list[Input]:
    """The documents of a JSON or YAML file."""
    file, source, src = identified.file, identified.source, reading.src
    trees = [tree.load_json(file)] if source.form is Form.JSON else tree.load_yaml(file)
    counts = [leaf_count(t.data) for t in trees]
    index = src.add(file, source.name, sum(counts), environment=source.environment)
    for t in trees:
        for note in t.notes:  # with its line in words: a tree's positions are paths
            ref = src.files[index]
            text = f"{ref.name}:{ref.line(note.line)}: {note.message}"
            reading.note(NoteKind.DUPLICATE, text, src.path(index, note.path))
    if source.form is Form.YAML:
        keep_ignores(src, index, file, "#")
    inputs = []
    first = 0
    for t, count in zip(trees, counts, strict=True):
        entry = Input(source, index, file, identified.args, tree=t.data, root=t.root)
        entry.first_leaf = first
        inputs.append(entry)
        first += count
    return inputs


def _match(nos: Nos, reading: Reading, entry: Input, lines: list[str]) -> None:
    ref = reading.src.files[entry.file]
    before = bytes(ref.states)
    split = sections.split(lines, layout(entry.source))
    found = _run(nos, entry, split, ref)
    modes = modes_of(nos, entry.source) if entry.source.outer is not None else None
    if modes is not None and _is_displaced(modes, found, lines, ref.states):
        restored = restore(split, lines, modes)
        if restored is not None:
            split, ref.states[:] = restored, before
            _run(nos, entry, split, ref)
    for number in split.unterminated:
        message = "a region begins here that never ends; the rest of the file is taken as its text"
        reading.note(NoteKind.CUT, message, ref.first + number)
    entry.sections = split


Sorted = tuple[dict[str, list[sections.Stanza]], list[sections.Stanza]]
"""Stanzas by the section that claims them, and unclaimed stanzas."""


def _run(nos: Nos, entry: Input, split: sections.Sections, ref: FileRef) -> Sorted:
    """Parse all stanzas into records, and set the states of their lines."""
    source, states = entry.source, ref.states
    for number in split.ignored:
        states[number - 1] = LineState.IGNORED
    entry.records = {}
    found = by_section(source, split.stanzas)
    pass_over = partial(ignore, source)
    for section, stanzas in found[0].items():
        template = template_of(nos, source, section)
        for record in template.run(stanzas, ref.first, states, pass_over):
            entry.records.setdefault(record.group, []).append(record)
    return found


FEW = 16
"""Maximum stanzas of a section whose ignored lines are examined. BGP has few, and its lines of a
family or VRF are ignored outside of it; ports have many, with other lines.
"""


def _is_displaced(modes: Modes, found: Sorted, lines: list[str], states: bytearray) -> bool:
    """Whether an untaken line belongs to a mode.

    Candidates are lines of stanzas, first lines of unclaimed stanzas, and ignored lines of stanzas
    without a deeper line.
    """
    claimed, others = found
    for stanza in others:
        if modes.is_displaced(stanza.header) and not modes.is_outer(stanza.header):
            return True
    at = states.find(LineState.UNRECOGNISED)
    while at >= 0:
        if modes.is_displaced(modes.layout.rows[lines[at]][1]):
            return True
        at = states.find(LineState.UNRECOGNISED, at + 1)
    for stanza in (each for few in claimed.values() if len(few) <= FEW for each in few):
        if stanza.texts and (stanza.flat or max(stanza.depths) == 1):
            for text, number in zip(stanza.texts, stanza.numbers, strict=True):
                ignored = states[number - 1] == LineState.IGNORED
                if ignored and modes.is_displaced(text, nested=True):
                    return True
    return False


def by_section(source: Source, stanzas: Iterable[sections.Stanza]) -> Sorted:
    """Stanzas of each section that the source claims, in text order; the others."""
    found: dict[str, list[sections.Stanza]] = {}
    others = []
    headers = _headers(source)
    for stanza in stanzas:
        word = stanza.header.split(None, 1)[0]
        for regex, section in headers.get(word, headers[""]):
            if regex.match(stanza.header):
                found.setdefault(section, []).append(stanza)
                break
        else:
            others.append(stanza)
    return found, others


_MODES: dict[tuple[str, Source], Modes] = {}


def modes_of(nos: Nos, source: Source) -> Modes:
    """Lines that each mode of a source takes."""
    if (known := _MODES.get((nos.name, source))) is not None:
        return known
    templates = {s.name: template_of(nos, source, s.name) for s in source.sections}

    def begin(text: str) -> Group | None:
        section = next(iter(by_section(source, [sections.Stanza(text, 0)])[0]), None)
        return templates[section].root if section is not None else None

    typed = nos.typed or Typed()
    made = _MODES[nos.name, source] = Modes(
        layout=layout(source),
        inner=tuple(group for template in templates.values() for group in template.groups),
        begin=begin,
        is_outer=re.compile(source.outer or r"(?!)").match,
        passes=partial(passes, source),
        matters=ABOUT_ROCE.search,
        leave=typed.leave,
        end=typed.end[-1],
    )
    return made


@cache
def layout(source: Source) -> sections.Layout:
    """Parsing parameters of a source's texts."""
    return sections.Layout(
        comment=source.comment,
        trailing=source.trailing,
        skips=tuple((skip.start, skip.end) for skip in source.skips),
        reattach=source.reattach,
        separator=source.separator,
        childless=source.childless,
        continuation=source.continuation,
    )


_Headers = dict[str, list[tuple[re.Pattern[str], str]]]


@cache
def _headers(source: Source) -> _Headers:
    """Header regexes by the literal first word of matching stanzas; "" has those without a literal
    first word, which every stanza has to try.
    """
    literal: _Headers = {}
    others = []
    named = ((part, each.name) for each in source.sections for part in alternatives(each.header)[0])
    for header, name in named:
        entry = (re.compile(header), name)
        words = re.fullmatch(r"(?:\(\?:)?([\w|-]+)\)?(?: .*|\\b.*|\$)?", header)
        if words:
            for word in words[1].split("|"):
                literal.setdefault(word, []).append(entry)
        else:
            others.append(entry)
    table: _Headers = {word: [*found, *others] for word, found in literal.items()}
    table[""] = others
    return table


def _template_path(nos: Nos, name: str) -> Path:
    folder = nos.templates if nos.templates is not None else resource_dir("templates") / nos.name
    return folder / "parse" / f"{name}.ttp"


@cache
def _template_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"the template cannot be read: {error.strerror}"
        raise ExtractError(message, location=str(path)) from error


_COMPILED: dict[tuple[str, str, str], Template] = {}


def template_of(nos: Nos, source: Source, section: str) -> Template:
    """A template as one source uses it, with that source's ignored lines."""
    key = (nos.name, source.name, section)
    template = _COMPILED.get(key)
    if template is None:
        text = _template_text(_template_path(nos, section))
        template = _COMPILED[key] = Template(text, f"{nos.name}/parse/{section}.ttp", nos.patterns)
    return template
