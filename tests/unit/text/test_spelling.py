"""Suggestions for misspelt names."""

from __future__ import annotations

import pytest

from roce_lint.cli.explain import find
from roce_lint.errors import UsageError
from roce_lint.text.names import did_you_mean, likely_name
from tests.unit.report.sample import MTU001, NIC003, PFC002

NAMES = ["leaf1", "leaf2", "spine1", "spine-a", "gpu01"]


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("leef1", "did you mean leaf1, leaf2?"),
        ("LEAF1", "did you mean leaf1?"),
        ("leaf", "did you mean leaf1, leaf2?"),
        ("spine*", "did you mean spine1, spine-a?"),
        ("u01", "did you mean gpu01?"),
        ("xyzzy", "there are leaf1, leaf2, spine1, spine-a, gpu01"),
        ("", "there are leaf1, leaf2, spine1, spine-a, gpu01"),
    ],
)
def test_names(wanted: str, hint: str) -> None:
    assert did_you_mean(wanted, NAMES) == hint


def test_many_names_are_counted() -> None:
    names = [f"q{n}" for n in range(11)]
    assert did_you_mean("z", names) == "there are q0, q1, q2, q3, q4, q5, q6, q7 and 3 more"


def test_nothing_is_known() -> None:
    assert did_you_mean("x", []) == ""


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ("MTU", "did you mean MTU001 mtu-too-small-for-class?"),
        ("mtu-mismatch", "did you mean MTU001 mtu-too-small-for-class?"),
        ("pfc2", "did you mean PFC002 pause-not-honoured?"),
        ("default-cnp", "did you mean NIC003 cnp-priority-default?"),
        ("XXX001", "`roce-lint rules` lists all"),
        ("", "`roce-lint rules` lists all"),
    ],
)
def test_rules(wanted: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(wanted, [MTU001, NIC003, PFC002])
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("wanted", "known", "found"),
    [
        ("spin2", ["spine1", "spine2", "leaf2"], "spine2"),
        ("ROCE_IN", ["ROCE-IN", "BULK"], "ROCE-IN"),
        ("roce-in", ["ROCE-IN"], "ROCE-IN"),
        ("leaf3", ["leaf1", "leaf2"], ""),
        ("leaf11", ["leaf1"], ""),
        ("QUEUES", ["POLICY"], ""),
        ("ROCE", ["ROCE"], ""),
        ("ROCE_IN", ["ROCE-IN", "ROCE.IN"], ""),
    ],
)
def test_a_name_is_told_unasked_only_where_one_is_spelt_nearly_so(
    wanted: str, known: list[str], found: str
) -> None:
    assert likely_name(wanted, known) == found
