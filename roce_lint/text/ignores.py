"""Inline ignores: comments `roce-lint: ignore RULE -- reason`, and the lines they cover.

A comment at the end of a line covers that line; one on a separate line covers the next line, or, as
the first line inside a stanza, the stanza: that is where devices keep a comment of a stanza. Lines
indented below a line belong to it, and so do the lines of a `[section]`.
"""

from __future__ import annotations

import re
from dataclasses import replace

from roce_lint.text.names import likely_name
from roce_lint.text.source import Ignore, SourceFile, SourceMap

MARKER = "roce-lint:"
IGNORE = "ignore"

LIKE = 0.75
"""Similarity from which a word counts as a misspelt `ignore` (two letters swapped)."""

_COMMENT = re.compile(
    r"(?P<own>^\s*)?(?P<mark>[!#]+|/\*)\s*roce-lint:\s*(?P<comment>.*?)(?:\s*\*/\s*)?$",
    re.IGNORECASE,
)
_IGNORE = re.compile(
    r"(?i:ignore)\s+(?P<rules>[A-Z]{3}\d{0,3}(?:[\s,]+[A-Z]{3}\d{0,3})*)(?P<rest>$|[\s,].*$)"
)
_REASON = re.compile(r"[\s,]*(?:--+|\N{EN DASH}|\N{EM DASH})\s*(?P<reason>.*\S)\s*$")
_SECTION = re.compile(r"\s*\[[^\]]+\]\s*(?:#.*)?$")


def is_marked(text: str) -> bool:
    """Whether a text may contain an ignore."""
    return MARKER in text or MARKER in text.lower()


def find_ignores(lines: list[str], mark: str) -> list[Ignore]:
    """All inline ignores of a text whose comments begin with a character of `mark`, by line."""
    found = []
    for number, line in enumerate(lines, 1):
        comment = _comment(line, mark)
        if comment is None:
            continue
        rules, reason, fault = _parse(comment["comment"])
        first = last = 0
        if not fault:
            first, last = _about(lines, number, mark, own=comment["own"] is not None)
        found.append(Ignore(number, rules, reason, 0, first, last, fault))
    return found


def keep_ignores(src: SourceMap, index: int, file: SourceFile, mark: str) -> bool:
    """Store the inline ignores of file number `index`; False if it certainly has none.

    Positions of a tree may be paths only; then its top is the place of the comment.
    """
    if not is_marked(file.text):
        return False
    ref = src.files[index]
    in_lines = ref.lines == file.text.count("\n") + 1
    for found in find_ignores(file.lines(), mark):
        position = ref.first + found.position if in_lines else src.path(index, ())
        src.ignores.append(replace(found, position=position, file=index))
    return True


def without_ignore(line: str, mark: str) -> str:
    """A line without the ignore at its end; a comment line is unchanged."""
    comment = _comment(line, mark)
    if comment is None or comment["own"] is not None:
        return line
    return line[: comment.start("mark")].rstrip()


def bare(line: str) -> str:
    """A line without an ignore at its end, whatever the comment character."""
    comment = _COMMENT.search(line) if is_marked(line) else None
    return line if comment is None else line[: comment.start("mark")].rstrip()


def _comment(line: str, mark: str) -> re.Match[str] | None:
    if not is_marked(line):
        return None
    comment = _COMMENT.search(line)
    return comment if comment is not None and comment["mark"][0] in mark else None


def _parse(comment: str) -> tuple[tuple[str, ...], str, str]:
    """Rules, reason, and the fault of the comment."""
    match = _IGNORE.match(comment)
    if match is None:
        word = comment.split(" ", 1)[0].strip(":,")
        if word.casefold() != IGNORE and (wanted := likely_name(word, [IGNORE], LIKE)):
            return (), "", f"is none, {word!r} is no word of ours; did you mean {wanted!r}?"
        return (), "", "names no rule (such as MTU001)"
    rules = tuple(re.split(r"[\s,]+", match["rules"]))
    reason = _REASON.match(match["rest"])
    if reason is None:
        return rules, "", f"has no reason; write `ignore {', '.join(rules)} -- why`"
    return rules, reason["reason"], ""


def _about(lines: list[str], number: int, mark: str, *, own: bool) -> tuple[int, int]:
    """First and last line that the comment on line `number` covers; (0, 0) where none."""
    if not own:
        return number, _end(lines, number, mark)
    depth = _indent(lines[number - 1])
    if mark == "!":
        above = next((n for n in range(number - 1, 0, -1) if _has_content(lines[n - 1], mark)), 0)
        if above and _indent(lines[above - 1]) < depth:
            return above, _end(lines, above, mark)
    below = next(
        (n for n in range(number + 1, len(lines) + 1) if _has_content(lines[n - 1], mark)), 0
    )
    if not below or _indent(lines[below - 1]) < depth:
        return 0, 0
    return below, _end(lines, below, mark)


def _end(lines: list[str], number: int, mark: str) -> int:
    """The last line that belongs to line `number`."""
    depth = _indent(lines[number - 1])
    section = "#" in mark and _SECTION.match(lines[number - 1]) is not None
    last = number
    for following in range(number + 1, len(lines) + 1):
        text = lines[following - 1]
        if not _has_content(text, mark):
            continue
        continued = "#" in mark and following == last + 1 and lines[last - 1].endswith("\\")
        inside = not _SECTION.match(text) if section else _indent(text) > depth
        if not (continued or inside):
            break
        last = following
    return last


def _has_content(line: str, mark: str) -> bool:
    text = line.strip()
    return bool(text) and text[0] not in mark


def _indent(line: str) -> int:
    spread = line.expandtabs()
    return len(spread) - len(spread.lstrip())
