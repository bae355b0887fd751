"""Rules about the shape of a fabric, in cases that the examples of their pages do not reach."""

from __future__ import annotations

import pytest

from roce_lint.analysis.analyse import analyse
from roce_lint.analysis.uplinks import load_of
from roce_lint.checks.topology.rails import RailParams, nic_on_wrong_rail
from roce_lint.engine.api import Given, Problem
from roce_lint.model.device import Role
from roce_lint.model.fabric import LinkConflict, LinkSource
from roce_lint.model.interface import Neighbor
from roce_lint.model.nic import Certainty, Flow
from roce_lint.model.plan import PlannedClass, RocePlan
from roce_lint.text.source import Where
from tests.unit.checks.clos import Clos, clos, speaks, speed
from tests.unit.checks.judging import judged, missing, severities_and_values, values
from tests.unit.fabric import emission, fabric, host, lines_of, port, switch


def messages_of(rule: str, made: Clos, **how: object) -> list[str]:
    return [
        message
        for _, message in severities_and_values(rule, *made.devices, links=made.links, **how)
    ]


def unknown(rule: str, made: Clos, **how: object) -> set[str]:
    return missing(rule, *made.devices, links=made.links, **how)


# ---------------------------------------------------------------------- going down and up again

NOT_UNDERSTOOD = (
    "route filtering between the tiers (a route policy, or the number of allowed own ASes, "
    "is not fully understood)"
)


def test_a_tier_with_an_as_of_its_own_for_each_lets_packets_turn() -> None:
    made = clos()
    speaks(made, [1, 2, 3, 4], [101, 102])
    found = judged("TOP001", *made.devices, links=made.links).findings
    assert [values(f.message) for f in found] == ["spine1 leaf1 spine2 spine1 101 spine2 102"]
    assert values(found[0].consequence) == (
        "26 leaf1 up1 3 spine2 down1 3 leaf2 up2 3 spine1 down2 3 leaf1 up1"
    )
    places = [location.line for location in found[0].occurrences[0].locations]
    assert places[:2] == [made.spines[0].at["asn"], made.spines[1].at["asn"]]


@pytest.mark.parametrize(
    ("spines", "own_as", "sent_back", "filtered", "expected", "open_"),
    [
        ([100, 100], 0, None, False, 0, False),
        ([100, 100], 1, None, False, 1, False),
        ([100, 100], 1, False, False, 0, False),
        ([100, 100], None, None, False, 0, True),
        ([101, 102], 0, None, True, 0, True),
        ([101, 102], 0, None, None, 0, True),
    ],
)
def test_what_keeps_routes_of_one_tier_apart(
    spines: list[int],
    own_as: int | None,
    sent_back: bool | None,
    filtered: bool | None,
    expected: int,
    *,
    open_: bool,
) -> None:
    made = clos()
    speaks(made, [1, 2, 3, 4], spines, own_as_allowed=own_as, filtered_in=filtered)
    for leaf in made.leaves:
        for session in leaf.routing.sessions.values() if leaf.routing else ():
            session.to_own_as = sent_back
    assert len(messages_of("TOP001", made)) == expected
    assert unknown("TOP001", made) == ({NOT_UNDERSTOOD} if open_ else set())


def test_a_circle_takes_four_switches_below() -> None:
    made = clos(leaves=3)
    speaks(made, [1, 2, 3], [101, 102])
    assert messages_of("TOP001", made) == []


def test_leaves_of_one_as_refuse_each_others_routes() -> None:
    made = clos()
    speaks(made, [1, 1, 1, 1], [101, 102])
    assert messages_of("TOP001", made) == []
    for leaf in made.leaves:
        for session in leaf.routing.sessions.values() if leaf.routing else ():
            session.own_as_allowed = 1
    assert len(messages_of("TOP001", made)) == 1


def test_a_pause_that_is_missing_somewhere_breaks_the_circle() -> None:
    made = clos()
    speaks(made, [1, 2, 3, 4], [101, 102])
    for leaf in made.leaves:
        for name in ("up1", "up2"):
            qos = leaf.interfaces[name].qos
            if qos is not None and qos.pfc is not None:
                qos.pfc.generate = frozenset()
    assert messages_of("TOP001", made) == []


def test_without_bgp_in_the_files_it_is_not_known() -> None:
    made = clos()
    assert messages_of("TOP001", made) == []
    words = "the routes that the switches exchange (provide their BGP configuration)"
    assert unknown("TOP001", made) == {words}
    for leaf in made.leaves:
        leaf.interfaces["up1"].routed = False
    assert unknown("TOP001", made) == set()


def test_sessions_of_the_overlay_are_not_those_of_the_links() -> None:
    made = clos()
    speaks(made, [1, 2, 3, 4], [101, 102])
    for leaf in made.leaves:
        if leaf.routing is not None:
            leaf.routing.sessions.clear()
    assert messages_of("TOP001", made) == []


# ------------------------------------------------------------------------------ uplinks and load


def test_links_of_another_speed_are_told_once() -> None:
    made = clos(leaves=1, spines=4)
    leaf = made.leaves[0]
    speed(leaf.interfaces["up3"], leaf, 100.0)
    speed(made.spines[2].interfaces["down1"], made.spines[2], 100.0)
    assert messages_of("TOP004", made) == ["leaf1 up3 100G 3 400G"]


def test_ends_that_disagree_about_the_speed_are_another_rules_matter() -> None:
    made = clos(leaves=1, spines=4)
    speed(made.leaves[0].interfaces["up3"], made.leaves[0], 100.0)
    assert messages_of("TOP004", made) == []


def test_members_of_a_channel_count_together() -> None:
    made = clos(leaves=1, spines=2, per_spine=2)
    leaf = made.leaves[0]
    for name in ("up1", "up1-2"):
        leaf.interfaces[name].lag = "po1"
    assert messages_of("TOP004", made) == ["leaf1 po1 800G 2 400G"]


@pytest.mark.parametrize("routed", [True, False])
def test_a_port_that_leads_nobody_knows_where_may_be_the_uplink(routed: bool) -> None:
    made = clos(leaves=4, spines=2)
    made.links = [link for link in made.links if link[0] != (made.leaves[3], "up2")]
    made.leaves[3].interfaces["up2"].routed = routed
    message = "leaf4 1 3 2"
    assert messages_of("TOP004", made) == ([] if routed else [message])


def test_a_cable_that_is_down_is_not_missing() -> None:
    made = clos(leaves=4, spines=2)
    made.leaves[3].interfaces["up2"].enabled = False
    assert messages_of("TOP004", made) == []


def test_the_load_of_a_switch() -> None:
    made = clos(leaves=2, spines=2)
    leaf = made.leaves[0]
    speed(leaf.interfaces["host"], leaf, 1600.0)
    analysis = analyse(fabric(*made.devices, links=made.links), RocePlan())
    load = load_of(analysis, leaf)
    assert load is not None
    assert (load.below, load.above, load.ratio, load.assumed) == (1600, 800, 2, False)
    assert load_of(analysis, made.spines[0]) is None
    assert load_of(analysis, made.hosts[0]) is None


def test_the_load_is_held_against_what_is_allowed() -> None:
    made = clos(leaves=2, spines=2)
    speed(made.leaves[0].interfaces["host"], made.leaves[0], 1600.0)
    assert messages_of("TOP002", made) == []
    assert messages_of("TOP002", made, plan=RocePlan(oversubscription={Role.SPINE: 1})) == []
    assert messages_of("TOP002", made, plan=RocePlan(oversubscription={Role.LEAF: 2})) == []
    assert messages_of("TOP002", made, plan=RocePlan(oversubscription={Role.LEAF: 1.5})) == [
        "leaf1 1600 800 2:1 1.5:1"
    ]


def test_a_speed_that_nobody_states_makes_the_load_unknown() -> None:
    made = clos(leaves=1, spines=1)
    for device, name in ((made.leaves[0], "up1"), (made.spines[0], "down1")):
        device.interfaces[name].speed_gbps = None
    words = "the speed of the ports (provide the configuration or a NIC's ethtool)"
    assert unknown("TOP002", made) == set()
    assert unknown("TOP002", made, plan=RocePlan(oversubscription={Role.LEAF: 1})) == {words}


# ------------------------------------------------------------------------------------------ rails


def rails(hosts: int, wiring: dict[int, tuple[int, int]]) -> Clos:
    """Two leaves; host n has its two NICs on the leaves in `wiring`, by default 1 and 2."""
    made = Clos([switch("leaf1"), switch("leaf2")], [], [])
    for n in range(1, hosts + 1):
        gpu = host(f"gpu{n}", "ens1", "ens2", sends=26)
        made.hosts.append(gpu)
        for k, number in enumerate(wiring.get(n, (1, 2)), 1):
            leaf = made.leaves[number - 1]
            port(leaf, f"e{n}-{k}")
            made.links.append(((leaf, f"e{n}-{k}"), (gpu, f"ens{k}")))
    return made


def test_two_cables_that_are_exchanged_are_one_finding() -> None:
    assert messages_of("TOP003", rails(5, {4: (2, 1)})) == [
        "gpu4 mlx5_0 mlx5_1 mlx5_0 leaf2 4 mlx5_1 mlx5_1 leaf1 4 mlx5_0"
    ]


def test_the_lines_that_say_where_the_cables_lead_stand_first() -> None:
    made = rails(5, {4: (2, 1)})
    whole = fabric(*made.devices, links=made.links)
    lines = [lines_of(leaf).next() for leaf in made.leaves]
    for k, number in ((1, 2), (2, 1)):
        leaf = made.leaves[number - 1]
        whole.by_port[leaf.hostname, f"e4-{k}"].where = (Where(leaf.src, lines[number - 1]),)
    analysis = analyse(whole, RocePlan())
    given = Given(RailParams(), whole, analysis, RocePlan())
    (problem,) = [p for p in nic_on_wrong_rail(whole, given) if isinstance(p, Problem)]
    assert [place.position for place in problem.at[:2]] == [lines[1], lines[0]]


def test_one_nic_on_the_wrong_leaf() -> None:
    assert messages_of("TOP003", rails(5, {4: (1, 1)})) == ["gpu4 mlx5_1 leaf1 5 mlx5_0"]


@pytest.mark.parametrize(
    "wiring",
    [
        {},
        {1: (1, 1), 2: (1, 1), 3: (2, 2), 4: (2, 2), 5: (1, 1)},
        {1: (2, 1), 2: (2, 1)},
    ],
)
def test_wiring_that_is_no_rail_is_left_alone(wiring: dict[int, tuple[int, int]]) -> None:
    assert messages_of("TOP003", rails(5, wiring)) == []


def test_the_slot_counts_and_not_the_name() -> None:
    made = rails(5, {4: (2, 1)})
    for n, gpu in enumerate(made.hosts, 1):
        for k, nic in enumerate(gpu.nics.values()):
            nic.slot = f"0000:{(1 - k if n == 4 else k)}a:00"
    assert messages_of("TOP003", made) == []


# ------------------------------------------------------------------------------- links and a plan


def test_planned_links_that_lldp_sees_exchanged_are_one_finding() -> None:
    made = clos(leaves=2, spines=1)
    whole = fabric(*made.devices, links=made.links)
    spine, (one, two) = made.spines[0], made.leaves
    for leaf, other in ((one, "down2"), (two, "down1")):
        taken = whole.by_port[leaf.hostname, "up1"]
        whole.conflicts.append(
            LinkConflict(
                (leaf.hostname, "up1"), LinkSource.PLAN, LinkSource.LLDP,
                f"spine1 down{leaf.hostname[-1]}", f"spine1 {other}",
                (leaf.interfaces["up1"].where(), *taken.where),
            )
        )  # fmt: skip
    found = list(contradictions(whole))
    assert found == ["leaf1 up1 leaf2 up1 spine1 down2 spine1 down1 spine1 down1 spine1 down2"]
    whole.conflicts.pop()
    assert list(contradictions(whole)) == ["leaf1 up1 spine1 down1 spine1 down2"]
    assert spine.hostname == "spine1"


def contradictions(whole: object) -> list[str]:
    from roce_lint.checks.links.claims import contradicting_link_claims  # noqa: PLC0415
    from roce_lint.engine.api import Given, NoParams  # noqa: PLC0415

    plan = RocePlan()
    given = Given(NoParams(), whole, analyse(whole, plan), plan)  # type: ignore[arg-type]
    return [values(outcome.message) for outcome in contradicting_link_claims(whole, given)]  # type: ignore[arg-type]


def hears(made: Clos, leaf: int, name: str, peer: str) -> None:
    device = made.leaves[leaf]
    neighbor = Neighbor(device=peer, src=device.src, at={"": lines_of(device).next()})
    device.interfaces[name].neighbors = (neighbor,)


def test_a_silent_server_is_no_missing_cable() -> None:
    made = clos(leaves=1, spines=2)
    hears(made, 0, "up1", "spine1")
    assert messages_of("LNK006", made) == []
    hears(made, 0, "host", "gpu1")
    assert messages_of("LNK006", made) == []


def test_a_switch_that_is_heard_elsewhere_should_be_heard_here() -> None:
    made = clos(leaves=1, spines=2, per_spine=2)
    for name, peer in (("up1", "spine1"), ("up2", "spine2"), ("up2-2", "spine2")):
        hears(made, 0, name, peer)
    assert messages_of("LNK006", made) == ["leaf1 up1-2 spine1 down1-2 spine1"]
    made.leaves[0].interfaces["up1-2"].enabled = False
    assert messages_of("LNK006", made) == []


# --------------------------------------------------------------------- PFC where nothing passes


def marks_only(ports: int, paused: int) -> Clos:
    """A leaf with so many hosts, in a design that pauses nothing but on `paused` of its ports."""
    made = Clos([switch("leaf1", dscps={26: 3}, marked=(3,))], [], [])
    for n in range(1, ports + 1):
        port(made.leaves[0], f"e{n}", pauses=(4,) if n <= paused else ())
        gpu = host(f"gpu{n}", "ens1")
        gpu.emits.append(emission(gpu, 26, Flow.DATA, Certainty.STATED))
        made.hosts.append(gpu)
        made.links.append(((made.leaves[0], f"e{n}"), (gpu, "ens1")))
    return made


@pytest.mark.parametrize(("paused", "ports"), [(0, []), (1, ["e1"]), (2, ["e1", "e2"]), (3, [])])
def test_only_few_ports_are_odd(paused: int, ports: list[str]) -> None:
    made = marks_only(8, paused)
    found = judged("PFC011", *made.devices, links=made.links).findings
    assert [p for f in found for o in f.occurrences for p in o.subjects] == ports
    message = "leaf1 e1 4"
    assert [values(f.message) for f in found] == [message] * bool(ports)


def test_another_lossless_class_may_pass_anywhere() -> None:
    storage = PlannedClass(name="storage", flow=Flow.STORAGE, dscps=(34,), lossless=True)
    assert messages_of("PFC011", marks_only(8, 1), plan=RocePlan(classes=(storage,))) == []
