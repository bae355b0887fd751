"""Places of values are stored under typed keys, without ad-hoc words of readers."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from functools import cache

import pytest

from roce_lint.loading.load import load
from roce_lint.model.sourced import Concern, Home, Part, Sourced
from tests.house.listing import ROOT

FOLDERS = sorted(path.name for path in (ROOT / "sample_configs").glob("*-fabric"))


def objects(value: object) -> Iterator[Sourced]:
    """Every object of the model below a value."""
    if isinstance(value, Sourced):
        yield value
        for entry in dataclasses.fields(value):
            if entry.name not in ("src", "at"):
                yield from objects(getattr(value, entry.name))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from objects(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from objects(each)


def strange(item: Sourced) -> set[Hashable]:
    """Keys of an object that are neither typed, nor a field, nor the entry of a field."""
    known: set[Hashable] = {""}
    for entry in dataclasses.fields(item):
        known.add(entry.name)
        held = getattr(item, entry.name)
        if entry.name != "at" and isinstance(held, Mapping | list | tuple | set | frozenset):
            known |= {each for each in held if isinstance(each, Hashable)}
    told: set[Hashable] = set()
    for key in item.at:
        if isinstance(key, Home | Part):
            told |= {key.field} - known - set(Concern)
        elif not isinstance(key, Concern | int) and key not in known:
            told.add(key)
    return told


@cache
def everything(folder: str) -> tuple[Sourced, ...]:
    loaded = load((str(ROOT / "sample_configs" / folder),))
    return tuple(objects(loaded.devices))


@pytest.mark.parametrize("folder", FOLDERS)
def test_keys_are_fields_their_entries_or_typed(folder: str) -> None:
    assert len(everything(folder)) > 50
    told = {(type(item).__name__, key) for item in everything(folder) for key in strange(item)}
    assert told == set()


def test_a_word_of_ones_own_would_be_found() -> None:
    item = next(item for item in everything(FOLDERS[0]) if item.at)
    other = dataclasses.replace(item, at={**item.at, "np_priorities 3": 1, Part("no field", 3): 1})
    assert strange(other) == {"np_priorities 3", "no field"}
