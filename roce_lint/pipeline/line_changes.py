"""Which lines of a device's files are other ones on the other side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from roce_lint.model.device import Device
from roce_lint.model.object_diff import Difference
from roce_lint.text.alignment import align
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import FileRef, Location, Origin, SourceMap, Where

ALIKE = 0.6
"""How much of a line and of the one in its place has to be the same for them to be one line that
was changed, and not two of which one went and one came."""

Numbers = Mapping[int, int]
"""Lines of one file by those of another."""


@dataclass(slots=True)
class _File:
    """A file of one side beside that of the other."""

    ref: FileRef
    other: FileRef
    kept: frozenset[int]
    instead: Numbers
    """Changed lines with those of the other file that stand in their place."""


class ChangedLines:
    """Tells the lines that decide a difference from those that only are where it shows."""

    def __init__(self, a: Device, b: Device, excerpts: tuple[Excerpts, Excerpts]):
        self._excerpts = excerpts
        self._maps = a.src, b.src
        self._pairs = _file_pairs(a.src, b.src)
        self._files: tuple[dict[str, _File | None], ...] = ({}, {})
        self._changed: dict[tuple[int, int, int], bool] = {}

    def deciding(self, each: Difference) -> list[Hashable]:
        """The changed lines that state either value; none where it only follows from others."""
        found: list[Hashable] = []
        for side, where in enumerate((each.a_where, each.b_where)):
            if self.is_changed(side, where):
                found.append((side, where.position, each.wording))
        return found

    def is_changed(self, side: int, where: Where) -> bool:
        """True for a line that states something, and that the other side has not."""
        if where.origin is not Origin.STATED or where.position <= 0:
            return False
        key = (side, id(where.src), where.position)  # many values, each asked about twice
        known = self._changed.get(key)
        if known is None:
            file = self._file(side, where)
            line = self._excerpts[side].locate(where).line if file is not None else None
            known = self._changed[key] = file is None or line not in file.kept
        return known

    def counterpart(self, side: int, where: Where) -> Location | None:
        """The changed line of the other side that stands in the place of one of this side."""
        if where.origin is not Origin.STATED or where.position <= 0:
            return None
        file = self._file(side, where)
        if file is None:
            return None
        number = file.instead.get(self._excerpts[side].locate(where).line)
        if number is None:
            return None
        place = Where(self._maps[1 - side], file.other.first + number)
        return self._excerpts[1 - side].locate(place)

    def _file(self, side: int, where: Where) -> _File | None:
        """The file of a place; None where the other side has none like it."""
        name = where.src.files[where.src.file_of(where.position)].name
        if name not in self._files[side]:
            self._compare(side, name)
        return self._files[side].get(name)

    def _compare(self, side: int, name: str) -> None:
        """Note the lines that a file and the one of the other side have in common."""
        pair = self._pairs[side].get(name)
        self._files[side][name] = None
        if pair is None:
            return
        refs = (pair[0], pair[1])
        lines = [self._excerpts[n].lines(ref) for n, ref in enumerate(refs)]
        kept, instead = _common(*lines)
        back = {y: x for x, y in instead.items()}
        self._files[0][refs[0].name] = _File(refs[0], refs[1], kept[0], instead)
        self._files[1][refs[1].name] = _File(refs[1], refs[0], kept[1], back)


def _file_pairs(
    a: SourceMap, b: SourceMap
) -> tuple[dict[str, tuple[FileRef, FileRef]], dict[str, tuple[FileRef, FileRef]]]:
    """Files of both sides that belong together: of one name, or the only ones of their kind."""
    by_name = {ref.name: ref for ref in b.files}
    pairs = [(ref, by_name[ref.name]) for ref in a.files if ref.name in by_name]
    if not pairs:
        kinds = [{}, {}]  # type: list[dict[str, list[FileRef]]]
        for n, src in enumerate((a, b)):
            for ref in src.files:
                kinds[n].setdefault(ref.source, []).append(ref)
        pairs = [
            (refs[0], kinds[1][kind][0])
            for kind, refs in kinds[0].items()
            if len(refs) == len(kinds[1].get(kind, ())) == 1
        ]
    return {x.name: (x, y) for x, y in pairs}, {y.name: (x, y) for x, y in pairs}


def _common(a: list[str], b: list[str]) -> tuple[tuple[frozenset[int], frozenset[int]], Numbers]:
    """The numbers of the lines that are the same in both, in the same order; and the changed lines
    of the one with those that stand in their places in the other.
    """
    kept: tuple[set[int], set[int]] = set(), set()
    instead: dict[int, int] = {}
    for part in align(a, b):
        here, there = range(part.a, part.a_end), range(part.b, part.b_end)
        if part.same:
            kept[0].update(x + 1 for x in here)
            kept[1].update(y + 1 for y in there)
        elif len(here) == len(there):
            pairs = zip(here, there, strict=True)
            instead.update((x + 1, y + 1) for x, y in pairs if _is_alike(a[x], b[y]))
    return (frozenset(kept[0]), frozenset(kept[1])), instead


@lru_cache(maxsize=4096)  # a change is often the same on many ports and devices
def _is_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() >= ALIKE
