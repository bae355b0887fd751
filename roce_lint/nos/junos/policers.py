"""Policing and drops on a port: firewall filters, and directly bound policers."""

from __future__ import annotations

from roce_lint.model.qos import Match, MatchKind, Policing
from roce_lint.nos.junos.codes import CodePoints
from roce_lint.nos.junos.context import Context, bits_of
from roce_lint.nos.junos.interfaces import Port
from roce_lint.nos.junos.port_filters import (
    ALL,
    DROPPING,
    FamilyFilters,
    PortFilters,
    allowed_codes,
    terms,
)
from roce_lint.nos.reading import ABSENT, Value
from roce_lint.nos.statements import Branch

POLICERS = ("policer", "three-color-policer", "hierarchical-policer")


class Policers:
    """Policers of a device, and the packets of a port that they meet."""

    def __init__(self, context: Context, codes: CodePoints, bound: PortFilters) -> None:
        self.firewall = context.top.get("firewall")
        self.whole = context.whole
        self.bound = bound
        self.reading = context.reading
        self.codes = codes
        self.made: dict[str, Policing] = {}  # filters that police nothing among them

    def objects(self) -> dict[str, Policing]:
        """Policing objects by key, without those that police nothing."""
        return {key: made for key, made in self.made.items() if any(map(_polices, made.matches))}

    def of(self, port: Port, way: str) -> Value[str]:
        """Key of the policing of packets that arrive at a port (`input`) or leave it (`output`),
        with the line that binds it; absent without any.
        """
        found: list[Value[str]] = []
        if self.firewall:
            for here in self.bound.of(port, way):
                found += self._of_family(here)
        if len(found) < 2:
            return found[0] if found else ABSENT
        key = " and ".join(str(each.value) for each in found)
        if key not in self.made:
            matches = [match for each in found for match in self.made[each.value or ""].matches]
            begin = found[0].position
            self.made[key] = self.reading.build(Policing, begin, name=key, matches=matches)
        return Value(key, found[0].position)

    def _of_family(self, here: FamilyFilters) -> list[Value[str]]:
        """Policing bound by one family; empty if no entry polices or drops."""
        own, sure = here.policer, here.sure
        names = [name.value or "" for name in here.filters]
        key = " ".join(["" if sure else "perhaps", here.family, own.value or "", "by"]).strip()
        key = " ".join([key, *names])
        begin = next(each.position for each in (own, *here.filters) if each)
        if key not in self.made:
            matches = []
            if own:
                matches = [self._entry("policer", own, f"policer {own.value}", None, sure=sure)]
            matches += self._filters(here.family, names, sure=sure)
            self.made[key] = self.reading.build(Policing, begin, name=key, matches=matches)
        return [Value(key, begin)] if any(map(_polices, self.made[key].matches)) else []

    def _filters(self, family: str, names: list[str], *, sure: bool) -> list[Match]:
        """Entries of filters in sequence, up to a term that matches all; the rest is dropped."""
        found: list[Match] = []
        last: tuple[str, Branch] | None = None
        for name in names:
            for term, below in terms(self.firewall, family, name):
                last = name, below
                text = f"term {term} of filter {name}"
                made = self._term(family, text, below, sure=sure)
                found += [made] if made is not None else []
                if (
                    "next" not in below.get("then")
                    and allowed_codes(self.codes, family, below.get("from")) == ALL
                ):
                    return found
        if last is not None and self.whole:
            text = f"what no term of filter {last[0]} takes"
            begin = last[1].begin
            found.append(self._match(begin, text, None, sure=sure, dropped=begin))
        return found

    def _term(self, family: str, text: str, term: Branch, *, sure: bool) -> Match | None:
        """Policing of a term, or the packets it removes from later terms; None if neither."""
        codes = allowed_codes(self.codes, family, term.get("from"))
        if codes is None:
            return None
        values, exact = codes
        then = term.get("then")
        sure = sure and exact
        gone = next((then.get(word).begin for word in DROPPING if word in then), 0)
        if gone:
            return self._match(term.begin, text, values, sure=sure, dropped=gone)
        for word in POLICERS:
            if word in then:
                made = self._entry(word, _policer_name(then.get(word)), text, values, sure=sure)
                return made if _polices(made) or "next" not in then else None
        if "next" in then:
            return None
        return self._match(term.begin, text, values, sure=sure)

    def _entry(
        self, word: str, named: Value[str], text: str, values: frozenset[int] | None, *, sure: bool
    ) -> Match:
        """An entry with a policer; not sure if the effect of the policer is unknown."""
        stated = self.firewall.get(word, named.value or "")
        known = bool(stated) and word != "hierarchical-policer"
        made = self._match(named.position, text, values, sure=sure and known)
        made.at["police_bps"] = named.position
        if known:
            below = stated.get("action" if word == "three-color-policer" else "then")
            made.police_drops = bool(below.find("discard"))
        limit = stated.get("if-exceeding").text("bandwidth-limit")
        made.police_bps = limit.map(bits_of).value
        return made

    def _match(
        self,
        begin: int,
        text: str,
        values: frozenset[int] | None,
        *,
        sure: bool,
        dropped: int = 0,
    ) -> Match:
        """An entry; `dropped` is the line that drops its packets."""
        kind = MatchKind.ACL if not sure else MatchKind.ANY if values is None else MatchKind.DSCP
        found = values or frozenset()
        made = self.reading.build(Match, begin, kind=kind, values=found, text=text)
        if dropped:
            made.police_bps, made.police_drops = 0, True
            made.at["police_bps"] = dropped
        return made


def _polices(match: Match) -> bool:
    return match.stated("police_bps") and match.police_drops is not False


def _policer_name(stated: Branch) -> Value[str]:
    """The policer after a word, skipping `single-rate` and `two-rate` of three-colour policers."""
    for word in ("single-rate", "two-rate"):
        if word in stated:
            return stated.text(word)
    return stated.value()
