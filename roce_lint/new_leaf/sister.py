"""Files of a new leaf and of its hosts: copies of a sister's with replaced words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from roce_lint.new_leaf.choices import Choices
from roce_lint.new_leaf.substitution import Aligned, Key, Series, shape_of
from roce_lint.new_leaf.texts import Text, renamed
from roce_lint.nos.registry import all_nos
from roce_lint.text.outline import Statement
from roce_lint.text.redaction import redact

FREE = "free"
"""The description of a port without a host yet."""

_UNIQUE = re.compile(
    r"serial|\bsn\b|chassis-id|engine-?id|licen[sc]e|certificate|private[ -]key|uuid"
    r"|ssh[ -](?:host-?)?key"
    r"|(?:system|base|chassis)?[-_ \"]mac(?:-address|_address)?\b",
    re.IGNORECASE,
)
"""Words of hardware addresses, serial numbers, certificates and the like of one device."""

_TEXT = re.compile(r"descr|location|contact|banner|domain|community", re.IGNORECASE)
"""Words of free-text lines."""

_LONG = re.compile(
    r"(?:\b[0-9A-Fa-f]{8} ){3}|-----(?:BEGIN|END) |AAAA[A-Za-z0-9+/]{12,}"
    r"|(?<![$.A-Za-z0-9+/])(?=[^\s0-9]{0,99}[0-9])(?=[^\sa-z]{0,99}[a-z])[A-Za-z0-9+/]{40,}"
)
"""A key or certificate, or a part of one; not the hash of a password: salts differ anyway."""

_CODE = re.compile(r"[0-9A-Fa-f]{6}|[0-9]{4}|:[0-9A-Fa-f]{2}:")


@dataclass(slots=True)
class Copy:
    """The file of a new device, and the lines that a person has to review."""

    name: str
    text: str
    like: str  # the path of the sister's file
    kept: list[tuple[int, str]] = field(default_factory=list)  # lines that only the sister has
    taken_out: list[tuple[int, str]] = field(default_factory=list)


def copy(text: Text, others: Sequence[Text], made: Choices, series: Series | None) -> Copy:
    """Copy the file of a sister for the new device; `others` are those of its series."""
    old = text.device.hostname
    found = Copy(renamed(text.name, old, made.renamed[old]), "", text.name)
    keyed = {t.device.hostname: [(k, s.text) for s, k in t.keyed()] for t in (text, *others)}
    aligned = Aligned(keyed)
    lines = [made.words.rewrite(line) if _is_comment(line) else line for line in text.lines]
    gone = _take_out(text, lines, found, lambda body: not others or aligned.only(old, body))
    for row in _rows_of_hosts(text, made):
        gone |= _cut(lines, row, "")
    free = _free_lines(text, made)
    order: Counter[tuple[Key, str]] = Counter()
    for statement, above in text.keyed():
        at, body = statement.line, statement.text
        shape, tokens = shape_of(body)
        fits = aligned.fits(old, above, body, order[above, shape], series)
        order[above, shape] += 1
        if at in gone:
            continue
        worded = free.get(at) or made.words.rewrite(body, fits, text.around(statement))
        lines[at - 1] = lines[at - 1].replace(body, worded, 1)
        if not others:
            tokens = [each for each in tokens if each.address is not None or _TEXT.search(body)]
        if worded == body and tokens and (not others or aligned.only(old, body)):
            found.kept.append((at, _shown(body)))
    kept = [line for n, line in enumerate(lines, 1) if n not in gone or line]
    if text.is_json:
        kept = _without_last_commas(kept)
    if text.head and text.device.is_host:
        kept.insert(0, made.words.rewrite(text.head))
    found.text = ("\r\n" if "\r\n" in text.text else "\n").join(kept)
    return found


def _take_out(
    text: Text, lines: list[str], found: Copy, is_alone: Callable[[str], bool]
) -> set[int]:
    """Remove statements with codes of one device; return the numbers of their lines."""
    gone: set[int] = set()
    for each in text.statements:
        if each.line not in gone and _is_of_one_device(each) and is_alone(each.text):
            goes_on = each.line - 1 in gone and not _UNIQUE.search(each.text)
            gone |= _cut(lines, each, "" if goes_on else _instead(text, each))
            found.taken_out.append((each.line, _shown(each.text)))
    return gone


def _cut(lines: list[str], each: Statement, instead: str) -> set[int]:
    """Empty the lines of a statement, except for its replacement."""
    lines[each.line - 1 : each.last] = [instead, *[""] * (each.last - each.line)]
    return set(range(each.line, each.last + 1))


def _is_of_one_device(each: Statement) -> bool:
    """Whether a line, or one below a matching header, has a code of one device."""
    words = " ".join((*each.above, each.text))
    if _LONG.search(each.text):
        return True
    shared = re.search(r"virtual|anycast|vrrp", words, re.IGNORECASE)
    return bool(not shared and _UNIQUE.search(words) and _CODE.search(each.text))


def _shown(body: str) -> str:
    """A line without secrets and keys."""
    return _LONG.sub("...", redact(body))


def _without_last_commas(lines: list[str]) -> list[str]:
    """The lines of a JSON text without commas before a closing bracket."""
    found = list(lines)
    for n, (line, after) in enumerate(pairwise(lines)):
        if line.rstrip().endswith(",") and after.lstrip().startswith(("}", "]")):
            found[n] = line.rstrip().removesuffix(",")
    return found


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("!", "#", "/*", "//"))


def _instead(text: Text, statement: Statement) -> str:
    """A comment in place of a statement; JSON and YAML of devices have none."""
    if text.is_json:
        return ""
    source = all_nos()[text.device.nos].by_source[text.ref.source]
    sign = "#" if source.comment is None or re.match(source.comment, "#") else "!"
    return f"{statement.indent}{sign} removed: specific to {text.device.hostname}"


def _free_lines(text: Text, made: Choices) -> dict[int, str]:
    """New descriptions of ports whose hosts are not copied."""
    found = {}
    for end in made.free:
        port = end.interface
        if end.device is text.device and port.description:
            line = made.line_in(text.ref.name, port, "description") - (1 if text.head else 0)
            statement = text.by_line.get(line)
            if statement is not None and port.description in statement.text:
                found[line] = statement.text.replace(port.description, FREE)
    return found


def _rows_of_hosts(text: Text, made: Choices) -> Iterator[Statement]:
    """The entries of a table of neighbours for hosts that are not copied."""
    for end in made.free:
        for neighbor in end.interface.neighbors if end.device is text.device else ():
            line = made.line_in(text.ref.name, neighbor) - (1 if text.head else 0)
            statement = text.by_line.get(line)
            if statement is not None and neighbor.planned:
                header = text.by_line.get(text.headers[statement.line])
                lone = statement.last == statement.line and header is not None and header.above
                yield header if lone and header is not None else statement
