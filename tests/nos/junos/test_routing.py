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


@pytest.mark.parametrize(
    ("lines", "connected", "stated", "filtered"),
    [
        ([], False, 0, False),
        (["neighbor 10.0.1.0 export ALL"], True, 5, False),
        (["export ALL"], True, 5, False),
        (["export SOME"], False, 0, True),
        (["export [ ALL SOME ]"], True, 5, True),
        (["export [ SOME ALL ]"], False, 0, True),
        (["export ( ALL && SOME )"], False, 0, True),
        (["neighbor 10.0.1.0 export ALL", "neighbor 10.0.2.0 peer-as 65100"], False, 0, False),
        (["export MISSING"], None, 0, True),
    ],
)
def test_networks_of_the_ports_that_sessions_announce(
    lines: list[str], connected: bool | None, stated: int, filtered: bool
) -> None:
    text = (
        HEAD
        + """\
set policy-options policy-statement ALL term own from protocol direct
set policy-options policy-statement ALL term own then accept
set policy-options policy-statement SOME term own from protocol direct
set policy-options policy-statement SOME term own from route-filter 10.0.0.0/8 exact
set policy-options policy-statement SOME term own then accept
set policy-options policy-statement SOME term rest then reject
"""
    )
    routing = read(
        NOS, text + "".join(f"{GROUP}{each}\n" for each in lines), "configuration"
    ).routing
    assert routing is not None
    assert (routing.connected, line(routing, "connected")) == (connected, stated)
    assert routing.sessions["10.0.1.0"].filtered_out is filtered


def test_the_router_id() -> None:
    device = read(NOS, HEAD + "set routing-options router-id 10.255.0.1\n", "configuration")
    assert device.routing is not None
    assert (device.routing.router_id, line(device.routing, "router_id")) == ("10.255.0.1", 4)


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        ([], False),
        (["interface all"], True),
        (["interface all disable"], False),
        (["interface et-0/0/0"], None),
        (["interface et-0/0/0 disable", "interface all"], True),
    ],
)
def test_lldp(lines: list[str], sent: bool | None) -> None:
    text = HEAD + "".join(f"set protocols lldp {each}\n" for each in lines)
    device = read(NOS, text, "configuration")
    assert device.lldp is sent
    assert (line(device, "lldp") > 0) is (bool(lines) and sent is not None)
