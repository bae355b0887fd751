"""Lines of a configuration in braces or of `set` lines, split into statements; the `set` form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from roce_lint.text.statement_tree import ANY, DEEPEST, Statements, Tree, Wanted, Word

PREFIXES = frozenset({"inactive:", "active:", "protect:", "unprotect:", "replace:", "delete:"})
"""Marks before a statement that change its effect."""

_REFUSED = re.compile(r"#+ *Warning: .*\bignored\b")
_TOKEN = re.compile(
    r'"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<comment>/\*.*?\*/|#[^\n]*)|(?P<mark>[{};])'
    r'|(?P<open>"|/\*)|(?P<word>[^\s{};"]+)',
    re.DOTALL,
)
NOISE = re.compile(
    r"\{\w+(?::\w+)*\}|\[edit\b|\S+@[^\s>#%]+[>#%]|(?:\S+[>#] *)?(?:run )?show config"
    r"|-+ ?\(?more|[Ll]ast login|(?:warning|error|commit|logout|exit|configure)\b"
)
"""Command-line output around a configuration."""


PLAIN = 20
"""Maximum words of a plain statement."""

_SHORT = 300
"""Maximum length of cached lines."""


@dataclass(slots=True, frozen=True)
class Part:
    """One statement of a line: its words, the members of a list at its end, and its terminator."""

    end: str  # ";", "{", "}" or "" where the line ends before the statement does
    words: tuple[str, ...]
    members: tuple[str, ...] | None = None


@dataclass(slots=True, frozen=True)
class ParsedLine:
    """A split line."""

    parts: tuple[Part, ...]
    plain: Part | None = None  # the only statement of a simple line
    open: bool = False  # a text, comment or list continues in the next line
    refused: bool = False  # marks the next statement as ignored by the device


def line_parts(text: str) -> ParsedLine:
    """Split a line; cached, as lines repeat in one file and in many."""
    return _line_parts(text) if len(text) < _SHORT else split(text)


@lru_cache(maxsize=1 << 14)
def _line_parts(text: str) -> ParsedLine:
    if text == "}":
        return _CLOSING
    end = text[-1:]
    special = any(mark in text for mark in _SPECIAL) or text.count(";") + text.count("{") > 1
    if end in ";{" and text and not special:
        part = Part(end, tuple(text[:-1].split()))
        plain = 0 < len(part.words) <= PLAIN and part.words[0] not in PREFIXES
        return ParsedLine((part,), plain=part if plain else None)
    return split(text)


_SPECIAL = ('"', "[", "#", "/*", "}")
_LIST_END = re.compile(r"(\s\[[^\[\]]*\])\s+(?=[^\s;#])")
"""End of a list of the set form that is followed by more words."""

_CLOSING = ParsedLine((Part("}", ()),))


def split(text: str) -> ParsedLine:
    """Split a text into statements."""
    if text.startswith("#"):
        return ParsedLine((), refused=_REFUSED.match(text) is not None)
    if text.startswith("{") and NOISE.match(text):
        return ParsedLine(())
    parts: list[Part] = []
    words: list[str] = []
    members: list[str] | None = None
    inside = False  # a list
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "comment":
            continue
        if kind == "open":
            return ParsedLine(tuple(parts), open=True)
        if kind == "mark" and not inside:
            if words or token[0] != ";":
                parts.append(Part(token[0], tuple(words), _frozen(members)))
            words, members = [], None
            continue
        word = token["quoted"] if kind == "quoted" else token[0]
        # `[ex]e-*` is a name; `[`, `[a` and `[a]` begin a list.
        if kind == "word" and not inside and word[0] == "[" and "]" not in word[:-1]:
            inside, members, word = True, [], word[1:]
        ends = kind == "word" and inside and word.endswith("]") and "[" not in word
        word = word[:-1] if ends else word
        if word or kind == "quoted":
            (members if inside and members is not None else words).append(word)
        inside = inside and not ends
    if inside:
        return ParsedLine(tuple(parts), open=True)
    if words:
        parts.append(Part("", tuple(words), _frozen(members)))
    return ParsedLine(tuple(parts))


def statements(text: str) -> list[Part]:
    """The words after a verb of the set form; open quotes and lists end with the line. Words after
    a list are a separate statement: `fill-level [ 40 80 ] drop-probability [ 0 100 ]`. There is
    always at least one.
    """
    parsed = split(text if '"' in text else _LIST_END.sub(r"\1; ", text))
    if parsed.open:
        parsed = split(close_open(text))
    found = list(parsed.parts[:1]) or [Part("", ())]
    for part in parsed.parts[1:]:
        found.append(Part(part.end, found[-1].words[:-1] + part.words, part.members))
    return found


def _frozen(members: list[str] | None) -> tuple[str, ...] | None:
    return None if members is None else tuple(members)


def close_open(text: str) -> str:
    """Close the open quote, comment or list of a text."""
    bare = text.replace('"', " ").replace("/*", " ")
    return bare + " ]" if "[" in bare and "]" not in bare else bare


_UNMARKED: frozenset[str] = frozenset()


def strip_marks(words: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words after the marks of a statement, and the marks."""
    if not words or words[0] not in PREFIXES:
        return words, _UNMARKED
    count = next((i for i, word in enumerate(words) if word not in PREFIXES), len(words))
    return words[count:], frozenset(words[:count])


# The `set` form, with lines that delete or deactivate others.

_IN_SETS = frozenset(
    {"set", "delete", "deactivate", "activate", "protect", "unprotect", "annotate"}
)


class Sets(Tree):
    """Reader of the `set` form."""

    def __init__(self, found: Statements, wanted: Wanted) -> None:
        super().__init__(found, wanted)
        self.repeated: dict[int, tuple[Word, list[tuple[str, int]]]] = {}
        self.early: list[tuple[list[str], int]] = []  # `deactivate` before its statement

    def read(self, lines: list[str], first: int) -> None:
        """Read all lines."""
        for number, line in enumerate(lines, first + 1):
            verb, _, rest = line.strip().partition(" ")
            if verb == "set":
                if '"' not in rest and "[" not in rest and "#" not in rest:
                    self._set(rest.split(), None, number)
                    continue
                if split(rest).open:
                    self.note("a quoted text or list begins here and never ends", number)
                for part in statements(rest):
                    self._set(list(part.words), part.members, number)
            elif verb in _IN_SETS:
                self._change(verb, list(statements(rest)[0].words), number)
            elif not verb or verb[0] in "#/" or NOISE.match(line.strip()) or number == first + 1:
                self.found.beside.append(number)
            else:
                self.found.unclear.append(number)
        for words, number in self.early:
            self._deactivate(words, number)
        for parent, again in self.repeated.values():
            again += [(name, below.line) for name, below in parent.below.items()]
            parent.listed = tuple(sorted(again, key=lambda member: member[1]))
        self.finish()

    def _set(self, words: list[str], members: tuple[str, ...] | None, line: int) -> None:
        if len(words) > DEEPEST:
            self.note("nested deeper than any device allows; left out", line)
            return
        if not words:
            self.found.unclear.append(line)
            return
        added = self.add(self.found.root, self.wanted, words, line)
        if added is None:
            return
        if members is None:
            if added[0].line != line and not added[0].below:
                self._repeat(words, added[0].line)
            self.end(added[0], line)
            return
        if len(set(members)) < len(members):
            added[0].listed = tuple((member, line) for member in members)
        for member in members:
            below = self.add(*added, (member,), line)
            if below is not None:
                self.end(below[0], line)

    def _repeat(self, words: list[str], line: int) -> None:
        """Record a repeated list member that has a line for each; `line` is the earlier one."""
        parent = self.found.root.get(*words[:-1])
        if parent is not None:
            self.repeated.setdefault(id(parent), (parent, []))[1].append((words[-1], line))

    def _deactivate(self, words: list[str], line: int) -> None:
        """Apply a `deactivate` that came before the statement it switches off."""
        parent = self.found.root.get(*words[:-1])
        if parent is not None and words[-1] in parent.below:
            self.found.applied.append(line)
            self.dropped.append((parent, words[-1]))
        elif self._is_wanted(words):
            self.found.unclear.append(line)

    def _change(self, verb: str, words: list[str], line: int) -> None:
        *above, last = words or [""]
        parent = self.found.root.get(*above)
        if parent is None or last not in parent.below:
            if words and verb == "deactivate":
                self.early.append((words, line))
            elif words and self._is_wanted(words):
                self.found.applied.append(line)
            return
        self.found.applied.append(line)
        if verb == "delete":
            self.delete(parent, last)
        elif verb == "deactivate":
            self.dropped.append((parent, last))
        elif verb == "activate":
            self.dropped = [each for each in self.dropped if each != (parent, last)]

    def _is_wanted(self, words: list[str]) -> bool:
        wanted = self.wanted
        for word in words:
            if not wanted:
                return True
            inside = wanted.get(word, wanted.get(ANY))
            if inside is None:
                return False
            wanted = inside
        return True
