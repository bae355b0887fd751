"""A port beside the other ports of its switch."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import Trust
from tests.unit.checks.judging import judged
from tests.unit.fabric import port, switch


@pytest.mark.parametrize(
    ("trust", "odd"),
    [(Trust.BOTH, [("info", ("p4",))]), (Trust.DSCP, []), (Trust.PCP, [])],
)
def test_a_port_that_trusts_the_priority_too(
    trust: Trust, odd: list[tuple[str, tuple[str, ...]]]
) -> None:
    """A port that ignores DSCP is reported by another rule."""
    leaf = switch("leaf1", marked=(3,))
    for number in range(4):
        port(leaf, f"p{number}")
    port(leaf, "p4", trust=trust, mtu=9000)  # ports that are alike in all are not compared
    found = judged("CLS012", leaf).findings
    assert [(f.severity.label, f.occurrences[0].subjects) for f in found] == odd
