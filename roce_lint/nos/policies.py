"""Route policies in the common form: numbered terms and the lists they reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import itemgetter

from roce_lint.model.routing import ListEntry, MatchOn, PolicyTerm, RouteMatch, RoutePolicy
from roce_lint.nos.reading import Reading
from roce_lint.text.numbers import whole_of

MAP, PREFIXES, PATHS = "route-map", "prefix-list", "filter-list"
"""Kinds of policies in sessions."""

LONGEST = {4: 32, 6: 128}
"""Bits of an IPv6 address."""

DIGITS = 10
"""Digits of the longest number here, an AS."""

LISTED = 4096
"""Stored entries of one list; a longer list is not evaluated."""

WELL_KNOWN = ("no-export", "no-advertise", "local-as", "internet")
"""Communities of RFC 1997, as systems spell them."""

OTHER = RouteMatch(MatchOn.OTHER)
"""A condition that is not evaluated."""

_KINDS = (["standard"], ["expanded"], ["regexp"])
"""Words before the name of a list of communities."""

_ORIGINS = ("any", "egp", "igp", "incomplete")
"""Words for the origin of a route, which may follow the pattern of an AS path."""


@dataclass(slots=True)
class Policies:
    """Policies of a device by name. Terms and entries are ordered by number."""

    reading: Reading
    maps: dict[str, list[tuple[int, PolicyTerm]]] = field(default_factory=dict)
    lists: dict[tuple[MatchOn, str], list[tuple[int, ListEntry]]] = field(default_factory=dict)
    begins: dict[tuple[MatchOn, str], int] = field(default_factory=dict)
    odd: set[tuple[MatchOn, str]] = field(default_factory=set)  # lists that are partly read

    def term(self, name: str, number: int, term: PolicyTerm) -> None:
        """Add a term to a policy."""
        self.maps.setdefault(name, []).append((number, term))

    def entry(
        self, on: MatchOn, name: str, listed: ListEntry | None, position: int, number: int | None
    ) -> None:
        """Add an entry to a list; None if it was not understood."""
        key = (on, name)
        found = self.lists.setdefault(key, [])
        self.begins.setdefault(key, position)
        if listed is None or len(found) >= LISTED:
            self.odd.add(key)
            return
        found.append((len(found) if number is None else number, listed))

    def match(self, on: MatchOn, names: Iterable[str]) -> RouteMatch:
        """Condition that one of the lists with these names matches the route."""
        entries: list[ListEntry] = []
        listed_names = list(names)
        for name in listed_names:
            key = (on, name)
            if key in self.odd or key not in self.lists:
                return OTHER
            found = [listed for _, listed in sorted(self.lists[key], key=itemgetter(0))]
            if len(listed_names) > 1 and not all(listed.permit for listed in found):
                return OTHER  # each list is evaluated separately
            entries += found
        return RouteMatch(on, tuple(entries)) if entries else OTHER

    def of(self, names: Iterable[str]) -> dict[str, RoutePolicy]:
        """Policies by the names of a session; undefined names and kinds not read are left out."""
        found = {}
        for full in names:
            kind, _, name = full.partition(" ")
            terms = self.maps.get(name, ())
            if kind == MAP and terms:
                ordered = tuple(term for _, term in sorted(terms, key=itemgetter(0)))
                begin = terms[0][1].at.get("", 0)
                found[full] = self.reading.build(RoutePolicy, begin, terms=ordered)
            elif kind != MAP and (policy := self._of_list(kind, name)) is not None:
                found[full] = policy
        return found

    def _of_list(self, kind: str, name: str) -> RoutePolicy | None:
        on = {PREFIXES: MatchOn.PREFIX, PATHS: MatchOn.AS_PATH}.get(kind)
        if on is None or (on, name) not in self.lists:
            return None
        begin = self.begins[on, name]
        only = self.reading.build(PolicyTerm, begin, permit=True, matches=(self.match(on, [name]),))
        return self.reading.build(RoutePolicy, begin, terms=(only,))


def prefix(words: list[str]) -> str | None:
    """`10.0.0.0/8 ge 16 le 24` as a network with its shortest and longest prefix."""
    network, _, length = words[0].partition("/")
    if not is_number(length):
        return None
    pairs = dict(zip(words[1::2], words[2::2], strict=False))
    if len(words) % 2 == 0 or not all(map(is_number, pairs.values())):
        return None
    longest = LONGEST[6 if ":" in network else 4]
    low = high = whole_of(length)
    if "eq" in pairs:
        low = high = whole_of(pairs.pop("eq"))
    if "ge" in pairs:
        low, high = whole_of(pairs.pop("ge")), longest
    if "le" in pairs:
        high = whole_of(pairs.pop("le"))
    return None if pairs else f"{words[0]} {low} {high}"


def conditions(policies: Policies, lines: Iterable[str]) -> tuple[RouteMatch, ...]:
    """Conditions of a term, one per line."""
    return tuple(_condition(policies, line.split()) for line in lines)


def _condition(policies: Policies, words: list[str]) -> RouteMatch:
    if words[0] == "as-path" and len(words) > 1:
        return policies.match(MatchOn.AS_PATH, words[1:])
    if words[0] == "community" and len(words) > 1:
        return policies.match(MatchOn.COMMUNITY, words[1:])
    if words[:1] in (["ip"], ["ipv6"]) and words[1:3] == ["address", "prefix-list"] and words[3:]:
        return policies.match(MatchOn.PREFIX, words[3:])
    if words[0] == "source-protocol" and len(words) > 1:
        return RouteMatch(MatchOn.PROTOCOL, tuple(ListEntry(True, word) for word in words[1:]))
    return OTHER


def changes(lines: Iterable[str]) -> dict[str, object]:
    """Changes of a term to communities and AS path, as its fields.

    A line about communities that does more than name them may remove some.
    """
    added: list[str] = []
    replaces = removes = path = False
    for line in lines:
        words = line.split()
        if words[0] == "as-path":
            path = True
        if words[0] == "community":
            named = [word for word in words[1:] if word != "additive"]
            plain = all(is_community(word) for word in named)
            replaces = replaces or (plain and "additive" not in words)
            removes = removes or not plain
            added += named if plain else ()
    return {
        "adds": tuple(added),
        "replaces": replaces or None,
        "removes": removes or None,
        "changes_path": path or None,
    }


def is_number(word: str) -> bool:
    """True for a number of the length that a device prints."""
    return word.isascii() and word.isdecimal() and len(word) <= DIGITS


def is_community(word: str) -> bool:
    """True for `65000:1` and a named community such as `no-export`."""
    high, colon, low = word.partition(":")
    return (is_number(high) and is_number(low)) if colon else word in WELL_KNOWN


def read_policies(reading: Reading, source: str) -> Policies:
    """Read all policies of a line configuration."""
    policies = Policies(reading)
    _read_lists(policies, source)
    _read_terms(policies, source)
    return policies


def _read_lists(policies: Policies, source: str) -> None:
    """Read lists of prefixes, AS paths and communities: `permit WHAT` after a name and a number."""
    for reader in policies.reading.groups(source, "prefix_list"):
        header = reader.text("words")
        _, _, name, *rest = (header.value or "").split()
        for words, position in (
            (rest, header.position),
            *(((value.value or "").split(), value.position) for value in reader.all("entry")),
        ):
            if words:
                _read_entry(policies, MatchOn.PREFIX, name, words, position)
    for group, on in (("as_path", MatchOn.AS_PATH), ("community", MatchOn.COMMUNITY)):
        for reader in policies.reading.groups(source, group):
            value = reader.text("words")
            words = (value.value or "").split()
            kind = words.pop(0) if words[:1] in _KINDS else ""
            if words:
                name, *rest = words
                plain = kind not in ("expanded", "regexp")
                _read_entry(policies, on, name, rest, value.position, plain=plain)


def _read_entry(
    policies: Policies,
    on: MatchOn,
    name: str,
    words: list[str],
    position: int,
    *,
    plain: bool = True,
) -> None:
    """`[seq 10] permit WHAT`."""
    number = None
    if words[:1] == ["seq"] and words[1:2] and is_number(words[1]):
        number, words = whole_of(words[1]), words[2:]
    if words[:1] not in (["permit"], ["deny"]) or len(words) < 2:
        return
    rest = words[1:]
    what: str | None
    if on is MatchOn.PREFIX:
        what = prefix(rest)
    elif on is MatchOn.AS_PATH:
        if len(rest) > 1 and rest[-1] in _ORIGINS:
            rest = rest[:-1] if rest[-1] == "any" else []
        what = " ".join(rest).strip('"') if rest else None
    else:
        what = " ".join(rest) if plain and all(map(is_community, rest)) else None
    listed = None if what is None else ListEntry(words[0] == "permit", what)
    policies.entry(on, name, listed, position, number)


def _read_terms(policies: Policies, source: str) -> None:
    """Read numbered terms with their conditions; the lists must be known."""
    for reader in policies.reading.groups(source, "route_map"):
        reader.take()
        record = reader.record.values
        name, action, number = (record[key][0][0] for key in ("name", "action", "number"))
        if not is_number(number):
            continue
        matches = conditions(policies, [v.value or "" for v in reader.all("match")])
        goes_on = bool([*reader.all("goes_on"), *reader.all("other")])
        term = reader.build(
            PolicyTerm,
            permit=action == "permit",
            matches=(*matches, OTHER) if goes_on else matches,
            **changes(v.value or "" for v in reader.all("change")),
        )
        policies.term(name, whole_of(number), term)
