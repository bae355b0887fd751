"""Final state of every line (understood, ignored, shadowed, unrecognised); unread QoS lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from itertools import compress

from roce_lint.errors import ExtractError
from roce_lint.model.device import Device, NoteKind, ParseNote, UnreadLine
from roce_lint.nos.declare import Form, Ignored, Source, alternatives
from roce_lint.nos.reading import Input, Reading
from roce_lint.nos.statements import patterns_of, settle_statements
from roce_lint.nos.trees import read_leaves
from roce_lint.text.environment import mask_environment
from roce_lint.text.grammar import MEMO_LINES, MEMO_WIDTH
from roce_lint.text.numbers import without_numbers
from roce_lint.text.redaction import redact
from roce_lint.text.sections import Line, Stanza
from roce_lint.text.source import TREE, LineState

UNRECOGNISED_SHAPES = 200
"""Distinct shapes of unrecognised lines stored per device; more would be a foreign file."""


_MAY_DROP = (
    # Storm control of unicast, or one that shuts the port. Limits of broadcast, multicast and
    # unknown unicast do not affect RoCE, which is known unicast.
    (
        r"storm[- ](?:control|constrain|suppression) (?!.*\b100(?:\.0+)?$)"
        r"(?:.* )?(?:all|unicast|known-unicast|shutdown|error-down|pfc|llfc)\b"
    ),
    # Lists and policies without a template, and checks of the source address.
    r"(?:ip|ipv4|ipv6|mac)(?: port)? (?:access-group|traffic-filter) |service-policy type pbr ",
    r"ip(?:v4|v6)? (?:verify|policy|policy-based-route|nat(?!.* protocol tcp)|urpf|source guard)\b",
    r"rate-limit (?:in|out|cir)|shape |qos (?:lr|car|gts any|queue \S+ shaping) ",
    # Limits on senders: number of addresses (once enabled), login, isolated ports.
    r"switchport (?:port-security(?:$| violation protect)|isolated|pvlan)",
    r"(?:switchport (?:trunk |mode )?)?private-vlan |pvlan |mac(?:-address)?[ -](?:limit|max-mac)",
    r"dot1x port-control (?!force-authorized)|(?:aaa authentication )?port-access ",
    # A port that receives its own frames, or works in one direction only.
    r"(?:traffic-)?loopback (?:internal|external|local|remote|source)|unidirectional \w+-only",
)
MAY_DROP = re.compile("|".join(f"(?:{each})" for each in _MAY_DROP))
"""Lines that can drop or move RoCE, or take a port out of service.

No system ignores such a line: without a template it stays unrecognised, and its effect on RoCE is
unknown. Lines that act only on a failed port (flapping, error detection, loops) are excluded.
"""

LINE_WIDTH = 4000
"""Characters of a line that its shape covers."""


def ignore(source: Source, missed: list[list[Line]], states: bytearray) -> None:
    """Ignore irrelevant lines among `missed`: lines without a template, with those below each."""
    known = _memo(source)
    for lines in missed:
        below: int | None = None  # depth of the line whose subtree is ignored
        for depth, text, number in lines:
            if states[number - 1] != LineState.UNRECOGNISED:
                continue
            if below is not None and depth > below:
                states[number - 1] = LineState.IGNORED
                continue
            below = None
            found = known[text]
            if found is not None:
                states[number - 1] = LineState.IGNORED
                below = depth if found.subtree else None


def passes(source: Source, text: str) -> bool | None:
    """Whether an ignored line covers the lines below it; None if the line is not ignored."""
    found = _memo(source)[text]
    return found.subtree if found is not None else None


class _Memo(dict[str, Ignored | None]):
    """Ignore pattern of a line, or None; cached, since lines repeat."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._patterns: dict[str, list[Ignored]] = {}  # by the literal word they begin with
        for ignored in source.ignored:
            words = first_words(ignored.pattern)
            if words is None:
                message = f"an ignore pattern must begin with a literal word: {ignored.pattern!r}"
                raise ExtractError(message, location=source.name)
            for word in words:
                self._patterns.setdefault(word, []).append(ignored)

    def __missing__(self, text: str) -> Ignored | None:
        patterns = self._patterns.get(text.split(None, 1)[0], ())
        if MAY_DROP.match(text):
            patterns = ()
        found = next((ignored for ignored in patterns if ignored.regex.match(text)), None)
        if len(self) < MEMO_LINES and len(text) <= MEMO_WIDTH:
            self[text] = found
        return found


@cache
def _memo(source: Source) -> _Memo:
    return _Memo(source)


def first_words(pattern: str) -> set[str] | None:
    """First words of all matches of a pattern; None if it does not begin with literal words."""
    if not pattern.startswith("(?:"):
        found = re.match(r"[\w|./-]+", pattern)
        return set(found[0].split("|")) if found else None
    inside, rest = alternatives(pattern[3:])
    starts = [re.match(r"[\w./-]+", alternative) for alternative in inside]
    words = {start[0] for start in starts if start}
    if rest[:1] in ("?", "*"):  # the group may be missing
        others = first_words(rest[1:])
        return words | others if all(starts) and others is not None else None
    return words if all(starts) else None


def settle(reading: Reading, entry: Input) -> None:
    """Set the final state of every line (or leaf), and note unrecognised shapes."""
    ref = reading.src.files[entry.file]
    if entry.tree is not None:
        _settle_tree(reading, entry)
        return
    settle_statements(reading, entry)
    if entry.sections is not None:
        entry.sections.settle(ref.states)
    ref.states = ref.states.replace(bytes([LineState.CAPTURED]), bytes([LineState.UNRECOGNISED]))
    for state in (LineState.UNRECOGNISED, LineState.SHADOWED):
        if state in ref.states:
            _note_shapes(reading, entry, state, NoteKind[state.name])
    _note_not_taken(reading, entry)


_ROCE_WORDS = ("pfc", "priority-flow-control", "ecn", "roce", "dcqcn", "lossless", "no-drop")
ABOUT_ROCE = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_ROCE_WORDS)})(?:(?<=roce)v2)?(?![\w-])", re.IGNORECASE
)
"""Words for loss protection or ECN marking on every system."""

_FREE_TEXT = re.compile(r"\s*(?:[!#/]|(?:no |set )?(?:description|remark|name|banner|alias)\b)")
_UNTAKEN = bytes(state in (LineState.UNCLAIMED, LineState.UNRECOGNISED) for state in range(256))
"""Translation table: 1 for states of untaken lines, 0 for all others."""


def _note_not_taken(reading: Reading, entry: Input) -> None:
    """Note the first untaken line about PFC, ECN marking or RoCE, and the number of them."""
    ref = reading.src.files[entry.file]
    if entry.source.form not in (Form.INDENTED, Form.STATEMENTS):
        return
    lines = entry.lines
    untaken = ref.states.translate(_UNTAKEN)
    # Each wording is examined once: most stanzas of a device are alike.
    wordings = set(compress(lines, untaken))
    together = "\n".join(wordings).lower()
    if not any(word in together for word in _ROCE_WORDS):
        return
    about = {line for line in wordings if ABOUT_ROCE.search(line) and not _FREE_TEXT.match(line)}
    if about:
        pairs = zip(lines, untaken, strict=False)
        left = [n for n, (line, alone) in enumerate(pairs, 1) if alone and line in about]
        shape = line_shape(lines[left[0] - 1])
        _note(reading, NoteKind.NOT_TAKEN, shape, len(left), ref.first + left[0])


def _note(reading: Reading, kind: NoteKind, message: str, count: int, position: int) -> None:
    made = ParseNote(kind=kind, message=message, count=count, src=reading.src, at={"": position})
    reading.notes.append(made)


def _note_shapes(reading: Reading, entry: Input, selected: LineState, kind: NoteKind) -> None:
    ref = reading.src.files[entry.file]
    lines = entry.lines
    shapes: dict[str, int] = {}
    counts: dict[str, int] = {}
    for number, state in enumerate(ref.states, 1):
        if state == selected:
            shape = line_shape(lines[number - 1])
            counts[shape] = counts.get(shape, 0) + 1
            if len(shapes) < UNRECOGNISED_SHAPES:
                shapes.setdefault(shape, number)
    for shape, number in shapes.items():
        text = shape if kind is NoteKind.SHADOWED else _line_text(lines[number - 1])
        _note(reading, kind, text, counts[shape], ref.first + number)


def line_shape(line: str) -> str:
    """A line without secrets and device-specific parts: numbers, repeated blanks."""
    return without_numbers(_line_text(line))


def _line_text(line: str) -> str:
    """A line without secrets and repeated blanks."""
    return redact(" ".join(line[:LINE_WIDTH].split()))


def _settle_tree(reading: Reading, entry: Input) -> None:
    ref = reading.src.files[entry.file]
    judged: dict[str, LineState] = {}  # by name: table and field
    shapes: dict[str, tuple[Hashable, ...]] = {}
    counts: dict[str, int] = {}
    states = bytearray()
    claimed, ignored = patterns_of(entry.source)
    for count, path in read_leaves(entry.tree, entry.taken):
        if path is None:
            states += bytes([LineState.UNDERSTOOD]) * count
            continue
        top = path[0] if path else ""
        name = f"{top}|{path[-1]}" if len(path) > 1 else str(top)
        state = judged.get(name)
        if state is None:
            lost = LineState.UNRECOGNISED if claimed.match(str(top)) else LineState.UNCLAIMED
            state = judged[name] = LineState.IGNORED if ignored.match(name) else lost
        if state is LineState.UNRECOGNISED:
            shape = line_shape(name)
            counts[shape] = counts.get(shape, 0) + 1
            shapes.setdefault(shape, path)
            entry.unread.append(entry.root + path)
        states.append(state)
    ref.states[entry.first_leaf : entry.first_leaf + len(states)] = states
    for shape, path in list(shapes.items())[:UNRECOGNISED_SHAPES]:
        position = reading.src.path(entry.file, entry.root + path)
        _note(reading, NoteKind.UNRECOGNISED, shape, counts[shape], position)


# Unread lines about QoS or possible drops, with their sections.

QOS_WORD = re.compile(
    r"(?:queue(?!len)|(?<![^\W_])(?:pfc|priority[-_]flow|pause|ecn|wred|random-detect|dscp|cos\b|dot1p|queuing"
    r"|qos|traffic-class|buffers?(?![a-z])|headroom|mtu|trust|storm|access-group|access-list"
    r"|acl\b|filter|traffic-policy|flow-control|no-drop|lossless|class-of-service|service-policy"
    r"|polic(?:e|er|ing)\b|apply policy|rate-limit|shape|tc (?:filter|qdisc)))",
    re.IGNORECASE,
)
"""Words of lines that may affect the treatment of a RoCE packet."""

_NAMES = re.compile(r"(?:cli )?alias\s|(?:.*\s)?(?:description|remark)\s", re.IGNORECASE)
"""Beginnings of lines that only name or describe something."""

DROP_WORD = re.compile(
    r"\b(?:verify|u?rpf|nat\b|policy-based|source guard|port-security|port-access|dot1x|isolat"
    r"|private-vlan|pvlan|mac-limit|mac-count|mac(?:-address)? limit|unidirectional"
    r"|ip(?:v4|v6)? policy|ip6?tables|ebtables|nft\b|link set|loopback-mode)|^shutdown\b"
    r"|^(?:traffic-)?loopback (?:internal|external|local|remote|source)|(?:^|\s)loopback$",
    re.IGNORECASE,
)
"""Words of lines that may drop or move packets, or take a port out of service."""

_OPENS_QOS = re.compile(r"(?:(?:system )?qos|class-map|policy-map|dcb|.*priority-flow-control)\b")
"""Beginnings of lines about QoS outside the sections of a reader."""

KEPT, WIDTH, LEVELS = 200, 200, 40
"""Lines stored per file (more would be a foreign file), characters of each, parts of a path."""

_NOT_READ = re.compile(r"['\"] (?:is|are) no|not understood")
_SET = re.compile(r"(?:nv )?set (?:/ )?")
_LOST = (LineState.UNRECOGNISED, LineState.UNCLAIMED)

_Path = tuple[str, ...]
"""A line after those above it; of statements, their words."""
_Found = Iterator[tuple[int, str, Sequence[int], Sequence[int]]]
"""Position and text of a line, the lines that begin its section, and those around the section."""


def collect_unread(reading: Reading, entry: Input) -> Iterator[UnreadLine]:
    """Unread lines of a file with settled states, and lines whose value was not understood."""
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
    """Unread leaves of a tree; the lines above them begin their sections."""
    src, file = reading.src, entry.file
    here = (src.keys_of(p)[1] for p in bad if p >= TREE and src.file_of(p) == file)
    for keys in list(dict.fromkeys([*here, *entry.unread]))[:KEPT]:
        above = [src.path(file, keys[:n]) for n in range(len(keys) - 1, 0, -1)]
        yield src.path(file, keys), "|".join(map(str, keys)), above[:1], above[1:]


def _of_lines(reading: Reading, entry: Input, bad: list[int]) -> _Found:
    """Unread lines of a text. An object begins with its header, with a line without a block, or
    with the first of its statements.
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
            named = path[most + 1 : most + 2]  # after an unknown word
            same_name = [n for n in mates if named and paths[n][most + 1 : most + 2] == named]
            near = [*mates[:1], *same_name, number] if mates else []
        around = [first + below[path[:n]][0] for n in range(1 + words, most)]
        text = " ".join(path if words else path[-1:])
        yield first + number, text, [first + n for n in near], around


def find_users(device: Device, reading: Reading) -> None:
    """Add the sections that apply a line's section by name. A line in a section that is neither a
    port nor applied by name concerns the whole device.
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
    """Lines above each line of indented text, by line number."""
    for stanza in stanzas:
        above: _Path = (stanza.header,)
        yield stanza.number, above
        for depth, text, number in stanza.body:
            above = (*above[: min(depth, LEVELS)], text)
            yield number, above


def _words(lines: Sequence[str]) -> Iterator[tuple[int, _Path]]:
    """Statements by line number: as `set` lines, or in braces."""
    above: list[_Path] = [()]
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("}"):
            del above[max(len(above) - 1, 1) :]
        elif text:
            path = (*above[-1], *_SET.sub("", text.rstrip(" ;{"), count=1).split())[:LEVELS]
            yield number, path
            above += [path] if text.endswith("{") else []
