"""Ignore patterns are found by every word that a line they match can begin with."""

from __future__ import annotations

import pytest

from roce_lint.nos.states import first_words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"description ", {"description"}),
        (r"stp|lldp ", {"stp", "lldp"}),
        (r"ip (?!address |binding )", {"ip"}),
        (r"(?:stp|lldp)\b", {"stp", "lldp"}),
        (r"(?:stp|port fec|undo lldp|speed)\b", {"stp", "port", "undo", "speed"}),
        (r"(?:qos (?:sp|wfq)|speed) ", {"qos", "speed"}),
        (r"(?:no )?(?:lacp|min-links)\b", {"no", "lacp", "min-links"}),
        (r"(?:no |default )?lacp ", {"no", "default", "lacp"}),
        (r"(?:stp|\d+)", None),
        (r"(?:no )?\S+", None),
        (r"\d+ ", None),
        (r"", None),
    ],
)
def test_first_words(pattern: str, words: set[str] | None) -> None:
    assert first_words(pattern) == words
