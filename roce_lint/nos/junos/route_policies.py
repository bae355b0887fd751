"""`policy-options`: effect of BGP import and export policies on routes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from roce_lint.model.routing import ListEntry, MatchOn, PolicyTerm, RouteMatch, RoutePolicy
from roce_lint.nos.junos.context import Context
from roce_lint.nos.policies import OTHER, Policies, is_community, is_number, prefix
from roce_lint.nos.statements import Branch
from roce_lint.text.numbers import whole_of
from roce_lint.text.statements import ANY, EVERYTHING, Wanted

CHAIN = "policy"
"""Kind of a policy chain that a session names: one policy, or several in sequence."""

LISTS = {
    "community": MatchOn.COMMUNITY,
    "as-path": MatchOn.AS_PATH,
    "prefix-list": MatchOn.PREFIX,
}
POLICY_OPTIONS: dict[str, Wanted] = {
    name: {ANY: EVERYTHING} for name in ("policy-statement", *LISTS)
}
"""The parts of `policy-options` that are read."""

_RANGE = re.compile(r"/([0-9]{1,3})(?:-/([0-9]{1,3}))?")

PARTS = 32
"""Evaluated policies of one chain."""


def chain_of(level: Branch, name: str) -> list[str]:
    """The chains of an `import` or `export`, all of which a route must pass: `[ A B ]` is one, `( A
    && B )` are two. Other expressions are not evaluated and yield an undefined name.
    """
    branch = level.get(name)
    words: list[str] = []
    if branch.names() == ["("]:
        while (names := branch.names()) and len(words) < PARTS:
            words += names
            branch = branch.get(names[0])
        inside = [word for word in words if word not in ("(", ")")]
        if inside[1::2] == ["&&"] * (len(inside) // 2) and len(inside) % 2:
            return inside[::2]
        return [" ".join(inside)]
    return [" ".join(word.value or "" for word in level.words(name))]


@dataclass(slots=True)
class Chains(Policies):
    """Policies of a device by chain."""

    statements: dict[str, list[PolicyTerm]] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> dict[str, RoutePolicy]:
        """Chains with these names, and the chains that they call."""
        found: dict[str, RoutePolicy] = {}
        waiting = list(names)
        while waiting:
            full = waiting.pop()
            chain = full.partition(" ")[2].split()
            if full in found or not chain or not all(name in self.statements for name in chain):
                continue
            terms = [term for name in chain for term in self.statements[name]]
            begin = next((term.at[""] for term in terms if term.at.get("")), 0)
            # Routes that no policy decides about are passed on and accepted: the default of BGP.
            found[full] = self.reading.build(RoutePolicy, begin, terms=tuple(terms), otherwise=True)
            called = [m for term in terms for m in term.matches if m.on is MatchOn.POLICY]
            waiting += [entry.what for match in called for entry in match.entries]
        return found


def read_policies(context: Context) -> Chains:
    """Read all of `policy-options`."""
    chains = Chains(context.reading)
    top = context.top.get("policy-options")
    for name, community in top.get("community").pairs():
        members = [word.value or "" for word in community.words("members")]
        plain = members and all(map(is_community, members)) and "invert-match" not in community
        known = ListEntry(True, " ".join(members)) if plain else None
        chains.entry(MatchOn.COMMUNITY, name, known, community.begin, None)
    for name, path in top.get("as-path").pairs():
        pattern = as_path(" ".join(_words(path)))
        known = None if pattern is None else ListEntry(True, pattern)
        chains.entry(MatchOn.AS_PATH, name, known, path.begin, None)
        path.take_all()
    for name, prefixes in top.get("prefix-list").pairs():
        for network in prefixes.names():
            what = prefix([network])
            known = None if what is None else ListEntry(True, what)
            chains.entry(MatchOn.PREFIX, name, known, prefixes.begin, None)
        prefixes.take_all()
    for name, policy in top.get("policy-statement").pairs():
        steps = [term for _, term in policy.get("term").pairs()]
        if "from" in policy or "then" in policy or "to" in policy:
            steps.append(policy)
        chains.statements[name] = [
            _term(chains, step, skipped=any("next" in s.get("then") for s in steps[:number]))
            for number, step in enumerate(steps)
        ]
        policy.take_all()
    return chains


def _words(branch: Branch) -> list[str]:
    """Words that follow in sequence."""
    found: list[str] = []
    while (names := branch.names()) and len(found) < PARTS:
        found.append(names[0])
        branch = branch.get(names[0])
    return found


def as_path(text: str) -> str | None:
    """`.* 65001 .*` as a pattern over a whole path of numbers; None for unsupported forms."""
    words = text.strip('"').split()
    if words == ["()"]:
        return "^$"
    if words == [".*"]:
        return ".*"
    begins, ends = words[:1] == [".*"], words[-1:] == [".*"]
    core = words[1 if begins else 0 : -1 if ends else None]
    if not core or not all(is_number(word) or word == "." for word in core):
        return None
    numbers = " ".join("[0-9]+" if word == "." else word for word in core)
    return f"{'_' if begins else '^'}{numbers}{'_' if ends else '$'}"


def _term(chains: Chains, term: Branch, *, skipped: bool) -> PolicyTerm:
    """One term; `skipped`: an earlier term has `next policy` or `next term`."""
    source, then = term.get("from"), term.get("then")
    matches = [_condition(chains, source, word) for word in source.names()]
    if "to" in term or skipped:
        matches.append(OTHER)
    community = then.get("community")
    named = [name for way in ("add", "set") for name in community.get(way).names()]
    lists = [chains.match(MatchOn.COMMUNITY, [name]) for name in named]
    added = [word for each in lists for entry in each.entries for word in entry.what.split()]
    return chains.reading.build(
        PolicyTerm,
        (then or term).begin or term.begin,
        permit=True if "accept" in then else False if "reject" in then else None,
        matches=tuple(matches),
        adds=tuple(added),
        removes=("delete" in community or "set" in community) or None,
        changes_path=any(word.startswith("as-path") for word in then.names()) or None,
    )


def _condition(chains: Chains, source: Branch, word: str) -> RouteMatch:
    names = source.get(word).names()
    if word in LISTS:
        return chains.match(LISTS[word], names)
    if word == "protocol":
        return RouteMatch(MatchOn.PROTOCOL, tuple(ListEntry(True, name) for name in names))
    if word == "policy":
        return RouteMatch(MatchOn.POLICY, tuple(ListEntry(True, f"{CHAIN} {n}") for n in names))
    if word == "route-filter":
        found = [_route_filter(network, _words(b)) for network, b in source.get(word).pairs()]
        known = tuple(ListEntry(True, what) for what in found if what is not None)
        return RouteMatch(MatchOn.PREFIX, known) if len(known) == len(found) else OTHER
    return OTHER


def _route_filter(network: str, words: list[str]) -> str | None:
    """`10.0.0.0/8 orlonger` as a network with its shortest and longest prefix."""
    length = network.partition("/")[2]
    if not is_number(length) or not words:
        return None
    longest = "128" if ":" in network else "32"
    span = _RANGE.fullmatch(words[-1]) if len(words) > 1 else None
    low, high = (span[1], span[2]) if span is not None else ("", "")
    first, last = {
        "exact": (length, length),
        "orlonger": (length, longest),
        "longer": (whole_of(length) + 1, longest),
        "upto": (length, low),
        "prefix-length-range": (low, high),
    }.get(words[0], ("", ""))
    return f"{network} {first} {last}" if first and last else None
