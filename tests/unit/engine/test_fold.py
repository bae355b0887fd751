"""One cause, one finding: covering, folding over ports and devices, fingerprints, order."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import pytest

from roce_lint.engine.api import Problem
from roce_lint.engine.finding import Certainty, Finding, Severity
from roce_lint.engine.fold import Raw, cover, fold, shape
from roce_lint.engine.page import RulePage
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Origin, SourceFile, SourceMap, Where
from tests.unit.engine.rules import page

PLAIN = page()


class Box:
    """A device with one file, line by line, and problems at its lines."""

    def __init__(self, name: str, *lines: str):
        self.name = name
        self.file = SourceFile.of(f"{name}.cfg", "\n".join(lines) + "\n")
        self.src = SourceMap()
        self.src.add(self.file, "running-config")

    def at(self, line: int) -> Where:
        return Where(self.src, line)

    def raw(
        self, line: int, *ports: str, of: RulePage = PLAIN, value: str = "", traffic: str = "",
        evidence: tuple[Where, ...] = (), message: str = "",
    ) -> Raw:  # fmt: skip
        problem = Problem(
            message or f"{self.name} is odd", "so what", [self.at(line), *evidence], self.name,
            ports, value=value, traffic=traffic,
        )  # fmt: skip
        return Raw(of, problem, of.severity, Certainty.HIGH)


def folded(*raws: Raw, boxes: tuple[Box, ...], nos: dict[str, str] | None = None) -> list[Finding]:
    memory = {box.file.name: box.file for box in boxes}
    platforms = {box.name: "made" for box in boxes} | (nos or {})
    return fold(cover(list(raws)), platforms, Excerpts(memory))


def test_ports_with_one_cause_are_one_finding() -> None:
    box = Box("leaf1", "qos profile ROCE", "   no priority-flow-control")
    (found,) = folded(*(box.raw(2, f"Ethernet{n}") for n in range(1, 4)), boxes=(box,))
    assert found.subjects == ("Ethernet1", "Ethernet2", "Ethernet3")
    assert [(p.file, p.line, p.role) for p in found.occurrences[0].locations] == [
        ("leaf1.cfg", 2, "cause")
    ]
    assert found.ports == 3


def test_ports_that_state_the_same_each_are_one_finding_with_all_lines() -> None:
    box = Box("leaf1", "interface Ethernet1", "   mtu 1500", "interface Ethernet2", "   mtu 1500")
    (found,) = folded(
        box.raw(2, "Ethernet1", value="1500"), box.raw(4, "Ethernet2", value="1500"), boxes=(box,)
    )
    assert [p.line for p in found.occurrences[0].locations] == [2, 4]


def test_interface_headers_differ_by_their_number_only() -> None:
    box = Box("leaf1", "interface Ethernet1/1", "interface Ethernet49/1", "interface Vlan 10")
    (found,) = folded(*(box.raw(n, str(n)) for n in (1, 2)), boxes=(box,))
    assert found.subjects == ("1", "2")
    assert len(folded(*(box.raw(n, str(n)) for n in (1, 3)), boxes=(box,))) == 2


@pytest.mark.parametrize(
    "change",
    [{"value": "b"}, {"traffic": "CNP DSCP 48"}, {"of": page("TST002")}],
)
def test_what_is_no_same_cause_stays_apart(change: dict) -> None:
    box = Box("leaf1", "mtu 1500")
    one = {"value": "a", "traffic": "RoCE DSCP 26"}
    found = folded(box.raw(1, "e1", **one), box.raw(1, "e2", **{**one, **change}), boxes=(box,))
    assert len(found) == 2


def test_another_operating_system_is_another_cause() -> None:
    boxes = Box("leaf1", "mtu 1500"), Box("leaf2", "mtu 1500")
    raws = [box.raw(1, "e1") for box in boxes]
    assert len(folded(*raws, boxes=boxes)) == 1
    assert len(folded(*raws, boxes=boxes, nos={"leaf2": "other"})) == 2


def test_a_wrong_template_on_512_leaves_is_one_finding() -> None:
    boxes = tuple(
        Box(f"leaf{n:03}", f"hostname leaf{n:03}", "interface Ethernet1", "   mtu 1500")
        for n in range(1, 513)
    )
    raws = [box.raw(3, "Ethernet1", value="1500") for box in boxes]
    raws = [*raws[::-2], *raws[::2]]
    (found,) = folded(*raws, boxes=boxes)
    assert [o.device for o in found.occurrences] == [box.name for box in boxes]
    assert found.occurrences[511].locations[0].file == "leaf512.cfg"
    assert (found.device, found.message, found.ports) == ("leaf001", "leaf001 is odd", 512)


def test_names_and_addresses_of_one_box_do_not_keep_causes_apart() -> None:
    boxes = (
        Box("leaf1", "   service-policy type qos input LEAF1-10.0.0.1"),
        Box("leaf2", "   service-policy type qos input LEAF2-10.0.0.2"),
    )
    assert len(folded(*(box.raw(1) for box in boxes), boxes=boxes)) == 1


@pytest.mark.parametrize(
    ("text", "path", "same_as"),
    [
        ("interface Ethernet1/1", "", ("interface Ethernet2/1", "")),
        ("interface Ethernet 1/1", "", ("interface Ethernet 1/48", "")),
        ("description to spine12 et-0/0/3", "", ("description to spine7 et-0/0/9", "")),
        ("ip address 10.0.0.1/31", "", ("ip address 10.0.3.255/31", "")),
        ("ipv6 address fd00::1/127", "", ("ipv6 address fd00:0:1::a/127", "")),
        ('"mtu": "1500",', "PORT|Ethernet0|mtu", ('"mtu": "1500"', "PORT|Ethernet16|mtu")),
    ],
)
def test_the_shape_of_a_line_is_alike_on_all_boxes(
    text: str, path: str, same_as: tuple[str, str]
) -> None:
    other_text, other_path = same_as
    assert shape(Location("a", 1, text, path=path)) == shape(
        Location("b", 9, other_text, path=other_path)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("priority-flow-control priority 3 no-drop", "priority-flow-control priority 4 no-drop"),
        ("qos map dscp 26 to traffic-class 1", "qos map dscp 26 to traffic-class 2"),
        ("pause pfc-cos 3", "pause pfc-cos 4"),
    ],
)
def test_the_values_of_a_line_are_kept(one: str, other: str) -> None:
    assert shape(Location("a", 1, one)) != shape(Location("a", 1, other))


def test_a_tree_line_is_told_apart_by_its_value() -> None:
    path = "WRED_PROFILE|ROCE|ecn"
    assert shape(Location("a", 1, '"ecn": "ecn_none"', path=path)) != shape(
        Location("a", 1, '"ecn": "ecn_all"', path=path)
    )


def test_evidence_is_shown_once_and_not_for_ever() -> None:
    box = Box("leaf1", *(f"line {n}" for n in range(1, 21)))
    raws = [
        box.raw(1, f"e{n}", evidence=(box.at(2), box.at(n), Where(box.src, 0, Origin.ABSENT)))
        for n in range(1, 16)
    ]
    (found,) = folded(*raws, boxes=(box,))
    places = found.occurrences[0].locations
    assert [(p.line, p.role) for p in places] == [
        (1, "cause"),
        *((n, "evidence") for n in range(2, 8)),
    ]


# Covering.

BROAD = page("TST010", covers=("TST001",))
BROADER = page("TST020", covers=("TST010",))


def test_a_broader_rule_takes_the_narrower_in() -> None:
    box = Box("leaf1", "a", "b")
    raws = [box.raw(1, "e1"), box.raw(1, "e1", of=BROAD), box.raw(2, "e1")]
    found = folded(*raws, boxes=(box,))
    assert [(f.rule, f.also, f.location.line) for f in found] == [
        ("TST010", ("TST001",), 1),
        ("TST001", (), 2),
    ]


def test_a_problem_is_covered_at_the_line_that_it_is_about() -> None:
    """Its own line becomes evidence: without it nobody would look there."""
    box = Box("leaf1", "declared", "live", "elsewhere")
    narrow, other = box.raw(1), box.raw(1)
    narrow.problem.about, other.problem.about = box.at(2), box.at(3)
    (found,) = folded(narrow, box.raw(2, of=BROAD), boxes=(box,))
    assert (found.rule, found.also) == ("TST010", ("TST001",))
    assert [(p.line, p.role) for p in found.occurrences[0].locations] == [
        (2, "cause"),
        (1, "evidence"),
    ]
    assert [f.rule for f in folded(other, box.raw(2, of=BROAD), boxes=(box,))] == [
        "TST001",
        "TST010",
    ]


def test_a_problem_is_covered_at_a_line_that_the_broader_one_calls_idle() -> None:
    box = Box("leaf1", "class ROCE", "class RDMA")
    broad = box.raw(1, "e1", of=BROAD)
    assert len(folded(broad, box.raw(2, "class RDMA"), boxes=(box,))) == 2
    broad.problem.idle = (box.at(2),)
    (found,) = folded(broad, box.raw(2, "class RDMA"), boxes=(box,))
    assert (found.rule, found.also) == ("TST010", ("TST001",))


def test_what_compares_lines_is_covered_at_each_of_them() -> None:
    box = Box("leaf1", "pause 3", "watch 4")
    narrow = box.raw(2, "e1", evidence=(box.at(1),))
    assert len(folded(box.raw(1, "e1", of=BROAD), narrow, boxes=(box,))) == 2
    narrow.problem.compares = True
    (found,) = folded(box.raw(1, "e1", of=BROAD), narrow, boxes=(box,))
    assert found.also == ("TST001",)


def test_what_is_about_a_line_of_another_class_is_covered_there() -> None:
    box = Box("leaf1", "match group 6", "pause 3")
    broad = box.raw(1, "e1", of=BROAD, traffic="RoCE DSCP 26")
    narrow = box.raw(2, "e1", traffic="CNP DSCP 48")
    narrow.problem.about = box.at(1)
    (found,) = folded(broad, narrow, boxes=(box,))
    assert (found.traffic, found.also) == ("RoCE DSCP 26", ("TST001",))


def test_only_what_the_page_names_is_covered() -> None:
    box = Box("leaf1", "a")
    raws = [box.raw(1, of=page("TST002")), box.raw(1, of=BROAD)]
    assert [f.also for f in folded(*raws, boxes=(box,))] == [(), ()]


def test_a_chain_of_covers_ends_in_one_finding() -> None:
    box = Box("leaf1", "a")
    raws = [box.raw(1), box.raw(1, of=BROAD), box.raw(1, of=BROADER)]
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]):
        chosen = [Raw(r.page, r.problem, r.severity, r.certainty) for r in (raws[n] for n in order)]
        (found,) = folded(*chosen, boxes=(box,))
        assert (found.rule, found.also) == ("TST020", ("TST001", "TST010"))


def test_pages_that_cover_each_other_lose_nothing() -> None:
    box = Box("leaf1", "a")
    one, two = page("TST030", covers=("TST031",)), page("TST031", covers=("TST030",))
    assert len(folded(box.raw(1, of=one), box.raw(1, of=two), boxes=(box,))) == 2


@pytest.mark.parametrize(
    ("narrow", "broad", "covered"),
    [
        ("RoCE DSCP 26", "RoCE DSCP 26", True),
        ("RoCE DSCP 26", "", True),
        ("", "RoCE DSCP 26", True),
        ("RoCE DSCP 26", "CNP DSCP 48", False),
    ],
)
def test_covering_needs_the_same_class(narrow: str, broad: str, covered: bool) -> None:
    box = Box("leaf1", "a")
    raws = [box.raw(1, traffic=narrow), box.raw(1, of=BROAD, traffic=broad)]
    assert (len(folded(*raws, boxes=(box,))) == 1) is covered


def test_covering_needs_the_same_device() -> None:
    boxes = Box("leaf1", "a"), Box("leaf2", "a")
    raws = [boxes[0].raw(1), boxes[1].raw(1, of=BROAD)]
    assert len(folded(*raws, boxes=boxes)) == 2


def test_a_problem_without_place_is_neither_covered_nor_lost() -> None:
    problem = Problem("odd", "so what", [], "leaf1")
    raws = [Raw(p, problem, Severity.ERROR, Certainty.HIGH) for p in (PLAIN, BROAD)]
    found = folded(*raws, boxes=())
    assert [(f.rule, f.location, f.also) for f in found] == [
        ("TST001", None, ()),
        ("TST010", None, ()),
    ]


def test_a_milder_problem_does_not_take_in_a_graver_one() -> None:
    box = Box("leaf1", "a")
    grave, mild = box.raw(1), box.raw(1, of=BROAD)
    mild.severity = Severity.WARNING
    assert [f.rule for f in folded(grave, mild, boxes=(box,))] == ["TST001", "TST010"]
    grave.severity = Severity.INFO
    (found,) = folded(grave, mild, boxes=(box,))
    assert (found.rule, found.also) == ("TST010", ("TST001",))


def test_where_several_places_decide_each_is_a_cause_and_covers() -> None:
    box = Box("leaf1", "a", "b")
    narrow, broad = box.raw(2), box.raw(1, of=BROAD)
    broad.problem.at = [*broad.problem.at, *narrow.problem.at]
    assert len(folded(narrow, broad, boxes=(box,))) == 2
    broad.problem.several = True
    (found,) = folded(box.raw(2), broad, boxes=(box,))
    assert found.also == ("TST001",)
    assert [(p.line, p.role) for p in found.occurrences[0].locations] == [
        (1, "cause"),
        (2, "cause"),
    ]


# Fingerprints.


def prints(*raws: Raw, boxes: tuple[Box, ...]) -> list[str]:
    return [found.fingerprint for found in folded(*raws, boxes=boxes)]


def test_a_new_port_does_not_change_the_fingerprint() -> None:
    before = Box("leaf1", "interface Ethernet1", "   mtu 1500")
    after = Box("leaf1", "! a comment", "interface Ethernet1", "   mtu 1500", "interface Ethernet2",
                "   mtu 1500")  # fmt: skip
    old = prints(before.raw(2, "Ethernet1", value="1500"), boxes=(before,))
    new = prints(
        after.raw(3, "Ethernet1", value="1500"),
        after.raw(5, "Ethernet2", value="1500"),
        boxes=(after,),
    )
    assert old == new


def test_another_device_and_port_with_the_same_line_have_the_same_fingerprint() -> None:
    one = Box("leaf1", "interface Ethernet1", "   mtu 1500")
    other = Box("spine7", "hostname spine7", "interface Ethernet48/4", "   mtu 1500")
    (both,) = prints(
        one.raw(2, "Ethernet1", value="1500"),
        other.raw(3, "Ethernet48/4", value="1500"),
        boxes=(one, other),
    )
    (alone,) = prints(other.raw(3, "Ethernet48/4", value="1500"), boxes=(other,))
    assert both == alone


def test_another_value_changes_the_fingerprint() -> None:
    box = Box("leaf1", "mtu 1500", "mtu 2000")
    one, two = prints(box.raw(1, value="1500"), box.raw(2, value="2000"), boxes=(box,))
    assert one != two


def test_the_fingerprint_does_not_hang_on_the_severity() -> None:
    box = Box("leaf1", "a")
    error = box.raw(1)
    warning = Raw(error.page, error.problem, Severity.WARNING, Certainty.LOW)
    assert prints(error, boxes=(box,)) == prints(warning, boxes=(box,))


def test_the_second_of_two_equal_fingerprints_is_numbered() -> None:
    box = Box("leaf1", "a", "a")
    error = box.raw(1, "e1")
    warning = box.raw(2, "e2")
    warning.severity = Severity.WARNING  # keeps the two apart and is no part of the fingerprint
    one, two = prints(error, warning, boxes=(box,))
    assert two == f"{one}#2"


def test_a_line_that_is_graver_on_one_port_is_one_finding() -> None:
    box = Box("leaf1", "a", "a")
    mild, grave, elsewhere = box.raw(1, "e1"), box.raw(1, "e2", message="graver"), box.raw(2, "e3")
    mild.severity = elsewhere.severity = Severity.WARNING
    error, warning = folded(mild, grave, elsewhere, boxes=(box,))
    assert (error.severity, error.message) == (Severity.ERROR, "graver")
    assert set(error.subjects) == {"e1", "e2"}
    assert (warning.severity, warning.subjects) == (Severity.WARNING, ("e3",))


def test_a_default_that_is_graver_on_one_port_is_one_finding() -> None:
    """Each port has it at its own header: no line states it."""
    box, mild = Box("leaf1", "interface e1", "interface e2"), page(severity="info")
    raws = [box.raw(1, "e1"), box.raw(2, "e2", of=mild)]
    for raw in raws:
        raw.problem.at = [replace(where, origin=Origin.DEFAULT) for where in raw.problem.at]
    (found,) = folded(*raws, boxes=(box,))
    assert (found.severity, found.subjects) == (PLAIN.severity, ("e1", "e2"))
    assert len(folded(box.raw(1, "e1"), box.raw(2, "e2", of=mild), boxes=(box,))) == 2


def test_what_a_covered_problem_is_about_is_evidence_and_no_cause() -> None:
    box = Box("leaf1", "a", "b", "c")
    broad = page("MAP003", covers=("MAP005",))
    owner = box.raw(1, "e1", of=broad)
    owner.problem.several = True
    narrow = box.raw(3, of=page("MAP005"))
    narrow.problem.about = box.at(1)
    (found,) = folded(owner, narrow, boxes=(box,))
    assert found.also == ("MAP005",)
    assert [(p.line, p.role) for p in found.occurrences[0].locations] == [
        (1, "cause"),
        (3, "evidence"),
    ]


# Order.


def test_findings_come_in_one_order_whatever_the_order_of_problems() -> None:
    boxes = Box("leaf1", "a", "b", "c"), Box("leaf2", "d")
    raws = [
        boxes[0].raw(3, of=page("TST002")),
        boxes[0].raw(3),
        boxes[0].raw(1, of=page("TST003")),
        boxes[1].raw(1),
        boxes[0].raw(2, value="x"),
        boxes[0].raw(2, value="y"),
    ]
    wanted = folded(*raws, boxes=boxes)
    assert [(f.device, f.location.line, f.rule) for f in wanted] == [
        ("leaf1", 1, "TST003"),
        ("leaf1", 2, "TST001"),
        ("leaf1", 2, "TST001"),
        ("leaf1", 3, "TST001"),
        ("leaf1", 3, "TST002"),
        ("leaf2", 1, "TST001"),
    ]
    for order in itertools.permutations(raws):
        assert folded(*order, boxes=boxes) == wanted


class Asked:
    """Covered rules of a page, none of them selected; counts the look-ups."""

    times = 0

    def __contains__(self, rule: object) -> bool:
        Asked.times += 1
        return False

    def __len__(self) -> int:
        return 1


def test_many_ports_of_one_line_are_looked_through_by_page() -> None:
    box = Box("leaf1", "a")
    covering = SimpleNamespace(id="TST010", head=SimpleNamespace(covers=Asked()))
    raws = [box.raw(1, f"e{n}") for n in range(500)]
    for one in raws:
        one.page = covering  # type: ignore[assignment]
    assert cover(raws) == raws
    assert Asked.times <= 500
