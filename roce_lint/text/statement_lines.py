"""Lines of a configuration in braces or of `set` lines, taken apart into statements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

PREFIXES = frozenset({"inactive:", "active:", "protect:", "unprotect:", "replace:", "delete:"})
"""Marks before a statement that say what becomes of it."""

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
"""What a command line prints around a configuration."""


PLAIN = 20
"""Words of a plain statement, at most."""

_SHORT = 300
"""Characters of lines that are worth remembering."""


@dataclass(slots=True, frozen=True)
class Part:
    """One statement of a line: its words, the members of a list at its end, and what ends it."""

    end: str  # ";", "{", "}" or "" where the line ends before the statement does
    words: tuple[str, ...]
    members: tuple[str, ...] | None = None


@dataclass(slots=True, frozen=True)
class ParsedLine:
    """A line taken apart."""

    parts: tuple[Part, ...]
    plain: Part | None = None  # the one statement of a line that needs no second look
    open: bool = False  # a text, comment or list goes on in the next line
    refused: bool = False  # says that the device ignores the next statement


def line_parts(text: str) -> ParsedLine:
    """A line taken apart; lines repeat, in one file and in many."""
    return _line_parts(text) if len(text) < _SHORT else split(text)


@lru_cache(maxsize=1 << 14)
def _line_parts(text: str) -> ParsedLine:
    if text == "}":
        return _CLOSING
    end = text[-1:]
    if end in ";{" and text and not _special(text):
        part = Part(end, tuple(text[:-1].split()))
        plain = 0 < len(part.words) <= PLAIN and part.words[0] not in PREFIXES
        return ParsedLine((part,), plain=part if plain else None)
    return split(text)


def _special(text: str) -> bool:
    return (
        '"' in text
        or "[" in text
        or "#" in text
        or "/*" in text
        or "}" in text
        or text.count(";") + text.count("{") > 1
    )


_LIST_END = re.compile(r"(\s\[[^\[\]]*\])\s+(?=[^\s;#])")
"""The end of a list of the set form behind which more words stand."""

_CLOSING = ParsedLine((Part("}", ()),))


def split(text: str) -> ParsedLine:
    """A text taken apart into statements."""
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
        if kind == "word" and not inside and word[0] == "[" and not _is_glob(word):
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


def is_open(text: str) -> bool:
    """Whether a quoted text, comment or list begins in a text and does not end in it."""
    return split(text).open


def statement(text: str) -> Part:
    """The words behind a verb of the set form; whatever is open ends with the line."""
    return statements(text)[0]


def statements(text: str) -> list[Part]:
    """As `statement`; words behind a list are a statement of their own beside the one with the
    list: `fill-level [ 40 80 ] drop-probability [ 0 100 ]`. There is at least one.
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


def _is_glob(word: str) -> bool:
    """`[ex]e-*` is a name; `[`, `[a` and `[a]` begin a list."""
    return "]" in word[:-1]


def close_open(text: str) -> str:
    """A text whose open quote, comment or list ends with it."""
    bare = text.replace('"', " ").replace("/*", " ")
    return bare + " ]" if "[" in bare and "]" not in bare else bare


_UNMARKED: frozenset[str] = frozenset()


def strip_marks(words: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The words behind the marks before a statement, and the marks."""
    if not words or words[0] not in PREFIXES:
        return words, _UNMARKED
    count = next((i for i, word in enumerate(words) if word not in PREFIXES), len(words))
    return words[count:], frozenset(words[:count])
