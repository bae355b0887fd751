"""What hurts several traffic classes alike is one problem."""

from __future__ import annotations

from collections.abc import Sequence

from roce_lint.engine.api import Problem
from roce_lint.engine.finding import Certainty, Suppression
from roce_lint.engine.fold import Raw
from roce_lint.engine.together import together
from roce_lint.model.change import Change, Safety
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
    return [one.problem for one in together(raws, naming)]


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
        assert len(together([first, other], naming)) == 2


def test_problems_without_a_class_are_left_alone() -> None:
    assert len(together([raw(""), raw("")], naming)) == 2


def test_a_class_is_not_found_inside_the_name_of_another() -> None:
    text = "e1 pauses RoCE DSCP 30, not {}"
    (found,) = joined(
        raw("RoCE DSCP 3", message=text.format("RoCE DSCP 3")),
        raw("RoCE DSCP 4", message=text.format("RoCE DSCP 4")),
    )
    assert found.message == "e1 pauses RoCE DSCP 30, not RoCE DSCP 3+4"


def change(value: object) -> Change:
    return Change("leaf1", "e1", "pfc.generate", value, Safety.SAFE)


def test_sets_of_priorities_add_up_and_other_values_have_to_agree() -> None:
    three, four = change(frozenset({3})), change(frozenset({4}))
    (found,) = joined(raw("RoCE DSCP 3", change=three), raw("RoCE DSCP 4", change=four))
    assert found.change == change(frozenset({3, 4}))
    (found,) = joined(raw("RoCE DSCP 3", change=change(1)), raw("RoCE DSCP 4", change=change(1)))
    assert found.change == change(1)
    (found,) = joined(raw("RoCE DSCP 3", change=change(1)), raw("RoCE DSCP 4", change=change(2)))
    assert found.change is None
    (found,) = joined(raw("RoCE DSCP 3", change=three), raw("RoCE DSCP 4"))
    assert found.change is None
