"""A difference applied as a change turns one state into the other, with the same findings."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path as File

from hypothesis import given, settings
from hypothesis import strategies as st

from roce_lint.model.device import Device
from roce_lint.model.diff import differences
from roce_lint.model.dump import dump
from roce_lint.model.path import Path
from tests.bench import load
from tests.diff.compared import change_lines, compared
from tests.diff.told_as_changes import made_into
from tests.diff.unlike import unlike
from tests.mutation.answers import (
    CLEAN,
    GROUPS,
    Found,
    Part,
    answer,
    as_change,
    everything,
    judged,
    parts,
)
from tests.mutation.mutants import Mutant
from tests.mutation.unseen import Entry, entries
from tests.sampling import sample

ALIKE = 24
"""Mutants whose model is like that of the edited file, of which one is checked all the same."""

FILE = File(__file__).with_name("unsaid.txt")

MOST_LINES = 29
"""Current length of the list: it may only shrink."""


@cache
def mutated(mutant: Mutant) -> Device | None:
    """The device of a mutant; None where it cannot be read any more."""
    loaded = load(mutant.planted(CLEAN))
    own = (device for device in loaded.devices if device.hostname == mutant.device)
    return None if loaded.diagnostics else next(own)


@cache
def by_device() -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {}
    for mutant in everything():
        found.setdefault(mutant.device, []).append(mutant)
    return found


@given(st.data())
@settings(max_examples=30)
def test_a_difference_makes_the_one_into_the_other(data: st.DataObject) -> None:
    """On pairs of states of one device, each mutated by itself."""
    name = data.draw(st.sampled_from(sorted(by_device())))
    a, b = (mutated(data.draw(st.sampled_from(by_device()[name]))) for _ in "ab")
    if a is None or b is None:
        return
    before = str(dump(a))
    made = made_into(a, b)
    assert change_lines(differences(made, b, stated=True)) == []
    assert change_lines(differences(b, made, stated=True)) == []
    assert change_lines(compared(made, b)) == []
    assert str(dump(a)) == before
    there = {unnumbered(d.path) for d in differences(a, b)}
    back = {unnumbered(d.path) for d in differences(b, a)}
    assert there == back


def unnumbered(path: Path) -> str:
    """A path without the place in a list, which is that of the one side or of the other."""
    return re.sub(r"\b(gids|emits)\[\d+\].*", r"\1", str(path))


REMARKED = {
    "CLS010": "a table of code points that contradicts itself is a remark of the reader",
    "MAP003": "a name that leads nowhere is a remark; the model has no such names",
    "MAP004": "a name that is used nowhere is a remark; ports look as if they never had it",
    "MAP005": "a name that is used nowhere is a remark; ports look as if they never had it",
    "NIC014": "the reader compares what a host has now with what its start scripts set",
    "SRC001": "a line that is not understood is a remark; what it stated is in no model",
    "SRC002": "a value that cannot be used, or is lacking, is a remark on the file",
    "SRC003": "a line that others overrule is a remark; the values are those of the others",
    "SRC007": "a value that the device refuses is a remark; the model holds what it keeps",
}
"""Rules about remarks of a reader on a line, which are not values of the model: no change can
express them. With the remarks of the edited file the findings are the same. The list may only
shrink.
"""


@cache
def listed() -> tuple[Entry, ...]:
    return tuple(entries(FILE.read_text(encoding="utf-8")))


def differing(file: Found, change: Found) -> tuple[str, ...]:
    """The rules that speak of the edited file alone (+) and of the change alone (-)."""
    more = {f"+{rule}" for rule, *_ in file - change}
    less = {f"-{rule}" for rule, *_ in change - file}
    return (*sorted(more), *sorted(less))


def rules_of(entry: Entry) -> tuple[str, ...]:
    """The rules that a reason begins with."""
    return tuple(entry.reason.partition(":")[0].split())


@parts
def test_a_change_is_judged_like_the_edited_file(part: Part) -> None:
    """But for what a reader remarks, and for the mutants that are listed with their reason."""
    unlisted, wrong = [], []
    for mutant in part.mutants if part.whole else sample(part.mutants, 5):
        found = answer(mutant)
        if found.file is None or found.change is None:
            continue
        own = differing(found.file, found.change)
        more = {rule[1:] for rule in own if rule[0] == "+"}
        # What a line that nobody understood may state is unknown in the file.
        left_open = "SRC001" in more or len(more) == len(own)
        plain = not own or (found.remarked == found.file and more <= REMARKED.keys() and left_open)
        covering = [entry for entry in listed() if entry.covers(mutant)]
        if not plain and not covering:
            unlisted.append(f"{' '.join(own)}: {mutant}")
        wrong += [f"{e}: {mutant}: {own}" for e in covering if plain or rules_of(e) != own]
        assert len(covering) < 2, (str(mutant), [str(entry) for entry in covering])
    assert "\n".join(unlisted) == "", "judged alike before, or new: no reason is listed for them"
    assert wrong == [], "judged otherwise now, or alike: narrow the line, or take it off the list"


def test_no_line_of_the_list_is_about_nothing() -> None:
    for entry in listed():
        met = {(m.device, m.kind) for m in everything() if entry.covers(m)}
        assert met == {(d, k) for d in entry.devices for k in entry.kinds}, entry


def test_the_list_is_short_and_gives_reasons() -> None:
    assert len(listed()) <= MOST_LINES, "the list may only shrink"
    known = {device for group in GROUPS for device in group}
    assert len(REMARKED) <= 9, "the list may only shrink"
    for entry in listed():
        assert set(entry.devices) <= known, entry
        assert len(entry.reason.partition(": ")[2]) >= 40, entry
        assert rules_of(entry), entry


@parts
def test_models_that_are_alike_are_judged_alike(part: Part) -> None:
    """The test above relies on this: of some of them both are checked."""
    alike = 0
    for mutant in sample(part.mutants, ALIKE):
        device = mutated.__wrapped__(mutant)
        if device is None:
            continue
        lines, made = as_change(device)
        if not unlike(made, device):
            alike += 1
            assert judged(made, lines) == answer(mutant).file, str(mutant)
    assert alike > 0
