"""DSCPs that more than half of the devices protect are RoCE; a deviating device does not decide."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from roce_lint.analysis.result import Analysis
from roce_lint.model.device import Device
from roce_lint.model.qos import Match, MatchKind
from tests.unit.fabric import CONFIRMED, analysed, default_map, egress, host, lines_of, port, switch

BY_SELECTOR = {dscp: dscp >> 3 for dscp in range(64)}


def box(
    name: str,
    named: Mapping[int, int] | None = None,
    *,
    block: range | None = None,
    default: bool = False,
    pauses: tuple[int, ...] = (3,),
    marked: tuple[int, ...] = (),
) -> Device:
    """A switch with one port: code points by a line each, a whole block by one line, the rest by
    the platform's map.
    """
    made = switch(name, dscps=named or {})
    lines, classifier = lines_of(made), made.qos.classifiers["map"]
    if default:
        table = default_map(lines, BY_SELECTOR, CONFIRMED)
        for dscp, tc in (named or {}).items():
            table.entries[dscp], table.at[dscp] = tc, lines.next()
        classifier.dscp_to_tc = table
    if block is not None:
        line = lines.next()
        match = Match(kind=MatchKind.DSCP, values=frozenset(block), src=lines.src)
        match.at |= {"": line, "values": line}
        classifier.matches = [match]
        for dscp in block:
            classifier.dscp_to_tc.entries[dscp] = pauses[0] if pauses else 3
            classifier.dscp_to_tc.at[dscp] = line
    made.qos.egress["out"] = egress(lines, marked)
    port(made, "e1", pauses=pauses)
    return made


def names(*boxes: Device) -> list[str]:
    return [traffic.name for traffic in analysed(*boxes).data_classes]


def fleet(count: int, odd: Device, **how: object) -> list[Device]:
    return [*(box(f"s{n}", **how) for n in range(count - 1)), odd]  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [3, 4, 5, 9, 40])
@pytest.mark.parametrize(
    "odd",
    [
        {"named": {20: 2}, "default": True},  # the map leads elsewhere, the platform's stays
        {"named": {21: 3}, "default": True},  # another code point
        {"named": {}, "default": True},  # the line is gone
        {"named": {20: 3, 46: 3}, "default": True},  # one code point more
        {"named": {20: 3}, "default": True, "pauses": ()},  # nothing is paused
        {"named": {20: 4}, "default": True, "pauses": (4,)},  # all of it in another priority
    ],
)
def test_an_odd_box_does_not_choose(size: int, odd: dict[str, object]) -> None:
    wrong = box("zz", **odd)  # type: ignore[arg-type]
    assert names(*fleet(size, wrong, named={20: 3}, default=True)) == ["RoCE DSCP 20"]
    first = box("a", **odd)  # type: ignore[arg-type]
    assert names(*fleet(size, first, named={20: 3}, default=True)) == ["RoCE DSCP 20"]


@pytest.mark.parametrize("size", [3, 7])
def test_a_second_class_is_not_lost_by_one_box(size: int) -> None:
    two = {"named": {22: 3, 36: 4}, "pauses": (3, 4)}
    wrong = box("zz", {22: 3, 37: 4}, pauses=(3, 4))
    assert names(*fleet(size, wrong, **two)) == ["RoCE DSCP 22", "RoCE DSCP 36"]


@pytest.mark.parametrize("size", [3, 7])
def test_a_code_point_of_a_short_list_is_not_lost_by_one_box(size: int) -> None:
    assert names(*fleet(size, box("zz", {20: 3}), named={20: 3, 22: 3})) == ["RoCE DSCP 20,22"]


def test_a_default_class_beside_a_named_one_stays_where_it_is_marked() -> None:
    """Pause and marking together are meant; pause alone by default is nobody's class."""
    how = {"named": {44: 5}, "default": True, "pauses": (3, 5)}
    wrong = box("zz", {44: 5, **dict.fromkeys(range(24, 32), 1)}, default=True, pauses=(3, 5))
    assert names(*fleet(4, wrong, **how, marked=(3,))) == ["RoCE DSCP 24-31", "RoCE DSCP 44"]
    assert names(*fleet(4, wrong, **how)) == ["RoCE DSCP 44"]


def test_a_default_map_alone_is_taken() -> None:
    wrong = box("zz", dict.fromkeys(range(24, 32), 1), default=True)
    assert names(*fleet(3, wrong, default=True)) == ["RoCE DSCP 24-31"]


def test_a_block_everywhere_is_the_best_evidence() -> None:
    for odd in (range(24, 31), range(28, 32), range(24, 28), range(32, 40)):
        wrong = box("zz", block=odd)
        assert names(*fleet(4, wrong, block=range(24, 32))) == ["RoCE DSCP 24-31"]


def test_leaves_name_what_spines_have_as_a_block() -> None:
    leaves = [box(f"leaf{n}", {26: 3}) for n in (1, 2)]
    spines = [box(f"spine{n}", block=range(24, 32)) for n in (1, 2)]
    assert names(*leaves, *spines) == ["RoCE DSCP 26"]


def test_one_named_code_point_among_defaults() -> None:
    assert names(*fleet(5, box("zz", {26: 3}), default=True)) == ["RoCE DSCP 26"]


def test_routing_protocols_in_the_paused_class_of_all_are_no_roce() -> None:
    assert names(*fleet(3, box("zz", {26: 3}), named={26: 3, 48: 3})) == ["RoCE DSCP 26"]


def test_what_they_send_is_taken_where_it_is_all_there_is() -> None:
    assert names(*fleet(3, box("zz", {20: 3}), named={48: 3})) == ["RoCE DSCP 48"]


def test_two_boxes_that_name_the_same_agree() -> None:
    """One of them puts it elsewhere; by the platform's map both have others in the class."""
    pair = [box("a", {20: 2}, default=True), box("b", {20: 2}, default=True)]
    assert names(*pair) == ["RoCE DSCP 24-31"]
    pair = [box("a", {20: 3}, default=True), box("b", {20: 2}, default=True)]
    assert names(*pair) == ["RoCE DSCP 20"]


def test_two_boxes_that_contradict_each_other_give_both_sides() -> None:
    (traffic,) = analysed(box("a", {20: 3}), box("b", {22: 3})).data_classes
    assert (traffic.dscps, traffic.sides) == ((20, 22), ((20,), (22,)))


def test_a_usual_number_is_quoted_in_an_exact_tie_and_does_not_decide_it() -> None:
    (traffic,) = analysed(box("a", {26: 3}), box("b", {27: 3})).data_classes
    assert (traffic.dscps, traffic.sides) == ((26, 27), ((26,), (27,)))
    assert "DSCP 26" in traffic.tie


def test_the_usual_number_does_not_decide_against_more_boxes() -> None:
    assert names(box("a", {26: 3}), box("b", {27: 3}), box("c", {27: 3})) == ["RoCE DSCP 27"]


def test_a_second_class_is_even_where_two_boxes_have_others() -> None:
    two = [box("a", {20: 3, 36: 4}, pauses=(3, 4)), box("b", {20: 3, 37: 4}, pauses=(3, 4))]
    assert [(c.dscps, c.sides) for c in analysed(*two).data_classes] == [
        ((20,), ()),
        ((36, 37), ((36,), (37,))),
    ]


def test_evidence_comes_from_a_box_that_agrees_and_is_counted() -> None:
    wrong = box("a", {21: 3})
    right = [box(f"b{n}", {20: 3}) for n in range(3)]
    (traffic,) = analysed(wrong, *right).data_classes
    assert traffic.backed == (3, 4)
    assert [where.src for where in traffic.where] == [right[0].src]


def test_a_thousand_hosts_of_a_kind_have_one_voice() -> None:
    """Their default map is that of every NIC; two switches show which DSCP of it is used."""
    hosts = [host(f"gpu{n}", "ens1", pauses=(3,)) for n in range(50)]
    leaves, links = [switch(f"leaf{n}", dscps={20: 3}) for n in range(2)], []
    for number, gpu in enumerate(hosts):
        leaf = leaves[number % 2]
        port(leaf, f"e{number}")
        links.append(((leaf, f"e{number}"), (gpu, "ens1")))
    port(leaves[0], "up")
    port(leaves[1], "up")
    links.append(((leaves[0], "up"), (leaves[1], "up")))
    analysis = analysed(*leaves, *hosts, links=links)
    assert [c.name for c in analysis.data_classes] == ["RoCE DSCP 20"]


def pods(*codes: int, size: int = 3) -> Analysis:
    """Pods of leaves under a spine each, with a code point of their own."""
    boxes, links = [], []
    for pod, dscp in enumerate(codes):
        spine = switch(f"pod{pod}-spine", dscps={dscp: 3})
        boxes.append(spine)
        for n in range(size - 1):
            leaf = switch(f"pod{pod}-leaf{n}", dscps={dscp: 3})
            port(leaf, "host")
            port(leaf, "up")
            port(spine, f"e{n}")
            links.append(((leaf, "up"), (spine, f"e{n}")))
            boxes.append(leaf)
    return analysed(*boxes, links=links)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_pods_have_classes_of_their_own(size: int) -> None:
    analysis = pods(26, 34, size=size)
    assert [(c.name, c.networks) for c in analysis.data_classes] == [
        ("RoCE DSCP 26", frozenset({0})),
        ("RoCE DSCP 34", frozenset({1})),
    ]
    for traffic in analysis.data_classes:
        for each in analysis.ports:
            assert analysis.needs_pause(traffic, each) is traffic.is_in(each.network)


def rails(*codes: int) -> Analysis:
    """A leaf for each rail, which no link joins to another."""
    boxes, links, gpus = [], [], [host(f"gpu{n}", "r0", "r1", "r2", "r3") for n in range(2)]
    for rail, dscp in enumerate(codes):
        leaf = switch(f"rail{rail}", dscps={dscp: 3})
        boxes.append(leaf)
        for gpu in gpus:
            port(leaf, gpu.hostname)
            links.append(((leaf, gpu.hostname), (gpu, f"r{rail}")))
    return analysed(*boxes, *gpus, links=links)


def test_a_rail_of_one_leaf_is_judged_by_the_other_rails() -> None:
    assert [c.name for c in rails(26, 26, 27, 26).data_classes] == ["RoCE DSCP 26"]


def marking(name: str, named: Mapping[int, int], marked: tuple[int, ...] = (3,)) -> Device:
    return box(name, named, pauses=(), marked=marked)


@pytest.mark.parametrize(
    "odd",
    [
        {"named": {22: 3}, "marked": ()},
        {"named": {23: 3}},
        {"named": {22: 2}},
        {"named": {22: 3, 44: 5}, "marked": (3, 5)},
        {"named": {22: 3}, "marked": tuple(range(8))},
    ],
)
@pytest.mark.parametrize("size", [3, 4, 12])
def test_where_nothing_is_paused_the_marked_queue_tells(
    size: int, odd: dict[str, tuple[int, ...]]
) -> None:
    boxes = [marking(f"s{n}", {22: 3}) for n in range(size - 1)]
    boxes.append(marking("zz", **odd))  # type: ignore[arg-type]
    (traffic,) = analysed(*boxes).data_classes
    assert (traffic.name, traffic.marked, traffic.assumed) == ("RoCE DSCP 22", True, True)


def test_one_box_that_pauses_does_not_make_it_a_fabric_of_pause() -> None:
    boxes = [marking(f"s{n}", {22: 3}) for n in range(3)]
    boxes.append(box("zz", {44: 5}, pauses=(5,), marked=(3,)))
    assert names(*boxes) == ["RoCE DSCP 22"]


def test_where_every_queue_marks_what_lines_name_is_the_class() -> None:
    """So it is too where one switch leaves out the queue of that class, or another one."""
    every = tuple(range(8))
    for odd in (every, (0, 1, 2, 4, 5, 6, 7), (0, 1, 2, 3)):
        marked = (every, every, odd)
        boxes = [marking(f"s{n}", {22: 3}, queues) for n, queues in enumerate(marked)]
        assert names(*boxes) == ["RoCE DSCP 22"]
    assert names(marking("alone", {22: 3}, every)) == []


def test_where_only_the_queue_of_unmarked_traffic_marks_there_is_no_class() -> None:
    assert names(*(marking(f"s{n}", {22: 3}, (0,)) for n in range(3))) == []


def test_the_class_of_most_code_points_is_bulk_too() -> None:
    """As on SONiC: DSCP 0 has a class, 61 others have one together."""
    table = dict.fromkeys(range(64), 1) | {0: 0, 22: 3, 48: 6}
    boxes = [marking(f"s{n}", table, (1, 3)) for n in range(3)]
    assert names(*boxes) == ["RoCE DSCP 22"]
    analysis = analysed(*boxes)
    assert analysis.bulk_queues(analysis.ports[0]) == {0, 1}


def test_a_map_is_asked_for_the_rest_of_its_code_points() -> None:
    made = switch("a", dscps={22: 3}, otherwise=1)
    made.qos.classifiers["map"].dscp_to_tc.entries |= {0: 0}
    port(made, "e1")
    analysis = analysed(made)
    assert analysis.bulk_queues(analysis.ports[0]) == {0, 1}
