"""Grammar of configuration templates, and the compiled rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from roce_lint.errors import ExtractError

PATTERNS: Mapping[str, str] = {
    "WORD": r"\S+",  # default pattern of a variable, without re(...)
    "REST": r"\S(?:.*\S)?",  # everything up to the end of the line
    "INT": r"[0-9]+",
    "NUMBER": r"[0-9]+(?:\.[0-9]+)?",
    "RANGES": r"[0-9]+(?:[-,\s]+[0-9]+)*",  # 3 | 24-31 | 8,10-12 | 24 25 26
    "ON_OFF": r"on|off",
}
"""Patterns every template may name; a NOS adds its own."""

RESERVED = re.compile(
    r"chain|columns|default|equal|ignore|joinmatches|notequal|re|set|sformat"
    r"|contains(_re)?|exclude(_re)?|(not)?(starts|ends)with_re"
)
"""Words that TTP reads as commands in the place of a variable name."""

MEMO_LINES = 4096
"""Distinct lines a group caches; configurations repeat a few hundred, descriptions aside."""

MEMO_WIDTH = 120
"""Longest line a group caches, so that the memory is bounded too."""

_GROUP = re.compile(r'<group name="([a-z][a-z0-9_]*)\*">')
_VARIABLE = re.compile(r"\{\{(.*?)\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FILTER = re.compile(r"""re\((["'])(.*)\1\)""")
_NAMED = re.compile(r"[A-Z][A-Z0-9_]*")
_WORDS = re.compile(r"[A-Za-z0-9-]+(?: [A-Za-z0-9-]+)*")

_BLANKS = re.compile(r"\s+")

_GAP = "\0"

PLANS = 1024
PLAN_LINES = 200
"""Stanzas a group caches by the rules that matched, and the maximum of their lines."""

Captures = tuple[tuple[str, str], ...]

Hit = tuple[bool, "Group | None", Captures, Hashable]
"""Result of a line: whether a rule matched, the group it starts, if any, its captures, and a key
shared by lines with the same result: the rule, or the text; None if that is too long."""

Plan = tuple[bytes, tuple[int, ...]]
"""States of the lines of a stanza, and the indexes of those with captures."""


@dataclass(slots=True)
class Rule:
    """One template line; its pattern is compiled on first use."""

    pattern: str
    names: tuple[str, ...]
    word: str | None  # the line's first word, where that is fixed
    pieces: tuple[str, ...]  # the fixed text before, between and after the variables
    fixed: tuple[str | None, ...]  # the words that each variable captures, where they are fixed
    starts: Group | None = None
    fullmatch: Callable[[str], re.Match[str] | None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.fullmatch = self._first

    def _first(self, text: str) -> re.Match[str] | None:
        self.fullmatch = re.compile(self.pattern).fullmatch
        return self.fullmatch(text)


@dataclass(slots=True)
class Group:
    """A group: the lines that may be directly below its start line."""

    name: str
    depth: int  # of its start line; the template itself is the group at -1
    rules: list[Rule] = field(default_factory=list)
    start: Rule | None = None
    by_word: dict[str, list[Rule]] = field(default_factory=dict)
    any_word: list[Rule] = field(default_factory=list)
    hits: Hits = field(init=False, repr=False)
    plans: dict[Hashable, Plan] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.hits = Hits(self)

    def index(self) -> None:
        """Index the rules by first word, each list in template order."""
        self.any_word = [rule for rule in self.rules if rule.word is None]
        for word in {rule.word for rule in self.rules if rule.word is not None}:
            self.by_word[word] = [rule for rule in self.rules if rule.word in (word, None)]

    def match(self, text: str) -> Hit:
        """Match a line with the first rule that fits."""
        for rule in self.by_word.get(text.split(None, 1)[0], self.any_word):
            found = rule.fullmatch(text)
            if found:
                captures = tuple(zip(rule.names, found.groups(), strict=True))
                return True, rule.starts, captures, id(rule)
        return False, None, (), text if len(text) <= MEMO_WIDTH else None

    def keep(self, key: tuple[Hashable, ...], plan: Plan) -> None:
        """Cache the result of a stanza's lines."""
        if len(key) <= PLAN_LINES and None not in key:
            if len(self.plans) >= PLANS:
                self.plans.clear()
            self.plans[key] = plan


class Hits(dict[str, Hit]):
    """Cached results of the lines below the start of a group."""

    def __init__(self, group: Group) -> None:
        super().__init__()
        self._group = group

    def __missing__(self, text: str) -> Hit:
        hit = self._group.match(text)
        if len(text) <= MEMO_WIDTH:
            if len(self) >= MEMO_LINES:
                self.clear()
            self[text] = hit
        return hit


class Parser:
    """Parser of a template."""

    def __init__(self, name: str, patterns: Mapping[str, str]) -> None:
        self.name = name
        self.number = 0
        self.patterns = patterns
        self.step = 0  # columns per depth, known from the first indented line

    def parse(self, text: str) -> Group:
        """Parse a template into a group around its groups."""
        root = Group("", -1)
        groups = [root]
        for self.number, raw in enumerate(text.split("\n"), 1):
            line = raw.strip()
            opened = _GROUP.fullmatch(line)
            if not line or line.startswith("##"):
                continue
            if opened:
                if len(groups) > 1 and groups[-1].start is None:
                    raise self._error("the first line of a group is its start line, not a group")
                groups.append(Group(opened[1], len(groups) - 1))
            elif line == "</group>" and len(groups) > 1:
                closed = groups.pop()
                if closed.start is None:
                    raise self._error(f"group {closed.name} has no line")
                closed.index()
            elif "<" in line or "&" in line:
                raise self._error(f'only <group name="x*"> and </group> are known: {line}')
            elif len(groups) == 1:
                raise self._error("this line is in no group")
            else:
                self._add(groups[-2], groups[-1], raw.rstrip())
        if len(groups) > 1:
            raise self._error(f"group {groups[-1].name} is not closed")
        root.index()
        return root

    def _add(self, parent: Group, group: Group, line: str) -> None:
        rule = self._rule(line.strip())
        if group.start is None:
            self._check_indent(line, group.depth, f"the start line of group {group.name}")
            rule.starts = group
            group.start = rule
            parent.rules.append(rule)
        else:
            self._check_indent(line, group.depth + 1, f"a line below the start of {group.name}")
            group.rules.append(rule)

    def _check_indent(self, line: str, depth: int, role: str) -> None:
        indent = len(line) - len(line.lstrip(" "))
        self.step = self.step or (indent if depth == 1 else 0)
        if line[indent] == "\t" or indent != depth * self.step or (depth and not indent):
            wanted = depth * self.step or ("more" if depth else 0)
            raise self._error(f"indented by {indent} blanks; {role} by {wanted}")

    def _rule(self, line: str) -> Rule:
        names: list[str] = []
        pieces: list[str] = []
        regex = ""
        fixed: list[str | None] = []
        known = ""  # the line with _GAP for each variable part
        end = 0
        for variable in _VARIABLE.finditer(line):
            name, pattern, words = self._variable(variable[1])
            if name in names:
                raise self._error(f"variable {name} comes twice in the line")
            names.append(name)
            before = line[end : variable.start()]
            pieces.append(_BLANKS.sub(" ", before))
            regex += f"{self._fix(before)}({pattern})"
            known += before + words
            fixed.append(None if words == _GAP else words)
            end = variable.end()
        if not names:
            raise self._error(f"no variable in the line: {line}")
        regex += self._fix(line[end:])
        word = (known + line[end:]).split(None, 1)[0]
        pieces.append(_BLANKS.sub(" ", line[end:]))
        first = None if _GAP in word else word
        return Rule(regex, tuple(names), first, tuple(pieces), tuple(fixed))

    def _fix(self, text: str) -> str:
        if "{{" in text or "}}" in text:
            raise self._error("a {{ }} is not closed")
        return r"\s+".join(map(re.escape, re.split(r"\s+", text)))

    def _variable(self, inner: str) -> tuple[str, str, str]:
        """Name and regex of a variable, and the words it captures where these are fixed."""
        name, bar, given = (part.strip() for part in inner.partition("|"))
        if not _NAME.fullmatch(name) or RESERVED.fullmatch(name):
            raise self._error(f"{name!r} cannot name a variable")
        if not bar:
            return name, self.patterns["WORD"], _GAP
        argument = _FILTER.fullmatch(given)
        if argument is None or "|" in given:
            raise self._error(
                f'{name}: re("...") is the only filter, used once and without "|" inside'
            )
        words = argument[2]
        if words in self.patterns:
            return name, self._pattern(words), _GAP
        if _NAMED.fullmatch(words):
            raise self._error(f"unknown pattern {words}; known: {', '.join(self.patterns)}")
        if not _WORDS.fullmatch(words):
            raise self._error(f"{words!r} is neither a pattern name nor plain words")
        return name, self._fix(words), words

    def _pattern(self, name: str) -> str:
        pattern = self.patterns[name]
        try:
            groups = re.compile(pattern).groups
        except re.error as error:
            raise self._error(f"pattern {name} is not a regex: {error}") from error
        if groups:
            raise self._error(f"pattern {name} must not capture; write (?:...)")
        return pattern

    def _error(self, message: str) -> ExtractError:
        return ExtractError(message, location=f"{self.name}:{self.number}")
