"""Ports without pause in a file that lacks the ports themselves: perhaps they are for services."""

from __future__ import annotations

import pytest

from roce_lint.model.qos import Trust
from tests.unit.checks.judging import missing, severities_and_values
from tests.unit.fabric import port, switch

SPEED = "the speed of the port (in the table of ports), because slow service ports carry no RoCE"


@pytest.mark.parametrize(
    ("partial", "speed", "known"),
    [(True, None, False), (True, 400.0, True), (False, None, True)],
)
def test_without_the_speed_of_a_port_it_is_unknown(
    partial: bool, speed: float | None, known: bool
) -> None:
    leaf = switch("leaf1")
    leaf.partial = partial
    for name in ("p1", "p2"):
        port(leaf, name)
    port(leaf, "p3", pauses=(), trust=Trust.DSCP).speed_gbps = speed
    assert bool(severities_and_values("PFC001", leaf)) is known
    assert (SPEED in missing("PFC001", leaf)) is not known
