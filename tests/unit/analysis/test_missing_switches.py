"""Names of switches without a configuration."""

from __future__ import annotations

import pytest

from roce_lint.analysis.missing_switches import bare


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("leaf2", "leaf2"),
        ("leaf2.fabric.example", "leaf2"),
        ("Leaf2.fabric.example", "Leaf2"),
        ("192.0.2.7", "192.0.2.7"),
    ],
)
def test_the_domain_is_left_out(name: str, called: str) -> None:
    assert bare(name) == called
