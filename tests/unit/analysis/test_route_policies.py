"""Policies of routes in cases that the designs of whole fabrics do not reach."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network

import pytest

from roce_lint.analysis.sessions import Route, through
from roce_lint.model.routing import ListEntry, MatchOn, PolicyTerm, RouteMatch, RoutePolicy
from roce_lint.text.source import SourceMap
from tests.conftest import Within

ROUTE = Route((102, 3), (ip_network("10.3.0.0/24"),), frozenset({"65000:1"}))


def term(permit: bool | None, *matches: RouteMatch, **changes: object) -> PolicyTerm:
    return PolicyTerm(permit=permit, matches=matches, src=SourceMap(), **changes)  # type: ignore[arg-type]


def on(kind: MatchOn, *what: str, permit: bool = True) -> RouteMatch:
    return RouteMatch(kind, tuple(ListEntry(permit, each) for each in what))


def policy(*terms: PolicyTerm, otherwise: bool | None = False) -> RoutePolicy:
    return RoutePolicy(terms=terms, otherwise=otherwise, src=SourceMap())


def passes(*terms: PolicyTerm, route: Route = ROUTE, **known: RoutePolicy) -> bool | None:
    return through([policy(*terms)], route, known).passes


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("^$", False),
        ("_102_", True),
        ("^102_", True),
        ("_102$", False),
        ("^102 3$", True),
        ("^102( [0-9]+)*$", True),
        ("10", None),  # digits of a number, or a number
        ("_4_", False),
        (".*", True),
        ("[", None),
        ("(a+)+$", None),
        ("(.*)*", None),
        (".*.*.*.*.*.*", None),
        ("(?P<x>1)", None),
        (r"\1", None),
        ("1" * 300, None),
    ],
)
def test_patterns_of_as_paths(pattern: str, fits: bool | None, within: Within) -> None:
    with within(0.2):
        assert passes(term(True, on(MatchOn.AS_PATH, pattern))) is fits


@pytest.mark.parametrize(
    ("what", "covers"),
    [
        ("10.0.0.0/8 8 24", True),
        ("10.0.0.0/8 8 16", False),
        ("10.4.0.0/16 16 32", False),
        ("0.0.0.0/0 0 32", True),
        ("fd00::/16 16 64", None),  # no prefix of this family is known
        ("10.0.0.0/99 1 2", None),
        ("", None),
    ],
)
def test_prefixes(what: str, covers: bool | None) -> None:
    assert passes(term(True, on(MatchOn.PREFIX, what))) is covers
    both = replace(ROUTE, prefixes=(*ROUTE.prefixes, ip_network("10.9.0.0/28")))
    assert passes(term(True, on(MatchOn.PREFIX, "10.3.0.0/16 16 32")), route=both) is None


def test_a_list_is_asked_in_order() -> None:
    listed = RouteMatch(MatchOn.AS_PATH, (ListEntry(False, "_102_"), ListEntry(True, ".*")))
    assert passes(term(True, listed)) is False
    unclear = RouteMatch(MatchOn.AS_PATH, (ListEntry(False, "10"), ListEntry(True, ".*")))
    assert passes(term(True, unclear)) is None


def test_a_term_that_may_hold_leaves_it_open_only_where_it_decides_otherwise() -> None:
    other = RouteMatch(MatchOn.OTHER)
    assert passes(term(False, other), term(True)) is None
    assert passes(term(True, other), term(True)) is True
    assert passes(term(None, other), term(True)) is True
    assert passes(term(False, other)) is False


def test_communities_are_known_where_they_are_put_on() -> None:
    refused = term(False, on(MatchOn.COMMUNITY, "65000:2"))
    assert passes(refused, term(True)) is None  # it may have others
    assert passes(term(None, adds=("65000:2",)), refused, term(True)) is False
    only = term(None, adds=("65000:3",), replaces=True)
    assert passes(only, refused, term(True)) is True
    assert passes(term(False, on(MatchOn.COMMUNITY, "65000:1 65000:2")), term(True)) is None
    taken = term(None, removes=True)
    assert passes(taken, term(False, on(MatchOn.COMMUNITY, "65000:1")), term(True)) is None
    may = term(None, RouteMatch(MatchOn.OTHER), removes=True)
    assert passes(may, term(False, on(MatchOn.COMMUNITY, "65000:1")), term(True)) is None


def test_a_changed_path_is_not_known() -> None:
    assert passes(term(None, changes_path=True), term(True, on(MatchOn.AS_PATH, "^$"))) is None


def test_a_policy_may_ask_another_and_itself() -> None:
    asks = term(True, on(MatchOn.POLICY, "policy X"))
    assert passes(asks, **{"policy X": policy(term(False))}) is False
    assert passes(asks, **{"policy X": policy(term(True))}) is True
    assert passes(asks, **{"policy X": policy(asks)}) is None
    assert passes(asks) is None


def test_all_policies_of_a_session_must_let_it_through() -> None:
    yes, no = policy(term(True)), policy(term(False))
    assert through([yes, no], ROUTE, {}).passes is False
    assert through([yes, None], ROUTE, {}).passes is None
    assert through([None, no], ROUTE, {}).passes is False
    assert through([], ROUTE, {}).passes is True
