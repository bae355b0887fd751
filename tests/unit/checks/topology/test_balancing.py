"""Rules about load balancing, in cases that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.model.interface import Neighbor
from roce_lint.model.routing import Spread
from tests.unit.checks.clos import Clos, balances, clos, speaks
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import lines_of


def messages_of(rule: str, made: Clos) -> list[str]:
    return [message for _, message in severities_and_values(rule, *made.devices, links=made.links)]


def adapt(made: Clos, **ports: bool) -> None:
    """Set adaptive routing of ports of the first leaf, each on a new line."""
    leaf = made.leaves[0]
    for name, on in ports.items():
        leaf.interfaces[name].adaptive_routing = on
        leaf.interfaces[name].at["adaptive_routing"] = lines_of(leaf).next()


def test_a_part_of_a_group_is_told_at_the_first_port_without() -> None:
    made = clos(leaves=1, spines=3)
    adapt(made, up1=True, up2=True, up3=False)
    found = judged("TOP005", *made.devices, links=made.links).findings
    assert [values(f.message) for f in found] == ["leaf1 2 3 up3"]
    (occurrence,) = found[0].occurrences
    off = made.leaves[0].interfaces["up3"].at["adaptive_routing"]
    assert (occurrence.subjects, occurrence.locations[0].line) == (("up3",), off)


@pytest.mark.parametrize("on", [True, False])
def test_all_or_none_is_left_alone(on: bool) -> None:
    made = clos(leaves=1, spines=2)
    adapt(made, up1=on, up2=on)
    assert messages_of("TOP005", made) == []


def test_links_to_one_switch_below_are_a_group_too() -> None:
    made = clos(leaves=1, spines=1, per_spine=2)
    spine = made.spines[0]
    spine.interfaces["down1"].adaptive_routing = True
    assert messages_of("TOP005", made) == ["spine1 1 2 down1-2"]


@pytest.mark.parametrize(("lag", "routed", "what"), [
    ("bond1", True, "bond1"),
    (None, False, "bridged"),
])  # fmt: skip
def test_ports_that_the_platform_leaves_out(lag: str | None, routed: bool, what: str) -> None:
    made = clos(leaves=1, spines=1)
    adapt(made, up1=True)
    port = made.leaves[0].interfaces["up1"]
    port.lag, port.routed = lag, routed
    assert messages_of("TOP005", made) == []
    made.leaves[0].limits.adaptive_on_routed_ports = True
    (found,) = judged("TOP005", *made.devices, links=made.links).findings
    assert (found.device, found.subjects) == ("leaf1", ("up1",))
    assert what in found.message


def test_packets_in_any_order_need_nics_for_it() -> None:
    made = clos(leaves=1, spines=2)
    nic = made.hosts[0].nics["mlx5_0"]
    balances(made.leaves[0], spread=Spread.PACKET)
    words = {"the model of the NICs (provide ibv_devinfo)"}
    assert messages_of("TOP006", made) == []
    assert missing("TOP006", *made.devices, links=made.links) == words
    nic.takes_out_of_order, nic.family = False, "4117"
    assert messages_of("TOP006", made) == ["leaf1 1 1 gpu1 mlx5_0 4117"]
    nic.takes_out_of_order = True
    assert messages_of("TOP006", made) == []
    assert missing("TOP006", *made.devices, links=made.links) == set()


@pytest.mark.parametrize("spread", [Spread.FLOW, Spread.FLOWLET, None])
def test_flows_that_stay_together_are_left_alone(spread: Spread | None) -> None:
    made = clos(leaves=1, spines=2)
    balances(made.leaves[0], spread=spread)
    assert messages_of("TOP006", made) == []
    assert missing("TOP006", *made.devices, links=made.links) == set()


def test_one_seed_on_one_tier_is_left_alone() -> None:
    made = clos(leaves=2, spines=2)
    for spine in made.spines:
        balances(spine, seed=7)
    assert messages_of("TOP007", made) == []
    balances(made.leaves[1], seed=7)
    assert severities_and_values("TOP007", *made.devices, links=made.links) == [
        ("info", "leaf2 spine1 7")
    ]


@pytest.mark.parametrize(("l4_ports", "spines", "count"), [
    (False, 2, 1), (True, 2, 0), (None, 2, 0), (False, 1, 0),
])  # fmt: skip
def test_a_hash_of_addresses_alone(l4_ports: bool | None, spines: int, count: int) -> None:
    made = clos(leaves=1, spines=spines)
    balances(made.leaves[0], l4_ports=l4_ports)
    message = "leaf1 2"
    assert messages_of("TOP008", made) == [message] * count


@pytest.mark.parametrize(("paths", "message"), [
    (1, "leaf1 1 4"),
    (3, "leaf1 3 4"),
    (4, ""), (None, ""),
])  # fmt: skip
def test_fewer_paths_than_uplinks(paths: int | None, message: str) -> None:
    made = clos(leaves=1, spines=2, per_spine=2)
    speaks(made, [1], [100, 100])
    routing = made.leaves[0].routing
    if routing is not None:
        routing.max_paths = paths
    assert messages_of("TOP009", made) == ([message] if message else [])


def test_uplinks_without_a_session_do_not_count() -> None:
    made = clos(leaves=1, spines=2)
    speaks(made, [1], [100, 100])
    routing = made.leaves[0].routing
    if routing is not None:
        routing.max_paths = 1
        routing.sessions.popitem()
    assert messages_of("TOP009", made) == []


def test_internal_sessions_have_a_limit_of_their_own() -> None:
    made = clos(leaves=1, spines=2)
    speaks(made, [100], [100, 100])
    routing = made.leaves[0].routing
    if routing is not None:
        routing.max_paths = 1
    assert messages_of("TOP009", made) == []


def without_its_last_spine(made: Clos) -> Clos:
    """The last spine is heard by the leaves, and nothing of it was read."""
    gone = made.spines.pop()
    for (leaf, name), (above, far) in made.links:
        if above is gone:
            leaf.interfaces[name].neighbors = (Neighbor(device=gone.hostname, names=(far,)),)
    made.links = [link for link in made.links if link[1][0] is not gone]
    return made


def test_an_uplink_to_a_switch_that_was_not_read_counts() -> None:
    made = clos(leaves=1, spines=2)
    speaks(made, [1], [100, 100])
    routing = made.leaves[0].routing
    if routing is not None:
        routing.max_paths = 1
    balances(made.leaves[0], l4_ports=False)
    adapt(made, up1=True)
    made = without_its_last_spine(made)
    assert messages_of("TOP005", made) == ["leaf1 1 2 up2"]
    assert messages_of("TOP008", made) == ["leaf1 2"]
    assert messages_of("TOP009", made) == ["leaf1 1 2"]
