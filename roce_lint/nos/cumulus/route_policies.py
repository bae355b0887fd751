"""`router policy`: route maps, and the lists of prefixes, AS paths and communities they name."""

from __future__ import annotations

from roce_lint.model.policy import ListEntry, MatchOn, PolicyTerm, RouteMatch
from roce_lint.nos.cumulus.statements import Statements, View
from roce_lint.nos.policies import OTHER, Policies, is_community, prefix

HIGHEST_RULE = 65535

_LISTS = {
    "as-path-list": MatchOn.AS_PATH,
    "community-list": MatchOn.COMMUNITY,
    "prefix-list": MatchOn.PREFIX,
}
_MATCHES = {
    "as-path-list": MatchOn.AS_PATH,
    "community-list": MatchOn.COMMUNITY,
    "ip-prefix-list": MatchOn.PREFIX,
}
_FAMILY = "type"
"""The address family a rule is for: the lists tell it too."""


def read_policies(statements: Statements) -> Policies:
    """All that `router policy` defines."""
    policies = Policies(statements.reading)
    top = statements.top.get("router", "policy")
    for word, on in _LISTS.items():
        for name, view in top.members(word):
            for number, rule in view.views_by_number("rule", HIGHEST_RULE).items():
                permit = rule.word("action").value
                what = _entry(rule, on)
                known = (
                    None if what is None or permit is None else ListEntry(permit == "permit", what)
                )
                policies.entry(on, name, known, rule.begin, number)
    for name, view in top.members("route-map"):
        for number, rule in view.views_by_number("rule", HIGHEST_RULE).items():
            policies.term(name, number, _term(policies, rule))
    return policies


def _entry(rule: View, on: MatchOn) -> str | None:
    if on is MatchOn.AS_PATH:
        return rule.word("aspath-exp").value
    if on is MatchOn.COMMUNITY:
        named = _words(rule, "community")
        return " ".join(named) if named and all(map(is_community, named)) else None
    found = rule.members("match")
    if len(found) != 1:
        return None
    network, more = found[0]
    if network == "any":
        return None
    words = [network]
    for word, short in (("min-prefix-len", "ge"), ("max-prefix-len", "le")):
        length = more.integer(word, high=128).value
        words += [] if length is None else [short, str(length)]
    return prefix(words)


def _term(policies: Policies, rule: View) -> PolicyTerm:
    """A rule of a route map: `action`, `match`, `set`, and whether others are asked behind it."""
    matches = []
    match = rule.get("match")
    for word in sorted(match.says()):
        if word in _MATCHES:
            matches.append(policies.match(_MATCHES[word], _words(match, word)))
        elif word == "source-protocol":
            named = tuple(ListEntry(True, name) for name in _words(match, word))
            matches.append(RouteMatch(MatchOn.PROTOCOL, named))
        elif word == _FAMILY:
            match.word(word)
        else:
            matches.append(OTHER)
    if "exit-policy" in rule.says():
        matches.append(OTHER)  # it says which rule is asked next
    change = rule.get("set")
    said = change.says()
    added = _words(change, "community")
    plain = all(is_community(name) for name in added)
    # What else a route has may stay or go by it: only what it adds is known to be there then.
    return rule.reading.build(
        PolicyTerm,
        rule.begin,
        permit=rule.word("action").value != "deny",
        matches=tuple(matches),
        adds=tuple(added) if plain else (),
        removes=any(word.startswith("community") for word in said) or None,
        changes_path=any(word.startswith("as-path") for word in said) or None,
    )


def _words(view: View, word: str) -> list[str]:
    """The words behind another, as they stand: a name is no range of ports."""
    found = []
    for text, below in view.members(word):
        below.take()
        found.append(text)
    return found
