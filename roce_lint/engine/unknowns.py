"""What rules could not judge, put together by what would settle it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from roce_lint.engine.api import Unknown
from roce_lint.engine.finding import UnknownGroup
from roce_lint.engine.page import RulePage
from roce_lint.phases import phase
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import Location, Where


class _Places(Sequence[Location]):
    """Locations that are looked up when somebody shows them.

    Unknowns are many and mostly only counted; looking each up would read every file once more.
    """

    def __init__(self, excerpts: Excerpts, places: tuple[Where, ...]):
        self._excerpts = excerpts
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Location: ...

    @overload
    def __getitem__(self, index: slice) -> list[Location]: ...

    def __getitem__(self, index: int | slice) -> Location | list[Location]:
        if isinstance(index, slice):
            return [self._excerpts.locate(where, "evidence") for where in self._places[index]]
        return self._excerpts.locate(self._places[index], "evidence")


@phase("grouping unknowns")
def by_input(
    unknowns: Iterable[tuple[RulePage, Unknown]], excerpts: Excerpts
) -> list[UnknownGroup]:
    """One group per rule, device and missing input."""
    groups: dict[tuple[str, str, str], list[Unknown]] = {}
    for page, unknown in unknowns:
        groups.setdefault((page.id, unknown.device, unknown.missing), []).append(unknown)
    return [
        UnknownGroup(
            rule,
            missing,
            device,
            tuple(dict.fromkeys(s for unknown in found for s in unknown.subjects)),
            _Places(excerpts, tuple(w for w in found[0].at[:1] if w.position)),
            found[0].tells,
        )
        for (rule, device, missing), found in sorted(groups.items(), key=lambda item: item[0])
    ]
