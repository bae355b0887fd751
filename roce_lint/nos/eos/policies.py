"""Classification by policy: policy maps of type QoS, their class maps and access lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from roce_lint.model.qos import Classifier, CodeMap, Match, MatchKind, Trust
from roce_lint.model.units import DSCPS, PRIORITIES, parse_dscp, ranges
from roce_lint.nos.access_lists import AccessLists
from roce_lint.nos.eos.context import SOURCE, Context
from roce_lint.nos.eos.lines import accepted, numbers, parse_value
from roce_lint.nos.eos.maps import Maps, dscp_codes
from roce_lint.nos.quantities import RATES
from roce_lint.nos.reading import Reader, Value
from roce_lint.text.numbers import whole_of

DEFAULT_CLASS = "class-default"
BOTH = frozenset({"ip", "ipv6"})

CODE_LINES = (
    ("cos", MatchKind.PCP, numbers, "a list of CoS values"),
    ("dscp", MatchKind.DSCP, dscp_codes, "a list of code points"),
)
"""Match lines of code points: name, kind, parser, and what they hold."""

_RULE = re.compile(r"(?:\d+\s+)?permit\s+(?:ip|ipv6)\s+any\s+any\s+dscp\s+(?P<dscp>\w+)")
_SILENT = re.compile(r"(?:\d+\s+)?remark\b|(?:statistics|counters)\s+per-entry")
_POLICE = re.compile(r"(?:rate|cir)\s+(?P<rate>\d{1,12})\s*(?P<unit>[kmg]?bps)\b")


@dataclass(slots=True)
class _Class:
    name: str
    begin: int
    tc: Value[int]
    dscp: Value[int]
    police: Value[int]


@dataclass(slots=True)
class _Policy:
    name: str
    begin: int
    classes: list[_Class] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class _MatchLine:
    """One match line. `family` is set if it matches one IP version only."""

    kind: MatchKind
    begin: int
    values: frozenset[int] = frozenset()
    text: str = ""
    family: str = ""


class Policies:
    """Policies of a device, and the classifiers built from them with a port's trust and maps."""

    def __init__(self, context: Context, maps: Maps, lists: AccessLists) -> None:
        self.context = context
        self.maps = maps
        self.classifiers: dict[str, Classifier] = {}
        texts = {key: [rule.value or "" for rule in rules] for key, rules in lists.rules.items()}
        codes = {key: _codes_of(rules) for key, rules in texts.items()}
        self._classes = _class_maps(context, codes)
        self._policies = _policies(context)
        self._matched: dict[str, list[tuple[Match, str]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._policies

    def decides(self, name: str) -> bool:
        """True if the policy classifies every packet, so that trust has no effect."""
        policy = self._policies.get(name)
        return policy is not None and any(
            item.name == DEFAULT_CLASS and item.tc for item in policy.classes
        )

    def classifier(
        self, name: str, trust: Trust | None, cos: Value[int], *, tagged: bool | None
    ) -> tuple[str, Trust | None]:
        """Key of the classifier of a port with policy `name`, and the port's trust.

        The policy classifies the packets that it matches, the port's trust the rest. If the policy
        matches DSCP on a port that does not trust it, DSCP decides; unmatched packets share a
        class.
        """
        policy = self._policies[name]
        matches = self._matched.get(name) or self._matches(policy)
        key, base = name, self.maps.classifier.dscp_to_tc
        blind = trust in (Trust.PCP, Trust.NONE)
        if blind and any(match.kind is MatchKind.DSCP for match, _ in matches):
            fixed = trust is Trust.NONE or tagged is False
            key = f"{name} (CoS {cos.value if fixed else 'of the packet'})"
            base = self._rest(cos, fixed=fixed)
            trust = Trust.DSCP
        if key not in self.classifiers:
            by_cos, begin = self.maps.classifier.pcp_to_tc, policy.begin
            self.classifiers[key] = self.context.reading.build(
                Classifier,
                begin,
                name=key,
                matches=[match for match, _ in matches],
                dscp_to_tc=_project(base, matches, MatchKind.DSCP, DSCPS, begin),
                pcp_to_tc=_project(by_cos, matches, MatchKind.PCP, PRIORITIES, begin),
                exact=_is_exact(matches),
            )
        return key, trust

    def _rest(self, cos: Value[int], *, fixed: bool) -> CodeMap:
        """Class of unmatched packets on a port that does not trust DSCP."""
        by_cos = self.maps.classifier.pcp_to_tc
        made = CodeMap(src=self.context.reading.src, at={"": self.context.begin})
        if fixed and cos.value is not None:
            made.otherwise, made.at["otherwise"] = by_cos.get(cos.value), by_cos.at[cos.value]
        return made

    def _matches(self, policy: _Policy) -> list[tuple[Match, str]]:
        """Ordered matches of a policy, each with the IP version it is limited to."""
        found = []
        for item in sorted(policy.classes, key=lambda item: item.name == DEFAULT_CLASS):
            for taken in self._match_lines(item):
                match = self.context.reading.build(
                    Match,
                    taken.begin,
                    kind=taken.kind,
                    values=Value(taken.values, taken.begin),
                    text=taken.text,
                    class_name=item.name,
                    tc=item.tc,
                    set_dscp=item.dscp,
                    police_bps=item.police,
                )
                found.append((match, taken.family))
        self._matched[policy.name] = found
        return found

    def _match_lines(self, item: _Class) -> list[_MatchLine]:
        if item.name == DEFAULT_CLASS:
            return [_MatchLine(MatchKind.ANY, item.begin)]
        if item.name in self._classes:
            return self._classes[item.name]
        # Undefined: matches nothing, though a partial configuration may lack the definition.
        kind = MatchKind.DSCP if self.context.whole else MatchKind.OTHER
        return [_MatchLine(kind, item.begin, text=f"class map {item.name}")]


def _project(
    base: CodeMap, matches: list[tuple[Match, str]], kind: MatchKind, codes: range, begin: int
) -> CodeMap:
    """Code map of the matches on `kind`, over the base map."""
    made = CodeMap(src=base.src, at={**base.at, "": begin}, otherwise=base.otherwise)
    made.entries = dict(base.entries)
    for code in codes:
        for match, _ in matches:
            if match.kind is MatchKind.ANY or (match.kind is kind and code in match.values):
                if match.tc is not None:
                    made.entries[code] = match.tc
                    made.at[code] = match.at["tc"]
                break
    return made


def _is_exact(matches: list[tuple[Match, str]]) -> bool:
    """True if code points alone decide: no list, no VLAN, no DSCP of one IP version only."""
    families: dict[tuple[str | None, frozenset[int]], set[str]] = {}
    for match, family in matches:
        families.setdefault((match.class_name, match.values), set()).add(family)
    exact = all(match.kind in (MatchKind.DSCP, MatchKind.ANY) for match, _ in matches)
    for match, family in matches:
        if family and families[match.class_name, match.values] - {""} != BOTH:
            match.partly, exact = f"{family} packets alone", False
    return exact


def _policies(context: Context) -> dict[str, _Policy]:
    found: dict[str, _Policy] = {}
    for name, reader in context.reading.define(SOURCE, "policy_map", "qos policy"):
        reader.text("kind")
        policy = found[name] = _Policy(name, reader.begin)
        for child in reader.blocks("class"):
            class_name = child.text("name").value or ""
            if class_name != DEFAULT_CLASS:
                context.reading.names.refer("class map", class_name, child.begin)
            policy.classes.append(
                _Class(
                    class_name,
                    child.begin,
                    accepted(context, child.integer("tc"), "traffic class"),
                    parse_value(context, child.text("dscp"), parse_dscp, "a DSCP"),
                    child.text("police").map(_police),
                )
            )
    return found


def _police(text: str) -> int | None:
    """Rate of a policer in bits per second; None in other units."""
    found = _POLICE.match(text)
    return whole_of(found["rate"]) * RATES[found["unit"]] if found else None


def _class_maps(
    context: Context, lists: dict[tuple[str, str], frozenset[int] | None]
) -> dict[str, list[_MatchLine]]:
    found: dict[str, list[_MatchLine]] = {}
    for name, reader in context.reading.merge(SOURCE, "class_map", "name"):
        reader.take()
        taken = [_list_match(context, child, lists) for child in reader.blocks("access_group")]
        taken += [
            _MatchLine(MatchKind.VLAN, value.position, text=f"vlan {value.value}")
            for value in reader.all("vlan")
        ]
        for name_of_code, kind, parse, what in CODE_LINES:
            for value in reader.all(name_of_code):
                codes = parse_value(context, value, parse, what)
                taken.append(_MatchLine(kind, value.position, frozenset(codes.value or ())))
        certain = all(each.kind is MatchKind.DSCP and not each.family for each in taken)
        context.reading.names.define(
            "class map",
            name,
            reader.begin,
            dscps=frozenset().union(*(each.values for each in taken)) if certain else frozenset(),
        )
        # A class map without a match line is assumed to match no packet (unconfirmed).
        found[name] = taken or [_MatchLine(MatchKind.NOTHING, reader.begin)]
    return found


def _list_match(
    context: Context, reader: Reader, lists: dict[tuple[str, str], frozenset[int] | None]
) -> _MatchLine:
    family, name = reader.text("family").value or "", reader.text("name").value or ""
    context.reading.names.refer("access list", name, reader.begin)
    codes = lists.get((family, name))
    if codes is None:
        return _MatchLine(MatchKind.ACL, reader.begin, text=f"{family} access-list {name}")
    text = f"{family} access-list {name}: DSCP {ranges(codes)}"
    return _MatchLine(MatchKind.DSCP, reader.begin, codes, text, family)


def _codes_of(rules: list[str]) -> frozenset[int] | None:
    codes = set()
    for rule in rules:
        if _SILENT.match(rule):
            continue
        match = _RULE.fullmatch(rule)
        code = parse_dscp(match["dscp"]) if match else None
        if code is None:
            return None
        codes.add(code)
    return frozenset(codes)
