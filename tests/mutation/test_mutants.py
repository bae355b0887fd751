"""Every stated RoCE value of the clean fabric, changed once: found at its line, or listed.

The list (unseen.txt) may only shrink. A mutant that is newly unseen fails; so does an entry that
a rule has come to see, until `pytest --rewrite` has taken it off the list. Nothing adds to it.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.conftest import Golden
from tests.mutation.bench import Bench, Mutant, found, mutants, outcome
from tests.mutation.unseen import FILE, head_of, parse, shown

pytestmark = pytest.mark.xdist_group("mutation")


@cache
def bench() -> Bench:
    return Bench.of("clean-fabric")


@cache
def outcomes() -> dict[str, str]:
    """What becomes of every mutant."""
    return {mutant.entry: outcome(bench(), mutant) for mutant in mutants(bench())}


def missed() -> set[str]:
    return {entry for entry, what in outcomes().items() if what != "found"}


def test_the_sample_itself_is_clean() -> None:
    findings, _ = bench().judge()
    assert [f.message for f in findings] == []


def test_every_mutant_is_another_text() -> None:
    for mutant in mutants(bench()):
        assert mutant.text != bench().files[mutant.device][mutant.place].file.text, mutant.entry


def test_the_mutants_are_many_and_of_every_kind() -> None:
    made = {(mutant.device, mutant.kind) for mutant in mutants(bench())}
    for switch in ("leaf1", "leaf2", "spine2"):
        assert {kind for device, kind in made if device == switch} == {
            "digit", "delete", "double", "move",
        }  # fmt: skip
    for switch in ("leaf3", "spine1"):
        assert {kind for device, kind in made if device == switch} == {"digit", "delete", "move"}
    assert ("gpu01", "digit") in made


def test_every_mutant_is_found_or_listed() -> None:
    unlisted = sorted(missed() - set(parse(FILE.read_text(encoding="utf-8"))))
    assert unlisted == [], "these were found before, or are new: no reason is listed for them"


def test_the_list_holds_nothing_that_is_found(golden: Golden) -> None:
    text = FILE.read_text(encoding="utf-8")
    reasons = parse(text)
    kept = {entry: reason for entry, reason in reasons.items() if entry in missed()}
    if golden.rewrite:
        FILE.write_text(shown(kept, head_of(text)), encoding="utf-8")
    assert sorted(set(reasons) - set(kept)) == [] or golden.rewrite, (
        "found now, or no mutants any more: `pytest --rewrite` takes them off the list"
    )


def test_every_entry_has_a_reason() -> None:
    assert [e for e, r in parse(FILE.read_text(encoding="utf-8")).items() if len(r) < 20] == []


def test_a_line_names_every_kind_on_every_device() -> None:
    text = "# what it is\n\n## because it is so\na1 b2 digit move: x / y 1\n"
    reasons = {
        f"{kind} {device}: x / y 1": "because it is so"
        for device in ("a1", "b2")
        for kind in ("digit", "move")
    }
    assert parse(text) == reasons
    assert shown(reasons, head_of(text)) == text


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        (
            "digit leaf1: qos profile ROCE-HOST / priority-flow-control priority 3 no-drop #1",
            "PFC001",
        ),
        (
            "digit leaf2: policy-map type qos ROCE-CLASSIFY / class ROCE / set qos-group 5 #1",
            "MAP001",
        ),
        ("delete leaf3: PORT_QOS_MAP|PORT|pfc_enable / 3,4", "PFC001"),
    ],
)
def test_some_that_are_found(entry: str, rule: str) -> None:
    """Else `found` might be true of anything."""
    mutant = named(entry)
    findings, _ = bench().judge(mutant.device, mutant.place, mutant.text)
    assert found(mutant, [finding for finding in findings if finding.rule == rule])
    assert not found(mutant, [])


def named(entry: str) -> Mutant:
    return next(mutant for mutant in mutants(bench()) if mutant.entry == entry)
