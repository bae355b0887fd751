"""Inheritance of statements from configuration groups (`apply-groups`) and interface ranges.

A group is a separate configuration. Where it is applied, its statements for that place and below
are added. Statements written at the place win, then the nearest applied group; among several groups
applied together, the first named.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import lru_cache

from roce_lint.model.device import GROUP, QOS_GROUP, NoteKind
from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.naming import MANY, between, kind_of, members
from roce_lint.nos.reading import Reading
from roce_lint.nos.statements import GROUPS, Branch
from roce_lint.text.source import LineState
from roce_lint.text.statements import KEPT, Word

APPLY = "apply-groups"
EXCEPT = "apply-groups-except"

PREDEFINED = ("junos-defaults", "re0", "re1", "node0", "node1", "member", "global")
"""Prefixes of group names that the system defines, or that belong to one module of a chassis."""

OF_MODULES = ("junos-defaults", "re0", "re1", "node", "member")
"""Prefixes of group names that the system, or a cluster, applies by default."""

ABOUT = {"class-of-service": QOS_GROUP, "interfaces": GROUP}
"""Kind of group among the named structures, by its content."""

VARIABLE = "${"
"""Prefix of a name that the system expands: `${node}` is node0 or node1 of a cluster."""

LIMIT = 500_000
"""Inherited statements of a device; more would be a file made to fill the memory."""

DEPTH = 64
"""Length of a chain of groups that apply one another; the longest seen is three."""

_NO_NAMES = frozenset({"interface-range", "traceoptions", *KEPT})
"""Words in the place of a name that no wildcard matches."""


def apply_groups(reading: Reading, root: Word) -> None:
    """Add inherited statements to the tree, which then holds the configuration in force."""
    groups = root.below.get(GROUPS)
    if groups is not None:
        _define(reading, groups)
    if not any(APPLY in entry.text.text for entry in reading.inputs):
        return
    _leave_out_conditional(reading, Branch(reading, groups))
    expander = _Expander(reading, groups.below if groups is not None else {})
    _take_verbs(reading, root, expander)
    if expander.applied:
        expander.expand(root, (), [], frozenset())


def _define(reading: Reading, groups: Word) -> None:
    """Define the groups about QoS or interfaces, except the predefined ones of modules or nodes."""
    for name, group in groups.below.items():
        kind = next((kind for word, kind in ABOUT.items() if word in group.below), "")
        if kind and name not in KEPT and not name.startswith(OF_MODULES):
            reading.names.define(kind, name, group.line, matters=False)


@dataclass(slots=True, frozen=True)
class _Giver:
    """Statements of a group about one place."""

    word: Word
    name: str
    through: frozenset[str]  # groups it was inherited through; none applies itself


class _Statements:
    """Statements of groups below one place by name: hundreds of groups may apply to one place."""

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
        """Statements about a name, by group; within a group the exact name precedes wildcards."""
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
        """Add the statements of the givers, and of groups applied here, to `word` at `path`."""
        refused = word.below.get(EXCEPT)
        if refused is not None:
            banned = banned | refused.below.keys()
        givers = [*self._givers_at(word, path, frozenset()), *givers]
        givers = self._add_nested(givers, path)
        givers = [giver for giver in givers if giver.name not in banned]
        if givers:
            self._add(word, givers)
        indexed = _Statements(givers)
        for name, below in list(word.below.items()):
            if name in KEPT or (not path and name == GROUPS):
                continue
            inside = indexed.about(name)
            for giver in inside:
                giver.word.used = True
            if inside or below.below:
                self.expand(below, (*path, name), inside, banned)

    def _add(self, word: Word, givers: list[_Giver]) -> None:
        """Create the words that groups state and that are missing here."""
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
            self.reading.bad(message, word.line)

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
        """Statements of the groups applied at a place."""
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
    """Take the lines that apply groups; note undefined group names."""
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
                    reading.bad(message, verb.line)
            if not below.below:
                reading.mark(below.line, LineState.IGNORED)


def _matching_words(word: Word, name: str) -> list[Word]:
    """Words of a group that match `name`: the name itself, and matching wildcards."""
    found = [word.below[name]] if name in word.below else []
    if name not in _NO_NAMES:
        wild = ((wildcard(each), below) for each, below in word.below.items() if is_wildcard(each))
        found += [below for pattern, below in wild if pattern.match(name)]
    return found


def is_wildcard(name: str) -> bool:
    """Whether a group name is a wildcard: `<*>`, `<et-*>`, `<[xe]t-*>`."""
    return name.startswith("<") and name.endswith(">")


@lru_cache(maxsize=4096)
def wildcard(pattern: str) -> re.Pattern[str]:
    """Regex of the names that a wildcard of a group matches."""
    return re.compile(fnmatch.translate(pattern[1:-1]))


def _leave_out_conditional(reading: Reading, groups: Branch) -> None:
    """Leave out groups with `when`, whose conditions a file does not show."""
    for name, group in groups.pairs():
        if group.word is not None and "when" in group:
            message = f"group {name[:64]} is conditional (when) and is left out"
            reading.note(NoteKind.REMARK, message, group.begin)
            group.word.below.clear()


# `interface-range`: settings inherited by several interfaces.

_ABOUT = frozenset({"member", "member-range"})
AFTER_GROUPS = 1000
"""Rank of range settings: those stated by the interface or inherited from a group win."""


MOST = 100_000
"""Members of all ranges of a device; more would be a file made to fill the memory."""


def expand_ranges(context: Context) -> None:
    """Apply the settings of every range to its members, creating missing ones."""
    interfaces = context.top.get("interfaces")
    if interfaces.word is None:
        return
    given = 0
    known: list[str] = []
    fitting: dict[str, list[str]] = {}
    for name, branch in interfaces.get("interface-range").pairs():
        branch.take()
        if len(known) != len(interfaces.word.below):  # a range before made some that were not there
            known = list(interfaces.names())
            physical = [each for each in known if kind_of(each) is InterfaceKind.PHYSICAL]
            fitting = {}
        named: list[str] = []
        for pattern, below in branch.get("member").pairs():
            below.take()
            if pattern not in fitting:
                fitting[pattern] = members(pattern, physical)
            named += fitting[pattern]
        for first, below in branch.get("member-range").pairs():
            last = below.text("to")
            named += between(first, last.value or "")
        if not named or len(named) > MANY:
            context.bad(f"interface-range {name}: its members are not understood", branch.begin)
            continue
        given += len(named)
        if given > MOST:
            message = f"interface-range {name}: more than {MOST} members in all; left out"
            context.bad(message, branch.begin)
            continue
        for each in dict.fromkeys(named):
            new = Word(branch.begin, AFTER_GROUPS)
            _graft(interfaces.word.below.setdefault(each, new), branch.word or new)


def _graft(target: Word, given: Word) -> None:
    for name, below in given.below.items():
        if name not in _ABOUT:
            _graft(target.below.setdefault(name, Word(below.line, AFTER_GROUPS)), below)
