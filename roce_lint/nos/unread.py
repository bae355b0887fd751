"""Lines about QoS, or that may drop packets, that nothing understood, with the sections of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roce_lint.model.device import Device, NoteKind, UnreadLine
from roce_lint.nos.declare import Form
from roce_lint.nos.reading import Input, Reading
from roce_lint.text.environment import mask_environment
from roce_lint.text.redaction import redact
from roce_lint.text.sections import Stanza
from roce_lint.text.source import TREE, LineState

QOS_WORD = re.compile(
    r"(?:queue(?!len)|(?<![^\W_])(?:pfc|priority[-_]flow|pause|ecn|wred|random-detect|dscp|cos\b|dot1p|queuing"
    r"|qos|traffic-class|buffers?(?![a-z])|headroom|mtu|trust|storm|access-group|access-list"
    r"|acl\b|filter|traffic-policy|flow-control|no-drop|lossless|class-of-service|service-policy"
    r"|polic(?:e|er|ing)\b|apply policy|rate-limit|shape|tc (?:filter|qdisc)))",
    re.IGNORECASE,
)
"""Words of lines that may decide what becomes of a RoCE packet."""

_NAMES = re.compile(r"(?:cli )?alias\s|(?:.*\s)?(?:description|remark)\s", re.IGNORECASE)
"""How lines begin that name something, or are about it for people: they set nothing."""

DROP_WORD = re.compile(
    r"\b(?:verify|u?rpf|nat\b|policy-based|source guard|port-security|port-access|dot1x|isolat"
    r"|private-vlan|pvlan|mac-limit|mac-count|mac(?:-address)? limit|unidirectional"
    r"|ip(?:v4|v6)? policy|ip6?tables|ebtables|nft\b|link set|loopback-mode)|^shutdown\b"
    r"|^(?:traffic-)?loopback (?:internal|external|local|remote|source)|(?:^|\s)loopback$",
    re.IGNORECASE,
)
"""Words of lines that may drop or move packets, or take a port out of service."""

_OPENS_QOS = re.compile(r"(?:(?:system )?qos|class-map|policy-map|dcb|.*priority-flow-control)\b")
"""How lines begin that are about QoS, though no section of a reader is."""

KEPT, WIDTH, LEVELS = 200, 200, 40
"""Lines kept of one file (more would be a foreign file), characters of each, parts of a path."""

_NOT_READ = re.compile(r"['\"] (?:is|are) no|not understood")
_SET = re.compile(r"(?:nv )?set (?:/ )?")
_LOST = (LineState.UNRECOGNISED, LineState.UNCLAIMED)

_Path = tuple[str, ...]
"""A line behind those it stands below; of statements, their words."""
_Found = Iterator[tuple[int, str, Sequence[int], Sequence[int]]]
"""Of a line its position and text, the lines that begin its section, and those around that."""


def collect_unread(reading: Reading, entry: Input) -> Iterator[UnreadLine]:
    """The lines of one file, once every line has its state; those whose value could not be read
    among them, since the platform may have taken it.
    """
    bad = [
        note.at.get("", 0)
        for note in reading.notes
        if note.kind is NoteKind.UNRECOGNISED
        or (note.kind is NoteKind.BAD_VALUE and _NOT_READ.search(note.message))
    ]
    hide = mask_environment if entry.source.environment else str
    found = _of_lines(reading, entry, bad) if entry.tree is None else _of_tree(reading, entry, bad)
    for position, text, near, around in found:
        if (QOS_WORD.search(text) or DROP_WORD.search(text)) and not _NAMES.match(text):
            yield UnreadLine(
                src=reading.src,
                at={"": position},
                text=redact(hide(text.removeprefix("class-of-service ")[:WIDTH])),
                near=frozenset(near),
                around=frozenset(around),
                about_qos=QOS_WORD.search(text) is not None,
            )


def _of_tree(reading: Reading, entry: Input, bad: list[int]) -> _Found:
    """The leaves of a tree: what stands above them begins their sections."""
    src, file = reading.src, entry.file
    here = (src.paths[p - TREE][1] for p in bad if p >= TREE and src.file_of(p) == file)
    for keys in list(dict.fromkeys([*here, *entry.unread]))[:KEPT]:
        above = [src.path(file, keys[:n]) for n in range(len(keys) - 1, 0, -1)]
        yield src.path(file, keys), "|".join(map(str, keys)), above[:1], above[1:]


def _of_lines(reading: Reading, entry: Input, bad: list[int]) -> _Found:
    """The lines of a text. An object begins with its header, with a line that has nothing below it,
    or with the first of its statements.
    """
    ref = reading.src.files[entry.file]
    first, states = ref.first, ref.states
    stanzas = entry.sections.stanzas if entry.sections is not None else []
    numbers = {n for p in bad if 0 < (n := p - first) <= len(entry.lines)}
    if LineState.UNRECOGNISED in states:
        numbers |= {n for n, s in enumerate(states, 1) if s == LineState.UNRECOGNISED}
    lost = (s for s in stanzas if states[s.number - 1] == LineState.UNCLAIMED)
    numbers |= {n for s in lost if _OPENS_QOS.match(s.header) for n in (s.number, *s.numbers)}
    if not numbers:
        return
    words = not stanzas and entry.source.form in (Form.STATEMENTS, Form.RAW)
    paths = dict(_words(entry.lines) if words else _headers(stanzas))
    below: dict[_Path, list[int]] = {}
    for number, path in paths.items():
        for most in range(1, len(path) + 1) if states[number - 1] not in _LOST else ():
            below.setdefault(path[:most], []).append(number)
    for number in sorted(numbers)[:KEPT]:
        path = paths.get(number) or (entry.lines[number - 1].strip(),)
        known = (
            n for n in range(len(path), words, -1) if below.get(path[:n], [number]) != [number]
        )
        most = next(known, 0)
        mates = below.get(path[:most], ())
        near = [n for n in mates if n != number and len(paths[n]) <= most + 1]
        if words:
            named = path[most + 1 : most + 2]  # behind a word that is not known
            alike = [n for n in mates if named and paths[n][most + 1 : most + 2] == named]
            near = [*mates[:1], *alike, number] if mates else []
        around = [first + below[path[:n]][0] for n in range(1 + words, most)]
        text = " ".join(path if words else path[-1:])
        yield first + number, text, [first + n for n in near], around


def find_users(device: Device, reading: Reading) -> None:
    """Give each line the sections that apply its section by name. One of a section that is neither
    a port nor applied by name is of the whole device.
    """
    named = {s.at[""]: s.references for s in device.structures if s.at.get("", 0) > 0}
    ports = {port.at.get("", 0) for port in device.interfaces.values()}
    for line in device.unread:
        found: set[int] = set()
        left = {*line.near, *line.around}
        if left.isdisjoint(ports | named.keys()) and reading.section_of(line.at[""]):
            line.near = line.around = frozenset()
        while left:
            used = {at for begin in left if begin in named for at in named[begin]}
            left = (used | {reading.section_of(at) for at in used}) - found - {0}
            found |= left
        line.users = frozenset(found)


def _headers(stanzas: Sequence[Stanza]) -> Iterator[tuple[int, _Path]]:
    """The lines of indented text by their numbers."""
    for stanza in stanzas:
        above: _Path = (stanza.header,)
        yield stanza.number, above
        for depth, text, number in stanza.body:
            above = (*above[: min(depth, LEVELS)], text)
            yield number, above


def _words(lines: Sequence[str]) -> Iterator[tuple[int, _Path]]:
    """Statements by the numbers of their lines: as `set` lines, or in braces."""
    above: list[_Path] = [()]
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("}"):
            del above[max(len(above) - 1, 1) :]
        elif text:
            path = (*above[-1], *_SET.sub("", text.rstrip(" ;{"), count=1).split())[:LEVELS]
            yield number, path
            above += [path] if text.endswith("{") else []
