"""A fault that affects several traffic classes identically is one problem."""

from __future__ import annotations

from collections.abc import Sequence

from roce_lint.analysis.stages import Stage
from roce_lint.engine.api import Problem
from roce_lint.engine.finding import Certainty, Suppression
from roce_lint.engine.fold import Raw, find_explained
from roce_lint.engine.merge import merge_code_points
from roce_lint.model.change import Change, Safety
from roce_lint.model.path import of_port
from roce_lint.model.qos import Marking
from roce_lint.text.source import SourceFile, SourceMap, Where
from tests.unit.engine.rules import page

PLAIN = page()
SRC = SourceMap()
SRC.add(SourceFile.of("leaf1.cfg", "a\nb\nc\nd\n"), "running-config")


def raw(traffic: str, line: int = 1, *, evidence: int = 0, **more: object) -> Raw:
    values: dict[str, object] = {
        "message": f"e1 sends no pause for {traffic}" if traffic else "e1 is odd",
        "consequence": f"{traffic} is dropped",
        "at": [Where(SRC, line), *([Where(SRC, evidence)] if evidence else [])],
        "device": "leaf1",
        "subjects": ("e1",),
        "traffic": traffic,
        **more,
    }
    return Raw(PLAIN, Problem(**values), PLAIN.severity, Certainty.HIGH)  # type: ignore[arg-type]


def naming(names: Sequence[str]) -> str:
    return "RoCE DSCP " + "+".join(name.removeprefix("RoCE DSCP ") for name in names)


def joined(*raws: Raw) -> list[Problem]:
    return [one.problem for one in merge_code_points(raws, naming)]


def test_the_message_names_all_classes_and_the_evidence_adds_up() -> None:
    (found,) = joined(raw("RoCE DSCP 3", evidence=2), raw("RoCE DSCP 4", evidence=3))
    assert found.message == "e1 sends no pause for RoCE DSCP 3+4"
    assert found.consequence == "RoCE DSCP 3+4 is dropped"
    assert found.traffic == "RoCE DSCP 3+4"
    assert [where.position for where in found.at] == [1, 2, 3]


def test_what_differs_in_more_than_the_class_stays_apart() -> None:
    first = raw("RoCE DSCP 3")
    others = [
        raw("RoCE DSCP 4", 2),
        raw("RoCE DSCP 4", subjects=("e2",)),
        raw("RoCE DSCP 4", value="4"),
        raw("RoCE DSCP 4", message="RoCE DSCP 4 is in group 4"),
        raw(""),
    ]
    suppressed = raw("RoCE DSCP 4")
    suppressed.suppressed = Suppression("inline", "known")
    for other in (*others, suppressed):
        assert len(merge_code_points([first, other], naming)) == 2


def test_problems_without_a_class_are_left_alone() -> None:
    assert len(merge_code_points([raw(""), raw("")], naming)) == 2


def test_a_class_is_not_found_inside_the_name_of_another() -> None:
    text = "e1 pauses RoCE DSCP 30, not {}"
    (found,) = joined(
        raw("RoCE DSCP 3", message=text.format("RoCE DSCP 3")),
        raw("RoCE DSCP 4", message=text.format("RoCE DSCP 4")),
    )
    assert found.message == "e1 pauses RoCE DSCP 30, not RoCE DSCP 3+4"


def change(value: object) -> Change:
    return Change(of_port("leaf1", "e1", "qos.pfc.generate"), value, Safety.SAFE)


def test_sets_of_priorities_add_up_and_other_values_have_to_agree() -> None:
    three, four = change(frozenset({3})), change(frozenset({4}))
    one, two = change(1), change(2)
    (found,) = joined(raw("RoCE DSCP 3", changes=(three,)), raw("RoCE DSCP 4", changes=(four,)))
    assert found.changes == (change(frozenset({3, 4})),)
    (found,) = joined(raw("RoCE DSCP 3", changes=(one,)), raw("RoCE DSCP 4", changes=(one,)))
    assert found.changes == (one,)
    (found,) = joined(raw("RoCE DSCP 3", changes=(one,)), raw("RoCE DSCP 4", changes=(two,)))
    assert found.changes == ()
    (found,) = joined(raw("RoCE DSCP 3", changes=(three,)), raw("RoCE DSCP 4"))
    assert found.changes == ()


def test_changes_of_several_values_stay_apart() -> None:
    other = Change(of_port("leaf1", "e2", "qos.pfc.generate"), frozenset({3}), Safety.SAFE)
    three, four = change(frozenset({3})), change(frozenset({4}))
    (found,) = joined(
        raw("RoCE DSCP 3", changes=(three, other)), raw("RoCE DSCP 4", changes=(other, four))
    )
    assert found.changes == (change(frozenset({3, 4})), other)
    (found,) = joined(raw("RoCE DSCP 3", changes=(three,)), raw("RoCE DSCP 4", changes=(other,)))
    assert found.changes == (three, other)
    objects = [change(Marking(ecn=True)), change(Marking(ecn=True))]  # without a hash
    (found,) = joined(*(raw(f"RoCE DSCP {n}", changes=(own,)) for n, own in enumerate(objects, 3)))
    assert found.changes == (objects[0],)


def test_what_follows_in_a_class_follows_from_that_classs_own_problem() -> None:
    """Though a stage of the whole port explains what any class meets later."""
    causes = [raw(f"RoCE DSCP {n}", stage=Stage.TRUST) for n in (3, 4)]
    later = [raw(f"RoCE DSCP {n}", 2, stage=Stage.MARKING) for n in (3, 4)]
    assert Stage.TRUST.of_port
    found = find_explained([*causes, *later], {})
    assert [found[id(one)] for one in later] == causes
    other = raw("RoCE DSCP 5", 2, stage=Stage.MARKING)
    assert find_explained([*causes, other], {})[id(other)] is causes[0]


def raw_of_dscp(dscp: int, to: int = 1, **more: object) -> Raw:
    return raw(
        "RoCE DSCP 24-31",
        message=f"e1 puts DSCP {dscp} of RoCE DSCP 24-31 into class {to}",
        consequence=f"RoCE DSCP {dscp} is dropped",
        value=f"{dscp}:{to}",
        dscp=dscp,
        **more,
    )


def test_code_points_that_one_line_leads_astray_are_one_problem() -> None:
    (found,) = joined(raw_of_dscp(24, evidence=2), raw_of_dscp(26, evidence=3), raw_of_dscp(25))
    assert found.message == "e1 puts DSCP 24-26 of RoCE DSCP 24-31 into class 1"
    assert found.consequence == "RoCE DSCP 24-26 is dropped"
    assert found.value == "24-26:1"
    assert [where.position for where in found.at] == [1, 2, 3]


def test_code_points_of_several_classes_are_one_problem_too() -> None:
    other = raw_of_dscp(32)
    other.problem.traffic = "RoCE DSCP 32"
    other.problem.message = "e1 puts DSCP 32 of RoCE DSCP 32 into class 1"
    (found,) = joined(raw_of_dscp(24), raw_of_dscp(25), other)
    assert found.message == "e1 puts DSCP 24-25,32 of RoCE DSCP 24-31+32 into class 1"
    assert found.consequence == "RoCE DSCP 24-25,32 is dropped"
    assert (found.traffic, found.value) == ("RoCE DSCP 24-31+32", "24-25,32:1")


def test_code_points_stay_apart_where_line_or_target_differs() -> None:
    assert len(joined(raw_of_dscp(24), raw_of_dscp(25, to=2))) == 2
    assert len(joined(raw_of_dscp(24), raw_of_dscp(25, line=2))) == 2
    assert [one.value for one in joined(raw_of_dscp(3, to=3), raw_of_dscp(4, to=3))] == ["3-4:3"]
