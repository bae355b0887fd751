"""Contradicting maps of one device, and DSCPs that the next hop maps differently."""

from __future__ import annotations

from roce_lint.analysis.map_conflicts import other_group
from roce_lint.analysis.result import Analysis
from roce_lint.checks.mapping.consistency import dscp_rewritten_for_next_hop, inconsistent_qos_maps
from roce_lint.engine.api import Given, NoParams, Outcome, Problem, Severity, Unknown
from roce_lint.engine.run import NO_PEER
from roce_lint.model.device import Device
from roce_lint.model.plan import RocePlan
from roce_lint.model.qos import Match, MatchKind, Rewrite
from tests.unit.checks.judging import outcomes_of
from tests.unit.fabric import analysed, code_map, host, lines_of, port, switch


def given(analysis: Analysis) -> Given[NoParams]:
    return Given(NoParams(), analysis.fabric, analysis, RocePlan())


def leaf(queues: dict[int, int], groups: dict[int, int] | None = None) -> Device:
    """A leaf whose pause priorities lead to `queues` and `groups`."""
    device = switch("leaf1")
    port(device, "e1")
    maps, lines = device.qos.forwardings["maps"], lines_of(device)
    maps.pfc_priority_to_queue = code_map(lines, queues)
    if groups is not None:
        maps.pfc_priority_to_pg = code_map(lines, groups)
        maps.tc_to_pfc_priority = code_map(lines, {pg: p for p, pg in groups.items()})
    return device


def disagree(device: Device) -> list[Outcome]:
    spine = switch("spine1")
    port(spine, "e1")
    analysis = analysed(device, spine, links=[((device, "e1"), (spine, "e1"))])
    return list(outcomes_of(inconsistent_qos_maps, given(analysis)))


def test_a_pause_that_stops_another_queue_is_found_at_its_entry() -> None:
    device = leaf({3: 4})
    (found,) = disagree(device)
    assert isinstance(found, Problem)
    assert found.at[0].position == device.qos.forwardings["maps"].pfc_priority_to_queue.at[3]
    assert (found.value, found.severity) == ("3:3/3:4", None)


def test_a_pause_that_stops_no_queue() -> None:
    (found,) = disagree(leaf({4: 4}))
    assert isinstance(found, Problem)
    assert "stops no queue" in found.message


def test_a_map_that_is_not_there_is_no_contradiction() -> None:
    assert disagree(leaf({})) == []


def test_a_group_that_no_priority_fills() -> None:
    device = leaf({3: 3}, {3: 4})
    (found,) = disagree(device)
    assert isinstance(found, Problem)
    assert found.at[0].position == device.qos.forwardings["maps"].pfc_priority_to_pg.at[3]
    assert found.value == "3:3/3:4"


def test_numbers_may_differ_where_the_maps_meet() -> None:
    device = leaf({5: 2}, {5: 4})
    maps = device.qos.forwardings["maps"]
    maps.tc_to_queue.entries[3], maps.tc_to_pg.entries[3] = 2, 4
    maps.tc_to_pfc_priority = code_map(lines_of(device), {3: 5})
    qos = device.interfaces["e1"].qos
    assert qos is not None
    assert qos.pfc is not None
    qos.pfc.generate = qos.pfc.honour = frozenset({5})
    assert disagree(device) == []


def test_a_class_nobody_means_to_pause_has_no_other_group() -> None:
    device = leaf({3: 3}, {3: 3})
    judged = analysed(device).port("leaf1", "e1")
    assert judged is not None
    assert other_group(judged, 1) is None


def fabric(rewritten: dict[int, int], spine_dscps: dict[int, int]) -> tuple[Device, Device, Device]:
    """A host on a leaf that rewrites its classes, and a spine behind it."""
    device, spine = switch("leaf1"), switch("spine1", dscps=spine_dscps)
    for name in ("e1", "e49"):
        port(device, name)
    port(spine, "e1")
    lines = lines_of(device)
    device.qos.rewrites["map"] = Rewrite(
        tc_to_dscp=code_map(lines, rewritten), active=True, on_trusted=True, src=lines.src,
        at={"": lines.next()},
    )  # fmt: skip
    up = device.interfaces["e49"].qos
    assert up is not None
    up.rewrite = "map"
    return device, spine, host("gpu1", "ens1", sends=26, pauses=(3,))


def read(device: Device, spine: Device, gpu: Device) -> list[Outcome]:
    links = [((device, "e1"), (gpu, "ens1")), ((device, "e49"), (spine, "e1"))]
    analysis = analysed(device, spine, gpu, links=links)
    return list(outcomes_of(dscp_rewritten_for_next_hop, given(analysis)))


def test_a_rewrite_that_leaves_the_lossless_class() -> None:
    device, spine, gpu = fabric({3: 10}, {26: 3})
    (found,) = read(device, spine, gpu)
    assert isinstance(found, Problem)
    assert found.at[0].position == device.qos.rewrites["map"].tc_to_dscp.at[3]
    assert (found.device, found.subjects, found.severity) == ("leaf1", ("e49",), None)


def test_a_rewrite_that_may_not_act_warns() -> None:
    device, spine, gpu = fabric({3: 10}, {26: 3})
    device.qos.rewrites["map"].on_trusted = None
    (found,) = read(device, spine, gpu)
    assert isinstance(found, Problem)
    assert found.severity is Severity.WARNING
    assert found.assumed.startswith("it is not documented")


def test_another_priority_alone_warns() -> None:
    device, spine, gpu = fabric({3: 34}, {26: 3, 34: 4})
    qos = spine.interfaces["e1"].qos
    assert qos is not None
    assert qos.pfc is not None
    qos.pfc.generate = qos.pfc.honour = frozenset({3, 4})
    (found,) = read(device, spine, gpu)
    assert isinstance(found, Problem)
    assert found.severity is Severity.WARNING


def test_a_rewrite_that_all_treat_alike_or_that_changes_nothing() -> None:
    assert read(*fabric({3: 26}, {26: 3})) == []
    device, spine, gpu = fabric({3: 28}, {26: 3, 28: 3})
    device.qos.classifiers["map"].dscp_to_tc.entries[28] = 3
    gpu.qos.classifiers["map"].dscp_to_tc.entries[28] = 3
    assert read(device, spine, gpu) == []


def test_a_set_on_ingress_counts_for_every_way_out() -> None:
    device, spine, gpu = fabric({}, {26: 3})
    lines = lines_of(device)
    match = Match(
        kind=MatchKind.DSCP, values=frozenset({26}), tc=3, set_dscp=10, src=lines.src,
        at={"set_dscp": lines.next()},
    )  # fmt: skip
    device.qos.classifiers["map"].matches = [match]
    (found, *_) = read(device, spine, gpu)
    assert isinstance(found, Problem)
    assert (found.at[0].position, found.value) == (match.at["set_dscp"], "26:10")


def test_an_access_list_before_it_leaves_it_open() -> None:
    device, spine, gpu = fabric({}, {26: 3})
    device.qos.classifiers["map"].matches = [
        Match(kind=MatchKind.ACL, text="STORAGE"),
        Match(kind=MatchKind.DSCP, values=frozenset({26}), tc=3, set_dscp=10),
    ]
    assert read(device, spine, gpu) == []


def test_cnp_rewritten_into_the_data_class_is_as_grave_as_data_outside_it() -> None:
    device, spine, gpu = fabric({6: 26}, {26: 3, 48: 6})
    device.qos.classifiers["map"].dscp_to_tc.entries[48] = 6
    gpu = host("gpu1", "ens1", sends=26, cnp=48, pauses=(3,))
    found = [o for o in read(device, spine, gpu) if isinstance(o, Problem)]
    assert [(p.traffic, p.severity) for p in found] == [("CNP DSCP 48", None)]


def test_a_next_hop_that_nobody_names_is_unknown() -> None:
    device, _, _ = fabric({3: 10}, {26: 3})
    down = device.interfaces["e1"].qos
    assert down is not None
    down.rewrite = "map"
    analysis = analysed(device)
    found = list(outcomes_of(dscp_rewritten_for_next_hop, given(analysis)))
    assert found
    assert all(isinstance(outcome, Unknown) for outcome in found)
    assert {outcome.missing for outcome in found if isinstance(outcome, Unknown)} == {NO_PEER}


def test_a_rewrite_towards_a_host_has_no_later_hop() -> None:
    device, spine, gpu = fabric({3: 10}, {26: 3})
    up, down = device.interfaces["e49"].qos, device.interfaces["e1"].qos
    assert up is not None
    assert down is not None
    up.rewrite, down.rewrite = None, "map"
    gpu.interfaces["ens1"].qos = None  # nothing is known of the NIC
    assert read(device, spine, gpu) == []


def test_a_hop_further_on_warns() -> None:
    device, spine, gpu = fabric({3: 10}, {26: 3, 10: 3})
    far = switch("leaf2", dscps={26: 3})
    port(far, "e49")
    port(spine, "e2")
    gpu.interfaces["ens1"].qos = None
    links = [
        ((device, "e1"), (gpu, "ens1")),
        ((device, "e49"), (spine, "e1")),
        ((spine, "e2"), (far, "e49")),
    ]
    analysis = analysed(device, spine, far, gpu, links=links)
    (found,) = outcomes_of(dscp_rewritten_for_next_hop, given(analysis))
    assert isinstance(found, Problem)
    assert (found.subjects, found.severity) == (("e49",), Severity.WARNING)
    assert "leaf2 e49" in found.message
