"""BGP of Junos: allowed occurrences of the own AS, on which the manuals disagree."""

from __future__ import annotations

import pytest

from roce_lint.nos.junos import NOS
from tests.nos.reader import line, read

HEAD = """\
set system host-name leaf1
set routing-options autonomous-system 65001
set protocols bgp group spines neighbor 10.0.1.0 peer-as 65100
"""
GROUP = "set protocols bgp group spines "
NEIGHBOR = GROUP + "neighbor 10.0.1.0 "


@pytest.mark.parametrize(
    ("lines", "allowed", "stated"),
    [
        ([], 0, 0),
        ([GROUP + "family inet unicast loops 2"], 1, 4),
        ([GROUP + "family inet unicast loops 3"], 2, 4),
        # One manual hides the route at the first own AS, another at the second.
        ([GROUP + "family inet unicast loops 1"], None, 0),
        (
            [NEIGHBOR + "family inet unicast loops 1", GROUP + "family inet unicast loops 2"],
            None,
            0,
        ),
        ([NEIGHBOR + "family inet unicast loops 2", GROUP + "family inet unicast loops 1"], 1, 4),
        ([GROUP + "family inet unicast loops 1", GROUP + "family inet6 unicast loops 2"], 1, 5),
    ],
)
def test_how_often_the_own_as_may_stand_in_a_route(
    lines: list[str], allowed: int | None, stated: int
) -> None:
    device = read(NOS, HEAD + "".join(f"{each}\n" for each in lines), "configuration")
    assert device.routing is not None
    session = device.routing.sessions["10.0.1.0"]
    assert session.own_as_allowed == allowed
    assert line(session, "own_as_allowed") == stated
