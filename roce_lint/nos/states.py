"""The final state of every line: understood, ignored with a reason, shadowed, unrecognised."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cache
from itertools import compress

from roce_lint.errors import ExtractError
from roce_lint.model.device import NoteKind, ParseNote
from roce_lint.nos.base import Form, Ignored, Source
from roce_lint.nos.reading import Input, Reading
from roce_lint.nos.statements import settle_statements
from roce_lint.nos.trees import read_leaves
from roce_lint.text.grammar import MEMO_LINES, MEMO_WIDTH
from roce_lint.text.numbers import without_numbers
from roce_lint.text.redaction import redact
from roce_lint.text.sections import Line
from roce_lint.text.source import LineState

UNRECOGNISED_SHAPES = 200
"""Distinct shapes of unrecognised lines kept per device; more would be a foreign file."""


_MAY_DROP = (
    # Storm control that RoCE, which is unicast, may meet, or that shuts the port. Limits of
    # broadcast, multicast and unknown unicast do not touch RoCE.
    (
        r"storm[- ](?:control|constrain|suppression) (?!.*\b100(?:\.0+)?$)"
        r"(?:.* )?(?:all|unicast|known-unicast|shutdown|error-down|pfc|llfc)\b"
    ),
    # Lists and policies that no template took, and checks of the source address.
    r"(?:ip|ipv4|ipv6|mac)(?: port)? (?:access-group|traffic-filter) |service-policy type pbr ",
    r"ip(?:v4|v6)? (?:verify|policy|policy-based-route|nat(?!.* protocol tcp)|urpf|source guard)\b",
    r"rate-limit (?:in|out|cir)|shape |qos (?:lr|car|gts any|queue \S+ shaping) ",
    # Who may send: a number of addresses (once it is switched on), a login, a port apart.
    r"switchport (?:port-security(?:$| violation protect)|isolated|pvlan)",
    r"(?:switchport (?:trunk |mode )?)?private-vlan |pvlan |mac(?:-address)?[ -](?:limit|max-mac)",
    r"dot1x port-control (?!force-authorized)|(?:aaa authentication )?port-access ",
    # A port that hears itself, or one way only.
    r"(?:traffic-)?loopback (?:internal|external|local|remote|source)|unidirectional \w+-only",
)
MAY_DROP = re.compile("|".join(f"(?:{each})" for each in _MAY_DROP))
"""Lines that can drop or move RoCE, or take a port out of service. No system ignores such a line:
where no template takes it, it stays unrecognised, and what becomes of RoCE is then open.

What acts only on a port that has failed already (flapping, error detection, loops) is no such line.
"""

LINE_WIDTH = 4000
"""Characters of a line that are looked at for its shape."""


def ignore(source: Source, missed: list[list[Line]], states: bytearray) -> None:
    """Unrecognised lines that the NOS knows not to matter become ignored.

    `missed` are lines that no template knows, each with the lines below it.
    """
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
    """Whether the lines below a line do not matter either; None of one that is not ignored."""
    found = _memo(source)[text]
    return found.subtree if found is not None else None


class _Memo(dict[str, Ignored | None]):
    """What is known of a line: the pattern by which it is ignored, if any. Lines repeat."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._patterns = _ignore_patterns(source)

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


@cache
def _ignore_patterns(source: Source) -> dict[str, list[Ignored]]:
    """Ignore patterns by the literal word they begin with."""
    table: dict[str, list[Ignored]] = {}
    for ignored in source.ignored:
        words = first_words(ignored.pattern)
        if words is None:
            message = f"an ignore pattern must begin with a literal word: {ignored.pattern!r}"
            raise ExtractError(message, location=source.name)
        for word in words:
            table.setdefault(word, []).append(ignored)
    return table


def first_words(pattern: str) -> set[str] | None:
    """The first words of what a pattern matches: of each alternative of the group it begins with.

    None where it may begin with anything but a literal word.
    """
    if not pattern.startswith("(?:"):
        found = re.match(r"[\w|./-]+", pattern)
        return set(found[0].split("|")) if found else None
    depth, alternatives, end = 0, [""], len(pattern)
    for position, char in enumerate(pattern[3:], 4):
        if depth == 0 and char == ")":
            end = position
            break
        depth += (char == "(") - (char == ")")
        if depth == 0 and char == "|":
            alternatives.append("")
        else:
            alternatives[-1] += char
    starts = [re.match(r"[\w./-]+", alternative) for alternative in alternatives]
    words = {start[0] for start in starts if start}
    if pattern[end : end + 1] in ("?", "*"):  # the group may be missing
        rest = first_words(pattern[end + 1 :])
        return words | rest if all(starts) and rest is not None else None
    return words if all(starts) else None


def settle(reading: Reading, entry: Input) -> None:
    """Give every line (or leaf) its final state, and note shapes nobody reads."""
    ref = reading.src.files[entry.file]
    if entry.tree is not None:
        _settle_tree(reading, entry)
        return
    settle_statements(reading, entry)
    if entry.sections is not None:
        entry.sections.settle(ref.states)
    ref.states = ref.states.replace(bytes([LineState.CAPTURED]), bytes([LineState.UNRECOGNISED]))
    for state, kind in _NOTED.items():
        if state in ref.states:
            _note_shapes(reading, entry, state, kind)
    _note_not_taken(reading, entry)


_NOTED = {
    LineState.UNRECOGNISED: NoteKind.UNRECOGNISED,
    LineState.SHADOWED: NoteKind.SHADOWED,
}

_ROCE_WORDS = ("pfc", "priority-flow-control", "ecn", "roce", "dcqcn", "lossless", "no-drop")
ABOUT_ROCE = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_ROCE_WORDS)})(?:(?<=roce)v2)?(?![\w-])", re.IGNORECASE
)
"""A word that stands for protection from loss or for marking on every system."""

_FREE_TEXT = re.compile(r"\s*(?:[!#/]|(?:no |set )?(?:description|remark|name|banner|alias)\b)")
_UNTAKEN = bytes(state in (LineState.UNCLAIMED, LineState.UNRECOGNISED) for state in range(256))
"""1 in the place of every state of a line that nobody took, 0 in that of all others."""


def _tells_of_roce(line: str) -> bool:
    return ABOUT_ROCE.search(line) is not None and not _FREE_TEXT.match(line)


def _note_not_taken(reading: Reading, entry: Input) -> None:
    """Note the first line about pause, marking or RoCE that nothing took, and their number."""
    ref = reading.src.files[entry.file]
    if entry.source.form not in (Form.INDENTED, Form.STATEMENTS):
        return
    lines = entry.lines
    untaken = ref.states.translate(_UNTAKEN)
    # Each wording is looked at once: most stanzas of a device repeat one another.
    wordings = set(compress(lines, untaken))
    together = "\n".join(wordings).lower()
    if not any(word in together for word in _ROCE_WORDS):
        return
    about = {line for line in wordings if _tells_of_roce(line)}
    if about:
        pairs = zip(lines, untaken, strict=False)
        left = [n for n, (line, alone) in enumerate(pairs, 1) if alone and line in about]
        shape = line_shape(lines[left[0] - 1])
        at: dict[Hashable, int] = {"": ref.first + left[0]}
        reading.notes.append(
            ParseNote(
                kind=NoteKind.NOT_TAKEN, message=shape, count=len(left), src=reading.src, at=at
            )
        )


def _note_shapes(reading: Reading, entry: Input, wanted: LineState, kind: NoteKind) -> None:
    ref = reading.src.files[entry.file]
    lines = entry.lines
    shapes: dict[str, int] = {}
    counts: dict[str, int] = {}
    for number, state in enumerate(ref.states, 1):
        if state == wanted:
            shape = line_shape(lines[number - 1])
            counts[shape] = counts.get(shape, 0) + 1
            if len(shapes) < UNRECOGNISED_SHAPES:
                shapes.setdefault(shape, number)
    for shape, number in shapes.items():
        reading.notes.append(
            ParseNote(
                kind=kind,
                message=shape if kind is NoteKind.SHADOWED else _line_text(lines[number - 1]),
                count=counts[shape],
                src=reading.src,
                at={"": ref.first + number},
            )
        )


def line_shape(line: str) -> str:
    """A line without secrets and what differs between devices: numbers, more than one blank."""
    return without_numbers(_line_text(line))


def _line_text(line: str) -> str:
    """A line without secrets and more than one blank."""
    return redact(" ".join(line[:LINE_WIDTH].split()))


def _settle_tree(reading: Reading, entry: Input) -> None:
    ref = reading.src.files[entry.file]
    judged: dict[str, LineState] = {}  # by name: table and field
    shapes: dict[str, tuple[Hashable, ...]] = {}
    counts: dict[str, int] = {}
    states = bytearray()
    for count, path in read_leaves(entry.tree, entry.taken):
        if path is None:
            states += _READ * count
            continue
        top = path[0] if path else ""
        name = f"{top}|{path[-1]}" if len(path) > 1 else str(top)
        state = judged.get(name)
        if state is None:
            state = judged[name] = _unread_state(entry.source, str(top), name)
        if state is LineState.UNRECOGNISED:
            shape = line_shape(name)
            counts[shape] = counts.get(shape, 0) + 1
            shapes.setdefault(shape, path)
            entry.unread.append(entry.root + path)
        states.append(state)
    ref.states[entry.first_leaf : entry.first_leaf + len(states)] = states
    for shape, path in list(shapes.items())[:UNRECOGNISED_SHAPES]:
        reading.notes.append(
            ParseNote(
                kind=NoteKind.UNRECOGNISED,
                message=shape,
                count=counts[shape],
                src=reading.src,
                at={"": reading.src.path(entry.file, entry.root + path)},
            )
        )


_READ = bytes([LineState.UNDERSTOOD])


def _unread_state(source: Source, top: str, name: str) -> LineState:
    """What a leaf is that no reader took."""
    claimed, ignored = _tree_patterns(source)
    if any(regex.match(name) for regex in ignored):
        return LineState.IGNORED
    claims = any(regex.match(top) for regex in claimed)
    return LineState.UNRECOGNISED if claims else LineState.UNCLAIMED


@cache
def _tree_patterns(source: Source) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
    return (
        [re.compile(section.header) for section in source.sections],
        [re.compile(item.pattern) for item in source.ignored],
    )
