"""`interface-range`: settings that several interfaces take over."""

from __future__ import annotations

from roce_lint.model.interface import InterfaceKind
from roce_lint.nos.junos.context import Context
from roce_lint.nos.junos.naming import MANY, between, kind_of, members
from roce_lint.text.statements import Word

_ABOUT = frozenset({"member", "member-range"})
AFTER_GROUPS = 1000
"""Rank of what a range gives: what the interface states, or takes from a group, wins."""


MOST = 100_000
"""Members of all ranges of a device; more would be a file made to fill the memory."""


def expand_ranges(context: Context) -> None:
    """Give the settings of every range to its members; those that do not exist yet begin to."""
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
        if branch.word is not None:
            for each in dict.fromkeys(named):
                target = interfaces.word.below.get(each)
                if target is None:
                    target = interfaces.word.below[each] = Word(branch.begin, AFTER_GROUPS)
                _graft(target, branch.word)


def _graft(target: Word, given: Word) -> None:
    for name, below in given.below.items():
        if name in _ABOUT:
            continue
        found = target.below.get(name)
        if found is None:
            found = target.below[name] = Word(below.line, AFTER_GROUPS)
        _graft(found, below)
