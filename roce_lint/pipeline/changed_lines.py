"""Which lines of a device's files are other ones on the other side."""

from __future__ import annotations

from collections.abc import Hashable
from difflib import SequenceMatcher

from roce_lint.model.device import Device
from roce_lint.model.object_diff import Difference
from roce_lint.text.excerpts import Excerpts
from roce_lint.text.source import FileRef, Origin, SourceMap, Where

MOST = 4000
"""Lines between the first and the last that differ, up to which they are compared one by one; of
longer stretches each line counts as changed."""


class ChangedLines:
    """Tells the lines that decide a difference from those that only are where it shows."""

    def __init__(self, a: Device, b: Device, excerpts: tuple[Excerpts, Excerpts]):
        self._excerpts = excerpts
        self._pairs = _file_pairs(a.src, b.src)
        self._kept: tuple[dict[str, frozenset[int] | None], ...] = ({}, {})

    def deciding(self, each: Difference) -> list[Hashable]:
        """The changed lines that state either value; none where it only follows from others."""
        found: list[Hashable] = []
        for side, where in enumerate((each.a_where, each.b_where)):
            if where.origin is not Origin.STATED or where.position <= 0:
                continue
            if self._is_changed(side, where):
                found.append((side, where.position, each.wording))
        return found

    def _is_changed(self, side: int, where: Where) -> bool:
        index = where.src.file_of(where.position)
        name = where.src.files[index].name
        if name not in self._kept[side]:
            self._compare(side, name)
        kept = self._kept[side].get(name)
        if kept is None:
            return True
        line = self._excerpts[side].locate(where).line
        return line not in kept

    def _compare(self, side: int, name: str) -> None:
        """Note the lines that a file and the one of the other side have in common."""
        pair = self._pairs[side].get(name)
        self._kept[side][name] = None
        if pair is None:
            return
        refs = (pair[0], pair[1])
        lines = [self._excerpts[n].lines(ref) for n, ref in enumerate(refs)]
        for n, kept in enumerate(_common(*lines)):
            self._kept[n][refs[n].name] = kept


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


def _common(a: list[str], b: list[str]) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of the lines that are the same in both, in the same order."""
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    ends = len(a) - tail, len(b) - tail
    kept = [{*range(1, head + 1), *range(end + 1, end + tail + 1)} for end in ends]
    if max(ends) - head <= MOST:
        matcher = SequenceMatcher(None, a[head : ends[0]], b[head : ends[1]], autojunk=False)
        for x, y, size in matcher.get_matching_blocks():
            kept[0].update(range(head + x + 1, head + x + size + 1))
            kept[1].update(range(head + y + 1, head + y + size + 1))
    return frozenset(kept[0]), frozenset(kept[1])
