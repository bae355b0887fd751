"""Configurations in braces: blocks, lists, comments, and syntax faults."""

from __future__ import annotations

import re

from roce_lint.text.statement_lines import (
    NOISE,
    PLAIN,
    PREFIXES,
    ParsedLine,
    Part,
    close_open,
    line_parts,
    split,
    strip_marks,
)
from roce_lint.text.statement_tree import DEEPEST, Statements, Tree, Wanted, Word

JOINED = 500
"""Lines that one quoted text, comment or list may span."""

_SAFE = DEEPEST - PLAIN
"""Words of a path to which a plain statement can be added without counting."""


class Braces(Tree):
    """Reader of the brace form."""

    def __init__(self, found: Statements, wanted: Wanted) -> None:
        super().__init__(found, wanted)
        self.stack: list[tuple[Word, Wanted, int, int]] = [(found.root, wanted, 0, 0)]
        self.skipped: list[int] = []  # first lines of open blocks that are not wanted
        self.refused = 0  # line of a comment that marks the next statement as ignored

    def read(self, lines: list[str], first: int) -> None:
        """Read all lines. Nearly every line is a plain statement or a brace, the fast path."""
        number, end = 0, len(lines)
        skipped, stack, blocks = self.skipped, self.stack, self.found.blocks
        while number < end:
            text = lines[number].strip()
            number += 1
            if skipped and text[-1:] == ";" and '"' not in text and "{" not in text:
                continue  # the most frequent unwanted lines
            line = first + number
            if text[-1:] == "{" and (skipped or len(stack) > 1):
                self._begin_anew(lines, number, first)
            if text == "}" and not skipped and len(stack) > 1:
                node, _, begin, _ = stack.pop()
                blocks.append((begin, line))
                if not node.below:
                    self.end(node, begin)
                self.refused = 0
                continue
            parsed = line_parts(text)
            part = parsed.plain
            if part is not None and not skipped and not self.refused and stack[-1][3] < _SAFE:
                parent, wanted, _, depth = stack[-1]
                added = self.add(parent, wanted, part.words, line)
                if added is not None:
                    if part.end == "{":
                        stack.append((*added, line, depth + len(part.words)))
                    else:
                        self.end(added[0], line)
                    continue
                if part.end == "{" and (after := _behind(lines, number)):
                    number = after
                    continue
            number = self._odd(parsed, lines, number, first)
        self._close_all(first + end)

    def _odd(self, parsed: ParsedLine, lines: list[str], number: int, first: int) -> int:
        """Read a line that is not a plain statement; return the number of lines read."""
        line = first + number
        if parsed.open:
            number, parsed = self._join(lines, number, first)
        if not parsed.parts:
            if parsed.refused:
                self.refused = line
            if not self.skipped:
                self.found.beside.append(line)
        for each in parsed.parts:
            if each.end:
                self._take(each, line)
            else:
                number = self._read_unfinished(each, lines, number, first)
        return number

    def _join(self, lines: list[str], number: int, first: int) -> tuple[int, ParsedLine]:
        """Join line `number` with the lines that continue its text, comment or list."""
        begin = number
        text = lines[begin - 1].strip()
        while number < len(lines) and number - begin < JOINED:
            text += "\n" + lines[number].strip()
            number += 1
            parsed = split(text)
            if not parsed.open:
                span = range(begin + 1, number + 1)
                self.found.joined += [(first + begin, first + line) for line in span]
                return number, parsed
        self.note("a quoted text, comment or list begins here and never ends", first + begin)
        self.found.unclosed.append(first + begin)
        return begin, split(close_open(lines[begin - 1].strip()))

    def _take(self, part: Part, line: int) -> None:
        if part.end == "}":
            self._close(line, part)
            return
        parent, wanted, _, depth = self.stack[-1]
        words, prefixes = strip_marks(part.words)
        added = None
        if words and not self.skipped:
            if depth + len(words) > DEEPEST:
                self.note("nested deeper than any device allows; left out", line)
            else:
                added = self.add(parent, wanted, words, line)
        if added is None:
            if part.end == "{":
                self.skipped.append(line)
            self.refused = 0
            return
        node, inside = added
        if prefixes or self.refused:
            self._mark(parent, words, prefixes, line)
        if part.end == "{":
            self.stack.append((node, inside, line, depth + len(words)))
        elif part.members is None:
            self.end(node, line)
        else:
            self._members(node, inside, part.members, line)

    def _members(self, node: Word, wanted: Wanted, members: tuple[str, ...], line: int) -> None:
        if len(set(members)) < len(members) and PREFIXES.isdisjoint(members):
            node.listed = tuple((member, line) for member in members)
        inactive = False
        for member in members:
            if member in PREFIXES:
                inactive = member == "inactive:"
                continue
            added = self.add(node, wanted, (member,), line)
            if added is not None:
                self.end(added[0], line)
                if inactive:
                    self.dropped.append((node, member))
            inactive = False

    def _mark(
        self, parent: Word, words: tuple[str, ...], prefixes: frozenset[str], line: int
    ) -> None:
        """Record that a statement is inactive, or deletes another."""
        path = " ".join(words)
        above = parent
        last = len(words) - 1
        for index, word in enumerate(words[:-1]):
            below = above.below[word]
            alone = len(below.below) == 1  # nothing else begins with the same words
            last = min(last, index) if alone else len(words) - 1
            above = below
        above = parent
        for word in words[:last]:
            above = above.below[word]
        words = words[: last + 1]
        if self.refused:
            self.found.refused.append((path, line))
            self.refused = 0
            self.dropped.append((above, words[-1]))
        elif "delete:" in prefixes:
            self.delete(above, words[-1])
        elif "inactive:" in prefixes:
            self.dropped.append((above, words[-1]))

    def _close(self, line: int, part: Part) -> None:
        self.refused = 0
        if part.words:  # `mtu 9216 }`
            self._take(Part(";", part.words, part.members), line)
            self.note(f"no semicolon after {' '.join(part.words)!r}", line)
        if self.skipped:
            self.skipped.pop()
        elif len(self.stack) > 1:
            node, _, begin, _ = self.stack.pop()
            self.found.blocks.append((begin, line))
            if not node.below:
                self.end(node, begin)
        else:
            self.note("a closing brace without an opening one", line)
            self.found.unclear.append(line)
            self.found.torn = True

    def _read_unfinished(self, part: Part, lines: list[str], number: int, first: int) -> int:
        """Read a line that ends without a brace or semicolon; return the number of lines read."""
        line = first + number
        text = lines[number - 1].strip()
        if len(self.stack) + len(self.skipped) == 1:
            following = next((each.strip() for each in lines[number:] if each.strip()), "")
            if not following.startswith("{") or NOISE.match(text):
                known = NOISE.match(text) is not None or not self.found.root.below
                (self.found.beside if known else self.found.unclear).append(line)
                return number
        for ahead in range(number, len(lines)):
            following = lines[ahead].strip()
            if not following:
                continue
            if following[0] in "{;":
                self._take(Part(following[0], part.words, part.members), line)
                rest = following[1:].strip()
                lines[ahead] = rest
                self.found.joined.append((line, first + ahead + 1))
                return ahead if rest else ahead + 1
            if NOISE.match(text):
                self.found.beside.append(line)
                return number
            self._take(Part(";", part.words, part.members), line)
            if not self.skipped:
                self.note(f"no semicolon after {' '.join(part.words)!r}", line)
            return number
        if not NOISE.match(text):  # at the end of the text, this may be half a word
            self.found.unclear.append(line)
        return number

    def _begin_anew(self, lines: list[str], number: int, first: int) -> None:
        """A top-level stanza in an indented text: no brace can be open there."""
        text = lines[number - 1]
        if text[:1] in (" ", "\t"):
            return
        words, _ = strip_marks(tuple(text[:-1].split()))
        begin = self.stack[1][2] if len(self.stack) > 1 else self.skipped[0]
        indented = lines[begin - first][:1] in (" ", "\t")
        if indented and len(words) == 1 and words[0] in self.stack[0][1]:
            count = len(self.stack) - 1 + len(self.skipped)
            self.note(f"{count} open braces are not closed before {words[0]!r}", begin)
            self.found.unclosed.append(begin)
            self._end_blocks(first + number - 1)

    def _end_blocks(self, last: int) -> None:
        """Close all open blocks; statements inside may be missing or misplaced."""
        self.found.torn = True
        self.skipped.clear()
        while len(self.stack) > 1:
            node, _, begin, _ = self.stack.pop()
            self.found.blocks.append((begin, last))
            if not node.below:
                self.end(node, begin)

    def _close_all(self, last: int) -> None:
        open_blocks = len(self.stack) - 1 + len(self.skipped)
        if open_blocks:
            begin = self.stack[-1][2] if not self.skipped else self.skipped[-1]
            message = f"the text ends inside {open_blocks} open braces: the rest is missing"
            self.note(message, begin)
            self.found.unclosed.append(begin)
            self.found.cut = self.stack[-1][0]
            self._end_blocks(last + 1)
        self.finish()


def _behind(lines: list[str], number: int) -> int:
    """Line that closes the block opened in line `number`, by indentation.

    Device output is indented. 0 if the braces in between disagree.
    """
    opening = lines[number - 1]
    indent = len(opening) - len(opening.lstrip())
    try:
        end = lines.index(opening[:indent] + "}", number)
    except ValueError:
        return 0
    inside = "\n".join(["", *lines[number:end]])
    if re.search(rf"\n[ \t]{{0,{indent}}}[^ \t\n]", inside):
        return 0  # its own brace has a blank or a comment after it, and this is another's
    sound = inside.count("{") == inside.count("}") and "/*" not in inside
    return end + 1 if sound and inside.count('"') % 2 == 0 else 0
