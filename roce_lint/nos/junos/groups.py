"""Configuration groups: what `apply-groups` gives to the statements that are written.

A group is a configuration of its own; where it is applied, at the top or further down, what it says
about that place and below is added. What is written at the place wins, then the group that is
applied nearest, and of several applied together the one that is named first.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import lru_cache

from roce_lint.model.device import GROUP, QOS_GROUP, NoteKind
from roce_lint.nos.reading import Reading
from roce_lint.nos.statements import GROUPS, Branch
from roce_lint.text.source import LineState
from roce_lint.text.statements import KEPT, Word

APPLY = "apply-groups"
EXCEPT = "apply-groups-except"

PREDEFINED = ("junos-defaults", "re0", "re1", "node0", "node1", "member", "global")
"""Beginnings of names that the system knows, or that belong to one module of a chassis."""

OF_MODULES = ("junos-defaults", "re0", "re1", "node", "member")
"""Beginnings of names of groups that the system, or a cluster of switches, applies by itself."""

ABOUT = {"class-of-service": QOS_GROUP, "interfaces": GROUP}
"""What a group is among the named structures, by what it speaks of."""

VARIABLE = "${"
"""How a name begins that the system fills in: `${node}` is node0 or node1 of a cluster."""

LIMIT = 500_000
"""Statements that a device may inherit; more would be a file made to fill the memory."""

DEPTH = 64
"""Groups that apply one another in a row; the deepest chain seen has three."""

_NO_NAMES = frozenset({"interface-range", "traceoptions", *KEPT})
"""Words at the place of names that a wildcard does not stand for."""


def apply_groups(reading: Reading, root: Word) -> None:
    """Add to the tree what groups give; afterwards the tree says what is in force."""
    texts = [entry.text.text for entry in reading.inputs]
    groups = root.below.get(GROUPS)
    if groups is not None:
        _define(reading, groups)
    if not any(APPLY in text for text in texts):
        return
    _leave_out_conditional(reading, Branch(reading, groups))
    expander = _Expander(reading, groups.below if groups is not None else {})
    _take_verbs(reading, root, expander)
    if expander.applied:
        expander.expand(root, (), [], frozenset())


def _define(reading: Reading, groups: Word) -> None:
    """Name the groups that say something about QoS or interfaces, but for those that the system
    applies to one module or node.
    """
    for name, group in groups.below.items():
        if name in KEPT or name.startswith(OF_MODULES):
            continue
        kinds = [kind for word, kind in ABOUT.items() if word in group.below]
        for kind in kinds[:1]:
            reading.names.define(kind, name, group.line, matters=False)


@dataclass(slots=True, frozen=True)
class _Giver:
    """What a group says about one place."""

    word: Word
    name: str
    through: frozenset[str]  # groups by which it came here; one does not apply itself


class _Statements:
    """What several givers say below one place, found by the name that it is said about.

    Hundreds of groups may speak of one place, so that none is asked about a name it does not have.
    """

    def __init__(self, givers: list[_Giver]) -> None:
        self._exact: dict[str, list[tuple[int, int, _Giver]]] = {}
        self._wild: list[tuple[re.Pattern[str], tuple[int, int, _Giver]]] = []
        for rank, giver in enumerate(givers):
            for number, (name, below) in enumerate(giver.word.below.items(), 1):
                found = _Giver(below, giver.name, giver.through)
                self._exact.setdefault(name, []).append((rank, 0, found))
                if is_wildcard(name):
                    self._wild.append((wildcard(name), (rank, number, found)))

    def about(self, name: str) -> list[_Giver]:
        """In the order of the givers; of one giver the name itself goes before its wildcards."""
        exact = self._exact.get(name, [])
        if name in _NO_NAMES or not self._wild:
            return [giver for _, _, giver in exact]
        fitting = [entry for pattern, entry in self._wild if pattern.match(name)]
        found = sorted([*exact, *fitting], key=lambda entry: entry[:2])
        return [giver for _, _, giver in found]


class _Expander:
    def __init__(self, reading: Reading, groups: dict[str, Word]) -> None:
        self.reading = reading
        self.groups = groups
        self.applied = False  # somewhere a group is applied
        self.made = 0

    def expand(
        self, word: Word, path: tuple[str, ...], givers: list[_Giver], banned: frozenset[str]
    ) -> None:
        """Add to `word`, at `path`, what the givers and the groups applied here say."""
        refused = word.below.get(EXCEPT)
        if refused is not None:
            banned = banned | refused.below.keys()
        givers = [*self._givers_at(word, path, frozenset()), *givers]
        givers = self._add_nested(givers, path)
        givers = [giver for giver in givers if giver.name not in banned]
        if givers:
            self._add(word, givers)
        said = _Statements(givers)
        for name, below in list(word.below.items()):
            if name in KEPT or (not path and name == GROUPS):
                continue
            inside = said.about(name)
            for giver in inside:
                giver.word.used = True
            if inside or below.below:
                self.expand(below, (*path, name), inside, banned)

    def _add(self, word: Word, givers: list[_Giver]) -> None:
        """Make the words that givers state and that are not written here."""
        for rank, giver in enumerate(givers, 1):
            for name, given in giver.word.below.items():
                if name in KEPT or is_wildcard(name) or name in word.below:
                    continue
                self.made += 1
                if self.made > LIMIT:
                    return
                word.below[name] = Word(given.line, rank)
        if self.made == LIMIT + 1:
            message = f"more than {LIMIT} statements are inherited; the rest is left out"
            self.reading.note(NoteKind.BAD_VALUE, message, word.line)

    def _add_nested(self, givers: list[_Giver], path: tuple[str, ...]) -> list[_Giver]:
        """The givers, each followed by the groups that it applies itself."""
        found: list[_Giver] = []
        pending = list(reversed(givers))
        while pending:
            giver = pending.pop()
            found.append(giver)
            if APPLY in giver.word.below and len(giver.through) < DEPTH:
                nested = self._givers_at(giver.word, path, giver.through | {giver.name})
                pending += reversed(nested)
        return found

    def _givers_at(
        self, word: Word, path: tuple[str, ...], through: frozenset[str]
    ) -> list[_Giver]:
        """What the groups named at a place say about it."""
        names = word.below.get(APPLY)
        found: list[_Giver] = []
        for name in names.below if names is not None else ():
            group = self.groups.get(name)
            if group is None or name in through:
                continue
            group.used = True
            places = [group]
            for step in path:
                places = [each for place in places for each in _matching_words(place, step)]
                for place in places:
                    place.used = True
            found += [_Giver(place, name, through) for place in places]
        return found


def _take_verbs(reading: Reading, root: Word, expander: _Expander) -> None:
    """Take the lines that apply groups; note names that no group has."""
    stack = [root]
    while stack:
        word = stack.pop()
        for name, below in word.below.items():
            if name not in KEPT:
                if below.below:
                    stack.append(below)
                continue
            for group, verb in below.below.items():
                reading.take(verb.line)
                expander.applied = True
                known = group in expander.groups or group.startswith((*PREDEFINED, VARIABLE))
                for kind in (QOS_GROUP, GROUP) if name == APPLY else ():
                    if reading.names.position(kind, group):
                        reading.names.refer(kind, group, verb.line)
                if name == APPLY and not known:
                    message = f"{APPLY} {group[:64]}: no such group is in the configuration"
                    reading.note(NoteKind.BAD_VALUE, message, verb.line)
            if not below.below:
                reading.mark(below.line, LineState.IGNORED)


def _matching_words(word: Word, name: str) -> list[Word]:
    """The words of a group that speak of `name`: itself, and wildcards that it fits."""
    found = []
    exact = word.below.get(name)
    if exact is not None:
        found.append(exact)
    if name not in _NO_NAMES:
        for pattern, below in word.below.items():
            if is_wildcard(pattern) and wildcard(pattern).match(name):
                found.append(below)
    return found


def is_wildcard(name: str) -> bool:
    """Whether a name of a group stands for others: `<*>`, `<et-*>`, `<[xe]t-*>`."""
    return name.startswith("<") and name.endswith(">")


@lru_cache(maxsize=4096)
def wildcard(pattern: str) -> re.Pattern[str]:
    """The names that a wildcard of a group fits."""
    return re.compile(fnmatch.translate(pattern[1:-1]))


def _leave_out_conditional(reading: Reading, groups: Branch) -> None:
    """Groups with `when` hold under conditions that a file does not tell."""
    for name, group in groups.pairs():
        if group.word is not None and "when" in group:
            message = f"group {name[:64]} holds under a condition (when), and is left out"
            reading.note(NoteKind.REMARK, message, group.begin)
            group.word.below.clear()
